// Adds up the errors of estimates against a reference.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace benzer::experiments {

// The errors of some estimates, in numbers.
struct MeasuredError {
  double rms = 0;
  double bias = 0;
  double standard_error = 0;  // of the bias
  double count = 0;

  // Whether a bias this small or smaller is explained by chance: a mean of 100 and more independent
  // errors passes 5 standard errors about once in a million.
  bool may_be_unbiased(double tolerated = 0) const noexcept {
    return std::abs(bias) <= 5 * standard_error + tolerated;
  }
};

// Uses Welford's sums, which stay exact enough if the error is the same every time.
class ErrorSum {
 public:
  void add(double estimate, double reference) noexcept {
    const double error = estimate - reference;
    ++count_;
    const double step = error - mean_;
    mean_ += step / static_cast<double>(count_);
    spread_ += step * (error - mean_);
  }
  std::uint64_t count() const noexcept { return count_; }
  double bias() const noexcept { return mean_; }
  double variance() const noexcept {
    return count_ == 0 ? 0 : spread_ / static_cast<double>(count_);
  }
  double rms() const noexcept { return std::sqrt(mean_ * mean_ + variance()); }
  // The standard error of the bias.
  double standard_error() const noexcept {
    return count_ < 2
               ? 0
               : std::sqrt(spread_ / static_cast<double>(count_ - 1) / static_cast<double>(count_));
  }
  MeasuredError measured() const noexcept {
    return {rms(), bias(), standard_error(), static_cast<double>(count_)};
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double spread_ = 0;
};

}  // namespace benzer::experiments
