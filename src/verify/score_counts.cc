// Counts compared pairs by their scores.
#include <algorithm>
#include <cstddef>

#include "benzer/similarity.h"

namespace benzer {

// Hashes have few different scores, and every bin should have the same number of them.
ScoreCounts::ScoreCounts(int hash_bits) : bins(hash_bits == 0 ? 50 : hash_bits == 256 ? 64 : 32) {}

ScoreCounts::Bin& ScoreCounts::bin_of(double score) {
  // The edges are printed as decimals, so 0.58 must not fall into the bin before it.
  const double bin = score * static_cast<double>(bins.size()) + 1e-9;
  if (!(bin > 0)) return bins[0];  // also for a score that is not a number
  return bins[static_cast<std::size_t>(std::min(bin, static_cast<double>(bins.size() - 1)))];
}

void ScoreCounts::add_similar(double score, double found_probability) {
  if (score == 1) {
    ++equal;
    return;
  }
  ++bin_of(score).similar;
  ++similar;
  if (found_probability > 0) missed += (1 - found_probability) / found_probability;
}

void ScoreCounts::add_below(double score, std::uint64_t pairs) { bin_of(score).below += pairs; }

}  // namespace benzer
