// Reproduces table 3 of the course report: what ten queries find.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/runtime.h"

#include "report/plot.h"
#include "research/experiments/chart.h"
#include "research/experiments/course_findings.h"
#include "research/experiments/course_search.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {

using namespace course_report;

ExperimentResult course_table_3(const ExperimentOptions& options) {
  const Copies copies = all_copies(options);
  const auto queries = draw_queries(copies.sets->size(), 10, options.seed);
  const Expected expected = expect(copies, queries, kTablePermutations, kTable3Bands, kThreshold);
  throw_if_stopped(options.stop);
  ExperimentTable table;
  table.name = "course-table-3";
  table.title = fmt::format("Near-copies found of {} for {} queries, k = {}, {} bands, s = 0.9",
                            copies_of(expected), queries.size(), kTablePermutations, kTable3Bands);
  const std::string kperm = fmt::format("kperm:{}", kTablePermutations);
  table.columns = {"query",          "met",    "returned", "returned with " + kperm,
                   "truly J >= 0.9", "least J"};
  std::array<std::vector<std::vector<std::size_t>>, 2> met;
  std::array<std::vector<std::size_t>, 2> returned;
  for (std::size_t way = 0; way < 2; ++way) {
    throw_if_stopped(options.stop);
    MinHashMatrix matrix;
    if (way == 0) {
      matrix = classics::course::MinHash(copies.sets, kTablePermutations, options.seed)
                   .min_hash_matrix();
      met[way] = candidates_by_tables(matrix, copies.sets->all_docs(), kTable3Bands,
                                      options.seed + 1, queries);
    } else {
      matrix = sketched(*copies.sets, kperm, options.seed);
      met[way] = candidates_by_keys(matrix, kTable3Bands, queries);
    }
    for (std::size_t query = 0; query < queries.size(); ++query) {
      const auto group = copies.group_of(queries[query]);
      std::erase_if(met[way][query], [&](std::size_t other) {
        return std::find(group.begin(), group.end(), other) == group.end();
      });
      returned[way].push_back(0);
      for (const std::size_t other : met[way][query])
        returned[way].back() +=
            classics::course::approximate_jaccard(matrix.signature(queries[query]),
                                                  matrix.signature(other)) >= kThreshold;
    }
  }
  std::vector<std::size_t> truly;  // copies of each query that reach s
  double sums[4] = {};
  for (std::size_t query = 0; query < queries.size(); ++query) {
    std::size_t similar = 0;
    double least = 1;
    for (const std::size_t other : copies.group_of(queries[query])) {
      const double j = copies.sets->exact_jaccard(queries[query], other);
      similar += j >= kThreshold;
      least = std::min(least, j);
    }
    truly.push_back(similar);
    const std::size_t values[4] = {met[0][query].size(), returned[0][query], returned[1][query],
                                   similar};
    table.rows.push_back({copies.sets->all_docs()[queries[query]]});
    for (std::size_t i = 0; i < 4; ++i) {
      sums[i] += static_cast<double>(values[i]) / static_cast<double>(queries.size());
      table.rows.back().push_back(ExperimentCell::count(values[i]));
    }
    table.rows.back().push_back(ExperimentCell(least, 3));
  }
  table.rows.push_back({"mean", ExperimentCell(sums[0], 2), ExperimentCell(sums[1], 2),
                        ExperimentCell(sums[2], 2), ExperimentCell(sums[3], 2), "-"});
  table.rows.push_back({"mean in the document", "-", ExperimentCell(6.7, 2), "-", "-", "-"});

  ExperimentResult result;
  result.name = table.name;
  result.title = "Ten queries for near-copies";
  result.parameters = fmt::format("{}; k = {}, {} bands of {} rows, s = 0.9, {} queries",
                                  copies.description, kTablePermutations, kTable3Bands,
                                  kTablePermutations / kTable3Bands, queries.size());
  add_judged(result, judge_ten_queries({.copies = expected.copies,
                                        .met = sums[0],
                                        .returned = sums[1],
                                        .similar = sums[3],
                                        .expected_met = expected.copies_met,
                                        .expected_returned = expected.found}));
  // Queries have nothing to do with each other, so each has marks and no line joins them.
  plot::Line similar{"truly J >= 0.9", {}, plot::Colour::kThird};
  plot::Line found{"returned", {}, plot::Colour::kFirst};
  similar.joined = found.joined = false;
  similar.hollow = true;
  for (std::size_t query = 0; query < queries.size(); ++query) {
    const auto place = static_cast<double>(query + 1);
    found.points.emplace_back(place, static_cast<double>(returned[0][query]));
    similar.points.emplace_back(place, static_cast<double>(truly[query]));
  }
  result.charts = {line_chart(
      table.name, "Copies of each query that were returned, and that truly have J >= 0.9",
      {"query", 0, static_cast<double>(queries.size()) + 1, false},
      {"copies", 0, 1.1 * std::max(7.0, expected.copies), false}, {similar, found},
      "one place a query, in the order of the table", 260)};
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace benzer::experiments
