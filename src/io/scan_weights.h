// Chooses how large blocks of lines are, and estimates the memory of blocks that are in flight:
// read and not yet handed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/workspace.h"

namespace benzer {

// Without a memory limit, blocks have the usual size, and no weight unless they wait for those of
// earlier files.
class ScanWeights {
 public:
  // Each thread holds several blocks, and all blocks together share a part of the limit.
  ScanWeights(const Workspace& workspace, std::size_t usual_block_bytes, int threads);

  std::size_t block_bytes() const noexcept { return block_bytes_; }
  // The most that blocks in flight may weigh together.
  std::uint64_t most() const noexcept { return most_; }
  // The most that blocks may weigh that wait for those of earlier files.
  std::uint64_t most_early() const noexcept { return most_early_; }
  std::uint64_t of(std::uint64_t bytes, std::uint64_t lines) const noexcept;
  std::uint64_t of(std::string_view lines) const noexcept;
  // Whether a block has grown for a long line. Long lines are rare, so its memory should be given
  // back for other uses.
  bool is_large(std::size_t capacity) const noexcept { return limited_ && capacity > block_bytes_; }

 private:
  bool limited_;
  std::size_t block_bytes_;
  std::uint64_t most_, most_early_;
};

}  // namespace benzer
