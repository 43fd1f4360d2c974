#include "io/input_files.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/test_random.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

std::vector<std::string> paths_of(const InputFiles& files) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < files.size(); ++i) out.push_back(files[i].path);
  return out;
}

std::string any_name(TestRandom& random) {
  // Any bytes but NUL; now and then the name is longer than a piece of the list's memory.
  const std::size_t size = random.below(200) == 0 ? 300000 : 1 + random.below(30);
  std::string name(size, '\0');
  for (char& c : name) c = static_cast<char>(1 + random.below(255));
  return name;
}

// A named file, a folder, and another one; in memory and in a file.
TEST(InputFiles, AreWhatWasAdded) {
  TestRandom random(1);
  for (const bool in_file : {false, true}) {
    InputFiles files;
    std::vector<InputFile> expected{{.path = "-", .stream = true, .source = 0}};
    files.add(expected[0]);
    for (std::uint32_t source = 1; source <= 2; ++source) {
      const std::string prefix = source == 1 ? "folder/" : "";
      PathList paths(prefix);
      std::vector<std::string> names;
      for (int i = 0; i < 1000; ++i) paths.add(names.emplace_back(prefix + any_name(random)));
      EXPECT_GT(paths.bytes(), 8000U);
      paths.sort();
      std::sort(names.begin(), names.end());
      for (const std::string& name : names)
        expected.push_back({name, false, source, source == 1, true});
      files.add(std::move(paths), {{}, false, source, source == 1, true});
    }
    files.add(PathList(), {});  // an empty folder
    const std::vector<std::size_t> removed{0, 1, 5, 999, 1000, 1001, 2000};
    files.remove(removed);
    for (auto i = removed.rbegin(); i != removed.rend(); ++i)
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(*i));
    if (in_file) files.move_to_file(Workspace());
    ASSERT_EQ(files.size(), expected.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      const InputFile file = files[i];
      ASSERT_EQ(file.path, expected[i].path) << i;
      for (const InputFile& traits : {file, files.traits(i)}) {
        EXPECT_EQ(traits.stream, expected[i].stream);
        EXPECT_EQ(traits.source, expected[i].source);
        EXPECT_EQ(traits.reference, expected[i].reference);
        EXPECT_EQ(traits.found, expected[i].found);
      }
    }
  }
}

TEST(InputFiles, AreTheSameWithALimitOfMemory) {
  const TestFolder folder;
  for (int i = 0; i < 100; ++i)
    folder.write("f/" + std::to_string(i) + ".txt", "text " + std::to_string(i));
  InputOptions options = inputs({folder / "f"});
  const std::vector<std::string> expected = paths_of(list_inputs(options).files);
  EXPECT_EQ(expected.size(), 100U);
  options.memory_limit = 1 << 26;
  EXPECT_EQ(paths_of(list_inputs(options).files), expected);
  const Scanned scanned(options);
  ASSERT_EQ(scanned.body->size(), 100U);
  EXPECT_EQ(scanned.body->label(7).source, expected[7]);
}

std::string room_refusal(const InputOptions& options) {
  try {
    const Scanned scanned(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "none";
}

// The data about each file may take a part of the limit. If there are too many files, the error
// says which limit is enough.
TEST(InputFiles, TooManyForALimitAreRefused) {
  const TestFolder folder;
  for (int i = 0; i < 5000; ++i) {
    folder.write("texts/" + std::to_string(i) + ".txt", "text");
    if (i < 1000) folder.write("records/" + std::to_string(i) + ".jsonl", "{\"text\":\"text\"}\n");
  }
  struct Case {
    const char* name;
    std::uint64_t limit;
    const char* refusal;
  };
  const Case table[] = {
      {"texts", 1 << 19, "none"},
      {"texts", 400000,
       "the inputs are 5000 files, and the data about each of them does "
       "not fit into the memory limit of 400000 bytes; allow 1 MiB, or put"},
      {"texts", 1 << 16,
       "/texts: the names of 4096 files of this folder take more than half of "
       "the memory limit of 65536 bytes, and there are more of them; allow more"},
      {"records", 1 << 20, "none"},
      {"records", 1 << 19,
       "the inputs are 1000 files, and the data about each of them does "
       "not fit into the memory limit of 524288 bytes; allow 1 MiB, or put"},
  };
  for (const Case& row : table) {
    InputOptions options = inputs({folder / row.name});
    options.memory_limit = row.limit;
    EXPECT_NE(room_refusal(options).find(row.refusal), std::string::npos)
        << row.name << row.limit << ": " << room_refusal(options);
  }
}

}  // namespace
}  // namespace benzer
