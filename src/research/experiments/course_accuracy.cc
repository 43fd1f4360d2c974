// Reproduces table 1 and figure 1 of the course report: how many pairs have an estimate that is
// off.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/runtime.h"

#include "report/plot.h"
#include "research/experiments/chart.h"
#include "research/experiments/course_findings.h"
#include "research/experiments/course_pairs.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

using namespace course_report;

void add(AccuracyRuns& runs, std::size_t k, const ExactPairs::Off& off) {
  for (std::size_t e = 0; e < 3; ++e) runs.off[e][k].push_back(static_cast<double>(off.by_more[e]));
  runs.bias[k].push_back(off.bias);
}

Accuracy measure(const ExperimentOptions& options, const OneKind& kind, const ExactPairs& exact,
                 int runs) {
  Accuracy out;
  out.pairs = exact.pairs();
  out.mean_similarity = exact.mean();
  for (std::size_t doc = 0; doc < kind.sets->size(); ++doc)
    out.mean_terms += static_cast<double>(kind.sets->terms(doc).size());
  out.mean_terms /= static_cast<double>(kind.sets->size());
  for (std::size_t k = 0; k < 3; ++k) {
    const auto slots = kPermutations[k];
    const std::vector<double> theory = exact.expected_off_by(slots, kErrors);
    for (std::size_t e = 0; e < 3; ++e) out.theory[e][k] = theory[e];
    for (int run = 0; run < runs; ++run) {
      const std::uint64_t seed = options.seed * 1000003 + static_cast<std::uint64_t>(run) * 10 + k;
      throw_if_stopped(options.stop);
      const classics::course::MinHash rerun(kind.sets, slots, seed);
      add(out.document, k, exact.off_by(rerun.min_hash_matrix(), kErrors, options.stop));
      throw_if_stopped(options.stop);
      add(out.kperm, k,
          exact.off_by(sketched(*kind.sets, fmt::format("kperm:{}", slots), seed), kErrors,
                       options.stop));
      throw_if_stopped(options.stop);
      add(out.fss, k,
          exact.off_by(sketched(*kind.sets, fmt::format("fss:{}", slots), seed), kErrors,
                       options.stop));
    }
  }
  return out;
}

int digits(double count) { return count >= 100 ? 0 : count >= 1 ? 1 : 2; }

ExperimentTable table_of(const Accuracy& measured, const std::string& name,
                         const std::string& title) {
  ExperimentTable table;
  table.name = name;
  table.title = title;
  table.columns = {"eps",
                   "k",
                   "document",
                   "its permutations, rerun",
                   "deviation of a run",
                   "kperm:k",
                   "fss:k (default)",
                   "theory"};
  const auto cell = [](double count) { return ExperimentCell(count, digits(count)); };
  for (std::size_t e = 0; e < 3; ++e) {
    for (std::size_t k = 0; k < 3; ++k) {
      table.rows.push_back(
          {ExperimentCell(kErrors[e], 2), ExperimentCell::count(kPermutations[k]),
           cell(kAccuracyOfDocument[e][k]), cell(mean(measured.document.off[e][k])),
           cell(deviation(measured.document.off[e][k])), cell(mean(measured.kperm.off[e][k])),
           cell(mean(measured.fss.off[e][k])), cell(measured.theory[e][k])});
    }
  }
  return table;
}

ExperimentChart chart_of(const Accuracy& measured, const std::string& name) {
  const auto points = [](auto&& count_at) {
    std::vector<std::pair<double, double>> out;
    for (std::size_t k = 0; k < 3; ++k)
      out.emplace_back(static_cast<double>(kPermutations[k]), count_at(k));
    return out;
  };
  const auto document = points([&](std::size_t k) { return kAccuracyOfDocument[0][k]; });
  const auto rerun = points([&](std::size_t k) { return mean(measured.document.off[0][k]); });
  const auto fss = points([&](std::size_t k) { return mean(measured.fss.off[0][k]); });
  const auto theory = points([&](std::size_t k) { return measured.theory[0][k]; });
  double most = 1, least = 1;
  for (const auto& counts : {document, rerun, fss, theory}) {
    for (const auto& [k, count] : counts) {
      most = std::max(most, count);
      if (count > 0) least = std::min(least, count);
    }
  }
  return line_chart(name, "Pairs whose estimate is off by more than 0.04, against k",
                    {"permutations k", 350, 850, false},
                    {"pairs", std::pow(10, std::floor(std::log10(least))),
                     std::pow(10, std::ceil(std::log10(most))), true},
                    {{"document (other files)", document, plot::Colour::kQuiet, false},
                     {"its permutations, rerun", rerun, plot::Colour::kFirst, false},
                     {"fss:k (default)", fss, plot::Colour::kSecond, false},
                     {"theory", theory, plot::Colour::kThird, true}});
}

// The points of the figure, for those who want numbers.
ExperimentTable points_of(const Accuracy& measured, const std::string& name) {
  ExperimentTable table{name,
                        "The points of the figure: pairs that are off by more than 0.04",
                        {"k", "its permutations, rerun", "fss:k (default)", "theory"},
                        {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const double rerun = mean(measured.document.off[0][k]), fss = mean(measured.fss.off[0][k]);
    table.rows.push_back({ExperimentCell::count(kPermutations[k]),
                          {rerun, digits(rerun)},
                          {fss, digits(fss)},
                          {measured.theory[0][k], digits(measured.theory[0][k])}});
  }
  return table;
}

// Runs what table 1 and figure 1 have in common; figure 1 of the report has no numbers.
ExperimentResult accuracy(const ExperimentOptions& options, bool figure, int runs_of_document) {
  // Counts of runs are so skewed that fewer than the report made do not tell 400 from 800.
  const int runs = options.full ? 4 * runs_of_document : runs_of_document;
  const OneKind kind = one_kind(options);
  const ExactPairs exact(*kind.sets, options.stop);
  const Accuracy measured = measure(options, kind, exact, runs);
  ExperimentResult result;
  result.name = figure ? "course-fig-1" : "course-table-1";
  result.title = figure ? "How accurate estimates by permutations are, as a figure"
                        : "How accurate estimates by permutations are";
  result.parameters =
      fmt::format("{}, {} pairs, {} terms; means of {} runs (the report: {})", kind.description,
                  exact.pairs(), kind.sets->num_terms(), runs, runs_of_document);
  if (figure) {
    result.tables.push_back(points_of(measured, result.name));
    result.charts.push_back(chart_of(measured, result.name));
  } else {
    result.tables.push_back(
        table_of(measured, result.name,
                 "Pairs whose exact and estimated similarities differ by more than eps"));
  }
  add_judged(result, figure ? judge_accuracy_figure(measured) : judge_accuracy(measured));
  return result;
}

}  // namespace

ExperimentResult course_table_1(const ExperimentOptions& options) {
  return accuracy(options, false, 15);
}

ExperimentResult course_fig_1(const ExperimentOptions& options) {
  return accuracy(options, true, 10);
}

}  // namespace benzer::experiments
