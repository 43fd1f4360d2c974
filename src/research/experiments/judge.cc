#include "research/experiments/judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace benzer {

std::string_view spelled(ExperimentAnswer answer) noexcept {
  switch (answer) {
    case ExperimentAnswer::kYes:
      return "yes";
    case ExperimentAnswer::kPartly:
      return "partly";
    case ExperimentAnswer::kNo:
      return "no";
    case ExperimentAnswer::kOpen:
      break;
  }
  return "open";
}

namespace experiments {
namespace {

// "that A, that B and that C", of the claims with this answer; empty if there are none.
std::string listed(std::span<const Claim> claims, std::optional<bool> holds,
                   std::string_view conjunction) {
  std::vector<std::string_view> chosen;
  for (const Claim& claim : claims)
    if (claim.holds == holds) chosen.push_back(claim.what);
  std::string out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i > 0) out += i + 1 < chosen.size() ? ", " : fmt::format(" {} ", conjunction);
    out += fmt::format("that {}", chosen[i]);
  }
  return out;
}

// How likely each rank sum of the first group is: an element for each half of a rank.
std::vector<double> rank_sums(const TwoGroups& groups, std::size_t& measured) {
  std::vector<double> all = groups.first;
  all.insert(all.end(), groups.second.begin(), groups.second.end());
  std::vector<double> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  // Twice the mean rank, which is a whole number: places from 1 of the first and the last equal.
  const auto doubled_rank = [&](double value) {
    const auto [from, to] = std::equal_range(sorted.begin(), sorted.end(), value);
    return static_cast<std::size_t>((from - sorted.begin()) + 1 + (to - sorted.begin()));
  };
  std::size_t most = 0;
  measured = 0;
  for (const double value : all) most += doubled_rank(value);
  for (const double value : groups.first) measured += doubled_rank(value);
  // chances[n][s]: of the numbers so far, the share of choices of n that have the sum s. Each step
  // draws the next number with the probability that it belongs to a random first group.
  const std::size_t wanted = groups.first.size();
  std::vector<std::vector<double>> chances(wanted + 1, std::vector<double>(most + 1));
  chances[0][0] = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t rank = doubled_rank(all[i]);
    const auto left = static_cast<double>(all.size() - i);
    for (std::size_t n = std::min(i, wanted) + 1; n-- > 0;) {
      const double taken = static_cast<double>(wanted - n) / left;
      for (std::size_t sum = most + 1; sum-- > 0;) {
        const double chance = chances[n][sum];
        if (chance == 0) continue;
        if (n < wanted && taken > 0) chances[n + 1][sum + rank] += chance * taken;
        chances[n][sum] = chance * (1 - taken);
      }
    }
  }
  return chances[wanted];
}

}  // namespace

ExperimentVerdict verdict_of(std::span<const Claim> claims) {
  const std::string hold = listed(claims, true, "and");
  const std::string fail = listed(claims, false, hold.empty() ? "and" : "nor");
  const std::string open = listed(claims, std::nullopt, "and");
  ExperimentVerdict out;
  if (!hold.empty()) {
    out.answer = fail.empty() ? ExperimentAnswer::kYes : ExperimentAnswer::kPartly;
    out.why = fmt::format("It holds {}{}", hold, fail.empty() ? "" : ", but not " + fail);
  } else if (!fail.empty()) {
    out.answer = ExperimentAnswer::kNo;
    out.why = fmt::format("It does not hold {}", fail);
  }
  if (!open.empty())
    out.why +=
        fmt::format("{} tell {}", out.why.empty() ? "This run cannot" : "; this run cannot", open);
  out.why += '.';
  return out;
}

void add_judged(ExperimentResult& out, Judged judged) {
  out.findings.insert(out.findings.end(), std::make_move_iterator(judged.findings.begin()),
                      std::make_move_iterator(judged.findings.end()));
  out.verdict = verdict_of(judged.claims);
}

double chance_of_larger(std::span<const TwoGroups> conditions) {
  std::vector<double> chances{1.0};
  std::size_t measured = 0;
  for (const TwoGroups& groups : conditions) {
    std::size_t sum = 0;
    const std::vector<double> own = rank_sums(groups, sum);
    measured += sum;
    std::vector<double> both(chances.size() + own.size() - 1);
    for (std::size_t i = 0; i < chances.size(); ++i)
      for (std::size_t j = 0; j < own.size() && chances[i] > 0; ++j)
        both[i + j] += chances[i] * own[j];
    chances = std::move(both);
  }
  double out = 0;
  for (std::size_t sum = measured; sum < chances.size(); ++sum) out += chances[sum];
  return std::min(1.0, out);
}

double allowed_by_chance(double n, double checks) {
  return std::sqrt(std::log(2000 * checks) / (2 * n));
}

double allowed_ratio(double n) { return 5 / std::sqrt(2 * n); }

}  // namespace experiments
}  // namespace benzer
