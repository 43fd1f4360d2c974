// Adds up the errors of estimates against a reference.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace benzer::experiments {

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

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double spread_ = 0;
};

}  // namespace benzer::experiments
