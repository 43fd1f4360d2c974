"""How many bands of how many rows: the least sum of weighted errors, as datasketch defines it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np

from benzer.datasketch._native import Array


def whole_number(what: str, number: Any) -> int:
    """Return a number as an int, also of a float without a fraction, or raise TypeError."""
    if isinstance(number, float) and number.is_integer():
        return int(number)
    if isinstance(number, SupportsIndex):
        return number.__index__()
    raise TypeError(f"{what} is {number!r}; it must be a whole number")


# The curves are polynomials or nearly so, of a degree of at most the number of permutations: eight pieces with a rule
# that is exact to degree 127 leave an error that is far below the difference between two plans.
_PIECES = 8
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(64)


def _rule(low: float, high: float) -> tuple[Array, Array]:
    """Return the points between two bounds, and their weights, of a Gauss-Legendre rule in pieces."""
    edges = np.linspace(low, high, _PIECES + 1)
    half = (edges[1:] - edges[:-1])[:, None] / 2
    points = edges[:-1, None] + half * (_POINTS + 1)
    return points.ravel(), (half * _WEIGHTS).ravel()


def _errors(
    num_perm: int,
    max_rows: int,
    weights: tuple[float, float],
    below: tuple[float, float],
    above: tuple[float, float],
    similarity: Callable[[Array], Array],
) -> Array:
    """Return the error of each number of bands (row, from 1) and rows (column, from 1); infinite if it needs too many.

    `below` are the bounds in which a candidate is a false positive, `above` those in which a missing one is a false
    negative, and `similarity` gives the Jaccard similarity at a point between them.
    """
    result = np.full((num_perm, max_rows), np.inf)
    points_below, weights_below = _rule(*below)
    points_above, weights_above = _rule(*above)
    for rows in range(1, max_rows + 1):
        bands = np.arange(1, num_perm // rows + 1)[:, None]
        found = 1 - (1 - similarity(points_below) ** rows) ** bands
        missed = 1 - (1 - (1 - similarity(points_above) ** rows) ** bands)
        result[: len(bands), rows - 1] = weights[0] * (found @ weights_below) + weights[1] * (missed @ weights_above)
    return result


def _least(errors: Array) -> tuple[int, int]:
    bands, rows = np.unravel_index(np.argmin(errors), errors.shape)
    return int(bands) + 1, int(rows) + 1


@lru_cache(maxsize=256)
def plan_for_similarity(threshold: float, num_perm: int, weights: tuple[float, float]) -> tuple[int, int]:
    """Return bands and rows for a threshold of Jaccard similarity.

    >>> plan_for_similarity(0.9, 128, (0.5, 0.5))
    (5, 25)
    """
    below, above = (0.0, threshold), (threshold, 1.0)
    return _least(_errors(num_perm, num_perm, weights, below, above, lambda s: s))


@lru_cache(maxsize=1024)
def plan_for_containment(
    threshold: float, num_perm: int, max_rows: int, ratio: float, weights: tuple[float, float]
) -> tuple[int, int]:
    """Return bands and rows for a threshold of containment. `ratio` is the size of a set divided by that of the query.

    No more than that share of the query can be contained, so the bounds end there.
    """
    below = (0.0, min(threshold, ratio))
    above = (threshold, max(threshold, min(ratio, 1.0)))
    errors = _errors(num_perm, max_rows, weights, below, above, lambda t: t / (1 + ratio - t))
    return _least(errors)
