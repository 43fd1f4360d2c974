// Tests what every store promises, against each implementation.
#include "store/store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/test_random.h"
#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/memory/memory_store.h"
#include "store/redis_place.h"
#include "store/redis_test_util.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

constexpr HashLayout kBands{2, 4, 5};
constexpr HashLayout kOneTable{2, 4, 0, true};
constexpr HashLayout kGaps{2, 4, 5, false, true, true};
// Half of the features are keys; sets of fewer than 6 have all as keys.
constexpr HashLayout kSampled{2, 0, 0, true, false, false, KeySampling{500, 6}};

struct Kind {
  const char* name;
  HashLayout layout;
  std::function<std::unique_ptr<Store>(const HashLayout&)> make_with;
  bool is_shared = false;  // others see a write before its writer commits
  std::unique_ptr<Store> make() const { return make_with(layout); }
};

// A store in a folder that is deleted with it. Its tables are so small that segments are written
// and merged all the time.
class StoreInAFolder : public Store {
 public:
  explicit StoreInAFolder(const HashLayout& layout) {
    StoreFolder::create(folder_ / "store", "for a test");
    store_ = std::make_unique<DiskStore>(
        folder_ / "store", layout, 7,
        DiskOptions{.durability = Durability::kBatch, .memtable_bytes = 20'000});
  }
  std::unique_ptr<StoreReader> reader() const override { return store_->reader(); }
  std::unique_ptr<StoreWriter> writer() override { return store_->writer(); }
  StoreBytes bytes() const override { return store_->bytes(); }
  void compact() override { store_->compact(); }
  WriteLevel level() const override { return store_->level(); }
  SnapshotResult snapshot(const std::string& folder, const SnapshotOptions& options,
                          const WriteBeside& beside) const override {
    return store_->snapshot(folder, options, beside);
  }

 private:
  TestFolder folder_;
  std::unique_ptr<DiskStore> store_;
};

std::unique_ptr<Store> in_memory(const HashLayout& layout) {
  return std::make_unique<MemoryStore>(layout);
}
std::unique_ptr<Store> on_disk(const HashLayout& layout) {
  return std::make_unique<StoreInAFolder>(layout);
}

// A store in Redis with few groups, so that documents share them. The servers are started once, and
// end with the process.
std::unique_ptr<Store> in_place(const std::string& url, const HashLayout& layout) {
  RedisOptions options;
  options.create_schema = "for a test";
  options.expected_documents = 200;
  return RedisPlace(url, options).open(layout);
}
std::string new_name() {
  static int number = 0;
  return "store-" + std::to_string(number++);
}
std::unique_ptr<Store> in_redis(const HashLayout& layout) {
  static RedisServer server;
  return in_place(server.url(new_name()), layout);
}
std::unique_ptr<Store> in_cluster(const HashLayout& layout) {
  static RedisCluster cluster;
  return in_place(cluster.url(new_name()), layout);
}

const Kind kKinds[] = {
    {"memory", kBands, in_memory},
    {"disk", kBands, on_disk},
    {"memory_one_table", kOneTable, in_memory},
    {"disk_one_table", kOneTable, on_disk},
    {"memory_gaps", kGaps, in_memory},
    {"disk_gaps", kGaps, on_disk},
    {"memory_sampled", kSampled, in_memory},
    {"disk_sampled", kSampled, on_disk},
    {"redis_sampled", kSampled, in_redis, true},
    {"redis", kBands, in_redis, true},
    {"redis_one_table", kOneTable, in_redis, true},
    {"redis_gaps", kGaps, in_redis, true},
    {"redis_cluster", kBands, in_cluster, true},
};

// The ids of documents that share keys with the query, and how many they share.
std::map<std::string, std::uint32_t> ids_that_meet(const Model& model, const FieldHashes& query,
                                                   const HashLayout& layout) {
  std::map<std::string, std::uint32_t> out;
  for (const auto& [id, document] : model)
    for (const FieldHashes& field : document.fields)
      for (std::size_t band = 0; band < field.keys.size(); ++band)
        for (std::size_t other = 0; other < query.keys.size(); ++other)
          if (field.field == query.field && field.keys[band] == query.keys[other] &&
              layout.is_key(query.keys[other]) && (layout.one_table || band == other))
            ++out[id];
  return out;
}

// The ids of an original's copies.
std::set<std::string> copies_of(StoreReader& reader, DocumentNumber original, const Model& model) {
  std::set<std::string> out;
  EXPECT_EQ(reader.original(original), original);
  const std::string own(reader.id(original));
  reader.for_each_copy(original, [&](DocumentNumber copy) {
    const std::string id(reader.id(copy));
    EXPECT_EQ(reader.original(copy), original);
    EXPECT_EQ(model.at(id).fields, model.at(own).fields);
    EXPECT_TRUE(out.insert(id).second);
    return true;
  });
  EXPECT_FALSE(out.contains(own));
  EXPECT_EQ(reader.count_copies(original), out.size());
  for (const std::size_t most : {std::size_t{0}, std::size_t{1}, out.size(), out.size() + 1}) {
    std::vector<std::string> first;
    for (const DocumentNumber copy : reader.first_copies(original, most))
      first.emplace_back(reader.id(copy));
    const std::size_t count = std::min(most, out.size());
    EXPECT_EQ(first, std::vector<std::string>(
                         out.begin(), std::next(out.begin(), static_cast<std::ptrdiff_t>(count))));
  }
  if (!out.empty()) {
    int visited = 0;
    reader.for_each_copy(original, [&](DocumentNumber) { return ++visited < 1; });
    EXPECT_EQ(visited, 1);
  }
  return out;
}

void expect_same(StoreReader& reader, const Model& model, const HashLayout& layout,
                 TestRandom& random) {
  ASSERT_EQ(reader.size(), model.size());
  std::set<std::string> ids;
  reader.for_each([&](DocumentNumber document) {
    EXPECT_TRUE(ids.insert(std::string(reader.id(document))).second);
    return true;
  });
  EXPECT_EQ(ids.size(), model.size());
  // From the beginning, and after an id that is there, or after one that may not be.
  std::string after;
  if (random.below(3) > 0 && !model.empty())
    after =
        std::next(model.begin(), static_cast<std::ptrdiff_t>(random.below(model.size())))->first;
  if (random.below(3) == 0) after += static_cast<char>(random.below(128));
  const std::size_t most = random.below(2) == 0 ? model.size() + 1 : random.below(8);
  std::vector<std::string> page, expected;
  const bool is_for_all = random.below(2) == 0;
  const auto is_accepted = [&](std::string_view id) { return is_for_all || id.size() % 2 == 0; };
  for (const DocumentNumber document : reader.ids_after(
           after, most, [&](DocumentNumber one) { return is_accepted(reader.id(one)); }))
    page.emplace_back(reader.id(document));
  for (auto at = model.upper_bound(after); at != model.end() && expected.size() < most; ++at)
    if (is_accepted(at->first)) expected.push_back(at->first);
  EXPECT_EQ(page, expected) << "after '" << after << "'";
  for (const auto& [id, document] : model) {
    const std::optional<DocumentNumber> number = reader.find(id);
    ASSERT_TRUE(number) << id;
    EXPECT_EQ(reader.id(*number), id);
    EXPECT_EQ(reader.attributes(*number), document.attributes) << id;
    EXPECT_EQ(reader.get_hashes(*number), document) << id;
    auto field = document.fields.begin();
    for (std::uint32_t f = 0; f < layout.fields; ++f) {
      const std::uint8_t* cut = reader.cut(*number, f);
      const std::span<const std::uint64_t> features = reader.features(*number, f);
      if (field == document.fields.end() || field->field != f) {
        EXPECT_EQ(cut, nullptr);
        EXPECT_TRUE(features.empty());
        continue;
      }
      EXPECT_TRUE(std::equal(field->cut.begin(), field->cut.end(), cut));
      EXPECT_TRUE(std::ranges::equal(features, field->features));
      ++field;
    }
  }
  EXPECT_FALSE(reader.find("nobody"));
  for (std::uint32_t f = 0; f < layout.fields; ++f) {
    std::vector<FieldHashes> queries;
    for (int i = 0; i < 7; ++i) queries.push_back(some_field(f, layout, random));
    std::vector<const FieldHashes*> asked;
    for (const FieldHashes& query : queries) asked.push_back(&query);
    std::vector<std::vector<DocumentNumber>> found(queries.size());
    reader.get_ids(asked, found);
    std::vector<std::vector<KeyHits>> hits(queries.size());
    reader.get_hits(asked, hits);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::map<std::string, std::uint32_t> found_ids;
      std::vector<DocumentNumber> of_hits;
      for (const auto& [number, keys] : hits[i]) {
        of_hits.push_back(number);
        EXPECT_TRUE(found_ids.emplace(reader.id(number), keys).second);
        for (const std::string& copy : copies_of(reader, number, model))
          EXPECT_TRUE(found_ids.emplace(copy, keys).second);
      }
      EXPECT_EQ(found[i], of_hits);
      EXPECT_TRUE(std::is_sorted(found[i].begin(), found[i].end()));
      EXPECT_EQ(found_ids, ids_that_meet(model, queries[i], layout));
    }
  }
}

class StoreTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!GetParam().is_shared) return;
    if (const std::string missing = why_no_redis(); !missing.empty()) GTEST_SKIP() << missing;
  }
  // A field with other features in each round, and always a key of the query of any round.
  static FieldHashes field_of(std::uint32_t number, std::uint64_t round) {
    const HashLayout& layout = GetParam().layout;
    FieldHashes out{number, std::vector<std::uint64_t>(1 + round % 7, round), {}, {}};
    out.keys.resize(layout.bands);
    std::iota(out.keys.begin(), out.keys.end(), 7);
    if (layout.sampling) {
      out.features = {0, round};
      restore_keys(layout, out);
    }
    out.cut.assign(layout.cut_bytes(), 1);
    return out;
  }
};

