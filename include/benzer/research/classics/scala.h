// Implements shingles, djb2a, universal hash functions, MinHash and LSH as a blog of 2015 writes
// them in Scala.
//
// Source: Steve Hanna and Adam Hunt, "MinHashing and LSH - dimensionality reduction for finding
// similar items among massive datasets, Part 2" (2015). Names are the blog's, in snake_case; all
// numbers that it prints come out (scala_test.cc).
// Threads: everything is pure or immutable, so any number may use it.
//
//     namespace scala = benzer::classics::scala;
//     const scala::MinHash hasher(1337, 3, 128);
//     const double similarity = scala::estimate_similarity_min_hash(hasher.hash("the quick fox"),
//                                                                   hasher.hash("the quick dog"));
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benzer::classics::scala {

// Returns the shingles: a window of k bytes that slides over the document (k UTF-16 units in Scala,
// which is the same for ASCII). A document of fewer bytes is its own window, and an empty one has
// none. Throws Error(kInvalidArgument) for k = 0.
std::vector<std::string> shingler(std::string_view document, std::size_t k);

// Returns the hash djb2a: h = h * 33 ^ byte, beginning with 5381, for signed bytes; the lower 32
// bits of it. djb2a("he") is 5861128.
std::int32_t djb2a(std::string_view bytes) noexcept;

// Generates the numbers of java.util.Random: 48 bits of state, s = s * 0x5DEECE66D + 0xB, of which
// the upper 32 are the next number.
class JavaRandom {
 public:
  explicit JavaRandom(std::int64_t seed);
  std::int32_t next_int();

 private:
  std::uint64_t state_;
};

// Computes (a x + b) % p with a x + b in 32 bits that wrap. The result is signed, and p has no
// effect, because it is larger than any number of 32 bits.
struct HashFunction {
  static constexpr std::int64_t kP = 999999999989;

  std::int32_t a = 0, b = 0;

  std::int32_t eval(std::int32_t x) const noexcept;
  // Returns the function as the blog prints it: "-1460590454*X + 747279288 % 999999999989".
  std::string str() const;
  friend bool operator==(const HashFunction&, const HashFunction&) = default;
};

// Draws num_hashes functions from the random numbers of the seed: a and then b of each.
class HashCollection {
 public:
  HashCollection(std::int64_t seed, std::size_t num_hashes);

  const std::vector<HashFunction>& get_hashes() const noexcept { return hashes_; }
  // Returns the values of the shingle's djb2a under each function.
  std::vector<std::int32_t> evaluate(std::string_view shingle) const;

 private:
  std::vector<HashFunction> hashes_;
};

// Which value of a function a signature takes: "Any consistent sampling function would be
// acceptable."
enum class Sampler { kMinimum, kMaximum };

// Computes signatures.
class MinHash {
 public:
  // seed: of the hash functions; 1337 in the blog. k: bytes of a shingle. num_hashes: slots of a
  // signature. Throws Error(kInvalidArgument) for k = 0 or no hash functions.
  MinHash(std::int64_t seed, std::size_t k, std::size_t num_hashes,
          Sampler sampler = Sampler::kMinimum);

  // Returns the shingles of the document.
  std::vector<std::string> get_shingles(std::string_view document) const;
  // Returns the signature: the smallest (or largest) signed value of each function over the
  // shingles. Throws
  // Error(kInvalidArgument) for an empty document, which has no shingle.
  // Cost: about 0.3 ns for each byte and function.
  std::vector<std::int32_t> hash(std::string_view document) const;

 private:
  HashCollection hash_collection_;
  std::size_t k_;
  Sampler sampler_;
};

// Returns the smallest b with b ln b >= -num_hashes ln threshold. That puts the similarity at which
// 63 % are found near the threshold, before rows are rounded down. Throws Error(kInvalidArgument)
// unless 0 < threshold <= 1 and num_hashes > 0, and for a b that is no int.
int pick_bands(double threshold, int num_hashes);

// Returns the bucket of each band: its floor(size / num_bands) rows, as decimal numbers joined by
// ".", hashed by djb2a. Rows left over are dropped. Throws Error(kInvalidArgument) unless there are
// 1 .. size bands.
std::vector<std::int32_t> get_buckets(std::span<const std::int32_t> min_hashed_document,
                                      int num_bands);

// Returns whether some bucket is equal at the same offset.
bool is_pair_candidate_match(std::span<const std::int32_t> lsh_buckets_doc1,
                             std::span<const std::int32_t> lsh_buckets_doc2) noexcept;

// Returns the exact Jaccard similarity of shingles as sets; 0 for two empty lists.
double similarity(std::span<const std::string> document1_shingles,
                  std::span<const std::string> document2_shingles);

// Estimates the similarity: equal positions divided by the length of the first signature. Throws
// Error(kInvalidArgument) if that is empty.
double estimate_similarity_min_hash(std::span<const std::int32_t> min_hashed_doc1,
                                    std::span<const std::int32_t> min_hashed_doc2);

// Returns clusters of similar documents: what candidate pairs connect whose estimate reaches the
// threshold. Each cluster has the numbers of two documents or more, in ascending order; clusters
// are sorted by their first document. Cost: about n * bands entries of a table, and an estimate for
// each pair in a bucket that is not connected yet.
std::vector<std::vector<std::size_t>> clusters(
    std::span<const std::vector<std::int32_t>> min_hashed_documents, int num_bands,
    double threshold);

}  // namespace benzer::classics::scala
