// Texts made up from a seed: words of a large vocabulary, and every tenth text a near-copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace benzer::experiments {

inline constexpr std::size_t kMadeWords = 80;

// The text of that number: the same for the same seed, whatever was made before.
std::string made_text(std::uint64_t seed, std::uint64_t number);

// A text of that number with `changes` words of it replaced by others.
std::string changed_text(std::uint64_t seed, std::uint64_t number, std::size_t changes);

}  // namespace benzer::experiments
