#include "research/experiments/made_texts.h"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "research/experiments/draws.h"

namespace benzer::experiments {
namespace {

constexpr std::uint64_t kVocabulary = 50'000;
constexpr std::uint64_t kOneCopyIn = 10;  // one text in this many is a near-copy of an earlier one
constexpr std::size_t kMostChanges = 3;

// Few words are frequent and most are rare, as in any language: the word of rank r occurs about as
// often as 1/r.
std::uint64_t draw_word(Draws& draws) {
  return static_cast<std::uint64_t>(std::pow(static_cast<double>(kVocabulary), draws.unit())) - 1;
}

void append_word(std::string& out, std::uint64_t word) {
  constexpr std::array<std::string_view, 16> kSyllables = {"ka", "lo", "mi", "ne", "ru", "sa",
                                                           "ti", "vo", "pe", "da", "gu", "hi",
                                                           "bo", "fa", "ze", "wu"};
  do {
    out += kSyllables[word % kSyllables.size()];
    word /= kSyllables.size();
  } while (word > 0);
}

std::vector<std::uint64_t> draw_words(std::uint64_t seed, std::uint64_t number) {
  Draws draws(seed, 0x7E87, number);
  std::vector<std::uint64_t> words(kMadeWords);
  for (auto& word : words) word = draw_word(draws);
  return words;
}

}  // namespace

std::string changed_text(std::uint64_t seed, std::uint64_t number, std::size_t changes) {
  std::vector<std::uint64_t> words = draw_words(seed, number);
  Draws draws(seed, 0xC4A6ED, number * 64 + changes);
  for (std::size_t i = 0; i < changes; ++i) words[draws.below(words.size())] = draw_word(draws);
  std::string out;
  for (const std::uint64_t word : words) {
    if (!out.empty()) out += ' ';
    append_word(out, word);
  }
  return out;
}

std::string made_text(std::uint64_t seed, std::uint64_t number) {
  if (number % kOneCopyIn != kOneCopyIn - 1) return changed_text(seed, number, 0);
  // Copies a text that is itself an original.
  Draws draws(seed, 0xC097, number);
  std::uint64_t original = draws.below(number);
  if (original % kOneCopyIn == kOneCopyIn - 1) --original;
  return changed_text(seed, original, 1 + draws.below(kMostChanges));
}

}  // namespace benzer::experiments
