// How far apart the signatures of a similar pair may be.
#pragma once

namespace benzer {

// How many slots of two signatures must agree for the pair to be worth an exact comparison.
struct SignatureCut {
  int least_equal = 0;
  double loss = 0;  // upper bound of the probability that a pair exactly at the threshold has fewer
};

// The agreeing slots of a pair at the threshold t follow at worst a binomial distribution. At t =
// 0.8 and 128 slots the cut lies 4 standard errors below t; near 1, where the distribution is
// skewed, a fixed number of standard errors would lose far more than it says.
SignatureCut signature_cut(double threshold, int slots, double allowed_loss);

// The probability that of so many slots, each of which agrees with the probability `agreement`, at
// least so many do.
double pass_probability(int least_equal, double agreement, int slots);

// What the cut may lose of the misses that a recall allows: a hundredth.
double allowed_loss(double recall) noexcept;

}  // namespace benzer
