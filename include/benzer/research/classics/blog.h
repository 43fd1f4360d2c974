// Implements Jaccard similarity, MinHash and LSH as a blog of 2014 writes them in C#, bit by bit
// and with its faults.
//
// Source: Nick Grattan's posts on document similarity: "Jaccard Similarity Index for measuring
// Document Similarity", "MinHash for Document Fingerprinting in C#", "LSH for Finding Similar
// Documents from a large number of Documents in C#". Names are the blog's, in snake_case.
//
// Its figures are run again by the experiments blog-jaccard and blog-lsh. Threads: const methods
// may run at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace benzer::classics::blog {

// Computes the Jaccard similarity of two lists.
struct Jaccard {
  // Takes the lists as sets: order and repeats do not count. Returns 0 for two empty lists, where
  // .NET returns NaN.
  static double calc(std::span<const std::int32_t> ls1, std::span<const std::int32_t> ls2);
  static double calc(std::span<const std::uint32_t> ls1, std::span<const std::uint32_t> ls2);

  // Takes the lists as bags, "sets that take into account the frequency of words": returns the sum
  // of the smaller counts divided by the sum of the larger ones.
  static double calc_with_frequencies(std::span<const std::int32_t> ls1,
                                      std::span<const std::int32_t> ls2);
};

// Generates the numbers of System.Random of the .NET Framework, and of .NET when it is given a
// seed: Knuth's subtractive generator (The Art of Computer Programming, volume 2, 3.2.2).
class DotNetRandom {
 public:
  explicit DotNetRandom(std::int32_t seed);

  // Returns the next number, from 0 to 2^31 - 2.
  std::int32_t next();
  // Returns the next number, from 0 to max - 1. max: above 0.
  std::int32_t next(std::int32_t max);

 private:
  std::array<std::int32_t, 56> seed_array_{};  // from 1 on, as in the book
  int inext_ = 0;
  int inextp_ = 21;
};

// Which factors a the hash functions have. The blog's `while (a % 1 == 1 || a <= 0)` is meant to
// make a odd, but a % 1 is never 1.
enum class OddFactors {
  kAsWritten,  // a is any positive number: even ones lose upper halves of the universe
  kAsMeant,    // a is odd
};

// Computes signatures by k hash functions x -> (a x + b) >> (32 - u) with 32-bit wrap, where u is
// the number of bits of the universe.
class MinHash {
 public:
  // universe_size: of distinct words, 1 .. 2^30 - 1. num_hash_functions: above 0. seed: 10 in the
  // blog. Throws Error(kInvalidArgument).
  MinHash(std::int32_t universe_size, int num_hash_functions,
          OddFactors factors = OddFactors::kAsWritten, std::int32_t seed = 10);

  int num_hash_functions() const noexcept { return static_cast<int>(a_.size()); }
  // Returns u, the bits of a value.
  int bits() const noexcept { return bits_; }
  static int bits_for_universe(std::int32_t universe_size);
  // Returns the value of x under a function, counted from 0.
  std::uint32_t hash(int function, std::int32_t x) const;

  // Returns the signature: the minimum of each function over the ids, or 2^31 - 1 if there are
  // none.
  std::vector<std::uint32_t> get_min_hash(std::span<const std::int32_t> word_ids) const;

  // Estimates the similarity as the blog writes it: by the Jaccard similarity of the values as
  // sets, whatever their positions.
  static double similarity(std::span<const std::uint32_t> l1, std::span<const std::uint32_t> l2);
  // Estimates the similarity as it should be: equal positions / length. Throws
  // Error(kInvalidArgument) for signatures of different lengths.
  static double similarity_by_position(std::span<const std::uint32_t> l1,
                                       std::span<const std::uint32_t> l2);

 private:
  std::vector<std::uint32_t> a_, b_;
  int bits_ = 0;
};

// The signatures of all documents, the int[,] of the blog: a row for each document, a column for
// each hash function.
struct MinHashes {
  std::size_t num_sets = 0;
  std::size_t num_hash_functions = 0;
  // num_sets * num_hash_functions values, row by row.
  std::vector<std::uint32_t> values;

  // Returns the signature of document n.
  std::span<const std::uint32_t> row(std::size_t n) const {
    return std::span(values).subspan(n * num_hash_functions, num_hash_functions);
  }
};

// Finds candidates, as the blog's class LSH does. Its tables are different: each band groups equal
// band hashes by one pass over an open hash table, and each document knows its bucket of each band,
// so that a query reads buckets and searches none. Results and their order are the blog's.
// Cost: calc about 10 ns a document and band; get_nearest about 10 ns a band and a candidate.
class LSH {
 public:
  // There are num_hash_functions / rows_per_band bands. Integer division leaves num_hash_functions
  // mod rows_per_band hash functions over, which are not used. Throws Error(kInvalidArgument) for
  // sizes that do not fit, no rows or more rows than functions.
  LSH(MinHashes min_hashes, int rows_per_band);

  int num_bands() const noexcept { return num_bands_; }
  // Returns (1 / bands)^(1 / rows), the similarity at which about half of the pairs are found.
  double threshold() const noexcept;

  // Fills the buckets. Before it there are no candidates.
  void calc();

  // Returns the candidates of document n: by band and then by number, each once, without n itself.
  std::vector<std::size_t> get_nearest(std::size_t n) const;

  // Return the candidates without errors of type I: those that are at least this similar by their
  // signatures (by position), or by their sets of word ids.
  std::vector<std::size_t> get_nearest_by_signature(std::size_t n, double threshold) const;
  std::vector<std::size_t> get_nearest_by_sets(std::size_t n,
                                               std::span<const std::vector<std::int32_t>> sets,
                                               double threshold) const;

 private:
  void group(std::size_t band, std::span<const std::uint32_t> hashes);

  MinHashes min_hashes_;
  int rows_per_band_ = 0;
  int num_bands_ = 0;
  std::vector<std::uint32_t> bucket_of_;  // document by band; kAlone
  std::vector<std::uint32_t> begins_;     // of the buckets of two or more, in members_
  std::vector<std::uint32_t> members_;
};

}  // namespace benzer::classics::blog
