#include "base/record_log.h"

#include <limits>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::HasSubstr;
using Records = std::vector<std::pair<std::uint32_t, std::string>>;

const Records kRecords = {{1, "first"}, {2, ""}, {7, std::string(300, 'x')}, {2, "last"}};

std::string log_of(const Records& records) {
  std::string bytes(record_log_magic());
  for (const auto& [kind, payload] : records) bytes += record_head(kind, payload) + payload;
  return bytes;
}

struct Read {
  Records records;
  std::uint64_t whole = 0;
  bool at_end = false;
};

Read read_log(const std::string& path) {
  RecordLogReader reader;
  EXPECT_TRUE(reader.open(path));
  Read out;
  std::uint32_t kind = 0;
  std::string payload;
  while (reader.next(kind, payload)) out.records.emplace_back(kind, payload);
  out.whole = reader.whole();
  out.at_end = reader.at_end();
  return out;
}

TEST(RecordLog, GivesBackWhatWasWritten) {
  const TestFolder folder;
  RecordLogWriter writer;
  EXPECT_FALSE(writer.is_open());
  writer.open(folder / "growing", 0);
  for (const auto& [kind, payload] : kRecords) writer.append(kind, payload);
  writer.close_as(folder / "whole");
  EXPECT_FALSE(writer.is_open());
  EXPECT_EQ(folder.names(), std::vector<std::string>{"whole"});
  EXPECT_EQ(read_file(folder / "whole"), log_of(kRecords));
  const Read read = read_log(folder / "whole");
  EXPECT_EQ(read.records, kRecords);
  EXPECT_TRUE(read.at_end);
}

TEST(RecordLog, AFileThatIsNotThere) {
  const TestFolder folder;
  RecordLogReader reader;
  EXPECT_FALSE(reader.open(folder / "none"));
}

TEST(RecordLog, CutAnywhereItGivesTheWholeRecords) {
  const TestFolder folder;
  const std::string all = log_of(kRecords);
  std::vector<std::size_t> ends = {record_log_magic().size()};
  for (const auto& [kind, payload] : kRecords)
    ends.push_back(ends.back() + record_head(kind, payload).size() + payload.size());
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const std::string path = folder.write("log", all.substr(0, size));
    if (size < ends[0]) {
      RecordLogReader reader;
      EXPECT_EQ(error_of([&] { reader.open(path); }).code(), ErrorCode::kCorrupt);
      continue;
    }
    std::size_t records = 0;
    while (records < kRecords.size() && ends[records + 1] <= size) ++records;
    const Read read = read_log(path);
    EXPECT_EQ(read.records, Records(kRecords.begin(), kRecords.begin() + records)) << size;
    EXPECT_EQ(read.whole, ends[records]);
    EXPECT_EQ(read.at_end, size == ends[records]);

    RecordLogWriter writer;
    writer.open(path, read.whole);
    for (std::size_t i = records; i < kRecords.size(); ++i)
      writer.append(kRecords[i].first, kRecords[i].second);
    writer.close();
    EXPECT_EQ(read_file(path), all) << size;
  }
}

TEST(RecordLog, AFlippedBitEndsItInFrontOfItsRecord) {
  const TestFolder folder;
  const std::string all = log_of(kRecords);
  std::size_t end = record_log_magic().size(), records = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= record_log_magic().size() && records < kRecords.size()) {
      const auto& [kind, payload] = kRecords[records];
      const std::size_t next = end + record_head(kind, payload).size() + payload.size();
      if (i == next) {
        end = next;
        ++records;
      }
    }
    std::string damaged = all;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    const std::string path = folder.write("log", damaged);
    if (i < record_log_magic().size()) {
      RecordLogReader reader;
      EXPECT_EQ(error_of([&] { reader.open(path); }).code(), ErrorCode::kCorrupt);
      continue;
    }
    const Read read = read_log(path);
    EXPECT_EQ(read.records, Records(kRecords.begin(), kRecords.begin() + records)) << i;
    EXPECT_EQ(read.whole, end);
    EXPECT_FALSE(read.at_end);
  }
}

TEST(RecordLog, ALengthThatLiesIsNotAllocated) {
  const TestFolder folder;
  for (const std::uint64_t length :
       {std::numeric_limits<std::uint64_t>::max(), std::uint64_t{1} << 62, std::uint64_t{5}}) {
    std::string head = record_head(1, "four");
    head.replace(8, sizeof length, reinterpret_cast<const char*>(&length), sizeof length);
    const std::string path =
        folder.write("log", std::string(record_log_magic()) + head + std::string("four"));
    EXPECT_TRUE(read_log(path).records.empty());
  }
}

TEST(RecordLog, WhatCannotBeWrittenIsSaid) {
  const TestFolder folder;
  RecordLogWriter writer;
  try {
    writer.open(folder / "none/log", 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
    EXPECT_THAT(error.what(), HasSubstr("none/log: it cannot be written: "));
  }
  EXPECT_EQ(error_of([&] { RecordLogReader().open(folder.path()); }).code(), ErrorCode::kCorrupt);
}

TEST(Fields, GoRoundAndEnd) {
  std::string bytes;
  FieldWriter writer(bytes);
  writer.number(5);
  writer.text("abc");
  writer.list(std::vector<std::uint16_t>{1, 2, 3});
  writer.text("");
  writer.list(std::vector<std::uint64_t>{});
  FieldReader reader(bytes);
  EXPECT_EQ(reader.number(), 5u);
  EXPECT_EQ(reader.text(), "abc");
  std::vector<std::uint16_t> list = {9};
  reader.list(list);
  EXPECT_EQ(list, (std::vector<std::uint16_t>{1, 2, 3}));
  EXPECT_EQ(reader.text(), "");
  std::vector<std::uint64_t> none = {9};
  reader.list(none);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(error_of([&] { reader.number(); }).code(), ErrorCode::kCorrupt);
}

TEST(Fields, NumbersThatLieAreCorrupt) {
  for (const std::uint64_t count :
       {std::uint64_t{4}, std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 1,
        std::numeric_limits<std::uint64_t>::max()}) {
    std::string bytes;
    FieldWriter writer(bytes);
    writer.number(count);
    bytes += std::string(3 * sizeof(std::uint64_t), 'x');
    std::vector<std::uint64_t> list;
    EXPECT_EQ(error_of([&] { FieldReader(bytes).list(list); }).code(), ErrorCode::kCorrupt)
        << count;
    if (count > 24) {
      EXPECT_EQ(error_of([&] { FieldReader(bytes).text(); }).code(), ErrorCode::kCorrupt) << count;
    }
  }
  EXPECT_EQ(error_of([] { FieldReader("1234567").number(); }).code(), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace benzer
