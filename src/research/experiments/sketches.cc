// Measures every sketch against theory: its error for many sizes and similarities, and its time.
#include "research/experiments/sketches.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "benzer/runtime.h"

#include "research/experiments/chart.h"
#include "research/experiments/runs.h"
#include "research/experiments/sketch_findings.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

constexpr const char* kSpecs[] = {"fss:128",        "kperm:128",     "bottomk:128",
                                  "linear:128",     "mod-prime:128", "multiply-shift:128",
                                  "java-random:128"};
// Views of signatures, with the number of bits of each slot that are used.
constexpr std::pair<const char*, int> kViews[] = {{"fss:128", 4}, {"fss:128", 1}, {"fss:1024", 1}};
enum Place { kFss, kKperm, kBottomK, kLinear, kLastDrawn = 6, kFewBits = 8, kManyBits = 9 };

}  // namespace

MeasuredSketch::MeasuredSketch(std::string_view spec, int bits)
    : hasher_(SketchSpec::parse(spec), FeatureSpec{}),
      bits_(bits),
      name_(bits == 0 ? std::string(spec)
                      : fmt::format("{}, {} bit{} a slot", spec, bits, bits == 1 ? "" : "s")) {}

double MeasuredSketch::estimate(std::span<const std::uint64_t> a,
                                std::span<const std::uint64_t> b) const {
  const Signature left = hasher_.sketch(a), right = hasher_.sketch(b);
  if (bits_ == 0) return estimate_jaccard(left, right);
  return estimate_jaccard(BitSignature(left, bits_), BitSignature(right, bits_));
}

double MeasuredSketch::theory(double jaccard, std::size_t union_size) const {
  if (bits_ > 0) return BitSignature::standard_error(jaccard, hasher_.slots(), bits_);
  return hasher_.estimator() == Estimator::kUnion
             ? standard_error_of_union(jaccard, hasher_.slots(), union_size)
             : standard_error(jaccard, hasher_.slots());
}

double MeasuredSketch::bytes() const {
  return bits_ == 0 ? 8.0 * hasher_.slots() : hasher_.slots() * bits_ / 8.0;
}

std::vector<MeasuredSketch> all_sketches() {
  std::vector<MeasuredSketch> out;
  for (const char* spec : kSpecs) out.emplace_back(spec, 0);
  for (const auto& [spec, bits] : kViews) out.emplace_back(spec, bits);
  return out;
}

std::size_t shared_for(std::size_t n, double jaccard) {
  const double size = static_cast<double>(n);
  return static_cast<std::size_t>(std::lround(jaccard * 2 * size / (1 + jaccard)));
}

std::vector<ErrorSum> sketch_errors(const ExperimentOptions& options,
                                    const std::vector<MeasuredSketch>& sketches, std::size_t n,
                                    std::size_t shared, std::size_t trials) {
  std::vector<double> found(trials * sketches.size());
  for_trials(options, trials, [&](std::size_t trial) {
    Draws draws(options.seed, n * 1'000'003 + shared, trial);
    const auto all = draws.numbers(2 * n - shared);
    const std::span<const std::uint64_t> view(all);
    for (std::size_t i = 0; i < sketches.size(); ++i)
      found[trial * sketches.size() + i] = sketches[i].estimate(view.first(n), view.last(n));
  });
  const double jaccard = static_cast<double>(shared) / static_cast<double>(2 * n - shared);
  std::vector<ErrorSum> out(sketches.size());
  for (std::size_t i = 0; i < found.size(); ++i) out[i % sketches.size()].add(found[i], jaccard);
  return out;
}

