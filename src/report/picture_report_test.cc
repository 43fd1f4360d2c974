// Tests the report of a run on images.
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/report.h"

#include "base/sanitized.h"
#include "image/codecs/fractional_jpeg_test_util.h"
#include "image/decoder.h"
#include "image/hashes.h"
#include "image/picture_test_util.h"
#include "report/picture_evidence.h"
#include "report/selection.h"

namespace benzer {
namespace {

using testing::StartsWith;

// Spares a failure from printing the whole page.
bool has(const std::string& page, std::string_view part) {
  return page.find(part) != std::string::npos;
}

// Makes an image of 20 x 15 cells of one grey each. Noise hardly changes its hash, and images of
// different seeds are unrelated.
Picture cells(std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<std::uint8_t> greys;
  for (int i = 0; i < 20 * 15; ++i)
    greys.push_back(static_cast<std::uint8_t>(30 + random.below(195)));
  Picture out{160, 120, 1, {}};
  for (std::size_t y = 0; y < 120; ++y)
    for (std::size_t x = 0; x < 160; ++x) out.pixels.push_back(greys[y / 8 * 20 + x / 8]);
  return out;
}

DedupOptions options_for(const std::string& features) {
  DedupOptions options;
  options.config.features = FeatureSpec::parse(features);
  options.threshold = options.config.features.hash_bits() > 0 ? Threshold::parse("0.7578125")
                                                              : Threshold::parse("0.5");
  options.collect = Collect::kCompared;
  return options;
}

Report report_of(Corpus& corpus, const DedupOptions& options) {
  const DedupResult result = deduplicate(corpus, options);
  return collect_report(corpus, options, result, {});
}

// Makes clusters of an image, copies of it with more and more noise, and the same file once more.
MemoryCorpus families(std::uint64_t count, int copies) {
  MemoryCorpus corpus;
  for (std::uint64_t family = 0; family < count; ++family) {
    const Picture picture = cells(family);
    for (int copy = 0; copy < copies; ++copy)
      corpus.add_text("p/" + std::to_string(family) + "-" + std::to_string(copy) + ".pgm",
                      as_pnm(noisy(picture, 8 * copy, 77)));
    corpus.add_text("p/" + std::to_string(family) + "-same.pgm", as_pnm(picture));
  }
  corpus.add_text("readme", "no picture");
  return corpus;
}

bool is_jpeg(const std::string& bytes) { return bytes.starts_with("\xFF\xD8\xFF"); }

TEST(PictureReport, ShowsWhatIsRemovedAndWhatStays) {
  MemoryCorpus corpus = families(3, 4);
  const Report report = report_of(corpus, options_for("image:pdq"));
  EXPECT_TRUE(report.pictures);
  EXPECT_FALSE(report.values);
  EXPECT_EQ(report.distance, 31);
  EXPECT_EQ(report.missed_pairs, 0);
  EXPECT_EQ(report.counts.undecodable, 1U);
  ASSERT_EQ(report.shown.size(), 3U);
  for (const ReportedCluster& cluster : report.shown) {
    ASSERT_TRUE(cluster.keeper.picture);
    EXPECT_EQ(cluster.keeper.picture->width, 160U);
    EXPECT_EQ(cluster.keeper.picture->height, 120U);
    EXPECT_EQ(cluster.keeper.picture->format, "PNM");
    EXPECT_TRUE(is_jpeg(cluster.keeper.picture->jpeg));
    ASSERT_EQ(cluster.members.size(), 4U);
    double last = 0;
    for (const ReportedMember& member : cluster.members) {
      EXPECT_GE(member.pair.score, last);
      last = member.pair.score;
      ASSERT_TRUE(member.pair.distance);
      EXPECT_EQ(*member.pair.distance, std::lround((1 - member.pair.score) * 128));
      EXPECT_EQ(member.pair.difference.empty(), member.pair.same_file);
      EXPECT_TRUE(member.pair.same_file || is_jpeg(member.pair.difference));
      EXPECT_TRUE(is_jpeg(member.pair.b.picture->jpeg));
      EXPECT_TRUE(member.pair.fields.empty());
    }
    EXPECT_TRUE(cluster.members.back().pair.same_file);
    EXPECT_FALSE(cluster.members.front().pair.same_file);
  }
  const std::string page = report_html(report);
  EXPECT_TRUE(has(page, "Of 16 pictures 12 were removed"));
  EXPECT_TRUE(has(page, "in at most 31 of 256 bits"));
  EXPECT_TRUE(has(page, "img-src data:"));
  EXPECT_TRUE(has(page, "<b>No pictures:</b> 1 file"));
  for (const char* of_texts : {"document", "shingle", "P5 "})
    EXPECT_FALSE(has(page, of_texts)) << of_texts;
  const std::string twin = report_json(report);
  EXPECT_TRUE(has(twin, "\"width\":160,\"height\":120,\"format\":\"PNM\""));
  EXPECT_TRUE(has(twin, "\"same_file\":true"));
  EXPECT_TRUE(has(twin, "\"bands\":null"));
}

TEST(PictureReport, IsTheSameForAnyNumberOfThreads) {
  MemoryCorpus corpus = families(kSanitized ? 4 : 9, 3);
  std::vector<std::string> spellings = {"image:pdq+turned", "image:sift"};
  if (!kSanitized) spellings.insert(spellings.end(), {"image:dhash", "image:grid16", "image:near"});
  for (const std::string& features : spellings) {
    DedupOptions options = options_for(features);
    options.threads = 1;
    const Report one = report_of(corpus, options);
    EXPECT_GT(one.removed, 0U);
    options.threads = 5;
    const Report five = report_of(corpus, options);
    EXPECT_EQ(report_html(one), report_html(five));
    EXPECT_EQ(report_json(one), report_json(five));
  }
}

TEST(PictureReport, OfComponentsChainsAreTold) {
  MemoryCorpus corpus = families(2, 6);
  DedupOptions options = options_for("image:pdq");
  options.threshold = Threshold::parse("0.95");
  options.clustering = Clustering::kComponents;
  const Report report = report_of(corpus, options);
  EXPECT_TRUE(has(report_html(report), "by a chain of pairs, each within 6 of 256 bits"));
}

TEST(PictureReport, TurnedCopiesAreLaidOverEachOtherAsTheyFit) {
  MemoryCorpus corpus;
  const Picture picture = cells(5);
  corpus.add_text("upright", as_pnm(picture));
  corpus.add_text("turned", as_pnm(turned(picture, 1)));
  corpus.add_text("again", as_pnm(noisy(picture, 3, 1)));
  const Report report = report_of(corpus, options_for("image:pdq+turned"));
  ASSERT_EQ(report.shown.size(), 1U);
  const ImageDecoder decoder;
  for (const ReportedMember& member : report.shown[0].members) {
    EXPECT_EQ(member.pair.turned, member.pair.b.id_json == "\"turned\"");
    const Picture difference = decoder.decode(member.pair.difference, {false, 512}).picture;
    EXPECT_EQ(difference.width, 160U);
    EXPECT_EQ(difference.height, 120U);
    double sum = 0;
    for (const std::uint8_t pixel : difference.pixels) sum += pixel;
    EXPECT_LT(sum / static_cast<double>(difference.pixels.size()), 12);
  }
  EXPECT_TRUE(has(report_html(report), "turned or mirrored"));
}

TEST(PictureReport, OfSiftSaysWhatOneShowsOfTheOther) {
  MemoryCorpus corpus;
  const Picture whole = spots(5);
  corpus.add_text("part", as_pnm(part_of(whole, 0, 0, 160, 240)));
  corpus.add_text("whole", as_pnm(whole));
  const Report report = report_of(corpus, options_for("image:sift"));
  ASSERT_EQ(report.shown.size(), 1U);
  const ReportedPair& pair = report.shown[0].members.at(0).pair;
  ASSERT_TRUE(pair.shown);
  EXPECT_NEAR(pair.shown->of_a, 1, 0.03);
  EXPECT_NEAR(pair.shown->of_b, 0.5, 0.03);
  // The difference shows the whole image, of which only the left half is bright.
  const Picture laid = ImageDecoder().decode(pair.difference, {false, 512}).picture;
  EXPECT_EQ(laid.width, 160U);
  std::uint64_t left = 0, right = 0;
  for (std::size_t i = 0; i < laid.pixels.size(); ++i)
    (i % 160 < 80 ? left : right) += laid.pixels[i];
  EXPECT_GT(left, 2 * right);
  EXPECT_TRUE(has(report_html(report),
                  fmt::format("the kept one shows {:.0f} % of it", 100 * pair.shown->of_b)));
  EXPECT_TRUE(has(report_json(report), "\"shown_of_b\":0."));
}

TEST(PictureReport, DifferencesAreDarkWhereNothingDiffers) {
  const Picture a{4, 1, 1, {10, 20, 30, 200}};
  const Picture b{4, 1, 1, {10, 22, 20, 0}};
  EXPECT_EQ(report::difference_of(a, b), (Picture{4, 1, 1, {0, 6, 30, 255}}));
  EXPECT_EQ(report::difference_of(waves(1, 640, 480), waves(1, 64, 48)).width, 160U);
}

TEST(PictureReport, NamesAreNoMarkup) {
  MemoryCorpus corpus;
  const std::string name = "<script>alert(1)</script>/\"'><img src=x onerror=y>\x1b.pgm";
  for (const char* number : {"1", "2", "3"})
    corpus.add_text(number + name, as_pnm(noisy(cells(3), number[0] - '0', 5)));
  const std::string page = report_html(report_of(corpus, options_for("image:pdq")));
  EXPECT_TRUE(has(page, "&lt;img src=x"));
  for (const char* markup : {"<script", "<img src", "\x1b", "\"'>"})
    EXPECT_FALSE(has(page, markup)) << markup;
}

TEST(PictureReport, PagesOfManyPicturesStaySmall) {
  MemoryCorpus corpus = families(70, 14);
  const Report report = report_of(corpus, options_for("image:pdq"));
  std::set<std::uint32_t> pictures;
  for (const ReportedCluster& cluster : report.shown) {
    EXPECT_GE(cluster.members.size(), 1U);
    EXPECT_LE(cluster.members.size(), report::kShownCopies);
    pictures.insert(*cluster.keeper.number);
    for (const ReportedMember& member : cluster.members) pictures.insert(*member.pair.b.number);
  }
  EXPECT_GE(report.shown.size(), 40U);
  EXPECT_LE(pictures.size(), report::kShownPictures);
  EXPECT_TRUE(has(report_html(report), "more removed pictures are not shown"));
}

// A corpus whose files turn into others between the run and the report.
class Vanishing : public MemoryCorpus {
 public:
  std::unique_ptr<Reader> reader() const override {
    if (vanished) return std::make_unique<Other>();
    return MemoryCorpus::reader();
  }
  bool vanished = false;

