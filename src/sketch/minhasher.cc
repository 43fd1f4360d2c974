#include <algorithm>
#include <cmath>
#include <new>

#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/runtime.h"
#include "benzer/sketch.h"

#include "base/sorted_lists.h"
#include "features/config_text.h"
#include "features/extension.h"
#include "sketch/darts.h"
#include "sketch/kernels/kernels.h"

namespace benzer {
namespace {

void require_same_scheme(const Signature& a, const Signature& b) {
  if (a.scheme == b.scheme && a.slots.size() == b.slots.size()) return;
  throw Error(ErrorCode::kInvalidArgument, "two signatures of different schemes cannot be compared",
              "make both with the same features, sketch and seed", ": ");
}

// With more features than this per slot, the first round of Fast Similarity Sketching leaves a slot
// empty with probability e^-32 only. If it does, they are few features repeated many times, so the
// repeats are removed before the other rounds, which would read all of them.
constexpr std::size_t kMany = 32;

// Makes `slots`, those of one set, the slots of its union with the set of `others`.
void merge_slots(std::span<std::uint64_t> slots, std::span<const std::uint64_t> others,
                 bool by_position) {
  if (by_position) {
    for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = std::min(slots[i], others[i]);
    return;
  }
  std::vector<std::uint64_t> all(2 * slots.size());
  const auto end =
      std::set_union(slots.begin(), slots.end(), others.begin(), others.end(), all.begin());
  std::fill(end, all.end(), kEmptySlot);
  std::copy_n(all.begin(), slots.size(), slots.begin());
}

}  // namespace

bool Signature::empty() const noexcept { return slots.empty() || slots.front() == kEmptySlot; }

double estimate_jaccard(const Signature& a, const Signature& b) {
  require_same_scheme(a, b);
  if (a.empty() || b.empty()) return 0;
  if (a.estimator == Estimator::kUnion) return estimate_union(a.slots, b.slots);
  if (a.estimator == Estimator::kCommon) return estimate_common(a.slots, b.slots);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.slots.size(); ++i) equal += a.slots[i] == b.slots[i];
  return static_cast<double>(equal) / static_cast<double>(a.slots.size());
}

double estimate_union(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) noexcept {
  const std::size_t k = a.size();
  std::size_t taken = 0, common = 0, i = 0, j = 0;
  for (; taken < k; ++taken) {
    const std::uint64_t left = i < k ? a[i] : kEmptySlot;
    const std::uint64_t right = j < k ? b[j] : kEmptySlot;
    if (left == kEmptySlot && right == kEmptySlot) break;
    common += left == right;
    i += left <= right;
    j += right <= left;
  }
  return taken == 0 ? 0 : static_cast<double>(common) / static_cast<double>(taken);
}

double estimate_common(std::span<const std::uint64_t> a,
                       std::span<const std::uint64_t> b) noexcept {
  const auto values = [](std::span<const std::uint64_t> slots) {
    const auto end = std::lower_bound(slots.begin(), slots.end(), kEmptySlot);
    return slots.first(static_cast<std::size_t>(end - slots.begin()));
  };
  const auto common = static_cast<double>(count_common(values(a), values(b)));
  return a.empty() ? 0 : common / static_cast<double>(a.size());
}

double standard_error(double similarity, int slots) noexcept {
  return std::sqrt(similarity * (1 - similarity) / slots);
}

double standard_error_of_union(double similarity, int slots, std::uint64_t union_size) noexcept {
  const double all = static_cast<double>(union_size), left = all - slots;
  return left > 0 ? standard_error(similarity, slots) * std::sqrt(left / (all - 1)) : 0;
}

Signature merge(const Signature& a, const Signature& b) {
  require_same_scheme(a, b);
  Signature merged = a;
  merge_slots(merged.slots, b.slots, a.estimator == Estimator::kEqualSlots);
  return merged;
}

MinHasher::MinHasher(const SketchSpec& sketch, const FeatureSpec& features)
    : sketch_(sketch),
      has_weights_(features.is_weighted()),
      kernels_(&kernels_for(active_cpu_level())) {
  internal::check_sketch(sketch, features);
  const std::string name = "features 1 | sketch 1 | " + features.str() + " | " + sketch.str();
  scheme_ = XXH3_64bits(name.data(), name.size());
  if (sketch.is_drawn())
    drawn_ = internal::extension_for("the sketch " + sketch.str()).slot_functions(sketch);
}

Estimator MinHasher::estimator() const noexcept {
  switch (sketch_.scheme) {
    case SketchSpec::Scheme::kBottomK:
      return Estimator::kUnion;
    case SketchSpec::Scheme::kSingle:
      return Estimator::kCommon;
    default:
      return Estimator::kEqualSlots;
  }
}

void MinHasher::sketch(std::span<const std::uint64_t> features,
                       std::span<std::uint64_t> out) const noexcept {
  const auto count = static_cast<std::uint32_t>(sketch_.slots);
  if (has_weights_) return sketch_by_darts(features, out);
  if (drawn_) return drawn_->sketch(features, out);
  if (sketch_.scheme == SketchSpec::Scheme::kFss) {
    if (features.size() > kMany * count) {
      if (kernels_->fss_begin(features.data(), features.size(), out.data(), count) == 0) return;
      try {
        const FeatureSet unique(features);
        kernels_->fss(unique.features().data(), unique.size(), out.data(), count);
        return;
      } catch (const std::bad_alloc&) {  // with the repeats it takes longer, but no memory
      }
    }
    kernels_->fss(features.data(), features.size(), out.data(), count);
  } else {
    kernels_->kperm(features.data(), features.size(), out.data(), count);
  }
}

void MinHasher::sketch(std::span<const std::uint64_t> features, std::span<std::uint64_t> out,
                       const std::atomic<bool>* stop) const {
  // Even a sketch of 4,096 drawn functions gets through this many features in a fraction of a
  // second.
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  if (stop == nullptr || features.size() <= kPiece) return sketch(features, out);
  sketch(features.first(kPiece), out);
  for (std::size_t at = kPiece; at < features.size(); at += kPiece) {
    throw_if_stopped(stop);
    add(features.subspan(at, std::min(kPiece, features.size() - at)), out);
  }
}

void MinHasher::add(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots) const {
  std::vector<std::uint64_t> others(slots.size());
  sketch(features, others);
  merge_slots(slots, others, sketch_.has_positions());
}

Signature MinHasher::sketch(std::span<const std::uint64_t> features,
                            const std::atomic<bool>* stop) const {
  Signature signature{std::vector<std::uint64_t>(static_cast<std::size_t>(sketch_.slots)), scheme_,
                      estimator()};
  sketch(features, signature.slots, stop);
  return signature;
}

}  // namespace benzer
