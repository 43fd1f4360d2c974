# labels: python
"""Ids, groups and numbers of rows are those that the same table of Arrow has, and no name is misspelt in silence."""

from __future__ import annotations

import datetime
import decimal
import fractions
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
np = pytest.importorskip("numpy")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

TEXT = "the quick brown fox jumps over the lazy dog at noon"
OTHER = "unique words only here now ok"
NAN = float("nan")


def rows_with(name: str, values: list[Any], texts: list[str]) -> list[dict[str, Any]]:
    return [{name: value, "text": text} for value, text in zip(values, texts)]


def objects(values: list[Any]) -> Any:
    return pd.Series(values, dtype=object)


# The second of three documents is removed. Its id is missing, and 1 is the id of the third.
MISSING = [
    ("None", [7, None, 1]),
    ("NaN", [7, NAN, 1]),
    ("NA", [7, pd.NA, 1]),
    ("NaN of numpy", [np.int64(7), np.float32("nan"), np.int64(1)]),
    ("NaN and NA", [7.0, NAN, 1]),
]


@pytest.mark.parametrize("ids", [ids for _, ids in MISSING], ids=[name for name, _ in MISSING])
def test_a_missing_id_is_not_that_of_another_row(ids: list[Any]) -> None:
    texts = [TEXT, TEXT, OTHER]
    rows = rows_with("id", ids, texts)
    frame = pd.DataFrame({"id": ids, "text": texts})
    mixed = pd.DataFrame({"id": objects(ids), "text": texts, "g": objects([1, "a", 1])})
    table = pa.table({"id": pa.array([7, None, 1]), "text": texts})
    for documents in (rows, frame, mixed, table, pl.DataFrame(table)):
        result = benzer.deduplicate(documents)
        assert list(result.removed) == [{"row": 1, "id": None, "kept_row": 0, "kept_id": 7, "score": 1.0}]
        assert [(one["row"], one["id"]) for one in result.clusters()] == [(0, 7), (1, None)]
        assert [one["benzer_keeper"] for one in result.annotations()] == [7, 7, None]
        assert result.annotations()["benzer_kept"] == [True, False, True]
        assert list(benzer.pairs(documents).table)[0]["b_id"] is None


def test_a_list_says_where_a_row_without_an_id_is(tmp_path: Path) -> None:
    rows = rows_with("id", [7, None, 1], [TEXT, TEXT, OTHER])
    benzer.deduplicate(rows, removed=tmp_path / "removed.jsonl")
    line = (tmp_path / "removed.jsonl").read_text()
    assert line == '{"id":null,"line":2,"kept_id":7,"score":1.0,"exact":true}\n'


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([5, NAN, pd.NA, None], [(None, 5)]),
        ([np.int64(3), np.int64(4), 5, 6], [(4, 3)]),
        ([1, 2.0, None, 3.5], [("2", "1")]),
        ([1, 2.0, None, 3.0], [(2, 1)]),
        ([1.5, float("inf"), 2, 3], [(None, "1.5")]),
        (["a", 1, b"c", None], [("1", "a")]),
    ],
)
def test_ids_keep_their_type(ids: list[Any], expected: list[Any]) -> None:
    found = benzer.deduplicate(rows_with("id", ids, [TEXT, TEXT, OTHER, "x"])).removed
    assert [(one["id"], one["kept_id"]) for one in found] == expected


def test_positions_are_ids_where_no_document_has_one() -> None:
    rows = rows_with("id", [NAN, pd.NA, None], [TEXT, TEXT, OTHER])
    assert benzer.deduplicate(rows).removed["id"] == [1]


# The third document is removed because of the second, whatever the column of groups is.
INDEXES = [
    ("index", "id", lambda ids: pd.Index(ids, name="id")),
    ("range", "id", lambda ids: pd.RangeIndex(ids[0], ids[0] + 3 * (ids[1] - ids[0]), ids[1] - ids[0], name="id")),
    ("of another name", "key", lambda ids: pd.Index(ids, name="key")),
    ("levels", "key", lambda ids: pd.MultiIndex.from_arrays([["x", "x", "y"], ids], names=["part", "key"])),
]


