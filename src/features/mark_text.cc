#include "features/mark_text.h"

#include <algorithm>

#include "benzer/internal/json.h"

namespace benzer {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";

// ASCII that is neither letter nor digit is not part of a word, and not compared.
bool is_between_words(char c) {
  const auto byte = static_cast<unsigned char>(c);
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  return byte < 0x80 && !letter && !(byte >= '0' && byte <= '9');
}

// Gives what is between words the mark of the words on both sides if these have the same, else
// none.
void unmark_between_words(std::string_view text, std::vector<Mark>& marks) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && is_between_words(text[end])) ++end;
    const bool inside = begin > 0 && end < text.size() && marks[begin - 1] == marks[end];
    const Mark mark = inside ? marks[end] : Mark::kNone;
    for (; begin < end; ++begin) marks[begin] = mark;
    while (begin < text.size() && !is_between_words(text[begin])) ++begin;
  }
}

// Blanks around line ends are never marked: they would look like bars.
void unmark_line_ends(std::string_view text, std::vector<Mark>& marks) {
  for (std::size_t begin = 0; begin < text.size();) {
    begin = std::min(text.find_first_of(kBlanks, begin), text.size());
    const std::size_t end = std::min(text.find_first_not_of(kBlanks, begin), text.size());
    const bool line_end = text.substr(begin, end - begin).find('\n') != std::string_view::npos;
    for (; begin < end; ++begin)
      if (line_end) marks[begin] = Mark::kNone;
  }
}

}  // namespace

std::vector<MarkedPiece> mark_text(std::string_view text, std::size_t begin, std::size_t end,
                                   std::span<const MarkedShingle> shingles, bool is_words) {
  // A byte that any shared shingle covers is shared, whatever else covers it. So only a changed
  // word is marked as own, and not the four words on both sides, too.
  std::vector<Mark> marks(end - begin, Mark::kNone);
  for (const MarkedShingle& shingle : shingles) {
    for (std::size_t i = std::max(begin, shingle.begin); i < std::min(end, shingle.end); ++i)
      if (shingle.is_shared || marks[i - begin] == Mark::kNone)
        marks[i - begin] = shingle.is_shared ? Mark::kShared : Mark::kOwn;
  }
  const std::string_view part = text.substr(begin, end - begin);
  if (is_words) unmark_between_words(part, marks);
  unmark_line_ends(part, marks);
  std::vector<MarkedPiece> out;
  for (std::size_t i = 0; i < part.size();) {
    std::size_t next = i;
    while (next < part.size() && marks[next] == marks[i]) ++next;
    out.push_back({marks[i], ""});
    append_valid_utf8(out.back().text, part.substr(i, next - i));
    i = next;
  }
  return out;
}

}  // namespace benzer
