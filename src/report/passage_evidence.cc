#include "report/passage_evidence.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/white_space.h"
#include "passages/single_words.h"
#include "report/evidence.h"
#include "report/html_text.h"

namespace benzer::report {
namespace {

using Kind = TextPiece::Kind;

constexpr std::uint64_t kEqualAfterGap = 3;
// A piece has few words, but a word may have any length.
constexpr std::size_t kPieceLetters = 1500;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white_space(text.back())) text.remove_suffix(1);
  return text;
}

// Leaves out the middle of a long text.
std::string limited(std::string_view text) {
  constexpr std::size_t kHalf = 2 * kPieceLetters;
  if (text.size() <= 2 * kHalf) return shortened(text, kPieceLetters);
  std::string ends(text.substr(0, kHalf));
  ends += text.substr(text.size() - kHalf);
  return shortened(ends, kPieceLetters);
}

void add_text(Kind kind, std::string_view text, std::vector<TextPiece>& out) {
  if (!text.empty()) out.push_back({kind, limited(text), 0, 0});
}

void add_left_out(std::uint64_t words, std::uint64_t passages, std::vector<TextPiece>& out) {
  out.push_back({Kind::kLeftOut, "", words, passages});
}

// Adds the words [begin, end) of a passage that begins with the word `first`.
void add_words(const TextCutter::Text& text, std::uint64_t begin, std::uint64_t end,
               std::uint64_t first, const std::vector<bool>& own, std::vector<TextPiece>& out) {
  if (own.empty()) {
    add_text(Kind::kEqual, text.run(begin, end), out);
    return;
  }
  const auto kind_of = [&](std::uint64_t word) {
    if (word - first >= own.size()) return Kind::kAround;  // so far into a passage nothing is known
    return own[word - first] ? Kind::kOwn : Kind::kEqual;
  };
  for (std::uint64_t at = begin; at < end;) {
    const Kind kind = kind_of(at);
    const std::uint64_t from = at;
    while (at < end && kind_of(at) == kind) ++at;
    if (from > begin) add_text(Kind::kEqual, text.before(from), out);
    add_text(kind, text.bare(from, at), out);
  }
}

// Adds the words [begin, end) of a passage, or the first and the last ones.
void add_passage_words(const TextCutter::Text& text, std::uint64_t begin, std::uint64_t end,
                       std::uint64_t first, const std::vector<bool>& own,
                       std::vector<TextPiece>& out) {
  if (end - begin <= kWholeWords) {
    add_words(text, begin, end, first, own, out);
    return;
  }
  add_words(text, begin, begin + kHeadWords, first, own, out);
  add_left_out(end - begin - kHeadWords - kTailWords, 0, out);
  add_words(text, end - kTailWords, end, first, own, out);
}

// Adds words that are in no shown passage: those next to one, and at the ends of the text.
void add_between(const TextCutter::Text& text, std::uint64_t begin, std::uint64_t end,
                 std::uint64_t passages, std::vector<TextPiece>& out) {
  if (end - begin <= 2 * kWordsAround + 10 && passages == 0) {
    add_text(Kind::kAround, trimmed(text.run(begin, end)), out);
    return;
  }
  const std::uint64_t shown = std::min(kWordsAround, (end - begin) / 3);
  add_text(Kind::kAround, trimmed(text.run(begin, begin + shown)), out);
  add_left_out(end - begin - 2 * shown, passages, out);
  add_text(Kind::kAround, trimmed(text.run(end - shown, end)), out);
}

}  // namespace

bool is_near(const Passage& passage) {
  return passage.equal_words < passage.words || passage.equal_words < passage.first_words;
}

bool is_marked_in_part(const Passage& passage) {
  return is_near(passage) && std::max(passage.words, passage.first_words) > kAlignedWords;
}

ShownDocument shown_document(const Corpus& corpus, const ChosenDocument& chosen) {
  ShownDocument out;
  out.document = reported_document(corpus, chosen.number);
  out.chosen = chosen;

  struct Count {
    std::uint64_t words = 0, passages = 0;
  };
  std::map<std::uint32_t, Count> counts;
  std::uint64_t covered = 0;
  for (const Passage& passage : chosen.kept) {
    Count& count = counts[passage.first.document];
    const std::uint64_t end = passage.place.first_word + passage.words;
    count.words += end - std::max(passage.place.first_word, covered);
    covered = end;
    ++count.passages;
  }
  std::vector<std::pair<std::uint32_t, Count>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, std::greater<>(),
                           [](const auto& each) { return each.second.words; });
  std::map<std::uint32_t, std::size_t> places;
  for (const auto& [document, count] : order) {
    places[document] = out.origins.size();
    out.origins.push_back({reported_document(corpus, document), count.words, count.passages});
  }
  for (const Passage& passage : chosen.kept)
    out.origin_of.push_back(places[passage.first.document]);

  std::vector<std::size_t> longest(chosen.kept.size());
  std::iota(longest.begin(), longest.end(), 0);
  std::ranges::stable_sort(longest, std::greater<>(),
                           [&](std::size_t i) { return chosen.kept[i].words; });
  if (longest.size() > kShownPassages) longest.resize(kShownPassages);
  std::ranges::sort(longest);
  for (const std::size_t i : longest) {
    ShownPassage& passage = out.passages.emplace_back();
    passage.passage = chosen.kept[i];
    passage.origin = out.origin_of[i];
  }
  return out;
}

