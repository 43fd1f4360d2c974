// Counts where the duplicates are: documents and removals by source, and sources against each
// other.
#pragma once

#include "benzer/report.h"

namespace benzer::report {

inline constexpr std::size_t kShownSources = 50, kShownReferences = 20;
inline constexpr std::size_t kMatrixSources = 20, kMatrixReferences = 10;

// Fills in sources and matrix of the report.
void count_sources(const Corpus& corpus, const DedupResult& result, Report& report);

}  // namespace benzer::report
