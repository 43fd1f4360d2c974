#include "report/html_text.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "benzer/internal/json.h"
#include "benzer/internal/score_text.h"
#include "benzer/internal/text.h"

namespace benzer::report {
namespace {

char32_t decode(std::string_view sequence) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  char32_t c = byte(0) & (0xFFU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) c = c << 6 | (byte(i) & 0x3FU);
  return c;
}

struct Range {
  char32_t first, last;
};

// The C1 controls, characters that are invisible or change the order of others, and noncharacters.
// The joiners U+200C and U+200D and the variation selectors are not among them.
constexpr Range kHidden[] = {
    {0x80, 0x9F},         {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},
    {0x115F, 0x1160},     {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200B},
    {0x200E, 0x200F},     {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFDD0, 0xFDEF},     {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF},     {0x1D173, 0x1D17A}, {0x1FFFE, 0x1FFFF}, {0x2FFFE, 0x2FFFF},
    {0x3FFFE, 0xDFFFF},   {0xE0000, 0xE00FF}, {0xE01F0, 0xEFFFF}, {0xFFFFE, 0xFFFFF},
    {0x10FFFE, 0x10FFFF},
};

// Characters that are not drawn, besides those that JSON escapes or html_text() writes as numbers.
constexpr Range kBlank[] = {{0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                            {0x2000, 0x200A}, {0x200C, 0x200D}, {0x202F, 0x202F},
                            {0x205F, 0x205F}, {0x2800, 0x2800}, {0x3000, 0x3000}};

bool is_in(std::span<const Range> ranges, char32_t c) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), c,
                                      [](char32_t x, const Range& r) { return x < r.first; });
  return after != ranges.begin() && c <= (after - 1)->last;
}

// Returns whether a blank is first or last, so that people would not see it, or nothing else.
bool has_outer_blank(std::string_view text) {
  std::size_t last = text.size() - 1;
  while (last > 0 && (text[last] & 0xC0) == 0x80) --last;
  for (const std::size_t at : {std::size_t{0}, last}) {
    std::size_t invalid = 0;
    const std::size_t length = utf8_sequence(text, at, &invalid);
    if (length > 0 && is_in(kBlank, decode(text.substr(at, length)))) return true;
  }
  return false;
}

// Returns the control picture of a control character, U+2400 and following.
std::string picture(unsigned char control) {
  const unsigned place = control == 0x7F ? 0x21 : control;
  return {'\xE2', '\x90', static_cast<char>(0x80 + place)};
}

void append_ascii(char c, Lines lines, std::string& out) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    case '\'':
      out += "&#39;";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  const bool kept = lines == Lines::kKept && (c == '\n' || c == '\t');
  if (kept || (byte >= 0x20 && byte != 0x7F)) {
    out += c;
  } else {
    out += picture(byte);
  }
}

}  // namespace

std::string html_text(std::string_view text, Lines lines) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t invalid = 0;
    const std::size_t length = utf8_sequence(text, at, &invalid);
    const std::string_view sequence = text.substr(at, length == 0 ? invalid : length);
    at += sequence.size();
    if (length == 0) {
      out += "\uFFFD";
    } else if (length == 1) {
      // CR LF is one line end.
      const bool before_line_end = at < text.size() && text[at] == '\n';
      if (sequence[0] == '\r' && lines == Lines::kKept && before_line_end) continue;
      append_ascii(sequence[0], lines, out);
    } else if (const char32_t c = decode(sequence); is_in(kHidden, c)) {
      out += fmt::format("&lt;U+{:04X}&gt;", static_cast<std::uint32_t>(c));
    } else {
      out += sequence;
    }
  }
  return out;
}

std::string_view shown_id(std::string_view id_json) {
  const bool quoted = id_json.size() > 2 && id_json.front() == '"' && id_json.back() == '"';
  if (!quoted || id_json.find('\\') != std::string_view::npos) return id_json;
  const std::string_view id = id_json.substr(1, id_json.size() - 2);
  return has_outer_blank(id) ? id_json : id;
}

std::string shortened(std::string_view text, std::size_t code_points) {
  std::vector<std::size_t> starts;
  std::string valid;
  append_valid_utf8(valid, text);
  for (std::size_t i = 0; i < valid.size(); ++i)
    if ((valid[i] & 0xC0) != 0x80) starts.push_back(i);
  if (starts.size() <= code_points || code_points < 3) return valid;
  const std::size_t head = (code_points - 1) / 2;
  const std::size_t tail = code_points - 1 - head;
  return valid.substr(0, starts[head]) + "\u2026" + valid.substr(starts[starts.size() - tail]);
}

std::string shown_bytes(std::uint64_t number) {
  if (number < 1000) return counted(number, "byte", "bytes");
  auto value = static_cast<double>(number);
  const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.5 && unit + 1 < std::size(units); value /= 1000) ++unit;
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, units[unit]);
}

std::string shown_share(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  if (part == whole) return "100 %";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.05) return "< 0.1 %";
  if (share > 99.95) return "> 99.9 %";
  return fmt::format("{:.1f} %", share);
}

std::string shown_score(double score) {
  std::string out = cut_score(score);
  if (score > 0 && out == "0.0000") return "< 0.0001";
  while (out.size() > 3 && out.back() == '0') out.pop_back();
  return out;
}

std::string shell_word(std::string_view word) {
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=,+@%").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace benzer::report
