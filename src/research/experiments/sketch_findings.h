// Says what the numbers of the experiments s-curve, hash-bias and sketches show, and judges what
// all five documents suppose.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benzer/banding.h"

#include "research/experiments/errors.h"
#include "research/experiments/judge.h"

namespace benzer::experiments {

// Shares found by the bands of one sketch, each compared with the formula.
struct CurveOfSketch {
  std::string sketch;
  int cells = 0;
  int within = 0;    // cells whose interval of 95 % has the expected share
  double worst = 0;  // the largest difference
};
struct SCurve {
  CurveOfSketch independent, fss;
  double pairs = 0;  // of each cell
  // Mean differences of fss, where the formula says less than a half, and where it says more.
  double fss_rare = 0, fss_frequent = 0;
};
Judged judge_s_curve(const SCurve& numbers);

// The errors of one family of functions on one layout of ids.
struct BiasCell {
  std::string family, layout;
  bool mixed = false;     // whether ids were made random numbers first
  bool few_bits = false;  // the family of the C# blog
  double random = 0;      // RMS error of random functions
  MeasuredError error;    // at the most functions
};
Judged judge_hash_bias(const std::vector<BiasCell>& cells);

// RMS errors of one sketch divided by its theory.
struct RatioOfSketch {
  std::string sketch;
  double mean = 0, least = 0, most = 0;
  double nanoseconds = 0;  // an element, for sets of 1,000
};
struct Sketches {
  RatioOfSketch kperm, linear, bottom_k, fss, few_bits, many_bits;
};
Judged judge_sketches(const Sketches& numbers);

}  // namespace benzer::experiments
