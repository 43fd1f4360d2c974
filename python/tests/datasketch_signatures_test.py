"""Tests of signatures of benzer.datasketch: inputs that change while they are read, buffers, weights and pickles."""

from __future__ import annotations

import array
import copy
import ctypes
import itertools
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import benzer.datasketch as sketch

try:
    import datasketch as peer
except ImportError:
    peer = None

needs_peer = pytest.mark.skipif(peer is None, reason="datasketch is not installed")


def words(number: int, count: int = 20) -> list[bytes]:
    return [b"%d-%d" % (number, j) for j in range(count)]


# --- inputs that change while they are read ------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 130])
def test_bulk_of_a_list_that_is_used_again(count: int) -> None:
    def lists() -> Iterator[list[bytes]]:
        used_again: list[bytes] = []
        for i in range(count):
            used_again[:] = words(i)
            yield used_again

    assert sketch.MinHash.bulk(lists(), num_perm=16) == sketch.MinHash.bulk(map(words, range(count)), num_perm=16)
    assert list(sketch.MinHash.generator(lists(), num_perm=16)) == sketch.MinHash.bulk(lists(), num_perm=16)


def test_bulk_of_groups() -> None:
    rows = [(i, word) for i in range(70) for word in words(i, i % 4)]
    groups = itertools.groupby(rows, key=lambda row: row[0])
    found = sketch.MinHash.bulk(((word for _, word in group) for _, group in groups), num_perm=16)
    assert found == sketch.MinHash.bulk([words(i, i % 4) for i in range(70) if i % 4], num_perm=16)


def test_bulk_reads_each_list_before_it_asks_for_the_next() -> None:
    alive: list[int] = []

    def values(i: int) -> Iterator[bytes]:
        alive.append(i)
        yield from words(i)
        alive.remove(i)

    def lists() -> Iterator[Iterator[bytes]]:
        for i in range(100):
            assert not alive
            yield values(i)

    assert len(sketch.MinHash.bulk(lists(), num_perm=16)) == 100


def test_bulk_says_what_the_lists_raise() -> None:
    def lists() -> Iterator[list[bytes]]:
        yield words(0)
        raise RuntimeError("the source has ended")

    with pytest.raises(RuntimeError, match="the source has ended"):
        sketch.MinHash.bulk(lists())
    with pytest.raises(TypeError, match="takes bytes"):
        sketch.MinHash.bulk([words(0), ["text"]])


@pytest.mark.parametrize(
    "kind", [bytearray, lambda size: memoryview(bytearray(size)), lambda size: np.zeros(size, "u1")]
)
def test_values_in_a_buffer_that_is_used_again(kind: Callable[[int], Any]) -> None:
    def values() -> Iterator[Any]:
        used_again = kind(4)
        for i in range(100):
            used_again[:] = memoryview(i.to_bytes(4, "little"))
            yield used_again

    want = sketch.MinHash(16)
    want.update_batch([i.to_bytes(4, "little") for i in range(100)])
    found = sketch.MinHash(16)
    found.update_batch(values())
    assert found == want
    assert sketch.MinHash.bulk([values(), values()], num_perm=16) == [want, want]


@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
def test_more_values_than_are_hashed_at_a_time(scheme: str) -> None:
    # 65,536 values or 16 MiB are hashed at a time.
    many = [b"%d" % i for i in range(70_000)]
    wanted = []
    for half in (many[:35_000], many[35_000:]):
        m = sketch.MinHash(16, scheme=scheme)
        m.update_batch(half)
        wanted.append(m)
    want = sketch.MinHash.union(*wanted)
    found = sketch.MinHash(16, scheme=scheme)
    found.update_batch(iter(many))
    assert found == want
    few = sketch.MinHash.bulk([words(1)], num_perm=16, scheme=scheme)[0]
    assert sketch.MinHash.bulk([words(1), many, [], words(1), many], num_perm=16, scheme=scheme) == [
        few,
        want,
        sketch.MinHash(16, scheme=scheme),
        few,
        want,
    ]
    large = [bytes([i]) * (5 << 20) for i in range(8)]
    one_by_one = sketch.MinHash(16, scheme=scheme)
    for value in large:
        one_by_one.update(value)
    assert sketch.MinHash.bulk([large, words(1)], num_perm=16, scheme=scheme) == [one_by_one, few]


