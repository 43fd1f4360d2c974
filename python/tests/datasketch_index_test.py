"""Tests of the indexes of benzer.datasketch: keys with code of their own, types of hash values, sizes of sets."""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import subprocess
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from datasketch_vectors import make

import benzer.datasketch as sketch
from benzer.datasketch._partitions import optimal_partitions

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


# --- sizes of sets -------------------------------------------------------------------------------


def nested_sets(module: Any) -> list[Any]:
    lists = [[b"%d" % j for j in range(size)] for size in (10, 20, 30, 40, 50)]
    return list(module.MinHash.bulk(lists, num_perm=32))


SIZES: list[Callable[[Any, int], Any]] = [
    lambda m, i: m.count(),
    lambda m, i: 10 * i + 10.5,
    lambda m, i: np.float64(10 * i + 10.5),
    lambda m, i: np.int64(10 * i + 10),
    lambda m, i: Fraction(1, 3) + i,
]


@pytest.mark.parametrize("num_part", [1, 2, 3, 8])
@pytest.mark.parametrize("size_of", SIZES)
def test_sizes_need_not_be_whole(size_of: Callable[[Any, int], Any], num_part: int) -> None:
    answers = []
    for module in (sketch,) if peer is None else (sketch, peer):
        ensemble = module.MinHashLSHEnsemble(threshold=0.5, num_perm=32, num_part=num_part, m=4)
        signatures = nested_sets(module)
        sizes = [size_of(m, i) for i, m in enumerate(signatures)]
        ensemble.index([(i, m, size) for i, (m, size) in enumerate(zip(signatures, sizes))])
        found = [sorted(ensemble.query(m, size)) for m, size in zip(signatures, sizes)]
        assert all(i in keys for i, keys in enumerate(found))
        answers.append((found, [upper and float(upper) for upper in ensemble.uppers]))
    assert answers[0] == answers[-1]


@pytest.mark.parametrize(
    "entry,kind,words",
    [
        (("last", sketch.MinHash(32), 0), ValueError, "the entry 'last' has size 0; sizes must be positive and finite"),
        (("last", sketch.MinHash(32), float("nan")), ValueError, "has size nan"),
        (("last", sketch.MinHash(32), float("inf")), ValueError, "has size inf"),
        (("last", sketch.MinHash(16), 60), ValueError, "'last' has 16 hash values, and this index takes 32"),
        (("last", sketch.MinHash(32, scheme="legacy"), 60), ValueError, "scheme 'legacy'"),
        (("last", weighted([1, 2, 3], int), 60), ValueError, "'last' has 8 hash values"),
        (([], sketch.MinHash(32), 60), TypeError, "unhashable"),
        ((4, sketch.MinHash(32), 50), ValueError, "the key 4 is in the entries twice"),
        (("last", sketch.MinHash(32)), ValueError, "unpack"),
    ],
)
def test_entries_that_are_refused_leave_an_ensemble_empty(entry: Any, kind: Any, words: str) -> None:
    ensemble = sketch.MinHashLSHEnsemble(threshold=0.5, num_perm=32, num_part=2, m=4)
    entries = [(i, m, 10 * i + 10) for i, m in enumerate(nested_sets(sketch))]
    with pytest.raises(kind, match=words):
        ensemble.index([*entries, entry])
    assert ensemble.is_empty()
    assert ensemble.uppers == [None, None]
    ensemble.index(entries)
    assert 4 in ensemble


def partitions_by_a_matrix(sizes: list[int], counts: list[int], num_part: int) -> list[tuple[int, int]]:
    """The same as datasketch, with the costs of all pairs of sizes at once."""
    n = len(sizes)
    if num_part < 2:
        return [(sizes[0], sizes[-1])]
    if num_part >= n:
        return [(size, size) for size in sizes]

    def cost(low: int, high: int) -> Fraction:
        return sum(
            (Fraction(counts[i] * (sizes[high] - sizes[i]), sizes[high]) for i in range(low, high + 1)), Fraction()
        )

    costs = [[float(cost(low, high)) if low <= high else 0.0 for high in range(n)] for low in range(n)]
    least = {1: costs[0]}
    for parts in range(2, num_part):
        least[parts] = [0.0] * n
        for u in range(parts - 1, n):
            least[parts][u] = min(least[parts - 1][i] + costs[i + 1][u] for i in range(parts - 2, u))
    result, last = [], n - 1
    for parts in range(num_part, 1, -1):
        before = least[parts - 1] if parts == num_part else least[parts]
        end = min(range(parts - 2, last), key=lambda i: (before[i] + costs[i + 1][last], i))
        result.append((sizes[end + 1], sizes[last]))
        last = end
    return [(sizes[0], sizes[last]), *result[::-1]]


def random_partitionings(seed: int) -> Iterator[tuple[list[int], list[int], int]]:
    """Yield sizes, how many sets have each of them, and a number of partitions."""
    rng = random.Random(seed)
    for _ in range(150):
        n = rng.randrange(1, 30)
        sizes = sorted(rng.sample(range(1, 500), n))
        counts = [rng.randrange(1, 9) for _ in sizes]
        yield sizes, counts, rng.randrange(1, 12)


def test_random_partitions() -> None:
    for sizes, counts, num_part in random_partitionings(8):
        found = optimal_partitions(sizes, counts, num_part)
        assert found == partitions_by_a_matrix(sizes, counts, num_part)


@needs_peer
def test_random_partitions_equal_those_of_datasketch() -> None:
    from datasketch.lshensemble_partition import optimal_partitions as theirs

    for sizes, counts, num_part in random_partitionings(9):
        assert optimal_partitions(sizes, counts, num_part) == theirs(np.array(sizes), np.array(counts), num_part)


def test_memory_of_partitions_grows_with_the_number_of_sizes() -> None:
    def peak(n: int) -> int:
        tracemalloc.start()
        optimal_partitions(list(range(1, n + 1)), [1] * n, 4)
        result = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return result

    assert peak(2000) < 3 * peak(1000)
