#include "store/redis/numbering.h"

#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer::redis {
namespace {

TEST(Numbering, EndsWithItsNumbers) {
  Numbering numbering(2);
  EXPECT_EQ(numbering.add(70, "a"), 0U);
  EXPECT_EQ(numbering.add(60, "b"), 1U);
  EXPECT_THROW(numbering.add(50, "c"), Error);
  EXPECT_EQ(numbering.add(70, "a"), 0U);
  EXPECT_FALSE(numbering.find(50));
  EXPECT_EQ(numbering.names(0, 9), (std::vector<Name>{70, 60}));
  EXPECT_EQ(numbering.names(1, 9), (std::vector<Name>{60}));
  EXPECT_EQ(numbering.names(0, 1), (std::vector<Name>{70}));
  numbering.close();
  EXPECT_FALSE(numbering.add(50, "c"));
}

}  // namespace
}  // namespace benzer::redis
