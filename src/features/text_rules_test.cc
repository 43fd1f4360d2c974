// Tests text rules that a program registers: their names, what they may do, and their features.
#include "features/text_rules.h"

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/config.h"
#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/similarity.h"

#include "base/error_test_util.h"
#include "features/text_rules_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TextRules : public testing::Test {
 protected:
  void SetUp() override { register_test_rules(); }
};

FeatureExtractor extractor_of(std::string_view spelling) {
  return FeatureExtractor(FeatureSpec::parse(spelling));
}

std::vector<std::uint64_t> features_of(std::string_view spelling, std::string_view text) {
  FeatureBuffer buffer;
  extractor_of(spelling).extract(text, buffer);
  return {buffer.features().begin(), buffer.features().end()};
}

TEST_F(TextRules, HaveOneSpelling) {
  const struct {
    const char *read, *written;
  } cases[] = {
      {"own:ascii-words", "own:ascii-words@1.0"},
      {"own:ascii-words1", "own:ascii-words@1.0"},
      {"own:ascii-words5", "own:ascii-words5@1.0"},
      {"own:ascii-words32@1.0", "own:ascii-words32@1.0"},
      {"own:hostile@2+seed:3+bag+html", "own:hostile@2+html+bag+seed:3"},
      {"own:hostile+drop-common:0.01", "own:hostile@2+drop-common:0.01"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(FeatureSpec::parse(c.read).str(), c.written);
    EXPECT_EQ(FeatureSpec::parse(c.written), FeatureSpec::parse(c.read));
    EXPECT_EQ(Config::parse("kperm:64 | " + std::string(c.read)).str(),
              std::string(c.written) + " | kperm:64");
  }
  EXPECT_TRUE(FeatureSpec::parse("own:hostile").has_short());
  EXPECT_TRUE(FeatureSpec::parse("own:hostile").is_sketched());
}

TEST_F(TextRules, AreRefusedInOneSentence) {
  const struct {
    const char *text, *sentence;
  } cases[] = {
      {"own:tokens5",
       "features \"own:tokens5\" need the text rule \"tokens\", which this program "
       "does not have: a program in C++ registers its rules with "
       "register_text_rule() (benzer/text_rule.h), and the command line and the "
       "server have none"},
      {"own:ascii-words5@2.0",
       "features \"own:ascii-words5@2.0\" are of version \"2.0\" of the "
       "text rule \"ascii-words\", and this program has version 1.0: use a "
       "program with the former, or leave out the version and make the "
       "index, file or run again"},
      {"own:ascii-words@", "are of version \"\""},
      {"own:", "need the name of a text rule, as in own:line: 1 to 64 lower-case letters"},
      {"own:5", "need the name of a text rule"},
      {"own:Words", "need the name of a text rule"},
      {"own:a b", "need the name of a text rule"},
      {"own:ascii-words@1.0@1.0", "need the name of a text rule"},
      {"own:ascii-words0", "have the number 0; allowed is one from 1 to 32"},
      {"own:ascii-words33", "have the number 33; allowed is one from 1 to 32"},
      {"own:ascii-words+stop:en",
       "not one of +html, +bag, +drop-common:SHARE or +tf-idf, and +seed:NUMBER"},
      {"own:ascii-words+bag+bag", "given twice"},
      {"text:line", "own:ascii-words, own:hostile"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(error_sentence(ErrorCode::kInvalidArgument, [&] { FeatureSpec::parse(c.text); }),
                HasSubstr(c.sentence));
  FeatureSpec unknown;
  unknown.kind = TextFeatures{.kind = TextFeatures::Kind::kOwn, .rule = "tokens"};
  EXPECT_THAT(
      error_sentence(ErrorCode::kInvalidArgument, [&] { FeatureExtractor extractor(unknown); }),
      HasSubstr("need the text rule \"tokens\""));
}

TEST_F(TextRules, AreRegisteredOnceUnderAProperName) {
  const auto rule = std::make_shared<AsciiWords>();
  const struct {
    std::string name, version, sentence;
    std::shared_ptr<const TextRule> rule = std::make_shared<AsciiWords>();
  } cases[] = {
      {"", "1", "the name \"\" of a text rule is not allowed: give 1 to 64 lower-case letters"},
      {"Line", "1", "the name \"Line\""},
      {"line5", "1", "the last is no digit"},
      {"5line", "1", "the first is a letter"},
      {"-line", "1", "the name \"-line\""},
      {"li+ne", "1", "the name \"li+ne\""},
      {"li ne", "1", "the name \"li ne\""},
      {"l\xC3\xA4rm", "1", "of a text rule is not allowed"},
      {std::string(65, 'a'), "1", "of a text rule is not allowed"},
      {"line", "", "the version \"\" of the text rule \"line\" is not allowed: give 1 to 32"},
      {"line", "1+bag", "the version \"1+bag\""},
      {"line", "1|2", "the version \"1|2\""},
      {"line", std::string(33, '1'), "is not allowed"},
      {"line", "1", "the text rule \"line\" is null", nullptr},
      {"ascii-words", "1.0", "\"ascii-words\" is registered already, with the version 1.0"},
      {"ascii-words", "1.1", "\"ascii-words\" is registered already, with the version 1.0"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(error_sentence(ErrorCode::kInvalidArgument,
                               [&] { register_text_rule(c.name, c.version, c.rule); }),
                HasSubstr(c.sentence));
  EXPECT_EQ(internal::find_text_rule("line"), nullptr);
  EXPECT_EQ(internal::find_text_rule("ascii-words")->version, "1.0");
}

// A rule that finds the words of text:wordN has its features, shingles and places.
TEST_F(TextRules, HaveTheFeaturesOfTheSameWords) {
  std::mt19937_64 random(5);
  const std::string alphabet = "abcXYZ019 ,.-\n\t";
  const auto text_of = [&] {
    std::string text(random() % 400, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    return text;
  };
  for (const char* modifiers : {"", "+bag", "+seed:9", "+html+bag"}) {
    for (const int n : {1, 2, 5, 32}) {
      const auto own = extractor_of("own:ascii-words" + std::to_string(n) + modifiers);
      const auto built_in = extractor_of("text:word" + std::to_string(n) + modifiers);
      FeatureBuffer of_own, of_built_in;
      FeatureSet last_own, last_built_in;
      for (int i = 0; i < 50; ++i) {
        const std::string text = text_of();
        own.extract(text, of_own);
        built_in.extract(text, of_built_in);
        ASSERT_TRUE(std::ranges::equal(of_own.features(), of_built_in.features())) << text;
        EXPECT_EQ(of_own.is_short(), of_built_in.is_short());
        const FeatureSet set_own(of_own.features()), set_built_in(of_built_in.features());
        EXPECT_EQ(overlap(set_own, last_own).jaccard(),
                  overlap(set_built_in, last_built_in).jaccard());
        last_own = set_own;
        last_built_in = set_built_in;
        const TextTrace a = own.trace(text), b = built_in.trace(text);
        EXPECT_EQ(a.words, b.words);
        EXPECT_EQ(a.is_short, b.is_short);
        ASSERT_EQ(a.shingles.size(), b.shingles.size());
        for (std::size_t k = 0; k < a.shingles.size(); ++k) {
          EXPECT_EQ(a.shingles[k].text, b.shingles[k].text);
          EXPECT_EQ(a.shingles[k].feature, b.shingles[k].feature);
          EXPECT_EQ(a.shingles[k].begin, b.shingles[k].begin);
          EXPECT_EQ(a.shingles[k].end, b.shingles[k].end);
        }
      }
    }
  }
}

TEST_F(TextRules, LeaveOutEmptyPieces) {
  EXPECT_THAT(features_of("own:hostile", "empty"), IsEmpty());
  EXPECT_THAT(features_of("own:hostile", ""), IsEmpty());
  EXPECT_THAT(features_of("own:hostile", "any \xFF bytes"), testing::SizeIs(1));
  EXPECT_THAT(extractor_of("own:hostile").trace("any \xFF bytes").words,
              ElementsAre("any \xFF bytes"));
}

TEST_F(TextRules, FailWithTheNameOfTheRuleAndTheText) {
  const struct {
    const char *text, *problem;
  } cases[] = {
      {"throw it", "it throws \"no such \"alphabet\"\""},
      {"number", "it throws something that is no std::exception"},
      {"backward", "it gives a piece the place [2, 5) after [3, 5)"},
      {"beyond", "it gives a piece the place [0, 7) after [0, 0)"},
      {"reverse", "it gives a piece the place [2, 1) after [0, 0)"},
      {"many",
       "it makes more than 1088 pieces of 4 bytes; allowed are 16 for each byte and 1024 "
       "more"},
      {"huge",
       "it makes pieces with more than 65792 bytes of 4 bytes; allowed are 64 for each "
       "byte and 65536 more"},
      {"late", "it throws \"too late\""},
      {"deaf", "it makes more than 1088 pieces of 4 bytes"},
  };
  const FeatureExtractor extractor = extractor_of("own:hostile");
  FeatureBuffer buffer;
  for (const auto& c : cases) {
    const auto expect_failure = [&](auto call) {
      EXPECT_THAT(error_sentence(ErrorCode::kBadInput, call),
                  HasSubstr("the text rule \"hostile\" (version 2) fails on a text that begins "
                            "with \"" +
                            std::string(c.text) + "\": " + c.problem));
    };
    expect_failure([&] { extractor.extract(c.text, buffer); });
    EXPECT_THAT(buffer.features(), IsEmpty());
    expect_failure([&] { extractor.extract(c.text, buffer, [](auto) {}); });
    expect_failure([&] { extractor.trace(c.text); });
    // The buffer can be used for the next document.
    extractor.extract("a text", buffer);
    EXPECT_THAT(buffer.features(), testing::SizeIs(1));
  }
  EXPECT_THROW(extractor.extract("memory", buffer), std::bad_alloc);
}

TEST_F(TextRules, LetPassWhatTheVisitorThrows) {
  struct Enough {};
  std::string text = "deaf";
  text.resize(8'300, ' ');  // features are handed over in the middle of its pieces
  FeatureBuffer buffer;
  const FeatureExtractor extractor = extractor_of("own:hostile");
  EXPECT_THROW(extractor.extract(text, buffer, [](auto) { throw Enough(); }), Enough);
  std::atomic<bool> stop = false;
  FeatureBuffer stopped(&stop);
  extractor.extract("a text", stopped);
  stop = true;
  EXPECT_EQ(error_of([&] { extractor.extract("a text", stopped); }).code(),
            ErrorCode::kInterrupted);
}

// The rule is asked for a stop in the middle of a text, too.
TEST_F(TextRules, StopInTheMiddleOfAText) {
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "a b ";
  std::atomic<bool> stop = false;
  FeatureBuffer buffer(&stop);
  std::uint64_t features = 0;
  const auto count_and_stop = [&](std::span<const std::uint64_t> some) {
    features += some.size();
    stop = true;
  };
  const Error error =
      error_of([&] { extractor_of("own:ascii-words2").extract(text, buffer, count_and_stop); });
  EXPECT_EQ(error.code(), ErrorCode::kInterrupted);
  EXPECT_GT(features, 0U);
  EXPECT_LT(features, 200'000U);
}

TEST_F(TextRules, MayBeRegisteredWhileOthersExtract) {
  static std::atomic<int> runs = 0;  // for --gtest_repeat, since names cannot be taken twice
  const int run = ++runs;
  const std::vector<std::uint64_t> expected = features_of("own:ascii-words2", "one two three");
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      do {
        wrong += features_of("own:ascii-words2", "one two three") != expected;
      } while (!done);
    });
  for (int i = 0; i < 100; ++i)
    register_text_rule("new-" + std::to_string(run) + "-" + std::to_string(i) + "-rule", "1",
                       std::make_shared<AsciiWords>());
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace benzer
