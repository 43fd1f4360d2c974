// Tests the pairs and clusters of an index of containment against their definition.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "engine/whole_index.h"
#include "io/io_test_util.h"
#include "store/redis_test_util.h"
#include "store/sampled_keys.h"
#include "verify/score.h"

namespace benzer {
namespace {

// All features are keys, so that nothing is missed.
const char* const kEveryKey = "a=values | measure:containment | keys:1/20 | min:0.3 | recall:0.999";
const char* const kEveryKeyOfTwo =
    "a=values;w=2 | b=values | measure:containment | keys:1/20 | min:0.3 | recall:0.999";
const char* const kPlannedKeys = "a=values | measure:containment";

using Values = std::set<std::string>;
using Sets = std::vector<Values>;  // by field
// The two documents, their score, and how much of each the other one has.
using ContainedPair = std::tuple<std::string, std::string, double, double, double>;

// Compares everything with everything, by the definition.
struct ContainmentOracle {
  Schema schema;
  std::map<std::string, Sets> documents;
  std::vector<std::string> order;  // of the index
  std::vector<std::string> keepers = {};
  std::set<std::pair<std::string, std::string>> apart = {};  // in both orders

  enum class Of { kSmaller, kFirst, kSecond };
  std::vector<WeighedOverlap> overlaps(const Sets& a, const Sets& b, Of of) const {
    std::vector<WeighedOverlap> out;
    for (std::size_t field = 0; field < a.size(); ++field) {
      const Values &x = a[field], &y = b[field];
      if (x.empty() && y.empty()) continue;
      std::uint64_t shared = 0;
      for (const std::string& value : x) shared += y.contains(value);
      const std::uint64_t size = x.empty() || y.empty() ? x.size() + y.size()
                                 : of == Of::kSmaller   ? std::min(x.size(), y.size())
                                 : of == Of::kFirst     ? x.size()
                                                        : y.size();
      out.push_back({{shared, size}, schema.fields[field].weight.millionths()});
    }
    return out;
  }
  bool are_apart(const std::string& a, const std::string& b) const {
    return apart.contains({a, b});
  }
  std::size_t size(const std::string& id) const {
    std::size_t out = 0;
    for (const Values& values : documents.at(id)) out += values.size();
    return out;
  }
  std::vector<std::string> largest_first() const {
    std::vector<std::string> out = order;
    std::ranges::stable_sort(out, std::greater<>(), [&](const auto& id) { return size(id); });
    return out;
  }

  // With the larger document first, sorted by the places of the larger and of the smaller one.
  std::vector<ContainedPair> pairs(const Threshold& threshold, ScoreRule rule) const {
    const std::vector<std::string> ranked = largest_first();
    std::map<std::string, std::size_t> ranks;
    for (const std::string& id : ranked) ranks.emplace(id, ranks.size());
    std::vector<ContainedPair> out;
    for (const std::string& a : order)
      for (const std::string& b : order) {
        if (ranks.at(a) >= ranks.at(b) || are_apart(a, b)) continue;
        const Sets &x = documents.at(a), &y = documents.at(b);
        const auto both = overlaps(x, y, Of::kSmaller);
        if (both.empty() || !reaches(rule, both, threshold)) continue;
        out.emplace_back(a, b, score_of(rule, both), score_of(rule, overlaps(x, y, Of::kFirst)),
                         score_of(rule, overlaps(x, y, Of::kSecond)));
      }
    return out;
  }

