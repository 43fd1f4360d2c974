// Computes the score of two documents with several fields.
#pragma once

#include <cstdint>
#include <span>

#include "benzer/similarity.h"

namespace benzer {

// The overlap and weight of a field that at least one of the two documents has.
struct WeighedOverlap {
  Overlap overlap;
  std::uint32_t weight;  // in millionths
};

struct WeighedScore {
  double score;
  double weight;
};

// Returns the score by the rule; 0 if there are no fields.
double score_of(ScoreRule rule, std::span<const WeighedOverlap> fields) noexcept;
double score_of(ScoreRule rule, std::span<const WeighedScore> fields) noexcept;

// Returns true if the score is at or above the threshold. Computes with whole numbers, so that 4 of
// 5 reach 0.8.
bool reaches(ScoreRule rule, std::span<const WeighedOverlap> fields, const Threshold& threshold);

}  // namespace benzer
