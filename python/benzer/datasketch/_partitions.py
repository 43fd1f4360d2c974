"""Partitions of set sizes for MinHashLSHEnsemble: those with few expected false positives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benzer.datasketch._native import Array

Size = int | float


def optimal_partitions(sizes: Sequence[Size], counts: Sequence[int], num_part: int) -> list[tuple[Size, Size]]:
    """Return the least and the greatest size of each partition.

    Args:
        sizes: the distinct sizes in ascending order.
        counts: how many sets have each size.
        num_part: number of partitions. There are fewer if there are fewer sizes.

    Memory is proportional to the number of sizes times that of partitions.

    >>> optimal_partitions([1, 2, 50, 60], [5, 5, 5, 5], 2)
    [(1, 2), (50, 60)]
    """
    if num_part < 2:
        return [(sizes[0], sizes[-1])]
    if num_part >= len(sizes):
        return [(size, size) for size in sizes]
    costs = _Costs(np.asarray(sizes, dtype=float), np.asarray(counts, dtype=float))
    n = len(sizes)
    # least[p, u]: the least cost of p + 1 partitions of the sizes up to number u, infinite where there are too few sizes.
    least = np.full((num_part - 1, n), np.inf)
    for u in range(n):
        cost = costs.up_to(u)
        least[0, u] = cost[0]
        if u > 0:
            least[1:, u] = np.min(least[:-1, :u] + cost[1:], axis=1)
    # The last partition but one is chosen as datasketch does, so that queries find the same: below the last partition it
    # adds the cost of as many partitions as it is about to make, rather than of one fewer, and 0 for too few sizes.
    least[np.isinf(least)] = 0.0
    result: list[tuple[Size, Size]] = []
    last = n - 1
    for parts in range(num_part, 1, -1):
        before = least[parts - 2] if parts == num_part else least[parts - 1]
        end = parts - 2 + int(np.argmin(before[parts - 2 : last] + costs.up_to(last)[parts - 1 :]))
        result.append((sizes[end + 1], sizes[last]))
        last = end
    result.append((sizes[0], sizes[last]))
    return result[::-1]


class _Costs:
    """The expected false positives of a partition from one size to another.

    A set of size x in a partition up to u is expected to be one with probability (u - x) / u. Sums from the front of
    whole numbers are whole, so that their differences are exact.
    """

    def __init__(self, sizes: Array, counts: Array) -> None:
        self._sizes = sizes
        self._number = np.concatenate([[0.0], np.cumsum(counts)])
        self._total = np.concatenate([[0.0], np.cumsum(counts * sizes)])

    def up_to(self, u: int) -> Array:
        """Return the cost of each partition that ends with size number u, by the number of its first size."""
        number = self._number[u + 1] - self._number[: u + 1]
        total = self._total[u + 1] - self._total[: u + 1]
        cost: Array = number - total / self._sizes[u]
        return cost
