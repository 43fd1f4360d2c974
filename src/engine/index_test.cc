#include "benzer/index.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "benzer/compare.h"
#include "benzer/error.h"

#include "base/sanitized.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

std::vector<std::string> ids(const std::vector<Match>& matches) {
  std::vector<std::string> out;
  for (const Match& match : matches) out.push_back(match.id);
  return out;
}

TEST(Index, IsBruteForceOverAMap) {
  for (const bool one_field : {true, false}) {
    const Schema schema = Schema::parse(one_field ? kOneField : kFields);
    const Oracle oracle(schema);
    TestRandom random(one_field ? 1 : 2);
    Index index = Index::in_memory(schema);
    std::map<std::string, Document> model;
    for (int round = 0; round < (kSanitized ? 5 : 12); ++round) {
      std::vector<Document> batch;
      std::vector<IndexResult> wanted;
      std::set<std::string> known;
      for (const auto& [id, document] : model) known.insert(id);
      for (int i = 0; i < 25; ++i) {
        batch.push_back(some_document("d" + std::to_string(random.below(80)), random, one_field));
        wanted.push_back({known.insert(batch.back().id).second ? IndexResult::Outcome::kInserted
                                                               : IndexResult::Outcome::kReplaced,
                          "", Durability::kMemory});
        model[batch.back().id] = batch.back();
      }
      EXPECT_EQ(index.index_documents(batch, 1 + round % 3), wanted);
      for (int i = 0; i < 5; ++i) {
        const std::string id = "d" + std::to_string(random.below(80));
        EXPECT_EQ(index.remove({id}), std::vector<bool>{model.erase(id) == 1});
      }
      ASSERT_EQ(index.size(), model.size());

      for (const ScoreRule rule : {ScoreRule::kMean, ScoreRule::kAll, ScoreRule::kAny}) {
        for (const char* threshold : {"0.3", "0.5", "0.75", "1"}) {
          const SimilarOptions options{.threshold = Threshold::parse(threshold),
                                       .limit = 1 + random.below(30),
                                       .score = rule};
          std::vector<Document> queries;
          for (int i = 0; i < 5; ++i)
            queries.push_back(
                some_document(i == 0 ? "" : "d" + std::to_string(i), random, one_field));
          const auto found = index.find_similar_documents(queries, options, 2);
          for (std::size_t i = 0; i < queries.size(); ++i) {
            EXPECT_EQ(found[i], oracle.matches(model, queries[i], options));
            EXPECT_EQ(index.find_similar_documents(queries[i], options), found[i]);
          }
          const auto& [id, document] = *model.begin();
          EXPECT_EQ(index.find_similar_to(id, options), oracle.matches(model, document, options));
        }
      }
    }
  }
}

// Although it takes room until it is removed.
TEST(Index, WhatHasExpiredIsNotThereWhenItIsReplacedOrRemoved) {
  const TestFolder folder;
  const Schema schema = Schema::parse("text=text:word2 | expires_at=time");
  const auto document = [](std::string id, const char* expires_at) {
    return Document{std::move(id),
                    {Field::of_text("text", "some words that are put in")},
                    {{"expires_at", expires_at}}};
  };
  using enum IndexResult::Outcome;
  for (const bool in_memory : {true, false}) {
    Index index = in_memory ? Index::in_memory(schema)
                            : Index::open(folder / "index", {.create_with = schema});
    index.index_documents({document("a", "2001-01-01"), document("b", "2001-01-01"),
                           document("c", "2100-01-01"), document("d", "2001-01-01")});
    std::vector<IndexResult::Outcome> outcomes;
    for (const IndexResult& result : index.index_documents(
             {document("a", "2100-01-01"), document("a", "2100-01-01"), document("c", "2100-01-01"),
              document("d", "2001-01-01"), document("e", "2100-01-01")}))
      outcomes.push_back(result.outcome);
    EXPECT_EQ(outcomes, (std::vector{kInserted, kReplaced, kReplaced, kInserted, kInserted}));
    EXPECT_EQ(index.size(), 5U);
    EXPECT_EQ(index.remove({"b", "c", "b", "c", "d"}),
              (std::vector<bool>{false, true, false, false, false}));
    EXPECT_EQ(index.size(), 2U) << "what has expired is removed all the same";
  }
}

