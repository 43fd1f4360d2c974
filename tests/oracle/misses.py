"""Computes how many pairs may be missed over many independent rounds."""
from __future__ import annotations

import math

LARGEST_SHARE = 20  # largest number of pairs of one round that count


def allowed_misses(expected: float) -> float:
    """Returns a number of misses that is exceeded only once in 10^9 campaigns.

    The rounds are independent, since each has a seed of features of its own; the pairs of one round may depend on one another. So
    with m_i misses in a round, of which sum_i (1 - p) are promised, this is Bernstein's inequality for sums of independent
    variables, each at most LARGEST_SHARE and with a variance of at most LARGEST_SHARE times its mean.
    """
    log = math.log(1e9)
    third = LARGEST_SHARE * log / 3
    return expected + third + math.sqrt(third * third + 2 * LARGEST_SHARE * expected * log)
