#include "benzer/config.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "features/text_rules_test_util.h"

namespace benzer {
namespace {

using Kind = TextFeatures::Kind;

FeatureSpec spec(Kind kind, int shingle, bool bag = false, std::string stop = "",
                 std::uint64_t seed = 0, bool html = false, std::uint32_t drop_common = 0) {
  return {TextFeatures{
              .kind = kind, .shingle = shingle, .bag = bag, .stop = std::move(stop), .html = html},
          drop_common, seed};
}

// Returns the sentence of the error that the call throws.
template <class Call>
std::string sentence_of(Call call) {
  return error_sentence(ErrorCode::kInvalidArgument, call);
}

TEST(FeatureSpec, ReadsEverySpelling) {
  struct Case {
    const char* text;
    FeatureSpec spec;
    const char* canonical;
  };
  const Case cases[] = {
      {"text:word5", {}, "text:word5"},
      {"text:word1", spec(Kind::kWords, 1), "text:word1"},
      {"text:word32", spec(Kind::kWords, 32), "text:word32"},
      {"text:word05", {}, "text:word5"},
      {" text:word5\t", {}, "text:word5"},
      {"text:char64", spec(Kind::kChars, 64), "text:char64"},
      {"text:char5+bag", spec(Kind::kChars, 5, true), "text:char5+bag"},
      {"text:word2+seed:9+stop:en+bag", spec(Kind::kWords, 2, true, "en", 9),
       "text:word2+bag+stop:en@7a7ec7dd+seed:9"},
      {"text:word5+seed:0", {}, "text:word5"},
      {"text:word5+seed:2+drop-common:0.0010",
       spec(Kind::kWords, 5, false, "", 2, false, 1'000'000),
       "text:word5+drop-common:0.001+seed:2"},
      {"values+drop-common:.000000001", {ValueFeatures{}, 1}, "values+drop-common:0.000000001"},
      {"values+seed:3+tf-idf", {ValueFeatures{}, 0, 3, true}, "values+tf-idf+seed:3"},
      {"text:char5+drop-common:0.999999999+bag+html",
       spec(Kind::kChars, 5, true, "", 0, true, 999'999'999),
       "text:char5+html+bag+drop-common:0.999999999"},
      {"text:char5+html", spec(Kind::kChars, 5, false, "", 0, true), "text:char5+html"},
      {"text:word2+seed:9+stop:en+bag+html", spec(Kind::kWords, 2, true, "en", 9, true),
       "text:word2+html+bag+stop:en@7a7ec7dd+seed:9"},
      {"text:word5+seed:18446744073709551615",
       spec(Kind::kWords, 5, false, "", 18446744073709551615U),
       "text:word5+seed:18446744073709551615"},
      {"values", {ValueFeatures{}}, "values"},
      {"values+bag", {ValueFeatures{true}}, "values+bag"},
      {"truth:w1", spec(Kind::kTruthW1, 1), "truth:w1"},
      {"truth:w3", spec(Kind::kTruthW3, 3), "truth:w3"},
      {"truth:c5+seed:3", spec(Kind::kTruthC5, 5, false, "", 3), "truth:c5+seed:3"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(FeatureSpec::parse(c.text), c.spec) << c.text;
    EXPECT_EQ(c.spec.str(), c.canonical);
    EXPECT_EQ(FeatureSpec::parse(c.canonical), c.spec);
  }
  for (const char* canonical :
       {"text:terms004", "text:shingle3", "text:shingle9+squeeze+4bytes+bag+drop-common:0.5+seed:1",
        "text:shingle3+djb2a"})
    EXPECT_EQ(FeatureSpec::parse(canonical).str(), canonical);
  EXPECT_EQ(FeatureSpec::parse("text:shingle2+bag+4bytes+squeeze").str(),
            "text:shingle2+squeeze+4bytes+bag");
  EXPECT_TRUE(FeatureSpec::parse("truth:w1").text());
  EXPECT_FALSE(FeatureSpec::parse("values").text());
  EXPECT_FALSE(FeatureSpec::parse("image:pdq").text());
  EXPECT_TRUE(FeatureSpec::parse("text:char5+html").reads_html());
  EXPECT_FALSE(FeatureSpec::parse("values").reads_html());
}

TEST(FeatureSpec, NamesWhatWasFoundAndWhatIsAllowed) {
  struct Case {
    const char* text;
    const char* part;  // of the sentence
  };
  const Case cases[] = {
      {"", "\"\" are unknown; allowed are text:wordN and text:wordsN (N from 1 to 32)"},
      {"word5", "\"word5\" are unknown"},
      {"Text:word5", "are unknown"},
      {"values5", "are unknown"},
      {"truth:w2", "truth:w1, truth:w3 and truth:c5"},
      {"text:word", "\"text:word\" need a number from 1 to 32 behind text:word"},
      {"text:word0", "from 1 to 32"},
      {"text:word33", "from 1 to 32"},
      {"text:word-1", "from 1 to 32"},
      {"text:word+5", "from 1 to 32"},
      {"text:word5 ,", "from 1 to 32"},
      {"text:word99999999999999999999", "from 1 to 32"},
      {"text:char65", "from 1 to 64"},
      {"text:word5+",
       "\"\" is not one of +html, +bag, +stop:LANGUAGE, +stem:LANGUAGE, "
       "+drop-common:SHARE or +tf-idf, and +seed:NUMBER"},
      {"text:word5+stem",
       "\"stem\" is not one of +html, +bag, +stop:LANGUAGE, +stem:LANGUAGE, "
       "+drop-common:SHARE or +tf-idf, and +seed:NUMBER"},
      {"text:char5+stop:en",
       "\"stop:en\" is not one of +html, +bag, +drop-common:SHARE or +tf-idf, and +seed:NUMBER, "
       "which "
       "\"text:char5\""},
      {"values+stop:en",
       "not one of +bag, +weights or +tf-idf (one of the three), +drop-common:SHARE (not with "
       "weights) and +seed:NUMBER"},
      {"text:word5+drop-common:",
       "share \"\" of features \"text:word5+drop-common:\" is not a decimal above 0 and below 1"},
      {"text:word5+drop-common:0", "is not a decimal above 0"},
      {"text:word5+drop-common:0.", "is not a decimal above 0"},
      {"text:word5+drop-common:.", "is not a decimal above 0"},
      {"text:word5+drop-common:0.000", "is not a decimal above 0"},
      {"text:word5+drop-common:1", "below 1"},
      {"text:word5+drop-common:1.5", "below 1"},
      {"text:word5+drop-common:5", "below 1"},
      {"text:word5+drop-common:-0.1", "below 1"},
      {"text:word5+drop-common:0.-1", "below 1"},
      {"text:word5+drop-common:0.0000000001", "at most 9 digits"},
      {"text:word5+drop-common:1e-3", "below 1"},
      {"text:word5+drop-common:0.1+drop-common:0.2", "given twice"},
      {"truth:w1+drop-common:0.1", "not one of +seed:NUMBER"},
      {"values+html", "not one of +bag, +weights or +tf-idf"},
      {"text:word5+tf-idf+tf-idf", "given twice"},
      {"text:word5+tf-idf:2", "\"tf-idf:2\" is not one of +html"},
      {"text:word5+tf-idf+bag", "have +tf-idf and +bag, which both say how much a feature counts"},
      {"values+bag+tf-idf", "have +tf-idf and +bag"},
      {"values+weights+tf-idf", "\"tf-idf\" is not one of"},
      {"values+tf-idf+weights", "have +tf-idf and +weights"},
      {"text:char5+tf-idf+drop-common:0.1", "have weights and +drop-common"},
      {"values+drop-common:0.1+tf-idf", "have weights and +drop-common"},
      {"truth:w1+tf-idf", "not one of +seed:NUMBER"},
      {"text:shingle5+tf-idf", "not one of +squeeze"},
      {"truth:w3+html", "not one of +seed:NUMBER"},
      {"text:word5+html+html", "\"html\" of features \"text:word5+html+html\" is given twice"},
      {"truth:w3+bag", "not one of +seed:NUMBER"},
      {"text:word5+stop:xx",
       "language \"xx\"; there is one for ar, ca, da, de, el, en, es, eu, fi, fr, ga, hi"},
      {"text:word5+stop:", "language \"\""},
      {"text:word5+seed:", "seed \"\""},
      {"text:word5+seed:-1", "from 0 to 18446744073709551615"},
      {"text:word5+seed:18446744073709551616", "from 0 to 18446744073709551615"},
      {"text:word5+seed:1.5", "\"1.5\""},
      {"text:word5+bag+bag", "\"bag\" of features \"text:word5+bag+bag\" is given twice"},
      {"text:word5+seed:0+seed:0", "given twice"},
      {"text:word5+stop:en+stop:de", "given twice"},
      {"text:word5+stop:en@7a7ec7de",
       "are of version \"7a7ec7de\" of the stop words for en, and this program has version "
       "7a7ec7dd"},
      {"text:word5+stop:en@", "are of version \"\" of the stop words for en"},
      {"text:words", "\"text:words\" need a number from 1 to 32 behind text:words"},
      {"text:words33", "from 1 to 32"},
      {"text:char5+stem:en", "\"stem:en\" is not one of +html, +bag, +drop-common:SHARE"},
      {"text:shingle65", "from 1 to 64"},
      {"text:shingle5+squeeze+squeeze", "given twice"},
      {"text:shingle5+4bytes+djb2a", "have two hashes"},
      {"text:shingle5+html", "not one of +squeeze, +4bytes or +djb2a, +bag"},
      {"text:char5+djb2a", "not one of +html, +bag"},
      {"text:terms004+bag", "not one of +seed:NUMBER"},
      {"te\nxt\xff", "\"te\\x0axt\\xff\""},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(sentence_of([&] { FeatureSpec::parse(c.text); }), testing::HasSubstr(c.part))
        << c.text;
  }
  EXPECT_LT(sentence_of([] { FeatureSpec::parse(std::string(100000, 'x')); }).size(), 400U);
}

TEST(SketchSpec, ReadsTheSchemesOfTheDocuments) {
  for (const char* canonical :
       {"linear:128", "linear:3+max+seed:7", "mod-prime:9+seed:18446744073709551615",
        "multiply-shift:100+max", "java-random:500", "bottomk:50+seed:1", "single:1"})
    EXPECT_EQ(SketchSpec::parse(canonical).str(), canonical);
  // The seeds that the documents use are the defaults, and left out.
  EXPECT_EQ(SketchSpec::parse("java-random:9+seed:1337"), SketchSpec::parse("java-random:9"));
  EXPECT_EQ(SketchSpec::parse("multiply-shift:9+seed:10").str(), "multiply-shift:9");
  EXPECT_EQ(SketchSpec::parse("linear:9+seed:3+max").str(), "linear:9+max+seed:3");
  EXPECT_EQ(SketchSpec::parse("java-random:9").seed_or_default(), 1337U);
  const std::pair<const char*, const char*> wrong[] = {
      {"single:128+max", "not one of +seed:NUMBER"},
      {"fss:128+seed:1", "allowed is none"},
      {"linear:128+max+max", "given twice"},
      {"linear:128+seed:1+seed:1", "given twice"},
      {"linear:128+seed:x", "not a whole number from 0 to 18446744073709551615"},
      {"multiply-shift:128+seed:2147483648", "not a whole number from 0 to 2147483647"},
      {"java-random:0", "from 1 to 4096, as in java-random:128"},
      {"linear:5 0", "from 1 to 4096"}};
  for (const auto& [text, part] : wrong)
    EXPECT_THAT(sentence_of([&] { SketchSpec::parse(text); }), testing::HasSubstr(part)) << text;
}

TEST(SketchSpec, ReadsBothSchemes) {
  EXPECT_EQ(SketchSpec::parse("fss:128"), SketchSpec{});
  EXPECT_EQ(SketchSpec::parse("kperm:1"), (SketchSpec{SketchSpec::Scheme::kKperm, 1}));
  EXPECT_EQ(SketchSpec::parse("fss:4096").str(), "fss:4096");
  EXPECT_EQ(SketchSpec::parse(" kperm:64 ").str(), "kperm:64");
  for (const char* text : {"fss:0", "fss:4097", "fss:", "fss:x", "kperm:12 8", "fss:-3"}) {
    EXPECT_THAT(sentence_of([&] { SketchSpec::parse(text); }), testing::HasSubstr("from 1 to 4096"))
        << text;
  }
  for (const char* text : {"", "fss", "minhash:128", "FSS:128"}) {
    EXPECT_THAT(sentence_of([&] { SketchSpec::parse(text); }),
                testing::HasSubstr("allowed are fss:SLOTS, kperm:SLOTS, linear:SLOTS, "))
        << text;
  }
}

TEST(ParseBanding, ReadsBandsAndRows) {
  EXPECT_EQ(parse_banding("16x6"), (Banding{16, 6}));
  EXPECT_EQ(parse_banding("bands:1x1"), (Banding{1, 1}));
  EXPECT_EQ(parse_banding(" 4096x1 "), (Banding{4096, 1}));
  for (const char* text : {"", "16", "x", "16x", "x6", "0x6", "16x0", "16x6x2", "-1x6", "16X6",
                           "bands:", "4097x1", "1x4097", "16 x 6"}) {
    EXPECT_THAT(sentence_of([&] { parse_banding(text); }), testing::HasSubstr("as in 16x6"))
        << text;
  }
  EXPECT_THAT(sentence_of([] { parse_banding("64x65"); }),
              testing::HasSubstr("use 4160 slots; a signature has at most 4096"));
}

TEST(Config, ReadsPartsInAnyOrder) {
  const Config full = Config::parse("text:word3+bag | kperm:256 | bands:32x8");
  EXPECT_EQ(full.features, FeatureSpec::parse("text:word3+bag"));
  EXPECT_EQ(full.sketch, SketchSpec::parse("kperm:256"));
  EXPECT_EQ(full.banding, (Banding{32, 8}));
  EXPECT_EQ(full.str(), "text:word3+bag | kperm:256 | bands:32x8");
  EXPECT_EQ(Config::parse("bands:32x8|kperm:256|text:word3+bag"), full);
  EXPECT_EQ(Config::parse("fss:128"), Config{});
  EXPECT_EQ(Config{}.str(), "text:word5 | fss:128");
  EXPECT_TRUE(Config::parse("values").features.values());
  EXPECT_EQ(Config::parse("bands:16x8").banding, (Banding{16, 8}));
}

TEST(Config, NamesThePartThatIsWrong) {
  struct Case {
    const char* text;
    const char* part;
  };
  const Case cases[] = {
      {"", "the part \"\" of the configuration is neither features"},
      {"text:word5 |", "the part \"\""},
      {"text:word5 | 16x6", "the part \"16x6\""},
      {"text:word5 | text:char5", "\"text:char5\" is a second choice of features"},
      {"fss:128 | kperm:128", "\"kperm:128\" is a second sketch"},
      {"bands:1x1 | bands:1x1", "a second choice of bands"},
      {"text:word5 | fss:64 | bands:16x6", "16x6 use 96 slots, but the sketch fss:64 has 64"},
      {"bands:16x9", "use 144 slots, but the sketch fss:128 has 128"},
      {"text:word99 | fss:128", "from 1 to 32"},
      {"text:word5 | fss:0", "from 1 to 4096"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(sentence_of([&] { Config::parse(c.text); }), testing::HasSubstr(c.part)) << c.text;
  }
}

TEST(Config, WhatIsWrittenReadsBack) {
  register_test_rules();
  EXPECT_TRUE(rc::check([](std::uint64_t seed, bool bag, bool stop, bool banded) {
    Config config;
    if (*rc::gen::inRange(0, 6) == 0) {
      config.features.kind = ValueFeatures{bag};
    } else {
      TextFeatures text;
      text.kind = *rc::gen::element(Kind::kWords, Kind::kDictionaryWords, Kind::kChars,
                                    Kind::kTruthW1, Kind::kTruthW3, Kind::kTruthC5, Kind::kOwn);
      if (text.kind == Kind::kOwn) text.rule = "ascii-words";
      const bool words = text.kind == Kind::kWords || text.kind == Kind::kDictionaryWords;
      text.shingle = *rc::gen::inRange(1, 33);
      text.bag = bag && (words || text.kind == Kind::kChars || text.kind == Kind::kOwn);
      if (stop && words) text.stop = *rc::gen::element<std::string>("en", "de", "tr");
      config.features.kind = text;
    }
    config.features.seed = seed;
    config.features = FeatureSpec::parse(config.features.str());  // the truth kinds fix N
    config.sketch.slots = *rc::gen::inRange(1, 4097);
    const int bands = *rc::gen::inRange(1, config.sketch.slots + 1);
    if (banded) config.banding = Banding{bands, config.sketch.slots / bands};
    RC_ASSERT(Config::parse(config.str()) == config);
  }));
}

TEST(Config, AnyTextIsReadOrRefusedWithAnError) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    try {
      const Config config = Config::parse(text);
      RC_ASSERT(Config::parse(config.str()) == config);
    } catch (const Error& error) {
      RC_ASSERT(error.code() == ErrorCode::kInvalidArgument);
    }
  }));
}

