#include "id_line.h"

#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "benzer/error.h"

#include "json.h"

namespace benzer::apps {
namespace {

// The code point, if it is a control character or one that some programs take for a line end;
// otherwise 0.
unsigned odd_character(std::string_view character) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1 && (byte(0) < 0x20 || byte(0) == 0x7F)) return byte(0);
  if (character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0) return byte(1);
  if (character == "\u2028") return 0x2028;
  if (character == "\u2029") return 0x2029;
  return 0;
}

bool is_odd(std::string_view character) noexcept {
  return odd_character(character) != 0 || character == std::string_view("\0", 1);
}

// Calls visit(character) for each code point, and for each run of bytes that is not UTF-8.
template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    std::size_t invalid = 0;
    const std::size_t valid = utf8_sequence(text, 0, &invalid);
    const std::size_t size = valid == 0 ? invalid : valid;
    visit(text.substr(0, size));
    text.remove_prefix(size);
  }
}

void append_escaped(std::string_view character, std::string& out) {
  if (character == "\n") {
    out += "\\n";
  } else if (character == "\r") {
    out += "\\r";
  } else if (character == "\t") {
    out += "\\t";
  } else if (character == "\"" || character == "\\") {
    out.append("\\").append(character);
  } else if (is_odd(character)) {
    out += fmt::format("\\u{:04x}", odd_character(character));
  } else {
    out += character;
  }
}

void append_utf8(std::uint32_t point, std::string& out) {
  const auto add = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3F));
  } else {
    add(0xF0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3F));
    add(0x80 | (point >> 6 & 0x3F));
  }
  add(0x80 | (point & 0x3F));
}

// Parses a JSON string, which begins with the first quote of the line.
class QuotedId {
 public:
  explicit QuotedId(std::string_view line) : line_(line), rest_(line.substr(1)) {}

  std::string read() {
    for (;;) {
      const char c = next();
      if (c == '"' && rest_.empty()) return std::move(out_);
      if (c == '"' || static_cast<unsigned char>(c) < 0x20) fail();
      if (c == '\\') {
        escape();
      } else {
        out_ += c;
      }
    }
  }

 private:
  [[noreturn]] void fail() const {
    constexpr std::size_t kShown = 80;
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the line {}{} begins with a quote and is not a JSON string",
                            line_.substr(0, kShown), line_.size() > kShown ? "..." : ""),
                "write an id as 'benzer list' prints it");
  }
  char next() {
    if (rest_.empty()) fail();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void escape() {
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char c = next();
    if (c == 'u') return append_utf8(code_point(), out_);
    const std::size_t at = kNames.find(c);
    if (at == kNames.npos) fail();
    out_ += kMeant[at];
  }
  std::uint32_t four_digits() {
    std::uint32_t out = 0;
    const std::string_view digits = rest_.substr(0, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    if (error != std::errc() || digits.size() != 4 || end != digits.data() + 4) fail();
    rest_.remove_prefix(4);
    return out;
  }
  // Reads one \u escape, or two that are a surrogate pair: a code point beyond 16 bits.
  std::uint32_t code_point() {
    const std::uint32_t first = four_digits();
    if (first < 0xD800 || first > 0xDFFF) return first;
    if (first > 0xDBFF || next() != '\\' || next() != 'u') fail();
    const std::uint32_t second = four_digits();
    if (second < 0xDC00 || second > 0xDFFF) fail();
    return 0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00));
  }

  const std::string_view line_;
  std::string_view rest_;
  std::string out_;
};

}  // namespace

void append_id_line(std::string_view id, std::string& out) {
  bool is_quoted = id.starts_with('"');
  for_each_character(id, [&](std::string_view character) { is_quoted |= is_odd(character); });
  if (is_quoted) {
    out += '"';
    for_each_character(id, [&](std::string_view character) { append_escaped(character, out); });
    out += '"';
  } else {
    out += id;
  }
  out += '\n';
}

std::string id_of_line(std::string_view line) {
  return line.starts_with('"') ? QuotedId(line).read() : std::string(line);
}

}  // namespace benzer::apps
