// Keeps the results of a stage of a run in a work folder, piece by piece, so that a later run of
// the same work need not compute them again.
//
// The log (base/record_log.h) has a record with the number of the work, and then one for each
// piece, in the order of the work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/record_log.h"

namespace benzer {

// What a stage was made by are lines "name=value". One that begins so stands for a secret of the
// work folder. If it differs, the secret was lost; nobody can give it again, so the stage is not
// refused but done again.
inline constexpr std::string_view kSecretLine = "secret=";

class StageLog {
 public:
  // If the folder is empty, nothing is kept.
  StageLog(const std::string& folder, std::string_view name);

  bool is_kept() const noexcept { return !path_.empty(); }

  // Hands the pieces that an earlier run has left of the same work to take(), in order, until it
  // returns false or throws Error(kCorrupt) for a piece that cannot be right. Then append() goes on
  // behind the last piece that was taken. work: equal for the same work only.
  void replay(std::uint64_t work, const std::function<bool(std::string_view piece)>& take);

  // Adds the next piece. Throws Error(kStorageFailed).
  void append(std::string_view piece);

  // Removes the log from a work folder; does nothing for an empty one.
  static void remove(const std::string& folder, std::string_view name) noexcept;

 private:
  std::string path_;  // empty: nothing is kept
  RecordLogWriter writer_;
};

}  // namespace benzer
