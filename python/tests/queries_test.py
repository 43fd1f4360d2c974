# labels: python
"""Queries that are carried out again and again: a LazyFrame of polars, and a relation of DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import benzer

pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

TEXTS = [" ".join(f"w{i // 3 * 7 + k}" for k in range(20 + i % 3)) for i in range(60)]


class Mine(Exception):
    pass


def failing(data: Any) -> Any:
    raise Mine


def test_an_exception_of_a_query_arrives() -> None:
    frame = pl.LazyFrame({"text": TEXTS}).map_batches(failing)
    for function in (benzer.deduplicate, benzer.pairs, benzer.sketch):
        with pytest.raises(Mine):
            function(frame)
    with benzer.Index() as index:
        for call in (index.add, index.similar):
            with pytest.raises(Mine):
                call(frame)
    with pytest.raises(pl.exceptions.InvalidOperationError):
        benzer.deduplicate(pl.LazyFrame({"text": ["x"]}).with_columns(id=pl.col("text").cast(pl.Int64)))


def test_other_rows_of_a_query_are_refused() -> None:
    """A query may give its rows in another order when it is carried out again; then the mask is of other rows."""
    turn = [0]
    wrong = 2

    def turned(data: Any) -> Any:
        turn[0] += 1
        return data.reverse() if turn[0] >= wrong else data

    frame = pl.LazyFrame({"n": range(60), "text": TEXTS}).map_batches(turned)
    with pytest.raises(benzer.InvalidArgumentError, match="in the same order"):
        benzer.deduplicate(frame)
    turn[0], wrong = 0, 100
    kept = benzer.deduplicate(frame).kept()
    assert kept.collect().height == sum(benzer.deduplicate(TEXTS).kept_rows())
    turn[0] = 100
    with pytest.raises(benzer.InvalidArgumentError, match="in the same order"):
        kept.collect()


def test_other_rows_of_a_relation_are_refused() -> None:
    connection = duckdb.connect()
    rows = pl.DataFrame({"n": range(60), "text": TEXTS})  # noqa: F841
    connection.execute("create table t as select * from rows")
    result = benzer.deduplicate(connection.sql("select n, text from t"))
    connection.execute("create table u as select * from t order by n desc")
    connection.execute("drop table t")
    connection.execute("alter table u rename to t")
    with pytest.raises(benzer.Error):
        list(result.kept())


def test_a_lazy_frame_is_read_in_batches(tmp_path: Path) -> None:
    """The rows that are kept are those of the query when it is carried out, and the run's."""
    count = 20_000
    texts = [" ".join(f"w{i // 2 * 7 + k * 13}" for k in range(20)) for i in range(count)]
    columns = {"id": [f"n{i}" for i in range(count)], "text": texts, "extra": range(count)}
    file = tmp_path / "in.parquet"
    pl.DataFrame(columns).write_parquet(file, row_group_size=3000)
    frame = pl.scan_parquet(file)
    result = benzer.deduplicate(frame, threshold=0.7)
    same = benzer.deduplicate(texts, threshold=0.7)
    assert result.kept_rows() == same.kept_rows() and result.removed["score"] == same.removed["score"]
    assert {row["id"] for row in result.removed} == {f"n{row['row']}" for row in result.removed}
    kept = result.kept()
    expected = pl.read_parquet(file).filter(pl.Series(list(same.kept_rows())) == 1)
    assert isinstance(kept, pl.LazyFrame) and kept.collect_schema() == frame.collect_schema()
    assert kept.collect().equals(expected) and kept.collect(engine="streaming").equals(expected)
    assert kept.head(7).collect().equals(expected.head(7))
    for limit in (0, 3, 50):
        few = pl.col("extra") % 5 > 2
        assert kept.head(limit).filter(few).collect().equals(expected.head(limit).filter(few))
        assert kept.filter(few).head(limit).collect().equals(expected.filter(few).head(limit))
    assert (
        kept.filter(pl.col("extra") > 5000)
        .select("id")
        .collect()
        .equals(expected.filter(pl.col("extra") > 5000).select("id"))
    )
    kept.sink_parquet(tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").equals(expected)
    with pytest.raises(benzer.InvalidArgumentError, match="rows"):
        result.kept(frame.head(10))


def test_a_lazy_frame_of_other_columns() -> None:
    """Columns of all kinds are compared: values, weights, categories and times."""
    values = pl.LazyFrame(
        {"v": [["a", "b"], None, ["b", "a"]], "g": ["x", None, "x"], "t": [1.5, None, float("nan")]},
        schema={"v": pl.List(pl.String), "g": pl.Categorical, "t": pl.Float64},
    )
    result = benzer.deduplicate(values, values="v", features="values", by="g", keep="max:t")
    assert result.removed["row"] == [2] and result.kept().collect().height == 2


def test_a_polars_without_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier versions, and an environment without pyarrow: the columns are collected."""
    frame = pl.LazyFrame({"n": range(60), "text": TEXTS})
    expected = benzer.deduplicate(frame)
    kept = expected.kept().collect()
    monkeypatch.setattr("benzer._tables.can_be_batches", lambda frame: False)
    result = benzer.deduplicate(frame)
    assert result.removed == expected.removed and result.kept().collect().equals(kept)
