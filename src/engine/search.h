// Finding similar documents: candidates by bands, a look at signatures, then all features.
#pragma once

#include <span>
#include <vector>

#include "benzer/index.h"

#include "engine/hasher.h"
#include "store/store.h"

namespace benzer {

// One question, for any number of documents. Threads: immutable; share freely.
class Search {
 public:
  // Throws Error(kInvalidArgument) for options that the schema does not allow.
  Search(const Schema& completed, const SimilarOptions& options);

  // The matches of each query, best first. A document with the id of the query is left out.
  std::vector<std::vector<Match>> run(StoreReader& reader,
                                      std::span<const DocumentHashes> queries) const;

  // The probability that a pair exactly at the threshold is found.
  static double expected_recall(const Schema& completed, const Threshold& threshold);

 private:
  class Comparison;
  struct Found;

  bool passes(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  std::uint32_t equal_slots(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  double estimate(const std::uint8_t* a, const std::uint8_t* b) const noexcept;
  std::vector<std::vector<DocumentNumber>> candidates(
      StoreReader& reader, std::span<const DocumentHashes> queries) const;
  std::vector<Match> best(StoreReader& reader, std::vector<Found> found) const;

  const Schema& schema_;
  SimilarOptions options_;
  Threshold threshold_;
  std::size_t cut_bytes_;
  std::uint32_t slots_;
  std::uint32_t least_equal_;
  const struct Kernels& kernels_;
};

}  // namespace benzer
