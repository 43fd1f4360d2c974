// Sorts documents by the keep rules. keep.cc reads and writes the spelling of rules.
//
// A rule uses what the first pass has recorded about each document: its length in bytes, the
// numbers of the fields that rules name, the pixels of its picture or the number of its features,
// its source and its place in the input.
#pragma once

#include <cstdint>
#include <vector>

#include "benzer/dedup.h"

#include "dedup/sketch_table.h"

namespace benzer {

// Throws Error(kInvalidArgument) if a rule names a source that the corpus does not have. This is
// known before anything is read.
void check_keep(const Corpus& corpus, const KeepOrder& keep);

// Returns the documents that take part in pairs, those to keep first. References come first in any
// order.
std::vector<std::uint32_t> keep_order(const Corpus& corpus, const SketchTable& table,
                                      const KeepOrder& keep, const SimilarityOptions& options);

}  // namespace benzer
