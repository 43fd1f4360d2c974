// Measures the headline of the blog on C# again: 12,000 documents of 100 hashes, put into buckets
// and all queried.
#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/internal/text.h"
#include "benzer/research/classics/blog.h"
#include "benzer/runtime.h"

#include "research/experiments/blog_findings.h"
#include "research/experiments/chart.h"
#include "research/experiments/draws.h"
#include "research/experiments/runs.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

namespace classic = classics::blog;

constexpr std::size_t kDocuments = 12'000;
constexpr std::size_t kWords = 100;
constexpr std::size_t kFamily = 4;  // documents, of which three are near-copies of the first
constexpr std::int32_t kUniverse = 1 << 20;
constexpr int kHashes = 100;
constexpr int kRows = 20;

// Makes documents as lists of word numbers; of each four, three are the first with some words
// replaced.
std::vector<std::vector<std::int32_t>> make_documents(std::uint64_t seed) {
  std::vector<std::vector<std::int32_t>> out(kDocuments);
  for (std::size_t i = 0; i < kDocuments; ++i) {
    Draws draws(seed, 0xB106, i);
    if (i % kFamily != 0) out[i] = out[i - i % kFamily];
    out[i].resize(kWords);
    const std::size_t changes = i % kFamily == 0 ? kWords : draws.below(15);
    for (std::size_t c = 0; c < changes; ++c) {
      const std::size_t at = i % kFamily == 0 ? c : draws.below(kWords);
      out[i][at] = static_cast<std::int32_t>(draws.below(kUniverse));
    }
  }
  return out;
}

}  // namespace

