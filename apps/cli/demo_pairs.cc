#include "demo_pairs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benzer/internal/score_text.h"

#include "../shared/printable.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kEqualWords = 5;    // around each difference
constexpr std::size_t kOwnWords = 10;     // of each difference
constexpr std::size_t kDifferences = 3;   // of each text
constexpr std::size_t kLongestWord = 40;  // code points
constexpr std::size_t kLineWidth = 96;    // code points, without the marks
constexpr std::string_view kIndent = "            ";

struct Word {
  std::string text;
  bool own = false;
  bool joined = false;  // without a blank before it
};

// What replaces the words that are left out.
const Word kLeftOut{"...", false, false};

std::vector<Word> words_of(const ReviewText& text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  std::vector<Word> out;
  bool joined = false;
  for (const ReviewText::Piece& piece : text.fields.at(0).pieces) {  // files have one field
    const std::string_view all = piece.text;
    for (std::size_t at = 0; at < all.size();) {
      if (kBlanks.find(all[at]) != std::string_view::npos) {
        joined = false;
        ++at;
        continue;
      }
      const std::size_t end = std::min(all.find_first_of(kBlanks, at), all.size());
      const std::string_view word = all.substr(at, end - at);
      const std::string_view shown = first_characters(word, kLongestWord);
      out.push_back(
          {printable(shown) + (shown.size() < word.size() ? "..." : ""), piece.own, joined});
      joined = true;
      at = end;
    }
  }
  return out;
}

bool has_own(const std::vector<Word>& words) { return std::ranges::any_of(words, &Word::own); }

// Where in words, which have no difference, the other text has its first one: after the same
// three words.
std::size_t place_of_difference(const std::vector<Word>& words, const std::vector<Word>& other) {
  const auto first = std::ranges::find_if(other, &Word::own);
  if (first == other.end()) return 0;
  const auto before = first - other.begin() < 3 ? other.begin() : first - 3;
  const auto found = std::search(words.begin(), words.end(), before, first,
                                 [](const Word& a, const Word& b) { return a.text == b.text; });
  return found == words.end() ? 0 : static_cast<std::size_t>(found - words.begin());
}

// The first differences with the equal words around them. If there is none, the words where the
// other text has one.
std::vector<Word> excerpt(const std::vector<Word>& words, const std::vector<Word>& other) {
  std::vector<Word> out;
  std::size_t written = 0;  // words before this one are in `out` or left out
  std::size_t differences = 0;
  std::size_t at = 0;
  while (differences < kDifferences) {
    while (at < words.size() && !words[at].own) ++at;
    if (at == words.size()) break;
    std::size_t end = at;
    while (end < words.size() && words[end].own) ++end;
    const std::size_t from = std::max(written, at - std::min(at, kEqualWords));
    if (from > written) out.push_back(kLeftOut);
    out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(from),
               words.begin() + static_cast<std::ptrdiff_t>(std::min(end, at + kOwnWords)));
    if (end > at + kOwnWords) out.push_back(kLeftOut);
    std::size_t after = end;
    while (after < words.size() && !words[after].own && after < end + kEqualWords) ++after;
    out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(end),
               words.begin() + static_cast<std::ptrdiff_t>(after));
    written = at = after;
    ++differences;
  }
  if (differences == 0) {
    const std::size_t from = place_of_difference(words, other);
    if (from > 0) out.push_back(kLeftOut);
    written = std::min(words.size(), from + 4 * kEqualWords);
    out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(from),
               words.begin() + static_cast<std::ptrdiff_t>(written));
  }
  if (written < words.size()) out.push_back(kLeftOut);
  return out;
}

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// Breaks the words into lines. Neighbours that are marked share one mark in each line.
std::string in_lines(const std::vector<Word>& words, bool terminal) {
  std::string out, run;
  bool own = false;
  std::size_t width = kLineWidth;
  const auto end_run = [&] {
    if (!run.empty()) out += own ? marked_text(run, terminal) : run;
    run.clear();
  };
  for (const Word& word : words) {
    const std::size_t size = characters_of(word.text);
    const std::string_view blank = word.joined ? "" : " ";
    if (width + 1 + size > kLineWidth) {
      end_run();
      if (!out.empty()) out += '\n';
      out += kIndent;
      width = kIndent.size();
    } else if (own != word.own) {
      end_run();
      out += blank;
    } else {
      run += blank;
    }
    own = word.own;
    run += word.text;
    width += blank.size() + size;
  }
  end_run();
  return out + "\n";
}

std::string shown_name(const ReviewText& text) {
  std::string_view id = text.id_json;
  if (id.size() > 2 && id.front() == '"' && id.find('\\') == std::string_view::npos)
    id = id.substr(1, id.size() - 2);
  return printable(id);
}

}  // namespace

std::string shown_pairs(const Review& review, std::size_t count, bool terminal) {
  std::vector<const ReviewPair*> removals, chosen;
  for (const ReviewPair& pair : review.removals) removals.push_back(&pair);
  if (removals.empty()) return "";
  std::ranges::stable_sort(removals, std::greater<>(), &ReviewPair::score);

  // For each of `count` scores at equal distances the nearest pair, with a new keeper if possible.
  const double high = removals.front()->score, low = removals.back()->score;
  std::set<std::string> keepers;
  for (std::size_t i = 0; i < count; ++i) {
    const double wanted =
        count == 1 ? high : high - (high - low) * static_cast<double>(i) / double(count - 1);
    const ReviewPair* best = nullptr;
    const auto cost = [&](const ReviewPair* pair) {
      return std::abs(pair->score - wanted) + (keepers.contains(pair->a.id_json) ? 0.1 : 0);
    };
    for (const ReviewPair* pair : removals)
      if (std::ranges::find(chosen, pair) == chosen.end() && (!best || cost(pair) < cost(best)))
        best = pair;
    if (!best) break;
    chosen.push_back(best);
    keepers.insert(best->a.id_json);
  }
  std::ranges::stable_sort(chosen, std::greater<>(), &ReviewPair::score);

  std::string out;
  for (const ReviewPair* pair : chosen) {
    const std::vector<Word> a = words_of(pair->a), b = words_of(pair->b);
    const bool differ = has_own(a) || has_own(b);
    out += fmt::format("\n{}  kept    {}\n", cut_score(pair->score), shown_name(pair->a));
    if (differ) out += in_lines(excerpt(a, b), terminal);
    out += fmt::format("        removed {}\n", shown_name(pair->b));
    if (!differ) out += "            (the same words)\n";
    out += in_lines(excerpt(b, a), terminal);
  }
  return out;
}

}  // namespace benzer::cli
