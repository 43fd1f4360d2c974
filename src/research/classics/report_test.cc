#include "benzer/research/classics/report.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/test_random.h"

namespace benzer::classics::report {
namespace {

using testing::ElementsAre;
using Order = std::vector<std::size_t>;

CharacteristicMatrix table_1() {
  return CharacteristicMatrix({"a", "b", "c", "d"}, {{"b"}, {"c"}, {"a", "b", "d"}});
}

TEST(Report, Tables1And2GiveBCA) {
  const Order order = {2, 0, 1, 3};  // c, a, b, d
  EXPECT_EQ(table_1().min_hash(0, order), "b");
  EXPECT_EQ(table_1().min_hash(1, order), "c");
  EXPECT_EQ(table_1().min_hash(2, order), "a");
}

TEST(Report, AllPermutationsGiveTheSimilarityOnAverage) {
  // Section 2.1: of the 24 permutations, x / (x + y) give two columns the same element.
  const CharacteristicMatrix matrix({"a", "b", "c", "d"}, {{"a", "b", "c"}, {"b", "c", "d"}});
  Order order = {0, 1, 2, 3};
  int equal = 0, all = 0;
  do {
    equal += matrix.min_hash(0, order) == matrix.min_hash(1, order);
    ++all;
  } while (std::next_permutation(order.begin(), order.end()));
  const auto types = matrix.row_types(0, 1);
  EXPECT_EQ(types.x, 2u);
  EXPECT_EQ(types.y, 2u);
  EXPECT_EQ(types.z, 0u);
  EXPECT_DOUBLE_EQ(equal, types.similarity() * all);
}

TEST(Report, AnEmptyColumnHasNoMinHash) {
  const CharacteristicMatrix matrix({"a"}, {{}});
  EXPECT_EQ(matrix.min_hash(0, Order{0}), std::nullopt);
  EXPECT_EQ(matrix.row_types(0, 0).similarity(), 0);
}

TEST(Report, MatricesAreChecked) {
  EXPECT_THROW(CharacteristicMatrix({"a", "a"}, {}), Error);
  EXPECT_THROW(CharacteristicMatrix({"a"}, {{"b"}}), Error);
  for (const Order& order : {Order{0, 1, 2}, Order{0, 1, 2, 2}, Order{0, 1, 2, 4}})
    EXPECT_THROW(table_1().min_hash(0, order), Error);
}

TEST(Report, JaccardIsEquation1) {
  using Set = std::vector<std::uint64_t>;
  EXPECT_EQ(jaccard(Set{1, 2, 3}, Set{1, 2, 4}), 0.5);
  EXPECT_EQ(jaccard(Set{3, 2, 1, 1}, Set{1, 2, 3}), 1);
  EXPECT_EQ(jaccard(Set{}, Set{}), 0);
}

TEST(Report, LinearHashesArePermutationsModP) {
  constexpr std::uint64_t p = LinearHash::kPrime;
  EXPECT_EQ((LinearHash{1, 0}(p)), 0u);
  EXPECT_EQ((LinearHash{p - 1, 1}(1)), 0u);  // -1 + 1
  EXPECT_EQ((LinearHash{2, p - 1}(p - 1)), p - 3);
  TestRandom random(1);
  for (const LinearHash& hash : linear_hashes(100, 7)) {
    const std::uint64_t x = random.next() % p, y = random.next() % p;
    // Linear: h(x + y) + b = h(x) + h(y) mod p.
    EXPECT_EQ((hash((x + y) % p) + hash.b) % p, (hash(x) + hash(y)) % p);
    EXPECT_TRUE(hash.a > 0 && hash.a < p && hash.b < p);
  }
}

TEST(Report, Algorithm2TakesTheSmallestValues) {
  const LinearHash identity;
  const std::vector<std::uint64_t> set = {9, 4, 7, 4, 1};
  EXPECT_THAT(generate_signatures_with_single_hash_function(identity, set, 3),
              ElementsAre(1, 4, 7));
  EXPECT_THAT(generate_signatures_with_single_hash_function(identity, set, 9),
              ElementsAre(1, 4, 7, 9));
}

TEST(Report, Algorithm1TakesTheMinimumOfEach) {
  const std::vector<LinearHash> h = {{1, 0}, {LinearHash::kPrime - 1, 10}};  // x, 10 - x
  EXPECT_THAT(generate_signatures_with_multiple_hash_functions(h, std::vector<std::uint64_t>{3, 5}),
              ElementsAre(3, 5));
  const Signature none = generate_signatures_with_multiple_hash_functions(h, {});
  EXPECT_EQ(similarity_of_multiple(none, none), 0);
  EXPECT_THROW(similarity_of_multiple(none, {}), Error);
}

TEST(Report, EstimatorsOfTheSingleHash) {
  const Signature a = {1, 2, 5}, b = {2, 3, 5};
  EXPECT_DOUBLE_EQ(similarity_of_single(a, b, 3), 2.0 / 3);
  // The three smallest of the union are 1, 2 and 3, of which 2 is in both.
  EXPECT_DOUBLE_EQ(jaccard_of_single(a, b, 3), 1.0 / 3);
  // Signatures hold all of a set that is smaller than n_h, so the result is exact: J = 2 / 4.
  EXPECT_DOUBLE_EQ(jaccard_of_single(a, b, 10), 0.5);
  EXPECT_EQ(jaccard_of_single({}, {}, 3), 0);
}

TEST(Report, PairsHaveWhatTheyWereAskedFor) {
  const Pair pair = generate_pair(1000, 0.5, 3);
  EXPECT_EQ(pair.a.size(), 1000u);
  EXPECT_EQ(pair.b.size(), 1000u);
  EXPECT_EQ(pair.common, 500u);
  EXPECT_DOUBLE_EQ(jaccard(pair.a, pair.b), 1.0 / 3);
  EXPECT_DOUBLE_EQ(pair.jaccard(), 1.0 / 3);
  EXPECT_EQ(generate_pair(1000, 0.5, 3).b, pair.b);
  EXPECT_NE(generate_pair(1000, 0.5, 4).b, pair.b);
  EXPECT_EQ(generate_pair(10, 1, 1).jaccard(), 1);
  EXPECT_THROW(generate_pair(0, 0.5, 1), Error);
  EXPECT_THROW(generate_pair(10, 1.5, 1), Error);
}

// "When n = n_h, the estimator reaches e_rms = 0": the signature is the whole set, and the overlap
// is known exactly.
TEST(Report, TheSingleHashIsExactWhereTheSignatureIsTheSet) {
  const Pair pair = generate_pair(200, 0.3, 5);
  const LinearHash h = linear_hashes(1, 6)[0];
  const auto z_a = generate_signatures_with_single_hash_function(h, pair.a, 200);
  const auto z_b = generate_signatures_with_single_hash_function(h, pair.b, 200);
  EXPECT_DOUBLE_EQ(similarity_of_single(z_a, z_b, 200), 0.3);
}

// Slots of the first algorithm are independent if the functions are. With 40,000 slots the mean
// misses J by more than t with probability at most 2 exp(-2 40000 t^2) (Hoeffding), which is 1e-9
// at t = 0.0164. The bias of the linear family on random elements is far below that.
TEST(Report, TheFirstAlgorithmEstimatesTheJaccardSimilarity) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  const Pair pair = generate_pair(200, 0.5, seed);
  const std::vector<LinearHash> h = linear_hashes(40000, seed + 1);
  const double estimate =
      similarity_of_multiple(generate_signatures_with_multiple_hash_functions(h, pair.a),
                             generate_signatures_with_multiple_hash_functions(h, pair.b));
  EXPECT_NEAR(estimate, pair.jaccard(), 0.0164 + 0.005);
}

}  // namespace
}  // namespace benzer::classics::report
