// Tells text extraction what it needs to know about each code point, from ICU.
//
// The rules are in docs/format.md. The functions are the definition; CodePoints has the same in a
// table for the fast path, made block by block when a text first needs it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace benzer::internal {

enum class CharClass : std::uint8_t {
  kOther,  // between words
  kWord,   // letter or digit
  kMark,   // combining mark: belongs to what is before it
  kCut,    // letter of a script without spaces: a word of its own, with its marks
};
inline constexpr std::size_t kCharClasses = 4;

// Returns the class of a code point by its own Unicode properties.
CharClass char_class(char32_t c) noexcept;

// Returns NFKC_Casefold of UTF-16 text. Throws Error(kInterrupted) when `stop` (may be null)
// becomes true.
// Cost: linear, however many marks follow one another: up to 100 ns for each of them, and four
// times the memory of the result.
std::u16string nfkc_casefold(std::u16string_view text, const std::atomic<bool>* stop = nullptr);

// Returns true if a text can be cut before this code point and its parts be normalised separately.
bool starts_segment(char32_t c);

// Reads one code point of UTF-8 and moves `at` past it. A maximal subpart of an invalid sequence is
// read as U+FFFD, and adds one to `replaced`.
char32_t next_code_point(std::string_view text, std::size_t& at, std::uint64_t& replaced) noexcept;

void append_utf8(char32_t c, std::string& out);
void append_utf16(char32_t c, std::u16string& out);
std::u32string to_utf32(std::u16string_view text);
std::string to_utf8(std::u16string_view text);

struct CodePoint {
  enum class Kind : std::uint8_t {
    kPlain,  // becomes one code point, whatever is before it
    kMany,   // becomes several code points, whatever is before it
    kGone,   // becomes nothing
    kMark,   // stays as it is if no mark before it in this run has a higher combining class
    kOpen,   // may change with what is before it
  };

  std::uint32_t
      bytes;          // kPlain, kMark: the UTF-8 of the result, first byte lowest; kMany: an index
  std::uint8_t size;  // of that UTF-8, or number of code points at that index
  CharClass char_class;   // of the result, if it is one code point
  std::uint8_t combines;  // combining class of the result's last code point
  Kind kind;
};

class CodePoints {
 public:
  struct Block {
    std::array<CodePoint, 256> entries;
    std::u32string many;  // the results of more than one code point, back to back
  };

  // Shared by all threads. Costs nothing before the first look-up.
  static const CodePoints& get() noexcept;

  // c must be at most 0x10FFFF and not a surrogate.
  const Block& block(char32_t c) const {
    const Block* found = blocks_[c >> 8].load(std::memory_order_acquire);
    return found != nullptr ? *found : make_block(c >> 8);
  }

  ~CodePoints();

 private:
  const Block& make_block(std::size_t number) const;

  mutable std::array<std::atomic<const Block*>, 0x1100> blocks_{};
};

}  // namespace benzer::internal
