// Tests extraction as a whole: the fast path against the definition, on every CPU level.
#include "benzer/features.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/sanitized.h"
#include "features/unicode.h"

namespace benzer {
namespace {

using Features = std::vector<std::uint64_t>;

// Runs the body once per CPU level of this machine, with that level forced.
template <class Body>
void at_every_level(Body body) {
  const CpuLevel before = active_cpu_level();
  for (const CpuLevel level : available_cpu_levels()) {
    force_cpu_level(level);
    SCOPED_TRACE(std::string(cpu_level_name(level)));
    body();
  }
  force_cpu_level(before);
}

Features extracted(const FeatureExtractor& extractor, std::string_view text,
                   FeatureBuffer& buffer) {
  // A copy of exactly the text's size, so that the address sanitizer sees reads beyond it.
  const std::vector<char> exact(text.begin(), text.end());
  extractor.extract({exact.data(), exact.size()}, buffer);
  return {buffer.features().begin(), buffer.features().end()};
}

Features extracted(std::string_view spec, std::string_view text) {
  FeatureBuffer buffer;
  return extracted(FeatureExtractor(FeatureSpec::parse(spec)), text, buffer);
}

// Expects each shingle to come from whole characters of the text, and neither its begin nor its end
// to be before that of the last one.
void expect_good_origins(std::string_view text, const TextTrace& trace) {
  std::vector<bool> boundary(text.size() + 1);
  std::uint64_t ignored = 0;
  for (std::size_t at = 0; at < text.size(); internal::next_code_point(text, at, ignored))
    boundary[at] = true;
  boundary[text.size()] = true;
  std::size_t begin = 0, end = 0;
  for (const TextTrace::Shingle& shingle : trace.shingles) {
    ASSERT_TRUE(begin <= shingle.begin && end <= shingle.end && shingle.begin <= shingle.end &&
                shingle.end <= text.size() && boundary[shingle.begin] && boundary[shingle.end])
        << shingle.begin << " to " << shingle.end << ": " << testing::PrintToString(text);
    begin = shingle.begin;
    end = shingle.end;
  }
}

void expect_as_defined(const FeatureExtractor& extractor, std::string_view text,
                       FeatureBuffer& buffer) {
  const Features fast = extracted(extractor, text, buffer);
  const TextTrace slow = extractor.trace(text);
  Features defined;
  for (const TextTrace::Shingle& shingle : slow.shingles) defined.push_back(shingle.feature);
  ASSERT_EQ(fast, defined) << extractor.spec().str() << ": " << testing::PrintToString(text);
  ASSERT_EQ(buffer.is_short(), slow.is_short) << testing::PrintToString(text);
  ASSERT_EQ(buffer.replaced(), slow.replaced) << testing::PrintToString(text);
  expect_good_origins(text, slow);
}

// Makes a random text of pieces that are difficult in different ways.
std::string hard_text(std::mt19937_64& random) {
  static const std::vector<std::string> kPieces = {"a",
                                                   "B",
                                                   "z9",
                                                   " ",
                                                   "  ",
                                                   ".",
                                                   "The quick brown fox jumps over the lazy dog ",
                                                   "internationalisation",
                                                   "antidisestablishmentarianism",
                                                   "_",
                                                   "-",
                                                   "\n",
                                                   std::string(1, '\0'),
                                                   "\u00e9",
                                                   "e\u0301",
                                                   "E\u0301",
                                                   "\u00df",
                                                   "\u1e9e",
                                                   "\u0130",
                                                   "\u0131",
                                                   "\u03a3\u03c3\u03c2",
                                                   "\u0301",
                                                   "\u0323",
                                                   "\u0323\u0301",
                                                   "\u0301\u0323",
                                                   "\u0315\u0300\u05ae\u0358",
                                                   "\u00ad",
                                                   "\u200d",
                                                   "\u200c",
                                                   "\ufeff",
                                                   "\u034f",
                                                   "\ufe0f",
                                                   "\U000e0020",
                                                   "\U000e0001",
                                                   "\u1e69",
                                                   "s\u0323\u0307",
                                                   "s\u0307\u0323",
                                                   "\uac00",
                                                   "\u1100",
                                                   "\u1161",
                                                   "\u11a8",
                                                   "\u1100\u1161\u11a8",
                                                   "\uac00\u11a8",
                                                   "\uff76\uff9e",
                                                   "\u304b\u3099",
                                                   "\u304b",
                                                   "\u30fc",
                                                   "\u3005",
                                                   "\u3007",
                                                   "\u6f22\u5b57",
                                                   "\U00020000",
                                                   "\uf900",
                                                   "\U0002f800",
                                                   "\u0e01\u0e33",
                                                   "\u0e01\u0e48\u0e38",
                                                   "\u0e50\u0e51",
                                                   "\u0e48",
                                                   "\u0ea1\u0eb3",
                                                   "\u1780\u17d2\u1781",
                                                   "\u1000\u1039\u1000",
                                                   "\u0915\u094d\u0937",
                                                   "\u0915\u093c",
                                                   "\u0958",
                                                   "\u0928\u093c",
                                                   "\u09c7\u09be",
                                                   "\u0b47\u0b56",
                                                   "\u0644\u0627",
                                                   "\ufefb",
                                                   "\ufdfa",
                                                   "\u0627\u0653",
                                                   "\u0650\u0651",
                                                   "\u0651\u0650",
                                                   "\u05e9\u05bc\u05c1",
                                                   "\ufb2c",
                                                   "\u05d0",
                                                   "\uff21\uff42\uff11",
                                                   "\ufb03",
                                                   "\u2460",
                                                   "\u00bd",
                                                   "\u2122",
                                                   "\u33c2",
                                                   "\u3300",
                                                   "\u01c4",
                                                   "\u0345",
                                                   "\u03b1\u0345",
                                                   "\u1fb3",
                                                   "\u1f80\u0301",
                                                   "\u0f71\u0f72\u0f73",
                                                   "\u0f73",
                                                   "\u0344",
                                                   "\u2126",
                                                   "\u212b",
                                                   "\u0340",
                                                   "\U0001d15e",
                                                   "\U0001f600",
                                                   "\U0001f468\u200d\U0001f469",
                                                   "\U00010400",
                                                   "\U0001e900",
                                                   "\u02c7",
                                                   "\ua700",
                                                   "\u3105",
                                                   "\u4e00\u02c7",
                                                   "\ua000",
                                                   "\u0f40\u0f0b\u0f41",
                                                   "\ufffd",
                                                   "\ufffe",
                                                   "\U0010ffff",
                                                   "\x80",
                                                   "\xbf",
                                                   "\xc0\xaf",
                                                   "\xc2",
                                                   "\xe0\x80",
                                                   "\xe2\x82",
                                                   "\xed\xa0\x80",
                                                   "\xf0\x9f\x98",
                                                   "\xf4\x90\x80\x80",
                                                   "\xff",
                                                   "\xf5",
                                                   "\xe3\x81"};
  std::string text;
  const std::size_t length = random() % 4 == 0 ? random() % 200 : random() % 12;
  for (std::size_t i = 0; i < length; ++i) {
    switch (random() % 16) {
      case 0: {  // any code point except surrogates
        const auto c = static_cast<char32_t>(random() % (random() % 2 ? 0x110000 : 0x3100));
        if (c < 0xD800 || c > 0xDFFF) internal::append_utf8(c, text);
        break;
      }
      case 1:  // any combining mark of the common blocks
        internal::append_utf8(static_cast<char32_t>(0x300 + random() % 0x70), text);
        break;
      case 2:
        text += static_cast<char>(random());
        break;
      default:
        text += kPieces[random() % kPieces.size()];
    }
  }
  return text;
}

const std::vector<std::string> kSpecs = {
    "text:word5",         "text:word1",         "text:word2+bag", "text:word3+stop:en+seed:7",
    "text:word32",        "text:char5",         "text:char1+bag", "text:char64",
    "text:word5+stop:fr", "text:char9+seed:99", "truth:w1",       "truth:w3",
    "truth:c5",           "truth:c5+seed:3",    "text:words1",    "text:words3+bag+stop:en"};

TEST(Extract, EqualsTheDefinitionOnHardText) {
  at_every_level([] {
    std::mt19937_64 random(20240607);
    std::vector<FeatureExtractor> extractors;
    for (const std::string& spec : kSpecs) extractors.emplace_back(FeatureSpec::parse(spec));
    FeatureBuffer buffer;
    for (int i = 0; i < (kSanitized ? 800 : 4000) && !testing::Test::HasFatalFailure(); ++i) {
      const std::string text = hard_text(random);
      expect_as_defined(extractors[random() % extractors.size()], text, buffer);
      expect_as_defined(extractors[0], text, buffer);
    }
  });
}

TEST(Extract, EqualsTheDefinitionForEveryCodePoint) {
  const FeatureExtractor extractor(FeatureSpec::parse("text:word2"));
  FeatureBuffer buffer;
  for (char32_t c = 0; c < 0x110000 && !testing::Test::HasFatalFailure(); ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    // All code points of private and unassigned planes are alike, so some are enough.
    if (((c >= 0x40000 && c < 0xE0000) || c >= 0xE1000) && c % 97 != 0) continue;
    if (kSanitized && c >= 0x3000 && c % 25 != 0) continue;
    std::string text = "x \u00e9";
    internal::append_utf8(c, text);
    text += "k\u0323";
    internal::append_utf8(c, text);
    text += "\u4e00 b";
    expect_as_defined(extractor, text, buffer);
  }
}

TEST(Extract, EqualsTheDefinitionForAnyBytes) {
  at_every_level([] {
    FeatureBuffer buffer;
    for (const std::string& spec : kSpecs) {
      const FeatureExtractor extractor(FeatureSpec::parse(spec));
      EXPECT_TRUE(rc::check(spec, [&](const std::string& text) {
        extractor.extract(text, buffer);
        const TextTrace trace = extractor.trace(text);
        RC_ASSERT(buffer.features().size() == trace.shingles.size());
        for (std::size_t i = 0; i < trace.shingles.size(); ++i) {
          RC_ASSERT(buffer.features()[i] == trace.shingles[i].feature);
        }
      }));
    }
  });
}

TEST(Extract, AsciiOfEveryLengthAndAlignment) {
  // Words and gaps of varying length, so that blocks of 64 bytes end at every place in them.
  std::string text;
  for (int i = 0; text.size() < 700; ++i) {
    text += std::string(static_cast<std::size_t>(i * 7 % 23 + 1), static_cast<char>('A' + i % 26));
    text += std::string(static_cast<std::size_t>(i * 5 % 4 + 1), " .,\n"[i % 4]);
  }
  at_every_level([&] {
    const FeatureExtractor extractor(FeatureSpec::parse("text:word2"));
    FeatureBuffer buffer;
    for (std::size_t start = 0; start < 70; start += kSanitized ? 3 : 1) {
      for (std::size_t size = 0; start + size <= text.size(); size += 1 + size / 40) {
        expect_as_defined(extractor, std::string_view(text).substr(start, size), buffer);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

TEST(Extract, LongTextsWithLateForeignLetters) {
  at_every_level([] {
    const FeatureExtractor extractor(FeatureSpec::parse("text:word3"));
    FeatureBuffer buffer;
    std::string ascii;
    while (ascii.size() < 20000) ascii += "some Words of 16bytes1234567 and more; ";
    for (const char* tail :
         {"\u0301", "\u00e9", "\u6f22\u5b57", "\xff", "\ufdfa", "\u0301x\u0323"}) {
      for (std::size_t cut = 19000; cut < 19070; cut += kSanitized ? 69 : 9) {
        expect_as_defined(extractor, ascii.substr(0, cut) + tail + ascii, buffer);
      }
    }
    std::string growing;
    for (int i = 0; i < (kSanitized ? 5000 : 20000); ++i) growing += "\ufdfa";
    expect_as_defined(extractor, growing, buffer);
    std::string marks = "a";
    for (int i = 0; i < 3000; ++i) marks += i % 2 ? "\u0301" : "\u0323";
    expect_as_defined(extractor, marks, buffer);
  });
}

TEST(Extract, IgnoresCaseCompositionAndPunctuation) {
  const std::string base =
      "\u00e9l\u00e8ve na\u00efve \u00c5ngstr\u00f6m und \u0415\u0449\u0451 one two";
  const Features expected = extracted("text:word3", base);
  ASSERT_EQ(expected.size(), 5U);
  for (const std::string same :
       {"\u00c9L\u00c8VE NA\u00cfVE \u212bNGSTR\u00d6M UND \u0435\u0429\u0401 ONE TWO",
        "e\u0301le\u0300ve nai\u0308ve A\u030angstro\u0308m und \u0415\u0449\u0435\u0308 one two",
        "--\u00e9l\u00e8ve,  na\u00efve... (\u00c5ngstr\u00f6m) und\n\u0415\u0449\u0451! one/two?",
        "\u00e9l\u00e8ve na\u00efve \u00c5ngstr\u00f6m und \u0415\u0449\u0451 \uff4f\uff4e\uff45 "
        "t\u00adwo"}) {
    EXPECT_EQ(extracted("text:word3", same), expected) << same;
  }
  EXPECT_NE(extracted("text:word3+seed:1", base), expected);
}

TEST(Extract, ShortTextsAreMarkedAndDifferFromFullOnes) {
  const FeatureExtractor five(FeatureSpec::parse("text:word5"));
  FeatureBuffer buffer;
  const Features four = extracted(five, "one two three four", buffer);
  EXPECT_TRUE(buffer.is_short());
  EXPECT_EQ(four.size(), 1U);
  const Features full = extracted(five, "one two three four five", buffer);
  EXPECT_FALSE(buffer.is_short());
  EXPECT_NE(four, full);
  EXPECT_TRUE(extracted(five, "... !", buffer).empty());
  EXPECT_FALSE(buffer.is_short());
}

TEST(Extract, CountsReplacedSequences) {
  FeatureBuffer buffer;
  const FeatureExtractor extractor(FeatureSpec{});
  extractor.extract("a\xff\xfe b\xe2\x82 c\xf0\x9f\x98", buffer);
  EXPECT_EQ(buffer.replaced(), 4U);
  extractor.extract("fine", buffer);
  EXPECT_EQ(buffer.replaced(), 0U);
}

TEST(Extract, TruthReadsBytesAsTheyAre) {
  at_every_level([] {
    EXPECT_EQ(extracted("truth:w3", "\xff\xfe one two"),
              extracted("truth:w3", "\xff\xfe ONE, two"));
    EXPECT_NE(extracted("truth:w3", "\u00e9 a b"), extracted("truth:w3", "\u00c9 a b"));
    EXPECT_TRUE(extracted("truth:c5", "\x80\x81").empty());
    EXPECT_EQ(extracted("truth:c5", "abcdefg").size(), 3U);
    EXPECT_EQ(extracted("truth:w1", "the of a.b.c it's").size(), 2U);
  });
}

TEST(Extract, BuffersCanBeMovedAndUsedAgain) {
  const FeatureExtractor extractor(FeatureSpec::parse("text:word1"));
  FeatureBuffer first;
  const Features features = extracted(extractor, "some words", first);
  FeatureBuffer second = std::move(first);
  EXPECT_EQ(Features(second.features().begin(), second.features().end()), features);
  EXPECT_EQ(extracted(extractor, "some words", second), features);
}

TEST(Extract, RefusesWhatItCannotDo) {
  const auto make = [](auto change) {
    TextFeatures text;
    change(text);
    return FeatureExtractor(FeatureSpec{.kind = text});
  };
  EXPECT_THROW(make([](TextFeatures& text) { text.stop = "xx"; }), Error);
  EXPECT_THROW(make([](TextFeatures& text) { text.shingle = 0; }), Error);
  EXPECT_THROW(make([](TextFeatures& text) { text.shingle = 33; }), Error);
  EXPECT_THROW(make([](TextFeatures& text) {
                 text.kind = TextFeatures::Kind::kTruthW3;
                 text.bag = true;
               }),
               Error);
  FeatureBuffer buffer;
  const std::string_view value = "x";
  EXPECT_THROW(FeatureExtractor(FeatureSpec::parse("values")).extract("x", buffer), Error);
  EXPECT_THROW(FeatureExtractor(FeatureSpec::parse("values")).trace("x"), Error);
  EXPECT_THROW(FeatureExtractor(FeatureSpec{}).extract_values({&value, 1}, buffer), Error);
}

TEST(Extract, LevelsThatThisMachineLacksAreNotTested) {
  if (available_cpu_levels().size() < 3) {
    GTEST_SKIP() << "this machine cannot run every CPU level; the tests above used "
                 << available_cpu_levels().size() << " of 3";
  }
}

}  // namespace
}  // namespace benzer
