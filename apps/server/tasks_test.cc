#include "tasks.h"

#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "sqlite_database.h"

namespace benzer::server {
namespace {

const std::string kLongName(60, 'x');

void wait_for(const Task& task) {
  while (!task.is_over()) std::this_thread::yield();
}

// Under the thread sanitizer: names are read while the task changes.
TEST(Tasks, CanBeLookedAtWhileTheyRun) {
  const TestFolder folder;
  Tasks tasks(folder / "tasks.sqlite");
  std::atomic<bool> stops{false};
  std::thread looking([&] {
    while (!stops)
      for (const auto& task : tasks.list()) {
        EXPECT_EQ(task->index(), kLongName);
        EXPECT_EQ(tasks.find(task->id()), task);
        EXPECT_NE(task->json().find(kLongName), std::string::npos);
      }
  });
  for (int i = 0; i < 20; ++i) {
    const auto task = tasks.add(kLongName, "dedup", kLongName, [](Task& own) {
      own.progress(1, 2);
      own.set_result("{\"a\":1}");
      return std::string();
    });
    wait_for(*task);
  }
  stops = true;
  looking.join();
}

TEST(Tasks, OutliveTheirProcess) {
  const TestFolder folder;
  std::string done, waiting;
  {
    Tasks tasks(folder / "tasks.sqlite");
    const auto first =
        tasks.add("me", "verify", "a", [](Task&) { return std::string("{\"b\":2}"); });
    wait_for(*first);
    done = first->json();
    tasks.add("me", "dedup", "a", [](Task& own) {
      while (!own.stop()) std::this_thread::yield();
      return std::string("{}");
    });
    waiting = tasks.add("me", "compact", "a", [](Task&) { return std::string("{}"); })->id();
  }
  Tasks tasks(folder / "tasks.sqlite");
  ASSERT_EQ(tasks.list().size(), 3U);
  EXPECT_EQ(tasks.list().back()->json(), done);
  const auto left = tasks.find(waiting);
  EXPECT_TRUE(left->is_over());
  EXPECT_NE(left->json().find("server_ended"), std::string::npos);
  EXPECT_NE(left->json().find("\"seconds\":0.0"), std::string::npos) << left->json();
}

// Whatever comes after it: only tasks that are over make room for others.
TEST(Tasks, StayUntilTheyAreOver) {
  const TestFolder folder;
  const std::string file = folder / "tasks.sqlite";
  Tasks tasks(file);
  const auto running = tasks.add("me", "dedup", "a", [](Task& own) {
    while (!own.stop()) std::this_thread::yield();
    return std::string("{}");
  });
  const auto waiting = tasks.add("me", "compact", "a", [](Task&) { return std::string("{}"); });
  for (int i = 0; i < 110; ++i)
    tasks.cancel(*tasks.add("other", "verify", "a", [](Task&) { return std::string("{}"); }));
  std::set<std::string> stored;
  for (const TaskRecord& one : TaskRecords(file, 100).load()) stored.insert(one.id);
  EXPECT_TRUE(stored.contains(running->id()));
  EXPECT_TRUE(stored.contains(waiting->id()));
  EXPECT_LE(stored.size(), 102U);
  tasks.stop();
}

TEST(Tasks, AreNotCanceledByTheEndOfTheServer) {
  const TestFolder folder;
  Tasks tasks(folder / "tasks.sqlite");
  std::atomic<int> begun{0};
  const auto until_stopped = [&](Task& own) -> std::string {
    ++begun;
    while (!own.stop()) std::this_thread::yield();
    throw Error(ErrorCode::kInterrupted, "stopped");
  };
  const auto canceled = tasks.add("me", "dedup", "a", until_stopped);
  while (begun < 1) std::this_thread::yield();
  tasks.cancel(*canceled);
  wait_for(*canceled);
  EXPECT_NE(canceled->json().find("canceled"), std::string::npos) << canceled->json();
  const auto ended = tasks.add("me", "dedup", "a", until_stopped);
  while (begun < 2) std::this_thread::yield();
  tasks.stop();
  wait_for(*ended);
  EXPECT_NE(ended->json().find("server_ended"), std::string::npos) << ended->json();
}

// What a client has seen of a task is there after a crash.
TEST(Tasks, ShowAResultOnceItIsStored) {
  const TestFolder folder;
  const std::string file = folder / "tasks.sqlite";
  std::atomic<bool> is_locked{false};
  Tasks tasks(file);
  const auto task = tasks.add("me", "dedup", "a", [&](Task& own) {
    while (!is_locked && !own.stop()) std::this_thread::yield();
    own.set_result("{\"removed\":1}");
    while (!own.stop()) std::this_thread::yield();
    return std::string();
  });
  while (task->json().find("processing") == std::string::npos) std::this_thread::yield();
  const SqliteDatabase other(file, SQLITE_OPEN_READWRITE);
  other.run(SqliteDatabase::kSetUp);
  other.in_one_step([&] {
    is_locked = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(task->json().find("removed"), std::string::npos);
  });
  while (task->json().find("removed") == std::string::npos) std::this_thread::yield();
  tasks.stop();
}

}  // namespace
}  // namespace benzer::server
