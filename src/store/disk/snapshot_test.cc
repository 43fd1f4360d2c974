#include "store/disk/snapshot.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

constexpr HashLayout kLayout{2, 4, 6};

using testing::contents;
using testing::Model;

class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() { StoreFolder::create(path_, "for a test"); }

  std::unique_ptr<DiskStore> open(const std::string& path, DiskOptions options = {}) {
    return std::make_unique<DiskStore>(path, kLayout, 42, options);
  }
  void put(DiskStore& store, std::uint64_t number) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    const std::string id = std::to_string(number);
    model_[id] = testing::some_document(id, kLayout, random_);
    writer->add_hashes(model_[id]);
    writer->commit();
  }
  void snapshot(const std::string& to) { snapshot_store(path_, folder_ / to, kLayout, 42); }

  testing::TestFolder folder_;
  std::string path_ = folder_ / "store";
  TestRandom random_{6};
  Model model_;
};

// Documents are written in the order of their numbers, so a moment of the store is 0 to n.
TEST_F(SnapshotTest, IsAMomentOfAStoreThatIsWrittenTo) {
  const std::unique_ptr<DiskStore> store = open(path_, {.memtable_bytes = 10'000});
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> stop{false};
  std::thread writing([&] {
    for (std::uint64_t number = 0; !stop; done = ++number) put(*store, number);
  });
  std::vector<std::uint64_t> least;
  for (int i = 0; i < 20; ++i) {
    least.push_back(done);
    snapshot(std::to_string(i));
  }
  stop = true;
  writing.join();
  EXPECT_GT(least.back(), least.front());
  for (int i = 0; i < 20; ++i) {
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

TEST_F(SnapshotTest, OfADamagedStoreThereIsNone) {
  {
    const std::unique_ptr<DiskStore> store = open(path_);
    for (std::uint64_t number = 0; number < 50; ++number) put(*store, number);
    store->close();
    for (std::uint64_t number = 0; number < 50; ++number) put(*store, number);
    std::filesystem::copy(path_, folder_ / "open");
  }
  path_ = folder_ / "open";
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    if (name == "LOCK" || std::filesystem::file_size(entry) == 0) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto place = static_cast<std::streamoff>(std::filesystem::file_size(entry) / 2);
    file.seekg(place);
    const auto byte = static_cast<char>(file.get());
    file.seekp(place);
    file.put(static_cast<char>(byte ^ 4));
    file.flush();
    try {
      snapshot("copy");
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
    }
    EXPECT_TRUE(!std::filesystem::exists(folder_ / "copy") ||
                std::filesystem::is_empty(folder_ / "copy"))
        << name;
    file.seekp(place);
    file.put(byte);
  }
  snapshot("copy");
  EXPECT_EQ(contents(*open(folder_ / "copy")), model_);
}

TEST_F(SnapshotTest, GoesIntoAnEmptyFolderOnly) {
  std::filesystem::create_directory(folder_ / "empty");
  snapshot("empty");
  try {
    snapshot("empty");
    FAIL() << "it was written over another store";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace benzer
