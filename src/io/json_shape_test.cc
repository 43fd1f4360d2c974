#include "io/json_shape.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(JsonShape, IsKnownByTheBegin) {
  constexpr auto kLines = JsonShape::kLines;
  constexpr auto kArray = JsonShape::kArray;
  constexpr auto kSpread = JsonShape::kSpread;
  const std::string long_object = "{\"text\":\"" + std::string(3000, 'x') + "\"}";
  const struct {
    std::string bytes;
    JsonShape shape;
  } table[] = {
      {"", kLines},
      {" \n", kLines},
      {"text", kLines},
      {"{\"a\":1}", kLines},
      {"{\"a\":1}\n{\"a\":2}\n", kLines},
      {"\xEF\xBB\xBF\n {\"a\":1}\n{\n", kLines},
      {"[1,2]\n[3,4]\n", kLines},
      {"[1,2]", kLines},
      {"[]", kLines},
      {"[{\"a\":1}]\n[{\"a\":2}]\n", kLines},
      {"[{\"a\":1}]\n{\"a\":2}\n", kLines},
      {"{\"a\":\n{\"a\":2}\n{\"a\":3}\n", kLines},  // a first line that was cut
      {"{\"a\":1,\n{\"a\":2}\n", kLines},
      {"{\n{\"a\":2}\n{\"a\":3}\n", kLines},
      {"{\"a\":\"x\ny\"}\n{\"a\":\"z\"}\n", kLines},  // a line end in a string
      {"{\"a\":\"\\x\"}\n{\"a\":\"z\"}\n", kLines},
      {"[{\"a\":1},{\"a\":2}]", kArray},
      {"[{\"a\":1},{\"a\":2}]\n\n", kArray},
      {"\xEF\xBB\xBF [ {\"a\":1},\n{\"a\":2}\n]", kArray},
      {"[\n{\"a\":1},\n{\"a\":2}\n]\n", kArray},
      {"[\n  1,\n  2\n]\n", kArray},
      {"[\n{\"a\":NaN},\n{\"a\":2}\n]\n", kArray},
      {"[{\n\"a\":1\n}]\n", kArray},
      {"[\n  {\n    \"a\": \"\xFF\\ud800\",\n    \"b\": 1e999\n  }\n]\n", kArray},
      {"[" + long_object + "," + long_object + "]", kArray},
      {"{\n\"a\":1\n}\n", kSpread},
      {"{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n", kSpread},
      {"{\r\n  \"a\": NaN\r\n}\r\n", kSpread},
      {"{\"a\":1,\n \"b\":2}\n", kSpread},
      {"{\"a\":1\n}\n{\"a\":2\n}\n", kSpread},
  };
  for (const auto& row : table) {
    EXPECT_EQ(json_shape(row.bytes, true), row.shape) << row.bytes;
    // However few bytes are known, one object a line is not taken for something else.
    for (std::size_t size = 0; size < row.bytes.size() && row.shape == kLines; ++size) {
      if (row.bytes.starts_with("[{") || row.bytes.starts_with("{\"a\":\n")) continue;
      EXPECT_EQ(json_shape(row.bytes.substr(0, size), false), kLines) << row.bytes << size;
    }
  }
  EXPECT_EQ(json_shape("[" + long_object + "," + long_object.substr(0, 40), false), kArray);
  EXPECT_EQ(json_shape(long_object.substr(0, 400), false), kLines);
}

TEST(JsonShape, EndsTheRunBeforeAnythingIsRead) {
  const TestFolder folder;
  const std::string good = folder.write("good.jsonl", "{\"text\":\"x\"}\n");
  for (const char* name : {"a.json", "a.json.gz", "a.json.zst"}) {
    const Compression how = compression_by_name(name);
    const std::string array = folder.write(name, packed("[\n{\"text\":\"x\"}\n]\n", how));
    RememberingVisitor visitor;
    const InputOptions options = inputs({good, array});
    const auto body = make_corpus_body(options, list_inputs(options), {});
    try {
      body->scan(visitor, 1);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_THAT(error.what(), HasSubstr("this is one JSON array"));
      EXPECT_THAT(error.what(), HasSubstr("jq -c '.[]'"));
    }
    EXPECT_THAT(visitor.documents, IsEmpty());
  }
}

