#include "engine/attributes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/internal/text.h"
#include "benzer/number.h"

#include "features/config_text.h"
#include "store/store.h"

namespace benzer {
namespace {

using namespace internal;
using Operator = Condition::Operator;

constexpr UtcTime kNever = AttributeCodec::kNever;
constexpr std::size_t kExpiryBytes = sizeof(UtcTime);
constexpr std::size_t kLongestName = 64;
constexpr std::int64_t kDay = 86'400, kLongestTtl = 36'500 * kDay;  // seconds

constexpr EnumName<AttributeKind> kKinds[] = {{AttributeKind::kString, "string"},
                                              {AttributeKind::kNumber, "number"},
                                              {AttributeKind::kTime, "time"},
                                              {AttributeKind::kBoolean, "boolean"}};
// "<=" comes before "<", since the parser takes the first spelling that fits.
constexpr EnumName<Operator> kOperators[] = {
    {Operator::kNotEqual, "!="}, {Operator::kLessOrEqual, "<="}, {Operator::kGreaterOrEqual, ">="},
    {Operator::kLess, "<"},      {Operator::kGreater, ">"},      {Operator::kEqual, "="}};
constexpr std::pair<char, std::int64_t> kUnits[] = {{'d', kDay}, {'h', 3600}, {'m', 60}, {'s', 1}};

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}
bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_name_byte);
}

// What a value of the kind must be, for messages.
std::string_view allowed(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kString:
      return "a string of UTF-8";
    case AttributeKind::kNumber:
      return "a number such as 3 or 9.5";
    case AttributeKind::kTime:
      return "a time such as 2026-11-22 or 2026-11-22T21:03:00Z";
    case AttributeKind::kBoolean:
      return "true or false";
  }
  return {};
}

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Takes numbers and texts off bytes; fails at their end.
struct Left {
  std::string_view bytes;
  bool ok = true;

  template <class Number>
  Number number() {
    Number out{};
    ok = ok && bytes.size() >= sizeof out;
    if (!ok) return out;
    std::memcpy(&out, bytes.data(), sizeof out);
    bytes.remove_prefix(sizeof out);
    return out;
  }
  std::string_view text() {
    const auto size = number<std::uint16_t>();
    ok = ok && bytes.size() >= size;
    if (!ok) return {};
    const std::string_view out = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return out;
  }
};

std::string text_of(AttributeKind kind, const AttributeValue& value) {
  switch (kind) {
    case AttributeKind::kString: {
      std::string valid;
      append_valid_utf8(valid, value.string);  // the bytes may be damaged
      return valid;
    }
    case AttributeKind::kNumber:
      return fmt::format("{}", value.number);
    case AttributeKind::kTime:
      return utc_text(value.whole);
    case AttributeKind::kBoolean:
      return value.whole != 0 ? "true" : "false";
  }
  return {};
}

void append_value(AttributeKind kind, const AttributeValue& value, std::string& out) {
  if (kind == AttributeKind::kString) {
    append(out, static_cast<std::uint16_t>(value.string.size()));
    out += value.string;
  } else if (kind == AttributeKind::kNumber) {
    append(out, value.number);
  } else if (kind == AttributeKind::kTime) {
    append(out, value.whole);
  } else {
    append(out, static_cast<std::uint8_t>(value.whole));
  }
}

// Below, at or above 0, as `a` is less than, equal to or greater than `b`.
int order(AttributeKind kind, const AttributeValue& a, const AttributeValue& b) {
  if (kind == AttributeKind::kString) return a.string.compare(b.string);
  if (kind == AttributeKind::kNumber) return (a.number > b.number) - (a.number < b.number);
  return (a.whole > b.whole) - (a.whole < b.whole);
}

struct Before {
  AttributeKind kind;
  bool operator()(const AttributeValue& a, const AttributeValue& b) const {
    return order(kind, a, b) < 0;
  }
};

