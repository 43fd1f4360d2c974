#include "json_body.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace benzer::server {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kShownName = 60;  // bytes of what the client called a member

std::optional<std::string> id_of(const dom::element& value) {
  std::string_view text;
  std::int64_t number = 0;
  std::uint64_t large = 0;
  if (!value.get(text)) return std::string(text);
  if (value.is_int64() && !value.get(number)) return std::to_string(number);
  if (value.is_uint64() && !value.get(large)) return std::to_string(large);
  return std::nullopt;
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
        fmt::format("the body is '{}', and application/json is wanted", request.content_type))
        .hint("Send the header 'Content-Type: application/json'.");
  if (parser_->allocate(request.body.size() + 1, kDeepest) != simdjson::SUCCESS)
    throw Problem(503, "out_of_memory", "there is no memory to read the request").retry_after(1);
  dom::element root;
  if (const auto error = parser_->parse(request.body).get(root))
    throw Problem(400, "bad_json",
                  fmt::format("the body is no JSON: {}", simdjson::error_message(error)))
        .hint("To send a file with curl, use --json @FILE or --data-binary @FILE.");
  if (root.get(object_)) throw Problem(400, "bad_json", "the body is JSON, and no object");
  check_names();
}

JsonBody::JsonBody(std::shared_ptr<dom::parser> parser, dom::object object, std::string place)
    : parser_(std::move(parser)), place_(std::move(place)), object_(object) {
  check_names();
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
  if (value->get(out)) wrong(name, "is no string");
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
  auto out = id_of(*value);
  if (!out) wrong(name, "is neither a string nor a whole number");
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
    wrong(name, fmt::format("is no whole number from {} to {}", least, most));
  return out;
}

std::optional<double> JsonBody::real(std::string_view name, double least, double most) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  double out = 0;
  if (value->get(out) || !(out >= least && out <= most))
    wrong(name, fmt::format("is no number from {} to {}", least, most));
  return out;
}

std::optional<Threshold> JsonBody::threshold(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  std::string_view text;
  double number = 0;
  try {
    if (!value->get(text)) return Threshold::parse(text);
    // The shortest decimal that reads back as the same number: what was sent, up to 15 digits.
    if (!value->get(number)) return Threshold(number);
  } catch (const Error& error) {
    throw Problem(422, "wrong_value", error.what()).at(fmt::format("{}/{}", place_, name));
  }
  wrong(name, "is neither a number nor a decimal in a string");
}

std::optional<std::string> JsonBody::raw(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  return simdjson::minify(*value);
}

std::optional<dom::array> JsonBody::list(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  dom::array out;
  if (value->get(out)) wrong(name, "is no list");
  return out;
}

std::optional<std::vector<std::string>> JsonBody::raw_list(std::string_view name,
                                                           std::size_t most) {
  const auto values = list(name);
  if (!values) return std::nullopt;
  std::vector<std::string> out;
  for (const dom::element element : *values) {
    if (out.size() == most) wrong(name, fmt::format("has more than {} members", most));
    out.push_back(simdjson::minify(element));
  }
  return out;
}

std::optional<std::vector<std::string>> JsonBody::texts(std::string_view name, std::size_t most) {
  const auto values = list(name);
  if (!values) return std::nullopt;
  std::vector<std::string> out;
  for (const dom::element element : *values) {
    std::string_view text;
    if (element.get(text)) wrong(name, "has a member that is no string");
    if (out.size() == most) wrong(name, fmt::format("has more than {} members", most));
    out.emplace_back(text);
  }
  return out;
}

std::optional<std::vector<std::string>> JsonBody::ids(std::string_view name, std::size_t most) {
  const auto values = list(name);
  if (!values) return std::nullopt;
  std::vector<std::string> out;
  for (const dom::element element : *values) {
    auto id = id_of(element);
    if (!id) wrong(name, "has a member that is neither a string nor a whole number");
    if (out.size() == most) wrong(name, fmt::format("has more than {} members", most));
    out.push_back(std::move(*id));
  }
  return out;
}

std::optional<JsonBody> JsonBody::object(std::string_view name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  dom::object out;
  if (value->get(out)) wrong(name, "is no object");
  return JsonBody(parser_, out, fmt::format("{}/{}", place_, name));
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
                  fmt::format("'{}' is no whole number from {} to {}", name, least, most))
        .at(std::string(name));
  return out;
}

}  // namespace benzer::server
