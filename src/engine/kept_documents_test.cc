// Tests that an index whose documents `benzer serve` keeps is not changed without these, and that
// the features of a document can be compared with those that are stored.
#include <filesystem>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "base/error_test_util.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

class KeptDocumentsTest : public testing::Test {
 protected:
  KeptDocumentsTest() {
    Index index = Index::open(path_, {.create_with = Schema::parse(kOneField)});
    index.index_documents({{"a", {Field::of_text("text", "some words that are put in")}}});
  }
  std::string kept() const { return path_ + "/" + Index::kKeptDocuments; }

  const TestFolder folder_;
  const std::string path_ = folder_ / "index";
};

TEST_F(KeptDocumentsTest, OnlyWhoKeepsThemWrites) {
  std::ofstream(kept()).put('x');
  const auto expect_refused = [&](const std::function<void()>& call) {
    const std::string sentence = error_sentence(ErrorCode::kInvalidArgument, call);
    EXPECT_NE(sentence.find("documents.sqlite: it holds copies of the documents"),
              std::string::npos)
        << sentence;
  };
  expect_refused([&] { Index::open(path_); });
  expect_refused([&] { Index::open(path_, {.create_with = Schema::parse(kOneField)}); });
  const Index reading = Index::open(path_, {.read_only = true});
  EXPECT_TRUE(reading.contains("a"));
  expect_refused([&] { reading.snapshot(folder_ / "copy"); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "copy"));
  Index index = Index::open(path_, {.allow_kept_documents = true});
  EXPECT_EQ(index.remove({"a"}), std::vector<bool>{true});
  index.snapshot(folder_ / "copy");
  index.close();
}

TEST_F(KeptDocumentsTest, AFolderWithoutThemIsOpenToAll) {
  std::ofstream(kept()).put('x');
  std::filesystem::rename(kept(), folder_ / "away");
  EXPECT_EQ(Index::open(path_).remove({"a"}), std::vector<bool>{true});
}

TEST(IndexFeatures, AreThoseOfTheDocumentThatWasPutIn) {
  TestRandom random(5);
  for (const char* schema : {kOneField, kFields}) {
    const bool one_field = schema == kOneField;
    Index index = Index::in_memory(Schema::parse(schema));
    std::map<std::string, Document> model;
    index_batch(index, model, 50, [&] {
      return some_document(std::to_string(random.below(1000)), random, one_field);
    });
    for (auto& [id, document] : model) EXPECT_TRUE(index.has_features_of(document)) << id;
    Document other = model.begin()->second;
    const std::string field = one_field ? "text" : "title";
    std::erase_if(other.fields, [&](const Field& one) { return one.name == field; });
    other.fields.push_back(Field::of_text(field, "words of their own that nobody else has"));
    EXPECT_FALSE(index.has_features_of(other));
    index.index_documents({other});
    EXPECT_TRUE(index.has_features_of(other));
    EXPECT_EQ(index.has_features_of(model.begin()->second), false);
    other.id = "nobody";
    EXPECT_FALSE(index.has_features_of(other));
  }
}

}  // namespace
}  // namespace benzer
