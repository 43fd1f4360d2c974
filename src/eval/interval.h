// Estimates shares of independent cases, with intervals that cover the true share in 95 of 100
// samples. Those of drawn documents and their pairs are in benzer/audit.h.
#pragma once

#include "benzer/audit.h"

namespace benzer {

inline constexpr double kNormal95 = 1.959963984540054;  // the normal quantile of 0.975

// Wilson's score interval (Wilson 1927) for a share seen in `size` independent cases; `size` need
// not be whole.
Share wilson(double share, double size);

}  // namespace benzer
