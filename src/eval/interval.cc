#include "eval/interval.h"

#include <algorithm>
#include <cmath>

namespace benzer {
namespace {

// The factor by which drawing without repeats reduces the variance; 0 if everything was drawn.
double left_to_chance(std::uint64_t sampled, std::uint64_t population) {
  return sampled >= population ? 0
                               : 1 - static_cast<double>(sampled) / static_cast<double>(population);
}

}  // namespace

Share wilson(double share, double size) {
  if (!(size > 0)) return {0, 0, 1};
  const double z2 = kNormal95 * kNormal95;
  const double middle = (share + z2 / (2 * size)) / (1 + z2 / size);
  const double half =
      kNormal95 / (1 + z2 / size) * std::sqrt(share * (1 - share) / size + z2 / (4 * size * size));
  // For a share of 0 or 1 that bound is exact, whatever rounding makes of it.
  return {share, share <= 0 ? 0 : std::clamp(middle - half, 0.0, share),
          share >= 1 ? 1 : std::clamp(middle + half, share, 1.0)};
}

Share share_of_documents(std::uint64_t with, std::uint64_t sampled, std::uint64_t population) {
  if (sampled == 0) return {0, 0, 1};
  const double share = static_cast<double>(with) / static_cast<double>(sampled);
  const double chance = left_to_chance(sampled, population);
  if (chance == 0) return {share, share, share};
  return wilson(share, static_cast<double>(sampled) / chance);
}

Share share_of_pairs(std::span<const PairsOfDocument> documents, std::uint64_t pairs,
                     std::uint64_t found, std::uint64_t population) {
  if (pairs == 0) return {0, 0, 1};
  const double share = static_cast<double>(found) / static_cast<double>(pairs);
  const double chance = left_to_chance(documents.size(), population);
  if (chance == 0) return {share, share, share};

  // These are sums over documents, since documents were drawn: a pair of two of them counts twice.
  double sum = 0, found_sum = 0, squares = 0, missing = 0;
  for (const PairsOfDocument& one : documents) {
    const auto x = static_cast<double>(one.pairs);
    sum += x;
    found_sum += static_cast<double>(one.found);
    squares += x * x;
    missing += one.found < one.pairs;
  }
  const double together = squares / sum;  // K: deff if a document's pairs are lost together
  double rho = 1;
  const double ratio = found_sum / sum;
  if (missing > 0 && found_sum > 0 && together > 1) {
    double deviations = 0;
    for (const PairsOfDocument& one : documents) {
      const double deviation =
          static_cast<double>(one.found) - ratio * static_cast<double>(one.pairs);
      deviations += deviation * deviation;
    }
    const auto n = static_cast<double>(documents.size());
    const double variance = deviations * (n > 1 ? n / (n - 1) : 1) / (sum * sum);
    const double deff = variance * sum / (ratio * (1 - ratio));
    rho = std::max(0.0, (deff - 1) / (together - 1));
    rho = (missing * rho + 1) / (missing + 1);
  }
  const double deff = 1 + (together - 1) * rho;
  return wilson(share, static_cast<double>(pairs) / deff / chance);
}

}  // namespace benzer
