#include "io/csv_record.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/csv_annotation.h"
#include "io/csv_test_util.h"
#include "io/line_blocks.h"
#include "io/record_ends.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using CsvFault = CsvFields::Fault;

struct ReadRecord {
  std::vector<std::string> fields;
  CsvFault fault;
};

ReadRecord read_record(std::string_view record, char delimiter = ',') {
  CsvFields fields(record, delimiter);
  ReadRecord out;
  while (fields.next()) out.fields.push_back(fields.text());
  out.fault = fields.fault();
  return out;
}

TEST(CsvFields, Table) {
  const struct {
    std::string record;
    std::vector<std::string> fields;
  } rows[] = {
      {"", {""}},
      {"a", {"a"}},
      {"a,b\n", {"a", "b"}},
      {"a,b\r\n", {"a", "b"}},
      {"a,b\r", {"a", "b"}},
      {"a\r,b\r\r\n", {"a\r", "b\r"}},
      {",\n", {"", ""}},
      {",,", {"", "", ""}},
      {"\"\"\n", {""}},
      {"\"a,b\",c\n", {"a,b", "c"}},
      {"\"a\nb\r\nc\",d\r\n", {"a\nb\r\nc", "d"}},
      {"\"a \"\"b\"\" c\"", {"a \"b\" c"}},
      {"\"\"\"\"", {"\""}},
      {"\"\"\"\"\"\",\"\"", {"\"\"", ""}},
      {" \"a\" , b ", {" \"a\" ", " b "}},        // blanks belong to the field
      {"5\" nail,it\"s", {"5\" nail", "it\"s"}},  // other quotes are plain characters
      {"a;b\tc", {"a;b\tc"}},
  };
  for (const auto& row : rows) {
    const ReadRecord out = read_record(row.record);
    EXPECT_EQ(out.fields, row.fields) << row.record;
    EXPECT_EQ(out.fault, CsvFault::kNone) << row.record;
  }
  EXPECT_THAT(read_record("a,b\t\"c\td\"\n", '\t').fields, ElementsAre("a,b", "c\td"));
}

TEST(CsvFields, Faults) {
  for (const std::string record : {"\"", "\"a", "a,\"b\n", "\"a\"\"", "\"a,b\nc,d\n", "\"\"\""})
    EXPECT_EQ(read_record(record).fault, CsvFault::kNeverClosed) << record;
  for (const std::string record :
       {"\"a\"b", "\"a\" ,b", "x,\"a\"b\"c\"\n", "\"\"a\n", "\"a\"\rb\n"})
    EXPECT_EQ(read_record(record).fault, CsvFault::kTextBehindQuotes) << record;
  EXPECT_THAT(read_record("a,\"b\"c,d").fields, ElementsAre("a"));
}

TEST(CsvFields, WrittenFieldsReadBack) {
  for (const std::string text : {"", "a", "a b", "a,b", "a\"b", "\"", "a\nb", "a\rb", "\r", "\t"}) {
    for (const char delimiter : {',', '\t'}) {
      std::string record = "x";
      record += delimiter;
      append_csv_field(record, text, delimiter);
      for (const std::string end : {"", "\n", "\r\n"})
        EXPECT_THAT(read_record(record + end, delimiter).fields, ElementsAre("x", text)) << record;
    }
  }
}

TEST(CsvAnnotation, FieldsStandInFrontOfTheLineEnd) {
  const std::vector<std::string> values = {"17", "\"a, \\\"b\\\" \\u00e9\"", "0.5", "null"};
  const std::string added = ",17,\"a, \"\"b\"\" \xC3\xA9\",0.5,";
  for (const std::string end : {"", "\n", "\r\n", "\r"}) {
    std::string record = "x,\"y\ny\"" + end;
    add_csv_fields(record, values, ',');
    EXPECT_EQ(record, "x,\"y\ny\"" + added + end);
  }
}

// Random bytes, most of which have a meaning in CSV.
rc::Gen<std::string> csv_bytes() {
  return rc::gen::container<std::string>(
      rc::gen::element('"', '"', '"', ',', ',', '\n', '\n', '\r', 'a', 'b', '\t'));
}

