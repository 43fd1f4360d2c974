#include "research/experiments/report_pairs.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "benzer/sketch.h"

#include "research/classics/jaccard.h"
#include "research/experiments/affine.h"
#include "research/experiments/draws.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

constexpr std::size_t kSteps = 20;
constexpr std::size_t kMostSlots = 4096;

std::vector<std::size_t> spread_counts(std::size_t n) {
  std::vector<std::size_t> out;
  for (std::size_t step = 0; step < kSteps; ++step) {
    const double power = static_cast<double>(step) / (kSteps - 1);
    const auto count =
        static_cast<std::size_t>(std::lround(std::pow(static_cast<double>(n), power)));
    if (out.empty() || count > out.back()) out.push_back(count);
  }
  // 50, the number that the report recommends, is always included.
  const auto at = std::ranges::lower_bound(out, std::size_t{50});
  if (n > 50 && (at == out.end() || *at != 50)) out.insert(at, 50);
  return out;
}

}  // namespace

PairRuns::PairRuns(const ExperimentOptions& options, std::size_t n, double s, std::size_t pairs,
                   std::size_t many_pairs)
    : n_(n),
      shared_(static_cast<std::size_t>(std::lround(s * static_cast<double>(n)))),
      pairs_(pairs),
      many_pairs_(std::min(pairs, many_pairs)),
      counts_(spread_counts(n)),
      estimates_(kMethods * counts_.size() * pairs) {
  for_trials(options, pairs, [&](std::size_t pair) { run_pair(options.seed, pair); });
}

std::size_t PairRuns::step_of(std::size_t hashes) const {
  const auto at = std::ranges::lower_bound(counts_, hashes);
  return static_cast<std::size_t>((at == counts_.end() ? at - 1 : at) - counts_.begin());
}

bool PairRuns::has(Method method, std::size_t step) const {
  return method != Method::kFss || counts_[step] <= kMostSlots;
}

double& PairRuns::estimate(Method method, std::size_t step, std::size_t pair) {
  return estimates_[(static_cast<std::size_t>(method) * counts_.size() + step) * pairs_ + pair];
}

ErrorSum PairRuns::errors(Method method, std::size_t step, double reference,
                          std::size_t pairs) const {
  ErrorSum out;
  const std::size_t run = method == Method::kMany ? many_pairs_ : pairs_;
  const std::size_t start = (static_cast<std::size_t>(method) * counts_.size() + step) * pairs_;
  for (std::size_t pair = 0; pair < std::min(run, pairs); ++pair)
    out.add(estimates_[start + pair], reference);
  return out;
}

void PairRuns::run_pair(std::uint64_t seed, std::size_t pair) {
  Draws draws(seed, n_ * 1'000'003 + shared_, pair);
  // The elements of both sets first, then those of A only, then those of B only.
  std::vector<std::uint64_t> elements(union_size());
  for (auto& element : elements) element = draws.below(kMersenne61);
  const std::span<const std::uint64_t> all(elements);

  if (pair < many_pairs_) {
    std::size_t equal = 0, step = 0;
    for (std::size_t done = 1; done <= counts_.back(); ++done) {
      const Affine61 hash(draws);
      std::uint64_t of_both = kMersenne61, of_one = kMersenne61;
      for (const std::uint64_t x : all.first(shared_)) of_both = std::min(of_both, hash(x));
      for (const std::uint64_t x : all.subspan(shared_)) of_one = std::min(of_one, hash(x));
      // The sets have the same minimum if and only if it is an element of both.
      equal += of_both < of_one ? 1 : 0;
      if (done == counts_[step])
        estimate(Method::kMany, step++, pair) =
            static_cast<double>(equal) / static_cast<double>(done);
    }
  }

  const Affine61 hash(draws);
  std::vector<std::uint64_t> values(all.size());
  std::ranges::transform(all, values.begin(), hash);
  std::vector<std::uint64_t> a(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n_));
  std::vector<std::uint64_t> both(values.begin(),
                                  values.begin() + static_cast<std::ptrdiff_t>(shared_));
  std::vector<std::uint64_t> b = both;
  b.insert(b.end(), values.begin() + static_cast<std::ptrdiff_t>(n_), values.end());
  for (auto* list : {&a, &b, &both, &values}) std::ranges::sort(*list);

  // Hashed, since features of Benzer are hashes of 64 bits.
  for (auto& element : elements) element = splitmix64(element);
  std::vector<std::uint64_t> second(elements.begin(),
                                    elements.begin() + static_cast<std::ptrdiff_t>(shared_));
  second.insert(second.end(), elements.begin() + static_cast<std::ptrdiff_t>(n_), elements.end());
  for (std::size_t step = 0; step < counts_.size(); ++step) {
    const std::size_t k = counts_[step];
    estimate(Method::kSingle, step, pair) =
        static_cast<double>(count_common(std::span(a).first(k), std::span(b).first(k))) /
        static_cast<double>(k);
    estimate(Method::kBottomK, step, pair) =
        static_cast<double>(count_common(std::span(values).first(k), std::span(both))) /
        static_cast<double>(k);
    if (!has(Method::kFss, step)) continue;
    SketchSpec spec;
    spec.slots = static_cast<int>(k);
    const MinHasher minhasher(spec, FeatureSpec{});
    estimate(Method::kFss, step, pair) =
        estimate_jaccard(minhasher.sketch(std::span(elements).first(n_)), minhasher.sketch(second));
  }
}

}  // namespace benzer::experiments
