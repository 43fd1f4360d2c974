// Checks the database of the report against a map, in memory, in a folder and in Redis.
#include "benzer/research/classics/report_database.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/research/classics/report.h"

#include "base/error_test_util.h"
#include "base/splitmix.h"
#include "base/test_random.h"
#include "io/io_test_util.h"
#include "store/redis_test_util.h"

namespace benzer::classics::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using Hashes = std::vector<std::uint64_t>;

constexpr std::size_t kMost = 6;

// What the database should say, by looking at all documents.
class Map {
 public:
  void add_hashes(const std::string& id, const Hashes& hashes) {
    documents_[id] = std::set(hashes.begin(), hashes.end());
  }
  std::vector<std::string> get_ids(const Hashes& hashes) const {
    std::vector<std::string> ids;
    for (const auto& [id, of_it] : documents_)
      if (std::ranges::any_of(hashes, [&](std::uint64_t hash) { return of_it.contains(hash); }))
        ids.push_back(id);
    return ids;
  }
  const std::map<std::string, std::set<std::uint64_t>>& documents() const { return documents_; }

 private:
  std::map<std::string, std::set<std::uint64_t>> documents_;
};

void expect_equal(const Database& database, const Map& map, TestRandom& random,
                  std::uint64_t values) {
  EXPECT_EQ(database.size(), map.documents().size());
  for (const auto& [id, hashes] : map.documents())
    EXPECT_THAT(database.get_hashes(id), Optional(Hashes(hashes.begin(), hashes.end()))) << id;
  for (int query = 0; query < 50; ++query) {
    Hashes hashes(random.below(kMost + 1));
    for (std::uint64_t& hash : hashes) hash = random.below(values);
    EXPECT_EQ(database.get_ids(hashes), map.get_ids(hashes));
  }
}

// Few values, so that documents share hashes, are equal, are replaced, and have repeats.
void fill(Database& database, Map& map, TestRandom& random, std::uint64_t values) {
  for (int i = 0; i < 150; ++i) {
    const std::string id = "d" + std::to_string(random.below(100));
    Hashes hashes(random.below(kMost + 1));
    for (std::uint64_t& hash : hashes) hash = random.below(values);
    database.add_hashes(id, hashes);
    map.add_hashes(id, hashes);
  }
}

void expect_like_a_map(Database database) {
  TestRandom random(3);
  Map map;
  for (const std::uint64_t values : {40u, 200u}) {
    fill(database, map, random, values);
    expect_equal(database, map, random, values);
  }
}

TEST(ReportDatabase, InMemoryIsLikeAMap) { expect_like_a_map(Database(kMost)); }

TEST(ReportDatabase, InAFolderIsLikeAMapAndStays) {
  const TestFolder folder;
  const std::string place = folder / "db";
  TestRandom random(4);
  Map map;
  {
    Database database(place, kMost);
    fill(database, map, random, 60);
  }
  const Database again(place, kMost);
  expect_equal(again, map, random, 60);
  EXPECT_THAT(error_of([&] { Database(place, kMost + 1); }).what(), HasSubstr("bottomk:6"));
}

TEST(ReportDatabase, InRedisIsLikeAMap) {
  if (const std::string missing = why_no_redis(); !missing.empty()) GTEST_SKIP() << missing;
  const RedisServer server;
  expect_like_a_map(Database(server.url("db"), kMost));
}

// A store looks up 32 bits of a hash. Other hashes with the same bits are not in the answer, and
// two such hashes of one document are both kept.
TEST(ReportDatabase, HashesWithOneKeyAreNotConfused) {
  std::unordered_map<std::uint64_t, std::uint64_t> by_key;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> twins;
  for (std::uint64_t hash = 0; hash < 400'000; ++hash) {
    const auto [at, is_new] = by_key.emplace(splitmix64(hash) >> 32, hash);
    if (!is_new) twins.emplace_back(at->second, hash);
  }
  ASSERT_FALSE(twins.empty());
  Database database(2);
  for (const auto& [a, b] : twins) {
    database.add_hashes("a", Hashes{a});
    database.add_hashes("both", Hashes{b, a});
    EXPECT_THAT(database.get_ids(Hashes{b}), ElementsAre("both"));
    EXPECT_THAT(database.get_ids(Hashes{a, b}), ElementsAre("a", "both"));
    EXPECT_THAT(database.get_hashes("both"), Optional(ElementsAre(a, b)));
  }
}

TEST(ReportDatabase, LimitsAreTold) {
  Database database(2);
  EXPECT_EQ(database.get_hashes("nobody"), std::nullopt);
  EXPECT_THAT(database.get_ids({}), IsEmpty());
  EXPECT_THAT(error_of([&] { database.add_hashes("a", Hashes{1, 2, 3}); }).what(),
              HasSubstr("3 different hashes are more than the 2"));
  EXPECT_THAT(error_of([&] { database.get_ids(Hashes{1, 2, 3}); }).what(),
              HasSubstr("3 different hashes are more than the 2"));
  database.add_hashes("a", Hashes{2, 1, 2, 1});
  EXPECT_THAT(database.get_hashes("a"), Optional(ElementsAre(1, 2)));
  EXPECT_THAT(error_of([&] { database.add_hashes("", Hashes{1}); }).what(), HasSubstr("0 bytes"));
  EXPECT_THROW(database.add_hashes(std::string(65'536, 'x'), Hashes{1}), Error);
  database.add_hashes(std::string(65'535, 'x'), Hashes{1});
  EXPECT_THROW(Database(0), Error);
  EXPECT_THROW(Database(4097), Error);
  Database widest(4096);
  Hashes all(4096);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  widest.add_hashes("all", all);
  EXPECT_THAT(widest.get_hashes("all"), Optional(all));
  EXPECT_THAT(widest.get_ids(Hashes{4095}), ElementsAre("all"));
}

// "Retrieves ids of the documents which match at least one of supplied hashes": the sets of the
// report's evaluation meet by the hashes of its second minhasher.
TEST(ReportDatabase, FindsWhatTheMinhasherKeeps) {
  const LinearHash h = linear_hashes(1, 9).front();
  const auto hashes_of = [&](const Hashes& set) {
    return generate_signatures_with_single_hash_function(h, set, 50);
  };
  Database database(50);
  for (std::uint64_t i = 0; i < 20; ++i)
    database.add_hashes(std::to_string(i), hashes_of(generate_pair(200, 0.5, i).a));
  for (std::uint64_t i = 0; i < 20; ++i) {
    const Signature query = hashes_of(generate_pair(200, 0.5, i).b);
    ASSERT_THAT(database.get_ids(query), ElementsAre(std::to_string(i)));
    EXPECT_EQ(database.get_hashes(std::to_string(i)), hashes_of(generate_pair(200, 0.5, i).a));
  }
}

}  // namespace
}  // namespace benzer::classics::report
