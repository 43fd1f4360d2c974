// Tests repairs of stores in which a file was replaced by another one: of the same store, of an
// earlier state of it, or of a different store.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "engine/repair_test_util.h"
#include "store/disk/sync_mark.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;

// A name of its own, so that its tests are a suite.
class ExchangedFilesTest : public RepairTest {};

// One file has the name of another. Each is sound by itself, and the manifest tells which is which.
TEST_F(ExchangedFilesTest, FilesInThePlaceOfOthersAreNamedAndPutRight) {
  for (const std::string kind : {"segment", "removed"}) {
    const std::string first = name_of(kind, 0), second = name_of(kind, 1);
    for (const bool has_manifest : {true, false}) {
      SCOPED_TRACE(kind + (has_manifest ? "" : ", no manifest"));
      Files files = original_;
      if (has_manifest) {
        std::swap(files.at(first), files.at(second));
        write_files(files);
        EXPECT_THROW(read(), Error);
        const RepairReport report = repair_index(path_);
        EXPECT_EQ(report.files.size(), 2U);
        EXPECT_TRUE(report.is_complete());
        EXPECT_TRUE(read() == model_);
      } else {
        files.erase("MANIFEST");
      }
      files.at(first) = files.at(second) = original_.at(second);
      write_files(files);
      EXPECT_THROW(read(), Error);
      const RepairReport report = repair_index(path_);
      EXPECT_FALSE(report.is_complete());
      const Model found = read();
      EXPECT_EQ(found.size(), report.documents);
      for (const auto& [id, document] : found) {
        const auto& versions = versions_.at(id);
        EXPECT_NE(std::find(versions.begin(), versions.end(), document), versions.end()) << id;
      }
      for (const auto& [id, document] : model_)
        EXPECT_TRUE(found.contains(id) || kind == "segment") << id;
    }
  }
}

// The last segment has another name, so no file has its number, which the manifest still names.
TEST_F(ExchangedFilesTest, OfWhatIsThereUnderAnotherNameNoOtherFileGetsTheNumber) {
  {
    Index index = Index::open(path_, {});
    index.close();  // writes a segment, whose number is the largest but for the log's
  }
  Files files = read_files(path_);
  const Model wanted = read();
  std::string first, last;
  for (const auto& [name, bytes] : files) {
    if (!name.starts_with("segment")) continue;
    if (first.empty()) first = name;
    last = name;
  }
  ASSERT_NE(first, last);
  for (const std::string& kept : {first, std::string("segment-000001")}) {
    SCOPED_TRACE(kept);
    Files damaged = files;
    const std::string bytes = damaged.extract(last).mapped();
    damaged[kept] = bytes;
    write_files(damaged);
    const RepairReport report = repair_index(path_);
    const Model found = read();
    EXPECT_EQ(found.size(), report.documents);
    for (const auto& [id, document] : found) EXPECT_TRUE(wanted.at(id) == document) << id;
    EXPECT_TRUE(kept == first || found == wanted);
  }
}

// It does not matter whether the copy has a smaller or a larger number than the segment itself.
TEST_F(ExchangedFilesTest, OfCopiesOfASegmentOneCounts) {
  for (const std::string name : {"segment-000001", "segment-000099"}) {
    Files files = original_;
    files.erase("MANIFEST");
    files[name] = files.at(name_of("segment", 1));
    write_files(files);
    const RepairReport report = repair_index(path_);
    EXPECT_TRUE(read() == model_);
    EXPECT_TRUE(
        std::ranges::any_of(report.files, [&](const auto& file) { return file.name == name; }));
  }
}

