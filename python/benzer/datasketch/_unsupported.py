"""Names of datasketch that have no counterpart here. Each raises NotImplementedError when it is called."""

from __future__ import annotations

from typing import Any, NoReturn


class _Unsupported:
    """A class that cannot be made; `_instead` says what to use."""

    _instead = ""

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{cls.__name__} is not a part of benzer.datasketch: {cls._instead}")


class HNSW(_Unsupported):
    """Not supported: hnswlib and datasketch have it."""

    _instead = "use MinHashLSHForest, or the package hnswlib"


class HyperLogLog(_Unsupported):
    """Not supported: datasketch and datasketches have it."""

    _instead = "use MinHash.count, or the package datasketches"


class HyperLogLogPlusPlus(_Unsupported):
    """Not supported: datasketch and datasketches have it."""

    _instead = "use MinHash.count, or the package datasketches"


class AsyncMinHashLSH(_Unsupported):
    """Not supported: a MinHashLSH in a thread does the same."""

    _instead = "use MinHashLSH, with asyncio.to_thread around calls that reach Redis"


class MinHashLSHBloom(_Unsupported):
    """Not supported: a MinHashLSH in memory takes less than a kilobyte for each key."""

    _instead = "use MinHashLSH, which also says which keys are similar"
