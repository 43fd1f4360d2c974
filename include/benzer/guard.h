// Guard rails: signs that a deduplication would delete far more than near-copies.
//
// A cluster that holds a good part of a corpus, or a source that all but vanishes, is more often a
// template, a boilerplate or a threshold far too low than a hundred thousand copies.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"
#include "benzer/index.h"

namespace benzer {

struct GuardRails {
  double largest_cluster = 0.10;            // of all documents,
  std::uint64_t cluster_documents = 10000;  // where there are so many
  double largest_loss = 0.90;               // of a source's documents,
  std::uint64_t source_documents = 1000;    // where it has so many

  // Where documents are removed in place, of which there is no other copy: however few there are.
  static GuardRails in_place() noexcept { return {.cluster_documents = 0, .source_documents = 0}; }

  // Two of a few documents are no sign of anything.
  bool is_too_large(std::uint64_t cluster, std::uint64_t documents) const noexcept {
    return documents >= cluster_documents && cluster > 2 &&
           exceeds(cluster, documents, largest_cluster);
  }
  bool loses_too_much(std::uint64_t removed, std::uint64_t documents) const noexcept {
    return documents >= source_documents && exceeds(removed, documents, largest_loss);
  }

 private:
  static bool exceeds(std::uint64_t part, std::uint64_t whole, double share) noexcept {
    return static_cast<double>(part) > share * static_cast<double>(whole);
  }
};

struct Alarm {
  enum class Kind { kCluster, kSource };
  Kind kind = Kind::kCluster;
  std::uint32_t place = 0;      // kCluster: the keeper, of an index the cluster's place among all;
                                // kSource: in Corpus::sources(), of an index 0
  std::uint64_t documents = 0;  // in the cluster, the keeper included; lost by the source
  std::uint64_t of = 0;         // in the corpus (references not among them); in the source
  friend bool operator==(const Alarm&, const Alarm&) = default;
};

// Clusters by keeper, then sources. Cost: one look at every removal and every document.
std::vector<Alarm> check_guard_rails(const Corpus& corpus, const DedupResult& result,
                                     const GuardRails& rails = {});
// The same of an index, which is one source.
std::vector<Alarm> check_guard_rails(const IndexDedup& found, const GuardRails& rails);

// How many documents of each source there are and how many went, by place in Corpus::sources().
struct SourceCounts {
  std::uint64_t documents = 0;
  std::uint64_t removed = 0;
};
std::vector<SourceCounts> count_sources(const Corpus& corpus, const DedupResult& result);

}  // namespace benzer
