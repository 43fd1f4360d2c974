// Measures precision and recall of the ways to find changed copies of an image, by kind of change.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/internal/text.h"

#include "eval/interval.h"
#include "research/experiments/chart.h"
#include "research/experiments/later_findings.h"
#include "research/experiments/picture_changes.h"
#include "research/experiments/picture_strategies.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

constexpr double kPrecision = 0.99;
constexpr std::size_t kFewest = 5;  // a change has a row of its own from this many pairs on
constexpr std::string_view kOthers = "others";
constexpr std::size_t kStrategies = kPictureStrategies.size();

// The pairs of changed images that a row of a table summarises.
struct RowOfChanges {
  std::string kind, change;
  std::vector<std::size_t> same;  // indexes into pairs.same
};

// One row for all, then for each kind one row and a row for each change, in the order of the cases;
// kPhotometric, kMild and kHard come first.
std::vector<RowOfChanges> rows_of(const PictureCases& cases, const PicturePairs& pairs) {
  std::vector<std::string> kinds = {std::string(kPhotometric), std::string(kMild),
                                    std::string(kHard)};
  std::map<std::string, std::vector<RowOfChanges>> changes;
  RowOfChanges all{"all", "", {}};
  std::map<std::string, RowOfChanges> of_kind;
  for (std::size_t i = 0; i < pairs.same.size(); ++i) {
    const PictureCase& one = cases.cases[pairs.same[i].changed];
    if (std::find(kinds.begin(), kinds.end(), one.kind) == kinds.end()) kinds.push_back(one.kind);
    auto& rows = changes[one.kind];
    auto at = std::find_if(rows.begin(), rows.end(),
                           [&](const RowOfChanges& row) { return row.change == one.change; });
    if (at == rows.end()) at = rows.insert(at, {one.kind, one.change, {}});
    at->same.push_back(i);
    of_kind[one.kind].same.push_back(i);
    all.same.push_back(i);
  }
  std::vector<RowOfChanges> out = {all};
  for (const std::string& kind : kinds) {
    if (of_kind[kind].same.empty()) continue;
    out.push_back({kind, "", of_kind[kind].same});
    RowOfChanges others{kind, std::string(kOthers), {}};
    const std::size_t before = out.size();
    for (RowOfChanges& row : changes[kind]) {
      if (row.same.size() >= kFewest) {
        out.push_back(std::move(row));
      } else {
        others.same.insert(others.same.end(), row.same.begin(), row.same.end());
      }
    }
    if (!others.same.empty() && out.size() > before) out.push_back(std::move(others));
  }
  return out;
}

double recall(const PicturePairs& pairs, const std::vector<std::size_t>& same, std::size_t strategy,
              double distance) {
  std::size_t found = 0;
  for (const std::size_t i : same) found += pairs.same[i].apart[strategy] <= distance ? 1 : 0;
  return same.empty() ? 0 : static_cast<double>(found) / static_cast<double>(same.size());
}

using Limits = std::array<double, kStrategies>;

ExperimentTable table_of_changes(const std::string& name, const std::string& title,
                                 const PicturePairs& pairs, const std::vector<RowOfChanges>& rows,
                                 const Limits& limits) {
  ExperimentTable out{name, title, {"kind", "change", "pairs"}, {}};
  for (const PictureStrategy& strategy : kPictureStrategies)
    out.columns.emplace_back(strategy.name);
  for (const RowOfChanges& row : rows) {
    auto& cells = out.rows.emplace_back();
    cells = {row.kind, row.change.empty() ? "all" : row.change,
             ExperimentCell::count(row.same.size())};
    for (std::size_t s = 0; s < kStrategies; ++s)
      cells.emplace_back(recall(pairs, row.same, s, limits[s]), 3);
  }
  return out;
}

// Shows a distance as its strategy measures it: whole bits and cells, or a score with three digits.
ExperimentCell shown(std::size_t strategy, double distance) {
  if (distance < 0) return "-";
  return {has_score(strategy) ? 1 - distance : distance, has_score(strategy) ? 3 : 0};
}

