// Measures the blog on Scala again: its hash function in bins, its estimates against exact
// similarities, and the bands that it picks.
#include "benzer/research/classics/scala.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/banding.h"

#include "research/experiments/chart.h"
#include "research/experiments/errors.h"
#include "research/experiments/made_texts.h"
#include "research/experiments/runs.h"
#include "research/experiments/scala_findings.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

namespace scala_blog = classics::scala;

constexpr std::int64_t kSeed = 1337;  // the seed of the blog
constexpr int kHashes = 100;
constexpr int kValues = 100'000;

// The bins that the blog prints for function 1 over 1 .. 100,000, from bin -12 to bin 12.
constexpr std::array<int, 25> kPrinted = {3839, 3867, 3838, 3844, 3847, 3840, 3861, 3840, 3839,
                                          3858, 3839, 3853, 7704, 3839, 3842, 3848, 3839, 3861,
                                          3839, 3837, 3858, 3837, 3854, 3837, 3840};
// The values of the ten functions for "he" that the blog prints.
constexpr std::array<std::int32_t, 10> kPrintedValues = {
    480357896,   1614176836, 543325601,  -1459947919, 197787375,
    -1314960722, 1201186924, 1044615541, -789411859,  -145694732};

ExperimentTable histogram(ScalaHistogram& out) {
  const scala_blog::HashCollection collection(kSeed, 10);
  const scala_blog::HashFunction& first = collection.get_hashes().front();
  std::map<int, int> bins;
  for (int x = 1; x <= kValues; ++x) ++bins[first.eval(x) % 13];
  ExperimentTable table{"scala-histogram",
                        fmt::format("{} over 1 .. 100,000, the signed rest by 13", first.str()),
                        {"bin", "comes out", "the blog prints", "expected"},
                        {}};
  bool agrees = bins.size() == kPrinted.size();
  double chi_square = 0;
  for (int bin = -12; bin <= 12; ++bin) {
    const int printed = kPrinted[static_cast<std::size_t>(bin + 12)];
    agrees = agrees && bins[bin] == printed;
    // Bin 0 has numbers of both signs.
    const double expected = (bin == 0 ? 2 : 1) * kValues / 26.0;
    chi_square += (bins[bin] - expected) * (bins[bin] - expected) / expected;
    table.rows.push_back({{static_cast<double>(bin), 0},
                          ExperimentCell::count(static_cast<std::uint64_t>(bins[bin])),
                          ExperimentCell::count(static_cast<std::uint64_t>(printed)),
                          {expected, 1}});
  }
  const bool values_agree =
      collection.evaluate("he") == std::vector(kPrintedValues.begin(), kPrintedValues.end());
  out = {agrees, values_agree, chi_square, static_cast<double>(kPrinted.size()) - 1};
  return table;
}

ExperimentTable estimates(ExperimentResult& out, const ExperimentOptions& options,
                          ScalaEstimates& numbers) {
  constexpr std::size_t kShingle = 5;
  const std::size_t texts = options.full ? 2'000 : 300;
  const scala_blog::MinHash minhash(kSeed, kShingle, kHashes);
  plot::Line dots{"pairs of texts", {}, plot::Colour::kFirst};
  dots.joined = false;
  std::array<ErrorSum, 10> tenths;
  std::array<double, 10> expected{};
  struct Pair {
    double exact, estimate, with_own_functions;
  };
  std::vector<Pair> found(texts);
  for_trials(options, texts, [&](std::size_t i) {
    const std::string first = changed_text(options.seed, i, 0);
    const std::string second = changed_text(options.seed, i, 1 + i % 75);
    const auto estimate = [&](const scala_blog::MinHash& by) {
      return scala_blog::estimate_similarity_min_hash(by.hash(first), by.hash(second));
    };
    const scala_blog::MinHash own(kSeed + 1 + static_cast<std::int64_t>(i), kShingle, kHashes);
    found[i] = {scala_blog::similarity(minhash.get_shingles(first), minhash.get_shingles(second)),
                estimate(minhash), estimate(own)};
  });
  ErrorSum all, own;
  for (const auto& [exact, estimate, with_own] : found) {
    const auto tenth = static_cast<std::size_t>(std::min(9.0, exact * 10));
    tenths[tenth].add(estimate, exact);
    expected[tenth] += exact * (1 - exact) / kHashes;
    all.add(estimate, exact);
    own.add(with_own, exact);
    if (dots.points.size() < 300) dots.points.emplace_back(exact, estimate);
  }
  ExperimentTable table{"scala-estimates",
                        "Estimates by 100 functions against exact similarities, by tenths",
                        {"exact J from", "pairs", "bias", "RMS error", "sqrt(J(1-J)/100)"},
                        {}};
  for (std::size_t i = 0; i < tenths.size(); ++i) {
    if (tenths[i].count() == 0) continue;
    table.rows.push_back({{static_cast<double>(i) / 10, 1},
                          ExperimentCell::count(tenths[i].count()),
                          {tenths[i].bias(), 4},
                          {tenths[i].rms(), 4},
                          {std::sqrt(expected[i] / static_cast<double>(tenths[i].count())), 4}});
  }
  plot::Line truth{"estimate = exact", {{0, 0}, {1, 1}}, plot::Colour::kQuiet, true};
  out.charts.push_back(line_chart("scala-estimates",
                                  "Made-up texts and changed copies of them, 5-character shingles: "
                                  "exact Jaccard similarity and its estimate by 100 functions.",
                                  {"exact", 0, 1, false}, {"estimate", 0, 1, false},
                                  {dots, truth}));
  double variance = 0;
  for (const double of_tenth : expected) variance += of_tenth;
  numbers = {all.measured(), own.measured(),
             std::sqrt(variance / static_cast<double>(all.count()))};
  return table;
}

