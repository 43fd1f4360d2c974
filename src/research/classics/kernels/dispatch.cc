#include "research/classics/kernels/kernels.h"

namespace benzer::classics {

const Kernels& kernels_for(CpuLevel level) noexcept {
#if defined(__x86_64__)
  if (level == CpuLevel::kAvx512) return kKernelsAvx512;
  if (level == CpuLevel::kAvx2) return kKernelsAvx2;
#endif
  (void)level;
  return kKernelsBaseline;
}

}  // namespace benzer::classics
