// The text that people read of an HTML page: what +html compares.
//
// docs/format.md has the rules. They are those by which browsers cut HTML into text, tags and
// comments; no tree is built, so time and memory are proportional to the text whatever is in it.
#pragma once

#include <string_view>

#include "features/scan.h"

namespace benzer::internal {

// The readable text, which is never longer than the page; in `room`, until that is used again.
std::string_view readable_text(std::string_view html, RawBuffer<char>& room);

}  // namespace benzer::internal
