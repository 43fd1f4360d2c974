// Estimates shares of independent cases, with intervals that cover the true share in 95 of 100
// samples.
#pragma once

#include <cstdint>
#include <span>

#include "benzer/audit.h"

namespace benzer {

inline constexpr double kNormal95 = 1.959963984540054;  // the normal quantile of 0.975

// Wilson's score interval (Wilson 1927) for a share seen in `size` independent cases; `size` need
// not be whole.
Share wilson(double share, double size);

// The share of documents with a property, `with` of `sampled`, drawn without repeats from
// `population`.
Share share_of_documents(std::uint64_t with, std::uint64_t sampled, std::uint64_t population);

// The similar pairs of one drawn document, and how many of them a run finds.
struct PairsOfDocument {
  std::uint64_t pairs = 0;
  std::uint64_t found = 0;
};

// The share found / pairs. Pairs are not independent: those of one document share its features, and
// what hides one pair tends to hide the next. The documents were drawn independently, so they are
// the units: a cluster sample and its ratio estimate (Cochran, Sampling Techniques, 3rd ed. 1977,
// chapter 6). Wilson's interval for the effective number of pairs, pairs / deff (Korn and Graubard
// 1998; Dean and Pagano 2015), stays within 0 and 1 and says something where nothing is missed.
//   deff = 1 + (K - 1) rho            K = sum of pairs^2 / sum of pairs (Kish 1965)
// rho says how far the pairs of a document are lost together, and is estimated from the variance of
// the ratio estimate. With few misses that variance says little, so rho starts at 1 (they are only
// lost together), with the weight of one document that misses pairs.
Share share_of_pairs(std::span<const PairsOfDocument> documents, std::uint64_t pairs,
                     std::uint64_t found, std::uint64_t population);

}  // namespace benzer