@pytest.mark.parametrize(("name", "make"), [one[1:] for one in INDEXES], ids=[one[0] for one in INDEXES])
@pytest.mark.parametrize("groups", [["b", "a", "a"], [7, "a", "a"]], ids=["texts", "mixed"])
def test_ids_in_the_index_of_pandas(name: str, make: Any, groups: list[Any]) -> None:
    columns = {"text": [OTHER, TEXT, TEXT], "g": objects(groups)}
    frame = pd.DataFrame(columns).set_axis(make([2, 3, 4]))
    arguments = {"by": "g"} if name == "id" else {"by": "g", "id": name}
    assert list(benzer.deduplicate(frame, **arguments).removed) == [
        {"row": 2, "id": 4, "kept_row": 1, "kept_id": 3, "score": 1.0}
    ]
    assert [(one["a_id"], one["b_id"]) for one in benzer.pairs(frame, **arguments).table] == [(3, 4)]
    assert benzer.deduplicate(frame, **arguments).kept().index.tolist() == frame.index.tolist()[:2]


@pytest.mark.parametrize("groups", [["b", "a", "a"], [7, "a", "a"]], ids=["texts", "mixed"])
def test_groups_and_numbers_in_the_index_of_pandas(groups: list[Any]) -> None:
    index = pd.MultiIndex.from_arrays([objects(groups), [1, 2, 3]], names=["g", "n"])
    frame = pd.DataFrame({"text": [TEXT] * 3, 5: [0, 0, 0], "mixed": objects([1, "a", None])}).set_axis(index)
    assert benzer.deduplicate(frame, by="g", keep="max:n", id="5").kept_rows() == b"\1\0\1"


SITES = [{"id": 7, "text": TEXT, "site": "x", "stars": 1}, {"id": 8, "text": TEXT, "site": "y", "stars": 5}]
MISSPELT = [
    (benzer.deduplicate, {"by": "sit"}, "by"),
    (benzer.deduplicate, {"keep": "max:star"}, "keep"),
    (benzer.deduplicate, {"keep": "longest,min:star"}, "keep"),
    (benzer.deduplicate, {"id": "Id"}, "id"),
    (benzer.deduplicate, {"by": "site.name"}, "by"),
    (benzer.pairs, {"by": "sit"}, "by"),
    (benzer.passages, {"across": "sit"}, "across"),
    (benzer.remove_passages, {"across": "sit"}, "across"),
]


@pytest.mark.parametrize(("call", "arguments", "parameter"), MISSPELT)
def test_names_that_no_document_has_are_refused(call: Any, arguments: dict[str, Any], parameter: str) -> None:
    name = next(iter(arguments.values())).rpartition(":")[2]
    mixed = pd.DataFrame({**pd.DataFrame(SITES), "site": objects([1, "y"])})
    for documents in (SITES, pd.DataFrame(SITES), mixed, pa.Table.from_pylist(SITES)):
        with pytest.raises(benzer.BadInputError, match=f"'{name}'.*{parameter}$") as caught:
            call(documents, **arguments)
        assert caught.value.hint == f"name the {'field' if 'field' in str(caught.value) else 'column'} with {parameter}"
    with pytest.raises(benzer.BadInputError, match="no document has the field"):
        benzer.deduplicate(
            [{"text": OTHER, name: None}], against=SITES, **({"by": name} if parameter == "by" else {"id": name})
        )


