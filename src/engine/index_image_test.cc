// Tests images in an index, alone and with texts and value sets, in memory and in a folder.
#include <algorithm>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/similarity.h"

#include "image/picture_test_util.h"
#include "io/io_test_util.h"
#include "verify/feature_comparison.h"

namespace benzer {
namespace {

std::vector<Document> documents(std::uint64_t seed, std::size_t families) {
  TestRandom random(seed);
  std::vector<Document> out;
  const auto add = [&](const Picture& picture) {
    out.push_back({"d" + std::to_string(out.size()), {Field::of_image("photo", as_pnm(picture))}});
  };
  for (std::size_t family = 0; family < families; ++family) {
    const Picture original = waves(random.next(), 96, 72);
    add(original);
    for (int copy = 0; copy < 3; ++copy)
      add(noisy(original, static_cast<int>(2 + random.below(20)), out.size()));
  }
  add({40, 40, 1, std::vector<std::uint8_t>(1600, 128)});
  add({40, 40, 1, std::vector<std::uint8_t>(1600, 128)});
  add({40, 40, 1, std::vector<std::uint8_t>(1600, 200)});
  return out;
}

std::vector<std::uint64_t> features_of(const FeatureSpec& spec, const Document& document) {
  const FeatureExtractor extractor(spec);
  FeatureBuffer buffer;
  extractor.extract(document.fields[0].text, buffer);
  return {buffer.features().begin(), buffer.features().end()};
}

class IndexImageTest : public testing::TestWithParam<std::string> {};

TEST_P(IndexImageTest, FindsAllWithinTheDistance) {
  Schema schema;
  schema.fields = {FieldSpec::parse("photo=" + GetParam())};
  const FeatureSpec& spec = schema.fields[0].features;
  schema.min_threshold = threshold_of_distance(spec, usual_distance(spec));
  const std::vector<Document> all = documents(1, 40);
  std::vector<std::vector<std::uint64_t>> features;
  for (const Document& document : all) features.push_back(features_of(spec, document));

  const TestFolder folder;
  Index in_memory = Index::in_memory(schema);
  OpenOptions options;
  options.create_with = schema;
  options.durability = WriteLevel::parse("none");
  Index on_disk = Index::open(folder / "store", options);
  for (Index* index : {&in_memory, &on_disk}) {
    EXPECT_EQ(index->expected_recall(index->schema().min_threshold), 1);
    for (const IndexResult& result : index->index_documents(all, 2))
      ASSERT_EQ(result.outcome, IndexResult::Outcome::kInserted) << result.problem;
    index->compact();
    std::size_t found = 0;
    FeatureComparison comparison(spec);
    const auto matches = index->find_similar_documents(all, {.limit = 100, .explain = true}, 2);
    for (std::size_t i = 0; i < all.size(); ++i) {
      comparison.load(features[i]);
      std::map<std::string, double> expected;
      for (std::size_t j = 0; j < all.size(); ++j)
        if (const auto overlap = comparison.compare(features[j], schema.min_threshold);
            overlap && i != j)
          expected[all[j].id] = overlap->jaccard();
      std::map<std::string, double> got;
      for (const Match& match : matches[i]) {
        got[match.id] = match.score;
        EXPECT_EQ(match.found_probability, 1);
        EXPECT_EQ(match.fields[0].overlap.jaccard(), match.score);
      }
      EXPECT_EQ(got, expected) << i;
      found += got.size();
    }
    EXPECT_GT(found, 30U);
    // A query by id uses what is stored. Scores of image hashes are exact even if estimates
    // suffice.
    EXPECT_EQ(index->find_similar_to("d0", {.limit = 100}).size(), matches[0].size());
    const auto estimated = index->find_similar_documents(all[0], {.limit = 100, .exact = false});
    ASSERT_EQ(estimated.size(), matches[0].size());
    for (std::size_t i = 0; i < estimated.size(); ++i)
      EXPECT_EQ(estimated[i].score, matches[0][i].score);
    std::uint64_t pairs = 0;
    index->for_each_similar_pair({}, [&](const ScoredIds&) { ++pairs; });
    EXPECT_EQ(2 * pairs, found);
    index->verify();
    // A removed document is not found.
    if (!matches[0].empty()) {
      const std::string other = matches[0][0].id;
      EXPECT_EQ(index->remove({other}), std::vector<bool>{true});
      for (const Match& match : index->find_similar_to("d0", {.limit = 100}))
        EXPECT_NE(match.id, other);
    }
  }
}

TEST_P(IndexImageTest, FindsTheMostSimilarAboveAFloor) {
  Schema schema;
  schema.fields = {FieldSpec::parse("photo=" + GetParam())};
  const FeatureSpec& spec = schema.fields[0].features;
  schema.min_threshold = threshold_of_distance(spec, usual_distance(spec));
  const std::vector<Document> all = documents(2, 10);
  std::vector<std::vector<std::uint64_t>> features;
  for (const Document& document : all) features.push_back(features_of(spec, document));
  Index index = Index::in_memory(schema);
  index.index_documents(all);
  SimilarOptions options{.floor = Threshold::parse("0.02"), .limit = 12, .explain = true};
  const auto found = index.find_similar_documents(all, options);
  EXPECT_EQ(index.floor_recall(), 1);
  FeatureComparison comparison(spec);
  for (std::size_t i = 0; i < all.size(); ++i) {
    comparison.load(features[i]);
    std::vector<std::pair<double, std::string>> expected, got;
    for (std::size_t j = 0; j < all.size(); ++j)
      if (const auto overlap = comparison.compare(features[j], *options.floor); overlap && i != j)
        expected.emplace_back(-overlap->jaccard(), all[j].id);
    std::sort(expected.begin(), expected.end());
    expected.resize(std::min(expected.size(), options.limit));
    for (const Match& match : found[i]) {
      got.emplace_back(-match.score, match.id);
      EXPECT_EQ(match.found_probability, 1);
    }
    EXPECT_EQ(got, expected) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Hashes, IndexImageTest,
                         testing::Values("image:pdq", "image:dhash", "image:phash"));

TEST(IndexImage, FindsTurnedPictures) {
  Schema schema;
  schema.fields = {FieldSpec::parse("photo=image:pdq+turned")};
  schema.min_threshold = threshold_of_distance(schema.fields[0].features, 31);
  Index index = Index::in_memory(schema);
  const Picture original = waves(5);
  std::vector<Document> turned_ones;
  for (int orientation = 0; orientation < 8; ++orientation)
    turned_ones.push_back({std::to_string(orientation),
                           {Field::of_image("photo", as_pnm(turned(original, orientation)))}});
  turned_ones.push_back({"other", {Field::of_image("photo", as_pnm(waves(6)))}});
  index.index_documents(turned_ones);
  EXPECT_EQ(index.find_similar_documents(turned_ones[0], {.limit = 100}).size(), 7U);
  EXPECT_EQ(index.find_similar_to("3", {.limit = 100}).size(), 7U);
  EXPECT_EQ(index.find_similar_to("other", {.limit = 100}).size(), 0U);
}

// Fields of three kinds make one score, and each of them alone can find a document.
TEST(IndexImage, BesideTextsAndSets) {
  const Schema schema =
      Schema::parse("title=text:word1;w=2 | tags=values | photo=image:pdq | fss:32 | min:0.5");
  Index index = Index::in_memory(schema);
  const auto item = [](std::string id, std::string title, std::vector<std::string> tags,
                       const Picture& photo) {
    return Document{
        std::move(id),
        {Field::of_text("title", std::move(title)), Field::of_values("tags", std::move(tags)),
         Field::of_image("photo", as_pnm(photo))}};
  };
  const Picture chair = waves(1), table = waves(2);
  index.index_documents({item("same", "red chair", {"oak", "new"}, noisy(chair, 8, 1)),
                         item("photo only", "garden seat blue", {"old"}, chair),
                         item("title only", "red chair", {"oak", "new"}, table),
                         item("none", "a lamp", {"glass"}, table)});
  const std::vector<Match> mean =
      index.find_similar_documents(item("q", "red chair", {"oak", "new"}, chair));
  ASSERT_EQ(mean.size(), 2U);
  EXPECT_EQ(mean[0].id, "same");
  EXPECT_GT(mean[0].score, 0.9);
  EXPECT_EQ(mean[1].id, "title only");
  // The title scores 1 with weight 2, the tags 1, and the unrelated images next to nothing.
  EXPECT_NEAR(mean[1].score, 0.75, 0.08);
  const std::vector<Match> any = index.find_similar_documents(
      item("q", "red chair", {"oak", "new"}, chair), {.score = ScoreRule::kAny, .explain = true});
  EXPECT_EQ(any.size(), 3U);
  EXPECT_EQ(any[0].fields.size(), 3U);
}

TEST(IndexImage, TakesFilesAndPixels) {
  const TestFolder folder;
  const Picture picture = waves(9);
  std::ofstream(folder / "a.ppm", std::ios::binary) << as_pnm(picture);
  std::vector<std::uint8_t> rgb;
  for (const std::uint8_t grey : picture.pixels) rgb.insert(rgb.end(), 3, grey);
  Index index = Index::in_memory(Schema::parse("photo=image:pdq | min:0.75"));
  const auto results = index.index_documents(
      {{"file", {Field::of_image_file("photo", folder / "a.ppm")}},
       {"pixels", {Field::of_pixels("photo", picture.width, picture.height, rgb)}},
       {"missing", {Field::of_image_file("photo", folder / "b.ppm")}},
       {"folder", {Field::of_image_file("photo", folder / "")}},
       {"none", {Field::of_image("photo", "hello")}},
       {"text", {Field::of_values("photo", {"x"})}}});
  EXPECT_EQ(results[0].outcome, IndexResult::Outcome::kInserted) << results[0].problem;
  EXPECT_EQ(results[1].outcome, IndexResult::Outcome::kInserted) << results[1].problem;
  const char* expected[] = {"No such file", "not a regular file",
                            "not a JPEG, PNG, WebP, GIF or PNM image",
                            "is an image, and the document has values there"};
  for (std::size_t i = 2; i < results.size(); ++i) {
    EXPECT_EQ(results[i].outcome, IndexResult::Outcome::kRefused);
    EXPECT_THAT(results[i].problem, testing::HasSubstr(expected[i - 2]));
  }
  EXPECT_EQ(index.size(), 2U);
  EXPECT_EQ(index.find_similar_to("file").size(), 1U);
  EXPECT_THROW(index.find_similar_documents({"q", {Field::of_image("photo", "hello")}}), Error);
  EXPECT_THROW(Field::of_pixels("photo", 2, 2, rgb), Error);
  EXPECT_THROW(Field::of_pixels("photo", 0, 2, {}), Error);
}

// A damaged image has only its own document refused, and not the ones that are hashed after it.
TEST(IndexImage, AfterADamagedPictureTheOthersGoIn) {
  Index index = Index::in_memory(Schema::parse("title=text:word1 | photo=image:pdq | min:0.5"));
  const auto results = index.index_documents(
      {{"a", {Field::of_text("title", "one"), Field::of_image("photo", "hello")}},
       {"b", {Field::of_text("title", "two"), Field::of_image("photo", as_pnm(waves(1)))}},
       {"c", {Field::of_text("title", "three")}}});
  EXPECT_EQ(results[0].outcome, IndexResult::Outcome::kRefused);
  EXPECT_EQ(results[1].outcome, IndexResult::Outcome::kInserted) << results[1].problem;
  EXPECT_EQ(results[2].outcome, IndexResult::Outcome::kInserted) << results[2].problem;
}

TEST(IndexImage, SchemasSayWhatIsPossible) {
  EXPECT_EQ(Schema::parse("p=image:pdq | min:0.7578125").completed().str(),
            "p=image:pdq | min:0.7578125");
  const Schema completed = Schema::parse("p=image:pdq | t=text:word3 | min:0.6").completed();
  EXPECT_EQ(Schema::parse(completed.str()).completed(), completed);
  for (const auto& [text, sentence] :
       {std::pair{"p=image:pdq | min:0.37", "can find 79 at most"},
        {"p=image:dhash | min:0.3", "can find 19 at most"},
        {"p=image:pdq | bands:4x4", "have no bands"},
        {"p=image:pdq | t=values | bottomk:64 | min:0.6", "no positions"}})
    EXPECT_THAT([&] { Schema::parse(text).completed(); },
                testing::ThrowsMessage<Error>(testing::HasSubstr(sentence)));
}

}  // namespace
}  // namespace benzer
