// Parses the command line.
#pragma once

#include <string>
#include <vector>

#include "../shared/options.h"

namespace benzer::cli {

// Returns the command with this name. Refuses any other name, and says which was probably meant.
const CommandRow& named_command(const std::string& name);

// Parses the arguments after the command's name. Throws Error(kInvalidArgument) for an unknown
// option (naming the nearest one), a repeated option, a missing value and a wrong number of inputs.
// Arguments after "--" are inputs; a value that begins with "--" can only be written as
// --option=VALUE.
Options parse_options(const CommandRow& command, const std::vector<std::string>& arguments);

}  // namespace benzer::cli
