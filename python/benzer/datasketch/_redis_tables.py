"""The tables of a MinHashLSH in Redis, used together: one round trip for a query, two for an insertion."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from benzer.datasketch.storage import OrderedStorage, UnorderedStorage, connect


class RedisTables:
    """A table of keys and one of buckets for each band, which share a client and a buffer of commands.

    Commands of one insertion or removal are sent as a transaction, unless the configuration says
    {"redis_buffer": {"transaction": False}}.
    """

    def __init__(self, keys: OrderedStorage, buckets: list[UnorderedStorage]) -> None:
        self.keys = keys
        self.buckets = buckets
        # Buckets from which a buffered removal takes a key, which may be empty afterwards.
        self._touched: set[tuple[int, bytes]] = set()
        self._pending = 0  # commands in the buffer
        for bucket in buckets:
            bucket.attach(keys._redis, keys._buffer)

    @classmethod
    def create(cls, config: dict[str, Any], basename: bytes, bands: int) -> RedisTables:
        """Open the tables of an index, which need not exist yet."""
        client = connect(config)
        keys = OrderedStorage(config, basename + b"_keys", client)
        names = [basename + b"_bucket_" + struct.pack(">H", band) for band in range(bands)]
        return cls(keys, [UnorderedStorage(config, name, client) for name in names])

    def set_buffer_size(self, size: int) -> None:
        for table in (self.keys, *self.buckets):
            table.buffer_size = size

    def insert(self, key: Any, band_keys: Sequence[bytes], check: bool, buffer: bool) -> None:
        if not isinstance(key, bytes):
            raise TypeError(
                f"keys in Redis are bytes, and one is of type {type(key).__name__!r}: encode it, or pass prepickle=True"
            )
        if check and self.keys.has_key(key):
            raise ValueError(f"the key {key!r} is in the index already: remove it first")
        pipe = self._writer(buffer)
        self.keys.send_insert(pipe, key, *band_keys)
        for band_key, bucket in zip(band_keys, self.buckets):
            bucket.send_insert(pipe, band_key, key)
        self._sent(pipe, buffer, 2 + 2 * len(band_keys))

    def remove(self, key: Any, buffer: bool) -> None:
        band_keys = self.keys.get(key) if isinstance(key, bytes) else []
        if not band_keys:
            raise ValueError(f"the key {key!r} is not in the index")
        pipe = self._writer(buffer)
        self.keys.send_remove(pipe, key)
        # A key that was inserted several times has as many band keys for each band, one row after the other.
        touched = [(i % len(self.buckets), band_key) for i, band_key in enumerate(band_keys)]
        for band, band_key in touched:
            self.buckets[band].send_remove_value(pipe, band_key, key)
        self._touched.update(touched)
        self._sent(pipe, buffer, 2 + len(band_keys))
        if not buffer:
            self._forget_empty_buckets()

    def query(self, band_keys: Sequence[bytes]) -> list[Any]:
        pipe = self.keys._redis.pipeline(transaction=False)
        for band_key, bucket in zip(band_keys, self.buckets):
            bucket.send_get(pipe, band_key)
        return list(set().union(*pipe.execute()))

    def empty_buffer(self) -> None:
        """Send all buffered commands."""
        for table in (self.keys, *self.buckets):
            table.empty_buffer()
        self._pending = 0
        self._forget_empty_buckets()

    def _writer(self, buffer: bool) -> Any:
        return self.keys._buffer if buffer else self.keys.new_buffer(self.keys._redis)

    def _sent(self, pipe: Any, buffer: bool, commands: int) -> None:
        """Send a transaction at once, and the buffer when it is full."""
        self._pending = self._pending + commands if buffer else self._pending
        if not buffer:
            pipe.execute()
        elif self._pending >= self.keys.buffer_size:
            self.empty_buffer()

    def _forget_empty_buckets(self) -> None:
        """Remove the entries of buckets that are empty. Redis removes empty sets itself, but not their entries."""
        touched, self._touched = list(self._touched), set()
        if not touched:
            return
        pipe = self.keys._redis.pipeline(transaction=False)
        for band, band_key in touched:
            self.buckets[band].send_size(pipe, band_key)
        sizes = pipe.execute()
        pipe = self.keys._redis.pipeline(transaction=False)
        for (band, band_key), size in zip(touched, sizes):
            if size == 0:
                self.buckets[band].send_remove(pipe, band_key)
        pipe.execute()
