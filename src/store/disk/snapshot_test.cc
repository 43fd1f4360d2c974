#include "store/disk/snapshot.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/record_log.h"
#include "base/recording_disk.h"
#include "base/sanitized.h"
#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/disk_test_util.h"
#include "store/disk/repair.h"

namespace benzer {
namespace {

class SnapshotTest : public testing::Test {
 protected:
  std::unique_ptr<DiskStore> open(const std::string& path, const DiskOptions& options = {}) {
    return std::make_unique<DiskStore>(path, kLayout, kFingerprint, options);
  }
  void put(DiskStore& store, std::uint64_t number) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    const std::string id = std::to_string(number);
    model_[id] = some_document(id, kLayout, random_);
    writer->add_hashes(model_[id]);
    writer->commit();
  }
  SnapshotResult snapshot(const std::string& to, const SnapshotOptions& options = {}) {
    return snapshot_store(StoreFolder(path_), folder_ / to, kLayout, kFingerprint, options,
                          beside_);
  }
  // Makes a closed store with two segments, a list of removed documents of the first, and a log.
  void make_store() {
    const std::unique_ptr<DiskStore> store = open(path_);
    for (std::uint64_t number = 0; number < 40; ++number) put(*store, number);
    store->close();
    for (std::uint64_t number = 30; number < 60; ++number) put(*store, number);
    store->close();
    for (std::uint64_t number = 55; number < 70; ++number) put(*store, number);
    std::filesystem::copy(path_, folder_ / "made");
    path_ = folder_ / "made";
  }
  static bool is_sealed(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with("segment-") || name.starts_with("removed-");
  }
  // The bytes of the sealed files in the folder, each of which must have `names` names.
  static std::uint64_t sealed_bytes(const std::string& folder, std::uint64_t names) {
    std::uint64_t out = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      EXPECT_EQ(entry.hard_link_count(), is_sealed(entry.path()) ? names : 1U) << entry.path();
      if (is_sealed(entry.path())) out += entry.file_size();
    }
    return out;
  }

  TestFolder folder_;
  std::string path_ = new_store(folder_);
  TestRandom random_{6};
  Model model_;
  WriteBeside beside_ = [](const std::string&) { return std::string(); };
};

