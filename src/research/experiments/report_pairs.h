// Runs the set-up of the 2012 report, section 4.1: pairs of random sets of n elements that share
// n_i = s n of them, with estimates by its two algorithms, and by two better ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benzer/research/experiments.h"

#include "research/experiments/errors.h"

namespace benzer::experiments {

enum class Method {
  kMany,     // minima of n_h functions: equal positions / n_h
  kSingle,   // the n_h smallest values of one function: common / n_h, as in the report
  kBottomK,  // the same values: the share of the n_h smallest of the union in both
  kFss,      // Fast Similarity Sketching, the default of Benzer; up to 4,096 slots
};
inline constexpr std::size_t kMethods = 4;

class PairRuns {
 public:
  // kMany costs n_h times as much as the others, so it runs on the first many_pairs only.
  PairRuns(const ExperimentOptions& options, std::size_t n, double s, std::size_t pairs,
           std::size_t many_pairs);

  std::size_t n() const { return n_; }
  std::size_t shared() const { return shared_; }
  std::size_t union_size() const { return 2 * n_ - shared_; }
  double s() const { return static_cast<double>(shared_) / static_cast<double>(n_); }
  double jaccard() const {
    return static_cast<double>(shared_) / static_cast<double>(union_size());
  }

  // The values of n_h, from 1 to n in about 20 steps of about equal ratio.
  const std::vector<std::size_t>& hash_counts() const { return counts_; }
  // The step with this number of hashes, or with the next larger one.
  std::size_t step_of(std::size_t hashes) const;
  bool has(Method method, std::size_t step) const;

  // The errors over the first `pairs` pairs, or over all.
  ErrorSum errors(Method method, std::size_t step, double reference,
                  std::size_t pairs = ~std::size_t{0}) const;

 private:
  void run_pair(std::uint64_t seed, std::size_t pair);
  double& estimate(Method method, std::size_t step, std::size_t pair);

  std::size_t n_, shared_, pairs_, many_pairs_;
  std::vector<std::size_t> counts_;
  std::vector<double> estimates_;  // by method, step, pair
};

}  // namespace benzer::experiments
