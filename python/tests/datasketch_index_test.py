"""Tests of the indexes of benzer.datasketch: keys with code of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from datasketch_vectors import make

import benzer.datasketch as sketch


def small_index(**options: Any) -> sketch.MinHashLSH:
    return sketch.MinHashLSH(num_perm=8, params=(2, 4), **options)


def signature(value: bytes) -> sketch.MinHash:
    return make(sketch, [value], num_perm=8)  # type: ignore[no-any-return]


# --- keys with code of their own -----------------------------------------------------------------


class Interrupting:
    """A key that does something else at one of the calls of its hash function."""

    def __init__(self) -> None:
        self.calls_until = 0
        self.action: Callable[[], object] = lambda: None

    def __hash__(self) -> int:
        self.calls_until -= 1
        if self.calls_until == 0:
            self.action()
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interrupting)


def in_another_thread(action: Callable[[], object]) -> Callable[[], object]:
    def run() -> None:
        thread = threading.Thread(target=action)
        thread.start()
        thread.join()

    return run


@pytest.mark.parametrize("where", [lambda action: action, in_another_thread], ids=["same thread", "other thread"])
@pytest.mark.parametrize("call", [1, 2, 3, 4])
@pytest.mark.parametrize("hashfunc", [None, lambda band: band[:4]], ids=["plain", "hashed"])
def test_a_key_that_is_inserted_meanwhile(where: Callable[[Any], Any], call: int, hashfunc: Any) -> None:
    lsh = small_index(hashfunc=hashfunc)
    key, other = Interrupting(), Interrupting()
    a, b = signature(b"a"), signature(b"b")
    inserted = []

    def insert_other() -> None:
        lsh.insert(other, b)
        inserted.append("other")

    key.calls_until, key.action = call, where(insert_other)
    try:
        lsh.insert(key, a)
        inserted.append("key")
    except ValueError as error:
        assert "in the index already" in str(error)
    key.calls_until = 0
    assert len(inserted) == 1
    assert len(lsh.keys) == 1
    assert len(lsh.query(a)) + len(lsh.query(b)) == 1
    lsh.remove(key)
    assert lsh.query(a) == lsh.query(b) == []
    assert lsh.is_empty()


@pytest.mark.parametrize("call", [1, 2, 3])
def test_a_key_that_is_removed_and_inserted_meanwhile(call: int) -> None:
    lsh = small_index()
    key, other = Interrupting(), Interrupting()
    a, b = signature(b"a"), signature(b"b")
    lsh.insert(other, a)

    def replace() -> None:
        lsh.remove(other)
        lsh.insert(other, b)

    key.calls_until, key.action = call, replace
    lsh.remove(key)
    key.calls_until = 0
    assert lsh.query(a) == []
    assert [key in lsh] * 2 == [bool(lsh.query(b)), not lsh.is_empty()]


def test_a_key_with_two_signatures_that_inserts_when_it_is_destroyed() -> None:
    lsh = small_index()
    a, b = signature(b"a"), signature(b"b")
    # Rows are given again when there are 64 removed ones, the lowest first.
    for i in range(62):
        lsh.insert(i, b)
        lsh.remove(i)

    class Key:
        def __hash__(self) -> int:
            return 7

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Key)

        def __del__(self) -> None:
            for _ in range(70):
                lsh.insert(len(lsh.keys), a)

    lsh.insert(Key(), a, check_duplication=False)
    lsh.insert(Key(), b, check_duplication=False)
    lsh.remove(Key())
    assert sorted(lsh.keys) == sorted(lsh.query(a)) == list(range(210))
    assert lsh.query(b) == []


def test_the_garbage_collector_may_call_the_index() -> None:
    # In a process of its own, since a wrong pointer would end it.
    code = """
import gc
import benzer.datasketch as sketch
signatures = sketch.MinHash.bulk([[b"%d" % i] for i in range(20_000)], num_perm=8)
for threshold in (1, 2, 3, 5, 50, 500):
    for call in ("bucket_sizes", "band_keys", "query", "bucket"):
        lsh = sketch.MinHashLSH(num_perm=8, params=(2, 4))
        for i in range(300):
            lsh.insert(i, signatures[i])
        class Node:
            def __del__(self):
                for i in range(300):
                    lsh.remove(i)
                for i in range(300, 20_000):
                    lsh.insert(i, signatures[i])
        index = lsh._index
        band_keys = index.band_keys(7)
        arguments = {
            "bucket_sizes": (0,),
            "band_keys": (7,),
            "query": (signatures[7].hashvalues, 2),
            "bucket": (0, band_keys[0]),
        }[call]
        sound = {
            "bucket_sizes": lambda found: len(found) == sum(found.values()) and len(found) in (300, 19_700),
            "band_keys": lambda found: found in (band_keys, None),
            "query": lambda found: found in ([7], []),
            "bucket": lambda found: found in ([7], []),
        }[call]
        function = getattr(index, call)
        gc.disable()
        node = Node()
        node.itself = node
        del node
        kept = [[] for _ in range(300)]
        gc.set_threshold(threshold)
        gc.enable()
        found = function(*arguments)
        gc.disable()
        assert sound(found), (threshold, call, found)
        gc.collect()
        assert sorted(lsh.keys) == list(range(300, 20_000))
print("sound")
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (result.returncode, result.stdout) == (0, "sound\n"), result.stderr
