// Where the code points of a normalised text come from.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace benzer::internal {

// The bytes [begin, end) of a text as it was given.
struct Origin {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};

// Of every code point of nfkc_casefold() of the text: the characters it comes from. What is
// normalised together (a letter and its marks, a ligature) is one origin for all that it becomes.
// A sequence of invalid UTF-8 is the origin of its U+FFFD.
std::vector<Origin> origins_of_normalised(std::string_view text);

}  // namespace benzer::internal
