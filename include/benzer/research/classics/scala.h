// Shingles, djb2a, universal hash functions, MinHash and LSH as a blog of 2015 writes them in
// Scala.
//
// Source: Steve Hanna and Adam Hunt, "MinHashing and LSH - dimensionality reduction for finding
// similar items among massive datasets, Part 2" (2015). Names are the blog's, in snake_case; all
// numbers that it prints come out (scala_test.cc).
// Threads: all is pure or immutable; share freely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::classics::scala {

// A window of k bytes that slides over the document (k UTF-16 units in Scala, the same for ASCII).
// A shorter document is its own window; an empty one has none. Throws Error(kInvalidArgument) for
// k = 0.
std::vector<std::string> shingler(std::string_view document, std::size_t k);

// h = h * 33 ^ byte, from 5381, with signed bytes; the lower 32 bits of it. djb2a("he") = 5861128.
std::int32_t djb2a(std::string_view bytes) noexcept;

// java.util.Random: 48 bits of state, s = s * 0x5DEECE66D + 0xB, of which the upper 32 are next.
class JavaRandom {
 public:
  explicit JavaRandom(std::int64_t seed);
  std::int32_t next_int();

 private:
  std::uint64_t state_;
};

// (a x + b) % p with a x + b in 32 bits that wrap. The result is signed, and p acts never: it is
// larger than any number of 32 bits.
struct HashFunction {
  static constexpr std::int64_t kP = 999999999989;

  std::int32_t a = 0, b = 0;

  std::int32_t eval(std::int32_t x) const noexcept;
  std::string str() const;  // "-1460590454*X + 747279288 % 999999999989"
  friend bool operator==(const HashFunction&, const HashFunction&) = default;
};

// num_hashes functions, a then b of each from the random numbers of the seed.
class HashCollection {
 public:
  HashCollection(std::int64_t seed, std::size_t num_hashes);

  const std::vector<HashFunction>& get_hashes() const noexcept { return hashes_; }
  // djb2a of the shingle under each function.
  std::vector<std::int32_t> evaluate(std::string_view shingle) const;

 private:
  std::vector<HashFunction> hashes_;
};

// "Any consistent sampling function would be acceptable."
enum class Sampler { kMinimum, kMaximum };

class MinHash {
 public:
  // k: of the shingles. Throws Error(kInvalidArgument) for k = 0 or no hash functions.
  MinHash(std::int64_t seed, std::size_t k, std::size_t num_hashes,
          Sampler sampler = Sampler::kMinimum);

  std::vector<std::string> get_shingles(std::string_view document) const;
  // The least (or largest) value of each function, signed, over the shingles. Throws
  // Error(kInvalidArgument) for an empty document, which has no shingle.
  // Cost: about 0.3 ns for each byte and function.
  std::vector<std::int32_t> hash(std::string_view document) const;

 private:
  HashCollection hash_collection_;
  std::size_t k_;
  Sampler sampler_;
};

// The smallest b with b ln b >= -num_hashes ln threshold. That puts the similarity at which 63 %
// are found near the threshold, before rows are rounded down. Throws Error(kInvalidArgument) unless
// 0 < threshold <= 1 and num_hashes > 0.
int pick_bands(double threshold, int num_hashes);

// The bucket of each band: floor(size / num_bands) rows, as decimal numbers joined by ".", hashed
// by djb2a. Rows left over are dropped. Throws Error(kInvalidArgument) unless there are 1 .. size
// bands.
std::vector<std::int32_t> get_buckets(std::span<const std::int32_t> min_hashed_document,
                                      int num_bands);

// Whether some bucket is equal at the same offset.
bool is_pair_candidate_match(std::span<const std::int32_t> lsh_buckets_doc1,
                             std::span<const std::int32_t> lsh_buckets_doc2) noexcept;

// The exact Jaccard similarity of shingles as sets; 0 for two empty ones.
double similarity(std::span<const std::string> document1_shingles,
                  std::span<const std::string> document2_shingles);

// Equal positions by the length of the first. Throws Error(kInvalidArgument) for an empty one.
double estimate_similarity_min_hash(std::span<const std::int32_t> min_hashed_doc1,
                                    std::span<const std::int32_t> min_hashed_doc2);

// Clusters of similar documents: candidate pairs whose estimate reaches the threshold, and what
// they connect. Each cluster has two documents or more, by number; clusters by their first. Cost:
// about n * bands table entries; estimates for pairs in a bucket that are not connected yet.
std::vector<std::vector<std::size_t>> clusters(
    std::span<const std::vector<std::int32_t>> min_hashed_documents, int num_bands,
    double threshold);

}  // namespace benzer::classics::scala
