#include "benzer/schema.h"

#include <cmath>

#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer {
namespace {

std::string refusal(const char* text) {
  try {
    return Schema::parse(text).completed().str() + " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
}

TEST(Schema, HasOneSpelling) {
  const struct {
    const char* given;
    const char* spelled;
  } kCases[] = {
      {"text=text:word5", "text=text:word5 | fss:128 | min:0.8 | recall:0.99"},
      {" min:.60|title = text:word3;w=2.50 |body=text:char7+html| tags=values ;w=.5 | kperm:64",
       "title=text:word3;w=2.5 | body=text:char7+html | tags=values;w=0.5 | kperm:64 | min:0.6 | "
       "recall:0.99"},
      {"a b=values;w=1 | bands:4x2 | recall:0.9",
       "a b=values | fss:128 | bands:4x2 | min:0.8 | "
       "recall:0.9"},
      {"measure:containment | a=values | keys:0.50/8",
       "a=values | measure:containment | keys:0.5/8 | min:0.8 | recall:0.99"},
      {"a=values | measure:jaccard", "a=values | fss:128 | min:0.8 | recall:0.99"},
      {"min:x=values;w=1000 | fss:1", "min:x=values;w=1000 | fss:1 | min:0.8 | recall:0.99"},
  };
  for (const auto& test : kCases) {
    const Schema schema = Schema::parse(test.given);
    EXPECT_EQ(schema.str(), test.spelled);
    EXPECT_EQ(Schema::parse(test.spelled), schema);
  }
}

TEST(Schema, PlansItsBands) {
  const Schema schema = Schema::parse("text=text:word5").completed();
  EXPECT_EQ(schema.str(), "text=text:word5 | fss:128 | bands:16x6 | min:0.8 | recall:0.99");
  EXPECT_EQ(schema.completed(), schema);
  EXPECT_EQ(Schema().completed(), schema);
}

TEST(Schema, PlansItsKeys) {
  const struct {
    const char* given;
    const char* completed;
  } kCases[] = {
      {"a=values | measure:containment",
       "a=values | measure:containment | keys:0.251/20 | min:0.8 | recall:0.99"},
      {"a=values | measure:containment | min:0.5",
       "a=values | measure:containment | keys:0.37/20 | min:0.5 | recall:0.99"},
      {"a=values | measure:containment | min:0.01 | recall:0.9999",
       "a=values | measure:containment | keys:1/20 | min:0.01 | recall:0.9999"},
      {"a=values | measure:containment | keys:0.1/60",
       "a=values | measure:containment | keys:0.1/60 | min:0.8 | recall:0.99"},
  };
  for (const auto& test : kCases) {
    const Schema schema = Schema::parse(test.given).completed();
    EXPECT_EQ(schema.str(), test.completed);
    EXPECT_EQ(Schema::parse(schema.str()).completed(), schema);
  }
}

TEST(Schema, FingerprintsAreOfTheSpelling) {
  const Schema planned = Schema::parse("text=text:word5");
  EXPECT_EQ(planned.fingerprint(), planned.completed().fingerprint());
  for (const char* other :
       {"body=text:word5", "text=text:word4", "text=text:word5;w=2", "text=text:word5 | fss:64",
        "text=text:word5 | min:0.7", "text=text:word5 | recall:0.9", "text=text:word5+seed:1"})
    EXPECT_NE(Schema::parse(other).fingerprint(), planned.fingerprint()) << other;
}

TEST(Schema, SaysWhatItCannotRead) {
  const struct {
    const char* text;
    const char* sentence;
  } kCases[] = {
      {"", "the part \"\" of the schema is unknown"},
      {"fss:128", "the schema has 0 fields; allowed are 1 to 64"},
      {"a=values | a=text:word5", "the schema has two fields \"a\"; names must differ"},
      {"a=values | what", "the part \"what\" of the schema is unknown"},
      {"=values", "the field \"=values\" is not valid"},
      {"a;b=values", "the field \"a;b=values\" is not valid"},
      {"a=text:word0", "features \"text:word0\" need a number"},
      {"a=text:word5+drop-common:0.1", "the field \"a\" asks for +drop-common"},
      {"a=text:word5+tf-idf",
       "the field \"a\" asks for +tf-idf, and how rare a feature is changes with every document of "
       "an index; count frequencies in documents like those that it will hold"},
      {"a=values;w=0", "the weight \"0\" is not allowed"},
      {"a=values;w=", "the weight \"\" is not allowed"},
      {"a=values;w=.", "the weight \".\" is not allowed"},
      {"a=values;w=-1", "the weight \"-1\" is not allowed"},
      {"a=values;w=1000.000001", "the weight \"1000.000001\" is not allowed"},
      {"a=values;w=0.0000001", "the weight \"0.0000001\" is not allowed"},
      {"a=values;w=nan", "the weight \"nan\" is not allowed"},
      {"a=values;w=1;w=1", "is the second of its kind"},
      {"a=values;x=1", "the part \"x=1\" of the field \"a\" is unknown"},
      {"a=values | min:0.5 | min:0.5", "is the second of its kind"},
      {"a=values | min:0", "the threshold \"0\" is not allowed"},
      {"a=values | recall:1", "the recall 1 of a schema is not allowed"},
      {"a=values | recall:0.1234567890123456", "at most 15 digits after the point"},
      {"a=values | fss:16 | bands:4x5", "bands 4x5 use more slots than the sketch fss:16"},
      {"a=values | fss:1 | min:0.5", "slots"},
      {"a=values | measure:overlap", "the measure \"overlap\" is unknown; allowed are jaccard and"},
      {"a=values | keys:0.3/20", "the keys 0.3/20 are for containment"},
      {"a=values | measure:containment | keys:0.3", "the keys \"0.3\" are not valid"},
      {"a=values | measure:containment | keys:0/20", "the keys \"0/20\" are not valid"},
      {"a=values | measure:containment | keys:0.000/20", "are not valid"},
      {"a=values | measure:containment | keys:0.0001/20", "are not valid"},
      {"a=values | measure:containment | keys:1.5/20", "are not valid"},
      {"a=values | measure:containment | keys:0.3/0", "are not valid"},
      {"a=values | measure:containment | keys:0.3/1001", "are not valid"},
      {"a=values | measure:containment | keys:0.1/20",
       "is found in one that contains 0.8 of it with a probability of 0.815, and 0.99 was asked"},
      {"a=values | measure:containment | fss:64", "by keys, and not by a sketch and its bands"},
      {"a=values | measure:containment | bands:8x4", "by keys, and not by a sketch"},
      {"a=values+weights | measure:containment", "those of the field \"a\", values+weights, have"},
      {"a=image:pdq | measure:containment", "pictures have no containment"},
  };
  for (const auto& test : kCases)
    EXPECT_NE(refusal(test.text).find(test.sentence), std::string::npos)
        << test.text << ": " << refusal(test.text);
}

TEST(Schema, ChecksWhatWasNotParsed) {
  Schema schema;
  schema.fields[0].name = "a|b";
  EXPECT_THROW(schema.completed(), Error);
  schema.fields.assign(65, FieldSpec());
  EXPECT_THROW(schema.completed(), Error);
  schema = Schema();
  for (const double recall : {0.0, 1.0, -0.5, std::nan(""), 1e-16, 1 / 3.0}) {
    schema.recall = recall;
    EXPECT_THROW(schema.completed(), Error) << recall;
  }
  schema.recall = 0.123456789012345;
  EXPECT_EQ(Schema::parse(schema.completed().str()), schema.completed());
}

// A folder or a server would keep what no program can read.
TEST(Schema, RefusesSettingsThatHaveNoSpelling) {
  Schema schema;
  schema.banding = Banding{64, 8};
  for (const int slots : {0, -1, 4097, 8192}) {
    schema.sketch.slots = slots;
    EXPECT_THROW(schema.completed(), Error) << slots;
  }
  schema.sketch.slots = 512;
  EXPECT_EQ(schema.completed().banding, schema.banding);
  schema.sketch.seed = 5;  // of fss
  EXPECT_THROW(schema.completed(), Error);
  schema.sketch.seed.reset();
  schema.sketch.maximum = true;
  EXPECT_THROW(schema.completed(), Error);
  schema.sketch.maximum = false;
  schema.banding = Banding{1 << 16, 1 << 16};  // together 0 in 32 bits
  EXPECT_THROW(schema.completed(), Error);
  schema = Schema();
  schema.measure = Measure::kContainment;
  schema.keys = KeySampling{1500, 20};
  EXPECT_THROW(schema.completed(), Error);
}

}  // namespace
}  // namespace benzer
