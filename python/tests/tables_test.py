# labels: python
"""Deduplicates the same documents in every kind of table, and compares with the program."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
np = pytest.importorskip("numpy")
pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")
duckdb = pytest.importorskip("duckdb")
datasets = pytest.importorskip("datasets")
nanoarrow = pytest.importorskip("nanoarrow")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from pyarrow import dataset as arrow_dataset  # noqa: E402

PROGRAM = os.environ.get("BENZER", "benzer")
WORDS = "one two three four five six seven eight nine ten eleven twelve".split()


def made_texts(count: int = 60) -> list[str | None]:
    """Return texts of which about a third are similar to another one, nulls and empty ones among them."""
    out: list[str | None] = []
    for i in range(count):
        base = i // 3
        words = [WORDS[(base * 7 + k * (base + 1)) % len(WORDS)] + str(base % 5) for k in range(30)]
        if i % 3 == 1:
            words.append("more")
        out.append(None if i % 13 == 4 else "" if i % 17 == 9 else " ".join(words))
    return out


TEXTS = made_texts()
PLAIN = [text or "" for text in TEXTS]
ROWS = [{"text": text, "n": i} for i, text in enumerate(TEXTS)]
TABLE = pa.table({"n": range(len(TEXTS)), "text": TEXTS})


def rows_of(data: Any) -> list[Any]:
    """Return the column n of a table, or the texts of a column, as a list."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if isinstance(data, (pl.DataFrame, pd.DataFrame)):
        return list(data["n"])
    if isinstance(data, (pl.Series, pd.Series, np.ndarray, tuple)):
        return list(data)
    if type(data).__module__.startswith("duckdb"):
        return [row[0] for row in data.fetchall()]
    if isinstance(data, (pa.Table, pa.RecordBatch)):
        return data.column("n").to_pylist()
    if isinstance(data, (pa.Array, pa.ChunkedArray)):
        return data.to_pylist()
    return [row["n"] if isinstance(row, dict) else row for row in data]


def chunked(kind: Any) -> Any:
    """Return a table whose column of texts has this type, in slices, of which some are empty."""
    pieces = [pa.array([None, "pad", *TEXTS[:7], "pad"], kind).slice(2, 7)]
    pieces.append(pa.array([], kind))
    pieces.append(pa.array(["pad"] * 11 + TEXTS[7:40], kind).slice(11))
    pieces.append(pa.array(["pad"] * 3 + TEXTS[40:] + [None] * 5, kind).slice(3, len(TEXTS) - 40))
    return pa.chunked_array(pieces, kind)


def with_type(kind: Any) -> Any:
    return pa.table({"n": range(len(TEXTS)), "text": chunked(kind)})


def dictionary() -> Any:
    one = pa.array([*TEXTS[:20]]).dictionary_encode()
    two = pa.array(["pad", *TEXTS[20:], "pad"]).dictionary_encode().slice(1, len(TEXTS) - 20)
    return pa.table({"n": range(len(TEXTS)), "text": pa.chunked_array([one, two])})


def dictionary_with_null() -> Any:
    """A dictionary whose null is one of its values."""
    index = pa.array([TEXTS.index(text) for text in TEXTS], pa.int8())
    return pa.table({"n": range(len(TEXTS)), "text": pa.DictionaryArray.from_arrays(index, pa.array(TEXTS))})


def dataset_of(rows: Any) -> Any:
    return datasets.Dataset.from_dict({"n": list(range(len(rows))), "text": list(rows)})


def selected_dataset() -> Any:
    order = list(range(len(TEXTS)))[::-1]
    rows = dataset_of([TEXTS[i] for i in order] + ["pad"])
    return rows.remove_columns("n").add_column("n", [*order, -1]).select([order.index(i) for i in range(len(TEXTS))])


