// Tests containment: pairs and removals against their definition, the recall that anchors promise,
// and the work where very many documents share a template.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/dedup.h"
#include "benzer/error.h"

#include "base/test_random.h"

namespace benzer {
namespace {

using Values = std::vector<std::string>;
constexpr char kValues[] = "values";

MemoryCorpus corpus_of_values(const std::vector<Values>& sets, std::uint32_t references = 0,
                              std::uint32_t groups = 1) {
  MemoryCorpus corpus;
  for (std::uint32_t i = 0; i < sets.size(); ++i) {
    MemoryCorpus::KeepFields fields;
    if (groups > 1) fields.group = "g" + std::to_string(i % groups);
    corpus.add_values(std::to_string(i), sets[i], fields);
    if (i + 1 == references) corpus.end_references();
  }
  return corpus;
}

template <class Options>
Options contained_options(const char* threshold, double recall = 0.99) {
  Options options;
  options.config.features = FeatureSpec::parse(kValues);
  options.measure = Measure::kContainment;
  options.threshold = Threshold::parse(threshold);
  options.recall = recall;
  return options;
}

std::vector<FoundPair> pairs_of_values(const std::vector<Values>& sets, const PairsOptions& options,
                                       std::uint32_t references = 0, std::uint32_t groups = 1) {
  MemoryCorpus corpus = corpus_of_values(sets, references, groups);
  std::vector<FoundPair> out;
  find_pairs(corpus, options, [&](const FoundPair& pair) { out.push_back(pair); });
  return out;
}

std::uint64_t common_of(const std::set<std::string>& a, const std::set<std::string>& b) {
  std::uint64_t common = 0;
  for (const std::string& value : a) common += b.count(value);
  return common;
}

// Returns whether common / size >= the threshold, in percent.
bool reaches_percent(std::uint64_t common, std::uint64_t size, std::uint64_t percent) {
  return size > 0 && common * 100 >= percent * size;
}

// Returns the pairs by the definition. Those of two references or of two groups are left out.
std::vector<FoundPair> defined_pairs(const std::vector<Values>& lists, std::uint64_t percent,
                                     std::uint32_t references = 0, std::uint32_t groups = 1) {
  std::vector<std::set<std::string>> sets;
  for (const Values& list : lists) sets.emplace_back(list.begin(), list.end());
  std::vector<FoundPair> out;
  for (std::uint32_t a = 0; a < sets.size(); ++a) {
    for (std::uint32_t b = std::max(a + 1, references); b < sets.size(); ++b) {
      if (a % groups != b % groups) continue;
      const std::uint64_t common = common_of(sets[a], sets[b]);
      const std::uint64_t smaller = std::min(sets[a].size(), sets[b].size());
      if (!reaches_percent(common, smaller, percent)) continue;
      const auto shared = static_cast<double>(common);
      out.push_back({{a, b, shared / static_cast<double>(smaller)},
                     {shared / static_cast<double>(sets[a].size()),
                      shared / static_cast<double>(sets[b].size())}});
    }
  }
  return out;
}

// Makes sets of 0 to `most` values, many of which are parts of others, with repeats of whole sets,
// and a template that many have.
std::vector<Values> nested_values(std::uint64_t seed, std::size_t count, std::size_t most,
                                  std::size_t of_template) {
  TestRandom random(seed);
  std::vector<Values> out;
  for (std::size_t i = 0; i < count; ++i) {
    Values set;
    const std::uint64_t kind = random.below(8);
    if (kind == 0 && !out.empty()) {
      set = out[random.below(out.size())];
      if (random.below(2) == 0 && !set.empty()) set.push_back(set.front());
    } else if (kind < 4 && !out.empty()) {
      // A part of another set, with some values of its own.
      const Values& from = out[random.below(out.size())];
      const std::size_t part = from.empty() ? 0 : random.below(from.size()) + 1;
      set.assign(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(part));
      const std::size_t own = random.below(part / 4 + 1);
      for (std::size_t j = 0; j < own; ++j) set.push_back(std::to_string(random.below(1000000)));
    } else if (kind < 6) {
      for (std::size_t j = 0; j < of_template; ++j) set.push_back("t" + std::to_string(j));
      const std::size_t own = random.below(of_template / 2 + 1);
      for (std::size_t j = 0; j < own; ++j) set.push_back(std::to_string(random.below(1000000)));
    } else {
      const std::size_t size = random.below(most + 1);
      for (std::size_t j = 0; j < size; ++j) set.push_back(std::to_string(random.below(1000000)));
    }
    out.push_back(std::move(set));
  }
  return out;
}

// Of sets with as many anchors as values, nothing is left to chance.
TEST(Contained, PairsOfSmallSetsAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto sets = nested_values(seed, 300, 30, 20);
    for (const auto& [threshold, percent] : {std::pair{"0.5", 50U}, {"0.8", 80U}, {"1", 100U}}) {
      const auto expected = defined_pairs(sets, percent);
      EXPECT_GT(expected.size(), 1000U);
      // 64 anchors, and the exact join, and with little memory.
      auto options = contained_options<PairsOptions>(threshold, 0.999999);
      if (percent == 100) options.recall = 0.99;
      for (const bool exact : {false, true}) {
        if (percent == 100 && !exact) continue;  // 8 anchors only
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(testing::Message() << seed << " " << threshold << exact << threads);
          options.exact = exact;
          options.threads = threads;
          options.memory_limit = 0;
          EXPECT_EQ(pairs_of_values(sets, options), expected);
          if (exact) continue;
          options.memory_limit = 1 << 20;
          EXPECT_EQ(pairs_of_values(sets, options), expected);
        }
      }
    }
  }
}

