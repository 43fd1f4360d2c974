// Encoders of .gz and .zst.
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

// Null for what is not packed here: none, xz and bzip2. gzip has level 6 and one thread; zstd level
// 3 and as many beside the caller's as given: from 1 on their number does not change the bytes, and
// 0 gives others.
std::unique_ptr<Packer> make_packer(Compression how, int threads);

// zstd for bytes that this process reads back: fast, without a checksum.
std::unique_ptr<Packer> make_fast_packer();

}  // namespace benzer
