"""MinHash: signatures that estimate the Jaccard similarity of sets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable
from typing import Any, Literal

import numpy as np

from benzer.datasketch._native import Array, native
from benzer.datasketch._schemes import Scheme, draw_permutations, find_scheme, to_scheme_array

GpuMode = Literal["disable", "detect", "always"]
SchemeName = Literal["affine32", "affine64", "legacy"]

# A number of permutations is stored in four bytes.
_MOST_PERMUTATIONS = 1 << 32

# Signatures that `bulk` computes at a time.
_BULK = 64


class MinHash:
    """The signature of a set, to which values are added.

    Args:
        num_perm: number of hash values, if `hashvalues` is not given.
        seed: from which the permutations are drawn.
        gpu_mode: "disable" and "detect" compute on the CPU, which is what this package can do.
        hashfunc: takes a value and returns a number of 32 bits (affine32, legacy) or 64 bits (affine64). By default
            the first bytes of SHA-1, which are computed for a whole batch at once.
        hashobj: has no effect; `hashfunc` replaced it.
        hashvalues: hash values of another signature to start from. `scheme` must be given with them.
        permutations: rows a and b of another signature. `scheme` must be given with them.
        scheme: "affine32" (default), "affine64" for sets of about 100 million values, or "legacy" for signatures that
            compare with those of datasketch before 2.0.

    Signatures compare if they have the same scheme, seed, number of values and hash function.

    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch([b"one", b"two", b"three"])
    >>> b.update_batch([b"one", b"two", b"four"])
    >>> 0.3 < a.jaccard(b) < 0.7  # 2 of 4 values are in both
    True

    An object may be read by many threads; a caller locks it if one of them updates it.
    """

    scheme: str
    seed: int
    num_perm: int
    hashfunc: Callable[[Any], int]
    hashvalues: Array
    permutations: Array
    _gpu_mode: GpuMode

    def __init__(
        self,
        num_perm: int = 128,
        seed: int = 1,
        gpu_mode: GpuMode = "disable",
        hashfunc: Callable[[Any], int] | None = None,
        hashobj: object | None = None,
        hashvalues: Any = None,
        permutations: Any = None,
        scheme: SchemeName | str | None = None,
    ) -> None:
        if scheme is None:
            if hashvalues is not None or permutations is not None:
                raise ValueError(
                    "scheme must be given with hashvalues or permutations, which do not show it: "
                    "'legacy' if datasketch before 2.0 made them"
                )
            scheme = "affine32"
        chosen = find_scheme(scheme)
        if hashvalues is not None:
            num_perm = len(hashvalues)
        if num_perm < 1:
            raise ValueError(f"num_perm must be positive, and is {num_perm}")
        if num_perm > _MOST_PERMUTATIONS:
            raise ValueError(f"num_perm must be at most {_MOST_PERMUTATIONS}, and is {num_perm}")
        if hashfunc is None:
            hashfunc = chosen.hashfunc
        if not callable(hashfunc):
            raise ValueError(f"hashfunc must be callable, and is {hashfunc!r}")
        if gpu_mode not in ("disable", "detect", "always"):
            raise ValueError(f"gpu_mode is {gpu_mode!r}; it must be one of disable, detect, always")
        if hashobj is not None:
            warnings.warn("hashobj has no effect: use hashfunc", DeprecationWarning, stacklevel=2)
        self.scheme = chosen.name
        self.seed = seed
        self.num_perm = num_perm
        self.hashfunc = hashfunc
        if hashvalues is None:
            self.hashvalues = np.full(num_perm, chosen.empty, dtype=chosen.dtype)
        else:
            self.hashvalues = to_scheme_array(chosen, hashvalues, "hashvalues")
        if permutations is None:
            self.permutations = draw_permutations(chosen, seed, num_perm)
        else:
            self.permutations = _to_permutations(chosen, permutations)
        if len(self.hashvalues) != len(self.permutations[0]):
            raise ValueError(
                f"there are {len(self.hashvalues)} hashvalues and {len(self.permutations[0])} permutations"
            )
        self._gpu_mode = gpu_mode

    def update(self, b: Any) -> None:
        """Add one value: bytes, or what `hashfunc` takes."""
        self._lower((b,))

    def update_batch(self, b: Iterable[Any]) -> None:
        """Add values: bytes, or what `hashfunc` takes. This costs much less than adding them one by one.

        >>> m = MinHash()
        >>> m.update_batch(word.encode() for word in "a few words".split())
        >>> m.is_empty()
        False
        """
        if self._gpu_mode == "always":
            raise RuntimeError("gpu_mode is 'always', and this package has no GPU code: use 'disable' or 'detect'")
        self._lower(b)

    def _lower(self, values: Iterable[Any]) -> None:
        scheme = find_scheme(self.scheme)
        # A new array, as in datasketch: a caller may hold the old one.
        lowered = np.array(self.hashvalues, dtype=scheme.dtype)
        if self.hashfunc is scheme.hashfunc:
            native.datasketch_update(scheme.code, self.permutations, lowered, values)
        else:
            hashes = [self.hashfunc(value) for value in values]
            native.datasketch_update_hashes(scheme.code, self.permutations, lowered, _to_hashes(scheme, hashes))
        self.hashvalues = lowered

    def jaccard(self, other: MinHash) -> float:
        """Return the estimated Jaccard similarity: the share of equal hash values."""
        self._check_comparable(other, "compared")
        return float(np.count_nonzero(self.hashvalues == other.hashvalues)) / float(len(self))

    def count(self) -> float:
        """Return the estimated number of distinct values."""
        empty = float(find_scheme(self.scheme).empty)
        return float(float(len(self)) / np.sum(self.hashvalues / empty) - 1.0)

    def merge(self, other: MinHash) -> None:
        """Add all values of another signature."""
        self._check_comparable(other, "merged")
        self.hashvalues = np.minimum(other.hashvalues, self.hashvalues)

    def digest(self) -> Array:
        """Return a copy of the hash values."""
        return self.hashvalues.copy()

    def is_empty(self) -> bool:
        """Return whether no value was added."""
        return not np.any(self.hashvalues != find_scheme(self.scheme).empty)

    def clear(self) -> None:
        """Remove all values."""
        scheme = find_scheme(self.scheme)
        self.hashvalues = np.full(len(self), scheme.empty, dtype=scheme.dtype)

    def copy(self) -> MinHash:
        """Return a copy that can be updated on its own."""
        return self._with_hashvalues(self.digest())

    def _with_hashvalues(self, hashvalues: Array) -> MinHash:
        """Return a signature that differs in its hash values only, which are not copied."""
        result = object.__new__(MinHash)
        result.scheme = self.scheme
        result.seed = self.seed
        result.num_perm = len(hashvalues)
        result.hashfunc = self.hashfunc
        result.hashvalues = hashvalues
        result.permutations = self.permutations
        result._gpu_mode = self._gpu_mode
        return result

    def _check_comparable(self, other: MinHash, verb: str) -> None:
        scheme = getattr(other, "scheme", None)
        if scheme != self.scheme:
            raise ValueError(f"signatures of schemes {self.scheme!r} and {scheme!r} cannot be {verb}")
        if other.seed != self.seed:
            raise ValueError(f"signatures of seeds {self.seed} and {other.seed} cannot be {verb}")
        if len(self) != len(other):
            raise ValueError(f"signatures of {len(self)} and {len(other)} hash values cannot be {verb}")

    def __len__(self) -> int:
        return len(self.hashvalues)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MinHash)
            and type(self) is type(other)
            and self.scheme == other.scheme
            and self.seed == other.seed
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    @classmethod
    def union(cls, *mhs: MinHash) -> MinHash:
        """Return the signature of the union of two or more sets.

        >>> a, b = MinHash(), MinHash()
        >>> a.update(b"one")
        >>> b.update(b"two")
        >>> both = MinHash.union(a, b)
        """
        first = _check_union(mhs)
        return cls(
            seed=first.seed,
            gpu_mode=first._gpu_mode,
            hashfunc=first.hashfunc,
            hashvalues=np.minimum.reduce([m.hashvalues for m in mhs]),
            permutations=first.permutations,
            scheme=first.scheme,
        )

    @classmethod
    def bulk(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[MinHash]:
        """Return a signature for each of many lists of values. The arguments by name are those of MinHash.

        Each list is read before the next one is asked for, so `b` may be an iterator that reuses one list.

        >>> [len(m) for m in MinHash.bulk([[b"one", b"two"], [b"three"]], num_perm=64)]
        [64, 64]
        """
        first = cls(**minhash_kwargs)
        scheme = find_scheme(first.scheme)
        if first.hashfunc is not scheme.hashfunc or first._gpu_mode == "always":
            return list(cls.generator(b, **minhash_kwargs))
        result: list[MinHash] = []
        lists = iter(b)
        read = _BULK
        while read == _BULK:
            matrix = np.tile(first.hashvalues, (_BULK, 1))
            read = native.datasketch_update_many(scheme.code, first.permutations, matrix, lists, _BULK)
            # A row of its own for each: a view would keep the whole matrix in memory.
            result.extend(first._with_hashvalues(row.copy()) for row in matrix[:read])
        return result

    @classmethod
    def generator(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Generator[MinHash, None, None]:
        """Yield what `bulk` returns, one at a time."""
        first = cls(**minhash_kwargs)
        for values in b:
            m = first.copy()
            m.update_batch(values)
            yield m

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Also called for signatures that datasketch pickled; before 2.0 they had no scheme.
        scheme = find_scheme(state.get("scheme", "legacy"))
        # Attributes that a user has set are kept, and caches of a GPU are not.
        self.__dict__.update({name: value for name, value in state.items() if name not in ("_a_gpu", "_b_gpu")})
        self.scheme = scheme.name
        self.seed = state["seed"]
        self.hashvalues = state["hashvalues"]
        self.num_perm = state.get("num_perm", len(self.hashvalues))
        self.hashfunc = state.get("hashfunc", scheme.hashfunc)
        self.permutations = _to_permutations(scheme, state["permutations"])
        self._gpu_mode = state.get("_gpu_mode", "disable")


def _to_hashes(scheme: Scheme, hashes: list[int]) -> Array:
    """Return hashes as 64-bit numbers, or raise an error if one does not fit the scheme."""
    try:
        # Of another width than the scheme, as numpy refuses what does not fit.
        return np.array(hashes, dtype=scheme.dtype).astype(np.uint64)
    except OverflowError as error:
        width = 8 * np.dtype(scheme.dtype).itemsize
        raise scheme.out_of_range(
            f"hashfunc returned a number that is out of range for scheme {scheme.name!r}, "
            f"which takes {width} bits: {error}"
        ) from error


def _to_permutations(scheme: Scheme, permutations: Any) -> Array:
    """Return rows a and b in one contiguous array; one that already is such an array is shared."""
    if not (isinstance(permutations, np.ndarray) and permutations.dtype == scheme.dtype and permutations.ndim == 2):
        permutations = [to_scheme_array(scheme, row, "permutations") for row in permutations]
    result: Array = np.ascontiguousarray(permutations, dtype=scheme.dtype)
    if result.ndim != 2 or len(result) != 2:
        raise ValueError(f"permutations must be two rows, a and b, and have the shape {result.shape}")
    if scheme.name != "legacy" and np.any(result[0] & scheme.dtype(1) == 0):
        raise ValueError(f"permutations of scheme {scheme.name!r} need odd numbers in their first row")
    return result


def _check_union(mhs: tuple[MinHash, ...]) -> MinHash:
    """Return the first of two or more signatures that can be united, or raise ValueError."""
    if len(mhs) < 2:
        raise ValueError(f"a union needs at least 2 signatures, and got {len(mhs)}")
    for m in mhs[1:]:
        mhs[0]._check_comparable(m, "united")
    return mhs[0]
