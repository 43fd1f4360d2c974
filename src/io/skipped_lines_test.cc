#include "io/skipped_lines.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "io/input_files.h"

namespace benzer {
namespace {

constexpr std::uint64_t kRanges = 5000;

// The third source has adjacent ranges, which are joined, the second none.
std::vector<LineSource> fill(SkippedLines& lines, const InputFiles& files) {
  std::vector<LineSource> sources(4, LineSource(files, 0));
  for (std::uint64_t i = 0; i < kRanges; ++i) lines.add(sources[0], {10 * i, 1 + i % 9});
  for (std::uint64_t i = 0; i < kRanges; ++i) lines.add(sources[2], {5 * i, 5});
  // One that continues the last range of another source is not joined with it.
  lines.add(sources[3], {5 * kRanges, 1});
  for (std::uint64_t i = 1; i < kRanges; ++i) lines.add(sources[3], {5 * kRanges + 3 * i, 2});
  lines.finish();
  return sources;
}

TEST(SkippedLines, AreReadInOrderFromMemoryAndFromAFile) {
  for (const std::uint64_t limit : {std::uint64_t{0}, std::uint64_t{256} << 10}) {
    const Workspace workspace(limit);
    SkippedLines lines(workspace);
    const InputFiles files;
    const std::vector<LineSource> sources = fill(lines, files);
    SkippedLines::Walk walk(lines);
    walk.come_to(sources[0]);
    EXPECT_EQ(walk.next(0), nullptr);
    for (std::uint64_t i = 0; i < kRanges; ++i) {
      const ByteRange* range = walk.next(10 * i + 1);
      ASSERT_NE(range, nullptr) << i;
      EXPECT_EQ(range->offset, 10 * i);
      EXPECT_EQ(range->length, 1 + i % 9);
      EXPECT_EQ(walk.next(10 * i + 10), nullptr);
    }
    EXPECT_EQ(walk.next(~std::uint64_t{0}), nullptr);
    walk.come_to(sources[1]);
    EXPECT_EQ(walk.next(~std::uint64_t{0}), nullptr);
    walk.come_to(sources[2]);
    const ByteRange* whole = walk.next(1);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->length, 5 * kRanges);
    EXPECT_EQ(walk.next(~std::uint64_t{0}), nullptr);
  }
}

TEST(SkippedLines, SourcesMayBeLeftOut) {
  const Workspace workspace(std::uint64_t{256} << 10);
  SkippedLines lines(workspace);
  const InputFiles files;
  const std::vector<LineSource> sources = fill(lines, files);
  SkippedLines::Walk walk(lines);
  walk.come_to(sources[0]);
  EXPECT_EQ(walk.next(1)->offset, 0);
  EXPECT_EQ(walk.next(1), nullptr);  // the next one was looked at
  walk.come_to(sources[3]);
  EXPECT_EQ(walk.next(~std::uint64_t{0})->length, 1);
  EXPECT_EQ(walk.next(~std::uint64_t{0})->offset, 5 * kRanges + 3);
}

}  // namespace
}  // namespace benzer
