#include "store/disk/disk_store.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/checked_text.h"
#include "base/test_random.h"
#include "store/disk/disk_test_util.h"

namespace benzer {
namespace {

class DiskStoreTest : public DiskTest {
 protected:
  // Changes the store and the model in the same way.
  void change(DiskStore& store, Model& model, int steps) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (int step = 0; step < steps; ++step) {
      const std::string id = "id-" + std::to_string(random_.below(300));
      if (random_.below(3) == 0) {
        EXPECT_EQ(writer->remove(id), model.erase(id) == 1);
      } else {
        const DocumentHashes document = some_document(id, kLayout, random_);
        EXPECT_EQ(writer->add_hashes(document), model.contains(id));
        model[id] = document;
      }
    }
    writer->commit();
  }

  // Leaves the store as a process does that is killed after some batches of changes; from then on
  // path_ is the path of that copy.
  Model write_and_kill(int batches, int steps, const DiskOptions& options = {}) {
    Model model;
    const std::unique_ptr<DiskStore> store = open(options);
    for (int batch = 0; batch < batches; ++batch) change(*store, model, steps);
    const std::string killed = folder_ / "killed";
    std::filesystem::copy(path_, killed);
    path_ = killed;
    return model;
  }

  // Adds documents with ids that the store does not have.
  void add_new(DiskStore& store, Model& model, int documents) {
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (int i = 0; i < documents; ++i) {
      const std::string id = "new-" + std::to_string(model.size());
      model[id] = some_document(id, kLayout, random_);
      writer->add_hashes(model[id]);
    }
    writer->commit();
  }

  std::string refusal(const DiskOptions& options = {}) {
    try {
      open(options)->verify();
      return "it was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << error.what();
      return error.what();
    }
  }

  std::vector<std::string> files(const std::string& kind) {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      if (entry.path().filename().string().starts_with(kind)) out.push_back(entry.path().string());
    std::sort(out.begin(), out.end());
    return out;
  }

  TestRandom random_{1};
};

TEST_F(DiskStoreTest, IsTheSameWhenItIsOpenedAgain) {
  Model model;
  for (int round = 0; round < 30; ++round) {
    const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 30'000});
    EXPECT_EQ(contents(*store), model);
    for (int i = 0; i < 4; ++i) change(*store, model, 50);
    if (round % 3 == 0) store->close();
    if (round % 7 == 0) store->compact();
    EXPECT_EQ(contents(*store), model);
    if (round % 5 == 0) store->verify();
  }
  const std::unique_ptr<DiskStore> store = open();
  store->compact();
  EXPECT_EQ(contents(*store), model);
  EXPECT_EQ(store->stats().segments, 1U);
  EXPECT_EQ(store->stats().removed, 0U);
}

TEST_F(DiskStoreTest, NeedsNoClosing) {
  const Model model = write_and_kill(1, 200);
  EXPECT_EQ(files("segment").size(), 0U);
  EXPECT_EQ(contents(*open()), model);
  EXPECT_EQ(contents(*open({.read_only = true})), model);
}

TEST_F(DiskStoreTest, OneWritesAndManyRead) {
  Model model;
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 20'000});
  const auto expect_refused = [&](const std::string& who) {
    try {
      open();
      FAIL() << "a second one may write";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBusy);
      EXPECT_NE(std::string(error.what()).find(": " + who + " writes to this index"),
                std::string::npos)
          << error.what();
    }
  };
  expect_refused(fmt::format("process {}, or one forked from it,", ::getpid()));
  std::filesystem::resize_file(path_ + "/LOCK", 0);  // its process has not written its number yet
  expect_refused("another process");
  for (int i = 0; i < 20; ++i) {
    change(*store, model, 30);
    const std::unique_ptr<DiskStore> reader = open({.read_only = true});
    EXPECT_EQ(contents(*reader), model);
    EXPECT_THROW(reader->writer(), Error);
  }
}

TEST_F(DiskStoreTest, ATornEndIsCut) {
  Model model = write_and_kill(1, 40);
  const std::string log = files("log").back();
  std::ofstream(log, std::ios::app | std::ios::binary) << std::string(1000, '\1');
  EXPECT_EQ(contents(*open({.read_only = true})), model);
  {
    const std::unique_ptr<DiskStore> store = open();
    EXPECT_EQ(store->stats().torn_bytes, 1000U);
    change(*store, model, 40);
  }
  EXPECT_EQ(contents(*open()), model);
}

