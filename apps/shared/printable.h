// Makes texts of others printable in the lines of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace benzer::apps {

// The text as a terminal may see it: control characters, which could move the cursor or worse, are
// shown as \x1B (line ends as \n), and invalid UTF-8 as U+FFFD.
std::string printable(std::string_view text);

// The same for a text of several lines, which stay. Those after the first one begin with `indent`.
std::string printable_lines(std::string_view text, std::string_view indent = "");

// The first `characters` code points of the text.
std::string_view first_characters(std::string_view text, std::size_t characters);

}  // namespace benzer::apps

namespace benzer::cli {
using namespace apps;
}
