"""MinHashLSHEnsemble: finds the sets that likely contain most of another one."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections import Counter
from collections.abc import Generator, Hashable, Iterable
from math import inf
from typing import Any

import numpy as np

from benzer.datasketch._native import Array
from benzer.datasketch._partitions import Size, optimal_partitions
from benzer.datasketch._planning import plan_for_containment, whole_number
from benzer.datasketch._schemes import check_same_scheme
from benzer.datasketch.lsh import MinHashLSH, check_plan_arguments
from benzer.datasketch.minhash import MinHash
from benzer.datasketch.storage import random_name


class MinHashLSHEnsemble:
    """An index for containment: the share of the query's values that a set has.

    Args:
        threshold: containment for which bands and rows are chosen.
        num_perm: number of hash values of a signature.
        num_part: number of partitions by the size of sets. More are more precise, and slower.
        m: most rows of a band. The index takes up to `m` times the memory of a MinHashLSH.
        weights: how much false positives and false negatives count. Their sum is 1.
        storage_config, prepickle: as of MinHashLSH.

    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch([b"%d" % i for i in range(50)])
    >>> b.update_batch([b"%d" % i for i in range(100)])
    >>> ensemble = MinHashLSHEnsemble(threshold=0.8, num_part=2)
    >>> ensemble.index([("small", a, 50), ("large", b, 100)])
    >>> sorted(ensemble.query(a, 50))
    ['large', 'small']
    """

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        num_part: int = 16,
        m: int = 8,
        weights: tuple[float, float] = (0.5, 0.5),
        storage_config: dict[str, Any] | None = None,
        prepickle: bool | None = None,
    ) -> None:
        num_perm = whole_number("num_perm", num_perm)
        check_plan_arguments(threshold, num_perm, weights)
        if num_part < 1:
            raise ValueError(f"num_part is {num_part}; it must be at least 1")
        if not 2 <= m <= num_perm:
            raise ValueError(f"m is {m}; it must be in [2, {num_perm}], from 2 to num_perm")
        self.threshold = threshold
        self.h = num_perm
        self.m = m
        # Plans for ten ratios of the size of a set to that of the query.
        self.xqs: Array = np.exp(np.linspace(-5, 5, 10))
        plans = [plan_for_containment(threshold, num_perm, m, float(xq), tuple(weights)) for xq in self.xqs]
        self.params: Array = np.array(plans, dtype=int)
        config = storage_config or {"type": "dict"}
        basename = config.get("basename", random_name(11))
        self.indexes: list[dict[int, MinHashLSH]] = [
            {
                rows: MinHashLSH(
                    num_perm=num_perm,
                    params=(num_perm // rows, rows),
                    storage_config={
                        **config,
                        "basename": b"-".join([basename, struct.pack(">H", part), struct.pack(">H", rows)]),
                    },
                    prepickle=prepickle,
                )
                for rows in sorted({rows for _, rows in plans})
            }
            for part in range(num_part)
        ]
        self.lowers: list[Size | None] = [None] * num_part
        self.uppers: list[Size | None] = [None] * num_part

    def index(self, entries: Iterable[tuple[Hashable, MinHash, Size]]) -> None:
        """Add all sets, as tuples of a key, a signature and the number of values. It can be called once.

        The number may be an estimate, such as that of `MinHash.count`. Entries that are refused leave the index empty.
        """
        if not self.is_empty():
            raise ValueError("the index has entries already; it can be filled once")
        ordered = self._checked(entries)
        counts = sorted(Counter(size for _, _, size in ordered).items())
        partitions = optimal_partitions([size for size, _ in counts], [count for _, count in counts], len(self.indexes))
        uppers = [upper for _, upper in partitions]
        parts = [bisect_left(uppers, size) for _, _, size in ordered]
        self._check_keys([(part, key) for part, (key, _, _) in zip(parts, ordered)])
        for i, (lower, upper) in enumerate(partitions):
            self.lowers[i], self.uppers[i] = lower, upper
        for part, (key, minhash, _) in zip(parts, ordered):
            for index in self.indexes[part].values():
                index.insert(key, minhash)

    def _checked(self, entries: Iterable[tuple[Hashable, MinHash, Size]]) -> list[tuple[Hashable, MinHash, Size]]:
        """Return the entries by size, or raise ValueError if a size or a signature cannot be indexed."""
        checked = []
        scheme: str | None = None
        form: tuple[int, Hashable] | None = None
        for key, minhash, size in entries:
            number = size.item() if isinstance(size, np.generic) else size
            if not 0 < number < inf:
                raise ValueError(f"the entry {key!r} has size {size}; sizes must be positive and finite")
            values = minhash.hashvalues
            if len(values) != self.h:
                raise ValueError(
                    f"the signature of the entry {key!r} has {len(values)} hash values, and this index takes {self.h}"
                )
            scheme = check_same_scheme(scheme, minhash)
            form = form or (values.nbytes, key)
            if values.nbytes != form[0]:
                raise ValueError(
                    f"the signatures of the entries {form[1]!r} and {key!r} have {form[0]} and {values.nbytes} bytes: "
                    "all signatures of an index need the same type and scheme"
                )
            checked.append((key, minhash, number))
        if not checked:
            raise ValueError("entries are empty; at least one is needed")
        return sorted(checked, key=lambda entry: entry[2])

    def _check_keys(self, keys: list[tuple[int, Hashable]]) -> None:
        """Raise an error if a key cannot be stored, or is there twice in one partition. Keys are given by partition."""
        known: set[Any] = set()
        last = 0
        for part, key in keys:
            if part != last:
                known.clear()
                last = part
            index = next(iter(self.indexes[part].values()))
            stored = index._stored(key)
            if index._redis is not None:
                index._redis.check_key(stored)
            if stored in known:
                raise ValueError(f"the key {key!r} is in the entries twice")
            known.add(stored)

    def query(self, minhash: MinHash, size: Size) -> Generator[Any, None, None]:
        """Yield the keys of the sets that likely contain the threshold's share of this one, which has `size` values."""
        for upper, indexes in zip(self.uppers, self.indexes):
            if upper is None:
                continue
            bands, rows = self._get_optimal_param(upper, size)
            yield from indexes[rows]._query_b(minhash, bands)

    def _get_optimal_param(self, x: Size, q: Size) -> tuple[int, int]:
        """Return bands and rows for sets of up to x values and a query of q."""
        i = min(int(np.searchsorted(self.xqs, float(x) / float(q), side="left")), len(self.params) - 1)
        return int(self.params[i][0]), int(self.params[i][1])

    def __contains__(self, key: Hashable) -> bool:
        return any(key in index for indexes in self.indexes for index in indexes.values())

    def is_empty(self) -> bool:
        """Return whether no set is in the index."""
        return all(index.is_empty() for indexes in self.indexes for index in indexes.values())
