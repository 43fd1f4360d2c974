// "Did you mean": the nearest of the known words.
#pragma once

#include <span>
#include <string_view>

namespace benzer::cli {

// Empty if no word is near enough to be what was meant. A word that begins with what was written is
// the nearest of all.
std::string_view suggest(std::string_view written, std::span<const std::string_view> known);

}  // namespace benzer::cli
