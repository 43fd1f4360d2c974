// Finds where the sentences of a text end.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace benzer::internal {

// Returns the ends of all sentences in order, white space behind them included; the last one is
// that of the text. Rules: Unicode Standard Annex 29, by ICU. Cost: about 50 ns a character.
std::vector<std::size_t> sentence_ends(std::string_view text);

}  // namespace benzer::internal
