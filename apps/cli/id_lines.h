// Reads the ids that a command is given: those on the command line, and those of --ids.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../shared/options.h"

namespace benzer::cli {

// Calls take(ids) for those on the command line after the index, then for those of --ids ("-" is
// standard input), many at a time. Skips empty lines. Before the first call the whole list was read
// and checked: throws Error(kNotFound) for a file that cannot be opened, Error(kStorageFailed) for
// one that cannot be read, and Error(kInvalidArgument) for a line that is not an id. A list of more
// than 16 MiB goes to a temporary file.
void for_all_ids(const Options& options,
                 const std::function<void(const std::vector<std::string>& ids)>& take);

// Throws Error(kInvalidArgument) if neither is given.
void check_has_ids(const Options& options);

}  // namespace benzer::cli
