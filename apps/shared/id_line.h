// An id on a line of its own, whatever is in it: as 'benzer list' prints ids and --ids reads them.
#pragma once

#include <string>
#include <string_view>

namespace benzer::apps {

// Appends the id and a line end. An id stays as it is, unless it begins with a quote or has a
// control character or another end of a line in it: then it becomes a JSON string, in which bytes
// that are not UTF-8 stay as they are. So every id is one line, and no two have the same.
void append_id_line(std::string_view id, std::string& out);

// The id of a line without its end. Throws Error(kInvalidArgument) for one that begins with a quote
// and is not a JSON string.
std::string id_of_line(std::string_view line);

}  // namespace benzer::apps
