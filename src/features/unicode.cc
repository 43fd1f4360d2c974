#include "features/unicode.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

namespace benzer::internal {
namespace {

// Scripts whose texts put no space between words.
constexpr UScriptCode kScriptsWithoutSpaces[] = {
    USCRIPT_AHOM,        USCRIPT_BALINESE, USCRIPT_BOPOMOFO, USCRIPT_HAN,
    USCRIPT_HIRAGANA,    USCRIPT_JAVANESE, USCRIPT_KATAKANA, USCRIPT_KHITAN_SMALL_SCRIPT,
    USCRIPT_KHMER,       USCRIPT_LAO,      USCRIPT_LANNA,    USCRIPT_MYANMAR,
    USCRIPT_NEW_TAI_LUE, USCRIPT_NUSHU,    USCRIPT_TAI_LE,   USCRIPT_TAI_VIET,
    USCRIPT_TANGUT,      USCRIPT_THAI,     USCRIPT_YI,
};

bool is_without_spaces(UScriptCode script) noexcept {
  for (const UScriptCode other : kScriptsWithoutSpaces) {
    if (script == other) return true;
  }
  return false;
}

// Returns true if all scripts that use the code point put no space between words: a tone letter
// that Latin shares with Han is no reason to cut a Latin word.
bool is_cut(char32_t c) noexcept {
  if (c < 0x80) return false;
  UScriptCode scripts[64];
  UErrorCode status = U_ZERO_ERROR;
  const int count = uscript_getScriptExtensions(static_cast<UChar32>(c), scripts, 64, &status);
  if (U_FAILURE(status)) return false;
  for (int i = 0; i < count; ++i) {
    if (!is_without_spaces(scripts[i])) return false;
  }
  return count > 0;
}

void check(UErrorCode status) {
  if (U_FAILURE(status)) {
    throw Error(ErrorCode::kBadInput, std::string("ICU could not normalise a text and reports ") +
                                          u_errorName(status) + ".");
  }
}

using Instance = const UNormalizer2* (*)(UErrorCode*);

const UNormalizer2* instance(Instance get) {
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* found = get(&status);
  check(status);
  return found;
}

const UNormalizer2* casefold() { return instance(unorm2_getNFKCCasefoldInstance); }

std::u16string normalise(std::u16string_view text, const UNormalizer2* form) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max() / 2)) {
    throw Error(ErrorCode::kBadInput, "A text has more than 1,073,741,823 characters.");
  }
  const auto size = static_cast<std::int32_t>(text.size());
  std::u16string out(text.size() + 16, u'\0');
  for (;;) {
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t needed = unorm2_normalize(form, text.data(), size, out.data(),
                                                 static_cast<std::int32_t>(out.size()), &status);
    if (status != U_BUFFER_OVERFLOW_ERROR) check(status);
    out.resize(static_cast<std::size_t>(needed));
    if (status != U_BUFFER_OVERFLOW_ERROR) return out;
  }
}

std::uint8_t combining_class(char32_t c) noexcept {
  return u_getCombiningClass(static_cast<UChar32>(c));
}

// Stores the UTF-8 of a code point in the entry as a number, the first byte lowest.
void put_utf8(char32_t c, CodePoint& entry) noexcept {
  std::uint8_t bytes[U8_MAX_LENGTH] = {};
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  entry.size = static_cast<std::uint8_t>(size);
  for (std::size_t i = 0; i < size; ++i) {
    entry.bytes |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
  }
}

CodePoint describe(char32_t c, const UNormalizer2* form, std::u32string& many) {
  const auto code = static_cast<UChar32>(c);
  CodePoint entry{};
  // Most code points never change, whatever is next to them.
  if (unorm2_isInert(form, code)) {
    entry.kind = CodePoint::Kind::kPlain;
    entry.char_class = char_class(c);
    put_utf8(c, entry);
    return entry;
  }
  const bool boundary = unorm2_hasBoundaryBefore(form, code);
  std::u16string utf16;
  append_utf16(c, utf16);
  const std::u32string result = to_utf32(normalise(utf16, form));
  if (result.empty()) {
    entry.kind = CodePoint::Kind::kGone;
    return entry;
  }
  entry.combines = combining_class(result.back());
  // A mark that neither changes nor composes with what is before it can only be moved, and is not
  // if the marks before it have no higher class: the quick check of Unicode Standard Annex 15.
  const bool stays = result.size() == 1 && result[0] == c &&
                     u_getIntPropertyValue(code, UCHAR_NFC_QUICK_CHECK) == UNORM_YES;
  entry.kind = boundary ? CodePoint::Kind::kPlain
               : stays  ? CodePoint::Kind::kMark
                        : CodePoint::Kind::kOpen;
  if (result.size() > 1) {
    if (boundary) entry.kind = CodePoint::Kind::kMany;
    entry.bytes = static_cast<std::uint32_t>(many.size());
    entry.size = static_cast<std::uint8_t>(result.size());
    many += result;
    return entry;
  }
  entry.char_class = char_class(result[0]);
  put_utf8(result[0], entry);
  return entry;
}

// ICU sorts marks by insertion, which takes days for a hostile megabyte of them. Only texts with
// more marks in a row than this are not handed to it as they are.
constexpr std::size_t kManyMarks = 64;

// Reads the code point at `at` and moves `at` past it.
char32_t next_of_utf16(std::u16string_view text, std::size_t& at) noexcept {
  UChar32 c;
  U16_NEXT(text.data(), at, text.size(), c);
  return static_cast<char32_t>(c);
}

