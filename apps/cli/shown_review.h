// Shows the two documents of a pair to the person who judges it.
#pragma once

#include <cstddef>
#include <string>

#include "benzer/audit.h"

namespace benzer::cli {

// The pair, with a heading that says that it is number `number` of `count`. All differences that
// the report has are shown and marked. Of longer texts, what is left out in front of the first
// difference and after the last one is equal in both.
std::string shown_review_pair(const ReviewPair& pair, std::size_t number, std::size_t count,
                              bool terminal);

}  // namespace benzer::cli
