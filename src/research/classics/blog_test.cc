#include "benzer/research/classics/blog.h"

#include <algorithm>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/test_random.h"

namespace benzer::classics::blog {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using List = std::vector<std::int32_t>;

TEST(Blog, JaccardTest1) {
  const List doc1 = {2, 3, 4, 2}, doc2 = {1, 5, 4, 2}, doc3 = {1};
  EXPECT_DOUBLE_EQ(Jaccard::calc(doc1, doc2), 0.4);
  EXPECT_EQ(Jaccard::calc(doc1, doc1), 1);
  EXPECT_EQ(Jaccard::calc(doc1, doc3), 0);
  EXPECT_EQ(Jaccard::calc(List{}, List{}), 0);
  // As bags {2, 2, 3, 4} and {1, 2, 4, 5}: 2 of 6 are common.
  EXPECT_DOUBLE_EQ(Jaccard::calc_with_frequencies(doc1, doc2), 2.0 / 6);
}

TEST(Blog, RandomIsThatOfDotNet) {
  DotNetRandom zero(0);
  for (const int number : {1559595546, 1755192844, 1649316166, 1198642031, 442452829})
    EXPECT_EQ(zero.next(), number);
  DotNetRandom other(42);
  for (const int number : {1434747710, 302596119, 269548474}) EXPECT_EQ(other.next(), number);
  DotNetRandom bounded(10);
  for (int i = 0; i < 1000; ++i) {
    const std::int32_t number = bounded.next(32);
    EXPECT_TRUE(number >= 0 && number < 32);
  }
  DotNetRandom(std::numeric_limits<std::int32_t>::min()).next();
}

const List kInums1 = {10, 8, 11, 13, 2, 17, 3, 1, 19, 11};
const List kInums2 = {1, 2, 5, 9, 12, 17, 13, 11, 9, 10};

TEST(Blog, MinHashFunc1) {
  EXPECT_DOUBLE_EQ(Jaccard::calc(kInums1, kInums2), 6.0 / 12);
  const MinHash mh(20, 100);
  EXPECT_EQ(mh.bits(), 5);
  const auto hvs1 = mh.get_min_hash(kInums1), hvs2 = mh.get_min_hash(kInums2);
  ASSERT_EQ(hvs1.size(), 100u);
  EXPECT_TRUE(std::all_of(hvs1.begin(), hvs1.end(), [](std::uint32_t v) { return v < 32; }));
  // Values are below 32, so as sets nearly all of them are in both signatures: what the blog
  // computes is not what it means to.
  EXPECT_GT(MinHash::similarity(hvs1, hvs2), 0.6);
  EXPECT_NEAR(MinHash::similarity_by_position(hvs1, hvs2), 0.5, 0.25);
}

TEST(Blog, FactorsAreOddOnlyWhereThatIsMeant) {
  const MinHash written(1000, 200), meant(1000, 200, OddFactors::kAsMeant);
  int even = 0;
  for (int i = 0; i < 200; ++i) {
    // h(2^31) - h(0) has the upper bit if and only if a is odd.
    const auto parity = [i](const MinHash& mh) {
      return (mh.hash(i, std::numeric_limits<std::int32_t>::min()) ^ mh.hash(i, 0)) >>
             (mh.bits() - 1);
    };
    even += parity(written) == 0;
    EXPECT_EQ(parity(meant), 1u) << i;
  }
  EXPECT_TRUE(even > 50 && even < 150) << even;
}

TEST(Blog, NoWordsGiveTheLargestInt) {
  EXPECT_THAT(MinHash(20, 2).get_min_hash({}), ElementsAre(0x7fffffffU, 0x7fffffffU));
}

TEST(Blog, UniversesHaveTheirBits) {
  for (const auto& [size, bits] : std::map<int, int>{{1, 1}, {2, 2}, {3, 2}, {20, 5}, {32, 6}})
    EXPECT_EQ(MinHash::bits_for_universe(size), bits) << size;
  EXPECT_THROW(MinHash(0, 1), Error);
  EXPECT_THROW(MinHash(1 << 30, 1), Error);
  EXPECT_THROW(MinHash(10, 0), Error);
  EXPECT_THROW(MinHash::similarity_by_position(std::vector<std::uint32_t>{1}, {}), Error);
}

// Min-hashes with only three different values, so that many bands are equal.
MinHashes made_up(std::size_t sets, std::size_t functions, std::uint64_t seed) {
  MinHashes out{sets, functions, {}};
  TestRandom random(seed);
  for (std::size_t i = 0; i < sets * functions; ++i)
    out.values.push_back(static_cast<std::uint32_t>(random.below(3)));
  return out;
}

// The blog's own algorithm: sorted lists of buckets, each searched for the document.
std::vector<std::size_t> nearest_as_written(const MinHashes& m, std::size_t rows, std::size_t n) {
  std::vector<std::size_t> nearest;
  for (std::size_t band = 0; band < m.num_hash_functions / rows; ++band) {
    std::map<std::uint32_t, std::vector<std::size_t>> buckets;
    for (std::size_t s = 0; s < m.num_sets; ++s) {
      std::uint32_t hash_value = 0;
      for (std::size_t th = band * rows; th < (band + 1) * rows; ++th)
        hash_value = hash_value * 1174247 + m.row(s)[th];
      buckets[hash_value].push_back(s);
    }
    for (const auto& [hash, bucket] : buckets) {
      if (std::find(bucket.begin(), bucket.end(), n) == bucket.end()) continue;
      for (const std::size_t s : bucket)
        if (s != n && std::find(nearest.begin(), nearest.end(), s) == nearest.end())
          nearest.push_back(s);
    }
  }
  return nearest;
}

TEST(Blog, NearestAreThoseOfTheBlogInItsOrder) {
  for (const int rows : {1, 3, 4, 7, 22}) {
    const MinHashes hashes = made_up(300, 22, static_cast<std::uint64_t>(rows));
    LSH lsh(hashes, rows);
    EXPECT_EQ(lsh.num_bands(), 22 / rows);
    EXPECT_THAT(lsh.get_nearest(0), IsEmpty());
    lsh.calc();
    lsh.calc();  // a second call changes nothing
    for (std::size_t n = 0; n < 300; n += 13)
      EXPECT_EQ(lsh.get_nearest(n), nearest_as_written(hashes, static_cast<std::size_t>(rows), n));
  }
}

TEST(Blog, ErrorsOfTypeIGo) {
  MinHashes hashes{3, 4, {1, 1, 5, 6, 1, 1, 7, 8, 1, 1, 5, 9}};
  LSH lsh(hashes, 2);
  lsh.calc();
  EXPECT_THAT(lsh.get_nearest(0), ElementsAre(1, 2));
  EXPECT_THAT(lsh.get_nearest_by_signature(0, 0.75), ElementsAre(2));
  const std::vector<List> sets = {{1, 2}, {2, 1}, {3}};
  EXPECT_THAT(lsh.get_nearest_by_sets(0, sets, 0.5), ElementsAre(1));
  EXPECT_THROW(lsh.get_nearest_by_sets(0, {}, 0.5), Error);
  EXPECT_THROW(lsh.get_nearest(3), Error);
}

TEST(Blog, TwentyRowsOfAHundredAreFiveBands) {
  const LSH lsh(made_up(2, 100, 1), 20);
  EXPECT_EQ(lsh.num_bands(), 5);
  EXPECT_NEAR(lsh.threshold(), 0.92, 0.005);
  EXPECT_THROW(LSH(made_up(2, 100, 1), 0), Error);
  EXPECT_THROW(LSH(made_up(2, 100, 1), 101), Error);
  EXPECT_THROW(LSH({2, 100, {}}, 20), Error);
}

TEST(Blog, NoDocumentsAreNoProblem) {
  LSH lsh({0, 10, {}}, 2);
  lsh.calc();
  EXPECT_THROW(lsh.get_nearest(0), Error);
}

}  // namespace
}  // namespace benzer::classics::blog
