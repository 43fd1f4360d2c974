#include "memory_budget.h"

#include <optional>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

TEST(MemoryBudget, NeitherAllNorOneClientTakesMore) {
  MemoryBudget budget(100);
  MemoryBudget::Share a(budget, "a"), again(budget, "a"), b(budget, "b"), c(budget, "c");
  EXPECT_TRUE(a.hold(30));
  EXPECT_TRUE(again.hold(20));
  EXPECT_FALSE(a.hold(1)) << "half of all is for one client";
  EXPECT_FALSE(b.hold(51));
  EXPECT_TRUE(b.hold(40));
  EXPECT_FALSE(c.hold(11));
  EXPECT_FALSE(c.hold(~std::uint64_t{0}));
  EXPECT_TRUE(c.hold(10));
  EXPECT_TRUE(c.hold(0));
  EXPECT_EQ(budget.held(), 100U);
  again.release();
  again.release();
  EXPECT_EQ(again.held(), 0U);
  EXPECT_EQ(budget.held(), 80U);
  EXPECT_TRUE(a.hold(20));
  EXPECT_EQ(a.held(), 50U);
}

TEST(MemoryBudget, WhatIsHeldShrinks) {
  MemoryBudget budget(100);
  MemoryBudget::Share a(budget, "a"), again(budget, "a");
  EXPECT_TRUE(a.hold(40));
  a.shrink(50);
  EXPECT_EQ(a.held(), 40U);
  a.shrink(30);
  EXPECT_EQ(a.held(), 30U);
  EXPECT_EQ(budget.held(), 30U);
  EXPECT_TRUE(again.hold(20));
  EXPECT_FALSE(a.hold(1)) << "half of all is for one client";
}

TEST(MemoryBudget, ConnectionsOfAClientAreCounted) {
  MemoryBudget budget(100);
  std::optional<MemoryBudget::Share> first, second;
  EXPECT_EQ(first.emplace(budget, "a").connections(), 1U);
  EXPECT_EQ(second.emplace(budget, "a").connections(), 2U);
  EXPECT_EQ(MemoryBudget::Share(budget, "b").connections(), 1U);
  EXPECT_TRUE(first->hold(50));
  first.reset();
  EXPECT_EQ(budget.held(), 0U);
  EXPECT_EQ(MemoryBudget::Share(budget, "a").connections(), 2U);
  second.reset();
  EXPECT_EQ(MemoryBudget::Share(budget, "a").connections(), 1U);
}

}  // namespace
}  // namespace benzer::server
