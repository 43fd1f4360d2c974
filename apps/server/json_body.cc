#include "json_body.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/input.h"
#include "benzer/internal/text.h"

namespace benzer::server {
namespace {

namespace dom = simdjson::dom;

// Documents may be as deep as in files, and have a member of the body around them.
constexpr std::size_t kDeepest = 1024 + 8;
constexpr std::size_t kShownName = 60;  // bytes of a member's name in a message

namespace ondemand = simdjson::ondemand;

// `source` is the value as it was sent: the parser refuses whole numbers beyond 64 bits, and does
// not keep "-0".
std::optional<std::string> id_of(const dom::element& value, const std::string& source) {
  std::string_view text;
  if (!value.get(text)) return std::string(text);
  return value.is_number() ? std::optional(source) : std::nullopt;
}

std::string without_blanks(std::string_view json) {
  std::string out(json.size() + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t size = 0;
  if (simdjson::minify(json.data(), json.size(), out.data(), size)) return std::string(json);
  out.resize(size);
  return out;
}

std::string source_of(ondemand::value value) {
  switch (value.type().value()) {
    case ondemand::json_type::object:
      return without_blanks(value.get_object().value().raw_json().value());
    case ondemand::json_type::array:
      return without_blanks(value.get_array().value().raw_json().value());
    default:
      return without_blanks(value.raw_json_token());
  }
}

// Returns the place of a member that is known to exist. This parser finds the next member by its
// place, since it refuses to look at names with a surrogate without its partner.
std::size_t place_of(dom::object object, std::string_view name) {
  std::size_t place = 0;
  for (const auto& member : object) {
    if (member.key == name) return place;
    ++place;
  }
  throw std::logic_error("no member " + std::string(name));
}

ondemand::value member_at(ondemand::object object, std::size_t place) {
  for (auto field : object)
    if (place-- == 0) return field.value();
  throw std::logic_error("too few members");
}

// Whether this JSON of a string has a surrogate without its partner.
bool is_no_text(const std::string& source) {
  dom::parser parser;
  return parser.parse(source).error() != simdjson::SUCCESS;
}

}  // namespace

JsonBody::JsonBody(const Request& request) {
  if (request.body.empty()) {
    is_empty_ = true;
    return;
  }
  if (request.content_type != "application/json")
    throw Problem(
        415, "wrong_content_type",
        fmt::format("the body is '{}', but must be application/json", request.content_type))
        .hint("Send the header 'Content-Type: application/json'.");
  if (parser_->allocate(request.body.size() + 1, kDeepest) != simdjson::SUCCESS)
    throw Problem(503, "out_of_memory", "there is not enough memory to read the request")
        .retry_after(1);
  text_ = std::make_shared<simdjson::padded_string>(request.body);
  dom::element root;
  const bool marked = request.body.starts_with(kByteOrderMark);
  auto error = marked ? simdjson::TAPE_ERROR : parser_->parse(*text_).get(root);
  // Documents may have numbers of any size (which ones the parser refuses depends on its version),
  // and surrogates without a partner.
  if (error && !marked && simdjson::validate_utf8(request.body)) {
    error = parser_->parse(strict_json(without_large_numbers(request.body))).get(root);
    is_repaired_ = !error;
  }
  if (error)
    throw Problem(400, "bad_json",
                  fmt::format("the body is not valid JSON: {}", simdjson::error_message(error)))
        .hint("To send a file with curl, use --json @FILE or --data-binary @FILE.");
  if (root.get(object_)) throw Problem(400, "bad_json", "the body is JSON, but not an object");
  check_names();
}

JsonBody::JsonBody(const JsonBody& around, std::string_view name, dom::object object)
    : parser_(around.parser_),
      text_(around.text_),
      way_(around.way_),
      place_(fmt::format("{}/{}", around.place_, name)),
      object_(object),
      is_repaired_(around.is_repaired_) {
  way_.push_back(place_of(around.object_, name));
  check_names();
}

// Returns nothing if the value is not a number, or is too large for a double.
std::optional<double> JsonBody::number_in(std::string_view name, const dom::element& value) const {
  double out = 0;
  if (value.get(out)) return std::nullopt;
  if (!is_repaired_) return out;
  const std::string source = sources_of(name)[0];
  const auto read = std::from_chars(source.data(), source.data() + source.size(), out);
  return read.ec == std::errc() ? std::optional(out) : std::nullopt;
}

// Returns the member's value as it was sent, followed by its elements if it is a list.
std::vector<std::string> JsonBody::sources_of(std::string_view name) const {
  ondemand::parser parser;
  ondemand::document document = parser.iterate(*text_);
  ondemand::object object = document.get_object();
  for (const std::size_t step : way_) object = member_at(object, step).get_object();
  ondemand::value value = member_at(object, place_of(object_, name));
  std::vector<std::string> out;
  if (value.type().value() != ondemand::json_type::array) return {source_of(value)};
  ondemand::array array = value.get_array();
  out.push_back(without_blanks(array.raw_json().value()));
  array.reset();
  for (auto element : array) out.push_back(source_of(element.value()));
  return out;
}

void JsonBody::check_names() const {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : object_)
    if (!seen.insert(name).second) wrong(name, "is given twice");
}

void JsonBody::wrong(std::string_view name, const std::string& sentence) const {
  const std::string_view shown = name.substr(0, kShownName);
  throw Problem(422, "wrong_value", fmt::format("'{}' {}", shown, sentence))
      .at(fmt::format("{}/{}", place_, shown));
}

std::optional<dom::element> JsonBody::find(std::string_view name) {
  known_.emplace(name);
  dom::element out;
  if (is_empty_ || object_[name].get(out)) return std::nullopt;
  if (out.is_null()) wrong(name, "is null: leave it out");
  return out;
}

std::optional<std::string> JsonBody::text(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  std::string_view out;
  if (value->get(out)) wrong(name, "is not a string");
  return std::string(out);
}

std::optional<std::string> JsonBody::id_or_null(std::string_view name) {
  dom::element value;
  if (is_empty_ || object_[name].get(value) || !value.is_null()) return id(name);
  known_.emplace(name);
  return std::nullopt;
}

std::optional<std::string> JsonBody::id(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  const bool needs_source = is_repaired_ || !value->is_string();
  const std::string source = needs_source ? sources_of(name)[0] : std::string();
  if (needs_source && value->is_string() && is_no_text(source))
    wrong(name, "has a surrogate without its partner");
  auto out = id_of(*value, source);
  if (!out) wrong(name, "is neither a string nor a number");
  return out;
}

std::optional<bool> JsonBody::flag(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  bool out = false;
  if (value->get(out)) wrong(name, "is neither true nor false");
  return out;
}

std::optional<std::uint64_t> JsonBody::number(std::string_view name, std::uint64_t least,
                                              std::uint64_t most) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  std::uint64_t out = 0;
  if (value->get(out) || out < least || out > most)
    wrong(name, fmt::format("is not a whole number from {} to {}", least, most));
  return out;
}

