// Fills what a run tells about itself, for every front end: its summary, and the facts of its
// report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/report.h"

#include "options.h"
#include "summary.h"

namespace benzer::apps {

// Returns the part of the summary that all runs on documents have. The caller adds the names of the
// outputs.
Summary run_summary(const Options& options, const InputCounts& input,
                    const SimilarityOptions& asked, const SimilarityCounts& counts);

// Returns the summary of a deduplication. reference_sources: how many of the corpus's sources are
// references.
Summary dedup_summary(const Options& options, const Corpus& corpus, std::size_t reference_sources,
                      const InputCounts& input, const DedupOptions& asked,
                      const DedupResult& result, const Clusters& clusters);

// Returns what a report shows of the run next to its result. problems: sentences about bad input.
RunFacts run_facts(const Options& options, const InputCounts& input,
                   const std::vector<std::string>& problems);

}  // namespace benzer::apps
