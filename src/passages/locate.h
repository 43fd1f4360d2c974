// Turns runs of kept words into passages: which documents they are in, and at which bytes.
#pragma once

#include <functional>

#include "benzer/passages.h"

#include "base/big_list.h"
#include "passages/earlier_runs.h"
#include "passages/read_words.h"

namespace benzer {

// Hands the runs that are not inside another one to the sink, as find_passages() does, and counts
// them. runs: sorted.
void locate_passages(const WordReading& reading, const BigList<KeptPart>& parts,
                     const BigList<EarlierRun>& runs, PassageCounts& counts,
                     const std::function<void(const Passage&)>& sink);

}  // namespace benzer