ExperimentTable table_of_strategies(const PicturePairs& pairs, const Limits& usual,
                                    const Limits& loose) {
  ExperimentTable out{
      "images-strategies",
      fmt::format("Each strategy as it is by default, and at the loosest distance "
                  "whose precision over all pairs is {} or more (of near and "
                  "sift: scores)",
                  kPrecision),
      {"strategy", "by default", "found", "recall", "strangers", "precision", "loosest",
       "found there", "recall there", "strangers there", "nearest stranger", "ms a picture"},
      {}};
  const double size = static_cast<double>(pairs.same.size());
  for (std::size_t s = 0; s < kStrategies; ++s) {
    const PictureCounts by_default = count_within(pairs, s, usual[s]);
    const PictureCounts there = count_within(pairs, s, loose[s]);
    out.rows.push_back(
        {std::string(kPictureStrategies[s].name),
         std::string(kPictureStrategies[s].usual),
         ExperimentCell::count(by_default.found),
         {static_cast<double>(by_default.found) / size, 3},
         ExperimentCell::count(by_default.wrong),
         {by_default.precision(), 4},
         shown(s, loose[s]),
         ExperimentCell::count(there.found),
         {static_cast<double>(there.found) / size, 3},
         ExperimentCell::count(there.wrong),
         pairs.strangers[s].empty() ? ExperimentCell("-") : shown(s, pairs.strangers[s].front()),
         {1e3 * pairs.seconds[s], 2}});
  }
  return out;
}

ExperimentTable table_of_strangers(const PictureCases& cases, const PicturePairs& pairs) {
  ExperimentTable out{
      "images-strangers",
      "The nearest pairs of different pictures (bits, cells; of near and sift: scores)",
      {"strategy", "apart", "one", "the other"},
      {}};
  for (std::size_t s = 0; s < kStrategies; ++s)
    for (const PicturePairs::Nearest& pair : pairs.nearest[s])
      out.rows.push_back({std::string(kPictureStrategies[s].name), shown(s, pair.apart),
                          cases.cases[pair.a].name, cases.cases[pair.b].name});
  return out;
}

// What is found at every distance at which a changed image is found.
ExperimentTable table_of_distances(const PicturePairs& pairs,
                                   const std::vector<std::size_t>& mild) {
  ExperimentTable out{"images-distances",
                      "What is found up to each distance",
                      {"strategy", "distance", "found", "strangers", "precision", "recall",
                       "recall of photometric and mild changes"},
                      {}};
  for (std::size_t s = 0; s < kStrategies; ++s) {
    std::vector<double> distances;
    for (const PicturePairs::Same& pair : pairs.same)
      if (pair.apart[s] <= kPictureStrategies[s].most) distances.push_back(pair.apart[s]);
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    for (const double distance : distances) {
      const PictureCounts counts = count_within(pairs, s, distance);
      out.rows.push_back(
          {std::string(kPictureStrategies[s].name),
           {distance, has_score(s) ? 4 : 0},
           ExperimentCell::count(counts.found),
           ExperimentCell::count(counts.wrong),
           {counts.precision(), 4},
           {static_cast<double>(counts.found) / static_cast<double>(pairs.same.size()), 4},
           {recall(pairs, mild, s, distance), 4}});
    }
  }
  return out;
}

