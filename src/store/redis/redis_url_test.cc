#include "store/redis/redis_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer::redis {
namespace {

TEST(RedisUrl, Parses) {
  const struct {
    std::string_view url;
    bool has_tls, is_cluster;
    std::string_view user, password;
    std::vector<Address> hosts;
    std::string_view store, shown;
  } table[] = {
      {"redis://localhost/news",
       false,
       false,
       "",
       "",
       {{"localhost", 6379}},
       "news",
       "redis://localhost:6379/news"},
      {"redis://10.0.0.1:7000/a.b-c_9",
       false,
       false,
       "",
       "",
       {{"10.0.0.1", 7000}},
       "a.b-c_9",
       "redis://10.0.0.1:7000/a.b-c_9"},
      {"redis://:p%40ss@h/n", false, false, "", "p@ss", {{"h", 6379}}, "n", "redis://h:6379/n"},
      {"redis://me:p:w@h/n", false, false, "me", "p:w", {{"h", 6379}}, "n", "redis://me@h:6379/n"},
      {"redis://me@h/n", false, false, "me", "", {{"h", 6379}}, "n", "redis://me@h:6379/n"},
      {"redis://a%2Fb:c%2f@h/n",
       false,
       false,
       "a/b",
       "c/",
       {{"h", 6379}},
       "n",
       "redis://a/b@h:6379/n"},
      {"rediss://[::1]:6380/n", true, false, "", "", {{"::1", 6380}}, "n", "rediss://[::1]:6380/n"},
      {"redis+cluster://a:1,b,[::1]/n",
       false,
       true,
       "",
       "",
       {{"a", 1}, {"b", 6379}, {"::1", 6379}},
       "n",
       "redis+cluster://a:1,b:6379,[::1]:6379/n"},
      {"rediss+cluster://a/n", true, true, "", "", {{"a", 6379}}, "n", "rediss+cluster://a:6379/n"},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.url);
    const Url url = Url::parse(row.url);
    EXPECT_TRUE(Url::is_url(row.url));
    EXPECT_EQ(url.has_tls, row.has_tls);
    EXPECT_EQ(url.is_cluster, row.is_cluster);
    EXPECT_EQ(url.user, row.user);
    EXPECT_EQ(url.password, row.password);
    EXPECT_EQ(url.hosts, row.hosts);
    EXPECT_EQ(url.store, row.store);
    EXPECT_EQ(url.str(), row.shown);
  }
}

TEST(RedisUrl, RefusesWithoutTellingThePassword) {
  for (const std::string_view url :
       {"redis://",
        "redis://h",
        "redis://h/",
        "redis://:secret@h/a/",
        "redis://:secret@/n",
        "redis://h/n m",
        "redis://h/{n}",
        "redis://h/n?x=1",
        "redis://:secret@h:0/n",
        "redis://:secret@h:65536/n",
        "redis://:secret@h:x/n",
        "redis://:secret@h:/n",
        "redis://:secret%4@h/n",
        "redis://:secret%zz@h/n",
        "redis://:secret@[::1/n",
        "redis://:secret@[::1]x/n",
        "redis://:secret@a,b/n",
        "redis+cluster://:secret@a,/n",
        "redis://:secret@a b/n",
        "http://h/n",
        "redis://h/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    SCOPED_TRACE(url);
    try {
      Url::parse(url);
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("secret")));
      EXPECT_THAT(error.what(), testing::HasSubstr("give redis://"));
    }
  }
  EXPECT_FALSE(Url::is_url("folder/redis://x"));
  EXPECT_FALSE(Url::is_url("redis"));
}

}  // namespace
}  // namespace benzer::redis
