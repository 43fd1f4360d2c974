#include "research/experiments/sketch_findings.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace benzer::experiments {
namespace {

// Means of ratios over all cells are within a few per cent of their expectation.
constexpr double kAsTheory = 0.1;

bool is_as_theory(const RatioOfSketch& ratio) { return std::abs(ratio.mean - 1) <= kAsTheory; }
bool is_at_most_theory(const RatioOfSketch& ratio) { return ratio.mean <= 1 + kAsTheory; }

std::string in_words(const RatioOfSketch& ratio) {
  return fmt::format("{}: {:.2f} times its theory on average, {:.2f} to {:.2f} in single cells",
                     ratio.sketch, ratio.mean, ratio.least, ratio.most);
}

}  // namespace

Judged judge_s_curve(const SCurve& numbers) {
  const double allowed = allowed_by_chance(numbers.pairs, numbers.independent.cells);
  const bool holds = numbers.independent.worst <= allowed;
  const bool fss_holds = numbers.fss.worst <= allowed;
  const bool fewer_strangers = numbers.fss_rare <= 0, more_pairs = numbers.fss_frequent >= 0;
  Judged out;
  out.claims = {{"bands find a share of 1 - (1 - s^r)^b of the pairs", holds}};
  out.findings.push_back(fmt::format(
      "For {} the largest difference of a share and the formula is {:.3f}, where chance allows "
      "{:.3f}: the formula {}. {} of {} intervals have the expected value within, where about {} "
      "should.",
      numbers.independent.sketch, numbers.independent.worst, allowed,
      holds ? "holds" : "does not hold", numbers.independent.within, numbers.independent.cells,
      std::lround(0.95 * numbers.independent.cells)));
  const std::string_view side = fewer_strangers && more_pairs
                                    ? "fewer strangers and more similar pairs, the safe side"
                                : fewer_strangers ? "fewer strangers, but fewer similar pairs, too"
                                : more_pairs      ? "more strangers, and more similar pairs"
                                                  : "more strangers and fewer similar pairs";
  out.findings.push_back(fmt::format(
      "For {} the largest difference is {:.3f} ({} of {} intervals). Where the formula says less "
      "than a half, {:+.4f} were found on average, where it says more, {:+.4f}: {}. {}",
      numbers.fss.sketch, numbers.fss.worst, numbers.fss.within, numbers.fss.cells,
      numbers.fss_rare, numbers.fss_frequent, side,
      fss_holds ? "The planner may use the formula for both."
                : "That is more than chance, so the planner needs another formula for it."));
  out.findings.push_back(fmt::format(
      "5 bands of 20 rows, as in the C# blog, are expected to find {:.1f} % of the pairs at J = "
      "0.8 "
      "and {:.0f} % at 0.9; 20 bands of 5 rows of the same 100 hashes find {:.2f} % at 0.8.",
      100 * Banding{5, 20}.candidate_probability(0.8),
      100 * Banding{5, 20}.candidate_probability(0.9),
      100 * Banding{20, 5}.candidate_probability(0.8)));
  return out;
}

