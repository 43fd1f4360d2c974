# labels: python
"""What is wrong is said clearly and quickly, and runs can be stopped, repeated and used from threads."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")

PROGRAM = os.environ.get("BENZER", "benzer")
TEXT = "one two three four five six seven"
TABLE = pa.table({"body": [TEXT], "n": [1], "values": [["a"]]})


def many(count: int = 20_000) -> list[str]:
    return [" ".join(f"w{(i * 7 + k * 13) % 5000}" for k in range(120)) for i in range(count)]


def run(documents: Any = None, **arguments: Any) -> benzer.Result:
    return benzer.deduplicate([TEXT] if documents is None else documents, **arguments)


# What is done, the exception, words of its message.
WRONG: list[tuple[str, Callable[[], Any], type[Exception], list[str]]] = [
    ("missing column", lambda: run(TABLE), benzer.BadInputError, ["'text'", "'body', 'n', 'values'"]),
    ("missing field", lambda: run([{"body": "x"}]), benzer.BadInputError, ["'text'", "'body'"]),
    ("missing id", lambda: run(TABLE, text="body", id="x"), benzer.BadInputError, ["'x'", "'body', 'n'"]),
    ("missing group", lambda: run(TABLE, text="body", by="g"), benzer.BadInputError, ["'g'", "by"]),
    ("missing number", lambda: run(TABLE, text="body", keep="max:q"), benzer.BadInputError, ["'q'", "keep"]),
    ("column of numbers", lambda: run(TABLE, text="n"), benzer.BadInputError, ["'n'", "int64", "string"]),
    ("column of lists", lambda: run(TABLE, text="values"), benzer.BadInputError, ["list<string>", "string"]),
    (
        "texts as values",
        lambda: run(TABLE, values="body", features="values"),
        benzer.BadInputError,
        ["a list of strings"],
    ),
    (
        "texts as numbers",
        lambda: run(TABLE, text="body", keep="max:body"),
        benzer.BadInputError,
        ["a number or a time"],
    ),
    (
        "texts of dicts as numbers",
        lambda: run([{"text": "x", "m": "y"}], keep="max:m"),
        benzer.BadInputError,
        ["'m'", "str", "a number or a time"],
    ),
    ("lists as id", lambda: run(TABLE, text="body", id="values"), benzer.BadInputError, ["a string or a number"]),
    ("list of int", lambda: run([1]), benzer.BadInputError, ["document 0", "int", "str"]),
    ("list with an int", lambda: run([TEXT, 1]), benzer.BadInputError, ["document 1", "int", "str"]),
    ("dict among str", lambda: run([TEXT, {"text": "x"}]), benzer.BadInputError, ["document 1", "dict"]),
    ("str among dicts", lambda: run([{"text": "x"}, TEXT]), benzer.BadInputError, ["document 1", "str"]),
    ("text is a list", lambda: run([{"text": ["x"]}]), benzer.BadInputError, ["document 0", "list", "str"]),
    (
        "values are a str",
        lambda: run([{"v": "abc"}], values="v", features="values"),
        benzer.BadInputError,
        ["'v'", "str"],
    ),
    ("values are an int", lambda: run([{"v": 3}], values="v", features="values"), benzer.BadInputError, ["'v'", "int"]),
    ("bytes", lambda: run(b"abc"), benzer.InvalidArgumentError, ["bytes"]),
    ("number", lambda: run(5), benzer.InvalidArgumentError, ["int"]),
    ("mapping", lambda: run({"text": ["x"]}), benzer.InvalidArgumentError, ["mapping"]),
    ("missing file", lambda: run("no/such.parquet"), benzer.NotFoundError, ["no/such.parquet"]),
    ("missing file, built-in", lambda: run("no/such.jsonl"), FileNotFoundError, ["no/such.jsonl"]),
    ("no file of a pattern", lambda: run("no/*.parquet"), benzer.NotFoundError, ["no/*.parquet"]),
    ("unknown keyword", lambda: run(treshold=0.8), TypeError, ["treshold"]),
    ("positional", lambda: benzer.deduplicate([TEXT], "text"), TypeError, ["positional"]),
    ("threshold 0", lambda: run(threshold=0), benzer.InvalidArgumentError, ["threshold"]),
    ("threshold 1.5", lambda: run(threshold=1.5), ValueError, ["threshold"]),
    ("threshold nan", lambda: run(threshold=float("nan")), ValueError, ["threshold"]),
    ("threshold text", lambda: run(threshold="high"), ValueError, ["threshold"]),
    ("recall 1", lambda: run(recall=1), ValueError, ["recall"]),
    ("keep", lambda: run(keep="best"), ValueError, ["keep", "best"]),
    ("keep max", lambda: run(keep="max:"), ValueError, ["keep"]),
    ("features", lambda: run(features="text:verb3"), ValueError, ["verb3"]),
    ("cluster", lambda: run(cluster="chain"), ValueError, ["cluster", "chain"]),
    ("memory limit", lambda: run(memory_limit="1K"), ValueError, ["memory_limit"]),
    ("negative memory limit", lambda: run(memory_limit=-1), ValueError, ["memory_limit"]),
    ("threads", lambda: run(threads=0), ValueError, ["threads"]),
    ("threads -1", lambda: run(threads=-1), ValueError, ["threads"]),
    ("threads of text", lambda: run(threads="all"), ValueError, ["threads"]),
    ("max_line", lambda: run(__file__, format="lines", max_line="x"), ValueError, ["max_line"]),
    ("bands", lambda: run(bands="0x5"), ValueError, ["bands"]),
    (
        "text and values",
        lambda: run(TABLE, text="body", values="values", features="values"),
        ValueError,
        ["text", "values"],
    ),
    ("empty text", lambda: run(TABLE, text=""), ValueError, ["text"]),
    ("frequencies", lambda: run(frequencies=5), benzer.InvalidArgumentError, ["frequencies", "int", "a file"]),
    ("signatures", lambda: run(signatures=5), benzer.InvalidArgumentError, ["signatures", "int", "a file"]),
    ("bytes to compare", lambda: benzer.compare(b"x", "x"), benzer.InvalidArgumentError, ["bytes", "str"]),
    ("a set of sets", lambda: benzer.compare([{"x"}], ["x"]), benzer.InvalidArgumentError, ["set"]),
    ("output of a table", lambda: run(output="x"), benzer.InvalidArgumentError, ["output", "kept()"]),
    ("annotate of a table", lambda: run(annotate=True), benzer.InvalidArgumentError, ["annotate"]),
    ("references of another kind", lambda: run(against=__file__), benzer.InvalidArgumentError, ["references"]),
    (
        "reference files of another kind",
        lambda: run(__file__, format="lines", against=[TEXT]),
        benzer.InvalidArgumentError,
        ["references"],
    ),
    ("pairs, threshold", lambda: benzer.pairs([TEXT], threshold=0), ValueError, ["threshold"]),
    ("pairs, keyword", lambda: benzer.pairs([TEXT], keep="first"), TypeError, ["keep"]),
    ("pairs, missing column", lambda: benzer.pairs(TABLE), benzer.BadInputError, ["'text'"]),
    ("sketch, missing column", lambda: benzer.sketch(TABLE), benzer.BadInputError, ["'text'"]),
    ("plan", lambda: benzer.plan(0), ValueError, ["threshold"]),
    ("struct as text", lambda: run(pa.table({"text": [{"a": 1}]})), benzer.BadInputError, ["struct", "string"]),
    ("two dimensions", lambda: run(pytest.importorskip("numpy").array([["a"]])), benzer.InvalidArgumentError, ["2"]),
    (
        "several datasets",
        lambda: run(pytest.importorskip("datasets").DatasetDict({"train": 1})),
        benzer.InvalidArgumentError,
        ["'train'"],
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_what_is_wrong_is_said(call: Callable[[], Any], kind: type[Exception], words: list[str]) -> None:
    with pytest.raises(kind) as raised:
        call()
    message = str(raised.value)
    assert all(word in message for word in words), message
    assert "--" not in message and "std::" not in message and "\n" not in message
    if isinstance(raised.value, benzer.Error):
        assert isinstance(raised.value, ValueError) or not isinstance(
            raised.value, (benzer.InvalidArgumentError, benzer.BadInputError)
        )
        again = pickle.loads(pickle.dumps(raised.value))
        for same in (again, copy.copy(raised.value), copy.deepcopy(raised.value)):
            assert type(same) is type(raised.value) and str(same) == message
            assert vars(same) == vars(raised.value)


def test_numbers_need_no_special_spelling() -> None:
    for threshold, spelled in ((1.0, "1"), (0.1 + 0.2, "0.30000000000000004")):
        assert run(threshold=threshold).summary["threshold"] == spelled
    with pytest.raises(benzer.InvalidArgumentError, match="no bands"):
        run(threshold=0.00001)
    assert run(memory_limit=1e9, threads=2.0).summary["threads"] == 2


def test_every_exception_can_be_pickled() -> None:
    for name in benzer.__all__:
        kind = getattr(benzer, name)
        if isinstance(kind, type) and issubclass(kind, benzer.Error):
            error = kind("a sentence", hint="do it", subject="x", subject_kind="file", line=3)
            same = pickle.loads(pickle.dumps(error))
            assert (type(same), str(same), vars(same)) == (kind, "a sentence", vars(error))


def test_lone_surrogates_count_as_in_the_program(tmp_path: Path) -> None:
    texts = [TEXT, "\ud800 " + TEXT, "\udc00 " + TEXT, "x\ud83d", "\U0001f600", "\ud83d\ude00"]
    lines = "".join('{"text": %s}\n' % json.dumps(text) for text in texts)
    (tmp_path / "in.jsonl").write_text(lines)
    done = subprocess.run(
        [PROGRAM, "dedup", tmp_path / "in.jsonl", "-o", tmp_path / "out", "--json", "--threshold", "0.7"],
        capture_output=True,
        text=True,
        check=True,
    )
    program = json.loads(done.stdout)
    names = ("documents", "removed", "exact_duplicates", "verified_pairs", "candidates")
    for documents in (texts[:5], [{"text": text} for text in texts[:5]], iter(texts[:5])):
        result = run(documents, threshold=0.7)
        assert result.summary["replaced"] == program["replaced"] == 3
        assert [row["row"] for row in result.removed] == [2] or program["removed"] > 1
    result = run(texts, threshold=0.7)
    assert [result.summary[name] for name in names] == [program[name] for name in names]


class Mine(Exception):
    pass


def failing_progress(stage: str, done: int, total: int) -> None:
    raise Mine(stage)


@pytest.mark.parametrize("function", [benzer.deduplicate, benzer.pairs])
def test_an_exception_of_a_callback_arrives(function: Any) -> None:
    begin = time.monotonic()
    with pytest.raises(Mine):
        function(many(), progress=failing_progress)
    assert time.monotonic() - begin < 5


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    run(many(3000), progress=lambda *one: told.append(one))
    assert told and all(isinstance(stage, str) and done >= 0 and total >= 0 for stage, done, total in told)


def test_a_progress_bar(capfd: Any) -> None:
    run(many(2000), progress=True)
    assert capfd.readouterr().err


@pytest.mark.parametrize("documents", ["generator", "dicts"])
def test_an_exception_of_a_generator_arrives(documents: str) -> None:
    def generator() -> Any:
        yield TEXT if documents == "generator" else {"text": TEXT}
        raise Mine

    with pytest.raises(Mine):
        run(generator())


def test_a_reader_that_raises() -> None:
    def batches() -> Any:
        yield pa.record_batch({"text": [TEXT]})
        raise Mine("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"text": pa.string()}), batches())
    with pytest.raises((Mine, benzer.Error), match="the disk is gone"):
        run(reader)


class Opening:
    """Exports itself as a stream, and fails."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise Mine


