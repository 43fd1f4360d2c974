// Tests that records that have a field which is to be added are refused, and no others.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

using ::testing::HasSubstr;

// The error of a call; empty if there is none.
template <class Call>
std::string annotation_error(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Adds the field "new" to the records, and returns the error. when_read: whether the corpus knows
// of the field when it reads them first.
std::string annotated(const TestFolder& folder, const std::string& lines, bool when_read) {
  InputOptions options = inputs({folder.write("in.jsonl", lines)});
  if (when_read) options.added_fields = {"other", "new"};
  return annotation_error([&] {
    Scanned scanned(options);
    OutputFile out(folder / "out");
    const FileCorpus::Annotation annotation{{"new"},
                                            [](std::uint32_t, auto& values) { values = {"1"}; }};
    scanned.body->write_annotated(annotation, out, nullptr, {});
    out.commit();
  });
}

TEST(AnnotatedRecords, HaveNoneOfTheFields) {
  const TestFolder folder;
  for (const char* line :
       {R"({"text":"a","new":0})", R"({"n\u0065w":null,"text":"a"})",
        R"( { "text" : "a" , "\u006e\u0065\u0077" : {} } )", "{\"text\":\"\xff\",\"new\":1}",
        R"({"new":123456789012345678901234567890,"text":"a"})"})
    for (const bool when_read : {false, true})
      EXPECT_THAT(annotated(folder, std::string("{\"text\":\"b\"}\n") + line + "\n", when_read),
                  HasSubstr("in.jsonl:2: the record has a field \"new\" already"))
          << line;
  for (const char* line :
       {R"({"text":"a","k":"new"})", R"({"text":"\"new\":","k":["new",{"new":1}]})",
        R"({"text":"a","New":1,"new ":1,"\u006ee":2})", R"({"text":"\u006eew"})"})
    for (const bool when_read : {false, true}) {
      EXPECT_EQ(annotated(folder, line, when_read), "") << line;
      const std::string expected =
          std::string(line, std::string(line).size() - 1) + ",\"new\":1}\n";
      EXPECT_EQ(read_file(folder / "out"), expected);
    }
}

TEST(AnnotatedRecords, AreRefusedWhenTheyAreRead) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write("in.jsonl", "{\"text\":\"a\",\"new\":1}\n")});
  options.added_fields = {"new"};
  EXPECT_THAT(annotation_error([&] { Scanned scanned(options); }),
              HasSubstr("has a field \"new\""));
  // References are not written, and what gives no document is not either.
  options.references = options.inputs;
  options.inputs = {folder.write("other.jsonl", "{\"text\":\"a\"}\n{\"text\":0,\"new\":1}\n")};
  EXPECT_EQ(annotation_error([&] { Scanned scanned(options); }), "");
}

}  // namespace
}  // namespace benzer
