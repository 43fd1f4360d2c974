// How large blocks of lines are, and what blocks weigh that were read and not handed over.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/workspace.h"

namespace benzer {

// Without a limit of memory blocks have the usual size and no weight.
class ScanWeights {
 public:
  // Threads hold several blocks each, and all of them together share a part of the limit.
  ScanWeights(const Workspace& workspace, std::size_t usual_block_bytes, int threads);

  std::size_t block_bytes() const noexcept { return block_bytes_; }
  // What blocks in flight may weigh together.
  std::uint64_t most() const noexcept { return most_; }
  std::uint64_t of(std::uint64_t bytes, std::uint64_t lines) const noexcept;
  // A block for long lines, which are rare: what it took would be missing elsewhere.
  bool is_large(std::size_t capacity) const noexcept { return limited_ && capacity > block_bytes_; }

 private:
  bool limited_;
  std::size_t block_bytes_;
  std::uint64_t most_;
};

}  // namespace benzer
