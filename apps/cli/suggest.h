// Finds the known word that is nearest to a misspelled one, for "did you mean".
#pragma once

#include <span>
#include <string_view>

namespace benzer::cli {

// Empty if no word is near enough to be what was meant. A word that begins with `written` counts
// as the nearest of all.
std::string_view suggest(std::string_view written, std::span<const std::string_view> known);

}  // namespace benzer::cli
