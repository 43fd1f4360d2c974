"""Runs the program for a round, and records the commands as a shell script that repeats them."""
from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))
from common import program

DEADLINE_SECONDS = 120  # many times as long as any of these commands takes
REPORTS = ("Sanitizer", "runtime error:", "core dumped", "terminate called", "Assertion")
KNOWN_CODES = {0, 1, 2, 3, 4, 5, 10, 11, 130}
A_FILE = re.compile(r"(BENZER|MANIFEST|SYNCED|PROBLEM|LOCK|(log|segment|removed)-\d{6,})(\.tmp)?")


class Finding(Exception):
    """Raised when the program has broken a promise."""


class Result(NamedTuple):
    code: int
    out: str
    said: str

    @property
    def lines(self) -> list:
        return [json.loads(line) for line in self.out.split("\n") if line]  # not splitlines(): ids may contain other line ends

    @property
    def json(self) -> dict:
        return json.loads(self.out)


class Program:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script: list[str] = []
        self.files = 0

    def note(self, line: str) -> None:
        self.script.append(line)

    def file(self, text: str, kind: str = "jsonl") -> str:
        """Writes the text to a new file, and returns its name."""
        self.files += 1
        name = f"in-{self.files:03}.{kind}"
        (self.folder / name).write_text(text, encoding="utf-8", newline="")
        return name

    def start(self, *words: object, **more: object) -> subprocess.Popen:
        """Starts a process in the background; its line in the script ends with &."""
        command = list(map(str, words))
        self.note(f"{shlex.join(['benzer', *command])} &")
        return subprocess.Popen([str(program().resolve()), *command], cwd=self.folder, text=True, encoding="utf-8", errors="surrogateescape",
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run(self, *words: object, kill_after: float | None = None) -> Result:
        command = list(map(str, words))
        line = shlex.join(["benzer", *command])
        self.note(line if kill_after is None else f"timeout -s KILL {kill_after:.4f} {line}")
        process = subprocess.Popen([str(program().resolve()), *command], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        try:
            out, said = process.communicate(timeout=DEADLINE_SECONDS if kill_after is None else kill_after)
        except subprocess.TimeoutExpired:
            process.kill()
            out, said = process.communicate()
            if kill_after is None:
                raise Finding(f"it hangs: {line}") from None
        return self.judged(process.returncode, out, said, line, kill_after is not None)

    def judged(self, code: int, out: bytes | str, said: bytes | str, line: str, may_be_killed: bool = False) -> Result:
        if isinstance(out, bytes):
            out, said = out.decode("utf-8", "surrogateescape"), said.decode("utf-8", "replace")
        at = min((at for word in REPORTS if (at := said.find(word)) >= 0), default=-1)
        if at >= 0:
            raise Finding(f"ended with {code}: {line}\n{said[max(0, at - 100) : at + 4000]}")
        if code == -signal.SIGKILL and may_be_killed:
            return Result(code, out, said)
        if code not in KNOWN_CODES:
            raise Finding(f"ended with {code}: {line}\n{said[-1000:]}")
        return Result(code, out, said)

    def expect(self, *words: object, code: int = 0) -> Result:
        result = self.run(*words)
        if result.code != code:
            raise Finding(f"ended with {result.code}, not {code}: {shlex.join(map(str, words))}\n{result.said[-1000:]}{result.out[-300:]}")
        return result

    def shell(self, *words: object) -> None:
        """Runs a command other than the program, and adds it to the script."""
        command = list(map(str, words))
        self.note(shlex.join(command))
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def environment(self) -> str:
        return os.environ.get("BENZER", "")