std::optional<double> JsonBody::real(std::string_view name, double least, double most) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  const auto out = number_in(name, *value);
  if (!out || !(*out >= least && *out <= most))
    wrong(name, fmt::format("is not a number from {} to {}", least, most));
  return out;
}

std::optional<Threshold> JsonBody::threshold(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  std::string_view text;
  try {
    if (!value->get(text)) return Threshold::parse(text);
    // Threshold(double) takes the shortest decimal that reads back as the same number. Up to 15
    // digits, that is what was sent.
    if (const auto number = number_in(name, *value)) return Threshold(*number);
  } catch (const Error& error) {
    throw Problem(422, "wrong_value", error.sentence().spelled(for_requests()))
        .at(fmt::format("{}/{}", place_, name));
  }
  wrong(name, "is neither a number nor a decimal in a string");
}

std::optional<std::string> JsonBody::raw(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  return sources_of(name)[0];
}

std::optional<dom::array> JsonBody::list(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  dom::array out;
  if (value->get(out)) wrong(name, "is not a list");
  return out;
}

std::optional<std::vector<std::string>> JsonBody::raw_list(std::string_view name,
                                                           std::size_t most) {
  const auto values = list(name);
  if (!values) return std::nullopt;
  if (values->size() > most) wrong(name, fmt::format("has more than {} members", most));
  std::vector<std::string> out = sources_of(name);
  out.erase(out.begin());
  return out;
}

