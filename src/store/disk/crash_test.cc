// Whenever the power goes or the process is killed: what was acknowledged is there, and a repair
// finds it without the manifest, too.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/recording_disk.h"
#include "io/io_test_util.h"
#include "store/disk/bulk_load.h"
#include "store/disk/disk_store.h"
#include "store/disk/repair.h"
#include "store/history_test_util.h"

namespace benzer {
namespace {

// So small that logs end, segments are written and merged all the time.
const DiskOptions kSmall{.memtable_bytes = 1200};

std::unique_ptr<DiskStore> open(const std::string& path, const DiskOptions& options = kSmall) {
  return std::make_unique<DiskStore>(path, kNarrowLayout, kFingerprint, options);
}

// A disk on which something happens whenever a segment is about to be written.
class HookedDisk : public RecordingDisk {
 public:
  using RecordingDisk::RecordingDisk;
  int open(const char* path, int flags, mode_t mode) override {
    if (hook && (flags & O_CREAT) != 0 &&
        std::string_view(path).find("segment-") != std::string::npos)
      hook();
    return RecordingDisk::open(path, flags, mode);
  }
  std::function<void()> hook;
};

// So slow that others write while a log is frozen and a segment written.
class SlowDisk : public HookedDisk {
 public:
  explicit SlowDisk(const std::string& root) : HookedDisk(root) {
    hook = [] { std::this_thread::sleep_for(std::chrono::microseconds(500)); };
  }
  int fsync(int fd) override {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return RecordingDisk::fsync(fd);
  }
};

// Random work on a store in a recorded folder. Processes are killed, and others go on.
class Work {
 public:
  Work(const TestFolder& folder, std::uint64_t seed)
      : path_(folder / "store"), disk_(folder.path()), random_(seed) {}

  void create() {
    const ScopedFileSystem scope(disk_);
    // Killed while it makes the store, at least once.
    for (disk_.kill_after(random_.below(14)); disk_.was_killed() || !StoreFolder::is_at(path_);)
      try {
        StoreFolder::create(path_, "for a test");
      } catch (const Error&) {
        if (!disk_.was_killed()) throw;
        disk_.revive();
      }
    disk_.revive();
    created_ = disk_.now();
  }

  void work(int steps) {
    const ScopedFileSystem scope(disk_);
    store_ = open(path_);
    history_.observe(contents(*store_), disk_.now());
    for (int step = 0; step < steps; ++step) {
      try {
        do_something();
      } catch (const Error& error) {
        if (!may_fail_ && !disk_.was_killed()) throw;
      }
      if (may_fail_ || disk_.was_killed()) reopen();
    }
    store_.reset();
  }

  void begin_with(const Model& model) { history_.observe(model, 0); }

  const RecordingDisk& disk() const { return disk_; }
  const History& history() const { return history_; }
  std::size_t created() const { return created_; }

 private:
  void do_something() {
    const std::uint64_t chosen = random_.below(20);
    if (chosen < 10) return change(true);
    if (chosen < 14) return change(false);
    if (chosen == 14) return store_->close();
    if (chosen == 15) return store_->compact();
    if (chosen == 16) return reopen();
    if (chosen == 17) {
      may_fail_ = true;
      disk_.fail_next_sync("log-");
      return change(true);
    }
    disk_.kill_after(random_.below(30));
  }

  void change(bool commits) {
    const std::unique_ptr<StoreWriter> writer = store_->writer();
    for (std::uint64_t left = 1 + random_.below(6); left > 0; --left) {
      const std::string id = "id-" + std::to_string(random_.below(40));
      if (random_.below(3) == 0) {
        history_.issue(id, std::nullopt, disk_.now());
        writer->remove(id);
      } else {
        const DocumentHashes document = some_document(id, kNarrowLayout, random_);
        history_.issue(id, document, disk_.now());
        writer->add_hashes(document);
      }
    }
    if (!commits) return;
    writer->commit();
    history_.acknowledge(disk_.now());
  }

  void reopen() {
    store_.reset();
    disk_.revive();
    disk_.fail_next_sync({});
    may_fail_ = false;
    store_ = open(path_);
    history_.observe(contents(*store_), disk_.now());
  }

