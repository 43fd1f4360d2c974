// Reproduces table 4 and figure 3 of the course report: how many near-copies queries find, by the
// number of bands.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/runtime.h"

#include "report/plot.h"
#include "research/experiments/chart.h"
#include "research/experiments/course_findings.h"
#include "research/experiments/course_search.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

using namespace course_report;

struct Bands {
  std::size_t bands = 0;
  std::optional<FoundOfDocument> document;
};

struct Search {
  Copies copies;
  std::vector<std::size_t> queries;
  BandsTable table;  // its plan: that of Benzer for s at k slots; planned: fss:k with that plan,
                     // candidates compared exactly
};

Search search(const ExperimentOptions& options, std::size_t k, std::size_t queries,
              const std::vector<Bands>& bands) {
  Search out;
  out.copies = all_copies(options);
  out.table.k = k;
  out.table.terms = out.copies.sets->num_terms();
  out.queries = draw_queries(out.copies.sets->size(), queries, options.seed);
  for (const Bands& each : bands) {
    BandsRow row;
    row.bands = each.bands;
    row.document = each.document;
    row.rows = k / each.bands;
    row.expected = expect(out.copies, out.queries, k, each.bands, kThreshold);
    out.table.rows.push_back(row);
    throw_if_stopped(options.stop);
  }
  {  // one matrix at a time: each takes 100 MB for as many files as in the report
    const classics::course::MinHash rerun(out.copies.sets, static_cast<std::uint32_t>(k),
                                          options.seed);
    const MinHashMatrix& matrix = rerun.min_hash_matrix();
    out.table.p = rerun.permutations_functions().p();
    for (BandsRow& row : out.table.rows) {
      throw_if_stopped(options.stop);
      row.tables = count(
          candidates_by_tables(matrix, rerun.all_docs(), row.bands, options.seed + 1, out.queries),
          out.copies, &matrix, out.queries, kThreshold);
      row.keys = count(candidates_by_keys(matrix, row.bands, out.queries), out.copies, &matrix,
                       out.queries, kThreshold);
    }
  }
  throw_if_stopped(options.stop);
  {
    const MinHashMatrix matrix =
        sketched(*out.copies.sets, fmt::format("kperm:{}", k), options.seed);
    for (BandsRow& row : out.table.rows) {
      throw_if_stopped(options.stop);
      row.kperm = count(candidates_by_keys(matrix, row.bands, out.queries), out.copies, &matrix,
                        out.queries, kThreshold);
    }
  }
  throw_if_stopped(options.stop);
  const Banding planned = plan({kThreshold, 0.99, static_cast<int>(k)}).banding;
  out.table.plan = planned.str();
  // Cuts signatures to the slots that the plan uses, as candidates_by_keys() divides all slots into
  // bands.
  MinHashMatrix matrix = sketched(*out.copies.sets, fmt::format("fss:{}", k), options.seed);
  const auto used = static_cast<std::size_t>(planned.slots());
  MinHashMatrix cut{matrix.documents, used, {}};
  cut.values.reserve(matrix.documents * used);
  for (std::size_t doc = 0; doc < matrix.documents; ++doc) {
    const auto slots = matrix.signature(doc).first(used);
    cut.values.insert(cut.values.end(), slots.begin(), slots.end());
  }
  out.table.planned =
      count(candidates_by_keys(cut, static_cast<std::size_t>(planned.bands), out.queries),
            out.copies, nullptr, out.queries, kThreshold);
  return out;
}

ExperimentCell or_dash(const std::optional<FoundOfDocument>& document,
                       double FoundOfDocument::* what, int decimals) {
  return document ? ExperimentCell((*document).*what, decimals) : ExperimentCell("-");
}

ExperimentTable found_table(const BandsTable& search, const std::string& name) {
  ExperimentTable table;
  table.name = name;
  table.title = fmt::format(
      "Near-copies found of {} (in the document of 7), means over the queries, from the report to "
      "what is there",
      copies_of(search.rows.front().expected));
  table.columns = {"bands",
                   "rows",
                   "threshold",
                   "document",
                   "its algorithm, rerun",
                   "its signatures, 64-bit keys",
                   "kperm:k, 64-bit keys",
                   "expected found",
                   "expected to meet",
                   "truly J >= 0.9"};
  for (const BandsRow& row : search.rows) {
    const double threshold =
        std::pow(1.0 / static_cast<double>(row.bands), 1.0 / static_cast<double>(row.rows));
    table.rows.push_back(
        {ExperimentCell::count(row.bands), ExperimentCell::count(row.rows),
         ExperimentCell(threshold, 2), or_dash(row.document, &FoundOfDocument::found, 2),
         ExperimentCell(row.tables.found, 2), ExperimentCell(row.keys.found, 2),
         ExperimentCell(row.kperm.found, 2), ExperimentCell(row.expected.found, 2),
         ExperimentCell(row.expected.copies_met, 2), ExperimentCell(row.expected.similar, 2)});
  }
  return table;
}

