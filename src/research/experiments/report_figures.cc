// Reproduces figures 6a, 6b and 6c of the 2012 report: root mean square error against n_h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "research/experiments/chart.h"
#include "research/experiments/report_findings.h"
#include "research/experiments/report_pairs.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

constexpr std::size_t kReportPairs = 10;  // for each point in the figures of the report
constexpr std::size_t kPairs = 1000;

// What estimates of a pair are compared with: what the report wrote down (s), and what it meant
// (the Jaccard similarity).
enum class Reference { kShare, kJaccard };

double value(const PairRuns& runs, Reference reference) {
  return reference == Reference::kShare ? runs.s() : runs.jaccard();
}

// How a line is drawn; `place` chooses its colour.
struct LineStyle {
  std::string name;
  std::size_t place = 0;
  bool dashed = false;
};

plot::Line rms_line(const PairRuns& runs, Method method, Reference reference,
                    const LineStyle& style, std::size_t pairs = kPairs) {
  plot::Line line;
  line.name = style.name;
  line.colour = colour(style.place);
  line.dashed = style.dashed;
  for (std::size_t step = 0; step < runs.hash_counts().size(); ++step) {
    if (!runs.has(method, step)) continue;
    line.points.emplace_back(runs.hash_counts()[step],
                             runs.errors(method, step, value(runs, reference), pairs).rms());
  }
  return line;
}

plot::Line bias_line(const PairRuns& runs, Method method, Reference reference,
                     const LineStyle& style) {
  plot::Line line = rms_line(runs, method, reference, style);
  for (std::size_t step = 0; step < line.points.size(); ++step)
    line.points[step].second = runs.errors(method, step, value(runs, reference)).bias();
  return line;
}

plot::Axis hashes_axis(std::size_t n) {
  return {"number of hashes n_h", 1, static_cast<double>(n), true};
}
plot::Axis error_axis(double to) { return {"RMS error", 0, to, false}; }
plot::Axis small_errors_axis() { return {"RMS error", 0.002, 0.6, true}; }

// Appends RMS error and bias of one method against one reference.
void append_error(std::vector<ExperimentCell>& row, const PairRuns& runs, Method method,
                  std::size_t step, Reference reference) {
  if (!runs.has(method, step)) {
    row.insert(row.end(), {"-", "-"});
    return;
  }
  const ErrorSum errors = runs.errors(method, step, value(runs, reference));
  row.emplace_back(errors.rms(), 4);
  row.emplace_back(errors.bias(), 4);
}

ReportErrors errors_at(const PairRuns& runs, std::size_t step) {
  const double s = runs.s(), j = runs.jaccard();
  const auto of = [&](Method method, double reference) {
    return runs.has(method, step) ? runs.errors(method, step, reference).measured()
                                  : MeasuredError{};
  };
  return {runs.hash_counts()[step], of(Method::kMany, s),   of(Method::kSingle, s),
          of(Method::kMany, j),     of(Method::kSingle, j), of(Method::kBottomK, j),
          of(Method::kFss, j)};
}

std::string times(std::size_t many_pairs) {
  return many_pairs == kPairs
             ? fmt::format("{} pairs a point", kPairs)
             : fmt::format("{} pairs a point, {} of them for many functions", kPairs, many_pairs);
}

}  // namespace

