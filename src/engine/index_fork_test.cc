// Tests that a process that was forked leaves alone what the index of the other one has open.
#include <functional>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "io/io_test_util.h"

namespace benzer {
namespace {

Document document(const std::string& id) {
  return {id, {Field::of_text("text", "words that only " + id + " has, of all documents")}, {}};
}

Index make(const std::string& path) {
  OpenOptions options;
  options.create_with = Schema::parse("text=text:word2 | min:0.7");
  return Index::open(path, options);
}

// Returns what `work` returns in a forked process.
bool in_forked_process(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool is_right = false;
    try {
      is_right = work();
    } catch (...) {
    }
    ::_exit(is_right ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == ErrorCode::kInvalidArgument &&
           std::string_view(error.what()).find("forked") != std::string_view::npos;
  }
  return false;
}

TEST(IndexFork, AForkedProcessHasNoCalls) {
  const TestFolder folder;
  Index index = make(folder / "index");
  index.index_documents({document("a")});
  const std::function<void()> calls[] = {
      [&] { index.index_documents({document("b")}); },
      [&] { index.remove({"a"}); },
      [&] { index.find_similar_documents(document("b")); },
      [&] { index.contains("a"); },
      [&] { index.bulk_load(); },
      [&] { index.snapshot(folder / "copy"); },
      [&] { index.compact(); },
      [&] { index.close(); },
  };
  for (const auto& call : calls)
    EXPECT_TRUE(in_forked_process([&] { return is_refused(call); })) << &call - calls;
  Index in_memory = Index::in_memory(Schema::parse("text=text:word2 | min:0.7"));
  in_memory.index_documents({document("a")});
  EXPECT_TRUE(in_forked_process([&] { return in_memory.contains("a"); }));
}

// What it closed or removed there was missing in the other process, which went on writing.
TEST(IndexFork, WhatIsDestroyedThereStaysHere) {
  const TestFolder folder;
  const std::string path = folder / "index";
  Index index = make(path);
  index.index_documents({document("a")});
  EXPECT_TRUE(in_forked_process([&] {
    {
      const Index taken = std::move(index);
    }
    return true;
  }));
  index.index_documents({document("b")});
  BulkLoad load = index.bulk_load();
  load.add({document("c")});
  EXPECT_TRUE(in_forked_process([&] {
    {
      const BulkLoad taken = std::move(load);
    }
    return true;
  }));
  load.finish();
  const Index reader = Index::open(path, {.read_only = true});
  EXPECT_EQ(reader.size(), 3U);
  reader.verify();
}

}  // namespace
}  // namespace benzer