TEST(FeatureSpec, SaysHowDocumentsAreCompared) {
  for (const auto& [name, comparison] : {std::pair{"text:word5", Comparison::kSets},
                                         {"text:shingle3", Comparison::kSets},
                                         {"truth:c5", Comparison::kSets},
                                         {"values", Comparison::kSets},
                                         {"image:grid16", Comparison::kSets},
                                         {"image:pdq", Comparison::kHashes},
                                         {"image:dhash+turned", Comparison::kHashes},
                                         {"image:phash", Comparison::kHashes},
                                         {"image:near", Comparison::kPictures},
                                         {"image:sift", Comparison::kDetails}}) {
    const FeatureSpec spec = FeatureSpec::parse(name);
    EXPECT_EQ(spec.comparison(), comparison) << name;
    EXPECT_EQ(spec.is_sketched(), comparison == Comparison::kSets) << name;
  }
}

TEST(FeatureSpec, SaysWhetherADocumentCanBeTooShort) {
  for (const auto& [name, has_short] : {std::pair{"text:word5", true},
                                        {"text:words5", true},
                                        {"text:char3", true},
                                        {"text:shingle3", true},
                                        {"text:terms004", false},
                                        {"truth:w3", false},
                                        {"values", false},
                                        {"image:pdq", true},
                                        {"image:sift", true},
                                        {"image:near", false},
                                        {"image:grid16", false}})
    EXPECT_EQ(FeatureSpec::parse(name).has_short(), has_short) << name;
}

