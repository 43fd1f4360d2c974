#define BENZER_KERNELS kKernelsBaseline
#include "sketch/kernels/kernels_body.inc"
