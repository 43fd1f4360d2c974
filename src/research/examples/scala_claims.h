// Computes what the claims of the blog on Scala are judged by.
#pragma once

#include <string>
#include <vector>

namespace benzer::experiments::scala_claims {

// The bands of `rows` rows that find pairs at the threshold with the wanted probability, and how
// often pairs at `below` are found by them.
struct Bands {
  double bands = 0;  // a whole number, which may be above 2^32
  double rows = 0;
  double hashes() const noexcept { return bands * rows; }
};

// Returns the bands with the fewest hash functions that find a share of `recall` of the pairs at
// the threshold, and at most a share of `chance` of those at `below`. 0 < below < threshold < 1.
// Adds rows one by one, since more rows separate better and cost more.
Bands fewest_hashes(double threshold, double below, double recall, double chance);

// Says whether a quantity that is given for rising thresholds rises, falls, or does neither.
enum class Trend { kRises, kFalls, kNeither };
Trend trend(const std::vector<double>& values);

}  // namespace benzer::experiments::scala_claims
