#include "features/dictionary_words.h"

#include <cstdint>
#include <cstring>

#include <unicode/ubrk.h>
#include <unicode/uscript.h>
#include <unicode/uvernum.h>
#include <unicode/uversion.h>

#include "features/config_text.h"
#include "features/unicode.h"

namespace benzer::internal {
namespace {

// No letter of such a script is below this: the quick answer for most texts.
constexpr char32_t kFirstWithDictionary = 0x0E00;  // Thai
constexpr unsigned char kFirstLead = 0xE0;         // the first byte of it in UTF-8

// Puts a code point behind a run for the dictionary. NFKC takes the vowels Thai SARA AM and Lao AM
// apart; the dictionaries have them whole.
void append_composed(char32_t c, std::u16string& run) {
  const char16_t last = run.empty() ? u'\0' : run.back();
  if (last == u'\u0E4D' && c == U'\u0E32') {
    run.back() = u'\u0E33';
  } else if (last == u'\u0ECD' && c == U'\u0EB2') {
    run.back() = u'\u0EB3';
  } else {
    append_utf16(c, run);
  }
}

// A word of two words in Thai: without a dictionary it is one.
constexpr std::string_view kTwoWords = "ภาษาไทย";

// A text of each script with a dictionary: Thai, Lao, Khmer, Myanmar, Han.
constexpr std::u16string_view kEveryDictionary = u"ภาษา ພາສາ ភាសា မြန် 我们";

void set_text(UBreakIterator* breaks, std::u16string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  ubrk_setText(breaks, text.data(), static_cast<std::int32_t>(text.size()), &status);
  if (U_FAILURE(status))
    throw Error(
        ErrorCode::kBadInput,
        fmt::format("ICU could not find the words of a text and reports {}.", u_errorName(status)));
}

// An iterator takes a dictionary by the script of the first character that needs one. A sign that
// scripts share, such as the one that makes a vowel of Kana long, has none: the words of a run that
// begins with it would depend on what the iterator has cut before.
void take_every_dictionary(UBreakIterator* breaks) {
  set_text(breaks, kEveryDictionary);
  while (ubrk_next(breaks) != UBRK_DONE) {
  }
}

std::vector<std::size_t> ends_of_code_points(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= text.size(); ++i)
    if (i == text.size() || (text[i] & 0xC0) != 0x80) ends.push_back(i);
  return ends;
}

bool are_dictionaries_there() {
  return DictionaryCutter().cut(kTwoWords, ends_of_code_points(kTwoWords)).size() > 1;
}

}  // namespace

bool has_dictionary(std::string_view unit) noexcept {
  if (unit.empty() || static_cast<unsigned char>(unit.front()) < kFirstLead) return false;
  std::size_t at = 0;
  std::uint64_t replaced = 0;
  const char32_t c = next_code_point(unit, at, replaced);
  if (c < kFirstWithDictionary || char_class(c) != CharClass::kCut) return false;
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(c), &status)) {
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_COMMON:  // shared by these, as the sign that makes a vowel of Kana long
      return true;
    default:
      return false;
  }
}

void check_dictionaries(std::string_view whole) {
  static const bool there = are_dictionaries_there();
  if (!there)
    fail(
        "features {} need the dictionaries of words of ICU, which this ICU was built without: use "
        "an ICU with them (that of Debian has them), or text:wordN",
        in_quotes(whole));
}

std::string dictionary_mark() {
  UVersionInfo numbers;
  u_getVersion(numbers);
  return fmt::format("icu{}", numbers[0]);
}

DictionaryCutter::DictionaryCutter() : breaks_(nullptr) {
  UErrorCode status = U_ZERO_ERROR;
  breaks_ = ubrk_open(UBRK_WORD, "", nullptr, 0, &status);
  if (U_FAILURE(status))
    fail("ICU cannot find words in texts without spaces: it reports {}", u_errorName(status));
  take_every_dictionary(breaks_);
}

DictionaryCutter::~DictionaryCutter() { ubrk_close(breaks_); }

const std::vector<std::size_t>& DictionaryCutter::cut(std::string_view run,
                                                      const std::vector<std::size_t>& ends) {
  words_.clear();
  utf16_.clear();
  unit_ends_.clear();
  if (ends.size() > 1) {
    std::uint64_t replaced = 0;
    std::size_t at = 0;
    for (const std::size_t end : ends) {
      while (at < end) append_composed(next_code_point(run, at, replaced), utf16_);
      unit_ends_.push_back(utf16_.size());
    }
    set_text(breaks_, utf16_);
    std::size_t unit = 0;
    for (std::int32_t place = ubrk_next(breaks_); place != UBRK_DONE; place = ubrk_next(breaks_)) {
      const auto wanted = static_cast<std::size_t>(place);
      while (unit < unit_ends_.size() && unit_ends_[unit] < wanted) ++unit;
      // The units of a composed vowel end at the same place.
      const std::size_t first = unit;
      while (unit < unit_ends_.size() && unit_ends_[unit] == wanted) ++unit;
      if (unit > first) words_.push_back(unit);
    }
  }
  if (words_.empty() || words_.back() != ends.size()) words_.push_back(ends.size());
  return words_;
}

void DictionaryWords::start() {
  run_.clear();
  ends_.clear();
  touches_ = false;
}

void DictionaryWords::begin_output() { out_.size = out_.words = 0; }

// Every word is put where no other touches it, which a reader of edges does not see.
void DictionaryWords::put(std::string_view word) {
  out_.bytes.grow(out_.size + word.size() + kTextPadding, out_.size);
  out_.edges.grow(2 * (out_.words + 1) + kEdgePadding, 2 * out_.words);
  std::memcpy(out_.bytes.data() + out_.size, word.data(), word.size());
  std::uint32_t* edge = out_.edges.data() + 2 * out_.words++;
  edge[0] = static_cast<std::uint32_t>(out_.size);
  out_.size += word.size();
  edge[1] = static_cast<std::uint32_t>(out_.size);
}

void DictionaryWords::end_run() {
  if (ends_.empty()) return;
  std::size_t begin = 0;
  for (const std::size_t units : cutter_.cut(run_, ends_)) {
    put(std::string_view(run_).substr(begin, ends_[units - 1] - begin));
    begin = ends_[units - 1];
  }
  run_.clear();
  ends_.clear();
}

const WordText* DictionaryWords::take(const WordText* piece) {
  const std::uint32_t* edges = piece->edges.data();
  bool needed = !ends_.empty();
  for (std::size_t i = 0; i < piece->words && !needed; ++i) needed = has_dictionary(piece->word(i));
  if (!needed) return piece;
  begin_output();
  for (std::size_t i = 0; i < piece->words; ++i) {
    const std::string_view word = piece->word(i);
    const bool touches = i > 0 ? edges[2 * i] == edges[2 * i - 1] : touches_ && edges[0] == 0;
    const bool is_unit = has_dictionary(word);
    if (!touches || !is_unit || run_.size() + word.size() > kMostRunBytes) end_run();
    if (is_unit) {
      run_ += word;
      ends_.push_back(run_.size());
    } else {
      put(word);
    }
  }
  if (piece->words > 0) {
    touches_ = edges[2 * piece->words - 1] == piece->size;
  } else {
    touches_ = touches_ && piece->size == 0;
  }
  return &out_;
}

const WordText& DictionaryWords::finish() {
  begin_output();
  end_run();
  return out_;
}

}  // namespace benzer::internal
