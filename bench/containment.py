#!/usr/bin/env python3
"""Measures containment: recall, precision and cost of `benzer pairs --measure containment` beside LSH Ensemble.

  containment.py [--quick] [--turns N] [--record]

Sets are planted in pairs: the smaller set has 40 values, and the larger one 1, 10, 100 or 1,000 times as many. In half
of the pairs it has exactly 32 of the 40 (0.8), in the others 24 (0.6), which are not to be found. All are in one
collection, shuffled. Both tools get the same file, in a process of their own. datasketch must be in this Python.
An index of all sets is asked with the smaller sets of all pairs, with the larger ones, and for its pairs.
Prints a markdown table and keeps it as build/bench/containment.md; --record puts it into docs/benchmarks.md.
"""
from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections import Counter
from pathlib import Path

import run as recorder
from measure import OUT, Run, benzer, publish, run_timed, spread, table, warm

SMALL, SHARED, TOO_FEW = 40, 32, 24
PAIRS = {1: 1000, 10: 500, 100: 300, 1000: 100}  # of each kind, by the ratio of the sizes
PERMUTATIONS, PARTS = 256, 32  # as in the documentation of datasketch, with more parts than its 16

Pair = tuple[str, str]


def make(path: Path, quick: bool) -> dict[Pair, int]:
    """Writes the collection, and returns the pairs that are to be found, with their ratios."""
    draw = random.Random(1)
    lines, wanted = [], {}

    def values(count: int) -> list[str]:
        return [f"{draw.getrandbits(48):x}" for _ in range(count)]

    for ratio, pairs in PAIRS.items():
        for number in range(2 * pairs // (10 if quick else 1)):
            shared = SHARED if number % 2 == 0 else TOO_FEW
            large = values(SMALL * ratio)
            small = draw.sample(large, shared) + values(SMALL - shared)
            names = (f"{ratio}-{number}-small", f"{ratio}-{number}-large")
            if shared == SHARED:
                wanted[names] = ratio
            lines += [json.dumps({"id": name, "values": found}) for name, found in zip(names, (small, large))]
    draw.shuffle(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return wanted


def run_ensemble(path: str, missed: float) -> None:
    """missed: how much a pair that is not found weighs, of 1, when bands are chosen. Prints the candidates of datasketch: for each set the others that it is said to be contained in."""
    from datasketch import MinHash, MinHashLSHEnsemble

    entries = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            minhash = MinHash(num_perm=PERMUTATIONS)
            minhash.update_batch([value.encode() for value in record["values"]])
            entries.append((record["id"], minhash, len(record["values"])))
    index = MinHashLSHEnsemble(threshold=SHARED / SMALL, num_perm=PERMUTATIONS, num_part=PARTS,
                               weights=(1 - missed, missed))
    index.index(entries)
    for name, minhash, size in entries:
        for other in index.query(minhash, size):
            if other != name:
                print(json.dumps({"a": name, "b": other}))


def found_in(output: bytes) -> set[Pair]:
    """Returns unordered pairs, with the smaller set of a planted pair first."""
    pairs = set()
    for line in output.splitlines():
        record = json.loads(line)
        a, b = sorted((record["a"], record["b"]), key=lambda name: (name.rsplit("-", 1)[0], name.endswith("large")))
        pairs.add((a, b))
    return pairs


def score(found: set[Pair], wanted: dict[Pair, int]) -> list[object]:
    """Returns the recall of each ratio, and the precision."""
    hits = Counter(ratio for pair, ratio in wanted.items() if pair in found)
    all_of = Counter(wanted.values())
    recall = [f"{hits[ratio] / all_of[ratio]:.4f}" for ratio in PAIRS]
    precision = sum(hits.values()) / len(found) if found else 1.0
    return [*recall, f"{precision:.3f}"]


def row_of(tool: str, runs: list[Run], wanted: dict[Pair, int]) -> list[object]:
    return [tool, *score(found_in(runs[0].stdout), wanted), spread(run.cpu_seconds for run in runs),
            spread((run.peak_rss_bytes / 1e6 for run in runs), 0)]


def index_rows(path: Path, wanted: dict[Pair, int], turns: int) -> tuple[list[list[object]], float]:
    """Asks an index of the sets. Returns a row for each side of the pairs, and the index's bytes for each set."""
    folder = OUT / "containment.index"
    shutil.rmtree(folder, ignore_errors=True)
    run_timed([benzer(), "index", folder, path, "--create", "--field", "values=values", "--measure", "containment",
               "--durability", "none", "--quiet"])
    stored = json.loads(run_timed([benzer(), "stats", folder, "--json"]).stdout)
    rows = []
    for side, name in (("small", "the smaller sets"), ("large", "the larger sets")):
        asked = OUT / f"containment-{side}.jsonl"
        with path.open(encoding="utf-8") as lines:
            of_side = [line for line in lines if f'-{side}", "values"' in line]
        asked.write_text("".join(of_side), encoding="utf-8")
        command = [benzer(), "similar", folder, "--like", asked, "--threads", "1"]
        runs = [run_timed(command) for _ in range(turns)]
        matches = [json.loads(line) for line in runs[0].stdout.splitlines()]
        found = "\n".join(json.dumps({"a": match["query"], "b": match["id"]}) for match in matches)
        rows.append([name, *score(found_in(found.encode()), wanted),
                     spread((1e6 * run.cpu_seconds / len(of_side) for run in runs), 0)])
        asked.unlink()
    runs = [run_timed([benzer(), "pairs", folder, "--threads", "1", "--quiet"]) for _ in range(turns)]
    rows.append(["all sets, by `benzer pairs INDEX`", *score(found_in(runs[0].stdout), wanted),
                 spread((1e6 * run.cpu_seconds / stored["documents"] for run in runs), 0)])
    shutil.rmtree(folder)
    return rows, stored["segment_bytes"] / stored["documents"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--ensemble", nargs=2, metavar=("FILE", "MISSED"))
    asked = parser.parse_args()
    if asked.ensemble:
        run_ensemble(asked.ensemble[0], float(asked.ensemble[1]))
        return
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "containment.jsonl"
    wanted = make(path, asked.quick)
    warm(path)
    commands = {
        "`benzer pairs --measure containment`": [benzer(), "pairs", path, "--values", "values", "--measure", "containment",
                                                 "--threads", "1", "--quiet"],
        "`benzer pairs --measure containment --exact`": [benzer(), "pairs", path, "--values", "values", "--measure",
                                                         "containment", "--exact", "--threads", "1", "--quiet"],
    }
    for missed in ("0.5", "0.99"):
        name = f"datasketch, `MinHashLSHEnsemble`, a missed pair weighs {missed}"
        commands[name] = [sys.executable, __file__, "--ensemble", path, missed]
    rows = []
    for tool, command in commands.items():
        turns = asked.turns if "benzer" in tool else 1
        rows.append(row_of(tool, [run_timed(command) for _ in range(turns)], wanted))
    asked_rows, stored = index_rows(path, wanted, asked.turns)
    size = f"{path.stat().st_size / 1e6:,.0f} MB"
    head = ["tool", *[f"recall, 1:{ratio:,}" for ratio in PAIRS], "precision", "CPU s", "peak memory MB"]
    counts = ", ".join(f"{found:,} of 1:{ratio:,}" for ratio, found in Counter(wanted.values()).items())
    publish("containment", "Containment",
            f"{4 * len(wanted):,} sets ({size}), among them pairs of which the larger set "
            f"has exactly 0.8 of the smaller one ({counts}) and as many with 0.6. One thread. datasketch has "
            f"{PERMUTATIONS} permutations and {PARTS} parts; it finds candidates and compares none. What a missed pair weighs "
            f"is its default, and nearly all.\n\n" + table(head, rows) +
            f"\nAn index of all these sets with `--measure containment` takes {stored:,.0f} bytes a set on disk. It is asked "
            "with the smaller or the larger sets of all pairs, each as a query of its own, where the times include reading them, "
            "and for its pairs.\n\n" +
            table(["asked with", *head[1:-2], "CPU us a query"], asked_rows))
    path.unlink()
    if asked.record:
        recorder.NAMES = ["containment"]
        recorder.record()


if __name__ == "__main__":
    main()
