// Reduces words to their stems, so that "connected" and "connections" are one feature: the
// algorithms of Snowball (snowballstem.org), one for each language.
//
// A build without libstemmer has no_stemmer.cc in place of stemmer.cc. It knows no language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/hash.h"

struct sb_stemmer;

namespace benzer::internal {

// Words of more bytes are left as they are: some algorithms take time in proportion to the square
// of the length, and no word of a language is that long.
inline constexpr std::size_t kMostStemBytes = 255;

// Returns false in a build without libstemmer.
bool has_stemming() noexcept;

// Throws Error(kInvalidArgument) if words of this language ("en") cannot be stemmed: Snowball does
// not have it, or the build has no stemming. whole: the spelling of the features, for the message.
void check_stem_language(std::string_view language, std::string_view whole);

// Returns the mark of the rules for a language (rules_mark.h): a checksum of the stems of the words
// in stem_probe.words, of what remains of them when letters are cut off, and of these words with
// the ends of others. It is computed once, in a few milliseconds. Empty for an unknown language.
std::string stem_mark(std::string_view language);

// Stems the words of one language. Threads: one.
class Stemmer {
 public:
  // Throws what check_stem_language() throws.
  explicit Stemmer(std::string_view language);
  ~Stemmer();
  Stemmer(const Stemmer&) = delete;
  Stemmer& operator=(const Stemmer&) = delete;

  // Returns the stem of a normalised word, which is valid UTF-8. It is the word itself if the word
  // is longer than kMostStemBytes or nothing would remain of it. Valid until the next call, and as
  // long as the word.
  std::string_view stem(std::string_view word);

 private:
  sb_stemmer* stemmer_;
};

// Returns the hashes of stems, and remembers those of the last different words, in 256 KiB: most
// words of a text were seen a moment before, and stemming one takes as long as hashing thirty.
// Threads: one.
class StemHashes {
 public:
  StemHashes(std::string_view language, const HashKeys& keys)
      : language_(language), keys_(keys), stemmer_(language), known_(kKnown) {}

  const std::string& language() const noexcept { return language_; }
  std::uint64_t seed() const noexcept { return keys_.seed; }

  // hash: that of the word. It only chooses the place where the word is remembered: a text can be
  // written in which different words have the same hash.
  std::uint64_t of(std::string_view word, std::uint64_t hash) {
    if (word.size() > sizeof(Known::word)) return hash_unit(stemmer_.stem(word), keys_);
    Known& known = known_[hash % kKnown];
    if (std::string_view(known.word, known.size) != word) {
      known.stem_hash = hash_unit(stemmer_.stem(word), keys_);
      known.size = static_cast<std::uint8_t>(word.size());
      word.copy(known.word, word.size());
    }
    return known.stem_hash;
  }

 private:
  struct Known {  // a cache line; no word is empty, so size 0 means that the place is unused
    std::uint64_t stem_hash = 0;
    std::uint8_t size = 0;
    char word[55] = {};
  };
  static constexpr std::size_t kKnown = std::size_t{1} << 12;

  std::string language_;
  HashKeys keys_;
  Stemmer stemmer_;
  std::vector<Known> known_;
};

}  // namespace benzer::internal
