// Tests an index with each of the sketches of the documents that Benzer grew from.
#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/sketch.h"

#include "base/test_random.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using Documents = std::map<std::string, Document>;

class IndexSketches : public testing::TestWithParam<const char*> {
 protected:
  // Bands of one row miss next to nothing, and sketches without positions need no bands.
  static Schema schema(bool one_field) {
    const std::string sketch = GetParam();
    const std::string bands = SketchSpec::parse(sketch).has_positions() ? " | bands:128x1" : "";
    return Schema::parse(std::string(one_field ? "text=text:word2"
                                               : "title=text:word1;w=2 | body=text:word2 | "
                                                 "tags=values;w=0.5") +
                         " | " + sketch + bands + " | min:0.3 | recall:0.999999");
  }
};
INSTANTIATE_TEST_SUITE_P(Each, IndexSketches,
                         testing::Values("linear:128", "mod-prime:128", "multiply-shift:128",
                                         "java-random:128+max", "bottomk:128", "single:64"));

void expect_as_brute_force(const Index& index, const Documents& documents, const Oracle& oracle,
                           TestRandom& random, bool one_field) {
  for (int i = 0; i < 40; ++i) {
    Document query = some_document("", random, one_field);
    if (i % 2 == 0)
      query = std::next(documents.begin(), static_cast<int>(random.below(50)))->second;
    SimilarOptions options;
    options.limit = 1000;
    options.threshold = Threshold::parse(i % 3 == 0 ? "0.3" : "0.6");
    const auto found = index.find_similar_documents(query, options);
    EXPECT_EQ(found, oracle.matches(documents, query, options));
  }
}

TEST_P(IndexSketches, FindsWhatBruteForceFindsInMemoryAndOnDisk) {
  for (const bool one_field : {true, false}) {
    const Schema with = schema(one_field);
    const Oracle oracle(with.completed());
    TestRandom random(one_field);
    TestFolder folder;
    Documents documents;
    Index memory = Index::in_memory(with);
    {
      Index disk = Index::open(folder / "store", {.create_with = with, .memtable_bytes = 20'000});
      for (int round = 0; round < 4; ++round) {
        std::vector<Document> batch;
        for (int i = 0; i < 60; ++i) {
          Document document =
              some_document("id-" + std::to_string(random.below(120)), random, one_field);
          documents[document.id] = document;
          batch.push_back(std::move(document));
        }
        memory.index_documents(batch);
        disk.index_documents(batch);
        const std::string gone = documents.begin()->first;
        documents.erase(gone);
        EXPECT_EQ(memory.remove({gone}), std::vector<bool>{true});
        EXPECT_EQ(disk.remove({gone}), std::vector<bool>{true});
      }
      expect_as_brute_force(memory, documents, oracle, random, one_field);
      expect_as_brute_force(disk, documents, oracle, random, one_field);
      disk.compact();
      disk.verify();
    }
    const Index again = Index::open(folder / "store", {.read_only = true});
    EXPECT_EQ(again.schema(), with.completed());
    expect_as_brute_force(again, documents, oracle, random, one_field);
  }
}

TEST_P(IndexSketches, EstimatesAndExplains) {
  Index index = Index::in_memory(schema(true));
  const Document a{"a", {Field::of_text("text", "one two three four five six seven eight nine")}};
  const Document b{"b", {Field::of_text("text", "one two three four five six seven eight ten")}};
  index.index_documents({a, b});
  // Seven of nine pairs of words are common.
  const Match exact = index.find_similar_to("a", {.explain = true}).at(0);
  EXPECT_EQ(exact.score, 7.0 / 9);
  ASSERT_TRUE(exact.fields.at(0).explanation);
  EXPECT_FALSE(exact.fields[0].explanation->bands.empty());
  EXPECT_NEAR(*exact.found_probability, 1, 1e-6);
  const std::vector<Match> estimated = index.find_similar_to("a", {.exact = false});
  const std::string sketch = GetParam();
  if (sketch.starts_with("single")) {  // seven common values of 64, which is below the threshold
    EXPECT_TRUE(estimated.empty());
    return;
  }
  ASSERT_EQ(estimated.size(), 1U);
  EXPECT_FALSE(estimated[0].exact);
  // A bottomk sketch holds all features of a set that is smaller than it.
  EXPECT_NEAR(estimated[0].score, 7.0 / 9, sketch.starts_with("bottomk") ? 0 : 0.25);
}

TEST(IndexSketchesTest, ValuesWithoutPositionsHaveNoBands) {
  EXPECT_EQ(Schema::parse("v=values | bottomk:50").completed().str(),
            "v=values | bottomk:50 | bands:50x1 | min:0.8 | recall:0.99");
  EXPECT_EQ(Schema::parse("v=values | single:50 | bands:50x1").completed().banding,
            (Banding{50, 1}));
  EXPECT_THROW(Schema::parse("v=values | single:50 | bands:10x5").completed(), Error);
  // 1 - 0.2^2 is less than 0.99.
  EXPECT_THROW(Schema::parse("v=values | single:2 | min:0.8").completed(), Error);
  EXPECT_NO_THROW(Schema::parse("v=values | single:3 | min:0.8").completed());
}

// A document with fewer features than the sketch has slots has fewer keys. The marks for its
// missing keys must not match those of other documents.
TEST(IndexSketchesTest, SmallSetsMeetByTheirValuesAlone) {
  Index index = Index::in_memory(Schema::parse("v=values | single:50 | min:0.1 | recall:0.9"));
  index.index_documents({{"x", {Field::of_values("v", {"one"})}},
                         {"y", {Field::of_values("v", {"two"})}},
                         {"z", {Field::of_values("v", {"two", "three"})}}});
  EXPECT_TRUE(index.find_similar_to("x").empty());
  ASSERT_EQ(index.find_similar_to("y").size(), 1U);
  EXPECT_EQ(index.find_similar_to("y")[0].score, 0.5);
  const std::vector<std::uint32_t> keys = index.get("z")->fields[0].keys;
  EXPECT_EQ(keys.size(), 2U);
}

}  // namespace
}  // namespace benzer
