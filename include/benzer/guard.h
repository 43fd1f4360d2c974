// Guard rails: signs that a deduplication would delete far more than near-copies.
//
// A cluster that holds a good part of a corpus, or a source that all but vanishes, is more often a
// template, a boilerplate or a threshold far too low than a hundred thousand copies.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/dedup.h"

namespace benzer {

struct GuardRails {
  double largest_cluster = 0.10;            // of all documents,
  std::uint64_t cluster_documents = 10000;  // where there are so many
  double largest_loss = 0.90;               // of a source's documents,
  std::uint64_t source_documents = 1000;    // where it has so many
};

struct Alarm {
  enum class Kind { kCluster, kSource };
  Kind kind = Kind::kCluster;
  std::uint32_t place = 0;      // kCluster: the keeper; kSource: in Corpus::sources()
  std::uint64_t documents = 0;  // in the cluster, the keeper included; lost by the source
  std::uint64_t of = 0;         // in the corpus (references not among them); in the source
  friend bool operator==(const Alarm&, const Alarm&) = default;
};

// Clusters by keeper, then sources. Cost: one look at every removal and every document.
std::vector<Alarm> check_guard_rails(const Corpus& corpus, const DedupResult& result,
                                     const GuardRails& rails = {});

// How many documents of each source there are and how many went, by place in Corpus::sources().
struct SourceCounts {
  std::uint64_t documents = 0;
  std::uint64_t removed = 0;
};
std::vector<SourceCounts> count_sources(const Corpus& corpus, const DedupResult& result);

}  // namespace benzer
