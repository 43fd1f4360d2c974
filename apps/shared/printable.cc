#include "printable.h"

#include <algorithm>

#include <fmt/format.h>

#include "json.h"

namespace benzer::apps {

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t invalid = 0;
    const std::size_t length = utf8_sequence(text, 0, &invalid);
    const auto first = static_cast<unsigned char>(text[0]);
    // C1 controls are U+0080 to U+009F, two bytes in UTF-8.
    const bool c1 = length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0) {
      out += "\uFFFD";
    } else if (text[0] == '\n' || text[0] == '\t') {
      out += text[0] == '\n' ? "\\n" : "\\t";
    } else if (length == 1 && (first < 0x20 || first == 0x7F)) {
      out += fmt::format("\\x{:02X}", first);
    } else if (c1) {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[1]));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? invalid : length);
  }
  return out;
}

std::string printable_lines(std::string_view text, std::string_view indent) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += printable(text.substr(begin, end - begin));
    if (end < text.size()) out.append("\n").append(indent);
    begin = end + 1;
  }
  return out;
}

std::string_view first_characters(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  while (characters-- > 0 && at < text.size()) {
    std::size_t invalid = 0;
    const std::size_t length = utf8_sequence(text, at, &invalid);
    at += length == 0 ? invalid : length;
  }
  return text.substr(0, at);
}

}  // namespace benzer::apps
