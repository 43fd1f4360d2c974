"""Tables in Redis, in the layout of datasketch.

A table has a name. The hash of that name maps each key to the name of its list or set, which is the name of the table
followed by the key:

    HSET  name key name+key
    RPUSH name+key value ...     for the table from keys to band keys
    SADD  name+key value ...     for the table from band keys to keys

Redis removes a list or a set with its last value. Nothing here removes one because it looked empty: another program may
have added a value since. A script removes the entry in the hash, since Redis runs no other command meanwhile.
"""

from __future__ import annotations

import os
import random
import string
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_OTHERS = {
    "cassandra": "use 'redis', or a benzer.Index on disk",
    "aioredis": "use 'redis' in a thread, as asyncio.to_thread does",
    "aiomongo": "use 'redis', or a benzer.Index on disk",
}


# KEYS: a table, and the list or set of a key. ARGV: the key.
_FORGET_IF_EMPTY = """
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('HDEL', KEYS[1], ARGV[1])
end
"""


def check_storage_type(config: dict[str, Any]) -> None:
    """Raise ValueError if a configuration has a type other than "dict" and "redis"."""
    kind = config.get("type")
    if kind in ("dict", "redis"):
        return
    advice = _OTHERS.get(str(kind), "it must be 'dict' or 'redis'")
    raise ValueError(f"the storage type {kind!r} is not supported: {advice}")


def random_name(length: int) -> bytes:
    """Return letters that name a new index."""
    return "".join(random.choice(string.ascii_lowercase) for _ in range(length)).encode("ascii")


def from_environment(config: dict[str, Any]) -> dict[str, Any]:
    """Replace each value {"env": NAME, "default": ...} by that variable of the environment."""
    return {
        name: os.getenv(value["env"], value.get("default")) if isinstance(value, dict) and "env" in value else value
        for name, value in config.items()
    }


def connect(config: dict[str, Any]) -> Any:
    """Return a client of the server in a configuration."""
    try:
        import redis
    except ImportError as error:
        raise ImportError("an index in Redis needs the package redis: pip install redis") from error
    return redis.Redis(**from_environment(config["redis"]))


