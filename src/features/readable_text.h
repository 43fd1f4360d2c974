// Extracts from an HTML page the text that people read, which +html compares.
//
// docs/format.md has the rules. They are those by which browsers cut HTML into text, tags and
// comments. No tree is built, so time and memory are proportional to the page, whatever it
// contains.
#pragma once

#include <string_view>

#include "features/scan.h"

namespace benzer::internal {

// Returns the readable text, which is never longer than the page. It is in `room`, and valid until
// that is used again.
std::string_view readable_text(std::string_view html, RawBuffer<char>& room);

}  // namespace benzer::internal
