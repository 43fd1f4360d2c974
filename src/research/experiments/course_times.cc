// Reproduces table 2 and figure 2 of the course report: the seconds for all pairs, exactly and by
// the matrix.
#include <algorithm>
#include <string>
#include <vector>

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

constexpr double kExactComparisons = 9.3480652e7;
constexpr double kEstimatedComparisons[] = {5.005e7, 1.75175e8, 3.003e8};

Times measure(const ExperimentOptions& options, const OneKind& kind, std::uint32_t k, int runs) {
  Times out;
  std::vector<double> exact, estimated, matrix, fss;
  for (int run = 0; run < runs; ++run) {
    throw_if_stopped(options.stop);
    const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(run);
    const auto timer = classics::course::MinHashTime::timer(kind.sets, k, seed, options.stop);
    exact.push_back(timer.exact_seconds);
    estimated.push_back(timer.estimated_seconds);
    matrix.push_back(timer.matrix_seconds);
    out.exact_comparisons = timer.exact_comparisons;
    out.estimated_comparisons = timer.estimated_comparisons;
    fss.push_back(seconds_of([&] { sketched(*kind.sets, fmt::format("fss:{}", k), seed); }));
  }
  out.exact = median(exact);
  out.estimated = median(estimated);
  out.matrix = median(matrix);
  out.fss = median(fss);
  return out;
}

// The seconds of each k: the rows of table 2.
ExperimentTable table_of(const AllTimes& all, const std::string& name) {
  const auto& here = all.here;
  ExperimentTable table{name,
                        "Comparisons and seconds for all pairs",
                        {"what", "k", "document", "here", "times faster"},
                        {}};
  const auto seconds = [&](const char* what, std::size_t k, double document, double now) {
    table.rows.push_back({what, ExperimentCell::count(kTimedPermutations[k]),
                          ExperimentCell(document, 2), ExperimentCell(now, 4),
                          ExperimentCell(document / std::max(now, 1e-9), 0)});
  };
  for (std::size_t k = 0; k < 3; ++k) {
    table.rows.push_back(
        {"comparisons, estimated", ExperimentCell::count(kTimedPermutations[k]),
         ExperimentCell::count(static_cast<std::uint64_t>(kEstimatedComparisons[k])),
         ExperimentCell::count(here[k].estimated_comparisons), "-"});
  }
  table.rows.push_back({"comparisons, exact", "any",
                        ExperimentCell::count(static_cast<std::uint64_t>(kExactComparisons)),
                        ExperimentCell::count(here[0].exact_comparisons), "-"});
  for (std::size_t k = 0; k < 3; ++k)
    seconds("all pairs, exact (s)", k, kExactSeconds[k], here[k].exact);
  for (std::size_t k = 0; k < 3; ++k)
    seconds("all pairs, estimated (s)", k, kEstimatedSeconds[k], here[k].estimated);
  for (std::size_t k = 0; k < 3; ++k) seconds("matrix (s)", k, kMatrixSeconds[k], here[k].matrix);
  for (std::size_t k = 0; k < 3; ++k)
    seconds("matrix by fss:k (s)", k, kMatrixSeconds[k], here[k].fss);
  table.rows.push_back({"texts to terms (s)", "any", "-", ExperimentCell(all.terms, 4), "-"});
  return table;
}

ExperimentTable points_of(const AllTimes& all, const std::string& name) {
  ExperimentTable table{name,
                        "The points of the figure: seconds for all pairs",
                        {"k", "exact", "estimated", "matrix", "matrix by fss:k"},
                        {}};
  for (std::size_t k = 0; k < 3; ++k) {
    const Times& here = all.here[k];
    table.rows.push_back({ExperimentCell::count(kTimedPermutations[k]),
                          {here.exact, 4},
                          {here.estimated, 4},
                          {here.matrix, 4},
                          {here.fss, 4}});
  }
  return table;
}

ExperimentChart chart_of(const AllTimes& all, const std::string& name) {
  double most = 0;
  const auto line = [&](const char* called, double Times::* what, plot::Colour colour) {
    plot::Line out;
    out.name = called;
    out.colour = colour;
    for (std::size_t k = 0; k < 3; ++k) {
      out.points.emplace_back(kTimedPermutations[k], all.here[k].*what);
      most = std::max(most, all.here[k].*what);
    }
    return out;
  };
  const std::vector<plot::Line> lines = {
      line("exact", &Times::exact, plot::Colour::kFirst),
      line("estimated", &Times::estimated, plot::Colour::kSecond),
      line("matrix", &Times::matrix, plot::Colour::kThird),
      line("matrix by fss:k", &Times::fss, plot::Colour::kQuiet)};
  return line_chart(name, "Seconds for all pairs against k, here",
                    {"permutations k", 0, 650, false},
                    {"seconds", 0, std::max(1e-6, 1.1 * most), false}, lines);
}

// Runs what table 2 and figure 2 have in common.
ExperimentResult times(const ExperimentOptions& options, bool figure, int runs_of_document) {
  const int runs = options.full ? runs_of_document : 9;
  const OneKind kind = one_kind(options);
  const double terms = median_seconds(runs, [&] {
    throw_if_stopped(options.stop);
    const TermSets sets(kind.texts);
  });
  AllTimes all{
      .here = {}, .terms = terms, .pairs = kind.sets->size() * (kind.sets->size() - 1) / 2};
  for (std::size_t k = 0; k < 3; ++k)
    all.here[k] = measure(options, kind, kTimedPermutations[k], runs);

  ExperimentResult result;
  result.name = figure ? "course-fig-2" : "course-table-2";
  result.title = figure ? "How fast all pairs are, exactly and by permutations, as a figure"
                        : "How fast all pairs are, exactly and by permutations";
  result.parameters = fmt::format(
      "{}, one thread; medians of {} runs (the report: means of {}); exact: a look-up in a byte "
      "array for each term; matrix: values of 32 permutations of all terms, then vector minima; "
      "estimate: equal numbers counted by vectors in blocks of 64 documents",
      kind.description, runs, runs_of_document);

  if (figure) {
    result.tables.push_back(points_of(all, result.name));
    result.charts.push_back(chart_of(all, result.name));
  } else {
    result.tables.push_back(table_of(all, result.name));
  }
  add_judged(result, figure ? judge_times_figure(all) : judge_times(all));
  return result;
}

}  // namespace

ExperimentResult course_table_2(const ExperimentOptions& options) {
  return times(options, false, 150);
}

ExperimentResult course_fig_2(const ExperimentOptions& options) { return times(options, true, 50); }

}  // namespace benzer::experiments
