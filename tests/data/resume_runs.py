"""Shares among the tests of `--work`: documents, runs in a folder, and comparison of results."""
from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import PATIENCE_SECONDS, SCRATCH, program, scratch

SEED = int(os.environ.get("BENZER_SEED", "1"))
OUTPUTS = ("kept.jsonl", "kept.jsonl.removed.jsonl", "kept.jsonl.skipped.jsonl")
# Members of the summary that describe the run and not its result.
COSTS = ("seconds", "cpu_seconds", "peak_rss_bytes")
# With this limit blocks are small, so that small files have stages of many records.
SMALL_BLOCKS = ("--memory-limit", "64M")
Faults = Iterator[str]


# --- documents ---------------------------------------------------------------------------------------

class Texts:
    """Makes texts from a stock of sentences, many of them near-copies of earlier texts."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        words = [f"{stem}{end}" for stem in range(100, 400) for end in ("a", "er", "ing", "s", "")]
        self.stock = [" ".join(self.chance.choices(words, k=12)) + "." for _ in range(20000)]
        self.latest: list[list[str]] = []

    def text(self) -> str:
        if self.latest and self.chance.random() < 0.3:
            sentences = list(self.chance.choice(self.latest))
            sentences[-1] = self.chance.choice(self.stock)
        else:
            sentences = self.chance.choices(self.stock, k=14)
        self.latest = self.latest[-200:] + [sentences]
        return " ".join(sentences)

    def lines(self, size: int, tag: str = "", bad: float = 0) -> bytes:
        """Returns about `size` bytes of records. Without a tag they have no id. Some lines are bad or blank."""
        out, made, number = [], 0, 0
        while made < size:
            number += 1
            identity = f'"id":"{tag}{number}",' if tag else ""
            line = f'{{{identity}"score":{number * 7919 % 1000},"lang":"l{number % 3}","text":"{self.text()}"}}'
            if self.chance.random() < bad:
                line = self.chance.choice([line[:-5], '{"id":1}', '{"text":5}', "", "no json", '{"text":"' + "x" * 3000])
            out.append(line)
            made += len(line) + 1
        return "\n".join(out).encode() + b"\n"


def write_corpus(folder: Path, unit: int) -> list[str]:
    """Writes files of one to eight times `unit` bytes."""
    texts = Texts(unit)
    (folder / "a.jsonl").write_bytes(texts.lines(unit, "a"))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(texts.lines(2 * unit, "b", 0.001), 1))
    (folder / "c.jsonl").write_bytes(b"\xef\xbb\xbf" + texts.lines(8 * unit, "c", 0.0005))
    (folder / "d.jsonl").write_bytes(texts.lines(unit, "", 0.01)[:-1])
    (folder / "e.jsonl").write_bytes(texts.lines(unit, "a"))  # ids that a.jsonl has, too
    return ["a.jsonl", "b.jsonl.gz", "c.jsonl", "d.jsonl", "e.jsonl"]


# --- runs --------------------------------------------------------------------------------------------

class Result(NamedTuple):
    code: int
    summary: dict
    said: list[str]
    files: list[bytes | None]


class Runs:
    """A folder with inputs, and runs in it."""

    def __init__(self, name: str, unit: int = 250_000, command: tuple[str, ...] = ("dedup",)) -> None:
        self.words = command
        self.path = scratch(f"resume_{name}")
        self.inputs = write_corpus(self.path, unit) if unit else []

    def command(self, *options: str, inputs: list[str] | None = None) -> list[str]:
        return [str(program()), *self.words, *(self.inputs if inputs is None else inputs), *options]

    def start(self, *options: str, **more) -> subprocess.Popen:
        inputs = more.pop("inputs", None)
        return subprocess.Popen(self.command(*options, inputs=inputs), cwd=self.path, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def end(self, process: subprocess.Popen) -> Result:
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        summary = json.loads(out) if out else {}
        for cost in COSTS:
            summary.pop(cost, None)
        files: list[bytes | None] = []
        for name in OUTPUTS:
            path = self.path / name
            files.append(path.read_bytes() if path.exists() else None)
            path.unlink(missing_ok=True)
        for path in self.path.glob("*.tmp"):  # left by killed processes
            path.unlink()
        return Result(process.returncode, summary, err.decode().splitlines(), files)

    def run(self, *options: str, **more) -> Result:
        return self.end(self.start("-o", OUTPUTS[0], "--json", *options, **more))

    def stage(self, *options: str, **more) -> Result:
        return self.end(self.start("--stage", "sketch", "--json", *options, **more))

    def work(self, name: str = "work") -> Path:
        folder = self.path / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def stages(self, name: str = "work") -> list[str]:
        return sorted(path.name for path in (self.path / name).iterdir())


def differences(result: Result, expected: Result, what: str) -> Faults:
    if result.code != expected.code:
        yield f"{what}: exit code {result.code}, not {expected.code}: {result.said[-1:]}"
        return
    for name, got, want in zip(OUTPUTS, result.files, expected.files):
        if got != want:
            sizes = [None if data is None else len(data) for data in (got, want)]
            yield f"{what}: {name} is another one: {sizes[0]} bytes, not {sizes[1]}"
    if result.said != expected.said:
        yield f"{what}: it says {result.said[:3]} and not {expected.said[:3]}"
    for key in expected.summary:
        if result.summary.get(key) != expected.summary[key]:
            yield f"{what}: {key} is {result.summary.get(key)}, not {expected.summary[key]}"


def kill_at_any_moment(runs: Runs, expected: Result, kills: int, *options: str) -> Faults:
    """Kills runs from their first moments to their last, and goes on. All that end have the expected result."""
    runs.work()
    started = time.monotonic()
    yield from differences(runs.run("--work", "work", *options), expected, "with a work folder")
    whole = time.monotonic() - started
    if runs.stages():
        yield f"left: {runs.stages()}"
    chance = random.Random(SEED)
    runs.work()
    killed = finished = 0
    patience = 1.0
    resume: list[str] = []
    while killed < kills and finished < 3 * kills:
        process = runs.start("-o", OUTPUTS[0], "--json", "--work", "work", *resume, *options)
        # A resumed run has less to do, so it ends earlier.
        try:
            process.wait(patience * whole * (killed + chance.random()) / kills)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        result = runs.end(process)
        resume = ["--resume"]
        if result.code == -signal.SIGKILL:
            killed += 1
            patience = 1.0
            if chance.random() < 0.2:
                runs.work()
            continue
        finished += 1
        patience *= 0.8
        yield from differences(result, expected, f"after {killed} kills")
        if runs.stages():
            yield f"after {killed} kills these are left: {runs.stages()}"
        resume = []
    if killed < kills:
        yield f"only {killed} runs could be killed"
    yield from differences(runs.run("--work", "work", *resume, *options), expected, "in the end")
    if runs.stages():
        yield f"left in the end: {runs.stages()}"


def run_all(names: dict[str, object]) -> int:
    """Runs every test of a module, or those whose names have all words of the command line."""
    tests = [test for name, test in names.items() if name.startswith("test_") and callable(test)]
    tests = [test for test in tests if all(word in test.__name__ for word in sys.argv[1:])]
    failed = 0
    for test in tests:
        started = time.monotonic()
        wrong = list(test())
        failed += bool(wrong)
        print(f"{test.__name__}: {time.monotonic() - started:.1f} s", flush=True)
        for fault in wrong[:10]:
            print(f"FAILED {test.__name__}: {fault}", flush=True)
    if not failed:
        shutil.rmtree(SCRATCH)
    print(f"{len(tests) - failed} passed, {failed} failed")
    return int(failed > 0)
