// Tests what a served index does in the background while tasks keep writers out.
#include "served_index.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "io/io_test_util.h"
#include "problem.h"

namespace benzer::server {
namespace {

TEST(ServedIndexTest, RemovesWhatHasExpiredSoonAfterATaskThatKeptWritersOut) {
  const TestFolder folder;
  const std::string path = folder / "index";
  OpenOptions options;
  options.create_with = Schema::parse("text=text:word2 | expires_at=time");
  options.allow_kept_documents = true;
  ServedIndex served("index", path, Index::open(path, options), true);
  served.put({served.sent(R"({"id":"old","text":"a b c","expires_at":"2001-01-01"})"),
              served.sent(R"({"id":"new","text":"d e f"})")},
             nullptr);
  EXPECT_EQ(served.index().size(), 2U);
  {
    const auto still = served.stand_still();
    EXPECT_THROW(served.remove_expired(nullptr), Problem);
  }
  served.remove_expired(nullptr);
  EXPECT_EQ(served.index().size(), 1U);
  EXPECT_FALSE(served.kept_json("old"));
  EXPECT_TRUE(served.kept_json("new"));
}

TEST(ServedIndexTest, AnIndexInRedisIsKnownByItsAddress) {
  const std::vector<std::pair<std::string, bool>> rows = {
      {"redis://host:1/name", true}, {"rediss+cluster://a,b/name", true}, {"redis", false},
      {"redis/a://b", false},        {"/data/redis://x", false},          {"data", false},
  };
  for (const auto& [place, is_in_redis] : rows) {
    const ServedIndex served("name", place, Index::in_memory(Schema::parse("text=text:word2")),
                             false);
    EXPECT_EQ(served.is_in_redis(), is_in_redis) << place;
  }
}

}  // namespace
}  // namespace benzer::server
