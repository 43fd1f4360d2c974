#include "core_shares.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer::server {
namespace {

using Share = CoreShares::Share;

TEST(CoreShares, OneLoadHasAllCores) {
  CoreShares cores(4);
  EXPECT_EQ(Share(cores, "a", 100, nullptr).cores(), 4U);
  EXPECT_EQ(Share(cores, "a", 3, nullptr).cores(), 3U) << "it cannot use more";
  const Share first(cores, "a", 3, nullptr);
  EXPECT_EQ(Share(cores, "a", 100, nullptr).cores(), 1U);
  EXPECT_EQ(Share(cores, "b", 100, nullptr).cores(), 1U);
}

TEST(CoreShares, AStepThatWaitsCanBeStopped) {
  CoreShares cores(1);
  const std::atomic<bool> stop{true};
  std::optional<Share> first(std::in_place, cores, "a", 1, nullptr);
  EXPECT_THROW(Share(cores, "b", 1, &stop), Error);
  first.reset();
  EXPECT_EQ(Share(cores, "b", 1, &stop).cores(), 1U);
}

TEST(CoreShares, ManyLoadsHaveNoMoreThreadsThanCores) {
  constexpr std::size_t kCores = 3;
  CoreShares cores(kCores);
  std::atomic<std::size_t> used{0}, most{0};
  std::vector<std::thread> loads;
  for (int load = 0; load < 12; ++load)
    loads.emplace_back([&, client = std::to_string(load % 4)] {
      for (int step = 0; step < 200; ++step) {
        const Share share(cores, client, 1 + static_cast<std::size_t>(step % 5), nullptr);
        const std::size_t now = used += share.cores();
        for (std::size_t seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        used -= share.cores();
      }
    });
  for (std::thread& load : loads) load.join();
  EXPECT_GE(most, 1U);
  EXPECT_LE(most, kCores);
}

// A client with many loads does not keep another one waiting: they take turns.
TEST(CoreShares, ClientsTakeTurns) {
  CoreShares cores(1);
  std::mutex mutex;
  std::string order;
  std::optional<Share> first(std::in_place, cores, "a", 1, nullptr);
  std::vector<std::thread> loads;
  const auto add = [&](const std::string& client) {
    loads.emplace_back([&, client] {
      const Share share(cores, client, 1, nullptr);
      const std::lock_guard lock(mutex);
      order += client;
    });
    while (cores.waiting() < loads.size()) std::this_thread::yield();
  };
  for (const char* client : {"a", "a", "a", "b", "b"}) add(client);
  first.reset();
  for (std::thread& load : loads) load.join();
  EXPECT_EQ(order, "babaa");
}

}  // namespace
}  // namespace benzer::server
