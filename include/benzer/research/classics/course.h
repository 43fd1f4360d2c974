// Implements MinHash and LSH on a folder of newsgroup files as a course report describes them:
// permutations (a x + b) mod p of the terms, banding with tables of prime size, and the detector of
// near-duplicates that is built on both.
//
// Source: the report of a course on data mining whose class names these are (MinHash,
// PermutationsFunctions, MinHashAccuracy, MinHashTime, LSH, NearDuplicates); methods in snake_case.
// Its tables and figures are run again by the experiments course-table-1 to course-fig-3.
//
// The results are the report's; the loops are not. The values of each term are computed once, 32
// permutations at a time (16 where p needs more than 16 bits): a cache line for each term, and a
// table that the second-level cache holds. A signature is the vector minimum of the lines of a
// document's terms, and pairs are estimated by counting equal numbers in blocks of documents that
// stay in the cache.
//
// Threads: const methods may run at the same time. Nothing here starts a thread.
//
//     namespace course = benzer::classics::course;
//     const course::NearDuplicates detector("folder", 600, 100, 1);
//     for (const std::string& name : detector.near_duplicate_detector(0.8, "space-1.txt"))
//       std::cout << name;
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace benzer::classics::course {

// Cuts a line into words: makes A to Z lower case, removes . , : ; and ', splits at ASCII white
// space, and drops "the" and words shorter than 3 bytes. These are the words of the rule truth:w1
// of benzer/config.h, with repeats.
std::vector<std::string> words_processor(std::string_view line);

// A document that is not in a file.
struct NamedText {
  std::string name, text;
};

// Returns the smallest prime that is at least n.
std::uint32_t prime_at_least(std::uint32_t n);

// Permutes the terms by functions ((a x + b) & 0x7fffffff) mod p in 32-bit integers that wrap as
// Java's do; p is the
// smallest prime >= num_terms, all a are distinct, and so are all b. Both are drawn from [0, p), so
// a may be 0. Each is a permutation of [0, p) as long as a x + b stays below 2^31: from 46,341
// terms on it may not.
class PermutationsFunctions {
 public:
  // Throws Error(kInvalidArgument) for no permutations, no terms or more permutations than p, as
  // then they cannot have distinct a.
  PermutationsFunctions(std::uint32_t num_permutations, std::uint32_t num_terms,
                        std::uint64_t seed);

  // Returns the prime.
  std::uint32_t p() const noexcept { return p_; }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(a_.size()); }
  std::span<const std::uint32_t> a() const noexcept { return a_; }
  std::span<const std::uint32_t> b() const noexcept { return b_; }
  // Returns the value of x under a permutation, counted from 0.
  std::uint32_t operator()(std::uint32_t permutation_ind, std::uint32_t x) const noexcept {
    return ((a_[permutation_ind] * x + b_[permutation_ind]) & 0x7fffffffU) % p_;
  }

 private:
  std::uint32_t p_;
  std::vector<std::uint32_t> a_, b_;
};

// Numbers the terms of all documents in the order in which they are first seen, and holds the set
// of terms of each document. build_binary_term_frequency_all_docs sets this up in the report.
class TermSets {
 public:
  // Reads every file of the folder, by name; folders in it are not read. Throws Error(kNotFound) if
  // there is no such folder, Error(kBadInput) if it or a file cannot be read, or if there are fewer
  // than two files.
  static TermSets of_folder(const std::string& folder);
  // Takes the texts in this order. Throws Error(kInvalidArgument) for fewer than two texts, or
  // equal names.
  explicit TermSets(std::span<const NamedText> texts);

  std::size_t size() const noexcept { return names_.size(); }
  std::uint32_t num_terms() const noexcept { return num_terms_; }
  const std::vector<std::string>& all_docs() const noexcept { return names_; }
  // Returns the number of a document. Throws Error(kInvalidArgument) for an unknown name.
  std::size_t index_of(std::string_view name) const;
  // Returns the distinct terms of a document, in the order in which they are first seen.
  std::span<const std::uint32_t> terms(std::size_t doc) const noexcept {
    return std::span(terms_).subspan(begins_[doc], begins_[doc + 1] - begins_[doc]);
  }
  // Returns the exact Jaccard similarity; 0 for two empty documents.
  double exact_jaccard(std::size_t doc1, std::size_t doc2) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::uint32_t> terms_;
  std::vector<std::size_t> begins_;
  std::uint32_t num_terms_ = 0;
};

