#include "io/scan_weights.h"

#include <algorithm>

#include "io/record_ends.h"

namespace benzer {
namespace {

// The parts of a memory limit for one block, for the bytes of all blocks, and for all blocks in
// flight with what is made of them.
constexpr std::size_t kBlockPart = 512;
constexpr std::size_t kBytesPart = 64;
constexpr std::size_t kFlightPart = 8;
constexpr std::size_t kLeastBlockBytes = std::size_t{16} << 10;

// The memory that a block takes for each byte of its lines, with the parser's copies of strings,
// and for each line: its sketch and, if stages are saved, its slots and a record.
constexpr std::uint64_t kPerByte = 3;
constexpr std::uint64_t kPerLine = 2048;

// Without a limit: what blocks of later files may weigh for each thread. Half a million documents
// are about as many as a file has.
constexpr std::uint64_t kEarlyBytesOfThread = std::uint64_t{256} << 20;

}  // namespace

ScanWeights::ScanWeights(const Workspace& workspace, std::size_t usual_block_bytes, int threads)
    : limited_(workspace.limited()),
      block_bytes_(usual_block_bytes),
      most_(workspace.share(kFlightPart)),
      most_early_(limited_ ? most_ / 2 : kEarlyBytesOfThread * static_cast<unsigned>(threads)) {
  if (!limited_) return;
  const std::size_t blocks = 2 * static_cast<std::size_t>(threads) + 1;
  const std::size_t most =
      std::min(workspace.share(kBlockPart), workspace.share(kBytesPart * blocks));
  block_bytes_ = std::min(block_bytes_, std::max(most, kLeastBlockBytes));
}

std::uint64_t ScanWeights::of(std::uint64_t bytes, std::uint64_t lines) const noexcept {
  return limited_ ? kPerByte * bytes + kPerLine * lines : 0;
}

// Counting takes as long as a tenth of all other work, so it is left out where it is not needed.
std::uint64_t ScanWeights::of(std::string_view lines) const noexcept {
  return limited_ ? of(lines.size(), count_line_ends(lines)) : 0;
}

}  // namespace benzer
