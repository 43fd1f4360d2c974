// Writes scores for people.
#pragma once

#include <string>

namespace benzer {

// "0.7999": a score with this many decimals. It is cut and not rounded, so that a score
// below a threshold of as many decimals does not seem to reach it.
std::string cut_score(double score, int decimals = 4);

}  // namespace benzer
