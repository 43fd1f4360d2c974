#include "index_messages.h"

#include <fmt/format.h>

#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "messages.h"

namespace benzer::cli {

void tell_missing(const std::string& id, const Options& options) {
  print_error(fmt::format("{} has no document {}", index_name(options), json_string(id)));
}

void close_index(Index& index, const Options& options) {
  index.close();
  if (const auto problem = index.maintenance_problem())
    print_error(
        fmt::format("{}: everything is stored, but background work fails and is tried again with "
                    "the next write: {}",
                    index_name(options), problem->error().what()));
}

}  // namespace benzer::cli
