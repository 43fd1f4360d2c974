// Compares the curve of banding, 1 - (1 - s^r)^b, with the share of pairs that bands find.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/sketch.h"

#include "eval/interval.h"
#include "research/experiments/chart.h"
#include "research/experiments/draws.h"
#include "research/experiments/errors.h"
#include "research/experiments/runs.h"
#include "research/experiments/sketch_findings.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

constexpr std::array kBandings = {Banding{5, 20}, Banding{10, 10}, Banding{20, 5}, Banding{16, 6},
                                  Banding{50, 2}};
constexpr int kSlots = 100;
constexpr std::size_t kElements = 300;
constexpr int kCurveSteps = 20;  // 0.05, 0.10 ... 1.00

struct Counts {
  std::array<std::array<std::uint64_t, kBandings.size()>, 2> found{};
};

}  // namespace

ExperimentResult s_curve(const ExperimentOptions& options) {
  const std::size_t pairs = options.full ? 20'000 : 2'000;
  ExperimentResult out;
  out.title = "The S-curve: how often bands find a pair, expected and measured";
  out.parameters = fmt::format(
      "{} slots; sets of {} elements; {} pairs for each similarity, fresh sets each; intervals "
      "hold "
      "the truth in 95 of 100 cases (Wilson)",
      kSlots, kElements, pairs);
  constexpr std::array<const char*, 2> kSketches = {"kperm:100", "fss:100"};
  std::array<MinHasher, 2> hashers = {MinHasher(SketchSpec::parse(kSketches[0]), FeatureSpec{}),
                                      MinHasher(SketchSpec::parse(kSketches[1]), FeatureSpec{})};
  ExperimentTable table{
      "s-curve",
      "Share of the pairs that become candidates",
      {"sketch", "bands x rows", "J", "expected", "measured", "from", "to", "expected lies within"},
      {}};
  std::array<std::array<plot::Line, kBandings.size()>, 2> measured;
  std::array<CurveOfSketch, 2> curves;
  ErrorSum rare, frequent;  // for fss, where the formula gives less or more than a half
  for (int step = 1; step <= kCurveSteps; ++step) {
    const double wanted = static_cast<double>(step) / kCurveSteps;
    const auto shared = static_cast<std::size_t>(
        std::lround(wanted * 2 * static_cast<double>(kElements) / (1 + wanted)));
    const double jaccard =
        static_cast<double>(shared) / static_cast<double>(2 * kElements - shared);
    std::vector<Counts> counts(pairs);
    for_trials(options, pairs, [&](std::size_t pair) {
      const auto all = Draws(options.seed, shared, pair).numbers(2 * kElements - shared);
      const std::span<const std::uint64_t> view(all);
      for (std::size_t h = 0; h < hashers.size(); ++h) {
        const Signature a = hashers[h].sketch(view.first(kElements));
        const Signature b = hashers[h].sketch(view.last(kElements));
        for (std::size_t i = 0; i < kBandings.size(); ++i) {
          std::vector<std::uint64_t> of_a(kBandings[i].bands), of_b(kBandings[i].bands);
          kBandings[i].keys(a.slots, of_a);
          kBandings[i].keys(b.slots, of_b);
          bool met = false;
          for (std::size_t band = 0; band < of_a.size(); ++band)
            met = met || of_a[band] == of_b[band];
          counts[pair].found[h][i] = met ? 1 : 0;
        }
      }
    });
    for (std::size_t h = 0; h < hashers.size(); ++h) {
      for (std::size_t i = 0; i < kBandings.size(); ++i) {
        std::uint64_t found = 0;
        for (const Counts& pair : counts) found += pair.found[h][i];
        const auto size = static_cast<double>(pairs);
        const Share share = wilson(static_cast<double>(found) / size, size);
        const double expected = kBandings[i].candidate_probability(jaccard);
        const bool inside = share.low <= expected && expected <= share.high;
        ++curves[h].cells;
        curves[h].within += inside ? 1 : 0;
        curves[h].worst = std::max(curves[h].worst, std::abs(share.value - expected));
        if (h == 1 && expected > 0.01 && expected < 0.99)
          (expected < 0.5 ? rare : frequent).add(share.value, expected);
        table.rows.push_back({kSketches[h],
                              kBandings[i].str(),
                              {jaccard, 3},
                              {expected, 4},
                              {share.value, 4},
                              {share.low, 4},
                              {share.high, 4},
                              inside ? "yes" : "no"});
        measured[h][i].points.emplace_back(jaccard, share.value);
        measured[h][i].ranges.emplace_back(share.low, share.high);
      }
    }
  }
  std::vector<plot::Line> lines;
  for (std::size_t i = 0; i < kBandings.size(); ++i) {
    plot::Line curve;
    curve.name = fmt::format("{} bands of {}", kBandings[i].bands, kBandings[i].rows);
    curve.colour = colour(i);
    for (int percent = 0; percent <= 100; ++percent)
      curve.points.emplace_back(percent / 100.0,
                                kBandings[i].candidate_probability(percent / 100.0));
    lines.push_back(curve);
  }
  for (std::size_t i = 0; i < kBandings.size(); ++i) {
    plot::Line& marks = measured[1][i];
    marks.joined = false;
    marks.colour = colour(i);
    if (i == 0) marks.name = "dots: measured with fss";
    lines.push_back(marks);
  }
  out.tables = {table};
  out.charts = {line_chart("s-curve",
                           "The share of pairs that become candidates: lines 1 - (1 - s^r)^b, dots "
                           "measured, with the interval that holds the truth in 95 of 100 cases.",
                           {"Jaccard similarity s", 0, 1, false}, {"found", 0, 1, false}, lines)};
  for (std::size_t h = 0; h < curves.size(); ++h) curves[h].sketch = kSketches[h];
  add_judged(out, judge_s_curve({curves[0], curves[1], static_cast<double>(pairs), rare.bias(),
                                 frequent.bias()}));
  return out;
}

}  // namespace benzer::experiments