class Wrong:
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return 5


def test_streams_that_cannot_be_opened() -> None:
    with pytest.raises(Mine):
        run(Opening())
    with pytest.raises((ValueError, TypeError)):
        run(Wrong())
    capsule = TABLE.__arrow_c_stream__()
    assert "arrow_array_stream" in repr(capsule)


def test_guard_rails_have_a_result() -> None:
    texts = [TEXT] * 2000
    with pytest.raises(benzer.GuardRailError) as raised:
        run(texts)
    result = raised.value.result
    assert isinstance(result, benzer.Result) and isinstance(raised.value, RuntimeError)
    assert result.summary["removed"] == 1999 and result.kept(texts) == [TEXT]
    assert "allow_large_clusters" in f"{raised.value} {raised.value.hint}"
    assert run(texts, allow_large_clusters=True).removed == result.removed
    same = pickle.loads(pickle.dumps(raised.value))
    assert str(same) == str(raised.value) and same.result.kept(texts) == [TEXT]
    assert copy.copy(raised.value).result is result


def test_a_guard_rail_writes_the_report_alone(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "%s"}\n' % TEXT * 2000)
    with pytest.raises(benzer.GuardRailError):
        run(str(source), output=tmp_path / "out", removed=tmp_path / "removed", report=tmp_path / "r.html")
    assert sorted(os.listdir(tmp_path)) == ["in.jsonl", "r.html", "r.json"]
    assert json.loads((tmp_path / "r.json").read_text())["settings"]["output"] is None


