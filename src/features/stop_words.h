// Lists words that are so frequent in a language that they say little about a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/hash.h"

namespace benzer::internal {

// Returns "de, en, ...", for messages.
std::string stop_word_languages();

bool has_stop_words(std::string_view language) noexcept;

// Returns the mark of the list (rules_mark.h), a checksum of its words; empty for a language
// without one.
std::string stop_words_mark(std::string_view language);

// Returns the words in folded form, as normalised text has them.
std::vector<std::string> stop_words(std::string_view language);

// Recognises stop words by their unit hash, which also decides whether two words are equal. No
// branch depends on the word: about half of the words of a text are stop words, which no branch
// predictor can guess.
class StopFilter {
 public:
  StopFilter() = default;
  StopFilter(std::string_view language, const HashKeys& keys);

  bool empty() const noexcept { return buckets_.empty(); }

  // The filter must not be empty.
  bool contains(std::uint64_t hash) const noexcept {
    bool found = false;
    for (const std::uint64_t other : buckets_[hash & mask_]) found |= other == hash;
    return found;
  }

 private:
  using Bucket = std::array<std::uint64_t, 4>;

  // Puts the hash into its bucket. Returns false if that is full.
  bool insert(std::uint64_t hash);

  std::vector<Bucket> buckets_;  // unused places hold a hash that belongs to another bucket
  std::size_t mask_ = 0;
};

}  // namespace benzer::internal
