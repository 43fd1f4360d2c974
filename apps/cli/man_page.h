// Makes the man pages, from the tables of commands and options that --help is made from.
#pragma once

#include <string>

#include "../shared/options.h"

namespace benzer::cli {

std::string program_page();                           // benzer(1)
std::string command_page(const CommandRow& command);  // benzer-dedup(1)
std::string page_name(const CommandRow& command);     // "benzer-dedup"

}  // namespace benzer::cli
