#include "datasketch_kernels.h"

#include "benzer/runtime.h"

// The compilers spell differently for which CPU the following functions are compiled.
#if defined(__clang__)
#define BENZER_PRAGMA(text) _Pragma(#text)
#define BENZER_BEGIN_TARGET(level) \
  BENZER_PRAGMA(clang attribute push(__attribute__((target(level))), apply_to = function))
#define BENZER_END_TARGET _Pragma("clang attribute pop")
#else
#define BENZER_PRAGMA(text) _Pragma(#text)
#define BENZER_BEGIN_TARGET(level) _Pragma("GCC push_options") BENZER_PRAGMA(GCC target(level))
#define BENZER_END_TARGET _Pragma("GCC pop_options")
#endif

namespace benzer::python {
namespace {

constexpr std::uint64_t kMersenne = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t kLow32 = (std::uint64_t{1} << 32) - 1;
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::int64_t kSignedMersenne = static_cast<std::int64_t>(kMersenne);
constexpr std::int64_t kSignedLow32 = static_cast<std::int64_t>(kLow32);

// The values at which SHA-1 starts (FIPS 180-4, section 5.3.1).
constexpr std::uint32_t kSha1Start[] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

namespace baseline {
#define BENZER_VECTOR_BYTES 16
#include "datasketch_kernels_body.inc"
#undef BENZER_VECTOR_BYTES
}  // namespace baseline

constexpr DatasketchKernels kBaseline = {baseline::kLanes,    baseline::sha1,  baseline::kSlots32,
                                         baseline::kSlots64,  baseline::min32, baseline::min64,
                                         baseline::min_legacy};

#if defined(__x86_64__)
BENZER_BEGIN_TARGET("avx2")
namespace avx2 {
#define BENZER_VECTOR_BYTES 32
#include "datasketch_kernels_body.inc"
#undef BENZER_VECTOR_BYTES
}  // namespace avx2
BENZER_END_TARGET

BENZER_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
namespace avx512 {
#define BENZER_VECTOR_BYTES 64
#include "datasketch_kernels_body.inc"
#undef BENZER_VECTOR_BYTES
}  // namespace avx512
BENZER_END_TARGET

constexpr DatasketchKernels kAvx2 = {avx2::kLanes, avx2::sha1,  avx2::kSlots32,  avx2::kSlots64,
                                     avx2::min32,  avx2::min64, avx2::min_legacy};
constexpr DatasketchKernels kAvx512 = {avx512::kLanes,    avx512::sha1,  avx512::kSlots32,
                                       avx512::kSlots64,  avx512::min32, avx512::min64,
                                       avx512::min_legacy};
static_assert(avx512::kLanes == kMostLanes);
#endif

}  // namespace

const DatasketchKernels& datasketch_kernels() noexcept {
#if defined(__x86_64__)
  const CpuLevel level = active_cpu_level();
  if (level == CpuLevel::kAvx512) return kAvx512;
  if (level == CpuLevel::kAvx2) return kAvx2;
#endif
  return kBaseline;
}

}  // namespace benzer::python
