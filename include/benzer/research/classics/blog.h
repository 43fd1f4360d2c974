// Jaccard, MinHash and LSH as a blog of 2014 writes them in C#, bit by bit, faults included.
//
// Source: Nick Grattan's posts on document similarity: "Jaccard Similarity Index for measuring
// Document Similarity", "MinHash for Document Fingerprinting in C#", "LSH for Finding Similar
// Documents from a large number of Documents in C#". Names are the blog's, in snake_case.
// Threads: const methods may run side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace benzer::classics::blog {

// Lists stand for sets: order and repeats do not count. 0 for two empty lists (.NET says NaN).
struct Jaccard {
  static double calc(std::span<const std::int32_t> ls1, std::span<const std::int32_t> ls2);
  static double calc(std::span<const std::uint32_t> ls1, std::span<const std::uint32_t> ls2);

  // "Sets that take into account the frequency of words": of bags, the sum of the smaller counts by
  // the sum of the larger ones.
  static double calc_with_frequencies(std::span<const std::int32_t> ls1,
                                      std::span<const std::int32_t> ls2);
};

// System.Random of the .NET Framework, and of .NET when it is given a seed: Knuth's subtractive
// generator (The Art of Computer Programming, volume 2, 3.2.2).
class DotNetRandom {
 public:
  explicit DotNetRandom(std::int32_t seed);

  std::int32_t next();                  // 0 .. 2^31 - 2
  std::int32_t next(std::int32_t max);  // 0 .. max - 1; max: above 0

 private:
  std::array<std::int32_t, 56> seed_array_{};  // from 1 on, as in the book
  int inext_ = 0;
  int inextp_ = 21;
};

// `while (a % 1 == 1 || a <= 0)` is meant to make a odd, but a % 1 is never 1.
enum class OddFactors {
  kAsWritten,  // a is any positive number: even ones lose upper halves of the universe
  kAsMeant,    // a is odd
};

// k hash functions x -> (a x + b) >> (32 - u) with 32-bit wrap, u the bits of the universe.
class MinHash {
 public:
  // universe_size: of distinct words, 1 .. 2^30 - 1. num_hash_functions: above 0. seed: 10 in the
  // blog. Throws Error(kInvalidArgument).
  MinHash(std::int32_t universe_size, int num_hash_functions,
          OddFactors factors = OddFactors::kAsWritten, std::int32_t seed = 10);

  int num_hash_functions() const noexcept { return static_cast<int>(a_.size()); }
  int bits() const noexcept { return bits_; }
  static int bits_for_universe(std::int32_t universe_size);
  std::uint32_t hash(int function, std::int32_t x) const;

  // The minimum of each function over the ids; 2^31 - 1 where there are none.
  std::vector<std::uint32_t> get_min_hash(std::span<const std::int32_t> word_ids) const;

  // As written: the Jaccard similarity of the values as sets, whatever their positions.
  static double similarity(std::span<const std::uint32_t> l1, std::span<const std::uint32_t> l2);
  // As it should be: equal positions / length. Throws Error(kInvalidArgument) for other lengths.
  static double similarity_by_position(std::span<const std::uint32_t> l1,
                                       std::span<const std::uint32_t> l2);

 private:
  std::vector<std::uint32_t> a_, b_;
  int bits_ = 0;
};

// A row for each document, a column for each hash function: the int[,] of the blog.
struct MinHashes {
  std::size_t num_sets = 0;
  std::size_t num_hash_functions = 0;
  std::vector<std::uint32_t> values;  // num_sets * num_hash_functions, row by row

  std::span<const std::uint32_t> row(std::size_t n) const {
    return std::span(values).subspan(n * num_hash_functions, num_hash_functions);
  }
};

// The class LSH. Its tables are other ones: each band groups equal band hashes by one pass over an
// open hash table, and each document knows its bucket of each band, so that a query reads buckets
// and searches none. Results and their order are the blog's.
// Cost: build about 10 ns a document and band; candidates about 10 ns a band and a candidate.
class LSH {
 public:
  // Integer division leaves hash functions over: num_hash_functions mod rows_per_band of them.
  // Throws Error(kInvalidArgument) for sizes that do not fit, no rows or more rows than functions.
  LSH(MinHashes min_hashes, int rows_per_band);

  int num_bands() const noexcept { return num_bands_; }
  double threshold() const noexcept;  // (1 / bands)^(1 / rows), where half or so are found

  // The blog's Calc: the buckets. Before it there are no candidates.
  void build();

  // The blog's GetNearest: the candidates of document n, by band and then by number, each once,
  // without n itself.
  std::vector<std::size_t> candidates(std::size_t n) const;

  // Without errors of type I: the candidates that are at least so similar by their signatures (by
  // position), or by their sets of word ids.
  std::vector<std::size_t> candidates_by_signature(std::size_t n, double threshold) const;
  std::vector<std::size_t> candidates_by_sets(std::size_t n,
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
