// Tests attributes: their spelling, conditions on them, changes and expiry.
#include "engine/attributes.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "engine/index_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using Outcome = IndexResult::Outcome;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();
const char* const kSchema =
    "text=text:word2 | lang=string | price=number | seen=time | live=boolean | "
    "expires_at=time;ttl=30d | fss:128 | bands:128x1 | min:0.3 | recall:0.999999";

TEST(AttributeSpecTest, ReadsItsSpelling) {
  for (const char* text : {"lang=string", "price=number", "seen=time", "live=boolean",
                           "a.b-c_9=time", "expires_at=time", "expires_at=time;ttl=30d",
                           "expires_at=time;ttl=90s", "expires_at=time;ttl=36500d"})
    EXPECT_EQ(AttributeSpec::parse(text).str(), text);
  EXPECT_EQ(AttributeSpec::parse(" lang = string ").str(), "lang=string");
  EXPECT_EQ(AttributeSpec::parse("expires_at=time ; ttl=48h").str(), "expires_at=time;ttl=2d");
  EXPECT_EQ(AttributeSpec::parse("expires_at=time;ttl=120s").str(), "expires_at=time;ttl=2m");
  for (const char* text :
       {"lang", "lang=", "=string", "lang=text", "la ng=string", "l\xC3\xA4=string",
        "lang=string;w=2", "lang=string;ttl=3d", "expires_at=string", "expires_at=time;ttl=",
        "expires_at=time;ttl=0s", "expires_at=time;ttl=3", "expires_at=time;ttl=36501d",
        "expires_at=time;ttl=1d;ttl=1d", "expires_at=time;ttl=-1d", "expires_at=time;ttl=1w"})
    EXPECT_THROW(AttributeSpec::parse(text), Error) << text;
  EXPECT_THROW(AttributeSpec::parse(std::string(65, 'a') + "=string"), Error);
}

TEST(AttributeSpecTest, IsPartOfASchema) {
  const Schema schema = Schema::parse("price=number | a=text:word3 | lang=string | tags=values");
  EXPECT_EQ(schema.fields.size(), 2U);
  EXPECT_EQ(schema.attributes.size(), 2U);
  EXPECT_EQ(Schema::parse(schema.completed().str()), schema.completed());
  EXPECT_NE(schema.fingerprint(), Schema::parse("a=text:word3 | tags=values").fingerprint());
  EXPECT_THROW(Schema::parse("a=text:word3 | a=string").completed(), Error);
  EXPECT_THROW(Schema::parse("a=text:word3 | b=string | b=time").completed(), Error);
  EXPECT_THROW(Schema::parse("lang=string").completed(), Error);
  Schema wide = Schema::parse("a=text:word3");
  for (std::size_t i = 0; i <= Schema::kMostFields; ++i)
    wide.attributes.push_back({"a" + std::to_string(i)});
  EXPECT_THROW(wide.completed(), Error);
  wide.attributes.pop_back();
  EXPECT_EQ(wide.completed().attributes.size(), Schema::kMostFields);
}

