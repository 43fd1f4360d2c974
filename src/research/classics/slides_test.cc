#include "benzer/research/classics/slides.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer::classics::slides {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using Row = std::vector<std::uint32_t>;

TEST(Slides, ShinglesOfAbcab) {
  EXPECT_THAT(shingle_set("abcab", 2), ElementsAre("ab", "bc", "ca"));
  EXPECT_THAT(shingle_bag("abcab", 2), ElementsAre(Pair("ab", 2), Pair("bc", 1), Pair("ca", 1)));
  EXPECT_THAT(shingles("ab", 3), IsEmpty());
  EXPECT_THROW(shingles("ab", 0), Error);
}

TEST(Slides, Example34KeepsTheBlank) {
  const std::string plane = squeeze_white_space("The plane was ready for touch \t\n down");
  const std::string quarterback = "The quarterback scored a touchdown";
  EXPECT_EQ(plane, "The plane was ready for touch down");
  EXPECT_THAT(shingle_set(plane, 9), Contains("touch dow"));
  EXPECT_THAT(shingle_set(plane, 9), Contains("ouch down"));
  EXPECT_THAT(shingle_set(plane, 9), Not(Contains("touchdown")));
  EXPECT_THAT(shingle_set(quarterback, 9), Contains("touchdown"));
}

TEST(Slides, ShinglesBecomeNumbers) {
  EXPECT_EQ(shingle_hash("a"), 0xe40c292cU);  // FNV-1a's own test vector
  EXPECT_NE(shingle_hash("touch dow"), shingle_hash("touchdown"));
  Dictionary dictionary;
  EXPECT_EQ(dictionary.number("ab"), 0u);
  EXPECT_EQ(dictionary.number("bc"), 1u);
  EXPECT_EQ(dictionary.number("ab"), 0u);
  EXPECT_EQ(dictionary.shingle(1), "bc");
  EXPECT_EQ(dictionary.size(), 2u);
}

TEST(Slides, BitVectorsC1AndC2) {
  const BitVector c1("10111"), c2("10011");
  EXPECT_DOUBLE_EQ(c1.jaccard(c2), 3.0 / 4);
  EXPECT_DOUBLE_EQ(c1.distance(c2), 1.0 / 4);
  EXPECT_EQ(BitVector("").jaccard(BitVector("")), 0);
  EXPECT_EQ(BitVector(std::string(100, '1')).jaccard(BitVector(std::string(100, '1'))), 1);
  EXPECT_THROW(c1.jaccard(BitVector("1")), Error);
  EXPECT_THROW(BitVector("102"), Error);
}

TEST(Slides, TheZoo) {
  const std::vector<std::string> a = {"mouse", "lion"};
  const std::vector<std::string> pi_1 = {"cat", "mouse", "lion", "dog", "tiger"};
  const std::vector<std::string> pi_2 = {"lion", "cat", "mouse", "dog", "tiger"};
  EXPECT_EQ(min_hash(pi_1, a), "mouse");
  EXPECT_EQ(min_hash(pi_2, a), "lion");
  EXPECT_EQ(min_hash(pi_1, {}), "");
}

TEST(Slides, TheMinHashingExample) {
  const auto [matrix, permutations] = min_hashing_example();
  const SignatureMatrix rows = signatures(matrix, permutations, Store::kRowIndexes);
  EXPECT_THAT(rows, ElementsAre(Row{1, 5, 1, 5}, Row{2, 3, 1, 3}, Row{6, 4, 6, 4}));
  const SignatureMatrix places = signatures(matrix, permutations, Store::kPlaces);
  EXPECT_THAT(places, ElementsAre(Row{2, 1, 2, 1}, Row{2, 1, 4, 1}, Row{1, 2, 1, 2}));
  struct Column {
    std::size_t a, b;
    double columns, sig;
  };
  for (const auto& [a, b, columns, sig] :
       {Column{0, 2, .75, 2.0 / 3}, {1, 3, .75, 1}, {0, 1, 0, 0}, {2, 3, 0, 0}}) {
    EXPECT_DOUBLE_EQ(matrix.similarity(a, b), columns);
    // "Another (equivalent) way": which of the two is stored does not change a similarity.
    EXPECT_DOUBLE_EQ(similarity(rows, a, b), sig);
    EXPECT_DOUBLE_EQ(similarity(places, a, b), sig);
  }
}

TEST(Slides, ThePrintedMatrixIsAnotherOne) {
  const BooleanMatrix matrix = printed_matrix();
  EXPECT_EQ(matrix.rows(), 7u);
  EXPECT_EQ(matrix.columns(), 4u);
  EXPECT_DOUBLE_EQ(matrix.similarity(0, 2), 3.0 / 5);
  EXPECT_DOUBLE_EQ(matrix.similarity(1, 3), 2.0 / 6);
  EXPECT_DOUBLE_EQ(matrix.similarity(0, 1), 3.0 / 6);
  EXPECT_FALSE(matrix.column(1).at(4));  // but the signature 1 5 1 5 needs a 1 in row 5
}

TEST(Slides, PermutationsAreChecked) {
  const BooleanMatrix matrix = printed_matrix();
  for (const Row& places : {Row{1, 2}, Row{1, 2, 3, 4, 5, 6, 6}, Row{0, 1, 2, 3, 4, 5, 6}})
    EXPECT_THROW(signatures(matrix, std::vector<Row>{places}, Store::kPlaces), Error);
  const std::string_view ragged[] = {"10", "1"};
  EXPECT_THROW(BooleanMatrix{ragged}, Error);
  EXPECT_THROW(similarity({}, 0, 0), Error);
  EXPECT_THROW(similarity({{1}}, 0, 1), Error);
}

TEST(Slides, UniversalHashingByHand) {
  // Rows 0, 1, 2 of {101, 011}: h(x) = ((2 x + 1) mod 5) mod 3 is 1, 0 and 0.
  const std::string_view rows[] = {"10", "01", "11"};
  const UniversalHash hash{2, 1, 5, 3};
  EXPECT_THAT(signatures(BooleanMatrix(rows), std::vector{hash}), ElementsAre(Row{0, 0}));
  EXPECT_EQ(universal_hashes(1, 7, 1)[0].p, 11u);
  EXPECT_THROW(universal_hashes(1, 0, 1), Error);
}

// The estimator is unbiased if permutations are uniform. Each of 20,000 permutations gives a slot:
// the mean misses J by more than t with probability at most 2 exp(-2 20000 t^2), 1e-9 at t =
// 0.0232.
TEST(Slides, TheEstimatorIsUnbiased) {
  const std::random_device::result_type seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<Row> permutations(20000, Row{1, 2, 3, 4, 5, 6, 7});
  for (Row& places : permutations) std::shuffle(places.begin(), places.end(), random);
  const BooleanMatrix matrix = printed_matrix();
  const SignatureMatrix sig = signatures(matrix, permutations, Store::kPlaces);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_NEAR(similarity(sig, a, b), matrix.similarity(a, b), 0.0232) << a << " " << b;
}

}  // namespace
}  // namespace benzer::classics::slides