def filtered_dataset() -> Any:
    rows = datasets.Dataset.from_list([{"n": -1, "text": "pad"}, *[{"n": r["n"], "text": r["text"]} for r in ROWS]])
    return rows.filter(lambda row: row["n"] >= 0)


def iterable_dataset() -> Any:
    return datasets.IterableDataset.from_generator(
        lambda: (row for row in [{"n": i, "text": t} for i, t in enumerate(TEXTS)])
    )


def nested_struct() -> Any:
    struct = pa.StructArray.from_arrays([pa.array(["pad", *TEXTS]), pa.array(range(len(TEXTS) + 1))], ["text", "x"])
    return pa.table({"n": range(len(TEXTS)), "meta": struct.slice(1)})


# The kind, a function that makes one, what else to pass to deduplicate().
KINDS: list[tuple[str, Callable[[], Any], dict[str, Any]]] = [
    ("list", lambda: TEXTS, {}),
    ("list of dicts", lambda: ROWS, {}),
    ("tuple", lambda: tuple(TEXTS), {}),
    ("tuple of dicts", lambda: tuple(ROWS), {}),
    ("generator of dicts", lambda: (row for row in ROWS), {}),
    ("generator of str", lambda: iter(TEXTS), {}),
    ("list of nested dicts", lambda: [{"n": r["n"], "meta": {"text": r["text"]}} for r in ROWS], {"text": "meta.text"}),
    (
        "list of nested dicts by pointer",
        lambda: [{"n": r["n"], "meta": {"text": r["text"]}} for r in ROWS],
        {"text": "/meta/text"},
    ),
    ("list of bytes", lambda: [None if t is None else t.encode() for t in TEXTS], {}),
    ("numpy object", lambda: np.array(TEXTS, dtype=object), {}),
    ("numpy U", lambda: np.array(PLAIN), {}),
    ("numpy S", lambda: np.array([text.encode() for text in PLAIN]), {}),
    ("numpy StringDType", lambda: np.array(PLAIN, dtype=np.dtypes.StringDType()), {}),
    ("numpy every second", lambda: np.repeat(np.array(TEXTS, dtype=object), 2)[::2], {}),
    ("pyarrow Table", lambda: TABLE, {}),
    ("pyarrow RecordBatch", lambda: TABLE.combine_chunks().to_batches()[0], {}),
    (
        "pyarrow RecordBatch, sliced",
        lambda: pa.record_batch(
            {"n": [-1, -1, -1, *range(len(TEXTS)), 7], "text": ["pad", None, "pad", *TEXTS, None]}
        ).slice(3, len(TEXTS)),
        {},
    ),
    ("pyarrow RecordBatchReader", lambda: TABLE.to_reader(max_chunksize=7), {}),
    ("pyarrow Dataset", lambda: arrow_dataset.dataset(TABLE), {}),
    (
        "pyarrow Dataset, filtered",
        lambda: arrow_dataset.dataset(pa.concat_tables([TABLE, pa.table({"n": [-1], "text": ["pad"]})])).filter(
            arrow_dataset.field("n") >= 0
        ),
        {},
    ),
    ("pyarrow Scanner", lambda: arrow_dataset.dataset(TABLE).scanner(), {}),
    ("pyarrow ChunkedArray", lambda: TABLE["text"], {}),
    ("pyarrow Array", lambda: pa.array(TEXTS), {}),
    ("pyarrow Array, sliced", lambda: pa.array(["pad"] * 5 + TEXTS).slice(5), {}),
    ("pyarrow nested", nested_struct, {"text": "meta.text"}),
    ("pyarrow column with a dot", lambda: TABLE.rename_columns(["n", "meta.text"]), {"text": "meta.text"}),
    ("string in chunks", lambda: with_type(pa.string()), {}),
    ("large_string in chunks", lambda: with_type(pa.large_string()), {}),
    ("string_view in chunks", lambda: with_type(pa.string_view()), {}),
    ("binary in chunks", lambda: with_type(pa.binary()), {}),
    ("large_binary in chunks", lambda: with_type(pa.large_binary()), {}),
    ("binary_view in chunks", lambda: with_type(pa.binary_view()), {}),
    ("dictionary", dictionary, {}),
    ("dictionary with a null in it", dictionary_with_null, {}),
    ("polars DataFrame", lambda: pl.DataFrame(TABLE), {}),
    (
        "polars DataFrame, sliced",
        lambda: pl.concat([pl.DataFrame({"n": [-1] * 5, "text": ["pad"] * 5}), pl.DataFrame(TABLE)]).slice(5),
        {},
    ),
    ("polars Categorical", lambda: pl.DataFrame(TABLE).with_columns(pl.col("text").cast(pl.Categorical)), {}),
    ("polars Series", lambda: pl.Series("a", TEXTS), {}),
    ("polars LazyFrame", lambda: pl.LazyFrame(pl.DataFrame(TABLE)), {}),
    ("pandas DataFrame", lambda: pd.DataFrame(ROWS), {}),
    ("pandas with an index", lambda: pd.DataFrame(ROWS, index=["x"] * len(ROWS)), {}),
    ("pandas Categorical", lambda: pd.DataFrame(ROWS).astype({"text": "category"}), {}),
    ("pandas Series", lambda: pd.Series(TEXTS), {}),
    ("DuckDB relation", lambda: duckdb.connect().from_arrow(TABLE), {}),
    ("datasets.Dataset", lambda: dataset_of(TEXTS), {}),
    ("datasets.Dataset, selected", selected_dataset, {}),
    ("datasets.Dataset, filtered", filtered_dataset, {}),
    ("datasets.IterableDataset", iterable_dataset, {}),
    ("nanoarrow Array", lambda: nanoarrow.Array(TEXTS, nanoarrow.string()), {}),
    ("nanoarrow ArrayStream", lambda: nanoarrow.ArrayStream(TABLE.combine_chunks()), {}),
]
READ_ONCE = ("generator", "Reader", "ArrayStream")
NAMES = [name for name, _, _ in KINDS]


