// Makes a small store for tests of repairs to damage, with a model of what it contains.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/index.h"

#include "base/record_log.h"
#include "base/test_random.h"
#include "engine/hasher.h"
#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/salvage.h"
#include "store/disk/store_folder.h"
#include "store/store_test_util.h"

namespace benzer {

namespace fs = std::filesystem;

inline const char* const kRepairSchema =
    "title=text:word1 | tags=values | fss:4 | bands:2x2 | min:0.5 | recall:0.5";

using Files = std::map<std::string, std::string>;  // contents by name

// A small store with files of every kind, as a killed process leaves it, and a model of what it
// contains. Tests damage copies of it, in memory if the system has a folder there.
class RepairTest : public testing::Test {
 protected:
  RepairTest() {
    make();
    original_ = read_files(path_);
    model_ = history_.back();
  }

  void make() {
    Index index = Index::open(path_, {.create_with = schema_});
    const auto put = [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        std::vector<std::string> words;
        for (std::uint64_t n = 1 + random_.below(8); n > 0; --n)
          words.push_back("w" + std::to_string(random_.below(30)));
        Document document{"id-" + std::to_string(i), {Field::of_values("tags", words)}};
        if (i % 3 != 0)
          document.fields.push_back(Field::of_text("title", "about " + words[0] + " " + words[0]));
        index.index_documents({document});
        Hasher::Scratch scratch;
        DocumentHashes hashes;
        hasher_.hash(document, scratch, hashes);
        Model next = history_.back();
        next[document.id] = hashes;
        versions_[document.id].push_back(hashes);
        history_.push_back(std::move(next));
      }
    };
    const auto remove = [&](int number) {
      const std::string id = "id-" + std::to_string(number);
      index.remove({id});
      Model next = history_.back();
      next.erase(id);
      history_.push_back(std::move(next));
    };
    put(0, 30);
    index.close();
    put(20, 45);
    for (const int number : {1, 3, 33}) remove(number);
    index.close();
    put(44, 60);
    index.close();
    history_.erase(history_.begin(), history_.end() - 1);  // what comes now is in the log
    put(58, 64);
    remove(10);
    remove(63);
    put(64, 66);
    fs::copy(path_, path_ + "2");
    index.close();
    fs::remove_all(path_);
    fs::rename(path_ + "2", path_);
  }

  static Files read_files(const std::string& folder) {
    Files out;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      out[entry.path().filename().string()] = bytes.str();
    }
    return out;
  }
  void write_files(const Files& files) {
    fs::remove_all(path_);
    fs::create_directory(path_);
    for (const auto& [name, bytes] : files)
      std::ofstream(path_ + "/" + name, std::ios::binary) << bytes;
  }
  std::string name_of(const std::string& kind, std::size_t place = 0) const {
    for (const auto& [name, bytes] : original_)
      if (name.starts_with(kind) && place-- == 0) return name;
    ADD_FAILURE() << "no " << kind;
    return "";
  }

  // Returns what the store contains. Throws what opening and verifying it throws.
  Model read() {
    const std::string schema = StoreFolder::read_schema(path_);
    EXPECT_EQ(schema, schema_.str());
    const DiskStore store(path_, hasher_.layout(), schema_.fingerprint(), {.read_only = true});
    store.verify();
    return contents(store);
  }

  // The place of each record of a segment or log, and its document; of a log only the id.
  struct Record {
    std::size_t begin, end;
    std::string id;
    DocumentHashes document;
    std::size_t original;  // the record that has its features: another one for a copy
  };
  std::vector<Record> records(const std::string& name) {
    const std::string& bytes = original_.at(name);
    std::vector<Record> out;
    if (name.starts_with("log")) {
      std::string_view rest = std::string_view(bytes).substr(8);
      std::uint32_t kind = 0;
      std::string_view payload;
      while (!rest.empty()) {
        const std::size_t begin = bytes.size() - rest.size();
        EXPECT_TRUE(take_record(rest, kind, payload));
        FieldReader fields(payload);
        fields.number();
        fields.number();
        const std::size_t number = out.size();
        out.push_back({begin, bytes.size() - rest.size(), std::string(fields.text()), {}, number});
      }
      return out;
    }
    std::size_t at = 64;
    salvage_segment(folder_.write("one/" + name, bytes), hasher_.layout(),
                    [&](segment_bytes::ReadRecord& read) {
                      out.push_back({at, at + read.bytes, read.document.id, read.document,
                                     read.original.value_or(read.number)});
                      at += read.bytes;
                    });
    return out;
  }

  TestFolder folder_{fast_folder()};
  std::string path_ = folder_ / "store";
  TestRandom random_{test_seed(11)};
  const Schema schema_ = Schema::parse(kRepairSchema).completed();
  const Hasher hasher_{schema_};
  std::vector<Model> history_ = {{}};
  std::map<std::string, std::vector<DocumentHashes>> versions_;
  Files original_;
  Model model_;
};

}  // namespace benzer