// Documents are written in the order of their numbers, so at any moment the store has those from 0
// to n.
TEST_F(SnapshotTest, IsAMomentOfAStoreThatIsWrittenTo) {
  const std::unique_ptr<DiskStore> store = open(path_, {.memtable_bytes = 10'000});
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wanted{0};  // more documents would make the checks take long
  std::thread writing([&] {
    for (std::uint64_t number = 0; !stop; done = ++number) {
      put(*store, number);
      while (number >= wanted && !stop) std::this_thread::yield();
    }
  });
  std::vector<std::uint64_t> least;
  constexpr int kSnapshots = kSanitized ? 7 : 20;
  for (int i = 0; i < kSnapshots; ++i) {
    wanted += 100;
    // Waits, or on a busy machine the snapshots might be over before the first document is written.
    while (done < wanted / 2) std::this_thread::yield();
    least.push_back(done);
    snapshot(std::to_string(i));
  }
  stop = true;
  writing.join();
  EXPECT_GT(least.back(), least.front());
  for (int i = 0; i < kSnapshots; ++i) {
    const std::unique_ptr<DiskStore> copy = open(folder_ / std::to_string(i));
    EXPECT_EQ(StoreFolder::read_schema(folder_ / std::to_string(i)), "for a test");
    copy->verify();
    EXPECT_EQ(copy->stats().torn_bytes, 0U);
    const Model found = contents(*copy);
    EXPECT_GE(found.size(), least[static_cast<std::size_t>(i)]);
    for (std::uint64_t number = 0; number < found.size(); ++number) {
      const std::string id = std::to_string(number);
      ASSERT_TRUE(found.contains(id)) << "it has a later one than " << id;
      EXPECT_EQ(found.at(id), model_.at(id));
    }
  }
}

TEST_F(SnapshotTest, SharesWhatNeverChanges) {
  make_store();
  const SnapshotResult linked = snapshot("linked");
  const std::uint64_t bytes = sealed_bytes(folder_ / "linked", 2);
  EXPECT_GT(bytes, 0U);
  EXPECT_EQ(linked.linked_bytes, bytes);
  EXPECT_GT(linked.copied_bytes, 0U) << "the log";
  const SnapshotResult copied = snapshot("copied", {.copy = true});
  EXPECT_EQ(sealed_bytes(folder_ / "copied", 1), bytes);
  EXPECT_EQ(copied.linked_bytes, 0U);
  EXPECT_EQ(copied.copied_bytes, linked.copied_bytes + bytes);
  EXPECT_EQ(snapshot("again").linked_bytes, bytes);
  sealed_bytes(folder_ / "again", 3);
  for (const char* name : {"linked", "copied", "again"})
    EXPECT_EQ(contents(*open(folder_ / name)), model_) << name;
}

// Snapshots stay the same when both are written to, merged and repaired, and when one is deleted.
TEST_F(SnapshotTest, DoesNotChangeWithItsStore) {
  make_store();
  snapshot("first");
  const Model first = model_;
  {
    const std::unique_ptr<DiskStore> store = open(path_);
    for (std::uint64_t number = 10; number < 50; ++number) put(*store, number);
    store->compact();
  }
  snapshot("second");
  const Model second = model_;
  {
    const std::unique_ptr<DiskStore> copy = open(folder_ / "first");
    EXPECT_EQ(contents(*copy), first);
    copy->writer()->remove("1");
    copy->compact();
  }
  EXPECT_EQ(contents(*open(path_)), second);
  std::filesystem::remove_all(path_);
  const std::unique_ptr<DiskStore> last = open(folder_ / "second");
  last->verify();
  EXPECT_EQ(contents(*last), second);
}

TEST_F(SnapshotTest, ARepairWritesIntoNoSharedFile) {
  make_store();
  snapshot("copy");
  std::map<std::string, std::string> before;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    if (!is_sealed(entry.path())) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(100);
    file.put('\x7f');
    file.close();
    before[entry.path().filename().string()] = read_file(entry.path().string());
  }
  ASSERT_GE(before.size(), 3U);
  Repair repair(path_, kLayout, kFingerprint);
  EXPECT_FALSE(repair.run().was_sound());
  for (const auto& [name, bytes] : before)
    EXPECT_TRUE(read_file(folder_ / "copy/" + name) == bytes) << name;
}

// A file system on which links cannot be made, or on which the file is replaced before one is.
class UnlinkedFileSystem : public UnsyncedFileSystem {
 public:
  int link(const char* from, const char* to) override {
    ++calls;
    if (error != 0) {
      errno = error;
      return -1;
    }
    const std::string other = std::string(from) + ".other";
    std::filesystem::copy_file(from, other);
    std::filesystem::rename(other, from);
    return UnsyncedFileSystem::link(from, to);
  }
  int error = 0;
  int calls = 0;
};

TEST_F(SnapshotTest, CopiesWhatCannotBeLinked) {
  make_store();
  for (const int error : {EXDEV, EPERM, EMLINK, EOPNOTSUPP, ENOSYS, ENOENT, 0}) {
    UnlinkedFileSystem files;
    files.error = error;
    const ScopedFileSystem scope(files);
    const std::string name = "copy-" + std::to_string(error);
    const SnapshotResult result = snapshot(name);
    EXPECT_GE(files.calls, 3) << error;
    EXPECT_EQ(result.linked_bytes, 0U) << error;
    EXPECT_GE(result.copied_bytes, sealed_bytes(folder_ / name, 1)) << error;
    EXPECT_EQ(contents(*open(folder_ / name)), model_) << error;
  }
}

TEST_F(SnapshotTest, WhateverFailsItIsWholeOrNotThere) {
  make_store();
  int failed = 0;
  bool fired = true;
  for (int n = 1; fired; ++n) {
    FaultyFileSystem files(n, FaultyFileSystem::Fault::kError);
    const ScopedFileSystem scope(files);
    const std::string name = std::to_string(n);
    try {
      snapshot(name);
      files.heal();
      EXPECT_EQ(contents(*open(folder_ / name, {.read_only = true})), model_) << n;
    } catch (const Error& error) {
      ++failed;
      files.heal();
      std::filesystem::remove((folder_ / name) + "/LOCK");  // which may stay, and harms nobody
      EXPECT_TRUE(!std::filesystem::exists(folder_ / name) ||
                  std::filesystem::is_empty(folder_ / name))
          << n << " " << files.fired_in();
    }
    fired = files.fired();
  }
  EXPECT_GT(failed, 20);
}

TEST_F(SnapshotTest, IsThereAfterALossOfPower) {
  make_store();
  RecordingDisk disk(folder_.path());
  {
    const ScopedFileSystem scope(disk);
    snapshot("copy");
  }
  for (int i = 0; i < 60; ++i) {
    const std::size_t moment = i % 2 == 0 ? disk.now() : random_.below(disk.now() + 1);
    const TestFolder after(fast_folder());
    disk.lose_power(moment, after.path(), random_);
    const bool is_there = StoreFolder::is_at(after / "copy");
    EXPECT_TRUE(is_there || moment < disk.now());
    if (!is_there) continue;
    const std::unique_ptr<DiskStore> copy = open(after / "copy", {.read_only = true});
    copy->verify();
    EXPECT_EQ(contents(*copy), model_);
  }
}

// Calls a function whenever a file is made.
class ToldFileSystem : public UnsyncedFileSystem {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    const int fd = UnsyncedFileSystem::open(path, flags, mode);
    if (made && (flags & O_CREAT) != 0) made(path);
    return fd;
  }
  std::function<void(std::string_view path)> made;
};

