# labels: python
"""Tables that are unusual: each has the result of the same texts in a list, or is refused in one clear sentence."""

from __future__ import annotations

import collections
import datetime
import decimal
import uuid
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
np = pytest.importorskip("numpy")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
datasets = pytest.importorskip("datasets")
duckdb = pytest.importorskip("duckdb")
from pyarrow import dataset as arrow_dataset  # noqa: E402

TEXT = "one two three four five six seven"
TEXTS = [TEXT, "x", TEXT, None]
PLAIN = [TEXT, "x", TEXT, ""]
UTC = datetime.timezone.utc
DAY = datetime.datetime(2020, 1, 1)


class Tagged(pa.ExtensionType):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(pa.string(), "tagged")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: Any, serialized: bytes) -> Tagged:
        return cls()


class Exporter:
    """Exports whatever it is told to."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._make()


class Word(str):
    pass


class LongList(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 100


Row = collections.namedtuple("Row", "a b c d")
DATASET = datasets.Dataset.from_dict({"text": TEXTS, "n": [0, 1, 2, 3]})


def with_column(name: str, values: list[Any]) -> list[dict[str, Any]]:
    return [{"text": text, name: value} for text, value in zip(TEXTS, values)]


def objects(values: list[Any]) -> Any:
    return pd.Series(values, dtype=object)


# The kind, what makes one, arguments. The third of four documents is the only one that is removed.
SAME: list[tuple[str, Callable[[], Any], dict[str, Any]]] = [
    ("an extension type", lambda: pa.table({"text": pa.ExtensionArray.from_storage(Tagged(), pa.array(TEXTS))}), {}),
    ("another column twice", lambda: pa.table([TEXTS, [1] * 4, [2] * 4], names=["text", "a", "a"]), {}),
    ("nulls as ids", lambda: pa.table({"text": TEXTS, "id": pa.nulls(4)}), {}),
    ("nulls as groups", lambda: pa.table({"text": TEXTS, "g": pa.nulls(4)}), {"by": "g"}),
    ("dates as numbers", lambda: pa.table({"text": TEXTS, "g": pa.array([DAY] * 4, pa.date32())}), {"keep": "max:g"}),
    ("an exporter", lambda: Exporter(pa.table({"text": TEXTS}).__arrow_c_stream__), {}),
    ("str of a subclass", lambda: [Word(TEXT), Word("x"), Word(TEXT), None], {}),
    ("str of numpy", lambda: [text and np.str_(text) for text in TEXTS], {}),
    ("values of a dict", lambda: dict(enumerate(TEXTS)).values(), {}),
    ("a deque", lambda: collections.deque(TEXTS), {}),
    ("a named tuple", lambda: Row(*TEXTS), {}),
    ("keys of other types", lambda: [{5: 1, "text": text} for text in TEXTS], {}),
    ("missing fields", lambda: [{"text": TEXT}, {"text": "x"}, {"text": TEXT}, {}], {}),
    ("ids of mixed types", lambda: with_column("id", [1, "a", 2.5, None]), {}),
    ("ids of numpy", lambda: with_column("id", list(np.arange(4))), {}),
    ("ids that are UUIDs", lambda: with_column("id", [uuid.UUID(int=i) for i in range(4)]), {}),
    ("ids that are NaN", lambda: with_column("id", [float("nan")] * 4), {}),
    ("infinite groups", lambda: with_column("g", [float("inf")] * 4), {"by": "g"}),
    ("groups of numpy", lambda: with_column("g", [np.int64(1), 1, np.float64(1), 1]), {"by": "g"}),
    ("infinite numbers", lambda: with_column("g", [float("inf"), 1, float("-inf"), 3]), {"keep": "max:g"}),
    ("decimals", lambda: with_column("g", [decimal.Decimal(-i) for i in range(4)]), {"keep": "max:g"}),
    ("decimals that are NaN", lambda: with_column("g", [decimal.Decimal("NaN")] * 4), {"keep": "max:g"}),
    ("signaling NaN", lambda: with_column("g", [decimal.Decimal("sNaN")] * 4), {"keep": "max:g"}),
    ("enormous numbers", lambda: with_column("g", [10**400 - i for i in range(4)]), {"keep": "max:g"}),
    ("large integers of numpy", lambda: with_column("g", list(2**62 - np.arange(4))), {"keep": "max:g"}),
    ("times of numpy", lambda: with_column("g", [np.datetime64(DAY) - i for i in range(4)]), {"keep": "max:g"}),
    (
        "nanoseconds of numpy",
        lambda: with_column("g", [np.datetime64(DAY, "ns") - 1000 * i for i in range(4)]),
        {"keep": "max:g"},
    ),
    ("times of pandas", lambda: with_column("g", [pd.Timestamp(DAY), pd.NaT, pd.NA, None]), {"keep": "max:g"}),
    ("dates and times", lambda: with_column("g", [DAY, DAY.date(), DAY, DAY.date()]), {"keep": "max:g"}),
    (
        "the last time",
        lambda: with_column("g", [datetime.datetime.max.replace(tzinfo=UTC)] * 4),
        {"keep": "max:g"},
    ),
    ("an array of objects", lambda: np.array(TEXTS, dtype=object), {}),
    ("an array of records", lambda: np.array([(text, 1) for text in PLAIN], dtype=[("text", "U40"), ("n", "i4")]), {}),
    ("a masked array", lambda: np.ma.array(PLAIN, mask=[0, 0, 0, 1]), {}),
    ("None of StringDType", lambda: np.array(TEXTS, dtype=np.dtypes.StringDType(na_object=None)), {}),
    ("NaN of StringDType", lambda: np.array([*TEXTS[:3], np.nan], dtype=np.dtypes.StringDType(na_object=np.nan)), {}),
    ("pandas, an index of duplicates", lambda: pd.DataFrame({"text": TEXTS, "n": range(4)}, index=[7] * 4), {}),
    (
        "pandas, an index of tuples",
        lambda: pd.DataFrame({"text": TEXTS}, index=pd.MultiIndex.from_tuples([(1, 2)] * 4)),
        {},
    ),
    ("pandas, columns with numbers", lambda: pd.DataFrame([[text] for text in TEXTS]), {"text": "0"}),
    ("pandas, the text as index", lambda: pd.DataFrame({"text": TEXTS}).set_index("text"), {}),
    ("pandas, ArrowDtype", lambda: pd.DataFrame({"text": pd.array(TEXTS, dtype=pd.ArrowDtype(pa.string()))}), {}),
    ("pandas, string[python]", lambda: pd.DataFrame({"text": pd.array(TEXTS, dtype="string[python]")}), {}),
    ("pandas, objects with NaN", lambda: pd.DataFrame({"text": objects([*TEXTS[:3], float("nan")])}), {}),
    ("pandas, other objects", lambda: pd.DataFrame({"text": TEXTS, "o": objects([{}, object(), 1, "a"])}), {}),
    ("pandas, mixed ids", lambda: pd.DataFrame({"text": TEXTS, "id": objects([1, "a", 1.5, None])}), {}),
    ("pandas, a sparse column", lambda: pd.DataFrame({"text": TEXTS, "s": pd.arrays.SparseArray([0, 0, 1, 2])}), {}),
    (
        "pandas, another column twice",
        lambda: pd.DataFrame([[t, 1, 2] for t in TEXTS], columns=["text", "a", "a"]),
        {},
    ),
    ("pandas, a series of objects", lambda: objects(TEXTS), {}),
    ("pandas, a series with an index", lambda: pd.Series(TEXTS, index=list("abcd"), name="n"), {}),
    ("pandas, an Index", lambda: pd.Index(TEXTS), {}),
    ("pandas, an array", lambda: pd.array(TEXTS, dtype="string"), {}),
    ("pandas, a Categorical", lambda: pd.Categorical(TEXTS), {}),
    (
        "pandas, times with a zone",
        lambda: pd.DataFrame({"text": TEXTS, "g": [pd.Timestamp("2020-01-01", tz="Europe/Berlin")] * 4}),
        {"keep": "max:g"},
    ),
    ("polars, Enum", lambda: pl.DataFrame({"text": pl.Series(TEXTS, dtype=pl.Enum([TEXT, "x"]))}), {}),
    ("polars, Enum of a query", lambda: pl.LazyFrame({"text": pl.Series(TEXTS, dtype=pl.Enum([TEXT, "x"]))}), {}),
    ("polars, Categorical of a query", lambda: pl.LazyFrame({"text": pl.Series(TEXTS, dtype=pl.Categorical)}), {}),
    ("polars, other objects", lambda: pl.DataFrame({"text": TEXTS, "o": pl.Series([object()] * 4)}), {}),
    ("polars, other objects of a query", lambda: pl.LazyFrame({"text": TEXTS, "o": pl.Series([object()] * 4)}), {}),
    ("datasets, numpy", lambda: DATASET.with_format("numpy"), {}),
    ("datasets, pandas", lambda: DATASET.with_format("pandas"), {}),
    ("datasets, polars", lambda: DATASET.with_format("polars"), {}),
    ("datasets, other columns", lambda: DATASET.with_format("numpy", columns=["n"]), {}),
    ("datasets, selected", lambda: DATASET.select([3, 2, 1, 0, 3]).select([3, 2, 1, 0]), {}),
    (
        "datasets, selected with a format",
        lambda: DATASET.select([0, 1, 2, 3, 3]).select(range(4)).with_format("np"),
        {},
    ),
    ("datasets, streaming", lambda: DATASET.to_iterable_dataset(), {}),
    ("datasets, streaming with map", lambda: DATASET.to_iterable_dataset().map(lambda row: row), {}),
]


@pytest.mark.parametrize(("make", "arguments"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_the_same_as_a_list(make: Callable[[], Any], arguments: dict[str, Any]) -> None:
    documents = make()
    result = benzer.deduplicate(documents, **arguments)
    assert [(row["row"], row["kept_row"]) for row in result.removed] == [(2, 0)]
    assert list(benzer.pairs(make(), **{k: v for k, v in arguments.items() if k in ("text", "by")})) == [(0, 2, 1.0)]
    if isinstance(documents, Exporter):
        return
    kept = result.kept()
    if isinstance(kept, pl.LazyFrame):
        kept = kept.collect()
    elif not isinstance(documents, (Row, collections.deque, type({}.values()))):
        assert type(kept) is type(documents)
    if hasattr(documents, "index") and hasattr(documents, "iloc"):
        assert kept.equals(documents.iloc[[0, 1, 3]]) and kept.index.equals(documents.index[[0, 1, 3]])
    if hasattr(documents, "features"):
        assert kept.features == documents.features
    assert len(list(kept) if isinstance(kept, datasets.IterableDataset) else kept) == 3


def typed(kind: Any, values: list[Any]) -> Callable[[], Any]:
    return lambda: pa.table({"text": pa.array(values, kind)})


def several(name: str) -> Any:
    return pd.DataFrame([[text, text] for text in TEXTS], columns=[name, name])


BROKEN_UNION = pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([TEXT, TEXT])])

# The kind, what makes one, arguments, words of the message.
REFUSED: list[tuple[str, Callable[[], Any], dict[str, Any], list[str]]] = [
    ("bool", typed(pa.bool_(), [True]), {}, ["'text'", "bool", "string"]),
    ("half floats", typed(pa.float16(), [np.float16(1)]), {}, ["halffloat"]),
    ("dates", typed(pa.date32(), [DAY.date()]), {}, ["date32"]),
    ("times", typed(pa.timestamp("us"), [DAY]), {}, ["timestamp"]),
    ("decimals", typed(pa.decimal128(5, 2), [decimal.Decimal("1.5")]), {}, ["decimal"]),
    ("binary of one size", typed(pa.binary(3), [b"abc"]), {}, ["'text'", "string"]),
    ("durations", typed(pa.duration("s"), [3]), {}, ["'text'", "string"]),
    ("maps", typed(pa.map_(pa.string(), pa.string()), [[("a", "b")]]), {}, ["map"]),
    ("lists of one size", typed(pa.list_(pa.string(), 1), [["a"]]), {}, ["fixed_size_list"]),
    ("list views", typed(pa.list_view(pa.string()), [["a"]]), {}, ["list_view"]),
    ("a dictionary of int", lambda: pa.table({"text": pa.array([1, 2]).dictionary_encode()}), {}, ["int64"]),
    (
        "a dictionary of dictionaries",
        lambda: pa.table({"text": pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(["a"]).dictionary_encode())}),
        {},
        ["dictionary of dictionary"],
    ),
    (
        "runs",
        lambda: pa.table({"text": pa.RunEndEncodedArray.from_arrays([2], ["a"])}),
        {},
        ["run_end_encoded"],
    ),
    ("a union", lambda: pa.table({"text": BROKEN_UNION}), {}, ["'text'", "string"]),
    ("ids of bool", lambda: pa.table({"text": TEXTS, "id": [True] * 4}), {}, ["'id'", "bool"]),
    ("ids of lists", lambda: pa.table({"text": TEXTS, "id": [[1]] * 4}), {}, ["'id'", "list"]),
    ("groups of structs", lambda: pa.table({"text": TEXTS, "g": [{"a": 1}] * 4}), {"by": "g"}, ["'g'", "struct"]),
    ("numbers of bool", lambda: pa.table({"text": TEXTS, "g": [True] * 4}), {"keep": "max:g"}, ["'g'", "bool"]),
    ("no columns", lambda: pa.table({}), {}, ["'text'", "none"]),
    ("rows without columns", lambda: pa.table({"a": [1]}).select([]), {}, ["'text'", "none"]),
    ("too many rows", lambda: pa.table({"text": pa.nulls(2**32)}), {}, ["4,294,967,296 rows", "4,294,967,295"]),
    ("no stream", lambda: Exporter(lambda: None), {}, ["__arrow_c_stream__() returned a NoneType"]),
    ("a schema", lambda: Exporter(pa.schema([]).__arrow_c_schema__), {}, ["returned a PyCapsule"]),
    ("lists", lambda: [["a"], ["b"]], {}, ["document 0", "list", "features='values'"]),
    ("mappings without fields", lambda: [{}, {}], {}, ["'text'", "none"]),
    ("NaN among texts", lambda: [TEXT, float("nan")], {}, ["document 1", "float", "str"]),
    ("a lone surrogate as name", lambda: TEXTS, {"text": "\ud800"}, ["\\ud800", "lone surrogate"]),
    ("complex numbers", lambda: with_column("g", [1j] * 4), {"keep": "max:g"}, ["'g'", "complex"]),
    ("durations as numbers", lambda: with_column("g", [DAY - DAY] * 4), {"keep": "max:g"}, ["'g'", "timedelta"]),
    ("arrays as numbers", lambda: with_column("g", [np.zeros(2)] * 4), {"keep": "max:g"}, ["'g'"]),
    (
        "times with and without a zone",
        lambda: with_column("g", [DAY, DAY.replace(tzinfo=UTC), None, None]),
        {"keep": "max:g"},
        ["'g'", "no time zone (document 0) and a time zone (document 1)", "give all of them"],
    ),
    ("times and numbers", lambda: with_column("g", [5, DAY, None, None]), {"keep": "max:g"}, ["'g'", "no time "]),
    ("an array of numbers", lambda: np.arange(4), {}, ["document 0", "int"]),
    ("an array without dimensions", lambda: np.array("a"), {}, ["0 dimensions"]),
    ("an array with NaN", lambda: np.array([TEXT, float("nan")], dtype=object), {}, ["document 1", "float"]),
    ("pandas, the text twice", lambda: several("text"), {}, ["several columns 'text'"]),
    (
        "pandas, columns of tuples",
        lambda: pd.DataFrame([[TEXT]], columns=pd.MultiIndex.from_tuples([("a", "text")])),
        {},
        ["'text'", "('a', 'text')"],
    ),
    ("pandas, mixed texts", lambda: pd.DataFrame({"text": objects([TEXT, 5])}), {}, ["document 1", "int", "str"]),
    ("pandas, categories of int", lambda: pd.DataFrame({"text": pd.Categorical([1, 2])}), {}, ["int64"]),
    ("polars, objects", lambda: pl.DataFrame({"text": pl.Series([object()], dtype=pl.Object)}), {}, ["'text'"]),
    ("polars, an expression", lambda: pl.col("text"), {}, ["Expr"]),
    ("polars, no columns", lambda: pl.LazyFrame(), {}, ["'text'", "none"]),
    ("datasets, a transform", lambda: DATASET.with_transform(lambda batch: batch), {}, ["transform", "map"]),
    ("datasets, no such column", lambda: DATASET.to_iterable_dataset().rename_column("text", "b"), {}, ["'b', 'n'"]),
]


def check_sentence(error: BaseException, words: list[str]) -> None:
    message = str(error)
    assert all(word in message for word in words), message
    assert "\n" not in message and "Traceback" not in message and ".py" not in message, message


@pytest.mark.parametrize(("make", "arguments", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(make: Callable[[], Any], arguments: dict[str, Any], words: list[str]) -> None:
    with pytest.raises((benzer.BadInputError, benzer.InvalidArgumentError)) as raised:
        benzer.deduplicate(make(), **arguments)
    check_sentence(raised.value, words)


OTHERS: list[tuple[str, Any]] = [
    ("a number", 5),
    ("an array without dimensions", np.array(5)),
    ("an expression", pl.col("a")),
    ("groups", pl.DataFrame({"a": range(4)}).group_by("a")),
    ("a scalar", pa.scalar(1)),
    ("an object", object()),
    ("fewer rows", pl.DataFrame({"a": range(3)})),
    ("more rows", LongList(TEXTS)),
]


@pytest.mark.parametrize("documents", [one for _, one in OTHERS], ids=[name for name, _ in OTHERS])
def test_kept_of_what_is_no_table(documents: Any) -> None:
    with pytest.raises(benzer.InvalidArgumentError) as raised:
        benzer.deduplicate(TEXTS).kept(documents)
    check_sentence(raised.value, [])


def test_texts_with_lone_surrogates_of_pandas() -> None:
    texts = ["\ud800 " + TEXT, "x", "\ud800 " + TEXT]
    result = benzer.deduplicate(pd.DataFrame({"text": objects(texts)}))
    assert result.removed["row"] == [2] and result.summary["replaced"] == 2


def test_tables_keep_what_describes_them() -> None:
    schema = pa.schema([pa.field("text", pa.string(), metadata={"a": "b"})], metadata={"c": "d"})
    table = pa.table({"text": PLAIN}, schema=schema)
    assert benzer.deduplicate(table).kept().schema.equals(schema, check_metadata=True)
    batch = table.to_batches()[0]
    assert benzer.deduplicate(batch).kept().schema.equals(schema, check_metadata=True)
    scanned = benzer.deduplicate(arrow_dataset.dataset(table)).kept()
    assert scanned.schema.equals(schema, check_metadata=True) and scanned.num_rows == 3
    frame = pd.DataFrame(
        {"text": pd.Categorical(PLAIN), "n": pd.array([1, None, 2, 3], dtype="Int64")},
        index=pd.Index(list("abcd"), name="key"),
    )
    frame.attrs["source"] = "here"
    kept = benzer.deduplicate(frame).kept()
    assert kept.attrs == frame.attrs and kept.dtypes.equals(frame.dtypes) and kept.index.name == "key"
    features = datasets.Features(
        {"text": datasets.Value("large_string"), "label": datasets.ClassLabel(names=["a", "b"])}
    )
    for data in (datasets.Dataset.from_dict({"text": PLAIN, "label": [0, 1, 0, 1]}, features=features),):
        described = benzer.deduplicate(data.with_format("numpy")).kept()
        assert described.features == features and described.format["type"] == "numpy" and len(described) == 3
        streamed = benzer.deduplicate(data.to_iterable_dataset()).kept()
        assert streamed.features == features and [row["label"] for row in streamed] == [0, 1, 1]
    array = np.array(PLAIN, dtype=np.dtypes.StringDType())
    assert benzer.deduplicate(array).kept().dtype == array.dtype
    series = pl.Series("name", TEXTS, dtype=pl.Categorical)
    assert (series.name, series.dtype) == (benzer.deduplicate(series).kept().name, pl.Categorical)


ATTRIBUTES: list[tuple[str, Callable[[Any], Any]]] = [
    ("pyarrow", lambda table: table),
    ("pyarrow Dataset", arrow_dataset.dataset),
    ("pandas", lambda table: table.to_pandas()),
    ("polars", pl.DataFrame),
    ("polars LazyFrame", lambda table: pl.DataFrame(table).lazy()),
    ("DuckDB", duckdb.from_arrow),
    ("datasets", lambda table: datasets.Dataset(table)),
    ("datasets, selected", lambda table: datasets.Dataset(table).select([1, 0])),
    ("datasets, streaming", lambda table: datasets.Dataset(table).to_iterable_dataset()),
]


@pytest.mark.parametrize("make", [make for _, make in ATTRIBUTES], ids=[name for name, _ in ATTRIBUTES])
def test_an_index_reads_all_columns(make: Callable[[Any], Any]) -> None:
    table = pa.table({"id": ["a", "b"], "text": [TEXT, "x y"], "title": ["t u", "v"], "lang": ["en", "de"]})
    fields = {"text": "text:word3", "title": "text:word1"}
    with benzer.Index(fields=fields, attributes={"lang": "string"}) as index:
        assert index.add(make(table)).inserted == 2
        found = index.get("a")
        assert found is not None and found.attributes == {"lang": "en"} and found.features == {"text": 5, "title": 2}
        assert [len(matches) for matches in index.similar(make(table.drop(["id"])), threshold=0.8)] == [1, 1]


def test_a_table_of_pandas_that_an_index_cannot_read() -> None:
    with benzer.Index() as index, pytest.raises(benzer.BadInputError) as raised:
        index.add(pd.DataFrame({"id": [1, 2], "text": objects([TEXT, 5])}))
    check_sentence(raised.value, ["pandas"])


def test_a_selected_dataset_is_not_copied(capfd: Any) -> None:
    selected = DATASET.select([3, 2, 1, 0, 3]).select([3, 2, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert benzer.deduplicate(selected).removed["row"] == [2]
    assert capfd.readouterr().err == ""


DECIMALS = [
    (pa.decimal128(18, 2), ["-12.50", "0.00", "3.05", "3.10", None]),
    (pa.decimal128(38, 0), ["-5", "9007199254740992", "9007199254740993", "9223372036854775807", None]),
    (pa.decimal128(38, 38), ["-0.1", "0", "0." + "0" * 37 + "1", "0." + "9" * 38, None]),
    (pa.decimal256(76, 1), ["-" + "9" * 75 + ".9", "-1.5", "1" + "0" * 60, "9" * 75 + ".9", None]),
    (pa.decimal128(5, -2), ["-12300", "0", "100", "99900", None]),
]


@pytest.mark.parametrize(
    ("kind", "numbers"), DECIMALS, ids=lambda one: str(one) if isinstance(one, pa.DataType) else ""
)
def test_decimals_are_numbers(kind: Any, numbers: list[str | None]) -> None:
    values = pa.array([number and decimal.Decimal(number) for number in numbers], kind)
    for order in ([0, 1, 2, 3, 4], [3, 4, 1, 0, 2]):
        table = pa.table({"text": [TEXT] * 5, "n": values.take(pa.array(order))})
        for rule, best in (("max", 3), ("min", 0)):
            result = benzer.deduplicate(table, keep=f"{rule}:n", allow_large_clusters=True)
            assert list(result.kept_rows()) == [int(one == best) for one in order]
        # The second lowest is kept of a slice without the lowest and without null.
        rest = table.filter(pa.array([one not in (0, 4) for one in order]))
        assert benzer.deduplicate(rest, keep="min:n").kept(rest)["n"].to_pylist() == [values[1].as_py()]


def test_groups_and_ids_of_decimals() -> None:
    texts = [TEXT] * 4
    wide = pa.array([decimal.Decimal(one) for one in ("1.50", "2.00", "2.00", "-0.05")], pa.decimal128(9, 2))
    table = pa.table({"text": texts, "id": wide, "g": wide})
    result = benzer.deduplicate(table, by="g")
    assert [(row["id"], row["kept_id"]) for row in result.removed] == [(2, 2)]
    assert benzer.deduplicate(table, by="g").kept_rows() == bytes([1, 1, 0, 1])
    known = pa.table({"text": texts, "id": [1, 2, 3, 4], "g": [1.5, 2.0, 3.0, -0.05]})
    assert benzer.deduplicate(table, by="g", against=known).kept_rows() == bytes(4)


def test_decimals_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    table = duckdb.sql(f"select '{TEXT}' as text, 0.1 * i as price, sum(i) over () as total from range(4) t(i)")
    assert benzer.deduplicate(table, keep="max:price").kept_rows() == bytes([0, 0, 0, 1])
    assert benzer.deduplicate(table, by="total", keep="min:total,last").kept_rows() == bytes([0, 0, 0, 1])
