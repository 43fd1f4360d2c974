#!/usr/bin/env python3
"""Measures `benzer passages`: what it finds of planted passages, its cost, and peers on the same documents.

  passages.py [NAME...] [--quick] [--turns N] [--documents N] [--substrings PROGRAM] [--passim PYTHON] [--record]

NAME: truth, planted, menu, growth, peers; without one all. Needs numpy in this Python, and the program (BENZER, or that
of ./dev bench). The peers are run if they are named: --substrings is dedup_dataset of Google's
deduplicate-text-datasets, --passim the Python of an environment with passim 2 and pyarrow. Prints markdown tables and
keeps each as build/bench/passages-NAME.md; --record puts these into docs/benchmarks.md.
"""
from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import run as recorder
from corpora import Corpus, planted_passages, with_passages
from measure import (
    BENCH,
    OUT,
    Run,
    TooSlowError,
    benzer,
    describe_machine,
    first_line,
    publish,
    run_timed,
    sha256,
    shuffled,
    spread,
    table,
    warm,
)
from score_passages import (
    CELLS,
    CELLS_IN_WORDS,
    Record,
    Score,
    Spans,
    read_records,
    score,
    shared_passages,
)

GB, MIB = 10**9, 1 << 20
LEAST = 50  # words of a passage
GAP = 8  # words that may differ between two runs of a changed passage
WORK = OUT / "passages.work"
FOUND = OUT / "passages.found.jsonl"
PEER_LABELS = {"benzer": "**`benzer passages`**", "substrings": "deduplicate-text-datasets", "passim": "passim"}


