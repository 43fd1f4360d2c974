// Tests that records get new texts and stay as they are otherwise.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

// Returns what is written if each of the named documents gets the text in capitals, without "x"; a
// document "gone" is left out.
std::string edited(const TestFolder& folder, const InputOptions& options,
                   const std::vector<std::uint32_t>& documents) {
  Scanned scanned(options);
  OutputFile out(folder / "out");
  const FileCorpus::Edits edits{
      documents, [](std::uint32_t, std::string_view text) -> std::optional<std::string> {
        if (text == "gone") return std::nullopt;
        std::string other;
        for (const char c : text)
          if (c != 'x') other += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        return other;
      }};
  scanned.body->write_edited(edits, out, nullptr, {});
  out.commit();
  return read_file(folder / "out");
}

TEST(EditedRecords, LinesOfJson) {
  struct Case {
    const char *text, *expected;
  };
  const Case cases[] = {
      {R"({"text":"ab"})", R"({"text":"AB"})"},
      {R"( { "id" : 1e2 , "text"  :  "a\"b\u00e9\n"  , "n": 12345678901234567890123 } )",
       R"( { "id" : 1e2 , "text"  :  "A\"Bé\n"  , "n": 12345678901234567890123 } )"},
      // The last of two is the text.
      {R"({"text":"ab","text":"cd"})", R"({"text":"ab","text":"CD"})"},
      {R"({"te\u0078t":"ab", "a":{"text":"cd"}})", R"({"te\u0078t":"AB", "a":{"text":"cd"}})"},
      {"{\"text\":\"a\xff\",\"b\":\"\xfe\"}", "{\"text\":\"A\uFFFD\",\"b\":\"\uFFFD\"}"},
      {R"({"text":""})", R"({"text":""})"},
  };
  const TestFolder folder;
  for (const Case& each : cases) {
    const std::string lines = std::string(each.text) + "\n";
    EXPECT_EQ(edited(folder, inputs({folder.write("in.jsonl", lines)}), {}), lines);
    EXPECT_EQ(edited(folder, inputs({folder.write("in.jsonl", lines)}), {0}),
              std::string(each.expected) + "\n");
  }
}

TEST(EditedRecords, FieldsInsideOthers) {
  const TestFolder folder;
  InputOptions options =
      inputs({folder.write("in.jsonl", R"({"m":[{"text":"a"},{"x":1,"text":"b"}]})")});
  options.text_field = "/m/1/text";
  EXPECT_EQ(edited(folder, options, {0}), R"({"m":[{"text":"a"},{"x":1,"text":"B"}]})");
}

TEST(EditedRecords, OthersStayAndSomeGo) {
  const TestFolder folder;
  const std::string first = "{\"text\":\"a\"}\nno record\n{\"text\":\"gone\"}\n{\"text\":\"b\"}";
  const auto in =
      inputs({folder.write("1.jsonl", first), folder.write("2.jsonl", R"({"text":"c"})")});
  EXPECT_EQ(edited(folder, in, {1, 3}), "{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"C\"}");
  EXPECT_EQ(edited(folder, in, {2}),
            "{\"text\":\"a\"}\n{\"text\":\"gone\"}\n{\"text\":\"B\"}\n{\"text\":\"c\"}");
}

// Packed files are read from front to back in pieces, so no record may be read before those in
// front of it.
TEST(EditedRecords, LongPackedFiles) {
  const TestFolder folder;
  std::string records, expected;
  std::vector<std::uint32_t> changed;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    const std::string text(997, static_cast<char>('a' + i % 23));
    records += "{\"text\":\"" + text + "\"}\n";
    if (i % 7 != 6) {
      expected += "{\"text\":\"" + text + "\"}\n";
      continue;
    }
    changed.push_back(i);
    expected += "{\"text\":\"" + std::string(997, static_cast<char>(text[0] - 32)) + "\"}\n";
  }
  const std::string path = folder.write("in.jsonl.gz", packed(records, Compression::kGzip));
  EXPECT_EQ(edited(folder, inputs({path}), changed), expected);
}

TEST(EditedRecords, PackedFilesAndReferences) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write(
      "in.jsonl.gz", packed("{\"text\":\"a\"}\n{\"text\":\"b\"}\n", Compression::kGzip))});
  options.references = {folder.write("seen.jsonl", "{\"text\":\"r\"}\n")};
  EXPECT_EQ(edited(folder, options, {2}), "{\"text\":\"a\"}\n{\"text\":\"B\"}\n");
}

TEST(EditedRecords, Csv) {
  struct Case {
    const char *record, *expected;
  };
  const Case cases[] = {
      {"1,ab,2\r\n", "1,AB,2\r\n"},
      {"\"1,\"\"\",\"a\"\"b\n\",2\n", "\"1,\"\"\",\"A\"\"B\n\",2\n"},
      {"1,\"ab\",", "1,AB,"},
      {"1,a\"b,\xff\n", "1,\"A\"\"B\",\xff\n"},
      {",x,\n", ",,\n"},
  };
  const TestFolder folder;
  for (const Case& each : cases)
    EXPECT_EQ(
        edited(folder, inputs({folder.write("in.csv", std::string("id,text,n\n") + each.record)}),
               {0}),
        std::string("id,text,n\n") + each.expected);
  EXPECT_EQ(edited(folder, inputs({folder.write("in.csv", "text\nx\nab")}), {0, 1}),
            "text\n\"\"\nAB");
}

TEST(EditedRecords, LinesOfText) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write("in.txt", "ab\r\nx\ngone\nx")});
  options.format = InputFormat::kLines;
  EXPECT_EQ(edited(folder, options, {0, 1, 2, 3}), "AB\r\n\n\n");
}

TEST(EditedRecords, FilesAreRefused) {
  const TestFolder folder;
  const InputOptions options = inputs({folder.write("in.txt", "ab")});
  EXPECT_EQ(error_sentence(ErrorCode::kInvalidArgument, [&] { edited(folder, options, {0}); }),
            "the texts of files are not changed, only those of records; give JSON lines, CSV, or "
            "files whose lines are documents");
}

}  // namespace
}  // namespace benzer
