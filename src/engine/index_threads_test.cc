// Tests that each thread finds in an index on disk what it has written, whatever other threads and
// the merges in the background do meanwhile.
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "base/test_random.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

Document document_of(const std::string& id, std::uint64_t version) {
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < 20; ++i)  // similar to the next version, of any document
    values.push_back(fmt::format("v{}", version + i));
  return {id, {Field::of_values("values", std::move(values))}};
}

class Mixed {
 public:
  explicit Mixed(Index& index) : index_(index) {}

  // Writes and removes documents with ids that no other thread uses, so that it knows which of them
  // must be there.
  void write(std::uint64_t thread) {
    TestRandom random(thread);
    std::map<std::string, bool> is_there;
    for (int round = 0; round < 300; ++round) {
      std::vector<Document> batch;
      for (int i = 0; i < 10; ++i) {
        batch.push_back(
            document_of(fmt::format("{}/{}", thread, random.below(40)), random.below(30)));
        is_there[batch.back().id] = true;
      }
      for (const IndexResult& result : index_.index_documents(batch))
        EXPECT_NE(result.outcome, IndexResult::Outcome::kRefused);
      const std::string& removed = batch[random.below(10)].id;
      index_.remove({removed});
      is_there[removed] = false;
      for (const auto& [id, there] : is_there) EXPECT_EQ(index_.contains(id), there) << id;
    }
    for (const auto& [id, there] : is_there) there_ += there;
  }

  void read(std::uint64_t thread) {
    TestRandom random(thread);
    while (!done_) {
      const Document query = document_of("q", random.below(30));
      for (const Match& match : index_.find_similar_documents(query, {.limit = 30})) {
        EXPECT_GE(match.score, 0.5);
        EXPECT_EQ(match.fields.size(), 1U);
      }
      index_.for_each_id([](std::string_view id) { EXPECT_FALSE(id.empty()); });
      try {
        index_.find_similar_to(fmt::format("0/{}", random.below(40)));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kNotFound);
      }
    }
  }

  void maintain() {
    while (!done_) {
      index_.compact();
      index_.verify();
      index_.stats();
    }
  }

  void stop() { done_ = true; }
  std::uint64_t there() const { return there_; }

 private:
  Index& index_;
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> there_{0};
};

TEST(IndexThreads, WhatWasWrittenIsFoundWhileAllElseGoesOn) {
  const TestFolder folder;
  OpenOptions options{.create_with = Schema::parse("values=values | min:0.5"),
                      .durability = Durability::kBatch,
                      .memtable_bytes = 30'000};
  std::uint64_t there = 0;
  {
    Index index = Index::open(folder / "store", options);
    Mixed mixed(index);
    std::vector<std::thread> writers, others;
    for (std::uint64_t i = 0; i < 2; ++i) writers.emplace_back([&, i] { mixed.write(i); });
    for (std::uint64_t i = 2; i < 4; ++i) others.emplace_back([&, i] { mixed.read(i); });
    others.emplace_back([&] { mixed.maintain(); });
    for (std::thread& writer : writers) writer.join();
    mixed.stop();
    for (std::thread& other : others) other.join();
    there = mixed.there();
    EXPECT_EQ(index.size(), there);
  }
  EXPECT_EQ(Index::open(folder / "store", options).size(), there);
}

// A visitor may change the index that it visits. The question holds no lock, which would make that
// wait forever, and does not see the changes.
TEST(IndexThreads, WhoeverVisitsMayWrite) {
  for (const bool on_disk : {false, true}) {
    const Schema schema = Schema::parse("values=values | min:0.5");
    const TestFolder folder;
    Index index =
        on_disk ? Index::open(folder / "store", {.create_with = schema}) : Index::in_memory(schema);
    std::vector<Document> documents;
    for (int i = 0; i < 200; ++i) documents.push_back(document_of(std::to_string(i), i / 2 * 100));
    index.index_documents(documents);
    if (on_disk) index.close();  // writes a segment
    const auto change = [&](std::string_view id) {
      index.remove({std::string(id)});
      index.index_documents({document_of(fmt::format("new {}", id), 7)});
      EXPECT_TRUE(index.contains(fmt::format("new {}", id)));
      EXPECT_FALSE(index.find_similar_documents(document_of("q", 7), {.limit = 1}).empty());
    };
    std::uint64_t pairs = 0, clusters = 0, ids = 0;
    index.for_each_similar_pair({}, [&](const ScoredIds& pair) {
      EXPECT_FALSE(pair.a.starts_with("new"));
      ++pairs;
      change(pair.b);
    });
    EXPECT_EQ(pairs, 100U);
    EXPECT_EQ(index.size(), 200U);
    index.for_each_cluster({}, [&](const IndexCluster& cluster) {
      EXPECT_EQ(cluster.members.size(), 99U);  // of the 100 new documents
      ++clusters;
      for (const auto& member : cluster.members) index.remove({member.id});
    });
    EXPECT_EQ(clusters, 1U);
    index.for_each_id([&](std::string_view id) {
      ++ids;
      change(id);
    });
    EXPECT_EQ(ids, 101U);
    EXPECT_EQ(index.size(), 101U);
  }
}

}  // namespace
}  // namespace benzer
