// Names of settings, as the page and its twin spell them.
#pragma once

#include <string_view>

#include "benzer/report.h"

namespace benzer::report {

constexpr std::string_view name_of(Clustering clustering) {
  return clustering == Clustering::kLeader ? "leader" : "components";
}

constexpr std::string_view name_of(ShortPolicy policy) {
  switch (policy) {
    case ShortPolicy::kKeep:
      return "keep";
    case ShortPolicy::kDrop:
      return "drop";
    case ShortPolicy::kExact:
      break;
  }
  return "exact";
}

constexpr std::string_view name_of(ReportedText::Mark mark) {
  switch (mark) {
    case ReportedText::Mark::kShared:
      return "shared";
    case ReportedText::Mark::kOwn:
      return "own";
    case ReportedText::Mark::kNone:
      break;
  }
  return "none";
}

// The places where the curve of the bands is drawn and listed.
inline constexpr int kCurveSteps = 100;

}  // namespace benzer::report
