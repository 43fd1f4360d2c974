// Says what the numbers of figures 6a, 6b and 6c of the 2012 report show, and judges its claims.
//
// "many" is the report's algorithm with n_h functions, "one" that with the n_h smallest values of
// one function. "_s" are errors against s = n_i / n, "_j" against the Jaccard similarity s / (2 -
// s).
#pragma once

#include <cstddef>
#include <vector>

#include "research/experiments/errors.h"
#include "research/experiments/judge.h"

namespace benzer::experiments {

// The errors at one number of hashes.
struct ReportErrors {
  std::size_t hashes = 0;
  MeasuredError many_s, one_s, many_j, one_j, bottom_k_j, fss_j;
};

struct Figure6a {
  double s = 0;
  std::size_t n = 0;                // elements of a set
  ReportErrors first, fifty, last;  // at 1, 50 and n hashes
};
Judged judge_6a(const Figure6a& figure);

// Of sets of one size, at 50 and at n hashes.
struct Figure6b {
  std::size_t n = 0;
  double jaccard = 0;
  ReportErrors fifty, last;
};
Judged judge_6b(const std::vector<Figure6b>& sizes);

// Of sets of one similarity, at 50 hashes.
struct Figure6c {
  double s = 0;
  ReportErrors fifty;
};
Judged judge_6c(const std::vector<Figure6c>& similarities);

}  // namespace benzer::experiments
