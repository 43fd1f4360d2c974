// The ids that a command is about: those it names, and those of --ids.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options.h"

namespace benzer::cli {

// take(ids) for those on the command line behind the index, then for those of --ids ("-" is
// standard input), many at a time. Empty lines are passed over. Throws Error(kNotFound) for a file
// that cannot be opened, Error(kStorageFailed) for one that cannot be read, and
// Error(kInvalidArgument) for a line that is not an id; take() has got those before it, or some.
void for_all_ids(const Options& options,
                 const std::function<void(const std::vector<std::string>& ids)>& take);

// Throws Error(kInvalidArgument) if neither is given.
void check_has_ids(const Options& options);

}  // namespace benzer::cli
