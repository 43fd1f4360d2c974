// Tests deduplication and pairs of images as a whole.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/similarity.h"

#include "base/sanitized.h"
#include "dedup/dedup_test_util.h"
#include "image/picture_test_util.h"
#include "verify/feature_comparison.h"

namespace benzer {
namespace {

constexpr std::size_t kFamilies = kSanitized ? 8 : 30;

// Makes clusters of near-copies (with noise of all strengths, equal, turned), and three flat
// images, two of which are equal.
std::vector<Picture> families(std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<Picture> out;
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const Picture original = waves(random.next());
    out.push_back(original);
    out.push_back(original);
    for (int copy = 0; copy < 4; ++copy)
      out.push_back(noisy(original, static_cast<int>(4 + random.below(120)), out.size()));
    out.push_back(turned(original, static_cast<int>(random.below(8))));
  }
  out.push_back({40, 40, 1, std::vector<std::uint8_t>(1600, 128)});
  out.push_back({40, 40, 1, std::vector<std::uint8_t>(1600, 255)});
  out.push_back(out.back());
  return out;
}

class PictureDedup : public testing::TestWithParam<std::string> {
 protected:
  PictureDedup() : features_(FeatureSpec::parse(GetParam())) {}

  void SetUp() override {
    for (const Picture& picture : families(0xFA)) files_.push_back(as_pnm(picture));
  }

  SimilarityOptions options() const {
    SimilarityOptions out;
    out.config.features = features_;
    out.threshold = features_.is_sketched() ? Threshold::parse("0.5") : usual_threshold(features_);
    return out;
  }

  MemoryCorpus corpus() const {
    MemoryCorpus out;
    for (std::size_t i = 0; i < files_.size(); ++i)
      out.add_text(std::to_string(i), files_[i], {group(i), {}});
    return out;
  }
  virtual std::string group(std::size_t) const { return {}; }

  bool is_sift() const { return features_.comparison() == Comparison::kDetails; }
  bool looks_at_all() const { return !features_.is_sketched() && !is_sift(); }

  // Returns the similar pairs, found by comparing every pair.
  std::vector<ScoredPair> expected() const {
    const FeatureExtractor extractor(features_);
    std::vector<FeatureSet> sets;
    for (const std::string& file : files_) {
      FeatureBuffer buffer;
      extractor.extract(file, buffer);
      sets.emplace_back(buffer.features());
    }
    std::vector<ScoredPair> out;
    FeatureComparison comparison(features_);
    for (std::uint32_t a = 0; a < sets.size(); ++a) {
      comparison.load(sets[a].features());
      for (std::uint32_t b = a + 1; b < sets.size(); ++b)
        if (const auto overlap = comparison.compare(sets[b].features(), options().threshold))
          out.push_back({a, b, overlap->jaccard()});
    }
    return out;
  }

