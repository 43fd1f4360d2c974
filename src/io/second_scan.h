// Reads all documents of a corpus once more, in blocks, for Corpus::scan_again().
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "benzer/corpus.h"

#include "io/line_index.h"
#include "io/line_source.h"
#include "io/record_parser.h"
#include "io/scan_weights.h"

namespace benzer {

// Reads the documents 0 to size - 1 through readers, one for each block.
void read_in_blocks(DocumentVisitor& visitor, std::uint32_t size, int threads,
                    const std::function<std::unique_ptr<Corpus::Reader>()>& make_reader);

// What the first scan knows about its lines. The referenced objects must outlive the second scan.
struct ScannedLines {
  const LineIndex& index;
  const std::vector<LineSource>& sources;
  const std::atomic<bool>* stop;
  int sources_at_a_time;  // more than one only if the visitor's blocks may wait
};

// Reads the sources from front to back, so that packed ones are unpacked once and without a copy,
// several at a time.
// Throws Error(kBadInput) if a file is not what the first scan read.
void scan_lines_again(DocumentVisitor& visitor, const ScannedLines& lines,
                      const MakeParser& make_parser, const ScanWeights& weights, int threads);

}  // namespace benzer