std::optional<std::string> read_json_string(std::string_view json) {
  simdjson::dom::parser parser;
  std::string_view out;
  const simdjson::padded_string padded(json);
  if (parser.parse(padded).get(out)) return std::nullopt;
  return std::string(out);
}

// Takes a value off the front of the values of a condition: up to a comma if `is_list`.
std::string take_value(std::string_view& left, bool is_list, std::string_view condition) {
  left = trim(left);
  if (!left.starts_with('"')) {
    const std::string_view value = left.substr(0, is_list ? left.find(',') : left.npos);
    left.remove_prefix(value.size());
    return std::string(trim(value));
  }
  std::size_t end = 1;
  while (end < left.size() && left[end] != '"') end += left[end] == '\\' ? 2 : 1;
  std::optional<std::string> value;
  if (end < left.size()) value = read_json_string(left.substr(0, end + 1));
  if (!value)
    fail("the condition {} has a value in quotes that is not a JSON string", in_quotes(condition));
  left = trim(left.substr(end + 1));
  return *value;
}

[[noreturn]] void fail_too_many_values(std::string_view condition) {
  throw Error(ErrorCode::kInvalidArgument, Subject::parameter("where"),
              fmt::format("with the condition {} there are more than {} values, and all conditions "
                          "of a query may have {}",
                          in_quotes(condition), Condition::kMostValues, Condition::kMostValues),
              "ask about fewer values at a time");
}

bool needs_quotes(std::string_view value) {
  return value.empty() || trim(value) != value || value.starts_with('"') ||
         value.find(',') != value.npos;
}

}  // namespace

std::int64_t parse_ttl(std::string_view text) {
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto count =
        read_number<std::int64_t>(text.substr(0, text.size() - 1), 1, kLongestTtl / seconds);
    if (count) return *count * seconds;
  }
  fail(
      "the time to live {} is not allowed: give 1 second to 36,500 days, such as 90s, 15m, 12h or "
      "30d",
      in_quotes(text));
}

bool AttributeSpec::is_one(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == part.npos) return false;
  const std::string_view kind = part.substr(equals + 1);
  return value_in(kKinds, trim(kind.substr(0, kind.find(';')))).has_value();
}

AttributeSpec AttributeSpec::parse(std::string_view text) {
  const std::string_view part = trim(text);
  const std::size_t equals = part.find('=');
  AttributeSpec out;
  out.name = std::string(trim(part.substr(0, equals)));
  const std::vector<std::string_view> parts =
      split(equals == part.npos ? std::string_view() : part.substr(equals + 1), ';');
  const auto kind = value_in(kKinds, trim(parts[0]));
  if (!is_name(out.name) || !kind)
    fail(
        "the attribute {} is not valid: give a name of 1 to {} letters, digits, _, - and ., then = "
        "and string, number, time or boolean, as in price=number",
        in_quotes(part), kLongestName);
  out.kind = *kind;
  const bool is_expiry = out.name == kExpiry;
  if (is_expiry && out.kind != AttributeKind::kTime)
    fail("the attribute {} says when a document expires, so it must be a time: {}=time", kExpiry,
         kExpiry);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string_view rest = trim(parts[i]);
    if (!is_expiry || out.ttl_seconds != 0 || !take_prefix(rest, "ttl="))
      fail("the part {} of the attribute {} is unknown; allowed is one ttl=TIME, of {}",
           in_quotes(parts[i]), in_quotes(out.name), kExpiry);
    out.ttl_seconds = parse_ttl(rest);
  }
  return out;
}

std::string AttributeSpec::str() const {
  std::string out = fmt::format("{}={}", name, name_in(kKinds, kind));
  if (ttl_seconds == 0) return out;
  for (const auto& [unit, seconds] : kUnits)
    if (ttl_seconds % seconds == 0)
      return out + fmt::format(";ttl={}{}", ttl_seconds / seconds, unit);
  return out;
}

