// labels: store slow
// Tests a Redis server that dies, stalls, runs out of memory or refuses the password, and a client
// that dies, each while other clients write and query.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "redis_traffic_test_util.h"
#include "redis_writer_test_util.h"
#include "store/redis_test_util.h"

namespace benzer {
namespace {

using std::chrono::milliseconds;

void sleep_up_to(std::uint64_t most, TestRandom& random) {
  std::this_thread::sleep_for(milliseconds(random.below(most)));
}

// Gives every other run a short timeout, so that clients see the fault as an error.
void be_impatient(TrafficPlan& plan) {
  if (plan.run % 2 == 0) return;
  plan.timeout_seconds = 0.2;
  plan.excuses = {{ErrorCode::kUnavailable, "again"}};
}

class RedisFaultTest : public RedisTest {};

TEST_F(RedisFaultTest, AServerIsKilledAndComesBack) {
  RedisServer server("appendonly yes\nappendfsync always");
  for_each_run("killed-server", server, Durability::kDisk,
               [&](TrafficPlan plan, TestRandom& random) {
                 be_impatient(plan);
                 Traffic traffic(plan);
                 sleep_up_to(300, random);
                 server.kill();
                 traffic.turn_the_page();
                 sleep_up_to(500, random);
                 server.start();
                 traffic.await_progress("after the server came back");
                 EXPECT_EQ(traffic.finish(), "");
               });
}

TEST_F(RedisFaultTest, TheNetworkStalls) {
  RedisServer server;
  for_each_run("stall", server, Durability::kMemory, [&](TrafficPlan plan, TestRandom& random) {
    be_impatient(plan);
    Traffic traffic(plan);
    sleep_up_to(200, random);
    server.signal(SIGSTOP);
    traffic.turn_the_page();
    std::this_thread::sleep_for(milliseconds(2'800));
    sleep_up_to(400, random);
    server.signal(SIGCONT);
    traffic.await_progress("after the stall");
    EXPECT_EQ(traffic.finish(), "");
  });
}

// Commands whose answer was lost with the connection are sent again.
TEST_F(RedisFaultTest, ConnectionsBreak) {
  RedisServer server;
  for_each_run("broken-connections", server, Durability::kMemory,
               [&](const TrafficPlan& plan, TestRandom& random) {
                 Traffic traffic(plan);
                 for (int time = 0; time < 20; ++time) {
                   sleep_up_to(60, random);
                   server.cli("CLIENT KILL TYPE normal");
                 }
                 traffic.turn_the_page();
                 traffic.await_progress("after connections broke");
                 EXPECT_EQ(traffic.finish(), "");
               });
}

TEST_F(RedisFaultTest, MemoryRunsOut) {
  RedisServer server("maxmemory-policy noeviction");
  for_each_run("no-memory", server, Durability::kMemory, [&](TrafficPlan plan, TestRandom& random) {
    plan.excuses = {{ErrorCode::kStorageFailed,
                     "has no memory left (maxmemory): give it more or remove documents"}};
    Traffic traffic(plan);
    const std::string info = server.cli("INFO memory");
    const std::uint64_t used =
        std::strtoull(info.c_str() + info.find("used_memory:") + 12, nullptr, 10);
    ASSERT_EQ(server.cli(fmt::format("CONFIG SET maxmemory {}", used / 2 + random.below(used / 4))),
              "OK");
    traffic.await_errors(true);
    traffic.turn_the_page();
    traffic.await_progress("while there is no memory", true);
    ASSERT_EQ(server.cli("CONFIG SET maxmemory 0"), "OK");
    traffic.await_progress("when there is memory again");
    EXPECT_EQ(traffic.finish(), "");
  });
}

TEST_F(RedisFaultTest, ThePasswordChanges) {
  RedisServer server;
  for_each_run("password", server, Durability::kMemory, [&](TrafficPlan plan, TestRandom& random) {
    plan.excuses = {{ErrorCode::kDenied, "check user and password in the index's address"}};
    Traffic traffic(plan);
    sleep_up_to(200, random);
    ASSERT_EQ(server.cli("ACL SETUSER benzer resetpass '>another'"), "OK");
    server.cli("CLIENT KILL TYPE normal");
    traffic.await_errors();
    traffic.turn_the_page();
    ASSERT_EQ(server.cli("ACL SETUSER benzer resetpass '>secret'"), "OK");
    traffic.await_progress("with the password of before");
    EXPECT_EQ(traffic.finish(), "");
  });
}

TEST_F(RedisFaultTest, AClientDies) {
  RedisServer server;
  for_each_run("killed-client", server, Durability::kMemory,
               [&](const TrafficPlan& plan, TestRandom& random) {
                 Traffic traffic(plan);
                 const TestFolder folder;
                 const std::string acknowledged = folder / "acknowledged";
                 {
                   ChildProcess client(
                       {BENZER_REDIS_WRITER, plan.url, std::to_string(plan.seed), acknowledged},
                       folder / "log");
                   ASSERT_TRUE(wait_until([&] { return !read_file(acknowledged).empty(); }))
                       << read_file(folder / "log");
                   sleep_up_to(300, random);
                 }
                 WriterBatches batches(plan.seed);
                 std::vector<Ledger::Write> writes;
                 for (std::size_t left = read_file(acknowledged).size() + 1; left > 0; --left) {
                   const WriterBatches::Batch batch = batches.next();
                   for (std::size_t i = 0; i < batch.numbers.size(); ++i)
                     writes.push_back({batch.numbers[i], batch.versions[i],
                                       left > 1});  // the last batch was cut short
                 }
                 traffic.ledger().take_over(writes);
                 // Repairs while others write: entries that they are just writing are not strays.
                 const RepairReport report = repair_index(plan.url);
                 for (const RepairReport::File& file : report.files) {
                   std::cout << file.problem << "; ";
                   EXPECT_EQ(file.saved + file.lost, 0U) << file.problem;  // only stray entries
                 }
                 traffic.await_progress("after a client died");
                 EXPECT_EQ(traffic.finish(), "");
               });
}

}  // namespace
}  // namespace benzer
