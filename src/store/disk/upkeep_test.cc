// What a store tells of its work in the background, and of the log that the next opening reads.
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

// A disk on which the next segment is made when it is let go, or not at all.
class StubbornDisk : public testing::UnsyncedFileSystem {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    const bool is_segment =
        (flags & O_CREAT) != 0 && std::string_view(path).find("/segment-") != std::string::npos;
    if (is_segment) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !holds_; });
    }
    if (is_segment && is_full) {
      errno = ENOSPC;
      return -1;
    }
    return UnsyncedFileSystem::open(path, flags, mode);
  }
  void hold(bool holds) {
    const std::lock_guard lock(mutex_);
    holds_ = holds;
    changed_.notify_all();
  }
  std::atomic<bool> is_full = false;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool holds_ = false;
};

class UpkeepTest : public ::testing::Test {
 protected:
  UpkeepTest() { StoreFolder::create(path_, "for a test"); }

  std::unique_ptr<DiskStore> open(const DiskOptions& options = {}) {
    return std::make_unique<DiskStore>(path_, testing::kLayout, testing::kFingerprint, options);
  }
  void add(DiskStore& store, int documents) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (int i = 0; i < documents; ++i)
      writer->add_hashes(
          testing::some_document(std::to_string(next_id_++), testing::kLayout, random_));
    writer->commit();
  }
  std::uint64_t bytes_of_logs() const {
    std::uint64_t out = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().filename().string().starts_with("log-")) out += entry.file_size();
    return out;
  }
  static void wait_until(const std::function<bool()>& is_so) {
    while (!is_so()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  static UpkeepStats upkeep(const DiskStore& store) { return store.stats().upkeep.value(); }

  testing::TestFolder folder_;
  const std::string path_ = folder_ / "store";
  TestRandom random_{1};
  int next_id_ = 0;
};

TEST_F(UpkeepTest, CountsFlushesAndMerges) {
  const std::unique_ptr<DiskStore> store = open();
  EXPECT_EQ(upkeep(*store), UpkeepStats());
  for (std::uint64_t i = 1; i <= 3; ++i) {
    add(*store, 10);
    store->close();
    EXPECT_EQ(upkeep(*store).flushes, i);
  }
  EXPECT_EQ(upkeep(*store).merges, 0U);
  store->compact();
  EXPECT_EQ(upkeep(*store).flushes, 3U);
  EXPECT_EQ(upkeep(*store).merges, 1U);
  EXPECT_EQ(upkeep(*store).merges_running, 0U);
  EXPECT_EQ(upkeep(*store).merging_bytes, 0U);
  EXPECT_FALSE(open({.read_only = true})->stats().upkeep) << "it does none of it";
}

TEST_F(UpkeepTest, AMergeIsSeenWhileItGoesOn) {
  StubbornDisk disk;
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open();
  for (int i = 0; i < 2; ++i) {
    add(*store, 10);
    store->close();
  }
  disk.hold(true);
  std::thread compacting([&] { store->compact(); });
  wait_until([&] { return upkeep(*store).merges_running == 1; });
  EXPECT_EQ(upkeep(*store).merging_bytes, store->stats().segment_bytes);
  EXPECT_EQ(upkeep(*store).merges, 0U);
  disk.hold(false);
  compacting.join();
  EXPECT_EQ(upkeep(*store).merges_running, 0U);
  EXPECT_EQ(upkeep(*store).merges, 1U);
}

TEST_F(UpkeepTest, TellsHowLongWritersWaited) {
  StubbornDisk disk;
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 3000});
  disk.hold(true);
  add(*store, 20);
  // The first table is frozen, and the second one grows beyond four times what it should have.
  std::atomic<bool> is_done = false;
  std::thread writing([&] {
    for (int i = 0; i < 100; ++i) add(*store, 5);
    is_done = true;
  });
  wait_until([&] { return is_done || upkeep(*store).stalled_writers > 0; });
  EXPECT_FALSE(is_done) << "nobody waited";
  EXPECT_EQ(upkeep(*store).stalled_writers, 1U);
  EXPECT_EQ(upkeep(*store).stalls, 0U);
  disk.hold(false);
  writing.join();
  const UpkeepStats after = upkeep(*store);
  EXPECT_EQ(after.stalled_writers, 0U);
  EXPECT_GE(after.stalls, 1U);
  EXPECT_GT(after.longest_stall_seconds, 0);
  EXPECT_GE(after.stall_seconds, after.longest_stall_seconds);
}

TEST_F(UpkeepTest, CountsEachTryThatFails) {
  StubbornDisk disk;
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open();
  add(*store, 10);
  disk.is_full = true;
  for (std::uint64_t tries = 1; tries <= 3; ++tries) {
    store->close();
    EXPECT_EQ(upkeep(*store).failures, tries);
  }
  EXPECT_EQ(upkeep(*store).flushes, 0U);
  disk.is_full = false;
  store->close();
  EXPECT_EQ(upkeep(*store).failures, 3U);
  EXPECT_EQ(upkeep(*store).flushes, 1U);
}

TEST_F(UpkeepTest, TheLogIsWhatTheNextOpeningReads) {
  const std::unique_ptr<DiskStore> store = open();
  const std::uint64_t empty = bytes_of_logs();
  EXPECT_EQ(store->stats().log_bytes, empty);
  add(*store, 50);
  const std::uint64_t full = bytes_of_logs();
  EXPECT_GT(full, empty);
  EXPECT_EQ(store->stats().log_bytes, full);
  EXPECT_EQ(open({.read_only = true})->stats().log_bytes, full);
  store->close();
  EXPECT_EQ(store->stats().log_bytes, bytes_of_logs());
  EXPECT_EQ(store->stats().log_bytes, empty);
}

TEST_F(UpkeepTest, ALogThatWaitsToBecomeASegmentIsReadToo) {
  StubbornDisk disk;
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open();
  add(*store, 50);
  disk.is_full = true;
  store->close();
  add(*store, 50);
  EXPECT_EQ(store->stats().log_bytes, bytes_of_logs());
}

TEST(RestartTime, IsAtTheUsualRateWhereNoneIsMeasured) {
  RestartTime time;
  time.begin();
  time.opened_segments();
  time.read_log(1000);
  EXPECT_NEAR(time.seconds(200'000'000) - time.seconds(0), 1, 1e-6);
}

TEST(RestartTime, IsAtTheRateOfThisOpening) {
  RestartTime time;
  time.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  time.opened_segments();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  constexpr std::uint64_t kBytes = std::uint64_t{16} << 20;
  time.read_log(kBytes);
  EXPECT_GE(time.seconds(0), 0.01);
  const double log = time.seconds(kBytes) - time.seconds(0);
  EXPECT_GE(log, 0.02);
  EXPECT_NEAR(time.seconds(2 * kBytes) - time.seconds(0), 2 * log, 1e-9);
}

}  // namespace
}  // namespace benzer
