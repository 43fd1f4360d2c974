#include "features/rules_mark.h"

#include <xxhash.h>

#include "features/config_text.h"

namespace benzer::internal {

std::string mark_of(std::string_view results) {
  return fmt::format("{:08x}", XXH3_64bits(results.data(), results.size()) >> 32);
}

std::optional<std::string_view> take_mark(std::string_view& name) noexcept {
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view mark = name.substr(at + 1);
  name = name.substr(0, at);
  return mark;
}

void check_mark(std::optional<std::string_view> found, std::string_view own, std::string_view rules,
                std::string_view whole) {
  if (!found || *found == own) return;
  fail(
      "features {} are of version {} of {}, and this program has version {}: use a program with "
      "the former, or leave out the version and make the index, file or run again",
      in_quotes(whole), in_quotes(*found), rules, own);
}

}  // namespace benzer::internal