TEST_P(StoreTest, IsAMapWithKeys) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    TestRandom random(seed);
    const std::unique_ptr<Store> store = GetParam().make();
    Model model;
    for (int round = 0; round < 20; ++round) {
      {
        const std::unique_ptr<StoreWriter> writer = store->writer();
        for (int step = 0; step < 30; ++step) {
          const std::string id = "id-" + std::to_string(random.below(60));
          if (random.below(3) == 0) {
            EXPECT_EQ(writer->remove(id), model.erase(id) == 1);
          } else {
            DocumentHashes document = some_document(id, GetParam().layout, random);
            if (!model.empty() && random.below(2) == 0)  // equal to another one
              document.fields =
                  std::next(model.begin(), static_cast<std::ptrdiff_t>(random.below(model.size())))
                      ->second.fields;
            EXPECT_EQ(writer->add_hashes(document), model.contains(id));
            model[id] = document;
          }
        }
        expect_same(*writer, model, GetParam().layout,
                    random);  // a writer sees what it has written
        writer->commit();
      }
      expect_same(*store->reader(), model, GetParam().layout, random);
    }
  }
}

TEST_P(StoreTest, KeepsIdsAsTheyAre) {
  const std::unique_ptr<Store> store = GetParam().make();
  TestRandom random(4);
  Model model;
  {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (const std::string& id :
         {std::string("a"), std::string("a\0b", 3), std::string("a\n"), std::string("\xFF\xFE"),
          std::string(65'535, 'x'), std::string(65'534, 'x')}) {
      model[id] = some_document(id, GetParam().layout, random);
      if (GetParam().layout.attributes) model[id].attributes.assign(kLongestAttributes, '\xFF');
      writer->add_hashes(model[id]);
    }
  }
  expect_same(*store->reader(), model, GetParam().layout, random);
}

