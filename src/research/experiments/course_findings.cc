// Judges tables 1 and 2 of the course report, and the calls with values of one's own.
#include "research/experiments/course_findings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/internal/text.h"

namespace benzer::experiments::course_report {
namespace {

constexpr double kPairsOfDocument = 500500;
constexpr double kRunsOfDocument = 15;
// A mean count at k = 400 from which on there are enough pairs to compare runs.
constexpr double kEnough = 5;

// How a way compares with another by what both have measured, of runs with the same k.
enum class Compared { kMore, kFewer, kAlike };
Compared compared(const std::array<TwoGroups, 3>& runs) {
  std::array<TwoGroups, 3> exchanged = runs;
  for (TwoGroups& groups : exchanged) std::swap(groups.first, groups.second);
  if (chance_of_larger(runs) < kChance) return Compared::kMore;
  if (chance_of_larger(exchanged) < kChance) return Compared::kFewer;
  return Compared::kAlike;
}

// The counts at the error 0.04, by k.
std::array<TwoGroups, 3> counts_of(const AccuracyRuns& a, const AccuracyRuns& b) {
  return {TwoGroups{a.off[0][0], b.off[0][0]}, TwoGroups{a.off[0][1], b.off[0][1]},
          TwoGroups{a.off[0][2], b.off[0][2]}};
}

std::string three(const AccuracyRuns& runs) {
  return fmt::format("{:.0f}, {:.0f} and {:.0f}", mean(runs.off[0][0]), mean(runs.off[0][1]),
                     mean(runs.off[0][2]));
}

std::string of_family(const Accuracy& numbers) {
  const AccuracyRuns& document = numbers.document;
  std::string out = fmt::format(
      "With the report's permutations {} pairs are off by more than 0.04 at k = 400, 600 and 800; "
      "{} with kperm, whose slots are independent, and {:.0f}, {:.0f} and {:.0f} by theory. ",
      three(document), three(numbers.kperm), numbers.theory[0][0], numbers.theory[0][1],
      numbers.theory[0][2]);
  if (mean(document.off[0][0]) < kEnough)
    return out + "These are too few pairs to tell anything of the family a x + b mod p.";
  // Few runs with a long tail: ranks compare them, and means would not.
  switch (compared(counts_of(document, numbers.kperm))) {
    case Compared::kAlike:
      return out +
             "The runs of both differ by no more than chance (rank sums): in these counts the "
             "family a x + b mod p is as good as independent slots.";
    case Compared::kMore:
      return out +
             "The runs of the report have more than those of kperm, and not by chance (rank "
             "sums): on these files the family a x + b mod p is not as good as independent "
             "slots.";
    case Compared::kFewer:
      break;
  }
  return out +
         "The runs of the report have fewer than those of kperm, and not by chance (rank "
         "sums): on these files the family a x + b mod p is better than independent slots.";
}

std::string of_bias(const Accuracy& numbers) {
  std::array<TwoGroups, 3> runs;
  double sum = 0, count = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    runs[k] = {numbers.document.bias[k], numbers.kperm.bias[k]};
    for (const double bias : numbers.document.bias[k]) sum += bias, ++count;
  }
  const Compared result = compared(runs);
  return fmt::format(
      "The estimates of all pairs by the report's permutations are off by {:+.4f} on average, over "
      "{:.0f} runs. {}",
      sum / std::max(1.0, count), count,
      result == Compared::kAlike
          ? "Runs of kperm scatter as much: no bias of the family shows in pairs of these files."
          : fmt::format(
                "Runs of kperm are {}, and not by chance: the family has a bias on pairs of "
                "these files.",
                result == Compared::kMore ? "lower" : "higher"));
}

std::string of_runs(const Accuracy& numbers) {
  double widest = 0;  // deviation of a run in relation to the mean
  for (std::size_t k = 0; k < 3; ++k) {
    const double average = mean(numbers.document.off[0][k]);
    if (average > 0) widest = std::max(widest, deviation(numbers.document.off[0][k]) / average);
  }
  // Independent pairs would give a Poisson distribution.
  const double first = mean(numbers.document.off[0][0]);
  const bool together = deviation(numbers.document.off[0][0]) > 2 * std::sqrt(std::max(1.0, first));
  return fmt::format(
      "At k = 400, 600 and 800 the count at 0.04 has a standard deviation of {:.0f}, {:.0f} and "
      "{:.0f} between runs, up to {:.1f} times its mean{} A mean of 15 runs is then uncertain by "
      "{:.0f} %.",
      deviation(numbers.document.off[0][0]), deviation(numbers.document.off[0][1]),
      deviation(numbers.document.off[0][2]), widest,
      together
          ? ": one run is not like another, because all pairs of a run share the same functions."
          : ", no more than independent pairs would have.",
      100 * widest / std::sqrt(kRunsOfDocument));
}

std::string of_trend(const Accuracy& numbers) {
  const auto& document = kAccuracyOfDocument[0];
  const double falls = numbers.theory[0][2] / std::max(numbers.theory[0][0], 1e-9);
  const double fallen = falls * document[0];  // what the report's count at 400 would fall to
  const std::vector<double>& runs = numbers.document.off[0][2];
  const double largest = runs.empty() ? 0 : *std::max_element(runs.begin(), runs.end());
  const bool surprising = document[2] > 2 * fallen;
  return fmt::format(
      "From k = 400 to 800 theory falls by a factor of {:.0f} on these files and the report's "
      "count "
      "by one of {:.1f}; its {:.1f} at k = 800 is {:.1f} times what its own {:.1f} would fall to. "
      "{}",
      1 / std::max(falls, 1e-9), document[0] / document[2], document[2],
      document[2] / std::max(fallen, 1e-9), document[0],
      !surprising
          ? "So both fall alike."
          : fmt::format(
                "Its text does not tell the reason. One of its 15 runs with {:.0f} pairs "
                "would do, {:.0f} times its expected count; of the {} runs here the one "
                "with most pairs has {:.0f}, {:.1f} times what theory expects.",
                kRunsOfDocument * (document[2] - fallen) + fallen,
                (kRunsOfDocument * (document[2] - fallen) + fallen) / std::max(fallen, 1e-9),
                runs.size(), largest, largest / std::max(numbers.theory[0][2], 1e-9)));
}

std::string of_fss(const Accuracy& numbers) {
  const bool fewer = compared(counts_of(numbers.fss, numbers.kperm)) == Compared::kFewer;
  const bool more_slots = kPermutations[0] > numbers.mean_terms;
  return fmt::format(
      "The default fss:k leaves {}. {}", three(numbers.fss),
      !fewer       ? "That is not fewer than kperm, other than by chance."
      : more_slots ? fmt::format("With more slots than a file has terms ({:.0f} on average) it "
                                 "samples them nearly without replacement, where k permutations "
                                 "draw some again and again.",
                                 numbers.mean_terms)
                   : "Its slots sample terms with fewer repeats than k permutations do.");
}

std::vector<Claim> claims_of(const Accuracy& numbers) {
  const auto& off = numbers.document.off[0];
  const TwoGroups fall{off[0], off[2]};
  std::optional<bool> falls, few;
  if (mean(off[0]) >= kEnough) falls = chance_of_larger(std::span(&fall, 1)) < 0.01;
  if (numbers.pairs > 0)
    few = mean(numbers.document.off[1][2]) <= 0.001 * static_cast<double>(numbers.pairs);
  return {{"800 permutations estimate fewer pairs wrongly than 400", falls},
          {"with 800 nearly no pair is off by more than 0.07", few}};
}

std::vector<Claim> claims_of(const AllTimes& numbers) {
  const Times& few = numbers.here.front();
  const Times& many = numbers.here.back();
  bool as_counted = true;
  for (std::size_t k = 0; k < 3; ++k)
    as_counted = as_counted &&
                 numbers.here[k].estimated_comparisons == numbers.pairs * kTimedPermutations[k];
  return {{"comparisons grow with k for estimates", as_counted},
          {"estimates take less than exact similarities at k = 100", few.estimated < few.exact},
          {"building the matrix takes more than comparing all pairs exactly",
           many.matrix > many.exact}};
}

std::string of_estimates(const AllTimes& numbers) {
  const Times& few = numbers.here.front();
  const Times& many = numbers.here.back();
  return fmt::format(
      "Comparisons are k slots a pair against {:.0f} terms a file. {} at k = 600 estimates take "
      "{:.2f} of the time of exact similarities, in the report {:.1f}.",
      static_cast<double>(few.exact_comparisons) / static_cast<double>(numbers.pairs),
      many.estimated < many.exact ? "But a slot is compared by a fraction of an instruction, where "
                                    "a term needs a look-up:"
                                  : "As in the report they are slower:",
      many.estimated / many.exact, kEstimatedSeconds[2] / kExactSeconds[2]);
}

std::string of_matrix(const AllTimes& numbers) {
  const double of_document = kMatrixSeconds[2] / kMatrixSeconds[0];
  const double here = numbers.here.back().matrix / std::max(numbers.here.front().matrix, 1e-9);
  return fmt::format(
      "From k = 100 to 600 the report's matrix became {:.0f} times slower, the matrix here {:.1f} "
      "times, where the work became 6 times as large{}",
      of_document, here,
      here < of_document / 2
          ? ": in the report its loops or its memory cost that, not the algorithm."
          : ".");
}

}  // namespace

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double average = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - average) * (value - average);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Judged judge_accuracy(const Accuracy& numbers) {
  Judged out;
  out.claims = claims_of(numbers);
  out.findings = {of_family(numbers), of_bias(numbers), of_runs(numbers), of_trend(numbers),
                  of_fss(numbers)};
  out.findings.push_back(fmt::format(
      "The files are other ones than the report's (mean similarity here {:.3f}, over {} pairs "
      "against its 500,500), so counts compare within a row, and with the report by their trend.",
      numbers.mean_similarity, with_separators(numbers.pairs)));
  out.findings.push_back(fmt::format(
      "A slip in its text: the error rate of 800 permutations, 738.8 of 500,500, is {:.2f} per "
      "cent, not 0.15; and {:.2f} per cent at k = 400 is about ten times that, as it says.",
      100 * kAccuracyOfDocument[0][2] / kPairsOfDocument,
      100 * kAccuracyOfDocument[0][0] / kPairsOfDocument));
  return out;
}

