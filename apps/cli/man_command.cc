// benzer man: prints a man page, or writes all of them to a folder.
#include <fmt/format.h>

#include "benzer/output.h"

#include "../shared/settings.h"
#include "commands.h"
#include "man_page.h"
#include "messages.h"
#include "output_folder.h"
#include "parse_options.h"

namespace benzer::cli {
namespace {

void write_page(const std::string& folder, const std::string& name, const std::string& page) {
  OutputFile file(fmt::format("{}/{}.1", folder, name));
  file.write(page);
  file.commit();
}

}  // namespace

int run_man(const Options& options) {
  if (!options.out) {
    print_result(options.inputs.empty() ? program_page()
                                        : command_page(named_command(options.inputs.front())));
    return kDone;
  }
  if (!options.inputs.empty())
    refuse(fmt::format("'{}' has no effect with --out, which is for the pages of all commands",
                       options.inputs.front()),
           "leave out one of them");
  make_output_folder(*options.out);
  write_page(*options.out, "benzer", program_page());
  for (const CommandRow& row : command_table())
    write_page(*options.out, page_name(row), command_page(row));
  return kDone;
}

}  // namespace benzer::cli