ExperimentResult blog_lsh(const ExperimentOptions& options) {
  const int runs = options.full ? 51 : 11;
  ExperimentResult out;
  out.title = "12,000 documents of 100 hashes: buckets built, all documents queried";
  out.parameters = fmt::format(
      "sets of {} word numbers, three of each four made from the first by replacing up to 14; {} "
      "hashes (a x + b) >> (32 - u), a odd; 5 bands of {} rows; times begin with ready signatures, "
      "one thread, median of {} runs",
      kWords, kHashes, kRows, runs);
  const auto documents = make_documents(options.seed);
  const classic::MinHash minhash(kUniverse, kHashes, classic::OddFactors::kAsMeant);
  classic::MinHashes signatures{kDocuments, kHashes, {}};
  for (const auto& document : documents) {
    const auto hashes = minhash.get_min_hash(document);
    signatures.values.insert(signatures.values.end(), hashes.begin(), hashes.end());
  }
  throw_if_stopped(options.stop);

  std::vector<double> building, querying;
  std::size_t candidates = 0;
  for (int run = 0; run < runs; ++run) {
    throw_if_stopped(options.stop);
    classic::LSH lsh(signatures, kRows);
    building.push_back(seconds_of([&] { lsh.calc(); }));
    candidates = 0;
    querying.push_back(seconds_of([&] {
      for (std::size_t n = 0; n < kDocuments; ++n) candidates += lsh.get_nearest(n).size();
    }));
  }
  const auto median = [](std::vector<double>& times) {
    std::ranges::sort(times);
    return 1000 * times[times.size() / 2];
  };
  const double build = median(building), query = median(querying);

  // Brute force by signatures: compares some rows with all.
  constexpr std::size_t kSampled = 200;
  double similar = 0;
  const double sampled = seconds_of([&] {
    for (std::size_t a = 0; a < kSampled; ++a)
      for (std::size_t b = 0; b < kDocuments; ++b)
        similar +=
            classic::MinHash::similarity_by_position(signatures.row(a), signatures.row(b)) >= 0.8;
  });
  const double each = sampled / (kSampled * kDocuments);
  const double pairs = static_cast<double>(kDocuments) * (kDocuments - 1) / 2;

  ExperimentTable times{"blog-lsh-times",
                        "Milliseconds from ready signatures, one thread",
                        {"step", "the blog", "Benzer", "times faster"},
                        {}};
  times.rows = {{"buckets built (Calc)", {265.0, 0}, {build, 2}, {265 / build, 0}},
                {"all 12,000 queried (GetNearest)", {948.0, 0}, {query, 2}, {948 / query, 0}}};
  ExperimentTable brute{"blog-lsh-brute-force",
                        "All pairs by brute force",
                        {"how", "comparisons", "each", "in all"},
                        {}};
  brute.rows = {
      {"the blog: 10 ms each, every pair twice", ExperimentCell::count(kDocuments * kDocuments),
       "10 ms", "16.7 days"},
      {"the same, every pair once", ExperimentCell::count(static_cast<std::uint64_t>(pairs)),
       "10 ms", fmt::format("{:.1f} days", pairs * 0.01 / 86400)},
      {fmt::format("signatures by position, extrapolated from {} of them",
                   with_separators(kSampled * kDocuments)),
       ExperimentCell::count(static_cast<std::uint64_t>(pairs)),
       fmt::format("{:.0f} ns", 1e9 * each), fmt::format("{:.2f} s", each * pairs)}};

  classic::LSH lsh(signatures, kRows);
  lsh.calc();
  constexpr std::array<double, 6> kFrom = {0.75, 0.8, 0.85, 0.9, 0.95, 1.0};
  std::array<std::size_t, kFrom.size()> found{}, all{};
  std::array<double, kFrom.size()> expected{};
  const Banding banding{lsh.num_bands(), kRows};
  for (std::size_t first = 0; first < kDocuments; first += kFamily) {
    for (std::size_t a = first; a < first + kFamily; ++a) {
      const auto nearest = lsh.get_nearest(a);
      for (std::size_t b = a + 1; b < first + kFamily; ++b) {
        const double j = classic::Jaccard::calc(documents[a], documents[b]);
        const auto bin = std::upper_bound(kFrom.begin(), kFrom.end(), j) - kFrom.begin();
        if (bin == 0) continue;
        const auto place = static_cast<std::size_t>(bin - 1);
        ++all[place];
        expected[place] += banding.candidate_probability(j);
        found[place] += std::ranges::count(nearest, b) > 0 ? 1 : 0;
      }
    }
  }
  ExperimentTable recall{"blog-lsh-recall",
                         "Pairs of near-copies that 5 bands of 20 rows find, by exact similarity",
                         {"J from", "pairs", "found", "share", "expected 1-(1-J^20)^5"},
                         {}};
  for (std::size_t i = 0; i < kFrom.size(); ++i) {
    if (all[i] == 0) continue;
    const auto count = static_cast<double>(all[i]);
    recall.rows.push_back({{kFrom[i], 2},
                           ExperimentCell::count(all[i]),
                           ExperimentCell::count(found[i]),
                           {static_cast<double>(found[i]) / count, 3},
                           {expected[i] / count, 3}});
  }
  out.tables = {times, brute, recall};
  std::vector<plot::Line> curves;
  for (const Banding& shown : {Banding{5, 20}, Banding{10, 10}, Banding{20, 5}}) {
    plot::Line line{
        fmt::format("{} bands of {} rows", shown.bands, shown.rows), {}, colour(curves.size())};
    for (int percent = 0; percent <= 100; ++percent)
      line.points.emplace_back(percent / 100.0, shown.candidate_probability(percent / 100.0));
    curves.push_back(line);
  }
  out.charts = {line_chart(
      "blog-lsh-recall", "What three ways to cut 100 hashes into bands find; the blog has 20 rows.",
      {"Jaccard similarity", 0, 1, false}, {"found", 0, 1, false}, curves)};
  BlogLsh numbers{.building = build,
                  .querying = query,
                  .comparison = each,
                  .pairs = pairs,
                  .documents = kDocuments,
                  .candidates = candidates};
  for (std::size_t i = 0; i < kFrom.size(); ++i) {
    if (kFrom[i] < 0.8) continue;
    numbers.near_copies += all[i];
    numbers.near_copies_found += found[i];
    numbers.near_copies_expected += expected[i];
  }
  add_judged(out, judge_blog_lsh(numbers));
  return out;
}

}  // namespace benzer::experiments
