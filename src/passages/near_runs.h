// Extends runs that two texts share over words in which they differ.
#pragma once

#include "base/big_list.h"
#include "passages/earlier_runs.h"
#include "passages/kept_words.h"
#include "passages/read_words.h"

namespace benzer {

// Extends each seed to both sides as far as it goes, and returns the runs that are long enough. A
// seed that lies inside the extension of an earlier one between the same texts is not extended
// again. seeds: sorted. parts: whole texts.
BigList<EarlierRun> extend_all(const WordReading& reading, const BigList<EarlierRun>& seeds,
                               const BigList<KeptPart>& parts, const KeptWords& words);

}  // namespace benzer
