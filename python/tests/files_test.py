# labels: python
"""Deduplicates files: Parquet and Arrow with pyarrow, JSON lines and CSV as the program does."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")
from pyarrow import feather, parquet  # noqa: E402

PROGRAM = os.environ.get("BENZER", "benzer")
TEXTS = [
    " ".join(f"w{(i // 3 * 17 + k * 7) % 997}" for k in range(40)) + (" more" if i % 3 == 1 else "") for i in range(300)
]
TEXTS[7] = TEXTS[100] = None  # type: ignore[call-overload]
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False, metadata={"key": "value"}),
        pa.field("text", pa.large_string()),
        pa.field("kind", pa.dictionary(pa.int32(), pa.string())),
        pa.field("meta", pa.struct([("url", pa.string()), ("tags", pa.list_(pa.field("element", pa.string())))])),
        pa.field("when", pa.timestamp("us", "UTC")),
    ],
    metadata={"owner": "someone", "a": "b"},
)


def table_of(begin: int = 0, end: int = len(TEXTS)) -> Any:
    rows = [
        {
            "id": i * 10,
            "text": TEXTS[i],
            "kind": "ab"[i % 2],
            "meta": {"url": f"u{i}", "tags": ["x"] * (i % 3)},
            "when": i * 1_000_000,
        }
        for i in range(begin, end)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


TABLE = table_of()
RESULT = benzer.deduplicate(TABLE)
KEPT = RESULT.kept(TABLE)


def write(path: Path, table: Any = TABLE) -> str:
    """Write a table in the format that the name says, in several pieces."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet.write_table(
            table,
            path,
            row_group_size=37,
            compression={
                "id": "none",
                "text": "gzip",
                "kind": "snappy",
                "meta.url": "zstd",
                "meta.tags.list.element": "lz4",
                "when": "brotli",
            },
        )
    elif path.suffix == ".feather":
        feather.write_feather(table.combine_chunks(), str(path), compression="zstd", chunksize=41)
    else:
        make = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
        with make(str(path), table.schema) as out:
            out.write_table(table.combine_chunks(), max_chunksize=41)
    return str(path)


def read(path: Any) -> Any:
    if str(path).endswith(".parquet"):
        return parquet.read_table(str(path), partitioning=None)
    with open(path, "rb") as file:
        is_file = file.read(6) == b"ARROW1"
    return (pa.ipc.open_file if is_file else pa.ipc.open_stream)(str(path)).read_all()


def rows_of(result: benzer.Result) -> list[tuple[Any, ...]]:
    return [(row["id"], row["kept_id"], row["score"]) for row in result.removed]


KINDS = ["in.parquet", "in.arrow", "in.arrows", "in.feather"]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("limit", [None, "64M"])
@pytest.mark.parametrize("name", KINDS)
def test_one_file(name: str, limit: str | None, threads: int, tmp_path: Path) -> None:
    source = write(tmp_path / name)
    target = tmp_path / f"out{Path(name).suffix}"
    result = benzer.deduplicate(source, output=target, memory_limit=limit, threads=threads)
    assert rows_of(result) == rows_of(RESULT) and result.kept_rows() == RESULT.kept_rows()
    assert result.output == [str(target)]
    assert result.removed[0]["source"] == source
    out = read(target)
    assert out.schema.equals(SCHEMA, check_metadata=True)
    assert out.to_pylist() == KEPT.to_pylist()
    assert sorted(os.listdir(tmp_path)) == sorted([name, target.name])


def test_compression_and_groups_are_kept(tmp_path: Path) -> None:
    source = write(tmp_path / "in.parquet")
    benzer.deduplicate(source, output=tmp_path / "out.parquet")
    before, after = parquet.ParquetFile(source).metadata, parquet.ParquetFile(tmp_path / "out.parquet").metadata
    for i in range(before.num_columns):
        one, other = before.row_group(0).column(i), after.row_group(0).column(i)
        assert (one.path_in_schema, one.compression) == (other.path_in_schema, other.compression)
    assert all(after.row_group(i).num_rows < 2 * 37 for i in range(after.num_row_groups))


