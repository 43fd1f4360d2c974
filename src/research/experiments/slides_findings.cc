#include "research/experiments/slides_findings.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "benzer/internal/text.h"

namespace benzer::experiments {
namespace {

double compared(double documents) { return documents * (documents - 1) / 2; }

}  // namespace

std::string readable(double seconds) {
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 100) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} h", seconds / 3600);
  if (seconds < 500 * 86400.0) return fmt::format("{:.1f} days", seconds / 86400);
  return fmt::format("{:.1f} years", seconds / 86400 / 365.25);
}

Judged judge_slides(const SlidesScale& numbers) {
  const double million = numbers.per_pair * compared(1e6);
  const double ten_million = numbers.per_pair * compared(1e7);
  const bool days = million >= 86400;
  const double lsh_million = numbers.lsh_seconds * 1e6 / static_cast<double>(numbers.lsh_documents);
  const double share = static_cast<double>(numbers.pairs_by_lsh) /
                       static_cast<double>(std::max<std::uint64_t>(1, numbers.pairs));
  Judged out;
  out.claims = {{"the worked examples come out as printed", numbers.as_printed},
                {"comparing all pairs of a million documents takes days", days},
                {"LSH avoids that", lsh_million < million / 100}};
  out.findings.emplace_back(
      numbers.as_printed
          ? "All worked examples of the slides come out as printed. Their pictures of the "
            "permutations are lost; those used here are the ones that give the printed signatures."
          : "Some worked example of the slides does not come out: this is a mistake of Benzer.");
  out.findings.push_back(fmt::format(
      "The slides reckon 10^6 comparisons a second, so 5 days for a million documents and over a "
      "year for ten million. One core of this machine compares {:.1f} million sets of about {} "
      "shingles a second: {} for a million documents, {} for ten million (extrapolated). {}",
      1e-6 / numbers.per_pair, numbers.shingles, readable(million), readable(ten_million),
      days ? "The square is the problem, not the speed." : "So the speed of today is enough."));
  out.findings.push_back(fmt::format(
      "LSH with verification took {} for {} texts, reading and shingling them included (measured; "
      "with --full a million).",
      readable(numbers.lsh_seconds), with_separators(numbers.lsh_documents)));
  out.findings.push_back(fmt::format(
      "Of the {} pairs that brute force found in {} documents, LSH found {}: {:.2f} %. It is "
      "planned to find 99 % of those exactly at the threshold, and more above it{}.",
      numbers.pairs, with_separators(numbers.documents), numbers.pairs_by_lsh, 100 * share,
      share > 1      ? "; more pairs than there are is a mistake of Benzer"
      : share < 0.97 ? ", so this is fewer than planned"
                     : "; what it finds is verified, so nothing is wrong"));
  return out;
}

Judged judge_slides_shingles(const SlidesShingles& numbers) {
  const bool blanks_help = numbers.with_blanks < numbers.without_blanks;
  const bool large_k_helps = numbers.at_five < numbers.at_two;
  const auto n = static_cast<double>(numbers.shingles);
  const auto shared = static_cast<double>(numbers.shingles - numbers.hashes);
  const double expected = n * n / 0x1p33;  // of random numbers of 32 bits
  // A Poisson distribution; 5 of its standard deviations, and 5 more for a small mean.
  const bool by_chance = shared <= expected + 5 * std::sqrt(expected) + 5;
  const bool of_no_weight = shared / n < 1e-3;
  Judged out;
  out.claims = {{"blanks keep \"touch down\" and \"touchdown\" apart", blanks_help},
                {"k must be large enough, or most documents have most shingles", large_k_helps},
                {"shingles can be hashed to 4 bytes", by_chance && of_no_weight}};
  out.findings.push_back(fmt::format(
      "\"touch down\" and \"touchdown\": with blanks the two sentences share {} shingles, without "
      "them {}. {}",
      numbers.with_blanks, numbers.without_blanks,
      blanks_help ? "So blanks keep apart what means something else, as the slides say."
                  : "That is not what the slides say: this is a mistake of Benzer."));
  out.findings.push_back(fmt::format(
      "\"You must pick k large enough, or most documents will have most shingles\": unrelated "
      "texts have a similarity of {:.2f} at k = 2 and of {:.3f} at k = 5, which {} the slides.",
      numbers.at_two, numbers.at_five, large_k_helps ? "confirms" : "contradicts"));
  out.findings.push_back(fmt::format(
      "{} shingles of \"touch down touch down\" get {} different numbers by the dictionary{}",
      numbers.shingles_of_example, numbers.numbers_of_example,
      numbers.numbers_of_example < numbers.shingles_of_example
          ? ": a shingle that is seen again has its first number."
          : "."));
  out.findings.push_back(fmt::format(
      "In {} made-up texts the dictionary holds {} different shingles, which hashing turns into {} "
      "numbers: {:.0f} share one, where {:.1f} would be expected of random numbers of 32 bits{}. "
      "Hashing needs no table, and a shared number adds {:.0e} to the similarity of a pair{}.",
      with_separators(numbers.texts), with_separators(numbers.shingles),
      with_separators(numbers.hashes), shared, expected,
      by_chance ? "" : " and chance does not explain the difference", shared / n,
      of_no_weight ? ", which has no weight" : ", which is too much"));
  return out;
}

}  // namespace benzer::experiments
