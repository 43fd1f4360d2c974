// Keeps words of texts, as hashes in one long row, and compares runs of them.
//
// Between parts of texts that do not follow one another is a word that equals no other. So no two
// equal runs reach across the end of a part, and no function needs to know where parts end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/column_table.h"
#include "base/workspace.h"

namespace benzer {

// Where a word is in the row.
using WordPlace = std::uint64_t;

class KeptWords {
 public:
  explicit KeptWords(Workspace& workspace);

  // Appends a part of a text, with its boundary, and returns the place of its first word.
  WordPlace append(std::span<const std::uint64_t> part);
  // Ends the row. Must be called after the last part and before the first comparison.
  void finish();
  std::uint64_t size() const noexcept { return pages_.size() * kPageWords + page_.size(); }

  // A number for all that is found in the row: of what was given to add_to_digest(). Rows of equal
  // words have equal numbers if their words have equal seeds.
  std::uint64_t digest() const noexcept { return digest_; }
  void add_to_digest(std::string_view bytes);

 private:
  friend class WordComparer;
  void add(std::uint64_t word);
  void add_boundary();

  // Set in boundaries, and not in words.
  static constexpr std::uint64_t kBoundary = 1;
  static constexpr std::size_t kPageWords = 512;
  // A hash of all words before is kept of every so many words.
  static constexpr std::size_t kBlock = 64;

  ColumnTable pages_;                // of kPageWords each
  std::vector<std::uint64_t> page_;  // the last one, as far as it is filled
  // Polynomials modulo 2^61 - 1, of the words before each block: an eighth of a byte for each word,
  // which stays in memory.
  std::vector<std::uint64_t> hashes_;
  std::uint64_t hash_ = 0;
  std::uint64_t base_;
  std::uint64_t digest_ = 0;
  std::uint64_t boundary_;  // grows, so that each is another word
};

// Compares runs of kept words. Threads: one.
class WordComparer {
 public:
  explicit WordComparer(const KeptWords& words);

  std::uint64_t word(WordPlace place);
  // Returns whether a part of a text ends before this place.
  bool is_boundary(WordPlace place) { return (word(place) & KeptWords::kBoundary) != 0; }
  // Returns how many words are equal from both places on, which must differ; the first `known` are.
  // Cost: a look at some 1,100 words at most, and some microseconds for a longer run.
  std::uint64_t equal(WordPlace a, WordPlace b, std::uint64_t known = 0);
  // Looks at up to `most` words from both places on, and returns how many are equal.
  std::uint64_t equal_up_to(WordPlace a, WordPlace b, std::uint64_t most);

 private:
  // Returns the words from a place on that can be had at once, and whether they are in copies_.
  std::span<const std::uint64_t> words(WordPlace place, bool* is_copy = nullptr);
  // Returns the hash of all words before the place.
  std::uint64_t hash_before(WordPlace place);
  std::uint64_t power(std::uint64_t exponent) const noexcept;

  // A copy of a page that is in the file.
  static constexpr std::size_t kCopies = 128;
  struct PageCopy {
    std::uint64_t page = ~std::uint64_t{0};
    std::vector<char> words;
  };

  const KeptWords& row_;
  std::vector<PageCopy> copies_;
  std::array<std::uint64_t, 64> powers_;  // of the base: to 2^i
};

}  // namespace benzer
