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
  EXPECT_FALSE(KeepOrder().uses_pixels());
  EXPECT_TRUE(KeepOrder::parse("source:x,largest").uses_pixels());
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
  constexpr long double kNone = std::numeric_limits<long double>::quiet_NaN();
  const std::string text = "one two three four five six";
  struct Document {
    std::string text;
    std::vector<long double> numbers;  // of the fields a and b
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
  corpus.add_text("", text, {"", {9007199254740992.0L}});
  corpus.add_text("", text, {"", {9007199254740993.0L}});
  EXPECT_EQ(stays(corpus, "max:n"), 1u);
}

TEST(KeepOrder, RefusesPixelsOfTexts) {
  for (const char* features : {"text:word5", "values"}) {
    MemoryCorpus corpus;
    DedupOptions options;
    options.config.features = FeatureSpec::parse(features);
    options.keep = KeepOrder::parse("first");
    options.keep.rules.insert(options.keep.rules.begin(), {KeepRule::Kind::kLargest, {}, {}});
    EXPECT_THROW(deduplicate(corpus, options), Error) << features;
  }
}

}  // namespace
}  // namespace benzer
