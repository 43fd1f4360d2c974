// Extends runs that two texts share over words in which they differ.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/big_list.h"
#include "passages/earlier_runs.h"
#include "passages/kept_words.h"
#include "passages/read_words.h"

namespace benzer {

// Returns how many equal words the runs have that near passages are extended from. A passage of 50
// words of which one in 20 was changed has a run of eight in 98 of 100 cases, and runs of fewer
// words than four repeat by chance.
constexpr std::uint32_t seed_words(std::uint32_t min_words) noexcept {
  constexpr std::uint32_t kLeast = 4, kMost = 8;
  return std::clamp(min_words / 6, std::min(min_words, kLeast), kMost);
}

// Extends each seed to both sides as far as it goes, and returns the runs that are long enough. A
// seed that lies inside the extension of an earlier one between the same texts is not extended
// again. seeds: sorted. parts: whole texts.
BigList<EarlierRun> extend_all(const WordReading& reading, const BigList<EarlierRun>& seeds,
                               const BigList<KeptPart>& parts, const KeptWords& words);

}  // namespace benzer