// The K x N matrix of signatures, stored by documents: k numbers each.
struct MinHashMatrix {
  std::size_t documents = 0;
  std::size_t permutations = 0;
  std::vector<std::uint32_t> values;

  // Returns the signature of a document.
  std::span<const std::uint32_t> signature(std::size_t doc) const noexcept {
    return std::span(values).subspan(doc * permutations, permutations);
  }
};

// The value of all slots of a document without terms, which is similar to nothing.
inline constexpr std::uint32_t kNoTerm = ~std::uint32_t{0};

// Computes the signatures of all documents when it is constructed. Cost: for 994 files of 2.1 KB
// and k = 600, 16 ms for their words and 10 ms for the matrix (AVX2).
class MinHash {
 public:
  // Takes the files of a folder, or texts. num_permutations: k, the slots of a signature. Throws as
  // TermSets and PermutationsFunctions do.
  MinHash(const std::string& folder, std::uint32_t num_permutations, std::uint64_t seed);
  MinHash(std::span<const NamedText> texts, std::uint32_t num_permutations, std::uint64_t seed);
  // Takes terms that were read before, which must not be null, with other permutations.
  MinHash(std::shared_ptr<const TermSets> terms, std::uint32_t num_permutations,
          std::uint64_t seed);

  const std::vector<std::string>& all_docs() const noexcept { return terms_->all_docs(); }
  // These functions take names of documents. They throw Error(kInvalidArgument) for other names.
  double exact_jaccard(std::string_view file1, std::string_view file2) const;
  double approximate_jaccard(std::string_view file1, std::string_view file2) const;
  std::span<const std::uint32_t> min_hash_sig(std::string_view file_name) const;

  // Returns the value of a term under a permutation.
  std::uint32_t min_hash_term(std::uint32_t item, std::uint32_t permutation_ind) const noexcept {
    return permutations_(permutation_ind, item);
  }
  const MinHashMatrix& min_hash_matrix() const noexcept { return matrix_; }
  const TermSets& term_sets() const noexcept { return *terms_; }
  const PermutationsFunctions& permutations_functions() const noexcept { return permutations_; }
  std::uint32_t num_terms() const noexcept { return terms_->num_terms(); }
  std::uint32_t num_permutations() const noexcept { return permutations_.size(); }

 private:
  std::shared_ptr<const TermSets> terms_;
  PermutationsFunctions permutations_;
  MinHashMatrix matrix_;
};

// Estimates the Jaccard similarity by the share of equal slots; 0 if either document has no terms.
double approximate_jaccard(std::span<const std::uint32_t> sig1,
                           std::span<const std::uint32_t> sig2) noexcept;

// Finds near-duplicates by b tables of p buckets, p the smallest prime >= N. The bucket of a band x
// is h(x) = (sum of ((a_i x_i + b_i) & 0x7fffffff) mod p) mod p, with the same a_i and b_i for all
// bands. As there are hardly more buckets than documents, each band brings about one stranger to a
// query.
class LSH {
 public:
  // There are r = k / b rows in each band, rounded down; the rows left over are not used. Throws
  // Error(kInvalidArgument) unless there are 1 to k bands and as many names as documents. It throws
  // too if there are more rows than p, since then they cannot have distinct a.
  LSH(const MinHashMatrix& min_hash_matrix, std::vector<std::string> doc_names, std::uint32_t bands,
      std::uint64_t seed);

  std::uint32_t bands() const noexcept { return bands_; }
  std::uint32_t rows_per_band() const noexcept { return functions_.size(); }
  std::uint32_t rows_left_over() const noexcept { return left_over_; }
  std::uint32_t table_size() const noexcept { return functions_.p(); }
  // Returns (1 / b)^(1 / r), the similarity near which pairs begin to be found.
  double threshold() const noexcept;

