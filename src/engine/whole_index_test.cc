// Tests questions about a whole index: its similar pairs, and the clusters that they form.
#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/sanitized.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using Pair = std::tuple<std::string, std::string, double>;

std::vector<Pair> pairs_of(const Index& index, const WholeIndexOptions& options) {
  std::vector<Pair> out;
  const WholeIndexCounts counts = index.for_each_similar_pair(
      options, [&](const ScoredIds& pair) { out.emplace_back(pair.a, pair.b, pair.score); });
  EXPECT_EQ(counts.pairs, out.size());
  EXPECT_EQ(counts.documents, index.size());
  return out;
}

WholeIndexOptions components() {
  WholeIndexOptions out;
  out.clustering = Clustering::kComponents;
  return out;
}

std::vector<IndexCluster> clusters_of(const Index& index, const WholeIndexOptions& options) {
  std::vector<IndexCluster> out;
  const WholeIndexCounts counts =
      index.for_each_cluster(options, [&](const IndexCluster& cluster) { out.push_back(cluster); });
  EXPECT_EQ(counts.clusters, out.size());
  return out;
}

using Link = IndexCluster::Link;
using Documents = std::map<std::string, Document>;
using Scores = std::map<std::pair<std::string, std::string>, double>;  // pairs in both orders

Scores true_scores(const Oracle& oracle, const Documents& documents, SimilarOptions options) {
  options.limit = std::numeric_limits<std::size_t>::max();
  Scores out;
  for (const auto& [id, document] : documents)
    for (const Match& match : oracle.matches(documents, document, options))
      out[{id, match.id}] = match.score;
  return out;
}

// Finds all members of the component by following the pairs.
std::set<std::string> component(const Scores& scores, const std::string& id) {
  std::set<std::string> out{id};
  std::vector<std::string> open{id};
  while (!open.empty()) {
    const std::string from = open.back();
    open.pop_back();
    for (auto at = scores.lower_bound({from, ""}); at != scores.end() && at->first.first == from;
         ++at)
      if (out.insert(at->first.second).second) open.push_back(at->first.second);
  }
  return out;
}

void expect_pairs(const std::vector<Pair>& pairs, const Scores& scores) {
  Scores seen;
  for (const auto& [a, b, score] : pairs) {
    EXPECT_FALSE(seen.contains({a, b})) << a << " and " << b << " twice";
    seen[{a, b}] = seen[{b, a}] = score;
  }
  EXPECT_EQ(seen, scores);
}

void expect_clusters(const std::vector<IndexCluster>& clusters, const Scores& scores,
                     const Scores& all_scores) {
  std::set<std::string> seen;
  for (const IndexCluster& cluster : clusters) {
    std::set<std::string> members{cluster.keeper};
    double weakest = 1;
    for (const IndexCluster::Member& member : cluster.members) {
      members.insert(member.id);
      EXPECT_EQ(member.score, all_scores.at({cluster.keeper, member.id}));
      weakest = std::min(weakest, member.score);
      ASSERT_TRUE(member.link);
      EXPECT_EQ(member.link->score, scores.at({member.id, member.link->id}));
      for (const auto& [ids, score] : scores)
        if (ids.first == member.id && score < 1) {
          EXPECT_LE(score, member.link->score);
        }
    }
    EXPECT_EQ(cluster.weakest, weakest);
    EXPECT_EQ(members.size(), cluster.members.size() + 1);
    EXPECT_EQ(members, component(scores, cluster.keeper));
    seen.insert(members.begin(), members.end());
  }
  std::set<std::string> with_pairs;
  for (const auto& [ids, score] : scores) with_pairs.insert(ids.first);
  EXPECT_EQ(seen, with_pairs);
}

// Each removed document is similar to its keeper, and no two kept documents are similar.
void expect_leaders(const std::vector<IndexCluster>& clusters, const Scores& scores) {
  std::set<std::string> gone;
  for (const IndexCluster& cluster : clusters) {
    double weakest = 1;
    for (const IndexCluster::Member& member : cluster.members) {
      EXPECT_TRUE(gone.insert(member.id).second) << member.id << " goes twice";
      EXPECT_EQ(member.score, scores.at({cluster.keeper, member.id}));
      EXPECT_FALSE(member.link);
      weakest = std::min(weakest, member.score);
    }
    EXPECT_EQ(cluster.weakest, weakest);
  }
  for (const IndexCluster& cluster : clusters) EXPECT_FALSE(gone.contains(cluster.keeper));
  for (const auto& [ids, score] : scores)
    EXPECT_TRUE(gone.contains(ids.first) || gone.contains(ids.second));
}

