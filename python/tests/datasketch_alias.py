"""A plugin of pytest that lets tests of datasketch run against benzer.datasketch (see datasketch_suite.py)."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import types
import unittest.mock
from typing import Any

import benzer.datasketch

SUBMODULES = (
    "b_bit_minhash",
    "hashfunc",
    "lean_minhash",
    "lsh",
    "lshensemble",
    "lshforest",
    "minhash",
    "storage",
    "weighted_minhash",
)


def fake_hash_func(data: Any) -> Any:
    """Return what was given, which the tests have in a module that the archive lacks."""
    return data


def install_aliases() -> None:
    sys.modules["datasketch"] = benzer.datasketch
    for name in SUBMODULES:
        sys.modules[f"datasketch.{name}"] = importlib.import_module(f"benzer.datasketch.{name}")
    sys.modules.setdefault("mock", unittest.mock)
    tests, utils = types.ModuleType("test"), types.ModuleType("test.utils")
    tests.__path__ = []
    fake_hash_func.__module__ = "test.utils"
    utils.fake_hash_func = fake_hash_func  # type: ignore[attr-defined]
    sys.modules["test"], sys.modules["test.utils"] = tests, utils


def install_removal() -> None:
    """Let mockredis do what the script of a removal does: for scripts it needs a package that is not maintained."""
    import mockredis.client

    def remove(self: Any, script: str, count: int, keys: bytes, name: bytes, key: bytes, *buckets: bytes) -> int:
        assert script == benzer.datasketch._redis_tables._REMOVE
        band_keys = self.lrange(name, 0, -1)
        self.delete(name)
        self.hdel(keys, key)
        for i, band_key in enumerate(band_keys):
            bucket = buckets[i % len(buckets)]
            self.srem(bucket + band_key, key)
            if not self.exists(bucket + band_key):
                self.hdel(bucket, band_key)
        return len(band_keys)

    mockredis.client.MockRedis.eval = remove


def set_default_scheme(scheme: str) -> None:
    """Let signatures have this scheme if none is given: tests of datasketch 1.x know `legacy` only."""

    def with_default(init: Any, of_minhash: bool) -> Any:
        @functools.wraps(init)
        def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
            from_values = not args and kwargs.get("minhash") is None
            if of_minhash or from_values:
                kwargs.setdefault("scheme", scheme)
            init(self, *args, **kwargs)

        return wrapped

    for kind, of_minhash in ((benzer.datasketch.MinHash, True), (benzer.datasketch.LeanMinHash, False)):
        kind.__init__ = with_default(kind.__init__, of_minhash)  # type: ignore[method-assign]


install_aliases()
install_removal()
if os.environ.get("BENZER_DATASKETCH_SCHEME"):
    set_default_scheme(os.environ["BENZER_DATASKETCH_SCHEME"])
