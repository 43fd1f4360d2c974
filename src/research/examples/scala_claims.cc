// Tests two claims that the blog on Scala makes without proof: that a higher threshold needs more
// hash functions, and that thresholds near 0.5 find documents that others contain.
#include "research/examples/scala_claims.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/internal/text.h"
#include "benzer/research/classics/scala.h"
#include "benzer/sketch.h"

#include "base/splitmix.h"
#include "research/experiments/chart.h"
#include "research/experiments/draws.h"
#include "research/experiments/errors.h"
#include "research/experiments/made_texts.h"
#include "research/experiments/runs.h"
#include "research/experiments/scala_findings.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace scala_claims {

Bands fewest_hashes(double threshold, double below, double recall, double chance) {
  for (double rows = 1;; ++rows) {
    // 1 - (1 - t^r)^b >= recall gives b; log1p keeps the digits of small t^r.
    const double bands =
        std::ceil(std::log1p(-recall) / std::log1p(-std::pow(threshold, rows)) - 1e-9);
    const double found_below = -std::expm1(bands * std::log1p(-std::pow(below, rows)));
    if (found_below <= chance) return {std::max(1.0, bands), rows};
  }
}

Trend trend(const std::vector<double>& values) {
  const bool rises = std::is_sorted(values.begin(), values.end());
  const bool falls = std::is_sorted(values.rbegin(), values.rend());
  return rises == falls ? Trend::kNeither : rises ? Trend::kRises : Trend::kFalls;
}

}  // namespace scala_claims

