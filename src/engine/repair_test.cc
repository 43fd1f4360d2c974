#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "base/checked_text.h"
#include "base/record_log.h"
#include "base/sanitized.h"
#include "base/test_random.h"
#include "engine/hasher.h"
#include "engine/repair_test_util.h"
#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/salvage.h"
#include "store/disk/store_folder.h"
#include "store/disk/sync_mark.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;

TEST_F(RepairTest, ChangesNothingOfASoundStore) {
  const RepairReport report = repair_index(path_);
  EXPECT_TRUE(report.was_sound());
  EXPECT_TRUE(report.is_complete());
  EXPECT_EQ(report.documents, model_.size());
  Files after = read_files(path_);
  after.erase("LOCK");
  Files before = original_;
  before.erase("LOCK");
  EXPECT_EQ(after, before);
  EXPECT_TRUE(read() == model_);
}

// Whatever bit is flipped and wherever a file is cut, reading detects it, and a repair keeps all
// documents that were not hit.
TEST_F(RepairTest, NoDamageGoesUnseenAndWhatIsSoundIsSaved) {
  ASSERT_TRUE(read() == model_);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : original_)
    if (name != "LOCK" && name != "SYNCED") names.push_back(name);
  ASSERT_GE(names.size(), 8U);  // BENZER, MANIFEST, a log, three segments, two lists
  std::map<std::string, std::vector<Record>> records_of;
  for (const std::string& name : names)
    if (name.starts_with("log") || name.starts_with("segment")) records_of[name] = records(name);

  const int rounds = static_cast<int>(test_amount("BENZER_TEST_FLIPS", kSanitized ? 200 : 500));
  int detected = 0, complete = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string& name = names[random_.below(names.size())];
    Files files = original_;
    std::string& bytes = files.at(name);
    const bool is_cut = random_.below(5) == 0;
    const std::size_t place = random_.below(bytes.size());
    if (is_cut) {
      bytes.resize(place);
    } else {
      bytes[place] = static_cast<char>(bytes[place] ^ 1 << random_.below(8));
    }
    SCOPED_TRACE(name + (is_cut ? " cut at " : " flipped at ") + std::to_string(place));
    write_files(files);

    // Damage to a document costs also the copies of it, which have no features of their own.
    std::set<std::string> hit_ids;
    std::uint64_t hits = 0;
    const auto is_damaged = [&](const Record& record) {
      return is_cut ? record.end > place : record.begin <= place && place < record.end;
    };
    for (const Record& record : records_of[name]) {
      const bool is_hit = is_damaged(record) || is_damaged(records_of[name][record.original]);
      hits += is_hit;
      // A record of a segment counts only if its document was neither replaced nor removed.
      const auto live = model_.find(record.id);
      const bool counts =
          name.starts_with("log") || (live != model_.end() && live->second == record.document);
      if (is_hit && counts) hit_ids.insert(record.id);
    }
    const bool is_log = name.starts_with("log");
    bool was_detected = false;
    try {
      const Model found = read();
      EXPECT_TRUE(found == model_);
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kCorrupt) << error.what();
      was_detected = true;
    }
    detected += was_detected;
    EXPECT_TRUE(was_detected) << "not all bytes of " << name << " are checked";

    if (name == "BENZER") {
      EXPECT_THROW(repair_index(path_), Error);
    }
    const RepairReport report =
        repair_index(path_, name == "BENZER" ? std::optional(schema_) : std::nullopt);
    EXPECT_FALSE(report.was_sound());
    EXPECT_EQ(report.damaged, path_ + "/damaged");
    complete += report.is_complete();
    const Model found = read();
    EXPECT_EQ(report.documents, found.size());
    EXPECT_EQ(read_files(path_ + "/damaged").at(name), files.at(name));
    std::uint64_t lost = 0, returned = 0;
    bool is_unknown = false;
    for (const RepairReport::File& file : report.files) {
      lost += file.lost;
      returned += file.returned;
      is_unknown |= file.lost_unknown;
      for (const std::string& id : file.lost_ids) EXPECT_TRUE(hit_ids.contains(id)) << id;
    }
    std::uint64_t missing = 0, back = 0;
    for (const auto& [id, document] : model_) {
      const auto there = found.find(id);
      if (there != found.end() && there->second == document) continue;
      EXPECT_TRUE(hit_ids.contains(id)) << id;
      missing += there == found.end();
    }
    for (const auto& [id, document] : found) {
      const auto& versions = versions_.at(id);
      EXPECT_NE(std::find(versions.begin(), versions.end(), document), versions.end()) << id;
      back += !model_.contains(id) && !is_log;
    }
    EXPECT_LE(back, returned);
    EXPECT_TRUE(missing <= lost || is_unknown) << missing << " of " << lost;
    EXPECT_TRUE(is_cut || lost <= std::max<std::uint64_t>(hits, 1)) << lost << " of " << hits;
    EXPECT_TRUE(found == model_ || !report.is_complete());
    EXPECT_TRUE(found == model_ || !hit_ids.empty() || name.starts_with("removed"));
    if (testing::Test::HasFailure()) break;
  }
  // Much of the damage, such as that to the tables of a segment, costs no documents.
  EXPECT_GT(detected, rounds * 3 / 4);
  EXPECT_GT(complete, rounds / 4);
  std::cout << rounds << " files damaged\n";
}

