// Computes how many slots the signatures of a similar pair must have in common.
#pragma once

#include "benzer/banding.h"

namespace benzer {

// How many slots of two signatures must agree for the pair to be worth an exact comparison.
struct SignatureCut {
  int least_equal = 0;
  double loss = 0;  // upper bound of the probability that a pair exactly at the threshold has fewer
};

// Returns the highest cut that loses a pair at the threshold with at most the probability
// allowed_loss. The number of agreeing slots of such a pair follows at worst a binomial
// distribution. At t = 0.8 and 128 slots the cut is 4 standard errors below t. Near 1, where the
// distribution is skewed, a fixed number of standard errors would lose far more than it says.
SignatureCut signature_cut(double threshold, int slots, double allowed_loss);

// Returns the probability that at least `least_equal` of `slots` slots agree, if each does with the
// probability `agreement`.
double pass_probability(int least_equal, double agreement, int slots);

// Returns which part of the misses that a recall allows the cut may cause: a hundredth.
double allowed_loss(double recall) noexcept;

// Returns the probability that a run on files finds a pair exactly at the threshold: the two share
// a band, and the cut does not drop them.
double recall_of(const PlanRequest& request, const Banding& banding);

}  // namespace benzer