Condition Condition::parse(std::string_view text) {
  if (std::string valid; append_valid_utf8(valid, text) > 0)
    fail("the condition {} is not UTF-8: give it as UTF-8", in_quotes(text));
  std::string_view left = trim(text);
  const auto name_end = std::ranges::find_if_not(left, is_name_byte);
  Condition out;
  out.attribute = std::string(left.begin(), name_end);
  left = trim(left.substr(out.attribute.size()));
  const auto found = std::ranges::find_if(
      kOperators, [&](const auto& known) { return take_prefix(left, known.second); });
  const bool is_list =
      found == std::end(kOperators) &&
      (left.starts_with("in ") || left.starts_with("in\t") || left.starts_with("in\"")) &&
      take_prefix(left, "in");
  if (out.attribute.empty() || (found == std::end(kOperators) && !is_list))
    fail(
        "the condition {} is not valid: give an attribute, one of = != < <= > >= in, and a value, "
        "as in price<10 or \"lang in en,de\"",
        in_quotes(text));
  out.compare = is_list ? Operator::kIn : found->first;
  do {
    if (out.values.size() == kMostValues) fail_too_many_values(text);
    out.values.push_back(take_value(left, is_list, text));
  } while (is_list && take_prefix(left, ","));
  if (!left.empty())
    fail("the condition {} goes on behind its value with {}", in_quotes(text), in_quotes(left));
  return out;
}

std::string Condition::str() const {
  std::string out = attribute + ' ' +
                    std::string(compare == Operator::kIn ? "in" : name_in(kOperators, compare)) +
                    ' ';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    out += needs_quotes(values[i]) ? json_string(values[i]) : values[i];
  }
  return out;
}

AttributeCodec::AttributeCodec(const Schema& schema)
    : schema_(schema), expiry_(schema.find_attribute(AttributeSpec::kExpiry)) {}

std::optional<AttributeValue> AttributeCodec::read(AttributeKind kind, std::string_view text) {
  AttributeValue out;
  if (kind == AttributeKind::kString) {
    std::string valid;
    if (append_valid_utf8(valid, text) > 0) return std::nullopt;
    out.string = text;
  } else if (kind == AttributeKind::kNumber) {
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, out.number);
    if (result.ptr != end || !std::isfinite(out.number)) return std::nullopt;
    if (result.ec == std::errc::result_out_of_range) {
      // Too large for a double, or so small that it is 0.
      static const Number kMost = 1, kLeast = -1;
      const Number exact = Number::in(text);
      if (!exact.is_there() || exact >= kMost || exact <= kLeast) return std::nullopt;
      out.number = 0;
    } else if (result.ec != std::errc()) {
      return std::nullopt;
    }
    if (out.number == 0) out.number = 0;  // not "-0"
  } else if (kind == AttributeKind::kTime) {
    const auto time = read_utc_time(text);
    if (!time) return std::nullopt;
    out.whole = *time;
  } else {
    if (text != "true" && text != "false") return std::nullopt;
    out.whole = text == "true";
  }
  return out;
}

