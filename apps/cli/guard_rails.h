// What stops a run before it deletes too much, told with samples.
#pragma once

#include <string>
#include <vector>

#include "benzer/dedup.h"
#include "benzer/index.h"

#include "corpus_run.h"

namespace benzer::cli {

// Of a run that removes nothing: says what would have stopped another.
void note_breaches(CorpusRun& run, const std::vector<GuardRailBreach>& breaches);
void note_breaches(CommandRun& run, const std::string& index,
                   const std::vector<GuardRailBreach>& breaches);

// Prints the samples of each breach, then throws Error(kGuardRail) with a sentence that sums up.
[[noreturn]] void stop_for_breaches(CorpusRun& run, const DedupResult& result,
                                    const std::vector<GuardRailBreach>& breaches);
// The same of an index, which holds no texts: the ids.
[[noreturn]] void stop_for_breaches(CommandRun& run, const std::string& index,
                                    const IndexDedup& found,
                                    const std::vector<GuardRailBreach>& breaches);

}  // namespace benzer::cli
