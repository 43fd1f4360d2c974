#include "benzer/banding.h"

#include <cmath>

#include <xxhash.h>

#include "benzer/sketch.h"

namespace benzer {

double Banding::candidate_probability(double s) const noexcept {
  // 1 - (1 - s^r)^b, written so that small probabilities keep their digits.
  const double row_agreement = std::pow(s, rows);
  if (row_agreement >= 1) return 1;
  return -std::expm1(bands * std::log1p(-row_agreement));
}

void Banding::keys(std::span<const std::uint64_t> slots,
                   std::span<std::uint64_t> keys) const noexcept {
  const auto row_count = static_cast<std::size_t>(rows);
  for (std::size_t band = 0; band < keys.size(); ++band) {
    // The band's number is the seed, so that equal slots in different bands have different keys.
    keys[band] = XXH3_64bits_withSeed(slots.data() + band * row_count,
                                      row_count * sizeof(std::uint64_t), band + 1);
  }
}

void value_keys(std::span<const std::uint64_t> slots, std::span<std::uint64_t> keys) noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint64_t key = XXH3_64bits_withSeed(&slots[i], sizeof slots[i], 1);
    keys[i] = slots[i] == kEmptySlot ? kNoKey : key == kNoKey ? 0 : key;
  }
}

std::string Banding::str() const { return std::to_string(bands) + "x" + std::to_string(rows); }

}  // namespace benzer