def test_fields_may_be_missing_in_all_documents_that_have_them() -> None:
    rows = [{"text": TEXT, "site": None, "meta": {"n": None}, "key": NAN}] * 2
    assert benzer.deduplicate(rows, by="site", keep="max:meta.n", id="key").kept_rows() == b"\1\0"
    assert benzer.deduplicate([{"text": TEXT}, {"text": TEXT, "site": "x"}], by="site").kept_rows() == b"\1\1"


UTC = datetime.timezone.utc
DAY = datetime.date(2024, 5, 1)
NOON = datetime.datetime(2024, 5, 1, 12, tzinfo=UTC)
NANO = 1714564800_000000010
# Values of one group each, with the column of Arrow that has the first value, if there is one.
GROUPS: list[tuple[str, list[Any], Any]] = [
    ("one", [1, 1.0, np.int64(1), np.uint8(1), np.float32(1), decimal.Decimal("1.00"), 10**0], pa.int64()),
    ("a half", [0.5, decimal.Decimal("0.50"), np.float16(0.5)], pa.float64()),
    ("price", [decimal.Decimal("1.50"), decimal.Decimal("1.5"), 1.5], pa.decimal128(10, 2)),
    ("large", [2**70, decimal.Decimal(2**70)], pa.decimal128(30, 0)),
    ("tenth", [np.float32(0.1), 0.1], pa.float32()),
    ("text", ["1", np.str_("1"), b"1"], pa.string()),
    ("words", ["true"], pa.string()),
    ("true", [True, np.True_], pa.bool_()),
    ("false", [False, np.False_], pa.bool_()),
    ("day", [DAY, datetime.datetime(2024, 5, 1), np.datetime64("2024-05-01"), pd.Timestamp(DAY)], pa.date32()),
    (
        "noon",
        [
            NOON,
            NOON.astimezone(datetime.timezone(datetime.timedelta(hours=2))),
            pd.Timestamp(NOON),
            np.datetime64("2024-05-01T12"),
            np.datetime64("2024-05-01T12:00:00.000"),
        ],
        pa.timestamp("us", "UTC"),
    ),
    ("nanoseconds", [pd.Timestamp(NANO), np.datetime64(NANO, "ns")], pa.timestamp("ns")),
    ("next nanosecond", [pd.Timestamp(NANO + 1), np.datetime64(NANO + 1, "ns")], pa.timestamp("ns")),
    ("time as text", ["2024-05-01T12:00:00Z"], pa.string()),
    ("infinity", [float("inf"), decimal.Decimal("Infinity")], pa.float64()),
    ("UUID", [uuid.UUID(int=5), str(uuid.UUID(int=5))], None),
    ("missing", [None, NAN, pd.NA, pd.NaT, decimal.Decimal("NaN"), np.float32("nan"), np.datetime64("NaT")], None),
]


def test_groups_of_values_of_any_type() -> None:
    flat = [(name, value) for name, values, _ in GROUPS for value in values]
    rows = rows_with("g", [value for _, value in flat], [TEXT] * len(flat))
    mixed = pd.DataFrame({"text": [TEXT] * len(flat), "g": objects([value for _, value in flat])})
    firsts = [i for i, (name, _) in enumerate(flat) if i == 0 or flat[i - 1][0] != name]
    for documents in (rows, mixed):
        result = benzer.deduplicate(documents, by="g", allow_large_clusters=True)
        assert [i for i, one in enumerate(result.kept_rows()) if one] == firsts
    assert benzer.deduplicate(rows, by="g", allow_large_clusters=True).summary["without_group"] == 7


@pytest.mark.parametrize(("name", "values", "kind"), GROUPS, ids=[one[0] for one in GROUPS])
def test_groups_are_those_of_other_tables(name: str, values: list[Any], kind: Any) -> None:
    references = [{"text": TEXT, "g": value} for _, values, _ in GROUPS for value in values]
    others = [{"text": TEXT, "g": value} for other, values, _ in GROUPS for value in values if other != name]
    for value in values:
        rows = rows_with("g", [value], [TEXT])
        assert benzer.deduplicate(rows, by="g", against=references).kept_rows() == b"\0"
    if kind is None:
        return
    table = pa.table({"text": [TEXT], "g": pa.array(values[:1], kind)})
    assert benzer.deduplicate(table, by="g", against=references).kept_rows() == b"\0"
    assert benzer.deduplicate(table, by="g", against=others).kept_rows() == b"\1"
    assert benzer.deduplicate(references, by="g", against=table).kept_rows().count(0) >= len(values)