// In memory and on disk, where there are several segments, with replaced and removed documents.
TEST(WholeIndex, IsBruteForce) {
  for (const bool one_field : {true, false}) {
    for (const bool on_disk : {false, true}) {
      if (kSanitized && one_field == on_disk) continue;
      const Schema schema = Schema::parse(one_field ? kOneField : kFields);
      const Oracle oracle(schema);
      const TestFolder folder;
      Index index = on_disk ? Index::open(folder / "store", {.create_with = schema,
                                                             .durability = Durability::kBatch,
                                                             .memtable_bytes = 60'000})
                            : Index::in_memory(schema);
      TestRandom random(one_field ? 1 : 2);
      Documents model;
      for (int batch = 0; batch < 10; ++batch) {
        index_batch(index, model, 15, [&] {
          return some_document("d" + std::to_string(random.below(110)), random, one_field);
        });
        const std::string id = "d" + std::to_string(random.below(110));
        index.remove({id});
        model.erase(id);
      }
      if (on_disk) {  // read only: merging in the background changes the order
        index.close();
        index = Index::open(folder / "store", {.read_only = true});
      }
      // Members of a component may have scores far below the threshold with its keeper.
      for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAny, ScoreRule::kAll}) {
        if (kSanitized && rule == ScoreRule::kAll) break;
        const Scores all =
            true_scores(oracle, model, {.threshold = Threshold::parse("0.000001"), .score = rule});
        for (const std::string threshold : {"0.3", "0.6", "1"}) {
          if (kSanitized && threshold == "0.3") continue;
          WholeIndexOptions options{{}, Threshold::parse(threshold), rule};
          options.clustering = Clustering::kComponents;
          const std::vector<Pair> pairs = pairs_of(index, options);
          const Scores scores =
              true_scores(oracle, model, {.threshold = options.threshold, .score = rule});
          EXPECT_GT(scores.size(), 0U);
          expect_pairs(pairs, scores);
          const std::vector<IndexCluster> clusters = clusters_of(index, options);
          Scores known = all;  // a chain can join documents that have nothing in common
          for (const IndexCluster& cluster : clusters)
            for (const auto& member : cluster.members)
              known.try_emplace({cluster.keeper, member.id});
          expect_clusters(clusters, scores, known);
          options.clustering = Clustering::kLeader;
          const std::vector<IndexCluster> leaders = clusters_of(index, options);
          expect_leaders(leaders, scores);
          options.threads = 3;
          EXPECT_EQ(clusters_of(index, options), leaders);
          options.clustering = Clustering::kComponents;
          for (const int threads : {3, 2}) {
            if (kSanitized && threads == 2) break;
            options.threads = threads;
            EXPECT_EQ(pairs_of(index, options), pairs);
            EXPECT_EQ(clusters_of(index, options), clusters);
          }
        }
      }
    }
  }
}

