// MinHash as the report on Benzer of 2012 tells it: characteristic matrices, the two algorithms for
// signatures, what each estimates, and the pairs of sets that it measured them with.
//
// Source: "Large-scale Document Similarity Search Application using Minhash" (Bogazici University,
// 2012). Names are the report's. Its findings are run again by the experiments report-6a to 6c.
// Threads: all functions are pure and the classes immutable; share freely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace benzer::classics::report {

// Section 2, tables 1 and 2: a row for each element of the universal set, a column for each set.
class CharacteristicMatrix {
 public:
  // Throws Error(kInvalidArgument) if an element is named twice, or a column has one that is none.
  CharacteristicMatrix(std::vector<std::string> elements,
                       const std::vector<std::vector<std::string>>& columns);

  std::size_t rows() const noexcept { return elements_.size(); }
  std::size_t columns() const noexcept { return columns_.size(); }
  const std::string& element(std::size_t row) const { return elements_.at(row); }
  bool at(std::size_t row, std::size_t column) const { return columns_.at(column).at(row); }

  // The element of the first row, in the permuted order, in which the column has a 1; nothing for
  // an empty column. order: every row once, as table 2 lists them from the top.
  // Throws Error(kInvalidArgument) if the order is no permutation of the rows.
  std::optional<std::string> min_hash(std::size_t column, std::span<const std::size_t> order) const;

  // Section 2.1: how many rows have a 1 in both columns, in one of them, in neither.
  struct RowTypes {
    std::size_t x = 0, y = 0, z = 0;
    double similarity() const noexcept;  // x / (x + y); 0 for two empty columns
  };
  RowTypes row_types(std::size_t column_1, std::size_t column_2) const;

 private:
  std::vector<std::string> elements_;
  std::vector<std::vector<bool>> columns_;
};

// Equation 1. Sets are lists of elements in any order; repeats count once. 0 for two empty sets.
double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// A member of the linear hash family: (a x + b) mod p. With p prime and 0 < a < p it permutes the
// numbers below p, so that different elements never get the same value.
struct LinearHash {
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  std::uint64_t a = 1;  // 0 < a < p
  std::uint64_t b = 0;  // b < p

  std::uint64_t operator()(std::uint64_t x) const noexcept;  // x: taken mod p
};

// n_h members of the family, drawn from the seed.
std::vector<LinearHash> linear_hashes(std::size_t n_h, std::uint64_t seed);

using Signature = std::vector<std::uint64_t>;

// Of a slot that no element reached: the report's hmaxval.
inline constexpr std::uint64_t kMaxValue = ~std::uint64_t{0};

// Algorithm 1: the minimum of each hash function over the set. Cost: about 1 ns for each element
// and function.
Signature generate_signatures_with_multiple_hash_functions(std::span<const LinearHash> h,
                                                           std::span<const std::uint64_t> set);

// Algorithm 2: the n_h smallest values of one hash function, rising; all of them where the set is
// smaller. Repeats of an element count once.
Signature generate_signatures_with_single_hash_function(const LinearHash& h,
                                                        std::span<const std::uint64_t> set,
                                                        std::size_t n_h);

// Section 3.5.1: equal positions / n_h, an unbiased estimate of the Jaccard similarity. 0 if either
// set was empty. Throws Error(kInvalidArgument) for signatures of different lengths.
double similarity_of_multiple(const Signature& z_a, const Signature& z_b);

// Section 3.5.2, as written: common values / n_h. For sets of equal size this estimates the overlap
// |A n B| / |A|, not the Jaccard similarity; it is below 1 for equal sets smaller than n_h.
double similarity_of_single(const Signature& z_a, const Signature& z_b, std::size_t n_h);

// What algorithm 2 needs for the Jaccard similarity: of the n_h smallest values in the union of
// both signatures, the share that is in both. Exact where the union of the sets has at most n_h
// elements.
double jaccard_of_single(const Signature& z_a, const Signature& z_b, std::size_t n_h);

// Section 4.1, equations 4, 6 and 7: two sets of n elements each, n_i = s_r n of them in both.
// Their Jaccard similarity is n_i / (2 n - n_i), and not the s_r of equation 5.
struct Pair {
  std::vector<std::uint64_t> a, b;  // elements below LinearHash::kPrime
  std::size_t common = 0;           // n_i, rounded to the nearest number
  double jaccard() const noexcept;
};
// Throws Error(kInvalidArgument) unless n > 0 and 0 <= s_r <= 1. Repeats with the seed.
Pair generate_pair(std::size_t n, double s_r, std::uint64_t seed);

}  // namespace benzer::classics::report