std::string AttributeCodec::encode(const std::vector<Attribute>& attributes,
                                   std::optional<UtcTime> now, std::string& out) const {
  out.clear();
  std::vector<const std::string*> given(schema_.attributes.size());
  std::size_t bytes = kExpiryBytes;
  for (const Attribute& attribute : attributes) {
    const auto number = schema_.find_attribute(attribute.name);
    if (!number)
      return fmt::format("the document has an attribute {} that the schema does not have: {}",
                         in_quotes(attribute.name), schema_.str());
    if (std::exchange(given[*number], &attribute.value))
      return fmt::format("the document has the attribute {} twice", in_quotes(attribute.name));
    bytes += attribute.value.size();
  }
  const auto too_long = [](std::size_t size) {
    return fmt::format("the attributes of the document take {} bytes; allowed are {}", size,
                       kLongestAttributes);
  };
  if (bytes > kLongestAttributes) return too_long(bytes);  // before any of them is parsed
  UtcTime expiry = kNever;
  if (now && expiry_ && schema_.attributes[*expiry_].ttl_seconds > 0)
    expiry = *now + schema_.attributes[*expiry_].ttl_seconds * 1'000'000;
  append(out, expiry);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) continue;
    const AttributeSpec& spec = schema_.attributes[i];
    const auto value = read(spec.kind, *given[i]);
    if (!value)
      return fmt::format("the attribute {} is {}, and must be {}", in_quotes(spec.name),
                         in_quotes(*given[i]), allowed(spec.kind));
    if (i == expiry_) {
      expiry = value->whole;
      std::memcpy(out.data(), &expiry, sizeof expiry);
      continue;
    }
    out += static_cast<char>(i);
    append_value(spec.kind, *value, out);
  }
  if (out.size() > kLongestAttributes) return too_long(out.size());
  if (out.size() == kExpiryBytes && expiry == kNever) out.clear();
  return {};
}

UtcTime AttributeCodec::expiry(std::string_view bytes) noexcept {
  UtcTime out = kNever;
  if (bytes.size() >= sizeof out) std::memcpy(&out, bytes.data(), sizeof out);
  return out;
}

template <class Visit>
bool AttributeCodec::for_each(std::string_view bytes, Visit visit) const {
  if (bytes.empty()) return true;
  Left left{bytes};
  const auto expiry = left.number<UtcTime>();
  if (left.ok && expiry_ && expiry != kNever) {
    if (!is_writable_utc_time(expiry)) return false;
    visit(*expiry_, AttributeValue{{}, 0, expiry});
  }
  std::size_t least = 0;  // numbers ascend
  while (left.ok && !left.bytes.empty()) {
    const std::size_t number = left.number<std::uint8_t>();
    if (number < least || number >= schema_.attributes.size() || number == expiry_) return false;
    least = number + 1;
    AttributeValue value;
    switch (schema_.attributes[number].kind) {
      case AttributeKind::kString:
        value.string = left.text();
        break;
      case AttributeKind::kNumber:
        value.number = left.number<double>() + 0.0;  // not "-0"
        left.ok = left.ok && std::isfinite(value.number);
        break;
      case AttributeKind::kTime:
        value.whole = left.number<std::int64_t>();
        left.ok = left.ok && is_writable_utc_time(value.whole);
        break;
      case AttributeKind::kBoolean:
        value.whole = left.number<std::uint8_t>();
        left.ok = left.ok && value.whole <= 1;
        break;
    }
    if (left.ok) visit(number, value);
  }
  return left.ok;
}

std::vector<Attribute> AttributeCodec::decode(std::string_view bytes) const {
  std::vector<std::pair<std::size_t, Attribute>> found;
  for_each(bytes, [&](std::size_t number, const AttributeValue& value) {
    const AttributeSpec& spec = schema_.attributes[number];
    found.push_back({number, {spec.name, text_of(spec.kind, value), spec.kind}});
  });
  std::ranges::sort(found, {}, &std::pair<std::size_t, Attribute>::first);
  std::vector<Attribute> out;
  for (auto& [number, attribute] : found) out.push_back(std::move(attribute));
  return out;
}

std::string AttributeCodec::change(const std::vector<Attribute>& set,
                                   const std::vector<std::string>& removed,
                                   std::string& bytes) const {
  std::vector<Attribute> all = set;
  for (const std::string& name : removed) {
    if (!schema_.find_attribute(name))
      return fmt::format("the schema has no attribute {}: {}", in_quotes(name), schema_.str());
    if (std::ranges::any_of(set, [&](const Attribute& one) { return one.name == name; }))
      return fmt::format("the attribute {} is to be set and removed", in_quotes(name));
  }
  for (Attribute& known : decode(bytes)) {
    const bool is_named =
        std::ranges::find(removed, known.name) != removed.end() ||
        std::ranges::any_of(set, [&](const Attribute& one) { return one.name == known.name; });
    if (!is_named) all.push_back(std::move(known));
  }
  std::string out;
  std::string problem = encode(all, std::nullopt, out);
  if (problem.empty()) bytes = std::move(out);
  return problem;
}

