#include "rate_limit.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace benzer::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RateLimit, IsNotSetByZero) {
  EXPECT_FALSE(RateLimit(0).is_set());
  EXPECT_TRUE(RateLimit(0.5).is_set());
}

TEST(RateLimit, LetsABurstPassAndThenSoManyASecond) {
  RateLimit limit(4);
  const RateLimit::Clock::time_point start{};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.wait("a", start), 0) << i;
  EXPECT_EQ(limit.wait("a", start), 1);
  EXPECT_EQ(limit.wait("a", start + milliseconds(249)), 1);
  EXPECT_EQ(limit.wait("a", start + milliseconds(250)), 0);
  EXPECT_EQ(limit.wait("a", start + milliseconds(251)), 1);
  // After a long pause a client has no more than one burst.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(limit.wait("a", start + seconds(50)), 0) << i;
  EXPECT_EQ(limit.wait("a", start + seconds(50)), 1);
}

TEST(RateLimit, TellsHowLongToWait) {
  RateLimit limit(0.1);
  const RateLimit::Clock::time_point start{};
  EXPECT_EQ(limit.wait("a", start), 0) << "less than one a second is a burst of one";
  EXPECT_EQ(limit.wait("a", start), 10);
  EXPECT_EQ(limit.wait("a", start + seconds(4)), 6);
  EXPECT_EQ(limit.wait("a", start + milliseconds(9'500)), 1);
  EXPECT_EQ(limit.wait("a", start + milliseconds(10'001)), 0);
}

TEST(RateLimit, CountsEachClient) {
  RateLimit limit(1);
  const RateLimit::Clock::time_point start{};
  EXPECT_EQ(limit.wait("a", start), 0);
  EXPECT_EQ(limit.wait("a", start), 1);
  EXPECT_EQ(limit.wait("b", start), 0);
  EXPECT_EQ(limit.wait("", start), 0);
  EXPECT_EQ(limit.wait("c", start), 0);
}

constexpr int kRemembered = 10'000;

void ask_as_each(RateLimit& limit, int first, int last, RateLimit::Clock::time_point at) {
  for (int i = first; i < last; ++i) limit.wait(std::to_string(i), at);
}

TEST(RateLimit, ForgetsTheIdleWhenThereAreTooMany) {
  RateLimit limit(0.001);
  const RateLimit::Clock::time_point start{}, later = start + seconds(62);
  EXPECT_EQ(limit.wait("idle", start), 0);
  ask_as_each(limit, 1, kRemembered, start);
  EXPECT_GT(limit.wait("idle", start + seconds(1)), 0) << "as many as it remembers";
  limit.wait("one more", later);
  EXPECT_GT(limit.wait("one more", later), 0);
  EXPECT_EQ(limit.wait("idle", later), 0) << "it was forgotten, and begins with a burst";
}

TEST(RateLimit, RemembersWhoAskedLately) {
  RateLimit limit(0.001);
  const RateLimit::Clock::time_point start{}, later = start + seconds(61);
  ask_as_each(limit, 0, kRemembered / 2, start);
  EXPECT_EQ(limit.wait("busy", later), 0);
  ask_as_each(limit, kRemembered / 2, kRemembered + 1, later);
  EXPECT_GT(limit.wait("busy", later), 0) << "only the idle are forgotten";
}

TEST(RateLimit, ForgetsAllWhenNobodyIsIdle) {
  RateLimit limit(0.001);
  const RateLimit::Clock::time_point start{};
  EXPECT_EQ(limit.wait("busy", start), 0);
  EXPECT_GT(limit.wait("busy", start), 0);
  ask_as_each(limit, 0, kRemembered + 1, start);
  EXPECT_EQ(limit.wait("busy", start), 0) << "it takes no more memory";
}

}  // namespace
}  // namespace benzer::server
