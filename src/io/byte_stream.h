// Bytes read once from front to back: from files, pipes and memory, unpacked on the way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/file.h"

namespace benzer {

// A stream that cannot be read to its end. what() goes into a sentence after the file's name: "zlib
// says at byte 17 of the file: invalid distance code".
class StreamDamage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads at least one and at most `size` (> 0) bytes; 0 means the end. Throws StreamDamage, but
  // only after everything in front of the damage was handed out. Both are the same however the
  // stream is cut by `size`, because the second pass must see what the first one saw.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

enum class Compression { kNone, kGzip, kZstd, kXz, kBzip2 };
// "gzip", "zstd", "xz", "bzip2"; empty for kNone.
std::string_view compression_name(Compression how) noexcept;

// Does the path have the ending, which is in small letters? Its capitals count as such.
bool has_ending(std::string_view path, std::string_view ending) noexcept;
// What the name promises, in capitals too: .gz, .zst, .xz, .bz2.
Compression compression_by_name(std::string_view path) noexcept;
// The path without such an ending.
std::string_view without_compression(std::string_view path) noexcept;
// What the first bytes show; it takes kMagicBytes of them.
inline constexpr std::size_t kMagicBytes = 10;
Compression compression_by_magic(std::string_view first_bytes) noexcept;

// A file that can be read at any place. The handle stays the caller's.
std::unique_ptr<ByteStream> stream_file(int fd);
// A pipe, a terminal: reads on from where it is. When `stop` (may be null) turns true while it
// waits, it throws Error(kInterrupted).
std::unique_ptr<ByteStream> stream_pipe(int fd, const std::atomic<bool>* stop);
// For tests and fuzzing. The bytes stay the caller's.
std::unique_ptr<ByteStream> stream_memory(std::string_view bytes);
// `packed` unpacked: one or more gzip members, zstd frames, xz or bzip2 streams in a row.
std::unique_ptr<ByteStream> stream_unpacked(std::unique_ptr<ByteStream> packed, Compression how);

// The first bytes of a stream, fewer only at its end or in front of damage, and a stream that
// gives all of them.
struct LookedAt {
  std::string first;
  std::unique_ptr<ByteStream> stream;
};
LookedAt look_ahead(std::unique_ptr<ByteStream> bytes, std::size_t size);
// Unpacks what its first bytes show to be packed, and else what its name promises to be. `how` (may
// be null) receives which it was.
std::unique_ptr<ByteStream> stream_sniffed(std::unique_ptr<ByteStream> bytes,
                                           std::string_view name = {}, Compression* how = nullptr);

// Reads until `size` bytes are there or the stream ends.
std::size_t read_fully(ByteStream& stream, char* out, std::size_t size);

}  // namespace benzer