def test_groups_of_weighted_sets() -> None:
    groups = [1, "1", True, decimal.Decimal("1.0")]
    rows = [{"has": {"a": 1.0, "b": 2.0}, "g": group} for group in groups]
    result = benzer.deduplicate(rows, values="has", features="values+weights", by="g")
    assert result.kept_rows() == b"\1\1\1\0"


PRICE = decimal.Decimal("99999999999999.98")
CENT = decimal.Decimal("0.01")
# The last value is the largest, by less than a double or a microsecond can tell.
ORDERED: list[tuple[str, list[Any]]] = [
    ("decimals", [PRICE, PRICE + CENT]),
    ("a decimal and an int", [99999999999999, PRICE + 2]),
    ("a decimal and a float", [0.1, decimal.Decimal("0.100000000000000006")]),
    ("fractions", [fractions.Fraction(10**17, 3), fractions.Fraction(10**17 + 1, 3)]),
    ("large ints", [2**60, 2**60 + 1]),
    ("nanoseconds of pandas", [pd.Timestamp(NANO), pd.Timestamp(NANO + 1)]),
    ("nanoseconds before 1970", [pd.Timestamp(-NANO), pd.Timestamp(1 - NANO)]),
    ("nanoseconds with a zone", [pd.Timestamp(NANO, tz="UTC"), pd.Timestamp(NANO + 1, tz="UTC")]),
    ("nanoseconds of numpy", [np.datetime64(NANO, "ns"), np.datetime64(NANO + 1, "ns")]),
    ("nanoseconds of numpy before 1970", [np.datetime64(-NANO, "ns"), np.datetime64(1 - NANO, "ns")]),
    ("units of numpy", [np.datetime64("2024-05"), np.datetime64("2024-05-01T00:00:00.001")]),
    ("years of numpy", [np.datetime64("1500"), np.datetime64("9999")]),
    ("days", [datetime.date(1, 1, 1), DAY, datetime.datetime.max]),
    ("far years of pandas", [pd.Timestamp("1500-01-01").as_unit("s"), pd.Timestamp("9999-01-01").as_unit("s")]),
    ("floats of numpy", [np.float32(1), 1.5, np.float16(2)]),
]


@pytest.mark.parametrize("values", [one[1] for one in ORDERED], ids=[one[0] for one in ORDERED])
def test_numbers_of_rows_are_compared_exactly(values: list[Any]) -> None:
    for some in (values, [*values, None], [NAN, *values]):
        rows = rows_with("n", some, [TEXT] * len(some))
        for rule, wanted in (("max:n", values[-1]), ("min:n", values[0])):
            kept = benzer.deduplicate(rows, keep=rule).kept_rows()
            assert kept.index(1) == next(i for i, one in enumerate(some) if one is wanted)


def test_without_ids_the_id_is_the_row() -> None:
    texts, known = ["x", TEXT, "b c", TEXT, OTHER], ["y z", OTHER]
    for documents, references in ((texts, known), (pa.table({"text": texts}), pd.DataFrame({"text": known}))):
        result = benzer.deduplicate(documents, against=references)
        assert [(row["row"], row["id"], row["kept_row"], row["kept_id"]) for row in result.removed] == [
            (3, 3, 1, 1),
            (4, 4, 1, 6),  # references are numbered after the documents
        ]
        assert [one["benzer_keeper"] for one in result.annotations()] == [None, 1, None, 1, 6]
        assert [(one["a_id"], one["b_id"]) for one in benzer.pairs(documents, against=references).table] == [
            (6, 4),
            (1, 3),
        ]


