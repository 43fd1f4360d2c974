// The hot loops of sketching and of comparing cut signatures, one table per CPU level.
//
// The loops are written once (kernels_body.inc) and compiled per level at -O3; all tables give the
// same bytes. Nothing here allocates, throws or uses the standard library: a template instance
// compiled with wide instructions could become the copy which the linker keeps for everyone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "benzer/runtime.h"

namespace benzer {

struct Kernels {
  // Fast Similarity Sketching into `slots` of `count` (1 to 4096) slots. No features: all slots are
  // kEmptySlot.
  void (*fss)(const std::uint64_t* features, std::size_t n, std::uint64_t* slots,
              std::uint32_t count) noexcept;

  // Its first round only: returns how many slots no feature reached. What is left is then the
  // same as what fss() leaves if that is 0.
  std::size_t (*fss_begin)(const std::uint64_t* features, std::size_t n, std::uint64_t* slots,
                           std::uint32_t count) noexcept;

  // k permutations: slot j is the minimum of hash j over the features.
  void (*kperm)(const std::uint64_t* features, std::size_t n, std::uint64_t* slots,
                std::uint32_t count) noexcept;

  // How many of n bytes are equal.
  std::uint32_t (*count_equal)(const std::uint8_t* a, const std::uint8_t* b,
                               std::size_t n) noexcept;

  // How many halves (of four bits) of n bytes are equal.
  std::uint32_t (*count_equal_halves)(const std::uint8_t* a, const std::uint8_t* b,
                                      std::size_t n) noexcept;

  // How many bits of so many words, at any address, differ.
  std::uint32_t (*count_different_bits)(const void* a, const void* b, std::size_t words) noexcept;

  // Of rows of n bytes one behind the other, the first from `begin` on that has at least `least`
  // bytes equal with `row`; `end` if there is none before it.
  std::size_t (*next_similar)(const std::uint8_t* row, const std::uint8_t* rows, std::size_t begin,
                              std::size_t end, std::size_t n, std::uint32_t least) noexcept;
};

extern const Kernels kKernelsBaseline;
#if defined(__x86_64__)
extern const Kernels kKernelsAvx2;
extern const Kernels kKernelsAvx512;
#endif

// The table of a level that this machine can run.
const Kernels& kernels_for(CpuLevel level) noexcept;

}  // namespace benzer
