// Names settings and documents for the page and for its JSON, so that both use the same words.
#pragma once

#include <string>
#include <string_view>

#include "benzer/internal/text.h"
#include "benzer/report.h"

namespace benzer::report {

// What documents are called in sentences.
struct Noun {
  std::string_view one, many;
  std::string_view title;  // many, with a capital letter
};
constexpr Noun noun_of(const Report& report) {
  return report.pictures ? Noun{"picture", "pictures", "Pictures"}
                         : Noun{"document", "documents", "Documents"};
}

inline constexpr EnumName<ShortPolicy> kShortPolicies[] = {
    {ShortPolicy::kExact, "exact"}, {ShortPolicy::kKeep, "keep"}, {ShortPolicy::kDrop, "drop"}};
inline constexpr EnumName<ReportedText::Mark> kMarks[] = {{ReportedText::Mark::kNone, "none"},
                                                          {ReportedText::Mark::kShared, "shared"},
                                                          {ReportedText::Mark::kOwn, "own"}};

// "Texts are compared by all runs of 5 words; ..."
std::string features_in_words(const FeatureSpec& spec);

// Says which pairs that were looked at were not counted; empty if all were. Begins with a blank.
std::string sample_in_words(const Report& report);

// In how many steps the curve of the bands is drawn and listed.
inline constexpr int kCurveSteps = 100;

}  // namespace benzer::report
