# labels: python
"""Ids in results have the type of the column that they came from, whatever was found."""

from __future__ import annotations

import json
import pickle
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
dataset = pytest.importorskip("pyarrow.dataset")
np = pytest.importorskip("numpy")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

TEXT = "the quick brown fox jumps over the lazy dog at noon"
OTHER = "unique words only here now ok"
COPIES, NONE = [TEXT, TEXT, OTHER], [TEXT, OTHER, "a third text without any copy at all"]
BIG = 2**63

# The ids of three documents, and the type that they have in results.
COLUMNS = [
    *((pa.array([100, 101, 7], kind), kind) for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())),
    *((pa.array([100, 101, 7], kind), kind) for kind in (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())),
    (pa.array([BIG + 5, BIG + 6, 3], pa.uint64()), pa.uint64()),
    (pa.array([BIG + 5, 6, 3], pa.uint64()), pa.uint64()),
    (pa.array([-BIG, BIG - 1, -1]), pa.int64()),
    (pa.array([1.0, 2.0, 1e300]), pa.float64()),
    (pa.array([0.1, 2.0, 1e-30], pa.float32()), pa.float32()),
    (pa.array([Decimal("1.50"), Decimal("-2.50"), Decimal("0.00")]), pa.decimal128(3, 2)),
    (pa.array([Decimal(10**37), Decimal(-(10**37)), None], pa.decimal128(38, 0)), pa.decimal128(38, 0)),
    (pa.array([Decimal(7 * 10**70), Decimal(-1), None], pa.decimal256(76, 0)), pa.decimal256(76, 0)),
    (pa.array([Decimal(1200), Decimal(-300), None], pa.decimal128(5, -2)), pa.decimal128(5, -2)),
    (pa.array(["a", '\u00e4"\\\n', "c"]), pa.large_string()),
    (pa.array(["1", "2", "3"]), pa.large_string()),
    (pa.array(["a", "b", "c"]).dictionary_encode(), pa.large_string()),
    (pa.array([b"\xff1", b"\xfe1", b"2"]), pa.large_binary()),
    (pa.array([b'a"', b"\x00\xff\\", b""], pa.large_binary()), pa.large_binary()),
]


def types_of(result: benzer.Result) -> list[Any]:
    tables = {
        one: table.to_arrow() for one, table in zip("rca", (result.removed, result.clusters(), result.annotations()))
    }
    places = (("r", "id"), ("r", "kept_id"), ("c", "id"), ("a", "benzer_keeper"))
    return [tables[table].schema.field(name).type for table, name in places]


@pytest.mark.parametrize(("ids", "kind"), COLUMNS, ids=[f"{kind} {i}" for i, (_, kind) in enumerate(COLUMNS)])
def test_ids_have_the_type_of_their_column(ids: Any, kind: Any) -> None:
    table = pa.table({"id": ids, "text": COPIES})
    result = benzer.deduplicate(table)
    known = ids.cast(kind).to_pylist()
    assert list(result.removed)[0]["id"] == known[1] and list(result.removed)[0]["kept_id"] == known[0]
    assert result.removed.to_arrow().to_pylist() == list(result.removed)
    if kind not in (pa.decimal256(76, 0), pa.decimal128(5, -2)):  # which polars does not have
        assert result.removed.to_polars()["id"].dtype == pl.from_arrow(pa.array([known[1]], kind)).dtype
    assert result.annotations()["benzer_keeper"] == [known[0], known[0], None]
    pairs = benzer.pairs(table).table
    assert (pairs["a_id"], pairs["b_id"]) == ([known[0]], [known[1]])
    passages = benzer.passages(table, min_words=5).table
    assert (passages["first_id"], passages["id"]) == ([known[0]], [known[1]])
    gone = set(result.removed["id"])
    assert [one not in gone for one in known] == [True, False, True]
    nothing = benzer.deduplicate(pa.table({"id": ids, "text": NONE}))
    none = benzer.deduplicate(pa.table({"id": pa.nulls(3, ids.type), "text": COPIES}))
    for one in (result, nothing, none, pickle.loads(pickle.dumps(result)), pickle.loads(pickle.dumps(nothing))):
        assert types_of(one) == [kind] * 4
    assert pickle.loads(pickle.dumps(result)).removed == result.removed
    for found in (benzer.pairs(pa.table({"id": ids, "text": NONE})).table, pairs):
        assert {found.to_arrow().schema.field(name).type for name in ("a_id", "b_id")} == {kind}


