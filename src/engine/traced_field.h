// Traces which bytes of a field of a document each of its features comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/features.h"

namespace benzer {

struct TracedField {
  struct Piece {
    std::uint64_t feature;
    std::size_t begin, end;
  };
  std::string text;           // as people read it; or the values, a line each
  std::vector<Piece> pieces;  // in the order of the text
  bool is_text = false;       // passages may be longer than a piece
};

// Traces a value set or the first 256 KiB of a text, since the tracing extractor is slow. Not for
// images.
TracedField trace_field(const FeatureExtractor& extractor, const Field& field);

}  // namespace benzer