@pytest.mark.parametrize("missing", [NAN, np.float32("nan"), np.float16("nan"), decimal.Decimal("NaN"), pd.NA, None])
def test_missing_attributes_of_an_index(missing: Any) -> None:
    row = {"id": 1, "text": TEXT, "n": missing}
    frames = [pl.DataFrame({"id": [1], "text": [TEXT], "n": [NAN]}), pd.DataFrame([row])] if missing is NAN else []
    tables = [pa.table({"id": [1], "text": [TEXT], "n": pa.array([NAN], pa.float32())})] if missing is NAN else []
    for documents in ([row], *frames, *tables):
        index = benzer.Index(fields="text:word2", attributes={"n": "number"})
        index.add(documents)
        assert index.get("1").attributes == {}  # type: ignore[union-attr]


def test_nulls_in_lists_of_values_are_left_out() -> None:
    table = pa.table({"has": [["x", None], ["x"]]})
    for documents in (table, table.to_pylist(), table["has"].to_pylist()):
        assert list(benzer.pairs(documents, values="has", features="values")) == [(0, 1, 1.0)]
    mixed = [{"has": ["x", None]}, {"has": {"x": 1.0}}]
    assert list(benzer.pairs(mixed, values="has", features="values+weights")) == [(0, 1, 1.0)]


@pytest.mark.parametrize("weight", [None, "1", [1]], ids=str)
def test_weights_that_are_not_numbers_are_refused(weight: Any) -> None:
    rows = [{"has": {"a": 1}}, {"has": {"a": 1, "b": weight}}]
    with pytest.raises(benzer.BadInputError, match="weight of 'b' in 'has' of document 1 is of the type .* a number"):
        benzer.pairs(rows, values="has", features="values+weights")


def test_weights_without_pyarrow(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(benzer.InvalidArgumentError, match=r"need pyarrow, which is not installed; pip install"):
        benzer.pairs([{"has": {"a": 1}}], values="has", features="values+weights")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    names = ["id", "text", "text", "more", "more"]
    table = pa.table([["a", "b"], [TEXT, TEXT], ["u", "v"], [1, 2], [3, 4]], names=names)
    with pa.ipc.new_file(str(tmp_path / "a.arrow"), table.schema) as out:
        out.write_table(table)
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    files = (tmp_path / "a.arrow", tmp_path / "a.parquet")
    for documents in (table, table.to_batches()[0], table.to_reader(), *files):
        for call in (benzer.deduplicate, benzer.remove_passages, benzer.sketch):
            with pytest.raises(benzer.BadInputError, match="has several columns 'text'; rename all but one"):
                call(documents)
    with benzer.Index() as index, pytest.raises(benzer.BadInputError, match="several columns 'text'"):
        index.add(table)
    single = table.rename_columns(["id", "text", "t", "more", "more"])  # "more" is not read
    assert benzer.deduplicate(single).kept().num_rows == 1
    with pytest.raises(benzer.BadInputError, match="several columns 'more'"):
        benzer.deduplicate(single, by="more")


def test_tables_of_ids_are_refused() -> None:
    with benzer.Index() as index:
        index.add([{"id": "id", "text": TEXT}])
        for ids in (pd.DataFrame({"id": ["id"]}), pl.DataFrame({"id": ["id"]}), pa.table({"id": ["id"]})):
            with pytest.raises(benzer.InvalidArgumentError, match="give an id, or an iterable of ids"):
                index.remove(ids)
        assert index.remove(pd.Series(["id"])) == 1


def test_slices_of_tables() -> None:
    removed = benzer.deduplicate([TEXT] * 4).removed
    assert removed[0:2] == [removed[0], removed[1]] and removed[::-2] == [removed[2], removed[0]]
