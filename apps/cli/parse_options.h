// Parses the command line.
#pragma once

#include <string>
#include <vector>

#include "../shared/options.h"

namespace benzer::cli {

// Parses the arguments after the command's name. Throws Error(kInvalidArgument) for an unknown
// option (naming the nearest one), a repeated option, a missing value and a wrong number of inputs.
// Arguments after "--" are inputs; a value that begins with "--" can only be written as
// --option=VALUE.
Options parse_options(const CommandRow& command, const std::vector<std::string>& arguments);

}  // namespace benzer::cli
