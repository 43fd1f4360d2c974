// Implements MinHash as the report on Benzer of 2012 describes it: characteristic matrices, the two
// algorithms for signatures, what each estimates, and the pairs of sets that it was measured with.
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

// A matrix with a row for each element of the universal set and a column for each set (section 2,
// tables 1 and 2).
class CharacteristicMatrix {
 public:
  // elements: the universal set, by rows. columns: the elements of each set. Throws
  // Error(kInvalidArgument) if an element is named twice, or a column has one that is not in the
  // universal set.
  CharacteristicMatrix(std::vector<std::string> elements,
                       const std::vector<std::vector<std::string>>& columns);

  std::size_t rows() const noexcept { return elements_.size(); }
  std::size_t columns() const noexcept { return columns_.size(); }
  const std::string& element(std::size_t row) const { return elements_.at(row); }
  bool at(std::size_t row, std::size_t column) const { return columns_.at(column).at(row); }

  // Returns the element of the first row, in the permuted order, in which the column has a 1, or
  // nothing for an empty column. order: every row once, as table 2 lists them from the top. Throws
  // Error(kInvalidArgument) if the order is not a permutation of the rows.
  std::optional<std::string> min_hash(std::size_t column, std::span<const std::size_t> order) const;

  // How many rows have a 1 in both columns (x), in one of them (y), and in neither (z); section
  // 2.1.
  struct RowTypes {
    std::size_t x = 0, y = 0, z = 0;
    // Returns x / (x + y), the Jaccard similarity; 0 for two empty columns.
    double similarity() const noexcept;
  };
  // Counts the rows of each type.
  RowTypes row_types(std::size_t column_1, std::size_t column_2) const;

 private:
  std::vector<std::string> elements_;
  std::vector<std::vector<bool>> columns_;
};

// Returns the Jaccard similarity (equation 1). Sets are lists of elements in any order, in which
// repeats count once. Two empty sets have 0.
double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// A function of the linear hash family: (a x + b) mod p. With p prime and 0 < a < p it permutes the
// numbers below p, so that different elements never get the same value.
struct LinearHash {
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

  // 0 < a < p.
  std::uint64_t a = 1;
  // 0 <= b < p.
  std::uint64_t b = 0;

  // Returns the value of x, which is taken mod p.
  std::uint64_t operator()(std::uint64_t x) const noexcept;
};

// Draws n_h functions of the family from the seed.
std::vector<LinearHash> linear_hashes(std::size_t n_h, std::uint64_t seed);

// One value for each slot.
using Signature = std::vector<std::uint64_t>;

// The value of a slot that no element has reached: the report's hmaxval.
inline constexpr std::uint64_t kMaxValue = ~std::uint64_t{0};

// Returns the minimum of each hash function over the set (algorithm 1). Cost: about 1 ns for each
// element and function.
Signature generate_signatures_with_multiple_hash_functions(std::span<const LinearHash> h,
                                                           std::span<const std::uint64_t> set);

// Returns the n_h smallest values of one hash function in ascending order, or all of them if the
// set is smaller (algorithm 2). Repeats of an element count once.
Signature generate_signatures_with_single_hash_function(const LinearHash& h,
                                                        std::span<const std::uint64_t> set,
                                                        std::size_t n_h);

// Returns equal positions / n_h, an unbiased estimate of the Jaccard similarity (section 3.5.1), or
// 0 if either set was empty. Throws Error(kInvalidArgument) for signatures of different lengths.
double similarity_of_multiple(const Signature& z_a, const Signature& z_b);

// Returns common values / n_h, as section 3.5.2 has it. For sets of equal size this estimates the
// overlap |A n B| / |A|, not the Jaccard similarity; it is below 1 for equal sets smaller than n_h.
double similarity_of_single(const Signature& z_a, const Signature& z_b, std::size_t n_h);

// Estimates the Jaccard similarity from signatures of algorithm 2: of the n_h smallest values in
// the union of both signatures, the share that is in both. The result is exact if the union of the
// sets has at most n_h elements.
double jaccard_of_single(const Signature& z_a, const Signature& z_b, std::size_t n_h);

// Two sets of n elements each, of which n_i = s_r n are in both (section 4.1, equations 4, 6 and
// 7). Their Jaccard similarity is n_i / (2 n - n_i), and not the s_r of equation 5.
struct Pair {
  // The elements, all below LinearHash::kPrime.
  std::vector<std::uint64_t> a, b;
  // n_i, rounded to the nearest number.
  std::size_t common = 0;
  double jaccard() const noexcept;
};
// Generates such a pair; the same seed gives the same pair. Throws Error(kInvalidArgument) unless
// n > 0 and 0 <= s_r <= 1.
Pair generate_pair(std::size_t n, double s_r, std::uint64_t seed);

}  // namespace benzer::classics::report
