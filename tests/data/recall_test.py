#!/usr/bin/env python3
# labels: dedup slow
"""Measures recall and precision of `benzer pairs` against exact ground truth.

The truth files were made and checked by programs that share no code with Benzer. A pair reported here must be in the
truth with exactly that score (precision 1), and 99 of 100 true pairs must be reported; `--exact` must report all.
"""
from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from common import Pair, Report, data_folder, read_pairs, read_truth, repeated_ids, run_benzer, run_test, scratch, skip

WANTED_RECALL = 0.99


@dataclass(frozen=True)
class Case:
    name: str
    documents: str      # under the data folder; near-copies are made first
    truth: str
    features: str
    threshold: str
    exact: bool = True  # run with --exact, too
    all_of_them: bool = False

    def arguments(self) -> list[str]:
        features = ["--values", "values"] if self.features == "values" else ["--features", self.features]
        return [*features, "--threshold", self.threshold]


CASES = [
    Case("licences", "licences/licences.jsonl.zst", "licences/truth-w3-0.5.tsv", "truth:w3", "0.5"),
    Case("licences", "licences/licences.jsonl.zst", "licences/truth-c5-0.5.tsv", "truth:c5", "0.5"),
    Case("udhr", "udhr/udhr.jsonl.zst", "udhr/truth-c5-0.3.tsv", "truth:c5", "0.3", all_of_them=True),
    Case("manpages", "manpages/manpages.jsonl.zst", "manpages/truth-w3-0.5.tsv.zst", "truth:w3", "0.5"),
    Case("package-sets", "package-sets/depends.jsonl.zst", "package-sets/truth-depends-set-0.7.tsv.zst",
         "values", "0.7"),
    Case("near-copies", "near-copies", "near-copies/truth-insert-w3-0.5.tsv.zst", "truth:w3", "0.5"),
    Case("near-copies", "near-copies", "near-copies/truth-insert-w1-0.5.tsv.zst", "truth:w1", "0.5", exact=False),
    Case("near-copies graded", "near-copies-graded", "near-copies/truth-graded600-w1-0.25.tsv.zst", "truth:w1", "0.25"),
    Case("debian-descriptions", "debian-descriptions/descriptions.jsonl.zst",
         "debian-descriptions/truth-w3-0.7.tsv.zst", "truth:w3", "0.7", exact=False),
]


def make_near_copies(data: Path, folder: Path, graded: bool) -> Path:
    """Makes the near-copies as JSON lines, with the script that made the files of the truth."""
    originals = folder / "originals"
    if not originals.exists():
        archive = data / "near-copies" / "originals.tar.zst"
        subprocess.run(["tar", "-I", "zstd", "-xf", archive, "-C", folder], check=True)
    source, copies = originals, folder / ("graded" if graded else "insert")
    script = data.parent / "tools" / "seven_copies.py"
    mode = []
    if graded:  # the truth is about the first 200 of each topic
        source, mode = folder / "first-200", ["--mode", "graded"]
        source.mkdir()
        for path in originals.iterdir():
            number = path.stem.lstrip("abcdefghijklmnopqrstuvwxyz-")
            if int(number) < 200:
                (source / path.name).write_bytes(path.read_bytes())
    subprocess.run([sys.executable, script, source, copies, *mode], check=True, stdout=subprocess.DEVNULL)
    lines = folder / f"{copies.name}.jsonl"
    with lines.open("w", encoding="ascii") as out:
        for path in sorted(copies.iterdir()):
            out.write(json.dumps({"id": path.name, "text": path.read_bytes().decode("utf-8")}) + "\n")
    return lines


def run_case(case: Case, documents: Path, truth: dict[Pair, tuple[int, int]], repeated: set[str], out: Path,
             exact: bool, report: Report) -> None:
    seconds = run_benzer(["pairs", documents, *case.arguments(), *(["--exact"] if exact else []), "--quiet"], out)
    found, wrong_form = read_pairs(out, repeated)
    right = [pair for pair in found if pair in truth]
    recall = len(right) / len(truth)
    precision = len(right) / len(found) if found else 0.0
    join = "exact" if exact else "bands"
    report.row(case.name, case.features, case.threshold, join, len(truth), len(right), f"{recall:.5f}",
               f"{precision:.5f}", f"{seconds:.1f}")

    name = f"{case.name} {case.features} {case.threshold} {join}"
    needed = 1.0 if exact or case.all_of_them else WANTED_RECALL
    missing = [pair for pair in truth if pair not in found]
    invented = [pair for pair in found if pair not in truth]
    bad_scores = [pair for pair in right if found[pair] != truth[pair][0] / truth[pair][1]]
    report.check(recall >= needed, f"{name}: recall {recall:.5f} is below {needed}; missing e.g. {missing[:3]}")
    report.check(not invented, f"{name}: {len(invented)} pairs are not in the truth, e.g. {invented[:3]}")
    report.check(not bad_scores, f"{name}: {len(bad_scores)} scores are not exact, e.g. {bad_scores[:3]}")
    report.check(not wrong_form, f"{name}: {wrong_form[:3]}")


def main() -> int:
    data = data_folder()
    if data is None:
        return skip()
    folder = scratch("recall")
    made = {"near-copies": make_near_copies(data, folder, graded=False),
            "near-copies-graded": make_near_copies(data, folder, graded=True)}
    report = Report("set                ", "features", "threshold", "join ", "true pairs", "found  ", "recall ",
                    "precision", "seconds")
    for case in CASES:
        documents = made.get(case.documents, data / case.documents)
        truth, repeated = read_truth(data / case.truth), repeated_ids(documents)
        for exact in (False, True) if case.exact else (False,):
            run_case(case, documents, truth, repeated, folder / "pairs.jsonl", exact, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(run_test(main))
