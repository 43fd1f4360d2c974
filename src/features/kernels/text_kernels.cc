#include "features/kernels/text_kernels.h"

namespace benzer::internal {

const TextKernels& text_kernels(CpuLevel level) noexcept {
#if defined(__x86_64__)
  switch (level) {
    case CpuLevel::kBaseline:
      break;
    case CpuLevel::kAvx2:
      return text_kernels_avx2();
    case CpuLevel::kAvx512:
      return text_kernels_avx512();
  }
#else
  static_cast<void>(level);
#endif
  return text_kernels_baseline();
}

}  // namespace benzer::internal
