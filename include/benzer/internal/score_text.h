// Writes scores and probabilities for people.
#pragma once

#include <string>

namespace benzer {

// "0.7999": a score with this many decimals. It is cut and not rounded, so that a score
// below a threshold of as many decimals does not seem to reach it.
std::string cut_score(double score, int decimals = 4);

// "0.9927": a probability, rounded to four decimals. One below 1 that these would show as 1 has as
// many more, up to nine, as tell it from certainty: "0.99999".
std::string shown_probability(double probability);

// "0.9927": a probability in a column of four decimals, in which only certainty is 1.
std::string probability_in_column(double probability);

}  // namespace benzer