TEST(ConditionTest, ReadsItsSpelling) {
  const struct {
    const char* text;
    Condition condition;
    const char* written;
  } cases[] = {
      {"lang=en", {"lang", Condition::Operator::kEqual, {"en"}}, "lang = en"},
      {" lang =  en ", {"lang", Condition::Operator::kEqual, {"en"}}, "lang = en"},
      {"lang!=en", {"lang", Condition::Operator::kNotEqual, {"en"}}, "lang != en"},
      {"price<10", {"price", Condition::Operator::kLess, {"10"}}, "price < 10"},
      {"price<=10", {"price", Condition::Operator::kLessOrEqual, {"10"}}, "price <= 10"},
      {"price > 10", {"price", Condition::Operator::kGreater, {"10"}}, "price > 10"},
      {"price>=10", {"price", Condition::Operator::kGreaterOrEqual, {"10"}}, "price >= 10"},
      {"lang in en, de", {"lang", Condition::Operator::kIn, {"en", "de"}}, "lang in en,de"},
      {"lang in\"a,b\",c", {"lang", Condition::Operator::kIn, {"a,b", "c"}}, "lang in \"a,b\",c"},
      {"lang=a,b", {"lang", Condition::Operator::kEqual, {"a,b"}}, "lang = \"a,b\""},
      {"lang=\" a\\n\"", {"lang", Condition::Operator::kEqual, {" a\n"}}, "lang = \" a\\n\""},
      {"lang=", {"lang", Condition::Operator::kEqual, {""}}, "lang = \"\""},
      {"lang = in", {"lang", Condition::Operator::kEqual, {"in"}}, "lang = in"},
      {"in in in", {"in", Condition::Operator::kIn, {"in"}}, "in in in"},
      {"lang==en", {"lang", Condition::Operator::kEqual, {"=en"}}, "lang = =en"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(Condition::parse(one.text), one.condition) << one.text;
    EXPECT_EQ(one.condition.str(), one.written) << one.text;
    EXPECT_EQ(Condition::parse(one.written), one.condition) << one.text;
  }
  for (const char* text : {"", "lang", "=en", "lang en", "lang inen", "lang=\"en", "lang=\"e\" n",
                           "lang=\"\\x\"", "la ng=en", "!lang=en"})
    EXPECT_THROW(Condition::parse(text), Error) << text;
}

TEST(AttributeCodecTest, GivesBackWhatItTook) {
  const Schema schema = Schema::parse(kSchema);
  const AttributeCodec codec(schema);
  const struct {
    std::vector<Attribute> given, back;
  } cases[] = {
      {{{"lang", ""}}, {{"lang", ""}, {"expires_at", "1970-01-31T00:00:00Z"}}},
      {{{"price", "-0"}, {"expires_at", "2100-01-01"}},
       {{"price", "0"}, {"expires_at", "2100-01-01T00:00:00Z"}}},
      {{{"live", "true"}, {"lang", "de"}, {"price", "1e3"}, {"seen", "2026-11-22T01:00:00+01:00"}},
       {{"lang", "de"},
        {"price", "1000"},
        {"seen", "2026-11-22T00:00:00Z"},
        {"live", "true"},
        {"expires_at", "1970-01-31T00:00:00Z"}}},
      {{{"price", "1e-400"}}, {{"price", "0"}, {"expires_at", "1970-01-31T00:00:00Z"}}},
      {{{"price", "9007199254740993"}},
       {{"price", "9007199254740992"}, {"expires_at", "1970-01-31T00:00:00Z"}}},
  };
  for (const auto& one : cases) {
    std::string bytes;
    EXPECT_EQ(codec.encode(one.given, 0, bytes), "");
    std::vector<Attribute> back = codec.decode(bytes);
    for (Attribute& attribute : back) attribute.kind = AttributeKind::kString;
    EXPECT_EQ(back, one.back);
  }
}

TEST(AttributeCodecTest, RefusesWhatDoesNotFit) {
  const Schema schema = Schema::parse(kSchema);
  const AttributeCodec codec(schema);
  const std::string too_long(65'535, 'x');
  const struct {
    std::vector<Attribute> given;
    const char* problem;
  } cases[] = {
      {{{"size", "1"}}, "an attribute \"size\" that the schema does not have"},
      {{{"lang", "en"}, {"lang", "de"}}, "the attribute \"lang\" twice"},
      {{{"lang", "\xFF"}}, "must be a string of UTF-8"},
      {{{"price", ""}}, "must be a number"},
      {{{"price", "nan"}}, "must be a number"},
      {{{"price", "inf"}}, "must be a number"},
      {{{"price", "1e999"}}, "must be a number"},
      {{{"price", "1 "}}, "must be a number"},
      {{{"seen", "yesterday"}}, "must be a time"},
      {{{"live", "yes"}}, "must be true or false"},
      {{{"lang", too_long}}, "allowed are 65535"},
  };
  for (const auto& one : cases) {
    std::string bytes;
    EXPECT_NE(codec.encode(one.given, 0, bytes).find(one.problem), std::string::npos)
        << one.problem << " is not in " << codec.encode(one.given, 0, bytes);
  }
}

// Bytes of a damaged record must neither crash nor pass a condition by accident.
TEST(AttributeCodecTest, DamagedBytesMeetNoCondition) {
  const Schema schema = Schema::parse(kSchema);
  const AttributeCodec codec(schema);
  const AttributeFilter filter(schema, {Condition::parse("lang=en")});
  std::string bytes;
  codec.encode({{"price", "1"}, {"seen", "2026-01-01"}, {"lang", "en"}, {"live", "true"}},
               utc_now(), bytes);
  EXPECT_TRUE(filter.passes(bytes));
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    codec.decode(bytes.substr(0, size));
    EXPECT_TRUE(!filter.passes(bytes.substr(0, size)) ||
                codec.decode(bytes.substr(0, size)).size() > 1)
        << size;
  }
  EXPECT_FALSE(filter.passes(bytes + "\xFF"));
}

// Bytes that no program has written: what is in front of the damage is read, and the rest is not.
TEST(AttributeCodecTest, ReadsNothingBehindDamage) {
  const Schema schema = Schema::parse(kSchema);
  const AttributeCodec codec(schema);
  const auto bytes_of = [](auto number) {
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const std::string never = bytes_of(AttributeCodec::kNever);
  const std::string price = "\x01" + bytes_of(2.5);
  const Attribute read{"price", "2.5", AttributeKind::kNumber};
  EXPECT_EQ(codec.decode(never + price), std::vector{read});
  EXPECT_EQ(codec.decode(never + "\x01" + bytes_of(-0.0))[0].value, "0");
  const std::string damaged[] = {
      price,                                                        // a second time
      std::string(1, '\0') + std::string("\2\0en", 4),              // not ascending
      "\x02" + bytes_of(std::numeric_limits<std::int64_t>::max()),  // no year has it
      "\x02" + bytes_of(std::numeric_limits<std::int64_t>::min()),  // nor this
      "\x03\x02",                                                   // a third boolean
      "\x04" + bytes_of(std::int64_t{0}),                           // it has its own place
      "\x05"};                                                      // no such attribute
  const AttributeFilter filter(schema, {Condition::parse("price=2.5")});
  EXPECT_TRUE(filter.passes(never + price));
  for (const std::string& more : damaged) {
    EXPECT_EQ(codec.decode(never + price + more), std::vector{read})
        << testing::PrintToString(more);
    EXPECT_FALSE(filter.passes(never + price + more)) << testing::PrintToString(more);
  }
  for (const double number :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(codec.decode(never + "\x01" + bytes_of(number)).empty());
  EXPECT_TRUE(codec.decode(bytes_of(AttributeCodec::kNever - 1) + price).empty());
  const std::string invalid = never + std::string("\0\2\0\xFF!", 5);
  EXPECT_EQ(codec.decode(invalid)[0].value, "\xEF\xBF\xBD!");
}

class SomeAttributes {
 public:
  explicit SomeAttributes(TestRandom& random) : random_(random) {}
  std::vector<Attribute> operator()() {
    std::vector<Attribute> out;
    if (one_of(3) > 0) out.push_back({"lang", kLanguages[one_of(4)]});
    if (one_of(3) > 0) out.push_back({"price", std::to_string(one_of(10))});
    if (one_of(2) > 0) out.push_back({"seen", "2026-11-1" + std::to_string(one_of(10))});
    if (one_of(2) > 0) out.push_back({"live", one_of(2) > 0 ? "true" : "false"});
    return out;
  }
  std::vector<Condition> conditions() {
    std::vector<Condition> out;
    for (std::uint64_t i = one_of(3); i > 0; --i) {
      static const char* const kCompared[] = {"=", "!=", "<", "<=", ">", ">="};
      const std::string compared = kCompared[one_of(6)];
      switch (one_of(5)) {
        case 0:
          out.push_back(Condition::parse("lang" + compared + kLanguages[one_of(4)]));
          break;
        case 1:
          out.push_back(Condition::parse("price" + compared + std::to_string(one_of(10))));
          break;
        case 2:
          out.push_back(
              Condition::parse("seen" + compared + "2026-11-1" + std::to_string(one_of(10))));
          break;
        case 3:
          out.push_back(Condition::parse("live=true"));
          break;
        default:
          out.push_back(Condition::parse("lang in en,fr"));
      }
    }
    return out;
  }

 private:
  static constexpr const char* kLanguages[] = {"en", "de", "fr", "it"};
  std::size_t one_of(std::uint64_t count) { return random_.below(count); }
  TestRandom& random_;
};

// What a condition means, written down once more. All values here sort as text does.
bool meets(const std::vector<Attribute>& attributes, const Condition& condition) {
  using enum Condition::Operator;
  for (const Attribute& one : attributes) {
    if (one.name != condition.attribute) continue;
    const std::string& with = condition.values[0];
    switch (condition.compare) {
      case kEqual:
        return one.value == with;
      case kNotEqual:
        return one.value != with;
      case kLess:
        return one.value < with;
      case kLessOrEqual:
        return one.value <= with;
      case kGreater:
        return one.value > with;
      case kGreaterOrEqual:
        return one.value >= with;
      case kIn:
        return std::ranges::find(condition.values, one.value) != condition.values.end();
    }
  }
  return false;
}
bool meets_all(const std::vector<Attribute>& attributes, const std::vector<Condition>& conditions) {
  return std::ranges::all_of(conditions,
                             [&](const Condition& one) { return meets(attributes, one); });
}

template <class Call>
void expect_error(ErrorCode code, std::string_view part, Call&& call) {
  const std::string sentence = error_sentence(code, call);
  EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
}

std::string list_of(std::size_t values) {
  std::string out = "lang in ";
  for (std::size_t i = 0; i < values; ++i) out += i == 0 ? "a" : ",a";
  return out;
}

TEST(ConditionTest, HasALimitedNumberOfValues) {
  constexpr std::size_t kMost = Condition::kMostValues;
  EXPECT_EQ(Condition::parse(list_of(kMost)).values.size(), kMost);
  expect_error(ErrorCode::kInvalidArgument, "\"lang in a,a,a",
               [] { Condition::parse(list_of(kMost + 1)); });
  expect_error(ErrorCode::kInvalidArgument, "more than 10000 values",
               [] { Condition::parse(list_of(4'000'000)); });
}

TEST(AttributeFilterTest, LimitsTheValuesOfAllConditionsTogether) {
  const Schema schema = Schema::parse(kSchema);
  constexpr std::size_t kMost = Condition::kMostValues;
  const Condition half = Condition::parse(list_of(kMost / 2));
  const AttributeFilter most(schema, {half, half});
  expect_error(ErrorCode::kInvalidArgument, "more than 10000 values",
               [&] { AttributeFilter(schema, {half, half, Condition::parse("price < 3")}); });
  const Condition made{"lang", Condition::Operator::kIn, std::vector<std::string>(kMost + 1, "a")};
  expect_error(ErrorCode::kInvalidArgument, "more than 10000 values",
               [&] { AttributeFilter(schema, {made}); });
}

TEST(AttributeFilterTest, FindsEachValueOfALongList) {
  const Schema schema = Schema::parse(kSchema);
  const AttributeCodec codec(schema);
  const struct {
    const char* name;
    std::vector<std::string> values, others;
  } cases[] = {{"lang", {"it", "", "en", "de", "en", "\xC3\xA4"}, {"fr", "e", "enn", "\xC3\xB6"}},
               {"price", {"7", "-2.5", "1e3", "0", "7"}, {"6.5", "2.5", "-1000", "1001"}},
               {"seen", {"2026-11-22", "2025-01-01", "1999-12-31"}, {"2026-11-21", "2026-11-23"}},
               {"live", {"true"}, {"false"}}};
  for (const auto& one : cases) {
    const AttributeFilter filter(schema, {{one.name, Condition::Operator::kIn, one.values}});
    const auto passes = [&](const std::string& value) {
      std::string bytes;
      EXPECT_EQ(codec.encode({{one.name, value}}, utc_now(), bytes), "");
      return filter.passes(bytes);
    };
    for (const std::string& value : one.values) EXPECT_TRUE(passes(value)) << value;
    for (const std::string& value : one.others) EXPECT_FALSE(passes(value)) << value;
  }
}

// An index in memory, or in a folder whose segments are small.
class AttributesTest : public testing::TestWithParam<bool> {
 protected:
  Index make(const char* schema = kSchema) {
    if (!GetParam()) return Index::in_memory(Schema::parse(schema));
    return Index::open(folder_ / std::to_string(count_++),
                       {.create_with = Schema::parse(schema),
                        .durability = WriteLevel{Durability::kBatch, 0},
                        .memtable_bytes = 30'000});
  }
  const TestFolder folder_;
  int count_ = 0;
};

std::vector<std::string> ids_of(const std::vector<Match>& matches) {
  std::vector<std::string> out;
  for (const Match& match : matches) out.push_back(match.id);
  return out;
}

// Texts are so short that many are equal.
TEST_P(AttributesTest, AFilterLeavesOutWhatDoesNotMeetItAndNothingElse) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    TestRandom random(seed);
    SomeAttributes attributes(random);
    Index index = make();
    std::map<std::string, Document> model;
    for (int round = 0; round < 4; ++round)
      index_batch(index, model, 100, [&] {
        Document out{std::to_string(random.below(300)), {Field::of_text("text", "")}};
        out.fields[0].text = some_text(random, 2 + random.below(3));
        out.attributes = attributes();
        return out;
      });
    for (int i = 0; i < 60; ++i) {
      const Document query{random.below(2) == 0 ? "" : std::to_string(random.below(300)),
                           {Field::of_text("text", some_text(random, 2 + random.below(3)))}};
      const std::vector<Match> all = index.find_similar_documents(query, {.limit = kNoLimit});
      SimilarCounts counts;
      SimilarOptions options{
          .limit = kNoLimit, .where = attributes.conditions(), .counts = &counts};
      std::vector<Match> wanted;
      for (const Match& match : all)
        if (meets_all(model.at(match.id).attributes, options.where)) wanted.push_back(match);
      EXPECT_EQ(index.find_similar_documents(query, options), wanted);
      EXPECT_EQ(counts.similar, wanted.size());
      options.limit = 3;
      wanted.resize(std::min<std::size_t>(3, wanted.size()));
      EXPECT_EQ(index.find_similar_documents(query, options), wanted);
      EXPECT_EQ(index.find_similar_documents(std::vector{query}, options, 2)[0], wanted);
    }
  }
}

// With a schema that has no expiry, so that nothing is looked at without conditions.
TEST_P(AttributesTest, ComeBackWithMatches) {
  Index index = make("text=text:word2 | lang=string | live=boolean | min:0.3");
  const auto text = Field::of_text("text", "a storm hit the coast");
  index.index_documents({{"a", {text}, {{"live", "true"}, {"lang", "en"}}}, {"b", {text}}});
  const std::vector<Match> found = index.find_similar_documents({"", {text}});
  ASSERT_EQ(ids_of(found), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found[0].attributes,
            (std::vector<Attribute>{{"lang", "en"}, {"live", "true", AttributeKind::kBoolean}}));
  EXPECT_TRUE(found[1].attributes.empty());
  EXPECT_EQ(index.get("a")->attributes, found[0].attributes);
}

TEST_P(AttributesTest, RefusesConditionsThatMakeNoSense) {
  Index index = make();
  const auto ask = [&](const char* condition) {
    return [&index, condition] {
      index.find_similar_documents({"", {Field::of_text("text", "a b")}},
                                   {.where = {Condition::parse(condition)}});
    };
  };
  expect_error(ErrorCode::kInvalidArgument, "no attribute \"size\"", ask("size=1"));
  expect_error(ErrorCode::kInvalidArgument, "must be a number", ask("price<cheap"));
  expect_error(ErrorCode::kInvalidArgument, "must be a time", ask("seen in 2026-01-01,now"));
  using Operator = Condition::Operator;
  for (const Operator compare : {Operator::kEqual, Operator::kNotEqual, Operator::kLess,
                                 Operator::kGreater, Operator::kIn}) {
    for (const auto& values : {std::vector<std::string>{}, std::vector<std::string>{"1", "2"}}) {
      if (compare == Operator::kIn && !values.empty()) continue;
      expect_error(ErrorCode::kInvalidArgument,
                   fmt::format("the condition on \"price\" has {} values", values.size()), [&] {
                     index.find_similar_documents({"", {Field::of_text("text", "a b")}},
                                                  {.where = {{"price", compare, values}}});
                   });
    }
  }
  Index bare = make(kOneField);
  expect_error(ErrorCode::kInvalidArgument, "the index has no attributes", [&] {
    bare.find_similar_documents({"", {Field::of_text("text", "a b")}},
                                {.where = {Condition::parse("lang=en")}});
  });
  const IndexResult refused =
      index.index_documents({{"a", {Field::of_text("text", "a b")}, {{"price", "much"}}}})[0];
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_NE(refused.problem.find("\"a\": the attribute \"price\""), std::string::npos);
}

TEST_P(AttributesTest, CheckAndAddLooksAtDocumentsThatMeetTheConditions) {
  Index index = make();
  const auto text = Field::of_text("text", "a storm hit the coast");
  index.index_documents({{"a", {text}, {{"lang", "en"}}}});
  const SimilarOptions german{.where = {Condition::parse("lang=de")}};
  EXPECT_TRUE(index.check_and_add({"b", {text}, {{"lang", "de"}}}, german).added);
  EXPECT_EQ(ids_of(index.check_and_add({"c", {text}}, german).matches),
            std::vector<std::string>{"b"});
  EXPECT_FALSE(index.contains("c"));
}

TEST_P(AttributesTest, ChangeWithoutTheText) {
  Index index = make();
  const auto text = Field::of_text("text", "a storm hit the coast");
  index.index_documents({{"a", {text}, {{"lang", "en"}, {"expires_at", "2100-01-01"}}},
                         {"b", {text}},
                         {"gone", {text}, {{"expires_at", "2020-01-01"}}}});
  const auto before = index.get("a");
  const std::vector<IndexResult> results =
      index.change_attributes({{"a", {{"price", "3"}}, {"lang"}},
                               {"nobody", {{"price", "3"}}},
                               {"gone", {{"price", "3"}}},
                               {"a", {{"size", "3"}}},
                               {"a", {}, {"size"}},
                               {"a", {{"price", "4"}}, {"price"}},
                               {"a", {{"price", "much"}}},
                               {"b", {}, {"expires_at"}}});
  std::vector<Outcome> outcomes;
  for (const IndexResult& result : results) outcomes.push_back(result.outcome);
  EXPECT_EQ(outcomes,
            (std::vector<Outcome>{Outcome::kReplaced, Outcome::kNotThere, Outcome::kNotThere,
                                  Outcome::kRefused, Outcome::kRefused, Outcome::kRefused,
                                  Outcome::kRefused, Outcome::kReplaced}));
  const auto after = index.get("a");
  EXPECT_EQ(after->attributes,
            (std::vector<Attribute>{{"price", "3", AttributeKind::kNumber},
                                    {"expires_at", "2100-01-01T00:00:00Z", AttributeKind::kTime}}));
  EXPECT_EQ(after->fields[0].keys, before->fields[0].keys);
  EXPECT_TRUE(index.get("b")->attributes.empty()) << "the default lifetime is not given again";
  EXPECT_EQ(ids_of(index.find_similar_to("a")), std::vector<std::string>{"b"});
}

TEST_P(AttributesTest, DocumentsExpire) {
  Index index = make();
  const UtcTime begin = utc_now();
  const auto text = Field::of_text("text", "a storm hit the coast");
  index.index_documents({{"a", {text}},
                         {"gone", {text}, {{"expires_at", "2020-01-01"}}},
                         {"later", {text}, {{"expires_at", "2100-01-01"}}}});
  EXPECT_FALSE(index.contains("gone"));
  EXPECT_FALSE(index.get("gone"));
  expect_error(ErrorCode::kNotFound, "no document", [&] { index.find_similar_to("gone"); });
  EXPECT_EQ(ids_of(index.find_similar_to("a")), std::vector<std::string>{"later"});
  std::set<std::string> listed;
  index.for_each_id([&](std::string_view id) { listed.emplace(id); });
  EXPECT_EQ(listed, (std::set<std::string>{"a", "later"}));
  EXPECT_EQ(index.ids_after("", 2), (std::vector<std::string>{"a", "later"}));
  EXPECT_EQ(index.ids_after("a", 1), std::vector<std::string>{"later"});
  EXPECT_TRUE(index.ids_after("later", 9).empty());
  EXPECT_TRUE(index.ids_after("", 0).empty());
  EXPECT_EQ(index.size(), 3U);

  const ExpiredDocuments expired = index.expired();
  EXPECT_EQ(expired.ids, std::vector<std::string>{"gone"});
  constexpr UtcTime kMonth = UtcTime{30} * 86'400 * 1'000'000;
  ASSERT_TRUE(expired.next.has_value());
  EXPECT_GE(*expired.next, begin + kMonth);
  EXPECT_LE(*expired.next, utc_now() + kMonth);
  EXPECT_EQ(index.remove_expired({"a", "gone", "nobody"}), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(index.size(), 2U);
  index.index_documents({{"gone", {text}}});  // lives again
  EXPECT_TRUE(index.contains("gone"));
  EXPECT_EQ(index.remove_expired({"gone"}), std::vector<bool>{false});
}

using IdPairs = std::vector<std::tuple<std::string, std::string, double>>;

IdPairs pairs_of(const Index& index) {
  IdPairs out;
  index.for_each_similar_pair(
      {}, [&](const ScoredIds& pair) { out.emplace_back(pair.a, pair.b, pair.score); });
  return out;
}

// Questions about the whole index give the same as if expired documents had never been put in; also
// if one of them is the original of others, so that lookups name it.
TEST_P(AttributesTest, AWholeIndexIsAskedWithoutWhatHasExpired) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    TestRandom random(seed);
    Index index = make(), live = make();
    std::vector<Document> all, left;
    for (int i = 0; i < 120; ++i) {
      all.push_back({std::to_string(i), {Field::of_text("text", some_text(random, 2))}});
      if (random.below(3) == 0)
        all.back().attributes = {{"expires_at", "2020-01-01"}};
      else
        left.push_back(all.back());
    }
    index.index_documents(all);
    live.index_documents(left);
    index.close();
    live.close();
    EXPECT_EQ(pairs_of(index), pairs_of(live));
    for (const Clustering clustering : {Clustering::kLeader, Clustering::kComponents}) {
      WholeIndexOptions options;
      options.clustering = clustering;
      IndexDedup with = index.deduplicate(options), without = live.deduplicate(options);
      for (IndexDedup* found : {&with, &without})  // put in at different times
        for (IndexCluster& cluster : found->clusters) cluster.keeper_expires_at.clear();
      EXPECT_EQ(with.clusters, without.clusters);
      EXPECT_EQ(with.counts.documents, without.counts.documents);
      EXPECT_EQ(with.counts.pairs, without.counts.pairs);
      EXPECT_GT(with.removals, 10U);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, AttributesTest, testing::Bool(),
                         [](const auto& of) { return of.param ? "folder" : "memory"; });

TEST(AttributesInAFolder, SurviveFlushesMergesAndRepairs) {
  const TestFolder folder;
  const std::string path = folder / "store";
  TestRandom random(1);
  SomeAttributes attributes(random);
  std::map<std::string, Document> model;
  {
    Index index =
        Index::open(path, {.create_with = Schema::parse(kSchema), .memtable_bytes = 30'000});
    for (int round = 0; round < 5; ++round) {
      index_batch(index, model, 60, [&] {
        Document out{std::to_string(random.below(200)),
                     {Field::of_text("text", some_text(random, 3))}};
        out.attributes = attributes();
        out.attributes.push_back({"expires_at", "2100-01-01T00:00:00Z"});
        return out;
      });
      index.close();
    }
    index.compact();
    BulkLoad load = index.bulk_load();
    Document loaded{"loaded", {Field::of_text("text", "a b c")}, {{"lang", "it"}}};
    loaded.attributes.push_back({"expires_at", "2100-01-01T00:00:00Z"});
    EXPECT_EQ(load.add({loaded}), std::vector<std::string>{""});
    load.finish();
    model["loaded"] = loaded;
  }
  const auto expect_all = [&] {
    const Index index = Index::open(path, {.read_only = true});
    index.verify();
    EXPECT_EQ(index.size(), model.size());
    for (const auto& [id, document] : model) {
      std::map<std::string, std::string> given, there;
      for (const Attribute& one : document.attributes)
        given[one.name] = one.name == "seen" ? one.value + "T00:00:00Z" : one.value;
      const auto found = index.get(id);
      for (const Attribute& one : found->attributes) there[one.name] = one.value;
      EXPECT_EQ(there, given) << id;
    }
  };
  expect_all();
  std::filesystem::remove(path + "/MANIFEST");
  EXPECT_TRUE(repair_index(path).is_complete());
  expect_all();
}

}  // namespace
}  // namespace benzer