ExperimentResult sketches(const ExperimentOptions& options) {
  constexpr std::size_t kSizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
  constexpr double kSimilarities[] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.99};
  // Large sets take long with functions of 2 ns an element.
  const auto trials_of = [&](std::size_t n) -> std::size_t {
    return options.full ? 1000 : n > 1000 ? 50 : 200;
  };
  const auto all = all_sketches();
  ExperimentResult out;
  out.title = "The error of every sketch for 10 to 10,000 elements, and its time";
  out.parameters = fmt::format(
      "{} trials in each cell{}, fresh random sets of equal size each; features are random numbers "
      "of 64 bits, as Benzer's are",
      trials_of(10),
      options.full ? "" : fmt::format(" ({} for 3,000 elements and more)", trials_of(10'000)));
  ExperimentTable errors{"sketches",
                         "RMS error beside theory; both would differ by about "
                         "1 / sqrt(2 * trials) of themselves by chance",
                         {"sketch", "elements", "J", "bias", "RMS error", "theory", "ratio"},
                         {}};
  ExperimentTable overview{"sketches-ratio",
                           "RMS error divided by theory: 1 is as good as it says, less is better",
                           {},
                           {}};
  overview.columns = {"elements", "J"};
  for (const MeasuredSketch& sketch : all) overview.columns.push_back(sketch.name());
  std::vector<plot::Line> lines(all.size());
  std::vector<double> ratios(all.size()), least(all.size(), 9), most(all.size());
  std::vector<int> cells(all.size());
  for (const std::size_t n : kSizes) {
    for (const double wanted : kSimilarities) {
      const std::size_t shared = shared_for(n, wanted);
      if (shared == 0 || shared >= n) continue;
      const double j = static_cast<double>(shared) / static_cast<double>(2 * n - shared);
      const std::vector<ErrorSum> found = sketch_errors(options, all, n, shared, trials_of(n));
      overview.rows.push_back({ExperimentCell::count(n), {j, 3}});
      for (std::size_t i = 0; i < all.size(); ++i) {
        const double theory = all[i].theory(j, 2 * n - shared);
        const double ratio = theory > 0 ? found[i].rms() / theory : NAN;
        errors.rows.push_back({all[i].name(),
                               ExperimentCell::count(n),
                               {j, 3},
                               {found[i].bias(), 4},
                               {found[i].rms(), 4},
                               {theory, 4},
                               {ratio, 2}});
        overview.rows.back().emplace_back(ratio, 2);
        if (wanted == 0.5) lines[i].points.emplace_back(static_cast<double>(n), found[i].rms());
        if (!(theory > 0)) continue;
        ratios[i] += ratio;
        ++cells[i];
        least[i] = std::min(least[i], ratio);
        most[i] = std::max(most[i], ratio);
      }
    }
  }
  ExperimentTable times{"sketches-time",
                        "Time to sketch one set on one core, and what a signature takes",
                        {"sketch", "ns per element, 100", "1,000", "10,000", "bytes"},
                        {}};
  Draws draws(options.seed, 77);
  std::size_t slots = 0;  // used below, so that the compiler does not remove the work
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& row = times.rows.emplace_back();
    row.emplace_back(all[i].name());
    for (const std::size_t n : {100u, 1000u, 10000u}) {
      const auto set = draws.numbers(n);
      const std::size_t repeats = std::max<std::size_t>(1, 20'000 / n);
      const double seconds = median_seconds(5, [&] {
        throw_if_stopped(options.stop);
        for (std::size_t r = 0; r < repeats; ++r) slots += all[i].hasher().sketch(set).slots.size();
      });
      row.emplace_back(1e9 * seconds / static_cast<double>(repeats * n), 2);
    }
    row.emplace_back(all[i].bytes(), 0);
    lines[i].name = all[i].name();
    lines[i].marked = true;
  }
  if (slots == 0) throw Error(ErrorCode::kInvalidArgument, "sketches of nothing");
  // The lines of the other drawn functions coincide with that of kLinear.
  lines.erase(lines.begin() + kLinear + 1, lines.begin() + kLastDrawn + 1);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].colour = colour(i);
  out.tables = {times, overview, errors};
  out.charts = {line_chart("sketches",
                           "RMS error for J = 0.5 against the number of elements. The classical "
                           "value for 128 slots is 0.0442.",
                           {"elements of each set", 10, 10000, true}, {"RMS error", 0, 0.1, false},
                           lines)};
  const auto ratio = [&](Place i) {
    return RatioOfSketch{all[i].name(), ratios[i] / cells[i], least[i], most[i],
                         times.rows[i][2].number.value_or(0)};
  };
  add_judged(out, judge_sketches({ratio(kKperm), ratio(kLinear), ratio(kBottomK), ratio(kFss),
                                  ratio(kFewBits), ratio(kManyBits)}));
  return out;
}

}  // namespace benzer::experiments