  std::vector<IndexCluster> leaders(const Threshold& threshold, ScoreRule rule) const {
    std::vector<std::string> ranked = largest_first();
    for (auto keeper = keepers.rbegin(); keeper != keepers.rend(); ++keeper)
      std::rotate(ranked.begin(), std::ranges::find(ranked, *keeper),
                  std::ranges::find(ranked, *keeper) + 1);
    std::vector<std::string> kept;
    std::map<std::string, std::pair<std::string, double>> removed;  // the keeper, and the score
    for (const std::string& id : ranked) {
      for (const std::string& keeper : kept) {
        const auto both = overlaps(documents.at(keeper), documents.at(id), Of::kSecond);
        if (both.empty() || are_apart(keeper, id) || !reaches(rule, both, threshold)) continue;
        const double score = score_of(rule, both);
        const auto known = removed.find(id);
        if (known == removed.end() || known->second.second < score) removed[id] = {keeper, score};
      }
      if (!removed.contains(id)) kept.push_back(id);
    }
    std::vector<IndexCluster> out;
    for (const std::string& keeper : order) {
      IndexCluster cluster{keeper, {}, 1};
      for (const std::string& id : order) {
        const auto found = removed.find(id);
        if (found == removed.end() || found->second.first != keeper) continue;
        const double score = found->second.second;
        const auto of_keeper = overlaps(documents.at(keeper), documents.at(id), Of::kFirst);
        cluster.members.push_back({id, score, {}, Shares{score, score_of(rule, of_keeper)}});
        cluster.weakest = std::min(cluster.weakest, score);
      }
      if (!cluster.members.empty()) out.push_back(std::move(cluster));
    }
    return out;
  }
};

std::vector<std::string> order_of_index(const Index& index) {
  const auto reader = WholeIndex::reader(index);
  std::vector<std::string> out;
  for (const DocumentNumber document : documents_in_order(*reader))
    out.emplace_back(reader->id(document));
  return out;
}

std::vector<ContainedPair> contained_pairs_of(const Index& index,
                                              const WholeIndexOptions& options) {
  std::vector<ContainedPair> out;
  const auto counts = index.for_each_similar_pair(options, [&](const ScoredIds& pair) {
    ASSERT_TRUE(pair.shares);
    out.emplace_back(pair.a, pair.b, pair.score, pair.shares->of_a, pair.shares->of_b);
  });
  EXPECT_EQ(counts.pairs, out.size());
  return out;
}

std::vector<IndexCluster> leaders_of(const Index& index, const WholeIndexOptions& options) {
  std::vector<IndexCluster> out;
  index.for_each_cluster(options, [&](const IndexCluster& cluster) { out.push_back(cluster); });
  return out;
}

Document document_of_sets(const std::string& id, const Sets& sets) {
  Document out{id, {}};
  for (std::size_t field = 0; field < sets.size(); ++field)
    if (!sets[field].empty())
      out.fields.push_back(Field::of_values(std::string(1, static_cast<char>('a' + field)),
                                            {sets[field].begin(), sets[field].end()}));
  return out;
}

Values numbers(std::uint64_t first, std::uint64_t count) {
  Values out;
  for (std::uint64_t i = first; i < first + count; ++i) out.insert(std::to_string(i));
  return out;
}

// Sets of one to 400 values, most of which are parts of a few large ones, with some others. A few
// are equal, and some are empty.
Values some_parts(TestRandom& random) {
  const std::uint64_t kind = random.below(12);
  if (kind == 0) return {};
  const std::uint64_t base = 1000 * random.below(4);
  if (kind <= 2) return numbers(base, 20 * (1 + random.below(20)));
  if (kind == 3) return numbers(base, 2);
  Values out;
  for (std::uint64_t i = 1 + random.below(random.below(2) == 0 ? 12 : 60); i > 0; --i)
    out.insert(std::to_string(base + random.below(kind < 8 ? 40 : 400)));
  for (std::uint64_t i = random.below(3) * out.size() / 8; i > 0; --i)
    out.insert(std::to_string(10'000 + random.below(100)));
  return out;
}

// Puts in documents, replaces some, and removes others.
void put_sets_in(Index& index, ContainmentOracle& oracle, TestRandom& random, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<Document> documents;
    for (int i = 0; i < 40; ++i) {
      const std::string id = "d" + std::to_string(random.below(150));
      Sets sets;
      for (std::size_t field = 0; field < oracle.schema.fields.size(); ++field)
        sets.push_back(some_parts(random));
      documents.push_back(document_of_sets(id, sets));
      oracle.documents[id] = sets;
    }
    index.index_documents(documents);
    std::vector<std::string> removed;
    for (const auto& [id, sets] : oracle.documents)
      if (random.below(12) == 0) removed.push_back(id);
    index.remove(removed);
    for (const std::string& id : removed) oracle.documents.erase(id);
  }
}

void expect_contained(const Index& index, ContainmentOracle oracle,
                      const std::vector<const char*>& thresholds = {"0.3", "0.6", "1"}) {
  oracle.order = order_of_index(index);
  ASSERT_EQ(oracle.order.size(), oracle.documents.size());
  std::size_t pairs = 0, clusters = 0;
  for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny})
    for (const char* decimal : thresholds) {
      const Threshold threshold = Threshold::parse(decimal);
      WholeIndexOptions options{.threshold = threshold, .score = rule};
      for (const int threads : {1, 4}) {
        options.threads = threads;
        const std::vector<ContainedPair> found = contained_pairs_of(index, options);
        EXPECT_EQ(found, oracle.pairs(threshold, rule)) << decimal;
        const std::vector<IndexCluster> kept = leaders_of(index, options);
        EXPECT_EQ(kept, oracle.leaders(threshold, rule)) << decimal;
        EXPECT_EQ(index.deduplicate(options).clusters, kept);
        pairs += found.size();
        clusters += kept.size();
      }
    }
  EXPECT_GT(pairs, 200U);
  EXPECT_GT(clusters, 20U);
}

TEST(WholeIndexKeys, IsBruteForceInMemory) {
  for (const char* schema : {kEveryKey, kEveryKeyOfTwo}) {
    ContainmentOracle oracle{Schema::parse(schema), {}, {}};
    Index index = Index::in_memory(oracle.schema);
    TestRandom random(1);
    put_sets_in(index, oracle, random, 5);
    expect_contained(index, oracle);
  }
}

TEST(WholeIndexKeys, IsBruteForceInAFolder) {
  for (const char* schema : {kEveryKey, kEveryKeyOfTwo}) {
    ContainmentOracle oracle{Schema::parse(schema), {}, {}};
    const TestFolder folder;
    {
      Index index =
          Index::open(folder / "index", {.create_with = oracle.schema, .memtable_bytes = 60'000});
      TestRandom random(2);
      put_sets_in(index, oracle, random, 5);
    }
    // Read only: merging in the background changes the order.
    expect_contained(Index::open(folder / "index", {.read_only = true}), oracle);
    Index::open(folder / "index").compact();  // equal documents are copies now
    expect_contained(Index::open(folder / "index", {.read_only = true}), oracle);
  }
}

TEST(WholeIndexKeys, IsBruteForceInRedis) {
  if (const std::string missing = why_no_redis(); !missing.empty()) GTEST_SKIP() << missing;
  const RedisServer server;
  ContainmentOracle oracle{Schema::parse(kEveryKeyOfTwo), {}, {}};
  Index index = Index::open(server.url("whole"),
                            {.create_with = oracle.schema, .server = {.expected_documents = 200}});
  TestRandom random(3);
  put_sets_in(index, oracle, random, 2);
  expect_contained(index, oracle, {"0.6"});
}

// With sampled keys a document of fewer than 20 features is found for certain by a larger one. Of
// the sizes here, the planned keys would miss one in three the other way round.
TEST(WholeIndexKeys, FindsSmallDocumentsForCertain) {
  ContainmentOracle oracle{Schema::parse(kPlannedKeys), {}, {}};
  ASSERT_EQ(oracle.schema.completed().keys->str(), "0.251/20");
  TestRandom random(4);
  Index index = Index::in_memory(oracle.schema);
  std::uint64_t first = 0;
  for (std::uint64_t small = 1; small < 20; ++small)
    for (const std::uint64_t ratio : {1, 2, 5, 20, 200}) {
      const std::uint64_t shared = (4 * small + 4) / 5;
      const Values inner = numbers(first + shared - small, small);
      const Values outer = numbers(first, small * ratio);
      first += 10'000;
      const std::string name = fmt::format("{}-{}", small, ratio);
      oracle.documents[name + "s"] = {inner};
      oracle.documents[name + "l"] = {outer};
      std::vector<std::string> ids = {name + "s", name + "l"};
      if (random.below(2) == 0) std::swap(ids[0], ids[1]);
      for (const std::string& id : ids)
        index.index_documents({document_of_sets(id, oracle.documents[id])});
    }
  oracle.order = order_of_index(index);
  const Threshold threshold = Threshold::parse("0.8");
  const std::vector<ContainedPair> expected = oracle.pairs(threshold, ScoreRule::kMean);
  EXPECT_EQ(expected.size(), 95U);
  const std::vector<IndexCluster> leaders = oracle.leaders(threshold, ScoreRule::kMean);
  for (const int threads : {1, 4}) {
    const WholeIndexOptions options{{.threads = threads}};
    EXPECT_EQ(contained_pairs_of(index, options), expected);
    EXPECT_EQ(leaders_of(index, options), leaders);
  }
}

// Of 400 pairs that are found with a probability of 0.99, fewer than 386 are found once in 57,000
// times (the tail of the binomial distribution).
TEST(WholeIndexKeys, KeepsTheRecallOfThePlan) {
  constexpr std::uint64_t kPairs = 400;
  Index index = Index::in_memory(Schema::parse(kPlannedKeys));
  std::map<std::string, double> scores;  // by the names of the smaller ones
  for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
    const std::uint64_t small = 20 + pair % 20, large = small * (1 + pair % 100);
    const std::uint64_t shared = (4 * small + 4) / 5;
    const std::uint64_t middle = pair * 10'000 + 5000;
    const std::string name = std::to_string(pair);
    scores[name + "s"] = static_cast<double>(shared) / static_cast<double>(small);
    index.index_documents({document_of_sets(name + "l", {numbers(middle - large, large)}),
                           document_of_sets(name + "s", {numbers(middle - shared, small)})});
  }
  const std::vector<ContainedPair> found = contained_pairs_of(index, {});
  EXPECT_GE(found.size(), 386U);
  for (const auto& [a, b, score, of_a, of_b] : found) {
    EXPECT_EQ(a, b.substr(0, b.size() - 1) + "l");
    EXPECT_EQ(score, scores.at(b));
    EXPECT_EQ(of_b, score);
  }
  EXPECT_EQ(index.deduplicate({}).removals, found.size());
}

// A set of 20 features may have no key of its own. Its copies are known without one.
TEST(WholeIndexKeys, FindsCopiesWithoutAKey) {
  const Schema schema = Schema::parse(kPlannedKeys).completed();
  const FeatureExtractor extractor(schema.fields[0].features);
  std::uint64_t first = 0;
  for (bool has_key = true; has_key; first += has_key ? 20 : 0) {
    const Values values = numbers(first, 20);
    const std::vector<std::string_view> views(values.begin(), values.end());
    FeatureBuffer buffer;
    extractor.extract_values(views, buffer);
    has_key = !sampled_keys(FeatureSet(buffer.features()).features(), *schema.keys).empty();
  }
  const TestFolder folder;
  Index index = Index::open(folder / "index", {.create_with = schema});
  for (const char* id : {"x", "y", "z"})
    index.index_documents({document_of_sets(id, {numbers(first, 20)})});
  index.compact();
  EXPECT_EQ(
      contained_pairs_of(index, {}),
      (std::vector<ContainedPair>{{"x", "y", 1, 1, 1}, {"x", "z", 1, 1, 1}, {"y", "z", 1, 1, 1}}));
  EXPECT_EQ(leaders_of(index, {}),
            (std::vector<IndexCluster>{
                {"x", {{"y", 1, {}, Shares{1, 1}}, {"z", 1, {}, Shares{1, 1}}}, 1}}));
}

TEST(WholeIndexKeys, FollowsDecisions) {
  for (const bool on_disk : {false, true}) {
    ContainmentOracle oracle{Schema::parse(kEveryKey), {}, {}};
    const TestFolder folder;
    Index index = on_disk ? Index::open(folder / "index", {.create_with = oracle.schema})
                          : Index::in_memory(oracle.schema);
    oracle.documents = {{"part", {numbers(0, 50)}},    {"book", {numbers(0, 400)}},
                        {"copy", {numbers(0, 400)}},   {"near", {numbers(5, 50)}},
                        {"other", {numbers(30, 20)}},  {"tail", {numbers(390, 40)}},
                        {"strange", {numbers(900, 9)}}};
    for (const auto& [id, sets] : oracle.documents)
      index.index_documents({document_of_sets(id, sets)});
    if (on_disk) index.compact();
    oracle.order = order_of_index(index);
    const Threshold threshold = Threshold::parse("0.8");
    const WholeIndexOptions options{{.threads = 2}, threshold};
    const auto expect_oracle = [&] {
      EXPECT_EQ(contained_pairs_of(index, options), oracle.pairs(threshold, ScoreRule::kMean));
      EXPECT_EQ(leaders_of(index, options), oracle.leaders(threshold, ScoreRule::kMean));
    };
    expect_oracle();
    // It removes what it has enough of, and not the book.
    ASSERT_TRUE(index.put_decision({.members = {"part", "book"}, .keeper = "part"}));
    oracle.keepers = {"part"};
    expect_oracle();
    // "near" has less in common with it than with the book.
    const std::vector<IndexCluster> found = leaders_of(index, options);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].keeper, "book");
    ASSERT_EQ(found[1].keeper, "part");
    ASSERT_EQ(found[1].members.size(), 1U);
    EXPECT_EQ(found[1].members[0], (IndexCluster::Member{"other", 1, {}, Shares{1, 0.4}}));
    ASSERT_TRUE(index.put_decision({.members = {"copy", "book", "other"}, .not_duplicates = true}));
    for (const char* a : {"copy", "book", "other"})
      for (const char* b : {"copy", "book", "other"}) oracle.apart.insert({a, b});
    expect_oracle();
    WholeIndexOptions ignoring = options;
    ignoring.ignore_decisions = true;
    EXPECT_NE(leaders_of(index, ignoring), leaders_of(index, options));
    oracle.keepers.clear();
    oracle.apart.clear();
    EXPECT_EQ(leaders_of(index, ignoring), oracle.leaders(threshold, ScoreRule::kMean));
  }
}

