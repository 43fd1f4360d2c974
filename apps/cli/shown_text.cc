#include "shown_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "../shared/match_json.h"
#include "../shared/printable.h"

namespace benzer::cli {

std::string shown_size(std::uint64_t size, const FeatureSpec& features) {
  return features.is_weighted() ? fmt::format("{}", weight_of_size(size)) : with_separators(size);
}

std::string shown_line(std::string text, std::size_t characters) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return printable(first_characters(text, characters));
}

std::string shown_shingle(const std::string& shingle) {
  const bool blank_ends = shingle.starts_with(' ') || shingle.ends_with(' ');
  return blank_ends ? '"' + printable(shingle) + '"' : printable(shingle);
}

std::string marked_text(const std::string& text, bool terminal) {
  return terminal ? "\x1B[1;4m" + text + "\x1B[0m" : "[" + text + "]";
}

std::string in_shell_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace benzer::cli
