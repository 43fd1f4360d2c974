// Cuts the texts of scripts without spaces into words, by the dictionaries of ICU: the rule of
// text:wordsN. The scripts are those for which ICU has a dictionary: Thai, Lao, Khmer, Myanmar, and
// Han with Hiragana and Katakana.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/scan.h"

struct UBreakIterator;

namespace benzer::internal {

// The most bytes of a text without spaces that the dictionary sees at a time. It bounds the memory,
// which for Chinese and Japanese is over 100 bytes for each byte of text.
inline constexpr std::size_t kMostRunBytes = std::size_t{1} << 14;

// Returns true for a unit (a code point that is a word of its own in text:wordN, with its marks)
// of a script with a dictionary. It looks at the first code point.
bool has_dictionary(std::string_view unit) noexcept;

// Throws Error(kInvalidArgument) if this ICU was built without dictionaries. whole: the spelling of
// the features, for the message.
void check_dictionaries(std::string_view whole);

// Returns the mark of the dictionaries (rules_mark.h): "icu72", the version of ICU whose they are.
std::string dictionary_mark();

// Finds the words in runs of units. Threads: one.
class DictionaryCutter {
 public:
  DictionaryCutter();
  ~DictionaryCutter();
  DictionaryCutter(const DictionaryCutter&) = delete;
  DictionaryCutter& operator=(const DictionaryCutter&) = delete;

  // Returns where words end, as the number of units before: strictly increasing, the last is
  // ends.size(). run: valid UTF-8 in normal form. ends: where each of its units ends, in bytes. A
  // word never ends within a unit. The result is valid until the next call.
  const std::vector<std::size_t>& cut(std::string_view run, const std::vector<std::size_t>& ends);

 private:
  UBreakIterator* breaks_;
  std::u16string utf16_;
  std::vector<std::size_t> unit_ends_;  // in utf16_
  std::vector<std::size_t> words_;
};

// Turns the words of text:wordN into those of text:wordsN, piece by piece: units that touch one
// another become a run, and the run becomes words. A run of more than kMostRunBytes is cut before
// the unit that would exceed them. Threads: one.
class DictionaryWords {
 public:
  // Begins a text.
  void start();

  // Returns the words that are known after this piece of the text. The result is valid until the
  // next call; it is `piece` where no dictionary is needed.
  const WordText* take(const WordText* piece);

  // Returns the words of the last run of the text.
  const WordText& finish();

 private:
  void put(std::string_view word);
  void end_run();
  void begin_output();

  DictionaryCutter cutter_;
  std::string run_;
  std::vector<std::size_t> ends_;  // of the units of run_
  bool touches_ = false;           // the last piece ended with run_
  WordText out_;
};

}  // namespace benzer::internal
