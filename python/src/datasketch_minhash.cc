#include "datasketch_minhash.h"

#include <algorithm>
#include <vector>

#include "datasketch_kernels.h"

namespace benzer::python {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kMersenne = (u64{1} << 61) - 1;
constexpr u64 kLow32 = (u64{1} << 32) - 1;

u32 mix32(u32 h) {
  h ^= h >> 16;
  h *= 0x85EBCA6B;
  h ^= h >> 13;
  h *= 0xC2B2AE35;
  return h ^ (h >> 16);
}

u64 mix64(u64 h) {
  h ^= h >> 33;
  h *= 0xFF51AFD7ED558CCD;
  h ^= h >> 33;
  h *= 0xC4CEB9FE1A85EC53;
  return h ^ (h >> 33);
}

// 2^61 is 1 modulo the prime, so that the bits above are added to those below. Their sum is at most
// the prime and 7.
u64 legacy_value(u64 x) {
  x = (x & kMersenne) + (x >> 61);
  return (x >= kMersenne ? x - kMersenne : x) & kLow32;
}

}  // namespace

void min_legacy(std::span<const u64> hashes, const u64* a, const u64* b, u64* slots,
                std::size_t count) {
  const DatasketchKernels& kernels = datasketch_kernels();
  std::size_t i = 0;
  for (; i + kernels.slots64 <= count; i += kernels.slots64) {
    kernels.min_legacy(hashes.data(), hashes.size(), a + i, b + i, slots + i);
  }
  for (; i < count; ++i) {
    for (const u64 h : hashes) slots[i] = std::min(slots[i], legacy_value(a[i] * h + b[i]));
  }
}

void min_affine32(std::span<const u64> hashes, const u32* a, const u32* b, u32* slots,
                  std::size_t count) {
  std::vector<u32> mixed(hashes.size());
  std::transform(hashes.begin(), hashes.end(), mixed.begin(),
                 [](u64 h) { return mix32(static_cast<u32>(h)); });
  const DatasketchKernels& kernels = datasketch_kernels();
  std::size_t i = 0;
  for (; i + kernels.slots32 <= count; i += kernels.slots32) {
    kernels.min32(mixed.data(), mixed.size(), a + i, b + i, slots + i);
  }
  for (; i < count; ++i) {
    for (const u32 h : mixed) slots[i] = std::min(slots[i], a[i] * h + b[i]);
  }
}

void min_affine64(std::span<const u64> hashes, const u64* a, const u64* b, u64* slots,
                  std::size_t count) {
  std::vector<u64> mixed(hashes.size());
  std::transform(hashes.begin(), hashes.end(), mixed.begin(), mix64);
  const DatasketchKernels& kernels = datasketch_kernels();
  std::size_t i = 0;
  for (; i + kernels.slots64 <= count; i += kernels.slots64) {
    kernels.min64(mixed.data(), mixed.size(), a + i, b + i, slots + i);
  }
  for (; i < count; ++i) {
    for (const u64 h : mixed) slots[i] = std::min(slots[i], a[i] * h + b[i]);
  }
}

}  // namespace benzer::python