PARTS = [(0, 100), (100, 100), (100, 250), (250, 300)]


def parts(folder: Path, suffix: str = ".parquet") -> list[str]:
    return [write(folder / f"part{i}{suffix}", table_of(*part)) for i, part in enumerate(PARTS)]


# How the files are named, as the arguments of deduplicate() are.
def named(folder: Path, how: str) -> Any:
    names = parts(folder)
    return {
        "list": names,
        "paths": [Path(name) for name in names],
        "tuple": tuple(names),
        "folder": str(folder),
        "path of a folder": folder,
        "folder with a slash": f"{folder}/",
        "pattern": f"{folder}/part*.parquet",
        "patterns": [f"{folder}/part[01].parquet", f"{folder}/part[23].parquet"],
        "deep pattern": f"{folder}/**/*.parquet",
        "file address": f"file://{folder}",
    }[how]


@pytest.mark.parametrize(
    "how",
    [
        "list",
        "paths",
        "tuple",
        "folder",
        "path of a folder",
        "folder with a slash",
        "pattern",
        "patterns",
        "deep pattern",
        "file address",
    ],
)
def test_several_files(how: str, tmp_path: Path) -> None:
    documents = named(tmp_path / "with space", how)
    result = benzer.deduplicate(documents, output=tmp_path / "all.parquet")
    assert rows_of(result) == rows_of(RESULT)
    assert read(tmp_path / "all.parquet").to_pylist() == KEPT.to_pylist()
    result = benzer.deduplicate(documents, output=f"{tmp_path}/clean")
    assert result.output == [f"{tmp_path}/clean/part{i}.parquet" for i in range(4)]
    outputs = [read(name) for name in result.output]
    assert pa.concat_tables(outputs).to_pylist() == KEPT.to_pylist()
    assert [len(one) for one in outputs] == [sum(RESULT.kept_rows()[a:b]) for a, b in PARTS]
    assert all(one.schema.equals(SCHEMA, check_metadata=True) for one in outputs)
    assert {row["row"] for row in result.removed} <= set(range(150))


def test_mixed_names_and_deep_folders(tmp_path: Path, monkeypatch: Any) -> None:
    write(tmp_path / "in" / "a" / "x.parquet", table_of(0, 100))
    write(tmp_path / "in" / "b" / "x.parquet", table_of(100, 300))
    monkeypatch.chdir(tmp_path)
    for names in (
        ["in/a/x.parquet", str(tmp_path / "in/b/x.parquet")],
        ["./in//a/x.parquet", "in/a/../b/x.parquet"],
        "in",
    ):
        result = benzer.deduplicate(names, output="clean")
        assert pa.concat_tables(read(f"clean/{one}/x.parquet") for one in "ab").to_pylist() == KEPT.to_pylist()
        assert [os.path.normpath(one) for one in result.output or []] == ["clean/a/x.parquet", "clean/b/x.parquet"]


