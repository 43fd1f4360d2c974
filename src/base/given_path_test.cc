#include "base/given_path.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "benzer/error.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;

TEST(GivenPath, NamesTheSameFileAfterChdir) {
  const fs::path before = fs::current_path();
  const std::string path = absolute_path("some/file");
  fs::current_path("/");
  const std::string later = absolute_path("some/file");
  fs::current_path(before);
  EXPECT_EQ(fs::path(path).lexically_normal(), (before / "some/file").lexically_normal());
  EXPECT_EQ(fs::path(later).lexically_normal(), "/some/file");
}

TEST(GivenPath, IsShownByErrors) {
  for (const std::string given : {"file", "./file", "../a//file/", "/an/absolute//file", ""}) {
    const std::string path = absolute_path(given);
    EXPECT_EQ(given_path(path), given);
    EXPECT_EQ(given_path(path + "/below"), given.empty() ? "/below" : given + "/below");
    const Error error(ErrorCode::kCorrupt, Subject::file(path + "/below"), "it is damaged");
    EXPECT_EQ(error.subject().name, given + "/below");
    EXPECT_EQ(std::string(error.what()), given + "/below: it is damaged");
  }
  const Error at(ErrorCode::kBadInput, Subject::place(absolute_path("list"), 7), "it is not JSON");
  EXPECT_EQ(std::string(at.what()), "list:7: it is not JSON");
}

}  // namespace
}  // namespace benzer