TEST(WholeIndexKeys, SeesNoExpiredDocument) {
  const std::string schema = std::string(kEveryKey) + " | expires_at=time";
  const TestFolder folder;
  Index index = Index::open(folder / "index", {.create_with = Schema::parse(schema)});
  Document book = document_of_sets("book", {numbers(0, 300)});
  Document first = document_of_sets("first", {numbers(0, 30)});
  for (Document* expired : {&book, &first})
    expired->attributes = {{"expires_at", "2001-01-01T00:00:00Z"}};
  index.index_documents({book, first});
  index.index_documents({document_of_sets("again", {numbers(0, 30)}),
                         document_of_sets("part", {numbers(1, 20)}),
                         document_of_sets("wide", {numbers(0, 60)})});
  for (int round = 0; round < 2; ++round) {  // the second time "first" is the original of "again"
    EXPECT_EQ(contained_pairs_of(index, {}),
              (std::vector<ContainedPair>{{"again", "part", 1, 20.0 / 30, 1},
                                          {"wide", "again", 1, 0.5, 1},
                                          {"wide", "part", 1, 20.0 / 60, 1}}));
    EXPECT_EQ(leaders_of(index, {}),
              (std::vector<IndexCluster>{
                  {"wide",
                   {{"again", 1, {}, Shares{1, 0.5}}, {"part", 1, {}, Shares{1, 20.0 / 60}}},
                   1}}));
    index.compact();
  }
}

