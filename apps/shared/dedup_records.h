// Formats the lines of the lists that dedup writes, as docs/cli.md describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/input.h"

namespace benzer::apps {

std::string removed_line(const Corpus& corpus, const DedupResult& result, std::size_t place);
// shares: with containment.
std::string pair_line(const Corpus& corpus, const FeatureSpec& features, const ScoredPair& pair,
                      const std::optional<Shares>& shares);
// Clusters are numbered from 1.
std::string cluster_line(const Corpus& corpus, const DedupResult& result, const Cluster& cluster,
                         std::size_t number);

// Finds what a run has made of each document.
class Marks {
 public:
  struct Mark {
    std::optional<std::size_t> cluster;
    std::uint32_t keeper = 0;  // of the cluster; it may be the document itself
    double score = 0;          // with the keeper
    bool is_kept = true;
  };
  // The arguments must outlive it.
  Marks(const DedupResult& result, const Clusters& clusters);
  Mark of(std::uint32_t document) const;

 private:
  const DedupResult& result_;
  const Clusters& clusters_;
  std::vector<std::uint32_t> cluster_of_;  // of each removed document
};

// Returns benzer_cluster, benzer_keeper, benzer_score and benzer_kept.
std::vector<std::string> annotation_names();
// Returns a function that makes the fields of these names. benzer_kept is true or false; the others
// are null for documents in no cluster. The arguments must outlive it.
FileCorpus::Annotation annotation_of(const Corpus& corpus, const DedupResult& result,
                                     const Clusters& clusters);

}  // namespace benzer::apps
