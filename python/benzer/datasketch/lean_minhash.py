"""LeanMinHash: a signature without permutations, small in memory and in bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

from benzer.datasketch._native import Array
from benzer.datasketch._schemes import find_scheme, scheme_of_code, to_scheme_array
from benzer.datasketch.minhash import MinHash, _check_union

# The bytes of a signature:
#
#   legacy     int64 seed, int32 count, count numbers of 32 bits
#   affine32   int64 seed, int32 -count, uint8 1, count numbers of 32 bits
#   affine64   int64 seed, int32 -count, uint8 2, count numbers of 64 bits
#
# in the byte order of the caller. With "@" they are aligned as a C compiler of this machine would, as in pickles.
_ORDERS = "@=<>!"


def _layout(scheme: str, byteorder: str) -> tuple[struct.Struct, str]:
    """Return the header before the values, with its padding, and the numpy type of a value."""
    if byteorder not in tuple(_ORDERS):
        raise ValueError(f"byteorder is {byteorder!r}; it must be one of {' '.join(_ORDERS)}")
    wide = scheme == "affine64"
    header = struct.Struct(byteorder + ("qi" if scheme == "legacy" else "qiB") + ("0Q" if wide else "0I"))
    order = {"@": "=", "!": ">"}.get(byteorder, byteorder)
    return header, order + ("u8" if wide else "u4")


class LeanMinHash(MinHash):
    """A signature that cannot be updated, and takes little more memory than its hash values.

    Args:
        minhash: the signature to take.
        seed: with `hashvalues` and `scheme`, in place of `minhash`.
        hashvalues: hash values of a signature.
        scheme: their scheme, which they do not show.

    >>> m = MinHash(num_perm=4)
    >>> m.update(b"word")
    >>> lean = LeanMinHash(m)
    >>> buffer = bytearray(lean.bytesize())
    >>> lean.serialize(buffer)
    >>> LeanMinHash.deserialize(buffer) == lean
    True
    """

    __slots__ = ("hashvalues", "scheme", "seed")

    def __init__(
        self,
        minhash: MinHash | None = None,
        seed: int | None = None,
        hashvalues: Any = None,
        scheme: str | None = None,
    ) -> None:
        if minhash is not None:
            if scheme is not None and scheme != minhash.scheme:
                raise ValueError(f"scheme is {scheme!r}, and the signature has scheme {minhash.scheme!r}")
            self._set(minhash.seed, minhash.hashvalues, minhash.scheme)
            return
        if hashvalues is None or seed is None:
            raise ValueError("either minhash must be given, or seed, hashvalues and scheme")
        if scheme is None:
            raise ValueError(
                "scheme must be given with hashvalues, which do not show it: 'legacy' if datasketch before 2.0 made them"
            )
        self._set(seed, hashvalues, scheme)

    def _set(self, seed: int, hashvalues: Any, scheme: str) -> None:
        chosen = find_scheme(scheme)
        self.seed: int = seed
        self.scheme: str = chosen.name
        self.hashvalues: Array = to_scheme_array(chosen, hashvalues, "hashvalues")
        if chosen.code and len(self.hashvalues) == 0:
            # Its count would be stored as 0, which means `legacy`.
            raise ValueError("hashvalues are empty; at least one is needed")

    @classmethod
    def _make(cls, seed: int, hashvalues: Any, scheme: str) -> LeanMinHash:
        result = object.__new__(LeanMinHash)
        result._set(seed, hashvalues, scheme)
        return result

    def update(self, b: Any) -> None:
        """Raise TypeError: a LeanMinHash has no permutations. Make a MinHash of its hash values."""
        raise TypeError("a LeanMinHash cannot be updated: make a MinHash of its hashvalues, seed and scheme")

    def update_batch(self, b: Iterable[Any]) -> None:
        """Raise TypeError, as `update` does."""
        self.update(b)

    def copy(self) -> LeanMinHash:
        """Return a copy."""
        return self._make(self.seed, self.hashvalues, self.scheme)

    def bytesize(self, byteorder: str = "@") -> int:
        """Return the number of bytes that `serialize` writes."""
        header, value = _layout(self.scheme, byteorder)
        return header.size + len(self) * np.dtype(value).itemsize

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Write the signature to the front of a buffer, such as a bytearray of `bytesize()` bytes.

        `byteorder` is a character of Python's module struct: "@" (default) has the order and the alignment of this
        machine, "<" and ">" are the same everywhere.
        """
        size = self.bytesize(byteorder)
        view = _to_bytes(buf)
        if len(view) < size:
            raise ValueError(f"the buffer has {len(view)} bytes, and the signature needs {size}")
        header, value = _layout(self.scheme, byteorder)
        if self.scheme == "legacy":
            if len(self) and int(self.hashvalues.max()) >= 1 << 32:
                raise ValueError("a hash value has more than the 32 bits that a stored signature of 'legacy' has")
            header.pack_into(view, 0, self.seed, len(self))
        else:
            header.pack_into(view, 0, self.seed, -len(self), find_scheme(self.scheme).code)
        view[header.size : size] = self.hashvalues.astype(value).tobytes()

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        """Return the signature at the front of a buffer, also one that datasketch 1.x or 2.x wrote."""
        return cls._make(*_read(buf, byteorder))

    def __getstate__(self) -> bytearray:
        buf = bytearray(self.bytesize())
        self.serialize(buf)
        return buf

    def __setstate__(self, state: Any) -> None:
        self._set(*_read(state, "@"))

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash((self.scheme, self.seed, tuple(self.hashvalues)))

    @classmethod
    def union(cls, *mhs: MinHash) -> LeanMinHash:
        """Return the signature of the union of two or more sets."""
        first = _check_union(mhs)
        return cls._make(first.seed, np.minimum.reduce([m.hashvalues for m in mhs]), first.scheme)


def _to_bytes(buf: Any) -> memoryview:
    """Return the bytes of any contiguous buffer, whatever the type of its items."""
    view = memoryview(buf)
    # memoryview.cast knows no formats with a byte order, such as those of ctypes.
    return view if view.format == "B" and view.ndim == 1 else memoryview(np.frombuffer(view, dtype=np.uint8))


def _read(buf: Any, byteorder: str) -> tuple[int, Array, str]:
    header, value = _layout("legacy", byteorder)
    view = _to_bytes(buf)
    if len(view) < header.size:
        raise ValueError(f"the buffer has {len(view)} bytes, and a stored signature has at least {header.size}")
    seed, count = header.unpack_from(view, 0)
    scheme = "legacy"
    if count < 0:
        count = -count
        if len(view) <= header.size:
            raise ValueError(f"the buffer ends after {len(view)} bytes, before the number of the scheme")
        scheme = scheme_of_code(view[header.size])
        header, value = _layout(scheme, byteorder)
    size = header.size + count * np.dtype(value).itemsize
    if len(view) < size:
        raise ValueError(f"the buffer has {len(view)} bytes, and its signature of {count} values needs {size}")
    return seed, np.frombuffer(view, dtype=value, count=count, offset=header.size), scheme