// Damage before the end of what was synced must not be taken for a torn end.
TEST_F(DiskStoreTest, DamageInTheLogIsNoTornEnd) {
  write_and_kill(10, 5);
  const std::string log = files("log").back();
  std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(log) / 3));
  file.put('\x55');
  file.close();
  EXPECT_NE(refusal().find("begins a damaged record that was synced"), std::string::npos)
      << refusal();
}

// No later record says that the last record of a log was synced; the mark does.
TEST_F(DiskStoreTest, WhatWasSyncedIsMissedWhereverItWas) {
  const Model model = write_and_kill(3, 5);
  const std::string log = files("log").back();
  const std::string bytes = read_file(log);
  const auto write = [&](std::string_view changed) {
    std::ofstream(log, std::ios::binary) << changed;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string flipped = bytes;
    flipped[at] ^= 16;
    write(flipped);
    EXPECT_NE(refusal({.read_only = true}), "it was opened") << "byte " << at;
    write(std::string_view(bytes).substr(0, at));
    EXPECT_NE(refusal(), "it was opened") << "cut at " << at;
  }
  std::filesystem::remove(log);
  EXPECT_NE(refusal(), "it was opened");
  write(bytes);
  EXPECT_EQ(contents(*open({.read_only = true})), model);
  // An earlier log that is cut or emptied, and a later one without records.
  {
    const std::string next = path_ + "/log-000002";
    WriteLog later(next, {.next_number = 1}, Durability::kSync);
    later.start_at(read_log(log, kLayout, 1, 0, [](LogRecord&) {}).next_number);
    later.keep_mark(std::make_shared<SyncMark>(path_ + "/SYNCED"), 2);
  }
  EXPECT_EQ(contents(*open({.read_only = true})), model);
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, bytes.size() / 2}) {
    write(std::string_view(bytes).substr(0, size));
    EXPECT_NE(refusal(), "it was opened") << size;
  }
}

TEST_F(DiskStoreTest, TheMarkIsNotNeeded) {
  const Model model = write_and_kill(3, 5);
  const std::string mark = path_ + "/SYNCED";
  const std::string bytes = read_file(mark);
  ASSERT_GT(bytes.size(), 4096U);  // both places
  for (const std::size_t size : {std::size_t{0}, std::size_t{39}, std::size_t{4100}}) {
    std::ofstream(mark, std::ios::binary) << bytes.substr(0, size);
    EXPECT_EQ(contents(*open({.read_only = true})), model);
  }
  std::string damaged = bytes;
  damaged[20] ^= 1;
  damaged[4096 + 20] ^= 1;
  std::ofstream(mark, std::ios::binary) << damaged;
  EXPECT_EQ(contents(*open({.read_only = true})), model);
  std::filesystem::remove(mark);
  EXPECT_EQ(contents(*open({.read_only = true})), model);
  EXPECT_FALSE(std::filesystem::exists(mark));
  EXPECT_EQ(contents(*open()), model);
  EXPECT_TRUE(SyncMark::read(mark));
}

// Documents that are replaced again and again take no more memory, but their log grows.
TEST_F(DiskStoreTest, ALogIsNotMuchLargerThanTheMemtableMayBe) {
  constexpr std::uint64_t kMemtable = 20'000;
  Model model;
  const std::unique_ptr<DiskStore> store = open({.memtable_bytes = kMemtable});
  std::uint64_t largest = 0, written = 0;
  for (int i = 0; i < 300; ++i) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (int step = 0; step < 10; ++step) {
      const std::string id = "id-" + std::to_string(step);
      model[id] = some_document(id, kLayout, random_);
      writer->add_hashes(model[id]);
      written += LogRecord::payload(1, 1, false, model[id]).size();
    }
    writer->commit();
    largest = std::max(largest, store->stats().log_bytes);
  }
  EXPECT_GT(written, 20 * kMemtable);
  EXPECT_LT(largest, 10 * kMemtable);  // two logs of nearly twice as much, and what came meanwhile
  EXPECT_EQ(contents(*store), model);
  EXPECT_EQ(contents(*open({.read_only = true})), model);
}

// Opening must not cut off what could still be saved of an earlier log.
TEST_F(DiskStoreTest, LeavesADamagedLogAsItIs) {
  write_and_kill(10, 5, {.durability = Durability::kBatch});
  const std::string log = files("log").back();
  const LogRead read = read_log(log, kLayout, 1, 0, [](LogRecord&) {});
  WriteLog next(path_ + "/log-000002", {.next_number = read.next_number}, Durability::kSync);
  next.append(false, some_document("later", kLayout, random_));
  next.sync();

  std::string bytes = read_file(log);
  bytes[bytes.size() / 3] ^= 1;
  std::ofstream(log, std::ios::binary) << bytes;
  EXPECT_NE(refusal(), "it was opened");
  EXPECT_TRUE(read_file(log) == bytes);
}