TEST_P(StoreTest, RemovalLeavesNoTrace) {
  const std::unique_ptr<Store> store = GetParam().make();
  TestRandom random(5);
  for (int round = 0; round < 3; ++round) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (int i = 0; i < 500; ++i)
      writer->add_hashes(some_document(std::to_string(i), GetParam().layout, random));
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(writer->remove(std::to_string(i)));
    expect_same(*writer, {}, GetParam().layout, random);
  }
  const StoreBytes bytes = store->bytes();
  for (int i = 0; i < 500; ++i)
    store->writer()->add_hashes(some_document("x", GetParam().layout, random));
  EXPECT_EQ(store->reader()->size(), 1U);
  EXPECT_LE(store->bytes().tables, bytes.tables);
}

TEST_P(StoreTest, TakesManyAtOnce) {
  const std::unique_ptr<Store> store = GetParam().make();
  TestRandom random(6);
  std::vector<DocumentHashes> documents;
  std::vector<const DocumentHashes*> added;
  for (const char* id : {"a", "b", "a", "c", "b"})
    documents.push_back(some_document(id, GetParam().layout, random));
  for (const DocumentHashes& document : documents) added.push_back(&document);
  const auto writer = store->writer();
  EXPECT_EQ(writer->add_all(added), (std::vector<bool>{false, false, true, false, true}));
  expect_same(*writer, {{"a", documents[2]}, {"b", documents[4]}, {"c", documents[3]}},
              GetParam().layout, random);
  const std::vector<std::string> ids = {"b", "d", "b", "c"};
  EXPECT_EQ(writer->remove_all(ids), (std::vector<bool>{true, false, false, true}));
  expect_same(*writer, {{"a", documents[2]}}, GetParam().layout, random);
  EXPECT_TRUE(writer->add_all({}).empty());
}

