#include <gtest/gtest.h>

#include "benzer/dedup.h"
#include "benzer/error.h"

#include "base/test_random.h"

namespace benzer {
namespace {

TEST(KeepOrder, ReadsListsOfRules) {
  using Kind = KeepRule::Kind;
  struct Case {
    const char* text;
    std::vector<KeepRule> rules;
  };
  for (const Case& c : std::vector<Case>{
           {"first", {{Kind::kFirst, "", {}}}},
           {"longest,last", {{Kind::kLongest, "", {}}, {Kind::kLast, "", {}}}},
           {"largest,last", {{Kind::kLargest, "", {}}, {Kind::kLast, "", {}}}},
           {"max:score", {{Kind::kMax, "score", {}}}},
           {"min:a b,max:a b", {{Kind::kMin, "a b", {}}, {Kind::kMax, "a b", {}}}},
           {"source:a.jsonl,b.jsonl", {{Kind::kSource, "", {"a.jsonl", "b.jsonl"}}}},
           {"source:x,y,max:n,shortest",
            {{Kind::kSource, "", {"x", "y"}}, {Kind::kMax, "n", {}}, {Kind::kShortest, "", {}}}},
       }) {
    const KeepOrder order = KeepOrder::parse(c.text);
    EXPECT_EQ(order.rules, c.rules) << c.text;
    EXPECT_EQ(order.str(), c.text);
  }
  EXPECT_EQ(KeepOrder().str(), "first");
  EXPECT_EQ(KeepOrder::usual(FeatureSpec::parse("text:word5")).str(), "first");
  EXPECT_EQ(KeepOrder::usual(FeatureSpec::parse("values")).str(), "first");
  EXPECT_EQ(KeepOrder::usual(FeatureSpec::parse("image:pdq")).str(), "largest");
  EXPECT_EQ(KeepOrder::usual(FeatureSpec(), Measure::kContainment).str(), "largest");
  EXPECT_FALSE(KeepOrder().uses_size());
  EXPECT_TRUE(KeepOrder::parse("source:x,largest").uses_size());
  EXPECT_EQ(KeepOrder::parse("max:b,min:a,min:b").fields(), (std::vector<std::string>{"b", "a"}));
}

TEST(KeepOrder, RefusesWhatHasNoMeaning) {
  for (const char* text : {"", ",", "best", "longest,", ",longest", "max:", "source:", "First",
                           "longest,a.jsonl", "first,longest", "last,max:n", "longest,longest",
                           "largest,largest", "largest:n", "max:n,max:n", "source:a,,b"})
    EXPECT_THROW(KeepOrder::parse(text), Error) << text;
}

// Returns which of some documents with the same features is kept: the first in keep order.
std::uint32_t stays(MemoryCorpus& corpus, const char* rules) {
  DedupOptions options;
  options.keep = KeepOrder::parse(rules);
  const DedupResult result = deduplicate(corpus, options);
  EXPECT_EQ(result.kept, 1u);
  return result.removed.front().keeper.value();
}

TEST(KeepOrder, ChoosesByNumbersAndBreaksTiesInTurn) {
  constexpr Number kNone;
  const std::string text = "one two three four five six";
  struct Document {
    std::string text;
    std::vector<Number> numbers;  // of the fields a and b
  };
  const std::vector<Document> documents = {
      {text, {1, 5}},        {text + "!", {3, kNone}}, {text + "??", {3, 2}},
      {text + "?!", {3, 2}}, {text, {kNone, 9}},
  };
  struct Case {
    const char* rules;  // must name the field a before b
    std::uint32_t stays;
  };
  for (const Case& c : {Case{"max:a,max:b", 2}, Case{"max:a,max:b,last", 3}, Case{"min:a,max:b", 0},
                        Case{"shortest,min:a,min:b", 0}, Case{"longest,max:a,max:b,last", 3},
                        Case{"max:a,longest,min:b", 2}}) {
    MemoryCorpus corpus;
    for (const Document& document : documents)
      corpus.add_text("", document.text, {"", document.numbers});
    EXPECT_EQ(stays(corpus, c.rules), c.stays) << c.rules;
  }
  // Two whole numbers that are equal as doubles.
  MemoryCorpus corpus;
  corpus.add_text("", text, {"", {std::int64_t{9007199254740992}}});
  corpus.add_text("", text, {"", {std::int64_t{9007199254740993}}});
  EXPECT_EQ(stays(corpus, "max:n"), 1u);
}

// Repeats do not make a set larger; of equally large ones the first comes first.
TEST(KeepOrder, CountsDifferentFeatures) {
  const auto kept = [](const char* rules, const std::vector<const char*>& texts) {
    MemoryCorpus corpus;
    for (const char* text : texts) corpus.add_text("", text);
    DedupOptions options;
    options.config.features = FeatureSpec::parse("text:word1");
    options.threshold = Threshold::parse("0.5");
    options.keep = KeepOrder::parse(rules);
    return deduplicate(corpus, options).removed.front().keeper.value();
  };
  EXPECT_EQ(kept("largest", {"a b c c c c c c", "a b c d", "a b c e"}), 1u);
  EXPECT_EQ(kept("largest,last", {"a b c c c c c c", "a b c d", "a b c e"}), 2u);
  EXPECT_EQ(kept("longest", {"a b c c c c c c", "a b c d", "a b c e"}), 0u);
}

}  // namespace
}  // namespace benzer