  FeatureSpec features_;
  std::vector<std::string> files_;
};

TEST_P(PictureDedup, FindsThePairsThatLookingAtAllFinds) {
  for (const int threads : {1, 3}) {
    MemoryCorpus corpus = this->corpus();
    PairsOptions options{this->options(), false};
    options.threads = threads;
    std::vector<ScoredPair> found;
    const SimilarityCounts counts =
        find_pairs(corpus, options, [&](const ScoredPair& pair) { found.push_back(pair); });
    EXPECT_EQ(counts.documents, files_.size());
    EXPECT_EQ(counts.empty, 0U);
    if (is_sift()) {
      EXPECT_GE(counts.short_documents, 3U);
    } else {
      EXPECT_EQ(counts.short_documents, GetParam() == "image:near" ? 0U : 3U);
    }
    if (looks_at_all()) {
      EXPECT_EQ(counts.recall_at_threshold, 1);
      EXPECT_EQ(found, expected());
    } else {  // by a sketch, or by words in common: no pair is wrong, and few are missing
      const std::vector<ScoredPair> all = expected();
      EXPECT_THAT(all, testing::IsSupersetOf(found));
      EXPECT_GE(found.size(), all.size() * 97 / 100);
    }
    EXPECT_GT(found.size(), kFamilies * 5 / 3);
  }
}

TEST_P(PictureDedup, RemovesNoneWithoutAKeeper) {
  for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
    MemoryCorpus corpus = this->corpus();
    DedupOptions options{this->options(), {}, clustering, Collect::kCompared, {}};
    const DedupResult result = deduplicate(corpus, options);
    EXPECT_GT(result.removed.size(), kFamilies * 4 / 3);
    const std::vector<ScoredPair> similar = expected();
    std::set<std::uint32_t> removed;
    for (const Removal& removal : result.removed) removed.insert(removal.document);
    for (const Removal& removal : result.removed) {
      ASSERT_TRUE(removal.keeper);
      EXPECT_FALSE(removed.contains(*removal.keeper));
      if (clustering == Clustering::kComponents) continue;
      const ScoredPair keeper{std::min(*removal.keeper, removal.document),
                              std::max(*removal.keeper, removal.document), removal.score};
      EXPECT_THAT(similar, testing::Contains(keeper));
    }
    // No two documents that are kept are similar.
    if (looks_at_all()) {
      for (const ScoredPair& pair : similar)
        EXPECT_TRUE(removed.contains(pair.a) || removed.contains(pair.b));
    }
    for (const ScoredPair& pair : similar_of(result))
      EXPECT_GE(pair.score, options.threshold.value());
    for (const ScoredPair& pair : result.below.sample)
      EXPECT_LT(pair.score, options.threshold.value());
    EXPECT_FALSE(result.below.sample.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Features, PictureDedup,
                         testing::Values("image:pdq", "image:pdq+turned", "image:dhash",
                                         "image:phash", "image:near", "image:sift",
                                         "image:grid16"));

TEST(SiftDedup, FindsPartsTurnedOnesAndCollages) {
  const Picture a = spots(1), b = spots(2), c = spots(3);
  Picture collage = spots(4, 480, 400);
  for (std::uint32_t y = 0; y < b.height; ++y)
    std::copy_n(b.pixels.begin() + static_cast<std::ptrdiff_t>(y * b.width), b.width,
                collage.pixels.begin() + static_cast<std::ptrdiff_t>((y + 90) * 480 + 120));
  MemoryCorpus corpus;
  for (const Picture& picture :
       {a, b, c, part_of(a, 80, 30, 160, 150), turned(c, 1), collage, spots(5)})
    corpus.add_text(std::to_string(corpus.size()), as_pnm(picture));
  PairsOptions options;
  options.config.features = FeatureSpec::parse("image:sift");
  options.threshold = usual_threshold(options.config.features);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  find_pairs(corpus, options, [&](const ScoredPair& pair) { found.emplace_back(pair.a, pair.b); });
  EXPECT_THAT(found, testing::ElementsAre(std::pair(0U, 3U), std::pair(1U, 5U), std::pair(2U, 4U)));
}

TEST(PictureDedupGroups, NeverMeet) {
  const std::string file = as_pnm(waves(1)), near = as_pnm(noisy(waves(1), 6, 2));
  MemoryCorpus corpus;
  corpus.add_text("a", file, {"x", {}});
  corpus.add_text("b", near, {"y", {}});
  corpus.add_text("c", near, {"x", {}});
  PairsOptions options;
  options.config.features = FeatureSpec::parse("image:pdq");
  options.threshold = threshold_of_distance(options.config.features, 31);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  find_pairs(corpus, options, [&](const ScoredPair& pair) { found.emplace_back(pair.a, pair.b); });
  EXPECT_THAT(found, testing::ElementsAre(std::pair(0U, 2U)));
}

TEST(PictureDedupReferences, AreComparedWithAndKept) {
  MemoryCorpus corpus;
  corpus.add_text("r1", as_pnm(waves(1)));
  corpus.add_text("r2", as_pnm(noisy(waves(1), 6, 1)));
  corpus.add_text("r3", "no picture");
  corpus.end_references();
  corpus.add_text("d", as_pnm(noisy(waves(1), 6, 2)));
  corpus.add_text("e", as_pnm(waves(2)));
  DedupOptions options;
  options.config.features = FeatureSpec::parse("image:pdq");
  options.threshold = threshold_of_distance(options.config.features, 31);
  const DedupResult result = deduplicate(corpus, options);
  ASSERT_EQ(result.removed.size(), 1U);
  EXPECT_EQ(result.removed[0].document, 3U);
  EXPECT_EQ(result.counts.undecodable, 0U);  // references are not counted
}

TEST(PictureDedupProblems, AreToldAndCountedAndKept) {
  MemoryCorpus corpus;
  corpus.add_text("a", as_pnm(waves(1)));
  corpus.add_text("b", "hello");
  corpus.add_text("c", "");
  corpus.add_text("d", as_pnm(waves(1)));
  corpus.add_text("e", "hello");
  DedupOptions options;
  options.config.features = FeatureSpec::parse("image:pdq");
  options.threshold = threshold_of_distance(options.config.features, 31);
  std::vector<std::pair<std::uint32_t, std::string>> problems;
  options.problem = [&](std::uint32_t document, const std::string& problem) {
    problems.emplace_back(document, problem);
  };
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.counts.undecodable, 3U);
  EXPECT_EQ(result.counts.empty, 3U);
  EXPECT_EQ(result.kept, 4U);
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].first, 1U);
  EXPECT_THAT(problems[0].second, testing::HasSubstr("not a JPEG, PNG, WebP, GIF or PNM image"));
  EXPECT_EQ(problems[1].first, 2U);
  EXPECT_EQ(problems[2].first, 4U);

  options.problem = [](std::uint32_t, const std::string& problem) {
    throw Error(ErrorCode::kBadInput, problem);
  };
  MemoryCorpus again;
  again.add_text("b", "hello");
  EXPECT_THROW(deduplicate(again, options), Error);
}