TEST(WholeIndexKeys, HasNoComponents) {
  Index index = Index::in_memory(Schema::parse(kEveryKey));
  WholeIndexOptions options;
  options.clustering = Clustering::kComponents;
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(error_of([&] { leaders_of(index, options); }).what(),
                testing::HasSubstr("clustering by components has no containment"));
    EXPECT_THAT(error_of([&] { index.deduplicate(options); }).what(),
                testing::HasSubstr("clustering by components has no containment"));
    index.index_documents({document_of_sets("a", {numbers(0, 9)})});
  }
  EXPECT_TRUE(contained_pairs_of(Index::in_memory(Schema::parse(kEveryKey)), {}).empty());
}

// The sizes are read before the pairs are looked for, and progress tells both.
TEST(WholeIndexKeys, TellsItsProgress) {
  Index index = Index::in_memory(Schema::parse(kEveryKey));
  for (int i = 0; i < 200; ++i)
    index.index_documents({document_of_sets(std::to_string(i), {numbers(0, 3)})});
  std::map<std::string, std::uint64_t> done;
  const auto progress = [&](const Progress& so_far) {
    EXPECT_EQ(so_far.total, 200U);
    done[std::string(so_far.stage)] = so_far.done;
  };
  EXPECT_EQ(contained_pairs_of(index, {{.progress = progress}}).size(), 200U * 199 / 2);
  EXPECT_EQ(done, (std::map<std::string, std::uint64_t>{{"compare", 200}, {"read", 200}}));
}