def test_tables_are_shown() -> None:
    result = run([{"id": "<b>&", "text": TEXT}, {"id": "<i>", "text": TEXT}])
    for shown in (result.removed._repr_html_(), result._repr_html_()):
        assert "&lt;i&gt;" in shown and "<i>" not in shown and "<table>" in shown
    assert "srcdoc" in result.report()._repr_html_() and "2 documents" not in repr(result.removed)
    assert "1 removed" in repr(result) and "1" in repr(result.removed)


def test_a_report_is_a_page_and_its_twin(tmp_path: Path) -> None:
    texts = [TEXT, TEXT, "other words that are not the same at all"]
    result = run(texts, report=tmp_path / "report.html")
    twin = json.loads((tmp_path / "report.json").read_text())
    assert twin == result.report().data() and (tmp_path / "report.html").read_text() == result.report().html
    later = run(texts)
    later.report(tmp_path / "later.html")
    assert sorted(os.listdir(tmp_path)) == ["later.html", "later.json", "report.html", "report.json"]
    assert later.removed == result.removed


def test_threads_of_python() -> None:
    texts = many(2000) + many(500)
    expected = run(texts).removed.to_pylist()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: run(texts).removed.to_pylist(), range(8)):
            assert found == expected
    counted = [0]
    ended = threading.Event()

    def count() -> None:
        while not ended.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    run(texts)
    ended.set()
    other.join()
    assert counted[0] > 10


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_deterministic(threads: int) -> None:
    texts = many(2000) + many(500)
    lenient = {"threshold": 0.3, "allow_large_clusters": True}
    one, other = run(texts, threads=threads, **lenient), run(texts, threads=1, **lenient)
    assert one.removed == other.removed and one.clusters() == other.clusters()
    assert list(benzer.pairs(texts, threads=threads)) == list(benzer.pairs(texts, threads=1))


def removed_of(texts: list[str]) -> list[int]:
    return [row["row"] for row in run(texts).removed]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork() -> None:
    texts = many(300) + many(20)
    expected = removed_of(texts)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(removed_of, [texts] * 4) == [expected] * 4


class Clearing(str):
    """A text that has no UTF-8, and changes the list that it is in when it is asked for its bytes."""

    held: list[object]

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        self.held.clear()
        return b""


def test_lists_that_change_while_they_are_read() -> None:
    held: list[object] = []
    odd = Clearing("\ud800 alone")
    odd.held = held
    held += [odd, *(f"the text with the number {i}" for i in range(3000))]
    assert benzer.deduplicate(held).summary["documents"] == 3001
    index = benzer.Index(fields="text:word5")
    held[:] = [odd, *(f"the text with the number {i}" for i in range(3000))]
    assert len(index.similar(held)) == 3001
