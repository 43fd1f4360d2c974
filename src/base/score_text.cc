#include "benzer/internal/score_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace benzer {

std::string cut_score(double score, int decimals) {
  const double unit = std::pow(10, decimals);
  const double off = std::min(1e-12, 0.01 / unit);  // what the double of a score may be off by
  double cut = std::floor((score + off) * unit) / unit;
  if (score < 1 && cut >= 1) cut = 1 - 1 / unit;
  return fmt::format("{:.{}f}", cut, decimals);
}

std::string shown_probability(double probability) {
  for (int decimals = 4; decimals <= 9; ++decimals) {
    std::string out = fmt::format("{:.{}f}", probability, decimals);
    if (probability >= 1 || !out.starts_with('1')) return out;
  }
  return "0.999999999";
}

std::string probability_in_column(double probability) {
  return fmt::format("{:.4f}", probability < 1 ? std::min(probability, 0.9999) : probability);
}

}  // namespace benzer