TEST_F(RepairTest, PutsTogetherWhatNoManifestNames) {
  // The folder has the output of a merge and its inputs, and an older list of removed documents and
  // a newer one.
  Files files;
  {
    Index index = Index::open(path_, {});
    index.close();
    files = read_files(path_);
    index.compact();
    model_.erase("id-20");
    index.remove({"id-20"});
    index.close();
  }
  files.merge(read_files(path_));
  files.erase("MANIFEST");
  write_files(files);
  EXPECT_THROW(read(), Error);
  const RepairReport report = repair_index(path_);
  EXPECT_TRUE(read() == model_);
  EXPECT_TRUE(report.is_complete());
  EXPECT_EQ(report.files.size(), 1U);
}

// A copy has the hashes of its original, and is saved as long as the record of the original can be
// read, even if the original was removed. Copies that cannot be saved are named.
TEST_F(RepairTest, SavesCopiesAndNamesThoseThatAreLost) {
  fs::remove_all(path_);
  {
    Index index = Index::open(path_, {.create_with = schema_});
    std::vector<Document> documents;
    for (int i = 0; i < 30; ++i)
      documents.push_back(
          {"id-" + std::to_string(i),
           {Field::of_values("tags", {i % 3 == 0 ? "own" + std::to_string(i)
                                                 : "same" + std::to_string(i % 3)})}});
    index.index_documents(documents);
    index.close();
    index.remove({"id-1"});  // the original of 4, 7, ..., 28
    index.close();
  }
  const Files files = original_ = read_files(path_);
  const Model before = read();
  ASSERT_EQ(before.size(), 29U);
  const std::string name = name_of("segment");
  const std::vector<Record> all = records(name);
  ASSERT_EQ(all.size(), 30U);
  for (const bool is_end_damaged : {false, true}) {
    for (std::size_t number = 0; number + 1 < all.size(); ++number) {
      SCOPED_TRACE(number);
      Files damaged = files;
      std::string& bytes = damaged.at(name);
      bytes[all[number].begin + 10] ^= 1;
      if (is_end_damaged) bytes[bytes.size() - 20] ^= 1;
      write_files(damaged);
      EXPECT_THROW(read(), Error);
      const RepairReport report = repair_index(path_);
      std::set<std::string> lost;  // their own record or that of their original is damaged
      if (number != 1) lost.insert("id-" + std::to_string(number));
      for (std::size_t copy = number + 3; (number == 1 || number == 2) && copy < 30; copy += 3)
        lost.insert("id-" + std::to_string(copy));
      Model expected = before;
      for (const std::string& id : lost) expected.erase(id);
      EXPECT_TRUE(read() == expected);
      ASSERT_EQ(report.files.size(), 1U);
      EXPECT_EQ(report.files[0].saved, expected.size());
      EXPECT_EQ(report.files[0].lost, lost.size());
      EXPECT_FALSE(report.is_complete() && !lost.empty());
      // The id in the damaged record cannot be read.
      lost.erase("id-" + std::to_string(number));
      EXPECT_EQ(std::set(report.files[0].lost_ids.begin(), report.files[0].lost_ids.end()), lost);
    }
  }
}

