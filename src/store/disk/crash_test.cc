// Tests that what was acknowledged is there, whenever the power fails.
#include <array>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "store/disk/hooked_disk_test_util.h"
#include "store/history_test_util.h"

namespace benzer {
namespace {

// Does random work on a store in a recorded folder. Processes are killed, and others go on.
class Work {
 public:
  Work(const TestFolder& folder, std::uint64_t seed, Durability durability)
      : path_(folder / "store"), durability_(durability), disk_(folder.path()), random_(seed) {}

  void create() {
    const ScopedFileSystem scope(disk_);
    // The process is killed while it makes the store, at least once.
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
    open();
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
    if (chosen < 16) {
      chosen == 14 ? store_->close() : store_->compact();
      return history_.acknowledge(disk_.now());
    }
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
    if (durability_ == Durability::kSync) history_.acknowledge(disk_.now());
  }

  void open() {
    DiskOptions options = kSmall;
    options.durability = durability_;
    store_ = open_small(path_, options);
    history_.observe(contents(*store_), disk_.now());
  }

  void reopen() {
    store_.reset();
    disk_.revive();
    disk_.fail_next_sync({});
    may_fail_ = false;
    open();
  }

  const std::string path_;
  const Durability durability_;
  SlowDisk disk_;
  TestRandom random_;
  History history_;
  std::size_t created_ = 0;
  std::unique_ptr<DiskStore> store_;
  bool may_fail_ = false;
};

// Returns what is there after the power was lost, and fails the test if that is wrong.
Model check(const std::string& path, const History& history, std::size_t created,
            std::size_t moment) {
  UnsyncedFileSystem unsynced;
  const ScopedFileSystem scope(unsynced);
  if (!StoreFolder::is_at(path)) {
    EXPECT_LT(moment, created) << "the index is gone";
    StoreFolder::create(path, "for a test");
  }
  const Model found = contents(*open_small(path, {.read_only = true}));
  EXPECT_EQ(history.problem(found, moment), "");
  return found;
}

// Expects the same in a store that is opened for writing, and that it takes new documents.
void check_writing(const std::string& path, Model model, TestRandom& random) {
  UnsyncedFileSystem unsynced;
  const ScopedFileSystem scope(unsynced);
  {
    const std::unique_ptr<DiskStore> store = open_small(path);
    EXPECT_EQ(contents(*store), model);
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (const std::string id : {"id-1", "new"}) {
      model[id] = some_document(id, kNarrowLayout, random);
      writer->add_hashes(model[id]);
    }
    writer->commit();
    EXPECT_EQ(contents(*store), model);
  }
  const std::unique_ptr<DiskStore> store = open_small(path, {.read_only = true});
  store->verify();
  EXPECT_EQ(contents(*store), model);
}

class DiskStoreCrash : public testing::TestWithParam<Durability> {};

INSTANTIATE_TEST_SUITE_P(Each, DiskStoreCrash,
                         testing::Values(Durability::kSync, Durability::kBatch, Durability::kNone),
                         [](const auto& test) {
                           return std::string(std::array{"Sync", "Batch", "None"}.at(
                               static_cast<std::size_t>(test.param)));
                         });

// Acknowledged is what was committed with kSync, and with the others what was there when the store
// was closed, made compact or opened.
TEST_P(DiskStoreCrash, WhateverTheDiskForgetsNothingAcknowledgedIsLost) {
  const std::uint64_t wanted = crash_states(GetParam() == Durability::kSync ? 2000 : 500);
  std::uint64_t states = 0;
  for (std::uint64_t seed = test_seed(1); states < wanted; ++seed) {
    const TestFolder folder(fast_folder());
    Work run(folder, seed, GetParam());
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
        // Power is lost again, while this store is opened or soon after.
        Work again(after, random.next(), GetParam());
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

TEST(DiskStoreLogs, ALogIsOnTheDiskBeforeTheNextOneHasRecords) {
  const TestFolder folder(fast_folder());
  StoreFolder::create(folder / "store", "for a test");
  HookedDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open_small(folder / "store", {});
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
    EXPECT_EQ(contents(*open_small(after / "store", {.read_only = true})), model);
  }
}

}  // namespace
}  // namespace benzer
