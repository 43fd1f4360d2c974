// benzer completions: prints what a shell reads to complete the command line.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/error.h"

#include "../shared/choices.h"
#include "commands.h"
#include "completions.h"
#include "messages.h"

namespace benzer::cli {

int run_completions(const Options& options) {
  constexpr std::array kScripts = {bash_completions, zsh_completions, fish_completions};
  static_assert(kScripts.size() == kShellNames.size());
  const std::string& shell = options.inputs.front();
  const auto at = std::ranges::find(kShellNames, shell);
  if (at == kShellNames.end())
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there are no completions for the shell '{}'", shell),
                fmt::format("there are some for {}", fmt::join(kShellNames, ", ")));
  print_result(kScripts[static_cast<std::size_t>(at - kShellNames.begin())]());
  return kDone;
}

}  // namespace benzer::cli
