#include "research/experiments/text_edits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace benzer::experiments {
namespace {

using Words = std::vector<std::string>;
constexpr std::size_t kSentence = 12;   // a sentence has at most twice as many words
constexpr std::size_t kParagraph = 40;  // words of a notice

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

Words words_of(std::string_view text) {
  Words out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && !is_blank(text[end])) ++end;
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

std::string joined(const Words& words, std::string_view between = " ") {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

// Draws a share of the places, at least one, each at most once; in ascending order.
std::vector<std::size_t> places(std::size_t size, double share, Draws& draws) {
  const auto count = std::min(
      size, std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(size))));
  const auto order = draws.permutation(static_cast<std::uint32_t>(size));
  std::vector<std::size_t> out(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(out.begin(), out.end());
  return out;
}

const std::string& any_of(const Words& words, Draws& draws) {
  static const std::string kNone = "nothing";
  return words.empty() ? kNone : words[draws.below(words.size())];
}

std::string replaced(const std::string& text, const std::string& other, Draws& draws,
                     double share) {
  Words words = words_of(text);
  const Words from = words_of(other);
  for (const std::size_t at : places(words.size(), share, draws)) words[at] = any_of(from, draws);
  return joined(words);
}

std::string deleted(const std::string& text, const std::string&, Draws& draws) {
  Words words = words_of(text);
  const std::vector<std::size_t> gone = places(words.size(), 0.05, draws);
  for (auto at = gone.rbegin(); at != gone.rend(); ++at)
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(*at));
  return joined(words);
}

std::string inserted(const std::string& text, const std::string& other, Draws& draws) {
  Words words = words_of(text);
  const Words from = words_of(other);
  const std::vector<std::size_t> before = places(words.size(), 0.05, draws);
  for (auto at = before.rbegin(); at != before.rend(); ++at)
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(*at), any_of(from, draws));
  return joined(words);
}

std::string reordered(const std::string& text, const std::string&, Draws& draws) {
  Words sentences;
  std::size_t words = 0;
  for (const std::string& word : words_of(text)) {
    if (words == 0) {
      sentences.push_back(word);
    } else {
      sentences.back() += " " + word;
    }
    ++words;
    if (word.ends_with('.') || words == 2 * kSentence) words = 0;
  }
  Words out;
  for (const std::uint32_t at : draws.permutation(static_cast<std::uint32_t>(sentences.size())))
    out.push_back(sentences[at]);
  return joined(out);
}

// The notice is taken from the other text: the same notice in every text of a run would make
// unrelated texts similar.
std::string notice(const std::string& other) {
  Words words = words_of(other);
  words.resize(std::min(words.size(), kParagraph));
  return joined(words);
}

std::string half(const std::string& text, const std::string&, Draws&) {
  Words words = words_of(text);
  words.resize((words.size() + 1) / 2);
  return joined(words);
}

std::string other_case(const std::string& text, const std::string&, Draws&) {
  std::string out = text;
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return out;
}

// Removes full stops and commas, and puts dashes, blanks and line breaks in other places.
std::string other_marks(const std::string& text, const std::string&, Draws& draws) {
  std::string out;
  for (std::string& word : words_of(text)) {
    std::erase_if(word, [](char c) { return c == '.' || c == ',' || c == ';'; });
    constexpr std::array<std::string_view, 5> kBetween = {" ", "  ", "\n", "\t", " - "};
    if (!out.empty()) out += kBetween[draws.below(kBetween.size())];
    out += word;
  }
  return out;
}

// Misreads this share of the letters, as optical character recognition does.
std::string misread(const std::string& text, Draws& draws, double share) {
  constexpr std::array<std::pair<char, char>, 10> kLike = {{{'o', '0'},
                                                            {'l', '1'},
                                                            {'i', 'l'},
                                                            {'e', 'c'},
                                                            {'s', '5'},
                                                            {'b', '6'},
                                                            {'g', '9'},
                                                            {'n', 'u'},
                                                            {'u', 'n'},
                                                            {'a', 'o'}}};
  std::string out = text;
  for (char& c : out) {
    if (is_blank(c) || draws.unit() >= share) continue;
    const auto* const like =
        std::find_if(kLike.begin(), kLike.end(), [&](const auto& pair) { return pair.first == c; });
    c = like != kLike.end() ? like->second : static_cast<char>('a' + draws.below(26));
  }
  return out;
}

// Makes an HTML page of the text: a head, a paragraph for each sentence, every tenth word a link.
std::string marked_up(const std::string& text, const std::string&, Draws& draws) {
  std::string out =
      "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><style>p{margin:0 auto}</style></head>"
      "<body class=\"article wide\">\n<p class=\"text\">";
  for (const std::string& word : words_of(text)) {
    if (draws.below(10) == 0) {
      out += fmt::format("<a href=\"/page/{}.html\">{}</a> ", draws.below(1000), word);
    } else {
      out += word + " ";
    }
    if (word.ends_with('.')) out += "</p>\n<p class=\"text\">";
  }
  return out + "</p></body></html>\n";
}

constexpr std::array kEdits = {
    TextEdit{"words-1", "1 % of the words replaced",
             [](const std::string& t, const std::string& o, Draws& d) {
               return replaced(t, o, d, 0.01);
             }},
    TextEdit{"words-5", "5 % of the words replaced",
             [](const std::string& t, const std::string& o, Draws& d) {
               return replaced(t, o, d, 0.05);
             }},
    TextEdit{"words-10", "10 % of the words replaced",
             [](const std::string& t, const std::string& o, Draws& d) {
               return replaced(t, o, d, 0.1);
             }},
    TextEdit{"deleted-5", "5 % of the words deleted", deleted},
    TextEdit{"inserted-5", "5 % as many words put in", inserted},
    TextEdit{"reordered", "sentences in another order", reordered},
    TextEdit{
        "notice-before", "40 words before it",
        [](const std::string& t, const std::string& o, Draws&) { return notice(o) + "\n" + t; }},
    TextEdit{
        "notice-behind", "40 words behind it",
        [](const std::string& t, const std::string& o, Draws&) { return t + "\n" + notice(o); }},
    TextEdit{"half", "the first half", half},
    TextEdit{"case", "capital letters", other_case},
    TextEdit{"marks", "other punctuation and blanks", other_marks},
    TextEdit{
        "misread-1", "1 % of the letters misread",
        [](const std::string& t, const std::string&, Draws& d) { return misread(t, d, 0.01); }},
    TextEdit{
        "misread-3", "3 % of the letters misread",
        [](const std::string& t, const std::string&, Draws& d) { return misread(t, d, 0.03); }},
    TextEdit{"markup", "as a page of HTML", marked_up},
};

}  // namespace

std::span<const TextEdit> text_edits() { return kEdits; }

}  // namespace benzer::experiments
