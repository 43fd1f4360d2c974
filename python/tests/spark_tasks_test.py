# labels: python
"""Tests what the executors of benzer.spark do, one task after the other and without Spark."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_data

import benzer
from benzer import _engine

pa = pytest.importorskip("pyarrow")
np = pytest.importorskip("numpy")
from pyarrow import compute  # noqa: E402

from benzer import _spark_tasks as tasks  # noqa: E402

KEY = b"0123456789abcdef"
SETTINGS = {"text": "text"}
REMOVED = pa.schema(
    [
        ("number", pa.int64()),
        ("kept_number", pa.int64()),
        ("score", pa.float64()),
        ("id", pa.string()),
        ("kept_id", pa.string()),
        ("note", pa.string()),
    ]
)


def pieces(table: Any, random_: random.Random) -> Iterator[Any]:
    """Cut a table into batches of random sizes, some of them empty."""
    begin = 0
    while begin < table.num_rows:
        size = random_.choice([0, 1, 7, 100])
        batches = table.slice(begin, size).combine_chunks().to_batches()
        yield from batches or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        begin += size


def table_of(batches: Iterable[Any]) -> Any:
    return pa.Table.from_batches(list(batches))


def those_in_pairs(batches: Iterable[Any]) -> Any:
    sketches = table_of(batches)
    return sketches.filter(compute.equal(compute.bit_wise_and(sketches.column("flags"), 1), 1))


def pairs_of(batches: Iterable[Any]) -> list[tuple[int, int]]:
    return [(row["a"], row["b"]) for batch in batches for row in batch.to_pylist()]


def documents(seed: int, families: int = 10) -> Any:
    texts = spark_data.texts(seed, families)
    numbers = pa.array([(3 << 40) + 2 * i for i in range(len(texts))])
    return pa.table({tasks.NUMBER: numbers, "text": pa.array(texts, pa.string())})


def components(pairs: Iterable[tuple[int, int]]) -> set[frozenset[int]]:
    """Return the sets of connected numbers, by merging sets."""
    sets: list[set[int]] = []
    for pair in pairs:
        joined = set(pair)
        apart = []
        for one in sets:
            if one & joined:
                joined |= one
            else:
                apart.append(one)
        sets = [*apart, joined]
    return {frozenset(one) for one in sets}


def test_sketches_do_not_depend_on_batches() -> None:
    table = documents(1)
    whole = table_of(tasks.sketch(table.combine_chunks().to_batches(), SETTINGS, KEY))
    assert whole.column("number").equals(table.column(tasks.NUMBER))
    for seed in range(3):
        parts = table_of(tasks.sketch(pieces(table, random.Random(seed)), SETTINGS, KEY))
        names = [name for name in whole.column_names if name != "replaced"]
        assert parts.select(names).equals(whole.select(names))
    other = table_of(tasks.sketch(table.combine_chunks().to_batches(), SETTINGS, KEY[::-1]))
    assert other.column("keys").equals(whole.column("keys"))
    assert not other.column("fingerprint").equals(whole.column("fingerprint"))


@pytest.mark.parametrize("parts", [1, 2, 7, 200])
def test_copies_have_the_features_of_the_first(parts: int) -> None:
    random_ = random.Random(parts)
    table = documents(2, 40)
    sketches = those_in_pairs(tasks.sketch(pieces(table, random_), SETTINGS, KEY))
    firsts: dict[Any, int] = {}
    expected = []
    for number, fingerprint in zip(sketches.column("number").to_pylist(), sketches.column("fingerprint").to_pylist()):
        if fingerprint in firsts:
            expected.append((firsts[fingerprint], number))
        firsts.setdefault(fingerprint, number)
    assert len(expected) > 10
    sent = table_of(
        tasks.send_fingerprints(pieces(sketches.select(["number", "fingerprint"]), random_), list(range(parts)))
    )
    found = []
    for part in range(parts):
        here = sent.filter(compute.equal(sent.column("part"), part)).combine_chunks()
        found += pairs_of(tasks.find_copies(here.to_batches()[::-1]))
    assert sorted(found) == sorted(expected)
    assert pairs_of(tasks.find_copies([])) == []


@pytest.mark.parametrize("largest", [2, 64, 10_000])
def test_all_similar_documents_are_connected(monkeypatch: pytest.MonkeyPatch, largest: int) -> None:
    """Every pair that is found on one machine is in one component, however large buckets are treated."""
    monkeypatch.setattr(tasks, "LARGEST_BUCKET", largest)
    if largest == 2:
        monkeypatch.setattr(tasks, "MOST_COMPARED", 30)
    random_ = random.Random(largest)
    table = documents(3)
    found = benzer.pairs(table, text="text", threshold=0.8)
    numbers = table.column(tasks.NUMBER).to_pylist()
    similar = [(numbers[a], numbers[b]) for a, b, *_ in found]
    sketches = those_in_pairs(tasks.sketch(pieces(table, random_), SETTINGS, KEY))
    cut = dict(zip(sketches.column("number").to_pylist(), sketches.column("cut").to_pylist()))
    sent = table_of(tasks.send_keys(pieces(sketches.select(["number", "keys"]), random_), [0, 1, 2]))
    pairs, large = [], []
    for part in range(3):
        here = sent.filter(compute.equal(sent.column("part"), part)).combine_chunks()
        for row in table_of(tasks.find_buckets(here.to_batches())).to_pylist():
            (pairs if row["key"] is None else large).append(row)
    assert bool(large) == (largest < 10_000)
    near = pa.table(
        {
            "a": [row["a"] for row in pairs],
            "b": [row["b"] for row in pairs],
            "cut_a": pa.array([cut[row["a"]] for row in pairs], pa.binary()),
            "cut_b": pa.array([cut[row["b"]] for row in pairs], pa.binary()),
        }
    )
    edges = pairs_of(tasks.near(pieces(near, random_), SETTINGS))
    assert len(edges) < len(pairs) or largest == 2
    large.sort(key=lambda row: (row["key"], row["a"]))
    buckets = pa.table(
        {
            "key": pa.array([row["key"] for row in large], pa.int64()),
            "number": pa.array([row["a"] for row in large], pa.int64()),
            "cut": pa.array([cut[row["a"]] for row in large], pa.binary()),
        }
    )
    edges += pairs_of(tasks.connect_buckets(pieces(buckets, random_), SETTINGS))
    whole = components(edges)
    for a, b in similar:
        assert any(a in one and b in one for one in whole)
    assert max(map(len, whole)) < len(numbers) / 2  # not simply all of them

    # In one step, and in two.
    given = pa.table({"a": [a for a, _ in edges], "b": [b for _, b in edges]})
    first = tasks.connect(pieces(given.slice(0, len(edges) // 2), random_), False)
    second = tasks.connect(pieces(given.slice(len(edges) // 2), random_), False)
    last = pairs_of(tasks.connect([*first, *second], True))
    assert last == pairs_of(tasks.connect(pieces(given, random_), True))
    assert sorted(last) == sorted((min(one), number) for one in whole for number in one)


@pytest.mark.parametrize("most", [5, 39, 40])
def test_a_bucket_is_connected_whichever_batches_it_is_in(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(tasks, "MOST_COMPARED", most)
    buckets = pa.table(
        {
            "key": pa.array([1] * 40 + [2] * 3 + [3], pa.int64()),
            "number": pa.array(range(44), pa.int64()),
            "cut": pa.array([b"a" * 128] * 40 + [b"a" * 128, b"b" * 128, b"a" * 128, b"a" * 128], pa.binary()),
        }
    )
    for seed in range(5):
        found = pairs_of(tasks.connect_buckets(pieces(buckets, random.Random(seed)), SETTINGS))
        assert components(found) == {frozenset(range(40)), frozenset([40, 42])}
        assert len(found) == 40


def test_members_are_the_same_in_memory_and_in_a_file(tmp_path: Path) -> None:
    """Members are compared if they must be; copies have the text of another; some are equal or dropped."""
    texts: list[str | None] = [f"{n} ships left port {n} on day {n} with salt and flour" for n in range(400)]
    texts += [f"{text} again" for text in texts] + [None, None, "one", None]
    count = len(texts)
    kinds = [tasks.COMPARED] * 800 + [tasks.COPY, tasks.EQUAL, tasks.DROPPED, tasks.EQUAL]
    firsts = [*range(800), 5, 801, 802, 801]
    ids = [f"d{i}" for i in range(count)]
    rows = pa.table({tasks.NUMBER: range(count), tasks.KIND: kinds, tasks.FIRST: firsts, tasks.ID: ids, "text": texts})
    expected = benzer.deduplicate([*(text or "" for text in texts[:800]), texts[5] or ""], threshold=0.7)
    wanted = {(one["row"], one["kept_row"], one["score"]) for one in expected.removed}
    wanted |= {(802, None, None), (803, 801, 1.0)}
    for most_bytes in (1 << 30, 1000, 0):
        made = table_of(
            tasks.choose(pieces(rows, random.Random(1)), {"text": "text", "threshold": 0.7}, 0, most_bytes, REMOVED)
        )
        found = [row for row in made.to_pylist() if row["note"] is None]
        assert {(row["number"], row["kept_number"], row["score"]) for row in found} == wanted
        assert len(found) == len(wanted) == 403
        for row in found:
            assert row["id"] == f"d{row['number']}"
            assert row["kept_id"] == (None if row["kept_number"] is None else f"d{row['kept_number']}")


def test_damaged_bytes_are_refused() -> None:
    buckets = _engine.KeyBuckets()
    with pytest.raises(benzer.CorruptError, match="packed keys are damaged"):
        buckets.add(b"\x80\x80")
    with pytest.raises(benzer.InvalidArgumentError, match="16 bytes"):
        _engine.sketch_partition(SETTINGS, [], b"short")
    with pytest.raises(benzer.InvalidArgumentError, match="another size"):
        _engine.near_signatures(SETTINGS, b"abc", b"abc")


@pytest.mark.parametrize("copies", [0, 3000])
def test_members_in_a_file_are_not_copied_to_memory(monkeypatch: pytest.MonkeyPatch, copies: int) -> None:
    """The text of a row that is not compared, or that is that of another row, changes what the engine is given."""
    texts = [" ".join(f"{n}-{word}" for word in range(300)) for n in range(4000)]
    kinds, firsts = [tasks.COMPARED] * 4000, list(range(4000))
    kinds[-2:], firsts[-1] = [tasks.EQUAL] * 2, 3998
    for place in range(500, 500 + copies):
        kinds[place], firsts[place] = tasks.COPY, place % 500
    rows = pa.table(
        {tasks.NUMBER: range(4000), tasks.KIND: kinds, tasks.FIRST: firsts, tasks.ID: firsts, "text": texts}
    )
    batches = rows.to_batches(max_chunksize=100)
    before = pa.total_allocated_bytes()
    held, given = [], []
    deduplicate = tasks.deduplicate

    def observed(documents: Any, **options: Any) -> Any:
        held.append(pa.total_allocated_bytes() - before)
        given.extend(documents.column("text").to_pylist())
        return deduplicate(documents, **options)

    monkeypatch.setattr(tasks, "deduplicate", observed)
    schema = REMOVED.set(REMOVED.get_field_index("id"), pa.field("id", pa.int64()))
    schema = schema.set(schema.get_field_index("kept_id"), pa.field("kept_id", pa.int64()))
    made = list(tasks.choose(iter(batches), {"text": "text"}, 0, 1 << 20, schema))
    assert len(held) == 1 and held[0] < 1 << 20 < rows.nbytes // 5
    assert given == [texts[first] for first in firsts[:-2]]
    assert sum(batch.num_rows for batch in made) == 1 + copies + 1


def test_values_are_taken_from_columns_in_chunks() -> None:
    random_ = random.Random(1)
    texts = [random_.choice([None, "", "a" * random_.randrange(2000)]) for _ in range(500)]
    words = [None if text is None else [text[:3], "b"] for text in texts]
    whole = pa.table({"text": texts, "words": words, "n": range(500)})
    table = pa.Table.from_batches(whole.to_batches(max_chunksize=37))
    rows = sorted(random_.sample(range(500), 300))
    places = [random_.choice([row, random_.randrange(row + 1)]) for row in rows]
    for content in (["text"], ["text", "words"]):
        made = pa.Table.from_batches(list(tasks._expanded(table, *map(np.array, (rows, places)), content)))
        for name in table.column_names:
            wanted = whole.column(name).to_pylist()
            assert made.column(name).to_pylist() == [wanted[i] for i in (places if name in content else rows)]
