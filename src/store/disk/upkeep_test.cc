// Tests what a store does in the background, and what it reports of that and of the log that the
// next opening reads.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "store/disk/disk_store.h"
#include "store/disk/disk_test_util.h"

namespace benzer {
namespace {

// Replaces the file system while it lives: no segment can be made while it holds, and making one
// fails while it is full.
class StubbornDisk : public UnsyncedFileSystem {
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
  const ScopedFileSystem scope_{*this};
};

// Stops the thread that makes the fifth segment until let_go() is called: four segments of about
// the same size are merged to that one.
class SlowMerge : public UnsyncedFileSystem {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    if ((flags & O_CREAT) == 0 || std::string_view(path).find("/segment-") == std::string::npos)
      return UnsyncedFileSystem::open(path, flags, mode);
    std::unique_lock lock(mutex_);
    const int number = ++segments_;
    if (number == let_go_at) is_let_go_ = true;
    changed_.notify_all();
    if (number == 5 && !stops_at_the_end) wait(lock);
    if (number == 5) fifth_ = path;
    return UnsyncedFileSystem::open(path, flags, mode);
  }
  int fsync(int file) override {
    // Compares names: another file may get the same descriptor when this one was closed.
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file), error);
    std::unique_lock lock(mutex_);
    if (stops_at_the_end && !fifth_.empty() && path == std::filesystem::canonical(fifth_, error))
      wait(lock);
    return UnsyncedFileSystem::fsync(file);
  }
  void wait_for_merge() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return segments_ >= 5; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    is_let_go_ = true;
    changed_.notify_all();
  }
  int let_go_at = 0;              // lets go when this many segments were begun
  bool stops_at_the_end = false;  // stops when the fifth segment is written, not when it is begun

 private:
  void wait(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] { return is_let_go_; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int segments_ = 0;
  std::string fifth_;
  bool is_let_go_ = false;
};

class UpkeepTest : public DiskTest {
 protected:
  void add(DiskStore& store, int documents) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (int i = 0; i < documents; ++i) {
      const std::string id = std::to_string(next_id_++);
      model_[id] = some_document(id, kLayout, random_);
      writer->add_hashes(model_[id]);
    }
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

  TestRandom random_{1};
  int next_id_ = 0;
  Model model_;
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

TEST_F(UpkeepTest, WritersGoOnWhileSegmentsAreMerged) {
  SlowMerge disk;
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 3000});
  const auto flush = [&](std::uint64_t segments) {
    add(*store, 60);
    wait_until([&] { return store->stats().segments >= segments; });
    EXPECT_EQ(store->stats().segments, segments);
  };
  for (std::uint64_t segments = 1; segments <= 4; ++segments) flush(segments);
  disk.wait_for_merge();
  for (std::uint64_t segments = 5; segments <= 9; ++segments) flush(segments);
  EXPECT_EQ(contents(*store), model_);
  EXPECT_EQ(contents(*open({.read_only = true})), model_);
  disk.let_go();
  store->compact();  // after the merges
  EXPECT_EQ(store->stats().segments, 1U);
  EXPECT_EQ(contents(*store), model_);
}

// Segments that were left when merges were given up are merged, too.
TEST_F(UpkeepTest, AStoreThatIsLeftAloneHasFewSegments) {
  for (int i = 0; i < 30; ++i) {
    const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 3000});
    add(*store, 60);
    store->close();
  }
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 3000});
  add(*store, 60);
  store->close();
  wait_until([&] { return store->stats().segments <= 7; });
  EXPECT_EQ(contents(*store), model_);
}

// A merge is given up while it copies documents, and while it reads again what it has written.
TEST_F(UpkeepTest, AMergeThatTakesLongIsGivenUpAtTheEnd) {
  for (const auto& [is_long, stops_at_the_end] :
       {std::pair(true, false), std::pair(true, true), std::pair(false, false)}) {
    std::filesystem::remove_all(path_);
    StoreFolder::create(path_, "for a test");
    model_.clear();
    SlowMerge disk;
    disk.stops_at_the_end = stops_at_the_end;
    // The destructor lets a long one go, as it writes what is in memory; a short one is finished by
    // each close().
    disk.let_go_at = is_long ? 6 : 5;
    const ScopedFileSystem scope(disk);
    {
      const std::unique_ptr<DiskStore> store =
          open({.memtable_bytes = is_long ? 50'000U : 10'000'000U});
      for (int i = 0; i < 4; ++i) {
        add(*store, 60);
        store->close();
      }
      disk.wait_for_merge();
      add(*store, 10);
    }
    std::size_t segments = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      segments += entry.path().filename().string().starts_with("segment");
    EXPECT_EQ(segments, is_long ? 5U : 2U);
    EXPECT_EQ(contents(*open({.read_only = true})), model_);
  }
}

TEST_F(UpkeepTest, TellsHowLongWritersWaited) {
  StubbornDisk disk;
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 3000});
  disk.hold(true);
  add(*store, 20);
  // The first table is frozen, and the second one grows beyond four times its limit.
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

TEST_F(UpkeepTest, WhatCouldNotBeWrittenIsTriedAgainByALaterWrite) {
  StubbornDisk disk;
  const std::unique_ptr<DiskStore> store =
      open({.memtable_bytes = 3000, .retry_pause = std::chrono::seconds(0)});
  disk.is_full = true;
  add(*store, 60);
  wait_until([&] { return store->maintenance_problem().has_value(); });
  disk.is_full = false;
  // Each of these is too small to make a segment due.
  for (int tries = 0; tries < 2000 && upkeep(*store).flushes == 0; ++tries) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    writer->remove("not there");
    writer->commit();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(upkeep(*store).flushes, 1U);
  for (int tries = 0; tries < 2000 && store->maintenance_problem(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(store->maintenance_problem());
  EXPECT_EQ(contents(*store), model_);
}

TEST_F(UpkeepTest, ACompactionIsWatchedLikeAMerge) {
  StubbornDisk disk;
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<DiskStore> store = open();
    add(*store, 10);
    store->close();
  }
  write_problem(path_, {1'763'942'400, "a file", "what is wrong"});
  const std::unique_ptr<DiskStore> store = open();
  disk.is_full = true;
  EXPECT_THROW(store->compact(), Error);
  EXPECT_EQ(upkeep(*store).failures, 1U);
  EXPECT_TRUE(store->maintenance_problem());
  disk.is_full = false;
  store->compact();
  EXPECT_EQ(store->stats().segments, 1U);
  EXPECT_FALSE(store->maintenance_problem());
  EXPECT_FALSE(open({.read_only = true})->maintenance_problem());
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
