#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/research/classics/course.h"

#include "base/splitmix.h"
#include "research/classics/kernels/kernels.h"

namespace benzer::classics::course {
namespace {

std::uint32_t rows_of(const MinHashMatrix& matrix, std::size_t names, std::uint32_t bands) {
  if (names != matrix.documents) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} names are not those of the {} documents of the matrix: give one "
                            "for each, in their order",
                            names, matrix.documents));
  }
  if (bands == 0 || bands > matrix.permutations) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} permutations cannot be divided into {} bands: give 1 to {}",
                            matrix.permutations, bands, matrix.permutations));
  }
  return static_cast<std::uint32_t>(matrix.permutations / bands);
}

// The functions of a band, which are PermutationsFunctions(numOfRowsPerBand, docNames.length) in
// the report.
PermutationsFunctions band_functions(std::uint32_t rows, std::size_t documents,
                                     std::uint64_t seed) {
  const std::uint32_t p = prime_at_least(static_cast<std::uint32_t>(documents));
  if (rows > p) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a band of {} rows needs as many different factors, but tables for {} "
                            "documents have only {}: ask for more bands or fewer permutations",
                            rows, documents, p));
  }
  return PermutationsFunctions(rows, p, seed);
}

}  // namespace

LSH::LSH(const MinHashMatrix& min_hash_matrix, std::vector<std::string> doc_names,
         std::uint32_t bands, std::uint64_t seed)
    : doc_names_(std::move(doc_names)),
      bands_(bands),
      left_over_(0),
      functions_(band_functions(rows_of(min_hash_matrix, doc_names_.size(), bands),
                                doc_names_.size(), seed)) {
  for (std::size_t doc = 0; doc < doc_names_.size(); ++doc) index_.emplace(doc_names_[doc], doc);
  const std::size_t n = doc_names_.size();
  const std::size_t rows = functions_.size();
  const std::size_t p = functions_.p();
  left_over_ = static_cast<std::uint32_t>(min_hash_matrix.permutations - bands * rows);
  const Kernels& kernels = kernels_for(active_cpu_level());
  bucket_of_.resize(bands * n);
  members_.resize(bands * n);
  begins_.resize(bands * (p + 1));
  for (std::size_t doc = 0; doc < n; ++doc) {  // the outer loop: each signature is read once
    const std::uint32_t* signature = min_hash_matrix.signature(doc).data();
    for (std::size_t band = 0; band < bands; ++band) {
      bucket_of_[band * n + doc] = kernels.band_hash(functions_.a().data(), functions_.b().data(),
                                                     functions_.p(), signature + band * rows, rows);
    }
  }
  // Builds each table by counting: where a bucket begins, and the documents in it.
  std::vector<std::uint32_t> end(p);
  for (std::size_t band = 0; band < bands; ++band) {
    const std::uint32_t* bucket = bucket_of_.data() + band * n;
    std::uint32_t* begins = begins_.data() + band * (p + 1);
    for (std::size_t doc = 0; doc < n; ++doc) ++begins[bucket[doc] + 1];
    for (std::size_t t = 0; t < p; ++t) {
      end[t] = begins[t];
      begins[t + 1] += begins[t];
    }
    for (std::size_t doc = 0; doc < n; ++doc)
      members_[band * n + end[bucket[doc]]++] = static_cast<std::uint32_t>(doc);
  }
}

double LSH::threshold() const noexcept {
  return std::pow(1.0 / bands_, 1.0 / static_cast<double>(rows_per_band()));
}

std::vector<std::size_t> LSH::near_duplicates_of(std::size_t doc) const {
  const std::size_t n = doc_names_.size();
  if (doc >= n) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("there is no document {}: the {} documents are numbered from 0", doc, n));
  }
  std::vector<std::size_t> near_duplicates;
  for (std::size_t band = 0; band < bands_; ++band) {
    const std::size_t t = bucket_of_[band * n + doc];
    const std::uint32_t* begins = begins_.data() + band * (functions_.p() + std::size_t{1});
    for (std::uint32_t i = begins[t]; i < begins[t + 1]; ++i) {
      const std::size_t other = members_[band * n + i];
      bool seen = other == doc;
      for (std::size_t before = 0; before < band && !seen; ++before)
        seen = bucket_of_[before * n + doc] == bucket_of_[before * n + other];
      if (!seen) near_duplicates.push_back(other);
    }
  }
  return near_duplicates;
}

std::vector<std::string> LSH::near_duplicates_of(std::string_view doc_name) const {
  const auto found = index_.find(std::string(doc_name));
  if (found == index_.end()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("there is no document {} among the {}: give one of their names",
                            doc_name, doc_names_.size()));
  }
  std::vector<std::string> names;
  for (const std::size_t doc : near_duplicates_of(found->second)) names.push_back(doc_names_[doc]);
  return names;
}

NearDuplicates::NearDuplicates(const std::string& folder, std::uint32_t num_permutations,
                               std::uint32_t num_bands, std::uint64_t seed)
    : min_hash_(folder, num_permutations, seed),
      lsh_(min_hash_.min_hash_matrix(), min_hash_.all_docs(), num_bands, splitmix64(seed)) {}

NearDuplicates::NearDuplicates(std::span<const NamedText> texts, std::uint32_t num_permutations,
                               std::uint32_t num_bands, std::uint64_t seed)
    : min_hash_(texts, num_permutations, seed),
      lsh_(min_hash_.min_hash_matrix(), min_hash_.all_docs(), num_bands, splitmix64(seed)) {}

std::vector<std::string> NearDuplicates::candidates(double s, std::string_view doc_name,
                                                    bool similar) const {
  std::vector<std::string> names = lsh_.near_duplicates_of(doc_name);
  std::erase_if(names, [&](const std::string& name) {
    return (min_hash_.approximate_jaccard(doc_name, name) >= s) != similar;
  });
  return names;
}

std::vector<std::string> NearDuplicates::near_duplicate_detector(double s,
                                                                 std::string_view doc_name) const {
  return candidates(s, doc_name, true);
}

std::vector<std::string> NearDuplicates::get_less_than_threshold_docs(
    double s, std::string_view doc_name) const {
  return candidates(s, doc_name, false);
}

std::vector<std::string> near_duplicate_detector(const std::string& folder,
                                                 std::uint32_t num_permutations,
                                                 std::uint32_t num_bands, double s,
                                                 std::string_view doc_name, std::uint64_t seed) {
  return NearDuplicates(folder, num_permutations, num_bands, seed)
      .near_duplicate_detector(s, doc_name);
}

}  // namespace benzer::classics::course