# --- buffers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
@pytest.mark.parametrize(
    "kind",
    [
        bytearray,
        ctypes.create_string_buffer,
        lambda size: (ctypes.c_ubyte * size)(),
        lambda size: np.zeros(size, np.int8),
        lambda size: array.array("b", bytes(size)),
        lambda size: np.zeros(-(-size // 4), np.uint32),
        lambda size: memoryview(bytearray(size)).cast("B", (1, size)),
    ],
)
def test_serialize_to_any_buffer(kind: Callable[[int], Any], scheme: str) -> None:
    m = sketch.MinHash(6, scheme=scheme)
    m.update(b"one")
    lean = sketch.LeanMinHash(m)
    plain = bytearray(lean.bytesize())
    lean.serialize(plain)
    buffer = kind(len(plain))
    lean.serialize(buffer)
    assert memoryview(buffer).tobytes()[: len(plain)] == plain
    assert sketch.LeanMinHash.deserialize(buffer) == lean


def test_serialize_writes_nothing_to_a_buffer_that_is_too_small() -> None:
    lean = sketch.LeanMinHash(sketch.MinHash(8))
    buffer = np.zeros(lean.bytesize() // 4 - 1, np.uint32)
    with pytest.raises(ValueError, match=rf"has {buffer.nbytes} bytes, and the signature needs {lean.bytesize()}"):
        lean.serialize(buffer)
    assert not buffer.any()
    with pytest.raises(TypeError):
        lean.serialize(bytes(lean.bytesize()))


# --- weights -------------------------------------------------------------------------------------


def with_repeated_columns() -> Any:
    csr_matrix = pytest.importorskip("scipy.sparse").csr_matrix
    # The rows are 4 0 1 1, 0 0 5 0, 200 0 0 0 (of numbers of 8 bits), 0 3 0 0 (without a zero sum) and 0 0 0 0.
    data = np.array([1, 1, 1, 1, 1, 1, 3, 2, 100, 100, 7, 3, -7], dtype=np.int8)
    columns = [0, 3, 0, 0, 0, 2, 2, 2, 0, 0, 3, 1, 3]
    return csr_matrix((data, columns, [0, 6, 8, 10, 13, 13]), shape=(5, 4))


def test_repeated_columns_are_added_up() -> None:
    matrix = with_repeated_columns()
    before = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
    generator = sketch.WeightedMinHashGenerator(4, 64)
    dense = np.array([[4, 0, 1, 1], [0, 0, 5, 0], [200, 0, 0, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
    assert generator.minhash_many(matrix) == generator.minhash_many(dense)
    after = matrix.data, matrix.indices, matrix.indptr
    assert all(np.array_equal(a, b) for a, b in zip(before, after))


@needs_peer
def test_repeated_columns_as_in_datasketch() -> None:
    # Without the row with a zero sum, which datasketch cannot read.
    matrix = with_repeated_columns()[:3]
    theirs, ours = (module.WeightedMinHashGenerator(4, 64).minhash_many(matrix) for module in (peer, sketch))
    for a, b in zip(theirs, ours):
        assert (a.hashvalues == b.hashvalues).all()


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1.0, -float("inf")])
def test_refuses_what_is_not_a_weight(weight: float) -> None:
    generator = sketch.WeightedMinHashGenerator(3, 8)
    vector = np.array([1.0, weight, 2.0])
    with pytest.raises(ValueError, match=r"the vector has weight -?\w+(\.0)? in dimension 1; weights must be finite"):
        generator.minhash(vector)
    matrix = np.array([[1.0, 2.0, 3.0], vector])
    with pytest.raises(ValueError, match=r"row 1 has weight -?\w+(\.0)? in dimension 1; weights must be finite"):
        generator.minhash_many(matrix)
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="row 1 has weight"):
        generator.minhash_many(sparse.csr_matrix(matrix))


# --- pickles -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
@pytest.mark.parametrize("b", [0, 1, 3, 8, 32])
def test_a_b_bit_signature_that_was_cut_off(b: int, scheme: str) -> None:
    m = sketch.MinHash(20, scheme=scheme)
    m.update(b"one")
    sound = sketch.bBitMinHash(m, b=b)
    state = bytes(sound.__getstate__())
    for size in range(len(state)):
        damaged = object.__new__(sketch.bBitMinHash)
        with pytest.raises(ValueError, match="state (has|ends after)"):
            damaged.__setstate__(state[:size])
    again = object.__new__(sketch.bBitMinHash)
    again.__setstate__(state + b"more")
    assert again == sound == pickle.loads(pickle.dumps(sound))


def test_a_damaged_b_bit_signature_does_not_end_an_iteration() -> None:
    good = pickle.dumps(sketch.bBitMinHash(sketch.MinHash(16), b=8))
    header = bytes([8]) + bytes(8)
    assert good.count(header) == 1
    damaged = good.replace(header, bytes([200]) + bytes(8))
    with pytest.raises(ValueError, match=r"b is 200; it must be a whole number in \[0, 32\]"):
        list(map(pickle.loads, [good, damaged, good]))


@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
def test_a_lean_signature_that_was_cut_off(scheme: str) -> None:
    state = bytes(sketch.LeanMinHash(sketch.MinHash(3, scheme=scheme)).__getstate__())
    for size in range(len(state)):
        damaged = object.__new__(sketch.LeanMinHash)
        with pytest.raises(ValueError, match="the buffer"):
            damaged.__setstate__(state[:size])


class Named(sketch.MinHash):
    """A signature with an attribute of its own."""

    name: str


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_keep_attributes(copied: Callable[[Any], Any]) -> None:
    m = Named(4)
    m.name = "first"
    m.update(b"one")
    again = copied(m)
    assert type(again) is Named
    assert again == m
    assert again.name == "first"
    again.update(b"two")
    assert again != m
    weighted = sketch.WeightedMinHashGenerator(2, 4).minhash([1, 2])
    weighted.name = "second"  # type: ignore[attr-defined]
    assert copied(weighted).name == "second"
    for index in (sketch.MinHashLSH(num_perm=4, params=(2, 2)), sketch.MinHashLSHForest(4, 2)):
        index.name = "third"  # type: ignore[attr-defined]
        assert copied(index).name == "third"


# --- errors --------------------------------------------------------------------------------------


@needs_peer
@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
@pytest.mark.parametrize("number", [-1, 1 << 32, 1 << 64])
def test_numbers_out_of_range_raise_what_datasketch_raises(scheme: str, number: int) -> None:
    outcomes: dict[Any, list[Any]] = {}
    for module in (peer, sketch):
        outcomes[module] = []
        for call in (
            lambda module=module: module.MinHash(2, scheme=scheme, hashfunc=lambda value: number).update(b""),
            lambda module=module: module.MinHash(2, scheme=scheme, hashfunc=lambda value: number).update_batch([b""]),
            lambda module=module: module.MinHash(hashvalues=[number, 1], scheme=scheme),
        ):
            try:
                call()
                outcomes[module].append(None)
            except Exception as error:
                outcomes[module].append(type(error))
    assert outcomes[sketch] == outcomes[peer]
