// Tests changes of attributes in Redis while other processes write.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/index.h"

#include "engine/index_test_util.h"
#include "store/redis_test_util.h"

namespace benzer {
namespace {

using Outcome = IndexResult::Outcome;

class RedisUpdatesTest : public RedisTest {
 protected:
  static Index open(const RedisServer& server) {
    return Index::open(
        server.url("updates"),
        {.create_with = Schema::parse("text=text:word2 | price=number | expires_at=time"),
         .server = {.expected_documents = 300}});
  }
  static IndexResult::Outcome change_price(Index& index, const std::string& price) {
    return index.change_attributes({AttributeChange{"a", {{"price", price}}}})[0].outcome;
  }
  static Document document(std::string id, std::vector<Attribute> attributes = {}) {
    return {
        std::move(id), {Field::of_text("text", "a storm hit the coast")}, std::move(attributes)};
  }
};

// A lock that another process has, or that ends meanwhile, is no reason to fail: many changes may
// take longer than any lock.
TEST_F(RedisUpdatesTest, NeedNoLock) {
  const RedisServer server;
  Index index = open(server);
  index.index_documents({document("a"), document("gone", {{"expires_at", "2020-01-01"}})});
  ASSERT_EQ(server.cli("SET benzer:updates:lock another PX 600000"), "OK");
  EXPECT_EQ(change_price(index, "3"), Outcome::kReplaced);
  EXPECT_EQ(index.remove_expired({"a", "gone"}), (std::vector<bool>{false, true}));
  EXPECT_EQ(server.cli("GET benzer:updates:lock"), "another");
  EXPECT_EQ(index.get("a")->attributes.front().value, "3");
  index.verify();
}

TEST_F(RedisUpdatesTest, OfOneDocumentAtATimeAllSucceed) {
  constexpr int kProcesses = 6, kChanges = 25;
  const RedisServer server;
  open(server).index_documents({document("a")});
  std::vector<std::thread> processes;
  for (int process = 0; process < kProcesses; ++process)
    processes.emplace_back([&] {
      Index index = open(server);
      for (int i = 0; i < kChanges; ++i)
        EXPECT_EQ(change_price(index, std::to_string(i)), Outcome::kReplaced);
    });
  for (std::thread& process : processes) process.join();
  const Index index = open(server);
  EXPECT_EQ(index.get("a")->attributes.front().value, std::to_string(kChanges - 1));
  EXPECT_EQ(index.find_similar_documents(document("b")).size(), 1U);
  index.verify();
}

}  // namespace
}  // namespace benzer
