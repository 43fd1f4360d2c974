#include "report/keep_reason.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "report/html_text.h"

namespace benzer::report {
namespace {

using Kind = KeepRule::Kind;

constexpr std::size_t kShownValues = 3;

// One comparison of a rule.
struct Step {
  KeepRule rule;     // what is compared
  std::string name;  // the rule as the user gave it
};

// `largest` compares features; of pictures pixels, and then bytes.
std::vector<Step> steps_of(const KeepOrder& order, bool picture) {
  std::vector<Step> out;
  for (const KeepRule& rule : order.rules) {
    out.push_back({rule, KeepOrder{{rule}}.str()});
    if (rule.kind == Kind::kLargest && picture)
      out.push_back({{Kind::kLongest, {}, {}}, KeepOrder{{rule}}.str()});
  }
  return out;
}

// Returns the value that a rule looks at, as text; equal texts are a tie.
std::string value_for(const KeepRule& rule, const KeepOrder& order, const Evidence& document) {
  switch (rule.kind) {
    case Kind::kLongest:
    case Kind::kShortest:
      return counted(document.document.bytes, "byte", "bytes");
    case Kind::kLargest: {
      if (document.document.picture == nullptr)
        return counted(document.set.size(), "feature", "features");
      const ReportedPicture& picture = *document.document.picture;
      if (picture.width == 0) return "unknown";
      return with_separators(std::uint64_t{picture.width} * picture.height);
    }
    case Kind::kMax:
    case Kind::kMin: {
      const std::vector<std::string> fields = order.fields();
      const auto place = static_cast<std::size_t>(
          std::find(fields.begin(), fields.end(), rule.field) - fields.begin());
      const bool is_there = place < document.numbers.size() && document.numbers[place].is_there();
      return is_there ? document.numbers[place].str() : "no number";
    }
    case Kind::kSource:
      return document.document.source;
    case Kind::kFirst:
    case Kind::kLast:
      break;
  }
  return "";
}

std::string what_of(const KeepRule& rule, bool picture) {
  switch (rule.kind) {
    case Kind::kLongest:
    case Kind::kShortest:
      return picture ? "size of the file" : "length";
    case Kind::kLargest:
      return picture ? "number of pixels" : "number of features";
    case Kind::kSource:
      return "source";
    case Kind::kMax:
    case Kind::kMin:
    case Kind::kFirst:
    case Kind::kLast:
      break;
  }
  return rule.field;
}

std::string_view words_for(Kind kind, bool picture) {
  switch (kind) {
    case Kind::kLongest:
      return picture ? "it is the largest file" : "it is the longest";
    case Kind::kShortest:
      return picture ? "it is the smallest file" : "it is the shortest";
    case Kind::kLargest:
      return picture ? "it has the most pixels" : "it has the most different features";
    case Kind::kMax:
      return "it has the largest value";
    case Kind::kMin:
      return "it has the smallest value";
    case Kind::kSource:
    case Kind::kFirst:
    case Kind::kLast:
      break;
  }
  return "its source comes first";
}

// Says which later steps decide about the removed ones that the step before does not tell from the
// keeper. tied: these; not empty.
std::string decided_later(std::span<const Step> later, const KeepOrder& order,
                          const Evidence& keeper, std::vector<const Evidence*> tied) {
  const std::size_t all = tied.size();
  std::vector<std::string> deciding;
  for (const auto& [rule, name] : later) {
    if (rule.kind == Kind::kFirst || rule.kind == Kind::kLast) break;
    const std::string own = value_for(rule, order, keeper);
    const std::size_t decided = std::erase_if(
        tied, [&](const Evidence* document) { return value_for(rule, order, *document) != own; });
    if (decided > 0 && (deciding.empty() || deciding.back() != name)) deciding.push_back(name);
    if (tied.empty()) break;
  }
  if (!tied.empty()) deciding.emplace_back("the order of the input");
  return fmt::format("; {} the same, decided by {}", counted(all, "has", "have"),
                     fmt::join(deciding, " and "));
}

}  // namespace

std::string keep_reason(const KeepOrder& order, const Evidence& keeper,
                        std::span<const Evidence> removed, bool keeper_is_reference) {
  if (keeper_is_reference) return "It is a reference: those are never removed.";
  const bool picture = keeper.document.picture != nullptr;
  std::string ties;
  const std::vector<Step> steps = steps_of(order, picture);
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const auto& [rule, name] = steps[step];
    if (rule.kind == Kind::kFirst || rule.kind == Kind::kLast) {
      return fmt::format("It comes {} in the input{}.",
                         rule.kind == Kind::kFirst ? "first" : "last", ties);
    }
    const std::string own = value_for(rule, order, keeper);
    std::vector<std::string> others;
    std::vector<const Evidence*> tied;
    for (const Evidence& document : removed) {
      std::string value = value_for(rule, order, document);
      if (value == own) {
        tied.push_back(&document);
      } else if (std::find(others.begin(), others.end(), value) == others.end()) {
        others.push_back(std::move(value));
      }
    }
    if (!others.empty()) {
      if (others.size() > kShownValues) {
        const std::size_t more = others.size() - kShownValues;
        others.resize(kShownValues);
        others.back() += fmt::format(" and {} more", more);
      }
      const std::string field = rule.field.empty() ? "" : fmt::format(" of {}", rule.field);
      const std::string later =
          tied.empty() ? ""
                       : decided_later(std::span(steps).subspan(step + 1), order, keeper, tied);
      return fmt::format("By the rule {}, {}{}: {}; removed ones shown here: {}{}{}.", name,
                         words_for(rule.kind, picture), field, own, fmt::join(others, ", "), later,
                         ties);
    }
    ties += fmt::format("{}the {} is the same, {}", ties.empty() ? "; " : ", ",
                        what_of(rule, picture), own);
  }
  return fmt::format("It comes first in the input{}.", ties);
}

}  // namespace benzer::report