@pytest.mark.parametrize("how", ["file", "folder", "pattern", "list"])
def test_addresses(how: str, tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    if memory.exists("/bucket"):
        memory.rm("/bucket", recursive=True)
    for name in parts(tmp_path):
        memory.put(name, f"/bucket/crawl/{Path(name).name}")
    names = [f"memory://bucket/crawl/part{i}.parquet" for i in range(4)]
    documents = {
        "file": names[:1],
        "folder": "memory://bucket/crawl",
        "pattern": "memory://bucket/crawl/*.parquet",
        "list": names,
    }[how]
    result = benzer.deduplicate(documents, output="memory://bucket/clean/")
    files = sorted(memory.find("/bucket"))
    count = 1 if how == "file" else 4
    assert files == [f"/bucket/clean/part{i}.parquet" for i in range(count)] + [
        f"/bucket/crawl/part{i}.parquet" for i in range(4)
    ]
    out = pa.concat_tables(parquet.read_table(memory.open(name)) for name in files[:count])
    if count == 4:
        assert out.to_pylist() == KEPT.to_pylist() and rows_of(result) == rows_of(RESULT)
    with pytest.raises(benzer.InvalidArgumentError, match="also an input"):
        benzer.deduplicate(documents, output="memory:///bucket//crawl")
    with pytest.raises(benzer.NotFoundError):
        benzer.deduplicate("memory://bucket/none/*.parquet")


def test_texts_that_are_addresses_are_texts() -> None:
    texts = ["https://example.com/a/b", "https://example.com/a/b", "s3://x"]
    assert benzer.deduplicate(texts, features="text:char5").kept() == [texts[0], texts[2]]


ADDED = ["benzer_cluster", "benzer_keeper", "benzer_score", "benzer_kept"]


@pytest.mark.parametrize("name", KINDS)
def test_annotate(name: str, tmp_path: Path) -> None:
    source = write(tmp_path / name)
    benzer.deduplicate(source, output=tmp_path / f"out{Path(name).suffix}", annotate=True)
    out = read(tmp_path / f"out{Path(name).suffix}")
    assert out.schema.names == [*SCHEMA.names, *ADDED]
    assert out.select(SCHEMA.names).to_pylist() == TABLE.to_pylist()
    marks = [tuple(row[added] for added in ADDED) for row in out.to_pylist()]
    assert marks == [tuple(row.values()) for row in RESULT.annotations()]
    keepers = {row["id"]: row["kept_id"] for row in RESULT.removed}
    assert all(row["benzer_keeper"] == keepers[row["id"]] for row in out.to_pylist() if row["id"] in keepers)
    assert bytes(out["benzer_kept"].to_pylist()) == RESULT.kept_rows()
    with pytest.raises(benzer.InvalidArgumentError, match="benzer_cluster"):
        benzer.deduplicate(str(tmp_path / f"out{Path(name).suffix}"), output=tmp_path / "x.parquet", annotate=True)
    assert sorted(os.listdir(tmp_path)) == sorted([name, f"out{Path(name).suffix}"])


def test_annotate_several(tmp_path: Path) -> None:
    result = benzer.deduplicate(parts(tmp_path / "in"), output=tmp_path / "out", annotate=True)
    out = pa.concat_tables(read(name) for name in result.output or [])
    assert [row["benzer_cluster"] for row in out.to_pylist()] == RESULT.annotations()["benzer_cluster"]


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl"])
@pytest.mark.parametrize("output", ["output", "removed", "report", "twin", "reference"])
@pytest.mark.parametrize("spelling", ["same", "relative", "dots", "link", "hard link"])
def test_an_output_that_is_an_input(output: str, spelling: str, suffix: str, tmp_path: Path, monkeypatch: Any) -> None:
    folder = tmp_path / "in"
    source = folder / f"a{suffix if output != 'twin' else '.json' if suffix == '.jsonl' else suffix}"
    if suffix == ".parquet":
        if output == "twin":
            pytest.skip("no Parquet file is named so")
        write(source)
    else:
        folder.mkdir()
        source.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS if text))
    if "link" in spelling:
        (os.symlink if spelling == "link" else os.link)(source, tmp_path / f"link{source.suffix}")
    monkeypatch.chdir(folder)
    name = {
        "same": str(source),
        "relative": source.name,
        "dots": f"../in/{source.name}",
        "link": str(tmp_path / f"link{source.suffix}"),
        "hard link": str(tmp_path / f"link{source.suffix}"),
    }[spelling]
    before = source.read_bytes()
    arguments: dict[str, Any] = {"output" if output == "reference" else output: name}
    if output == "twin":
        arguments = {"report": name.removesuffix(".json") + ".html"}
    documents = str(source)
    if output == "reference":
        arguments["against"] = documents
        documents = str(folder / f"b{suffix}")
        (folder / f"b{suffix}").write_bytes(before)
    with pytest.raises(benzer.InvalidArgumentError, match="input"):
        benzer.deduplicate(documents, allow_large_clusters=True, **arguments)
    assert source.read_bytes() == before


