#!/usr/bin/env python3
"""Measures containment: recall, precision and cost of `benzer pairs --measure containment` beside LSH Ensemble.

  containment.py [--quick] [--turns N] [--record]

Sets are planted in pairs: the smaller set has 40 values, and the larger one 1, 10, 100 or 1,000 times as many. In half
of the pairs it has exactly 32 of the 40 (0.8), in the others 24 (0.6), which are not to be found. All are in one
collection, shuffled. Both tools get the same file, in a process of their own. datasketch must be in this Python.
Prints a markdown table and keeps it as build/bench/containment.md; --record puts it into docs/benchmarks.md.
"""
from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterable
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


def rows_of(tool: str, runs: list[Run], wanted: dict[Pair, int]) -> Iterable[list[object]]:
    found = found_in(runs[0].stdout)
    hits = Counter(ratio for pair, ratio in wanted.items() if pair in found)
    all_of = Counter(wanted.values())
    recall = [f"{hits[ratio] / all_of[ratio]:.4f}" for ratio in PAIRS]
    precision = sum(hits.values()) / len(found) if found else 1.0
    yield [tool, *recall, f"{precision:.3f}", spread(run.cpu_seconds for run in runs),
           spread((run.peak_rss_bytes / 1e6 for run in runs), 0)]


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
        rows += rows_of(tool, [run_timed(command) for _ in range(turns)], wanted)
    size = f"{path.stat().st_size / 1e6:,.0f} MB"
    head = ["tool", *[f"recall, 1:{ratio:,}" for ratio in PAIRS], "precision", "CPU s", "peak memory MB"]
    counts = ", ".join(f"{found:,} of 1:{ratio:,}" for ratio, found in Counter(wanted.values()).items())
    publish("containment", "Containment",
            f"{4 * len(wanted):,} sets ({size}), among them pairs of which the larger set "
            f"has exactly 0.8 of the smaller one ({counts}) and as many with 0.6. One thread. datasketch has "
            f"{PERMUTATIONS} permutations and {PARTS} parts; it finds candidates and compares none. What a missed pair weighs "
            f"is its default, and nearly all.\n\n" + table(head, rows))
    path.unlink()
    if asked.record:
        recorder.NAMES = ["containment"]
        recorder.record()


if __name__ == "__main__":
    main()
