#include "features/inverse_frequency.h"

#include <algorithm>

#include "base/int128.h"

namespace benzer::internal {
namespace {

constexpr int kBits = 60;  // of the logarithm, after the binary point
constexpr std::uint64_t kMillion = 1'000'000;

}  // namespace

// The binary logarithm, bit by bit: squaring a number of [1, 2) doubles its logarithm, whose next
// bit says whether the square is 2 or more. Each square is cut to 64 bits, which changes the
// logarithm of the number by less than 2^-62 and the result by half as much for each step.
std::uint64_t inverse_frequency(std::uint64_t documents, std::uint64_t having) noexcept {
  having = std::max<std::uint64_t>(having, 1);
  const std::uint64_t sum = documents + having;
  int whole = 0;
  while (having << (whole + 1) <= sum) ++whole;
  // sum / having / 2^whole, with 63 bits after the binary point.
  auto number = static_cast<std::uint64_t>((Uint128{sum} << 63) / (Uint128{having} << whole));
  Uint128 logarithm = static_cast<Uint128>(whole);
  for (int bit = 0; bit < kBits; ++bit) {
    const Uint128 square = Uint128{number} * number;
    const bool is_two = square >> 127 != 0;
    number = static_cast<std::uint64_t>(square >> (is_two ? 64 : 63));
    logarithm = logarithm << 1 | Uint128{is_two};
  }
  return static_cast<std::uint64_t>((logarithm * kMillion + (Uint128{1} << (kBits - 1))) >> kBits);
}

}  // namespace benzer::internal
