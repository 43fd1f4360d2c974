#include "io/json_check.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/internal/json.h"

namespace benzer {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::optional<JsonFault> run() {
    if (!whole_value()) return fault_;
    skip_space();
    if (at_ < text_.size()) found("the end of the line");
    return fault_;
  }

  JsonExtent first_value() {
    const bool is_whole = whole_value();
    return {at_, !is_whole};
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }

  bool whole_value() {
    skip_space();
    if (!value()) return false;
    while (!open_.empty()) {
      skip_space();
      if (!next_in_container()) return false;
    }
    return true;
  }

  void skip_space() {
    while (!at_end() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n'))
      ++at_;
  }

  bool fault(std::string what) {
    fault_ = JsonFault{at_, std::move(what)};
    return false;
  }

  bool found(std::string_view allowed) {
    if (at_end()) return fault(fmt::format("found the end where {} is allowed", allowed));
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c >= 0x7f)
      return fault(fmt::format("found the byte 0x{:02x} where {} is allowed", c, allowed));
    return fault(fmt::format("found '{}' where {} is allowed", text_[at_], allowed));
  }

  // Reads a whole scalar, or opens a container.
  bool value() {
    switch (peek()) {
      case '{':
      case '[':
        return open();
      case '"':
        return string();
      case 't':
        return literal("true");
      case 'f':
        return literal("false");
      case 'n':
        return literal("null");
      default:
        break;
    }
    if (peek() == '-' || is_digit(peek())) return number();
    return found("a value");
  }

  bool open() {
    if (open_.size() >= kJsonDepth)
      return fault(fmt::format("found a nesting deeper than {} levels, which is what is allowed",
                               kJsonDepth));
    open_.push_back(text_[at_++]);
    fresh_ = true;
    return true;
  }

  // Reads one member of the innermost container with the comma in front of it, or the container's
  // end. White space in front was skipped.
  bool next_in_container() {
    const bool object = open_.back() == '{';
    const char closing = object ? '}' : ']';
    if (peek() == closing) {
      ++at_;
      open_.pop_back();
      fresh_ = false;
      return true;
    }
    if (!fresh_) {
      if (peek() != ',') return found(object ? "',' or '}'" : "',' or ']'");
      ++at_;
      skip_space();
    }
    const bool first = std::exchange(fresh_, false);
    if (object) {
      if (peek() != '"') return found(first ? "a field name or '}'" : "a field name");
      if (!string()) return false;
      skip_space();
      if (peek() != ':') return found("':'");
      ++at_;
      skip_space();
    } else if (first && at_end()) {
      return found("a value or ']'");
    }
    return value();
  }

  bool literal(std::string_view word) {
    for (const char c : word) {
      if (peek() != c) return found(fmt::format("\"{}\"", word));
      ++at_;
    }
    return true;
  }

  bool number() {
    const std::size_t length = json_number_length(text_.substr(at_));
    const std::size_t begin = at_;
    at_ += length;
    if (length == 0) {
      ++at_;  // the minus sign
      return found("a digit");
    }
    // "01", "1.", "1e" and the like: characters follow that cannot follow a number.
    if (!at_end() && (is_digit(peek()) || peek() == '.' || peek() == 'e' || peek() == 'E' ||
                      peek() == '-' || peek() == '+')) {
      return fault(fmt::format("found the number \"{}\" going on with '{}', which is not allowed",
                               text_.substr(begin, std::min<std::size_t>(length, 40)), peek()));
    }
    return true;
  }

  bool string() {
    ++at_;
    while (true) {
      if (at_end()) return fault("found the end inside a string, where '\"' is allowed");
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        if (!escape()) return false;
      } else if (c < 0x20) {
        return fault(
            fmt::format("found the control character 0x{:02x} inside a string, where only "
                        "its escape is allowed",
                        c));
      } else {
        std::size_t invalid = 0;
        const std::size_t length = utf8_sequence(text_, at_, &invalid);
        if (length == 0) return fault("found invalid UTF-8");
        at_ += length;
      }
    }
  }

  std::int32_t four_digits(std::size_t at) const {
    if (at + 4 > text_.size()) return -1;
    std::int32_t value = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const int digit = hex_value(text_[i]);
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  bool escape() {
    const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (kind == 'u') {
      const std::int32_t first = four_digits(at_ + 2);
      if (first < 0) return fault("found \"\\u\" without four hexadecimal digits");
      if (first < 0xD800 || first > 0xDFFF) {
        at_ += 6;
        return true;
      }
      const bool pair = first < 0xDC00 && text_.substr(at_ + 6, 2) == "\\u" &&
                        (four_digits(at_ + 8) & ~0x3FF) == 0xDC00;
      if (!pair) return fault("found a lone surrogate");
      at_ += 12;
      return true;
    }
    if (kind == '\0' || std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos)
      return fault("found a backslash that begins no escape");
    at_ += 2;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<char> open_;  // the brackets around at_
  bool fresh_ = false;      // the innermost container had no member yet
  std::optional<JsonFault> fault_;
};

}  // namespace

std::size_t json_number_length(std::string_view text) noexcept {
  std::size_t at = 0;
  const auto peek = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  const auto digits = [&](std::size_t from) {
    while (is_digit(peek(from))) ++from;
    return from;
  };
  if (peek(at) == '-') ++at;
  if (!is_digit(peek(at))) return 0;
  at = peek(at) == '0' ? at + 1 : digits(at);
  if (peek(at) == '.' && is_digit(peek(at + 1))) at = digits(at + 1);
  if (peek(at) == 'e' || peek(at) == 'E') {
    const std::size_t sign = peek(at + 1) == '+' || peek(at + 1) == '-' ? 1 : 0;
    if (is_digit(peek(at + 1 + sign))) at = digits(at + 1 + sign);
  }
  return at;
}

JsonExtent first_json_value(std::string_view text) { return Checker(text).first_value(); }

std::string malformed_json(const JsonFault& fault) {
  return fmt::format("malformed JSON at byte {}: {}", fault.offset + 1, fault.what);
}

std::optional<JsonFault> find_json_fault(std::string_view text) { return Checker(text).run(); }

}  // namespace benzer
