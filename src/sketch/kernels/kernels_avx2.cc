#if defined(__x86_64__)
#define BENZER_KERNELS kKernelsAvx2
#include "sketch/kernels/kernels_body.inc"
#endif