TEST(Index, AClusterSaysWhenItsKeeperExpires) {
  Index index = Index::in_memory(Schema::parse("text=text:word2 | expires_at=time"));
  const std::vector<Field> text = {Field::of_text("text", "some words that are put in")};
  const std::vector<Field> other = {Field::of_text("text", "others that are not like these")};
  index.index_documents({{"keeper", text, {{"expires_at", "2100-01-01T01:00:00+01:00"}}},
                         {"stays", text},
                         {"x", other},
                         {"y", other, {{"expires_at", "2100-01-01"}}}});
  std::map<std::string, std::string> found;
  for (const Clustering way : {Clustering::kLeader, Clustering::kComponents}) {
    index.for_each_cluster({.clustering = way}, [&](const IndexCluster& cluster) {
      found[cluster.keeper] = cluster.keeper_expires_at;
    });
    EXPECT_EQ(found,
              (std::map<std::string, std::string>{{"keeper", "2100-01-01T00:00:00Z"}, {"x", ""}}));
  }
}

TEST(Index, IsThereAgainWhenItIsOpenedAgain) {
  const TestFolder folder;
  const std::string path = folder / "store";
  EXPECT_THROW(Index::open(path), Error);
  const Schema schema = Schema::parse(kFields);
  const Oracle oracle(schema);
  TestRandom random(7);
  std::map<std::string, Document> model;
  for (int round = 0; round < 6; ++round) {
    OpenOptions options{.durability = Durability::kBatch, .memtable_bytes = 40'000};
    if (round % 2 == 0) options.create_with = schema;
    Index index = Index::open(path, options);
    EXPECT_EQ(index.schema(), schema.completed());
    EXPECT_EQ(index.durability(), Durability::kBatch);
    for (int batch = 0; batch < 5; ++batch) {
      index_batch(index, model, 20, [&] {
        return some_document("d" + std::to_string(random.below(150)), random, false);
      });
      const std::string id = "d" + std::to_string(random.below(150));
      EXPECT_EQ(index.remove({id})[0], model.erase(id) == 1);
    }
    if (round == 3) index.compact();
    index.verify();
    for (int i = 0; i < 10; ++i) {
      const Document query = some_document("", random, false);
      EXPECT_EQ(index.find_similar_documents(query), oracle.matches(model, query, {}));
    }
    EXPECT_EQ(index.stats().documents, model.size());
  }
  EXPECT_THROW(Index::open(path, {.create_with = Schema()}), Error);
  Index reading = Index::open(path, {.read_only = true});
  EXPECT_EQ(reading.size(), model.size());
  EXPECT_THROW(reading.remove({"a"}), Error);
  EXPECT_THROW(reading.put_decision({}), Error);
  EXPECT_THROW(reading.remove_decision(1, 1), Error);
}

TEST(Index, TakesTheDocumentsOfACorpusInMemory) {
  const Schema schema = Schema::parse("tags=values | min:0.5");
  MemoryCorpus corpus;
  corpus.add_values("a", {"x", "y", "z"});
  corpus.add_values("b", {"x", "y", "z", "w"});
  Index index = Index::in_memory(schema);
  read_documents(corpus, schema, 1,
                 [&](std::vector<Document>& batch) { index.index_documents(batch); });
  EXPECT_EQ(index.find_similar_to("a").at(0).id, "b");
}

TEST(Index, StopsInTheMiddleOfALongText) {
  const TestFolder folder;
  std::atomic<bool> stop{false};
  Index index =
      Index::open(folder / "store", {.create_with = Schema::parse(kOneField), .stop = &stop});
  const auto text = [](const std::string& words) { return Field::of_text("text", words); };
  index.index_documents({{"a", {text("one two three four five six")}}});
  stop = true;
  std::string words;
  while (words.size() < (4 << 20)) words += std::to_string(words.size()) + " ";
  const Document longer = {"b", {text(words)}};
  const auto interrupted = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code() == ErrorCode::kInterrupted;
    }
    return false;
  };
  EXPECT_TRUE(interrupted([&] { index.index_documents({longer}, 2); }));
  EXPECT_TRUE(interrupted([&] { index.bulk_load().add({longer}); }));
  EXPECT_TRUE(interrupted([&] { index.check_and_add(longer); }));
  EXPECT_TRUE(interrupted([&] { index.find_similar_documents(longer); }));
  stop = false;
  EXPECT_EQ(index.size(), 1);
  index.index_documents({longer});
  EXPECT_EQ(index.size(), 2);
}

