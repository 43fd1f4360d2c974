#!/usr/bin/env python3
# labels: io dedup slow
"""Flips a bit or cuts the end of each kind of file that Benzer writes for itself, and runs the command that reads it: the result is that
of the undamaged file, or the command says which file is damaged, with the exit code for that, and writes nothing.

    damaged_files_test.py [--rounds N | --seconds N] [--seed S] [--without KIND,...] [-v]

Round i has the seed S + i. Indexes have a test of their own, which knows what a repair must save (src/engine/repair_test.cc). The
program is BENZER or the release build. Prints how many files were damaged, and "N passed, N failed".
"""
from __future__ import annotations

import random
import shutil
import subprocess
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "oracle"))
from campaign import again, read_options, seeds
from common import PATIENCE_SECONDS, png, program, scratch
from resume_runs import SMALL_BLOCKS, Texts

ROUNDS = 300
REFUSED, DAMAGED = 2, 4  # exit codes
MAGIC = 16  # bytes, without which a file is none of Benzer's


def run(folder: Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run([program(), *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                          timeout=PATIENCE_SECONDS)


def write_pictures(folder: Path) -> None:
    """Pictures of gray boxes, which have many corners: `pictures` to learn from, and some of them in `some`."""
    chance = random.Random(5)
    (folder / "pictures").mkdir()
    (folder / "some").mkdir()
    for number in range(60):
        rows = [bytearray(1 + 200) for _ in range(200)]
        for _ in range(60):
            left, top, size, shade = (chance.randrange(bound) for bound in (180, 180, 40, 256))
            for row in rows[top : top + 8 + size]:
                right = min(200, left + 8 + size)
                row[1 + left : 1 + right] = bytes([shade]) * (right - left)
        picture = png(200, 200, zlib.compress(b"".join(rows)))
        for place in ("pictures", "some") if number < 4 else ("pictures",):
            (folder / place / f"{number}.png").write_bytes(picture)


@dataclass(frozen=True)
class Kind:
    name: str
    made: str  # the file, or a folder of files
    make: list[list[str]]  # the commands that make it
    read: list[str]  # reads it, and writes to the folder out
    may_mend: bool = False  # damage costs time, and changes nothing


TEXTS = ["a.jsonl", "b.jsonl"]
KINDS = [
    Kind("signatures", "signatures", [["sketch", *TEXTS, "-o", "signatures"]],
         ["dedup", *TEXTS, "--signatures", "signatures", "-o", "out/kept.jsonl"]),
    Kind("frequencies", "frequencies", [["count-frequencies", *TEXTS, "--features", "text:word3+tf-idf", "-o", "frequencies"]],
         ["pairs", *TEXTS, "--features", "text:word3+tf-idf", "--threshold", "0.5", "--frequencies", "frequencies", "-o", "out/pairs.jsonl"]),
    Kind("words", "words", [["train-words", "pictures", "-o", "words"]],
         ["pairs", "some", "--features", "image:sift+words:words", "--threshold", "0.01", "-o", "out/pairs.jsonl"]),
    Kind("work", "work", [["dedup", *TEXTS, "--work", "work", "--dry-run", *SMALL_BLOCKS]],
         ["dedup", *TEXTS, "--work", "work", "--resume", *SMALL_BLOCKS, "-o", "out/kept.jsonl"], may_mend=True),
    Kind("passages", "work", [["passages", *TEXTS, "--remove", "--work", "work", "--dry-run", *SMALL_BLOCKS]],
         ["passages", *TEXTS, "--remove", "--work", "work", "--resume", *SMALL_BLOCKS, "-o", "out/kept.jsonl"], may_mend=True),
]


class Trial:
    """The undamaged files of a kind, in a folder of their own, and what is read from them."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.folder = scratch(kind.name)
        (self.folder / "work").mkdir()
        texts = Texts(3)
        for name, size in (("a.jsonl", 60_000), ("b.jsonl", 30_000)):
            (self.folder / name).write_bytes(texts.lines(size, name[0]))
        if kind.name == "words":
            write_pictures(self.folder)
        for words in kind.make:
            if (made := run(self.folder, *words)).returncode != 0:
                raise RuntimeError(f"{words} ended with {made.returncode}: {made.stderr}")
        place = self.folder / kind.made
        paths = sorted(path for path in place.iterdir()) if place.is_dir() else [place]
        self.whole = self.now = {path: path.read_bytes() for path in paths}
        if not self.whole:
            raise RuntimeError(f"{kind.name}: there is no file to damage")
        self.expected = self.read()
        if self.expected[0] != 0 or not self.expected[2]:
            raise RuntimeError(f"{kind.name}: not what was meant: {self.expected}")

    def read(self) -> tuple[int, str, dict[str, bytes]]:
        """Returns exit code, messages and files written."""
        place = self.folder / self.kind.made
        if place.is_dir():
            shutil.rmtree(place)
            place.mkdir()
        for path, data in self.now.items():
            path.write_bytes(data)
        out = self.folder / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        done = run(self.folder, *self.kind.read)
        return done.returncode, done.stderr, {path.name: path.read_bytes() for path in sorted(out.iterdir())}

    def problem(self, chance: random.Random) -> str:
        """Damages a file and reads it. Returns what is wrong with that, if anything is."""
        path = chance.choice(sorted(self.whole))
        data = bytearray(self.whole[path])
        at = chance.randrange(len(data))
        if chance.random() < 0.2:
            what, data = f"{path.name} cut to {at} of {len(data)} bytes", data[:at]
        else:
            bit = chance.randrange(8)
            what = f"bit {bit} of byte {at} of {path.name}"
            data[at] ^= 1 << bit
        self.now = self.whole | {path: bytes(data)}
        code, said, files = self.read()
        if code == 0 and files == self.expected[2]:
            return ""
        if code in (DAMAGED, REFUSED if at < MAGIC else DAMAGED) and not files and path.name in said and not self.kind.may_mend:
            return ""
        differing = sorted(name for name in files.keys() | self.expected[2].keys() if files.get(name) != self.expected[2].get(name))
        return f"{what}: exit code {code}, {differing} differ, and it says {said[-1000:]!r}"


def main() -> int:
    options = read_options(ROUNDS)
    kinds = [kind for kind in KINDS if kind.name not in options.without]
    trials = {kind.name: Trial(kind) for kind in kinds}
    damaged: Counter[str] = Counter()
    failed = 0
    for seed in seeds(options):
        chance = random.Random(f"damage {seed}")
        name = chance.choice(sorted(trials))
        problem = trials[name].problem(chance)
        damaged[name] += 1
        if options.v or problem:
            print(f"{'FAILED: ' * bool(problem)}seed {seed}: {name}: {problem}", flush=True)
        if problem:
            failed += 1
            print(f"    in {trials[name].folder}; again: tests/damaged_files_test.py {again(options, seed)}", flush=True)
    print(f"{damaged.total()} files damaged: " + ", ".join(f"{count} {name}" for name, count in sorted(damaged.items())))
    print(f"{damaged.total() - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
