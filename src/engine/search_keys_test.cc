// Tests that an index of containment finds the sets that contain a query, and those that it
// contains, whatever their sizes.
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/compare.h"
#include "benzer/error.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"
#include "store/redis_test_util.h"

namespace benzer {
namespace {

using Documents = std::map<std::string, Document>;

// All features are keys, so that nothing is missed.
const char* const kAllKeys =
    "text=text:word2 | measure:containment | keys:1/20 | min:0.3 | recall:0.999";
const char* const kSeveralFields =
    "title=text:word1;w=2 | body=text:word2 | tags=values;w=0.5 | measure:containment | keys:1/20 "
    "| min:0.3 | recall:0.999";

Document set_of(std::string id, std::uint64_t first, std::uint64_t count) {
  std::vector<std::string> values;
  for (std::uint64_t i = first; i < first + count; ++i) values.push_back(std::to_string(i));
  return {std::move(id), {Field::of_values("text", std::move(values))}};
}

Schema sets(const char* min = "0.8") {
  return Schema::parse(fmt::format("text=values | measure:containment | min:{}", min));
}

void compare_with(const Index& index, const Oracle& oracle, const Documents& documents,
                  TestRandom& random, bool one_field) {
  std::vector<Document> queries;
  for (int i = 0; i < 30; ++i) queries.push_back(some_document("", random, one_field));
  for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny}) {
    for (const char* threshold : {"0.3", "0.5", "1"}) {
      const SimilarOptions options{.threshold = Threshold::parse(threshold), .score = rule};
      const auto found = index.find_similar_documents(queries, options, 2);
      for (std::size_t i = 0; i < queries.size(); ++i)
        EXPECT_EQ(found[i], oracle.matches(documents, queries[i], options));
    }
    SimilarOptions most_similar{.floor = Threshold::parse("0.1"), .limit = 5, .score = rule};
    for (const Document& query : queries)
      EXPECT_EQ(index.find_similar_documents(query, most_similar),
                oracle.matches(documents, query, most_similar));
  }
}

// Puts in documents, replaces some and removes others.
void fill_in(Index& index, Documents& documents, TestRandom& random, bool one_field) {
  for (int round = 0; round < 3; ++round) {
    index_batch(index, documents, 60, [&] {
      return some_document(std::to_string(random.below(150)), random, one_field);
    });
    std::vector<std::string> removed;
    for (const auto& [id, document] : documents)
      if (random.below(10) == 0) removed.push_back(id);
    index.remove(removed);
    for (const std::string& id : removed) documents.erase(id);
  }
}

TEST(SearchKeys, FindsWhatBruteForceFindsInMemory) {
  for (const bool one_field : {true, false}) {
    TestRandom random(one_field ? 1 : 2);
    const Schema schema = Schema::parse(one_field ? kAllKeys : kSeveralFields);
    Index index = Index::in_memory(schema);
    Documents documents;
    fill_in(index, documents, random, one_field);
    compare_with(index, Oracle(schema), documents, random, one_field);
  }
}