std::vector<ExperimentChart> charts_of(const PicturePairs& pairs,
                                       const std::vector<std::size_t>& mild) {
  std::vector<plot::Line> precision, by_distance;
  for (std::size_t s = 0; s < kStrategies; ++s) {
    const std::string name(kPictureStrategies[s].name);
    plot::Line& curve = precision.emplace_back(plot::Line{name, {}, colour(s)});
    plot::Line& rising = by_distance.emplace_back(plot::Line{name, {}, colour(s)});
    double before = -1;
    for (int step = 0; step <= 512; ++step) {
      const double distance = kPictureStrategies[s].most * step / 512;
      const double found = recall(pairs, mild, s, distance);
      if (step <= 256) rising.points.emplace_back(step / 512.0, found);
      if (found == before) continue;
      before = found;
      const double right = found * static_cast<double>(mild.size());
      const double all = right + static_cast<double>(count_within(pairs, s, distance).wrong);
      // Only the quarter of the chart in which strategies differ.
      if (found >= 0.5 && right >= 0.5 * all) curve.points.emplace_back(found, right / all);
    }
  }
  return {line_chart("images-precision-recall",
                     "Precision against recall of photometric and mild changes, as the distance "
                     "grows: up and to the right is better. Below one half nothing is shown.",
                     {"recall", 0.5, 1, false}, {"precision", 0.5, 1, false}, precision),
          line_chart("images-recall",
                     "Recall of photometric and mild changes against how far apart a pair may be: "
                     "the share of bits or cells that differ, of near and sift 1 - score.",
                     {"apart", 0, 0.5, false}, {"recall", 0, 1, false}, by_distance)};
}

