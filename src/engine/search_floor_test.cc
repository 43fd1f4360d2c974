// Tests that queries with a floor find the most similar documents of all, whatever the bands were
// planned for.
#include <atomic>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"
#include "store/redis_test_util.h"

namespace benzer {
namespace {

using FloorModel = std::map<std::string, Document>;

// Bands that find next to nothing below 0.8, and a cut that in practice loses nothing.
const char* const kOnlySimilar =
    "text=text:word2 | fss:128 | bands:16x6 | min:0.8 | recall:0.9999999";
const char* const kSeveral =
    "title=text:word1;w=2 | body=text:word2 | tags=values;w=0.5 | lang=string | fss:128 | "
    "bands:16x6 | min:0.8 | recall:0.9999999";

SimilarOptions most_similar(const char* floor, std::size_t limit = 10) {
  SimilarOptions out;
  out.floor = Threshold::parse(floor);
  out.limit = limit;
  return out;
}

// Puts in documents, among them many copies, replaces some and removes others.
void fill(Index& index, FloorModel& model, TestRandom& random, int rounds, bool one_field) {
  int next = 0;
  for (int round = 0; round < rounds; ++round) {
    index_batch(index, model, 60, [&] {
      const std::string id = std::to_string(random.below(8) == 0 ? random.below(50) : next++);
      if (!model.empty() && random.below(4) == 0) {
        Document copy = std::next(model.begin(), random.below(model.size()))->second;
        copy.id = id;
        return copy;
      }
      return some_document(id, random, one_field);
    });
    std::vector<std::string> removed;
    for (const auto& [id, document] : model)
      if (random.below(10) == 0) removed.push_back(id);
    index.remove(removed);
    for (const std::string& id : removed) model.erase(id);
  }
}

void check(const Index& index, const Oracle& oracle, const FloorModel& model, TestRandom& random,
           bool one_field, int count = 30) {
  std::vector<Document> queries;
  for (int i = 0; i < count; ++i) queries.push_back(some_document("", random, one_field));
  for (int i = 0; i < count / 10; ++i)
    queries.push_back(std::next(model.begin(), random.below(model.size()))->second);
  for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny}) {
    for (const auto& [floor, limit] :
         {std::pair{"0.01", 1}, {"0.05", 10}, {"0.2", 3}, {"0.3", 1000}, {"0.9", 10}}) {
      SimilarOptions options = most_similar(floor, limit);
      options.score = rule;
      const auto found = index.find_similar_documents(queries, options, 2);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        EXPECT_EQ(found[i], oracle.matches(model, queries[i], options));
        if (queries[i].id.empty()) continue;
        EXPECT_EQ(index.find_similar_to(queries[i].id, options), found[i]);
      }
    }
  }
}

TEST(SearchFloor, FindsTheMostSimilarInMemory) {
  for (const bool one_field : {true, false}) {
    TestRandom random(one_field ? 1 : 2);
    const Schema schema = Schema::parse(one_field ? kOnlySimilar : kSeveral);
    Index index = Index::in_memory(schema);
    const Oracle oracle(schema);
    FloorModel model;
    fill(index, model, random, 6, one_field);
    check(index, oracle, model, random, one_field);
  }
}

TEST(SearchFloor, FindsTheMostSimilarInSegments) {
  for (const bool one_field : {true, false}) {
    TestRandom random(one_field ? 3 : 4);
    const TestFolder folder;
    const Schema schema = Schema::parse(one_field ? kOnlySimilar : kSeveral);
    const Oracle oracle(schema);
    FloorModel model;
    Index index = Index::open(folder / "index", {.create_with = schema});
    for (int round = 0; round < 3; ++round) {
      std::vector<Document> documents;
      for (int i = 0; i < 50; ++i) {
        documents.push_back(some_document(fmt::format("{}-{}", round, i % 40), random, one_field));
        model[documents.back().id] = documents.back();
      }
      {
        BulkLoad load = index.bulk_load();  // makes a segment
        load.add(documents);
        load.finish();
      }
      fill(index, model, random, 1, one_field);
    }
    EXPECT_GE(index.stats().segments, 1u);  // they are merged in the background
    check(index, oracle, model, random, one_field);
  }
}

class SearchFloorRedisTest : public RedisTest {};

TEST_F(SearchFloorRedisTest, FindsTheMostSimilar) {
  TestRandom random(5);
  const RedisServer server;
  const Schema schema = Schema::parse(kSeveral);
  Index index = Index::open(server.url("floor"),
                            {.create_with = schema, .server = {.expected_documents = 400}});
  const Oracle oracle(schema);
  FloorModel model;
  fill(index, model, random, 4, false);
  check(index, oracle, model, random, false, 10);
}

TEST(SearchFloor, FindsFromSketchesWithoutPositions) {
  TestRandom random(6);
  const Schema schema = Schema::parse("text=text:word2 | bottomk:128 | min:0.8");
  Index index = Index::in_memory(schema);
  EXPECT_EQ(index.floor_recall(), 1);
  FloorModel model;
  fill(index, model, random, 3, true);
  check(index, Oracle(schema), model, random, true);
}

