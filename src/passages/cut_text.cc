#include "passages/cut_text.h"

#include <algorithm>
#include <string>

#include "base/white_space.h"
#include "features/sentence_ends.h"

namespace benzer {
namespace {

// Returns the ends of the lines, line ends included.
std::vector<std::size_t> line_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = text.find('\n', at);
    at = found == std::string_view::npos ? text.size() : found + 1;
    ends.push_back(at);
  }
  return ends;
}

bool is_blank(std::string_view line) noexcept {
  return std::all_of(line.begin(), line.end(), [](char c) { return is_white_space(c); });
}

// Returns the ends of the paragraphs, the blank lines behind them included.
std::vector<std::size_t> paragraph_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  bool was_blank = false;
  for (const std::size_t end : line_ends(text)) {
    const bool blank = is_blank(text.substr(begin, end - begin));
    if (was_blank && !blank && begin > 0) ends.push_back(begin);
    was_blank = blank;
    begin = end;
  }
  if (!text.empty()) ends.push_back(text.size());
  return ends;
}

// The words [begin, end) of a text.
struct WordRange {
  std::uint64_t begin, end;
};

// Returns the words that are in passages, passages that touch as one.
std::vector<WordRange> shared_words(std::span<const Passage> passages) {
  std::vector<WordRange> out;
  for (const Passage& passage : passages) {
    const std::uint64_t begin = passage.place.first_word, end = begin + passage.words;
    if (!out.empty() && begin <= out.back().end) {
      out.back().end = std::max(out.back().end, end);
    } else {
      out.push_back({begin, end});
    }
  }
  return out;
}

// Returns the range without words at its ends that come from the same character as one outside of
// it: ½ is the words 1 and 2, and the Thai ำ a part of two.
WordRange whole_characters(std::span<const TextRange> words, WordRange range) {
  while (range.begin < range.end && range.begin > 0 &&
         words[range.begin].begin < words[range.begin - 1].end)
    ++range.begin;
  while (range.begin < range.end && range.end < words.size() &&
         words[range.end].begin < words[range.end - 1].end)
    --range.end;
  return range;
}

// Collects cuts, and joins those that follow one another.
class CutList {
 public:
  explicit CutList(std::span<const Passage> passages) : passages_(passages) {}

  void add(PassageCut cut) {
    if (!cuts_.empty() && cuts_.back().end == cut.begin) {
      cuts_.back().end = cut.end;
      cuts_.back().words += cut.words;
    } else {
      cuts_.push_back(cut);
    }
  }

  // Names the passages of each cut, which are in order and none inside another.
  std::vector<PassageCut> finish() {
    for (PassageCut& cut : cuts_) {
      const auto ends_before = [&](const Passage& passage) {
        return passage.place.first_word + passage.words <= cut.first_word;
      };
      const auto first = std::partition_point(passages_.begin(), passages_.end(), ends_before);
      const auto last = std::partition_point(first, passages_.end(), [&](const Passage& passage) {
        return passage.place.first_word < cut.first_word + cut.words;
      });
      cut.first_passage = static_cast<std::uint32_t>(first - passages_.begin());
      cut.last_passage = static_cast<std::uint32_t>(last - passages_.begin());
    }
    return std::move(cuts_);
  }

 private:
  std::span<const Passage> passages_;
  std::vector<PassageCut> cuts_;
};

std::vector<std::size_t> ends_of_parts(std::string_view text, CutAt at) {
  switch (at) {
    case CutAt::kSentence:
      return internal::sentence_ends(text);
    case CutAt::kParagraph:
      return paragraph_ends(text);
    case CutAt::kLine:
    case CutAt::kWord:
      break;
  }
  return line_ends(text);
}

// Appends what is left of a text from `at` to the cut, and returns where the text goes on. Blanks
// behind the cut go, too, if there is white space in front of it, or nothing.
std::size_t append_up_to(const PassageCut& cut, std::string_view text, std::size_t at,
                         std::string& out) {
  out += text.substr(at, cut.begin - at);
  at = cut.end;
  // A line behind a whole line keeps its indentation.
  const bool is_whole_line = cut.end > 0 && text[cut.end - 1] == '\n';
  if (!is_whole_line && (out.empty() || is_white_space(out.back())))
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  return at;
}

