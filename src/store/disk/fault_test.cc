// Tests that whatever operation on files fails, once or from then on, the error is one clear
// sentence, nothing acknowledged is lost, what is there can be read, and work goes on when the disk
// does.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/sanitized.h"
#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/disk_test_util.h"
#include "store/disk/maintenance_problems.h"
#include "store/history_test_util.h"

namespace benzer {
namespace {

using Faults = FaultyFileSystem;
using testing::HasSubstr;

const DiskOptions kFlushesOften{.memtable_bytes = 3000};

std::unique_ptr<DiskStore> opened(const std::string& path,
                                  const DiskOptions& options = kFlushesOften) {
  return std::make_unique<DiskStore>(path, kNarrowLayout, kFingerprint, options);
}

struct Kind {
  const char* name;
  Faults::Fault fault;
  int error;
  Faults::Extent extent;
};

class FaultyDisk : public Faults {
 public:
  FaultyDisk(int fail_at, const Kind& kind)
      : Faults(fail_at, kind.fault, kind.error, kind.extent), error_(kind.error) {}

  // A write that fails has written a part.
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    const ssize_t written = Faults::write(fd, bytes, size);
    const int error = errno;
    if (written < 0 && error != EINTR) static_cast<void>(::write(fd, bytes, size / 2));
    errno = error;
    return written;
  }

 private:
  bool may_fail(std::string_view operation) const override {
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), operation) != names.end();
    };
    // Where no block is free, there often is room for one more name.
    if (error_ == ENOSPC) return is_one_of({"write", "pwrite", "mkdir", "rename"});
    // Over NFS the limit of a user is often told by the sync.
    if (error_ == EDQUOT)
      return is_one_of(
          {"write", "pwrite", "mkdir", "rename", "create", "link", "fsync", "fdatasync"});
    if (error_ == EMFILE) return is_one_of({"create", "open", "opendir"});
    return true;
  }
  const int error_;
};

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  if (!std::filesystem::is_directory(folder)) return out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    out.push_back(entry.path().filename().string());
  return out;
}

// Does everything that a store can do, one step after the other, even if earlier ones failed.
class Script {
 public:
  Script(const TestFolder& folder, const Kind& kind)
      : folder_(folder.path()), path_(folder / "store"), kind_(kind) {}

  void run() {
    step([&] {
      if (!StoreFolder::is_at(path_)) StoreFolder::create(path_, "for a test");
    });
    step([&] { open_store(); });
    for (std::uint64_t left = test_amount("BENZER_FAULT_ROUNDS", 2); left > 0; --left) {
      step([&] { change(4); });
      step([&] { change(6); });
      step([&] { store().close(); });
    }
    step([&] {
      store();
      expect_sound(*opened(path_, {.read_only = true}));
    });
    step([&] { change(3); });
    step([&] { store().compact(); });
    step([&] { change(3); });
    store_.reset();
    step([&] { open_store(); });
    step([&] { store().verify(); });
    step([&] { change(3); });
  }

  // Goes on after the disk has recovered.
  void go_on(const std::string& fired_in) {
    if (!store_) {
      failures_ = 0;
      run();
      EXPECT_EQ(failures_, 0);
      expect_sound(*store_);
      store_.reset();
      return;
    }
    try {
      change(3);
    } catch (const Error& error) {
      EXPECT_THAT(fired_in, HasSubstr("sync"));
      EXPECT_THAT(error.what(), HasSubstr("open the index again"));
      expect_sound(*store_);
      store_.reset();
      open_store();
      change(3);
    }
    expect_sound(*opened(path_, {.read_only = true}));  // what the log says
    store_->compact();
    EXPECT_EQ(store_->stats().segments, 1U);
    expect_sound(*store_);
    store_.reset();
    open_store();
    store_->verify();
    store_.reset();
  }

  int failures() const { return failures_; }

 private:
  void open_store() {
    StoreFolder::read_schema(path_);
    store_ = opened(path_);
    expect_sound(*store_);
    history_.observe(contents(*store_), time_);
  }
  DiskStore& store() {
    if (!store_) throw Error(ErrorCode::kNoIndex, "it could not be opened");
    return *store_;
  }

