#include "benzer/error.h"

#include <gtest/gtest.h>

namespace benzer {
namespace {

TEST(Error, NamesAndExitCodesAreTheDocumentedOnes) {
  const struct {
    ErrorCode code;
    std::string_view name;
    int exit_code;
  } table[] = {
      {ErrorCode::kInvalidArgument, "invalid_argument", 2},
      {ErrorCode::kBadInput, "bad_input", 2},
      {ErrorCode::kNotFound, "not_found", 2},
      {ErrorCode::kCorrupt, "corrupt", 4},
      {ErrorCode::kStorageFailed, "storage_failed", 5},
      {ErrorCode::kInterrupted, "interrupted", 130},
      {ErrorCode::kNoStore, "no_store", 10},
      {ErrorCode::kBusy, "busy", 11},
      {ErrorCode::kGuardRail, "guard_rail", 7},
      {ErrorCode::kUnavailable, "unavailable", 12},
      {ErrorCode::kDenied, "denied", 13},
  };
  for (const auto& row : table) {
    EXPECT_EQ(error_name(row.code), row.name);
    EXPECT_EQ(exit_code(row.code), row.exit_code);
  }
}

}  // namespace
}  // namespace benzer
