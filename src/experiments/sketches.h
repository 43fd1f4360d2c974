// Sketches as one measures them: an estimate for a pair of sets, and what theory says of its error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "benzer/experiments.h"

#include "experiments/draws.h"
#include "experiments/errors.h"

namespace benzer::experiments {

class PairSketch {
 public:
  virtual ~PairSketch() = default;
  const std::string& name() const { return name_; }
  // With fresh functions where the sketch draws them; the others get fresh features each time.
  virtual double estimate(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                          Draws& draws) const = 0;
  virtual void sketch_once(std::span<const std::uint64_t> set, Draws& draws) const = 0;
  virtual double theory(double jaccard, std::size_t union_size) const = 0;  // RMS error
  virtual double bytes() const = 0;                                         // of a signature

 protected:
  std::string name_;
};

std::vector<std::unique_ptr<PairSketch>> all_sketches();

// How many of n elements two sets of n must share to be nearest to that similarity.
std::size_t shared_for(std::size_t n, double jaccard);

// One for each sketch, over fresh random sets.
std::vector<ErrorSum> sketch_errors(const ExperimentOptions& options,
                                    const std::vector<std::unique_ptr<PairSketch>>& sketches,
                                    std::size_t n, std::size_t shared, std::size_t trials);

}  // namespace benzer::experiments