// Of one field and of two, a deduplication hands over what it has compared, and finds the same with
// and without that.
TEST(WholeIndex, CollectsWhatItHasCompared) {
  for (const char* schema : {"text=text:word1 | fss:128 | bands:64x2 | min:0.5",
                             "text=text:word1 | tags=values | fss:128 | bands:64x2 | min:0.5"}) {
    TestRandom random(11);
    Index index = Index::in_memory(Schema::parse(schema));
    for (int i = 0; i < 120; ++i) {
      std::string text = "base" + std::to_string(i % 12);
      for (int word = 0; word < 12; ++word)
        text += " w" + std::to_string(i % 12) + "-" + std::to_string(word + random.below(6));
      index.index_documents({{"d" + std::to_string(i), {Field::of_text("text", text)}}});
    }
    WholeIndexOptions options;
    EXPECT_FALSE(index.deduplicate(options).compared.has_value());
    const IndexDedup plain = index.deduplicate(options);
    options.collect_compared = true;
    const IndexDedup found = index.deduplicate(options);
    EXPECT_EQ(found.clusters, plain.clusters);
    EXPECT_EQ(found.counts.pairs, plain.counts.pairs);

    ASSERT_TRUE(found.compared);
    const ComparedPairs& compared = *found.compared;
    Scores similar, above;
    for (const auto& [a, b, score] : pairs_of(index, options))
      if (score < 1) similar[{a, b}] = score;
    for (const ComparedPairs::Pair& pair : compared.above) above[{pair.a, pair.b}] = pair.score;
    EXPECT_GT(similar.size(), 20U);
    EXPECT_EQ(above, similar);
    EXPECT_EQ(compared.scores.similar, similar.size());
    EXPECT_EQ(compared.scores.similar + compared.scores.equal, found.counts.pairs);
    EXPECT_TRUE(std::ranges::is_sorted(compared.above, {}, &ComparedPairs::Pair::score));

    std::uint64_t below = 0;
    for (const ScoreCounts::Bin& bin : compared.scores.bins) below += bin.below;
    EXPECT_GT(below, 20U);
    EXPECT_EQ(compared.under.size(), std::min<std::uint64_t>(below, 2000));
    EXPECT_TRUE(
        std::ranges::is_sorted(compared.under, std::greater<>(), &ComparedPairs::Pair::score));
    for (const ComparedPairs::Pair& pair : compared.under) {
      EXPECT_LT(pair.score, 0.5);
      EXPECT_FALSE(similar.contains({pair.a, pair.b}));
    }
    options.threads = 3;
    options.clustering = Clustering::kComponents;
    const IndexDedup again = index.deduplicate(options);
    EXPECT_EQ(again.compared->above, compared.above);
    EXPECT_EQ(again.compared->under, compared.under);
  }
}

Document with_values(std::string id, const std::vector<std::string>& values) {
  return {std::move(id), {Field::of_values("v", values)}};
}

TEST(WholeIndex, GoesInTheOrderOfTheIndex) {
  Index index = Index::in_memory(Schema::parse("v=values | fss:128 | bands:64x2 | min:0.5"));
  index.index_documents({with_values("z", {"a", "b", "c"}), with_values("m", {"x"}),
                         with_values("y", {"a", "b", "c", "d"}), with_values("none", {}),
                         with_values("b", {"b", "c", "d", "e"}), with_values("a", {"x"})});
  EXPECT_EQ(pairs_of(index, {}),
            (std::vector<Pair>{{"z", "y", 0.75}, {"m", "a", 1.0}, {"y", "b", 0.6}}));
  // y joins z and b, although their own score is below the threshold.
  EXPECT_EQ(clusters_of(index, components()),
            (std::vector<IndexCluster>{
                {"z", {{"y", 0.75, Link{"z", 0.75}}, {"b", 0.4, Link{"y", 0.6}}}, 0.4},
                {"m", {{"a", 1, Link{"m", 1}}}, 1}}));
  // So leader clustering keeps b.
  EXPECT_EQ(clusters_of(index, {}),
            (std::vector<IndexCluster>{{"z", {{"y", 0.75, {}}}, 0.75}, {"m", {{"a", 1, {}}}, 1}}));
  // Of links with equal scores the first one counts.
  index.index_documents({with_values("x2", {"x"})});
  EXPECT_EQ(clusters_of(index, components())[1],
            (IndexCluster{"m", {{"a", 1, Link{"m", 1}}, {"x2", 1, Link{"m", 1}}}, 1}));
  index.remove({"x2"});
  const auto counts = index.for_each_similar_pair({}, [](const ScoredIds&) {});
  EXPECT_EQ(counts.documents, 6U);
  EXPECT_EQ(counts.empty, 1U);
  EXPECT_TRUE(pairs_of(Index::in_memory(Schema()), {{.threads = 2}}).empty());
  EXPECT_TRUE(clusters_of(Index::in_memory(Schema()), {}).empty());
}