Judged judge_accuracy_figure(const Accuracy& numbers) {
  return {{of_family(numbers), of_fss(numbers)}, claims_of(numbers)};
}

Judged judge_times(const AllTimes& numbers) {
  const Times& many = numbers.here.back();
  const auto times = [](double document, double here) {
    return here <= document ? fmt::format("{:.0f} times as fast", document / std::max(here, 1e-9))
                            : fmt::format("{:.1f} times as slow", here / document);
  };
  Judged out;
  out.claims = claims_of(numbers);
  out.findings.emplace_back(
      "The report's column 150 is k = 100: its 50,050,000 comparisons are 500,500 pairs of 100 "
      "slots.");
  out.findings.push_back(fmt::format(
      "At k = 600 the matrix takes {:.3f} s here and took {:.0f} s in the report ({}), estimates "
      "{:.3f} s against {:.2f} ({}), exact similarities {:.3f} s against {:.2f} ({}); its machine "
      "is "
      "not known.",
      many.matrix, kMatrixSeconds[2], times(kMatrixSeconds[2], many.matrix), many.estimated,
      kEstimatedSeconds[2], times(kEstimatedSeconds[2], many.estimated), many.exact,
      kExactSeconds[2], times(kExactSeconds[2], many.exact)));
  out.findings.push_back(fmt::format(
      "From texts that are in memory the matrix at k = 600 takes {:.3f} s: {:.3f} s for their "
      "terms, {:.3f} s for the rest. The numbers are those of the report's functions, but a term's "
      "values are computed once, and not once for every file that has it.",
      numbers.terms + many.matrix, numbers.terms, many.matrix));
  out.findings.push_back(of_estimates(numbers));
  out.findings.push_back(of_matrix(numbers));
  return out;
}