class TreeMemory(threading.Thread):
    """Samples the memory of all processes that this one has started: the sum of their proportional set sizes."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.wait(0.3):
            self.peak = max(self.peak, sum(map(self.bytes_of, self.children())))

    @staticmethod
    def children() -> list[int]:
        found, waiting = [], [os.getpid()]
        while waiting:
            for tasks in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
                try:
                    new = [int(word) for word in tasks.read_text().split()]
                except OSError:  # it has ended
                    continue
                found += new
                waiting += new
        return found

    @staticmethod
    def bytes_of(process: int) -> int:
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
            return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)
        except OSError:
            return 0


@dataclass(frozen=True)
class Measured:
    run: Run
    tree_bytes: int


def measured(command: list[object], environment: dict[str, str] | None = None, limit: float | None = None) -> Measured:
    memory = TreeMemory()
    memory.start()
    try:
        run = run_timed([str(word) for word in command], environment, limit)
    finally:
        memory.done.set()
        memory.join()
    return Measured(run, max(memory.peak, run.peak_rss_bytes))


def clear() -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)


def of_program(corpus: Corpus, *options: object) -> list[object]:
    return [benzer(), "passages", corpus.path, "--min-words", LEAST, *options, "--quiet"]


def run_program(corpus: Corpus, *options: object) -> Measured:
    """Runs the program. What it found is in FOUND."""
    clear()
    warm(corpus.path)
    done = measured(of_program(corpus, *options), {"TMPDIR": str(WORK)})
    FOUND.write_bytes(done.run.stdout)
    return Measured(Run(**{**vars(done.run), "stdout": b""}), done.tree_bytes)


def truth_of(corpus: Corpus) -> list[Record]:
    assert corpus.truth is not None
    return list(read_records(corpus.truth))


def cost(runs: list[Measured], megabytes: float) -> list[object]:
    peak = max(one.tree_bytes for one in runs)
    return [len(runs), spread(one.run.cpu_seconds for one in runs), spread(one.run.wall_seconds for one in runs),
            f"{peak / 1e6:,.0f}", f"{peak / 1e6 / megabytes:.2f}"]


COST = ["turns", "CPU s", "wall s", "peak MB of all processes", "of the text's size"]


def megabytes(corpus: Corpus) -> float:
    return corpus.path.stat().st_size / 1e6


# Whether the truth is true


def measure_truth(_options: argparse.Namespace) -> None:
    rows = []
    for kind, documents in (("planted", 1_500), ("menu", 40)):
        corpus = with_passages(kind, documents)
        truth, slow = truth_of(corpus), shared_passages(corpus.path, LEAST)
        if truth != slow:
            sys.exit(f"{corpus.truth} is not what the slow way finds: {sorted(set(truth) ^ set(slow))[:3]}")
        rows.append([kind, f"{documents:,}", f"{len(truth):,}", "yes"])
    publish("passages-truth", "Passages: the truth",
            "The passages that the generator has written down, beside all maximal common runs of words, found by "
            "extending each place with 50 equal words.\n\n"
            + table(["corpus", "documents", "passages", "same passages, bounds and sources"], rows))


# What is found


def measure_planted(options: argparse.Namespace) -> None:
    rows, origins = [], []
    for kind, more in (("planted", []), ("changed", ["--gap", GAP])):
        corpus = with_passages(kind, options.documents)
        origins.append(corpus.origin())
        runs = [run_program(corpus, *more) for _ in range(options.turns)]
        result = score(corpus.path, truth_of(corpus), list(read_records(FOUND)))
        rows.append([kind, shlex.join(map(str, more)), f"{result.true:,}", *result.cells(),
                     *cost(runs, megabytes(corpus))])
    publish("passages-planted", "Passages: what is found",
            f"{'; '.join(origins)}. `benzer passages CORPUS --min-words {LEAST}`. {CELLS_IN_WORDS} In `changed` 1 to 5 % "
            "of the words of each passage are replaced, left out or inserted; words around it may be equal by chance, "
            "so that bounds within a gap are not exact.\n\n"
            + table(["corpus", "options", "passages", *CELLS, *COST], rows))


# The same menu in every page


def measure_menu(options: argparse.Namespace) -> None:
    crawls = {kind: with_passages(kind, options.documents) for kind in ("own", "menu")}
    runs: dict[str, list[Measured]] = {kind: [] for kind in crawls}
    result: Score | None = None
    for turn in range(options.turns):
        for kind in shuffled(list(crawls), turn):
            runs[kind].append(run_program(crawls[kind]))
            if kind == "menu" and result is None:
                result = score(crawls[kind].path, truth_of(crawls[kind]), list(read_records(FOUND)))
    assert result
    labels = {"own": "300 words of its own in every page", "menu": "the same 300 words in every page"}
    rows = []
    for kind, label in labels.items():
        ratios = [statistics.median(of(one) for one in runs[kind]) / statistics.median(of(one) for one in runs["own"])
                  for of in (lambda one: one.run.cpu_seconds, lambda one: one.run.wall_seconds)]
        rows.append([label, f"{megabytes(crawls[kind]):,.1f}", *cost(runs[kind], megabytes(crawls[kind])),
                     *(f"{ratio:.2f}" for ratio in ratios), *(result.cells() if kind == "menu" else [""] * len(CELLS))])
    publish("passages-menu", "Passages: one menu in every page",
            f"{options.documents:,} documents of about 590 words, in turn. {CELLS_IN_WORDS}\n\n"
            + table(["crawl", "MB", *COST, "CPU, times the first", "wall, times the first [goal 1.5]", *CELLS], rows))


# More documents, less memory


def measure_growth(options: argparse.Namespace) -> None:
    few, many = planted_passages(options.documents), planted_passages(10 * options.documents)
    limits = [512 * MIB] if not options.quick else [64 * MIB]
    cases = {(corpus.documents, limit): corpus for corpus in (few, many) for limit in [0, *limits]}
    runs: dict[tuple[int, int], list[Measured]] = {case: [] for case in cases}
    digests: dict[tuple[int, int], str] = {}
    for turn in range(options.turns):
        for case in shuffled(list(cases), turn):
            more = ["--memory-limit", case[1]] if case[1] else []
            runs[case].append(run_program(cases[case], *more))
            digests[case] = sha256(FOUND)[:12]

    def each(case: tuple[int, int]) -> float:
        return statistics.median(one.run.cpu_seconds for one in runs[case]) / case[0] * 1e6

    rows = []
    for case, corpus in cases.items():
        wall = {of: statistics.median(one.run.wall_seconds for one in runs[of]) for of in (case, (case[0], 0))}
        rows.append([f"{case[0]:,}", f"{megabytes(corpus):,.0f}", f"{case[1] // MIB:,}" if case[1] else "none",
                     *cost(runs[case], megabytes(corpus)), f"{each(case):.1f}",
                     f"{100 * (each(case) / each((few.documents, case[1])) - 1):+.0f} %",
                     f"{wall[case] / wall[(case[0], 0)]:.2f}", digests[case]])
    publish("passages-growth", "Passages: more documents, limits of memory",
            f"{few.origin()}; {many.origin()}. In turn; the goals are 15 % more for a document, and twice the time with "
            "a limit.\n\n"
            + table(["documents", "MB", "limit, MiB", *COST, "CPU us a document", "beside the fewer [goal +15 %]",
                     "wall, times that without a limit [goal 2]", "sha256 of what was found"], rows))


# Peers


def spark_environment(python: str) -> dict[str, str]:
    words = ["--master", "local[2]"]
    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.memory": "6g",
                "spark.local.dir": str(WORK / "local"), "spark.sql.warehouse.dir": str(WORK / "warehouse")}
    for name, value in settings.items():
        words += ["--conf", f"{name}={value}"]
    return {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python,
            "TMPDIR": str(WORK), "PYSPARK_SUBMIT_ARGS": shlex.join([*words, "pyspark-shell"])}


def read_ranges(path: Path) -> Spans:
    spans: Spans = defaultdict(list)
    with path.open(encoding="ascii") as file:
        for line in map(json.loads, file):
            spans[line["document"]].append((line["begin"], line["end"]))
    return spans


def least_bytes(corpus: Corpus) -> int:
    return min(end - start for _, start, end, *_ in truth_of(corpus))


def run_substrings(corpus: Corpus, options: argparse.Namespace) -> tuple[Measured, Spans]:
    done = measured([sys.executable, BENCH / "peers" / "substring_passages.py", options.substrings, corpus.path, WORK,
                     least_bytes(corpus), FOUND], None, options.limit)
    return done, read_ranges(FOUND)


def run_passim(corpus: Corpus, options: argparse.Namespace) -> tuple[Measured, list[Record]]:
    done = measured([options.passim, BENCH / "peers" / "passim_passages.py", corpus.path, WORK,
                     least_bytes(corpus), FOUND],
                    spark_environment(options.passim), options.limit)
    return done, list(read_records(FOUND))


def run_benzer(corpus: Corpus, _options: argparse.Namespace) -> tuple[Measured, list[Record]]:
    done = run_program(corpus, *(["--gap", GAP] if "changed" in corpus.path.name else []))
    return done, list(read_records(FOUND))


RUNNERS: dict[str, Callable[[Corpus, argparse.Namespace], tuple[Measured, list[Record] | Spans]]] = {
    "benzer": run_benzer, "substrings": run_substrings, "passim": run_passim}


def peers_here(options: argparse.Namespace) -> list[str]:
    names = [] if options.peers_only else ["benzer"]
    for name in ("substrings", "passim"):
        if getattr(options, name):
            names.append(name)
        else:
            print(f"{PEER_LABELS[name]} is left out; name it by --{name}", file=sys.stderr)
    return names


def peer_rows(kind: str, documents: int, names: list[str], options: argparse.Namespace) -> list[list[object]]:
    corpus = with_passages(kind, documents)
    truth = truth_of(corpus)
    runs: dict[str, list[Measured]] = {name: [] for name in names}
    scores: dict[str, Score] = {}
    for turn in range(options.turns):
        for name in shuffled([name for name in names if name in scores or not turn], turn):
            clear()
            warm(corpus.path)
            try:
                done, found = RUNNERS[name](corpus, options)
            except TooSlowError as error:
                print(error, file=sys.stderr, flush=True)
                continue
            runs[name].append(done)
            scores[name] = scores.get(name) or score(corpus.path, truth, found)
            print(f"{name}, {corpus.path.name}: {done}, {scores[name]}", file=sys.stderr, flush=True)
    clear()
    rows = []
    for name in names:
        head = [kind, f"{documents:,}", f"{megabytes(corpus):,.0f}", PEER_LABELS[name]]
        if name not in scores:
            rows.append([*head, f"more than {options.limit:,.0f} s"])
            continue
        rows.append([*head, *cost(runs[name], megabytes(corpus)), f"{scores[name].true:,}", *scores[name].cells()])
    return rows


def measure_peers(options: argparse.Namespace) -> None:
    names = peers_here(options)
    rows = []
    for kind in ("planted", "changed"):
        rows += peer_rows(kind, options.documents, names, options)
        if "passim" in names and len(rows[-1]) < 6:  # it took too long; a tenth shows what it finds
            rows += peer_rows(kind, options.documents // 10, names, options)
    head = ["corpus", "documents", "MB", "tool", *COST, "passages", *CELLS]
    java = subprocess.run(["java", "-version"], stderr=subprocess.PIPE, text=True, check=True).stderr.splitlines()[0]
    version = "import importlib.metadata as m; print(*(m.version(name) for name in ('passim', 'pyspark')))"
    passim = first_line(options.passim, "-c", version) if options.passim else "left out"
    publish("passages-peers", "Passages: beside other tools",
            f"In turn, {os.cpu_count()} cores. The peers look for substrings and alignments of at least as many bytes "
            "as the shortest passage of the truth. deduplicate-text-datasets names all places of a substring, so that it "
            "is compared with all places of the truth, also the first of each passage; its ranges are cut to whole words. passim stops after "
            "aligning, before it makes clusters, and has a row for each pair of documents; where it took longer than "
            f"{options.limit / 60:g} minutes, a tenth of the documents follows. passim, PySpark {passim}, `local[2]`; "
            f"{java.replace(chr(34), '')}. {CELLS_IN_WORDS}\n\n" + table(head, rows))


MEASURES = {"truth": measure_truth, "planted": measure_planted, "menu": measure_menu, "growth": measure_growth,
            "peers": measure_peers}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="which measurements: " + ", ".join(MEASURES))
    parser.add_argument("--quick", action="store_true", help="10,000 documents, once")
    parser.add_argument("--turns", type=int, help="runs of each tool (default 3)")
    parser.add_argument("--documents", type=int, help="default 100,000; growth also takes ten times as many")
    parser.add_argument("--substrings", metavar="PROGRAM", help="dedup_dataset of deduplicate-text-datasets")
    parser.add_argument("--passim", metavar="PYTHON", help="the Python of an environment with passim 2 and pyarrow")
    parser.add_argument("--limit", type=float, default=1200, help="seconds of one run of a peer (default 1200)")
    parser.add_argument("--peers-only", action="store_true", help="leave Benzer out of peers")
    parser.add_argument("--record", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    for name in options.name:
        if name not in MEASURES:
            parser.error(f"there is no measurement {name}; there are {', '.join(MEASURES)}")
    options.documents = options.documents or (10_000 if options.quick else 100_000)
    options.turns = options.turns or (1 if options.quick else 3)
    OUT.mkdir(parents=True, exist_ok=True)
    if not options.peers_only:
        print(describe_machine(), file=sys.stderr)
    for name in options.name or MEASURES:
        MEASURES[name](options)
    if options.record:
        recorder.NAMES = [f"passages-{name}" for name in MEASURES]
        recorder.record()


if __name__ == "__main__":
    main()
