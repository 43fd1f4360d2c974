# labels: python
"""Runs are stopped by Ctrl-C, go on in several threads at once, and are refused in sub-interpreters."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
datasets = pytest.importorskip("datasets")
from pyarrow import dataset as arrow_dataset  # noqa: E402
from pyarrow import parquet  # noqa: E402

COUNT = 20_000

# What prints "ready", goes on until Ctrl-C, and prints when that arrived.
LONG = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it is ignored, as in a background job
import benzer
import pyarrow, pyarrow.parquet
table = pyarrow.parquet.read_table("in.parquet")
texts = table["text"].to_pylist()
def slow():
    for text in texts:
        time.sleep(0.001)
        yield text
SETUP
print("ready", flush=True)
try:
    while True:
        CALL
except KeyboardInterrupt:
    print("stopped", flush=True)
    sys.exit(7)
"""

# What is done again and again, and what comes before it.
LONG_CALLS: list[tuple[str, str, str]] = [
    ("a list", "", "benzer.deduplicate(texts)"),
    ("a list with progress", "", "benzer.deduplicate(texts, threads=1, progress=print)"),
    ("a table", "", "benzer.deduplicate(table)"),
    ("a table with a memory limit", "", "benzer.deduplicate(table, memory_limit='64M')"),
    ("a slow generator", "", "benzer.deduplicate(slow())"),
    ("a LazyFrame", "import polars; f = polars.scan_parquet('in.parquet')", "benzer.deduplicate(f)"),
    ("Parquet files", "", "benzer.deduplicate('in.parquet')"),
    ("Parquet files with output", "", "benzer.deduplicate('in.parquet', output='out.parquet')"),
    ("JSON lines", "", "benzer.deduplicate('in.jsonl')"),
    ("JSON lines with output", "", "benzer.deduplicate('in.jsonl', output='out.jsonl')"),
    ("pairs", "", "benzer.pairs(table, threshold=0.3)"),
    ("passages", "", "benzer.passages(table, min_words=5)"),
    ("remove_passages", "", "benzer.remove_passages(texts, min_words=5, allow_large_clusters=True).kept()"),
    ("sketch", "", "benzer.sketch(texts)"),
    ("report", "r = benzer.deduplicate(table)", "r.report()"),
    ("add", "", "benzer.Index().add({'id': str(i), 'text': t} for i, t in enumerate(texts))"),
    ("add a table", "", "benzer.Index().add(table)"),
    ("similar", "index = benzer.Index(); index.add(table)", "index.similar(texts)"),
    ("pairs of an index", "index = benzer.Index(); index.add(table)", "index.pairs()"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    folder: Path = tmp_path_factory.mktemp("long")
    # Every tenth text is the one before it with another word; the others are similar to none.
    starts = [(i - (i % 10 == 1)) * 7919 for i in range(COUNT)]
    texts = [
        " ".join(f"w{(n + k * k * (n % 97 + 1)) % 50_021}" for k in range(200 + i % 10)) for i, n in enumerate(starts)
    ]
    table = pa.table({"id": [str(i) for i in range(COUNT)], "text": texts})
    parquet.write_table(table, folder / "in.parquet", row_group_size=1000)
    pl.DataFrame(table).write_ndjson(folder / "in.jsonl")
    return folder


@pytest.mark.parametrize(("setup", "call"), [row[1:] for row in LONG_CALLS], ids=[name for name, _, _ in LONG_CALLS])
def test_ctrl_c(setup: str, call: str, folder: Path) -> None:
    """The bound is generous: 0.2 seconds are promised, on a machine that does nothing else."""
    code = LONG.replace("SETUP", setup).replace("CALL", call)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=folder) as child:
        assert child.stdout and child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        begin = time.monotonic()
        assert child.stdout.read().endswith("stopped\n")
        assert time.monotonic() - begin < 5
        assert child.wait() == 7


def test_tables_of_all_kinds_in_threads(folder: Path) -> None:
    table = parquet.read_table(folder / "in.parquet").slice(0, 2000)
    table = pa.concat_tables([table, table.slice(0, 300)])
    expected = benzer.deduplicate(table).removed["row"]
    assert 300 <= len(expected) < 1000

    def exported(kind: str) -> Any:
        makers: dict[str, Any] = {
            "list": lambda: table["text"].to_pylist(),
            "generator": lambda: iter(table["text"].to_pylist()),
            "lazy": lambda: pl.DataFrame(table).lazy().map_batches(lambda frame: frame),
            "dataset": lambda: arrow_dataset.dataset(table),
            "stream": lambda: datasets.Dataset(table).to_iterable_dataset(),
        }
        return benzer.deduplicate(makers[kind]()).removed["row"]

    kinds = ["list", "generator", "lazy", "dataset", "stream"]
    with ThreadPoolExecutor(5) as pool:
        for found in pool.map(exported, kinds * 3):
            assert found == expected


SUB_INTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import benzer
code = '''
try:
    import benzer
    print("imported", flush=True)
except ImportError as error:
    print(error, flush=True)
'''
def made(is_isolated):
    if sys.version_info < (3, 13):
        return interpreters.create(isolated=is_isolated)
    return interpreters.create("isolated" if is_isolated else "legacy")
for is_isolated in (True, False):
    one = made(is_isolated)
    interpreters.run_string(one, code)
    interpreters.destroy(one)
print(benzer.deduplicate(["a b c d e f"] * 2))
"""


def test_sub_interpreters_are_refused() -> None:
    sentence = "benzer cannot be used in a sub-interpreter; use it in the main one, or in a process of its own"
    done = subprocess.run([sys.executable, "-c", SUB_INTERPRETER], capture_output=True, text=True)
    if "No module named '_xxsubinterpreters'" in done.stderr:
        pytest.skip("this Python has no sub-interpreters")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [sentence] * 2 + ["<benzer.Result: 1 of 2 documents kept, 1 removed>"]
