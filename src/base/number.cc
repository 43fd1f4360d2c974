#include "benzer/number.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/number_text.h"

namespace benzer {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr int kNumberDigits = 33;  // the largest number of them for which 112 bits are enough
constexpr int kDigitBits = 112;
constexpr std::uint64_t kNotNegative = std::uint64_t{1} << 63;
constexpr std::int64_t kBias = 16384;
constexpr std::int64_t kInfinite = 32767;

constexpr Wide power_of_ten(int power) { return power == 0 ? 1 : 10 * power_of_ten(power - 1); }
static_assert(power_of_ten(kNumberDigits) <= Wide{1} << kDigitBits);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the digits at the beginning of the text away, and returns how many there were.
std::size_t take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  std::size_t digits = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits(text);
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return take_digits(text) > 0 && text.empty();
}

}  // namespace

// The number 0.DIGITS times a power of ten. Of zero all is 0.
struct Number::Parts {
  bool negative = false;
  std::int64_t exponent = 0;  // biased
  Wide digits = 0;            // the first is not 0
};

Number::Number(const Parts& parts) noexcept {
  const Wide size = static_cast<Wide>(parts.exponent) << kDigitBits | parts.digits;
  high_ = static_cast<std::uint64_t>(size >> 64) | kNotNegative;
  low_ = static_cast<std::uint64_t>(size);
  if (!parts.negative || size == 0) return;
  high_ = ~high_;
  low_ = ~low_;
}

Number::Parts Number::parts() const noexcept {
  const bool negative = (high_ & kNotNegative) == 0;
  const std::uint64_t high = (negative ? ~high_ : high_) & ~kNotNegative;
  const Wide size = static_cast<Wide>(high) << 64 | (negative ? ~low_ : low_);
  return {negative, static_cast<std::int64_t>(size >> kDigitBits),
          size & ((Wide{1} << kDigitBits) - 1)};
}

Number::Number(double value) {
  if (std::isinf(value)) *this = Number(Parts{value < 0, kInfinite, 0});
  if (std::isfinite(value)) *this = in(fmt::format("{}", value));
}

Number Number::in(std::string_view text) {
  if (!is_number(text)) return {};
  Parts parts{.negative = text.starts_with('-')};
  if (const auto decimal = decimal_in(text)) {
    if (decimal->digits.empty()) return Number(Parts());
    for (std::size_t i = 0; i < kNumberDigits; ++i)
      parts.digits =
          10 * parts.digits +
          static_cast<unsigned>(i < decimal->digits.size() ? decimal->digits[i] - '0' : 0);
    parts.exponent = decimal->exponent + kBias;
  } else {  // the exponent has too many digits
    const bool is_small = text.find("e-") != text.npos || text.find("E-") != text.npos;
    parts.exponent = is_small ? 0 : kInfinite;
  }
  if (parts.exponent <= 0) return Number(Parts());
  if (parts.exponent >= kInfinite) return Number(Parts{parts.negative, kInfinite, 0});
  return Number(parts);
}

std::uint64_t Number::whole() const noexcept {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const Parts own = parts();
  const std::int64_t places = own.exponent - kBias;  // in front of the point
  if (!is_there() || own.negative || places <= 0) return 0;
  if (places > std::numeric_limits<std::uint64_t>::digits10 + 1) return kMost;
  const Wide out = own.digits / power_of_ten(kNumberDigits - static_cast<int>(places));
  return out > kMost ? kMost : static_cast<std::uint64_t>(out);
}

double Number::value() const {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  if (!is_there()) return std::numeric_limits<double>::quiet_NaN();
  const std::string text = str();
  double out = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc()) return out;
  // Too large or too small, or "infinite".
  const Parts own = parts();
  return own.exponent < kBias ? 0 : own.negative ? -kMost : kMost;
}

std::string Number::str() const {
  if (!is_there()) return "none";
  const Parts own = parts();
  std::string out = own.negative ? "-" : "";
  if (own.exponent == kInfinite) return out + "infinite";
  std::string digits(kNumberDigits, '0');
  Wide rest = own.digits;
  for (std::size_t i = kNumberDigits; i-- > 0; rest /= 10)
    digits[i] = static_cast<char>('0' + static_cast<int>(rest % 10));
  append_number_name(out, fmt::format("0.{}e{}", digits, own.exponent - kBias));
  return out;
}

}  // namespace benzer
