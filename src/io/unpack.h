// Decoders of .gz and .zst as byte streams.
#pragma once

#include <memory>

#include "io/byte_stream.h"

namespace benzer {

// One or more gzip members; zero bytes after the last one are padding and ignored.
std::unique_ptr<ByteStream> make_gzip_unpacker(std::unique_ptr<ByteStream> packed);

// One or more zstd frames, skippable ones among them, with windows up to 2 GiB.
std::unique_ptr<ByteStream> make_zstd_unpacker(std::unique_ptr<ByteStream> packed);

}  // namespace benzer
