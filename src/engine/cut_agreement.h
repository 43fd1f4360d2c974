// Computes how often the slots of cut signatures agree. Slots are cut to four bits, so that two
// different slots agree in 1 of 16 cases.
#pragma once

#include "lsh/signature_cut.h"

namespace benzer {

inline constexpr double kAgreementByChance = 1.0 / 16;

inline double agreement(double similarity) noexcept {
  return similarity + (1 - similarity) * kAgreementByChance;
}

// Returns the cut for pairs at the threshold. It causes a hundredth of the misses that the recall
// allows.
inline SignatureCut cut_for(double threshold, int slots, double recall) {
  return signature_cut(agreement(threshold), slots, allowed_loss(recall));
}

}  // namespace benzer
