#include <map>

#include "benzer/dedup.h"

namespace benzer {

std::vector<SourceCounts> count_sources(const Corpus& corpus, const DedupResult& result) {
  std::vector<SourceCounts> counts(corpus.sources().size());
  for (std::uint32_t document = 0; document < corpus.size(); ++document)
    ++counts[corpus.source_of(document)].documents;
  for (const Removal& removal : result.removed)
    ++counts[corpus.source_of(removal.document)].removed;
  return counts;
}

std::vector<GuardRailBreach> check_guard_rails(const Corpus& corpus, const DedupResult& result,
                                               const GuardRails& rails) {
  std::vector<GuardRailBreach> breaches;
  const std::uint64_t documents = result.counts.documents;
  std::map<std::uint32_t, std::uint64_t> sizes;
  for (const Removal& removal : result.removed) {
    // The keeper is counted unless it is a reference, since the share is of the other documents.
    if (removal.keeper)
      ++sizes.try_emplace(*removal.keeper, *removal.keeper < corpus.references() ? 0 : 1)
            .first->second;
  }
  for (const auto& [keeper, size] : sizes)
    if (rails.is_too_large(size, documents))
      breaches.push_back({GuardRailBreach::Kind::kCluster, keeper, size, documents});
  const std::vector<SourceCounts> sources = count_sources(corpus, result);
  std::vector<std::uint64_t> dropped(sources.size());
  for (const Removal& removal : result.removed)
    if (!removal.keeper) ++dropped[corpus.source_of(removal.document)];
  for (std::uint32_t source = 0; source < sources.size(); ++source) {
    const SourceCounts& counts = sources[source];
    if (rails.loses_too_much(counts.removed, counts.documents))
      breaches.push_back({GuardRailBreach::Kind::kSource, source, counts.removed, counts.documents,
                          dropped[source]});
  }
  return breaches;
}

}  // namespace benzer