// The changes of which a strategy finds a smaller share than that, the worst first.
std::string losses(const PicturePairs& pairs, const std::vector<RowOfChanges>& rows,
                   std::size_t strategy, double limit, double less_than) {
  std::vector<std::pair<double, std::string>> lost;
  for (const RowOfChanges& row : rows) {
    if (row.change.empty() || row.change == kOthers) continue;
    const double found = recall(pairs, row.same, strategy, limit);
    if (found < less_than) lost.emplace_back(found, row.change);
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> words;
  for (const auto& [found, change] : lost) words.push_back(fmt::format("{} {:.2f}", change, found));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

Pictures numbers_of(const PicturePairs& pairs, const std::vector<RowOfChanges>& rows,
                    const Limits& usual, const Limits& loose) {
  const auto found = [&](std::size_t s, const Limits& limits) {
    const auto of_kind = [&](std::string_view kind) {
      for (const RowOfChanges& row : rows)
        if (row.kind == kind && row.change.empty()) return recall(pairs, row.same, s, limits[s]);
      return 0.0;
    };
    const PictureCounts counts = count_within(pairs, s, limits[s]);
    return PicturesFound{.photometric = of_kind(kPhotometric),
                         .mild = of_kind(kMild),
                         .hard = of_kind(kHard),
                         .all = recall(pairs, rows[0].same, s, limits[s]),
                         .found = counts.found,
                         .wrong = counts.wrong,
                         .precision = counts.precision(),
                         .limit = shown(s, limits[s]).text,
                         .losses = losses(pairs, rows, s, limits[s], 0.9)};
  };
  Pictures out{.grid = found(kGrid16, usual),
               .grid_loose = found(kGrid16, loose),
               .pdq = found(kPdq, usual),
               .turned = found(kPdqTurned, usual),
               .near = found(kNear, usual),
               .sift = found(kSift, usual),
               .dhash = found(kDhash, usual),
               .phash = found(kPhash, usual),
               .dhash_loose = found(kDhash, loose),
               .phash_loose = found(kPhash, loose),
               .wanted_precision = kPrecision,
               .pairs = pairs.same.size(),
               .strangers = pairs.stranger_pairs,
               .left_out = pairs.left_out,
               .little_detail = pairs.little_detail,
               .fewest = rows[0].same.size()};
  for (const RowOfChanges& row : rows)
    if (!row.change.empty() && row.change != kOthers)
      out.fewest = std::min<std::uint64_t>(out.fewest, row.same.size());
  return out;
}

// Adds the same to the result for harder changes of the originals, which are made here.
void add_changed_here(const ExperimentOptions& options, const PictureCases& files,
                      const Limits& usual, ExperimentResult& out) {
  const PictureCases cases = changed_here(files);
  if (cases.cases.empty()) return;  // a groups.tsv may mark no original
  const PicturePairs pairs = picture_pairs(options, cases);
  const auto originals = static_cast<std::uint64_t>(
      std::ranges::count_if(cases.cases, [](const PictureCase& one) { return one.kind.empty(); }));
  ExperimentTable& table = out.tables.emplace_back(table_of_changes(
      "images-changed-here",
      fmt::format("Hard changes of {}, made here: recall of each strategy as it is by default, and "
                  "how many of {} pairs of different pictures it takes for copies",
                  counted(originals, "original", "originals"), pairs.stranger_pairs),
      pairs, rows_of(cases, pairs), usual));
  auto& wrong = table.rows.emplace_back();
  wrong = {"strangers", "all", ExperimentCell::count(pairs.stranger_pairs)};
  for (std::size_t s = 0; s < kStrategies; ++s)
    wrong.push_back(ExperimentCell::count(count_within(pairs, s, usual[s]).wrong));
  const PictureCounts sift = count_within(pairs, kSift, usual[kSift]);
  out.findings.push_back(fmt::format(
      "Of originals that were cut to a half or a quarter, turned by 30 degrees, given a caption or "
      "pasted onto another picture key points find {:.3f}, with {} strangers of {} pairs "
      "(precision {:.4f}); near finds {:.3f}, PDQ in eight orientations {:.3f}.",
      static_cast<double>(sift.found) / static_cast<double>(pairs.same.size()), sift.wrong,
      pairs.stranger_pairs, sift.precision(),
      static_cast<double>(count_within(pairs, kNear, usual[kNear]).found) /
          static_cast<double>(pairs.same.size()),
      static_cast<double>(count_within(pairs, kPdqTurned, usual[kPdqTurned]).found) /
          static_cast<double>(pairs.same.size())));
}

}  // namespace

ExperimentResult images(const ExperimentOptions& options) {
  return images(options, picture_cases(options));
}

ExperimentResult images(const ExperimentOptions& options, const PictureCases& cases) {
  const PicturePairs pairs = picture_pairs(options, cases);
  const std::vector<RowOfChanges> rows = rows_of(cases, pairs);
  std::vector<std::size_t> mild;
  for (const RowOfChanges& row : rows)
    if (row.change.empty() && (row.kind == kPhotometric || row.kind == kMild))
      mild.insert(mild.end(), row.same.begin(), row.same.end());
  Limits usual, loose;
  for (std::size_t s = 0; s < kStrategies; ++s) {
    usual[s] = kPictureStrategies[s].limit;
    loose[s] = loosest(pairs, s, kPrecision);
  }
  ExperimentResult out;
  out.title = "Precision and recall of picture hashes, by kind of change";
  out.parameters = fmt::format(
      "{}{} pictures of {} groups; {} changed pictures against their originals; {} pairs of "
      "different pictures{}",
      cases.made_up ? "made up, " : "", cases.cases.size(), cases.groups, pairs.same.size(),
      pairs.stranger_pairs,
      cases.links == 0
          ? ""
          : fmt::format("; {} not followed", counted(cases.links, "symbolic link to a folder was",
                                                     "symbolic links to folders were")));
  out.tables = {
      table_of_strategies(pairs, usual, loose),
      table_of_changes("images-changes", "Recall of each strategy as it is by default", pairs, rows,
                       usual),
      table_of_changes("images-changes-loosest",
                       fmt::format("Recall of each strategy at the loosest distance whose "
                                   "precision over all pairs is {} or more",
                                   kPrecision),
                       pairs, rows, loose),
      table_of_strangers(cases, pairs),
      table_of_distances(pairs, mild),
  };
  out.charts = charts_of(pairs, mild);
  add_judged(out, judge_pictures(numbers_of(pairs, rows, usual, loose)));
  if (!cases.made_up && std::ranges::none_of(cases.cases, &PictureCase::is_changed_here))
    add_changed_here(options, cases, usual, out);
  return out;
}

}  // namespace benzer::experiments
