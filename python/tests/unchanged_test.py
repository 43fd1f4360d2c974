# labels: python
"""Changes documents between a run and kept(), which must never filter other rows than those that were read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benzer

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
from pyarrow import dataset as arrow_dataset  # noqa: E402
from pyarrow import parquet  # noqa: E402

TEXT = "the quick brown fox jumps over the lazy dog at noon"
OTHER = "he said " + TEXT
TEXTS = [TEXT, TEXT, "a text of other words"]
CHANGED = "the documents have changed since the run has read them"


class Shelf:
    """An iterable that makes its rows anew for each reading."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def __iter__(self) -> Any:
        return iter(self.rows)


def rows(numbers: list[Any]) -> list[dict[str, Any]]:
    return [{"text": text, "n": n} for text, n in zip(TEXTS, numbers)]


def swapped(rows: Any) -> None:
    rows[1], rows[2] = rows[2], rows[1]


def swap_polars(frame: Any) -> None:
    frame[1, "text"], frame[2, "text"] = frame[2, "text"], frame[1, "text"]


def swap_pandas(frame: Any) -> None:
    frame["text"] = [TEXTS[0], TEXTS[2], TEXTS[1]]


def swap_fields(array: Any) -> None:
    array["text"] = [TEXTS[0], TEXTS[2], TEXTS[1]]


MUTABLE: list[tuple[str, Callable[[], Any], Callable[[Any], None]]] = [
    ("list", lambda: list(TEXTS), swapped),
    ("mappings", lambda: rows([1, 2, 3]), swapped),
    ("a number", lambda: rows([1, 2, 3]), lambda some: some[1].update(n=0)),
    ("other length", lambda: list(TEXTS), lambda some: some.append(TEXT)),
    ("iterable", lambda: Shelf(list(TEXTS)), lambda shelf: swapped(shelf.rows)),
    ("numpy", lambda: np.array(TEXTS, dtype=object), swapped),
    ("records", lambda: np.array([(one,) for one in TEXTS], dtype=[("text", "U60")]), swap_fields),
    ("polars", lambda: pl.DataFrame(rows([1, 2, 3])), swap_polars),
    ("series", lambda: pl.Series(TEXTS), lambda series: series.sort(in_place=True)),
    ("pandas", lambda: pd.DataFrame(rows([1, 2, 3])), swap_pandas),
    ("pandas objects", lambda: pd.DataFrame(rows([1, "2", 3])), swap_pandas),
]


@pytest.mark.parametrize("name, make, change", MUTABLE, ids=[one[0] for one in MUTABLE])
def test_documents_that_change_in_place(name: str, make: Any, change: Any) -> None:
    keep = "max:n" if name in ("mappings", "a number", "polars", "pandas") else None
    for call, arguments in ((benzer.deduplicate, {"keep": keep}), (benzer.remove_passages, {"min_words": 4})):
        documents = make()
        result = call(documents, **arguments)
        if call is benzer.remove_passages and name in ("numpy", "series", "a number"):
            continue  # no column or no number is compared
        assert len(result.kept()) in (2, 3)
        change(documents)
        sentence = "the table has 4 rows, and the result is of 3" if name == "other length" else CHANGED
        with pytest.raises(benzer.Error, match=sentence):
            result.kept()


@pytest.mark.parametrize("documents", [one[1] for one in MUTABLE], ids=[one[0] for one in MUTABLE])
def test_other_rows_may_be_given(documents: Any) -> None:
    given = documents()
    result = benzer.deduplicate(given)
    assert result.kept(pa.table({"n": [1, 2, 3]}))["n"].to_pylist() == [1, 3]
    assert result.kept(["a", "b", "c"]) == ["a", "c"]


def test_a_dataset_of_files_that_were_written_again(tmp_path: Path) -> None:
    def write(texts: list[str], numbers: list[int]) -> None:
        parquet.write_table(pa.table({"text": texts, "n": numbers, "more": [1] * len(texts)}), tmp_path / "a.parquet")

    def check(again: tuple[list[str], list[int]], call: Any = benzer.deduplicate, **arguments: Any) -> None:
        write(TEXTS, [1, 2, 3])
        result = call(arrow_dataset.dataset(tmp_path / "a.parquet"), **arguments)
        assert result.kept().num_rows in (2, 3)
        write(TEXTS, [1, 2, 3])  # the same rows
        assert result.kept().num_rows in (2, 3)
        write(*again)
        with pytest.raises(benzer.BadInputError, match=CHANGED):
            result.kept()

    check(([TEXTS[0], TEXTS[2], TEXTS[1]], [1, 2, 3]))
    check((TEXTS, [2, 1, 3]), keep="max:n")
    check((TEXTS, [2, 1, 3]), id="n")
    check((TEXTS, [2, 1, 3]), against=arrow_dataset.dataset(pa.table({"text": ["x"], "n": [1]})), by="n")
    check(([TEXTS[0], TEXTS[2], TEXTS[1]], [1, 2, 3]), benzer.remove_passages, min_words=4)


def test_a_dataset_that_cannot_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"text": TEXTS}), file)
    result = benzer.deduplicate(arrow_dataset.dataset(file))
    file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(benzer.BadInputError, match="the documents cannot be read again: "):
        result.kept()


def test_a_guard_rail_and_a_report_note_the_rows(tmp_path: Path) -> None:
    documents = ["the same text of some words"] * 5000
    with pytest.raises(benzer.GuardRailError) as stopped:
        benzer.deduplicate(documents)
    assert len(stopped.value.result.kept()) == 1  # type: ignore[attr-defined]
    result = benzer.deduplicate(documents, allow_large_clusters=True)
    result.report()
    assert len(result.kept()) == 1
    documents[7] = "another one"
    for one in (result, stopped.value.result):
        with pytest.raises(benzer.BadInputError, match=CHANGED):
            one.kept()  # type: ignore[attr-defined]


def test_nan_is_equal_to_itself() -> None:
    nan = float("nan")
    documents = rows([nan, 2.0, nan])
    named = pa.table({"text": TEXTS, "n": [nan, 2.0, nan], "m": [{"text": one, "f": nan} for one in TEXTS]})  # noqa: F841
    relation = duckdb.sql("select * from named")
    for same in (documents, pd.DataFrame(documents), pl.DataFrame(documents), relation):
        for _ in range(2):
            assert len(benzer.deduplicate(same, keep="max:n").kept()) == 2
    assert len(benzer.deduplicate(relation, text="m.text").kept()) == 2