std::optional<std::vector<std::string>> JsonBody::texts(std::string_view name, std::size_t most) {
  const auto values = list(name);
  if (!values) return std::nullopt;
  if (values->size() > most) wrong(name, fmt::format("has more than {} members", most));
  std::vector<std::string> out;
  for (const dom::element element : *values) {
    std::string_view text;
    if (element.get(text)) wrong(name, "has a member that is not a string");
    out.emplace_back(text);
  }
  return out;
}

std::optional<std::vector<std::string>> JsonBody::ids(std::string_view name, std::size_t most) {
  const auto values = list(name);
  if (!values) return std::nullopt;
  if (values->size() > most) wrong(name, fmt::format("has more than {} members", most));
  std::vector<std::string> out;
  const bool are_texts = std::all_of(values->begin(), values->end(),
                                     [](const dom::element& one) { return one.is_string(); });
  const std::vector<std::string> sources =
      are_texts && !is_repaired_ ? std::vector<std::string>() : sources_of(name);
  for (const dom::element element : *values) {
    const std::string source = sources.empty() ? std::string() : sources[out.size() + 1];
    if (is_repaired_ && element.is_string() && is_no_text(source))
      wrong(name, "has a member with a surrogate without its partner");
    auto id = id_of(element, source);
    if (!id) wrong(name, "has a member that is neither a string nor a number");
    out.push_back(std::move(*id));
  }
  return out;
}

std::optional<JsonBody> JsonBody::object(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  dom::object out;
  if (value->get(out)) wrong(name, "is not an object");
  return JsonBody(*this, name, out);
}

void JsonBody::finish() const {
  if (is_empty_) return;
  for (const auto& [name, value] : object_)
    if (!known_.contains(name))
      throw Problem(
          422, "unknown_member",
          fmt::format("'{}' is not known here; known are {}", name.substr(0, kShownName),
                      known_.empty() ? "none" : fmt::format("{}", fmt::join(known_, ", "))))
          .at(fmt::format("{}/{}", place_, name.substr(0, kShownName)));
}

std::optional<std::uint64_t> query_number(const Request& request, std::string_view name,
                                          std::uint64_t least, std::uint64_t most) {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return std::nullopt;
  const std::string& text = found->second;
  std::uint64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || out < least || out > most)
    throw Problem(422, "wrong_value",
                  fmt::format("'{}' is not a whole number from {} to {}", name, least, most))
        .at(std::string(name));
  return out;
}

std::optional<bool> query_flag(const Request& request, std::string_view name) {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return std::nullopt;
  if (found->second == "true") return true;
  if (found->second == "false") return false;
  throw Problem(422, "wrong_value", fmt::format("'{}' is not true or false", name))
      .at(std::string(name));
}

void check_type(const Request& request, std::string_view wanted, std::string_view other,
                std::string_view more) {
  if (request.content_type != wanted && request.content_type != other)
    throw Problem(415, "wrong_content_type",
                  fmt::format("the body is '{}', but must be {}", request.content_type, wanted))
        .hint(fmt::format("Send the header 'Content-Type: {}'{}.", wanted, more));
}

}  // namespace benzer::server
