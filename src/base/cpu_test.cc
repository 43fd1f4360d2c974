#include <algorithm>

#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

namespace benzer {
namespace {

TEST(CpuLevel, NamesGoBothWays) {
  for (const CpuLevel level : {CpuLevel::kBaseline, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    EXPECT_EQ(cpu_level_by_name(cpu_level_name(level)), level);
  }
  for (const char* name : {"", "AVX2", "avx", "sse2"}) {
    EXPECT_EQ(cpu_level_by_name(name), std::nullopt) << name;
  }
}

TEST(CpuLevel, AvailableOnesAreSortedAndStartWithTheBaseline) {
  const std::vector<CpuLevel> levels = available_cpu_levels();
  ASSERT_FALSE(levels.empty());
  EXPECT_EQ(levels.front(), CpuLevel::kBaseline);
  EXPECT_TRUE(std::is_sorted(levels.begin(), levels.end()));
  EXPECT_TRUE(std::count(levels.begin(), levels.end(), active_cpu_level()));
}

TEST(CpuLevel, CanBeForcedWhereItRuns) {
  const CpuLevel before = active_cpu_level();
  const std::vector<CpuLevel> levels = available_cpu_levels();
  for (const CpuLevel level : {CpuLevel::kBaseline, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (std::count(levels.begin(), levels.end(), level)) {
      force_cpu_level(level);
      EXPECT_EQ(active_cpu_level(), level);
    } else {
      EXPECT_THROW(force_cpu_level(level), Error);
    }
  }
  force_cpu_level(before);
}

}  // namespace
}  // namespace benzer
