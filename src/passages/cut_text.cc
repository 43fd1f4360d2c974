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

std::string without_cuts(std::string_view text, std::span<const PassageCut> cuts) {
  std::string out;
  std::size_t at = 0;
  for (const PassageCut& cut : cuts) {
    out += text.substr(at, cut.begin - at);
    at = cut.end;
    // A line behind a whole line keeps its indentation.
    const bool is_whole_line = cut.end > 0 && text[cut.end - 1] == '\n';
    if (!is_whole_line && (out.empty() || is_white_space(out.back())))
      while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  }
  return out += text.substr(at);
}

}  // namespace benzer