@pytest.mark.parametrize("kind", ["deduplicate", "passages", "remove_passages"])
def test_a_later_report_in_the_place_of_an_input_or_an_output(kind: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("in.json", "with.json"):
        Path(name).write_text("".join(json.dumps({"text": f"{name} {text}"}) + "\n" for text in TEXTS if text))
    outputs: dict[str, Any] = {} if kind == "passages" else {"output": "out.json", "removed": "list.json"}
    settings: dict[str, Any] = {"allow_large_clusters": True, **outputs} if outputs else {}
    result = getattr(benzer, kind)("in.json", against="with.json", format="jsonl", **settings)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    made = [result.report(), pickle.loads(pickle.dumps(result.report()))]
    for path in before:
        # That of deduplicate() has a JSON twin.
        name = path.name.replace(".json", ".html") if kind == "deduplicate" else path.name
        with pytest.raises(benzer.InvalidArgumentError, match="also an input|different names"):
            result.report(name)
    monkeypatch.chdir("/")
    for path in before:
        for one in made:
            with pytest.raises(benzer.InvalidArgumentError, match="also an input|different names"):
                one.save(path.with_suffix(".html") if kind == "deduplicate" else path)
    monkeypatch.chdir(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    for _ in range(2):
        result.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == made[0].html


def test_outputs_of_one_name(tmp_path: Path) -> None:
    source = write(tmp_path / "a.parquet")
    for outputs in (
        {"output": "x.parquet", "removed": "x.parquet"},
        {"removed": "r.json", "report": "r.html"},
        {"removed": "r.html", "report": "./r.html"},
    ):
        with pytest.raises(benzer.InvalidArgumentError, match="different names"):
            benzer.deduplicate(source, **{name: str(tmp_path / path) for name, path in outputs.items()})
    assert os.listdir(tmp_path) == ["a.parquet"]


@pytest.mark.parametrize("again", ["a.parquet", "./a.parquet", "link.parquet", "file"])
def test_an_input_that_is_named_twice(again: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.parquet")
    os.symlink("a.parquet", "link.parquet")
    again = f"file://{tmp_path}/a.parquet" if again == "file" else again
    with pytest.raises(benzer.InvalidArgumentError, match="twice"):
        benzer.deduplicate(["a.parquet", again])
    with pytest.raises(benzer.InvalidArgumentError, match="twice"):
        benzer.deduplicate(["a.parquet"], against=[again])


def test_other_columns(tmp_path: Path) -> None:
    names = [write(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    for other in (
        TABLE.drop_columns("meta"),
        TABLE.rename_columns(["id", "text", "kind", "m", "when"]),
        TABLE.select(["text", "id", "kind", "meta", "when"]),
    ):
        parquet.write_table(other.slice(0, 50), names[1])
        with pytest.raises(benzer.BadInputError, match=r"b\.parquet"):
            benzer.deduplicate(names, output=tmp_path / "out.parquet")
        assert not (tmp_path / "out.parquet").exists()
        benzer.deduplicate(names, output=tmp_path / "clean")
        assert read(tmp_path / "clean" / "b.parquet").schema.names == other.schema.names


# Damage to a file of bytes, for each kind.
DAMAGE = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[: len(data) // 2],
    "no end": lambda data: data[:-20],
    "text": lambda data: b"this is a text" * 100,
    "zeros in the middle": lambda data: data[:200] + bytes(600) + data[800:],
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", KINDS)
def test_damaged_files(name: str, how: str, tmp_path: Path) -> None:
    source = Path(write(tmp_path / "a" / name))
    good = write(tmp_path / "a" / "good.parquet", table_of(0, 50))
    source.write_bytes(DAMAGE[how](source.read_bytes()))
    try:
        result = benzer.deduplicate([good, str(source)], output=tmp_path / "out", allow_large_clusters=True)
    except benzer.Error as error:
        assert name in str(error) and isinstance(error, (benzer.BadInputError, benzer.StorageFailedError))
        assert not (tmp_path / "out").exists()
    else:  # the damage is in what is not seen, such as the end of a stream
        assert how in ("no end", "zeros in the middle") and result.summary["documents"] > 50


def test_kinds_of_files_are_not_mixed(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text('{"text": "x"}\n')
    names = [write(tmp_path / "a.parquet"), str(tmp_path / "b.jsonl")]
    with pytest.raises(benzer.InvalidArgumentError, match=r"b\.jsonl"):
        benzer.deduplicate(names)
    with pytest.raises(benzer.InvalidArgumentError, match="references"):
        benzer.deduplicate(names[1], against=names[0])
    with pytest.raises(benzer.InvalidArgumentError, match="references"):
        benzer.deduplicate(names[0], against=names[1])
    with pytest.raises(benzer.InvalidArgumentError, match="output"):
        benzer.deduplicate(names[0]).kept()


@pytest.mark.parametrize("name", KINDS)
def test_no_rows(name: str, tmp_path: Path) -> None:
    source = write(tmp_path / name, TABLE.slice(0, 0))
    for annotate in (False, True):
        result = benzer.deduplicate(source, output=tmp_path / f"out{Path(name).suffix}", annotate=annotate)
        assert result.summary["documents"] == 0
        out = read(tmp_path / f"out{Path(name).suffix}")
        assert len(out) == 0 and out.select(SCHEMA.names).schema.equals(SCHEMA, check_metadata=True)


def test_references_in_files(tmp_path: Path) -> None:
    known, new = write(tmp_path / "known.parquet", table_of(0, 100)), write(tmp_path / "new.arrow", table_of(98, 300))
    result = benzer.deduplicate(new, against=known, output=tmp_path / "out.arrow")
    expected = benzer.deduplicate(table_of(98, 300), against=table_of(0, 100))
    assert rows_of(result) == rows_of(expected) and result.summary["references"] == 100
    assert read(tmp_path / "out.arrow").to_pylist() == expected.kept(table_of(98, 300)).to_pylist()
    assert result.removed["kept_is_reference"] == expected.removed["kept_is_reference"]
    assert any(expected.removed["kept_is_reference"])


def test_a_missing_column_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(benzer.BadInputError, match=r"in\.parquet.*'body'.*'id', 'text'"):
        benzer.deduplicate(write(tmp_path / "in.parquet"), text="body")


@pytest.mark.parametrize("text", ["meta.url", "/meta/url"])
def test_nested_columns(text: str, tmp_path: Path) -> None:
    result = benzer.deduplicate(write(tmp_path / "in.parquet"), text=text, features="text:char2", threshold=1)
    assert result.summary["documents"] == 300 and result.summary["empty"] == 0


@pytest.mark.parametrize("when", [1, 3, 5])
@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_an_error_in_the_middle_leaves_no_file(
    suffix: str, when: int, tmp_path: Path, monkeypatch: Any, recwarn: Any
) -> None:
    from benzer import _outputs

    names = parts(tmp_path / "in", suffix)
    turn = [0]
    flush = _outputs._Writer._flush

    def failing(self: Any) -> None:
        turn[0] += 1
        if turn[0] == when:
            raise OSError(28, "No space left on device")
        flush(self)

    monkeypatch.setattr(_outputs._Writer, "_flush", failing)
    with pytest.raises(benzer.StorageFailedError, match="No space left"):
        benzer.deduplicate(names, output=tmp_path / "out")
    assert not any(files for _, _, files in os.walk(tmp_path / "out"))
    assert not recwarn.list


def test_ctrl_c_while_writing_leaves_no_file(tmp_path: Path, monkeypatch: Any) -> None:
    from benzer import _outputs

    def interrupted(self: Any) -> None:
        raise KeyboardInterrupt

    (tmp_path / "out.parquet").write_bytes(b"before")
    monkeypatch.setattr(_outputs._Writer, "_flush", interrupted)
    with pytest.raises(KeyboardInterrupt):
        benzer.deduplicate(write(tmp_path / "in.parquet"), output=tmp_path / "out.parquet")
    assert sorted(os.listdir(tmp_path)) == ["in.parquet", "out.parquet"]
    assert (tmp_path / "out.parquet").read_bytes() == b"before"


def test_a_file_that_changes_between_reading_and_writing(tmp_path: Path, monkeypatch: Any) -> None:
    from benzer import _outputs

    source = write(tmp_path / "in.parquet")
    before = _outputs.Outputs.write

    def changed(*arguments: Any) -> Any:
        write(tmp_path / "in.parquet", table_of(1, 300))
        return before(*arguments)

    monkeypatch.setattr(_outputs.Outputs, "write", changed)
    with pytest.raises(benzer.BadInputError, match="has changed since it was read first"):
        benzer.deduplicate(source, output=tmp_path / "out.parquet")
    assert os.listdir(tmp_path) == ["in.parquet"]


RECORDS = {
    "jsonl": "".join('{"id":%d,  "text":"%s", "n":%d.50}\n' % (i, TEXTS[i] or "\\ud800 x", i % 7) for i in range(300)),
    "csv": "id,text,n\n" + "".join(f'{i},"{TEXTS[i] or "a b"}",{i % 7}\n' for i in range(300)),
    "txt": "".join(f"{text or ''}\n" for text in TEXTS),
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"keep": "max:n,longest"},
    {"cluster": "components"},
    {"annotate": True},
    {"threshold": 0.3},
    {"by": "n"},
    {"memory_limit": "64M"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("kind", RECORDS)
def test_records_as_the_program(kind: str, options: dict[str, Any], tmp_path: Path) -> None:
    if kind == "txt":
        if {"keep", "by", "annotate"} & set(options):
            pytest.skip("lines have no fields")
        options = {**options, "format": "lines"}
    source = tmp_path / f"in.{kind}"
    source.write_text(RECORDS[kind])
    flags = [
        part
        for name, value in options.items()
        for part in ([f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)]))
    ]
    for folder in ("program", "python"):
        (tmp_path / folder).mkdir()
    names = {"output": f"out.{kind}", "removed": "removed.jsonl", "report": "report.html"}
    program = {name: f"{tmp_path}/program/{path}" for name, path in names.items()}
    done = subprocess.run(
        [
            PROGRAM,
            "dedup",
            source,
            *[f"--{k}={v}" for k, v in program.items()],
            "--json",
            "--allow-large-clusters",
            *flags,
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    result = benzer.deduplicate(
        source,
        **{name: f"{tmp_path}/python/{path}" for name, path in names.items()},
        allow_large_clusters=True,
        **options,
    )
    for path in (names["output"], names["removed"]):
        assert (tmp_path / "python" / path).read_bytes() == (tmp_path / "program" / path).read_bytes(), path
    summary = json.loads(done.stdout)
    for name in (
        "documents",
        "kept",
        "removed",
        "clusters",
        "candidates",
        "verified_pairs",
        "exact_duplicates",
        "empty",
        "short",
        "skipped",
        "replaced",
        "bytes",
        "largest_cluster",
        "threshold",
        "config",
        "by",
        "keep",
    ):
        assert result.summary[name] == summary[name], name
    ours, theirs = (json.loads((tmp_path / one / "report.json").read_text()) for one in ("python", "program"))
    for report in (ours, theirs):
        del report["command"], report["next_steps"], report["settings"]["output"], report["settings"]["removed_list"]
    assert ours == theirs


def test_a_record_file_in_a_folder_of_inputs_is_not_overwritten(tmp_path: Path) -> None:
    for i, text in enumerate(TEXTS[:6]):
        (tmp_path / f"{i}.txt").write_text(text)
    before = (tmp_path / "1.txt").read_text()
    for arguments in ({"output": tmp_path / "1.txt"}, {"removed": tmp_path / "1.txt"}):
        with pytest.raises(benzer.InvalidArgumentError, match="input"):
            benzer.deduplicate(tmp_path, **arguments)  # type: ignore[arg-type]
    assert (tmp_path / "1.txt").read_text() == before


def test_write_error_of_records(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text(RECORDS["jsonl"])
    with pytest.raises(benzer.Error):
        benzer.deduplicate(source, output=tmp_path / "no" / "such" / "out.jsonl")
    assert os.listdir(tmp_path) == ["in.jsonl"]