namespace {

constexpr std::array<double, 5> kThresholds = {0.5, 0.6, 0.7, 0.8, 0.9};
constexpr double kRecall = 0.99, kChance = 0.05;

// The RMS error of 100 independent slots at a similarity, measured with fresh sets for each pair.
ErrorSum measured_errors(const ExperimentOptions& options, double similarity, std::size_t pairs) {
  constexpr std::size_t kElements = 300;
  const auto shared = static_cast<std::size_t>(
      std::lround(similarity * 2 * static_cast<double>(kElements) / (1 + similarity)));
  const double exact = static_cast<double>(shared) / static_cast<double>(2 * kElements - shared);
  const MinHasher hasher(SketchSpec::parse("kperm:100"), FeatureSpec{});
  std::vector<double> estimates(pairs);
  for_trials(options, pairs, [&](std::size_t pair) {
    const auto all = Draws(options.seed, 0x5CA1A + shared, pair).numbers(2 * kElements - shared);
    const std::span<const std::uint64_t> view(all);
    estimates[pair] =
        estimate_jaccard(hasher.sketch(view.first(kElements)), hasher.sketch(view.last(kElements)));
  });
  ErrorSum out;
  for (const double estimate : estimates) out.add(estimate, exact);
  return out;
}

ExperimentTable more_hashes(const ExperimentOptions& options, ScalaHashes& out) {
  const std::size_t pairs = options.full ? 20'000 : 2'000;
  ExperimentTable table{"scala-more-hashes",
                        "Hash functions that a threshold needs, in three senses",
                        {"threshold t", "RMS error of 100, measured", "for an error of 0.03",
                         "to tell t from t - 0.2", "bands x rows", "to tell t from t - (1 - t)/2"},
                        {}};
  out.thresholds.assign(kThresholds.begin(), kThresholds.end());
  for (const double t : kThresholds) {
    const ErrorSum errors = measured_errors(options, t, pairs);
    // The error falls with the root of the number of functions.
    out.for_error.push_back(std::ceil(100 * errors.rms() * errors.rms() / (0.03 * 0.03)));
    const auto by_gap = scala_claims::fewest_hashes(t, t - 0.2, kRecall, kChance);
    const auto by_share = scala_claims::fewest_hashes(t, t - (1 - t) / 2, kRecall, kChance);
    out.for_gap.push_back(by_gap.hashes());
    out.for_share.push_back(by_share.hashes());
    table.rows.push_back({{t, 1},
                          {errors.rms(), 4},
                          ExperimentCell::count(static_cast<std::uint64_t>(out.for_error.back())),
                          ExperimentCell::count(static_cast<std::uint64_t>(by_gap.hashes())),
                          fmt::format("{:.0f}x{:.0f}", by_gap.bands, by_gap.rows),
                          ExperimentCell::count(static_cast<std::uint64_t>(by_share.hashes()))});
  }
  return table;
}

ExperimentTable contained(ExperimentResult& out, const ExperimentOptions& options,
                          ScalaContained& numbers) {
  const std::size_t trials = options.full ? 5'000 : 500;
  constexpr int kFunctions = 100;
  constexpr std::size_t kShingle = 5;
  const std::array<int, 2> bands = {classics::scala::pick_bands(0.5, kFunctions),
                                    classics::scala::pick_bands(0.6, kFunctions)};
  ExperimentTable table{
      "scala-contained",
      "Beginnings of texts, found next to the whole text by the bands of pickBands",
      {"share of the text", "mean J", fmt::format("found, t = 0.5 ({} bands)", bands[0]),
       "1 - (1 - J^r)^b", fmt::format("found, t = 0.6 ({} bands)", bands[1]),
       "1 - (1 - J^r)^b of it"},
      {}};
  std::array<plot::Line, 2> measured, expected;
  for (int tenth = 1; tenth <= 10; ++tenth) {
    // A tenth more would be the text itself.
    const double share = tenth == 10 ? 0.95 : tenth / 10.0;
    struct Trial {
      double jaccard = 0;
      std::array<bool, 2> found{};
    };
    std::vector<Trial> all(trials);
    for_trials(options, trials, [&](std::size_t i) {
      const classics::scala::MinHash hasher(
          static_cast<std::int64_t>(splitmix64(options.seed + i) >> 1), kShingle, kFunctions);
      const std::string text = changed_text(options.seed, i, 0);
      const std::string part =
          text.substr(0, static_cast<std::size_t>(share * static_cast<double>(text.size())));
      all[i].jaccard =
          classics::scala::similarity(hasher.get_shingles(text), hasher.get_shingles(part));
      const auto whole = hasher.hash(text), beginning = hasher.hash(part);
      for (std::size_t t = 0; t < bands.size(); ++t) {
        all[i].found[t] = classics::scala::is_pair_candidate_match(
            classics::scala::get_buckets(whole, bands[t]),
            classics::scala::get_buckets(beginning, bands[t]));
      }
    });
    double jaccard = 0;
    std::array<double, 2> found{}, formula{};
    for (const Trial& trial : all) {
      jaccard += trial.jaccard;
      for (std::size_t t = 0; t < bands.size(); ++t) {
        found[t] += trial.found[t] ? 1 : 0;
        formula[t] += Banding{bands[t], kFunctions / bands[t]}.candidate_probability(trial.jaccard);
      }
    }
    const auto n = static_cast<double>(trials);
    jaccard /= n;
    for (std::size_t t = 0; t < bands.size(); ++t) {
      found[t] /= n;
      formula[t] /= n;
      numbers.worst = std::max(numbers.worst, std::abs(found[t] - formula[t]));
      measured[t].points.emplace_back(share, found[t]);
      expected[t].points.emplace_back(share, formula[t]);
    }
    if (tenth == 5) numbers.of_half = found[0];
    if (tenth == 3) numbers.of_three_tenths = found[0];
    if (tenth == 1) numbers.of_tenth = found[0];
    table.rows.push_back(
        {{share, 2}, {jaccard, 3}, {found[0], 3}, {formula[0], 3}, {found[1], 3}, {formula[1], 3}});
  }
  for (std::size_t t = 0; t < bands.size(); ++t) {
    measured[t].name = fmt::format("t = {}, measured", t == 0 ? "0.5" : "0.6");
    measured[t].joined = false;
    measured[t].colour = expected[t].colour = colour(t);
    expected[t].dashed = true;
  }
  out.charts.push_back(line_chart(
      "scala-contained",
      "Share of contained texts that bands find, by their size; dashed: what their Jaccard "
      "similarity alone would give.",
      {"share of the text", 0, 1, false}, {"found", 0, 1, false},
      {expected[0], expected[1], measured[0], measured[1]}));
  // Ten rows and two thresholds.
  numbers.allowed = allowed_by_chance(static_cast<double>(trials), 20);
  return table;
}

}  // namespace

ExperimentResult scala_claims_tested(const ExperimentOptions& options) {
  ExperimentResult out;
  out.title = "Two claims without proof: more hashes for a higher threshold, and containment";
  out.parameters =
      "sets of 300 elements for the error of estimates; made-up texts of 80 words, 5-character "
      "shingles and 100 functions of their own for each text";
  ScalaHashes hashes;
  ScalaContained found;
  out.tables.push_back(more_hashes(options, hashes));
  out.tables.push_back(contained(out, options, found));
  add_judged(out, judge_scala_claims(hashes, found));
  return out;
}

}  // namespace benzer::experiments
