"""Shares among the data tests: the places of data and program, and reports of results.

Nothing here comes from Benzer: the program is run as a process and its output is read as a stranger would.
"""
from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
Pair = tuple[str, str]
PATIENCE_SECONDS = 300  # many times as long as any run takes; a program that hangs is killed and fails its test


def program() -> Path:
    """The program under test: BENZER, or the release build of this checkout."""
    path = Path(os.environ.get("BENZER") or ROOT / "build" / "release" / "benzer")
    if not path.exists():
        sys.exit(f"{path} does not exist; run ./dev build, or name the program in BENZER.")
    return path


def data_folder() -> Path | None:
    """Returns the folder of the larger sets, or None after printing a sentence."""
    folder = Path(os.environ.get("BENZER_DATA") or ROOT.parent / "shared" / "data").resolve()
    if (folder / "README.md").exists():
        return folder
    sentence = f"the data sets are not at {folder} (BENZER_DATA names their folder)"
    if os.environ.get("BENZER_REQUIRE_DATA") == "1":
        print("0 passed, 1 failed")
        sys.exit(f"FAILED: {sentence}, and BENZER_REQUIRE_DATA=1 asks for them.")
    print(f"SKIPPED: {sentence}.")
    return None


# A folder of this test alone, since other tests run at the same time.
SCRATCH = ROOT / "build" / "test-data" / Path(sys.argv[0]).stem


def scratch(name: str) -> Path:
    """Makes an empty folder under build/, which is kept so that a failure can be examined."""
    folder = SCRATCH / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def png(width: int, height: int, rows: bytes, colours: int = 0) -> bytes:
    """A picture. `rows` are packed by zlib, each behind a byte 0. colours: 0 is gray, 2 is red, green and blue, each of 8 bits."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def unpacked_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file, plain or .zst."""
    if path.suffix != ".zst":
        with path.open("rb") as file:
            yield from file
        return
    with subprocess.Popen(["zstd", "-q", "-dc", "--long=27", str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield from process.stdout
        if process.wait() != 0:
            raise RuntimeError(f"zstd could not unpack {path}")


def ordered(a: str, b: str) -> Pair:
    """Returns the canonical form of an unordered pair: ordered by bytes, as in the truth files."""
    return (a, b) if a.encode() <= b.encode() else (b, a)


def read_truth(path: Path) -> dict[Pair, tuple[int, int]]:
    """Pairs with their intersection and union."""
    truth: dict[Pair, tuple[int, int]] = {}
    for line in unpacked_lines(path):
        a, b, intersection, union, _ = line.decode().rstrip("\n").split("\t")
        truth[ordered(a, b)] = (int(intersection), int(union))
    return truth


def run_benzer(arguments: Iterable[str | Path], stdout: Path | None = None) -> float:
    """Runs the program, which must succeed, and returns its wall time in seconds."""
    command = [str(program()), *map(str, arguments)]
    started = time.monotonic()
    with open(stdout or os.devnull, "wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False, timeout=PATIENCE_SECONDS)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {said}")
    return time.monotonic() - started


def repeated_ids(path: Path) -> set[str]:
    """Returns ids that several documents of a file have; Benzer tells such documents apart, the truth files do not."""
    seen: set[str] = set()
    repeated: set[str] = set()
    for line in unpacked_lines(path):
        document = json.loads(line)["id"]
        (repeated if document in seen else seen).add(document)
    return repeated


def read_pairs(path: Path, repeated: Container[str] = ()) -> tuple[dict[Pair, float], list[str]]:
    """Returns what `benzer pairs` printed, and what is wrong with its format."""
    pairs: dict[Pair, float] = {}
    wrong: list[str] = []
    with path.open("rb") as file:
        for line in file:
            record = json.loads(line)
            twins = record["a"] in repeated or record["b"] in repeated
            if record["a"] == record["b"]:
                if not twins:
                    wrong.append(f"{record['a']} is paired with itself")
                continue
            pair = ordered(record["a"], record["b"])
            if pair in pairs and not twins:
                wrong.append(f"{pair} was printed twice")
            if record["exact"] is not True:
                wrong.append(f"{pair} is not marked exact")
            pairs[pair] = record["score"]
    return pairs, wrong


def skip() -> int:
    """Prints the closing line of a test that has said why it cannot run, and returns the exit code."""
    print("0 passed, 0 failed, 1 skipped")
    return 0


def run_test(main: Callable[[], int]) -> int:
    """Runs a test. A program that fails or hangs counts as a failed test."""
    try:
        return main()
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"FAILED: {error}\n0 passed, 1 failed")
        return 1


def run_tests(tests: Iterable[Callable[[], Iterable[str]]], skipped: int = 0) -> int:
    """Prints what each test finds wrong, and the closing line; returns the exit code."""
    passed = failed = 0
    for test in tests:
        wrong = list(test())
        for fault in wrong[:10]:
            print(f"FAILED {test.__name__}: {fault}")
        failed += bool(wrong)
        passed += not wrong
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


class Report:
    """Collects rows of a markdown table, and failures."""

    def __init__(self, *columns: str) -> None:
        self.passed = 0
        self.failures: list[str] = []
        self._widths = [len(column) for column in columns]
        self._say(columns)
        self._say(["-" * width for width in self._widths])

    def row(self, *cells: object) -> None:
        self._say([f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells])

    def check(self, good: bool, sentence: str) -> None:
        if good:
            self.passed += 1
        else:
            self.failures.append(sentence)

    def finish(self) -> int:
        """Prints failures and the closing line; returns the exit code."""
        for sentence in self.failures:
            print(f"FAILED: {sentence}")
        print(f"{self.passed} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0

    def _say(self, cells: Iterable[str]) -> None:
        padded = (cell.ljust(width) for cell, width in zip(cells, self._widths))
        print("| " + " | ".join(padded) + " |", flush=True)
