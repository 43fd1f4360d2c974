"""Tests of the indexes of benzer.datasketch: keys with code of their own, types of hash values."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from datasketch_vectors import make

import benzer.datasketch as sketch

try:
    import datasketch as peer
except ImportError:
    peer = None

needs_peer = pytest.mark.skipif(peer is None, reason="datasketch is not installed")


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


# --- types of hash values ------------------------------------------------------------------------


def weighted(numbers: list[int], kind: Any, module: Any = sketch) -> Any:
    hashvalues = module.WeightedMinHashGenerator(3, 8).minhash(numbers).hashvalues
    return module.WeightedMinHash(1, hashvalues.astype(kind))


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint32])
def test_merges_and_pickles_of_any_type_of_numbers(kind: Any) -> None:
    a, b = weighted([1, 2, 3], kind), weighted([9, 0, 1], kind)
    first, second = small_index(), small_index()
    first.insert("a", a)
    second.insert("b", b)
    assert first.query(b) == []
    for target, keys in ((second, ["b"]), (small_index(), [])):
        target.merge(first)
        for index in (target, pickle.loads(pickle.dumps(target))):
            assert (index.query(a), index.query(b)) == (["a"], keys)
            assert index.keys["a"] == first.keys["a"]
            assert first.get_counts()[0].items() <= index.get_counts()[0].items()
            index.remove("a")
            assert index.query(a) == []
            index.insert("a", a)


@needs_peer
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_reads_pickles_of_any_type_of_numbers(kind: Any) -> None:
    theirs = peer.MinHashLSH(num_perm=8, params=(2, 4))
    theirs.insert("a", weighted([1, 2, 3], kind, peer))
    ours = sketch.loads(pickle.dumps(theirs))
    assert ours.query(weighted([1, 2, 3], kind)) == ["a"]
    ours.insert("b", weighted([1, 2, 3], kind))
    assert ours.query(weighted([1, 2, 3], kind)) == ["a", "b"]
    assert ours.keys["a"] == ours.keys["b"] == list(theirs.keys["a"])


def test_a_merge_that_is_refused_changes_nothing() -> None:
    lsh, other = small_index(), small_index()
    lsh.insert("a", weighted([1, 2, 3], np.int64))
    other.insert("b", sketch.MinHash(8))
    words = "a band of 4 values of 4 bytes was given, and this index has bands of 8 values of 8 bytes"
    with pytest.raises(ValueError, match=words):
        lsh.merge(other)
    assert list(lsh.keys) == ["a"]
    assert lsh._minhash_scheme is None
    other.merge(small_index())
    assert other._minhash_scheme == "affine32"


def test_forest_returns_the_pairs_of_a_weighted_signature() -> None:
    forest = sketch.MinHashLSHForest(8, 2)
    m = sketch.WeightedMinHash(1, np.arange(-8, 8).reshape(8, 2))
    forest.add("a", m)
    assert np.array_equal(forest.get_minhash_hashvalues("a"), m.hashvalues)
    assert sketch.WeightedMinHash(1, forest.get_minhash_hashvalues("a")) == m
    forest.keys["a"][1] = b"short"
    with pytest.raises(ValueError, match="damaged"):
        forest.get_minhash_hashvalues("a")


HASHES: list[Callable[[bytes], Any]] = [
    lambda band: hashlib.md5(band).hexdigest(),
    lambda band: hashlib.md5(band).digest(),
    zlib.crc32,
    hash,
    lambda band: np.uint64(zlib.crc32(band)),
    lambda band: bytearray(band[:2]),
]


@pytest.mark.parametrize("hashfunc", HASHES)
def test_a_hashfunc_may_return_bytes_text_or_a_number(hashfunc: Any) -> None:
    lsh, other = small_index(hashfunc=hashfunc), small_index(hashfunc=hashfunc)
    for i in range(50):
        lsh.insert(i, signature(b"%d" % i))
    assert [lsh.query(signature(b"%d" % i)) for i in range(50)] == [[i] for i in range(50)]
    other.merge(lsh)
    assert other.query(signature(b"7")) == [7]
    assert all(isinstance(band_key, bytes) for band_key in lsh.keys[7])
    assert list(lsh.hashtables[0][lsh.keys[7][0]]) == [7]


@needs_peer
@pytest.mark.parametrize("hashfunc", [None, peer and peer.sha1_hash32, hash])
def test_reads_pickles_with_a_hashfunc(hashfunc: Any) -> None:
    theirs = peer.MinHashLSH(num_perm=8, params=(2, 4), hashfunc=hashfunc)
    for i in range(5):
        theirs.insert(i, make(peer, [b"%d" % i], num_perm=8))
    ours = sketch.loads(pickle.dumps(theirs))
    assert [ours.query(signature(b"%d" % i)) for i in range(5)] == [[i] for i in range(5)]


@pytest.mark.parametrize(
    "digest,kind,words",
    [
        (None, TypeError, "hashfunc returned an object of type 'NoneType'; it must return bytes, a str, or an int"),
        ((1, 2), TypeError, "type 'tuple'"),
        (1 << 64, ValueError, "hashfunc returned 18446744073709551616; a number must have at most 64 bits"),
        (-(1 << 63) - 1, ValueError, "at most 64 bits"),
    ],
)
def test_refuses_other_results_of_a_hashfunc(digest: Any, kind: Any, words: str) -> None:
    lsh = small_index(hashfunc=lambda band: digest)
    with pytest.raises(kind, match=words):
        lsh.insert("a", sketch.MinHash(8))
    assert lsh.is_empty()
    lengths = iter([2, 2, 3, 3])
    lsh = small_index(hashfunc=lambda band: band[: next(lengths)])
    lsh.insert("a", sketch.MinHash(8))
    with pytest.raises(ValueError, match=r"a band of 3 bytes was given, .* has bands of 2 bytes: a hashfunc has to"):
        lsh.insert("b", sketch.MinHash(8))


def test_numbers_without_a_fraction_are_whole() -> None:
    lsh = sketch.MinHashLSH(num_perm=128.0, params=(2.0, np.int64(4)))  # type: ignore[arg-type]
    assert (lsh.h, lsh.b, lsh.r) == (128, 2, 4)
    assert sketch.MinHashLSH(num_perm=np.int32(128)).b == sketch.MinHashLSH(num_perm=128.0).b  # type: ignore[arg-type]
    sketch.MinHashLSHEnsemble(num_perm=16.0, num_part=2, m=4)  # type: ignore[arg-type]
    assert sketch.MinHashLSHForest(num_perm=16.0, l=8).k == 2  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"num_perm is 128\.5; it must be a whole number"):
        sketch.MinHashLSH(num_perm=128.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a number of params is 2\.5; it must be a whole number"):
        sketch.MinHashLSH(params=(2.5, 4))  # type: ignore[arg-type]
    for rows in (0, -1):
        with pytest.raises(ValueError, match=rf"2 bands of {rows} rows; at least 1 row is needed"):
            sketch.MinHashLSH(params=(2, rows))
