#include "store/disk/read_log.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/record_log.h"
#include "base/test_random.h"
#include "io/io_test_util.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

// Documents as the bytes of a log, and where each record begins.
struct Log {
  std::string bytes{record_log_magic()};
  std::vector<DocumentHashes> documents;
  std::vector<std::size_t> begins;

  void add(DocumentHashes document, std::uint64_t synced = 0) {
    const std::string payload = LogRecord::payload(documents.size() + 1, synced, false, document);
    begins.push_back(bytes.size());
    bytes += record_head(LogRecord::kPut, payload) + payload;
    documents.push_back(std::move(document));
  }
};

DocumentHashes long_document(const std::string& id, std::size_t features, TestRandom& random) {
  DocumentHashes out = some_document(id, kLayout, random);
  while (out.fields.empty()) out = some_document(id, kLayout, random);
  out.fields[0].features.resize(features);
  for (std::uint64_t& feature : out.fields[0].features) feature = random.next();
  return out;
}

// The head of a record that is that long, with a checksum that does not fit.
std::string head_of(std::uint64_t length) {
  std::string head(kRecordHeadBytes, '\1');
  head.replace(1, 7, 7, '\0');
  head.replace(8, 8, reinterpret_cast<const char*>(&length), 8);
  return head;
}

class ReadLogTest : public testing::Test {
 protected:
  std::string write(const std::string& bytes) { return folder_.write("log", bytes); }
  std::vector<DocumentHashes> read(const std::string& bytes, LogRead* out = nullptr,
                                   std::uint64_t synced = 0) {
    std::vector<DocumentHashes> found;
    const LogRead read = read_log(write(bytes), kLayout, 1, synced,
                                  [&](LogRecord& record) { found.push_back(record.document); });
    if (out) *out = read;
    return found;
  }
  std::vector<DocumentHashes> salvage(const std::string& bytes, SalvagedLog* out = nullptr) {
    std::vector<DocumentHashes> found;
    std::uint64_t last = 0;
    const SalvagedLog read = salvage_log(
        write(bytes), kLayout, last, [&](LogRecord& record) { found.push_back(record.document); });
    if (out) *out = read;
    return found;
  }

  TestFolder folder_{fast_folder()};
  TestRandom random_{3};
};

// Records cross the ends of the window that is read at a time, and some are longer than it.
TEST_F(ReadLogTest, ReadsRecordsOfAnyLength) {
  Log log;
  for (const std::size_t features : {1, 130'000, 5, 131'000, 400'000, 7, 60'000, 60'000, 60'000})
    log.add(long_document("d" + std::to_string(log.documents.size()), features, random_));
  LogRead end;
  EXPECT_TRUE(read(log.bytes, &end) == log.documents);
  EXPECT_EQ(end.bytes, log.bytes.size());
  EXPECT_EQ(end.torn, 0U);
  EXPECT_EQ(end.next_number, log.documents.size() + 1);
  EXPECT_TRUE(salvage(log.bytes) == log.documents);

  // If one record is damaged, the others are saved.
  for (std::size_t hit = 0; hit < log.documents.size(); ++hit) {
    std::string bytes = log.bytes;
    bytes[log.begins[hit] + random_.below(80)] ^= 1;
    std::vector<DocumentHashes> others = log.documents;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(hit));
    SalvagedLog salvaged;
    EXPECT_TRUE(salvage(bytes, &salvaged) == others) << hit;
    const std::size_t next = hit + 1 < log.begins.size() ? log.begins[hit + 1] : log.bytes.size();
    EXPECT_EQ(salvaged.skipped, next - log.begins[hit]);
  }
}

