"""Views of an index in memory with the interface of the tables of datasketch, for reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benzer.datasketch._native import NativeIndex


class _View:
    """What both views have. They show the index as it is at each call."""

    def __init__(self, index: NativeIndex) -> None:
        self._index = index
        self.buffer_size = 50000

    def keys(self) -> list[Any]:
        raise NotImplementedError

    def get(self, key: Any) -> Any:
        raise NotImplementedError

    def size(self) -> int:
        return len(self.keys())

    def has_key(self, key: Any) -> bool:
        return len(self.get(key)) > 0

    def getmany(self, *keys: Any) -> list[Any]:
        return [self.get(key) for key in keys]

    def status(self) -> dict[str, Any]:
        return {"keyspace_size": self.size()}

    def empty_buffer(self) -> None:
        """Do nothing: nothing is buffered in memory."""

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)

    def __len__(self) -> int:
        return self.size()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __contains__(self, key: Any) -> bool:
        return self.has_key(key)


class KeyView(_View):
    """From each key to its band keys."""

    def __init__(self, index: NativeIndex, bands: int) -> None:
        super().__init__(index)
        self._bands = bands

    def keys(self) -> list[Any]:
        return self._index.keys()

    def get(self, key: Any) -> list[bytes]:
        return self._index.band_keys(key) or []

    def size(self) -> int:
        return len(self._index)

    def has_key(self, key: Any) -> bool:
        return key in self._index

    def itemcounts(self) -> dict[Any, int]:
        return {key: len(self.get(key)) for key in self.keys()}


class BucketView(_View):
    """From each band key of a band to the keys that have it."""

    def __init__(self, index: NativeIndex, band: int) -> None:
        super().__init__(index)
        self._band = band

    def keys(self) -> list[bytes]:
        return list(self.itemcounts())

    def get(self, key: bytes) -> set[Any]:
        return set(self._index.bucket(self._band, key))

    def itemcounts(self) -> dict[bytes, int]:
        return self._index.bucket_sizes(self._band)
