#include <algorithm>
#include <cmath>

#include "benzer/error.h"
#include "benzer/sketch.h"

namespace benzer {

BitSignature::BitSignature(const Signature& signature, int bits)
    : slots_(signature.slots.size()),
      scheme_(signature.scheme),
      bits_(bits),
      empty_(signature.empty()) {
  if (bits < 1 || bits > 16)
    throw Error(ErrorCode::kInvalidArgument,
                "a view of " + std::to_string(bits) +
                    " bits of each slot was asked for; allowed are 1 to 16");
  if (signature.estimator != Estimator::kEqualSlots)
    throw Error(ErrorCode::kInvalidArgument,
                "the slots of bottomk and single have no positions, so bits of them say nothing",
                "use a sketch such as fss or kperm", ": ");
  const auto width = static_cast<std::size_t>(bits);
  bytes_.assign((slots_ * width + 7) / 8, 0);
  for (std::size_t i = 0; i < slots_; ++i)
    for (std::size_t bit = 0; bit < width; ++bit)
      if ((signature.slots[i] >> bit & 1) != 0)
        bytes_[(i * width + bit) / 8] =
            static_cast<std::uint8_t>(bytes_[(i * width + bit) / 8] | 1 << (i * width + bit) % 8);
}

std::uint32_t BitSignature::slot(std::size_t i) const noexcept {
  const auto width = static_cast<std::size_t>(bits_);
  std::uint32_t out = 0;
  for (std::size_t bit = 0; bit < width; ++bit) {
    const std::size_t at = i * width + bit;
    out |= static_cast<std::uint32_t>(bytes_[at / 8] >> at % 8 & 1) << bit;
  }
  return out;
}

double estimate_jaccard(const BitSignature& a, const BitSignature& b) {
  if (a.scheme_ != b.scheme_ || a.slots_ != b.slots_ || a.bits_ != b.bits_)
    throw Error(ErrorCode::kInvalidArgument,
                "two views of signatures of different schemes or bits cannot be compared",
                "make both with the same features, sketch, seed and bits", ": ");
  if (a.empty_ || b.empty_) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.slots_; ++i) equal += a.slot(i) == b.slot(i);
  const double by_chance = std::ldexp(1.0, -a.bits_);
  const double share = static_cast<double>(equal) / static_cast<double>(a.slots_);
  return std::max(0.0, (share - by_chance) / (1 - by_chance));
}

double BitSignature::standard_error(double similarity, int slots, int bits) noexcept {
  const double by_chance = std::ldexp(1.0, -bits);
  const double agreement = similarity + (1 - similarity) * by_chance;
  return std::sqrt(agreement * (1 - agreement) / slots) / (1 - by_chance);
}

}  // namespace benzer
