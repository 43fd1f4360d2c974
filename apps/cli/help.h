// What --help and --version print.
#pragma once

#include <string>

#include "options.h"

namespace benzer::cli {

std::string program_help();                           // benzer --help
std::string command_help(const CommandRow& command);  // benzer COMMAND --help
std::string program_version();                        // benzer --version

}  // namespace benzer::cli