Judged judge_times_figure(const AllTimes& numbers) {
  return {{of_estimates(numbers), of_matrix(numbers)}, claims_of(numbers)};
}

Judged judge_accuracy_call(const AccuracyCall& numbers) {
  const double share = static_cast<double>(numbers.off) / static_cast<double>(numbers.pairs);
  Judged out;
  out.claims = {{fmt::format("at most one pair in a hundred is off by more than {}", numbers.eps),
                 share <= 0.01}};
  out.findings.push_back(fmt::format(
      "Of {} pairs with a mean similarity of {:.3f}, {} have an estimate that is off by more than "
      "{}. If slots were independent, {:.1f} would be expected.",
      with_separators(numbers.pairs), numbers.mean_similarity, with_separators(numbers.off),
      numbers.eps, numbers.expected));
  return out;
}

Judged judge_timer_call(const TimerCall& numbers) {
  const double built_and_read = numbers.matrix + numbers.estimated;
  Judged out;
  out.claims = {{"estimates need k comparisons a pair",
                 numbers.estimated_comparisons == numbers.pairs * numbers.slots},
                {"building the matrix takes more than comparing all pairs exactly",
                 numbers.matrix > numbers.exact}};
  out.findings.push_back(fmt::format(
      "For {} pairs the exact similarities took {:.4f} s, the estimates {:.4f} s, and the matrix "
      "before them {:.4f} s. So estimating all pairs once is {} than comparing all terms.",
      with_separators(numbers.pairs), numbers.exact, numbers.estimated, numbers.matrix,
      built_and_read < numbers.exact ? "faster" : "not faster"));
  return out;
}

Judged judge_near_call(const NearCall& numbers) {
  std::optional<bool> found;
  if (numbers.similar > 0) found = numbers.missed == 0;
  Judged out;
  out.claims = {{"the documents that reach s are returned", found},
                {"no document below s is returned", numbers.wrong == 0}};
  out.findings.push_back(fmt::format(
      "The bands give {} candidates. The estimate keeps {} and removes {} as false positives.",
      numbers.kept + numbers.removed, numbers.kept, numbers.removed));
  out.findings.push_back(fmt::format(
      "Exactly, {} {} at least {} similar to {}, of which {} {} not returned.", numbers.similar,
      numbers.similar == 1 ? "document is" : "documents are", numbers.threshold, numbers.id,
      numbers.missed, numbers.missed == 1 ? "was" : "were"));
  return out;
}

}  // namespace benzer::experiments::course_report