bool has_many_marks(std::u16string_view text) {
  if (text.size() <= kManyMarks) return false;
  std::size_t run = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_of_utf16(text, at);
    run = c < 0x80 || starts_segment(c) ? 0 : run + 1;
    if (run > kManyMarks) return true;
  }
  return false;
}

// Remembers what each code point is mapped to, decomposed, so that ICU is asked once for each. (A
// text has many code points, but few different ones.)
class TakenApart {
 public:
  const std::u32string& of(char32_t c) {
    const auto [place, fresh] = known_.try_emplace(c);
    if (fresh) {
      std::u16string one;
      append_utf16(c, one);
      place->second = to_utf32(normalise(normalise(one, casefold()), decompose_));
    }
    return place->second;
  }

 private:
  const UNormalizer2* decompose_ = instance(unorm2_getNFDInstance);
  std::unordered_map<char32_t, std::u32string> known_;
};

// Returns NFKC_Casefold of a text in linear time. It is NFC of what the code points are mapped to
// one by one, so the marks may be brought into canonical order in between: by a bucket sort, with a
// list for each combining class.
std::u16string normalise_many_marks(std::u16string_view text, const std::atomic<bool>* stop) {
  constexpr std::size_t kLookAround = std::size_t{1} << 16;
  TakenApart taken_apart;
  std::array<std::u16string, 256> marks;
  std::vector<std::uint8_t> used;
  std::u16string ordered;
  const auto put_marks = [&] {
    std::sort(used.begin(), used.end());
    for (const std::uint8_t combines : used) {
      ordered += marks[combines];
      // A large list gives its memory back: the next run may be of another class.
      if (marks[combines].size() > kLookAround) std::u16string().swap(marks[combines]);
      marks[combines].clear();
    }
    used.clear();
  };
  for (std::size_t at = 0, next = 0; at < text.size();) {
    if (at >= next) {
      throw_if_stopped(stop);
      next = at + kLookAround;
    }
    for (const char32_t c : taken_apart.of(next_of_utf16(text, at))) {
      const std::uint8_t combines = combining_class(c);
      if (combines != 0) {
        if (marks[combines].empty()) used.push_back(combines);
        append_utf16(c, marks[combines]);
      } else {
        put_marks();
        append_utf16(c, ordered);
      }
    }
  }
  put_marks();
  return normalise(ordered, instance(unorm2_getNFCInstance));
}

}  // namespace

CharClass char_class(char32_t c) noexcept {
  const auto mask = U_GET_GC_MASK(static_cast<UChar32>(c));
  if (mask & U_GC_M_MASK) return CharClass::kMark;
  if (mask & U_GC_ND_MASK) return CharClass::kWord;
  if (mask & (U_GC_L_MASK | U_GC_N_MASK)) {
    return is_cut(c) ? CharClass::kCut : CharClass::kWord;
  }
  return CharClass::kOther;
}

std::u16string nfkc_casefold(std::u16string_view text, const std::atomic<bool>* stop) {
  return has_many_marks(text) ? normalise_many_marks(text, stop) : normalise(text, casefold());
}

bool starts_segment(char32_t c) {
  return unorm2_hasBoundaryBefore(casefold(), static_cast<UChar32>(c));
}

char32_t next_code_point(std::string_view text, std::size_t& at, std::uint64_t& replaced) noexcept {
  const auto lead = static_cast<std::uint8_t>(text[at++]);
  if (lead < 0x80) return lead;
  // Table 3-7 of the Unicode Standard says what may follow a lead byte. Of a sequence that breaks
  // off, the valid beginning is replaced.
  int following = lead < 0xC2 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : lead < 0xF5 ? 3 : 0;
  std::uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  std::uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t c = lead & (following == 1 ? 0x1F : following == 2 ? 0x0F : 0x07);
  bool valid = following > 0;
  for (; valid && following > 0; --following) {
    const auto byte = at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
    valid = byte >= least && byte <= most;
    if (!valid) break;
    c = c << 6 | (byte & 0x3F);
    ++at;
    least = 0x80;
    most = 0xBF;
  }
  if (valid) return c;
  ++replaced;
  return 0xFFFD;
}

void append_utf8(char32_t c, std::string& out) {
  char bytes[U8_MAX_LENGTH];
  std::size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, c);
  out.append(bytes, size);
}

void append_utf16(char32_t c, std::u16string& out) {
  if (c >= 0x10000) out.push_back(U16_LEAD(c));
  out.push_back(c >= 0x10000 ? static_cast<char16_t>(U16_TRAIL(c)) : static_cast<char16_t>(c));
}

std::u32string to_utf32(std::u16string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    UChar32 c;
    U16_NEXT(text.data(), i, text.size(), c);
    out.push_back(static_cast<char32_t>(c));
  }
  return out;
}

std::string to_utf8(std::u16string_view text) {
  std::string out;
  for (const char32_t c : to_utf32(text)) append_utf8(c, out);
  return out;
}

const CodePoints& CodePoints::get() noexcept {
  static const CodePoints table;
  return table;
}

CodePoints::~CodePoints() {
  for (const auto& block : blocks_) delete block.load(std::memory_order_relaxed);
}

const CodePoints::Block& CodePoints::make_block(std::size_t number) const {
  auto made = std::make_unique<Block>();
  const UNormalizer2* form = casefold();
  for (std::size_t i = 0; i < made->entries.size(); ++i) {
    made->entries[i] = describe(static_cast<char32_t>(number << 8 | i), form, made->many);
  }
  // Two threads may make the same block; the copy of the second is thrown away.
  const Block* expected = nullptr;
  if (blocks_[number].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *expected;
}

}  // namespace benzer::internal