TEST(Index, EstimatesAreNearWhatIsTrue) {
  const Schema schema = Schema::parse("text=text:word1 | fss:1024 | bands:256x2 | min:0.4");
  Index index = Index::in_memory(schema);
  TestRandom random(3);
  std::string shared, rest;
  for (int i = 0; i < 700; ++i) shared += "s" + std::to_string(i) + " ";
  for (int i = 0; i < 300; ++i) rest += "r" + std::to_string(i) + " ";
  index.index_documents({{"a", {Field::of_text("text", shared + rest)}}});
  const Document query{"", {Field::of_text("text", shared)}};
  const auto exact = index.find_similar_documents(query);
  const auto estimated = index.find_similar_documents(query, {.exact = false});
  ASSERT_EQ(exact.size(), 1U);
  ASSERT_EQ(estimated.size(), 1U);
  EXPECT_EQ(exact[0].score, 0.7);
  EXPECT_TRUE(exact[0].exact);
  EXPECT_FALSE(estimated[0].exact);
  // The standard error of 1024 slots of 4 bits is 0.0146 here.
  EXPECT_NEAR(estimated[0].score, 0.7, 4 * 0.0146);
  EXPECT_EQ(estimated[0].fields[0].overlap, Overlap());
}

TEST(Index, FindsWhatItPromises) {
  // Pairs of 80 shared features of 100, exactly at the threshold of a default plan.
  Index index = Index::in_memory(Schema::parse("text=values"));
  constexpr int kPairs = 2000;
  std::vector<Document> left, right;
  for (int pair = 0; pair < kPairs; ++pair) {
    std::vector<std::string> x, y;
    for (int i = 0; i < 100; ++i) {
      const std::string value = std::to_string(pair) + "-" + std::to_string(i);
      if (i < 90) x.push_back(value);
      if (i < 80 || i >= 90) y.push_back(value);
    }
    left.push_back({"l" + std::to_string(pair), {Field::of_values("text", x)}});
    right.push_back({"r" + std::to_string(pair), {Field::of_values("text", y)}});
  }
  index.index_documents(left);
  int found = 0;
  const auto matches = index.find_similar_documents(right);
  for (int pair = 0; pair < kPairs; ++pair)
    found += ids(matches[static_cast<std::size_t>(pair)]) ==
             std::vector<std::string>{left[static_cast<std::size_t>(pair)].id};
  EXPECT_EQ(index.expected_recall(Threshold::parse("0.8")) > 0.99, true);
  // 5 standard deviations below 0.99.
  EXPECT_GE(found, kPairs * (0.99 - 5 * 0.0022));
}

