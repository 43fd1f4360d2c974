#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace benzer {
namespace {

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const int threads : {1, 2, 7}) {
    for (const std::size_t count : {0u, 1u, 99u, 1000u}) {
      std::vector<std::atomic<int>> seen(count);
      parallel_for(threads, count, 10, [&](std::size_t begin, std::size_t end) {
        EXPECT_LE(end - begin, 10u);
        for (std::size_t i = begin; i < end; ++i) ++seen[i];
      });
      for (const auto& times : seen) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, PassesTheErrorOn) {
  EXPECT_THROW(parallel_for(3, 100, 1,
                            [](std::size_t begin, std::size_t) {
                              if (begin == 50) throw std::runtime_error("fifty");
                            }),
               std::runtime_error);
}

TEST(OrderedPipeline, ConsumesInTheOrderOfProduction) {
  for (const int threads : {1, 2, 5}) {
    int next = 0;
    std::vector<int> consumed;
    ordered_pipeline<int>(
        threads,
        [&](int& item) {
          item = next++;
          return item < 500;
        },
        [](int& item) {
          volatile int spin = (item * 7919) % 1000;  // uneven work, so that threads overtake
          while (spin > 0) spin = spin - 1;
          item *= 2;
        },
        [&](int& item) { consumed.push_back(item); });
    ASSERT_EQ(consumed.size(), 500u);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(consumed[static_cast<std::size_t>(i)], 2 * i);
  }
}

TEST(OrderedPipeline, EndsAtAnErrorInAnyStage) {
  for (const char* stage : {"produce", "work", "consume"}) {
    for (const int threads : {1, 3}) {
      int produced = 0;
      const auto fail_in = [&](const char* here, int item) {
        if (item == 20 && std::string(stage) == here) throw std::runtime_error(here);
      };
      EXPECT_THROW(ordered_pipeline<int>(
                       threads,
                       [&](int& item) {
                         item = produced++;
                         fail_in("produce", item);
                         return item < 100;
                       },
                       [&](int& item) { fail_in("work", item); },
                       [&](int& item) { fail_in("consume", item); }),
                   std::runtime_error)
          << stage << " with " << threads;
    }
  }
}

TEST(OrderedPipeline, ProducesNothingBehindAnError) {
  for (int again = 0; again < 300; ++again) {
    std::atomic<int> calls{0};
    EXPECT_THROW(ordered_pipeline<int>(
                     4,
                     [&](int&) -> bool {
                       if (++calls == 5) throw std::runtime_error("produce");
                       return true;
                     },
                     [](int&) {}, [](int&) {}),
                 std::runtime_error);
    ASSERT_EQ(calls, 5);
  }
}

// The items that are produced and not yet consumed stay within the limit, or are one item.
TEST(OrderedPipeline, ItemsInFlightKeepWithinTheirLimit) {
  for (const int threads : {1, 2, 8}) {
    std::atomic<int> in_flight = 0;
    int next = 0, consumed = 0, most = 0;
    const auto weight_of = [](int i) { return i % 10 == 0 ? 50 : 3; };
    ordered_pipeline<int>(
        threads,
        [&](int& item) {
          item = next++;
          return item < 500;
        },
        [&](int& item) {
          const int now = in_flight += weight_of(item);
          EXPECT_TRUE(now <= 12 || now == 50) << now;
        },
        [&](int& item) {
          EXPECT_EQ(item, consumed++);
          most = std::max(most, in_flight.load());
          in_flight -= weight_of(item);
        },
        12, [&](int& item) { return weight_of(item); });
    EXPECT_EQ(consumed, 500);
    EXPECT_EQ(in_flight, 0);
  }
}

// A thread that waits for room ends when the work of another fails.
TEST(OrderedPipeline, AFailureEndsWhatWaitsForRoom) {
  for (int run = 0; run < 20; ++run) {
    int next = 0;
    EXPECT_THROW(ordered_pipeline<int>(
                     4, [&](int& item) { return (item = next++) < 1000; },
                     [&](int& item) {
                       if (item == 0) {
                         std::this_thread::sleep_for(std::chrono::milliseconds(2));
                         throw std::runtime_error("no");
                       }
                     },
                     [](int&) {}, 2, [](int&) { return 1; }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace benzer