// Records of copies are so short that what follows them may begin at the same place without the
// last record.
TEST_F(RepairTest, CountsTheLastOnesThatAreLost) {
  int counted = 0;
  for (int size = 2; size < 16; ++size) {
    fs::remove_all(path_);
    {
      Index index = Index::open(path_, {.create_with = schema_});
      std::vector<Document> documents;
      for (int i = 0; i < size; ++i)
        documents.push_back({fmt::format("{:02}", i), {Field::of_values("tags", {"same"})}});
      index.index_documents(documents);
      index.close();
    }
    const Files files = original_ = read_files(path_);
    const std::string name = name_of("segment");
    const std::vector<Record> all = records(name);
    for (std::size_t lost = 1; lost < all.size(); ++lost) {
      SCOPED_TRACE(testing::Message() << lost << " of " << size);
      Files damaged = files;
      for (std::size_t i = all.size() - lost; i < all.size(); ++i)
        damaged.at(name)[all[i].begin + 10] ^= 1;
      write_files(damaged);
      const RepairReport report = repair_index(path_);
      ASSERT_EQ(report.files.size(), 1U);
      EXPECT_EQ(report.files[0].saved, all.size() - lost);
      EXPECT_FALSE(report.is_complete());
      // Sound tables tell how many records there were. Without them, the end of the records may.
      damaged.at(name)[damaged.at(name).size() - 20] ^= 1;
      write_files(damaged);
      const RepairReport without = repair_index(path_);
      EXPECT_FALSE(without.is_complete());
      EXPECT_TRUE(without.files[0].lost == lost || without.files[0].lost_unknown);
      counted += without.files[0].lost == lost && !without.files[0].lost_unknown;
    }
  }
  EXPECT_GT(counted, 0);
}

TEST_F(RepairTest, TellsWhatIsMissing) {
  for (const std::string kind : {"segment", "log", "removed"}) {
    Files files = original_;
    const std::string name = name_of(kind);
    files.erase(name);
    write_files(files);
    const RepairReport report = repair_index(path_);
    ASSERT_EQ(report.files.size(), 1U) << kind;
    EXPECT_EQ(report.files[0].name, name);
    EXPECT_FALSE(report.is_complete());
    EXPECT_EQ(report.files[0].lost_unknown, kind == "segment");
    EXPECT_EQ(report.files[0].lost > 0, kind == "log");  // SYNCED tells how many were synced
    EXPECT_EQ(read().size(), report.documents);
    EXPECT_EQ(report.damaged, "") << "there is nothing to keep";
    EXPECT_FALSE(fs::exists(path_ + "/damaged"));
  }
}

TEST_F(RepairTest, OfAFolderThatIsNoStoreIsRefused) {
  fs::create_directory(folder_ / "empty");
  folder_.write("file", "text");
  for (const char* name : {"not-there", "empty", "file", "file/in"}) {
    for (const std::optional<Schema>& schema : {std::optional(schema_), std::optional<Schema>()}) {
      try {
        repair_index(folder_ / name, schema);
        ADD_FAILURE() << name;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kNoIndex) << error.what();
      }
    }
  }
  EXPECT_TRUE(fs::is_empty(folder_ / "empty"));
}

TEST_F(RepairTest, TakesNoLaterVersionForDamage) {
  for (const std::string name : {"MANIFEST", "BENZER"}) {
    Files files = original_;
    std::string text = files.at(name);
    text = text.substr(0, text.rfind("checksum "));
    const std::size_t digit = text.find('\n') - 1;
    text[digit] = '9';
    files.at(name) = with_checksum(text);
    write_files(files);
    for (const bool repairs : {false, true}) {
      try {
        repairs ? static_cast<void>(repair_index(path_, schema_)) : static_cast<void>(read());
        ADD_FAILURE() << name;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << error.what();
      }
      EXPECT_EQ(read_files(path_).at(name), files.at(name));
    }
  }
}

// One flipped bit makes a log look like one of a later version.
TEST_F(RepairTest, TakesNoDamageForALaterVersion) {
  const std::string name = name_of("log");
  for (const char version : {'3', '5', '9'}) {
    Files files = original_;
    files.at(name)[7] = version;
    write_files(files);
    EXPECT_THROW(read(), Error);
    const RepairReport report = repair_index(path_);
    ASSERT_EQ(report.files.size(), 1U);
    EXPECT_EQ(report.files[0].name, name);
    EXPECT_TRUE(read() == model_);
  }
}

