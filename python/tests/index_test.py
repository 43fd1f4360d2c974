# labels: python
"""Tests indexes: how they are opened and closed, and what documents and tables can be added."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import index_data
import pytest
from index_data import DOCUMENTS, FIELDS, KINDS, OTHER, TEXT, ids, run_python

import benzer
from benzer import Index

pyarrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")

index, folder = index_data.index, index_data.folder  # fixtures

# Schema, folder, durability.


def test_index_in_memory(index: Index) -> None:
    assert len(index) == 3
    assert index
    assert not index.closed
    assert index.durability == "memory"
    assert index.schema.startswith(
        "body=text:word3 | lang=string | price=number | seen=time | live=boolean | fss:128 |"
    )
    assert repr(index).startswith("<benzer.Index in memory: 3 documents, body=text:word3 |")
    with pytest.raises(benzer.InvalidArgumentError, match="in memory"):
        index.snapshot("nowhere")
    assert Index(fields="text:word3").schema == Index(fields={"text": "text:word3"}).schema


def test_index_in_a_folder(folder: Path) -> None:
    assert Index.is_at(folder)
    assert Index.is_at(str(folder))
    assert Index.is_at(os.fsencode(folder))  # type: ignore[arg-type]
    assert not Index.is_at(folder.parent)
    with Index.open(folder) as again:
        assert list(again) == ["a", "b", "c"]
        assert again.durability == "sync"
        assert str(folder) in repr(again)
        assert ids(again.similar(TEXT)) == ["a", "b"]
    assert repr(again) == "<benzer.Index, closed>"
    with Index.open(folder, create=True, fields=FIELDS, attributes=KINDS, min_threshold=0.5) as again:
        assert len(again) == 3
    with Index.open(folder, create=True) as again:
        assert len(again) == 3


@pytest.mark.parametrize("level", ["sync", "batch", "none"])
def test_durability(tmp_path: Path, level: str) -> None:
    with Index.open(tmp_path / "index", create=True, durability=level) as made:
        assert made.durability == level
        made.add({"id": 1, "text": TEXT})
    with Index.open(tmp_path / "index") as again:
        assert "1" in again


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"create": True, "fields": {"body": "text:word2"}}, benzer.InvalidArgumentError, "has the schema"),
        ({"fields": FIELDS}, benzer.InvalidArgumentError, "fields is for a new index: give create=True"),
        ({"min_threshold": 0.5}, benzer.InvalidArgumentError, "min_threshold is for a new index"),
        ({"ttl": "1d"}, benzer.InvalidArgumentError, "ttl is for a new index"),
        ({"durability": "quick"}, benzer.InvalidArgumentError, "durability 'quick' is not allowed"),
        ({"durability": "memory"}, benzer.InvalidArgumentError, "sync, batch or none"),
        ({"timeout": 1}, benzer.InvalidArgumentError, "timeout is for an index in Redis"),
        ({"docs": 100, "create": True}, benzer.InvalidArgumentError, "docs is for an index in Redis"),
    ],
)
def test_open_refuses(folder: Path, arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Index.open(folder, **arguments)
    Index.open(folder).close()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"fields": {"a": "foo"}}, 'features "foo" are unknown'),
        ({"fields": ["a"]}, "fields is of the type list"),
        ({"attributes": ["a"]}, "attributes is of the type list"),
        ({"attributes": {"a": "text"}}, "string, number, time or boolean"),
        ({"min_threshold": 2}, "threshold"),
        ({"min_threshold": float("nan")}, "threshold"),
        ({"recall": 1}, "recall"),
        ({"ttl": "soon"}, "time to live"),
        ({"sketch": "abc"}, "sketch"),
    ],
)
def test_schema_is_checked(tmp_path: Path, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(benzer.InvalidArgumentError, match=said):
        Index(**arguments)
    with pytest.raises(benzer.InvalidArgumentError, match=said):
        Index.open(tmp_path / "index", create=True, **arguments)
    assert not Index.is_at(tmp_path / "index")


def test_no_index(tmp_path: Path) -> None:
    for location in (tmp_path, tmp_path / "none", __file__):
        with pytest.raises(FileNotFoundError, match="there is no index here") as caught:
            Index.open(location)
        assert isinstance(caught.value, benzer.NoIndexError)
        assert caught.value.code == "no_index"
        assert caught.value.subject == str(location)
    with pytest.raises(benzer.NoIndexError):
        Index.open(tmp_path / "none", create=True, read_only=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(benzer.InvalidArgumentError, match="needs an empty folder"):
        Index.open(tmp_path, create=True)
    with pytest.raises(benzer.InvalidArgumentError, match="empty"):
        Index.open("", create=True)
    with pytest.raises(TypeError):
        Index.open(5)  # type: ignore[arg-type]


def test_server_that_is_not_there() -> None:
    with pytest.raises(ConnectionError) as caught:
        Index.open("redis://127.0.0.1:1/index", timeout=0.2)
    assert isinstance(caught.value, benzer.UnavailableError)
    with pytest.raises(benzer.InvalidArgumentError, match="timeout '-1' is not allowed"):
        Index.open("redis://127.0.0.1:1/index", timeout=-1)
    with pytest.raises(benzer.InvalidArgumentError, match="docs is for a new index: give create=True"):
        Index.open("redis://127.0.0.1:1/index", docs=100)


def test_busy_and_read_only(folder: Path) -> None:
    code = (
        "import sys, benzer\n"
        "try: benzer.Index.open(sys.argv[1])\n"
        "except BlockingIOError as error: print(type(error).__name__, error.code)\n"
        "with benzer.Index.open(sys.argv[1], read_only=True) as index: print(len(index))\n"
    )
    with Index.open(folder) as first:
        with pytest.raises(BlockingIOError, match="writes to this index") as caught:
            Index.open(folder)
        assert isinstance(caught.value, benzer.BusyError)
        assert caught.value.hint
        first.add({"id": "d", "body": OTHER})
        assert run_python(code, folder).split() == ["BusyError", "busy", "4"]
        with Index.open(folder, read_only=True) as reader:
            first.remove("d")
            assert len(reader) == 4
            assert ids(reader.similar(OTHER)) == ["c", "d"]
            for write in (
                lambda: reader.add({"id": "x", "body": TEXT}),
                lambda: reader.remove("a"),
                lambda: reader.update({"id": "a", "lang": "fr"}),
                lambda: reader.check_and_add({"id": "x", "body": "nothing of the kind is in there yet"}),
                reader.compact,
            ):
                with pytest.raises(benzer.InvalidArgumentError, match="for reading only"):
                    write()
    Index.open(folder).close()


def test_what_a_server_keeps(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    Index.open(folder, create=True, fields={"body": "text:word5"}).close()
    (folder / "documents.sqlite").write_bytes(b"")
    for create in (False, True):
        with pytest.raises(benzer.InvalidArgumentError, match="only 'benzer serve' keeps up to date"):
            Index.open(folder, create=create)
    with Index.open(folder, read_only=True) as reader:
        assert len(reader) == 0
        with pytest.raises(benzer.InvalidArgumentError, match="only 'benzer serve' keeps up to date"):
            reader.snapshot(tmp_path / "copy")


def test_closed(index: Index) -> None:
    index.close()
    index.close()
    assert index.closed
    assert repr(index) == "<benzer.Index, closed>"
    calls: list[Callable[[], object]] = [
        lambda: len(index),
        lambda: "a" in index,
        lambda: list(index),
        lambda: index.schema,
        lambda: index.durability,
        lambda: index.add([]),
        lambda: index.add(DOCUMENTS),
        lambda: index.add(pyarrow.table({"id": ["a"], "body": [TEXT]})),
        lambda: index.similar(TEXT),
        lambda: index.similar([]),
        lambda: index.similar_to("a"),
        lambda: index.check_and_add([]),
        lambda: index.remove([]),
        lambda: index.update([]),
        lambda: index.get("a"),
        index.pairs,
        index.clusters,
        index.stats,
        index.verify,
        index.compact,
        index.remove_expired,
        index.__enter__,
    ]
    for call in calls:
        with pytest.raises(benzer.InvalidArgumentError, match="the index is closed; open it again"):
            call()


# Adding.


def test_add_counts(index: Index) -> None:
    assert index.add({"id": 7, "body": TEXT}) == benzer.AddResult(1, 0, [])
    assert index.add([{"id": "7", "body": OTHER}, {"id": 8, "body": TEXT}]) == benzer.AddResult(1, 1, [])
    assert index.add({"id": n % 2, "body": TEXT} for n in range(4)) == benzer.AddResult(2, 2, [])
    assert index.add([]) == benzer.AddResult(0, 0, [])
    assert ids(index.similar_to(7)) == ["c"]
    assert index.add([{"key": "k", "body": TEXT}], id="key").inserted == 1
    assert "k" in index


def tables() -> list[Any]:
    data = {"id": ["x", "y"], "body": [TEXT, None], "lang": ["en", None], "price": [1.5, None], "live": [True, None]}
    numbered = {**data, "id": [1, 2]}
    out = []
    for one in (data, numbered):
        table = pyarrow.table(one)
        out += [table, table.to_batches()[0], pyarrow.concat_tables([table[:1], table[1:]])]
        out += [pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches())]
        try:
            import polars
        except ImportError:
            continue
        out += [polars.DataFrame(one), polars.LazyFrame(one)]
    return out


@pytest.mark.parametrize("table", tables(), ids=lambda table: type(table).__name__)
def test_add_tables(index: Index, table: Any) -> None:
    assert index.add(table) == benzer.AddResult(2, 0, [])
    names = ("x", "y") if "x" in index else ("1", "2")
    first, second = index.get(names[0]), index.get(names[1])
    assert first == benzer.IndexedDocument(names[0], {"body": 11}, {"lang": "en", "price": 1.5, "live": True})
    assert second is not None
    assert second.attributes == {}


def test_tables_and_lists_answer_alike(index: Index) -> None:
    rows = [{"id": str(n), "body": f"{TEXT} number {n // 2} of these"} for n in range(300)]
    index.add(rows)
    queries = pyarrow.Table.from_pylist([{"body": row["body"]} for row in rows])
    one_by_one = [index.similar({"body": row["body"]}, limit=3) for row in rows]
    assert index.similar(queries, limit=3) == one_by_one
    assert index.similar([row["body"] for row in rows], limit=3, threads=1) == one_by_one
    assert index.similar((row["body"] for row in rows), limit=3, threads=3) == one_by_one
    # A document of the index with the id of the query is no match.
    assert all(str(n) not in ids(found) for n, found in enumerate(index.similar(pyarrow.Table.from_pylist(rows))))


@pytest.mark.parametrize(
    ("table", "arguments", "said"),
    [
        ({"body": [TEXT]}, {"id": "key"}, "no column 'key'"),
        ({"id": ["x"], "bdy": [TEXT]}, {}, "no column 'body'"),
        ({"id": ["x"], "body": [3]}, {}, "'body' of the table is int64"),
        ({"id": ["x"], "body": [TEXT]}, {"id": 3}, "id is of the type int"),
    ],
)
def test_bad_tables(index: Index, table: dict[str, list[Any]], arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        index.add(pyarrow.table(table), **arguments)
    assert len(index) == 3


REFUSED = [
    ({"body": TEXT}, "no id"),
    ({"id": "", "body": TEXT}, "no id"),
    ({"id": None, "body": TEXT}, "no id"),
    ({"id": True, "body": TEXT}, "type bool"),
    ({"id": float("nan"), "body": TEXT}, "no id"),
    ({"id": ["x"], "body": TEXT}, "type list, and it must be a str or a number"),
    ({"id": "\ud800", "body": TEXT}, "lone surrogate"),
    ({"id": "x" * 100_000, "body": TEXT}, "65535"),
    ({"id": "x", "body": 3}, "type int"),
    ({"id": "x", "body": [TEXT]}, "type list"),
    ({"id": "x"}, "none of the fields 'body'"),
    ({"id": "x", "bdy": TEXT}, "none of the fields 'body'"),
    ({"id": "x", "body": TEXT, "price": "cheap"}, "a number"),
    ({"id": "x", "body": TEXT, "price": float("inf")}, "a number"),
    ({"id": "x", "body": TEXT, "price": [1]}, "type list"),
    ({"id": "x", "body": TEXT, "live": 2}, "true or false"),
    ({"id": "x", "body": TEXT, "seen": "soon"}, "a time"),
    (["x", TEXT], "type list"),
    (None, "type NoneType"),
    (3, "type int"),
]


@pytest.mark.parametrize(("bad", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_refused_documents(index: Index, bad: Any, said: str) -> None:
    documents = [{"id": "d", "body": TEXT}, bad, {"id": "e", "body": TEXT}]
    with pytest.warns(UserWarning, match="a document was refused; the first one, number 1") as told:
        result = index.add(documents)
    assert told[0].filename == __file__
    assert len(str(told[0].message)) < 1000
    assert (result.inserted, result.replaced, len(result.refused)) == (2, 0, 1)
    assert result.refused[0].place == 1
    assert said in result.refused[0].problem
    assert "d" in index
    assert "e" in index
    with pytest.raises(benzer.BadInputError, match="was refused"), warnings.catch_warnings():
        warnings.simplefilter("error")
        index.add([{"id": "f", "body": TEXT}, bad, {"id": "g", "body": TEXT}], strict=True)
    assert "f" in index
    assert "g" in index


def test_places_of_refused_documents(index: Index) -> None:
    bad = {0, 1, 777, 4095, 4096, 9999}
    documents = ({"id": n, "body": n if n in bad else f"{n} {n} {n}"} for n in range(10_000))
    with pytest.warns(UserWarning, match="6 documents were refused"):
        result = index.add(documents)
    assert result.inserted == 10_000 - len(bad)
    assert [(one.place, one.id) for one in result.refused] == [(n, str(n)) for n in sorted(bad)]


@pytest.mark.parametrize("bad", [None, 3, b"text", object()])
def test_what_is_no_document(index: Index, bad: Any) -> None:
    for call in (index.add, index.similar, index.check_and_add, index.update):
        with pytest.raises(benzer.InvalidArgumentError, match="are of the type"):
            call(bad)


def test_generator_that_raises(index: Index) -> None:
    def documents() -> Iterator[dict[str, str]]:
        yield {"id": "d", "body": TEXT}
        raise RuntimeError("the source is gone")

    for call in (index.add, index.similar, index.check_and_add):
        with pytest.raises(RuntimeError, match="the source is gone"):
            call(documents())
    with pytest.raises(ZeroDivisionError):
        index.pairs(progress=lambda stage, done, total: 1 / 0)
    assert len(index.pairs()) >= 1


def test_progress(index: Index) -> None:
    calls: list[tuple[str, int, int]] = []
    index.add([{"id": n, "body": TEXT} for n in range(5000)], progress=lambda *call: calls.append(call))
    assert calls[-1] == ("index", 5000, 0)
    calls.clear()
    index.add(pyarrow.table({"id": ["t"], "body": [TEXT]}), progress=lambda *call: calls.append(call))
    assert calls[-1] == ("index", 1, 0)


@pytest.mark.parametrize("threads", [0, -1, 1025, 1.5, "2", True])
def test_threads_are_checked(index: Index, threads: Any) -> None:
    for call in (index.add, index.similar):
        with pytest.raises(benzer.InvalidArgumentError, match="from 1 to 1024"):
            call([{"id": "a", "body": TEXT}], threads=threads)