// Texts of many words, so that most documents are ruled out by their signatures.
Document long_document(std::string id, TestRandom& random, const std::string& base) {
  std::string text = base;
  const std::uint64_t words = 20 + random.below(200);
  for (std::uint64_t i = 0; i < words; ++i)
    text += "w" + std::to_string(random.below(100'000)) + " ";
  return {std::move(id), {Field::of_text("text", std::move(text))}};
}

// The cut may lose a hundredth of what the recall allows: here 0.4 % of the true answers.
TEST(SearchFloor, MissesNoMoreThanItSays) {
  TestRandom random(7);
  const Schema schema =
      Schema::parse("text=text:word1 | fss:128 | bands:64x2 | min:0.5 | recall:0.6");
  Index index = Index::in_memory(schema);
  const Oracle oracle(schema);
  EXPECT_DOUBLE_EQ(index.floor_recall(), 0.996);
  std::string base;
  for (int i = 0; i < 100; ++i) base += "b" + std::to_string(i) + " ";
  FloorModel model;
  int next = 0;
  index_batch(index, model, 3000, [&] {
    return long_document(std::to_string(next++), random, random.below(4) == 0 ? base : "");
  });
  std::vector<Document> queries;
  for (int i = 0; i < 60; ++i) queries.push_back(long_document("", random, base));
  SimilarCounts counts;
  SimilarOptions options = most_similar("0.1", 100);
  options.counts = &counts;
  const auto found = index.find_similar_documents(queries, options);
  std::size_t wanted = 0, missed = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::set<std::string> ids;
    for (const Match& match : found[i]) ids.insert(match.id);
    for (const Match& match : oracle.matches(model, queries[i], options)) {
      ++wanted;
      missed += !ids.contains(match.id);
    }
  }
  EXPECT_EQ(wanted, 6000u);
  EXPECT_LE(missed, 24u + 20);  // four standard errors
  EXPECT_EQ(counts.candidates, 60u * 3000);
  EXPECT_LT(counts.compared, 60u * 1000);  // the signatures rule the others out
}

// The worst matches are discarded when there are very many, and copies share their fields.
TEST(SearchFloor, KeepsTheBestOfVeryMany) {
  const Schema schema = Schema::parse("text=text:word1 | min:0.8 | recall:0.9999999");
  Index index = Index::in_memory(schema);
  std::vector<Document> documents;
  // In ascending order of their scores, and more than are looked at in one piece.
  for (int i = 1; i <= 20'000; ++i) {
    std::string text;
    for (int word = 0; word < 1 + i / 1000; ++word) text += "w" + std::to_string(word) + " ";
    if (i % 2 == 0) text += "x" + std::to_string(i);
    documents.push_back({std::to_string(i), {Field::of_text("text", text)}});
  }
  index.index_documents(documents);
  FloorModel model;
  for (const Document& document : documents) model[document.id] = document;
  std::string text;
  for (int word = 0; word < 40; ++word) text += "w" + std::to_string(word) + " ";
  const Document query{"", {Field::of_text("text", text)}};
  for (const std::size_t limit : {1, 7, 2000}) {
    const SimilarOptions options = most_similar("0.01", limit);
    EXPECT_EQ(index.find_similar_documents(query, options),
              Oracle(schema).matches(model, query, options));
  }
}

TEST(SearchFloor, ConditionsAndExplanations) {
  const Schema schema = Schema::parse("text=text:word1 | lang=string | min:0.8");
  Index index = Index::in_memory(schema);
  const auto put = [&](const char* id, const char* text, const char* lang) {
    index.index_documents({{id, {Field::of_text("text", text)}, {{"lang", lang}}}});
  };
  put("a", "one two three four", "en");
  put("b", "one two five six", "de");
  put("c", "one two five six", "en");
  put("d", "seven", "en");
  const Document query{"", {Field::of_text("text", "one two three")}};
  SimilarOptions options = most_similar("0.1");
  options.where = {Condition::parse("lang = en")};
  options.explain = true;
  const std::vector<Match> found = index.find_similar_documents(query, options);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "a");
  EXPECT_EQ(found[1].id, "c");
  EXPECT_EQ(found[1].score, 0.4);
  EXPECT_GE(found[1].found_probability, index.floor_recall());
}

TEST(SearchFloor, IsRefusedWhereItMeansNothing) {
  const Document document{"a", {Field::of_text("text", "one two")}};
  Index index = Index::in_memory(Schema::parse(kOnlySimilar));
  SimilarOptions options = most_similar("0.1");
  EXPECT_EQ(error_of([&] { index.check_and_add(document, options); }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(index.contains("a"));
  options.threshold = Threshold::parse("0.9");
  EXPECT_EQ(error_of([&] { index.find_similar_documents(document, options); }).code(),
            ErrorCode::kInvalidArgument);
  options.threshold = {};
  options.exact = false;
  EXPECT_EQ(error_of([&] { index.find_similar_documents(document, options); }).code(),
            ErrorCode::kInvalidArgument);
}

TEST(SearchFloor, Stops) {
  Index index = Index::in_memory(Schema::parse(kOnlySimilar));
  const Document document{"a", {Field::of_text("text", "one two")}};
  index.index_documents({document});
  std::atomic<bool> stop{true};
  SimilarOptions options = most_similar("0.1");
  options.stop = &stop;
  EXPECT_EQ(error_of([&] { index.find_similar_to("a", options); }).code(), ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace benzer
