#include "io/id_format.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace benzer {
namespace {

constexpr const char* kInteger = "l";
constexpr const char* kUnsigned = "L";
constexpr const char* kText = "U";
constexpr const char* kBytes = "Z";

template <class Integer>
bool is_whole(std::string_view token) {
  Integer number;
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, number);
  return error == std::errc() && stop == end;
}

bool is_integer(const std::string& format) {
  return format.size() == 1 && std::string_view("cCsSiIlL").find(format[0]) != std::string::npos;
}

}  // namespace

void IdKinds::add(std::string_view token) {
  has_any = true;
  if (has_texts) return;  // which hold all others
  if (is_whole<std::int64_t>(token))
    has_negative = has_negative || token.starts_with('-');
  else if (is_whole<std::uint64_t>(token))
    has_large = true;
  else
    has_texts = true;
}

void IdKinds::add(const IdKinds& other) noexcept {
  has_any = has_any || other.has_any;
  has_texts = has_texts || other.has_texts;
  has_negative = has_negative || other.has_negative;
  has_large = has_large || other.has_large;
}

std::string IdKinds::format() const {
  if (has_texts || (has_large && has_negative)) return kText;
  return has_large ? kUnsigned : kInteger;
}

std::string id_format_of(const ArrowType* column) {
  if (!column || column->values().kind == ArrowType::Kind::kNull) return {};
  if (column->is_text()) return column->is_binary() ? kBytes : kText;
  return column->format;
}

std::string common_id_format(std::set<std::string> formats) {
  formats.erase(std::string());
  if (formats.empty()) return {};
  if (formats.size() == 1) return *formats.begin();
  if (!std::ranges::all_of(formats, is_integer)) return kText;
  const auto is_signed = [](const std::string& format) { return format[0] >= 'a'; };
  if (std::ranges::none_of(formats, is_signed)) return kUnsigned;
  return formats.contains(kUnsigned) ? kText : kInteger;
}

std::string joint_id_format(const std::string& a, const std::string& b) {
  if (!a.empty() && !b.empty()) return common_id_format({a, b});
  const std::string& known = a.empty() ? b : a;
  if (known.empty()) return kInteger;
  if (is_integer(known)) return known == kUnsigned ? kUnsigned : kInteger;
  constexpr const char* kDouble = "g";
  return known == kDouble ? kDouble : kText;
}

}  // namespace benzer
