// A similarity threshold as the exact decimal that the user wrote.
//
// 0.8 has no exact double; comparing a rounded quotient with a rounded threshold gets pairs exactly
// on the line wrong (4 of 5 shingles shared must reach 0.8). So a threshold is a fraction of
// integers, and every comparison is one of integers, exact for all set sizes below 2^53.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace benzer {

class Threshold {
 public:
  // Reads a decimal in (0, 1] with at most 17 digits after the point, such as "0.8", ".75" or "1".
  // Throws Error(kInvalidArgument) for anything else, NaN, zero and signs included.
  static Threshold parse(std::string_view decimal);
  // The shortest decimal that reads as this double: 0.7 is seven tenths.
  Threshold(
      double value);  // NOLINT(google-explicit-constructor): thresholds are written as numbers

  // Is intersection / union >= threshold? Two empty sets (union 0) never reach it.
  bool reached(std::uint64_t intersection, std::uint64_t set_union) const noexcept;

  // The smallest intersection with which two sets of these sizes reach the threshold; more than
  // min(a, b) when no intersection suffices.
  std::uint64_t needed_intersection(std::uint64_t size_a, std::uint64_t size_b) const noexcept;

  // The nearest double, for planning and for printing beside scores. Never used to decide.
  double value() const noexcept;

  // The decimal as it was written, without superfluous zeros: "0.8".
  std::string str() const;

  // Of the fraction that it is, not reduced; the denominator is a power of ten.
  std::uint64_t numerator() const noexcept { return numerator_; }
  std::uint64_t denominator() const noexcept { return denominator_; }

  friend bool operator==(const Threshold&, const Threshold&) = default;

 private:
  Threshold(std::uint64_t numerator, std::uint64_t denominator)
      : numerator_(numerator), denominator_(denominator) {}

  std::uint64_t numerator_;  // both at most 10^17; the denominator is a power of ten
  std::uint64_t denominator_;
};

}  // namespace benzer
