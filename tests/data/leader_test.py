#!/usr/bin/env python3
# labels: dedup
"""Checks the output of `benzer dedup` against the definition of leader clustering and exact ground truth.

A removed document must name a kept one with exactly the true score, the best of all kept ones it is similar to; two
kept documents may be similar only where the bands missed them (1 % of the true pairs at most); kept and removed
documents together are the input, and the kept lines are the input's bytes in the input's order.
"""
from __future__ import annotations

import json
import sys
from itertools import islice
from pathlib import Path

from common import Pair, Report, data_folder, ordered, read_truth, run_benzer, run_test, scratch, skip, unpacked_lines

ALLOWED_MISSES = 0.01
SETS = [  # name, documents, truth, features, threshold, how many lines
    ("licences", "licences/licences.jsonl.zst", "licences/truth-w3-0.5.tsv", "truth:w3", "0.5", None),
    ("descriptions", "debian-descriptions/descriptions.jsonl.zst", "debian-descriptions/truth-w3-0.7.tsv.zst",
     "truth:w3", "0.7", 5000),
]


def keep_order(lines: list[bytes], keep: str) -> list[int]:
    """Returns positions in keep order, with ties broken by position."""
    positions = list(range(len(lines)))
    if keep == "last":
        return positions[::-1]
    if keep in ("longest", "shortest"):
        sign = -1 if keep == "longest" else 1
        positions.sort(key=lambda i: sign * len(json.loads(lines[i])["text"].encode()))
    return positions


def check(name: str, lines: list[bytes], truth: dict[Pair, tuple[int, int]], folder: Path, options: list[str],
          keep: str, report: Report) -> None:
    source, clean, removed_list = folder / "in.jsonl", folder / "clean.jsonl", folder / "removed.jsonl"
    source.write_bytes(b"".join(lines))
    run_benzer(["dedup", source, "-o", clean, "--removed", removed_list, "--keep", keep, "--quiet", *options])
    ids = [json.loads(line)["id"] for line in lines]
    position = {document: i for i, document in enumerate(ids)}
    removed = [json.loads(line) for line in removed_list.read_bytes().splitlines()]
    removed_ids = {record["id"] for record in removed}
    kept_lines = [line for document, line in zip(ids, lines) if document not in removed_ids]
    label = f"{name} --keep {keep}"
    report.check(len(removed_ids) == len(removed), f"{label}: a document was removed twice")
    report.check(removed_ids <= set(ids), f"{label}: the removed list names strangers")
    same = clean.read_bytes() == b"".join(kept_lines)
    report.check(same, f"{label}: the kept lines are not the input's bytes in the input's order")

    rank = {ids[i]: n for n, i in enumerate(keep_order(lines, keep))}
    partners: dict[str, list[tuple[float, int, str]]] = {}
    missed = 0
    for (a, b), (intersection, union) in truth.items():
        for one, other in ((a, b), (b, a)):
            partners.setdefault(one, []).append((-intersection / union, rank[other], other))
        missed += a not in removed_ids and b not in removed_ids
    bad_keeper = bad_score = not_best = later = 0
    for record in removed:
        one, keeper = record["id"], record["kept_id"]
        pair = truth.get(ordered(one, keeper))
        if pair is None or keeper in removed_ids or record["exact"] is not True:
            bad_keeper += 1
            continue
        bad_score += record["score"] != pair[0] / pair[1]
        later += rank[keeper] > rank[one]
        earlier = [p for p in partners[one] if p[2] not in removed_ids and p[1] < rank[one]]
        # The bands may have missed the best keeper. Then a worse one is right; it is counted and limited below.
        not_best += bool(earlier) and min(earlier)[2] != keeper
        bad_keeper += record["line"] != position[one] + 1 or record["kept_line"] != position[keeper] + 1
    report.row(name, keep, len(lines), len(truth), len(removed), missed, not_best)
    limit = ALLOWED_MISSES * len(truth)
    report.check(bad_keeper == 0, f"{label}: {bad_keeper} removed documents have no true keeper at its line")
    report.check(bad_score == 0, f"{label}: {bad_score} scores are not intersection / union")
    report.check(later == 0, f"{label}: {later} keepers come after what they remove, in keep order")
    report.check(missed <= limit, f"{label}: {missed} true pairs were both kept, {limit:.0f} allowed")
    report.check(not_best <= limit, f"{label}: {not_best} keepers are not the best; {limit:.0f} allowed")
    report.check(bool(removed), f"{label}: nothing was removed")


def main() -> int:
    data = data_folder()
    if data is None:
        return skip()
    folder = scratch("leader")
    report = Report("set         ", "keep    ", "documents", "true pairs", "removed", "missed", "keeper not best")
    for name, documents, truth_file, features, threshold, count in SETS:
        lines = list(islice(unpacked_lines(data / documents), count))
        ids = {json.loads(line)["id"] for line in lines}
        truth = {pair: v for pair, v in read_truth(data / truth_file).items() if pair[0] in ids and pair[1] in ids}
        for keep in ("first", "last", "longest", "shortest"):
            check(name, lines, truth, folder, ["--features", features, "--threshold", threshold], keep, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(run_test(main))