TEST(Index, RefusesWhatItCannotTake) {
  Index index = Index::in_memory(Schema::parse("title=text:word1 | tags=values"));
  const std::vector<Document> documents = {
      {"", {Field::of_text("title", "a")}},
      {"a", {Field::of_text("titel", "a")}},
      {"b", {Field::of_text("title", "a"), Field::of_text("title", "b")}},
      {"c", {Field::of_values("title", {"a"})}},
      {"d", {Field::of_text("tags", "a")}},
      {std::string(65'536, 'x'), {}},
      {"e", {}},
  };
  const char* const problems[] = {
      "the document has no id",
      "the document has a field \"titel\" that the schema does not have",
      "the document has the field \"title\" twice",
      "the field \"title\" is a text, and the document has values",
      "the field \"tags\" is a value set, and the document has a text",
      "has 65536 bytes; allowed are 65535"};
  const std::vector<IndexResult> results = index.index_documents(documents);
  for (std::size_t i = 0; i < std::size(problems); ++i) {
    EXPECT_EQ(results[i].outcome, IndexResult::Outcome::kRefused);
    EXPECT_NE(results[i].problem.find(problems[i]), std::string::npos) << results[i].problem;
    if (i > 0) {
      EXPECT_THROW(index.find_similar_documents(documents[i]), Error);
    }
    EXPECT_THROW(index.check_and_add(documents[i]), Error);
  }
  EXPECT_EQ(results.back(), (IndexResult{.reached = Durability::kMemory}));
  EXPECT_EQ(index.size(), 1U);
  for (const int replicas : {-1, 0, 101})  // before a server is asked
    EXPECT_THROW(Index::open("redis://nowhere/n",
                             {.durability = WriteLevel(Durability::kReplicas, replicas)}),
                 Error);
  EXPECT_THROW(index.find_similar_to("nobody"), Error);
  EXPECT_THROW(index.find_similar_documents(Document(), {.threshold = 0.79}), Error);
  EXPECT_TRUE(
      index.find_similar_documents(Document(), {.threshold = 0.79, .allow_low_recall = true})
          .empty());
}

TEST(Index, TheEmptySetIsSimilarToNothing) {
  Index index = Index::in_memory(Schema());
  index.index_documents(
      {{"a", {Field::of_text("text", "")}}, {"b", {Field::of_text("text", ". !")}}});
  EXPECT_TRUE(index.find_similar_to("a").empty());
  EXPECT_TRUE(index.find_similar_documents(Document()).empty());
  EXPECT_TRUE(index.check_and_add({"c", {}}).added);
}

TEST(Index, TellsWhatItHolds) {
  Index index = Index::in_memory(Schema::parse("title=text:word1 | tags=values | min:0.5"));
  index.index_documents(
      {{"a", {Field::of_text("title", "one two one"), Field::of_values("tags", {})}},
       {"b", {Field::of_values("tags", {"x", "y", "z"})}}});
  const auto a = index.get("a");
  ASSERT_TRUE(a);
  ASSERT_EQ(a->fields.size(), 1U);
  EXPECT_EQ(a->fields[0].field, "title");
  EXPECT_EQ(a->fields[0].features, 2U);
  EXPECT_EQ(a->fields[0].keys.size(), static_cast<std::size_t>(index.schema().banding->bands));
  EXPECT_FALSE(index.get("c"));
  EXPECT_TRUE(index.contains("b"));
  std::set<std::string> seen;
  index.for_each_id([&](std::string_view id) { seen.emplace(id); });
  EXPECT_EQ(seen, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(index.stats().documents, 2U);
  EXPECT_GT(index.stats().table_bytes, 0U);
}

// Several threads add the same stories, and only one of them succeeds with each story.
TEST(Index, CheckAndAddIsOneStep) {
  Index index = Index::in_memory(Schema::parse("text=text:word1"));
  constexpr int kThreads = 4;
  constexpr int kStories = 100;
  std::atomic<int> added{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int story = 0; story < kStories; ++story) {
        std::string text;
        for (int word = 0; word < 20; ++word)
          text += "s" + std::to_string(story) + "w" + std::to_string(word) + " ";
        const CheckResult result = index.check_and_add(
            {std::to_string(thread) + "/" + std::to_string(story), {Field::of_text("text", text)}});
        added += result.added;
        EXPECT_EQ(result.matches.size(), result.added ? 0U : 1U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(added, kStories);
  EXPECT_EQ(index.size(), static_cast<std::uint64_t>(kStories));
}

TEST(Index, TakesManyReadersAndWriters) {
  Index index = Index::in_memory(Schema::parse(kOneField));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      TestRandom random(static_cast<std::uint64_t>(thread));
      for (int i = 0; i < 60; ++i) {
        const std::string id = "d" + std::to_string(random.below(30));
        const Document document = some_document(id, random, true);
        if (thread < 2) {
          index.index_documents({document, some_document(id + "x", random, true)});
          if (i % 3 == 0) index.remove({id});
        } else {
          for (const Match& match : index.find_similar_documents(document))
            EXPECT_NE(match.id, document.id);
          index.get(id);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(index.size(), 60U);
}

TEST(Index, HashedDocumentsAreAsThoseThatItHashesItself) {
  TestRandom random(7);
  std::vector<Document> documents;
  for (int i = 0; i < 300; ++i)
    documents.push_back(some_document(std::to_string(i % 250), random, true));
  documents.push_back({"", {Field::of_text("text", "without an id")}});
  Index whole = Index::in_memory(Schema::parse(kOneField));
  Index in_two_steps = Index::in_memory(Schema::parse(kOneField));
  HashedDocuments hashed = in_two_steps.hash_documents(documents, 2);
  EXPECT_EQ(in_two_steps.size(), 0U);
  ASSERT_EQ(hashed.problems().size(), documents.size());
  for (std::size_t i = 0; i < documents.size(); ++i)
    EXPECT_EQ(hashed.problems()[i].empty(), !documents[i].id.empty());
  EXPECT_EQ(in_two_steps.index_documents(std::move(hashed)), whole.index_documents(documents));
  for (const Document& document : documents)
    EXPECT_EQ(in_two_steps.find_similar_documents(document),
              whole.find_similar_documents(document));

  const Document added{"new", {Field::of_text("text", "quite another text")}};
  EXPECT_TRUE(in_two_steps.check_and_add(added, in_two_steps.hash_documents({added})).added);
  EXPECT_FALSE(in_two_steps
                   .check_and_add({"newer", added.fields},
                                  in_two_steps.hash_documents({{"newer", added.fields}}))
                   .added);
  EXPECT_THROW(in_two_steps.check_and_add({}, in_two_steps.hash_documents({{}})), Error);
}

TEST(Index, HashesOfOtherDocumentsOrSchemasAreRefused) {
  TestRandom random(9);
  const Document one = some_document("one", random, true);
  const Document two = some_document("two", random, true);
  Index index = Index::in_memory(Schema::parse(kOneField));
  for (const char* const other :
       {"text=text:word3 | fss:128 | bands:128x1 | min:0.3 | recall:0.999999",
        "text=text:word2 | fss:128 | bands:64x1 | min:0.3 | recall:0.999999"}) {
    const Index stranger = Index::in_memory(Schema::parse(other));
    EXPECT_THROW(index.index_documents(stranger.hash_documents({one})), Error) << other;
    EXPECT_THROW(index.check_and_add(one, stranger.hash_documents({one})), Error) << other;
  }
  EXPECT_THROW(index.check_and_add(one, index.hash_documents({})), Error);
  EXPECT_THROW(index.check_and_add(one, index.hash_documents({one, two})), Error);
  EXPECT_THROW(index.check_and_add(one, index.hash_documents({two})), Error);
  EXPECT_EQ(index.size(), 0U);
  const Index equal = Index::in_memory(Schema::parse(kOneField));
  EXPECT_TRUE(index.check_and_add(one, equal.hash_documents({one})).added);
}

TEST(Index, WhatIsCheckedWithoutAWishForMatchesIsAddedOnlyIfItIsNew) {
  Index index = Index::in_memory(Schema::parse(kOneField));
  const std::vector<Field> text{Field::of_text("text", "one text of a few words")};
  for (const std::size_t limit : {0, 1, 10}) {
    const SimilarOptions options{.limit = limit};
    const CheckResult result = index.check_and_add({std::to_string(limit), text}, options);
    EXPECT_EQ(result.added, limit == 0);
    EXPECT_EQ(result.matches.size(), limit == 0 ? 0U : 1U);
    EXPECT_FALSE(index.check_and_add({"another", text}, {.limit = 0}).added);
    EXPECT_EQ(index.size(), 1U);
  }
}

TEST(Index, CallsEndWhenTheirFlagTurns) {
  TestRandom random(8);
  Index index = Index::in_memory(Schema::parse(kOneField));
  std::vector<Document> documents;
  for (int i = 0; i < 100; ++i) documents.push_back(some_document(std::to_string(i), random, true));
  index.index_documents(documents);
  const std::atomic<bool> stop{true};
  const SimilarOptions options{.stop = &stop};
  const Document& one = documents.front();
  const std::vector<std::pair<std::string_view, std::function<void()>>> calls = {
      {"hash", [&] { index.hash_documents(documents, 2, &stop); }},
      {"similar", [&] { index.find_similar_documents(one, options); }},
      {"batch", [&] { index.find_similar_documents(documents, options, 2); }},
      {"similar to", [&] { index.find_similar_to("7", options); }},
      {"check and add", [&] { index.check_and_add(documents[1], options); }},
      {"sample", [&] { index.sample(10, 0, &stop); }},
      {"compare",
       [&] { compare_documents(index.schema(), one, one, {}, ScoreRule::kMean, &stop); }},
  };
  for (const auto& [name, call] : calls) {
    try {
      call();
      ADD_FAILURE() << name << " did not end";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInterrupted) << name;
    }
  }
  EXPECT_EQ(index.size(), 100U);
  EXPECT_FALSE(index.find_similar_to("7").empty());  // and the next call has its own flag
}

}  // namespace
}  // namespace benzer
