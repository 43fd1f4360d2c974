#include "research/raw_shingles.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "benzer/features.h"

namespace benzer {
namespace {

using Strings = std::vector<std::string>;

Strings shingles(const std::string& spec, const std::string& text) {
  Strings out;
  for (const TextTrace::Shingle& shingle :
       FeatureExtractor(FeatureSpec::parse(spec)).trace(text).shingles)
    out.push_back(shingle.text);
  return out;
}

std::vector<std::uint64_t> features(const std::string& spec, const std::string& text) {
  const FeatureExtractor extractor(FeatureSpec::parse(spec));
  FeatureBuffer buffer;
  extractor.extract(text, buffer);
  return {buffer.features().begin(), buffer.features().end()};
}

TEST(RawShingles, AreThoseOfTheDocuments) {
  EXPECT_EQ(shingles("text:shingle3", "sample document"),
            (Strings{"sam", "amp", "mpl", "ple", "le ", "e d", " do", "doc", "ocu", "cum", "ume",
                     "men", "ent"}));
  EXPECT_EQ(shingles("text:shingle2", "abcab"), (Strings{"ab", "bc", "ca", "ab"}));
  EXPECT_EQ(FeatureSet(features("text:shingle2", "abcab")).size(), 3U);
  EXPECT_EQ(FeatureSet(features("text:shingle2+bag", "abcab")).size(), 4U);
  EXPECT_EQ(shingles("text:shingle3+squeeze", "a \t\n b  c"), (Strings{"a b", " b ", "b c"}));
  EXPECT_EQ(shingles("text:shingle3", "A \u00e9."), (Strings{"A \u00e9", " \u00e9."}));
  EXPECT_EQ(features("text:shingle2+djb2a", "he")[0] & 0xFFFFFFFF, 5861128U);
  EXPECT_EQ(features("text:terms004", "The cat's Hat, on it"),
            features("truth:w1", "The cat's Hat, on it"));
}

TEST(RawShingles, OfFourBytesAreTheUpperHalfOfTheWhole) {
  const std::string text = "four bytes of a hash, and what they make of the rest";
  const std::vector<std::uint64_t> whole = features("text:shingle9", text);
  const std::vector<std::uint64_t> half = features("text:shingle9+4bytes", text);
  ASSERT_EQ(whole.size(), half.size());
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(half[i] & 0xFFFFFFFF, whole[i] >> 32);
}

TEST(RawShingles, EqualTheDefinitionForAnyBytes) {
  for (const std::string spec : {"text:terms004", "text:shingle3", "text:shingle9+squeeze+bag",
                                 "text:shingle2+squeeze+4bytes", "text:shingle4+djb2a"}) {
    const FeatureExtractor extractor(FeatureSpec::parse(spec));
    FeatureBuffer buffer;
    EXPECT_TRUE(rc::check(spec, [&](std::string text) {
      // Adds blanks, which are rare among random bytes.
      if (!text.empty()) text += "  " + text.substr(text.size() / 2) + "\n\t";
      extractor.extract(text, buffer);
      const TextTrace trace = extractor.trace(text);
      RC_ASSERT(buffer.is_short() == trace.is_short);
      RC_ASSERT(buffer.features().size() == trace.shingles.size());
      for (std::size_t i = 0; i < trace.shingles.size(); ++i)
        RC_ASSERT(buffer.features()[i] == trace.shingles[i].feature);
    }));
  }
}

}  // namespace
}  // namespace benzer
