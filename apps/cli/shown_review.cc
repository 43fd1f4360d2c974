#include "shown_review.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"

#include "../shared/printable.h"
#include "shown_text.h"

namespace benzer::cli {
namespace {

// In code points of a text.
constexpr std::size_t kWhole = 700;          // texts of at most this length are shown whole
constexpr std::size_t kContext = 100;        // around the differences
constexpr std::size_t kEqualOfOthers = 200;  // of a field without a difference, if there are others

constexpr std::size_t kLongWord = 40;  // bytes; longer ones may be cut
constexpr std::string_view kBlanks = " \t\r\n";

// The bytes of an excerpt that are shown.
struct ShownRange {
  std::size_t begin = 0, end = 0;
};

std::string text_of(const ReviewText::Field& field) {
  std::string out;
  for (const ReviewText::Piece& piece : field.pieces) out += piece.text;
  return out;
}

// Returns the range from the first piece to the last one that only this text has; if it has none,
// begin is the length of the text and end is 0.
ShownRange own_range(const ReviewText::Field& field) {
  ShownRange out;
  std::size_t at = 0;
  bool found = false;
  for (const ReviewText::Piece& piece : field.pieces) {
    if (piece.own && !found) out.begin = at;
    at += piece.text.size();
    if (piece.own) out.end = at;
    found = found || piece.own;
  }
  if (!found) out.begin = at;
  return out;
}

bool is_inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (text[at] & 0xC0) == 0x80;
}

// Returns the place `characters` code points before `at`.
std::size_t place_before(std::string_view text, std::size_t at, std::size_t characters) {
  for (; characters > 0 && at > 0; --characters) {
    --at;
    while (at > 0 && is_inside_character(text, at)) --at;
  }
  return at;
}

bool is_long(std::string_view text) { return first_characters(text, kWhole).size() < text.size(); }

// Chooses what is shown of an excerpt and of that of the other document, so that it has all
// differences. equal: how much is shown of texts without a difference, in code points.
std::pair<ShownRange, ShownRange> choose_ranges(const ReviewText::Field& a,
                                                const ReviewText::Field& b, std::size_t equal) {
  const std::string x = text_of(a), y = text_of(b);
  const ShownRange own_x = own_range(a), own_y = own_range(b);
  const std::size_t shorter = std::min(x.size(), y.size());
  std::size_t front = static_cast<std::size_t>(
      std::mismatch(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(shorter), y.begin()).first -
      x.begin());
  front = std::min({front, own_x.begin, own_y.begin});
  if (front == x.size() && front == y.size()) {
    const std::size_t end = first_characters(x, equal).size();
    return {{0, end}, {0, end}};
  }
  if (!is_long(x) && !is_long(y)) return {{0, x.size()}, {0, y.size()}};

  std::size_t back = 0;
  while (back < shorter - front && x[x.size() - 1 - back] == y[y.size() - 1 - back]) ++back;
  back = std::min({back, x.size() - own_x.end, y.size() - own_y.end});
  while (back > 0 && is_inside_character(x, x.size() - back)) --back;
  while (front > 0 && (is_inside_character(x, front) || is_inside_character(y, front))) --front;

  // Less than the context is not worth leaving out. What is shown has whole words, if they are
  // short.
  std::size_t begin = place_before(x, front, kContext);
  if (begin <= kContext) begin = 0;
  if (begin > 0) {
    const std::size_t blank = std::string_view(x).substr(0, front).find_first_of(kBlanks, begin);
    if (blank < begin + kLongWord) begin = blank + 1;
  }
  std::string_view after = first_characters(std::string_view(x).substr(x.size() - back), kContext);
  if (back - after.size() <= kContext) return {{begin, x.size()}, {begin, y.size()}};
  const std::size_t blank = after.find_last_of(kBlanks);
  if (blank != std::string_view::npos && blank + kLongWord > after.size())
    after = after.substr(0, blank);
  const std::size_t left_out = back - after.size();
  return {{begin, x.size() - left_out}, {begin, y.size() - left_out}};
}

// Says which part of a text the report has; empty if it has all.
std::string part_in_words(const ReviewText::Field& field) {
  if (field.begin == 0 && field.end == field.size) return "";
  return fmt::format("(bytes {} to {} of {}{})", with_separators(field.begin),
                     with_separators(field.end), with_separators(field.size),
                     field.marked ? "" : "; so far into a text nothing is marked");
}

std::string shown_field(const ReviewText::Field& field, ShownRange range, bool terminal) {
  std::string out = range.begin > 0 ? "... " : "";
  std::size_t at = 0;
  for (const ReviewText::Piece& piece : field.pieces) {
    const std::size_t begin = std::clamp(range.begin, at, at + piece.text.size());
    const std::size_t end = std::clamp(range.end, at, at + piece.text.size());
    const std::string lines =
        printable_lines(std::string_view(piece.text).substr(begin - at, end - begin), "  ");
    out += piece.own && !lines.empty() ? marked_text(lines, terminal) : lines;
    at += piece.text.size();
  }
  if (range.end < at) out += " ...";
  return out;
}

// Appends a field of one document. named: whether its name is shown.
void append_field(const ReviewText::Field& field, ShownRange range, bool named, bool terminal,
                  std::string& out) {
  const std::string part = part_in_words(field);
  if (named)
    out += fmt::format("  {}{}{}: ", printable(field.name), part.empty() ? "" : " ", part);
  else
    out += part.empty() ? "  " : "  " + part + "\n  ";
  out += shown_field(field, range, terminal) + "\n";
}

std::string heading(std::string_view side, const ReviewText& text) {
  const std::string name = text.line > 0
                               ? fmt::format("{} ({}:{})", text.id_json, text.source, text.line)
                               : text.id_json;
  return fmt::format("{} {}\n", side, printable(name));
}

}  // namespace

std::string shown_review_pair(const ReviewPair& pair, std::size_t number, std::size_t count,
                              bool terminal) {
  std::string a = heading("A", pair.a), b = heading("B", pair.b);
  const std::size_t fields = std::min(pair.a.fields.size(), pair.b.fields.size());
  for (std::size_t i = 0; i < fields; ++i) {
    const auto [of_a, of_b] =
        choose_ranges(pair.a.fields[i], pair.b.fields[i], fields == 1 ? kWhole : kEqualOfOthers);
    append_field(pair.a.fields[i], of_a, fields > 1, terminal, a);
    append_field(pair.b.fields[i], of_b, fields > 1, terminal, b);
  }
  return fmt::format("\nPair {} of {}, similarity {}\n\n{}\n{}\n", number, count,
                     cut_score(pair.score), a, b);
}

}  // namespace benzer::cli