// The segment under the wrong name has lost its seal, by which it would be recognised, and its
// documents are in another segment, too.
TEST_F(ExchangedFilesTest, OfDocumentsOfAnotherFileThoseStayThatAreWhereTheyWere) {
  for (const std::size_t place : {0, 1, 2}) {
    for (const std::size_t other : {0, 1, 2}) {
      if (place == other || name_of("segment", 2).empty()) continue;
      SCOPED_TRACE(testing::Message() << other << " in the place of " << place);
      Files files = original_;
      std::string bytes = original_.at(name_of("segment", other));
      files.at(name_of("segment", place)) = bytes.substr(0, bytes.size() - 20);
      write_files(files);
      const RepairReport report = repair_index(path_);
      EXPECT_FALSE(report.is_complete());
      const Model found = read();
      EXPECT_EQ(found.size(), report.documents);  // each is there once
      for (const auto& [id, document] : found) {
        const auto& versions = versions_.at(id);
        EXPECT_NE(std::find(versions.begin(), versions.end(), document), versions.end()) << id;
      }
    }
  }
}

// An earlier manifest is put back. It is sound, but names a log or segments that no longer exist.
TEST_F(ExchangedFilesTest, AManifestOfAnEarlierTimeIsNamedAndNothingIsLost) {
  const auto manifest = [&] { return read_files(path_).at("MANIFEST"); };
  std::vector<std::string> earlier = {original_.at("MANIFEST")};
  Model wanted;
  {
    Index index = Index::open(path_, {});
    index.close();  // what was in the log is in a segment
    earlier.push_back(manifest());
    index.compact();  // several are merged into one
    wanted = read();
  }
  const Files files = read_files(path_);
  for (const std::string& one : earlier) {
    Files stale = files;
    stale.at("MANIFEST") = one;
    for (const bool is_damaged : {false, true}) {
      SCOPED_TRACE(one + (is_damaged ? "and damage" : ""));
      std::string& segment = stale.at(std::ranges::find_if(stale, [](const auto& file) {
                                        return file.first.starts_with("segment");
                                      })->first);
      if (is_damaged) segment[80] ^= 1;
      write_files(stale);
      EXPECT_THROW(read(), Error);
      const RepairReport report = repair_index(path_);
      ASSERT_FALSE(report.files.empty());
      const Model found = read();
      if (is_damaged) {
        EXPECT_FALSE(report.is_complete());
        EXPECT_GE(found.size() + 1, wanted.size());
      } else {
        EXPECT_EQ(report.files[0].name, "MANIFEST");
        EXPECT_TRUE(found == wanted);
        EXPECT_TRUE(report.is_complete());
      }
    }
  }
}

TEST_F(ExchangedFilesTest, DamageUnderAnotherNameIsKept) {
  Files files = original_;
  std::string damaged = files.extract(name_of("segment")).mapped();
  damaged[70] ^= 1;
  files["segment-000099"] = damaged;
  write_files(files);
  EXPECT_FALSE(repair_index(path_).is_complete());
  EXPECT_TRUE(fs::exists(path_ + "/damaged/segment-000099"));
}

// The other log has records with the same numbers as those of the store's log.
TEST_F(ExchangedFilesTest, ALogThatIsNoPartOfTheStoreIsKept) {
  Files files = original_;
  const std::string name = name_of("log");
  files["log-000099"] = files.at(name);
  files.at(name)[records(name)[1].begin + 20] ^= 1;
  write_files(files);
  const RepairReport report = repair_index(path_);
  EXPECT_FALSE(report.is_complete());
  for (const std::string& kept : {name, std::string("log-000099")})
    EXPECT_TRUE(fs::exists(path_ + "/damaged/" + kept)) << kept;
}