TEST(FeatureSpec, OfPictures) {
  for (const auto& [name, bits] : {std::pair{"image:pdq", 256},
                                   {"image:pdq+turned", 256},
                                   {"image:dhash", 64},
                                   {"image:phash+turned", 64},
                                   {"image:near", 0},
                                   {"image:sift", 0},
                                   {"image:sift+words:a b/c.words", 0},
                                   {"image:grid16", 0},
                                   {"image:grid16+seed:7", 0}}) {
    const FeatureSpec spec = FeatureSpec::parse(name);
    EXPECT_EQ(spec.str(), name);
    EXPECT_EQ(spec.hash_bits(), bits);
    EXPECT_EQ(spec.comparison() == Comparison::kHashes, bits > 0);
    EXPECT_TRUE(spec.image());
    EXPECT_EQ(Config::parse(Config{spec, {}, {}}.str()).features, spec);
  }
  EXPECT_EQ(Config::parse("image:pdq").str(), "image:pdq");
  EXPECT_EQ(Config::parse("image:grid16").str(), "image:grid16 | fss:128");
  for (const auto& [text, sentence] :
       {std::pair{"image:pdq+seed:1", "not one of +turned"},
        {"image:pdq+bag", "not one of +turned"},
        {"image:pdq+turned+turned", "given twice"},
        {"image:grid16+turned", "not one of +seed:NUMBER"},
        {"image:near+turned", "not one of none"},
        {"image:sift+turned", "not one of +words:FILE"},
        {"image:sift+words:", "give the name of a file"},
        {"image:sift+words:a+words:b", "given twice"},
        {"image:pdq+words:a", "not one of +turned"},
        {"image:sift | fss:64", "leave out the sketch and the bands"},
        {"image:sha1", "are unknown"},
        {"image:pdq | fss:64", "leave out the sketch and the bands"},
        {"image:near | bands:4x4", "leave out the sketch and the bands"},
        {"bands:4x4 | image:dhash", "leave out the sketch and the bands"}})
    EXPECT_THAT(sentence_of([&] { Config::parse(text); }), testing::HasSubstr(sentence)) << text;
}

}  // namespace
}  // namespace benzer
