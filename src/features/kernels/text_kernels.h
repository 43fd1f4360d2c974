// The hot loops of feature extraction, one table of functions per CPU level. All levels compute the
// same; tests compare them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "benzer/runtime.h"

#include "features/hash.h"

namespace benzer::internal {

// Bytes that the kernels may read and write after the end of their output text; their content does
// not matter.
inline constexpr std::size_t kTextPadding = 64;

// Entries that split_ascii and split_bytes may write after the last edge.
inline constexpr std::size_t kEdgePadding = 16;

// The edges of words found so far: their starts and ends alternate, so an odd number of edges means
// that the last word has not ended.
struct SplitState {
  std::uint32_t* edges;   // room for one more per byte of text, and kEdgePadding
  std::size_t count = 0;  // edges so far
};

struct TextKernels {
  // Copies ASCII text up to the first other byte or the end, in lower case, and appends the edges
  // of its runs of letters and digits. `at` is the position of out in the whole text. Returns the
  // bytes consumed. Never reads beyond text + size; writes up to kTextPadding bytes after the copy.
  std::size_t (*split_ascii)(const std::uint8_t* text, std::size_t size, std::uint8_t* out,
                             std::uint32_t at, SplitState& state) noexcept;

  // Does the same for any bytes, and takes those above ASCII as parts of words. Consumes all of
  // them.
  std::size_t (*split_bytes)(const std::uint8_t* text, std::size_t size, std::uint8_t* out,
                             std::uint32_t at, SplitState& state) noexcept;

  // Writes the positions of the bytes that are not of the form 10xxxxxx, and returns their number.
  // Reads up to kTextPadding bytes after the text and writes up to kEdgePadding entries after the
  // last position.
  std::size_t (*find_starts)(const std::uint8_t* text, std::size_t size,
                             std::uint32_t* positions) noexcept;

  // Writes the words, joined by one blank each, and returns the size. Needs kTextPadding bytes
  // after both texts.
  std::size_t (*join_words)(const std::uint8_t* text, const std::uint32_t* edges, std::size_t words,
                            std::uint8_t* joined) noexcept;

  // Computes the hash of each of `words` words.
  void (*hash_words)(const std::uint8_t* text, const std::uint32_t* edges, std::size_t words,
                     const HashKeys& keys, std::uint64_t* hashes) noexcept;

  // Computes the running sums of the hashes: sums[i + 1] = sums[i] * kBase + hash of word i. The
  // caller sets sums[0]: to 0, or to the sum of the words before these.
  void (*sum_words)(const std::uint8_t* text, const std::uint32_t* edges, std::size_t words,
                    const HashKeys& keys, std::uint64_t* sums) noexcept;

  // Computes the feature of each of `shingles` shingles of n units from such sums.
  void (*finish_sums)(const std::uint64_t* sums, std::size_t shingles, std::size_t n,
                      const HashKeys& keys, std::uint64_t* features) noexcept;

  // Computes the hash of each of `windows` windows of n code points. Window i is the bytes
  // [positions[i], positions[i + n]).
  void (*hash_windows)(const std::uint8_t* text, const std::uint32_t* positions,
                       std::size_t windows, std::size_t n, const HashKeys& keys,
                       std::uint64_t* hashes) noexcept;

  // Computes the feature of each of `count` shingles of n units that were hashed as one. `features`
  // may be `hashes`.
  void (*finish_hashes)(const std::uint64_t* hashes, std::size_t count, std::size_t n,
                        const HashKeys& keys, std::uint64_t* features) noexcept;
};

const TextKernels& text_kernels_baseline() noexcept;
const TextKernels& text_kernels_avx2() noexcept;
const TextKernels& text_kernels_avx512() noexcept;

const TextKernels& text_kernels(CpuLevel level) noexcept;

}  // namespace benzer::internal
