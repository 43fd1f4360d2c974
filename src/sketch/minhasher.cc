#include <algorithm>
#include <cmath>

#include <xxhash.h>

#include "benzer/cpu.h"
#include "benzer/error.h"
#include "benzer/sketch.h"

#include "sketch/kernels/kernels.h"

namespace benzer {
namespace {

void require_same_scheme(const Signature& a, const Signature& b) {
  if (a.scheme == b.scheme && a.slots.size() == b.slots.size()) return;
  throw Error(ErrorCode::kInvalidArgument,
              "two signatures of different schemes cannot be compared: make both with the same "
              "features, sketch and seed");
}

}  // namespace

bool Signature::empty() const noexcept { return slots.empty() || slots.front() == kEmptySlot; }

double estimate_jaccard(const Signature& a, const Signature& b) {
  require_same_scheme(a, b);
  if (a.empty() || b.empty()) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.slots.size(); ++i) equal += a.slots[i] == b.slots[i];
  return static_cast<double>(equal) / static_cast<double>(a.slots.size());
}

double standard_error(double similarity, int slots) noexcept {
  return std::sqrt(similarity * (1 - similarity) / slots);
}

Signature merge(const Signature& a, const Signature& b) {
  require_same_scheme(a, b);
  Signature merged = a;
  for (std::size_t i = 0; i < a.slots.size(); ++i)
    merged.slots[i] = std::min(a.slots[i], b.slots[i]);
  return merged;
}

MinHasher::MinHasher(const SketchSpec& sketch, const FeatureSpec& features)
    : sketch_(sketch), kernels_(&kernels_for(active_cpu_level())) {
  const std::string name = "features 1 | sketch 1 | " + features.str() + " | " + sketch.str();
  scheme_ = XXH3_64bits(name.data(), name.size());
}

void MinHasher::sketch(std::span<const std::uint64_t> features,
                       std::span<std::uint64_t> out) const noexcept {
  const auto count = static_cast<std::uint32_t>(sketch_.slots);
  if (sketch_.scheme == SketchSpec::Scheme::kFss) {
    kernels_->fss(features.data(), features.size(), out.data(), count);
  } else {
    kernels_->kperm(features.data(), features.size(), out.data(), count);
  }
}

Signature MinHasher::sketch(std::span<const std::uint64_t> features) const {
  Signature signature{std::vector<std::uint64_t>(static_cast<std::size_t>(sketch_.slots)), scheme_};
  sketch(features, signature.slots);
  return signature;
}

}  // namespace benzer
