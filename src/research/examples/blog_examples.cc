// Computes the examples of the blog on C#: its test of MinHash, and words numbered by a dictionary.
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/research/classics/blog.h"
#include "benzer/research/classics/slides.h"

#include "base/splitmix.h"
#include "research/experiments/blog_findings.h"
#include "research/experiments/errors.h"
#include "research/experiments/runs.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

namespace blog_cs = classics::blog;

constexpr int kHashes = 100;
constexpr std::int32_t kUniverse = 20;

const std::vector<std::int32_t> kInums1 = {10, 8, 11, 13, 2, 17, 3, 1, 19, 11};
const std::vector<std::int32_t> kInums2 = {1, 2, 5, 9, 12, 17, 13, 11, 9, 10};

// A seed of System.Random for each trial; .NET takes the absolute value of a seed of 32 bits.
std::int32_t seed_of(const ExperimentOptions& options, std::size_t trial) {
  return static_cast<std::int32_t>(splitmix64(splitmix64(options.seed) ^ trial) >> 33);
}

// The estimates of the test MinHashFunc1 with the functions of one seed.
struct Estimates {
  double as_sets = 0, by_position = 0;
};
Estimates estimates(blog_cs::OddFactors factors, std::int32_t seed) {
  const blog_cs::MinHash mh(kUniverse, kHashes, factors, seed);
  const auto hvs1 = mh.get_min_hash(kInums1), hvs2 = mh.get_min_hash(kInums2);
  return {blog_cs::MinHash::similarity(hvs1, hvs2),
          blog_cs::MinHash::similarity_by_position(hvs1, hvs2)};
}

// "Because the number of words is small the estimate is not very accurate. Much better results are
// obtained with even quite small documents."
ExperimentTable size_table(const ExperimentOptions& options, BlogSizes& sizes) {
  const std::size_t trials = options.full ? 20'000 : 1'000;
  ExperimentTable table{"blog-minhash-size",
                        "Pairs of documents of n words, two thirds of them in both, J = 0.5, by "
                        "position",
                        {"n", "bits of a value", "bias", "RMS error", "sqrt(J(1-J)/100)"},
                        {}};
  sizes.independent = std::sqrt(0.25 / kHashes);
  for (const std::int32_t n : {9, 99, 999}) {
    std::vector<std::int32_t> ids(static_cast<std::size_t>(n / 3 * 4));
    std::iota(ids.begin(), ids.end(), 1);
    const std::span<const std::int32_t> all(ids);
    std::vector<double> found(trials);
    for_trials(options, trials, [&](std::size_t i) {
      const blog_cs::MinHash mh(static_cast<std::int32_t>(ids.size()), kHashes,
                                blog_cs::OddFactors::kAsMeant, seed_of(options, i));
      found[i] = blog_cs::MinHash::similarity_by_position(
          mh.get_min_hash(all.first(static_cast<std::size_t>(n))),
          mh.get_min_hash(all.last(static_cast<std::size_t>(n))));
    });
    ErrorSum sum;
    for (const double estimate : found) sum.add(estimate, 0.5);
    sizes.words.push_back(n);
    sizes.errors.push_back(sum.measured());
    table.rows.push_back({ExperimentCell::count(static_cast<std::uint64_t>(n)),
                          {static_cast<double>(blog_cs::MinHash::bits_for_universe(
                               static_cast<std::int32_t>(ids.size()))),
                           0},
                          {sum.bias(), 3},
                          {sum.rms(), 3},
                          {sizes.independent, 3}});
  }
  return table;
}

ExperimentTable dictionary_table(BlogDictionary& out) {
  // The dictionary of the slides numbers from 0, that of the blog from 1.
  classics::slides::Dictionary dictionary;
  ExperimentTable table{"blog-dictionary",
                        "Words numbered by a dictionary, from 1, in the order in which they come",
                        {"document", "word numbers", "as a set"},
                        {}};
  std::vector<std::vector<std::int32_t>> documents;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"the", "cat", "saw", "the", "dog"}, {"the", "dog", "saw", "a", "cat"}}) {
    std::vector<std::int32_t>& numbers = documents.emplace_back();
    for (const std::string& word : words)
      numbers.push_back(static_cast<std::int32_t>(dictionary.number(word)) + 1);
    table.rows.push_back(
        {fmt::format("{}", fmt::join(words, " ")), fmt::format("{}", fmt::join(numbers, " ")),
         fmt::format("{}", fmt::join(std::set(numbers.begin(), numbers.end()), " "))});
  }
  out = {dictionary.size(), blog_cs::Jaccard::calc(documents[0], documents[1])};
  return table;
}

}  // namespace

ExperimentResult blog_examples(const ExperimentOptions& options) {
  const int seeds = options.full ? 100'000 : 2'000;
  ExperimentResult out;
  out.title = "The test MinHashFunc1, and words numbered by a dictionary";
  out.parameters = fmt::format(
      "two lists of ten numbers below 20; {} functions; System.Random(10) as in the blog, and {} "
      "other seeds",
      kHashes, seeds);
  const double exact = blog_cs::Jaccard::calc(kInums1, kInums2);
  ExperimentTable table{
      "blog-minhash-func1",
      "MinHashFunc1: estimates by 100 functions beside the exact similarity",
      {"factors a", "signatures compared", "exact", "seed 10", "mean of seeds", "RMS error"},
      {}};
  std::set<std::int32_t> in_union(kInums1.begin(), kInums1.end());
  in_union.insert(kInums2.begin(), kInums2.end());
  BlogMinHashFunc1 test{.exact = exact, .numbers = in_union.size()};
  for (const auto factors : {blog_cs::OddFactors::kAsWritten, blog_cs::OddFactors::kAsMeant}) {
    const bool meant = factors == blog_cs::OddFactors::kAsMeant;
    const Estimates blog = estimates(factors, 10);
    ErrorSum sets, places;
    std::vector<Estimates> all(static_cast<std::size_t>(seeds));
    for_trials(options, all.size(),
               [&](std::size_t i) { all[i] = estimates(factors, seed_of(options, i)); });
    for (const Estimates& one : all) {
      sets.add(one.as_sets, exact);
      places.add(one.by_position, exact);
    }
    const char* which = meant ? "odd, as meant" : "any, as written";
    table.rows.push_back({which,
                          "as sets, as written",
                          {exact, 2},
                          {blog.as_sets, 2},
                          {exact + sets.bias(), 3},
                          {sets.rms(), 3}});
    table.rows.push_back({which,
                          "by position",
                          {exact, 2},
                          {blog.by_position, 2},
                          {exact + places.bias(), 3},
                          {places.rms(), 3}});
    if (meant) {
      test.as_sets = sets.measured();
      test.by_position = places.measured();
    } else {
      test.as_written = blog.as_sets;
    }
  }
  out.tables.push_back(table);
  BlogSizes sizes;
  BlogDictionary dictionary;
  out.tables.push_back(size_table(options, sizes));
  out.tables.push_back(dictionary_table(dictionary));
  add_judged(out, judge_blog_examples(test, sizes, dictionary));
  return out;
}

}  // namespace benzer::experiments
