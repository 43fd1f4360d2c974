// Formats the lines of the lists that dedup writes, as docs/cli.md describes them.
#pragma once

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

// Returns benzer_cluster, benzer_keeper, benzer_score and benzer_kept.
std::vector<std::string> annotation_names();
// Returns a function that makes the fields of these names. benzer_kept is true or false; the others
// are null for documents in no cluster. The arguments must outlive it.
FileCorpus::Annotation annotation_of(const Corpus& corpus, const DedupResult& result,
                                     const Clusters& clusters);

}  // namespace benzer::apps