// Readers meet only whole documents: both fields of each were made by the same round.
TEST_P(StoreTest, ReadersSeeWholeDocuments) {
  const std::unique_ptr<Store> store = GetParam().make();
  constexpr int kRounds = 200;
  constexpr std::uint32_t kIds = 8;
  std::thread writing([&] {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const std::unique_ptr<StoreWriter> writer = store->writer();
      for (std::uint32_t i = 0; i < kIds; ++i) {
        DocumentHashes document{std::to_string(i), {}};
        for (std::uint32_t f = 0; f < GetParam().layout.fields; ++f)
          document.fields.push_back(field_of(f, round));
        writer->add_hashes(document);
      }
    }
  });
  const auto read = [&] {
    for (int i = 0; i < kRounds; ++i) {
      const std::unique_ptr<StoreReader> reader = store->reader();
      const FieldHashes query = field_of(0, 1);
      const FieldHashes* asked = &query;
      std::vector<std::vector<DocumentNumber>> found(1);
      reader->get_ids({&asked, 1}, found);
      std::uint64_t documents = 0;
      for (const DocumentNumber number : found[0]) documents += 1 + reader->count_copies(number);
      EXPECT_TRUE(GetParam().is_shared || documents == 0 || documents == kIds);
      for (const DocumentNumber number : found[0])
        EXPECT_EQ(reader->get_hashes(number).fields[0].features,
                  reader->get_hashes(number).fields[1].features);
    }
  };
  std::thread reading(read);
  read();
  reading.join();
  writing.join();
}

