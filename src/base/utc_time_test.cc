#include "base/utc_time.h"

#include <gtest/gtest.h>

namespace benzer {
namespace {

TEST(UtcTimeTest, ReadsWhatTheStandardAllows) {
  const struct {
    const char* text;
    UtcTime time;
    const char* written;
  } cases[] = {
      {"1970-01-01", 0, "1970-01-01T00:00:00Z"},
      {"1970-01-01T00:00:01Z", 1'000'000, "1970-01-01T00:00:01Z"},
      {"1970-01-01t00:00:00z", 0, "1970-01-01T00:00:00Z"},
      {"1970-01-01 01:00:00+01:00", 0, "1970-01-01T00:00:00Z"},
      {"1969-12-31T23:59:59.999999Z", -1, "1969-12-31T23:59:59.999999Z"},
      {"1969-12-31T19:30:00-04:30", 0, "1970-01-01T00:00:00Z"},
      {"2024-02-29T12:00:00.25Z", 1'709'208'000'250'000, "2024-02-29T12:00:00.25Z"},
      {"2026-11-22T21:03:00Z", 1'795'381'380'000'000, "2026-11-22T21:03:00Z"},
      {"0001-01-01", -62'135'596'800'000'000, "0001-01-01T00:00:00Z"},
      {"9999-12-31T23:59:59Z", 253'402'300'799'000'000, "9999-12-31T23:59:59Z"},
  };
  for (const auto& one : cases) {
    const std::optional<UtcTime> time = read_utc_time(one.text);
    ASSERT_TRUE(time.has_value()) << one.text;
    EXPECT_EQ(*time, one.time) << one.text;
    EXPECT_EQ(utc_text(*time), one.written) << one.text;
  }
}

TEST(UtcTimeTest, RefusesEverythingElse) {
  for (const char* text : {"",
                           "2026",
                           "2026-11",
                           "2026-11-31",
                           "2025-02-29",
                           "2026-13-01",
                           "2026-00-10",
                           "0000-01-01",
                           "26-11-22",
                           "2026-11-22T",
                           "2026-11-22T21:03Z",
                           "2026-11-22T21:03:00",
                           "2026-11-22T24:00:00Z",
                           "2026-11-22T21:60:00Z",
                           "2026-11-22T21:03:60Z",
                           "2026-11-22T21:03:00.Z",
                           "2026-11-22T21:03:00.1234567Z",
                           "2026-11-22T21:03:00+1:00",
                           "2026-11-22T21:03:00+24:00",
                           "2026-11-22T21:03:00Zx",
                           " 2026-11-22",
                           "2026-11-22 ",
                           "0001-01-01T00:00:00+01:00",
                           "9999-12-31T23:59:59-01:00",
                           "20261122",
                           "+026-11-22"})
    EXPECT_FALSE(read_utc_time(text).has_value()) << text;
}

}  // namespace
}  // namespace benzer