ExperimentResult report_6a(const ExperimentOptions& options) {
  const PairRuns runs(options, 1000, 0.5, kPairs, kPairs);
  const double s = runs.s(), j = runs.jaccard();
  ExperimentResult out;
  out.title = "RMS error of many hash functions and of one, and why one is better";
  out.parameters = fmt::format(
      "sets of {} elements that share {} (s = {:.2f}, Jaccard similarity {:.4f}); {}; hash "
      "functions x -> (a x + b) mod 2^61 - 1, drawn anew for each pair",
      runs.n(), runs.shared(), s, j, times(kPairs));

  ExperimentTable ten{"report-6a-ten-pairs",
                      "As the report has it: 10 pairs a point, RMS error against s = n_i / n",
                      {"n_h", "many functions", "one function"},
                      {}};
  ExperimentTable written{"report-6a-against-s",
                          "The same with 1,000 pairs, against s = n_i / n = 0.5, with the bias",
                          {"n_h", "many: RMS", "many: bias", "one: RMS", "one: bias"},
                          {}};
  ExperimentTable meant{
      "report-6a-against-jaccard",
      "Against the true Jaccard similarity, n_i / (2n - n_i) = 1/3, with two better estimators",
      {"n_h", "many: RMS", "many: bias", "one: RMS", "one: bias", "bottom-k of the union: RMS",
       "its bias", "fss: RMS", "its bias", "sqrt(J(1-J)/n_h)"},
      {}};
  for (std::size_t step = 0; step < runs.hash_counts().size(); ++step) {
    const ExperimentCell hashes = ExperimentCell::count(runs.hash_counts()[step]);
    ten.rows.push_back({hashes,
                        {runs.errors(Method::kMany, step, s, kReportPairs).rms(), 4},
                        {runs.errors(Method::kSingle, step, s, kReportPairs).rms(), 4}});
    written.rows.push_back({hashes});
    append_error(written.rows.back(), runs, Method::kMany, step, Reference::kShare);
    append_error(written.rows.back(), runs, Method::kSingle, step, Reference::kShare);
    meant.rows.push_back({hashes});
    for (const Method method : {Method::kMany, Method::kSingle, Method::kBottomK, Method::kFss})
      append_error(meant.rows.back(), runs, method, step, Reference::kJaccard);
    meant.rows.back().emplace_back(
        std::sqrt(j * (1 - j) / static_cast<double>(runs.hash_counts()[step])), 4);
  }
  out.tables = {ten, written, meant};

  using enum Method;
  using enum Reference;
  out.charts.push_back(line_chart(
      "report-6a-ten-pairs", "Figure 6a as written: ten pairs a point, against s = n_i / n.",
      hashes_axis(runs.n()), error_axis(0.6),
      {rms_line(runs, kMany, kShare, {"many hash functions", 1, false}, kReportPairs),
       rms_line(runs, kSingle, kShare, {"a single hash function", 0, false}, kReportPairs)}));
  out.charts.push_back(line_chart(
      "report-6a-rms",
      "1,000 pairs a point: each algorithm against s (whole lines) and against the true Jaccard "
      "similarity J (dashed).",
      hashes_axis(runs.n()), small_errors_axis(),
      {rms_line(runs, kMany, kShare, {"many, against s", 1}),
       rms_line(runs, kSingle, kShare, {"one, against s", 0}),
       rms_line(runs, kMany, kJaccard, {"many, against J", 1, true}),
       rms_line(runs, kSingle, kJaccard, {"one, against J", 0, true}),
       rms_line(runs, kBottomK, kJaccard, {"bottom-k of the union, J", 2, true}),
       rms_line(runs, kFss, kJaccard, {"fss, J", 3, true})}));
  out.charts.push_back(
      line_chart("report-6a-bias", "The bias alone: which quantity each algorithm estimates.",
                 hashes_axis(runs.n()), {"bias", -0.2, 0.2, false},
                 {bias_line(runs, kMany, kShare, {"many, against s", 1}),
                  bias_line(runs, kSingle, kShare, {"one, against s", 0}),
                  bias_line(runs, kMany, kJaccard, {"many, against J", 4}),
                  bias_line(runs, kSingle, kJaccard, {"one, against J", 5}),
                  bias_line(runs, kBottomK, kJaccard, {"bottom-k of the union, J", 2}),
                  bias_line(runs, kFss, kJaccard, {"fss, J", 3})}));

  add_judged(out, judge_6a({s, runs.n(), errors_at(runs, 0), errors_at(runs, runs.step_of(50)),
                            errors_at(runs, runs.hash_counts().size() - 1)}));
  return out;
}

namespace {

// Appends a row for each n_h: both algorithms against both references.
void append_rows(ExperimentTable& table, const PairRuns& runs, const ExperimentCell& first) {
  for (std::size_t step = 0; step < runs.hash_counts().size(); ++step) {
    table.rows.push_back({first, ExperimentCell::count(runs.hash_counts()[step])});
    auto& row = table.rows.back();
    for (const Method method : {Method::kMany, Method::kSingle})
      row.emplace_back(runs.errors(method, step, runs.s(), kReportPairs).rms(), 4);
    append_error(row, runs, Method::kMany, step, Reference::kShare);
    append_error(row, runs, Method::kSingle, step, Reference::kShare);
    append_error(row, runs, Method::kMany, step, Reference::kJaccard);
    append_error(row, runs, Method::kBottomK, step, Reference::kJaccard);
    append_error(row, runs, Method::kFss, step, Reference::kJaccard);
  }
}

ExperimentTable both_references(std::string name, std::string title, std::string first) {
  return {std::move(name),
          std::move(title),
          {std::move(first), "n_h", "many, 10 pairs", "one, 10 pairs", "many, s", "bias", "one, s",
           "bias", "many, J", "bias", "bottom-k, J", "bias", "fss, J", "bias"},
          {}};
}

}  // namespace

