"""Tests of benzer.datasketch against values of datasketch 2.0.0, and against the package itself if it is installed."""

from __future__ import annotations

import base64
import copy
import gc
import json
import os
import pickle
import random
import subprocess
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from datasketch_vectors import FILE, SCHEMES, VALUES, describe, describe_pickles, make, some_sets

import benzer.datasketch as sketch

try:
    import datasketch as peer
except ImportError:
    peer = None

needs_peer = pytest.mark.skipif(peer is None, reason="datasketch is not installed")
PARTS = ("signatures", "bytes", "weighted", "indexes")
EXPECTED = json.loads(FILE.read_text())


@pytest.fixture(scope="module")
def described() -> Any:
    return json.loads(json.dumps(describe(sketch)))


@pytest.mark.parametrize("part,name", [(part, name) for part in PARTS for name in EXPECTED[part]])
def test_equals_stored_values(described: Any, part: str, name: str) -> None:
    assert described[part][name] == EXPECTED[part][name]


@needs_peer
def test_stored_values_are_those_of_datasketch() -> None:
    assert json.loads(json.dumps(describe(peer))) == {part: EXPECTED[part] for part in PARTS}


@pytest.mark.parametrize("name", EXPECTED["pickles"])
def test_reads_pickles_of_datasketch(name: str) -> None:
    found = sketch.loads(base64.b64decode(EXPECTED["pickles"][name]))
    own = pickle.loads(base64.b64decode(describe_pickles(sketch)[name]))
    assert type(found) is type(own)
    kind, _, scheme = name.partition(" ")
    if kind in ("lsh", "forest"):
        m = make(sketch, VALUES, num_perm=8, scheme=scheme or "affine32")
        answers = [index.query(m) if kind == "lsh" else index.query(m, 1) for index in (found, own)]
        assert answers == [["first"], ["first"]]
        assert found.keys["first"] == own.keys["first"]
        return
    assert found == own
    if kind == "minhash":
        for m in (found, own):
            m.update(b"one more")
        assert found == own


def test_refuses_other_classes_of_datasketch() -> None:
    with pytest.raises(pickle.UnpicklingError, match="datasketch.hnsw.HNSW"):
        sketch.loads(b"cdatasketch.hnsw\nHNSW\n.")


# --- signatures ----------------------------------------------------------------------------------


@needs_peer
@pytest.mark.parametrize("scheme", SCHEMES)
def test_random_signatures_equal_those_of_datasketch(scheme: str) -> None:
    rng = random.Random(scheme)
    for _ in range(60):
        options = {"num_perm": rng.randrange(1, 300), "seed": rng.randrange(1 << 32), "scheme": scheme}
        lists = [[rng.randbytes(rng.randrange(150)) for _ in range(rng.randrange(60))] for _ in range(4)]
        theirs, ours = peer.MinHash.bulk(lists, **options), sketch.MinHash.bulk(lists, **options)
        for a, b in zip(theirs, ours):
            assert a.hashvalues.dtype == b.hashvalues.dtype
            assert a.hashvalues.tobytes() == b.hashvalues.tobytes()
            assert a.count() == b.count()
        one = sketch.MinHash(**options)
        for value in lists[0]:
            one.update(value)
        assert one == ours[0]
        assert theirs[0].jaccard(theirs[1]) == ours[0].jaccard(ours[1])
        assert (peer.MinHash.union(*theirs).hashvalues == sketch.MinHash.union(*ours).hashvalues).all()


def test_values_may_be_any_buffer_and_any_iterable() -> None:
    want = make(sketch, [b"one", b"two"])
    assert make(sketch, (bytearray(b"one"), memoryview(b"two"))) == want
    assert make(sketch, iter({b"one", b"two"})) == want
    assert make(sketch, np.array([b"one", b"two"])) == want
    number = sketch.MinHash()
    number.update_batch(np.array([7], dtype="<i8"))
    assert number == make(sketch, [(7).to_bytes(8, "little")])
    assert make(sketch, []).is_empty()


@pytest.mark.parametrize("values", [["text"], [7], b"bytes", [b"fine", None]])
def test_refuses_values_without_bytes(values: Any) -> None:
    m = sketch.MinHash()
    with pytest.raises(TypeError, match="takes bytes"):
        m.update_batch(values)
    assert m.is_empty()


