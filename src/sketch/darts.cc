#include "sketch/darts.h"

#include <algorithm>
#include <bit>

#include "benzer/sketch.h"

#include "base/int128.h"
#include "base/splitmix.h"
#include "base/weight.h"

namespace benzer {
namespace {

// A plane is divided into regions (a, b): weights from 2^a - 1 to 2^(a+1) - 1, ranks from 2^b - 1
// to 2^(b+1) - 1, in units that make a cell of region (0, 0) one by one. A region has 2^b columns
// of 2^a cells, so every cell of every region has an area of 1, and on average one dart.
//
// A weight of one unit is 2^37 steps, 2^17 steps a millionth: the narrowest columns, of rank 2^37,
// are one step wide, and the largest weight has fewer than 2^64 steps. A rank of one unit is 2^82
// steps: the lowest cells, of weight 2^26, have a height of 2^56 steps.
constexpr int kStepsPerMillionth = 17;
constexpr int kWeightUnit = 37;
constexpr int kRankUnit = 82;
constexpr Uint128 kMostRank = (Uint128{1} << 120) - 1;  // the end of the highest region

// How many darts a cell has: as many as there are entries at or below a random number. Entry n is
// the probability of at most n darts in 2^-64ths, rounded down: the sum of 1 / (e i!) up to n.
constexpr std::uint64_t kPoisson[] = {
    0x5e2d58d8b3bcdf1a, 0xbc5ab1b16779be35, 0xeb715e1dc1582dc2, 0xfb23979734a252f1,
    0xff1025f59174dc3d, 0xffd90f3ba4055e19, 0xfffa8b71fc72c913, 0xffff540c0914b3c9,
    0xffffed1f4aa8f120, 0xfffffe216e641462, 0xffffffd4d85d3183, 0xfffffffc6da262b4,
    0xffffffffba12d178, 0xfffffffffb07c64c, 0xffffffffffab8ea5, 0xfffffffffffabe22,
    0xffffffffffffb11a, 0xfffffffffffffba1, 0xffffffffffffffc5, 0xfffffffffffffffd};

int darts_in_cell(std::uint64_t random) noexcept {
  int count = (random >= kPoisson[0]) + (random >= kPoisson[1]) + (random >= kPoisson[2]);
  if (count < 3) return count;
  while (count < static_cast<int>(std::size(kPoisson)) && random >= kPoisson[count]) ++count;
  return count;
}

// Odd factors that keep the hashes of cells apart; their bits are those of square roots.
constexpr std::uint64_t kColumn = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kRow = 0xbb67ae8584caa73b;
constexpr std::uint64_t kDart = 0xa54ff53a5f1d36f1;

// Returns the lower `bits` bits of the way into a range that a random number goes.
std::uint64_t part_of(std::uint64_t random, int bits) noexcept {
  return bits == 0 ? 0 : random >> (64 - bits);
}

// Returns a rank as the value of a slot: 7 bits for its length, and 57 for the bits after the first
// one. If it is shorter, other random bits follow it, since cut signatures keep the lowest bits.
std::uint64_t slot_value(Uint128 rank, std::uint64_t random) noexcept {
  const auto high = static_cast<std::uint64_t>(rank >> 64);
  const auto low = static_cast<std::uint64_t>(rank);
  const int length = high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                               : static_cast<int>(std::bit_width(low));
  constexpr int kKept = 58;  // with the first bit, which the length implies
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << (kKept - 1)) - 1;
  std::uint64_t mantissa = 0;
  if (length >= kKept) {
    mantissa = static_cast<std::uint64_t>(rank >> (length - kKept));
  } else {
    const int missing = kKept - length;
    mantissa = low << missing | (random & ((std::uint64_t{1} << missing) - 1));
  }
  return static_cast<std::uint64_t>(length) << (kKept - 1) | (mantissa & kMantissa);
}

// Throws the darts of features with ranks below `limit`, and keeps the lowest of each slot.
class Board {
 public:
  Board(Uint128 limit, std::span<std::uint64_t> slots) noexcept : limit_(limit), slots_(slots) {}

