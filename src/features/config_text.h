// Declares what the parsers of configurations and schemas share.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/config.h"
#include "benzer/error.h"

namespace benzer::internal {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(ErrorCode::kInvalidArgument, fmt::format(sentence, std::forward<Args>(args)...));
}

// Returns what was found in quotes, for a message: control characters and bytes that are not ASCII
// are escaped, and long input is cut.
std::string in_quotes(std::string_view found);

std::string_view trim(std::string_view text);
bool take_prefix(std::string_view& text, std::string_view prefix);
std::vector<std::string_view> split(std::string_view text, char at);

template <class Number>
std::optional<Number> read_number(std::string_view digits, Number least, Number most) {
  Number value{};
  const char* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || value < least || value > most) {
    return std::nullopt;
  }
  return value;
}

// Returns true if a part of a configuration begins as sketches do.
bool is_sketch(std::string_view part);
// Returns the sketches that can be computed, for messages: "fss:SLOTS and kperm:SLOTS".
std::string sketch_names();
// Throws Error(kInvalidArgument) for bands other than one slot each of a sketch whose slots have no
// positions.
void check_bands(const SketchSpec& sketch, const Banding& banding);
// Throws Error(kInvalidArgument) for features with weights and a sketch that cannot have them.
void check_sketch(const SketchSpec& sketch, const FeatureSpec& features);

}  // namespace benzer::internal