  const std::string path_;
  SlowDisk disk_;
  TestRandom random_;
  History history_;
  std::size_t created_ = 0;
  std::unique_ptr<DiskStore> store_;
  bool may_fail_ = false;
};

// What is there after the power was lost; what is wrong with it fails the test.
Model check(const std::string& path, const History& history, std::size_t created,
            std::size_t moment) {
  UnsyncedFileSystem unsynced;
  const ScopedFileSystem scope(unsynced);
  if (!StoreFolder::is_at(path)) {
    EXPECT_LT(moment, created) << "the index is gone";
    StoreFolder::create(path, "for a test");
  }
  const Model found = contents(*open(path, {.read_only = true}));
  EXPECT_EQ(history.problem(found, moment), "");
  return found;
}

// It is the same for who writes, and goes on.
void check_writing(const std::string& path, Model model, TestRandom& random) {
  UnsyncedFileSystem unsynced;
  const ScopedFileSystem scope(unsynced);
  {
    const std::unique_ptr<DiskStore> store = open(path);
    EXPECT_EQ(contents(*store), model);
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (const std::string id : {"id-1", "new"}) {
      model[id] = some_document(id, kNarrowLayout, random);
      writer->add_hashes(model[id]);
    }
    writer->commit();
    EXPECT_EQ(contents(*store), model);
  }
  const std::unique_ptr<DiskStore> store = open(path, {.read_only = true});
  store->verify();
  EXPECT_EQ(contents(*store), model);
}

std::uint64_t states_wanted() {
  const char* asked = std::getenv("BENZER_CRASH_STATES");
  return asked ? std::strtoull(asked, nullptr, 10) : 2000;
}

TEST(DiskStoreCrash, WhateverTheDiskForgetsNothingAcknowledgedIsLost) {
  std::uint64_t states = 0;
  for (std::uint64_t seed = 1; states < states_wanted(); ++seed) {
    const TestFolder folder(fast_folder());
    Work run(folder, seed);
    run.create();
    run.work(60);
    TestRandom random(seed + 1'000'000);
    for (int i = 0; i < 80; ++i, ++states) {
      const std::size_t moment = random.below(run.disk().now() + 1);
      const TestFolder after(fast_folder());
      run.disk().lose_power(moment, after.path(), random);
      const std::string where = "seed " + std::to_string(seed) + ", state " + std::to_string(i) +
                                ", moment " + std::to_string(moment);
      SCOPED_TRACE(where);
      try {
        const Model found = check(after / "store", run.history(), run.created(), moment);
        if (i % 8 > 0) {
          check_writing(after / "store", found, random);
          continue;
        }
        // Power is lost again, while this one is opened or soon after.
        Work again(after, random.next());
        again.begin_with(found);
        again.work(3);
        for (int j = 0; j < 3; ++j, ++states) {
          const std::size_t next = random.below(again.disk().now() + 1);
          const TestFolder after_that(fast_folder());
          again.disk().lose_power(next, after_that.path(), random);
          check_writing(after_that / "store", check(after_that / "store", again.history(), 0, next),
                        random);
        }
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
      if (testing::Test::HasFailure()) return;  // one at a time
    }
  }
  std::cout << states << " states\n";
}

TEST(DiskStoreCrash, ALogIsOnTheDiskBeforeTheNextOneHasRecords) {
  const TestFolder folder(fast_folder());
  StoreFolder::create(folder / "store", "for a test");
  HookedDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open(folder / "store", {});
  TestRandom random(1);
  Model model;
  const auto put = [&](const std::string& id, bool commits) {
    model[id] = some_document(id, kNarrowLayout, random);
    const std::unique_ptr<StoreWriter> writer = store->writer();
    writer->add_hashes(model[id]);
    if (commits) writer->commit();
  };
  std::size_t moment = 0;
  disk.hook = [&] {  // between two logs
    put("behind", true);
    moment = disk.now();
  };
  put("before", false);
  store->close();
  disk.hook = nullptr;
  ASSERT_GT(moment, 0U);
  for (int i = 0; i < 50; ++i) {
    const TestFolder after(fast_folder());
    disk.lose_power(moment, after.path(), random);
    UnsyncedFileSystem unsynced;
    const ScopedFileSystem inner(unsynced);
    EXPECT_EQ(contents(*open(after / "store", {.read_only = true})), model);
  }
}

// A segment that is there need not count yet: a process was killed before it wrote the manifest
// that brings it. Without the manifest that cannot be seen, and must make no difference.
class ManifestWork {
 public:
  ManifestWork(const TestFolder& folder, std::uint64_t seed)
      : path_(folder / "store"), disk_(folder.path()), random_(seed) {}

  void run() {
    const ScopedFileSystem scope(disk_);
    StoreFolder::create(path_, "for a test");
    begin_ = disk_.now();
    std::unique_ptr<DiskStore> store = open(path_);
    for (int step = 0; step < 60; ++step) {
      switch (random_.below(12)) {
        case 0:
          store->close();
          break;
        case 1:
          store->compact();
          break;
        case 2:
          store.reset();
          store = open(path_);
          break;
        case 3:
          load(*store);
          break;
        default:
          change(*store);
      }
    }
  }

  // What the load brings that was under way, if one was.
  Model load_at(std::size_t moment) const {
    for (const Loaded& load : loads_)
      if (load.begin <= moment && moment <= load.end) return load.documents;
    return {};
  }

  const RecordingDisk& disk() const { return disk_; }
  std::size_t begin() const { return begin_; }

 private:
  struct Loaded {
    std::size_t begin, end;
    Model documents;
  };

  std::string some_id() { return "id-" + std::to_string(random_.below(40)); }
  void change(DiskStore& store) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    const bool removes = random_.below(2) == 0;
    for (std::uint64_t left = 1 + random_.below(8); left > 0; --left) {
      if (removes)
        writer->remove(some_id());
      else
        writer->add_hashes(some_document(some_id(), kNarrowLayout, random_));
    }
    writer->commit();
  }
  void load(DiskStore& store) {
    Loaded& loaded = loads_.emplace_back();
    loaded.begin = disk_.now();
    DiskStore::Load load(store);
    for (std::uint64_t left = random_.below(12); left > 0; --left) {
      const DocumentHashes document = some_document(some_id(), kNarrowLayout, random_);
      load.add(document);
      loaded.documents[document.id] = document;
    }
    load.finish();
    loaded.end = disk_.now();
  }

  const std::string path_;
  SlowDisk disk_;
  TestRandom random_;
  std::size_t begin_ = 0;
  std::vector<Loaded> loads_;
};

// Of what is there after a repair, beside what was there before and what a load brings that was
// under way: documents that are lost or others than they were, and how many are back.
std::string lost(const Model& before, const Model& load, const Model& found) {
  std::string out;
  for (const auto& [id, document] : before) {
    const auto there = found.find(id);
    const auto loaded = load.find(id);
    if (there == found.end())
      out += id + " is lost, ";
    else if (there->second != document && (loaded == load.end() || loaded->second != there->second))
      out += id + " is another, ";
  }
  return out;
}
std::uint64_t returned(const Model& before, const Model& load, const Model& found) {
  return static_cast<std::uint64_t>(std::ranges::count_if(found, [&](const auto& one) {
    return !before.contains(one.first) && !load.contains(one.first);
  }));
}

// The store that a process leaves that is killed at a moment loses its manifest, and is repaired.
// True: the repair tells that nothing is lost and nothing back.
bool check_repair(const RecordingDisk& disk, std::size_t moment, const Model& load) {
  const TestFolder after(fast_folder());
  disk.kill(moment, after.path());
  UnsyncedFileSystem unsynced;
  const ScopedFileSystem scope(unsynced);
  const std::string path = after / "store";
  const Model before = contents(*open(path, {.read_only = true}));
  std::filesystem::remove(path + "/MANIFEST");
  const RepairReport report = Repair(path, kNarrowLayout, kFingerprint).run();
  // A segment or a list that is half written may be a damaged one. And what only removed left no
  // segment, so none says where its log ends and the next one begins.
  bool may_be_incomplete = false;
  std::uint64_t told = 0;
  for (const RepairReport::File& file : report.files) {
    EXPECT_TRUE(file.lost == 0 || file.name.starts_with("log-")) << file.name;
    may_be_incomplete |= file.lost_unknown;
    told += file.returned;
  }
  const Model found = contents(*open(path, {.read_only = true}));
  EXPECT_EQ(lost(before, load, found), "");
  if (!may_be_incomplete) EXPECT_LE(returned(before, load, found), told);
  return !may_be_incomplete && told == 0;
}

TEST(DiskStoreCrash, AKilledStoreNeedsNoManifestToBeRepaired) {
  std::uint64_t states = 0, sure = 0;
  for (std::uint64_t seed = 1; states < states_wanted(); ++seed) {
    const TestFolder folder(fast_folder());
    ManifestWork work(folder, seed);
    work.run();
    TestRandom random(seed + 2'000'000);
    for (int i = 0; i < 80; ++i, ++states) {
      const std::size_t moment = work.begin() + random.below(work.disk().now() - work.begin() + 1);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", moment " + std::to_string(moment));
      sure += check_repair(work.disk(), moment, work.load_at(moment));
      if (testing::Test::HasFailure()) return;
    }
  }
  std::cout << sure << " of " << states << " states are told to be complete\n";
}

TEST(DiskStoreCrash, WhatIsRemovedDuringAMergeStaysRemoved) {
  const TestFolder folder(fast_folder());
  const std::string path = folder / "store";
  StoreFolder::create(path, "for a test");
  HookedDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open(path);
  TestRandom random(1);
  const auto write = [&](int first, int end, bool removes) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (int i = first; i < end; ++i) {
      const std::string id = "id-" + std::to_string(i);
      if (removes)
        writer->remove(id);
      else
        writer->add_hashes(some_document(id, kNarrowLayout, random));
    }
    writer->commit();
  };
  for (const int first : {0, 20}) {
    write(first, first + 20, false);
    store->close();
  }
  std::atomic<bool> is_merging = false;
  std::size_t begin = 0;
  disk.hook = [&] {  // before the merged segment is written, and in it before that of the flush
    if (is_merging.exchange(true)) return;
    const std::uint64_t log = StoreFolder(path).read_manifest().log;
    write(10, 30, true);
    write(40, 60, false);
    while (StoreFolder(path).read_manifest().log == log) write(60, 61, false);
    begin = disk.now();
  };
  store->compact();
  disk.hook = nullptr;
  ASSERT_GT(begin, 0U);
  std::size_t sure = 0;
  for (std::size_t moment = begin; moment <= disk.now(); ++moment) {
    SCOPED_TRACE(moment);
    sure += check_repair(disk, moment, {});
  }
  EXPECT_GT(sure, 10U);
}

}  // namespace
}  // namespace benzer
