// Says in sentences what a guard rail found, for every front end that stops a run because of it.
#pragma once

#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/guard_rails.h"

namespace benzer::apps {

// Returns a sentence about each of the first five breaches, in their order: of a run on a corpus,
// and of the index with this name, as messages show it.
std::vector<std::string> breach_sentences(const Corpus& corpus,
                                          const std::vector<GuardRailBreach>& breaches);
std::vector<std::string> breach_sentences(const std::string& index,
                                          const std::vector<GuardRailBreach>& breaches);

// Returns why a breach would be odd, as the end of a sentence.
std::string what_is_odd(const GuardRailBreach& breach);

// Returns the error kGuardRail of a run that stops before it writes the documents of a corpus, or
// removes some of an index. breaches: at least one.
Error guard_rail_error(const Corpus& corpus, const std::vector<GuardRailBreach>& breaches);
// The same where passages are removed.
Error passage_guard_rail_error(const Corpus& corpus, const std::vector<GuardRailBreach>& breaches);
Error guard_rail_error(const std::string& index, const std::vector<GuardRailBreach>& breaches);

}  // namespace benzer::apps

namespace benzer::cli {
using namespace apps;
}
