// Tests repairs of stores without a manifest, as killed processes leave them: what their files say
// counts.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "store/disk/bulk_load.h"
#include "store/disk/hooked_disk_test_util.h"
#include "store/disk/repair.h"

namespace benzer {
namespace {

// Does random work on a store. A segment may be there that does not count yet, if a process was
// killed before it wrote the manifest that names it. Without the manifest that cannot be seen, and
// must make no difference.
class ManifestWork {
 public:
  ManifestWork(const TestFolder& folder, std::uint64_t seed)
      : path_(folder / "store"), disk_(folder.path()), random_(seed) {}

  void run() {
    const ScopedFileSystem scope(disk_);
    StoreFolder::create(path_, "for a test");
    begin_ = disk_.now();
    std::unique_ptr<DiskStore> store = open_small(path_);
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
          store = open_small(path_);
          break;
        case 3:
          load(*store);
          break;
        default:
          change(*store);
      }
    }
  }

  // Returns the documents of the bulk load that was under way at that moment, if one was.
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
    if (random_.below(3) > 0) writer->commit();
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

// Compare what is there after a repair with what was there before, and with what a load adds that
// was under way: lost() names documents that are lost or changed, returned() counts those that are
// back.
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

// Does this with the store in a process that is killed after some changes.
template <class Act>
void killed(const std::string& folder, std::size_t changes, const Act& act) {
  RecordingDisk disk(folder);
  const ScopedFileSystem scope(disk);
  disk.kill_after(changes);
  try {
    act();
  } catch (const Error&) {
    if (!disk.was_killed()) throw;
  }
}

// Leaves the store as a process does that is killed at a moment, removes its manifest and repairs
// it. Before that, others may be killed that open or repair it. Returns true if the repair says
// that nothing is lost and nothing is back.
bool check_repair(const RecordingDisk& disk, std::size_t moment, const Model& load,
                  TestRandom& random) {
  const TestFolder after(fast_folder());
  disk.kill(moment, after.path());
  UnsyncedFileSystem unsynced;
  const ScopedFileSystem scope(unsynced);
  const std::string path = after / "store";
  if (random.below(2) == 0) killed(after.path(), random.below(12), [&] { open_small(path); });
  const Model before = contents(*open_small(path, {.read_only = true}));
  std::filesystem::remove(path + "/MANIFEST");
  const auto repaired = [&] { return Repair(path, kNarrowLayout, kFingerprint).run(); };
  if (random.below(3) == 0) killed(after.path(), random.below(40), repaired);
  const RepairReport report = repaired();
  // A segment or a list that is half written looks like a damaged one. And a flush of removals
  // alone leaves no segment, so none says where its log ends and the next one begins.
  bool may_lack_records = false, is_sure = true;
  std::uint64_t told = 0;
  for (const RepairReport::File& file : report.files) {
    const bool is_log = file.name.starts_with("log-");
    EXPECT_TRUE(file.lost == 0 || is_log) << file.name;
    may_lack_records |= is_log && (file.lost_unknown || file.lost > 0);
    is_sure &= !file.lost_unknown && file.lost == 0 && file.returned == 0;
    told += file.returned;
  }
  const Model found = contents(*open_small(path, {.read_only = true}));
  EXPECT_EQ(lost(before, load, found), "");
  if (!may_lack_records) {
    EXPECT_LE(returned(before, load, found), told);
  }
  return is_sure;
}

TEST(RepairCrash, AKilledStoreNeedsNoManifestToBeRepaired) {
  std::uint64_t states = 0, sure = 0;
  for (std::uint64_t seed = test_seed(1); states < crash_states(); ++seed) {
    const TestFolder folder(fast_folder());
    ManifestWork work(folder, seed);
    work.run();
    TestRandom random(seed + 2'000'000);
    for (int i = 0; i < 80; ++i, ++states) {
      const std::size_t moment = work.begin() + random.below(work.disk().now() - work.begin() + 1);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", moment " + std::to_string(moment));
      sure += check_repair(work.disk(), moment, work.load_at(moment), random);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(2 * sure, states) << "too many are told to be incomplete";
  std::cout << sure << " of " << states << " states are told to be complete\n";
}

TEST(RepairCrash, WhatIsRemovedDuringAMergeStaysRemoved) {
  const TestFolder folder(fast_folder());
  const std::string path = folder / "store";
  StoreFolder::create(path, "for a test");
  HookedDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  const std::unique_ptr<DiskStore> store = open_small(path);
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
  disk.hook = [&] {  // before the merged segment is written; returns when the flush calls it
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
    sure += check_repair(disk, moment, {}, random);
  }
  EXPECT_GT(sure, 10U);
}

TEST(RepairCrash, AMergeIsNotAheadOfTheLog) {
  const TestFolder folder(fast_folder());
  StoreFolder::create(folder / "store", "for a test");
  HookedDisk disk(folder.path());
  const ScopedFileSystem scope(disk);
  // With room enough that nothing is flushed in the background before the hook is there.
  const std::unique_ptr<DiskStore> store = open_small(folder / "store", {});
  TestRandom random(1);
  const auto put = [&](int first, int end, bool commits) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (int i = first; i < end; ++i)
      writer->add_hashes(some_document("id-" + std::to_string(i), kNarrowLayout, random));
    if (commits) writer->commit();
  };
  put(0, 20, true);
  store->close();
  put(20, 40, true);
  std::size_t begin = 0;
  disk.unlink_hook = [&] {  // between the flush of a compaction and its merge
    if (begin != 0) return;
    begin = disk.now();
    put(5, 8, false);
  };
  store->compact();
  disk.unlink_hook = nullptr;
  ASSERT_GT(begin, 0U);
  for (std::size_t moment = begin; moment <= disk.now(); ++moment) {
    SCOPED_TRACE(moment);
    check_repair(disk, moment, {}, random);
  }
}

// Repairs a store that has lost its manifest.
class RepairWithoutManifest : public testing::Test {
 protected:
  RepairWithoutManifest() { StoreFolder::create(path_, "for a test"); }

