// Words so frequent in a language that they say little about a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "features/hash.h"

namespace benzer::internal {

// "de, en, ...", for messages.
std::string stop_word_languages();

bool has_stop_words(std::string_view language) noexcept;

// The words in folded form, as they stand in normalised text.
std::vector<std::string> stop_words(std::string_view language);

// Knows stop words by their unit hash, the same that decides whether two words are one. No branch
// depends on the word: every other word of a text is a stop word, and nobody can guess which.
class StopFilter {
 public:
  StopFilter() = default;
  StopFilter(std::string_view language, const HashKeys& keys);

  bool empty() const noexcept { return buckets_.empty(); }

  // Not to be asked of an empty filter.
  bool contains(std::uint64_t hash) const noexcept {
    bool found = false;
    for (const std::uint64_t other : buckets_[hash & mask_]) found |= other == hash;
    return found;
  }

 private:
  using Bucket = std::array<std::uint64_t, 4>;

  // Puts the hash into its bucket; false if that is full.
  bool insert(std::uint64_t hash);

  std::vector<Bucket> buckets_;  // unused places hold a hash that belongs into another bucket
  std::size_t mask_ = 0;
};

}  // namespace benzer::internal
