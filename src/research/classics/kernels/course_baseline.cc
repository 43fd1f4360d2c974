#define BENZER_KERNELS kKernelsBaseline
#include "research/classics/kernels/kernels_body.inc"
