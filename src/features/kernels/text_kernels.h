// The hot loops of feature extraction, one table of functions per CPU level. All levels compute the
// same; tests compare them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "benzer/runtime.h"

#include "features/hash.h"

namespace benzer::internal {

// Bytes that the kernels may read and write behind the end of their output text, whose content does
// not matter.
inline constexpr std::size_t kTextPadding = 64;

// Entries that split_ascii and split_bytes may write behind the last edge.
inline constexpr std::size_t kEdgePadding = 16;

// Words are given by edges: the positions of their starts and ends in turn, so that an odd number
// of edges means an open word.
struct SplitState {
  std::uint32_t* edges;   // room for one more per byte of text, and kEdgePadding
  std::size_t count = 0;  // edges so far
};

struct TextKernels {
  // Copies ASCII text up to the first other byte or the end, in lower case, and appends the edges
  // of its runs of letters and digits. `at` is the position of out in the whole text. Returns the
  // bytes consumed. Never reads behind text + size; writes up to kTextPadding bytes behind the
  // copy.
  std::size_t (*split_ascii)(const std::uint8_t* text, std::size_t size, std::uint8_t* out,
                             std::uint32_t at, SplitState& state) noexcept;

  // The same for any bytes, of which those above ASCII belong to words. Consumes everything.
  std::size_t (*split_bytes)(const std::uint8_t* text, std::size_t size, std::uint8_t* out,
                             std::uint32_t at, SplitState& state) noexcept;

  // Appends the positions of the bytes that are not of the form 10xxxxxx; returns how many. Reads
  // up to kTextPadding bytes behind the text and writes up to kEdgePadding behind the last
  // position.
  std::size_t (*find_starts)(const std::uint8_t* text, std::size_t size,
                             std::uint32_t* positions) noexcept;

  // The words joined by one blank each; returns the size. Needs kTextPadding behind both texts.
  std::size_t (*join_words)(const std::uint8_t* text, const std::uint32_t* edges, std::size_t words,
                            std::uint8_t* joined) noexcept;

  // The hash of each of `words` words.
  void (*hash_words)(const std::uint8_t* text, const std::uint32_t* edges, std::size_t words,
                     const HashKeys& keys, std::uint64_t* hashes) noexcept;

  // The same, summed up: sums[i + 1] = sums[i] * kBase + hash of word i. sums[0] is given: 0, or
  // the sum of the words before these.
  void (*sum_words)(const std::uint8_t* text, const std::uint32_t* edges, std::size_t words,
                    const HashKeys& keys, std::uint64_t* sums) noexcept;

  // The feature of each of `shingles` shingles of n units, from such sums.
  void (*finish_sums)(const std::uint64_t* sums, std::size_t shingles, std::size_t n,
                      const HashKeys& keys, std::uint64_t* features) noexcept;

  // The hash of each of `windows` windows of n code points, which start at positions[i] and end
  // before positions[i + n].
  void (*hash_windows)(const std::uint8_t* text, const std::uint32_t* positions,
                       std::size_t windows, std::size_t n, const HashKeys& keys,
                       std::uint64_t* hashes) noexcept;

  // The feature of each of `count` shingles of n units that were hashed as one; in place is fine.
  void (*finish_hashes)(const std::uint64_t* hashes, std::size_t count, std::size_t n,
                        const HashKeys& keys, std::uint64_t* features) noexcept;
};

const TextKernels& text_kernels_baseline() noexcept;
const TextKernels& text_kernels_avx2() noexcept;
const TextKernels& text_kernels_avx512() noexcept;

const TextKernels& text_kernels(CpuLevel level) noexcept;

}  // namespace benzer::internal