AttributeFilter::AttributeFilter(const Schema& schema, const std::vector<Condition>& conditions)
    : codec_(schema) {
  std::size_t values = 0;
  for (const Condition& condition : conditions) {
    if (condition.values.size() > Condition::kMostValues - values)
      fail_too_many_values(condition.str());
    values += condition.values.size();
    const auto attribute = schema.find_attribute(condition.attribute);
    if (!attribute)
      throw Error(ErrorCode::kInvalidArgument, Subject::parameter("where"),
                  schema.attributes.empty()
                      ? fmt::format("the index has no attributes, and {} is a condition on one",
                                    in_quotes(condition.str()))
                      : fmt::format("the index has no attribute {}; its schema is {}",
                                    in_quotes(condition.attribute), schema.str()));
    const bool is_list = condition.compare == Operator::kIn;
    if (condition.values.empty() || (!is_list && condition.values.size() > 1))
      throw Error(ErrorCode::kInvalidArgument, Subject::parameter("where"),
                  fmt::format("the condition on {} has {} values; it takes {}",
                              in_quotes(condition.attribute), condition.values.size(),
                              is_list ? "one or more" : "one"));
    Test test{*attribute, condition.compare, condition.values, {}};
    const AttributeSpec& spec = codec_.spec(*attribute);
    for (const std::string& text : condition.values) {
      if (!AttributeCodec::read(spec.kind, text))
        throw Error(ErrorCode::kInvalidArgument, Subject::parameter("where"),
                    fmt::format("the value {} of the condition on {} must be {}", in_quotes(text),
                                in_quotes(spec.name), allowed(spec.kind)));
    }
    tests_.push_back(std::move(test));
  }
  // The values of strings are views of the texts, which do not move any more.
  for (Test& test : tests_) {
    const AttributeKind kind = codec_.spec(test.attribute).kind;
    for (const std::string& text : test.texts)
      test.values.push_back(*AttributeCodec::read(kind, text));
    std::ranges::sort(test.values, Before{kind});
  }
}

bool AttributeFilter::meets(const Test& test, const AttributeValue& value) const {
  const AttributeKind kind = codec_.spec(test.attribute).kind;
  const auto compared = [&](const AttributeValue& with) { return order(kind, value, with); };
  const auto is_one = [&] { return std::ranges::binary_search(test.values, value, Before{kind}); };
  switch (test.compare) {
    case Operator::kEqual:
    case Operator::kIn:
      return is_one();
    case Operator::kNotEqual:
      return !is_one();
    case Operator::kLess:
      return compared(test.values[0]) < 0;
    case Operator::kLessOrEqual:
      return compared(test.values[0]) <= 0;
    case Operator::kGreater:
      return compared(test.values[0]) > 0;
    case Operator::kGreaterOrEqual:
      return compared(test.values[0]) >= 0;
  }
  return false;
}

bool AttributeFilter::passes(std::string_view bytes) const {
  if (codec_.may_expire() && AttributeCodec::expiry(bytes) <= now_) return false;
  if (tests_.empty()) return true;
  std::size_t met = 0;
  bool is_met = true;
  const bool is_sound =
      codec_.for_each(bytes, [&](std::size_t number, const AttributeValue& value) {
        for (const Test& test : tests_) {
          if (test.attribute != number) continue;
          is_met = is_met && meets(test, value);
          ++met;
        }
      });
  return is_sound && is_met && met == tests_.size();
}

}  // namespace benzer
