#include "store/disk/bulk_load.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "store/disk/disk_test_util.h"

namespace benzer {
namespace {

class BulkLoadTest : public DiskTest {
 protected:
  DocumentHashes next_document(std::uint64_t ids) {
    return some_document("id-" + std::to_string(random_.below(ids)), kLayout, random_);
  }
  void write(DiskStore& store, int documents, std::uint64_t ids) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (int i = 0; i < documents; ++i) {
      const DocumentHashes document = next_document(ids);
      writer->add_hashes(document);
      model_[document.id] = document;
    }
    writer->commit();
  }
  std::size_t segments() { return StoreFolder(path_).numbers("segment").size(); }

  TestRandom random_{5};
  Model model_;
};

// Loads ids that occur twice, ids that are in segments, and ids that are in the log.
TEST_F(BulkLoadTest, IsAsIfAllHadBeenWrittenOneByOne) {
  for (int round = 0; round < 5; ++round) {
    const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 20'000});
    write(*store, 100, 200);
    if (round % 2 == 0) store->close();
    write(*store, 50, 200);
    const std::size_t before = model_.size();
    Model loaded;
    {
      DiskStore::Load load(*store);
      for (int i = 0; i < 150; ++i) {
        const DocumentHashes document = next_document(300);
        load.add(document);
        loaded[document.id] = document;
      }
      EXPECT_EQ(contents(*store), model_) << "something is seen of it too early";
      const DiskStore::Load::Result result = load.finish();
      for (const auto& [id, document] : loaded) model_[id] = document;
      EXPECT_EQ(result.documents, loaded.size());
      EXPECT_EQ(result.replaced, before + loaded.size() - model_.size());
    }
    EXPECT_EQ(contents(*store), model_);
    EXPECT_EQ(contents(*open({.read_only = true})), model_);
    write(*store, 50, 300);  // later writes work
    store->verify();
    EXPECT_EQ(contents(*open({.read_only = true})), model_);
  }
  const std::unique_ptr<DiskStore> store = open();
  EXPECT_EQ(contents(*store), model_);
  store->compact();
  EXPECT_EQ(contents(*store), model_);
}

TEST_F(BulkLoadTest, LeavesNothingWithoutItsEnd) {
  const std::unique_ptr<DiskStore> store = open();
  write(*store, 100, 200);
  store->compact();
  write(*store, 10, 200);  // so few that no merge is due
  store->close();
  EXPECT_EQ(segments(), 2U);
  {
    DiskStore::Load load(*store);
    for (int i = 0; i < 20'000; ++i) load.add(next_document(300));
    std::filesystem::copy(path_, folder_ / "killed");
    store->compact();  // neither a merge nor its clean-up removes the files of the load
    EXPECT_EQ(segments(), 2U);
  }
  EXPECT_EQ(segments(), 1U);
  EXPECT_EQ(contents(*store), model_);
  path_ = folder_ / "killed";
  EXPECT_EQ(segments(), 3U);
  EXPECT_EQ(contents(*open()), model_);
  EXPECT_EQ(segments(), 2U);
}

TEST_F(BulkLoadTest, NobodyElseWritesMeanwhile) {
  const std::unique_ptr<DiskStore> store = open();
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return std::optional(error.code());
    }
    return std::optional<ErrorCode>();
  };
  {
    DiskStore::Load load(*store);
    EXPECT_EQ(code_of([&] { store->writer(); }), ErrorCode::kBusy);
    EXPECT_EQ(code_of([&] { DiskStore::Load second(*store); }), ErrorCode::kBusy);
    EXPECT_EQ(store->reader()->size(), 0U);
  }
  write(*store, 10, 200);
  EXPECT_EQ(contents(*store), model_);
  const std::unique_ptr<DiskStore> reader = open({.read_only = true});
  EXPECT_EQ(code_of([&] { DiskStore::Load load(*reader); }), ErrorCode::kInvalidArgument);
}

// Whichever operation of the disk fails, all of the load is there or nothing, and the store works
// on.
TEST_F(BulkLoadTest, AFailingDiskLeavesAllOrNothing) {
  class Failing : public FileSystem {
   public:
    int left = -1;
    bool fails() { return left > 0 && --left == 0; }
    ssize_t write(int fd, const void* bytes, std::size_t size) override {
      if (fails()) return errno = ENOSPC, -1;
      return FileSystem::write(fd, bytes, size);
    }
    int fsync(int fd) override { return fails() ? (errno = EIO, -1) : FileSystem::fsync(fd); }
    int rename(const char* from, const char* to) override {
      return fails() ? (errno = EIO, -1) : FileSystem::rename(from, to);
    }
  };
  Failing failing;
  const ScopedFileSystem scoped(failing);
  std::unique_ptr<DiskStore> store = open();
  write(*store, 30, 50);
  int failed = 0;
  for (int n = 1;; ++n) {
    std::vector<DocumentHashes> documents;
    for (int i = 0; i < 20; ++i) documents.push_back(next_document(60));
    Model after = model_;
    for (const DocumentHashes& document : documents) after[document.id] = document;
    failing.left = n;
    bool done = false;
    try {
      DiskStore::Load load(*store);
      for (const DocumentHashes& document : documents) load.add(document);
      load.finish();
      done = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
      ++failed;
    }
    const bool reached = failing.left == 0;
    failing.left = -1;
    Model found = contents(*store);
    EXPECT_EQ(found, done ? after : model_) << n;
    store.reset();
    store = open();
    store->verify();
    found = contents(*store);
    // If a manifest was renamed but its folder could not be synced, either manifest may be there.
    EXPECT_TRUE(found == after || (!done && found == model_)) << n;
    model_ = found;
    if (!reached) break;
  }
  EXPECT_GE(failed, 6);
}

TEST_F(BulkLoadTest, LoadsNoMoreThanHaveNumbers) {
  DiskOptions options;
  options.most_documents = 10;
  const std::unique_ptr<DiskStore> store = open(options);
  for (int i = 0; i < 6; ++i) {
    const DocumentHashes document = some_document("id-" + std::to_string(i), kLayout, random_);
    store->writer()->add_hashes(document);
    model_[document.id] = document;
  }
  const auto load_new = [&](int documents) {
    DiskStore::Load load(*store);
    for (int i = 0; i < documents; ++i)
      load.add(some_document("new-" + std::to_string(i), kLayout, random_));
    return load.finish().documents;
  };
  try {
    load_new(5);
    ADD_FAILURE() << "it was loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
    EXPECT_NE(std::string(error.what()).find("has 10 documents"), std::string::npos);
  }
  EXPECT_EQ(contents(*store), model_);
  EXPECT_EQ(load_new(4), 4U);
  EXPECT_EQ(store->reader()->size(), 10U);
}

}  // namespace
}  // namespace benzer