// A log is copied while it ends and the next log gets its first record.
TEST_F(SnapshotTest, HasNoGapBetweenTwoLogs) {
  ToldFileSystem files;
  const ScopedFileSystem scope(files);
  const std::unique_ptr<DiskStore> store = open(path_);
  put(*store, 0);
  std::promise<void> half_copied, go_on;
  std::thread copying;
  int logs = 0;
  std::string problem;
  Model expected;
  files.made = [&](std::string_view path) {
    const auto is = [&](std::string_view part) { return path.find(part) != std::string::npos; };
    if (is("/copy/log-") && ++logs == 2) {
      half_copied.set_value();
      go_on.get_future().wait();
    } else if (is("/store/log-")) {
      copying = std::thread([&] {
        try {
          snapshot("copy");
        } catch (const Error& error) {
          problem = error.what();
        }
      });
      half_copied.get_future().wait();
      put(*store, 1);  // into the old one
      expected = model_;
    } else if (is("/store/segment-")) {
      put(*store, 2);  // into the new one
      go_on.set_value();
      copying.join();
    }
  };
  store->close();
  files.made = nullptr;
  ASSERT_EQ(problem, "");
  EXPECT_EQ(contents(*open(folder_ / "copy")), expected);
}

// The writer replaces and removes files, whichever file the snapshot has come to.
TEST_F(SnapshotTest, BeginsAgainWhenFilesAreReplaced) {
  class Interrupting : public FileSystem {
   public:
    std::thread::id where = std::this_thread::get_id();
    int left = -1;
    std::function<void()> call;
    int open(const char* path, int flags, mode_t mode) override {
      if (std::this_thread::get_id() == where && left > 0 && --left == 0) call();
      return FileSystem::open(path, flags, mode);
    }
  };
  Interrupting interrupting;
  const ScopedFileSystem scoped(interrupting);
  const std::unique_ptr<DiskStore> store = open(path_);
  std::uint64_t next = 0;
  bool merges = true;
  interrupting.call = [&] {
    for (int i = 0; i < 3; ++i) put(*store, next++);
    merges ? store->compact() : store->close();
    put(*store, next++);
  };
  interrupting.call();
  bool reached = true;
  for (int n = 2; reached; ++n) {
    const Model before = model_;
    merges = !merges;
    interrupting.left = n / 2;
    snapshot(std::to_string(n));
    reached = interrupting.left == 0;
    interrupting.left = -1;
    const Model found = contents(*open(folder_ / std::to_string(n)));
    // The snapshot is from before the other writes or from after all but the last, which may be in
    // a later log.
    EXPECT_TRUE(found == before || found.size() + 1 >= model_.size()) << n;
    for (const auto& [id, document] : found) EXPECT_TRUE(model_.at(id) == document);
  }
  EXPECT_GT(next, 40U);
}

TEST_F(SnapshotTest, OfADamagedStoreThereIsNone) {
  {
    const std::unique_ptr<DiskStore> store = open(path_);
    for (std::uint64_t number = 0; number < 400; ++number) put(*store, number);
    store->close();
    for (std::uint64_t number = 0; number < 20; ++number) put(*store, number);
    std::filesystem::copy(path_, folder_ / "open");
  }
  path_ = folder_ / "open";
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    // Without the mark nothing is lost but the knowledge of what was synced.
    if (name == "LOCK" || name == "SYNCED" || std::filesystem::file_size(entry) == 0) continue;
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(entry));
    for (std::streamoff place = 0; place < size; place += size / 17 + 1) {
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(place);
      const auto byte = static_cast<char>(file.get());
      file.seekp(place);
      file.put(static_cast<char>(byte ^ 4));
      file.flush();
      for (const bool copy : {false, true}) {
        try {
          snapshot("copy", {.copy = copy});
          ADD_FAILURE() << name << " byte " << place;
          std::filesystem::remove_all(folder_ / "copy");
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
        }
        EXPECT_TRUE(!std::filesystem::exists(folder_ / "copy") ||
                    std::filesystem::is_empty(folder_ / "copy"))
            << name;
      }
      file.seekp(place);
      file.put(byte);
    }
  }
  snapshot("copy");
  EXPECT_EQ(contents(*open(folder_ / "copy")), model_);
}

