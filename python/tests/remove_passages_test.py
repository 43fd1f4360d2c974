# labels: python passages
"""remove_passages(): the same records as the command line writes, as tables of every kind."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest
from passages_data import POEM, program, quoting
from polars import testing
from pyarrow import dataset as arrow_dataset
from pyarrow import parquet

import benzer

HARBOUR = "two boats lay in the harbour and nobody knew to whom they belonged"
TEXTS = [
    "A letter came from the north. " + HARBOUR,
    "nothing else is like this",
    "Größe: " + HARBOUR + ". The end",
    HARBOUR,
    "nobody knew",
]
CUT = [TEXTS[0], TEXTS[1], "Größe: . The end", "nobody knew"]  # of those that keep a word
OPTIONS: dict[str, Any] = {"min_words": 5, "min_left": 1}
IDS = ["a", "b", "c", "d", "e"]
LEFT = ["a", "b", "c", "e"]


def removal_of(documents: Any, **options: Any) -> benzer.PassageRemoval:
    return benzer.remove_passages(documents, **{**OPTIONS, **options})


def test_what_was_removed() -> None:
    found = removal_of(TEXTS)
    assert found.kept() == CUT
    first, second, rest = found.removed
    assert first == {
        "row": 2,
        "id": 2,
        "begin": 9,
        "end": 75,
        "begin_char": 7,
        "end_char": 73,
        "words": 13,
        "is_dropped": False,
        "text": HARBOUR,
    }
    assert TEXTS[2][first["begin_char"] : first["end_char"]] == first["text"]
    assert TEXTS[2].encode()[first["begin"] : first["end"]].decode() == first["text"]
    assert (second["row"], second["words"], second["text"], second["is_dropped"]) == (3, 13, HARBOUR, False)
    assert rest == {**dict.fromkeys(rest), "row": 3, "id": 3, "words": 0, "is_dropped": True, "text": ""}
    assert [(one["row"], one["first_row"], one["first_left"]) for one in found.passages] == [(2, 0, 13), (3, 0, 13)]
    assert repr(found) == "<benzer.PassageRemoval: 26 of 55 words removed, from 2 of 5 documents>"
    assert (found.summary["cut"], found.summary["dropped"], found.summary["dry_run"]) == (2, 1, True)
    assert found.output is None
    assert found.problems == []
    assert "<table>" in found._repr_html_()


def test_a_first_place_that_was_itself_cut() -> None:
    """The words that the third text loses are first in the second, which loses some of them to the first."""
    words = [f"w{i}" for i in range(30)]
    texts = [" ".join(words[:10]), " ".join(words[5:25]), " ".join(words[8:22])]
    found = benzer.remove_passages(texts, min_words=5)
    assert found.kept() == [texts[0], " ".join(words[10:25]), ""]
    assert [(one["row"], one["first_row"], one["first_words"], one["first_left"]) for one in found.passages] == [
        (1, 0, 5, 5),
        (2, 1, 14, 12),
    ]


@pytest.mark.parametrize("options", [{}, {"at": "line"}, {"min_left": 20}, {"across": "n", "at": "word"}])
def test_it_writes_what_the_command_line_writes(options: dict[str, Any], tmp_path: Path) -> None:
    rows = quoting(80)
    for row in rows:
        row["text"] = row["text"].replace("7 ", "7\n")
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    asked = {"min_words": 8, **options}
    arguments = [text for name, value in asked.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    command = [program(), "passages", "in.jsonl", "--remove", "-o", "expected.jsonl", "--json", *arguments]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    names = ("documents", "passages", "removed_words", "cut", "dropped", "min_left", "at")
    summary = {name: json.loads(done.stdout)[name] for name in names}
    assert summary["cut"] > 20
    expected = (tmp_path / "expected.jsonl").read_bytes()
    cuts = (tmp_path / "expected.jsonl.removed.jsonl").read_bytes()

    output, removed = tmp_path / "out.jsonl", tmp_path / "removed.jsonl"
    found = benzer.remove_passages(str(tmp_path / "in.jsonl"), **asked, output=output, removed=removed)
    assert found.output == str(output)
    assert output.read_bytes() == expected
    assert {name: found.summary[name] for name in names} == summary
    assert removed.read_text().replace(str(tmp_path / "in.jsonl"), "in.jsonl").encode() == cuts

    of_rows = benzer.remove_passages(rows, **asked, removed=tmp_path / "of_rows.jsonl")
    assert of_rows.kept() == [json.loads(line) for line in expected.splitlines()]
    lines = [json.loads(line) for line in cuts.splitlines()]
    listed = [json.loads(line) for line in (tmp_path / "of_rows.jsonl").read_text().splitlines()]
    assert [(one["document"], one["text"]) for one in listed] == [(one["document"], one["text"]) for one in lines]
    for result in (found, of_rows):
        assert [
            (one["id"], one["begin"], one["end"], one["words"], one["text"], one["is_dropped"])
            for one in result.removed
        ] == [
            (one["document"], one.get("begin"), one.get("end"), one["words"], one["text"], "dropped" in one)
            for one in lines
        ]


def columns(texts: list[Any], ids: list[str]) -> dict[str, list[Any]]:
    return {"n": [ord(one) for one in ids], "text": texts, "id": ids}


def test_lists_stay_lists() -> None:
    assert removal_of(tuple(TEXTS)).kept() == tuple(CUT)
    assert removal_of([text.encode() for text in TEXTS]).kept() == [text.encode() for text in CUT]
    rows = [{"n": [n], "body": text} for n, text in enumerate(TEXTS)]
    kept = removal_of(rows, text="body").kept()
    assert kept == [{"n": [n], "body": text} for n, text in zip((0, 1, 2, 4), CUT)]
    assert rows[2]["body"] == TEXTS[2]
    assert removal_of(iter(TEXTS)).kept(TEXTS) == CUT


def test_arrays_stay_arrays() -> None:
    for kind in (str, object):
        array = numpy.array(TEXTS, dtype=kind)
        kept = removal_of(array).kept()
        assert kept.dtype == array.dtype
        assert kept.tolist() == CUT
        assert array.tolist() == TEXTS
    records = numpy.array(list(zip(TEXTS, range(5))), dtype=[("text", object), ("n", int)])
    kept = removal_of(records).kept()
    assert kept.tolist() == list(zip(CUT, (0, 1, 2, 4)))
    assert records["text"].tolist() == TEXTS


@pytest.mark.parametrize("kind", [None, object, "string", "string[pyarrow]", "category"])
def test_pandas(kind: Any) -> None:
    frame = pandas.DataFrame(columns(TEXTS, IDS), index=[7, 7, 8, 9, 10])
    if kind is not None:
        frame["text"] = frame["text"].astype(kind)
    before = frame.copy()
    kept = removal_of(frame).kept()
    assert kept["text"].tolist() == CUT
    assert kept["id"].tolist() == LEFT
    assert kept.columns.tolist() == ["n", "text", "id"]
    assert kept.index.tolist() == [7, 7, 8, 10]
    assert kind == "category" or kept["text"].dtype == frame["text"].dtype
    assert len(removal_of(frame, min_left=0).kept()) == 5
    pandas.testing.assert_frame_equal(frame, before)
    column = removal_of(frame["text"]).kept()
    assert isinstance(column, pandas.Series)
    assert (column.tolist(), column.name, column.index.tolist()) == (CUT, "text", [7, 7, 8, 10])


@pytest.mark.parametrize("kind", [polars.String, polars.Binary, polars.Categorical])
def test_polars(kind: Any) -> None:
    frame = polars.DataFrame(columns(TEXTS, IDS)).with_columns(polars.col("text").cast(kind))
    expected = polars.DataFrame(columns(CUT, LEFT))
    if kind == polars.Binary:
        expected = expected.with_columns(polars.col("text").cast(kind))
    before = frame.clone()
    testing.assert_frame_equal(removal_of(frame).kept(), expected)
    assert removal_of(frame, min_left=0).kept().height == 5
    testing.assert_frame_equal(frame, before)
    lazy = removal_of(frame.lazy()).kept()
    assert isinstance(lazy, polars.LazyFrame)
    testing.assert_frame_equal(lazy.collect(), expected)
    testing.assert_series_equal(removal_of(frame["text"]).kept(), expected["text"])


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
        pyarrow.binary(),
        pyarrow.large_binary(),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
    ids=str,
)
def test_arrow(kind: Any) -> None:
    def table_of(texts: list[str], ids: list[str]) -> Any:
        table = pyarrow.table(columns(texts, ids))
        plain = pyarrow.types.is_dictionary(kind)
        column = table["text"].dictionary_encode() if plain else table["text"].cast(kind)
        return table.set_column(1, pyarrow.field("text", column.type, metadata={"k": "v"}), column)

    halves = [table_of(TEXTS[:2], IDS[:2]), table_of(TEXTS[2:], IDS[2:])]
    table = pyarrow.concat_tables(halves).replace_schema_metadata({"a": "b"})
    kept = removal_of(table).kept()
    texts = [text.encode() for text in CUT] if "binary" in str(kind) else CUT
    assert kept.to_pydict() == columns(texts, LEFT)
    assert kept.schema.metadata == {b"a": b"b"}
    assert kept.schema.field("text").metadata == {b"k": b"v"}
    assert kept["text"].type == (kind.value_type if pyarrow.types.is_dictionary(kind) else kind)
    for one in (table["text"], table["text"].combine_chunks()):
        assert removal_of(one).kept().to_pylist() == texts
    [batch] = table.combine_chunks().to_batches()
    kept = removal_of(batch).kept()
    assert isinstance(kept, pyarrow.RecordBatch)
    assert kept.to_pydict() == columns(texts, LEFT)


def test_other_tables() -> None:
    rows = pyarrow.table(columns(TEXTS, IDS))
    expected = columns(CUT, LEFT)
    assert removal_of(arrow_dataset.dataset(rows)).kept().to_pydict() == expected
    relation = duckdb.sql("select * from rows")
    assert pyarrow.table(removal_of(relation).kept()).to_pydict() == expected
    data = datasets.Dataset(rows)
    kept = removal_of(data).kept()
    assert isinstance(kept, datasets.Dataset)
    assert kept.to_dict() == expected
    assert kept.features == data.features
    assert kept.column_names == data.column_names
    stream = data.to_iterable_dataset()
    assert list(removal_of(stream).kept()) == list(kept)


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_a_dataset_of_one_column(kind: str) -> None:
    features = datasets.Features({"text": datasets.Value(kind)})
    info = datasets.DatasetInfo(description="poems", features=features)
    data = datasets.Dataset.from_dict({"text": TEXTS}, features, info, datasets.Split.TEST)
    for one in (
        data,
        data.with_format("numpy"),
        data.select(range(5)),
        data.select([0, 1, 2, 3, 4, 4]).select(range(5)),
    ):
        kept = removal_of(one).kept()
        assert kept.to_dict() == {"text": CUT} and kept.features == features
        assert (kept.format, kept.split, kept.info.description) == (one.format, one.split, "poems")
    assert removal_of(data, min_words=40).kept().to_dict() == {"text": TEXTS}
    assert removal_of(data.select([3]), against=[HARBOUR]).kept().to_dict() == {"text": []}


def test_columns_of_nulls() -> None:
    table = pyarrow.table({"id": ["a", "b"], "text": pyarrow.nulls(2)})
    for one in (table, table.to_batches()[0], table["text"], pyarrow.nulls(2)):
        assert removal_of(one).kept().equals(one)


def test_words_around_a_cut_stay_apart() -> None:
    texts = ["円から消費税込みで", "定価は100円から消費税込みで200円まで", "1円から消費税込みで2"]
    found = benzer.remove_passages(texts, min_words=6, min_left=3)
    assert found.kept() == [texts[0], "定価は100 200円まで"]
    assert found.removed[-1]["text"] == "1 2"


@pytest.mark.parametrize("name", ["text", "self"])
def test_a_column_of_any_name(name: str) -> None:
    frame = pandas.DataFrame({name: TEXTS, "n": range(5)})
    kept = removal_of(frame, text=name).kept()
    assert (list(kept[name]), list(kept["n"]), list(kept.columns)) == (CUT, [0, 1, 2, 4], [name, "n"])
    assert list(frame[name]) == TEXTS


def test_no_text_of_an_array_is_cut_off() -> None:
    """U+FFFD has three bytes, and the invalid byte that it replaces has one."""
    long = b"\xff\xff\xff\xff\xff\xff tail a b c end"
    expected = [b"a b c", "\ufffd".encode() * 6 + b" tail end"]
    array = numpy.array([b"a b c", long])
    kept = benzer.remove_passages(array, min_words=3).kept()
    assert kept.tolist() == expected
    rows = numpy.array([(1, b"a b c"), (2, long)], dtype=[("n", "i4"), ("text", array.dtype)])
    kept = benzer.remove_passages(rows, min_words=3).kept()
    assert kept.tolist() == list(zip([1, 2], expected))
    assert kept.dtype.names == ("n", "text")
    assert kept.dtype["n"] == rows.dtype["n"]
    # Where nothing is longer, the type stays.
    array = numpy.array([b"a b c", b"x a b c"])
    assert benzer.remove_passages(array, min_words=3).kept().dtype == array.dtype
    assert removal_of(numpy.array(TEXTS)).kept().tolist() == CUT


def test_a_stream_of_rows_with_missing_texts() -> None:
    def rows() -> Iterator[dict[str, Any]]:
        for n in range(1200):
            yield {"text": None if n in (3, 1100) else f"{HARBOUR} {n}", "n": n}

    features = datasets.Features({"text": datasets.Value("string"), "n": datasets.Value("int64")})
    stream = datasets.IterableDataset.from_generator(rows, features=features)
    kept = list(benzer.remove_passages(stream, min_words=5, allow_large_clusters=True).kept())
    assert [row["n"] for row in kept] == list(range(1200))
    assert [row["text"] for row in kept[:5]] == [f"{HARBOUR} 0", "1", "2", None, "4"]


@pytest.mark.parametrize("call", [benzer.deduplicate, benzer.remove_passages])
def test_skipped_records_are_saved(call: Any, tmp_path: Path) -> None:
    lines = ['{"text":"a b c d e f"}', "not json", '{"text":"q a b c d e z"}', '{"text":7}', '{"text":"a b c d e f"}']
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(lines) + "\n")
    listed = tmp_path / "out.jsonl.skipped.jsonl"
    options: dict[str, Any] = {"allow_large_clusters": True}
    if call is benzer.remove_passages:
        options["min_words"] = 5
    found = call(str(source), **options)
    assert (found.summary["skipped"], found.summary["skipped_list"]) == (2, None)
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl"}  # without an output nothing is written

    found = call(str(source), output=output, **options)
    assert listed.read_text() == "not json\n" + '{"text":7}\n'
    assert found.summary["skipped_list"] == str(listed)
    assert len(found.problems) == 2
    expected = tmp_path / "expected.jsonl"
    command = ["passages", "--remove", "--min-words", "5"] if "min_words" in options else ["dedup"]
    command = [program(), *command, str(source), "-o", str(expected), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 3  # some were skipped
    assert output.read_bytes() == expected.read_bytes()
    assert listed.read_bytes() == (tmp_path / "expected.jsonl.skipped.jsonl").read_bytes()
    summary = json.loads(done.stdout)
    assert summary.get("skipped_saved") == found.summary.get("skipped_saved")

    # The list is no input, and no other output.
    removed = {"removed": listed}
    with pytest.raises(benzer.InvalidArgumentError, match="the skipped records are saved in .* another output"):
        call(str(source), output=output, **removed, **options)
    with pytest.raises(benzer.InvalidArgumentError, match="is also an input, and would be overwritten"):
        call([str(source), str(listed)], output=output, **options)
    assert listed.read_text() == "not json\n" + '{"text":7}\n'

    # One of an earlier run would be taken for one of this run.
    source.write_text(lines[0] + "\n" + lines[2] + "\n")
    found = call(str(source), output=output, **options)
    assert found.summary["skipped_list"] is None
    assert output.exists() and not listed.exists()

    csv = tmp_path / "in.csv"
    csv.write_text("id,text\n1,a b c d e f\nbad\n")
    found = call(str(csv), output=tmp_path / "out.csv", **options)
    assert (tmp_path / "out.csv.skipped.csv").read_text() == "id,text\nbad\n"
    assert found.summary["skipped_list"] == str(tmp_path / "out.csv.skipped.csv")


def test_a_guard_rail_saves_no_skipped_records(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("bad\n" + "".join(f'{{"text":"home news sport weather page{n}"}}\n' for n in range(10_000)))
    calls: list[tuple[Any, dict[str, Any]]] = [
        (benzer.remove_passages, {"min_words": 4}),
        (benzer.deduplicate, {"threshold": 0.5}),
    ]
    for call, options in calls:
        with pytest.raises(benzer.GuardRailError):
            call(str(source), output=tmp_path / "out.jsonl", features="text:word1", **options)
        assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl"}


def test_nothing_to_remove() -> None:
    for documents in ([], ["a", "b"], pandas.DataFrame({"text": ["a", "b"]}), pyarrow.table({"text": ["a", "b"]})):
        found = removal_of(documents)
        kept = found.kept()
        assert len(kept) == len(documents)
        assert len(found.removed) == len(found.passages) == 0


def test_references_are_never_cut() -> None:
    found = removal_of([HARBOUR, TEXTS[2]], against=[HARBOUR], min_left=0)
    assert found.kept() == ["", CUT[2]]
    assert [(one["row"], one["first_row"]) for one in found.passages] == [(0, 0), (1, 0)]
    # Their places are not those of the documents.
    found = removal_of(["x", HARBOUR, "y " + HARBOUR], against=["a", "b", HARBOUR], min_left=1)
    assert found.kept() == ["x", "y "]


def test_texts_inside_of_other_columns_are_refused() -> None:
    rows = [{"meta": {"text": text}} for text in TEXTS]
    for documents in (rows, pyarrow.Table.from_pylist(rows), polars.DataFrame(rows)):
        found = removal_of(documents, text="meta.text")
        assert found.summary["cut"] == 2
        with pytest.raises(benzer.InvalidArgumentError, match="are not in a column of their own, but in 'meta.text'"):
            found.kept()


def test_guard_rails(tmp_path: Path) -> None:
    pages = ["home news sport weather " + f"page{n}" for n in range(10_000)]
    removed = tmp_path / "removed.jsonl"
    with pytest.raises(benzer.GuardRailError) as caught:
        benzer.remove_passages(pages, min_words=4, removed=removed)
    assert "one passage is in 10,000 of 10,000 documents" in str(caught.value)
    assert "go on with allow_large_clusters=True" in str(caught.value)
    assert not removed.exists()
    result = caught.value.result
    assert isinstance(result, benzer.PassageRemoval)
    assert result.summary["cut"] == 9_999
    found = benzer.remove_passages(pages, min_words=4, allow_large_clusters=True, removed=removed)
    assert found.kept()[:3] == [pages[0], "page1", "page2"]
    assert len(removed.read_text().splitlines()) == 9_999


def test_files_of_records_and_others(tmp_path: Path) -> None:
    csv = tmp_path / "in.csv"
    csv.write_text("id,text\n" + "".join(f'{name},"{text}"\n' for name, text in zip(IDS, TEXTS)))
    out = tmp_path / "out.csv"
    found = removal_of(csv, output=out)
    assert out.read_text() == "id,text\n" + "".join(
        f'{name},"{text}"\n' if text in TEXTS else f"{name},{text}\n" for name, text in zip(LEFT, CUT)
    )
    assert found.summary["output"] == str(out)
    with pytest.raises(benzer.InvalidArgumentError, match="the documents are files; give output"):
        found.kept()
    with pytest.raises(benzer.InvalidArgumentError, match="is also an input, and would be overwritten"):
        removal_of(csv, output=csv)
    with pytest.raises(benzer.InvalidArgumentError, match="two outputs have the name"):
        removal_of(csv, output=out, removed=out)
    (tmp_path / "texts").mkdir()
    for name, text in zip(IDS, TEXTS):
        (tmp_path / "texts" / f"{name}.txt").write_text(text)
    assert removal_of(tmp_path / "texts").summary["cut"] == 2
    with pytest.raises(benzer.InvalidArgumentError, match="from records of JSON lines and CSV, and from lines of text"):
        removal_of(tmp_path / "texts", output=tmp_path / "out")
    parquet.write_table(pyarrow.table({"text": TEXTS}), tmp_path / "in.parquet")
    assert removal_of(tmp_path / "in.parquet").summary["cut"] == 2
    for documents, what in ((tmp_path / "in.parquet", "files with tables"), (TEXTS, "tables")):
        with pytest.raises(benzer.InvalidArgumentError) as caught:
            removal_of(documents, output=tmp_path / "out.parquet")
        assert f"output is for files of records, and the documents are {what}; kept() returns" in str(caught.value)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"at": "page"}, "at 'page' is not allowed: give word, sentence, paragraph or line"),
        ({"min_left": -1}, "min_left '-1' is not allowed"),
        ({"features": "text:word1+html"}, "passages cannot be removed from HTML"),
        ({"features": "text:word1+stop:en"}, "passages cannot be removed with +stop:en"),
        ({"features": "text:words1+stem:en"}, "passages cannot be removed with +stem:en"),
        ({"min_words": 0}, "min_words '0' is not allowed"),
    ],
)
def test_sentences_name_arguments(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(benzer.InvalidArgumentError) as caught:
        benzer.remove_passages([POEM], **arguments)
    assert sentence in str(caught.value)
    assert "--" not in str(caught.value)


def test_runs_on_files_go_on_where_they_were(tmp_path: Path) -> None:
    source, work, output = tmp_path / "in.jsonl", tmp_path / "work", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(one) + "\n" for one in quoting(200)))
    work.mkdir()
    for left in (False, True):
        if left:
            command = [program(), "passages", "--remove", "--dry-run", source, "--work", work, "--min-words", "12"]
            subprocess.run([*command, "--quiet"], check=True)
            assert "benzer-passages-equal" in {path.name for path in work.iterdir()}
        options: dict[str, Any] = {"min_words": 12, "work": work, "resume": left}
        removal = benzer.remove_passages(str(source), output=output, **options)
        assert removal.summary["documents"] == 200 and removal.summary["passages"] > 50
        assert list(work.iterdir()) == []
    assert len(benzer.passages(str(source), **options)) == removal.summary["passages"]
    with pytest.raises(benzer.InvalidArgumentError, match="resume is about files of records"):
        benzer.passages(["a text"], work=work, resume=True)


def test_pickles_and_copies() -> None:
    found = removal_of(TEXTS)
    same = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(found))))
    assert same.kept(TEXTS) == CUT
    assert same.removed == found.removed
    assert same.passages == found.passages
    assert same.removed.to_arrow().schema == found.removed.to_arrow().schema
    assert same.summary == found.summary
    with pytest.raises(benzer.InvalidArgumentError, match="give them to kept"):
        same.kept()
    nothing = pickle.loads(pickle.dumps(removal_of(["a"])))
    assert nothing.removed.to_arrow().schema == removal_of(["a"]).removed.to_arrow().schema
    assert copy.deepcopy(found).kept() == CUT
    with pytest.raises(benzer.InvalidArgumentError, match="the table has 1 rows, and the result is of 5"):
        found.kept(["a"])