def facts_of(result: benzer.Result) -> dict[str, Any]:
    """Return what must be the same for the same documents in another kind of table."""
    counts = (
        "documents",
        "kept",
        "removed",
        "clusters",
        "candidates",
        "verified_pairs",
        "exact_duplicates",
        "empty",
        "short",
        "bytes",
        "replaced",
        "largest_cluster",
    )
    return {
        **{name: result.summary[name] for name in counts},
        "removed": result.removed.to_pylist(),
        "kept": result.kept_rows(),
        "clusters": result.clusters().to_pylist(),
    }


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    facts = facts_of(benzer.deduplicate(PLAIN))
    assert len(facts["removed"]) > 10 and 10 < sum(facts["kept"]) < len(TEXTS)
    return facts


@pytest.mark.parametrize(("make", "more"), [(make, more) for _, make, more in KINDS], ids=NAMES)
def test_every_kind_has_the_same_result(make: Callable[[], Any], more: dict[str, Any], expected: Any) -> None:
    assert facts_of(benzer.deduplicate(make(), **more)) == expected


@pytest.mark.parametrize(("make", "more"), [(make, more) for _, make, more in KINDS], ids=NAMES)
def test_every_kind_has_the_same_pairs(make: Callable[[], Any], more: dict[str, Any]) -> None:
    assert list(benzer.pairs(make(), **more)) == list(benzer.pairs(PLAIN))