class RedisStorage:
    """A table in Redis: what its two kinds share.

    A caller locks it if several threads use it: they share one buffer of commands.
    """

    config: dict[str, Any]

    def __init__(self, config: dict[str, Any], name: bytes | None = None, client: Any = None) -> None:
        self.config = config
        self._name = random_name(11) if name is None else name
        self._buffer_size = 50000
        self.attach(connect(config) if client is None else client, None)

    def attach(self, client: Any, buffer: Any) -> None:
        """Use a client, and a pipeline of it as the buffer of commands."""
        self._redis = client
        self._buffer = self.new_buffer(client) if buffer is None else buffer

    def new_buffer(self, client: Any) -> Any:
        options = from_environment(self.config.get("redis_buffer", {}))
        return client.pipeline(transaction=options.get("transaction", True))

    @property
    def buffer_size(self) -> int:
        return self._buffer_size

    @buffer_size.setter
    def buffer_size(self, value: int) -> None:
        self._buffer_size = value

    def redis_key(self, key: bytes | str) -> bytes:
        """Return the name of the list or set of a key."""
        return self._name + (key.encode() if isinstance(key, str) else key)

    # --- commands, which the kinds of tables add to a client or a pipeline -----------------------

    def send_get(self, pipe: Any, key: Any) -> Any:
        raise NotImplementedError

    def send_insert(self, pipe: Any, key: Any, *values: Any) -> None:
        # The values first: if this is no transaction, a script that finds none would remove the entry.
        self._send_values(pipe, self.redis_key(key), *values)
        pipe.hset(self._name, key, self.redis_key(key))

    def _send_values(self, pipe: Any, name: bytes, *values: Any) -> None:
        raise NotImplementedError

    def send_remove_value(self, pipe: Any, key: Any, value: Any) -> None:
        """Remove a value, and the entry of the key if it was the last one."""
        self._send_remove_value(pipe, self.redis_key(key), value)
        pipe.eval(_FORGET_IF_EMPTY, 2, self._name, self.redis_key(key), key)

    def _send_remove_value(self, pipe: Any, name: bytes, value: Any) -> None:
        raise NotImplementedError

    def send_size(self, pipe: Any, key: Any) -> Any:
        raise NotImplementedError

    def send_remove(self, pipe: Any, *keys: Any) -> None:
        pipe.hdel(self._name, *keys)
        pipe.delete(*[self.redis_key(key) for key in keys])

    def send_has_key(self, pipe: Any, key: Any) -> Any:
        return pipe.hexists(self._name, key)

    # --- the interface of datasketch -------------------------------------------------------------

    def keys(self) -> list[Any]:
        return list(self._redis.hkeys(self._name))

    def redis_keys(self) -> list[Any]:
        return list(self._redis.hvals(self._name))

    def get(self, key: Any) -> Any:
        return self.send_get(self._redis, key)

    def getmany(self, *keys: Any) -> list[Any]:
        pipe = self._redis.pipeline()
        for key in keys:
            self.send_get(pipe, key)
        return list(pipe.execute())

    def insert(self, key: Any, *vals: Any, buffer: bool = False) -> None:
        with self._writer(buffer) as pipe:
            self.send_insert(pipe, key, *vals)

    def remove(self, *keys: Any, buffer: bool = False) -> None:
        with self._writer(buffer) as pipe:
            self.send_remove(pipe, *keys)

    def remove_val(self, key: Any, val: Any, buffer: bool = False) -> None:
        with self._writer(buffer) as pipe:
            self.send_remove_value(pipe, key, val)

    @contextmanager
    def _writer(self, buffer: bool) -> Iterator[Any]:
        """Collect commands in the buffer, or in a transaction that is sent at the end."""
        pipe = self._buffer if buffer else self.new_buffer(self._redis)
        yield pipe
        if not buffer:
            pipe.execute()

    def size(self) -> int:
        return int(self._redis.hlen(self._name))

    def itemcounts(self) -> dict[Any, int]:
        keys = self.keys()
        pipe = self._redis.pipeline()
        for key in keys:
            self.send_size(pipe, key)
        return dict(zip(keys, pipe.execute()))

    def has_key(self, key: Any) -> bool:
        return bool(self.send_has_key(self._redis, key))

    def status(self) -> dict[str, Any]:
        return {**from_environment(self.config["redis"]), "keyspace_size": self.size()}

    def empty_buffer(self) -> None:
        """Send the buffered commands."""
        self._buffer.execute()

    def __getitem__(self, key: Any) -> Any:
        return self.get(key)

    def __len__(self) -> int:
        return self.size()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.keys())

    def __contains__(self, key: Any) -> bool:
        return self.has_key(key)

    # Pickles hold how to connect, and not the connection; those of datasketch have the same fields.

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_redis", "_buffer")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._buffer_size = 50000
        self.__dict__.update(state)
        self.attach(connect(self.config), None)


class OrderedStorage(RedisStorage):
    """A table from keys to lists."""

    def send_get(self, pipe: Any, key: Any) -> Any:
        return pipe.lrange(self.redis_key(key), 0, -1)

    def _send_values(self, pipe: Any, name: bytes, *values: Any) -> None:
        pipe.rpush(name, *values)

    def _send_remove_value(self, pipe: Any, name: bytes, value: Any) -> None:
        pipe.lrem(name, 0, value)

    def send_size(self, pipe: Any, key: Any) -> Any:
        return pipe.llen(self.redis_key(key))


class UnorderedStorage(RedisStorage):
    """A table from keys to sets."""

    def send_get(self, pipe: Any, key: Any) -> Any:
        return pipe.smembers(self.redis_key(key))

    def _send_values(self, pipe: Any, name: bytes, *values: Any) -> None:
        pipe.sadd(name, *values)

    def _send_remove_value(self, pipe: Any, name: bytes, value: Any) -> None:
        pipe.srem(name, value)

    def send_size(self, pipe: Any, key: Any) -> Any:
        return pipe.scard(self.redis_key(key))


RedisListStorage = OrderedStorage
RedisSetStorage = UnorderedStorage