 private:
  struct Other : Reader {
    DocumentView read(std::uint32_t) override {
      DocumentView out;
      out.text = "another file";
      return out;
    }
  };
};

// A thumbnail is not worth the result of a run. Readers of files say that a file has changed.
TEST(PictureReport, APictureThatCannotBeDecodedAnyMoreIsNotShown) {
  for (const char* features : {"image:pdq+turned", "image:near", "image:sift"}) {
    Vanishing corpus;
    for (const int noise : {0, 3}) corpus.add_text("a", as_pnm(noisy(spots(1), noise, 1)));
    const DedupOptions options = options_for(features);
    const DedupResult result = deduplicate(corpus, options);
    ASSERT_EQ(result.removed.size(), 1U);
    corpus.vanished = true;
    const Report report = collect_report(corpus, options, result, {});
    const ReportedPair& pair = report.shown.at(0).members.at(0).pair;
    EXPECT_TRUE(pair.b.picture->jpeg.empty());
    EXPECT_THAT(pair.b.picture->problem, StartsWith("it is not a JPEG"));
    const std::string page = report_html(report);
    EXPECT_TRUE(has(page, "cannot be shown: it is not a JPEG"));
    for (const char* of_a_picture : {"<img", "0 \u00d7 0", "--other:url"})
      EXPECT_FALSE(has(page, of_a_picture)) << of_a_picture;
    EXPECT_TRUE(has(report_json(report), "\"problem\":\"it is not a JPEG"));
  }
}

TEST(PictureReport, APictureWhoseColoursCannotBeDecodedIsShownInGrey) {
  MemoryCorpus corpus;
  for (const int quality : {95, 70})
    corpus.add_text("a", jpeg_with_fractional_colours(spots(1, 336, 240), quality));
  for (const char* features : {"image:pdq", "image:near", "image:sift"}) {
    const Report report = report_of(corpus, options_for(features));
    ASSERT_EQ(report.removed, 1U);
    const ReportedPair& pair = report.shown.at(0).members.at(0).pair;
    EXPECT_EQ(pair.a.picture->width, 336U);
    EXPECT_TRUE(is_jpeg(pair.a.picture->jpeg));
    EXPECT_TRUE(is_jpeg(pair.difference));
    EXPECT_TRUE(has(report_html(report), "shown in grey: libjpeg says: Fractional sampling"));
  }
}

TEST(PictureReport, SaysThatTheKeeperIsTheLargest) {
  const auto larger = [](const Picture& picture) {
    Picture out{2 * picture.width, 2 * picture.height, 1, {}};
    for (std::size_t y = 0; y < out.height; ++y)
      for (std::size_t x = 0; x < out.width; ++x)
        out.pixels.push_back(picture.pixels[y / 2 * picture.width + x / 2]);
    return out;
  };
  const auto why = [](const std::vector<std::string>& files) {
    MemoryCorpus corpus;
    for (const std::string& file : files) corpus.add_text(std::to_string(corpus.size()), file);
    DedupOptions options = options_for("image:pdq");
    options.keep = KeepOrder::usual(options.config.features);
    const Report report = report_of(corpus, options);
    EXPECT_TRUE(has(report_html(report), "<code>largest</code>"));
    return report.shown.at(0).why_kept;
  };
  const std::string small = as_pnm(cells(3)), large = as_pnm(larger(cells(3)));
  EXPECT_EQ(
      why({small, large}),
      "By the rule largest, it has the most pixels: 76,800; removed ones shown here: 19,200.");
  EXPECT_EQ(why({small, "P5\n#\n" + small.substr(2)}),
            "By the rule largest, it is the largest file: 19,218 bytes; removed ones shown here: "
            "19,215 bytes; the number of pixels is the same, 19,200.");
  EXPECT_EQ(
      why({small, small}),
      "It comes first in the input; the number of pixels is the same, 19,200, the size of the "
      "file is the same, 19,215 bytes.");
}

}  // namespace
}  // namespace benzer