def test_update_leaves_the_old_array() -> None:
    m = sketch.MinHash(num_perm=4)
    before = m.hashvalues
    m.update(b"one")
    assert not np.array_equal(before, m.hashvalues)
    other = m.copy()
    other.update(b"two")
    assert not np.array_equal(other.hashvalues, m.hashvalues)


@pytest.mark.parametrize("scheme,hash_", [("affine32", 1 << 32), ("affine64", 1 << 64), ("affine32", -1)])
def test_refuses_hashes_out_of_range(scheme: str, hash_: int) -> None:
    m = sketch.MinHash(scheme=scheme, hashfunc=lambda value: hash_)
    with pytest.raises(ValueError, match="hashfunc returned a number"):
        m.update(b"")


@pytest.mark.parametrize("count", [0, 1, 63, 65, 128])
def test_hash_values_are_as_many_as_permutations(count):
    for put in (lambda m: m.update(b"x"), lambda m: m.update_batch([b"x"])):
        m = sketch.MinHash(num_perm=64)
        m.hashvalues = np.ones(count, dtype=m.hashvalues.dtype)
        with pytest.raises(ValueError, match="differ in number or type"):
            put(m)


@pytest.mark.parametrize(
    "call,words",
    [
        (lambda: sketch.MinHash(num_perm=0), "num_perm must be positive, and is 0"),
        (lambda: sketch.MinHash(scheme="other"), "must be one of affine32, affine64, legacy"),
        (lambda: sketch.MinHash(hashvalues=[1]), "scheme must be given"),
        (lambda: sketch.MinHash(hashvalues=[-1], scheme="affine32"), "out of range"),
        (lambda: sketch.MinHash(hashvalues=np.array([1 << 40]), scheme="affine32"), "have 1099511627776"),
        (lambda: sketch.MinHash(hashfunc=3), "hashfunc must be callable"),  # type: ignore[arg-type]
        (lambda: sketch.MinHash(permutations=[[2], [1]], num_perm=1, scheme="affine32"), "odd numbers"),
        (lambda: sketch.MinHash(permutations=[[1], [1]], num_perm=2, scheme="affine32"), "2 hashvalues and 1 perm"),
        (lambda: sketch.MinHash().jaccard(sketch.MinHash(seed=2)), "seeds 1 and 2"),
        (lambda: sketch.MinHash().merge(sketch.MinHash(64)), "128 and 64 hash values"),
        (lambda: sketch.MinHash.union(sketch.MinHash()), "at least 2 signatures, and got 1"),
        (lambda: sketch.LeanMinHash(), "either minhash must be given"),
        (lambda: sketch.LeanMinHash.deserialize(b"short"), "has 5 bytes"),
        (lambda: sketch.bBitMinHash(sketch.MinHash(), b=33), r"b is 33"),
        (lambda: sketch.MinHashLSH(threshold=2), r"threshold is 2; it must be in \[0.0, 1.0\]"),
        (lambda: sketch.MinHashLSH(params=(20, 20)), "20 bands of 20 rows"),
        (lambda: sketch.MinHashLSH(weights=(0.5, 0.4)), "sum must be 1.0"),
        (lambda: sketch.MinHashLSH(storage_config={"type": "cassandra"}), "'cassandra' is not supported: use 'redis'"),
        (lambda: sketch.MinHashLSH().insert("a", sketch.MinHash(64)), "64 hash values, and this index takes 128"),
        (lambda: sketch.MinHashLSH().remove("a"), "the key 'a' is not in the index"),
        (lambda: sketch.MinHashLSHForest(l=0), "must be positive"),
        (lambda: sketch.MinHashLSHEnsemble(m=1), r"m is 1"),
        (lambda: sketch.MinHashLSHEnsemble().index([]), "entries are empty"),
        (lambda: sketch.WeightedMinHashGenerator(2).minhash([0, 0]), "all weights"),
        (lambda: sketch.WeightedMinHashGenerator(2).minhash([1]), "has 1 dimensions"),
    ],
)
def test_errors_say_what_was_found_and_what_is_allowed(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", ["HNSW", "HyperLogLog", "HyperLogLogPlusPlus", "AsyncMinHashLSH", "MinHashLSHBloom"])
def test_says_what_to_use_instead(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"{name} is not a part of benzer.datasketch: use "):
        getattr(sketch, name)()


@needs_peer
def test_weighted_equals_datasketch() -> None:
    rng = np.random.default_rng(3)
    for dim in (1, 7, 64, 300):
        theirs, ours = (module.WeightedMinHashGenerator(dim, 32, seed=dim) for module in (peer, sketch))
        matrix = rng.uniform(0, 100, (20, dim)) * (rng.uniform(0, 1, (20, dim)) < 0.5)
        matrix[:, 0] = 1
        for vector in matrix:
            assert (theirs.minhash(vector).hashvalues == ours.minhash(vector).hashvalues).all()
        from scipy.sparse import csr_matrix

        for given in (matrix, csr_matrix(matrix)):
            for a, b in zip(theirs.minhash_many(given), ours.minhash_many(given)):
                assert (a.hashvalues == b.hashvalues).all()


# --- the index in memory -------------------------------------------------------------------------


class Model:
    """An index as plain tables of Python."""

    def __init__(self, bands: int, rows: int) -> None:
        self.bands, self.rows = bands, rows
        self.band_keys: dict[Any, list[bytes]] = {}

    def of(self, values: Any) -> list[bytes]:
        return [values[i * self.rows : (i + 1) * self.rows].byteswap().tobytes() for i in range(self.bands)]

    def insert(self, key: Any, values: Any) -> None:
        self.band_keys.setdefault(key, []).extend(self.of(values))

    def query(self, values: Any) -> set[Any]:
        wanted = set(enumerate(self.of(values)))
        return {
            key
            for key, band_keys in self.band_keys.items()
            if not wanted.isdisjoint((i % self.bands, band_key) for i, band_key in enumerate(band_keys))
        }

    def counts(self) -> list[dict[bytes, int]]:
        tables: list[dict[bytes, set[Any]]] = [{} for _ in range(self.bands)]
        for key, band_keys in self.band_keys.items():
            for i, band_key in enumerate(band_keys):
                tables[i % self.bands].setdefault(band_key, set()).add(key)
        return [{band_key: len(keys) for band_key, keys in table.items()} for table in tables]


@pytest.mark.parametrize("kind", ["affine32", "affine64", "legacy", "legacy, wide", "weighted"])
def test_random_commands_equal_a_model(kind: str) -> None:
    rng = np.random.default_rng(4)
    bands, rows = 4, 3
    lsh, model = sketch.MinHashLSH(num_perm=13, params=(bands, rows)), Model(bands, rows)

    def signature(wide: bool) -> Any:
        shape = (13, 2) if kind == "weighted" else 13
        # Few different values, so that buckets are shared.
        values = rng.integers(-1 if wide and kind == "weighted" else 0, 3, shape)
        if kind == "weighted":
            return sketch.WeightedMinHash(1, values)
        if wide and kind.endswith("wide"):
            values = values + (1 << 33)
        return sketch.LeanMinHash(seed=1, hashvalues=values.astype(np.uint64), scheme=kind.partition(",")[0])

    removed_any = False
    for step in range(1500):
        m = signature(wide=step > 700)
        key = int(rng.integers(0, 150))
        if rng.random() < (0 if step < 300 else 0.3 if step < 1200 else 0.9):
            removed_any = True
            known = key in model.band_keys
            if known:
                lsh.remove(key)
                del model.band_keys[key]
            else:
                pytest.raises(ValueError, lsh.remove, key)
        else:
            again = rng.random() < 0.1
            if key in model.band_keys and not again:
                pytest.raises(ValueError, lsh.insert, key, m)
            else:
                lsh.insert(key, m, check_duplication=not again)
                model.insert(key, m.hashvalues)
        found = lsh.query(m)
        assert len(found) == len(set(found))
        wanted = model.query(m.hashvalues)
        assert set(found) == wanted
        # In the order of insertion, until the first key is removed. A copy has no removed keys.
        in_order = [key for key in model.band_keys if key in wanted]
        assert found == in_order or removed_any
        if step % 100 == 0 or step > 1480:
            for index in (lsh, pickle.loads(pickle.dumps(lsh)), copy.deepcopy(lsh)):
                assert {key: list(index.keys[key]) for key in index.keys} == model.band_keys
                assert index.get_counts() == model.counts()
                assert index.query(m) == (found if index is lsh else in_order)
    subset = list(model.band_keys)[:3]
    assert len(lsh.get_subset_counts(*subset)) == bands


def test_views_of_tables() -> None:
    lsh = sketch.MinHashLSH(num_perm=8, params=(2, 4))
    m = make(sketch, [b"one"], num_perm=8)
    lsh.insert("a", m)
    lsh.insert("b", m)
    band_key = lsh.keys["a"][1]
    table = lsh.hashtables[1]
    assert list(table) == [band_key] and band_key in table and b"" not in table
    assert table[band_key] == {"a", "b"} and table.get(b"other") == set()
    assert len(lsh.keys) == 2 and "a" in lsh.keys and "c" not in lsh.keys and lsh.keys.get("c") == []
    assert len(sketch.MinHashLSH().hashtables[0]) == 0


def test_hash_values_in_columns() -> None:
    values = np.arange(16).reshape(2, 8).T
    assert not values.flags.c_contiguous
    lsh = sketch.MinHashLSH(num_perm=8, params=(2, 4))
    lsh.insert("a", sketch.WeightedMinHash(1, values))
    assert (
        lsh.query(sketch.WeightedMinHash(1, values)) == lsh.query(sketch.WeightedMinHash(1, values.copy("C"))) == ["a"]
    )


def test_own_hash_of_bands() -> None:
    lsh = sketch.MinHashLSH(num_perm=8, params=(2, 4), hashfunc=lambda band: band[:3])
    m = make(sketch, [b"one"], num_perm=8)
    lsh.insert("a", m)
    assert lsh.keys["a"] == [m.hashvalues[i : i + 1].byteswap().tobytes()[:3] for i in (0, 4)]
    assert lsh.query(m) == ["a"]
    other = sketch.MinHashLSH(num_perm=8, params=(2, 4), hashfunc=lambda band: band[:3])
    other.merge(lsh)
    assert other.query(m) == ["a"]
    uneven = sketch.MinHashLSH(num_perm=8, params=(2, 4), hashfunc=lambda band: band[: band[0] % 5 + 1])
    with pytest.raises(ValueError, match="same number"):
        for i in range(20):
            uneven.insert(i, make(sketch, [b"%d" % i], num_perm=8))


def test_merge_needs_the_same_form() -> None:
    lsh = sketch.MinHashLSH(num_perm=8, params=(2, 4))
    with pytest.raises(ValueError, match="8 hash values in 2 bands of 4 rows"):
        lsh.merge(sketch.MinHashLSH(num_perm=8, params=(4, 2)))
    lsh.insert("a", sketch.MinHash(8))
    with pytest.raises(ValueError, match="scheme 'legacy'"):
        lsh.insert("b", sketch.MinHash(8, scheme="legacy"))
    other = sketch.MinHashLSH(num_perm=8, params=(2, 4))
    other.insert("b", sketch.MinHash(8, scheme="legacy"))
    with pytest.raises(ValueError, match="scheme 'legacy'"):
        lsh.merge(other)


class Awkward:
    """A key that calls the index while it is compared."""

    def __init__(self, lsh: Any, number: int) -> None:
        self.lsh, self.number = lsh, number

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        self.lsh.insert(object(), sketch.MinHash(8), check_duplication=False)
        gc.collect()
        return isinstance(other, Awkward) and self.number == other.number


def test_keys_that_call_the_index() -> None:
    lsh = sketch.MinHashLSH(num_perm=8, params=(2, 4))
    keys = [Awkward(lsh, i) for i in range(6)]
    for i, key in enumerate(keys):
        lsh.insert(key, make(sketch, [b"%d" % i], num_perm=8))
    for i, key in enumerate(keys):
        assert [k.number for k in lsh.query(make(sketch, [b"%d" % i], num_perm=8)) if isinstance(k, Awkward)] == [i]
        lsh.remove(key)
    with pytest.raises(TypeError, match="unhashable"):
        lsh.insert([], sketch.MinHash(8), check_duplication=False)
    assert not [key for key in lsh.query(sketch.MinHash(8)) if isinstance(key, list)]


def test_cycles_are_collected() -> None:
    class Key:
        lsh: Any

    lsh, key = sketch.MinHashLSH(num_perm=8, params=(2, 4)), Key()
    key.lsh = lsh
    lsh.insert(key, sketch.MinHash(8))
    alive = weakref.ref(key)
    del lsh, key
    gc.collect()
    assert alive() is None


def test_threads() -> None:
    lsh = sketch.MinHashLSH(num_perm=16, params=(4, 4))
    signatures = sketch.MinHash.bulk([[b"%d" % i] for i in range(400)], num_perm=16)
    wrong: list[Any] = []

    def work(part: int) -> None:
        for i in range(part, 400, 4):
            lsh.insert(i, signatures[i])
            if i not in lsh.query(signatures[i]):
                wrong.append(i)
            if i % 8 == part:
                lsh.remove(i)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sorted(lsh.keys) == [i for i in range(400) if i % 8 >= 4]


@needs_peer
def test_indexes_answer_as_datasketch() -> None:
    rng = random.Random(5)
    lists = [[b"%d" % rng.randrange(40) for _ in range(30)] for _ in range(200)]
    answers = []
    for module in (peer, sketch):
        signatures = module.MinHash.bulk(lists, num_perm=64)
        lsh = module.MinHashLSH(threshold=0.6, num_perm=64)
        forest = module.MinHashLSHForest(num_perm=64)
        for key, m in enumerate(signatures):
            lsh.insert(key, m)
            forest.add(key, m)
        forest.index()
        for key in range(0, 200, 3):
            lsh.remove(key)
        lsh.add_to_query_buffer(signatures[0])
        lsh.add_to_query_buffer(signatures[1])
        answers.append(
            (
                [sorted(lsh.query(m)) for m in signatures],
                [sorted(forest.query(m, 5)) for m in signatures],
                sorted(lsh.collect_query_buffer()),
                lsh.get_subset_counts(1, 2, 4),
            )
        )
    assert answers[0] == answers[1]


def test_ensemble_finds_what_contains_the_query() -> None:
    rng = random.Random(6)
    sizes = [rng.randrange(20, 400) for _ in range(150)]
    signatures = [make(sketch, [b"%d" % j for j in range(size)]) for size in sizes]
    ensemble = sketch.MinHashLSHEnsemble(threshold=0.9, num_part=8)
    ensemble.index(zip(range(150), signatures, sizes))
    found = wanted = 0
    for m, size in zip(signatures, sizes):
        keys = list(ensemble.query(m, size))
        assert len(keys) == len(set(keys))
        expected = {i for i, other in enumerate(sizes) if other >= size}
        found += len(expected & set(keys))
        wanted += len(expected)
    assert found / wanted > 0.4
    assert 3 in ensemble and 150 not in ensemble
    again = pickle.loads(pickle.dumps(ensemble))
    assert sorted(again.query(signatures[0], sizes[0])) == sorted(ensemble.query(signatures[0], sizes[0]))


@needs_peer
def test_ensembles_answer_as_datasketch() -> None:
    rng = random.Random(7)
    sizes = [rng.randrange(20, 400) for _ in range(100)]
    starts = [rng.randrange(300) for _ in sizes]
    lists = [[b"%d" % j for j in range(start, start + size)] for start, size in zip(starts, sizes)]
    answers = []
    for module in (peer, sketch):
        signatures = module.MinHash.bulk(lists, num_perm=64)
        for parts in (1, 2, 5, 16):
            ensemble = module.MinHashLSHEnsemble(threshold=0.8, num_perm=64, num_part=parts)
            ensemble.index(list(zip(range(100), signatures, sizes)))
            answers.append([sorted(ensemble.query(m, size)) for m, size in zip(signatures, sizes)])
    assert answers[:4] == answers[4:]


@needs_peer
def test_plans_equal_those_of_datasketch() -> None:
    for threshold in (0.05, 0.35, 0.6, 0.75, 0.85, 0.9):
        for num_perm in (64, 128, 200):
            for weights in ((0.5, 0.5), (0.1, 0.9), (0.7, 0.3)):
                options = {"threshold": threshold, "num_perm": num_perm, "weights": weights}
                theirs, ours = peer.MinHashLSH(**options), sketch.MinHashLSH(**options)
                assert (theirs.b, theirs.r) == (ours.b, ours.r)
        theirs, ours = (module.MinHashLSHEnsemble(threshold=threshold, num_part=1) for module in (peer, sketch))
        assert (theirs.params == ours.params).all()


def test_sets_share_bands_with_neighbours() -> None:
    lsh = sketch.MinHashLSH(threshold=0.5)
    for key, m in enumerate(sketch.MinHash.bulk(some_sets())):
        lsh.insert(key, m)
    assert {2, 3, 4} <= set(lsh.query(make(sketch, some_sets()[3])))


@pytest.mark.parametrize("level", ["baseline", "avx2", "avx512"])
def test_all_cpu_levels_compute_the_same(level: str) -> None:
    code = (
        "import json; import benzer.datasketch as sketch; from datasketch_vectors import FILE, describe_signatures;"
        "expected = json.loads(FILE.read_text())['signatures'];"
        "assert json.loads(json.dumps(describe_signatures(sketch))) == expected"
    )
    environment = {**os.environ, "BENZER_CPU": level, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