  void put(DiskStore& store, int first, int end) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (int i = first; i < end; ++i)
      writer->add_hashes(some_document("id-" + std::to_string(i), kNarrowLayout, random_));
    writer->commit();
  }
  void load(DiskStore& store, int first, int end) {
    DiskStore::Load load(store);
    for (int i = first; i < end; ++i)
      load.add(some_document("id-" + std::to_string(i), kNarrowLayout, random_));
    load.finish();
  }
  RepairReport repair() {
    std::filesystem::remove(path_ + "/MANIFEST");
    return Repair(path_, kNarrowLayout, kFingerprint).run();
  }
  Model found() { return contents(*open_small(path_, {.read_only = true})); }

  const TestFolder folder_;
  const std::string path_ = folder_ / "store";
  TestRandom random_{1};
};

// A log that ends before the next one begins was cut, perhaps to nothing.
TEST_F(RepairWithoutManifest, TellsOfAnEarlierLogThatWasCut) {
  const TestFolder before;
  std::filesystem::create_directory(before / "store");
  HookedDisk disk(folder_.path());
  std::string log;
  {
    const ScopedFileSystem scope(disk);
    const std::unique_ptr<DiskStore> store = open_small(path_, {});
    put(*store, 0, 20);
    store->close();
    {
      const std::unique_ptr<StoreWriter> writer = store->writer();
      for (int i = 0; i < 10; ++i) writer->remove("id-" + std::to_string(i));
      writer->commit();
    }
    disk.unlink_hook = [&] {  // nothing is left to be done but deleting the log
      log = StoreFolder(path_).log(StoreFolder(path_).numbers("log").front());
      std::filesystem::copy(path_, before / "store",
                            std::filesystem::copy_options::recursive |
                                std::filesystem::copy_options::overwrite_existing);
    };
    store->close();
    disk.unlink_hook = nullptr;
  }
  ASSERT_NE(log, "");
  const std::string name = log.substr(log.rfind('/'));
  const std::uintmax_t size = std::filesystem::file_size(before / "store" + name);
  for (const std::uintmax_t left : {std::uintmax_t{0}, std::uintmax_t{8}, size - 20, size}) {
    SCOPED_TRACE(left);
    std::filesystem::remove_all(path_);
    std::filesystem::copy(before / "store", path_, std::filesystem::copy_options::recursive);
    std::filesystem::resize_file(path_ + name, left);
    EXPECT_EQ(repair().is_complete(), left == size);
    EXPECT_EQ(found().size(), 10U);
  }
}

// An earlier manifest is one that names a log which is no longer there.
TEST_F(RepairWithoutManifest, KnowsAnEarlierManifestAfterALoad) {
  std::filesystem::copy_file(path_ + "/MANIFEST", folder_ / "earlier");
  {
    const std::unique_ptr<DiskStore> store = open_small(path_, {});
    load(*store, 0, 20);
  }
  const Model model = found();
  std::filesystem::copy_file(folder_ / "earlier", path_ + "/MANIFEST",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THROW(open_small(path_, {.read_only = true}), Error);
  EXPECT_FALSE(Repair(path_, kNarrowLayout, kFingerprint).run().was_sound());
  EXPECT_EQ(found(), model);
}

// The log from before the load was not deleted, or has come back from another copy.
TEST_F(RepairWithoutManifest, TellsOfALogThatALoadHasOvertaken) {
  std::string kept;
  const std::unique_ptr<DiskStore> store = open_small(path_, {});
  put(*store, 0, 20);
  const std::string log = StoreFolder(path_).log(StoreFolder(path_).numbers("log").front());
  std::filesystem::copy_file(log, folder_ / "log");
  store->close();
  load(*store, 0, 20);
  store->close();
  const Model model = contents(*store);
  std::filesystem::copy_file(folder_ / "log", log);
  std::filesystem::copy(path_, folder_ / "copy", std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder_ / "copy/MANIFEST");
  const RepairReport report = Repair(folder_ / "copy", kNarrowLayout, kFingerprint).run();
  EXPECT_FALSE(report.is_complete());
  EXPECT_EQ(contents(*open_small(folder_ / "copy", {.read_only = true})), model);
}

// A file has the name of a merged segment, but is another one.
TEST_F(RepairWithoutManifest, KeepsASegmentUnderTheNameOfAMergedOne) {
  std::uint64_t merged = 0, other = 0;
  {
    const std::unique_ptr<DiskStore> store = open_small(path_, {});
    put(*store, 0, 20);
    store->close();
    merged = StoreFolder(path_).numbers("segment").front();
    put(*store, 20, 40);
    store->compact();
    put(*store, 40, 60);
    store->close();
    other = StoreFolder(path_).numbers("segment").back();
  }
  const Model model = found();
  const StoreFolder files(path_);
  ASSERT_FALSE(std::filesystem::exists(files.segment(merged)));
  std::filesystem::rename(files.segment(other), files.segment(merged));
  EXPECT_FALSE(repair().was_sound());
  EXPECT_EQ(found(), model);
}

}  // namespace
}  // namespace benzer
