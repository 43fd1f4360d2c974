// Tests that an open store that is verified finds damage on the disk in each of its files, and that
// nothing looks damaged only because a writer is at work.
#include "store/disk/verify_store.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "base/sanitized.h"
#include "store/disk/disk_test_util.h"

namespace benzer {
namespace {

void flip_byte(const std::string& path, std::uint64_t at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(byte ^ 0xFF));
  ASSERT_TRUE(file.good()) << path;
}

class VerifyStoreTest : public DiskTest {
 protected:
  void put(DiskStore& store, std::uint64_t first, std::uint64_t end) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (; first < end; ++first)
      writer->add_hashes(some_document(std::to_string(first), kLayout, random_));
    writer->commit();
  }
  // Makes a store with two segments, a list of removed documents, and a log with records.
  std::unique_ptr<DiskStore> make_store() {
    std::unique_ptr<DiskStore> store = open();
    put(*store, 0, 40);
    store->close();
    put(*store, 30, 60);
    store->close();
    put(*store, 60, 70);
    return store;
  }

  TestRandom random_{11};
};

TEST_F(VerifyStoreTest, FindsDamageInEachFile) {
  const std::unique_ptr<DiskStore> store = make_store();
  store->verify();
  std::set<std::string> kinds;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    // One of the two places of the mark may be damaged, and nobody reads what is in the lock.
    if (name == StoreFolder::kLock || name == "SYNCED") continue;
    kinds.insert(name.substr(0, name.find('-')));
    const std::uint64_t at = entry.file_size() / 2;
    flip_byte(entry.path().string(), at);
    const Error error = error_of([&] { store->verify(); });
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << name;
    EXPECT_NE(std::string_view(error.what()).find(name), std::string_view::npos) << error.what();
    flip_byte(entry.path().string(), at);
    store->verify();
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"BENZER", "MANIFEST", "log", "removed", "segment"}));
}

TEST_F(VerifyStoreTest, FindsWhatIsMissing) {
  const std::unique_ptr<DiskStore> store = make_store();
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) paths.insert(entry.path());
  for (const std::string& path : paths) {
    if (path.ends_with("SYNCED") || path.ends_with(StoreFolder::kLock)) continue;
    std::filesystem::rename(path, folder_ / "away");
    EXPECT_EQ(error_of([&] { store->verify(); }).code(), ErrorCode::kCorrupt) << path;
    std::filesystem::rename(folder_ / "away", path);
  }
  store->verify();
}

// The store itself knows up to where its log was synced, even if the mark is damaged, too.
TEST_F(VerifyStoreTest, FindsThatTheSyncedEndOfTheLogIsCut) {
  const std::unique_ptr<DiskStore> store = make_store();
  const std::string log = StoreFolder(path_).log(StoreFolder(path_).numbers("log").back());
  std::filesystem::remove(path_ + "/SYNCED");
  store->verify();
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 1);
  EXPECT_EQ(error_of([&] { store->verify(); }).code(), ErrorCode::kCorrupt);
}

// A page counts as sound once it was checked, but the system may read it from the disk again. What
// is damaged by then must not get into a new file, whose checksums would be right.
TEST_F(VerifyStoreTest, NothingIsMadeOfWhatWasDamagedAfterItWasRead) {
  const std::unique_ptr<DiskStore> store = make_store();
  std::vector<DocumentNumber> documents;
  const auto read_all = [&](StoreReader& reader) {
    for (const DocumentNumber document : documents) reader.get_hashes(document);
  };
  const std::unique_ptr<StoreReader> reader = store->reader();
  reader->for_each([&](DocumentNumber document) {
    documents.push_back(document);
    return true;
  });
  read_all(*reader);
  const std::string segment = StoreFolder(path_).segment(StoreFolder(path_).numbers("segment")[0]);
  constexpr std::uint64_t kInTheFirstRecord = 64 + 30;
  flip_byte(segment, kInTheFirstRecord);
  EXPECT_EQ(error_of([&] { read_all(*reader); }).code(), ErrorCode::kCorrupt);
  const Error error = error_of([&] { store->compact(); });
  EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
  EXPECT_NE(std::string_view(error.what()).find(segment), std::string_view::npos) << error.what();
  EXPECT_EQ(error_of([&] { store->verify(); }).code(), ErrorCode::kCorrupt);
  flip_byte(segment, kInTheFirstRecord);
  store->compact();
  store->verify();
  EXPECT_EQ(store->reader()->size(), 70U);
}

TEST_F(VerifyStoreTest, AWriterAtWorkLooksLikeNoDamage) {
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 10'000});
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> done{0};
  std::thread writing([&] {
    TestRandom random(12);
    while (!stop) {
      put(*store, random.below(300), 300);
      ++done;
    }
  });
  constexpr int kTimes = kSanitized ? 5 : 30;
  for (int i = 0; i < kTimes; ++i) {
    const std::uint64_t before = done;
    EXPECT_NO_THROW(store->verify());
    EXPECT_NO_THROW(open({.read_only = true})->verify());
    while (done == before) std::this_thread::yield();
  }
  stop = true;
  writing.join();
  EXPECT_GT(store->stats().upkeep->flushes, 1U);
}

}  // namespace
}  // namespace benzer
