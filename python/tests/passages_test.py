# labels: python passages
"""passages(): the same answers as the command line, for all that can be read."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from passages_data import POEM, program, quoting
from pyarrow import parquet

import benzer

LETTER = "He wrote: «The QUICK, brown fox jumps» over a fence."
COLUMNS = ["row", "id", "begin", "end", "begin_char", "end_char", "words", "score", "cluster"]
FIRST = ["row", "id", "begin", "end", "begin_char", "end_char", "words"]


def of_program(folder: Path, *arguments: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what the command line lists, and its summary."""
    command = [program(), "passages", *arguments, "-o", "out.jsonl", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return [json.loads(line) for line in (folder / "out.jsonl").open()], json.loads(done.stdout)


def as_listed(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as the command line lists it, without names of files."""
    first = {name: row[f"first_{name}"] for name in FIRST}
    out = {name: row[name] for name in (*COLUMNS, "text")}
    return {**out, "first": first}


def as_row(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line of the command line as as_listed() does."""
    first = {"row": line["first"]["line"] - 1, "id": line["first"]["document"]}
    first |= {name: line["first"][name] for name in FIRST[2:]}
    out = {name: line[name] for name in (*COLUMNS[2:], "text")}
    return {"row": line["line"] - 1, "id": line["document"], **out, "first": first}


def test_columns() -> None:
    found = benzer.passages([POEM, LETTER], min_words=5)
    assert found.table.column_names == [*COLUMNS, *(f"first_{name}" for name in FIRST), "text"]
    [one] = found
    assert one == {
        "row": 1,
        "id": 1,
        "begin": 12,
        "end": 45,
        "begin_char": 11,
        "end_char": 43,
        "words": 6,
        "score": 1.0,
        "cluster": 1,
        "first_row": 0,
        "first_id": 0,
        "first_begin": 0,
        "first_end": 30,
        "first_begin_char": 0,
        "first_end_char": 30,
        "first_words": 6,
        "text": "The QUICK, brown fox jumps» over",
    }
    assert LETTER[one["begin_char"] : one["end_char"]] == one["text"]
    assert LETTER.encode()[one["begin"] : one["end"]] == one["text"].encode()
    assert repr(found) == "<benzer.Passages: 1 in 1 of 2 documents>"
    assert found.summary["shared_words"] == 6
    assert found.problems == []


def test_it_is_a_sequence() -> None:
    found = benzer.passages([POEM] * 4, min_words=5)
    assert [one["row"] for one in found] == [1, 2, 3]
    assert found[-1] == found[2] == found.table[2]
    assert [one["row"] for one in found[1:]] == [2, 3]
    assert len(found) == 3
    with pytest.raises(IndexError, match="there are 3 passages, and passage 3 was asked for"):
        found[3]
    assert "<table>" in found._repr_html_()
    assert found.table.to_pandas()["cluster"].tolist() == [1, 1, 1]
    assert found.table.to_polars()["text"].to_list() == [POEM] * 3


@pytest.mark.parametrize("options", [{"min_words": 8}, {"min_words": 12, "gap": 3}, {"min_words": 10, "across": "n"}])
def test_it_finds_what_the_command_line_finds(options: dict[str, Any], tmp_path: Path) -> None:
    rows = quoting(80, change=0.03)
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "in.parquet", row_group_size=9)
    arguments = [text for name, value in options.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    lines, summary = of_program(tmp_path, "in.jsonl", *arguments)
    assert len(lines) > 20
    frame = pandas.DataFrame(rows)
    for documents in (
        rows,
        frame,
        pyarrow.table(frame),
        polars.DataFrame(rows),
        polars.DataFrame(rows).lazy(),
        str(tmp_path / "in.parquet"),
        tmp_path / "in.jsonl",
    ):
        found = benzer.passages(documents, **options, threads=2)
        assert [as_listed(row) for row in found] == [as_row(line) for line in lines]
        for name in ("documents", "documents_with_passages", "passages", "clusters", "words", "shared_words", "across"):
            assert found.summary[name] == summary[name], name


def test_references(tmp_path: Path) -> None:
    known, new = [{"id": "r", "text": POEM}], [{"id": "a", "text": LETTER}, {"id": "b", "text": LETTER}]
    expected = [("a", "r", 6), ("b", "r", 6)]
    for name, rows in (("known", known), ("new", new)):
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / f"{name}.parquet")
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for documents, against in (
        (new, known),
        (tmp_path / "new.parquet", tmp_path / "known.parquet"),
        (str(tmp_path / "new.jsonl"), str(tmp_path / "known.jsonl")),
    ):
        found = benzer.passages(documents, against=against, min_words=5)
        assert [(one["id"], one["first_id"], one["words"]) for one in found] == expected
        assert found.summary["references"] == 1
    assert [one["first_source"] for one in found] == [str(tmp_path / "known.jsonl")] * 2


def test_texts_of_other_kinds() -> None:
    for documents in ([POEM, LETTER], (POEM, LETTER), iter([POEM, LETTER]), numpy.array([POEM, LETTER])):
        assert len(benzer.passages(documents, min_words=5)) == 1
    assert len(benzer.passages([{"body": POEM}, {"body": LETTER}], text="body", min_words=5)) == 1
    page = f"<p>{POEM}</p>"
    assert benzer.passages([POEM, page], features="text:word1+html", min_words=5)[0]["text"] == POEM


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    broken = [POEM.encode(), b"\xff " + POEM.encode().replace(b"brown", b"\xfe brown")]
    table = pyarrow.table({"text": pyarrow.array(broken, pyarrow.binary())})
    found = benzer.passages(table, min_words=4)
    assert [one["text"] for one in found] == ["The quick \ufffd brown fox jumps over the lazy dog"]
    found.table.to_arrow().validate(full=True)


def test_a_file_with_bad_records(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({"text": POEM}) + "\n{\n" + json.dumps({"text": POEM}) + "\n")
    found = benzer.passages(file, min_words=5)
    assert [one["row"] for one in found] == [2]
    assert found.summary["skipped"] == 1
    assert len(found.problems) == 1
    with pytest.raises(benzer.BadInputError):
        benzer.passages(file, min_words=5, strict=True)


def test_nothing_found_can_be_pickled() -> None:
    for texts in ([POEM, LETTER], ["a", "b"], []):
        found = benzer.passages(texts, min_words=5)
        same = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(found))))
        assert same.table == found.table
        assert same.table.to_arrow().schema == found.table.to_arrow().schema
        assert same.summary == found.summary
        assert same.problems == found.problems
        assert copy.copy(found) is found is copy.deepcopy(found)


