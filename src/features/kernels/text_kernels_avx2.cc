#if defined(__x86_64__)
#define BENZER_TEXT_KERNELS text_kernels_avx2
#include "features/kernels/text_kernels.inc"
#endif