  // Return all documents that share a bucket with the document, by band and then by number, each
  // once and without the document itself.
  std::vector<std::string> near_duplicates_of(std::string_view doc_name) const;
  std::vector<std::size_t> near_duplicates_of(std::size_t doc) const;

 private:
  std::vector<std::string> doc_names_;
  std::unordered_map<std::string, std::size_t> index_;
  std::uint32_t bands_;
  std::uint32_t left_over_;
  PermutationsFunctions functions_;
  std::vector<std::uint32_t> bucket_of_;  // band by document
  std::vector<std::uint32_t> begins_;     // band by bucket, into members_ of the band
  std::vector<std::uint32_t> members_;    // band by document
};

// Detects near-duplicates by MinHash and LSH together.
class NearDuplicates {
 public:
  // Throws as MinHash and LSH do. The seed gives both their functions.
  NearDuplicates(const std::string& folder, std::uint32_t num_permutations, std::uint32_t num_bands,
                 std::uint64_t seed);
  NearDuplicates(std::span<const NamedText> texts, std::uint32_t num_permutations,
                 std::uint32_t num_bands, std::uint64_t seed);

  // Returns the candidates whose estimate is at least s.
  std::vector<std::string> near_duplicate_detector(double s, std::string_view doc_name) const;
  // Returns the false positives: the candidates whose estimate is below s.
  std::vector<std::string> get_less_than_threshold_docs(double s, std::string_view doc_name) const;

  const MinHash& min_hash() const noexcept { return min_hash_; }
  const LSH& lsh() const noexcept { return lsh_; }

 private:
  std::vector<std::string> candidates(double s, std::string_view doc_name, bool similar) const;

  MinHash min_hash_;
  LSH lsh_;
};

// Builds a detector for a folder and asks it for one document, as the one call of the report does.
std::vector<std::string> near_duplicate_detector(const std::string& folder,
                                                 std::uint32_t num_permutations,
                                                 std::uint32_t num_bands, double s,
                                                 std::string_view doc_name, std::uint64_t seed);

// Counts the pairs whose exact and estimated similarities differ by more than eps.
struct MinHashAccuracy {
  // Takes the files of a folder. Throws as MinHash does.
  static std::uint64_t accuracy(const std::string& folder, std::uint32_t num_permutations,
                                double eps, std::uint64_t seed);
  // Returns the count for each of several eps. Takes 4 bytes for each pair. Throws
  // Error(kInterrupted) when `stop` (may be null) becomes true.
  static std::vector<std::uint64_t> accuracy(const MinHash& min_hash, std::span<const double> eps,
                                             const std::atomic<bool>* stop = nullptr);
};

// What all pairs take, by the clock, on one thread.
struct MinHashTime {
  // Seconds for the exact similarities of all pairs.
  double exact_seconds = 0;
  // Seconds for building the matrix from the sets of terms.
  double matrix_seconds = 0;
  // Seconds for estimating all pairs from the matrix.
  double estimated_seconds = 0;
  std::uint64_t pairs = 0;
  // Comparisons as the report counts them: a look-up for each term of the first document of a pair,
  // and k slots for each pair.
  std::uint64_t exact_comparisons = 0;
  std::uint64_t estimated_comparisons = 0;
  // The mean similarities, which are computed so that the compiler cannot leave out a loop.
  double mean_exact = 0, mean_estimated = 0;

  // Measures the documents of a folder, or terms that were read before and must not be null. Throws
  // as MinHash does, and Error(kInterrupted) when `stop` (may be null) becomes true.
  static MinHashTime timer(const std::string& folder, std::uint32_t num_permutations,
                           std::uint64_t seed);
  static MinHashTime timer(std::shared_ptr<const TermSets> terms, std::uint32_t num_permutations,
                           std::uint64_t seed, const std::atomic<bool>* stop = nullptr);
};

}  // namespace benzer::classics::course
