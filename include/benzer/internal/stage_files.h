// The names of the files that runs keep in a work folder: what they write there and remove again,
// so that no input or output may be one of them.
#pragma once

#include <string_view>

namespace benzer {

// Followed by the number of a source: what was made of its documents (io/scan_log.h).
inline constexpr std::string_view kSketchStage = "benzer-sketch-";
// The pairs of a deduplication that were verified (dedup/verify_log.h).
inline constexpr std::string_view kVerifyStage = "benzer-verify";
// Of passages (passages/kept_runs.h): runs that are equal, near ones that were extended from these,
// and the seed of the hashes of words.
inline constexpr std::string_view kEqualRunsStage = "benzer-passages-equal";
inline constexpr std::string_view kNearRunsStage = "benzer-passages-near";
inline constexpr std::string_view kWordSeedStage = "benzer-passages-seed";

// Follows the name of a file that is not complete.
inline constexpr std::string_view kGrowingStage = ".growing";

// Whether a file of this name, without its folder, may be one of them.
constexpr bool is_stage_file(std::string_view name) noexcept {
  if (name.starts_with(kSketchStage)) return true;
  if (name.ends_with(kGrowingStage)) name.remove_suffix(kGrowingStage.size());
  return name == kVerifyStage || name == kEqualRunsStage || name == kNearRunsStage ||
         name == kWordSeedStage;
}

}  // namespace benzer
