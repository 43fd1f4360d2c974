#include "io/json_field.h"

#include <charconv>
#include <utility>

#include "benzer/internal/json.h"

#include "io/json_check.h"
#include "io/line_blocks.h"

namespace benzer {
namespace {

namespace dom = simdjson::dom;
namespace ondemand = simdjson::ondemand;

// Unescapes a step of a JSON pointer; nothing if it has a tilde that does not begin an escape.
std::optional<std::string> unescaped(std::string_view step) {
  std::string out;
  for (std::size_t at = 0; at < step.size(); ++at) {
    if (step[at] != '~') {
      out += step[at];
      continue;
    }
    const char next = ++at < step.size() ? step[at] : '\0';
    if (next != '0' && next != '1') return std::nullopt;
    out += next == '0' ? '~' : '/';
  }
  return out;
}

// The number by which a step names an element of an array, without zeros in front.
std::optional<std::size_t> element_number(std::string_view step) {
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(step.data(), step.data() + step.size(), number);
  const bool is_number = error == std::errc() && stop == step.data() + step.size();
  return is_number && (step == "0" || step[0] != '0') ? std::optional(number) : std::nullopt;
}

struct Member {
  dom::element value;
  std::size_t number = 0;
};

std::optional<Member> member_of(const dom::object& object, std::string_view key) {
  std::optional<Member> out;
  std::size_t number = 0;
  for (const dom::key_value_pair pair : object) {
    if (pair.key == key) out = Member{pair.value, number};
    ++number;
  }
  return out;
}

std::optional<Member> member_of(const dom::element& value, std::string_view step) {
  dom::object object;
  dom::array array;
  if (!value.get(object)) return member_of(object, step);
  const auto number = element_number(step);
  dom::element element;
  if (!number || value.get(array) || array.at(*number).get(element)) return std::nullopt;
  return Member{element, *number};
}

// Does not use std::advance, since each value must be taken from simdjson's iterators.
simdjson::error_code value_at(ondemand::object& object, std::size_t number, ondemand::value& out) {
  for (auto field : object) {
    if (field.error()) return field.error();
    if (number-- == 0) return field.value().get(out);
  }
  return simdjson::NO_SUCH_FIELD;
}

simdjson::error_code value_at(ondemand::array& array, std::size_t number, ondemand::value& out) {
  for (auto element : array)
    if (number-- == 0) return element.get(out);
  return simdjson::INDEX_OUT_OF_BOUNDS;
}

}  // namespace

std::vector<std::string> steps_of_name(std::string_view name) {
  const bool is_pointer = name.starts_with('/');
  const char separator = is_pointer ? '/' : '.';
  if (is_pointer) name.remove_prefix(1);
  if (!is_pointer && name.find('.') == name.npos) return {};
  std::vector<std::string> steps;
  while (true) {
    const std::size_t end = name.find(separator);
    const std::string_view step = name.substr(0, end);
    if (!is_pointer && step.empty()) return {};
    auto key = is_pointer ? unescaped(step) : std::string(step);
    if (!key) return {};
    steps.push_back(*std::move(key));
    if (end == name.npos) return steps;
    name.remove_prefix(end + 1);
  }
}

JsonField::JsonField(std::string name) : name_(std::move(name)), steps_(steps_of_name(name_)) {}

std::optional<dom::element> JsonField::find(const dom::object& object,
                                            std::vector<std::size_t>* way) const {
  std::optional<Member> member = member_of(object, name_);
  std::size_t next = steps_.size();
  if (!member && !steps_.empty()) {
    member = member_of(object, steps_[0]);
    next = 1;
  }
  if (way) way->clear();
  while (member) {
    if (way) way->push_back(member->number);
    if (next == steps_.size()) return member->value;
    member = member_of(member->value, steps_[next++]);
  }
  return std::nullopt;
}

std::string shown_key(std::string_view key) {
  constexpr std::size_t kShown = 80;
  return json_string(key.size() > kShown ? std::string(key.substr(0, kShown)) + "..."
                                         : std::string(key));
}

std::string_view token_at(ondemand::parser& parser, std::string_view text,
                          std::span<const std::size_t> way) {
  const simdjson::padded_string_view padded(text.data(), text.size(), text.size() + kLinePadding);
  ondemand::document document;
  ondemand::object object;
  ondemand::value value;
  if (way.empty() || parser.iterate(padded).get(document) || document.get_object().get(object) ||
      value_at(object, way[0], value))
    return {};
  for (const std::size_t number : way.subspan(1)) {
    ondemand::array array;
    if (!value.get_object().get(object) ? value_at(object, number, value)
        : value.get_array().get(array)  ? simdjson::INCORRECT_TYPE
                                        : value_at(array, number, value))
      return {};
  }
  const std::string_view token = value.raw_json_token();
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

std::string_view number_at(ondemand::parser& parser, std::string_view object,
                           std::span<const std::size_t> way) {
  const std::string_view token = token_at(parser, object, way);
  return token.substr(0, json_number_length(token));
}

}  // namespace benzer
