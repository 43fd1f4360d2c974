"""The tables of a MinHashLSH in Redis, used together.

A query and a removal take one round trip, an insertion two.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from benzer.datasketch.storage import OrderedStorage, UnorderedStorage, connect

# KEYS: the table of keys, and the list of a key. ARGV: the key, then the table of buckets of each band. Returns 0 if the
# key is not in the index. Redis runs no other command meanwhile: between reading the list and removing it, another
# program could remove the key and insert it again, or insert a key into a bucket that is about to be empty. A key that
# was inserted several times has as many band keys for each band, one row after the other.
_REMOVE = """
local band_keys = redis.call('LRANGE', KEYS[2], 0, -1)
redis.call('DEL', KEYS[2])
local known = redis.call('HDEL', KEYS[1], ARGV[1])
for i, band_key in ipairs(band_keys) do
  local buckets = ARGV[2 + (i - 1) % (#ARGV - 1)]
  redis.call('SREM', buckets .. band_key, ARGV[1])
  if redis.call('EXISTS', buckets .. band_key) == 0 then
    redis.call('HDEL', buckets, band_key)
  end
end
return known + #band_keys
"""


class RedisTables:
    """A table of keys and one of buckets for each band, which share a client and a buffer of commands.

    Commands of one insertion or removal are sent as a transaction, unless the configuration says
    {"redis_buffer": {"transaction": False}}.
    """

    def __init__(self, keys: OrderedStorage, buckets: list[UnorderedStorage]) -> None:
        self.keys = keys
        self.buckets = buckets
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

    def check_key(self, key: object) -> None:
        """Raise TypeError if a key cannot be stored."""
        if not isinstance(key, bytes):
            raise TypeError(
                f"keys in Redis are bytes, and one is of type {type(key).__name__!r}: encode it, or pass prepickle=True"
            )

    def insert(self, key: Any, band_keys: Sequence[bytes], check: bool, buffer: bool) -> None:
        self.check_key(key)
        if check and self.keys.has_key(key):
            raise ValueError(f"the key {key!r} is in the index already: remove it first")
        pipe = self._writer(buffer)
        self.keys.send_insert(pipe, key, *band_keys)
        for band_key, bucket in zip(band_keys, self.buckets):
            bucket.send_insert(pipe, band_key, key)
        self._sent(pipe, buffer, 2 + 2 * len(band_keys))

    def remove(self, key: Any, buffer: bool) -> None:
        known = False
        if isinstance(key, bytes):
            tables = [bucket._name for bucket in self.buckets]
            script = (_REMOVE, 2, self.keys._name, self.keys.redis_key(key), key, *tables)
            if not buffer:
                known = self.keys._redis.eval(*script) > 0
            elif known := self.keys.has_key(key):
                pipe = self.keys._buffer
                pipe.eval(*script)
                self._sent(pipe, buffer, 2 + len(tables))
        if not known:
            raise ValueError(f"the key {key!r} is not in the index")

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

    def _writer(self, buffer: bool) -> Any:
        return self.keys._buffer if buffer else self.keys.new_buffer(self.keys._redis)

    def _sent(self, pipe: Any, buffer: bool, commands: int) -> None:
        """Send a transaction at once, and the buffer when it is full."""
        self._pending = self._pending + commands if buffer else self._pending
        if not buffer:
            pipe.execute()
        elif self._pending >= self.keys.buffer_size:
            self.empty_buffer()

    def __reduce__(self) -> Any:
        # The tables of a copy share a client as well.
        return RedisTables, (self.keys, self.buckets)
