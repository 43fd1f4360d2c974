// Declares the hot loops of the course report's MinHash, with one table per CPU level and the same
// results on all.
//
// The rules of src/sketch/kernels apply: code here does not allocate, throw or use the standard
// library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "benzer/runtime.h"

namespace benzer::classics {

// How many permutations are processed at a time: their values fill a cache line, with 16 bits each
// if p allows it (kNarrow), else with 32 (kWide).
inline constexpr std::size_t kNarrow = 32;
inline constexpr std::size_t kWide = 16;

struct Kernels {
  // out[t * kNarrow + j] = ((a[j] * t + b[j]) & 0x7fffffff) mod p for terms t in [0, terms), with p
  // < 2^16. wide_values does the same with kWide for any p.
  void (*narrow_values)(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t p,
                        std::uint32_t terms, std::uint16_t* out) noexcept;
  void (*wide_values)(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t p,
                      std::uint32_t terms, std::uint32_t* out) noexcept;

  // out[j] = the smallest table[t * kNarrow + j] of n > 0 terms t. wide_minima does the same with
  // kWide.
  void (*narrow_minima)(const std::uint16_t* table, const std::uint32_t* terms, std::size_t n,
                        std::uint32_t* out) noexcept;
  void (*wide_minima)(const std::uint32_t* table, const std::uint32_t* terms, std::size_t n,
                      std::uint32_t* out) noexcept;

  // out[i] = how many of the k numbers of `row` equal those of row i of `rows`.
  void (*count_equal)(const std::uint32_t* row, const std::uint32_t* rows, std::size_t count,
                      std::size_t k, std::uint32_t* out) noexcept;

  // The sum of ((a[i] * x[i] + b[i]) & 0x7fffffff) mod p over n rows of a band, mod p.
  std::uint32_t (*band_hash)(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t p,
                             const std::uint32_t* x, std::size_t n) noexcept;
};

extern const Kernels kKernelsBaseline;
#if defined(__x86_64__)
extern const Kernels kKernelsAvx2;
extern const Kernels kKernelsAvx512;
#endif

// The table of a level that this machine can run.
const Kernels& kernels_for(CpuLevel level) noexcept;

}  // namespace benzer::classics
