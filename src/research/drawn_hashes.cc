#include "research/drawn_hashes.h"

#include <algorithm>

#include "benzer/research/classics/blog.h"
#include "benzer/research/classics/scala.h"
#include "benzer/sketch.h"

#include "base/mersenne61.h"
#include "base/splitmix.h"

namespace benzer {
namespace {

using Scheme = SketchSpec::Scheme;

constexpr int kUniverseBits = 30;  // the largest universe of the blog on C#, which has ints

// Extends a value of 32 bits to 48 so that the order of values is kept and the lower bits vary.
// Those of a x + b may not: half of the factors that Java draws are even.
std::uint64_t with_mixed_bits(std::uint64_t value) noexcept {
  return value << 16 | (splitmix64(value) & 0xFFFF);
}

// Draws numbers below 2^61 - 1, all with the same probability.
class MersenneDraws {
 public:
  explicit MersenneDraws(std::uint64_t seed) : state_(splitmix64(seed)) {}
  std::uint64_t next() {
    std::uint64_t number = kMersenne61;
    for (; number == kMersenne61; state_ += kSplitmixStep)
      number = splitmix64(state_) & kMersenne61;
    return number;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

DrawnHashes::DrawnHashes(const SketchSpec& sketch)
    : scheme_(sketch.scheme), has_positions_(sketch.has_positions()), maximum_(sketch.maximum) {
  const std::uint64_t seed = sketch.seed_or_default();
  const int count = sketch.has_positions() ? sketch.slots : 1;
  const auto add = [this](std::uint64_t a, std::uint64_t b) {
    a_.push_back(a);
    b_.push_back(b);
  };
  if (scheme_ == Scheme::kJavaRandom) {
    classics::scala::JavaRandom random(static_cast<std::int64_t>(seed));
    for (int i = 0; i < count; ++i) {
      const auto a = static_cast<std::uint32_t>(random.next_int());
      add(a, static_cast<std::uint32_t>(random.next_int()));
    }
  } else if (scheme_ == Scheme::kMultiplyShift) {
    classics::blog::DotNetRandom random(static_cast<std::int32_t>(seed));
    for (int i = 0; i < count; ++i) {
      // Odd, as the blog means it; its own test, a % 1 == 1, is never true.
      const auto a = static_cast<std::uint32_t>(random.next()) | 1;
      std::int32_t b = 0;
      while (b <= 0) b = random.next(1 << kUniverseBits);
      add(a, static_cast<std::uint32_t>(b));
    }
  } else {
    MersenneDraws draws(seed);
    for (int i = 0; i < count; ++i) {
      std::uint64_t a = 0;
      while (a == 0) a = draws.next();
      add(a, draws.next());
    }
  }
}

void DrawnHashes::sketch(std::span<const std::uint64_t> features,
                         std::span<std::uint64_t> slots) const noexcept {
  return has_positions_ ? minima(features, slots) : smallest(features, slots);
}

template <class Value, class Slot>
void DrawnHashes::minima(std::span<const std::uint64_t> features, std::span<std::uint64_t> slots,
                         Value value, Slot slot) const noexcept {
  if (features.empty()) {
    std::fill(slots.begin(), slots.end(), kEmptySlot);
    return;
  }
  // The largest value is the one whose complement is smallest.
  const std::uint64_t turn = maximum_ ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::uint64_t feature : features)
      least = std::min(least, value(a_[i], feature, b_[i]) ^ turn);
    slots[i] = slot(least ^ turn) ^ (turn & kMersenne61);
  }
}

void DrawnHashes::minima(std::span<const std::uint64_t> features,
                         std::span<std::uint64_t> slots) const noexcept {
  const auto linear = [](std::uint64_t a, std::uint64_t x, std::uint64_t b) {
    return linear_mersenne61(a, mod_mersenne61(x), b);
  };
  // with_mixed_bits keeps the order of values of 32 bits, so it is applied to the minimum only.
  switch (scheme_) {
    case Scheme::kLinear:
      return minima(features, slots, linear, [](std::uint64_t least) { return least; });
    case Scheme::kModPrime:
      return minima(
          features, slots,
          [&](std::uint64_t a, std::uint64_t x, std::uint64_t b) {
            return linear(a, x, b) & 0xFFFFFFFF;
          },
          with_mixed_bits);
    case Scheme::kMultiplyShift:
      return minima(
          features, slots,
          [](std::uint64_t a, std::uint64_t x, std::uint64_t b) {
            return ((a * x + b) & 0xFFFFFFFF) >> (32 - kUniverseBits);
          },
          with_mixed_bits);
    default:
      // A remainder modulo 999999999989 changes no number of 32 bits. With the first bit flipped,
      // signed numbers sort as unsigned ones.
      return minima(
          features, slots,
          [](std::uint64_t a, std::uint64_t x, std::uint64_t b) {
            return ((a * x + b) & 0xFFFFFFFF) ^ 0x80000000u;
          },
          with_mixed_bits);
  }
}

void DrawnHashes::smallest(std::span<const std::uint64_t> features,
                           std::span<std::uint64_t> slots) const noexcept {
  std::size_t count = 0;
  for (const std::uint64_t feature : features) {
    const std::uint64_t value = linear_mersenne61(a_[0], mod_mersenne61(feature), b_[0]);
    if (count == slots.size() && value >= slots[count - 1]) continue;
    const auto end = slots.begin() + static_cast<std::ptrdiff_t>(count);
    const auto place = std::lower_bound(slots.begin(), end, value);
    if (place != end && *place == value) continue;
    if (count < slots.size()) ++count;
    std::copy_backward(place, slots.begin() + static_cast<std::ptrdiff_t>(count) - 1,
                       slots.begin() + static_cast<std::ptrdiff_t>(count));
    *place = value;
  }
  std::fill(slots.begin() + static_cast<std::ptrdiff_t>(count), slots.end(), kEmptySlot);
}

}  // namespace benzer