RC_GTEST_PROP(CsvFields, AgreesWithThePlainReader, ()) {
  const std::string bytes = *csv_bytes();
  const char delimiter = *rc::gen::element(',', '\t');
  for (const PlainRecord& record : split_csv_plainly(bytes, delimiter)) {
    std::string_view text = std::string_view(bytes).substr(record.offset, record.length);
    ReadRecord out = read_record(text, delimiter);
    RC_ASSERT(out.fault == record.fault);
    if (record.fault != CsvFault::kNone) continue;
    RC_ASSERT(out.fields == record.fields);
    if (!record.ends) continue;
    text.remove_suffix(1);
    RC_ASSERT(read_record(text, delimiter).fields == record.fields);
  }
}

RC_GTEST_PROP(RecordEnds, AgreesWithThePlainReaderInPartsOfAnySize, ()) {
  const std::string bytes = *csv_bytes();
  const char delimiter = *rc::gen::element(',', '\t');
  std::vector<std::size_t> expected;
  for (const PlainRecord& record : split_csv_plainly(bytes, delimiter))
    if (record.ends) expected.push_back(record.offset + record.length);

  std::vector<std::size_t> found;
  RecordEnds first(delimiter);
  RecordEnds last(delimiter);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 9);
    std::string_view part = std::string_view(bytes).substr(at, size);
    const std::size_t last_end = last.last(part);
    std::size_t first_end = 0;
    std::size_t begin = 0;
    while (begin < part.size() && (first_end = first.first(part.substr(begin))) > 0)
      found.push_back(at + (begin += first_end));
    const std::size_t end = at + part.size();
    std::size_t expected_last = 0;
    for (const std::size_t e : expected)
      if (e > at && e <= end) expected_last = e - at;
    RC_ASSERT(last_end == expected_last);
    RC_ASSERT(last.in_quotes() == first.in_quotes());
    at = end;
  }
  RC_ASSERT(found == expected);
}

struct Cut {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::uint64_t line = 0;
  bool too_long = false;
  friend bool operator==(const Cut&, const Cut&) = default;
};

TEST(RecordEnds, LineEndsAreCountedInAnyLength) {
  std::string bytes;
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    if (i < 300 || i % 251 == 0) {
      EXPECT_EQ(count_line_ends(bytes), wanted) << i;
    }
    // Long runs of line ends come, too, since each byte of a counter is small.
    const bool is_end = (i / 6000) % 2 == 1 || i * i % 7 == 2;
    bytes += is_end ? '\n' : 'x';
    wanted += is_end ? 1 : 0;
  }
  EXPECT_EQ(count_line_ends(bytes), wanted);
}

RC_GTEST_PROP(LineBlocks, EveryBlockSizeCutsTheSameRecords, ()) {
  const std::string mark = *rc::gen::element<std::string>("", "\xEF\xBB\xBF");
  std::string bytes = *csv_bytes();
  // Adds stretches inside and outside of quotes that are longer than blocks.
  const auto more = *rc::gen::inRange<std::size_t>(0, 100);
  bytes += std::string(more, 'x') + *csv_bytes() + "\"" + std::string(more, 'y') + *csv_bytes();
  const auto block_bytes = *rc::gen::inRange<std::size_t>(1, 100);
  const auto max_line = *rc::gen::inRange<std::uint64_t>(1, 150);

  std::vector<Cut> expected;
  for (const PlainRecord& record : split_csv_plainly(bytes, ',')) {
    const bool too_long = record.length - (record.ends ? 1 : 0) > max_line;
    expected.push_back({mark.size() + record.offset, record.length, record.line, too_long});
  }
  const std::string all = mark + bytes;
  LineBlockReader reader(stream_memory(all), block_bytes, max_line, RecordEnds(','));
  LineBlock block;
  std::vector<Cut> cuts;
  std::uint64_t lines = 0;
  while (reader.next(block)) {
    const std::string_view held = block.lines();
    RC_ASSERT(held == std::string_view(all).substr(block.offset, held.size()));
    for (const PlainRecord& record : split_csv_plainly(held, ',')) {
      const bool too_long = record.length - (record.ends ? 1 : 0) > max_line;
      cuts.push_back({block.offset + record.offset, record.length, lines + record.line, too_long});
    }
    lines += count_line_ends(held);
    if (block.tail == LineBlock::Tail::kTooLong) {
      cuts.push_back({block.rest.offset, block.rest.length, lines, true});
      lines += block.rest_lines;
    }
  }
  RC_ASSERT(cuts == expected);
}

}  // namespace
}  // namespace benzer
