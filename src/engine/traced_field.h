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
  bool is_short = false;  // the text has fewer words than a shingle, and is one piece all the same
};

// How much of a text or a value set is traced where people look at it: the tracing extractor is
// slow, and a traced piece takes many times the memory of its bytes.
inline constexpr std::size_t kFollowedBytes = std::size_t{256} << 10;

// Traces the beginning of a text, or the first values that have most_bytes together, each with the
// end of its line. Not for images.
TracedField trace_field(const FeatureExtractor& extractor, const Field& field,
                        std::size_t most_bytes = kFollowedBytes);

}  // namespace benzer