TEST(Contained, PairsKeepToGroupsAndReferences) {
  const auto sets = nested_values(9, 300, 30, 20);
  auto options = contained_options<PairsOptions>("0.7", 0.999999);
  EXPECT_EQ(pairs_of_values(sets, options, 100, 3), defined_pairs(sets, 70, 100, 3));
  EXPECT_EQ(pairs_of_values(sets, options, 250), defined_pairs(sets, 70, 250));
  options.exact = true;
  EXPECT_EQ(pairs_of_values(sets, options, 100, 3), defined_pairs(sets, 70, 100, 3));
}

// Makes pairs: of the `small` values of one set, `shared` are among the small * ratio of the other.
std::vector<Values> planted(std::uint64_t seed, std::size_t pairs, std::size_t small,
                            std::size_t shared, std::size_t ratio) {
  std::vector<Values> out;
  TestRandom random(seed);
  for (std::size_t p = 0; p < pairs; ++p) {
    Values x, y;
    for (std::size_t i = 0; i < small * ratio; ++i) y.push_back(std::to_string(random.next()));
    for (std::size_t i = 0; i < shared; ++i) x.push_back(y[i * ratio]);
    while (x.size() < small) x.push_back(std::to_string(random.next()));
    out.push_back(std::move(x));
    out.push_back(std::move(y));
  }
  return out;
}

// Each of n pairs exactly at the threshold is found with a probability of at least 0.99, so fewer
// than 0.99 n - 5.5 sqrt(n 0.99 0.01) are found with a probability below 2e-8. Every pair that is
// found is one of the definition, with the same score.
TEST(Contained, PairsHaveTheRecallOfThePlanWhateverTheSizes) {
  struct Case {
    std::size_t pairs, small, ratio;
  };
  std::size_t missed = 0;
  for (const auto& [threshold, percent] :
       {std::pair{"0.5", 50U}, {"0.7", 70U}, {"0.8", 80U}, {"0.95", 95U}, {"1", 100U}}) {
    const auto options = contained_options<PairsOptions>(threshold);
    for (const Case& c :
         {Case{2000, 200, 1}, Case{800, 100, 10}, Case{150, 100, 100}, Case{20, 100, 1000}}) {
      SCOPED_TRACE(testing::Message() << threshold << " 1:" << c.ratio);
      const auto sets =
          planted(percent + c.ratio, c.pairs, c.small, c.small * percent / 100, c.ratio);
      const auto found = pairs_of_values(sets, options);
      const auto n = static_cast<double>(c.pairs);
      EXPECT_GE(static_cast<double>(found.size()), 0.99 * n - 5.5 * std::sqrt(n * 0.99 * 0.01));
      EXPECT_LE(found.size(), c.pairs);
      missed += c.pairs - found.size();
      for (const FoundPair& pair : found) {
        EXPECT_EQ(pair.a % 2, 0U);
        EXPECT_EQ(pair.b, pair.a + 1);
        EXPECT_EQ(pair.score, percent / 100.0);
        const std::size_t shared = c.small * percent / 100;
        EXPECT_EQ(pair.shares.of_a, percent / 100.0);
        EXPECT_EQ(pair.shares.of_b,
                  static_cast<double>(shared) / static_cast<double>(c.small * c.ratio));
      }
    }
  }
  // The plan does not find more than it says by much: it would cost work.
  EXPECT_GT(missed, 20U);
}

