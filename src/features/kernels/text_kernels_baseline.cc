#define BENZER_TEXT_KERNELS text_kernels_baseline
#include "features/kernels/text_kernels.inc"
