// Unpacks .gz, .zst, .xz and .bz2 as byte streams.
#pragma once

#include <cstdint>
#include <memory>

#include "io/byte_stream.h"

namespace benzer {

// One or more gzip members; zero bytes after the last one are padding and ignored.
std::unique_ptr<ByteStream> make_gzip_unpacker(std::unique_ptr<ByteStream> packed);

// One or more zstd frames, skippable ones among them, with windows up to 2 GiB.
std::unique_ptr<ByteStream> make_zstd_unpacker(std::unique_ptr<ByteStream> packed);

// One or more xz streams; zero bytes between and after them are padding and ignored. A file that
// needs more memory than kMostXzMemory is treated as damaged; xz -9 takes 65 MiB.
inline constexpr std::uint64_t kMostXzMemory = 256u << 20;
std::unique_ptr<ByteStream> make_xz_unpacker(std::unique_ptr<ByteStream> packed);

// One or more bzip2 streams; zero bytes after the last one are padding and ignored.
std::unique_ptr<ByteStream> make_bzip2_unpacker(std::unique_ptr<ByteStream> packed);

}  // namespace benzer
