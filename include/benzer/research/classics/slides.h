// Implements the finding of similar items as the lecture slides describe it: shingles, bit vectors,
// boolean matrices, and MinHash by permutations and by universal hash functions.
//
// Source: "Finding Similar Items" (slides adapted from Leskovec, Rajaraman, Ullman: Mining of
// Massive Datasets, 3.2 to 3.4, and from S. Parthasarathy).
// Threads: all functions are pure; a Dictionary is for one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace benzer::classics::slides {

// Returns the k-shingles of a document in their order, repeats included: k bytes each, so that the
// text should be ASCII. There are none if the document is shorter. k: 5 is enough for short
// documents, 10 for long ones. Throws Error(kInvalidArgument) for k = 0.
std::vector<std::string> shingles(std::string_view document, std::size_t k);

// Returns the different shingles, sorted; and each with the number of its occurrences.
std::vector<std::string> shingle_set(std::string_view document, std::size_t k);
std::map<std::string, std::size_t> shingle_bag(std::string_view document, std::size_t k);

// Replaces every run of white space (spaces, tabs, line feeds and so on) by one space, so that
// "touch down" keeps the shingles that "touchdown" does not have.
std::string squeeze_white_space(std::string_view text);

// Hashes a shingle to a number of 4 bytes (FNV-1a; the slides name no function).
std::uint32_t shingle_hash(std::string_view shingle) noexcept;

// Numbers shingles 0, 1, ... in the order in which they are first seen: "If the shingles are
// manageable, a simple dictionary suffices".
class Dictionary {
 public:
  // Returns the number of a shingle; a new one gets the next number.
  std::uint32_t number(const std::string& shingle);
  // Returns the shingle with a number that number() has given.
  const std::string& shingle(std::uint32_t number) const { return shingles_.at(number); }
  std::size_t size() const noexcept { return shingles_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> shingles_;
};

// A set as a 0/1 vector: intersection is AND, union is OR, 64 elements a step.
class BitVector {
 public:
  // Reads a text of 0 and 1. Throws Error(kInvalidArgument) for other characters.
  explicit BitVector(std::string_view zeros_and_ones);
  std::size_t size() const noexcept { return size_; }
  bool at(std::size_t i) const { return (words_.at(i / 64) >> (i % 64)) & 1; }

  // Return the Jaccard similarity and the distance, which are 0 and 1 for two empty sets. Both
  // throw Error(kInvalidArgument) for vectors of different sizes.
  double jaccard(const BitVector& other) const;
  double distance(const BitVector& other) const { return 1 - jaccard(other); }

 private:
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

// A matrix whose rows are shingles and whose columns are documents.
class BooleanMatrix {
 public:
  // Reads one text of 0 and 1 for each row. Throws Error(kInvalidArgument) for rows of different
  // lengths.
  explicit BooleanMatrix(std::span<const std::string_view> rows);

  std::size_t rows() const noexcept { return rows_; }
  std::size_t columns() const noexcept { return columns_.size(); }
  const BitVector& column(std::size_t column) const { return columns_.at(column); }
  double similarity(std::size_t a, std::size_t b) const { return column(a).jaccard(column(b)); }

 private:
  std::size_t rows_ = 0;
  std::vector<BitVector> columns_;
};

// Returns the matrix that the slides print ("So far: represent a set as a boolean vector in a
// matrix").
BooleanMatrix printed_matrix();

// The min-hashing example, whose matrix and permutations are pictures that the text of the slides
// lost. Its signatures and similarities do not fit the printed matrix (.6 .33 .5 0); they fit the
// matrix of the book that the slides adapt, which is used here. Permutation i gives row r the place
// permutations[i][r], from 1; any three that put the same rows first would give the same table.
struct MinHashingExample {
  BooleanMatrix matrix;
  std::vector<std::vector<std::uint32_t>> permutations;
};
MinHashingExample min_hashing_example();

// A row for each hash function, a column for each document.
using SignatureMatrix = std::vector<std::vector<std::uint32_t>>;

// The value of a document that has no 1.
inline constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

// What a permutation puts into the signature.
enum class Store {
  kPlaces,      // "the index in the permuted order of the first row": min of pi(C)
  kRowIndexes,  // "another (equivalent) way is to store row indexes": which row that is, from 1
};

// Computes signatures by permutations, which are as in MinHashingExample. Throws
// Error(kInvalidArgument) if one of them is not a permutation of the rows.
SignatureMatrix signatures(const BooleanMatrix& matrix,
                           std::span<const std::vector<std::uint32_t>> permutations, Store store);

// Returns the element of the set that the permuted universe lists first, as for the zoo of the
// slides; "" if it lists none.
std::string min_hash(std::span<const std::string> permuted_universe,
                     std::span<const std::string> set);

// A universal hash function: h(x) = ((a x + b) mod p) mod n, where p is a prime above n.
struct UniversalHash {
  std::uint64_t a = 1, b = 0, p = 2, n = 1;
  std::uint32_t operator()(std::uint64_t x) const noexcept;
};
// Draws k functions for a matrix of n rows from the seed; p is the smallest prime above n.
// Throws Error(kInvalidArgument) for n = 0.
std::vector<UniversalHash> universal_hashes(std::size_t k, std::uint32_t n, std::uint64_t seed);

// Computes signatures by the implementation trick: for each column and hash function the least
// value of its rows (numbered from 0), without permuting any.
SignatureMatrix signatures(const BooleanMatrix& matrix, std::span<const UniversalHash> hashes);

// Returns the share of hash functions in which two columns agree. Throws Error(kInvalidArgument)
// for an empty matrix or columns that it does not have.
double similarity(const SignatureMatrix& signatures, std::size_t a, std::size_t b);

}  // namespace benzer::classics::slides