TEST(PlainLines, EveryLineIsADocument) {
  const TestFolder folder;
  for (const char* name : {"a.txt", "a.txt.gz", "a.jsonl"}) {
    const std::string bytes = "\xEF\xBB\xBFone\r\n\n  {\"text\":\"two\"} \ncaf\xE9\nlast";
    InputOptions options = inputs({folder.write(name, packed(bytes, compression_by_name(name))),
                                   folder.write("b", "more\n")});
    options.format = InputFormat::kLines;
    for (const std::size_t block : {1u, 1u << 20}) {
      InputTuning tuning;
      tuning.block_bytes = block;
      const Scanned scanned(options, tuning, 2);
      EXPECT_THAT(scanned.texts(), ElementsAre("one", "", "  {\"text\":\"two\"} ",
                                               "caf\xEF\xBF\xBD", "last", "more"));
      EXPECT_THAT(scanned.ids(), ElementsAre("0", "1", "2", "3", "4", "5"));
      EXPECT_EQ(scanned.labels()[4].line, 5u);
      EXPECT_TRUE(scanned.visitor.documents[3].replaced);
      EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
      EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
      EXPECT_EQ(scanned.write(folder, {1, 3}).kept, "one\r\n  {\"text\":\"two\"} \nlast\nmore\n");
    }
  }
}

TEST(LineProblems, OneCauseIsOneSentence) {
  const TestFolder folder;
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += "{\"id\":1}\n";
  const auto sentences = [&](const std::string& more, std::size_t block) {
    InputTuning tuning;
    tuning.block_bytes = block;
    const Scanned scanned(inputs({folder.write("a.jsonl", bytes + more),
                                  folder.write("b.jsonl", "{\"text\":\"y\"}\n")}),
                          tuning, 3);
    EXPECT_EQ(scanned.body->counts.skipped, 100u);
    EXPECT_EQ(scanned.body->counts.skipped_lines, 100u);
    EXPECT_EQ(scanned.write(folder).skipped, bytes);
    return scanned.sentences;
  };
  for (const std::size_t block : {1u, 100u, 1u << 20}) {
    EXPECT_THAT(
        sentences("", block),
        ElementsAre(HasSubstr("a.jsonl: no line has the field \"text\"; the first lines have "
                              "\"id\"; name the right one; its 100 lines were skipped")));
    EXPECT_THAT(
        sentences("{\"text\":\"x\"}", block),
        ElementsAre(HasSubstr("a.jsonl:1: the field \"text\" is missing"), HasSubstr("a.jsonl:2: "),
                    HasSubstr("a.jsonl:3: "),
                    HasSubstr("97 more lines, the last of them 100, were skipped for one reason: "
                              "the field \"text\" is missing, it must be a string")));
  }
  try {
    folder.write("a.jsonl", bytes);
    const Scanned alone(inputs({folder / "a.jsonl"}));
    FAIL() << "the field is misspelt";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "the inputs hold no document with the field \"text\" (text); name the right one");
  }
  InputOptions strict = inputs({folder / "a.jsonl"});
  strict.strict = true;
  EXPECT_THROW(Scanned{strict}, Error);
}

TEST(Folders, OfRecordsAreReadAsSuch) {
  bool images = false;
  const auto format = [&](const std::vector<std::string>& names) {
    const TestFolder folder;
    for (const std::string& name : names) folder.write("f/" + name, "{}");
    std::filesystem::create_directories(folder / "f");
    InputOptions options = inputs({folder / "f"});
    options.images = images;
    try {
      return list_inputs(options).format;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("f: the folder holds "));
      return InputFormat::kAuto;
    }
  };
  constexpr auto kJson = InputFormat::kJsonLines;
  constexpr auto kText = InputFormat::kText;
  constexpr auto kRefused = InputFormat::kAuto;
  EXPECT_EQ(format({}), kText);
  EXPECT_EQ(format({"a.jsonl", "b/c.ndjson.gz", "d.json.zst"}), kJson);
  EXPECT_EQ(format({"a.json"}), kJson);
  EXPECT_EQ(format({"a.csv", "b.csv.gz"}), InputFormat::kCsv);
  EXPECT_EQ(format({"a.tsv"}), InputFormat::kTsv);
  EXPECT_EQ(format({"a.txt", "b"}), kText);
  EXPECT_EQ(format({"a.txt", "b.json"}), kText);
  EXPECT_EQ(format({"a.txt", "b.jsonl"}), kRefused);
  EXPECT_EQ(format({"a.csv", "b.jsonl"}), kRefused);
  EXPECT_EQ(format({"a.csv", "b.json"}), kRefused);
  EXPECT_EQ(format({"a.csv", "b.tsv"}), kRefused);
  // Exports of pictures have notes about them in other files.
  images = true;
  EXPECT_EQ(format({"a.png", "a.png.json", "list.csv"}), kText);
  EXPECT_EQ(format({"a.png", "b.jsonl", "c.tsv"}), kText);
  EXPECT_EQ(format({"a.csv"}), InputFormat::kCsv);
  EXPECT_EQ(format({"a.csv", "b.json"}), kRefused);
}

}  // namespace
}  // namespace benzer