// Returns removals by the definition: a document goes if one that is kept and comes before it in
// keep order contains `percent` of its values.
std::vector<Removal> defined_removals(const std::vector<Values>& lists, const KeepOrder& keep,
                                      std::uint64_t percent, std::uint32_t references,
                                      std::uint32_t groups) {
  std::vector<std::set<std::string>> sets;
  for (const Values& list : lists) sets.emplace_back(list.begin(), list.end());
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = references; i < sets.size(); ++i) order.push_back(i);
  if (keep.rules[0].kind == KeepRule::Kind::kLast) std::reverse(order.begin(), order.end());
  if (keep.rules[0].kind == KeepRule::Kind::kLargest)
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
      return sets[x].size() > sets[y].size();
    });
  // References come first in the order of the rule, too; all are kept.
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < references; ++i) kept.push_back(i);
  if (keep.rules[0].kind == KeepRule::Kind::kLast) std::reverse(kept.begin(), kept.end());
  if (keep.rules[0].kind == KeepRule::Kind::kLargest)
    std::stable_sort(kept.begin(), kept.end(), [&](std::uint32_t x, std::uint32_t y) {
      return sets[x].size() > sets[y].size();
    });
  std::vector<Removal> out;
  for (const std::uint32_t x : order) {
    Removal best{x, std::nullopt, 0};
    for (const std::uint32_t y : kept) {
      if (x % groups != y % groups) continue;
      const std::uint64_t common = common_of(sets[x], sets[y]);
      const double share = static_cast<double>(common) / static_cast<double>(sets[x].size());
      if (reaches_percent(common, sets[x].size(), percent) && share > best.score)
        best = {x, y, share};
    }
    if (best.keeper) {
      out.push_back(best);
    } else if (!sets[x].empty()) {
      kept.push_back(x);
    }
  }
  std::sort(out.begin(), out.end(),
            [](const Removal& x, const Removal& y) { return x.document < y.document; });
  return out;
}

// The template has more pairs than are compared, so its sets are looked up among the kept ones, by
// their anchors and then by rare features.
TEST(Contained, RemovalsAreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto sets = nested_values(seed, 500, 30, 20);
    for (const char* keep : {"largest", "first", "last"}) {
      for (const auto& [threshold, percent] : {std::pair{"0.5", 50U}, {"0.8", 80U}}) {
        for (const auto& [references, groups] : {std::pair{0U, 1U}, {100U, 2U}}) {
          auto options = contained_options<DedupOptions>(threshold, 0.999999);
          options.keep = KeepOrder::parse(keep);
          options.collect = Collect::kCompared;
          const auto expected = defined_removals(sets, options.keep, percent, references, groups);
          EXPECT_GT(expected.size(), 50U);
          for (const std::uint64_t by_anchors : {std::uint64_t{1} << 28, std::uint64_t{0}}) {
            for (const std::uint64_t limit : {0, 1 << 22}) {
              for (const int threads : {1, 3}) {
                SCOPED_TRACE(testing::Message() << seed << keep << threshold << references << " "
                                                << by_anchors << " " << limit << " " << threads);
                options.effort.by_signatures = by_anchors;
                options.memory_limit = limit;
                options.threads = threads;
                MemoryCorpus corpus = corpus_of_values(sets, references, groups);
                const DedupResult result = deduplicate(corpus, options);
                ASSERT_EQ(result.removed, expected);
                EXPECT_EQ(result.counts.cut_short, 0U);
              }
            }
          }
        }
      }
    }
  }
}

TEST(Contained, NoKeptDocumentIsContainedInAnother) {
  const auto sets = nested_values(5, 400, 30, 20);
  auto options = contained_options<DedupOptions>("0.8", 0.999999);
  options.keep = KeepOrder::usual(options.config.features, options.measure);
  EXPECT_EQ(options.keep.str(), "largest");
  MemoryCorpus corpus = corpus_of_values(sets);
  const DedupResult result = deduplicate(corpus, options);
  std::set<std::uint32_t> removed;
  for (const Removal& removal : result.removed) {
    removed.insert(removal.document);
    const Shares shares = result.shares(removal);
    EXPECT_EQ(shares.of_a, removal.score);
    EXPECT_LE(shares.of_b, shares.of_a);
    EXPECT_GT(shares.of_b, 0);
  }
  for (const FoundPair& pair : defined_pairs(sets, 80))
    EXPECT_TRUE(removed.contains(pair.a) || removed.contains(pair.b)) << pair.a << " " << pair.b;
}

