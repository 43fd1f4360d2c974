"""The command benzer on Parquet and Arrow files, beside the same command on JSON lines."""

# labels: python

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

import benzer  # noqa: E402

WORDS = [f"word{i}" for i in range(400)]
TEXTS = [" ".join(WORDS[(i * 7 + k * (1 + i % 11)) % 400] for k in range(30)) for i in range(150)]
TEXTS += [text + " and a tail" for text in TEXTS[:100:2]] + ["", "short"]
ROWS = [{"id": f"d{i}", "text": text, "n": i % 13, "lang": "en" if i % 3 else "de"} for i, text in enumerate(TEXTS)]


def run(*arguments: object, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Carry out the command of the package."""
    return subprocess.run(
        [sys.executable, "-m", "benzer", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the same documents as in.parquet, in.jsonl, and in two parts as parts/k=*/in.parquet."""
    table = pyarrow.Table.from_pylist(ROWS)
    parquet.write_table(table, tmp_path / "in.parquet", compression="zstd", row_group_size=64)
    with pyarrow.ipc.new_file(tmp_path / "in.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=50)
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for k in (0, 1):
        (tmp_path / f"parts/k={k}").mkdir(parents=True)
        parquet.write_table(table.slice(k * 100, 100), tmp_path / f"parts/k={k}/in.parquet")
    (tmp_path / "parts/_SUCCESS").touch()
    return tmp_path


def facts(text: str) -> dict[str, Any]:
    """Return a summary without what differs from run to run and from input to input."""
    summary: dict[str, Any] = json.loads(text)
    for name in ("seconds", "cpu_seconds", "peak_rss_bytes", "inputs", "output", "skipped_list", "sources", "bytes"):
        summary.pop(name, None)
    return summary


SAME = {
    "plain": ["dedup"],
    "keep": ["dedup", "--keep", "max:n,longest", "--threshold", "0.7"],
    "by": ["dedup", "--by", "lang", "--features", "text:char4", "--short", "drop"],
    "components": ["dedup", "--cluster", "components", "--recall", "0.999", "--seed", "5"],
    "limited": ["dedup", "--memory-limit", "64M", "--threads", "1"],
    "pairs": ["pairs", "--threshold", "0.6"],
    "exact": ["pairs", "--exact", "--threshold", "0.5"],
}


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("name", SAME)
def test_answers_are_those_of_json_lines(name: str, ending: str, folder: Path) -> None:
    command, *options = SAME[name]
    results = {}
    for source in (f"in.{ending}", "in.jsonl"):
        out = folder / source.rpartition(".")[2]
        out.mkdir()
        outputs = ["--pairs", out / "pairs", "--clusters", out / "clusters", "--removed", out / "removed"]
        last = ["-o", out / f"kept.{source.rpartition('.')[2]}", *outputs] if command == "dedup" else ["-o", out / "p"]
        ran = run(command, source, *options, *last, "--json", folder=folder)
        assert ran.returncode == 0, ran.stderr
        summary = facts(ran.stdout)
        for list_name in ("removed_list", "pairs_list", "clusters_list"):
            summary.pop(list_name, None)
        lists = {one: (out / one).read_text() for one in ("removed", "pairs", "clusters", "p") if (out / one).exists()}
        results[source] = (summary, {one: text.replace(source, "in") for one, text in lists.items()})
    assert results[f"in.{ending}"] == results["in.jsonl"]
    assert results["in.jsonl"][1]
    if command == "dedup":
        kept = [json.loads(line) for line in (folder / "jsonl/kept.jsonl").read_text().splitlines()]
        if ending == "parquet":
            assert parquet.read_table(folder / "parquet/kept.parquet").to_pylist() == kept
        else:
            assert pyarrow.ipc.open_file(folder / "arrow/kept.arrow").read_all().to_pylist() == kept


def test_a_folder_of_parts_keeps_its_form(folder: Path) -> None:
    ran = run("dedup", "parts", "-o", "clean/", "--report", "page.html", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "output        clean/" in ran.stderr and "removed list  clean.removed.jsonl" in ran.stderr
    kept = [parquet.ParquetFile(folder / f"clean/k={k}/in.parquet").read().num_rows for k in (0, 1)]
    removed = (folder / "clean.removed.jsonl").read_text().splitlines()
    assert sum(kept) + len(removed) == 200 and removed
    assert "parts/k=1/in.parquet" in removed[0]
    page = json.loads((folder / "page.json").read_text())
    assert page["command"] == ["benzer", "dedup", "parts", "--output", "clean/", "--report", "page.html"]
    again = run("dedup", "parts", "-o", "clean/", "--json", folder=folder)
    assert again.returncode == 0 and json.loads(again.stdout)["output"] == "clean/"


def test_annotations(folder: Path) -> None:
    ran = run("dedup", "in.parquet", "-o", "out.parquet", "--annotate", folder=folder)
    assert ran.returncode == 0, ran.stderr
    table = parquet.read_table(folder / "out.parquet")
    assert table.num_rows == len(ROWS) and table.column("benzer_score").null_count < len(ROWS)
    assert table.schema.names[:4] == ["id", "text", "n", "lang"]


def test_other_commands_read_tables(folder: Path) -> None:
    for command, *rest in (
        ("audit", "--json"),
        ("index", "news.benzer", "--create"),
        ("similar", "news.benzer", "--like"),
        ("plan", "--corpus"),
        ("count-frequencies", "--features", "text:word3+tf-idf", "-o", "words"),
    ):
        outputs = []
        for source in ("in.parquet", "in.jsonl"):
            place = [one.replace("news", source) for one in rest]
            if command == "index":
                arguments: list[str] = [place[0], source, *place[1:]]
            elif command in ("similar", "plan"):
                arguments = [*place, source]
            else:
                arguments = [source, *place]
            ran = run(command, *arguments, folder=folder)
            assert ran.returncode == 0, ran.stderr
            outputs.append(ran.stdout)
        if command == "audit":
            figures = [json.loads(text)["different"] for text in outputs]
            assert figures[0] == figures[1] and figures[0]["pairs"] > 0
        elif command == "similar":
            assert outputs[0] == outputs[1] != ""


BAD = [
    (["dedup", "in.parquet", "-o", "in.parquet"], 2, "is also"),
    (["dedup", "in.parquet", "-o", "in.jsonl", "--against", "in.parquet"], 2, "read twice"),
    (["dedup", "in.parquet", "in.jsonl", "--dry-run"], 2, "inputs of one kind"),
    (["dedup", "parts", "-o", "parts/new"], 2, "is in the input folder"),
    (["dedup", "in.parquet", "-o", "-"], 2, "tables cannot be written to '-'"),
    (["dedup", "in.parquet", "-o", "in.jsonl"], 2, "has a name of records"),
    (["dedup", "in.parquet", "--text", "body", "--dry-run"], 2, "no column 'body'.*'text'.*--text"),
    (["dedup", "in.parquet", "--max-line", "8", "--dry-run"], 2, "--max-line is about files of records"),
    (["dedup", "in.parquet", "--resume", "-o", "x", "--work", "."], 2, "--resume is about files of records"),
    (["dedup", "none.parquet", "--dry-run"], 2, "none.parquet: the file does not exist"),
    (["dedup", "broken.parquet", "--dry-run"], 2, "broken.parquet: the file cannot be read"),
    (["dedup", "nosuch://a/b.parquet", "--dry-run"], 2, "nosuch://a/b.parquet"),
    (["dedup", "memory://none/*.parquet", "--dry-run"], 2, "memory://none.*no such file"),
    (["sketch", "in.parquet", "-o", "x"], 2, "sketch"),
    (["dedup", "in.parquet", "--features", "image:phash", "--dry-run"], 2, "pictures"),
    (["dedup", "marked.parquet", "-o", "x.parquet", "--annotate"], 2, "marked.parquet: there is a column 'benzer_s"),
    (["dedup", "in.parquet", "-o", "in.parquet/new/"], 5, "in.parquet/new/: the output cannot be written"),
    (["dedup", "gone", "-o", "s3://b/x/"], 2, "gone"),
    (["dedup", "in.parquet", "-o", "s3://b/x/"], 2, "--removed"),
]


@pytest.mark.parametrize(("arguments", "code", "sentence"), BAD)
def test_what_cannot_be(arguments: list[str], code: int, sentence: str, folder: Path) -> None:
    (folder / "broken.parquet").write_bytes(b"PAR1 this is none PAR1")
    # Also refused before any document is read: the first column is not of texts.
    parquet.write_table(pyarrow.table({"text": [1, 2], "benzer_score": [0.5, 1]}), folder / "marked.parquet")
    before = sorted(os.listdir(folder))
    ran = run(*arguments, folder=folder)
    assert "Traceback" not in ran.stderr
    assert re.search(sentence, ran.stderr), ran.stderr
    assert ran.returncode == code, (ran.returncode, ran.stderr)
    assert sorted(os.listdir(folder)) == before
    as_json = run(*arguments, "--json", folder=folder) if arguments[0] == "dedup" else None
    if as_json:
        told = json.loads(as_json.stderr)
        assert told["exit_code"] == as_json.returncode != 0 and told["error"] != "internal"
        if told["message"].startswith(("none.parquet: ", "broken.parquet: ")):
            assert told["message"].startswith(told["file"])
        advice = re.split("[;:] ", told["message"])[-1]
        assert told.get("hint", advice) == advice and ("hint" in told or "; " not in told["message"]), told


def test_guard_rails_stop_the_command(folder: Path) -> None:
    rows = pyarrow.Table.from_pylist([{"text": f"{i} b c d e f g"} for i in range(1500)])
    parquet.write_table(rows, folder / "in.parquet")
    parquet.write_table(rows, folder / "same.parquet")
    ran = run("dedup", "in.parquet", "-o", "out/", "--against", "same.parquet", folder=folder)
    assert ran.returncode == 7 and "--allow-large-clusters" in ran.stderr
    assert not (folder / "out").exists()


def test_a_format_says_that_it_is_no_table(folder: Path) -> None:
    (folder / "list.parquet").write_text('{"text":"a b c d e f"}\n' * 2)
    ran = run("dedup", "list.parquet", "--format", "jsonl", "--dry-run", "--json", folder=folder)
    assert json.loads(ran.stdout)["removed"] == 1


def test_without_pyarrow_it_says_what_to_install(folder: Path) -> None:
    (folder / "none/pyarrow").mkdir(parents=True)
    (folder / "none/pyarrow/__init__.py").write_text("raise ImportError('not here')")
    path = os.pathsep.join([str(folder / "none"), os.environ.get("PYTHONPATH", "")])
    ran = run("dedup", "in.parquet", "--dry-run", folder=folder, PYTHONPATH=path)
    assert ran.returncode == 2 and "pip install 'benzer[arrow]'" in ran.stderr
    as_json = run("dedup", "in.parquet", "--dry-run", "--json", folder=folder, PYTHONPATH=path)
    assert json.loads(as_json.stderr)["hint"] == "pip install 'benzer[arrow]'"


def test_a_signal_ends_it_and_leaves_nothing(folder: Path) -> None:
    rows = [{"text": " ".join(WORDS[(i * k + k) % 400] + str(i % 997) for k in range(60))} for i in range(30000)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "large.parquet")
    before = sorted(os.listdir(folder))
    command = [sys.executable, "-m", "benzer", "dedup", "large.parquet", "-o", "out/", "--threads", "1"]
    child = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    time.sleep(0.6)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == benzer_code(errors), errors
    if child.returncode:
        assert sorted(os.listdir(folder)) == before and "Traceback" not in errors


def benzer_code(errors: str) -> int:
    """The exit code that goes with what the command has printed; it may have ended before the signal came."""
    if "interrupted" in errors:
        return 130
    return 0 if "kept" in errors else -signal.SIGINT


def test_audit_of_a_result(folder: Path) -> None:
    result = benzer.deduplicate(str(folder / "in.parquet"), keep="longest", threshold=0.7)
    told = run("audit", "in.parquet", "--threshold", "0.7", "--sample", "50", "--json", folder=folder)
    audit = result.audit(sample=50)
    for figures in (audit, expected := json.loads(told.stdout)):
        for name in ("seconds", "cpu_seconds", "peak_rss_bytes", "inputs"):
            figures.pop(name)
    assert audit == expected and audit["sample"] == 50


def test_a_run_of_files_of_lines_goes_on_where_it_was(folder: Path) -> None:
    work = folder / "work"
    work.mkdir()
    whole = benzer.deduplicate(str(folder / "in.jsonl"), work=work)
    assert os.listdir(work) == [] and whole.report().html and os.listdir(work) == []
    assert run("dedup", folder / "in.jsonl", "--stage", "sketch", "--work", "work", folder=folder).returncode == 0
    assert os.listdir(work)
    again = benzer.deduplicate(str(folder / "in.jsonl"), work=work, resume=True)
    assert again.kept_rows() == whole.kept_rows() and os.listdir(work) == []
    assert run("sketch", folder / "in.jsonl", "-o", "marks", folder=folder).returncode == 0
    for call in (benzer.deduplicate, benzer.pairs):
        of_signatures = call(str(folder / "in.jsonl"), signatures=folder / "marks")
        assert of_signatures.summary["documents"] == len(ROWS)
    with pytest.raises(benzer.InvalidArgumentError, match="resume is about files of records"):
        benzer.deduplicate(["a text"], resume=True, work=work)


def test_sketch_of_files(folder: Path) -> None:
    table = benzer.sketch(folder / "in.parquet", sketch="fss:8")
    assert list(table["signature"]) == list(benzer.sketch(TEXTS, sketch="fss:8")["signature"])
    with pytest.raises(benzer.InvalidArgumentError, match="'benzer sketch'"):
        benzer.sketch(folder / "in.jsonl")


def test_pairs_with_references_say_which_are(folder: Path) -> None:
    table = benzer.pairs(["a b c d e f", "a b c d e f"], against=["a b c d e f"]).table
    assert list(table["a_is_reference"]) == [True, True, False]


def both(folder: Path, source: str, *arguments: str, **options: Any) -> list[str]:
    """Return the sentences of the command and of deduplicate(), which both have to refuse."""
    ran = run("dedup", source, *arguments, folder=folder)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr, ran.stderr
    before = os.getcwd()
    os.chdir(folder)
    try:
        with pytest.raises(benzer.Error) as caught:
            benzer.deduplicate(source, **options)
    finally:
        os.chdir(before)
    return [ran.stderr, str(caught.value)]


@pytest.mark.parametrize(
    "output",
    ["new/../parts/k=0", "new/../parts/k=0/in.parquet", "link/k=0/", "", "in.jsonl", "parts/k=0/new"],
)
def test_outputs_that_would_overwrite_or_be_read(output: str, folder: Path) -> None:
    (folder / "link").symlink_to("parts")
    before = sorted((str(path), path.stat().st_size) for path in folder.rglob("*") if path.is_file())
    both(folder, "parts/k=0", "--output", output, "--removed", "list.jsonl", output=output)
    assert sorted((str(path), path.stat().st_size) for path in folder.rglob("*") if path.is_file()) == before


def test_lists_that_are_the_output_folder(folder: Path) -> None:
    both(folder, "parts", "--output", "new/", "--removed", "new", output="new/", removed="new")
    assert not (folder / "new").exists()


def test_hidden_files_of_a_folder_are_not_read(folder: Path) -> None:
    (folder / "parts/_temporary/0").mkdir(parents=True)
    for name in ("_temporary/0/in.parquet", ".in.parquet", "k=0/_in.parquet"):
        (folder / "parts" / name).write_bytes((folder / "parts/k=0/in.parquet").read_bytes())
    ran = run("dedup", "parts", "--dry-run", "--json", folder=folder)
    assert json.loads(ran.stdout)["documents"] == 200
    assert benzer.deduplicate(folder / "parts").summary["documents"] == 200


def test_a_folder_of_tables_and_records_is_refused(folder: Path) -> None:
    (folder / "parts/k=1/more.jsonl").write_text('{"text":"a"}\n')
    for sentence in both(folder, "parts", "--dry-run"):
        assert "has tables and others" in sentence
    (folder / "parts/k=1/more.jsonl").rename(folder / "parts/AAA.md")
    ran = run("dedup", "parts", "--dry-run", "--json", folder=folder)
    assert json.loads(ran.stdout)["documents"] == 200


def test_patterns_of_folders(folder: Path) -> None:
    for pattern in ("parts/k=*", "parts/**", "parts/*/*.parquet"):
        assert benzer.deduplicate(str(folder / pattern)).summary["documents"] == 200, pattern


def test_one_partition_keeps_its_folder(folder: Path) -> None:
    (folder / "parts/k=1/in.parquet").unlink()
    ran = run("dedup", "parts", "-o", "clean", folder=folder)
    assert ran.returncode == 0 and (folder / "clean/k=0/in.parquet").exists()


def test_files_that_are_read_and_no_documents(folder: Path) -> None:
    assert run("sketch", folder / "in.jsonl", "-o", "marks", folder=folder).returncode == 0
    marks = (folder / "marks").read_bytes()
    with pytest.raises(benzer.InvalidArgumentError, match="is also an input"):
        benzer.deduplicate(folder / "in.jsonl", signatures=folder / "marks", output=folder / "marks")
    assert (folder / "marks").read_bytes() == marks


def test_a_link_is_followed(folder: Path) -> None:
    (folder / "real.parquet").touch(mode=0o600)
    (folder / "link.parquet").symlink_to("real.parquet")
    assert run("dedup", "in.parquet", "-o", "link.parquet", folder=folder).returncode == 0
    assert (folder / "link.parquet").is_symlink() and parquet.read_table(folder / "real.parquet").num_rows > 0
    assert (folder / "real.parquet").stat().st_mode & 0o777 == 0o600


def test_a_stream_of_arrow_stays_one(folder: Path) -> None:
    with pyarrow.ipc.new_stream(folder / "stream.arrow", pyarrow.Table.from_pylist(ROWS).schema) as stream:
        stream.write_table(pyarrow.Table.from_pylist(ROWS))
    assert run("dedup", "stream.arrow", "-o", "out/", folder=folder).returncode == 0
    assert pyarrow.ipc.open_stream(folder / "out/stream.arrow").read_all().num_rows > 100
    assert run("dedup", "in.arrow", "-o", "out/", folder=folder).returncode == 0
    assert pyarrow.ipc.open_file(folder / "out/in.arrow").read_all().num_rows > 100


def test_addresses_of_local_files(folder: Path) -> None:
    for scheme in ("file", "local", "simplecache::file"):
        with pytest.raises(benzer.InvalidArgumentError, match="is also an input"):
            benzer.deduplicate(folder / "in.parquet", output=f"{scheme}://{folder}/in.parquet")


def test_a_damaged_file_is_told_in_one_sentence(folder: Path) -> None:
    data = bytearray((folder / "in.parquet").read_bytes())
    for place in range(len(data) // 4, len(data) // 2, 7):
        data[place] ^= 0xFF
    (folder / "in.parquet").write_bytes(data)
    ran = run("dedup", "in.parquet", "--dry-run", folder=folder)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr and "in.parquet" in ran.stderr


def test_names_that_are_not_utf8(folder: Path) -> None:
    name = os.fsencode(folder) + b"/b\xff.parquet"
    with open(name, "wb") as file:
        file.write((folder / "in.parquet").read_bytes())
    with pytest.raises(benzer.InvalidArgumentError, match="not UTF-8"):
        benzer.deduplicate(os.fsdecode(name))


def test_a_stopped_run_names_no_outputs(folder: Path) -> None:
    rows = pyarrow.Table.from_pylist([{"text": "one and the same text of some words"} for _ in range(3000)])
    parquet.write_table(rows, folder / "same.parquet")
    with pytest.raises(benzer.GuardRailError) as caught:
        benzer.deduplicate(folder / "same.parquet", output=folder / "out/", removed=folder / "list")
    assert isinstance(caught.value.result, benzer.Result)
    assert caught.value.result.summary["output"] is caught.value.result.summary["removed_list"] is None
