// Reads any bytes as a packed file. The first byte chooses a name, which chooses the decoder unless
// the bytes show another; the second byte chooses how much is read at a time.
//
// Checks that nothing crashes; that the bytes and the damage do not depend on how much is read at a
// time; that damage is reported again at the next read; that a stream after look_ahead() gives all
// its bytes; and that a file which cannot be records cannot be text either.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fuzz_require.h"
#include "io/byte_stream.h"
#include "io/file_kind.h"

namespace {

using namespace benzer;

// A few bytes may unpack to more than this, which would show nothing new.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

struct Result {
  std::string bytes;
  std::string damage;
  friend bool operator==(const Result&, const Result&) = default;
};

Result read_all(ByteStream& stream, std::size_t step) {
  Result out;
  std::string part(step, '\0');
  try {
    while (out.bytes.size() < kMostBytes) {
      const std::size_t most = std::min(step, kMostBytes - out.bytes.size());
      const std::size_t got = stream.read(part.data(), most);
      require(got <= most);
      if (got == 0) return out;
      out.bytes.append(part, 0, got);
    }
  } catch (const StreamDamage& damage) {
    out.damage = damage.what();
    require(!out.damage.empty());
    try {
      stream.read(part.data(), step);
      require(false);
    } catch (const StreamDamage& again) {
      require(again.what() == out.damage);
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  constexpr std::string_view kNames[] = {"", "x.gz", "x.zst", "x.xz", "x.bz2"};
  const std::string_view name = kNames[data[0] % 5];
  const std::size_t step = 1 + 37u * data[1];
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);

  const Result whole = read_all(*stream_sniffed(stream_memory(bytes), name), kMostBytes);
  require(whole == read_all(*stream_sniffed(stream_memory(bytes), name), step));
  LookedAt looked = look_ahead(stream_sniffed(stream_memory(bytes), name), kLookedAtBytes);
  require(whole.bytes.starts_with(looked.first));
  require(whole == read_all(*looked.stream, step));
  require(why_no_records(looked.first).empty() || !why_no_text(looked.first).empty());
  if (name.empty() && compression_by_magic(bytes) == Compression::kNone)
    require(whole.damage.empty() && whole.bytes == bytes.substr(0, kMostBytes));
  return 0;
}
