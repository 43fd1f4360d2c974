#include "io/line_blocks.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/byte_stream.h"

namespace benzer {
namespace {

struct Line {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // with the line end
  bool too_long = false;
  friend bool operator==(const Line&, const Line&) = default;
};

std::ostream& operator<<(std::ostream& out, const Line& line) {
  return out << line.offset << '+' << line.length << (line.too_long ? " too long" : "");
}

// The lines that the blocks together should hold, found in the plainest way.
std::vector<Line> split_plainly(std::string_view bytes, std::uint64_t max_line) {
  std::vector<Line> lines;
  std::size_t at = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (at < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    const std::size_t next = std::min(end + 1, bytes.size());
    lines.push_back({at, next - at, end - at > max_line});
    at = next;
  }
  return lines;
}

std::vector<Line> split_by_blocks(std::string_view bytes, std::size_t block_bytes,
                                  std::uint64_t max_line) {
  LineBlockReader reader(stream_memory(bytes), block_bytes, max_line);
  std::vector<Line> lines;
  LineBlock block;
  while (reader.next(block)) {
    EXPECT_EQ(block.lines(), bytes.substr(block.offset, block.lines().size()));
    for (Line line : split_plainly(block.lines(), max_line)) {
      // In the middle of a file, the bytes of a byte order mark have no meaning.
      line.offset += block.offset;
      lines.push_back(line);
    }
    if (block.tail == LineBlock::Tail::kTooLong) {
      EXPECT_EQ(block.rest_ends, bytes[block.rest.offset + block.rest.length - 1] == '\n');
      lines.push_back({block.rest.offset, block.rest.length, true});
    }
  }
  return lines;
}

RC_GTEST_PROP(LineBlocks, EveryBlockSizeCutsTheSameLines, ()) {
  std::string bytes = *rc::gen::element<std::string>("", "\xEF\xBB\xBF", "\xEF\xBB");
  const auto lengths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 120));
  for (const int length : lengths)
    bytes += std::string(static_cast<std::size_t>(length), 'x') + "\n";
  bytes += std::string(static_cast<std::size_t>(*rc::gen::inRange(0, 120)), 'y');
  const auto block_bytes = *rc::gen::inRange<std::size_t>(1, 200);
  const auto max_line = *rc::gen::inRange<std::uint64_t>(1, 130);
  RC_ASSERT(split_by_blocks(bytes, block_bytes, max_line) == split_plainly(bytes, max_line));
}

TEST(LineBlocks, TheLimitIsExact) {
  for (const std::size_t block_bytes : {16u, 64u, 1000u}) {
    for (const int more : {-1, 0, 1}) {
      const std::string line(static_cast<std::size_t>(100 + more), 'x');
      const auto lines = split_by_blocks("a\n" + line + "\nb\n" + line, block_bytes, 100);
      ASSERT_EQ(lines.size(), 4u);
      EXPECT_EQ(lines[1].too_long, more > 0) << block_bytes;
      EXPECT_EQ(lines[3].too_long, more > 0) << block_bytes;
    }
  }
}

// A stream that is damaged after some bytes.
class BreakingStream final : public ByteStream {
 public:
  explicit BreakingStream(std::string_view bytes) : bytes_(stream_memory(bytes)) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t got = bytes_->read(out, std::min<std::size_t>(size, 7));
    if (got == 0) throw StreamDamage("broken");
    return got;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
};

TEST(LineBlocks, DamageComesOnceAndBehindAllWholeLines) {
  for (const std::string& bytes :
       {std::string(), std::string("abc"), std::string("abc\n"), std::string("abc\ndef\ng"),
        std::string(50, 'x') + "\nabc\nd", "abc\n" + std::string(50, 'x')}) {
    for (std::size_t block_bytes = 16; block_bytes < 80; ++block_bytes) {
      LineBlockReader reader(std::make_unique<BreakingStream>(bytes), block_bytes, 40);
      LineBlock block;
      std::uint64_t covered = 0;
      int damages = 0;
      while (reader.next(block)) {
        ASSERT_EQ(damages, 0) << "a block behind the damage";
        ASSERT_EQ(block.offset, covered);
        covered += block.lines().size() + block.rest.length;
        if (block.tail == LineBlock::Tail::kDamaged) {
          ++damages;
          EXPECT_EQ(block.damage, "broken");
          EXPECT_EQ(block.rest.length, bytes.size() - (bytes.rfind('\n') + 1));
        }
        EXPECT_TRUE(block.lines().empty() || block.lines().ends_with('\n'));
      }
      EXPECT_EQ(damages, 1);
      EXPECT_EQ(covered, bytes.size());
    }
  }
}

}  // namespace
}  // namespace benzer
