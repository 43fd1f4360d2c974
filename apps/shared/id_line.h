// Writes any id on one line and reads it back, as 'benzer list' prints ids and --ids reads them.
#pragma once

#include <string>
#include <string_view>

namespace benzer::apps {

// Appends the id and a line end. An id that begins with a quote, or contains a control character
// or another kind of line end, becomes a JSON string, in which bytes that are not UTF-8 are
// unchanged; any other id is unchanged. So every id is one line, and no two ids have the same line.
void append_id_line(std::string_view id, std::string& out);

// The id of a line without its end. Throws Error(kInvalidArgument) for one that begins with a quote
// and is not a JSON string.
std::string id_of_line(std::string_view line);

}  // namespace benzer::apps