// A segment that was merged long ago is put back under another name, and no manifest tells which
// files count. Some of its documents were removed before the merge.
TEST_F(ExchangedFilesTest, AnEarlierSegmentUnderAnotherNameIsNotTakenForALaterOne) {
  for (const int merges : {1, 2}) {
    SCOPED_TRACE(merges);
    fs::remove_all(path_);
    Files files;
    std::string first;
    {
      Index index = Index::open(path_, {.create_with = schema_});
      const auto put = [&](const std::string& id, const std::string& value) {
        index.index_documents({{id, {Field::of_values("tags", {value})}}});
      };
      for (const std::string id : {"a", "b", "c"}) put(id, "first");
      index.close();
      files = read_files(path_);
      first = files.at(std::find_if(files.begin(), files.end(), [](const auto& file) {
                         return file.first.starts_with("segment");
                       })->first);
      for (int i = 0; i < merges; ++i) {
        index.remove({i == 0 ? "a" : "b"});
        index.compact();  // the one segment, so both have the same newest documents
      }
      index.close();
    }
    files = read_files(path_);
    const Model wanted = read();
    files.erase("MANIFEST");
    files["segment-000099"] = first;
    write_files(files);
    const RepairReport report = repair_index(path_);
    const Model found = read();
    EXPECT_EQ(found.size(), report.documents);
    if (merges == 1) {
      EXPECT_TRUE(found == wanted);
      EXPECT_TRUE(std::ranges::any_of(
          report.files, [](const auto& file) { return file.name == "segment-000099"; }));
      EXPECT_TRUE(fs::exists(path_ + "/damaged/segment-000099"));
    } else {  // nothing tells that the segment was merged
      for (const auto& [id, document] : wanted) EXPECT_TRUE(found.at(id) == document) << id;
    }
  }
}

// Nothing but the segment itself tells that it is not the one that was there.
TEST_F(ExchangedFilesTest, WithoutAManifestASegmentUnderTheNameOfAnotherOneIsNamed) {
  Files compacted;
  {
    Index index = Index::open(path_, {});
    index.compact();
    compacted = read_files(path_);
    BulkLoad load = index.bulk_load();  // leaves no records in the log
    for (int i = 0; i < 50; ++i)
      load.add({{"loaded-" + std::to_string(i), {Field::of_values("tags", {std::to_string(i)})}}});
    load.finish();
    index.compact();
  }
  Files files = read_files(path_);
  const auto segment_of = [](const Files& all) {
    return *std::find_if(all.begin(), all.end(),
                         [](const auto& file) { return file.first.starts_with("segment"); });
  };
  const std::string name = segment_of(files).first;
  ASSERT_NE(name, segment_of(compacted).first);
  files.erase("MANIFEST");
  files[name] = segment_of(compacted).second;
  write_files(files);
  const RepairReport report = repair_index(path_);
  EXPECT_FALSE(report.is_complete());
  EXPECT_TRUE(std::ranges::any_of(report.files, [&](const auto& file) {
    return file.name == name && file.lost_unknown && file.problem.starts_with("it is segment ");
  }));
  EXPECT_TRUE(read() == model_);
  EXPECT_TRUE(repair_index(path_).was_sound());
}

// The records of a segment without its seal are whole, but nothing in it says which file it is. The
// repair can tell that it is the one which the manifest names as long as its pages or their
// checksums are undamaged.
TEST_F(ExchangedFilesTest, WithoutASealASegmentMayBeAnotherOne) {
  const std::string first = name_of("segment", 0);
  const auto damage_seal = [](std::string& bytes) { bytes[bytes.size() - 10] ^= 1; };
  const auto damage_checksums = [](std::string& bytes) { bytes[bytes.size() - 40] ^= 1; };
  const auto damage_page = [](std::string& bytes) {
    bytes[bytes.size() / 4096 * 4096 - 4096] ^= 1;
  };
  for (const bool is_another : {false, true}) {
    for (int damage = 0; damage < 8; ++damage) {
      SCOPED_TRACE(testing::Message() << is_another << ' ' << damage);
      Files files = original_;
      std::string& bytes = files.at(first);
      if (is_another) bytes = files.at(name_of("segment", 1));
      damage_seal(bytes);
      if ((damage & 1) != 0) damage_checksums(bytes);
      if ((damage & 2) != 0) damage_page(bytes);
      if ((damage & 4) != 0) bytes.resize(bytes.size() - 33);
      write_files(files);
      EXPECT_THROW(read(), Error);
      const RepairReport report = repair_index(path_);
      ASSERT_EQ(report.files.size(), 1U);
      const bool is_told = !is_another && ((damage & 2) == 0 || (damage & 5) == 0);
      EXPECT_EQ(report.files[0].lost_unknown, !is_told);
      EXPECT_EQ(report.is_complete(), is_told);
      if (!is_another) {
        EXPECT_TRUE(read() == model_);
      }
    }
  }
}

