// Generates texts from a seed: words of a large vocabulary, where every tenth text is a near-copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace benzer::experiments {

inline constexpr std::size_t kMadeWords = 80;

// The text with this number. It depends on the seed and the number only.
std::string made_text(std::uint64_t seed, std::uint64_t number);

// The text with this number, with `changes` of its words replaced by others.
std::string changed_text(std::uint64_t seed, std::uint64_t number, std::size_t changes);

}  // namespace benzer::experiments
