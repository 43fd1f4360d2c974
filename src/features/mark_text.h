// From shingles with their places to a text in marked pieces.
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

// The bytes [begin, end) of the text. is_words: it consists of words; else of values, of which
// every byte counts.
std::vector<MarkedPiece> mark_text(std::string_view text, std::size_t begin, std::size_t end,
                                   std::span<const MarkedShingle> shingles, bool is_words);

}  // namespace benzer
