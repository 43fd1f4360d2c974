// Judges tables 3 and 4 and figure 3 of the course report: what bands find.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/internal/text.h"

#include "research/experiments/course_findings.h"

namespace benzer::experiments::course_report {
namespace {

Banding banding_of(const BandsRow& row) {
  return {static_cast<int>(row.bands), static_cast<int>(row.rows)};
}

// The similarity of all seven copies at which this number of them is expected to become candidates.
double similarity_for(double met_of_7, const BandsRow& row) {
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (7 * banding_of(row).candidate_probability(middle) < met_of_7 ? low : high) = middle;
  }
  return low;
}

// Explains at which step a row loses the copies that it does not find, each compared with the
// previous step.
std::string losses(const BandsRow& row) {
  const Expected& e = row.expected;
  return fmt::format(
      "At {} bands of {} rows the report's algorithm finds {:.2f} of {} here. Data: {:.2f} copies "
      "are below 0.9. Banding: of those that are not, {:.2f} are expected not to meet. Estimates: "
      "the cut at 0.9 changes what is found to {:.2f} of the {:.2f} that meet. Hash family: kperm "
      "finds {:.2f}, the report's permutations {:.2f}. Tables of prime size add {:.2f} strangers "
      "and {:+.2f} copies.",
      row.bands, row.rows, row.tables.found, copies_of(e), e.copies - e.similar,
      e.similar - e.met_and_similar, e.found, e.copies_met, row.kperm.found, row.keys.found,
      row.tables.false_positives - row.keys.false_positives, row.tables.found - row.keys.found);
}

// What the report's own figures need of its copies, and what the copies here are like.
std::string similarities_needed(const BandsRow& first, const BandsRow& last) {
  const double low = similarity_for(first.document->found, first);
  const double high = similarity_for(last.document->found, last);
  const double below =
      last.expected.copies > 0 ? 1 - last.expected.similar / last.expected.copies : 0;
  if (std::abs(low - high) <= 0.01) {
    return fmt::format(
        "The report found {:.2f} at {} bands and {:.2f} at {}. One similarity of copies explains "
        "both: {:.3f}.",
        first.document->found, first.bands, last.document->found, last.bands, low);
  }
  const double needed = 1 - last.document->found / 7;
  return fmt::format(
      "The report found {:.2f} at {} bands and {:.2f} at {}. No one similarity explains both: the "
      "first needs J = {:.3f} between copies, the last {:.3f}. Copies of which most are near 0.95 "
      "and {:.0f} % are below 0.9 would give both, as the estimate removes those; of the copies "
      "here "
      "{:.0f} % are below 0.9{}. So would estimates that scatter more than independent slots do. "
      "Its "
      "table 3, where what is missing was met and then removed by the estimate, fits either.",
      first.document->found, first.bands, last.document->found, last.bands, low, high, 100 * needed,
      100 * below,
      std::abs(below - needed) < 0.05 ? ", so these files explain what the report found" : "");
}

// False positives a band that tables of prime size add, in the row that differs most from one.
double strangers_of_tables(const BandsTable& table) {
  double farthest = 1;
  for (const BandsRow& row : table.rows) {
    const double of_band =
        (row.tables.false_positives - row.keys.false_positives) / static_cast<double>(row.bands);
    if (std::abs(of_band - 1) > std::abs(farthest - 1)) farthest = of_band;
  }
  return farthest;
}

}  // namespace

Judged judge_ten_queries(const TenQueries& numbers) {
  std::optional<bool> nearly_all;
  if (numbers.similar > 0) nearly_all = numbers.returned >= 0.9 * numbers.similar;
  const double removed = numbers.met - numbers.returned;
  // The standard error of an estimate by independent slots, at a similarity of 0.92.
  const double error = std::sqrt(0.92 * 0.08 / kTablePermutations);
  Judged out;
  out.claims = {{"queries find nearly all near-copies", nearly_all}};
  out.findings.push_back(fmt::format(
      "The report's algorithm returns {:.2f} of {:.3g} here and returned 6.70 of 7 there; {:.2f} "
      "copies truly have J >= 0.9, and {:.2f} are expected to be returned by ideal hash functions.",
      numbers.returned, numbers.copies, numbers.similar, numbers.expected_returned));
  out.findings.push_back(
      fmt::format("Of {:.3g} copies {:.2f} meet in a band ({:.2f} expected). {}", numbers.copies,
                  numbers.met, numbers.expected_met,
                  removed > 0 ? fmt::format("The estimate removes {:.2f} of these, as it removed "
                                            "baseball1846.txt.copy3 in the report.",
                                            removed)
                              : "The estimate removes none of them; in the report it removed "
                                "baseball1846.txt.copy3."));
  out.findings.push_back(fmt::format(
      "An estimate of {} slots has a standard error of {:.3f} at J = 0.92, so that a pair little "
      "above 0.9 falls below it now and then. Comparing candidates exactly returns all that are "
      "there.",
      with_separators(kTablePermutations), error));
  return out;
}

