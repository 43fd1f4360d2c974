// Fails each operation on files once: that must give an error or a counted skip, never a wrong
// result.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/sanitized.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::HasSubstr;
using FileFault = FaultyFileSystem::Fault;

// Does all the input and output of a deduplication, once for each operation that can fail.
void run_with_faults(const std::function<InputOptions(const TestFolder&)>& make_inputs,
                     bool json_lines) {
  std::string expected;
  {
    const TestFolder folder;
    expected = Scanned(make_inputs(folder)).write(folder, {1}).kept;
  }
  ASSERT_FALSE(expected.empty());
  for (const FileFault fault : {FileFault::kError, FileFault::kInterrupt, FileFault::kShort}) {
    bool fired = true;
    for (int n = 1; fired; n += kSanitized ? 3 : 1) {
      const TestFolder folder;
      const InputOptions options = make_inputs(folder);
      FaultyFileSystem faulty(n, fault);
      bool failed = false;
      std::uint64_t skipped = 0;
      {
        ScopedFileSystem scope(faulty);
        try {
          InputTuning tuning;
          tuning.block_bytes = 4096;
          Scanned scanned(options, tuning);
          skipped = scanned.body->counts.skipped;
          EXPECT_EQ(scanned.sentences.size(), skipped);
          EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
          const std::vector<std::uint32_t> removed = {1};
          OutputFile kept(folder / "kept.out");
          scanned.body->write_kept(removed, kept, nullptr, {});
          kept.commit();
        } catch (const Error& error) {
          failed = true;
          EXPECT_THAT(std::string(error.what()), HasSubstr(": "));
        }
      }
      fired = faulty.fired();
      const std::string where = faulty.fired_in() + " " + std::to_string(n);
      EXPECT_TRUE(fault == FileFault::kError || (!failed && skipped == 0)) << where;
      const bool exists = std::filesystem::exists(folder / "kept.out");
      EXPECT_TRUE(exists || failed) << where;
      const std::string kept = read_file(folder / "kept.out");
      if (exists && skipped == 0) {
        // Paths begin with the folder of the run; only the number of lines can be compared.
        const auto line_count = [](const std::string& text) {
          return std::count(text.begin(), text.end(), '\n');
        };
        EXPECT_EQ(line_count(kept), line_count(expected)) << where;
        EXPECT_TRUE(!json_lines || kept == expected) << where;
      }
      // An error at the read that would have found the end of the file loses no line.
      EXPECT_TRUE(!exists || skipped == 0 || kept.size() <= expected.size()) << where;
      // The complete output stays if only the renaming failed.
      const bool may_stay = failed && faulty.fired_in() == "rename";
      for (const std::string& name : folder.names())
        EXPECT_TRUE(may_stay || !name.starts_with(".")) << where;
    }
  }
}

std::string lines(int count, const std::string& tag) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out +=
        "{\"id\":\"" + tag + std::to_string(i) + "\",\"text\":\"" + std::string(50, 'x') + "\"}\n";
  return out;
}

TEST(Faults, PlainLines) {
  run_with_faults(
      [](const TestFolder& folder) {
        return inputs(
            {folder.write("a.jsonl", lines(200, "a")), folder.write("b.jsonl", lines(3, "b"))});
      },
      true);
}

TEST(Faults, PackedLines) {
  static constexpr int kPacked = kSanitized ? 12 : 50;
  run_with_faults(
      [](const TestFolder& folder) {
        return inputs(
            {folder.write("a.jsonl.gz", packed(lines(kPacked, "a"), Compression::kGzip)),
             folder.write("b.jsonl.zst", packed(lines(kPacked, "b"), Compression::kZstd))});
      },
      true);
}

TEST(Faults, Folders) {
  run_with_faults(
      [](const TestFolder& folder) {
        folder.write("f/a", "A");
        folder.write("f/b.gz", packed("B", Compression::kGzip));
        folder.write("f/g/c", "C");
        return inputs({folder / "f"});
      },
      false);
}

TEST(Faults, StandardInputWithAFullTemporaryDisk) {
  const TestFolder folder;
  const std::string all = lines(2000, "a");
  bool fired = true;
  for (int n = 1; fired; ++n) {
    const std::string path = folder.write("stdin", all);
    FileHandle input;
    ASSERT_EQ(open_to_read(path, input), 0);
    InputTuning tuning;
    tuning.standard_input = input.get();
    FaultyFileSystem faulty(n, FileFault::kError, ENOSPC);
    {
      ScopedFileSystem scope(faulty);
      try {
        Scanned scanned(inputs({"-"}), tuning);
        EXPECT_TRUE(scanned.body->counts.skipped > 0 || scanned.body->size() == 2000u);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
        EXPECT_THAT(error.what(), HasSubstr("temporary file"));
      }
    }
    fired = faulty.fired();
  }
}

}  // namespace
}  // namespace benzer