  void add(std::uint64_t feature) noexcept {
    const std::uint64_t key = splitmix64(feature & ~kWeightBits);
    const std::uint64_t weight = weight_of(feature) << kStepsPerMillionth;
    for (int a = 0; weight > start(a) << kWeightUnit; ++a) {
      for (int b = 0; limit_ > Uint128{start(b)} << kRankUnit; ++b) add_region(key, weight, a, b);
    }
  }

 private:
  static constexpr std::uint64_t start(int region) noexcept {
    return (std::uint64_t{1} << region) - 1;
  }

  void add_region(std::uint64_t key, std::uint64_t weight, int a, int b) noexcept {
    const std::uint64_t region = key + static_cast<std::uint64_t>(a << 8 | b) * kDart;
    const int width = kWeightUnit + a - b;
    const int height = kRankUnit + b - a;
    for (std::uint64_t column = 0; column >> b == 0; ++column) {
      const std::uint64_t left = (start(a) << kWeightUnit) + (column << width);
      if (left >= weight) return;
      for (std::uint64_t row = 0; row >> a == 0; ++row) {
        const Uint128 bottom = (Uint128{start(b)} << kRankUnit) + (Uint128{row} << height);
        if (bottom >= limit_) break;
        add_cell(splitmix64(region + column * kColumn + row * kRow), weight - left, width, bottom,
                 height);
      }
    }
  }

  // room: how much of the cell the weight covers; it may be more than the width.
  void add_cell(std::uint64_t cell, std::uint64_t room, int width, Uint128 bottom,
                int height) noexcept {
    const int darts = darts_in_cell(cell);
    for (int dart = 1; dart <= darts; ++dart) {
      // Of a large document most darts are too high, so the rank is looked at first.
      const std::uint64_t first = splitmix64(cell + static_cast<std::uint64_t>(dart) * kDart);
      if (bottom + (Uint128{first} << 64 >> (128 - height)) >= limit_) continue;
      const std::uint64_t second = splitmix64(first ^ kRow);
      if (part_of(second, width) >= room) continue;
      const std::uint64_t third = splitmix64(second ^ kColumn);
      const Uint128 rank = bottom + ((Uint128{first} << 64 | third) >> (128 - height));
      if (rank >= limit_) continue;
      const std::uint64_t fourth = splitmix64(third ^ kDart);
      const auto slot = static_cast<std::size_t>((fourth >> 32) * slots_.size() >> 32);
      slots_[slot] = std::min(slots_[slot], slot_value(rank, fourth));
    }
  }

  Uint128 limit_;
  std::span<std::uint64_t> slots_;
};

// Returns the rank below which the features have about k (ln k + 4) darts: enough for all slots but
// once in 50 times. It decides only about the time, since higher darts change no slot that has one.
Uint128 first_limit(std::span<const std::uint64_t> features, std::size_t slots) noexcept {
  const auto log = static_cast<std::uint64_t>(std::bit_width(slots)) * 11 / 16;  // ln 2 is .69
  const Uint128 darts = Uint128{slots} * (log + 4);                              // below 2^16
  Uint128 weight = 0;  // in steps, below 2^71
  for (const std::uint64_t feature : features)
    weight += Uint128{weight_of(feature)} << kStepsPerMillionth;
  // A dart for each unit of weight and of rank. The factor is split so that nothing overflows.
  constexpr int kBefore = 111;
  return std::min((darts << kBefore) / std::max(weight, Uint128{1})
                      << (kWeightUnit + kRankUnit - kBefore),
                  kMostRank);
}

}  // namespace

void sketch_by_darts(std::span<const std::uint64_t> features,
                     std::span<std::uint64_t> slots) noexcept {
  std::fill(slots.begin(), slots.end(), kEmptySlot);
  if (features.empty()) return;
  for (Uint128 limit = first_limit(features, slots.size());; limit *= 2) {
    limit = std::min(limit, kMostRank);
    Board board(limit, slots);
    for (const std::uint64_t feature : features) board.add(feature);
    if (limit == kMostRank) return;
    if (std::find(slots.begin(), slots.end(), kEmptySlot) == slots.end()) return;
  }
}

}  // namespace benzer