// A second repair does not take the segment that the first one made of a damaged segment for a
// merge of it, nor the list of removed documents that the first one put together for an original
// one.
TEST_F(RepairTest, ThatWasEndedTellsTheSameTheNextTime) {
  const auto told = [](const RepairReport& report) {
    std::string out = std::to_string(report.documents) + " documents";
    for (const RepairReport::File& file : report.files)
      out += "; " + file.problem + ": " + std::to_string(file.saved) + " saved, " +
             std::to_string(file.lost) + " lost, " + std::to_string(file.returned) + " returned";
    return out;
  };
  Files without_manifest = original_;
  without_manifest.erase("MANIFEST");
  Files segment = without_manifest, list = without_manifest;
  const std::string name = name_of("segment");
  for (const Record& record : records(name))
    if (const auto live = model_.find(record.id);
        live != model_.end() && live->second == record.document)
      segment.at(name)[record.begin + 9] ^= 1;
  list.at(name_of("removed"))[24] ^= 1;
  for (const Files& files : {segment, list}) {
    write_files(files);
    const RepairReport at_once = repair_index(path_);
    EXPECT_FALSE(at_once.is_complete());

    write_files(files);
    fs::create_directory(path_ + "/MANIFEST.tmp");
    EXPECT_THROW(repair_index(path_), Error);
    fs::remove(path_ + "/MANIFEST.tmp");
    EXPECT_EQ(told(repair_index(path_)), told(at_once));
    for (const auto& entry : fs::directory_iterator(path_))
      EXPECT_FALSE(entry.path().filename().string().starts_with("repair-")) << entry.path();
  }
}

TEST_F(RepairTest, TakesNoOtherSchemaForDamage) {
  Files files = original_;
  files.erase("BENZER");
  write_files(files);
  EXPECT_THROW(repair_index(path_), Error);
  EXPECT_THROW(repair_index(path_, Schema::parse("title=text:word2 | tags=values | fss:4 | "
                                                 "bands:2x2 | min:0.5 | recall:0.5")),
               Error);
  EXPECT_FALSE(fs::exists(path_ + "/BENZER"));
  const RepairReport report = repair_index(path_, schema_);
  EXPECT_EQ(report.files[0].name, "BENZER");
  EXPECT_TRUE(report.is_complete());
  EXPECT_TRUE(read() == model_);
  EXPECT_THROW(repair_index(path_, Schema()), Error);
}

// A repair that was ended at any file operation can be done again with the same result.
TEST_F(RepairTest, MayBeEndedAtAnyMoment) {
  class Ending : public FileSystem {
   public:
    int left = 0;
    int open(const char* path, int flags, mode_t mode) override {
      return gone() ? -1 : FileSystem::open(path, flags, mode);
    }
    ssize_t write(int fd, const void* bytes, std::size_t size) override {
      return gone() ? -1 : FileSystem::write(fd, bytes, size);
    }
    int rename(const char* from, const char* to) override {
      return gone() ? -1 : FileSystem::rename(from, to);
    }
    int unlink(const char* path) override { return gone() ? -1 : FileSystem::unlink(path); }

   private:
    bool gone() {
      if (left > 0) --left;
      if (left == 0) errno = EIO;
      return left == 0;
    }
  };
  for (const bool has_manifest : {true, false}) {
    Files files = original_;
    files.at(name_of("segment"))[70] ^= 1;
    files.at(name_of("removed"))[20] ^= 1;
    files.at(name_of("log"))[60] ^= 1;
    if (!has_manifest) files.at("MANIFEST")[30] ^= 1;
    write_files(files);
    repair_index(path_);
    const Model wanted = read();
    // The damage hit a document of a segment and a record of the log; documents that the damaged
    // list had removed may be back.
    int others = 0;
    for (const auto& [id, document] : model_)
      others += !wanted.contains(id) || wanted.at(id) != document;
    for (const auto& [id, document] : wanted) others += !model_.contains(id);
    EXPECT_LE(others, 4);
    int steps = 0;
    for (bool done = false; !done; ++steps) {
      write_files(files);
      {
        Ending ending;
        ending.left = steps + 1;
        const ScopedFileSystem scoped(ending);
        try {
          repair_index(path_);
          done = ending.left > 0;
        } catch (const Error&) {
        }
      }
      repair_index(path_);
      const Model found = read();
      EXPECT_TRUE(found == wanted) << "ended at step " << steps;
    }
    EXPECT_GT(steps, 40);
  }
}

}  // namespace
}  // namespace benzer
