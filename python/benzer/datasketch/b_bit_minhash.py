"""bBitMinHash: a signature of which only the lowest bits of each hash value are kept."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from benzer.datasketch._native import Array
from benzer.datasketch._schemes import find_scheme, scheme_of_code
from benzer.datasketch.minhash import MinHash

# The bytes in a pickle, in little-endian: int64 seed, uint8 b, double r, int32 count, then words of 64 bits. Each hash
# value takes b bits rounded up to a slot, the first one in the highest slot of its word. Schemes other than `legacy`
# store the negative count, and their number in a byte after it.
_HEADER = struct.Struct("<qBdi")


class bBitMinHash:
    """The lowest `b` bits of each hash value of a signature, and `r`, the share of all possible values in the set.

    >>> a, b = MinHash(), MinHash()
    >>> a.update_batch([b"one", b"two", b"three"])
    >>> b.update_batch([b"one", b"two", b"four"])
    >>> 0.3 < bBitMinHash(a, b=4).jaccard(bBitMinHash(b, b=4)) < 0.7
    True
    """

    __slots__ = ("b", "hashvalues", "r", "scheme", "seed")

    seed: int
    b: int
    r: float
    scheme: str
    hashvalues: Array

    def __init__(self, minhash: MinHash, b: int = 1, r: float = 0.0) -> None:
        b, r = int(b), float(r)
        _check_parameters(b, r)
        self.scheme = find_scheme(minhash.scheme).name
        mask = minhash.hashvalues.dtype.type((1 << b) - 1)
        self.hashvalues = (minhash.hashvalues & mask).astype(np.uint32)
        self.seed = minhash.seed
        self.b = b
        self.r = r

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, bBitMinHash)
            and (self.scheme, self.seed, self.b, self.r) == (other.scheme, other.seed, other.b, other.r)
            and np.array_equal(self.hashvalues, other.hashvalues)
        )

    def jaccard(self, other: bBitMinHash) -> float:
        """Return the estimated Jaccard similarity, corrected for values that agree in their kept bits by chance."""
        for name in ("b", "scheme", "seed"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                raise ValueError(f"signatures with {name} {mine!r} and {theirs!r} cannot be compared")
        equal = float(np.count_nonzero(self.hashvalues == other.hashvalues)) / float(self.hashvalues.size)
        mine, theirs = self._chance(), other._chance()
        if self.r == 0.0 and other.r == 0.0:
            low, high = mine, theirs
        else:
            share = 1 / (self.r + other.r)
            low = (mine * other.r + theirs * self.r) * share
            high = (mine * self.r + theirs * other.r) * share
        return (equal - low) / (1 - high)

    def _chance(self) -> float:
        """Return the probability that two different values agree in their kept bits, as datasketch computes it."""
        if self.r == 0.0:
            return 1.0 / (1 << self.b)
        # The paper has 2**b in the divisor as well; estimates must be those of datasketch.
        return float(self.r * (1 - self.r) ** (2**self.b - 1) / (1 - (1 - self.r) ** (2 * self.b)))

    def bytesize(self) -> int:
        """Return the number of bytes of the signature in a pickle."""
        return _HEADER.size + (self.scheme != "legacy") + 8 * _slots(self.b, self.hashvalues.size)[2]

    def __getstate__(self) -> bytearray:
        bits, in_word, words = _slots(self.b, self.hashvalues.size)
        values = np.zeros(words * in_word, dtype=np.uint64)
        values[: self.hashvalues.size] = self.hashvalues
        shifts = np.arange(in_word - 1, -1, -1, dtype=np.uint64) * np.uint64(bits)
        packed = np.bitwise_or.reduce(values.reshape(words, in_word) << shifts, axis=1)
        count = self.hashvalues.size
        header = _HEADER.pack(self.seed, self.b, self.r, count if self.scheme == "legacy" else -count)
        if self.scheme != "legacy":
            header += bytes([find_scheme(self.scheme).code])
        return bytearray(header + packed.astype("<u8").tobytes())

    def __setstate__(self, state: Any) -> None:
        view = memoryview(state).cast("B")
        if len(view) < _HEADER.size:
            raise ValueError(f"the state has {len(view)} bytes, and a stored signature has at least {_HEADER.size}")
        seed, b, r, count = _HEADER.unpack_from(view, 0)
        _check_parameters(b, r)
        offset = _HEADER.size
        scheme = "legacy"
        if count < 0:
            count = -count
            if len(view) <= offset:
                raise ValueError(f"the state ends after {len(view)} bytes, before the number of the scheme")
            scheme = scheme_of_code(view[offset])
            offset += 1
        bits, in_word, words = _slots(b, count)
        if len(view) < offset + 8 * words:
            raise ValueError(
                f"the state has {len(view)} bytes, and its signature of {count} values needs {offset + 8 * words}"
            )
        packed = np.frombuffer(view, dtype="<u8", count=words, offset=offset).astype(np.uint64)
        shifts = np.arange(in_word - 1, -1, -1, dtype=np.uint64) * np.uint64(bits)
        values = (packed[:, None] >> shifts) & np.uint64((1 << bits) - 1)
        self.seed, self.b, self.r, self.scheme = seed, b, r, scheme
        self.hashvalues = values.reshape(-1)[:count].astype(np.uint32)


def _check_parameters(b: int, r: float) -> None:
    if not 0 <= b <= 32:
        raise ValueError(f"b is {b}; it must be a whole number in [0, 32]")
    if r > 1.0:
        raise ValueError(f"r is {r}; it must be in [0.0, 1.0]")


def _slots(b: int, count: int) -> tuple[int, int, int]:
    """Return the bits of a slot, the slots of a word, and the number of words of `count` values of `b` bits."""
    bits = 4 if b == 0 else 1 << (b - 1).bit_length()
    in_word = 64 // bits
    return bits, in_word, -(-count // in_word)