  void step(const std::function<void()>& action) {
    ++time_;
    try {
      action();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kNoIndex && failures_ > 0) return;
      ++failures_;
      EXPECT_EQ(error.code(), ErrorCode::kStorageFailed) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(folder_));
      EXPECT_THAT(error.what(), HasSubstr(": "));
      EXPECT_THAT(error.what(), HasSubstr(system_message(kind_.error)));
      if (store_) expect_sound(*store_);
    }
  }

  void change(int documents) {
    const std::unique_ptr<StoreWriter> writer = store().writer();
    for (int i = 0; i < documents; ++i) {
      const std::string id = "id-" + std::to_string(random_.below(20));
      const std::string gone = "id-" + std::to_string(random_.below(20));
      const DocumentHashes document = some_document(id, kNarrowLayout, random_);
      history_.issue(id, document, time_);
      writer->add_hashes(document);
      history_.issue(gone, std::nullopt, time_);
      writer->remove(gone);
    }
    writer->commit();
    history_.acknowledge(time_);
  }

  void expect_sound(const DiskStore& store) {
    EXPECT_EQ(history_.problem(contents(store), time_), "");
  }

  const std::string folder_, path_;
  const Kind kind_;
  TestRandom random_{test_seed(1)};
  History history_;
  std::size_t time_ = 0;
  int failures_ = 0;
  std::unique_ptr<DiskStore> store_;
};

class DiskStoreFaults : public testing::TestWithParam<Kind> {};

TEST_P(DiskStoreFaults, AreSaidAndSurvived) {
  constexpr int kStep = kSanitized ? 3 : 1;
  const Kind& kind = GetParam();
  const std::ptrdiff_t before = open_descriptors();
  bool fired = true;
  int failing = 0, operations = 0;
  for (int n = 1; fired && !HasFailure(); n += kStep, ++operations) {
    const TestFolder folder(fast_folder());
    FaultyDisk disk(n, kind);
    const ScopedFileSystem scope(disk);
    Script script(folder, kind);
    SCOPED_TRACE(n);
    script.run();
    fired = disk.fired();
    SCOPED_TRACE(disk.fired_in());
    EXPECT_TRUE(kind.fault == Faults::Fault::kError || script.failures() == 0);
    failing += script.failures() > 0;
    // A file that cannot be made leaves nothing behind, however often it is tried.
    if (kind.error == ENOSPC || kind.error == EDQUOT) {
      const std::vector<std::string> names = names_in(folder / "store");
      const auto is_log = [](const std::string& name) { return name.starts_with("log-"); };
      EXPECT_LE(std::count_if(names.begin(), names.end(), is_log), 2);
    }
    disk.heal();
    script.go_on(disk.fired_in());
    EXPECT_EQ(open_descriptors(), before);
  }
  EXPECT_EQ(kStep * failing > 20, kind.fault == Faults::Fault::kError) << failing;
  std::cout << operations << " failing operations\n";
}

INSTANTIATE_TEST_SUITE_P(
    Each, DiskStoreFaults,
    testing::Values(
        Kind{"AnError", Faults::Fault::kError, EIO, Faults::Extent::kOnce},
        Kind{"Errors", Faults::Fault::kError, EIO, Faults::Extent::kFromThenOn},
        Kind{"NoSpace", Faults::Fault::kError, ENOSPC, Faults::Extent::kOnce},
        Kind{"NoSpaceForLong", Faults::Fault::kError, ENOSPC, Faults::Extent::kFromThenOn},
        Kind{"NoQuota", Faults::Fault::kError, EDQUOT, Faults::Extent::kOnce},
        Kind{"NoQuotaForLong", Faults::Fault::kError, EDQUOT, Faults::Extent::kFromThenOn},
        Kind{"NoDescriptor", Faults::Fault::kError, EMFILE, Faults::Extent::kOnce},
        Kind{"NoDescriptorsForLong", Faults::Fault::kError, EMFILE, Faults::Extent::kFromThenOn},
        Kind{"AnInterruption", Faults::Fault::kInterrupt, EINTR, Faults::Extent::kOnce},
        Kind{"ShortTransfers", Faults::Fault::kShort, 0, Faults::Extent::kFromThenOn}),
    [](const auto& test) { return std::string(test.param.name); });