OwnWords own_words(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b,
                   std::uint64_t gap) {
  OwnWords out{std::vector<bool>(a.size(), true), std::vector<bool>(b.size(), true), 0, 0};
  std::size_t i = 0, j = 0;
  const auto goes_on = [&](std::size_t x, std::size_t y) {
    if (x >= a.size() || y >= b.size()) return false;
    std::size_t equal = 0;
    while (equal < kEqualAfterGap && x < a.size() && y < b.size() && a[x] == b[y])
      ++equal, ++x, ++y;
    return equal == kEqualAfterGap;
  };
  const auto skip = [&] {
    for (std::uint64_t both = 1; both <= 2 * gap; ++both)
      for (std::uint64_t apart = 0; apart <= both / 2; ++apart)
        for (const std::uint64_t of_a : {both / 2 - apart, both - both / 2 + apart}) {
          const std::uint64_t of_b = both - of_a;
          if (of_a > gap || of_b > gap || !goes_on(i + of_a, j + of_b)) continue;
          i += of_a;
          j += of_b;
          return true;
        }
    return false;
  };
  do {
    for (; i < a.size() && j < b.size() && a[i] == b[j]; ++i, ++j) out.a[i] = out.b[j] = false;
  } while (skip());
  out.known_a = i;
  out.known_b = j;
  return out;
}

TextCutter::Text::Text(const FeatureExtractor& extractor, std::string_view text)
    : text_(extractor.readable(text)), words_(extractor.word_places(text_)) {}

std::string_view TextCutter::Text::bare(std::uint64_t begin, std::uint64_t end) const {
  end = std::min<std::uint64_t>(end, words_.size());
  if (begin >= end) return {};
  const std::size_t from = words_[begin].begin;
  return std::string_view(text_).substr(from, words_[end - 1].end - from);
}

std::string_view TextCutter::Text::run(std::uint64_t begin, std::uint64_t end) const {
  const std::string_view words = bare(begin, end);
  if (words.empty()) return {};
  end = std::min<std::uint64_t>(end, words_.size());
  // What is between two words belongs to the first one up to a blank, and the rest to the second.
  const std::size_t least = begin > 0 ? words_[begin - 1].end : 0;
  const std::size_t most = end < words_.size() ? words_[end].begin : text_.size();
  std::size_t from = words_[begin].begin, to = words_[end - 1].end;
  while (from > least && !is_white_space(text_[from - 1])) --from;
  if (from == least && begin > 0) from = words_[begin].begin;
  while (to < most && !is_white_space(text_[to])) ++to;
  return std::string_view(text_).substr(from, to - from);
}

std::string_view TextCutter::Text::before(std::uint64_t word) const {
  if (word == 0 || word >= words_.size()) return {};
  const std::size_t from = words_[word - 1].end;
  return std::string_view(text_).substr(from, words_[word].begin - from);
}

TextCutter::TextCutter(const PassageOptions& options)
    : options_(options), extractor_(single_words(options.features)) {}

std::vector<std::uint64_t> TextCutter::words_of(const Text& text, std::uint64_t begin,
                                                std::uint64_t words) const {
  FeatureBuffer buffer(options_.stop);
  extractor_.extract(text.bare(begin, begin + std::min(words, kAlignedWords)), buffer);
  return {buffer.features().begin(), buffer.features().end()};
}

void TextCutter::read_words(const Text& text, ShownDocument& out) const {
  for (ShownPassage& each : out.passages)
    if (is_near(each.passage))
      each.words = words_of(text, each.passage.place.first_word, each.passage.words);
}

void TextCutter::cut_first(const Text& text, ShownPassage& out) const {
  const Passage& passage = out.passage;
  const std::uint64_t begin = passage.first.first_word, end = begin + passage.first_words;
  OwnWords own;
  if (is_near(passage))
    own = own_words(out.words, words_of(text, begin, passage.first_words), options_.gap);
  if (is_marked_in_part(passage)) {
    // What is equal to the last words of one text may be behind those that were read of the other.
    own.a.resize(own.known_a);
    own.b.resize(own.known_b);
  }
  out.own = std::move(own.a);
  out.words.clear();
  const std::uint64_t from = begin - std::min(begin, kWordsAroundFirst);
  const std::uint64_t to = std::min(end + kWordsAroundFirst, text.words());
  if (from > 0) add_left_out(from, 0, out.first);
  add_text(Kind::kAround, trimmed(text.run(from, begin)), out.first);
  add_passage_words(text, begin, end, begin, own.b, out.first);
  add_text(Kind::kAround, trimmed(text.run(end, to)), out.first);
  if (to < text.words()) add_left_out(text.words() - to, 0, out.first);
}

void TextCutter::cut_document(const Text& text, ShownDocument& out) const {
  const std::vector<Passage>& kept = out.chosen.kept;
  const auto passages_in = [&](std::uint64_t begin, std::uint64_t end) {
    return static_cast<std::uint64_t>(std::ranges::count_if(kept, [&](const Passage& passage) {
      return begin <= passage.place.first_word && passage.place.first_word < end;
    }));
  };
  std::uint64_t covered = 0;
  for (ShownPassage& each : out.passages) {
    const std::uint64_t begin = each.passage.place.first_word, end = begin + each.passage.words;
    if (covered < begin)
      add_between(text, covered, begin, passages_in(covered, begin), each.before);
    each.overlap = covered - std::min(begin, covered);
    add_passage_words(text, std::max(begin, covered), end, begin, each.own, each.text);
    covered = end;
  }
  if (covered < text.words())
    add_between(text, covered, text.words(),
                passages_in(covered, text.words()) + out.chosen.passages - kept.size(), out.after);
}

void TextCutter::cut_frequent(const Text& text, ShownFrequent& out) const {
  const std::uint64_t begin = out.passage.first.first_word;
  add_passage_words(text, begin, begin + out.passage.words, begin, {}, out.text);
}

}  // namespace benzer::report
