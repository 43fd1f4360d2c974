// Text that the library and the programs write alike: names of enumerators, and numbers for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace benzer {

// A value of an enumeration and its name. A table of them is read both ways.
template <class Enum>
using EnumName = std::pair<Enum, std::string_view>;

// The name of the value; empty if the table does not have it.
template <class Enum, std::size_t N>
constexpr std::string_view name_in(const EnumName<Enum> (&names)[N], Enum value) noexcept {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return {};
}

// The value of the name; nothing if the table does not have it.
template <class Enum, std::size_t N>
constexpr std::optional<Enum> value_in(const EnumName<Enum> (&names)[N],
                                       std::string_view name) noexcept {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  return std::nullopt;
}

// In front of a text, it says that the rest is UTF-8. Within JSON it is an error, which not every
// version of the parser finds.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// "12,345"
std::string with_separators(std::uint64_t number);

// "1 document", "12,345 documents"
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

}  // namespace benzer