Judged judge_bands(const BandsTable& table) {
  const BandsRow& first = table.rows.front();
  const BandsRow& last = table.rows.back();
  const double strangers = strangers_of_tables(table);
  const bool a_stranger_a_band = strangers > 0.5 && strangers < 2;
  std::optional<bool> more, most;
  if (last.expected.similar > 0) most = last.tables.found >= 0.8 * last.expected.similar;
  // Where the fewest bands find all there are, more bands cannot find more.
  if (first.tables.found < 0.99 * first.expected.similar)
    more = last.tables.found > first.tables.found;
  Judged out;
  out.claims = {{"more bands find more near-copies", more},
                {"the most bands find most of the near-copies that reach 0.9", most},
                {"each band brings about one false positive", a_stranger_a_band}};
  out.findings.push_back(losses(first));
  out.findings.push_back(losses(last));
  if (first.document && last.document) out.findings.push_back(similarities_needed(first, last));
  const double left = last.keys.false_positives;
  out.findings.push_back(fmt::format(
      "{} ({:.2f} a band in the row that differs most from one, {:.2f} in the report). 64-bit keys "
      "leave {:.2f} false positives at {} bands{}.",
      a_stranger_a_band ? "Strangers come from the tables: with as many buckets as documents each "
                          "band brings about one"
                        : "The tables do not bring about one stranger a band",
      strangers, 19.86 / 20, left, last.bands,
      left > 0 && left < 1 ? ", which are mostly copies whose estimate is below 0.9" : ""));
  const double similar = first.expected.similar;
  out.findings.push_back(fmt::format(
      "Benzer's plan for 0.9 at {} slots is {}: it finds {:.2f} of the {:.2f} copies that truly "
      "have J >= 0.9, as candidates are compared exactly{}.",
      table.k, table.plan, table.planned.found, similar,
      table.planned.found < 0.97 * similar ? "; that is fewer than planned" : ""));
  out.findings.emplace_back(
      "Counting rules, recovered from its figures: found + false negatives = 7; false positives "
      "are "
      "candidates below s by the estimate; their rate is by candidates (15.05 / 16.09 = .94); the "
      "rate of false negatives is by all files that are no candidate (5.96 / 24.9e-5 = 23,936 "
      "files).");
  if (table.p > 46341)
    out.findings.push_back(fmt::format(
        "All {} terms together are more than 46,341, so that a x + b passes 2^31 for some: there "
        "the report's functions are not quite permutations.",
        table.terms));
  return out;
}

std::vector<std::string> findings_of_fig_3(const BandsTable& table) {
  const BandsRow& first = table.rows.front();
  const BandsRow& last = table.rows.back();
  const Banding banding{20, 50};
  const double exact = banding.candidate_probability(0.94);
  const double rounded = 1 - std::pow(0.95, 20);  // with its 1 - .94^50 = .955, rounded
  const bool more_with_more = last.tables.false_positives > first.tables.false_positives;
  return {"The report names one of its three numbers of bands, 20; 50 and 100 were chosen here.",
          fmt::format(
              "A slip in its text: with 20 bands of 50 rows {:.3f} is the probability of a pair of "
              "similarity 0.94 to become a candidate, not to fail ({:.3f} without its rounding of "
              "0.955 "
              "to 0.95); so 1 in {:.1f} fails, or 1 in {:.1f}, not 1 in 1.6.",
              rounded, exact, 1 / (1 - rounded), 1 / (1 - exact)),
          fmt::format("It says that a higher threshold of the bands brings more false positives. "
                      "Here {} bands, "
                      "the highest threshold, bring {:.2f} and {} bring {:.2f}{}.",
                      first.bands, first.tables.false_positives, last.bands,
                      last.tables.false_positives,
                      more_with_more ? ", so it is the other way round, as its own table 4 shows"
                                     : ", as it says")};
}

}  // namespace benzer::experiments::course_report
