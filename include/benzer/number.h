// A number by which keep rules put documents in order.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace benzer {

// A decimal number of up to 33 digits, whose order and bytes are the same on every processor; those
// of a long double are not. Whole numbers of 64 bits and doubles are exact. Further digits are cut
// off. What is not below 10^16382 is infinite, what is below 10^-16384 is zero. Threads: any, like
// an integer.
class Number {
 public:
  // No number, which is before all others: that of a document without the field.
  constexpr Number() = default;
  // Takes the shortest decimal that reads back as this double; of NaN makes no number.
  Number(double value);
  template <std::integral Integer>
  Number(Integer value) : Number(in(std::to_string(value))) {}
  // Reads a number as JSON and CSV have it: "-12", ".5", "1e300". Other texts give no number.
  static Number in(std::string_view text);

  constexpr bool is_there() const noexcept { return high_ != 0; }
  // The whole part; 0 for a negative number, and the largest integer for one that needs more bits.
  std::uint64_t whole() const noexcept;
  // The nearest double; NaN for no number.
  double value() const;
  // All digits: "12", "-0.5", "1e300", "infinite", "-infinite"; "none" for no number.
  std::string str() const;

  friend constexpr auto operator<=>(const Number&, const Number&) = default;

 private:
  struct Parts;
  explicit Number(const Parts& parts) noexcept;
  Parts parts() const noexcept;

  // An integer of 128 bits, which gives the order: the highest bit is set in numbers that are not
  // negative, then come 15 bits of the exponent, and 112 bits of the digits. In negative numbers
  // all bits are inverted.
  std::uint64_t high_ = 0, low_ = 0;
};

}  // namespace benzer