TEST(SearchKeys, FindsWhatBruteForceFindsInAFolderThatIsOpenedAgain) {
  for (const bool one_field : {true, false}) {
    TestRandom random(one_field ? 3 : 4);
    const TestFolder folder;
    const Schema schema = Schema::parse(one_field ? kAllKeys : kSeveralFields);
    Documents documents;
    {
      Index index =
          Index::open(folder / "index", {.create_with = schema, .memtable_bytes = 20'000});
      fill_in(index, documents, random, one_field);
    }
    Index index = Index::open(folder / "index");  // from segments and a log
    compare_with(index, Oracle(schema), documents, random, one_field);
    index.compact();
    index.verify();
    compare_with(index, Oracle(schema), documents, random, one_field);
  }
}

// A repair reads the records, which have no keys, and makes the tables anew.
TEST(SearchKeys, FindsWhatBruteForceFindsAfterARepair) {
  TestRandom random(6);
  const TestFolder folder;
  const Schema schema = Schema::parse(kSeveralFields);
  Documents documents;
  {
    Index index = Index::open(folder / "index", {.create_with = schema});
    fill_in(index, documents, random, false);
    index.compact();
  }
  ASSERT_TRUE(std::filesystem::remove(folder / "index/MANIFEST"));
  repair_index(folder / "index");
  Index index = Index::open(folder / "index");
  index.verify();
  compare_with(index, Oracle(schema), documents, random, false);
}

TEST(SearchKeys, FindsWhatBruteForceFindsInRedis) {
  if (const std::string missing = why_no_redis(); !missing.empty()) GTEST_SKIP() << missing;
  const RedisServer server;
  TestRandom random(5);
  const Schema schema = Schema::parse(kSeveralFields);
  Index index = Index::open(server.url("keys"),
                            {.create_with = schema, .server = {.expected_documents = 200}});
  Documents documents;
  fill_in(index, documents, random, false);
  compare_with(index, Oracle(schema), documents, random, false);
  index.verify();
}

// Of 100 pairs that are found with a probability of 0.99 at least, fewer than 93 are found once in
// 120,000 times, and fewer than 386 of 400 once in 57,000 times (the tail of the binomial
// distribution).
constexpr std::uint64_t least_hits(std::uint64_t pairs) { return pairs == 100 ? 93 : 386; }

// The recall of the planned keys at the threshold, at sizes of 1 : 1 to 1 : 1,000, from both sides.
TEST(SearchKeys, FindsSetsOfAllSizesAtTheThreshold) {
  constexpr std::uint64_t kSmall = 20;
  constexpr std::uint64_t kShared = 16;
  for (const std::uint64_t ratio : {1, 10, 1000}) {
    const std::uint64_t pairs = ratio == 1000 ? 100 : 400;
    for (const bool query_is_small : {true, false}) {
      Index index = Index::in_memory(sets());
      std::vector<Document> queries;
      std::vector<Document> stored;
      for (std::uint64_t pair = 0; pair < pairs; ++pair) {
        const std::uint64_t first = pair * 100'000;
        Document small = set_of("", first, kSmall);
        Document large = set_of("", first + kSmall - kShared, kSmall * ratio);
        if (!query_is_small) std::swap(small, large);
        queries.push_back(std::move(small));
        large.id = std::to_string(pair);
        stored.push_back(std::move(large));
        if (stored.size() < 50) continue;
        index.index_documents(stored);
        stored.clear();
      }
      const auto found = index.find_similar_documents(queries, {});
      std::uint64_t hits = 0;
      for (std::uint64_t pair = 0; pair < pairs; ++pair) {
        ASSERT_LE(found[pair].size(), 1U);
        if (found[pair].empty()) continue;
        ++hits;
        const Match& match = found[pair][0];
        EXPECT_EQ(match.id, std::to_string(pair));
        EXPECT_EQ(match.score, 0.8);
        const double of_large = 16.0 / static_cast<double>(kSmall * ratio);
        EXPECT_EQ(match.fields[0].shares,
                  query_is_small ? (Shares{0.8, of_large}) : (Shares{of_large, 0.8}));
      }
      EXPECT_GE(hits, least_hits(pairs)) << ratio << " " << query_is_small;
    }
  }
}

// Larger sets share more keys, so that more of them can be asked for. That costs no recall.
TEST(SearchKeys, ComparesFewStrangersAndMissesFewSets) {
  constexpr std::uint64_t kPairs = 400;
  Index index = Index::in_memory(sets());
  std::vector<Document> stored, queries, strangers;
  for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
    stored.push_back(set_of(std::to_string(pair), pair * 10'000, 1000));
    queries.push_back(set_of("", pair * 10'000 + 200, 1000));    // 800 in common
    strangers.push_back(set_of("", pair * 10'000 + 900, 1000));  // 100 in common
  }
  index.index_documents(stored);
  SimilarCounts counts;
  std::uint64_t hits = 0;
  for (const auto& found : index.find_similar_documents(queries, {.counts = &counts}))
    hits += found.size();
  EXPECT_GE(hits, least_hits(kPairs));
  // Different features have the same key of 32 bits once in 2^32: 9 times here.
  EXPECT_LE(counts.candidates, kPairs + 40);
  counts = {};
  index.find_similar_documents(strangers, {.counts = &counts});
  EXPECT_GE(counts.candidates, kPairs);  // they share some keys
  EXPECT_EQ(counts.compared, 0U);
}

// Sets of fewer than 20 features are stored under all of them.
TEST(SearchKeys, FindsSmallSetsInLargeQueriesForCertain) {
  Index index = Index::in_memory(sets());
  std::vector<Document> stored;
  for (std::uint64_t i = 0; i < 300; ++i) stored.push_back(set_of(std::to_string(i), i * 100, 5));
  index.index_documents(stored);
  for (std::uint64_t i = 0; i < 300; ++i) {
    const auto found = index.find_similar_documents(set_of("", i * 100 + 1, 90), {.explain = true});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].score, 0.8);
    EXPECT_EQ(found[0].found_probability, 1);
    EXPECT_EQ(found[0].fields[0].explanation->keys, 5U);
    EXPECT_EQ(found[0].fields[0].explanation->bands.size(), 4U);
    EXPECT_EQ(found[0].fields[0].overlap, (Overlap{4, 5}));
  }
}

TEST(SearchKeys, SaysHowLikelyAPairIsFound) {
  Index index = Index::in_memory(sets());
  index.index_documents({set_of("large", 0, 5000)});
  EXPECT_NEAR(index.expected_recall(Threshold::parse("0.8")), 1 - std::pow(0.749, 16), 1e-12);
  EXPECT_EQ(index.floor_recall(), 1);
  // A query of 5 features has fewer chances than one of 20.
  std::vector<Match> found;
  for (std::uint64_t first = 0; found.empty(); first += 5)
    found = index.find_similar_documents(set_of("", first, 5), {.explain = true});
  EXPECT_NEAR(*found[0].found_probability, 1 - std::pow(0.749, 5), 1e-12);
  const ComparedDocuments compared =
      compare_documents(sets(), set_of("", 0, 20), set_of("", 4, 200));
  EXPECT_EQ(compared.score, 0.8);
  EXPECT_TRUE(compared.similar);
  EXPECT_EQ(compared.fields[0].shares, (Shares{0.8, 0.08}));
  EXPECT_NEAR(compared.found_probability, 1 - std::pow(0.749, 16), 1e-12);
}

TEST(SearchKeys, RefusesWhatContainmentCannotHave) {
  Index index = Index::in_memory(sets());
  index.index_documents({set_of("a", 0, 30), set_of("b", 0, 30)});
  EXPECT_THAT(
      error_of([&] { index.find_similar_documents(set_of("", 0, 9), {.exact = false}); }).what(),
      testing::HasSubstr("containment has none"));
  EXPECT_THAT(error_of([&] {
                index.find_similar_documents(set_of("", 0, 9), {.threshold = Threshold(0.5)});
              }).what(),
              testing::HasSubstr("is below 0.8"));
}

}  // namespace
}  // namespace benzer
