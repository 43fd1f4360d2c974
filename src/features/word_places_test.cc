#include <string>

#include <gtest/gtest.h>

#include "benzer/features.h"

#include "base/test_random.h"

namespace benzer {
namespace {

// Blocks of any text end where the rules allow it, so that the places are those of a trace.
TEST(WordPlaces, AreThoseOfATrace) {
  const std::string pieces[] = {" ",      "\n",     "a",      "B7",       ",",
                                "\u00e9", "\u0301", "\u3000", "\u3001",   "\u3002",
                                "\u4eba", "\ufb01", "\xFF",   "\xE3\x80", "\u0e01",
                                "the ",   "\r\n",   "\t",     "-",        "\u200d"};
  TestRandom random(5);
  for (const char* spec :
       {"text:word1", "text:words1", "text:word1+stop:en", "text:word1+stem:en"}) {
    const FeatureExtractor extractor(FeatureSpec::parse(spec));
    for (int round = 0; round < 40; ++round) {
      std::string text;
      const std::uint64_t kinds = 1 + random.below(std::size(pieces));
      for (int i = 0; i < 3000; ++i) text += pieces[random.below(kinds)];
      std::vector<TextRange> expected;
      for (const TextTrace::Shingle& word : extractor.trace(text).shingles)
        expected.push_back({word.begin, word.end});
      ASSERT_EQ(extractor.word_places(text), expected) << spec << ", round " << round;
      FeatureBuffer buffer;
      extractor.extract(text, buffer);
      ASSERT_EQ(buffer.features().size(), expected.size()) << spec << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace benzer
