#!/usr/bin/env python3
# labels: base dedup slow
"""Tests `--memory-limit`: the process stays within the limit, and the output is the same as without one.

The program is BENZER or the release build. A corpus of ten times the limit is made on the fly and deleted again. The
limit is enforced from outside: RLIMIT_DATA counts all writable memory of the process, used or not, and the summary has
the largest resident size. Prints "N passed, N failed[, N skipped]".
"""
from __future__ import annotations

import hashlib
import json
import multiprocessing
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import PATIENCE_SECONDS, program, run_test, run_tests, scratch

LIMIT = 64 << 20
# Half of the limit is for what stays in memory, at most 40 bytes a document: room for 838,860 documents.
LARGE, SMALL = 800_000, 200_000
SCRATCH_ROOM = 10 << 20
# What one thread takes that packs a .zst.
PACKING = 36 << 20


# --- the corpus ----------------------------------------------------------------------------------

def texts(count: int) -> Iterator[str]:
    """Made-up phrases in random order. A third are copies of an earlier text, half of these with words appended."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(3, 9))) for _ in range(5000)]
    phrases = [" ".join(chance.choices(words, k=8)) for _ in range(20_000)]
    originals = []
    for number in range(count):
        if number % 3 == 2:
            text = chance.choice(originals)
            yield text if number % 2 else f"{text} {' '.join(chance.choices(words, k=chance.randint(1, 40)))}"
            continue
        text = " ".join(chance.choices(phrases, k=15))
        if number % 4 == 0:
            originals.append(text)
        yield text


def write_corpus(path: Path, count: int) -> None:
    with path.open("w", encoding="ascii") as file:
        file.writelines(f'{{"id":"{number}","text":"{text}"}}\n' for number, text in enumerate(texts(count)))


def write_lines(path: Path, kind: str) -> None:
    chance = random.Random(2)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines = {"long": (" ".join(chance.choices(letters, k=100_000)) for _ in range(60)),
             "longer": ("".join(chance.choices(letters + " ", k=1_000_000)) for _ in range(20)),
             "short": (f"{number // 2}" for number in range(200_000))}[kind]
    with path.open("w", encoding="ascii") as file:
        file.writelines(f'{{"id":{number},"text":"{text}"}}\n' for number, text in enumerate(lines))


def make(write: Callable[..., None], *arguments) -> None:
    """Runs `write` in another process: a program's peak memory includes that of the process that starts it."""
    maker = multiprocessing.Process(target=write, args=arguments)
    maker.start()
    maker.join()


# --- runs ----------------------------------------------------------------------------------------

def confine() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT, LIMIT))


def can_confine() -> bool:
    """Whether the limit works here: the kernel counts private memory as data, and the program has no sanitizers, which reserve far more."""
    starts = subprocess.run([str(program()), "--version"], preexec_fn=confine, capture_output=True, check=False)
    greedy = f"import mmap; mmap.mmap(-1, {2 * LIMIT}, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)"
    refused = subprocess.run([sys.executable, "-c", greedy], preexec_fn=confine, capture_output=True, check=False)
    return starts.returncode == 0 and refused.returncode != 0


def digest(path: Path) -> str:
    """Of the content, without the name of the input."""
    state = hashlib.sha256()
    with path.open("rb") as file:
        while lines := file.readlines(1 << 20):
            state.update(b"".join(lines).replace(b'source":"-"', b'source":"corpus.jsonl"'))
    return state.hexdigest()