// A disk on which no file may become large.
class SmallFiles : public UnsyncedFileSystem {
 public:
  explicit SmallFiles(std::uint64_t most) : most_(most) {}
  void heal() { healed_ = true; }
  ssize_t write(int fd, const void* bytes, std::size_t size) override {
    return fits(fd, size) ? FileSystem::write(fd, bytes, size) : -1;
  }

 private:
  bool fits(int fd, std::size_t size) {
    struct stat now{};
    if (healed_ || FileSystem::fstat(fd, &now) != 0) return true;
    if (static_cast<std::uint64_t>(now.st_size) + size <= most_) return true;
    errno = EFBIG;
    return false;
  }
  const std::uint64_t most_;
  std::atomic<bool> healed_ = false;
};

TEST(DiskStoreMerges, ThatNeverSucceedAreToldInTheEnd) {
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  SmallFiles disk(20'000);
  const ScopedFileSystem scope(disk);
  std::unique_ptr<DiskStore> store = opened(path);
  TestRandom random(1);
  Model model;
  int number = 0;
  const auto add = [&] {
    const std::string id = "id-" + std::to_string(number++);
    const DocumentHashes document = some_document(id, kNarrowLayout, random);
    const std::unique_ptr<StoreWriter> writer = store->writer();
    writer->add_hashes(document);
    writer->commit();
    model[id] = document;
  };
  std::string said;
  while (number < 5000 && said.empty()) {
    try {
      add();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
      said = error.what();
    }
  }
  EXPECT_THAT(said, HasSubstr(system_message(EFBIG)));
  EXPECT_GT(store->stats().segments, 20U);
  EXPECT_LT(store->stats().segments, 40U);
  EXPECT_EQ(contents(*store), model);
  disk.heal();
  while (number < 50'000 && store->stats().segments >= 10)
    add();  // each segment is an occasion to merge
  EXPECT_LT(store->stats().segments, 10U);
  EXPECT_EQ(contents(*store), model);
}

// Each try writes a segment that no manifest names.
TEST(DiskStoreManifest, ThatCannotBeWrittenLeavesNoSegments) {
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  std::filesystem::create_directory(path + "/MANIFEST.tmp");
  TestRandom random(1);
  Model model;
  std::unique_ptr<DiskStore> store = opened(path);
  int refused = 0;
  for (int i = 0; i < 3000 && refused < 20; ++i) {
    const std::string id = "id-" + std::to_string(i);
    try {
      const std::unique_ptr<StoreWriter> writer = store->writer();
      const DocumentHashes document = some_document(id, kNarrowLayout, random);
      writer->add_hashes(document);
      writer->commit();
      model[id] = document;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
  store.reset();
  int segments = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    segments += entry.path().filename().string().starts_with("segment");
  EXPECT_EQ(segments, 0);
  std::filesystem::remove(path + "/MANIFEST.tmp");
  EXPECT_EQ(contents(*opened(path)), model);
}

// On a disk with room for small logs only: a segment has at least one page.
TEST(DiskStoreProblems, WhatCannotBecomeASegmentIsStoredAllTheSame) {
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  TestRandom random(1);
  Model model;
  std::unique_ptr<DiskStore> store = opened(path, {});
  const auto add = [&](const std::string& id) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    writer->add_hashes(model[id] = some_document(id, kNarrowLayout, random));
    writer->commit();
  };
  for (const char* id : {"a", "b", "c"}) add(id);
  store->close();
  EXPECT_FALSE(store->maintenance_problem());
  SmallFiles disk(4000);
  const ScopedFileSystem scope(disk);
  {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    EXPECT_TRUE(writer->remove("b"));
    writer->commit();
    model.erase("b");
  }
  EXPECT_NO_THROW(store->close());
  const auto problem = store->maintenance_problem();
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->detail, HasSubstr(system_message(EFBIG)));
  EXPECT_THAT(problem->file, HasSubstr("/segment-"));
  EXPECT_GT(problem->at, 1'700'000'000);
  const auto reader = opened(path, {.read_only = true});
  EXPECT_EQ(reader->maintenance_problem(), problem);  // as `stats` of another process shows it
  EXPECT_EQ(contents(*reader), model);
  store.reset();
  store = opened(path, {});
  EXPECT_EQ(store->maintenance_problem(), problem);
  disk.heal();
  add("d");
  store->close();
  EXPECT_FALSE(store->maintenance_problem());
  EXPECT_FALSE(opened(path, {.read_only = true})->maintenance_problem());
  EXPECT_EQ(contents(*store), model);
}

TEST(DiskStoreProblems, AMergeThatMeetsDamageIsTold) {
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  TestRandom random(1);
  std::vector<std::string> told;
  DiskOptions options;
  options.on_problem = [&](const MaintenanceProblem& problem) { told.push_back(problem.file); };
  std::unique_ptr<DiskStore> store = opened(path, options);
  const auto add_segment = [&](const std::string& id) {
    for (int i = 0; i < 100; ++i)  // several pages, so that it can be opened
      store->writer()->add_hashes(some_document(id + std::to_string(i), kNarrowLayout, random));
    store->close();
  };
  add_segment("a");
  std::string damaged;
  for (const std::string& name : names_in(path))
    if (name.starts_with("segment")) damaged = path + "/" + name;
  store.reset();
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary).seekp(5000) << "damage";
  store = opened(path, options);
  for (const char* id : {"b", "c"}) add_segment(id);
  EXPECT_FALSE(store->maintenance_problem());
  for (const char* id : {"d", "e"}) add_segment(id);  // with four they are merged
  ASSERT_TRUE(store->maintenance_problem());
  EXPECT_EQ(store->maintenance_problem()->file, damaged);
  store.reset();
  EXPECT_THAT(told, testing::ElementsAre(damaged));  // and only once
}

// Closing gives up a merge that takes long, and does not take that for a success.
TEST(DiskStoreProblems, AMergeThatIsGivenUpStillHasItsProblem) {
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  TestRandom random(1);
  std::unique_ptr<DiskStore> store = opened(path, {});
  const auto add = [&](const std::string& id) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (int i = 0; i < 100; ++i)
      writer->add_hashes(some_document(id + std::to_string(i), kNarrowLayout, random));
    writer->commit();
  };
  for (const char* id : {"a", "b", "c"}) {
    add(id);
    store->close();
  }
  std::string damaged;
  for (const std::string& name : names_in(path))
    if (name.starts_with("segment")) damaged = path + "/" + name;
  store.reset();
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary).seekp(5000) << "damage";
  store = opened(path, {.memtable_bytes = 5000});
  add("d");  // with the fourth segment they are merged
  for (int tries = 0; tries < 10'000 && !store->maintenance_problem(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto problem = store->maintenance_problem();
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->file, damaged);
  store->close();
  EXPECT_EQ(store->maintenance_problem(), problem);
  store.reset();
  EXPECT_EQ(opened(path, {.read_only = true})->maintenance_problem(), problem);
}

// A file that is incomplete counts as missing.
TEST(DiskStoreProblems, AFileThatIsNotWholeIsNone) {
  const TestFolder folder(fast_folder());
  const MaintenanceProblem problem{1'763'942'400, "a\nfile", "what is wrong, on\ntwo lines"};
  EXPECT_FALSE(read_problem(folder.path()));
  write_problem(folder.path(), problem);
  EXPECT_EQ(read_problem(folder.path()), problem);
  const std::string file = folder / "PROBLEM";
  const std::uintmax_t size = std::filesystem::file_size(file);
  for (std::uintmax_t left = size; left-- > 0;) {
    std::filesystem::resize_file(file, left);
    EXPECT_FALSE(read_problem(folder.path())) << left;
  }
  write_problem(folder.path(), problem);
  remove_problem(folder.path());
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace benzer