ExperimentTable errors_table(const BandsTable& search, const std::string& name) {
  ExperimentTable table;
  table.name = name + "-errors";
  table.title = fmt::format(
      "False positives (candidates whose estimate is below 0.9) and false negatives (of {}, not "
      "returned), means over the queries",
      copies_of(search.rows.front().expected));
  table.columns = {"bands",
                   "false positives, document",
                   "rerun",
                   "64-bit keys",
                   "rate, document",
                   "rate, rerun",
                   "false negatives, document",
                   "negatives, rerun",
                   "negatives, 64-bit keys",
                   "rate (1e-5), document",
                   "rate (1e-5), rerun"};
  for (const BandsRow& row : search.rows) {
    const auto& document = row.document;
    table.rows.push_back(
        {ExperimentCell::count(row.bands), or_dash(document, &FoundOfDocument::false_positives, 2),
         ExperimentCell(row.tables.false_positives, 2), ExperimentCell(row.keys.false_positives, 2),
         or_dash(document, &FoundOfDocument::false_positive_rate, 2),
         ExperimentCell(row.tables.false_positive_rate, 2),
         or_dash(document, &FoundOfDocument::misses, 2), ExperimentCell(row.tables.misses, 2),
         ExperimentCell(row.keys.misses, 2),
         or_dash(document, &FoundOfDocument::false_negative_rate, 2),
         ExperimentCell(1e5 * row.tables.false_negative_rate, 2)});
  }
  return table;
}

ExperimentTable planned_table(const BandsTable& search, const std::string& name) {
  ExperimentTable table;
  table.name = name + "-default";
  table.title = "Benzer's own choice for the same threshold and slots, candidates compared exactly";
  table.columns = {"sketch", "plan", "copies met", "found", "truly J >= 0.9", "false positives"};
  table.rows.push_back({fmt::format("fss:{}", search.k), search.plan,
                        ExperimentCell(search.planned.copies_met, 2),
                        ExperimentCell(search.planned.found, 2),
                        ExperimentCell(search.rows.front().expected.similar, 2),
                        ExperimentCell(search.planned.false_positives, 2)});
  return table;
}

ExperimentChart found_chart(const BandsTable& search, const std::string& name) {
  const BandsRow& first = search.rows.front();
  const double most = std::max(first.expected.copies, first.document ? 7.0 : 1.0);
  plot::Line document{"document", {}, plot::Colour::kQuiet, false};
  plot::Line rerun{"its algorithm, rerun", {}, plot::Colour::kFirst, false};
  plot::Line expected{"expected", {}, plot::Colour::kSecond, true};
  plot::Line similar{"truly J >= 0.9", {}, plot::Colour::kThird, true};
  for (const BandsRow& row : search.rows) {
    const auto bands = static_cast<double>(row.bands);
    if (row.document) document.points.emplace_back(bands, row.document->found);
    rerun.points.emplace_back(bands, row.tables.found);
    expected.points.emplace_back(bands, row.expected.found);
    similar.points.emplace_back(bands, row.expected.similar);
  }
  std::vector<plot::Line> lines = {rerun, expected, similar};
  if (!document.points.empty()) lines.insert(lines.begin(), document);
  return line_chart(
      name, fmt::format("Near-copies found of {}, against bands", copies_of(first.expected)),
      {"bands", 0, 1.1 * static_cast<double>(search.rows.back().bands), false},
      {"found", 0, 1.07 * most, false}, lines);
}

ExperimentResult result_of(const Search& search, const std::string& name,
                           const std::string& title) {
  ExperimentResult result;
  result.name = name;
  result.title = title;
  result.parameters = fmt::format("{}; k = {}, s = 0.9, {} queries", search.copies.description,
                                  search.table.k, search.queries.size());
  result.tables.push_back(found_table(search.table, name));
  result.tables.push_back(errors_table(search.table, name));
  result.tables.push_back(planned_table(search.table, name));
  result.charts.push_back(found_chart(search.table, name));
  add_judged(result, judge_bands(search.table));
  return result;
}

}  // namespace

ExperimentResult course_table_4(const ExperimentOptions& options) {
  const std::vector<Bands> bands = {{kTable4Bands, FoundOfDocument{1.04, 15.05, 5.96, .94, 24.9}},
                                    {20, FoundOfDocument{2.35, 19.86, 4.65, .90, 19.4}},
                                    {30, FoundOfDocument{4.13, 30.79, 2.87, .88, 12.0}},
                                    {60, FoundOfDocument{5.43, 60.73, 1.57, .92, 6.57}},
                                    {100, FoundOfDocument{5.72, 101.94, 1.28, .95, 5.35}},
                                    {120, FoundOfDocument{5.85, 123.5, 1.15, .95, 4.84}}};
  return result_of(search(options, kTablePermutations, 110, bands), "course-table-4",
                   "Near-copies found by number of bands");
}

ExperimentResult course_fig_3(const ExperimentOptions& options) {
  const std::vector<Bands> bands = {
      {kFigure3Bands, std::nullopt}, {50, std::nullopt}, {100, std::nullopt}};
  const Search found = search(options, kFigurePermutations, 700, bands);
  ExperimentResult result =
      result_of(found, "course-fig-3", "Near-copies found by three numbers of bands");
  for (std::string& finding : findings_of_fig_3(found.table))
    result.findings.push_back(std::move(finding));
  return result;
}

}  // namespace benzer::experiments