def test_progress_and_interruption() -> None:
    stages: list[str] = []
    benzer.passages([POEM] * 5000, min_words=5, progress=lambda stage, done, total: stages.append(stage))
    assert stages

    def stop(stage: str, done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        benzer.passages([POEM] * 5000, min_words=5, progress=stop)


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"min_words": 0}, "min_words '0' is not allowed: give a whole number from 1 to 100000"),
        ({"gap": 101}, "gap '101' is not allowed"),
        ({"features": "text:char5"}, "passages are runs of words"),
        ({"across": "n", "against": ["a"]}, "across has no effect with against"),
        ({"format": "csv"}, "format is about files of records"),
        ({"memory_limit": "1"}, "memory_limit '1' is not allowed"),
    ],
)
def test_sentences_name_arguments(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(benzer.InvalidArgumentError) as caught:
        benzer.passages([{"text": POEM, "n": 1}], **arguments)
    assert sentence in str(caught.value)
    assert "--" not in str(caught.value)


def test_the_column_is_there_and_files_of_texts_have_none(tmp_path: Path) -> None:
    with pytest.raises(benzer.BadInputError, match="name the column with across"):
        benzer.passages(pyarrow.table({"text": [POEM]}), across="nothing")
    (tmp_path / "a.txt").write_text(POEM)
    with pytest.raises(benzer.InvalidArgumentError, match="across is about fields of records, but the inputs are text"):
        benzer.passages(tmp_path / "a.txt", across="n")