def test_hashes_find_their_rows() -> None:
    ids = np.array([BIG + 5, BIG + 6, 3], dtype="uint64")
    frame = pd.DataFrame({"id": ids, "text": COPIES})
    result = benzer.deduplicate(frame)
    assert frame[~frame.id.isin(set(result.removed["id"]))].equals(result.kept())
    assert frame[~frame.id.isin(result.removed.to_pandas()["id"])].equals(result.kept())
    lazy = pl.DataFrame(frame)
    for texts, left in ((COPIES, 2), (NONE, 3)):
        one = lazy.with_columns(text=pl.Series(texts))
        assert one.join(benzer.deduplicate(one).removed.to_polars(), on="id", how="anti").height == left
    rows = frame.to_dict("records")
    assert types_of(benzer.deduplicate(rows)) == [pa.uint64()] * 4
    assert [row for row in rows if row["id"] not in set(benzer.deduplicate(rows).removed["id"])] == [rows[0], rows[2]]


LISTS = [
    ([7, 8, 9], pa.int64()),
    ([BIG, 8, 9], pa.uint64()),
    ([BIG, -8, 9], pa.large_string()),
    ([7, "b", 9], pa.large_string()),
    ([None, "b", None], pa.large_string()),
    (["1", "2", "3"], pa.large_string()),
    ([2**64, 8, 9], pa.large_string()),
    ([None, None, None], pa.int64()),
]


@pytest.mark.parametrize(("ids", "kind"), LISTS)
def test_all_ids_of_rows_tell_their_type(ids: list[Any], kind: Any, tmp_path: Path) -> None:
    for texts in (COPIES, NONE):
        rows = [{"id": one, "text": text} for one, text in zip(ids, texts)]
        assert types_of(benzer.deduplicate(rows)) == [kind] * 4
        path = tmp_path / "in.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert types_of(benzer.deduplicate(str(path))) == [kind] * 4
    path = tmp_path / "in.csv"
    path.write_text(f"id,text\n1,{TEXT}\n2,{TEXT}\n")
    assert types_of(benzer.deduplicate(str(path))) == [pa.large_string()] * 4


AGAINST = [
    (pa.array([1, 2, 3]), pa.array(["a", "b", "c"]), pa.int64(), pa.large_string()),
    (pa.array([1, 2, 3]), pa.array([1, 2, 3], pa.int32()), pa.int64(), pa.int64()),
    (pa.array([1, 2, 3], pa.uint64()), pa.array([1, 2, 3], pa.uint8()), pa.uint64(), pa.uint64()),
    (pa.array([1, 2, 3], pa.uint64()), pa.array([1, 2, 3], pa.int8()), pa.uint64(), pa.large_string()),
    (pa.array([1.0, 2.0, 3.0]), pa.array([1, 2, 3]), pa.float64(), pa.large_string()),
    (pa.array([1, 2, 3], pa.int8()), None, pa.int8(), pa.int64()),
    (pa.array([1, 2, 3], pa.uint64()), None, pa.uint64(), pa.uint64()),
    (pa.array([1.5, 2, 3]), None, pa.float64(), pa.float64()),
    (pa.array(["a", "b", "c"]), None, pa.large_string(), pa.large_string()),
    (None, pa.array(["a", "b", "c"]), pa.int64(), pa.large_string()),
    (None, pa.array([b"a", b"b", b"c"]), pa.int64(), pa.large_string()),
    (None, None, pa.int64(), pa.int64()),
]


@pytest.mark.parametrize(("ids", "known", "own", "joint"), AGAINST)
def test_ids_of_references_have_a_type_that_holds_both(ids: Any, known: Any, own: Any, joint: Any) -> None:
    for texts in (COPIES, NONE):
        table, references = (
            pa.table({"text": texts} if one is None else {"id": one, "text": texts}) for one in (ids, known)
        )
        result = benzer.deduplicate(table, against=references)
        assert types_of(result) == [own, joint, joint, joint]
        pairs = benzer.pairs(table, against=references).table.to_arrow().schema
        assert (pairs.field("b_id").type, pairs.field("a_id").type) == (own, joint)


def test_files_of_several_days_have_one_schema(tmp_path: Path) -> None:
    (tmp_path / "days").mkdir()
    for day, texts in (("1", NONE), ("2", COPIES)):
        source, target = tmp_path / f"{day}.parquet", tmp_path / f"days/{day}.parquet"
        parquet.write_table(pa.table({"id": ["a", "b", "c"], "text": texts}), source)
        benzer.deduplicate(str(source), output=target, annotate=True)
    assert dataset.dataset(tmp_path / "days").to_table().num_rows == 6
    assert pl.read_parquet(tmp_path / "days/*.parquet")["benzer_keeper"].to_list() == [None] * 3 + ["a", "a", None]


def test_a_number_that_the_column_cannot_have_is_null() -> None:
    texts = [f"{number} {TEXT}" for number in range(200)] + [OTHER, OTHER]
    result = benzer.deduplicate(pa.table({"id": pa.nulls(202, pa.int8()), "text": texts}), threshold=0.99)
    assert list(result.removed) == [{"row": 201, "id": None, "kept_row": 200, "kept_id": None, "score": 1.0}]
