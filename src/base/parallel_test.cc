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

TEST(ParallelFor, OfSeveralErrorsTheFirstPieceHasTheOneThatIsPassedOn) {
  for (const int threads : {1, 2, 7}) {
    const auto body = [](std::size_t begin, std::size_t) {
      if (begin < 5) return;
      if (begin == 5) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      throw std::runtime_error(std::to_string(begin));
    };
    try {
      parallel_for(threads, 100, 1, body);
      FAIL() << "no error";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "5") << threads;
    }
  }
}

}  // namespace
}  // namespace benzer
