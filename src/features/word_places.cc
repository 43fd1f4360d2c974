// Finds where the words of a text are. ASCII is read by the fast path; other text is followed word
// by word, in small blocks that end where no word and no character reaches across.
#include <algorithm>
#include <string_view>

#include "benzer/features.h"
#include "benzer/runtime.h"

#include "features/kernels/text_kernels.h"
#include "features/scan.h"

namespace benzer {
namespace {

// A block ends at the first place beyond this size where a text may be cut.
constexpr std::size_t kBlockBytes = 1024;

bool is_ascii(std::string_view text) noexcept {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

// Returns whether a text may be cut before this byte: white space that ASCII follows, or the blank,
// comma or full stop of East Asian scripts (U+3000 to U+3002). They end words, and compose with
// nothing before them.
bool may_cut(std::string_view text, std::size_t at) noexcept {
  const char c = text[at];
  if (c == ' ' || c == '\n') return at + 1 < text.size() && !(text[at + 1] & 0x80);
  return text.substr(at, 2) == "\xE3\x80" && at + 2 < text.size() &&
         (text[at + 2] & 0xFF) <= 0x82 && (text[at + 2] & 0x80);
}

std::size_t end_of_block(std::string_view text, std::size_t begin) noexcept {
  std::size_t end = std::min(begin + kBlockBytes, text.size());
  while (end < text.size() && !may_cut(text, end)) ++end;
  return end;
}

}  // namespace

std::vector<TextRange> FeatureExtractor::word_places(std::string_view readable) const {
  const internal::TextKernels& kernels = internal::text_kernels(active_cpu_level());
  internal::WordText words;
  std::vector<TextRange> places;
  for (std::size_t begin = 0, end = 0; begin < readable.size(); begin = end) {
    end = end_of_block(readable, begin);
    const std::string_view block = readable.substr(begin, end - begin);
    if (!spec().text()->stop.empty() || block.size() >= internal::kPieceBytes || !is_ascii(block)) {
      for (const TextTrace::Shingle& word : trace_readable(block).shingles)
        places.push_back({begin + word.begin, begin + word.end});
      continue;
    }
    internal::WordReader reader(internal::WordReader::Rule::kWords, block, kernels,
                                internal::kPieceBytes, nullptr, words);
    while (reader.next())
      for (std::size_t i = 0; i < words.words; ++i)
        places.push_back(
            {begin + words.edges.data()[2 * i], begin + words.edges.data()[2 * i + 1]});
  }
  return places;
}

}  // namespace benzer