@pytest.mark.parametrize(("name", "make", "more"), KINDS, ids=NAMES)
def test_kept_is_of_the_same_kind(name: str, make: Callable[[], Any], more: dict[str, Any], expected: Any) -> None:
    documents = make()
    result = benzer.deduplicate(documents, **more)
    places = [i for i, one in enumerate(expected["kept"]) if one]
    if any(word in name for word in READ_ONCE):
        with pytest.raises(benzer.InvalidArgumentError, match="read once"):
            result.kept()
        documents = make()
        if "Reader" in name or "ArrayStream" in name:
            return
    kept = result.kept(documents)
    if "generator" in name:
        assert type(kept) is list
    elif "nanoarrow" in name or "Dataset" in name and "pyarrow" in name or "Scanner" in name:
        assert isinstance(kept, (pa.Table, pa.ChunkedArray))
    else:
        assert type(kept) is type(documents)
    found = [row["n"] if isinstance(row, dict) else row for row in rows_of(kept)]
    if "list" in name and "dict" not in name or isinstance(found[0], (str, bytes)):
        texts = [value.decode() if isinstance(value, bytes) else value for value in found]
        assert [text if isinstance(text, str) else "" for text in texts] == [PLAIN[i] for i in places]
    else:
        assert found == places


OTHER_ROWS: list[tuple[str, Any]] = [
    ("list", PLAIN[:-1]),
    ("tuple", (*PLAIN, "x")),
    ("numpy", np.array(PLAIN[1:])),
    ("pyarrow", TABLE.slice(1)),
    ("batch", TABLE.slice(1).to_batches()[0]),
    ("array", pa.array(PLAIN[1:])),
    ("polars", pl.DataFrame(TABLE).slice(1)),
    ("lazy", pl.DataFrame(TABLE).slice(1).lazy()),
    ("series", pl.Series(PLAIN[1:])),
    ("pandas", pd.DataFrame(ROWS[1:])),
    ("duckdb", duckdb.from_arrow(TABLE.slice(1))),
    ("datasets", dataset_of(PLAIN[1:])),
    ("none", []),
    ("dataset", arrow_dataset.dataset(TABLE.slice(1))),
    ("number", 5),
    ("mapping", {"a": 1}),
    ("file", "a.parquet"),
]


@pytest.mark.parametrize("documents", [one for _, one in OTHER_ROWS], ids=[name for name, _ in OTHER_ROWS])
def test_kept_of_other_rows_is_refused(documents: Any) -> None:
    with pytest.raises(benzer.InvalidArgumentError):
        benzer.deduplicate(PLAIN).kept(documents)


EMPTY: list[tuple[str, Any]] = [
    ("list", []),
    ("tuple", ()),
    ("generator", (t for t in ())),
    ("table", TABLE.slice(0, 0)),
    ("no chunks", pa.table({"text": pa.chunked_array([], pa.string())})),
    ("array", pa.array([], pa.string())),
    ("nulls", pa.table({"text": pa.nulls(0)}).cast(pa.schema({"text": pa.string()}))),
    ("numpy", np.array([], dtype=str)),
    ("polars", pl.DataFrame({"text": []}, schema={"text": pl.String})),
    ("lazy", pl.LazyFrame(schema={"text": pl.String})),
    ("pandas", pd.DataFrame({"text": pd.Series([], dtype="str")})),
    ("duckdb", duckdb.from_arrow(TABLE.slice(0, 0))),
    (
        "datasets",
        dataset_of([]).cast(datasets.Features({"n": datasets.Value("int64"), "text": datasets.Value("string")})),
    ),
]


@pytest.mark.parametrize("documents", [one for _, one in EMPTY], ids=[name for name, _ in EMPTY])
def test_no_rows(documents: Any) -> None:
    result = benzer.deduplicate(documents)
    assert (result.summary["documents"], len(result.removed), result.kept_rows()) == (0, 0, b"")
    assert len(benzer.pairs(documents if not hasattr(documents, "send") else [])) == 0


@pytest.mark.parametrize("stream", [TABLE.to_reader(max_chunksize=9), nanoarrow.ArrayStream(TABLE.combine_chunks())])
def test_readers_can_be_reported(stream: Any) -> None:
    reader = benzer.deduplicate(stream)
    before = reader.removed.to_pylist(), reader.kept_rows()
    assert "<html" in reader.report().html
    assert (reader.removed.to_pylist(), reader.kept_rows()) == before