// What is compared is the same as in a list of pairs.
TEST(WholeIndexKeys, CollectsWhatItHasCompared) {
  Index index = Index::in_memory(Schema::parse(kEveryKey));
  TestRandom random(5);
  std::set<Values> different;
  for (int i = 0; i < 120; ++i) {
    const Values values = some_parts(random);
    if (different.insert(values).second)
      index.index_documents({document_of_sets(std::to_string(i), {values})});
  }
  WholeIndexOptions options{.threshold = Threshold::parse("0.5")};
  const IndexDedup plain = index.deduplicate(options);
  options.collect_compared = true;
  const IndexDedup found = index.deduplicate(options);
  EXPECT_EQ(found.clusters, plain.clusters);
  std::uint64_t ones = 0, others = 0;
  for (const ContainedPair& pair : contained_pairs_of(index, options))
    ++(std::get<2>(pair) == 1 ? ones : others);
  ASSERT_TRUE(found.compared);
  EXPECT_GT(others, 20U);
  EXPECT_EQ(found.compared->scores.equal, ones);
  EXPECT_EQ(found.compared->scores.similar, others);
  EXPECT_EQ(found.compared->above.size(), others);
  for (const ComparedPairs::Pair& pair : found.compared->under) EXPECT_LT(pair.score, 0.5);
}

}  // namespace
}  // namespace benzer
