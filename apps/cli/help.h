// Formats what --help and --version print.
#pragma once

#include <string>

#include "../shared/options.h"

namespace benzer::cli {

std::string program_help();  // benzer --help
// benzer COMMAND --help-all; with Level::kCommon it is --help, which ends with the number of
// options that it leaves out.
std::string command_help(const CommandRow& command, Level up_to);
std::string program_version();  // benzer --version

}  // namespace benzer::cli
