"""Measures what the evidence of a run costs: the same deduplication with lists and report, and without."""
from __future__ import annotations

import statistics

from corpora import planted
from measure import OUT, Run, benzer, publish, run_timed, sha256, shuffled, spread, table, warm

OUTPUTS = {
    "the kept lines and the removed list": [],
    "and --report": ["--report", OUT / "evidence.html"],
    "and --pairs, --clusters": ["--pairs", OUT / "evidence.pairs", "--clusters", OUT / "evidence.clusters"],
    "all of them": ["--report", OUT / "evidence.html", "--pairs", OUT / "evidence.pairs", "--clusters",
                    OUT / "evidence.clusters"],
}


def median(runs: list[Run], what: str) -> float:
    return statistics.median(getattr(run, what) for run in runs)


def measure_evidence(quick: bool) -> None:
    corpus = planted(10_000 if quick else 100_000)
    clean = OUT / "evidence.clean.jsonl"
    runs: dict[str, list[Run]] = {name: [] for name in OUTPUTS}
    digests = {}
    for turn in range(3 if quick else 11):
        for name in shuffled(list(OUTPUTS), turn):
            warm(corpus.path)
            command = [benzer(), "dedup", corpus.path, "-o", clean, "--quiet", *OUTPUTS[name]]
            runs[name].append(run_timed(command))
            digests[name] = sha256(clean)[:12]
    clean.unlink()
    base = runs["the kept lines and the removed list"]
    rows = []
    for name, found in runs.items():
        more = [median(found, what) / median(base, what) for what in ("cpu_seconds", "wall_seconds")]
        rows.append([name, spread(run.cpu_seconds for run in found), spread(run.wall_seconds for run in found),
                     *(f"{100 * (ratio - 1):+.0f} %" for ratio in more),
                     f"{max(run.peak_rss_bytes for run in found) / 1e9:.3f}", digests[name]])
    head = ["outputs", "CPU s", "wall s", "CPU [goal +15 %]", "wall [goal +15 %]", "peak RSS GB",
            "sha256 of the kept lines"]
    publish("evidence", "What the evidence costs",
            f"{corpus.documents:,} documents, `benzer dedup CORPUS -o CLEAN` with other outputs, in turn; ratios of "
            "medians.\n\n" + table(head, rows))
