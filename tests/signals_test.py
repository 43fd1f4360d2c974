#!/usr/bin/env python3
# labels: cli
"""Tests signals: Ctrl-C ends every wait (for a pipe's writer or reader, in the middle of a long text, at a question of
`review`) at once and leaves no temporary file; so do all signals that end a process. Reaching a limit on the size of
files is an error like any other.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import program, scratch

PATIENCE = 60  # seconds; a program that still runs then ignores the signal
LINES = "".join(json.dumps({"id": i, "text": f"one two three four five six {i}"}) + "\n" for i in range(200))


class Case:
    def __init__(self, name: str) -> None:
        self.folder = scratch(name)
        (self.folder / "in.jsonl").write_text(LINES)
        os.mkfifo(self.folder / "pipe")

    def start(self, *arguments: str, **how: object) -> subprocess.Popen[bytes]:
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **how}
        return subprocess.Popen([str(program()), *arguments], cwd=self.folder, **how)  # type: ignore[call-overload]

    def names(self) -> set[str]:
        return set(os.listdir(self.folder))

    def wait_for(self, there: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not there() and time.monotonic() < end:
            time.sleep(0.01)

    def has_temporary(self) -> bool:
        return any(name.endswith(".tmp") for name in self.names())

    def wait_for_output(self, process: subprocess.Popen[bytes]) -> None:
        """Waits until an output was begun, which has no name, or a temporary one."""
        def has_begun() -> bool:
            for file in Path(f"/proc/{process.pid}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):
                    path = os.readlink(file)
                    if path.startswith(f"{self.folder}/") and path.endswith((" (deleted)", ".tmp")):
                        return True
            return False
        self.wait_for(has_begun)


def is_blocked(process: subprocess.Popen[bytes]) -> bool:
    """Whether the process sleeps, and goes on sleeping."""
    for _ in range(5):
        state = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state != "S":
            return False
        time.sleep(0.05)
    return True


def faults(case: Case, process: subprocess.Popen[bytes], code: int, sentence: str = "") -> Iterator[str]:
    try:
        _, stderr = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        yield "it goes on as if nothing had been said"
        return
    if process.returncode != code:
        yield f"ended with {process.returncode} instead of {code}: {stderr!r}"
    if sentence not in stderr.decode():
        yield f"does not say {sentence!r}: {stderr!r}"
    if case.has_temporary():
        yield f"left {case.names()}"


def test_waits() -> Iterator[str]:
    """One Ctrl-C while a pipe has no other end, or one that neither reads nor writes."""
    rows: list[tuple[str, list[str], dict[str, object]]] = [
        ("input-without-writer", ["dedup", "pipe", "-o", "out.jsonl"], {}),
        ("texts-without-writer", ["dedup", "--format", "text", "pipe", "in.jsonl", "-o", "out.jsonl"], {}),
        ("reference-without-writer", ["dedup", "in.jsonl", "--against", "pipe", "-o", "out.jsonl"], {}),
        ("silent-standard-input", ["dedup", "-", "-o", "out.jsonl"], {"stdin": subprocess.PIPE}),
        ("output-without-reader", ["dedup", "in.jsonl", "-o", "pipe", "--removed", "out.jsonl"], {}),
        ("list-without-reader", ["dedup", "in.jsonl", "-o", "out.jsonl", "--removed", "pipe"], {}),
        ("pairs-without-reader", ["pairs", "in.jsonl", "-o", "pipe"], {}),
        ("reader-that-does-not-read", ["pairs", "big.jsonl", "--threshold", "0.1"], {"stdout": subprocess.PIPE}),
    ]
    for name, arguments, how in rows:
        for number in (signal.SIGINT, signal.SIGTERM):
            case = Case(f"{name}-{number}")
            (case.folder / "big.jsonl").write_text("".join(
                json.dumps({"id": f"{i:0200}", "text": "one two three four five six"}) + "\n" for i in range(300)))
            process = case.start(*arguments, **how)
            case.wait_for(lambda process=process: is_blocked(process))  # type: ignore[misc]
            process.send_signal(number)
            if process.stdin or process.stdout:  # communicate() would end the wait
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    pass
            for fault in faults(case, process, 130, "interrupted"):
                yield f"{name}, {number.name}: {fault}"


def test_pipes_still_work() -> Iterator[str]:
    """A writer and a reader that open a pipe late get the same result as with files."""
    case = Case("late")
    process = case.start("dedup", "pipe", "-o", "out.jsonl", "--quiet")
    case.wait_for(lambda: is_blocked(process))
    (case.folder / "pipe").write_text(LINES)
    yield from faults(case, process, 0)
    process = case.start("dedup", "in.jsonl", "-o", "pipe", "--quiet")
    case.wait_for(lambda: is_blocked(process))
    if (case.folder / "pipe").read_bytes() != (case.folder / "out.jsonl").read_bytes():
        yield "a late reader got something else"
    yield from faults(case, process, 0)


def test_long_lines() -> Iterator[str]:
    """Ctrl-C ends the work on a single line of many megabytes in its middle."""
    texts = {"expanding": "\ufdfa" * 4_000_000, "word": "a" * 12_000_000, "marks": "a" + "\u0301\u0323" * 3_000_000}
    for name, text in texts.items():
        case = Case(f"long-{name}")
        (case.folder / "long.jsonl").write_text(f'{{"id":1,"text":"{text}"}}\n')
        process = case.start("dedup", "long.jsonl", "-o", "out.jsonl", "--features", "text:char5")
        case.wait_for_output(process)
        process.send_signal(signal.SIGINT)
        for fault in faults(case, process, 130, "interrupted"):
            yield f"{name}: {fault}"


def signalled(what: str, number: signal.Signals) -> tuple[Case, subprocess.Popen[bytes]]:
    """Starts a run, waits until it has begun its output and waits for its input, and sends the signal. No core file is written."""
    case = Case(f"{what}-{number}")
    process = case.start("dedup", "pipe", "-o", "out.jsonl",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    case.wait_for_output(process)
    process.send_signal(number)
    return case, process


def test_ending_signals() -> Iterator[str]:
    """Signals that end a process by default end this one, and leave nothing."""
    for number in (signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF,
                   signal.SIGABRT, signal.SIGKILL):
        case, process = signalled("ending", number)
        for fault in faults(case, process, -number):
            yield f"{number.name}: {fault}"
    for number in (signal.SIGHUP, signal.SIGXCPU):
        case, process = signalled("stopping", number)
        for fault in faults(case, process, 130, "interrupted"):
            yield f"{number.name}: {fault}"
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        case, process = signalled("ignored", number)
        (case.folder / "pipe").write_text(LINES)
        for fault in faults(case, process, 0):
            yield f"{number.name}: {fault}"


def test_file_size_limit() -> Iterator[str]:
    case = Case("limit")
    (case.folder / "big.jsonl").write_text("".join(
        json.dumps({"id": i, "text": " ".join(f"w{i}x{j}" for j in range(50))}) + "\n" for i in range(2000)))
    for arguments in (["dedup", "big.jsonl", "-o", "out.jsonl"], ["index", "store", "big.jsonl", "--create"]):
        process = case.start(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
        for fault in faults(case, process, 5, "File too large"):
            yield f"{arguments[0]}: {fault}"


def test_review() -> Iterator[str]:
    """Questions that were answered before Ctrl-C are not asked again."""
    case = Case("review")
    texts = {"a": "p q r s t u v", "b": "p q r s t u w", "c": "A B C D E F", "d": "A B C D E x y"}
    (case.folder / "in.jsonl").write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items()))
    dedup = case.start("dedup", "in.jsonl", "--dry-run", "--quiet", "--features", "text:word1", "--threshold", "0.6",
                       "--report", "r.html")
    yield from faults(case, dedup, 0)
    answers = case.folder / "r.answers.jsonl"
    process = case.start("review", "r.json", stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(b"n\n")
    process.stdin.flush()
    case.wait_for(lambda: answers.exists() and is_blocked(process))
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)
    yield from faults(case, process, 130, "r.answers.jsonl")
    if answers.read_text() != '{"a":"c","b":"d","score":0.625,"same":false}\n':
        yield f"the answer is not there: {answers.read_text()}"
    again = subprocess.run([str(program()), "review", "r.json", "--json"], cwd=case.folder, input=b"y\n",
                           capture_output=True, timeout=PATIENCE)
    if json.loads(again.stdout)["judged"] != 2 or b"1 of 2 pairs were judged before" not in again.stderr:
        yield f"the second run says {again.stdout!r} {again.stderr!r}"
    if len(answers.read_text().splitlines()) != 2:
        yield f"both answers should be there: {answers.read_text()}"


def main() -> int:
    passed = failed = 0
    for test in (test_waits, test_pipes_still_work, test_long_lines, test_ending_signals, test_file_size_limit, test_review):
        found = list(test())
        for fault in found:
            print(f"FAILED: {test.__name__}: {fault}")
        failed += bool(found)
        passed += not found
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
