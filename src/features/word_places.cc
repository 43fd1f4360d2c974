// Finds where the words of a text are, block by block. Blocks end where no word and no character
// reaches across. Most have only characters that become one character each, whatever is around
// them; what the others become is followed step by step.
#include <algorithm>
#include <string_view>

#include "benzer/features.h"
#include "benzer/runtime.h"

#include "features/kernels/text_kernels.h"
#include "features/scan.h"
#include "features/unicode.h"

namespace benzer {
namespace {

// A block ends at the first place beyond this size where a text may be cut.
constexpr std::size_t kBlockBytes = 256;

bool is_ascii(std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

// Returns whether a text may be cut before this byte: a blank or line end, unless a mark follows
// that may belong to it, or the blank, comma or full stop of East Asian scripts (U+3000 to U+3002).
// They end words, and compose with nothing before them.
bool may_cut(std::string_view text, std::size_t at) noexcept {
  const char c = text[at];
  if (c == ' ' || c == '\n') {
    std::size_t after = at + 1;
    if (after == text.size()) return false;
    std::uint64_t replaced = 0;
    const char32_t next = internal::next_code_point(text, after, replaced);
    const internal::CodePoint entry = internal::CodePoints::get().block(next).entries[next & 0xFF];
    return entry.kind == internal::CodePoint::Kind::kPlain;
  }
  return text.substr(at, 2) == "\xE3\x80" && at + 2 < text.size() &&
         (text[at + 2] & 0xFF) <= 0x82 && (text[at + 2] & 0x80);
}

std::size_t end_of_block(std::string_view text, std::size_t begin) noexcept {
  std::size_t end = std::min(begin + kBlockBytes, text.size());
  while (end < text.size() && !may_cut(text, end)) ++end;
  return end;
}

// Appends the words of a block by the rule of text:word1 (internal::reference_words() has it step
// by step). Returns false, and appends nothing, if a character may change with its neighbours, or
// if it is one that dictionaries would join to words.
bool append_plain_words(std::string_view block, std::size_t begin, bool by_dictionary,
                        std::vector<TextRange>& places) {
  using internal::CharClass;
  const internal::CodePoints& table = internal::CodePoints::get();
  const std::size_t before = places.size();
  enum { kOutside, kInWord, kInCut } state = kOutside;
  std::uint64_t replaced = 0;
  for (std::size_t at = 0; at < block.size();) {
    const std::size_t start = at;
    const char32_t c = internal::next_code_point(block, at, replaced);
    const internal::CodePoint entry = table.block(c).entries[c & 0xFF];
    const CharClass kind = entry.char_class;
    if (entry.kind != internal::CodePoint::Kind::kPlain ||
        (kind == CharClass::kCut && by_dictionary)) {
      places.resize(before);
      return false;
    }
    if (kind == CharClass::kOther) {
      state = kOutside;
      continue;
    }
    const bool is_new = state == kOutside || kind == CharClass::kCut ||
                        (kind == CharClass::kWord && state == kInCut);
    if (is_new) places.push_back({begin + start, 0});
    places.back().end = begin + at;
    if (is_new) state = kind == CharClass::kCut ? kInCut : kInWord;
  }
  return true;
}

}  // namespace

std::vector<TextRange> FeatureExtractor::word_places(std::string_view readable) const {
  const internal::TextKernels& kernels = internal::text_kernels(active_cpu_level());
  const TextFeatures& rule = *spec().text();
  const bool by_dictionary = rule.kind == TextFeatures::Kind::kDictionaryWords;
  internal::WordText words;
  std::vector<TextRange> places;
  for (std::size_t begin = 0, end = 0; begin < readable.size(); begin = end) {
    end = end_of_block(readable, begin);
    const std::string_view block = readable.substr(begin, end - begin);
    if (rule.stop.empty() && is_ascii(block) && block.size() < internal::kPieceBytes) {
      internal::WordReader reader(internal::WordReader::Rule::kWords, block, kernels,
                                  internal::kPieceBytes, nullptr, words);
      while (reader.next())
        for (std::size_t i = 0; i < words.words; ++i)
          places.push_back(
              {begin + words.edges.data()[2 * i], begin + words.edges.data()[2 * i + 1]});
    } else if (!rule.stop.empty() || !append_plain_words(block, begin, by_dictionary, places)) {
      for (const TextTrace::Shingle& word : trace_readable(block).shingles)
        places.push_back({begin + word.begin, begin + word.end});
    }
  }
  return places;
}

}  // namespace benzer
