"""MinHashLSH: finds the signatures that are likely similar to another one."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Hashable
from types import TracebackType
from typing import Any, SupportsIndex

from benzer.datasketch._native import Array, NativeIndex, native
from benzer.datasketch._planning import plan_for_similarity, whole_number
from benzer.datasketch._redis_tables import RedisTables
from benzer.datasketch._schemes import check_same_scheme
from benzer.datasketch._views import BucketView, KeyView
from benzer.datasketch.minhash import MinHash
from benzer.datasketch.storage import OrderedStorage, UnorderedStorage, check_storage_type, random_name
from benzer.datasketch.weighted_minhash import WeightedMinHash

Signature = MinHash | WeightedMinHash


class MinHashLSH:
    """An index of signatures: a query returns the keys of those that share a band of hash values with it.

    Args:
        threshold: the Jaccard similarity for which bands and rows are chosen.
        num_perm: number of hash values of a signature.
        weights: how much false positives and false negatives count in that choice. Their sum is 1.
        params: bands and rows, in place of the choice.
        storage_config: {"type": "dict"} (default) keeps the index in memory. {"type": "redis", "redis": {...},
            "basename": b"..."} keeps it in Redis in the layout of datasketch, so that both read what either wrote; the
            arguments of redis.Redis are in "redis", and {"env": NAME, "default": ...} takes one from the environment.
        prepickle: whether keys are pickled. By default in Redis only.
        hashfunc: shortens the bytes of a band, to bytes or a str of the same length each time, or to an int of up to 64
            bits. Both become bytes in `keys` and `hashtables`.

    >>> m = MinHash()
    >>> m.update_batch([b"one", b"two", b"three"])
    >>> lsh = MinHashLSH(threshold=0.5)
    >>> lsh.insert("first", m)
    >>> lsh.query(m)
    ['first']

    In memory, each call is consistent in itself, also when other threads call the index. A caller locks what takes
    several calls, such as a loop over `keys`, and an index in Redis.
    """

    b: int
    r: int
    h: int

    def __init__(
        self,
        threshold: float = 0.9,
        num_perm: int = 128,
        weights: tuple[float, float] = (0.5, 0.5),
        params: tuple[int, int] | None = None,
        storage_config: dict[str, Any] | None = None,
        prepickle: bool | None = None,
        hashfunc: Callable[[bytes], bytes | str | int] | None = None,
    ) -> None:
        config = storage_config or {"type": "dict"}
        check_storage_type(config)
        self.h = num_perm = whole_number("num_perm", num_perm)
        check_plan_arguments(threshold, num_perm, weights)
        if params is None:
            self.b, self.r = plan_for_similarity(threshold, num_perm, tuple(weights))
        else:
            self.b, self.r = (whole_number("a number of params", number) for number in params)
        if self.b * self.r > num_perm:
            raise ValueError(
                f"params are {self.b} bands of {self.r} rows, which need {self.b * self.r} hash values; "
                f"num_perm is {num_perm}"
            )
        if self.b < 2:
            raise ValueError(f"there are {self.b} bands, and at least 2 are needed: lower the threshold")
        if self.r < 1:
            raise ValueError(f"params are {self.b} bands of {self.r} rows; at least 1 row is needed")
        self.prepickle = config["type"] == "redis" if prepickle is None else prepickle
        self.hashfunc = hashfunc
        self._buffer_size = 50000
        self._minhash_scheme: str | None = None
        self._query_buffer: list[set[Any]] = []
        self._index: NativeIndex | None = None
        self._redis: RedisTables | None = None
        self.keys: OrderedStorage | KeyView
        self.hashtables: list[UnorderedStorage] | list[BucketView]
        if config["type"] == "redis":
            self._set_redis(RedisTables.create(config, config.get("basename", random_name(11)), self.b))
        else:
            self._set_index(native.DatasketchIndex(num_perm, self.b, self.r))

    def _set_index(self, index: NativeIndex) -> None:
        self._index = index
        self.keys = KeyView(index, self.b)
        self.hashtables = [BucketView(index, band) for band in range(self.b)]

    def _set_redis(self, tables: RedisTables) -> None:
        self._redis = tables
        self.keys = tables.keys
        self.hashtables = tables.buckets

    @property
    def hashranges(self) -> list[tuple[int, int]]:
        """The first hash value of each band, and the one after its last."""
        return [(i * self.r, (i + 1) * self.r) for i in range(self.b)]

    @property
    def buffer_size(self) -> int:
        """The number of commands that a session collects before it sends them to Redis."""
        return self._buffer_size

    @buffer_size.setter
    def buffer_size(self, value: int) -> None:
        self._buffer_size = value
        if self._redis is not None:
            self._redis.set_buffer_size(value)

    # --- adding and removing ---------------------------------------------------------------------

    def insert(self, key: Hashable, minhash: Signature, check_duplication: bool = True) -> None:
        """Add a signature under a key.

        A key that is in the index raises ValueError, unless `check_duplication` is False: it has several signatures
        then, and `remove` removes all of them. So has a key that two programs insert into Redis at the same moment.
        """
        self._insert(key, minhash, check_duplication, False)

    def _insert(self, key: Any, minhash: Signature, check_duplication: bool = True, buffer: bool = False) -> None:
        values = minhash.hashvalues
        if len(values) != self.h:
            raise ValueError(f"the signature has {len(values)} hash values, and this index takes {self.h}")
        scheme = check_same_scheme(self._minhash_scheme, minhash)
        key = self._stored(key)
        if self._index is None:
            self._tables().insert(key, self._band_keys(values), check_duplication, buffer)
        elif self.hashfunc is None:
            self._index.insert(key, values, check_duplication)
        else:
            self._index.insert_joined(key, self._joined(values, self.b), 1, check_duplication)
        self._minhash_scheme = scheme

    def remove(self, key: Hashable) -> None:
        """Remove a key; one that is not in the index raises ValueError."""
        self._remove(key, False)

    def _remove(self, key: Any, buffer: bool = False) -> None:
        key = self._stored(key)
        if self._index is not None:
            self._index.remove(key)
        else:
            self._tables().remove(key, buffer)

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Add all signatures of another index with as many hash values, bands and rows.

        With `check_overlap`, a key that is in both raises ValueError before anything is added.
        """
        if type(self) is not type(other):
            raise ValueError(f"a MinHashLSH can be merged with one, and not with a {type(other).__name__}")
        mine, theirs = (self.h, self.b, self.r), (other.h, other.b, other.r)
        if mine != theirs:
            raise ValueError(
                "an index of %d hash values in %d bands of %d rows cannot be merged with one of %d in %d of %d"
                % (*mine, *theirs)
            )
        if self._minhash_scheme and other._minhash_scheme and self._minhash_scheme != other._minhash_scheme:
            raise ValueError(
                f"the other index has signatures of scheme {other._minhash_scheme!r}, this one {self._minhash_scheme!r}"
            )
        keys = list(other.keys)
        if check_overlap:
            for key in keys:
                if key in self.keys:
                    raise ValueError(f"the key {key!r} is in both indexes")
        scheme = self._minhash_scheme or other._minhash_scheme
        for key in keys:
            for row in self._rows_of(other.keys.get(key)):
                if self._index is None:
                    self._tables().insert(key, row, False, False)
                else:
                    self._index.insert_joined(key, b"".join(row), self._item_size(len(row[0])), False)
                self._minhash_scheme = scheme

    def _rows_of(self, band_keys: list[bytes]) -> list[list[bytes]]:
        """Return the band keys of each signature of a key, which are stored one after the other."""
        return [band_keys[begin : begin + self.b] for begin in range(0, len(band_keys), self.b)]

    def _item_size(self, band_bytes: int) -> int:
        """Return the bytes of a hash value in a band key of this length, as far as it shows them.

        Of another type of the same length, the index finds the same.
        """
        if self.hashfunc is not None:
            return 1
        per_row, rest = divmod(band_bytes, self.r)
        if rest or per_row not in (4, 8, 16):
            raise ValueError(f"a band key has {band_bytes} bytes, which is not {self.r} values of 4, 8 or 16 bytes")
        # A pair of a WeightedMinHash is two numbers.
        return min(per_row, 8)

    def insertion_session(self, buffer_size: int = 50000) -> MinHashLSHInsertionSession:
        """Return a context in which insertions are sent to Redis `buffer_size` commands at a time.

        >>> lsh = MinHashLSH(threshold=0.5)
        >>> with lsh.insertion_session() as session:
        ...     session.insert("first", MinHash())
        """
        return MinHashLSHInsertionSession(self, buffer_size)

    def deletion_session(self, buffer_size: int = 50000) -> MinHashLSHDeletionSession:
        """Return a context in which removals are sent to Redis `buffer_size` commands at a time."""
        return MinHashLSHDeletionSession(self, buffer_size)

    # --- asking ----------------------------------------------------------------------------------

    def query(self, minhash: Signature) -> list[Any]:
        """Return the keys of the signatures that share a band with this one, each once.

        Some are less similar than the threshold, and some that are similar are missing; `MinHash.jaccard` tells the
        first. In memory, keys are in the order in which they were inserted, unless some were removed.
        """
        if self._index is not None and self.hashfunc is None and not self.prepickle:
            values = minhash.hashvalues
            if len(values) == self.h:
                check_same_scheme(self._minhash_scheme, minhash)
                return self._index.query(values, self.b)
        return [self._loaded(key) for key in self._candidates(minhash, self.b)]

    def _candidates(self, minhash: Signature, bands: int) -> list[Any]:
        """Return the keys, as they are stored, that share one of the first bands with a signature."""
        values = minhash.hashvalues
        if len(values) != self.h:
            raise ValueError(f"the signature has {len(values)} hash values, and this index takes {self.h}")
        check_same_scheme(self._minhash_scheme, minhash)
        if self._index is None:
            return self._tables().query(self._band_keys(values)[:bands])
        if self.hashfunc is None:
            return self._index.query(values, bands)
        return self._index.query_joined(self._joined(values, bands), 1, bands)

    def _query_b(self, minhash: Signature, b: int) -> set[Any]:
        """Return what a query finds with the first `b` bands."""
        if b > self.b:
            raise ValueError(f"b is {b}, and the index has {self.b} bands")
        return {self._loaded(key) for key in self._candidates(minhash, b)}

    def _stored(self, key: Any) -> Any:
        return pickle.dumps(key) if self.prepickle else key

    def _loaded(self, key: Any) -> Any:
        return pickle.loads(key) if self.prepickle else key

    def add_to_query_buffer(self, minhash: Signature) -> None:
        """Query, and keep the result for `collect_query_buffer`."""
        self._query_buffer.append(set(self._candidates(minhash, self.b)))

    def collect_query_buffer(self) -> list[Any]:
        """Return the keys that all queries since the last call found."""
        results, self._query_buffer = self._query_buffer, []
        if not results:
            return []
        return [self._loaded(key) for key in set.intersection(*results)]

    def __contains__(self, key: Hashable) -> bool:
        return self._stored(key) in self.keys

    def is_empty(self) -> bool:
        """Return whether no signature is in the index."""
        return len(self.keys) == 0

    def get_counts(self) -> list[dict[bytes, int]]:
        """Return, for each band, how many keys each of its buckets has."""
        return [table.itemcounts() for table in self.hashtables]

    def get_subset_counts(self, *keys: Hashable) -> list[dict[bytes, int]]:
        """Return what `get_counts` would return if only these keys were in the index."""
        counts: list[Counter[bytes]] = [Counter() for _ in range(self.b)]
        stored = [self._stored(key) for key in set(keys)]
        for band_keys in self.keys.getmany(*stored):
            for count, band_key in zip(counts, band_keys):
                count[band_key] += 1
        return [dict(count) for count in counts]

    # --- bytes -----------------------------------------------------------------------------------

    def _band_keys(self, values: Array) -> list[bytes]:
        """Return the key of each band: its values in big-endian, or what `hashfunc` makes of them."""
        swapped = memoryview(values.byteswap()[: self.b * self.r].tobytes())
        size = len(swapped) // self.b
        bands = (bytes(swapped[i * size : (i + 1) * size]) for i in range(self.b))
        return list(bands) if self.hashfunc is None else [_to_band_key(self.hashfunc(band)) for band in bands]

    def _joined(self, values: Array, bands: int) -> bytes:
        band_keys = self._band_keys(values)[:bands]
        if any(len(band_key) != len(band_keys[0]) for band_key in band_keys):
            lengths = sorted({len(band_key) for band_key in band_keys})
            raise ValueError(f"hashfunc returned {lengths} bytes; it must return the same number each time")
        return b"".join(band_keys)

    def _tables(self) -> RedisTables:
        assert self._redis is not None
        return self._redis

    # --- pickles ---------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["keys"], state["hashtables"], state["_index"]
        if self._index is not None:
            # In the words of datasketch, so that no version of the tables is stored.
            index = self._index
            state["item_size"] = index.item_size
            state["rows"] = [
                (key, b"".join(row)) for key in index.keys() for row in self._rows_of(index.band_keys(key) or [])
            ]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        rows, item = state.pop("rows", None), state.pop("item_size", 0)
        keys, tables = state.pop("keys", None), state.pop("hashtables", None)
        for name in ("_H", "hashranges", "_require_bytes_keys"):
            state.pop(name, None)  # of datasketch
        self._buffer_size = 50000
        self._minhash_scheme = None
        self._query_buffer = []
        self._index = self._redis = None
        self.hashfunc = None
        self.prepickle = False
        self.__dict__.update(state)
        if self._redis is not None:
            self._set_redis(self._redis)
            return
        if isinstance(keys, OrderedStorage):
            self._set_redis(RedisTables(keys, list(tables)))
            return
        if keys is not None:
            rows = [
                (key, b"".join(row))
                for key, band_keys in keys.items()
                for row in self._rows_of([_to_band_key(band_key) for band_key in band_keys])
            ]
        index = native.DatasketchIndex(self.h, self.b, self.r)
        for key, joined in rows or []:
            index.insert_joined(key, joined, item or self._item_size(len(joined) // self.b), False)
        self._set_index(index)

    # Names that pickles of datasketch refer to.

    def _byteswap(self, values: Array) -> bytes:
        return values.byteswap().tobytes()

    def _hashed_byteswap(self, values: Array) -> bytes | str | int:
        if self.hashfunc is None:
            raise RuntimeError("this index has no hashfunc")
        return self.hashfunc(self._byteswap(values))


class _Session:
    """Sends what it collected to Redis at its end; in memory it has no effect."""

    def __init__(self, lsh: MinHashLSH, buffer_size: int) -> None:
        self.lsh = lsh
        self.lsh.buffer_size = buffer_size

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Send what is left."""
        if self.lsh._redis is not None:
            self.lsh._redis.empty_buffer()


class MinHashLSHInsertionSession(_Session):
    """The context that `MinHashLSH.insertion_session` returns."""

    def __enter__(self) -> MinHashLSHInsertionSession:
        return self

    def insert(self, key: Hashable, minhash: Signature, check_duplication: bool = True) -> None:
        """Add a signature, as `MinHashLSH.insert` does. Keys of the session itself are not checked in Redis."""
        self.lsh._insert(key, minhash, check_duplication, True)


class MinHashLSHDeletionSession(_Session):
    """The context that `MinHashLSH.deletion_session` returns."""

    def __enter__(self) -> MinHashLSHDeletionSession:
        return self

    def remove(self, key: Hashable) -> None:
        """Remove a key, as `MinHashLSH.remove` does."""
        self.lsh._remove(key, True)


def _to_band_key(digest: object) -> bytes:
    """Return what a hashfunc returned as bytes. Numbers take 8 bytes, so that they have the same length."""
    if isinstance(digest, bytes | bytearray):
        return bytes(digest)
    if isinstance(digest, str):
        return digest.encode()
    if isinstance(digest, SupportsIndex):
        number = digest.__index__()
        if not -(1 << 63) <= number < 1 << 64:
            raise ValueError(f"hashfunc returned {number}; a number must have at most 64 bits")
        return (number & ((1 << 64) - 1)).to_bytes(8, "big")
    raise TypeError(
        f"hashfunc returned an object of type {type(digest).__name__!r}; it must return bytes, a str, or an int of up "
        "to 64 bits"
    )


def check_plan_arguments(threshold: float, num_perm: int, weights: tuple[float, float]) -> None:
    """Raise ValueError if no plan can be made of these arguments."""
    if not 0.0 <= threshold <= 1.0:
        raise ValueError(f"threshold is {threshold}; it must be in [0.0, 1.0]")
    if num_perm < 2:
        raise ValueError(f"num_perm is {num_perm}; it must be at least 2")
    if any(not 0.0 <= weight <= 1.0 for weight in weights):
        raise ValueError(f"weights are {tuple(weights)}; each must be in [0.0, 1.0]")
    if sum(weights) != 1.0:
        raise ValueError(f"weights are {tuple(weights)}; their sum must be 1.0")
