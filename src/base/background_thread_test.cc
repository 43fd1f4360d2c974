#include "base/background_thread.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace benzer {
namespace {

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(BackgroundThread, HasNoThreadBeforeItIsWoken) {
  const std::ptrdiff_t before = threads_of_this_process();
  std::vector<std::unique_ptr<BackgroundThread>> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::make_unique<BackgroundThread>([] {}));
  many.front()->ask([] {});
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(BackgroundThread, WorkAndTasksTakeTurns) {
  std::atomic<int> inside{0}, works{0};
  const auto once = [&] {
    EXPECT_EQ(++inside, 1);
    std::this_thread::yield();
    --inside;
  };
  BackgroundThread background([&] {
    once();
    ++works;
    throw std::runtime_error("dropped");
  });
  int tasks = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i)
    callers.emplace_back([&] {
      for (int k = 0; k < 200; ++k) {
        background.wake();
        background.ask([&] {
          once();
          ++tasks;  // guarded by the turn
        });
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(tasks, 800);
  EXPECT_THROW(background.ask([] { throw std::logic_error("for the caller"); }), std::logic_error);
  background.ask([] {});
}

// Even if it is woken more often than work ends.
TEST(BackgroundThread, TasksGoFirst) {
  std::atomic<int> works{0};
  std::atomic<bool> stops{false};
  BackgroundThread background([&] {
    ++works;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  std::thread waking([&] {
    while (!stops) background.wake();
  });
  while (works < 3) std::this_thread::yield();
  // The system may take the processor away before a task is asked for, but not each time.
  int late = 0;
  for (int i = 0; i < 20; ++i) {
    const int before = works;
    background.ask([] {});
    late += works - before > 2;
  }
  EXPECT_LT(late, 10);
  stops = true;
  waking.join();
}

TEST(BackgroundThread, FinishesWhatWasAskedFor) {
  for (int i = 0; i < 50; ++i) {
    bool is_done = false;
    {
      BackgroundThread background([&] { is_done = true; });
      background.wake();
    }
    EXPECT_TRUE(is_done);
  }
}

}  // namespace
}  // namespace benzer
