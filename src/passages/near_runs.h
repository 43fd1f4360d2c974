// Extends runs that two texts share over words in which they differ.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/big_list.h"
#include "base/workspace.h"
#include "passages/earlier_runs.h"
#include "passages/kept_words.h"
#include "passages/read_words.h"

namespace benzer {

struct NearRunOptions {
  std::uint32_t gap;        // the most words of either text between two equal runs
  std::uint32_t min_words;  // of the whole run
  int threads;
  const std::atomic<bool>* stop;
};

// Extends each seed to both sides as far as it goes, and returns the runs that are long enough. A
// seed that lies inside the extension of an earlier one between the same texts is not extended
// again. seeds: sorted. parts: whole texts.
BigList<EarlierRun> extend_all(const BigList<EarlierRun>& seeds, const BigList<KeptPart>& parts,
                               const KeptWords& words, const NearRunOptions& options,
                               const Workspace& workspace);

}  // namespace benzer