class Runs:
    """Deduplications of one corpus, in a folder of their own."""

    def __init__(self, name: str, count: int) -> None:
        self.folder = scratch(f"memory-{name}")
        make(write_corpus, self.folder / "corpus.jsonl", count)

    def start(self, source: str, *options: str, confined: Callable[[], None] | None = None):
        command = [str(program()), "dedup", source, "--json", "--quiet", *options]
        if "-o" not in options:
            command += ["-o", "out/kept.jsonl"]
        if "--threads" not in options:
            command += ["--threads", "2"]
        (self.folder / "out").mkdir()
        with (self.folder / "corpus.jsonl").open("rb") as corpus:
            return subprocess.run(command, cwd=self.folder, stdin=corpus, capture_output=True, check=False,
                                  timeout=PATIENCE_SECONDS, preexec_fn=confined)

    def outputs(self) -> dict[str, str]:
        """Returns a digest of each output, without what differs by design, and deletes the outputs."""
        found = {path.name: digest(path) for path in sorted((self.folder / "out").iterdir())}
        shutil.rmtree(self.folder / "out")
        return found

    def finish(self, done) -> tuple[dict, dict[str, str]]:
        if done.returncode != 0:
            raise RuntimeError(f"{done.args} ended with {done.returncode}: {done.stderr.decode()}")
        return json.loads(done.stdout), self.outputs()

    def compare(self, source: str, *options: str, without: dict[str, str] | None = None) -> Iterator[str]:
        """Yields the differences between a limited run and one without a limit."""
        expected = without or self.finish(self.start("corpus.jsonl", *options))[1]
        if not set(expected) >= {"kept.jsonl"}:
            yield f"a run without a limit writes {list(expected)}"
        limited = self.start(source, *options, "--memory-limit", str(LIMIT), "--work", ".", confined=confine)
        summary, found = self.finish(limited)
        yield from (f"{source} {' '.join(options)}: {name} is another one" for name in found
                    if found[name] != expected.get(name))
        if summary["removed"] < summary["documents"] // 10:
            yield f"only {summary['removed']} of {summary['documents']} documents were removed"
        if summary["peak_rss_bytes"] > LIMIT:
            yield f"{source} {' '.join(options)}: {summary['peak_rss_bytes'] / 2**20:.1f} MiB were in use"

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.folder)


# --- tests: each yields sentences about what is wrong -------------------------------------------

def test_ten_times_the_limit():
    with Runs("large", LARGE) as runs:
        if (runs.folder / "corpus.jsonl").stat().st_size < 10 * LIMIT:
            yield "the corpus is smaller than ten times the limit"
        evidence = ["--pairs", "out/pairs", "--clusters", "out/clusters"]
        _, expected = runs.finish(runs.start("corpus.jsonl", *evidence))
        yield from runs.compare("corpus.jsonl", *evidence, without=expected)
        yield from runs.compare("-", without=expected)


def test_other_outputs_and_clusters():
    with Runs("small", SMALL) as runs:
        yield from runs.compare("corpus.jsonl", "--annotate", "--keep", "longest")
        yield from runs.compare("corpus.jsonl", "--cluster", "components", "--pairs", "out/pairs", "--clusters",
                                "out/clusters")
        # The page and its JSON show the options that change a result, so they would show the limit if it changed one.
        yield from runs.compare("corpus.jsonl", "--report", "out/report.html")


def test_packed_outputs():
    """Each thread that packs a .zst needs some 20 MiB. So few pack that this fits, however many threads there are."""
    with Runs("packed", SMALL) as runs:
        packed = ["-o", "out/kept.jsonl.zst", "--removed", "out/removed.jsonl.zst", "--threads"]
        expected = runs.finish(runs.start("corpus.jsonl", *packed, "2"))[1]
        for limit, threads in ((1, 1), (1, 16), (2, 16), (16, 16)):
            summary, found = runs.finish(runs.start("corpus.jsonl", *packed, str(threads), "--memory-limit", str(limit * LIMIT)))
            if found != expected:
                yield f"{limit} * 64M, {threads} threads: the outputs are other ones"
            # With less than 256M, the first of these threads comes on top.
            allowed = limit * LIMIT + (PACKING if limit < 4 else 0)
            if summary["peak_rss_bytes"] > allowed:
                yield f"{limit} * 64M, {threads} threads: {summary['peak_rss_bytes'] / 2**20:.1f} MiB were in use"


