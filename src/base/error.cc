#include "benzer/error.h"

namespace benzer {
namespace {

// The one table of what a code is called and how a command ends with it.
struct Row {
  std::string_view name;
  int exit_code;
};

Row row(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return {"invalid_argument", 2};
    case ErrorCode::kBadInput:
      return {"bad_input", 2};
    case ErrorCode::kNotFound:
      return {"not_found", 2};
    case ErrorCode::kCorrupt:
      return {"corrupt", 4};
    case ErrorCode::kStorageFailed:
      return {"storage_failed", 5};
    case ErrorCode::kInterrupted:
      return {"interrupted", 130};
    case ErrorCode::kNoStore:
      return {"no_store", 10};
    case ErrorCode::kBusy:
      return {"busy", 11};
    case ErrorCode::kGuardRail:
      return {"guard_rail", 7};
    case ErrorCode::kUnavailable:
      return {"unavailable", 12};
    case ErrorCode::kDenied:
      return {"denied", 13};
  }
  return {"unknown", 1};
}

}  // namespace

std::string_view error_name(ErrorCode code) noexcept { return row(code).name; }

int exit_code(ErrorCode code) noexcept { return row(code).exit_code; }

}  // namespace benzer