TEST_F(ReadLogTest, TellsATornEndFromDamage) {
  Log log;
  for (int i = 0; i < 4; ++i) log.add(long_document("d", 200'000, random_));
  log.add(some_document("last", kLayout, random_), log.begins[3]);
  std::string bytes = log.bytes;
  bytes[log.begins[2] + 50] ^= 1;
  EXPECT_THROW(read(bytes), Error);  // the last record says that it was synced
  bytes[log.begins[4] + 30] ^= 1;
  LogRead end;
  EXPECT_EQ(read(bytes, &end).size(), 2U);
  EXPECT_EQ(end.torn, bytes.size() - log.begins[2]);
  EXPECT_EQ(read(bytes, &end, log.begins[2]).size(), 2U);  // the mark does not say so
  EXPECT_EQ(end.synced, log.begins[2]);
  EXPECT_THROW(read(bytes, &end, log.begins[2] + 1), Error);  // now it does
  EXPECT_THROW(read(log.bytes.substr(0, log.begins[2]), &end, log.begins[3]), Error);
  EXPECT_THROW(read("", &end, 8), Error);
  EXPECT_EQ(read("", &end).size(), 0U);
}

TEST_F(ReadLogTest, TakesNoLaterVersionForDamage) {
  try {
    read("BENZLOG2 and what that may be");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.what();
  }
}

// An id contains a whole record with numbers that no record at its place can have.
TEST_F(ReadLogTest, BelievesNoRecordThatAnIdHolds) {
  const auto inner = [&](std::uint64_t number, std::uint64_t synced) {
    const std::string payload = LogRecord::payload(number, synced, true, {"victim", {}});
    return record_head(LogRecord::kRemoval, payload) + payload;
  };
  for (const auto& [number, synced] :
       {std::pair<std::uint64_t, std::uint64_t>{1 << 20, 0}, {3, std::uint64_t{1} << 40}, {1, 0}}) {
    Log log;
    log.add(some_document("first", kLayout, random_));
    log.add({"x" + inner(number, synced), {}});
    for (int i = 0; i < 20; ++i) log.add(some_document("d" + std::to_string(i), kLayout, random_));
    std::string bytes = log.bytes;
    bytes[log.begins[1] + 16] ^= 1;
    SalvagedLog found;
    EXPECT_EQ(salvage(bytes, &found).size(), 21U);
    EXPECT_EQ(found.passed_over, 1U);
    // The same as a torn end.
    bytes.resize(log.begins[2]);
    LogRead end;
    EXPECT_EQ(read(bytes, &end).size(), 1U);
    EXPECT_EQ(end.bytes, log.begins[1]);
  }
}

// Ids contain bytes that look like heads of long records; it would take hours to try all of them.
TEST_F(ReadLogTest, IsNotSlowedDownByHeadsThatAreNone) {
  Log log;
  log.add(some_document("first", kLayout, random_));
  std::string heads;
  while (heads.size() + kRecordHeadBytes < kLongestId) heads += head_of(4 << 20);
  for (int i = 0; i < 150; ++i) log.add({heads, {}});
  log.add(some_document("last", kLayout, random_));
  std::string bytes = log.bytes;
  for (std::size_t i = 1; i + 1 < log.begins.size(); ++i) bytes[log.begins[i] + 16] ^= 1;
  const std::vector<DocumentHashes> found = salvage(bytes);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].id, "last");
  LogRead end;
  EXPECT_EQ(read(bytes, &end).size(), 1U);
}

// A writer has made a log, and deleted it again because it could not end the one before.
TEST_F(ReadLogTest, ALogThatWasGivenUpIsNotMissed) {
  const auto ignore = [](LogRecord&) {};
  const StoreFolder store(folder_.path());
  Log log;
  for (int i = 0; i < 2; ++i) log.add(some_document("d" + std::to_string(i), kLayout, random_));
  folder_.write("log-000001", log.bytes);
  for (const bool has_record : {false, true}) {
    const std::string second =
        folder_.write("log-000002", has_record ? log.bytes : std::string(record_log_magic()));
    LogChain chain(store, kLayout, {});
    EXPECT_EQ(chain.begin({1, 1, {}}).size(), 2U);
    std::filesystem::remove(second);
    EXPECT_EQ(chain.read(ignore).next_number, 3U);
    if (has_record) {
      EXPECT_THROW(chain.read(ignore), Error);
    } else {
      EXPECT_EQ(chain.read(ignore).next_number, 3U);
      chain.end();
    }
  }
  LogChain chain(store, kLayout, {});
  chain.begin({1, 1, {}});
  std::filesystem::remove(store.log(1));
  EXPECT_THROW(chain.read(ignore), Error);
}

// In a file that was made, each record may be followed by such a head.
TEST_F(ReadLogTest, IsNotSlowedDownByHeadsAfterWholeRecords) {
  constexpr std::size_t kRecords = 50'000;
  Log log;
  for (std::size_t i = 0; i < kRecords; ++i) {
    log.add({"d", {}});
    log.bytes += head_of(2 << 20);
  }
  EXPECT_EQ(salvage(log.bytes).size(), kRecords);
}

}  // namespace
}  // namespace benzer
