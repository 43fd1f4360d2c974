"""Measures many short documents with a limit of memory, and fewer of the same kind without one."""
from __future__ import annotations

import statistics

from corpora import Corpus, short_planted
from measure import OUT, Run, benzer, publish, run_timed, sha256, shuffled, spread, table, warm

MIB, GIB = 1 << 20, 1 << 30


def measure_large(quick: bool) -> None:
    few, many = (short_planted(n) for n in ((100_000, 10**6) if quick else (10**6, 10**7)))
    # The quick run has a tenth of the documents and of the limits.
    limits = [400 * MIB, 100 * MIB] if quick else [4 * GIB, GIB]
    cases: dict[str, tuple[Corpus, int]] = {"few": (few, 0), "few, the lower limit": (few, limits[1])}
    cases |= {f"many, limit {n}": (many, limit) for n, limit in enumerate(limits)}
    runs: dict[str, list[Run]] = {name: [] for name in cases}
    digests: dict[str, str] = {}
    clean = OUT / "large.clean.jsonl"
    for turn in range(3):
        for name in shuffled(list(cases), turn):
            corpus, limit = cases[name]
            warm(corpus.path)
            limited = ["--memory-limit", limit] if limit else []
            runs[name].append(run_timed([benzer(), "dedup", corpus.path, "-o", clean, "--quiet", *limited],
                                        {"TMPDIR": str(OUT)}))
            digests[name] = sha256(clean)[:12]
    clean.unlink()
    clean.with_name(clean.name + ".removed.jsonl").unlink()

    def each(name: str) -> list[float]:
        return [run.cpu_seconds / cases[name][0].documents * 1e6 for run in runs[name]]

    own = statistics.median(each("few"))
    rows = []
    for name, (corpus, limit) in cases.items():
        peak = max(run.peak_rss_bytes for run in runs[name])
        rows.append([f"{corpus.documents:,}", f"{corpus.path.stat().st_size / 1e6:,.0f}",
                     f"{limit // MIB:,}" if limit else "none", spread(each(name)),
                     f"{100 * (statistics.median(each(name)) / own - 1):+.0f} %",
                     spread(run.wall_seconds for run in runs[name]), f"{peak / MIB:,.0f}", digests[name]])
    head = ["documents", "MB", "limit, MiB", "CPU us a document", "beside the first [goal +20 %]", "wall s",
            "peak RSS MiB", "sha256 of the kept lines"]
    publish("large", "Limits of memory",
            "Documents of about half a kilobyte, a fifth of them near-copies; `benzer dedup CORPUS -o CLEAN "
            "--memory-limit BYTES`, in turn; medians.\n\n"
            + table(head, rows))