Judged judge_hash_bias(const std::vector<BiasCell>& cells) {
  constexpr double kTolerated = 0.002;  // a bias without weight
  const BiasCell *worst = nullptr, *worst_mixed = nullptr, *few_bits = nullptr;
  bool unbiased = true, unbiased_if_mixed = true, as_random = true;
  for (const BiasCell& cell : cells) {
    const BiasCell*& most = cell.few_bits ? few_bits : cell.mixed ? worst_mixed : worst;
    if (!cell.few_bits || cell.mixed)
      if (most == nullptr || std::abs(cell.error.bias) > std::abs(most->error.bias)) most = &cell;
    if (cell.few_bits) continue;
    bool& fair = cell.mixed ? unbiased_if_mixed : unbiased;
    fair = fair && cell.error.may_be_unbiased(kTolerated);
    if (cell.mixed)
      as_random = as_random && cell.error.rms <=
                                   (1 + allowed_ratio(cell.error.count)) * cell.random + kTolerated;
  }
  Judged out;
  out.claims = {
      {"linear hash functions estimate without bias where ids were made random numbers before",
       unbiased_if_mixed && as_random},
      {"they do on ids in a row", unbiased}};
  if (worst != nullptr) {
    out.findings.push_back(fmt::format(
        "On numbers in a row the linear families are {}: the largest bias is {:+.3f} ({}, {}){}",
        unbiased ? "not biased beyond chance" : "biased", worst->error.bias, worst->family,
        worst->layout,
        unbiased ? "."
                 : ". The minimum over an interval falls more often near its ends than in its "
                   "middle, so what the sets share there counts for too much or too little."));
    const bool stops = worst->error.rms > 2 * worst->random;
    out.findings.push_back(fmt::format(
        "{} there the RMS error of 1,024 functions is {:.3f}, where random functions have {:.3f}.",
        stops ? "More functions do not help:" : "More functions help:", worst->error.rms,
        worst->random));
  }
  if (worst_mixed != nullptr)
    out.findings.push_back(fmt::format(
        "After one strong mix of the ids the same families are {} random functions: the largest "
        "bias is {:+.4f}. Benzer's features are such mixed hashes.",
        unbiased_if_mixed && as_random ? "as good as" : "not as good as", worst_mixed->error.bias));
  if (few_bits != nullptr) {
    const bool repaired = few_bits->error.may_be_unbiased(kTolerated);
    out.findings.push_back(fmt::format(
        "The C# blog's (ax + b) >> (32 - u) keeps only as many bits as the universe needs, so "
        "different elements can have the same value. With a mix its largest bias is {:+.4f}: {} "
        "And "
        "its b is drawn below 2^u, so that up to u = 16 (here u = 14) the shift drops it: id 0 has "
        "the value 0 under every function, and is always the minimum of the sets that hold it.",
        few_bits->error.bias,
        repaired ? "no more than chance." : "no mix repairs that; all 32 bits must be compared."));
  }
  return out;
}

Judged judge_sketches(const Sketches& numbers) {
  const bool few = is_at_most_theory(numbers.few_bits) && is_at_most_theory(numbers.many_bits);
  Judged out;
  out.claims = {
      {"k independent functions have the error sqrt(J(1 - J)/k)", is_as_theory(numbers.kperm)},
      {"linear functions have it, too, on features that are hashes", is_as_theory(numbers.linear)},
      {"the k smallest values of one function have that times sqrt((U - k)/(U - 1))",
       is_as_theory(numbers.bottom_k)}};
  out.findings.push_back(fmt::format("k independent functions {} the error sqrt(J(1 - J)/k). {}.",
                                     is_as_theory(numbers.kperm) ? "have" : "do not have",
                                     in_words(numbers.kperm)));
  out.findings.push_back(fmt::format(
      "The linear families of the documents {} on features that are hashes already. {}. On ids in "
      "a "
      "row, see hash-bias.",
      is_at_most_theory(numbers.linear) ? "do as well" : "do less well", in_words(numbers.linear)));
  out.findings.push_back(fmt::format(
      "Bottom-k {} the error times sqrt((U - k)/(U - 1)), and none where the union has no more "
      "than "
      "k elements. {}.",
      is_as_theory(numbers.bottom_k) ? "has" : "does not have", in_words(numbers.bottom_k)));
  const bool below = is_at_most_theory(numbers.fss);
  out.findings.push_back(fmt::format(
      "fss is {} the classical error. {}. It takes {:.1f} ns an element of 1,000, kperm {:.1f}.{}",
      below ? "at or below" : "above", in_words(numbers.fss), numbers.fss.nanoseconds,
      numbers.kperm.nanoseconds,
      numbers.fss.least < 0.9
          ? " The gain is with sets of less than a few hundred elements, which share its slots "
            "evenly."
          : ""));
  out.findings.push_back(fmt::format(
      "A few bits of each slot {}. 1,024 slots of 1 bit are 128 bytes. {}. 128 slots of 1 bit are "
      "16 bytes. {}. Estimates below 0 are cut off, so that theory is an upper bound for J near 0.",
      few ? "suffice" : "do not suffice", in_words(numbers.many_bits), in_words(numbers.few_bits)));
  return out;
}

}  // namespace benzer::experiments
