# labels: python
"""Writes tables to files: what is refused before the work, and what the files have."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

import benzer
from benzer import _engine

pa = pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")
from fsspec.implementations.memory import MemoryFileSystem  # noqa: E402
from pyarrow import parquet  # noqa: E402

INDEX = pa.int32()


def written(path: Path, table: Any) -> str:
    """Write a table in the format that the name says."""
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as out:
            out.write_table(table)
    return str(path)


def not_run(*arguments: Any) -> Any:
    raise AssertionError("documents were read")


def test_outputs_that_cannot_be_written_are_refused_at_once(tmp_path: Path, monkeypatch: Any) -> None:
    source = written(tmp_path / "in.parquet", pa.table({"text": ["a text", "another one"]}))
    benzer.deduplicate(source, output=tmp_path / "marked.parquet", annotate=True)
    (tmp_path / "closed").mkdir(mode=0o500)
    monkeypatch.setattr(benzer._inputs.Inputs, "start", not_run)
    with pytest.raises(benzer.InvalidArgumentError, match=r"marked\.parquet: there is a column 'benzer_cluster'"):
        benzer.deduplicate([source, str(tmp_path / "marked.parquet")], output=tmp_path / "out", annotate=True)
    (tmp_path / "taken/in.parquet").mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe.parquet")
    places = [
        (tmp_path / "in.parquet/new/", "the output cannot be written"),
        ("/proc/none/out.parquet", "the output cannot be written"),
        (tmp_path / "taken", "in.parquet is a folder"),
        (tmp_path / "pipe.parquet", "pipe.parquet is no file"),
        (tmp_path / ("n" * 248 + ".parquet"), "File name too long"),
        (tmp_path / "closed/out.parquet", "Permission denied"),
    ]
    for output, sentence in places if os.geteuid() else places[:-1]:
        with pytest.raises(benzer.StorageFailedError, match=sentence):
            benzer.deduplicate(source, output=output)
    assert sorted(os.listdir(tmp_path)) == ["closed", "in.parquet", "marked.parquet", "pipe.parquet", "taken"]


LISTS = [
    ({"removed": "no/removed.jsonl"}, benzer.StorageFailedError, "there is no folder .*make it first"),
    ({"removed": "taken"}, benzer.StorageFailedError, "this is a folder"),
    ({"removed": "removed.xz"}, benzer.InvalidArgumentError, "removed.xz"),
    ({"report": "no/report.html"}, benzer.StorageFailedError, "there is no folder .*make it first"),
    ({"report": "taken.html"}, benzer.StorageFailedError, "taken.json: this is a folder"),
]


@pytest.mark.parametrize("documents", ["table", "in.jsonl", "in.parquet"])
@pytest.mark.parametrize("lists, kind, sentence", LISTS)
def test_lists_that_cannot_be_written_are_refused_at_once(
    documents: str, lists: dict[str, str], kind: type[benzer.Error], sentence: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(benzer._inputs.Inputs, "start", not_run)
    table = pa.table({"text": ["a text", "another one"]})
    written(tmp_path / "in.parquet", table)
    (tmp_path / "in.jsonl").write_text('{"text": "a text"}\n')
    for folder in ("taken", "taken.json"):
        (tmp_path / folder).mkdir()
    before = sorted(os.listdir(tmp_path))
    output = {} if documents == "table" else {"output": "out" + Path(documents).suffix}
    given = table if documents == "table" else documents
    with pytest.raises(kind, match=sentence):
        benzer.deduplicate(given, **output, **lists)  # type: ignore[arg-type]
    if "taken.html" not in lists.values():  # the report of passages has no twin
        if documents == "in.parquet":
            output = {}
        with pytest.raises(kind, match=sentence):
            benzer.remove_passages(given, **output, **lists)  # type: ignore[arg-type]
        if "report" in lists:
            with pytest.raises(kind, match=sentence):
                benzer.passages(given, **lists)  # type: ignore[arg-type]
    assert sorted(os.listdir(tmp_path)) == before


def test_a_list_that_fails_leaves_no_documents(tmp_path: Path, monkeypatch: Any) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "a text of some more words"}\n' * 2 + "no record\n")
    (tmp_path / "out.jsonl").write_text("of the last run\n")

    def fail(name: str, text: str) -> None:
        raise OSError("no space")

    monkeypatch.setattr(_engine, "write_file", fail)
    for _ in range(2):
        with pytest.raises(OSError, match="no space"):
            benzer.deduplicate(source, output=tmp_path / "out.jsonl", removed=tmp_path / "removed.jsonl")
        assert sorted(os.listdir(tmp_path)) == ["in.jsonl", "out.jsonl"]
        assert (tmp_path / "out.jsonl").read_text() == "of the last run\n"
    monkeypatch.undo()
    benzer.deduplicate(source, output=tmp_path / "out.jsonl", removed=tmp_path / "removed.jsonl")
    names = ["in.jsonl", "out.jsonl", "out.jsonl.skipped.jsonl", "removed.jsonl"]
    assert sorted(os.listdir(tmp_path)) == names


def test_a_list_may_be_a_pipe(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "a text of some more words"}\n' * 2)
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True) as reader:
        benzer.deduplicate(source, output=tmp_path / "out.jsonl", removed=tmp_path / "pipe")
        assert '"score":1' in reader.communicate(timeout=60)[0]


def test_the_longest_names(tmp_path: Path) -> None:
    """A file has a temporary name until it is whole, which must not be longer than its own may be."""
    source = written(tmp_path / "in.parquet", pa.table({"text": ["a text", "another one"]}))
    for name in ("n" * 247 + ".parquet", "é" * 123 + "n.parquet"):
        benzer.deduplicate(source, output=tmp_path / name)
        assert parquet.read_table(tmp_path / name).num_rows == 2


def coded(begin: int, words: list[str | None], index: Any = INDEX) -> Any:
    """Return a table whose columns have dictionaries of these words alone."""
    codes = pa.DictionaryArray.from_arrays(pa.array(range(len(words)), index), pa.array(words, pa.string()))
    columns = {
        "id": range(begin, begin + len(words)),
        "text": [f"text number {begin + i} of this list" for i in range(len(words))],
        "word": codes,
        "in": pa.StructArray.from_arrays([codes], ["word"]),
    }
    return pa.table(columns)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_dictionaries_that_differ(name: str, tmp_path: Path) -> None:
    pieces = [coded(0, ["x", "y"]), coded(2, ["z", "x", "q"]), coded(5, ["b"])]
    whole = pa.concat_tables(pieces)
    if name == "a.arrow":
        inputs = [written(tmp_path / f"{i}.arrow", one) for i, one in enumerate(pieces)]
    else:
        inputs = [str(tmp_path / name)]
        parquet.write_table(whole, inputs[0], row_group_size=2)
    benzer.deduplicate(inputs, features="text:char3", threshold=1, output=tmp_path / "out.arrow")
    with pa.ipc.open_file(str(tmp_path / "out.arrow")) as out:
        assert out.schema.equals(whole.schema)
        assert out.read_all().to_pylist() == whole.to_pylist()
        assert out.stats.num_dictionary_batches == 2 and out.stats.num_dictionary_deltas == 0


def test_dictionaries_that_cannot_be_unified_make_a_stream(tmp_path: Path) -> None:
    for pieces in (
        [coded(0, ["x", None]), coded(2, ["z", None])],
        [coded(0, [f"a{i}" for i in range(100)], pa.int8()), coded(100, [f"b{i}" for i in range(100)], pa.int8())],
    ):
        inputs = [written(tmp_path / f"{i}.arrow", one) for i, one in enumerate(pieces)]
        benzer.deduplicate(inputs, features="text:char3", threshold=1, output=tmp_path / "out.arrow")
        whole, out = pa.concat_tables(pieces), pa.ipc.open_stream(str(tmp_path / "out.arrow")).read_all()
        assert out.schema.equals(whole.schema) and out.to_pylist() == whole.to_pylist()
        again = benzer.deduplicate(tmp_path / "out.arrow", features="text:char3", threshold=1)
        assert again.summary["documents"] == len(whole)
        alone = tmp_path / "alone.arrow"
        benzer.deduplicate(inputs[:1], features="text:char3", threshold=1, output=alone)
        assert pa.ipc.open_file(str(alone)).read_all().to_pylist() == pieces[0].to_pylist()


def rows(begin: int) -> Any:
    return pa.table({"text": [f"the text of number {i} in a list" for i in range(begin, begin + 3)]})


def files_in(folder: Path) -> list[str]:
    return [name for _, _, names in os.walk(folder) for name in names]


def test_a_second_ctrl_c_leaves_no_file(tmp_path: Path, monkeypatch: Any) -> None:
    from benzer import _outputs

    def interrupted(self: Any) -> None:
        raise KeyboardInterrupt

    abandon, discard = _outputs._Writer.abandon, _outputs._Output.discard
    ends: dict[str, Any] = {
        "_Writer.abandon": lambda self: (abandon(self), interrupted(self)),
        "_Output.discard": lambda self: (discard(self), interrupted(self)),
    }
    names = [written(tmp_path / f"{i}.parquet", rows(i * 3)) for i in range(3)]
    for end, call in ends.items():
        with monkeypatch.context() as patch:
            patch.setattr(f"benzer._outputs.{end}", call)
            patch.setattr(_outputs._Writer, "copy", lambda self, file, *_: "2." in file.name and interrupted(self))
            with pytest.raises(KeyboardInterrupt):
                benzer.deduplicate(names, output=tmp_path / "out")
        assert not (tmp_path / "out").exists()


WAITS = """
import sys, time
from benzer import _command, _engine, _outputs
def waits(self):
    print("ready", flush=True)
    time.sleep(60)
