// Shows a few pairs of a report for 'benzer demo'.
#pragma once

#include <cstddef>
#include <string>

#include "benzer/audit.h"

namespace benzer::cli {

// Chooses up to `count` removed documents of the review whose scores are spread from the highest to
// the lowest, and shows each below its keeper, with the words that differ marked and a few equal
// words around them. Returns "" if nothing was removed. terminal: as in marked_text().
std::string shown_pairs(const Review& review, std::size_t count, bool terminal);

}  // namespace benzer::cli