ExperimentTable bands(ExperimentResult& out, ScalaBands& numbers) {
  constexpr std::array<int, 8> kPrintedBands = {23, 18, 14, 10, 6, 4, 2, 1};
  constexpr std::array<double, 8> kThresholds = {.5, .6, .7, .8, .9, .95, .99, .99999999999999999};
  ExperimentTable table{
      "scala-bands",
      "pickBands for 100 hashes beside Benzer's plan for a recall of 0.99: the share of pairs "
      "exactly at the threshold that is found",
      {"threshold", "the blog prints", "pickBands", "rows", "hashes used", "found at the threshold",
       "plan", "found at the threshold"},
      {}};
  numbers.as_printed = true;
  std::vector<plot::Line> lines;
  for (std::size_t i = 0; i < kThresholds.size(); ++i) {
    const double t = kThresholds[i];
    const int picked = scala_blog::pick_bands(t, kHashes);
    numbers.as_printed = numbers.as_printed && picked == kPrintedBands[i];
    const Banding banding{picked, kHashes / picked};
    // At the last threshold, nearly 1, every banding finds all.
    if (i + 1 < kThresholds.size()) {
      numbers.thresholds.push_back(t);
      numbers.found.push_back(banding.candidate_probability(t));
    }
    numbers.unused = std::max(numbers.unused, static_cast<double>(kHashes - banding.slots()));
    if (t == .5) numbers.bands_at_half = banding.bands, numbers.rows_at_half = banding.rows;
    if (t == .99) numbers.bands_at_most = banding.bands, numbers.rows_at_most = banding.rows;
    PlanRequest request;
    request.threshold = t;
    request.slots = kHashes;
    const Plan planned = plan(request);
    const std::string chosen = planned.banding.str();
    table.rows.push_back({{t, 2},
                          {static_cast<double>(kPrintedBands[i]), 0},
                          {static_cast<double>(picked), 0},
                          {static_cast<double>(banding.rows), 0},
                          {static_cast<double>(banding.slots()), 0},
                          {banding.candidate_probability(t), 3},
                          chosen,
                          {planned.recall_at_threshold, 3}});
    if (i != 0 && i != 3 && i != 4) continue;
    const std::size_t place = lines.size() / 2;
    for (const bool by_plan : {false, true}) {
      const Banding& shown = by_plan ? planned.banding : banding;
      plot::Line line{
          fmt::format("{} for {:.1f}: {}", by_plan ? "plan" : "pickBands", t, shown.str()),
          {},
          colour(place),
          by_plan};
      for (int percent = 0; percent <= 100; ++percent)
        line.points.emplace_back(percent / 100.0, shown.candidate_probability(percent / 100.0));
      lines.push_back(line);
    }
  }
  out.charts.push_back(line_chart("scala-bands",
                                  "Pairs found by the bands of pickBands (whole) and of Benzer's "
                                  "plan (dashed), 100 hashes.",
                                  {"Jaccard similarity", 0, 1, false}, {"found", 0, 1, false},
                                  lines));
  return table;
}

}  // namespace

ExperimentResult scala(const ExperimentOptions& options) {
  ExperimentResult out;
  out.title = "Its hash function in bins, its estimates, and the bands that it picks";
  out.parameters =
      "java.util.Random(1337) draws a and b of the functions, as in the blog; made-up texts of 80 "
      "words with 1 to 75 of them replaced";
  ScalaHistogram of_bins;
  ScalaEstimates of_estimates;
  ScalaBands of_bands;
  out.tables.push_back(histogram(of_bins));
  out.tables.push_back(estimates(out, options, of_estimates));
  out.tables.push_back(bands(out, of_bands));
  add_judged(out, judge_scala(of_bins, of_estimates, of_bands));
  return out;
}

}  // namespace benzer::experiments
