#if defined(__x86_64__)
#define BENZER_KERNELS kKernelsAvx512
#include "research/classics/kernels/kernels_body.inc"
#endif