// A writer has made a log, and deleted it again because it could not end the one before.
TEST_F(SnapshotTest, MissesNoLogThatWasGivenUp) {
  class GivenUp : public UnsyncedFileSystem {
   public:
    int open(const char* path, int flags, mode_t mode) override {
      if (std::string_view(path).ends_with("/made/log-000099")) UnsyncedFileSystem::unlink(path);
      return UnsyncedFileSystem::open(path, flags, mode);
    }
  };
  make_store();
  std::ofstream(path_ + "/log-000099") << record_log_magic();
  GivenUp disk;
  const ScopedFileSystem scope(disk);
  snapshot("copy");
  EXPECT_FALSE(std::filesystem::exists(path_ + "/log-000099"));
  EXPECT_EQ(contents(*open(folder_ / "copy")), model_);
}

// A log that has lost acknowledged records, before one that has none yet.
TEST_F(SnapshotTest, OfALogThatHasLostItsEndThereIsNone) {
  class FullDisk : public UnsyncedFileSystem {
   public:
    int open(const char* path, int flags, mode_t mode) override {
      if ((flags & O_CREAT) != 0 && std::string_view(path).find("/segment-") != std::string::npos)
        return errno = ENOSPC, -1;
      return UnsyncedFileSystem::open(path, flags, mode);
    }
  };
  {
    FullDisk disk;
    const ScopedFileSystem scope(disk);
    const std::unique_ptr<DiskStore> store = open(path_);
    for (std::uint64_t number = 0; number < 20; ++number) put(*store, number);
    store->close();  // begins another log, and cannot write a segment
    std::filesystem::copy(path_, folder_ / "open");
  }
  path_ = folder_ / "open";
  snapshot("sound");
  EXPECT_EQ(contents(*open(folder_ / "sound")), model_);
  const std::vector<std::uint64_t> logs = StoreFolder(path_).numbers("log");
  ASSERT_EQ(logs.size(), 2U);
  const std::string first = StoreFolder(path_).log(logs.front());
  std::filesystem::resize_file(first, std::filesystem::file_size(first) - 1);
  try {
    snapshot("copy");
    FAIL() << "the loss was not found";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "copy"));
}

TEST_F(SnapshotTest, IsCompleteOnlyWithWhatIsBesideTheStore) {
  make_store();
  const std::string copy = folder_ / "copy";
  beside_ = [&](const std::string& to) -> std::string {
    EXPECT_EQ(to, copy);
    EXPECT_FALSE(StoreFolder::is_at(copy));
    throw Error(ErrorCode::kStorageFailed, "the disk is full");
  };
  EXPECT_THROW(snapshot("copy"), Error);
  EXPECT_TRUE(std::filesystem::is_empty(copy));
  beside_ = [&](const std::string& to) {
    std::ofstream(to + "/beside") << "kept";
    return to + "/beside";
  };
  snapshot("copy");
  EXPECT_EQ(contents(*open(copy)), model_);
  EXPECT_TRUE(std::filesystem::exists(copy + "/beside"));
}

TEST_F(SnapshotTest, OfTwoIntoOneFolderOneIsMade) {
  make_store();
  const auto refused = [&] {
    try {
      snapshot_store(StoreFolder(path_), folder_ / "copy", kLayout, kFingerprint, {},
                     [](const std::string&) { return std::string(); });
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::kInterrupted;
  };
  {
    std::filesystem::create_directory(folder_ / "copy");
    StoreFolder other(folder_ / "copy");
    other.lock();
    EXPECT_EQ(refused(), ErrorCode::kBusy);
  }
  beside_ = [&](const std::string&) {
    EXPECT_EQ(refused(), ErrorCode::kInvalidArgument);
    return std::string();
  };
  snapshot("copy");
  EXPECT_EQ(contents(*open(folder_ / "copy")), model_);
}

TEST_F(SnapshotTest, GoesIntoAnEmptyFolderOnly) {
  std::filesystem::create_directory(folder_ / "empty");
  snapshot("empty");
  try {
    snapshot("empty");
    FAIL() << "it was written over another index";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace benzer
