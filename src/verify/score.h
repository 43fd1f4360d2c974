// The score of two documents with several fields.
#pragma once

#include <cstdint>
#include <span>

#include "benzer/similarity.h"

namespace benzer {

// Of a field that at least one of the two has.
struct WeighedOverlap {
  Overlap overlap;
  std::uint32_t weight;  // in millionths
};

struct WeighedScore {
  double score;
  double weight;
};

// 0 if there are no fields.
double score_of(ScoreRule rule, std::span<const WeighedOverlap> fields) noexcept;
double score_of(ScoreRule rule, std::span<const WeighedScore> fields) noexcept;

// Is the score at or above the threshold? Decided with whole numbers, so that 4 of 5 reach 0.8.
bool reaches(ScoreRule rule, std::span<const WeighedOverlap> fields, const Threshold& threshold);

}  // namespace benzer
