"""The three ways in which datasketch makes hash values from hashes, and the drawing of their permutations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from benzer.datasketch._native import Array
from benzer.datasketch.hashfunc import sha1_hash32, sha1_hash64

MERSENNE_PRIME = (1 << 61) - 1


@dataclass(frozen=True)
class Scheme:
    """One of the schemes.

    `code` is the number in the formats of datasketch 2, where `legacy` has none and is 0 here.
    `dtype` and `bits` are the type of a stored hash value and its width, `empty` the value of an empty slot.
    """

    name: str
    code: int
    dtype: Any
    bits: int

    @property
    def empty(self) -> int:
        return (1 << self.bits) - 1

    @property
    def out_of_range(self) -> type[Exception]:
        """The error for numbers that do not fit, as datasketch raises it."""
        return OverflowError if self.name == "legacy" else ValueError

    @property
    def hashfunc(self) -> Any:
        return sha1_hash64 if self.bits == 64 else sha1_hash32


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("affine32", 1, np.uint32, 32),
        Scheme("affine64", 2, np.uint64, 64),
        Scheme("legacy", 0, np.uint64, 32),
    )
}
SCHEME_OF_CODE = {scheme.code: scheme.name for scheme in SCHEMES.values() if scheme.code}


def find_scheme(name: object) -> Scheme:
    """Return the scheme of this name, or raise ValueError."""
    scheme = SCHEMES.get(name) if isinstance(name, str) else None
    if scheme is None:
        raise ValueError(f"scheme is {name!r}; it must be one of {', '.join(SCHEMES)}")
    return scheme


def scheme_of_code(code: int) -> str:
    """Return the name of the scheme with this number in a stored signature, or raise ValueError."""
    if code not in SCHEME_OF_CODE:
        raise ValueError(f"the stored signature has scheme number {code}; 1 (affine32) and 2 (affine64) are known")
    return SCHEME_OF_CODE[code]


def check_same_scheme(known: str | None, signature: object) -> str | None:
    """Return the scheme of an index to which this signature is given, or raise ValueError if it has another.

    Hash values do not show how they were made, so an index with two schemes would answer wrongly without an error.
    A WeightedMinHash has no scheme and is accepted.
    """
    scheme: str | None = getattr(signature, "scheme", None)
    if scheme is None or scheme == known:
        return known
    if known is None:
        return scheme
    raise ValueError(f"the signature has scheme {scheme!r}, and this index has signatures of scheme {known!r}")


def _draw(scheme: Scheme, seed: Any, num_perm: int) -> Array:
    generator = np.random.RandomState(seed)
    if scheme.name == "legacy":
        # a and b of each slot in turn, a from 1 and b from 0.
        low = np.tile(np.array([1, 0], dtype=np.uint64), num_perm)
        drawn = generator.randint(low, MERSENNE_PRIME, dtype=np.uint64)
        pairs: Array = np.ascontiguousarray(drawn.reshape(num_perm, 2).T)
    else:
        # All a, which are odd so that multiplication maps no two hashes to one, then all b.
        a = generator.randint(0, 1 << (scheme.bits - 1), num_perm, dtype=scheme.dtype)
        b = generator.randint(0, 1 << scheme.bits, num_perm, dtype=scheme.dtype)
        pairs = np.array([a * scheme.dtype(2) + scheme.dtype(1), b])
    return pairs


@lru_cache(maxsize=64)
def _draw_once(scheme: Scheme, seed: int, num_perm: int) -> Array:
    pairs = _draw(scheme, seed, num_perm)
    # Many signatures share this array, also those of other threads.
    pairs.setflags(write=False)
    return pairs


def draw_permutations(scheme: Scheme, seed: Any, num_perm: int) -> Array:
    """Return the rows a and b that datasketch draws for a seed. Signatures with the same seed share one array."""
    return _draw_once(scheme, seed, num_perm) if type(seed) is int else _draw(scheme, seed, num_perm)


def to_scheme_array(scheme: Scheme, values: Any, what: str) -> Array:
    """Return a copy of `values` with the type of the scheme, or raise `scheme.out_of_range` if a value does not fit.

    Python numbers are converted at once: numpy would take floats for a list with values below and above 2^63.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and values.size:
        least, greatest = int(values.min()), int(values.max())
        limit = (1 << 8 * np.dtype(scheme.dtype).itemsize) - 1
        if least < 0 or greatest > limit:
            found = least if least < 0 else greatest
            raise scheme.out_of_range(
                f"{what} have {found}, which is out of range for scheme {scheme.name!r} (0 to {limit})"
            )
    if isinstance(values, np.ndarray):
        converted: Array = values.astype(scheme.dtype)
        return converted
    try:
        return np.array(values, dtype=scheme.dtype)
    except OverflowError as error:
        raise scheme.out_of_range(f"{what} are out of range for scheme {scheme.name!r}: {error}") from error