def test_a_report_of_documents_that_have_changed_is_refused() -> None:
    documents = np.array(PLAIN, dtype=object)
    table = pd.DataFrame({"text": documents})
    result = benzer.deduplicate(table)
    kept = result.kept_rows()
    table.loc[3, "text"] = table.loc[0, "text"]
    with pytest.raises(benzer.Error, match="changed"):
        result.report()
    assert result.kept_rows() == kept


IDS: list[tuple[str, list[Any]]] = [
    ("int", [7, 8, 9, 10]),
    ("negative", [-1, -(2**63), 2**63 - 1, 0]),
    ("str", ["a", "b\n", 'c"', "d\\é"]),
    ("null", [None, 5, None, 6]),
    ("str and null", ["x", None, None, "y"]),
    ("all null", [None] * 4),
    ("empty str", ["", "a", "", "b"]),
]
FOUR = ["a b c d e f", "x", "a b c d e f", "a b c d e f"]


@pytest.mark.parametrize("ids", [ids for _, ids in IDS], ids=[name for name, _ in IDS])
def test_ids(ids: list[Any], tmp_path: Path) -> None:
    rows = [{"id": one, "text": text} for one, text in zip(ids, FOUR)]
    table = pa.table({"id": ids, "text": FOUR})
    found = benzer.deduplicate(rows).removed.to_pylist()
    assert found == benzer.deduplicate(table).removed.to_pylist()
    assert found == benzer.deduplicate(pl.DataFrame(table)).removed.to_pylist()
    program = run_program(rows, tmp_path)
    assert [str(row["id"]) for row in found] == [str(row["id"]) for row in program["removed"]]


def test_a_large_int_as_id() -> None:
    rows = [{"id": 2**70 + i, "text": text} for i, text in enumerate(FOUR)]
    assert [str(row["id"]) for row in benzer.deduplicate(rows).removed] == [str(2**70 + 2), str(2**70 + 3)]


GROUPS: list[tuple[str, list[Any]]] = [
    ("str", ["x", "x", "y", "x"]),
    ("null", [None, None, None, "x"]),
    ("int", [1, 1, 1, 2]),
    ("float", [1.0, 1.5, 1, 1.0]),
    ("bool", [True, False, True, False]),
    ("mixed", [1, 1.0, "1", None]),
    ("empty", ["", "", None, ""]),
]


@pytest.mark.parametrize("groups", [groups for _, groups in GROUPS], ids=[name for name, _ in GROUPS])
def test_groups(groups: list[Any], tmp_path: Path) -> None:
    rows = [{"g": one, "text": FOUR[0]} for one in groups]
    program = run_program(rows, tmp_path, "--by", "g")
    assert program_facts(benzer.deduplicate(rows, by="g")) == program["facts"]
    if groups[0] != 1 or groups[3] is not None:
        assert (
            program_facts(benzer.deduplicate(pa.table({"g": groups, "text": FOUR[:1] * 4}), by="g")) == program["facts"]
        )


NUMBERS: list[tuple[str, list[Any]]] = [
    ("int", [1, 3, 2, 3]),
    ("float", [0.5, 0.25, 1e300, -1.0]),
    ("null", [None, None, 2, 1]),
    ("mixed", [1, 2.5, None, 2]),
    ("above 2^53", [2**53, 2**53 + 1, 2**53, 2**53]),
    ("nanoseconds", [1700000000000000001 + i for i in range(4)]),
    ("negative", [-5, -4, -6, -7]),
    ("uint64", [2**64 - 3, 2**64 - 1, 2**64 - 2, None]),
    ("mixed and large", [0.5, 2**60, 2**60 + 1, -1]),
]


