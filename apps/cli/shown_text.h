// Formats sizes and shingles for people, as compare, explain and similar print them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "benzer/features.h"

namespace benzer::cli {

inline constexpr std::size_t kShownShingles = 10;  // unless all are asked for

// The number of features of a set, or the sum of their weights, as `size` counts it.
std::string shown_size(std::uint64_t size, const FeatureSpec& features);

// The first characters of a text as one line, made printable for a terminal.
std::string shown_line(std::string text, std::size_t characters);

// A shingle made printable for a terminal, in quotes if it begins or ends with a blank.
std::string shown_shingle(const std::string& shingle);

// A printable text that only one of two documents has, marked: bold and underlined on a terminal,
// in brackets elsewhere.
std::string marked_text(const std::string& text, bool terminal);

// A text as one word of a shell, in single quotes.
std::string in_shell_quotes(std::string_view text);

}  // namespace benzer::cli
