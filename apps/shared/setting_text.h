// Provides helpers for parsing the values of options.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

#include "settings.h"

namespace benzer::apps {

template <class Number>
bool read_whole(const std::string& text, Number* out) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, *out);
  return result.ec == std::errc() && result.ptr == end;
}

// Returns the position of the word among the allowed ones; refuses any other word.
template <std::size_t N>
std::size_t choose(std::string_view parameter, const std::string& value,
                   const std::array<std::string_view, N>& allowed) {
  std::string list;
  for (std::size_t i = 0; i < N; ++i) {
    if (value == allowed[i]) return i;
    list += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(allowed[i]);
  }
  refuse_value(parameter, value, "give " + list);
}

}  // namespace benzer::apps
