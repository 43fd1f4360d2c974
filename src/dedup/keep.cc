// Reads and writes the spelling of keep rules. keep_order.cc sorts by them, report/keep_reason.cc
// explains their choice.
#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/internal/text.h"

namespace benzer {
namespace {

using Kind = KeepRule::Kind;

constexpr EnumName<Kind> kWords[] = {
    {Kind::kFirst, "first"},       {Kind::kLast, "last"},       {Kind::kLongest, "longest"},
    {Kind::kShortest, "shortest"}, {Kind::kLargest, "largest"},
};

// The rules that have an operand after a colon.
constexpr EnumName<Kind> kPrefixes[] = {
    {Kind::kMax, "max:"},
    {Kind::kMin, "min:"},
    {Kind::kSource, "source:"},
};

constexpr std::string_view kAllowed =
    "give first, last, longest, shortest, largest, max:FIELD, min:FIELD, "
    "source:NAME,NAME..., or a list of these separated by commas";

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument, Subject::parameter("keep"),
              fmt::format("the keep rule '{}' is not allowed: {}", text, why));
}

std::string_view name_of(Kind kind) {
  const std::string_view word = name_in(kWords, kind);
  return word.empty() ? name_in(kPrefixes, kind) : word;
}

// Returns the rule that a part between two commas begins; nothing if it does not begin one.
std::optional<KeepRule> begin_rule(std::string_view text, std::string_view part) {
  if (const auto kind = value_in(kWords, part)) return KeepRule{*kind, {}, {}};
  for (const auto& [kind, prefix] : kPrefixes) {
    if (!part.starts_with(prefix)) continue;
    const std::string rest(part.substr(prefix.size()));
    if (rest.empty())
      refuse(text,
             fmt::format("a {} must follow '{}'",
                         kind == Kind::kSource ? "name of an input" : "name of a field", prefix));
    if (kind == Kind::kSource) return KeepRule{kind, {}, {rest}};
    return KeepRule{kind, rest, {}};
  }
  return std::nullopt;
}

}  // namespace

KeepOrder KeepOrder::parse(std::string_view text) {
  KeepOrder order;
  order.rules.clear();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, comma - begin);
    begin = comma + 1;
    std::optional<KeepRule> rule = begin_rule(text, part);
    if (!rule) {
      if (part.empty() || order.rules.empty() || order.rules.back().kind != Kind::kSource)
        refuse(text, std::string(kAllowed));
      order.rules.back().names.emplace_back(part);
      continue;
    }
    for (const KeepRule& earlier : order.rules) {
      if (earlier.kind == Kind::kFirst || earlier.kind == Kind::kLast)
        refuse(text,
               fmt::format("nothing can follow '{}', which leaves no ties", name_of(earlier.kind)));
      if (earlier.kind == rule->kind && earlier.field == rule->field)
        refuse(text, fmt::format("'{}{}' is given twice", name_of(rule->kind), rule->field));
    }
    order.rules.push_back(std::move(*rule));
  }
  return order;
}

std::string KeepOrder::str() const {
  std::string out;
  for (const KeepRule& rule : rules) {
    if (!out.empty()) out += ',';
    out += name_of(rule.kind);
    out += rule.field;
    out += fmt::format("{}", fmt::join(rule.names, ","));
  }
  return out;
}

KeepOrder KeepOrder::usual(const FeatureSpec& features, Measure measure) {
  const bool by_size = features.image() || measure == Measure::kContainment;
  return {{KeepRule{by_size ? Kind::kLargest : Kind::kFirst, {}, {}}}};
}

bool KeepOrder::uses_size() const noexcept {
  return std::ranges::any_of(rules,
                             [](const KeepRule& rule) { return rule.kind == Kind::kLargest; });
}

std::vector<std::string> KeepOrder::fields() const {
  std::vector<std::string> out;
  for (const KeepRule& rule : rules) {
    if (rule.kind != Kind::kMax && rule.kind != Kind::kMin) continue;
    if (std::find(out.begin(), out.end(), rule.field) == out.end()) out.push_back(rule.field);
  }
  return out;
}

}  // namespace benzer
