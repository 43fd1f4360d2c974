// Decides which whole parts of a text are cut because all of their words are in passages, and which
// cuts leave a blank.
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

// Sets PassageCut::leaves_blank of the cuts around which words of the text would become one, or
// characters other words: without_cuts() then has the words of the text that are not cut. words: as
// above, by the rule of the extractor. cuts: in order.
void keep_words_apart(std::string_view text, std::span<const TextRange> words,
                      const FeatureExtractor& extractor, std::span<PassageCut> cuts);

}  // namespace benzer