// The keeper is the most similar kept document and not the first one, as in a run over files.
TEST(WholeIndex, OfLeadersTheMostSimilarOneIsTheKeeper) {
  Index index = Index::in_memory(Schema::parse("v=values | fss:128 | bands:64x2 | min:0.5"));
  const auto numbered = [](std::string id, const std::vector<int>& numbers) {
    std::vector<std::string> values;
    for (const int number : numbers) values.push_back(std::to_string(number));
    return with_values(std::move(id), values);
  };
  index.index_documents({numbered("first", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
                         numbered("second", {1, 2, 3, 4, 5, 6, 7, 11, 12, 13}),
                         numbered("gone", {1, 2, 3, 4, 5, 6, 7, 8, 11, 12}),
                         numbered("equal", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
                         // It is as similar to "first" as to "second".
                         numbered("between", {1, 2, 3, 4, 5, 6, 7})});
  const Threshold threshold = Threshold::parse("0.6");
  EXPECT_EQ(clusters_of(index, {{}, threshold}),
            (std::vector<IndexCluster>{{"first", {{"equal", 1, {}}, {"between", 0.7, {}}}, 0.7},
                                       {"second", {{"gone", 9 / 11.0, {}}}, 9 / 11.0}}));
  const IndexDedup found = index.deduplicate({{}, threshold});
  EXPECT_EQ(found.clusters, clusters_of(index, {{}, threshold}));
  EXPECT_EQ(found.removals, 3U);
  EXPECT_EQ(found.largest_cluster, 3U);
  EXPECT_EQ(found.weakest, 0.7);
}

TEST(WholeIndex, StopsWhenItIsTold) {
  Index index = Index::in_memory(Schema::parse("v=values"));
  std::vector<Document> documents;
  constexpr std::size_t kMany = kSanitized ? 500 : 1000;  // several pieces for each thread
  constexpr std::size_t kPairs = kMany * (kMany - 1) / 2;
  for (std::size_t i = 0; i < kMany; ++i)
    documents.push_back(with_values(std::to_string(i), {"a", "b"}));
  index.index_documents(documents);
  std::atomic<bool> stop{false};
  std::size_t seen = 0;
  const auto stop_after_ten = [&](const ScoredIds&) { stop = ++seen >= 10; };
  try {
    index.for_each_similar_pair({{.threads = 2, .stop = &stop}}, stop_after_ten);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  }
  EXPECT_LT(seen, kPairs);
  const auto fail = [](const ScoredIds&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(index.for_each_similar_pair({{.threads = 2}}, fail), std::runtime_error);
  EXPECT_THROW(pairs_of(index, {{.threads = 2,
                                 .progress = [](auto...) { throw std::runtime_error("late"); }}}),
               std::runtime_error);
  EXPECT_THROW(pairs_of(index, {{}, Threshold::parse("0.5")}), Error);
  std::uint64_t last = 0;
  const auto progress = [&](const Progress& so_far) {
    EXPECT_GT(so_far.done, last);
    EXPECT_EQ(so_far.total, kMany);
    last = so_far.done;
  };
  EXPECT_EQ(pairs_of(index, {{.threads = 2, .progress = progress}}).size(), kPairs);
  EXPECT_EQ(last, kMany);
  // The interrupted questions hold nothing that would stop a write.
  EXPECT_TRUE(index.remove({"0"})[0]);
}

// Equal documents are added and removed in twos, so that at every moment each has exactly one
// partner.
TEST(WholeIndex, SeesOneMoment) {
  for (const bool on_disk : {false, true}) {
    const Schema schema = Schema::parse("v=values");
    const TestFolder folder;
    Index index = on_disk ? Index::open(folder / "store", {.create_with = schema,
                                                           .durability = Durability::kNone,
                                                           .memtable_bytes = 50'000})
                          : Index::in_memory(schema);
    std::atomic<bool> done{false};
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 2; ++writer) {
      writers.emplace_back([&, writer] {
        TestRandom random(static_cast<std::uint64_t>(writer));
        while (!done) {
          const std::string name = std::to_string(writer) + "-" + std::to_string(random.below(150));
          if (random.below(3) == 0) {
            index.remove({name + "a", name + "b"});
          } else {
            const std::vector<std::string> values = {name, name + "x", name + "y"};
            index.index_documents(
                {with_values(name + "a", values), with_values(name + "b", values)});
          }
        }
      });
    }
    for (int round = 0; round < 40;) {  // only rounds with pairs count
      std::uint64_t pairs = 0;
      const auto visit = [&](const ScoredIds& pair) {
        EXPECT_EQ(pair.a.substr(0, pair.a.size() - 1), pair.b.substr(0, pair.b.size() - 1));
        EXPECT_EQ(pair.score, 1);
        ++pairs;
      };
      const WholeIndexCounts counts =
          index.for_each_similar_pair({{.threads = 1 + round % 3}}, visit);
      EXPECT_EQ(counts.documents, 2 * pairs);
      round += pairs > 0;
    }
    done = true;
    for (std::thread& writer : writers) writer.join();
  }
}

}  // namespace
}  // namespace benzer
