"""The hash functions that turn a value into a number before it is permuted."""

from __future__ import annotations

import hashlib


def sha1_hash32(data: bytes) -> int:
    """Return the first 4 bytes of the SHA-1 digest as a little-endian number.

    >>> sha1_hash32(b"word")
    182041660
    """
    return int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest()[:4], "little")


def sha1_hash64(data: bytes) -> int:
    """Return the first 8 bytes of the SHA-1 digest as a little-endian number.

    >>> sha1_hash64(b"word") & 0xFFFFFFFF == sha1_hash32(b"word")
    True
    """
    return int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest()[:8], "little")
