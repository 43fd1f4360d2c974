// Decides which whole parts of a text are cut because all of their words are in passages.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "benzer/features.h"
#include "benzer/passages.h"

namespace benzer {

// words: the places of all words of the text. passages: in order. Returns the cuts in order.
std::vector<PassageCut> cuts_of(std::string_view text, std::span<const TextRange> words,
                                std::span<const Passage> passages, CutAt at);

}  // namespace benzer