// Readers see their version whatever is written after they began, also by a writer that has not
// committed, and whatever is merged.
TEST_P(StoreTest, ReadersKeepTheirVersion) {
  if (GetParam().is_shared) return;  // readers see later writes
  struct Kept {
    std::unique_ptr<StoreReader> reader;
    Model model;
  };
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    TestRandom random(seed);
    const std::unique_ptr<Store> store = GetParam().make();
    Model model;
    std::vector<Kept> kept;
    for (int round = 0; round < 40; ++round) {
      const std::unique_ptr<StoreWriter> writer = store->writer();
      const Model before = model;
      const std::uint64_t steps = random.below(40);
      for (std::uint64_t step = 0; step < steps; ++step) {
        const std::string id = "id-" + std::to_string(random.below(60));
        if (random.below(3) == 0) {
          EXPECT_EQ(writer->remove(id), model.erase(id) == 1);
        } else {
          model[id] = some_document(id, GetParam().layout, random);
          writer->add_hashes(model[id]);
        }
      }
      expect_same(*writer, model, GetParam().layout, random);
      expect_same(*store->reader(), before, GetParam().layout, random);
      writer->commit();
      if (random.below(8) == 0) store->compact();
      if (random.below(2) == 0) kept.push_back({store->reader(), model});
      for (const Kept& one : kept) {
        expect_same(*one.reader, one.model, GetParam().layout, random);
        expect_same(*one.reader->another(), one.model, GetParam().layout, random);
      }
      while (!kept.empty() && random.below(3) == 0)
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(random.below(kept.size())));
    }
  }
}

TEST_P(StoreTest, ReadersKeepTheirVersionWhileOthersWrite) {
  if (GetParam().is_shared) return;  // readers see later writes
  const std::unique_ptr<Store> store = GetParam().make();
  std::atomic<bool> is_done = false;
  std::thread writing([&] {
    TestRandom random(1);
    for (int round = 0; round < 300; ++round) {
      const std::unique_ptr<StoreWriter> writer = store->writer();
      for (int step = 0; step < 20; ++step) {
        const std::string id = "id-" + std::to_string(random.below(200));
        if (random.below(3) == 0)
          writer->remove(id);
        else
          writer->add_hashes(some_document(id, GetParam().layout, random));
      }
      writer->commit();
      if (round % 50 == 7) store->compact();
    }
    is_done = true;
  });
  const auto read = [&](std::uint64_t seed) {
    TestRandom random(seed);
    while (!is_done) {
      const std::unique_ptr<StoreReader> reader = store->reader();
      Model model;
      reader->for_each([&](DocumentNumber document) {
        DocumentHashes hashes = reader->get_hashes(document);
        const std::string id = hashes.id;
        EXPECT_TRUE(model.emplace(id, std::move(hashes)).second) << id;
        return true;
      });
      expect_same(*reader, model, GetParam().layout, random);
    }
  };
  std::thread reading([&] { read(2); });
  read(3);
  reading.join();
  writing.join();
}

// The memory of documents that were removed while readers had them is given back by the first
// commit after the last of these readers.
TEST_P(StoreTest, GivesBackWhatReadersHad) {
  if (GetParam().is_shared) return;  // readers see later writes
  const std::unique_ptr<Store> store = GetParam().make();
  TestRandom random(7);
  const auto touch = [&] {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    writer->add_hashes({"one", {}});
    writer->commit();
  };
  touch();
  const std::uint64_t least = store->bytes().features;
  std::vector<std::unique_ptr<StoreReader>> readers;
  for (int round = 0; round < 5; ++round) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    for (const char* id : {"a", "b", "c"})
      writer->add_hashes({id, {some_field(0, GetParam().layout, random)}});
    writer->commit();
    readers.push_back(store->reader());
    // Rewriting a document takes no memory by itself: no reader has the versions in between.
    for (int i = 0; i < 5; ++i) touch();
  }
  EXPECT_GT(store->bytes().features, least);
  const std::unique_ptr<StoreWriter> writer = store->writer();
  for (const char* id : {"a", "b", "c"}) writer->remove(id);
  writer->commit();
  EXPECT_GT(store->bytes().features, least);
  std::swap(readers[0], readers[4]);
  while (!readers.empty()) {
    readers.pop_back();
    touch();
  }
  EXPECT_EQ(store->bytes().features, least);
}

// If locks were not given back, the next writer would wait until the lock expires.
TEST_P(StoreTest, LocksAreGivenBack) {
  const std::unique_ptr<Store> store = GetParam().make();
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) {
    const std::unique_ptr<StoreWriter> writer = store->writer();
    writer->lock_others();
    writer->commit();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(9));
}

INSTANTIATE_TEST_SUITE_P(Each, StoreTest, testing::ValuesIn(kKinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace benzer
