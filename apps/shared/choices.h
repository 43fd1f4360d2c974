// Lists the words that options with a closed set of values take. The option table offers them, and
// the functions that read these options accept no others.
#pragma once

#include <array>
#include <string_view>

#include "benzer/dedup.h"
#include "benzer/passages.h"
#include "benzer/similarity.h"

namespace benzer::apps {

using namespace std::string_view_literals;

inline constexpr std::array kFormatNames = {"auto"sv, "jsonl"sv, "csv"sv,
                                            "tsv"sv,  "text"sv,  "lines"sv};
inline constexpr std::array kMeasureNames = {name_of(Measure::kJaccard),
                                             name_of(Measure::kContainment)};
inline constexpr std::array kScoreRuleNames = {"mean"sv, "all"sv, "any"sv};
inline constexpr std::array kShortPolicyNames = {"exact"sv, "keep"sv, "drop"sv};
inline constexpr std::array kClusteringNames = {name_of(Clustering::kLeader),
                                                name_of(Clustering::kComponents)};
inline constexpr std::array kCutNames = {name_of(CutAt::kWord), name_of(CutAt::kSentence),
                                         name_of(CutAt::kParagraph), name_of(CutAt::kLine)};
inline constexpr std::array kStageNames = {"sketch"sv};
inline constexpr std::array kProgressNames = {"auto"sv, "always"sv, "never"sv};
inline constexpr std::array kLogNames = {"text"sv, "json"sv, "none"sv};
inline constexpr std::array kScopeNames = {"read"sv, "write"sv, "admin"sv};
inline constexpr std::array kShellNames = {"bash"sv, "zsh"sv, "fish"sv};

}  // namespace benzer::apps
