// labels: store slow
// Tests a Redis cluster that loses a master, and one that moves slots, while clients write and
// query.
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "redis_traffic_test_util.h"
#include "store/redis_test_util.h"

namespace benzer {
namespace {

bool is_master(const RedisServer& server) { return server.cli("ROLE").starts_with("master"); }

std::vector<std::size_t> masters(RedisCluster& cluster) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < cluster.size(); ++i)
    if (is_master(cluster.server(i))) out.push_back(i);
  return out;
}

// Whether there are three masters, each with a replica that is up to date.
bool is_complete(RedisCluster& cluster) {
  std::size_t replicas = 0;
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    const std::string role = cluster.server(i).cli("ROLE");
    replicas += role.starts_with("slave") && role.find("\nconnected\n") != std::string::npos;
  }
  return masters(cluster).size() == 3 && replicas == 3;
}

RedisServer& replica_of(const RedisServer& master, RedisCluster& cluster) {
  const std::string role = master.cli("ROLE");
  for (std::size_t i = 0; i < cluster.size(); ++i)
    if (role.find(fmt::format("\n{}\n", cluster.server(i).port())) != std::string::npos)
      return cluster.server(i);
  throw std::runtime_error("it has no replica: " + role);
}

class RedisClusterFaultTest : public RedisTest {};

TEST_F(RedisClusterFaultTest, AMasterDiesAndItsReplicaTakesOver) {
  RedisCluster cluster(1, [](std::size_t) { return "repl-diskless-sync-delay 0"; });
  for_each_run("failover", cluster, WriteLevel(Durability::kReplicas, 1),
               [&](TrafficPlan plan, TestRandom& random) {
                 ASSERT_TRUE(wait_until([&] { return is_complete(cluster); })) << cluster.created();
                 plan.bands = "1x4";  // one band, so a document that lost a posting is not found
                 if (plan.run % 2 == 1) {
                   plan.timeout_seconds = 0.2;
                   plan.excuses = {{ErrorCode::kUnavailable, "again"}};
                 }
                 Traffic traffic(plan);
                 std::this_thread::sleep_for(std::chrono::milliseconds(random.below(300)));
                 RedisServer& victim = cluster.server(masters(cluster)[random.below(3)]);
                 // Writes after the replica is stopped and before the master is killed are lost, so
                 // they must not have been acknowledged.
                 const RedisServer& heir = replica_of(victim, cluster);
                 heir.signal(SIGSTOP);
                 victim.cli("CLIENT KILL TYPE replica");
                 // Each WAIT that fails takes a second, and a write takes two of them.
                 std::this_thread::sleep_for(std::chrono::milliseconds(
                     plan.run % 2 == 0 ? 2'300 : 300 + random.below(600)));
                 victim.kill();
                 traffic.turn_the_page();
                 heir.signal(SIGCONT);
                 ASSERT_TRUE(wait_until([&] { return masters(cluster).size() == 3; }));
                 traffic.await_progress("after the failover", true);
                 victim.start();
                 traffic.await_progress("after the old master came back as a replica");
                 EXPECT_TRUE(wait_until([&] { return is_complete(cluster); }));
                 EXPECT_EQ(traffic.finish(), "");
               });
}

TEST_F(RedisClusterFaultTest, SlotsMove) {
  RedisCluster cluster;
  for_each_run(
      "moving-slots", cluster, Durability::kMemory,
      [&](const TrafficPlan& plan, TestRandom& random) {
        Traffic traffic(plan);
        const std::size_t from =
            static_cast<std::size_t>(plan.run) % 3;  // each master in turn, so that none runs out
        const std::size_t to = (from + 1 + random.below(2)) % 3;
        const std::string said = RedisServer::output_of(fmt::format(
            "redis-cli --cluster reshard {} --cluster-from {} --cluster-to {} --cluster-slots 400 "
            "--cluster-yes 2>&1",
            cluster.server(0).address(), cluster.server(from).cli("CLUSTER MYID"),
            cluster.server(to).cli("CLUSTER MYID")));
        std::size_t moved = 0;  // lines of the plan are indented, so they are not counted
        for (std::size_t at = 0; (at = said.find("\nMoving slot ", at)) != std::string::npos; ++at)
          ++moved;
        EXPECT_EQ(moved, 400U) << said;
        EXPECT_EQ(said.find("ERR"), std::string::npos) << said;
        traffic.turn_the_page();
        traffic.await_progress("after the slots moved");
        EXPECT_EQ(traffic.finish(), "");
      });
}

}  // namespace
}  // namespace benzer
