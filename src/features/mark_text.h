// Cuts a text into marked pieces, from its shingles and their places.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "benzer/features.h"

namespace benzer {

// A shingle in a text, and whether the other document has it.
struct MarkedShingle {
  std::size_t begin, end;
  bool is_shared;
};

// Returns the bytes [begin, end) of the text in marked pieces. is_words: the text consists of
// words, else of values, in which every byte counts.
std::vector<MarkedPiece> mark_text(std::string_view text, std::size_t begin, std::size_t end,
                                   std::span<const MarkedShingle> shingles, bool is_words);

}  // namespace benzer
