"""Measures small whole runs: a deduplication against `wc -w` on the same file, and the time of `benzer --help`."""
from __future__ import annotations

import statistics
from pathlib import Path

from corpora import planted, unpacked
from measure import OUT, Run, benzer, data_folder, publish, run_timed, sha256, shuffled, spread, table, warm

C_LOCALE = {"LC_ALL": "C"}


def measure_words(quick: bool) -> None:
    inputs: list[tuple[str, Path, float]] = [("generated, ASCII", planted(10_000 if quick else 100_000).path, 2.0)]
    data = data_folder()
    if data is None:
        print("SKIPPED: debian-descriptions and manpages are not there (BENZER_DATA names their folder).")
    else:
        inputs.append(("debian-descriptions, 29 languages",
                       unpacked(data / "debian-descriptions" / "descriptions.jsonl.zst"), 4.0))
        inputs.append(("manpages, 21 languages", unpacked(data / "manpages" / "manpages.jsonl.zst"), 4.0))
    rows = []
    for name, path, goal in inputs:
        clean, removed = OUT / "words.clean.jsonl", OUT / "words.removed.jsonl"
        commands = {"wc": ["wc", "-w", path],
                    "benzer": [benzer(), "dedup", path, "-o", clean, "--removed", removed, "--quiet"]}
        runs: dict[str, list[Run]] = {tool: [] for tool in commands}
        warm(path)
        for turn in range(3 if quick else 7):
            for tool in shuffled(list(commands), turn):
                runs[tool].append(run_timed(commands[tool], C_LOCALE))
        seconds = {tool: [run.cpu_seconds for run in found] for tool, found in runs.items()}
        ratios = [own / words for own, words in zip(seconds["benzer"], seconds["wc"])]
        size = f"{path.stat().st_size / 1e6:,.1f}"
        rows.append([name, size, spread(seconds["wc"], 3), spread(seconds["benzer"], 3), spread(ratios), f"{goal:g}",
                     sha256(clean)[:12]])
        clean.unlink()
    head = ["file", "MB", "wc -w, CPU s", "Benzer, CPU s", "ratio", "goal", "sha256 of the kept lines"]
    publish("words", "Whole deduplication against counting words",
            "`benzer dedup FILE -o CLEAN` at its defaults against `LC_ALL=C wc -w FILE`, CPU time, warm cache, in "
            "turn; median (min to max).\n\n" + table(head, rows))


def measure_help(_quick: bool) -> None:
    milliseconds = [run_timed([benzer(), "--help"]).wall_seconds * 1e3 for _ in range(20)]
    rows = [["benzer --help", spread(milliseconds, 1), f"{statistics.mean(milliseconds):.1f}", "20"]]
    publish("help", "Starting up", table(["command", "ms, median (min to max) of 20", "mean", "goal"], rows))