TEST_F(ExchangedFilesTest, AnEarlierListIsRightAsFarAsItGoes) {
  const std::string earlier = original_.at(name_of("removed"));
  std::string id;
  {
    Index index = Index::open(path_, {});
    index.close();
    for (int i = 0; i < 5; ++i) index.remove({"id-" + std::to_string(i)});
    index.close();
  }
  original_ = read_files(path_);
  model_ = read();
  Files files = original_;
  const std::string name = name_of("removed");
  ASSERT_NE(files.at(name), earlier);
  files.at(name) = earlier;
  write_files(files);
  EXPECT_THROW(read(), Error);
  const RepairReport report = repair_index(path_);
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_GT(report.files[0].returned, 0U);
  const Model found = read();
  for (const auto& [live, document] : model_) EXPECT_TRUE(found.contains(live)) << live;
}

// If the lists of removed documents of two segments are missing, the documents of the one that was
// bulk-loaded count as the later ones.
TEST_F(ExchangedFilesTest, WhatWasLoadedIsLaterThanWhatWasInMemoryBefore) {
  {
    Index index = Index::open(path_, {});
    const Document old = {"id-7", {Field::of_values("tags", {"old"})}};
    const Document loaded = {"id-7", {Field::of_values("tags", {"loaded"})}};
    index.index_documents({old});  // in memory when the load begins
    BulkLoad load = index.bulk_load();
    load.add({loaded});
    load.finish();
  }
  Files files = read_files(path_);
  std::erase_if(files, [](const auto& file) {
    return file.first == "MANIFEST" || file.first.starts_with("removed");
  });
  write_files(files);
  repair_index(path_);
  Hasher::Scratch scratch;
  DocumentHashes wanted;
  hasher_.hash({"id-7", {Field::of_values("tags", {"loaded"})}}, scratch, wanted);
  EXPECT_TRUE(read().at("id-7") == wanted);
}

// A bulk load keeps every version in its segment.
TEST_F(ExchangedFilesTest, OfADocumentThatWasLoadedTwiceTheLaterOneStays) {
  Document document = {"twice", {Field::of_values("tags", {"first"})}};
  Hasher::Scratch scratch;
  DocumentHashes wanted;
  {
    Index index = Index::open(path_, {});
    BulkLoad load = index.bulk_load();
    load.add({document});
    document.fields = {Field::of_values("tags", {"second"})};
    load.add({document});
    load.finish();
    hasher_.hash(document, scratch, wanted);
  }
  const Files loaded = read_files(path_);
  for (const bool has_manifest : {true, false}) {
    SCOPED_TRACE(has_manifest);
    Files files = loaded;
    std::erase_if(files, [&](const auto& file) {
      return file.first.starts_with("removed") || (file.first == "MANIFEST" && !has_manifest);
    });
    write_files(files);
    const RepairReport report = repair_index(path_);
    const Model found = read();
    EXPECT_EQ(found.size(), report.documents);
    EXPECT_TRUE(found.at("twice") == wanted);
  }
}

// The mark names a log with a larger number than any file of this store.
TEST_F(ExchangedFilesTest, AMarkOfAnotherStoreIsNotAboutTheNewLog) {
  for (const std::uint64_t ahead : {0, 1, 2, 1000}) {
    SCOPED_TRACE(ahead);
    write_files(original_);
    const std::uint64_t next = StoreFolder(path_).next_number();
    SyncMark(path_ + "/SYNCED").move({next + ahead, 5000, 5000});
    EXPECT_THROW(read(), Error);
    EXPECT_FALSE(repair_index(path_).is_complete());  // the mark tells of 5,000 synced records
    EXPECT_TRUE(read() == model_);
  }
}

}  // namespace
}  // namespace benzer
