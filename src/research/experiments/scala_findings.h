// Says what the numbers of the experiments on the blog on Scala show, and judges its claims.
#pragma once

#include <cstddef>
#include <vector>

#include "research/experiments/errors.h"
#include "research/experiments/judge.h"

namespace benzer::experiments {

struct ScalaHistogram {
  bool bins_as_printed = false, values_as_printed = false;
  double chi_square = 0;
  double freedom = 0;  // degrees of freedom: one less than bins
};
// Of pairs of texts: by the hundred functions of the blog, and by functions of its own for each.
struct ScalaEstimates {
  MeasuredError of_blog, own;
  double theory = 0;  // the RMS error of independent functions
};
struct ScalaBands {
  bool as_printed = false;
  std::vector<double> thresholds, found;  // the share found exactly at the threshold
  double unused = 0;                      // the most hashes that a threshold leaves out, of 100
  int bands_at_half = 0, rows_at_half = 0, bands_at_most = 0, rows_at_most = 0;  // at .5 and .99
};
Judged judge_scala(const ScalaHistogram& histogram, const ScalaEstimates& estimates,
                   const ScalaBands& bands);

struct ScalaExamples {
  double pangram = 0;          // similarity with shingles of one character
  std::size_t apart_from = 0;  // the least k without common shingles; 0: none up to 5
  std::size_t functions = 0, as_printed = 0, even_factors = 0;
};
Judged judge_scala_examples(const ScalaExamples& numbers);

// Hash functions that rising thresholds need, in three senses.
struct ScalaHashes {
  std::vector<double> thresholds, for_error, for_gap, for_share;
};
// Shares of contained texts that are found at t = 0.5, by their size.
struct ScalaContained {
  double of_half = 0, of_three_tenths = 0, of_tenth = 0;
  double worst = 0;    // largest difference from what the Jaccard similarity gives
  double allowed = 0;  // by chance
};
Judged judge_scala_claims(const ScalaHashes& hashes, const ScalaContained& contained);

}  // namespace benzer::experiments
