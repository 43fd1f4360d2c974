#include "features/frequency_counter.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"

#include "features/inverse_frequency.h"

namespace benzer::internal {
namespace {

// Odd numbers without a pattern. Features are strong hashes, so multiplying them and taking the
// upper bits lets other features share a counter in each row.
constexpr std::uint64_t kFactors[] = {0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB,
                                      0xD6E8FEB86659FD93};

// The largest mean of the counters, as a share of the number of documents that makes a feature
// common. With four rows a feature of one document is then taken for a common one with a
// probability of at most (1 / 8)^4 = 0.00024.
constexpr double kFullest = 1.0 / 8;

constexpr double kBillion = 1e9;

}  // namespace

FrequencyCounter::FrequencyCounter()
    : counters_(std::make_unique<std::atomic<std::uint32_t>[]>(std::size_t{kRows} << kBits)) {}

std::size_t FrequencyCounter::place(int row, std::uint64_t feature) const noexcept {
  const std::uint64_t column = feature * kFactors[row] >> (64 - kBits);
  return (static_cast<std::size_t>(row) << kBits) + static_cast<std::size_t>(column);
}

void FrequencyCounter::add(std::span<const std::uint64_t> features) noexcept {
  for (const std::uint64_t feature : features)
    for (int row = 0; row < kRows; ++row)
      counters_[place(row, feature)].fetch_add(1, std::memory_order_relaxed);
  added_.fetch_add(features.size(), std::memory_order_relaxed);
}

void FrequencyCounter::finish(std::uint64_t documents) {
  constexpr std::uint32_t kUsual = 4096;
  documents_ = documents;
  weights_.clear();
  for (std::uint32_t having = 0; having < kUsual; ++having)
    weights_.push_back(inverse_frequency(documents, having));
}

std::uint64_t FrequencyCounter::weight(std::uint64_t feature) const noexcept {
  const std::uint64_t having = std::min<std::uint64_t>(estimate(feature), documents_);
  return having < weights_.size() ? weights_[having] : inverse_frequency(documents_, having);
}

void FrequencyCounter::finish(std::uint64_t documents, std::uint32_t share_in_billionths) {
  // floor(share * documents), in whole numbers, so that nothing depends on rounding.
  const std::uint64_t most = documents / 1'000'000'000 * share_in_billionths +
                             documents % 1'000'000'000 * share_in_billionths / 1'000'000'000;
  limit_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(
      std::min<std::uint64_t>(most, ~std::uint32_t{0}), kLeastDocuments - 1));
  const double load = static_cast<double>(added_.load()) / static_cast<double>(1 << kBits);
  if (load <= kFullest * limit_) return;
  const double share = load / kFullest / static_cast<double>(std::max<std::uint64_t>(documents, 1));
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("+drop-common:{} is too rare to be counted in {} shingles of {} documents",
                  share_in_billionths / kBillion, added_.load(), documents),
      fmt::format("give a share of at least {:.2g}", share * 1.05), ": ");
}

std::uint32_t FrequencyCounter::estimate(std::uint64_t feature) const noexcept {
  std::uint32_t least = ~std::uint32_t{0};
  for (int row = 0; row < kRows; ++row)
    least = std::min(least, counters_[place(row, feature)].load(std::memory_order_relaxed));
  return least;
}

bool FrequencyCounter::is_common(std::uint64_t feature) const noexcept {
  // The first row is enough for most features.
  for (int row = 0; row < kRows; ++row)
    if (counters_[place(row, feature)].load(std::memory_order_relaxed) <= limit_) return false;
  return true;
}

void FrequencyCounter::note(std::uint64_t feature) const {
  Part& part = noted_[feature % kParts];
  const std::lock_guard lock(part.mutex);
  part.features.insert(feature);
}

std::uint64_t FrequencyCounter::noted() const {
  std::uint64_t sum = 0;
  for (Part& part : noted_) {
    const std::lock_guard lock(part.mutex);
    sum += part.features.size();
  }
  return sum;
}

}  // namespace benzer::internal
