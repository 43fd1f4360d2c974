"""MinHashLSHForest: finds the k signatures that are likely the most similar to another one."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from benzer.datasketch._native import Array
from benzer.datasketch._planning import whole_number
from benzer.datasketch._schemes import check_same_scheme
from benzer.datasketch.minhash import MinHash
from benzer.datasketch.weighted_minhash import WeightedMinHash

Signature = MinHash | WeightedMinHash


class MinHashLSHForest:
    """An index that is asked for the k nearest keys rather than for all above a threshold.

    Args:
        num_perm: number of hash values of a signature.
        l: number of trees, each with `num_perm // l` of the values.

    >>> forest = MinHashLSHForest(num_perm=128)
    >>> m = MinHash()
    >>> m.update_batch([b"one", b"two"])
    >>> forest.add("first", m)
    >>> forest.index()
    >>> forest.query(m, 1)
    ['first']

    Keys are found after the next call of `index`. A caller locks the forest if several threads use it and one adds.
    """

    def __init__(self, num_perm: int = 128, l: int = 8) -> None:  # noqa: E741 - the name in datasketch
        num_perm = whole_number("num_perm", num_perm)
        if l <= 0 or num_perm <= 0:
            raise ValueError(f"num_perm and l must be positive, and are {num_perm} and {l}")
        if l > num_perm:
            raise ValueError(f"l is {l}; it must be at most num_perm, which is {num_perm}")
        self.l = l
        self.k: int = num_perm // l
        self.hashranges: list[tuple[int, int]] = [(i * self.k, (i + 1) * self.k) for i in range(l)]
        self.hashtables: list[dict[bytes, list[Any]]] = [defaultdict(list) for _ in range(l)]
        self.sorted_hashtables: list[list[bytes]] = [[] for _ in range(l)]
        self.keys: dict[Any, list[bytes]] = {}
        self._minhash_scheme: str | None = None

    def add(self, key: Hashable, minhash: Signature) -> None:
        """Add a signature under a key that is not in the forest."""
        self._check(minhash)
        if key in self.keys:
            raise ValueError(f"the key {key!r} is in the forest already")
        scheme = check_same_scheme(self._minhash_scheme, minhash)
        branches = [_to_bytes(minhash.hashvalues[begin:end]) for begin, end in self.hashranges]
        self.keys[key] = branches
        for branch, table in zip(branches, self.hashtables):
            table[branch].append(key)
        self._minhash_scheme = scheme

    def index(self) -> None:
        """Let queries find all keys that were added."""
        self.sorted_hashtables = [sorted(table) for table in self.hashtables]

    def query(self, minhash: Signature, k: int) -> list[Any]:
        """Return at most k keys, those that share the longest prefixes of hash values with this signature.

        The order is arbitrary. To rank them, compare their signatures, which `get_minhash_hashvalues` returns.
        """
        if k <= 0:
            raise ValueError(f"k must be positive, and is {k}")
        self._check(minhash)
        check_same_scheme(self._minhash_scheme, minhash)
        results: set[Any] = set()
        for rows in range(self.k, 0, -1):
            for key in self._query(minhash, rows, self.l):
                results.add(key)
                if len(results) >= k:
                    return list(results)
        return list(results)

    def _query(self, minhash: Signature, r: int, b: int) -> Iterator[Any]:
        """Yield the keys that share the first r values of one of the first b trees."""
        if not 0 < r <= self.k or not 0 < b <= self.l:
            raise ValueError(f"r and b are {r} and {b}; they must be in [1, {self.k}] and [1, {self.l}]")
        for (begin, _), branches, table in zip(self.hashranges[:b], self.sorted_hashtables, self.hashtables):
            prefix = _to_bytes(minhash.hashvalues[begin : begin + r])
            for i in range(bisect_left(branches, prefix), len(branches)):
                if not branches[i].startswith(prefix):
                    break
                yield from table[branches[i]]

    def get_minhash_hashvalues(self, key: Hashable) -> Array:
        """Return the hash values of a key, without those after the last tree; of a WeightedMinHash, its pairs."""
        branches = self.keys.get(key)
        if branches is None:
            raise KeyError(f"the key {key!r} is not in the forest")
        joined = b"".join(branches)
        size, rest = divmod(len(branches[0]), self.k)
        if rest or size not in (4, 8, 16) or any(len(branch) != len(branches[0]) for branch in branches):
            raise ValueError(f"the stored values of the key {key!r} are damaged: {len(joined)} bytes in {self.l} trees")
        if size == 16:
            return np.frombuffer(joined, dtype=">i8").astype(int).reshape(-1, 2)
        return np.frombuffer(joined, dtype=f">u{size}").astype(f"u{size}")

    def is_empty(self) -> bool:
        """Return whether queries find nothing yet."""
        return not all(self.sorted_hashtables)

    def __contains__(self, key: Hashable) -> bool:
        return key in self.keys

    def _check(self, minhash: Signature) -> None:
        if len(minhash) < self.k * self.l:
            raise ValueError(f"the signature has {len(minhash)} hash values, and the forest takes {self.k * self.l}")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._minhash_scheme = None  # datasketch 1.x has none
        self.__dict__.update(state)


def _to_bytes(values: Array) -> bytes:
    """Return values in big-endian, so that bytes sort as numbers do."""
    return values.byteswap().tobytes()