_outputs.TableOutputs.commit = waits
sys.exit(_engine.run_command(["dedup", "in", "-o", "out/", "--removed", "list"], _command.Tables()))
"""


def test_a_second_signal_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for i in range(20):
        written(tmp_path / "in" / f"{i}.parquet", rows(i * 3))
    with subprocess.Popen(
        [sys.executable, "-c", WAITS], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout and child.stdout.readline() == "ready\n"
        assert len(files_in(tmp_path / "out")) == 20
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGTERM)
        assert child.wait(30) == 130
    assert files_in(tmp_path / "out") == []


class Boxes(MemoryFileSystem):
    """A server whose addresses need a query, as boxes://bucket/a.parquet?endpoint_override=here."""

    protocol = "boxes"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    def __init__(self, endpoint_override: str | None = None, **more: Any) -> None:
        super().__init__(**more)
        if endpoint_override != "here":
            raise ValueError(f"there is no server {endpoint_override}")

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        name: str = super()._strip_protocol(path.partition("?")[0].replace("boxes://", "memory://"))
        return name

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> dict[str, str]:
        return dict(pair.split("=") for pair in path.partition("?")[2].split("&") if pair)


@pytest.mark.parametrize("name", ["bucket/in", "bucket/in/", "bucket/in/*.parquet", "bucket/in/0.parquet"])
def test_addresses_keep_their_query(name: str, tmp_path: Path) -> None:
    fsspec.register_implementation("boxes", Boxes, clobber=True)
    boxes, query = Boxes(endpoint_override="here"), "?endpoint_override=here"
    Boxes.store.clear()
    for i in range(2):
        boxes.put(written(tmp_path / f"{i}.parquet", rows(i * 3)), f"/bucket/in/{i}.parquet")
    for folder in ("out", "out2/"):
        result = benzer.deduplicate(f"boxes://{name}{query}", output=f"boxes://bucket/{folder}{query}", threshold=1)
        count = 1 if "0" in name else 2
        place = folder.rstrip("/")
        assert result.output == [f"boxes://bucket/{place}/{i}.parquet{query}" for i in range(count)]
        assert sorted(boxes.find(f"/bucket/{place}")) == [f"/bucket/{place}/{i}.parquet" for i in range(count)]
    with pytest.raises(benzer.InvalidArgumentError, match="also an input"):
        benzer.deduplicate(f"boxes://{name}{query}", output=f"boxes://bucket/in/{query}&region=x")
    one = f"boxes://bucket/all.parquet{query}"
    assert benzer.deduplicate(f"boxes://{name}{query}", output=one, threshold=1).output == [one]
    assert benzer.deduplicate([one]).summary["documents"] == 3 * count
