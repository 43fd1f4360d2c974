#include <algorithm>
#include <array>
#include <charconv>

#include "benzer/error.h"
#include "benzer/similarity.h"

#include "base/int128.h"

namespace benzer {
namespace {

constexpr std::size_t kMaxDecimals = 17;  // 10^17 * 2^53 fits in 128 bits with room to spare

[[noreturn]] void refuse(std::string_view text) {
  throw Error(ErrorCode::kInvalidArgument, Subject::parameter("threshold"),
              "the threshold \"" + std::string(text) + "\" is not allowed",
              "give a decimal above 0 and at most 1, such as 0.8, with at most " +
                  std::to_string(kMaxDecimals) + " digits after the point",
              ": ");
}

}  // namespace

Threshold Threshold::parse(std::string_view decimal) {
  const std::size_t point = decimal.find('.');
  const std::string_view whole = decimal.substr(0, point);
  std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : decimal.substr(point + 1);
  const auto digits = [](std::string_view s) {
    return std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (whole.empty() && fraction.empty()) refuse(decimal);
  if (!digits(whole) || !digits(fraction)) refuse(decimal);
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (fraction.size() > kMaxDecimals) refuse(decimal);

  std::uint64_t denominator = 1;
  std::uint64_t numerator = 0;
  for (char c : fraction) {
    numerator = numerator * 10 + static_cast<std::uint64_t>(c - '0');
    denominator *= 10;
  }
  const std::size_t first = whole.find_first_not_of('0');
  const std::string_view units = first == std::string_view::npos ? "" : whole.substr(first);
  const bool one = units == "1";
  if (!units.empty() && !one) refuse(decimal);
  if (one && numerator != 0) refuse(decimal);  // above 1
  if (one) numerator = denominator;
  if (numerator == 0) refuse(decimal);
  return Threshold(numerator, denominator);
}

namespace {

// Returns the shortest decimal of a value. A value whose decimal is longer than that of any
// threshold is written with an exponent, so that the message that refuses it shows it.
std::string shortest_decimal(double value) {
  std::array<char, 64> digits;
  auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  if (end.ec != std::errc{})
    end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

}  // namespace

Threshold::Threshold(double value) : Threshold(parse(shortest_decimal(value))) {}

bool Threshold::reached(std::uint64_t intersection, std::uint64_t set_union) const noexcept {
  if (set_union == 0) return false;
  return static_cast<Uint128>(intersection) * denominator_ >=
         static_cast<Uint128>(set_union) * numerator_;
}

std::uint64_t Threshold::needed_intersection(std::uint64_t size_a, std::uint64_t size_b,
                                             Measure measure) const noexcept {
  // Jaccard: i / (a + b - i) >= n / d  <=>  i (d + n) >= n (a + b)
  const bool is_jaccard = measure == Measure::kJaccard;
  const std::uint64_t size = is_jaccard ? size_a + size_b : std::min(size_a, size_b);
  if (size == 0) return 1;
  const auto product = static_cast<Uint128>(size) * numerator_;
  const auto divisor = static_cast<Uint128>(denominator_) + (is_jaccard ? numerator_ : 0);
  return static_cast<std::uint64_t>((product + divisor - 1) / divisor);
}

double Threshold::value() const noexcept {
  return static_cast<double>(numerator_) / static_cast<double>(denominator_);
}

std::string Threshold::str() const {
  if (numerator_ == denominator_) return "1";
  const std::string digits = std::to_string(numerator_);
  const std::size_t decimals = std::to_string(denominator_).size() - 1;
  return "0." + std::string(decimals - digits.size(), '0') + digits;
}

}  // namespace benzer