TEST_F(DiskStoreTest, FindsEveryFlippedBitOfAClosedStore) {
  Model model;
  {
    const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 60'000});
    for (int i = 0; i < 12; ++i) change(*store, model, 50);
    store->close();
    change(*store, model, 30);
    store->close();
  }
  ASSERT_FALSE(files("segment").empty());
  ASSERT_FALSE(files("removed").empty());
  for (const char* kind : {"segment", "removed", "MANIFEST"}) {
    for (const std::string& path : files(kind)) {
      const auto size = std::filesystem::file_size(path);
      for (int i = 0; i < 60; ++i) {
        const auto at = static_cast<std::streamoff>(random_.below(size));
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(at);
        const int byte = file.get();
        const int flipped = byte ^ (1 << random_.below(8));
        file.seekp(at);
        file.put(static_cast<char>(flipped));
        file.close();
        EXPECT_NE(refusal({.read_only = true}), "it was opened") << path << " byte " << at;
        std::fstream again(path, std::ios::in | std::ios::out | std::ios::binary);
        again.seekp(at);
        again.put(static_cast<char>(byte));
      }
      for (int i = 0; i < 20; ++i) {
        const std::string whole = folder_ / "whole";
        std::filesystem::copy_file(path, whole, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(path, random_.below(size));
        EXPECT_NE(refusal({.read_only = true}), "it was opened") << path;
        std::filesystem::copy_file(whole, path, std::filesystem::copy_options::overwrite_existing);
      }
    }
  }
  EXPECT_EQ(contents(*open()), model);
}

// Rewrites the manifest and the lists of removed documents as version 1, which says less.
TEST_F(DiskStoreTest, OfVersionOneIsRead) {
  Model model;
  {
    const std::unique_ptr<DiskStore> store = open();
    change(*store, model, 100);
    store->close();
    change(*store, model, 100);
    store->close();
    change(*store, model, 10);
    std::filesystem::copy(path_, folder_ / "old");
  }
  path_ = folder_ / "old";
  std::filesystem::remove(path_ + "/SYNCED");
  const StoreFolder folder(path_);
  const Manifest manifest = folder.read_manifest();
  std::string text =
      fmt::format("benzer manifest 1\nlog {} {}\n", manifest.log, manifest.first_record);
  bool has_list = false;
  for (const Manifest::Part& part : manifest.parts) {
    EXPECT_TRUE(part.segment_seal.is_known());
    EXPECT_EQ(part.removed_seal.is_known(), part.removed != 0);
    text += fmt::format("segment {} {}\n", part.segment, part.removed);
    if (part.removed == 0) continue;
    has_list = true;
    const RemovedList list = folder.read_removed(folder.removed(part.removed));
    std::filesystem::remove(folder.removed(part.removed));
    SealedFileWriter old(folder.removed(part.removed));
    old.append("BENZREM1", 8);
    old.append(&list.segment, sizeof list.segment);
    old.append(list.documents.data(), 4 * list.documents.size());
    old.seal();
  }
  EXPECT_TRUE(has_list);
  std::ofstream(path_ + "/MANIFEST", std::ios::binary) << with_checksum(text);
  EXPECT_EQ(contents(*open({.read_only = true})), model);
  {
    const std::unique_ptr<DiskStore> store = open();
    EXPECT_EQ(contents(*store), model);
    change(*store, model, 20);
    store->close();
  }
  EXPECT_EQ(contents(*open()), model);
  for (const Manifest::Part& part : folder.read_manifest().parts)
    EXPECT_TRUE(part.segment_seal.is_known());
}

TEST_F(DiskStoreTest, SaysWhatIsMissing) {
  Model model;
  {
    const std::unique_ptr<DiskStore> store = open();
    change(*store, model, 50);
    store->close();
  }
  for (const std::string kind : {"segment", "log", "MANIFEST"}) {
    const std::string path = files(kind).back();
    std::filesystem::rename(path, folder_ / "away");
    EXPECT_NE(refusal().find(path), std::string::npos) << refusal();
    std::filesystem::rename(folder_ / "away", path);
  }
  EXPECT_THROW(DiskStore(path_, kLayout, kFingerprint + 1, {}), Error);
  EXPECT_EQ(contents(*open()), model);
}

TEST_F(DiskStoreTest, LeavesNothingBehind) {
  std::ofstream(path_ + "/segment-000077") << "of a process that was killed";
  std::ofstream(path_ + "/removed-000078") << "likewise";
  std::ofstream(path_ + "/notes.txt") << "somebody's own";
  Model model;
  {
    const std::unique_ptr<DiskStore> store = open({.memtable_bytes = 20'000});
    for (int i = 0; i < 20; ++i) change(*store, model, 50);
    store->compact();
  }
  EXPECT_EQ(files("segment").size(), 1U);
  EXPECT_EQ(files("removed").size(), 0U);
  EXPECT_EQ(files("log").size(), 1U);
  EXPECT_EQ(files("notes").size(), 1U);
}

// A flush of removals alone makes a segment without documents, whose file is deleted again.
TEST_F(DiskStoreTest, LeavesNoSegmentWithoutDocuments) {
  Model model;
  {
    const std::unique_ptr<DiskStore> store = open();
    add_new(*store, model, 100);
    store->close();
  }
  {
    const std::unique_ptr<DiskStore> store = open();
    const std::unique_ptr<StoreWriter> writer = store->writer();
    EXPECT_TRUE(writer->remove("new-7"));
    model.erase("new-7");
    writer->commit();
    store->close();
  }
  EXPECT_EQ(files("segment").size(), 1U);
  EXPECT_EQ(files("removed").size(), 1U);
  EXPECT_EQ(contents(*open()), model);
}

TEST(StoreFolder, MakesAStoreOnlyWhereThereIsNothing) {
  const TestFolder folder;
  EXPECT_FALSE(StoreFolder::is_at(folder / "a"));
  EXPECT_THROW(StoreFolder::read_schema(folder / "a"), Error);
  StoreFolder::create(folder / "a", "a schema");
  EXPECT_EQ(StoreFolder::read_schema(folder / "a"), "a schema");
  EXPECT_THROW(StoreFolder::create(folder / "a", "another"), Error);
  EXPECT_THROW(StoreFolder::create(folder / "b/c", "a schema"), Error);
  // As if the process had ended at some point while it made the store.
  for (const char* last : {"BENZER", "MANIFEST"}) {
    std::filesystem::remove(folder / "a" + "/" + last);
    EXPECT_FALSE(StoreFolder::is_at(folder / "a"));
    StoreFolder::create(folder / "a", "a schema");
    EXPECT_EQ(StoreFolder::read_schema(folder / "a"), "a schema");
    std::filesystem::remove(folder / "a" + "/BENZER");
  }
}

// Readers number documents through all segments and tables, removed ones among them.
TEST_F(DiskStoreTest, TakesNoMoreDocumentsThanHaveNumbers) {
  DiskOptions options;
  options.most_documents = 10;
  TestRandom random(1);
  Model model;
  const auto store = open(options);
  const auto add = [&](const std::string& id) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    const DocumentHashes document = some_document(id, kLayout, random);
    writer->add_hashes(document);
    writer->commit();
    model[id] = document;
  };
  const auto is_refused = [&](const std::string& id) {
    try {
      add(id);
      return false;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
      EXPECT_NE(std::string(error.what()).find("has 10 documents"), std::string::npos);
      return true;
    }
  };
  for (int i = 0; i < 6; ++i) add("sealed-" + std::to_string(i));
  store->close();
  for (int i = 0; i < 4; ++i) add("new-" + std::to_string(i));
  EXPECT_TRUE(is_refused("more"));
  EXPECT_TRUE(is_refused("sealed-1"));  // its new version would be one more
  EXPECT_EQ(contents(*store), model);
  EXPECT_TRUE(store->writer()->remove("sealed-0"));
  model.erase("sealed-0");
  EXPECT_TRUE(is_refused("more"));  // it is still in its segment
  store->compact();
  add("more");
  EXPECT_TRUE(is_refused("another"));
  store->writer()->remove("more");
  model.erase("more");
  add("another");  // with the number of "more"
  EXPECT_EQ(contents(*store), model);
  EXPECT_EQ(contents(*open({.read_only = true})), model);
}

TEST_F(DiskStoreTest, OfMoreDocumentsThanHaveNumbersIsNotOpened) {
  TestRandom random(1);
  {
    const auto store = open();
    for (int i = 0; i < 5; ++i) {
      store->writer()->add_hashes(some_document("id-" + std::to_string(i), kLayout, random));
      if (i == 2) store->close();
    }
  }
  DiskOptions options;
  options.most_documents = 4;
  EXPECT_NE(refusal(options).find("has at most 4"), std::string::npos);
  options.read_only = true;
  EXPECT_NE(refusal(options).find("have 5 documents"), std::string::npos);
  options.most_documents = 5;
  EXPECT_EQ(refusal(options), "it was opened");
}

}  // namespace
}  // namespace benzer
