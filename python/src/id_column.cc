#include "id_column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "benzer/internal/json.h"

#include "bind.h"
#include "documents.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

constexpr char kRawBytes = '\xff';  // no JSON token begins with it

template <class Number>
std::string bytes_of_number(Number number) {
  std::string out(sizeof number, '\0');
  std::memcpy(out.data(), &number, sizeof number);
  return out;
}

// Calls visit(zero) with a number of the type that a letter of the Arrow C data interface stands
// for, and returns what it returns; a value of its own if it is another letter.
template <class Visit>
auto visit_number_type(char letter, const Visit& visit) {
  switch (letter) {
    case 'c':
      return visit(std::int8_t{});
    case 'C':
      return visit(std::uint8_t{});
    case 's':
      return visit(std::int16_t{});
    case 'S':
      return visit(std::uint16_t{});
    case 'i':
      return visit(std::int32_t{});
    case 'I':
      return visit(std::uint32_t{});
    case 'l':
      return visit(std::int64_t{});
    case 'L':
      return visit(std::uint64_t{});
    case 'f':
      return visit(float{});
    case 'g':
      return visit(double{});
    default:
      return decltype(visit(double{}))();
  }
}

// Reads a number of a JSON token; nothing if the type does not hold it.
template <class Number>
std::optional<std::string> token_bytes(const std::string& token) {
  Number number = 0;
  if constexpr (std::is_floating_point_v<Number>) {
    char* stop = nullptr;
    const double read = PyOS_string_to_double(token.c_str(), &stop, nullptr);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return std::nullopt;
    }
    if (stop != token.c_str() + token.size()) return std::nullopt;
    number = static_cast<Number>(read);
  } else {
    const char* const end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, number);
    if (error != std::errc() || stop != end) return std::nullopt;
  }
  return bytes_of_number(number);
}

bool is_decimal(std::string_view format) { return format.starts_with("d:"); }

// The parameters of "d:PRECISION,SCALE" or "d:PRECISION,SCALE,BITS".
struct DecimalType {
  int precision = 0, scale = 0, bits = 128;

  explicit DecimalType(std::string_view format) {
    const char* at = format.data() + std::string_view("d:").size();
    const char* const end = format.data() + format.size();
    for (int* number : {&precision, &scale, &bits}) {
      at = std::from_chars(at, end, *number).ptr;
      if (at == end) break;
      ++at;  // the comma
    }
  }
  std::size_t width() const { return static_cast<std::size_t>(bits) / 8; }
};

// Reads "-12.5" as an integer of the type: with a scale of 2, it is -1250.
std::optional<std::string> decimal_bytes(std::string_view token, const DecimalType& type) {
  const bool is_negative = token.starts_with('-');
  if (is_negative) token.remove_prefix(1);
  const std::size_t point = std::min(token.find('.'), token.size());
  std::string digits(token.substr(0, point));
  std::string fraction(token.substr(std::min(point + 1, token.size())));
  if (!std::ranges::all_of(digits + fraction, [](char one) { return one >= '0' && one <= '9'; }))
    return std::nullopt;
  if (type.scale >= 0) {
    const auto scale = static_cast<std::size_t>(type.scale);
    if (fraction.size() > scale) return std::nullopt;
    fraction.resize(scale, '0');
    digits += fraction;
  } else {
    const auto zeros = static_cast<std::size_t>(-type.scale);
    digits.erase(0, digits.find_first_not_of('0'));
    if (!digits.empty()) {
      if (digits.size() <= zeros || digits.find_last_not_of('0') >= digits.size() - zeros)
        return std::nullopt;
      digits.resize(digits.size() - zeros);
    }
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > static_cast<std::size_t>(type.precision)) return std::nullopt;
  std::array<std::uint32_t, 8> words{};  // of the number without its sign, the lowest first
  for (const char digit : digits) {
    std::uint64_t carry = static_cast<std::uint64_t>(digit - '0');
    for (std::uint32_t& word : words) {
      carry += std::uint64_t{word} * 10;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  std::uint64_t carry = 1;
  for (std::uint32_t& word : words) {
    if (!is_negative) break;
    carry += static_cast<std::uint32_t>(~word);
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  std::string out(sizeof words, '\0');
  std::memcpy(out.data(), words.data(), out.size());
  out.resize(type.width());
  return out;
}

// The number of a token in the type; nothing if the type does not hold it.
std::optional<std::string> number_bytes(const std::string& token, std::string_view format) {
  if (is_decimal(format)) return decimal_bytes(token, DecimalType(format));
  return visit_number_type(format[0],
                           [&](auto zero) { return token_bytes<decltype(zero)>(token); });
}

}  // namespace

void IdColumn::add(const DocumentLabel& label) {
  if (label.id_bytes.empty())
    add_token(label.id_json);
  else
    tokens_.push_back(kRawBytes + label.id_bytes);
}

void IdColumn::add_token(std::string token) {
  tokens_.push_back(token == "null" ? std::string() : std::move(token));
}

Column IdColumn::column(const std::string& format) const {
  Column out = Column::of_format(name_, format);
  const bool are_numbers = number_width(format) > 0;
  nb::object loads;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    check_signals(static_cast<std::int64_t>(i));
    const std::string& token = tokens_[i];
    if (token.empty()) {
      out.add_null();
    } else if (are_numbers) {
      const auto bytes = number_bytes(token, format);
      bytes ? out.add_number(*bytes) : out.add_null();
    } else if (token[0] == kRawBytes) {
      const std::string_view bytes = std::string_view(token).substr(1);
      std::string text;
      if (format != "Z") append_valid_utf8(text, bytes);
      out.add(format == "Z" ? bytes : std::string_view(text));
    } else if (token[0] != '"') {
      out.add(std::string_view(token));
    } else if (token.find('\\') == std::string::npos) {
      out.add(std::string_view(token).substr(1, token.size() - 2));
    } else {
      if (!loads) loads = nb::module_::import_("json").attr("loads");
      out.add(std::string_view(text_of(loads(nb::str(token.data(), token.size())))));
    }
  }
  return out;
}

std::size_t number_width(std::string_view format) {
  if (is_decimal(format)) return DecimalType(format).width();
  if (format.size() != 1) return 0;
  return visit_number_type(format[0], [](auto zero) { return sizeof zero; });
}

nb::object python_number(std::string_view format, std::string_view bytes) {
  if (!is_decimal(format))
    return visit_number_type(format[0], [&](auto number) -> nb::object {
      std::memcpy(&number, bytes.data(), sizeof number);
      if constexpr (std::is_floating_point_v<decltype(number)>)
        return nb::float_(number);
      else
        return nb::int_(number);
    });
  const nb::object number = nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type))
                                .attr("from_bytes")(nb::bytes(bytes.data(), bytes.size()), "little",
                                                    nb::arg("signed") = true);
  const std::string text =
      nb::cast<std::string>(nb::str(number)) + "E" + std::to_string(-DecimalType(format).scale);
  return nb::module_::import_("decimal").attr("Decimal")(nb::str(text.c_str()));
}

}  // namespace benzer::python