// Every document has a menu, which is half of it, and one in ten is a part of the one before it. No
// comparison is of two documents that share only the menu.
TEST(Contained, ATemplateDoesNotCostItsSquare) {
  constexpr std::size_t kDocuments = 20000;
  TestRandom random(7);
  std::vector<Values> sets;
  std::size_t parts = 0;
  for (std::size_t i = 0; i < kDocuments; ++i) {
    Values set;
    if (i % 10 == 9) {
      set.assign(sets.back().begin(), sets.back().end() - 20);
      ++parts;
    } else {
      for (int j = 0; j < 30; ++j) set.push_back("menu" + std::to_string(j));
      for (int j = 0; j < 40; ++j) set.push_back(std::to_string(random.next()));
    }
    sets.push_back(std::move(set));
  }
  // Some have little but the menu: all of their anchors are common.
  for (std::size_t i = 0; i < 200; ++i) {
    Values set;
    for (int j = 0; j < 30; ++j) set.push_back("menu" + std::to_string(j));
    for (int j = 0; j < 12; ++j) set.push_back(std::to_string(random.next()));
    sets.push_back(std::move(set));
  }
  auto options = contained_options<DedupOptions>("0.8");
  options.keep = KeepOrder::parse("largest");
  options.collect = Collect::kCompared;
  MemoryCorpus corpus = corpus_of_values(sets);
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.counts.cut_short, 0U);
  EXPECT_GE(static_cast<double>(result.removed.size()), 0.98 * static_cast<double>(parts));
  EXPECT_LE(result.removed.size(), parts);
  for (const Removal& removal : result.removed) EXPECT_EQ(*removal.keeper + 1, removal.document);
  // A few comparisons for each document. The square of the documents is 4e8.
  EXPECT_LT(result.counts.candidates, 40 * kDocuments);
  EXPECT_LT(result.below.pairs(), 40 * kDocuments);
}

TEST(Contained, WhatIsCutIsCounted) {
  // Sets that are nearly all template, none of which contains another.
  TestRandom random(3);
  std::vector<Values> sets;
  for (std::size_t i = 0; i < 400; ++i) {
    Values set;
    for (int j = 0; j < 40; ++j) set.push_back("t" + std::to_string(j));
    for (int j = 0; j < 12; ++j) set.push_back("r" + std::to_string(random.below(40)));
    sets.push_back(std::move(set));
  }
  auto options = contained_options<DedupOptions>("0.95");
  options.keep = KeepOrder::parse("largest");
  MemoryCorpus corpus = corpus_of_values(sets);
  EXPECT_EQ(deduplicate(corpus, options).counts.cut_short, 0U);
  options.effort = {.by_signatures = 0, .whole = 0, .candidates = 2};
  MemoryCorpus again = corpus_of_values(sets);
  const DedupResult cut = deduplicate(again, options);
  EXPECT_GT(cut.counts.cut_short, 0U);
  for (const Removal& removal : cut.removed) EXPECT_GE(removal.score, 0.95);
}

TEST(Contained, TakesTextsAndNothing) {
  MemoryCorpus corpus;
  corpus.add_text("part", "the quick brown fox jumps over the lazy dog");
  corpus.add_text("whole", "once the quick brown fox jumps over the lazy dog and then it sleeps");
  corpus.add_text("copy", "The quick brown fox jumps over the lazy dog!");
  corpus.add_text("short", "lazy dog");
  corpus.add_text("empty", "");
  DedupOptions options;
  options.measure = Measure::kContainment;
  options.keep = KeepOrder::usual(options.config.features, options.measure);
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.removed, (std::vector<Removal>{{0, 1, 1.0}, {2, 1, 1.0}}));
  EXPECT_EQ(result.counts.exact_duplicates, 1U);
  EXPECT_EQ(result.counts.verified_pairs, 1U);  // the first two; equal ones need no comparison
  EXPECT_FALSE(result.equals_keeper(result.removed[0]));
  EXPECT_EQ(result.shares(result.removed[0]), (Shares{1.0, 0.5}));
  EXPECT_EQ(result.counts.anchors, plan_anchors(0.8, 0.99));
  MemoryCorpus nothing;
  EXPECT_TRUE(deduplicate(nothing, options).removed.empty());
}

TEST(Contained, IsRefusedWhereItHasNoMeaning) {
  const auto refused = [](DedupOptions options) {
    MemoryCorpus corpus;
    options.measure = Measure::kContainment;
    EXPECT_THROW(deduplicate(corpus, options), Error);
  };
  DedupOptions options;
  options.clustering = Clustering::kComponents;
  refused(options);
  for (const char* features :
       {"values+weights", "text:word5+tf-idf", "image:pdq", "image:grid16"}) {
    DedupOptions of_features;
    of_features.config.features = FeatureSpec::parse(features);
    refused(of_features);
  }
  DedupOptions with_bands;
  with_bands.config.banding = Banding{16, 6};
  refused(with_bands);
  DedupOptions low;
  low.threshold = Threshold::parse("0.01");
  refused(low);
}

}  // namespace
}  // namespace benzer
