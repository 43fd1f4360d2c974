// Guard rails: when a run is about to remove far more than copies, and should stop.
#pragma once

#include <cstdint>

namespace benzer {

// Guard rails: signs that a deduplication would delete far more than near-copies.
//
// A cluster that holds a good part of a corpus, or a source that all but vanishes, is more often a
// template, a boilerplate or a threshold far too low than a hundred thousand copies.
struct GuardRails {
  // The largest share of all documents that one cluster may hold, ...
  double largest_cluster = 0.10;
  // ... checked if there are at least this many documents.
  std::uint64_t cluster_documents = 10000;
  // The largest share of its documents that a source may lose, ...
  double largest_loss = 0.90;
  // ... checked if it has at least this many.
  std::uint64_t source_documents = 1000;

  // Returns the guard rails for documents that are removed in place and of which there is no other
  // copy: the same shares, checked however few documents there are.
  static GuardRails in_place() noexcept { return {.cluster_documents = 0, .source_documents = 0}; }

  // Returns whether a cluster of `cluster` documents, the keeper included, is too large among
  // `documents`. A cluster of two never is, because two of a few documents are no sign of anything.
  bool is_too_large(std::uint64_t cluster, std::uint64_t documents) const noexcept {
    return documents >= cluster_documents && cluster > 2 &&
           exceeds(cluster, documents, largest_cluster);
  }
  // Returns whether a source that loses `removed` of its `documents` loses too much.
  bool loses_too_much(std::uint64_t removed, std::uint64_t documents) const noexcept {
    return documents >= source_documents && is_most(removed, documents);
  }
  // Returns whether `removed` of a whole is more than largest_loss.
  bool is_most(std::uint64_t removed, std::uint64_t whole) const noexcept {
    return exceeds(removed, whole, largest_loss);
  }

 private:
  static bool exceeds(std::uint64_t part, std::uint64_t whole, double share) noexcept {
    return static_cast<double>(part) > share * static_cast<double>(whole);
  }
};

// A guard rail that a result has crossed. Callers should stop before they remove anything, and
// throw Error(kGuardRail), unless the user has asked to go on.
struct GuardRailBreach {
  enum class Kind {
    // A cluster is too large (GuardRails::largest_cluster).
    kCluster,
    // A source loses too much (GuardRails::largest_loss).
    kSource,
    // One passage is cut out of too many documents (GuardRails::largest_cluster).
    kPassage
  };
  Kind kind = Kind::kCluster;
  // kCluster: the keeper; for an index the place of the cluster in IndexDedup::clusters.
  // kSource: the place of the source in Corpus::sources(); for an index 0.
  // kPassage: the cluster of the passage.
  std::uint32_t place = 0;
  // kCluster: documents in the cluster, the keeper included unless it is a reference.
  // kSource: documents that the source loses; where passages are removed, also those that lose more
  // than this share of their words.
  // kPassage: documents that lose it, and the one with its first place unless it is a reference.
  std::uint64_t documents = 0;
  // Documents of the corpus, without references; kSource: documents of the source.
  std::uint64_t total = 0;
  // kSource: those of `documents` that are dropped for being short, and not for a keeper.
  std::uint64_t dropped = 0;
  friend bool operator==(const GuardRailBreach&, const GuardRailBreach&) = default;
};

}  // namespace benzer