ExperimentResult report_6b(const ExperimentOptions& options) {
  constexpr std::size_t kSizes[] = {200, 1000, 10000};
  const std::size_t most_pairs = options.full ? kPairs : 20;
  ExperimentResult out;
  out.title = "RMS error for sets of 200, 1,000 and 10,000 elements";
  out.parameters = fmt::format(
      "s = 0.5; {}", options.full ? times(kPairs)
                                  : fmt::format("{} pairs a point, but {} for many functions on "
                                                "sets of 10,000 (--full: all)",
                                                kPairs, most_pairs));
  ExperimentTable table = both_references(
      "report-6b",
      "RMS error: 10 pairs against s as in the report, then more pairs against s = n_i / n and "
      "against the Jaccard similarity J, each with its bias",
      "n");
  std::vector<plot::Line> written, meant;
  std::vector<Figure6b> sizes;
  for (std::size_t i = 0; i < std::size(kSizes); ++i) {
    const std::size_t n = kSizes[i];
    const PairRuns runs(options, n, 0.5, kPairs, n == 10000 ? most_pairs : kPairs);
    append_rows(table, runs, ExperimentCell::count(n));
    const std::string label = fmt::format("n = {}", n);
    written.push_back(rms_line(runs, Method::kSingle, Reference::kShare, {"one, " + label, i}));
    written.push_back(
        rms_line(runs, Method::kMany, Reference::kShare, {"many, " + label, i, true}));
    meant.push_back(
        rms_line(runs, Method::kBottomK, Reference::kJaccard, {"bottom-k, " + label, i}));
    meant.push_back(
        rms_line(runs, Method::kMany, Reference::kJaccard, {"many, " + label, i, true}));
    sizes.push_back({n, runs.jaccard(), errors_at(runs, runs.step_of(50)),
                     errors_at(runs, runs.hash_counts().size() - 1)});
  }
  add_judged(out, judge_6b(sizes));
  out.tables = {table};
  out.charts = {
      line_chart("report-6b-against-s",
                 "Figure 6b as written, against s: one hash function (whole) and many (dashed).",
                 hashes_axis(10000), error_axis(0.55), written),
      line_chart("report-6b-against-jaccard",
                 "Against the true Jaccard similarity: bottom-k of the union (whole) and many "
                 "functions (dashed).",
                 hashes_axis(10000), small_errors_axis(), meant)};
  return out;
}

ExperimentResult report_6c(const ExperimentOptions& options) {
  const std::size_t many_pairs = options.full ? kPairs : 300;
  ExperimentResult out;
  out.title = "RMS error for real similarities from .1 to .9";
  out.parameters = fmt::format("n = 1,000; {}", times(many_pairs));
  ExperimentTable table = both_references(
      "report-6c",
      "RMS error: 10 pairs against s as in the report, then more pairs against s = n_i / n and "
      "against the Jaccard similarity J, each with its bias",
      "s");
  ExperimentTable fifty{"report-6c-fifty",
                        "With n_h = 50: the bias of many functions against s, and what it must be",
                        {"s", "J", "many, s: RMS", "bias", "-s(1-s)/(2-s)", "one, s: RMS", "bias",
                         "many, J: RMS", "sqrt(J(1-J)/50)"},
                        {}};
  std::vector<plot::Line> written, many, meant;
  std::vector<Figure6c> similarities;
  for (int tenth = 1; tenth <= 9; ++tenth) {
    const PairRuns runs(options, 1000, tenth / 10.0, kPairs, many_pairs);
    const double s = runs.s(), j = runs.jaccard();
    append_rows(table, runs, {s, 1});
    const std::size_t step = runs.step_of(50);
    const ErrorSum many_s = runs.errors(Method::kMany, step, s);
    const ErrorSum one_s = runs.errors(Method::kSingle, step, s);
    const ErrorSum many_j = runs.errors(Method::kMany, step, j);
    similarities.push_back({s, errors_at(runs, step)});
    fifty.rows.push_back({{s, 1},
                          {j, 4},
                          {many_s.rms(), 4},
                          {many_s.bias(), 4},
                          {-s * (1 - s) / (2 - s), 4},
                          {one_s.rms(), 4},
                          {one_s.bias(), 4},
                          {many_j.rms(), 4},
                          {std::sqrt(j * (1 - j) / 50), 4}});
    if (tenth % 2 == 0) continue;
    const std::string name = fmt::format("s = {:.1f}", s);
    const auto place = static_cast<std::size_t>(tenth / 2);
    written.push_back(rms_line(runs, Method::kSingle, Reference::kShare, {name, place}));
    many.push_back(rms_line(runs, Method::kMany, Reference::kShare, {name, place}));
    meant.push_back(rms_line(runs, Method::kMany, Reference::kJaccard, {name, place}));
  }
  add_judged(out, judge_6c(similarities));
  out.tables = {fifty, table};
  out.charts = {
      line_chart("report-6c-single", "Figure 6c as written, against s, a single hash function.",
                 hashes_axis(1000), error_axis(0.5), written),
      line_chart("report-6c-many", "The same for many functions.", hashes_axis(1000),
                 error_axis(0.5), many),
      line_chart("report-6c-jaccard", "Many functions against the true Jaccard similarity.",
                 hashes_axis(1000), small_errors_axis(), meant)};
  return out;
}

}  // namespace benzer::experiments
