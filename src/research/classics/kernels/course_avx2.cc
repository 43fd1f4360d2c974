#if defined(__x86_64__)
#define BENZER_KERNELS kKernelsAvx2
#include "research/classics/kernels/kernels_body.inc"
#endif