// Returns whether two pieces of text have other words together than apart. Of long ones that is
// not worked out: they count as if they had.
bool join(std::string_view left, std::string_view right, const FeatureExtractor& extractor) {
  constexpr std::size_t kLongest = 1024;
  if (left.size() > kLongest || right.size() > kLongest) return true;
  std::vector<TextRange> apart = extractor.word_places(left);
  for (const TextRange& word : extractor.word_places(right))
    apart.push_back({word.begin + left.size(), word.end + left.size()});
  return extractor.word_places(std::string(left) + std::string(right)) != apart;
}

}  // namespace

std::vector<PassageCut> cuts_of(std::string_view text, std::span<const TextRange> words,
                                std::span<const Passage> passages, CutAt at) {
  CutList cuts(passages);
  const std::vector<WordRange> shared = shared_words(passages);
  if (at == CutAt::kWord) {
    for (const WordRange& range : shared) {
      const auto [begin, end] = whole_characters(words, range);
      if (begin < end) cuts.add({words[begin].begin, words[end - 1].end, begin, end - begin});
    }
    return cuts.finish();
  }
  auto range = shared.begin();
  std::uint64_t word = 0;  // the first that is not before this part
  std::size_t begin = 0;
  for (const std::size_t end : ends_of_parts(text, at)) {
    const std::uint64_t first = word;
    // A word that reaches into the next part belongs to that.
    while (word < words.size() && words[word].end <= end) ++word;
    while (range != shared.end() && range->end < word) ++range;
    const bool is_shared =
        word > first && range != shared.end() && range->begin <= first && word <= range->end;
    const bool is_whole = word == words.size() || words[word].begin >= end;
    if (is_shared && is_whole && (first == 0 || words[first].begin >= begin))
      cuts.add({begin, end, first, word - first});
    begin = end;
  }
  return cuts.finish();
}

void keep_words_apart(std::string_view text, std::span<const TextRange> words,
                      const FeatureExtractor& extractor, std::span<PassageCut> cuts) {
  const bool by_dictionary = extractor.spec().text()->kind == TextFeatures::Kind::kDictionaryWords;
  std::string left;
  std::size_t at = 0, last_word = 0;  // where the last word of `left` begins
  std::uint64_t word = 0;             // the first one behind the last cut
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    PassageCut& cut = cuts[i];
    if (word < cut.first_word) last_word = left.size() + words[cut.first_word - 1].begin - at;
    const bool touches_left = word < cut.first_word && words[cut.first_word - 1].end == cut.begin;
    at = append_up_to(cut, text, at, left);
    word = cut.first_word + cut.words;
    if (left.empty() || is_white_space(left.back()) || at == text.size() ||
        is_white_space(text[at]))
      continue;
    // What is left behind the cut, up to the end of its first word.
    const bool is_last = i + 1 == cuts.size();
    std::size_t end = is_last ? text.size() : cuts[i + 1].begin;
    const bool has_word = word < (is_last ? words.size() : cuts[i + 1].first_word);
    if (has_word) end = words[word].end;
    const std::string_view right = text.substr(at, end - at);
    // Dictionaries join letters to words according to all letters around them.
    const bool touches = touches_left && has_word && words[word].begin == at;
    cut.leaves_blank = (by_dictionary && touches) ||
                       join(std::string_view(left).substr(last_word), right, extractor);
    if (cut.leaves_blank) left += ' ';
  }
}

std::string without_cuts(std::string_view text, std::span<const PassageCut> cuts) {
  std::string out;
  std::size_t at = 0;
  for (const PassageCut& cut : cuts) {
    at = append_up_to(cut, text, at, out);
    if (cut.leaves_blank) out += ' ';
  }
  return out += text.substr(at);
}

}  // namespace benzer
