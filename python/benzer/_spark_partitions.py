"""To which partition ``repartition()`` of Spark sends an integer."""

from __future__ import annotations


def _mix(value: int) -> int:
    return value & 0xFFFFFFFF


def _hash_of(number: int) -> int:
    """Return Spark's hash of an integer: Murmur3 of 32 bits, with the seed 42."""
    k = _mix(number * 0xCC9E2D51)
    k = _mix((k << 15 | k >> 17) * 0x1B873593)
    h = 42 ^ k
    h = _mix(_mix(h << 13 | h >> 19) * 5 + 0xE6546B64) ^ 4
    h = _mix((h ^ h >> 16) * 0x85EBCA6B)
    h = _mix((h ^ h >> 13) * 0xC2B2AE35)
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def keys_of_partitions(count: int) -> list[int]:
    """Return for each partition an integer that ``repartition(count, column)`` sends to it."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < count:
        found.setdefault(_hash_of(number) % count, number)
        number += 1
    return [found[i] for i in range(count)]
