// Provides what the experiments on the course report share: its texts as sets of terms, all their
// exact similarities, sketches of Benzer in the shape of its matrix, and the expected errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benzer/research/classics/course.h"
#include "benzer/research/experiments.h"

#include "research/experiments/work.h"

namespace benzer::experiments::course_report {

using classics::course::MinHashMatrix;
using classics::course::TermSets;

// The originals of one kind, as the report used those of "space".
struct OneKind {
  std::vector<classics::course::NamedText> texts;
  std::shared_ptr<const TermSets> sets;
  std::string description;  // "994 files of union"
};
OneKind one_kind(const ExperimentOptions& options);

// The exact similarities of all pairs, in the order (0, 1), (0, 2), ..., (1, 2), ...
class ExactPairs {
 public:
  // Throws Error(kInterrupted) when `stop` (may be null) becomes true.
  ExactPairs(const TermSets& sets, const std::atomic<bool>* stop);

  std::size_t pairs() const noexcept { return similarities_.size(); }
  // How many pairs have an estimate that is off by more than each of the errors, and the mean error
  // of all estimates. The matrix must have as many documents. Throws as the constructor does.
  struct Off {
    std::vector<std::uint64_t> by_more;
    double bias = 0;
  };
  Off off_by(const MinHashMatrix& matrix, std::span<const double> errors,
             const std::atomic<bool>* stop) const;
  // The expected numbers if the k slots were independent and equal with probability J: the tail of
  // the binomial distribution, summed over all pairs.
  std::vector<double> expected_off_by(std::size_t k, std::span<const double> errors) const;
  double mean() const noexcept;

 private:
  std::size_t documents_;
  std::vector<double> similarities_;
};

// The distribution of the number of successes in k trials of probability p: k + 1 numbers.
std::vector<double> binomial(std::size_t k, double p);

// The probability that the estimate, x / k, is off by more than the error.
double off_by_more(std::span<const double> binomial_of_k, double p, double error);

// Signatures by a sketch of Benzer ("kperm:600", "fss:600"), of terms hashed with the seed. Slots
// are cut to their lower 32 bits, which makes two different slots equal once in 4 billion.
MinHashMatrix sketched(const TermSets& sets, const std::string& sketch, std::uint64_t seed);

}  // namespace benzer::experiments::course_report
