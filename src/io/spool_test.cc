#include "io/spool.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "io/io_test_util.h"

namespace benzer {
namespace {

// Gives bytes in small pieces, and then an error or the end.
class Pieces final : public ByteStream {
 public:
  Pieces(std::string_view bytes, bool breaks) : bytes_(stream_memory(bytes)), breaks_(breaks) {}
  std::size_t read(char* out, std::size_t size) override {
    const std::size_t got = bytes_->read(out, std::min<std::size_t>(size, 1000));
    if (got == 0 && breaks_) throw StreamDamage("broken");
    return got;
  }

 private:
  std::unique_ptr<ByteStream> bytes_;
  bool breaks_;
};

std::string read_all(ByteStream& stream) {
  std::string out;
  char piece[777];
  try {
    while (const std::size_t got = stream.read(piece, sizeof piece)) out.append(piece, got);
  } catch (const StreamDamage&) {
  }
  return out;
}

TEST(Spool, HoldsWhatWasPassedOn) {
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += "these are words, and this is number " + std::to_string(i);
  const Workspace workspace;
  for (const bool packed : {false, true}) {
    for (const bool breaks : {false, true}) {
      ScratchFile spool(workspace);
      const auto stream = stream_spooled(std::make_unique<Pieces>(text, breaks), spool, packed);
      EXPECT_EQ(read_all(*stream), text);
      if (packed)
        EXPECT_LT(spool.size(), text.size() / 2);
      else
        EXPECT_EQ(spool.size(), text.size());
      const auto how = packed ? Compression::kZstd : Compression::kNone;
      EXPECT_TRUE(read_all(*stream_unpacked(stream_file(spool.fd()), how)) == text);
    }
  }
}

}  // namespace
}  // namespace benzer