def test_a_full_work_folder():
    def no_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that writing fails instead
        resource.setrlimit(resource.RLIMIT_FSIZE, (SCRATCH_ROOM, SCRATCH_ROOM))

    with Runs("full", SMALL) as runs:
        (runs.folder / "full").mkdir()
        # For a file the stage is written first; for standard input only its temporary copy is.
        for source, named in (("corpus.jsonl", "full/benzer-sketch-000000.growing: "), ("-", "full: a temporary file ")):
            done = runs.start(source, "--memory-limit", str(LIMIT), "--work", "full", confined=no_room)
            said = done.stderr.decode()
            if done.returncode != 5 or f'"{named}' not in said or "TMPDIR" in said:
                yield f"{source}: {done.returncode} {said}"
            left = {path.name for path in (runs.folder / "full").iterdir()}
            if runs.outputs() or left - {"benzer-sketch-000000.growing"}:
                yield f"{source}: files were left"
            shutil.rmtree(runs.folder / "full")
            (runs.folder / "full").mkdir()


def test_long_lines_and_many_threads():
    """Memory of lines that are being processed counts, with any number of threads: lines of almost the limit, and short ones."""
    with Runs("long", 1) as runs:
        for name in ("long", "longer", "short"):
            make(write_lines, runs.folder / "corpus.jsonl", name)
            expected = runs.finish(runs.start("corpus.jsonl"))[1]
            limited = runs.start("corpus.jsonl", "--memory-limit", str(LIMIT), "--threads", "96", confined=confine)
            summary, found = runs.finish(limited)
            if found != expected:
                yield f"{name} lines: the outputs are other ones"
            if summary["peak_rss_bytes"] > LIMIT:
                yield f"{name} lines: {summary['peak_rss_bytes'] / 2**20:.1f} MiB were in use"


def test_many_skipped_lines():
    """Where each of them is takes 16 bytes, and they are not next to each other: there are blank lines between them."""
    with Runs("skipped", 1) as runs:
        skipped = 6_000_000
        with (runs.folder / "corpus.jsonl").open("a") as file:
            for _ in range(skipped // 1000):
                file.write("x\n\n" * 1000)
        expected = hashlib.sha256()
        for _ in range(skipped // 1000):
            expected.update(b"x\n" * 1000)
        # The limited run is first: digests of so many lines take memory here, which would count as that of the program.
        for limited in (["--memory-limit", str(LIMIT)], []):
            done = runs.start("corpus.jsonl", *limited)
            summary = json.loads(done.stdout)
            if done.returncode != 3 or summary["skipped"] != skipped:
                yield f"{limited}: {done.returncode}, {summary['skipped']} lines were skipped"
            if runs.outputs()["kept.jsonl.skipped.jsonl"] != expected.hexdigest():
                yield f"{limited}: the list of skipped lines is another one"
            if limited and summary["peak_rss_bytes"] > LIMIT:
                yield f"{summary['peak_rss_bytes'] / 2**20:.1f} MiB were in use"


def test_more_documents_than_a_limit_holds():
    with Runs("many", 1) as runs:
        with (runs.folder / "corpus.jsonl").open("a") as file:
            file.writelines(f'{{"id":{number},"text":"{number}"}}\n' for number in range(LIMIT // 2 // 40))
        done = runs.start("corpus.jsonl", "--memory-limit", str(LIMIT))
        said = json.loads(done.stderr)["message"]
        if done.returncode != 2 or said != "a memory limit of 64 MiB is too little for 838861 documents; allow 65 MiB":
            yield f"{done.returncode} {said}"
        if runs.outputs():
            yield "files were left"
        done = runs.start("corpus.jsonl", "--memory-limit", "65M")
        if done.returncode != 0:
            yield f"what was advised is not enough: {done.stderr.decode()}"


def main() -> int:
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    skipped = 0
    if not can_confine():
        print("SKIPPED: this system or this program cannot be held to a limit of data (RLIMIT_DATA).")
        tests, skipped = [test_a_full_work_folder, test_more_documents_than_a_limit_holds], len(tests) - 2
    return run_tests(tests, skipped)


if __name__ == "__main__":
    sys.exit(run_test(main))
