// Tests that texts have the features of the definition wherever they are cut into pieces.
#include "features/shingler.h"

#include <atomic>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/sanitized.h"
#include "features/reference.h"
#include "features/stemmer.h"
#include "features/text_rules_test_util.h"

namespace benzer::internal {
namespace {

// Makes a text of parts that normalisation makes longer, composes or reorders, or that are special
// where pieces end.
std::string text_of_pieces(std::mt19937_64& random) {
  static const std::vector<std::string> kParts = {"a",
                                                  "word ",
                                                  " ",
                                                  ".",
                                                  "\ufdfa",
                                                  "\ufdfb",
                                                  "\u0301",
                                                  "\u0323",
                                                  "\u0350",
                                                  "\u00ad",
                                                  "\u00e9",
                                                  "\u3300",
                                                  "\u4e00",
                                                  "\u0e01\u0e33",
                                                  "\u1100",
                                                  "\u1161",
                                                  "\u11a8",
                                                  "\uac00",
                                                  "\u0344",
                                                  "\u0f73",
                                                  "\xff",
                                                  "\xe3\x81",
                                                  "\n\t ",
                                                  "I\u0307",
                                                  "the ",
                                                  "of ",
                                                  "\u05e9\u05c1",
                                                  "\u0e20\u0e32\u0e29\u0e32",
                                                  "\u0e44\u0e17\u0e22",
                                                  "connections ",
                                                  "\u65e5\u672c\u8a9e",
                                                  "\U0001d15e",
                                                  "\u200d",
                                                  "antidisestablishment"};
  std::string text;
  const std::size_t parts = random() % 60;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::string& part = kParts[random() % kParts.size()];
    const std::size_t times = random() % 8 == 0 ? 1 + random() % 90 : 1;
    for (std::size_t j = 0; j < times; ++j) text += part;
  }
  return text;
}

const char* const kSpecs[] = {"text:word1",
                              "text:word5",
                              "text:word3+stop:en",
                              "text:words1",
                              "text:words3+bag",
                              "text:char1",
                              "text:char5",
                              "text:word2+bag",
                              "truth:w1",
                              "truth:w3",
                              "truth:c5",
                              "text:char64",
                              "text:char1+bag",
                              "text:shingle3+squeeze+4bytes",
                              "text:shingle1+squeeze",
                              "text:shingle4+djb2a",
                              "own:ascii-words",
                              "own:ascii-words5+bag",
                              "text:word2+stop:en+stem:en",
                              "text:words1+bag+stem:de"};

// Reads features of this test, without stemming where the build has none.
FeatureSpec spec_of(std::string_view spelling) {
  return FeatureSpec::parse(has_stemming() ? spelling : spelling.substr(0, spelling.find("+stem")));
}

TEST(Shingler, PiecesChangeNothing) {
  register_test_rules();
  std::mt19937_64 random(11);
  ShingleScratch scratch;
  for (int i = 0; i < (kSanitized ? 500 : 3000); ++i) {
    const std::string text = text_of_pieces(random);
    const FeatureSpec spec = spec_of(kSpecs[random() % std::size(kSpecs)]);
    const TextTrace trace = reference_trace(text, spec, HashKeys(spec.seed));
    std::vector<std::uint64_t> expected;
    for (const TextTrace::Shingle& shingle : trace.shingles) expected.push_back(shingle.feature);
    for (const std::size_t piece : {1U, 7U, 64U, 1000U}) {
      const Shingler shingler(spec, piece);
      std::vector<std::uint64_t> visited;
      const bool is_short = shingler.run(text, nullptr, scratch, [&](auto features) {
        visited.insert(visited.end(), features.begin(), features.end());
      });
      ASSERT_EQ(visited, expected)
          << spec.str() << ", pieces of " << piece << ": " << testing::PrintToString(text);
      ASSERT_EQ(is_short, trace.is_short) << spec.str();
      ASSERT_EQ(scratch.text.replaced, trace.replaced) << testing::PrintToString(text);
      shingler.run(text, nullptr, scratch, nullptr);
      const std::vector<std::uint64_t> kept(scratch.features.data(),
                                            scratch.features.data() + scratch.before);
      ASSERT_EQ(kept, expected) << spec.str();
    }
  }
}

// Two million characters, each of which becomes eleven times as long: only a piece is held.
TEST(Shingler, HoldsNoMoreThanPieces) {
  std::string text;
  for (int i = 0; i < (kSanitized ? 600'000 : 2'000'000); ++i) text += "\ufdfa";
  const Shingler shingler(FeatureSpec::parse("text:char5"));
  ShingleScratch scratch;
  std::uint64_t features = 0;
  shingler.run(text, nullptr, scratch, [&](auto piece) { features += piece.size(); });
  EXPECT_EQ(features, text.size() / 3 * 18 - 4);
  EXPECT_LT(scratch.text.bytes.capacity(), 4 * kPieceBytes);
  EXPECT_LT(scratch.features.capacity(), 4 * kPieceBytes);
}

TEST(Shingler, StopsInTheMiddleOfAText) {
  std::string words, marks = "a";
  for (int i = 0; i < 3'000'000; ++i) words += i % 2 ? "b " : "a ";
  for (int i = 0; i < 200'000; ++i) marks += i % 2 ? "\u0301" : "\u0323";
  for (const std::string& text : {words, marks, std::string(5'000'000, 'a')}) {
    for (const char* spec : {"text:word5", "text:char5", "text:shingle9", "truth:w3"}) {
      std::atomic<bool> stop = false;
      ShingleScratch scratch;
      const Shingler shingler(FeatureSpec::parse(spec), 4096);
      bool visited = false;
      const auto run = [&] {
        shingler.run(text, &stop, scratch, [&](auto) { visited = stop = true; });
      };
      // A text that is read in one piece can be stopped only at its beginning.
      try {
        run();
        stop = true;
        EXPECT_THROW(run(), Error) << spec;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
        EXPECT_TRUE(visited);
      }
    }
  }
}

}  // namespace
}  // namespace benzer::internal
