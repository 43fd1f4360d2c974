"""Partitions of set sizes for MinHashLSHEnsemble: those with few expected false positives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benzer.datasketch._native import Array


def optimal_partitions(sizes: Sequence[int], counts: Sequence[int], num_part: int) -> list[tuple[int, int]]:
    """Return the least and the greatest size of each partition.

    Args:
        sizes: the distinct sizes in ascending order.
        counts: how many sets have each size.
        num_part: number of partitions. There are fewer if there are fewer sizes.

    >>> optimal_partitions([1, 2, 50, 60], [5, 5, 5, 5], 2)
    [(1, 2), (50, 60)]
    """
    if num_part < 2:
        return [(int(sizes[0]), int(sizes[-1]))]
    if num_part >= len(sizes):
        return [(int(size), int(size)) for size in sizes]
    costs = _costs(np.asarray(sizes, dtype=float), np.asarray(counts, dtype=float))
    n = len(sizes)
    # least[p][u]: the least cost of p partitions of the sizes up to number u, 0 where there are too few sizes.
    least = {1: costs[0]}
    for parts in range(2, num_part):
        least[parts] = np.zeros(n)
        for u in range(parts - 1, n):
            least[parts][u] = np.min(least[parts - 1][parts - 2 : u] + costs[parts - 1 : u + 1, u])
    result: list[tuple[int, int]] = []
    last = n - 1
    for parts in range(num_part, 1, -1):
        # The last partition but one is chosen as datasketch does, so that queries find the same: below the last
        # partition it adds the cost of as many partitions as it is about to make, rather than of one fewer.
        before = least[parts - 1] if parts == num_part else least[parts]
        end = parts - 2 + int(np.argmin(before[parts - 2 : last] + costs[parts - 1 : last + 1, last]))
        result.append((int(sizes[end + 1]), int(sizes[last])))
        last = end
    result.append((int(sizes[0]), int(sizes[last])))
    return result[::-1]


def _costs(sizes: Array, counts: Array) -> Array:
    """Return the expected false positives of a partition from each size (row) to each other (column).

    A set of size x in a partition up to u is expected to be one with probability (u - x) / u. Sums from the front are
    whole numbers, so that their differences are exact.
    """
    number = np.concatenate([[0.0], np.cumsum(counts)])
    total = np.concatenate([[0.0], np.cumsum(counts * sizes)])
    in_part = number[None, 1:] - number[:-1, None]
    sum_in_part = total[None, 1:] - total[:-1, None]
    costs: Array = np.triu(in_part - sum_in_part / sizes[None, :])
    return costs
