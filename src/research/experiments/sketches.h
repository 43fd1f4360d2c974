// Measures sketches: an estimate for a pair of sets, and the theoretical error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/research/experiments.h"
#include "benzer/sketch.h"

#include "research/experiments/draws.h"
#include "research/experiments/errors.h"

namespace benzer::experiments {

class MeasuredSketch {
 public:
  // bits: how many bits of each slot are compared; 0: all of them.
  MeasuredSketch(std::string_view spec, int bits);

  const std::string& name() const { return name_; }
  const MinHasher& hasher() const { return hasher_; }
  double estimate(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) const;
  double theory(double jaccard, std::size_t union_size) const;  // RMS error
  double bytes() const;                                         // of a signature

 private:
  MinHasher hasher_;
  int bits_;
  std::string name_;
};

std::vector<MeasuredSketch> all_sketches();

// How many elements two sets of n must share for a similarity nearest to this one.
std::size_t shared_for(std::size_t n, double jaccard);

// The errors of each sketch, over new random sets in each trial.
std::vector<ErrorSum> sketch_errors(const ExperimentOptions& options,
                                    const std::vector<MeasuredSketch>& sketches, std::size_t n,
                                    std::size_t shared, std::size_t trials);

}  // namespace benzer::experiments
