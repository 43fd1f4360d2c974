#define BENZER_KERNELS kKernelsBaseline
#include "classics/kernels/kernels_body.inc"
