// Declares the hot loops of sketching and of comparing cut signatures, one table of functions for
// each CPU level.
//
// The loops are written once (kernels_body.inc) and compiled per level at -O3; all tables compute
// the same bytes. No loop allocates, throws or uses the standard library: the linker could keep a
// template instance that was compiled with wide instructions as the copy for all levels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "benzer/runtime.h"

namespace benzer {

struct Kernels {
  // Writes the Fast Similarity Sketching signature of `count` (1 to 4096) slots. Without features
  // all slots are kEmptySlot.
  void (*fss)(const std::uint64_t* features, std::size_t n, std::uint64_t* slots,
              std::uint32_t count) noexcept;

  // Runs the first round of fss() only, and returns how many slots are still empty. If none are,
  // the slots are those of fss().
  std::size_t (*fss_begin)(const std::uint64_t* features, std::size_t n, std::uint64_t* slots,
                           std::uint32_t count) noexcept;

  // Writes the signature of k permutations: slot j is the minimum of hash j over the features.
  void (*kperm)(const std::uint64_t* features, std::size_t n, std::uint64_t* slots,
                std::uint32_t count) noexcept;

  // Returns how many of n bytes are equal.
  std::uint32_t (*count_equal)(const std::uint8_t* a, const std::uint8_t* b,
                               std::size_t n) noexcept;

  // Returns how many halves (of four bits) of n bytes are equal.
  std::uint32_t (*count_equal_halves)(const std::uint8_t* a, const std::uint8_t* b,
                                      std::size_t n) noexcept;

  // Returns how many bits of `words` 64-bit words, which may be unaligned, differ.
  std::uint32_t (*count_different_bits)(const void* a, const void* b, std::size_t words) noexcept;

  // Returns the first of the rows [begin, end) that has at least `least` bytes equal to those of
  // `row`; `end` if there is none. The rows, of n bytes each, are contiguous.
  std::size_t (*next_similar)(const std::uint8_t* row, const std::uint8_t* rows, std::size_t begin,
                              std::size_t end, std::size_t n, std::uint32_t least) noexcept;
};

extern const Kernels kKernelsBaseline;
#if defined(__x86_64__)
extern const Kernels kKernelsAvx2;
extern const Kernels kKernelsAvx512;
#endif

// Returns the table of a level, which this machine must be able to run.
const Kernels& kernels_for(CpuLevel level) noexcept;

}  // namespace benzer
