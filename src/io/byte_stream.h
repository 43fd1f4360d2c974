// Reads bytes once from front to back, from files, pipes and memory, and unpacks them on the way.
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

// Thrown when a stream cannot be read to its end. what() goes into a sentence after the file's
// name: "zlib says at byte 17 of the file: invalid distance code".
class StreamDamage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Reads at least one and at most `size` (> 0) bytes; 0 means the end. Throws StreamDamage, but
  // only after all bytes in front of the damage were handed out. The bytes and the damage do not
  // depend on `size`, because the second pass must see what the first one saw.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

enum class Compression { kNone, kGzip, kZstd, kXz, kBzip2 };
// "gzip", "zstd", "xz", "bzip2"; empty for kNone.
std::string_view compression_name(Compression how) noexcept;

// Whether the path has the ending, in small letters or capitals. `ending` is in small letters.
bool has_ending(std::string_view path, std::string_view ending) noexcept;
// The compression that the name says, in small letters or capitals: .gz, .zst, .xz, .bz2.
Compression compression_by_name(std::string_view path) noexcept;
// The path without such an ending.
std::string_view without_compression(std::string_view path) noexcept;
// The compression that the first kMagicBytes bytes show.
inline constexpr std::size_t kMagicBytes = 10;
Compression compression_by_magic(std::string_view first_bytes) noexcept;
// Whether the bytes begin like a frame of zstd, which may be a skippable one; of a frame's magic
// there may be fewer than its four bytes, but at least one.
bool begins_like_zstd(std::string_view bytes) noexcept;

// Reads a file that can be read at any place. The caller keeps the descriptor and closes it. Here
// and below, read() throws Error(kInterrupted) when `stop` (may be null) is true.
std::unique_ptr<ByteStream> stream_file(int fd, const std::atomic<bool>* stop = nullptr);
// Reads a pipe or a terminal from its present position on. Looks at the flag while it waits, too.
std::unique_ptr<ByteStream> stream_pipe(int fd, const std::atomic<bool>* stop);
// Gives the bytes of `bytes`. For what is unpacked: little may become very much between two looks
// of the stream that gives what is packed.
std::unique_ptr<ByteStream> stream_stoppable(std::unique_ptr<ByteStream> bytes,
                                             const std::atomic<bool>* stop);
// For tests and fuzzing. The bytes must outlive the stream.
std::unique_ptr<ByteStream> stream_memory(std::string_view bytes);
// Unpacks `packed`: one or more gzip members, zstd frames, xz or bzip2 streams in a row.
std::unique_ptr<ByteStream> stream_unpacked(std::unique_ptr<ByteStream> packed, Compression how);

// The first bytes of a stream, fewer than asked for only at its end or in front of damage, and a
// stream that gives all bytes, these included.
struct LookedAt {
  std::string first;
  std::unique_ptr<ByteStream> stream;
};
LookedAt look_ahead(std::unique_ptr<ByteStream> bytes, std::size_t size);
// Unpacks by the compression that the first bytes show, or else by the one that the name says.
// `how` (may be null) receives the compression.
std::unique_ptr<ByteStream> stream_sniffed(std::unique_ptr<ByteStream> bytes,
                                           std::string_view name = {}, Compression* how = nullptr);

// Reads until it has `size` bytes or the stream ends, and returns the number of bytes.
std::size_t read_fully(ByteStream& stream, char* out, std::size_t size);

}  // namespace benzer
