// Stops a run before it removes too much, and shows samples of what it would have removed.
#pragma once

#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/index.h"
#include "benzer/passages.h"

#include "corpus_run.h"

namespace benzer::cli {

// For a run that removes nothing: notes what would have stopped a run that does.
void note_breaches(CorpusRun& run, const std::vector<GuardRailBreach>& breaches);
void note_breaches(CommandRun& run, const std::string& index,
                   const std::vector<GuardRailBreach>& breaches);

// Prints the samples of each breach, then throws Error(kGuardRail) with a sentence that sums them
// up.
[[noreturn]] void stop_for_breaches(CorpusRun& run, const DedupResult& result,
                                    const std::vector<GuardRailBreach>& breaches);
[[noreturn]] void stop_for_breaches(CorpusRun& run, const PassageRemoval& removal,
                                    const std::vector<GuardRailBreach>& breaches);
// The same for an index. It holds no texts, so the samples are ids.
[[noreturn]] void stop_for_breaches(CommandRun& run, const std::string& index,
                                    const IndexDedup& found,
                                    const std::vector<GuardRailBreach>& breaches);

}  // namespace benzer::cli
