#include "research/experiments/scala_findings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "research/examples/scala_claims.h"

namespace benzer::experiments {
namespace {

using scala_claims::Trend;
using scala_claims::trend;

// The share found at a threshold of the list.
double found_at(const ScalaBands& bands, double threshold) {
  for (std::size_t i = 0; i < bands.thresholds.size(); ++i)
    if (bands.thresholds[i] == threshold) return bands.found[i];
  return NAN;
}

// For numbers of functions by threshold.
std::string in_words(const std::vector<double>& thresholds, const std::vector<double>& values) {
  switch (trend(values)) {
    case Trend::kRises:
      return "rises with the threshold";
    case Trend::kFalls:
      return "falls with the threshold";
    case Trend::kNeither:
      break;
  }
  const auto most = std::max_element(values.begin(), values.end()) - values.begin();
  return fmt::format("is largest at {}", thresholds[static_cast<std::size_t>(most)]);
}

}  // namespace

Judged judge_scala(const ScalaHistogram& histogram, const ScalaEstimates& estimates,
                   const ScalaBands& bands) {
  // The standard deviation of chi-square is the root of twice its degrees of freedom.
  const double deviation = std::sqrt(2 * histogram.freedom);
  const double too_even = histogram.freedom - 3 * deviation;
  const bool even = histogram.chi_square <= histogram.freedom + 3 * deviation;
  const bool unbiased = estimates.own.may_be_unbiased();
  const bool as_theory =
      estimates.of_blog.rms <= (1 + allowed_ratio(estimates.of_blog.count)) * estimates.theory;
  const double least = *std::min_element(bands.found.begin(), bands.found.end());
  Judged out;
  out.claims = {{"the printed values come out",
                 histogram.bins_as_printed && histogram.values_as_printed && bands.as_printed},
                {"its hash function spreads numbers evenly", even},
                {"its estimates are near the exact similarities", unbiased && as_theory},
                {"the bands that it picks find nearly all pairs at the threshold", least >= 0.95}};

  out.findings.push_back(fmt::format(
      "{} The values of its ten functions for \"he\" {}.",
      histogram.bins_as_printed
          ? "All 25 bins of function 1 come out as printed."
          : "The bins of function 1 do not come out: this is a mistake of Benzer.",
      histogram.values_as_printed ? "come out, too" : "do not: this is a mistake of Benzer"));
  out.findings.push_back(fmt::format(
      "Chi-square of the bins is {:.1f} with {:.0f} degrees of freedom, where random values would "
      "give {:.0f} give or take {:.0f}. {} Even bins do not show that minima are drawn fairly; see "
      "hash-bias. (Of its modulus 999999999989 nothing is seen: a x + b has wrapped at 32 bits "
      "before.)",
      histogram.chi_square, histogram.freedom, histogram.freedom, deviation,
      histogram.chi_square < too_even ? "So few is no praise: over numbers in a row a linear "
                                        "function steps evenly, it does not "
                                        "scatter."
      : even                          ? "So the bins look like random ones."
                                      : "So the bins are not even."));
  out.findings.push_back(fmt::format(
      "Over {:.0f} pairs the RMS error of the estimates is {:.3f}, where independent functions "
      "would have {:.3f}, and the bias {:+.4f}, all with the same hundred functions of the blog. "
      "With functions of its own for each pair the bias is {:+.4f} (standard error {:.4f}): {}",
      estimates.of_blog.count, estimates.of_blog.rms, estimates.theory, estimates.of_blog.bias,
      estimates.own.bias, estimates.own.standard_error,
      unbiased ? "no more than chance. The shingles have gone through djb2a first, which scatters "
                 "them for linear functions."
               : "more than chance, so the functions are biased on these texts."));
  out.findings.push_back(fmt::format(
      "{} It solves (1/b)^(1/r) = t, where 1 - 1/e = 63 % of the pairs are found, and then rounds "
      "the rows down: so it finds {:.0f} % of the pairs at 0.5, {:.0f} % at 0.8 and {:.0f} % at "
      "0.9, and leaves up to {:.0f} of its 100 hashes out.",
      bands.as_printed
          ? "pickBands gives all eight printed numbers of bands."
          : "pickBands does not give the printed numbers: this is a mistake of Benzer.",
      100 * found_at(bands, 0.5), 100 * found_at(bands, 0.8), 100 * found_at(bands, 0.9),
      bands.unused));
  out.findings.push_back(fmt::format(
      "Its text says that .5 needs 4 comparisons and .99 needs 50. {} buckets of {} rows are "
      "compared at .5, {} buckets of {} rows at .99{}.",
      bands.bands_at_half, bands.rows_at_half, bands.bands_at_most, bands.rows_at_most,
      bands.rows_at_half == 4 && bands.rows_at_most == 50 ? ", so it swaps bands and rows" : ""));
  return out;
}

Judged judge_scala_examples(const ScalaExamples& numbers) {
  const bool equal = numbers.pangram == 1;
  const bool all = numbers.as_printed == numbers.functions;
  Judged out;
  out.claims = {
      {"shingles of one character make the pangram and the alphabet a false positive", equal},
      {"its ten functions and their values come out as printed", all}};
  out.findings.push_back(fmt::format(
      "With shingles of one character the pangram and the alphabet are {}. {}",
      equal ? "equal, a false positive as the blog prints it"
            : fmt::format("{:.2f} alike, not equal as the blog prints it: this is a mistake of "
                          "Benzer",
                          numbers.pangram),
      numbers.apart_from == 0 ? "Up to five characters they have shingles in common."
                              : fmt::format("From {} characters on they have no shingle in common.",
                                            numbers.apart_from)));
  out.findings.push_back(fmt::format(
      "{} of the {} functions and their values come out as printed{} {} of them have an even "
      "factor a{}",
      numbers.as_printed, numbers.functions, all ? "." : ": the others are mistakes of Benzer.",
      numbers.even_factors,
      numbers.even_factors > 0 ? ", under which two numbers that differ by 2^31 get one value."
                               : "."));
  return out;
}

Judged judge_scala_claims(const ScalaHashes& hashes, const ScalaContained& contained) {
  const bool error = trend(hashes.for_error) == Trend::kRises;
  const bool gap = trend(hashes.for_gap) == Trend::kRises;
  const bool share = trend(hashes.for_share) == Trend::kRises;
  const bool halves = contained.of_half >= 0.5, tenths = contained.of_tenth >= 0.5;
  Judged out;
  out.claims = {
      {"a higher threshold needs more hash functions if pairs below it come nearer with it", share},
      {"a higher threshold needs more hash functions for the same error of the estimate", error},
      {"a threshold near 0.5 captures a document that is half of another", halves},
      {"a threshold near 0.5 captures a document that is a tenth of another", tenths}};
  const auto numbers_of = [&](const std::vector<double>& values) {
    return fmt::format("{}: {:.0f} at {}, {:.0f} at {}", in_words(hashes.thresholds, values),
                       values.front(), hashes.thresholds.front(), values.back(),
                       hashes.thresholds.back());
  };
  out.findings.push_back(fmt::format(
      "\"The higher the threshold required for matching, the more hash functions we will need\" "
      "{}. For one error of the estimate (0.03) the number {}. For bands that find 99 % of the "
      "pairs at t and 5 % of those 0.2 below it, the number {}. If they are only (1 - t) / 2 below "
      "it, and so come nearer as t rises, the number {}.",
      error && gap && share   ? "holds in all three senses"
      : error || gap || share ? "depends on what is asked"
                              : "holds in none of three senses",
      numbers_of(hashes.for_error), numbers_of(hashes.for_gap), numbers_of(hashes.for_share)));
  out.findings.push_back(fmt::format(
      "\"Values of t close to 0.5 or 0.6 would capture documents that are contained within other "
      "documents\" {}: with t = 0.5, {:.0f} % of the beginnings of half a text are found, {:.0f} % "
      "of three tenths, {:.0f} % of one tenth. All are wholly contained.",
      halves && tenths ? "holds"
      : halves         ? "holds for large parts only"
                       : "does not hold",
      100 * contained.of_half, 100 * contained.of_three_tenths, 100 * contained.of_tenth));
  out.findings.push_back(fmt::format(
      "{} (the largest difference is {:.3f}, chance allows {:.3f}). Of a contained document J is "
      "its share of the other, so no threshold is one of containment.",
      contained.worst <= contained.allowed
          ? "What is found is what the Jaccard similarity alone gives"
          : "What is found differs from what the Jaccard similarity alone gives",
      contained.worst, contained.allowed));
  return out;
}

}  // namespace benzer::experiments
