"""WeightedMinHash: signatures that estimate the weighted Jaccard similarity of vectors."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np

from benzer.datasketch._native import Array


class WeightedMinHash:
    """The signature of a vector of weights, made by a WeightedMinHashGenerator.

    Args:
        seed: the seed of the generator.
        hashvalues: pairs of a dimension and a level, as an array of two columns.
    """

    def __init__(self, seed: int, hashvalues: Array) -> None:
        self.seed = seed
        self.hashvalues = hashvalues

    def jaccard(self, other: WeightedMinHash) -> float:
        """Return the estimated weighted Jaccard similarity: the share of equal pairs."""
        if other.seed != self.seed:
            raise ValueError(f"signatures of seeds {self.seed} and {other.seed} cannot be compared")
        if len(self) != len(other):
            raise ValueError(f"signatures of {len(self)} and {len(other)} hash values cannot be compared")
        equal = np.asarray(self.hashvalues) == np.asarray(other.hashvalues)
        return float(np.count_nonzero(equal.all(axis=1))) / float(len(self))

    def digest(self) -> Array:
        """Return a copy of the hash values."""
        return self.hashvalues.copy()

    def copy(self) -> WeightedMinHash:
        """Return a copy."""
        return WeightedMinHash(self.seed, self.digest())

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, WeightedMinHash)
            and self.seed == other.seed
            and np.array_equal(self.hashvalues, other.hashvalues)
        )


class WeightedMinHashGenerator:
    """Makes signatures of vectors by consistent weighted sampling (Ioffe, ICDM 2010).

    Args:
        dim: number of dimensions of the vectors.
        sample_size: number of hash values of a signature.
        seed: from which the tables are drawn.

    >>> generator = WeightedMinHashGenerator(3, sample_size=256)
    >>> a, b = generator.minhash([1, 2, 3]), generator.minhash([1, 2, 4])
    >>> 0.7 < a.jaccard(b) < 1
    True
    """

    def __init__(self, dim: int, sample_size: int = 128, seed: int = 1) -> None:
        self.dim = dim
        self.sample_size = sample_size
        self.seed = seed
        shape = (sample_size, dim)
        generator = np.random.RandomState(seed=seed)
        self.rs: Array = generator.gamma(2, 1, shape).astype(np.float32)
        self.ln_cs: Array = np.log(generator.gamma(2, 1, shape)).astype(np.float32)
        self.betas: Array = generator.uniform(0, 1, shape).astype(np.float32)

    def minhash(self, v: Any) -> WeightedMinHash:
        """Return the signature of one vector of `dim` weights, which must be finite, not negative, and not all zero."""
        if not isinstance(v, Sized):
            raise TypeError(f"the vector must have a length, and is of type {type(v).__name__!r}")
        if len(v) != self.dim:
            raise ValueError(f"the vector has {len(v)} dimensions, and this generator takes {self.dim}")
        weights = np.asarray(v, dtype=np.float32)
        if not weights.any():
            raise ValueError("all weights of the vector are zero")
        columns = np.flatnonzero(weights)
        _check_weights(columns, weights[columns], "the vector")
        # The order of these operations on 32-bit floats decides the last bits, and so the level of a pair.
        rs, betas = self.rs[:, columns], self.betas[:, columns]
        t = np.floor(np.log(weights[columns]) / rs + betas)
        ln_y = (t - betas) * rs
        ln_a = self.ln_cs[:, columns] - ln_y - rs
        return self._choose(columns, t, ln_a)

    def minhash_many(self, X: Any) -> list[WeightedMinHash | None]:
        """Return the signatures of the rows of a numpy array or a scipy sparse matrix, and None for rows of zeros.

        Weights must be finite and not negative. Entries of a sparse matrix for the same place are added up.

        As in datasketch, the sums are computed in another order than in `minhash`, so that a few hash values differ:
        compare signatures of the same method.
        """
        sparse = hasattr(X, "tocsr")
        if not sparse and not isinstance(X, np.ndarray):
            raise TypeError(f"X must be a numpy array or a scipy sparse matrix, and is of type {type(X).__name__!r}")
        if len(X.shape) != 2:
            raise ValueError(f"X must have two dimensions, and has {len(X.shape)}")
        if X.shape[1] != self.dim:
            raise ValueError(f"X has {X.shape[1]} columns, and this generator takes {self.dim}")
        matrix = _with_one_entry_per_place(X.tocsr()) if sparse else X
        result: list[WeightedMinHash | None] = []
        for i in range(X.shape[0]):
            if sparse:
                columns, weights = _sparse_row(matrix, i)
            else:
                weights = np.asarray(X[i], dtype=np.float32).reshape(-1)
                columns = np.flatnonzero(weights)
                weights = weights[columns]
            if len(columns) == 0:
                result.append(None)
                continue
            _check_weights(columns, weights, f"row {i}")
            rs, betas = self.rs[:, columns], self.betas[:, columns]
            t = np.floor(np.log(weights) / rs + betas)
            ln_y = (t - betas + 1) * rs
            result.append(self._choose(columns, t, self.ln_cs[:, columns] - ln_y))
        return result

    def _choose(self, columns: Array, t: Array, ln_a: Array) -> WeightedMinHash:
        """Return, for each sample, the dimension with the least `ln_a` and its level."""
        least = np.argmin(ln_a, axis=1)
        hashvalues = np.empty((self.sample_size, 2), dtype=int)
        hashvalues[:, 0] = columns[least]
        hashvalues[:, 1] = t[np.arange(self.sample_size), least]
        return WeightedMinHash(self.seed, hashvalues)


def _check_weights(columns: Array, weights: Array, where: str) -> None:
    """Raise ValueError if a weight, which is not zero, cannot be one."""
    wrong = np.flatnonzero(~((weights > 0) & (weights < np.inf)))
    if len(wrong):
        raise ValueError(
            f"{where} has weight {weights[wrong[0]]} in dimension {columns[wrong[0]]}; "
            "weights must be finite and not negative"
        )


def _with_one_entry_per_place(matrix: Any) -> Any:
    """Return a matrix of compressed rows in which no column is there twice in a row, without changing the given one."""
    if matrix.has_canonical_format:
        return matrix
    summed = matrix.copy()
    # Weights are added as 32-bit floats, as in datasketch: small integers would overflow.
    summed.data = summed.data.astype(np.float32)
    summed.sum_duplicates()
    return summed


def _sparse_row(matrix: Any, row: int) -> tuple[Array, Array]:
    """Return the columns of a row in ascending order, and their weights, without zeros."""
    begin, end = matrix.indptr[row], matrix.indptr[row + 1]
    weights = np.asarray(matrix.data[begin:end], dtype=np.float32)
    columns = np.asarray(matrix.indices[begin:end])
    order = np.argsort(columns, kind="stable")
    order = order[weights[order] != 0]
    return columns[order], weights[order]
