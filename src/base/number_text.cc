#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace benzer {
namespace {

constexpr std::size_t kExponentDigits = 15;
constexpr std::int64_t kPlainDigits = 20;  // the digits of the largest number of 64 bits

std::string_view without_leading_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

}  // namespace

std::optional<Decimal> decimal_in(std::string_view text) {
  Decimal out;
  out.negative = text.starts_with('-');
  if (out.negative) text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  out.digits = mantissa.substr(0, point);
  if (point < mantissa.size()) out.digits += mantissa.substr(point + 1);
  const std::size_t zeros = out.digits.size() - without_leading_zeros(out.digits).size();
  out.digits.erase(0, zeros);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  if (out.digits.empty()) return Decimal{};
  out.exponent = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(zeros);
  if (e == text.size()) return out;
  std::string_view power = text.substr(e + 1);
  const bool negative = power.starts_with('-');
  if (negative || power.starts_with('+')) power.remove_prefix(1);
  power = without_leading_zeros(power);
  if (power.size() > kExponentDigits) return std::nullopt;
  std::int64_t exponent = 0;
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  out.exponent += negative ? -exponent : exponent;
  return out;
}

void append_number_name(std::string& out, std::string_view number) {
  const auto decimal = decimal_in(number);
  if (!decimal) {
    out += number;
    return;
  }
  const std::string_view digits = decimal->digits;
  const auto count = static_cast<std::int64_t>(digits.size());
  const std::int64_t exponent = decimal->exponent;
  if (decimal->negative) out += '-';
  if (digits.empty()) {
    out += '0';
  } else if (exponent >= count && exponent <= kPlainDigits) {
    out += digits;
    out.append(static_cast<std::size_t>(exponent - count), '0');
  } else if (exponent > 0 && exponent < count) {
    out += digits.substr(0, static_cast<std::size_t>(exponent));
    out += '.';
    out += digits.substr(static_cast<std::size_t>(exponent));
  } else if (exponent > -4 && exponent <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent), '0');
    out += digits;
  } else {
    out += digits[0];
    if (count > 1) out += '.';
    out += digits.substr(1);
    out += fmt::format("e{}", exponent - 1);
  }
}

void append_decimal(std::string& out, std::string_view integer, int scale) {
  constexpr std::uint64_t kPiece = 1'000'000'000;  // nine digits at a time
  std::array<unsigned char, 32> bytes;
  const bool negative = !integer.empty() && static_cast<signed char>(integer.back()) < 0;
  bytes.fill(negative ? 0xFF : 0);
  std::ranges::copy(integer, bytes.begin());
  std::array<std::uint32_t, 8> words{};
  std::uint64_t carry = 1;  // of the negation
  for (std::size_t i = 0; i < bytes.size(); ++i)
    words[i / 4] |= std::uint32_t{bytes[i]} << (i % 4 * 8);
  for (std::uint32_t& word : words) {
    if (!negative) break;
    carry += static_cast<std::uint32_t>(~word);
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  std::string digits;
  while (std::ranges::any_of(words, [](std::uint32_t word) { return word != 0; })) {
    std::uint64_t rest = 0;
    for (std::size_t i = words.size(); i-- > 0;) {
      const std::uint64_t value = rest << 32 | words[i];
      words[i] = static_cast<std::uint32_t>(value / kPiece);
      rest = value % kPiece;
    }
    digits.insert(0, fmt::format("{:09}", rest));
  }
  digits = without_leading_zeros(digits);
  if (digits.empty()) {
    out += '0';
    return;
  }
  if (negative) out += '-';
  if (scale <= 0) {
    out += digits;
    out.append(static_cast<std::size_t>(-scale), '0');
    return;
  }
  const auto fraction = static_cast<std::size_t>(scale);
  if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
  digits.insert(digits.size() - fraction, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  out += digits;
}

}  // namespace benzer
