#include "features/html_references.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "features/html_names.h"

namespace benzer::internal {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kLastCodePoint = 0x10FFFF;

// The longest name is "thetasym".
constexpr std::size_t kLongestName = 8;
// The longest name that is also known without ";", such as "Aacute".
constexpr std::size_t kLongestOpenName = 6;

// The characters of the numbers 128 to 159: a page that has &#150; means the dash of Windows-1252.
constexpr std::array<char16_t, 32> kWindows = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

using Names = std::unordered_map<std::string_view, char32_t>;

const Names& names() {
  static const Names all = [] {
    Names out;
    for (const auto& [name, character] : kHtmlNames) out.emplace(name, character);
    return out;
  }();
  return all;
}

// Returns true for the names of Latin-1 and of < > & ", which are also known without ";".
bool may_be_open(std::string_view name, char32_t c) { return c < 0x100 && name != "apos"; }

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

CharacterReference read_name(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && end <= kLongestName && is_alphanumeric(text[end])) ++end;
  const std::string_view run = text.substr(1, end - 1);
  if (end < text.size() && text[end] == ';') {
    const auto found = names().find(run);
    if (found != names().end()) return {found->second, end + 1};
  }
  for (std::size_t size = std::min(run.size(), kLongestOpenName); size >= 2; --size) {
    const auto found = names().find(run.substr(0, size));
    if (found != names().end() && may_be_open(found->first, found->second))
      return {found->second, size + 1};
  }
  return {};
}

// Returns the value of a hexadecimal digit; 16 for any other character.
unsigned digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

CharacterReference read_numbered(std::string_view text) {
  const bool hex = text.size() > 2 && (text[2] == 'x' || text[2] == 'X');
  const unsigned base = hex ? 16 : 10;
  const std::size_t begin = hex ? 3 : 2;
  std::size_t at = begin;
  char32_t value = 0;
  for (; at < text.size(); ++at) {
    const unsigned digit = digit_value(text[at]);
    if (digit >= base) break;
    value = std::min<char32_t>(value * base + digit, kLastCodePoint + 1);
  }
  if (at == begin) return {};
  if (at < text.size() && text[at] == ';') ++at;
  if (value == 0 || value > kLastCodePoint || (value >= 0xD800 && value <= 0xDFFF))
    return {kReplacement, at};
  if (value >= 0x80 && value <= 0x9F) return {kWindows[value - 0x80], at};
  return {value, at};
}

}  // namespace

CharacterReference read_reference(std::string_view text) {
  return text.size() > 1 && text[1] == '#' ? read_numbered(text) : read_name(text);
}

}  // namespace benzer::internal