@pytest.mark.parametrize("keep", ["max:n", "min:n", "max:n,longest", "longest,max:n"])
@pytest.mark.parametrize("numbers", [numbers for _, numbers in NUMBERS], ids=[name for name, _ in NUMBERS])
def test_keep_by_a_column(numbers: list[Any], keep: str, tmp_path: Path) -> None:
    rows = [{"n": one, "text": FOUR[0]} for one in numbers]
    program = run_program(rows, tmp_path, "--keep", keep)
    assert program_facts(benzer.deduplicate(rows, keep=keep)) == program["facts"]


def run_program(rows: list[Any], folder: Path, *options: str) -> dict[str, Any]:
    """Deduplicate with the program, and return what it writes."""
    source, out, removed = folder / "in.jsonl", folder / "out.jsonl", folder / "removed.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    source.write_text("".join(line + "\n" for line in lines))
    done = subprocess.run(
        [PROGRAM, "dedup", source, "-o", out, "--removed", removed, "--json", "--allow-large-clusters", *options],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    gone = [json.loads(line) for line in removed.read_text().splitlines()]
    summary = json.loads(done.stdout)
    facts = {name: summary[name] for name in COUNTS}
    facts["removed"] = [(one["line"] - 1, one["score"]) for one in gone]
    return {"facts": facts, "removed": gone, "summary": summary, "kept": out.read_text().splitlines(), "lines": lines}


COUNTS = (
    "documents",
    "kept",
    "removed",
    "clusters",
    "candidates",
    "verified_pairs",
    "exact_duplicates",
    "empty",
    "short",
    "replaced",
    "skipped",
    "without_group",
    "without_number",
    "threshold",
    "config",
    "largest_cluster",
)


def program_facts(result: benzer.Result) -> dict[str, Any]:
    facts = {name: result.summary[name] for name in COUNTS}
    facts["removed"] = [(row["row"], row["score"]) for row in result.removed]
    return facts


texts_of_words = st.lists(st.sampled_from(WORDS[:4]), max_size=14).map(" ".join)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(texts_of_words, max_size=40),
    st.sampled_from(["0.3", "0.5", "0.8", "1"]),
    st.sampled_from(["first", "last", "longest", "shortest"]),
    st.sampled_from(["leader", "components"]),
    st.sampled_from(["text:word2", "text:char5", "text:word5"]),
    st.sampled_from([1, 2, 3]),
)
def test_random_texts_as_the_program(
    texts: list[str], threshold: str, keep: str, cluster: str, features: str, threads: int
) -> None:
    rows = [{"text": text} for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        program = run_program(
            rows, Path(folder), "--threshold", threshold, "--keep", keep, "--cluster", cluster, "--features", features
        )
    arguments = {
        "threshold": threshold,
        "keep": keep,
        "cluster": cluster,
        "features": features,
        "threads": threads,
        "allow_large_clusters": True,
    }
    for documents in (
        texts,
        rows,
        pa.table({"text": pa.array(texts, pa.string_view())}),
        pl.Series(texts, dtype=pl.String),
    ):
        result = benzer.deduplicate(documents, **arguments)
        assert program_facts(result) == program["facts"]
        kept = [program["lines"][i] for i, one in enumerate(result.kept_rows()) if one]
        assert kept == program["kept"]


VALUES = [["a", "b", "c"], ["c", "b", "a", "a"], [], None, ["x"], ["a", None, "b", "c"]]
VALUE_TABLES: list[tuple[str, Any]] = [
    ("list of dicts", [{"v": one} for one in VALUES[:5]]),
    ("sets", [{"v": one and set(one)} for one in VALUES[:5]]),
    ("list", pa.table({"v": VALUES})),
    ("large_list", pa.table({"v": pa.array(VALUES, pa.large_list(pa.string_view()))})),
    ("sliced", pa.table({"v": pa.array([["p"], ["q", "r"], *VALUES, ["s"]]).slice(2, 6)})),
    ("dictionary", pa.table({"v": pa.array(VALUES, pa.list_(pa.dictionary(pa.int8(), pa.string())))})),
    ("polars", pl.DataFrame({"v": VALUES})),
    ("pandas", pd.DataFrame({"v": VALUES[:5]})),
    ("datasets", datasets.Dataset.from_dict({"v": VALUES})),
]


@pytest.mark.parametrize("documents", [one for _, one in VALUE_TABLES], ids=[name for name, _ in VALUE_TABLES])
def test_values(documents: Any) -> None:
    result = benzer.deduplicate(documents, values="v", features="values")
    assert [row["row"] for row in result.removed] == ([1] if len(documents) == 5 else [1, 5])
    assert result.summary["empty"] == 2


WEIGHTS = [{"a": 1.0, "b": 9.0}, {"a": 9.0, "b": 1.0}, {"b": 9.0, "a": 1.0}, {}, None]
WEIGHTED = pa.array([None if one is None else list(one.items()) for one in WEIGHTS], pa.map_(pa.string(), pa.float64()))
PADDED = pa.concat_arrays([WEIGHTED.slice(1, 1), WEIGHTED]).slice(1)


@pytest.mark.parametrize(
    "documents",
    [pa.table({"v": WEIGHTED}), pa.table({"v": PADDED}), [{"v": one} for one in WEIGHTS], WEIGHTS[:4]],
    ids=["map", "sliced", "dicts", "bare"],
)
def test_weights(documents: Any, tmp_path: Path) -> None:
    if isinstance(documents, list) and "a" in documents[0]:
        pytest.skip("bare mappings are documents")
    result = benzer.deduplicate(documents, values="v", features="values+weights")
    program = run_program(
        [{"v": one or {}} for one in WEIGHTS], tmp_path, "--values", "v", "--features", "values+weights"
    )
    assert [(row["row"], row["score"]) for row in result.removed] == program["facts"]["removed"]


AGAINST: list[tuple[str, Any]] = [
    ("list", PLAIN[:9]),
    ("table", TABLE.slice(0, 9)),
    ("polars", pl.DataFrame(TABLE)[:9]),
    ("dataset", arrow_dataset.dataset(TABLE.slice(0, 9))),
    ("generator", (t for t in PLAIN[:9])),
    ("lazy", pl.DataFrame(TABLE).head(9).lazy()),
]


@pytest.mark.parametrize("against", [one for _, one in AGAINST], ids=[name for name, _ in AGAINST])
@pytest.mark.parametrize("scanned", [False, True])
def test_references(against: Any, scanned: bool, tmp_path: Path) -> None:
    if hasattr(against, "send"):
        against = list(PLAIN[:9]) if scanned else (t for t in PLAIN[:9])
    documents = arrow_dataset.dataset(TABLE.slice(3)) if scanned else TABLE.slice(3)
    result = benzer.deduplicate(documents, against=against, allow_large_clusters=True)
    (tmp_path / "known.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in PLAIN[:9]))
    program = run_program([{"text": text} for text in PLAIN[3:]], tmp_path, "--against", str(tmp_path / "known.jsonl"))
    facts = program_facts(result)
    assert facts == program["facts"]
    assert result.summary["references"] == 9 and len(result.kept_rows()) == len(PLAIN) - 3
    kept = result.kept(TABLE.slice(3))
    assert [PLAIN[i] for i in kept["n"].to_pylist()] == [json.loads(line)["text"] for line in program["kept"]]
    known = [Path(one["kept_source"]).name == "known.jsonl" for one in program["removed"]]
    assert [row["kept_is_reference"] for row in result.removed] == known


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_the_result(threads: int, expected: Any) -> None:
    assert facts_of(benzer.deduplicate(TABLE, threads=threads)) == expected
    assert facts_of(benzer.deduplicate(arrow_dataset.dataset(TABLE), threads=threads, memory_limit="64M")) == expected
