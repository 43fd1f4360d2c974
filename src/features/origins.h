// Finds where the code points of a normalised text come from.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace benzer::internal {

// The bytes [begin, end) of a text before it was normalised.
struct Origin {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

// Returns the origin of each code point of nfkc_casefold() of the text. Characters that are
// normalised together (a letter and its marks, a ligature) are one origin for all code points that
// they become. A sequence of invalid UTF-8 is the origin of its U+FFFD.
std::vector<Origin> origins_of_normalised(std::string_view text);

}  // namespace benzer::internal
