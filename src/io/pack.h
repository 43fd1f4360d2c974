// Packs bytes as .gz and .zst.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "io/byte_stream.h"

namespace benzer {

class Packer {
 public:
  using Emit = std::function<void(std::string_view packed)>;

  virtual ~Packer() = default;
  virtual void pack(std::string_view bytes, const Emit& emit) = 0;
  virtual void finish(const Emit& emit) = 0;
};

// Null for kNone, and for xz and bzip2, which are not written. gzip has level 6 and one thread;
// zstd has level 3 and `threads` threads besides the caller's. Any number of threads from 1 on
// gives the same bytes; 0 gives others.
std::unique_ptr<Packer> make_packer(Compression how, int threads);

// Packs with zstd for bytes that this process reads back: fast, without a checksum.
std::unique_ptr<Packer> make_fast_packer();

}  // namespace benzer