TEST(PictureDedupOptions, RefuseWhatHasNoMeaning) {
  MemoryCorpus corpus;
  corpus.add_text("a", as_pnm(waves(1)));
  DedupOptions options;
  options.config.features = FeatureSpec::parse("image:pdq");
  options.memory_limit = 1 << 30;
  EXPECT_THROW(deduplicate(corpus, options), Error);
}

// Which of some pictures with equal hashes is kept. Each cell of the small ones is a block of equal
// pixels in the large ones.
TEST(PictureKeepOrder, PrefersPixelsThenBytes) {
  const auto picture = [](std::uint32_t scale, const std::string& comment) {
    const Picture cells = waves(7, 64, 48);
    Picture out{64 * scale, 48 * scale, 1, {}};
    for (std::uint32_t y = 0; y < out.height; ++y)
      for (std::uint32_t x = 0; x < out.width; ++x)
        out.pixels.push_back(cells.pixels[std::size_t{y / scale} * 64 + x / scale]);
    return as_pnm(out).replace(0, 2, comment);
  };
  const std::vector<std::string> files = {picture(2, "P5\n#" + std::string(99'999, 'x') + "\n"),
                                          picture(4, "P5"), picture(4, "P5\n#a comment\n"),
                                          picture(4, "P5\n#0 comment\n"), picture(1, "P5")};
  struct Case {
    const char* keep;
    std::uint32_t first;
    std::vector<Number> numbers;
  };
  for (const Case& c : {Case{"first", 0, {}},
                        {"largest", 2, {}},
                        {"largest,last", 3, {}},
                        {"longest", 0, {}},
                        {"shortest", 4, {}},
                        {"max:n,largest", 0, {2, 1, 1, 1, 2}},
                        {"largest,max:n", 3, {9, 9, 0, 1, 9}}}) {
    for (const int threads : {1, 3}) {
      MemoryCorpus corpus;
      for (std::size_t i = 0; i < files.size(); ++i)
        corpus.add_text(
            std::to_string(i), files[i],
            {"", c.numbers.empty() ? std::vector<Number>() : std::vector<Number>{c.numbers[i]}});
      corpus.add_text("none", "not a picture");
      DedupOptions options;
      options.config.features = FeatureSpec::parse("image:pdq");
      options.threshold = usual_threshold(options.config.features);
      options.keep = KeepOrder::parse(c.keep);
      options.threads = threads;
      const DedupResult result = deduplicate(corpus, options);
      ASSERT_EQ(result.removed.size(), files.size() - 1) << c.keep;
      EXPECT_EQ(result.removed.front().keeper, c.first) << c.keep;
      EXPECT_EQ(result.counts.undecodable, 1U);
    }
  }
}

}  // namespace
}  // namespace benzer
