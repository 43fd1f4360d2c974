// labels: features dedup engine
// Tests that text rules of the program work in runs and in indexes, and leave nothing half written
// when they fail.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/compare.h"
#include "benzer/dedup.h"
#include "benzer/index.h"

#include "base/error_test_util.h"
#include "features/text_rules_test_util.h"
#include "io/io_test_util.h"
#include "store/disk/store_folder.h"

namespace benzer {
namespace {

using testing::HasSubstr;

class OwnRule : public testing::Test {
 protected:
  void SetUp() override { register_test_rules(); }
};

const char* const kTexts[] = {"The quick brown fox jumps over the lazy dog near the old river bank",
                              "The quick brown fox jumps over the lazy dog near the old river bend",
                              "A cat sleeps on the warm stones of the harbour wall all afternoon"};

DedupResult deduplicated(std::string_view features) {
  MemoryCorpus corpus;
  for (int i = 0; i < 60; ++i)
    corpus.add_text(std::to_string(i),
                    std::string(kTexts[i % 3]) + " number " + std::to_string(i / 6));
  DedupOptions options;
  options.config = Config::parse(features);
  options.threshold = Threshold::parse("0.7");
  return deduplicate(corpus, options);
}

TEST_F(OwnRule, GivesARunTheResultOfTheSameWords) {
  for (const std::string modifiers : {"", "+bag", "+seed:4", "+drop-common:0.5"}) {
    const DedupResult own = deduplicated("own:ascii-words3" + modifiers);
    const DedupResult built_in = deduplicated("text:word3" + modifiers);
    EXPECT_EQ(own.kept, built_in.kept);
    ASSERT_EQ(own.removed.size(), built_in.removed.size());
    for (std::size_t i = 0; i < own.removed.size(); ++i) {
      EXPECT_EQ(own.removed[i].document, built_in.removed[i].document);
      EXPECT_EQ(own.removed[i].score, built_in.removed[i].score);
    }
    EXPECT_GT(own.removed.size(), 0U);
    EXPECT_THAT(own.counts.config.str(), HasSubstr("own:ascii-words3@1.0"));
  }
}

TEST_F(OwnRule, EndsARunThatItFailsIn) {
  MemoryCorpus corpus;
  for (int i = 0; i < 1000; ++i) corpus.add_text(std::to_string(i), "text " + std::to_string(i));
  corpus.add_text("bad", "throw here");
  DedupOptions options;
  options.config = Config::parse("own:hostile");
  EXPECT_THAT(error_sentence(ErrorCode::kBadInput, [&] { deduplicate(corpus, options); }),
              HasSubstr("the text rule \"hostile\" (version 2) fails on a text that begins with "
                        "\"throw here\": it throws \"no such"));
}

Document document(const char* id, const char* text) { return {id, {Field::of_text("text", text)}}; }

TEST_F(OwnRule, MakesAnIndexThatIsOpenedAgain) {
  const TestFolder folder;
  const std::string place = folder.path() + "/index";
  const Schema schema = Schema::parse("text=own:ascii-words2;w=2 | min:0.5");
  {
    Index index = Index::open(place, {.create_with = schema});
    index.index_documents({document("a", kTexts[0]), document("b", kTexts[2])});
    index.close();
  }
  const Index index = Index::open(place);
  EXPECT_THAT(index.schema().str(), HasSubstr("text=own:ascii-words2@1.0;w=2"));
  const std::vector<Match> matches =
      index.find_similar_documents(document("c", kTexts[1]), {.explain = true});
  ASSERT_EQ(matches.size(), 1U);
  EXPECT_EQ(matches[0].id, "a");
  Index built_in = Index::in_memory(Schema::parse("text=text:word2 | min:0.5"));
  built_in.index_documents({document("a", kTexts[0])});
  const std::vector<Match> same =
      built_in.find_similar_documents(document("c", kTexts[1]), {.explain = true});
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(matches[0].score, same[0].score);
  // The evidence is the passages of the text, not the pieces.
  ASSERT_TRUE(matches[0].fields[0].explanation);
  EXPECT_EQ(matches[0].fields[0].explanation->passages, same[0].fields[0].explanation->passages);
  ASSERT_FALSE(matches[0].fields[0].explanation->passages.empty());
  EXPECT_EQ(matches[0].fields[0].explanation->passages[0].text,
            "The quick brown fox jumps over the lazy dog near the old river");
}

TEST_F(OwnRule, IsNamedWhenAnIndexOfAnotherOneIsOpened) {
  const TestFolder folder;
  const std::string place = folder.path() + "/index";
  Index::open(place, {.create_with = Schema::parse("text=own:ascii-words2")})
      .index_documents({document("a", kTexts[0])});
  const std::string stored = StoreFolder::read_schema(place);
  const auto opened_with = [&](std::string_view spelling) {
    std::string changed = stored;
    const std::string_view known = "ascii-words2@1.0";
    changed.replace(changed.find(known), known.size(), spelling);
    StoreFolder::write_schema(place, changed);
    return error_sentence(ErrorCode::kInvalidArgument, [&] { Index::open(place); });
  };
  EXPECT_THAT(opened_with("ascii-words2@0.9"),
              HasSubstr("are of version \"0.9\" of the text rule \"ascii-words\", and this program "
                        "has version 1.0"));
  EXPECT_THAT(opened_with("unknown2@1.0"),
              HasSubstr("need the text rule \"unknown\", which this program does not have"));
  StoreFolder::write_schema(place, stored);
  EXPECT_EQ(Index::open(place).size(), 1U);
}

TEST_F(OwnRule, RefusesOneDocumentOfAnIndexThatItFailsOn) {
  Index index = Index::in_memory(Schema::parse("text=own:hostile | min:0.5"));
  std::vector<Document> documents;
  for (int i = 0; i < 200; ++i)
    documents.push_back({std::to_string(i), {Field::of_text("text", std::to_string(i))}});
  documents[70].fields[0].text = "throw here";
  documents[150].fields[0].text = "many";
  const std::vector<IndexResult> results = index.index_documents(documents);
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i].outcome, i == 70 || i == 150 ? IndexResult::Outcome::kRefused
                                                      : IndexResult::Outcome::kInserted);
  EXPECT_THAT(results[70].problem,
              HasSubstr("the field \"text\": the text rule \"hostile\" (version 2) fails on a text "
                        "that begins with \"throw here\": it throws"));
  EXPECT_EQ(index.size(), 198U);
  EXPECT_THAT(error_sentence(ErrorCode::kBadInput,
                             [&] { index.find_similar_documents(document("q", "number")); }),
              HasSubstr("it throws something that is no std::exception"));
  EXPECT_THAT(
      error_sentence(ErrorCode::kBadInput, [&] { index.check_and_add(document("q", "late")); }),
      HasSubstr("it throws \"too late\""));
  EXPECT_EQ(index.size(), 198U);
}

TEST_F(OwnRule, MarksWhatTwoDocumentsShare) {
  const auto compared = [](const char* schema) {
    return compare_documents(Schema::parse(schema), document("a", kTexts[0]),
                             document("b", kTexts[1]));
  };
  const ComparedDocuments own = compared("text=own:ascii-words2 | min:0.3");
  const ComparedDocuments built_in = compared("text=text:word2 | min:0.3");
  EXPECT_EQ(own.score, built_in.score);
  const auto texts = [](const std::vector<MarkedPiece>& pieces) {
    std::vector<std::pair<Mark, std::string>> out;
    for (const MarkedPiece& piece : pieces) out.emplace_back(piece.mark, piece.text);
    return out;
  };
  EXPECT_EQ(texts(own.fields[0].a), texts(built_in.fields[0].a));
  EXPECT_EQ(texts(own.fields[0].b), texts(built_in.fields[0].b));
  EXPECT_GE(own.fields[0].a.size(), 2U);
}

}  // namespace
}  // namespace benzer
