// Estimates in how many documents each feature occurs, to tell which are common (+drop-common:X) or
// how much each weighs (+tf-idf).
//
// A count-min sketch (Cormode and Muthukrishnan, J. Algorithms 55, 2005): each feature adds one to
// a counter in every row, and the smallest of its counters is the estimate. It is never too low. Of
// F features in all, a counter of w holds F / w others on average, so the estimate of a feature is
// too high by k or more with a probability of at most (F / (w k))^rows (Markov, rows taken as
// independent). Sums do not depend on the order, so any number of threads gives the same.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/secret.h"

namespace benzer::internal {

class FrequencyCounter {
 public:
  FrequencyCounter();

  // Counts the features of a document, each of which must be given once. Any number of threads may
  // call it at a time.
  void add(std::span<const std::uint64_t> features) noexcept;

  // Ends the counting for weights.
  void finish(std::uint64_t documents);

  // Ends the counting: a feature is common if more than share * documents have it, and at least
  // kLeastDocuments. Throws Error(kInvalidArgument) if the counters are too full to tell.
  void finish(std::uint64_t documents, std::uint32_t share_in_billionths);

  // After the last add(). Any number of threads may call it at a time.
  std::uint32_t estimate(std::uint64_t feature) const noexcept;
  // Only after finish(). Any number of threads may call them at a time.
  bool is_common(std::uint64_t feature) const noexcept;
  // Returns inverse_frequency() of the feature.
  std::uint64_t weight(std::uint64_t feature) const noexcept;

  // Remembers that this feature was left out of some document.
  void note(std::uint64_t feature) const;
  // Returns how many different features were noted.
  std::uint64_t noted() const;

  static constexpr std::uint32_t kLeastDocuments = 10;

 private:
  static constexpr int kRows = 4;
  static constexpr int kBits = 22;  // a row has 2^22 counters; 64 MiB in all
  static constexpr std::size_t kParts = 64;

  std::size_t place(int row, std::uint64_t feature) const noexcept;

  std::unique_ptr<std::atomic<std::uint32_t>[]> counters_;
  std::atomic<std::uint64_t> added_ = 0;
  std::uint32_t limit_ = ~std::uint32_t{0};  // features with higher estimates are common
  std::uint64_t documents_ = 0;
  std::vector<std::uint64_t> weights_;  // of features of 0, 1, 2, ... documents, the usual ones

  struct Part {
    std::mutex mutex;
    std::unordered_set<std::uint64_t, SecretHash> features;
  };
  mutable std::array<Part, kParts> noted_;
};

}  // namespace benzer::internal
