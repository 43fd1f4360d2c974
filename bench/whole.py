"""Measures whole deduplications of the generated corpus, and scripts that use peers as their documentation shows."""
from __future__ import annotations

import json
import statistics
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from corpora import Corpus, planted
from measure import BENCH, OUT, VENV_PYTHON, Run, benzer, publish, run_timed, sha256, spread, table, warm
from score import perfect_leader, read_pairs, read_removed, score

GOALS = {  # documents: CPU s, wall s, peak RSS GB
    100_000: ("3", "2", ""),
    1_000_000: ("25", "20", "1.5"),
}
Row = list[object]


def command(tool: str, corpus: Corpus, clean: Path, removed: Path) -> list[str | Path]:
    if tool == "benzer":
        return [benzer(), "dedup", corpus.path, "-o", clean, "--removed", removed, "--json", "--quiet"]
    return [VENV_PYTHON, BENCH / "peers" / f"{tool}_dedup.py", corpus.path, clean, removed]


def describe(tool: str, corpus: Corpus, runs: list[Run], pairs: list, clean: Path, removed: Path) -> Row:
    s = score(pairs, read_removed(removed), Fraction(4, 5))
    ours = tool == "benzer"
    goals = GOALS.get(corpus.documents, ("", "", "")) if ours else ("", "", "")

    def with_goal(text: str, goal: str) -> str:
        return f"{text} [{goal}]" if goal else text

    return [f"{corpus.documents:,}", "**Benzer**" if ours else f"{tool} script",
            with_goal(spread(run.cpu_seconds for run in runs), goals[0]),
            with_goal(spread(run.wall_seconds for run in runs), goals[1]),
            with_goal(f"{max(run.peak_rss_bytes for run in runs) / 1e9:.3f}", goals[2]),
            f"{corpus.documents - s.removed:,}",
            f"{s.leader_recall:.4f}", f"{s.leader_precision:.4f}", f"{s.drop_recall:.4f}", f"{s.drop_precision:.4f}",
            sha256(clean)[:12]]


def measure_one(documents: int, tools: dict[str, int]) -> tuple[list[Row], dict[str, list[Run]], Row, list[str]]:
    """Runs each tool the given number of times, in turn, on a file in the page cache."""
    corpus = planted(documents)
    assert corpus.truth is not None
    pairs = read_pairs(corpus.truth)
    runs: dict[str, list[Run]] = {tool: [] for tool in tools}
    results = {tool: (OUT / f"{tool}.clean.jsonl", OUT / f"{tool}.removed") for tool in tools}
    copies: list[Run] = []  # runs that only copy, to see what writing as much costs the kernel
    for turn in range(max(tools.values())):
        for tool, times in tools.items():
            if turn < times:
                warm(corpus.path)
                runs[tool].append(run_timed(command(tool, corpus, *results[tool])))
        if turn < 3:
            warm(corpus.path)
            copies.append(run_timed(["cp", corpus.path, OUT / "copy"]))
            (OUT / "copy").unlink()
    rows = [describe(tool, corpus, runs[tool], pairs, *results[tool]) for tool in tools]
    for clean, _ in results.values():
        clean.unlink()  # as large as the corpus
    summary = json.loads(runs["benzer"][-1].stdout)
    above = sum(10 * pair[2] >= 8 * pair[3] for pair in pairs)
    ideal = score(pairs, perfect_leader(pairs, Fraction(4, 5)), Fraction(4, 5))
    notes = [f"- {corpus.origin()}; {len(pairs):,} planted pairs, {above:,} of them with J >= 0.8; leader clustering "
             f"without a miss keeps {documents - ideal.removed:,} and has {ideal.drop_recall:.4f} of the drops\n",
             f"- Benzer at {documents:,}: `{summary.get('config')}`, {summary.get('candidates'):,} candidates, "
             f"{summary.get('verified_pairs'):,} verified pairs\n"]

    def micros(seconds: Iterable[float]) -> str:
        return spread((value / documents * 1e6 for value in seconds), 1)

    split = [f"{documents:,}", micros(run.cpu_seconds for run in runs["benzer"]),
             micros(run.user_seconds for run in runs["benzer"]), micros(run.kernel_seconds for run in runs["benzer"]),
             micros(run.cpu_seconds for run in copies)]
    return rows, runs, split, notes


def factors(documents: int, runs: dict[str, list[Run]]) -> list[Row]:
    own_cpu = statistics.median(run.cpu_seconds for run in runs["benzer"])
    own_wall = statistics.median(run.wall_seconds for run in runs["benzer"])
    rows: list[Row] = []
    for tool, found in runs.items():
        if tool != "benzer":
            cpu = statistics.median(run.cpu_seconds for run in found) / own_cpu
            wall = statistics.median(run.wall_seconds for run in found) / own_wall
            rows.append([f"{documents:,}", f"{tool} script / Benzer", f"{cpu:.1f}", f"{wall:.1f}"])
    return rows


def measure_whole(quick: bool, sizes: list[int] | None = None) -> None:
    plans: dict[int, dict[str, int]] = {
        10_000: {"benzer": 5, "rensa": 3, "datasketch": 1 if quick else 3},
        100_000: {"benzer": 5, "rensa": 1},
        1_000_000: {"benzer": 3, "rensa": 1},
    }
    chosen = sizes or ([10_000] if quick else list(plans))
    rows: list[Row] = []
    ratios: list[Row] = []
    notes: list[str] = []
    splits: list[Row] = []
    micros: dict[str, list[float]] = {"CPU": [], "user CPU": []}
    for documents in chosen:
        found, runs, split, said = measure_one(documents, plans[documents])
        splits.append(split)
        rows += found
        notes += said
        ratios += factors(documents, runs)
        micros["CPU"].append(statistics.median(run.cpu_seconds for run in runs["benzer"]) / documents)
        micros["user CPU"].append(statistics.median(run.user_seconds for run in runs["benzer"]) / documents)
    head = ["documents", "tool", "CPU s [goal]", "wall s [goal]", "peak RSS GB [goal]", "kept", "recall", "precision",
            "recall, drops", "precision, drops", "sha256 of the kept lines"]
    text = (
        "JSON lines in, kept lines and removed list out, warm cache, all cores; median (min to max). Recall and "
        "precision at J 0.8 by bench/score.py: first as leader clustering has it (a removed document must have a kept "
        "partner), then as union-find tools count (any partner will do). Leader clustering keeps a document whose only "
        "similar ones went, so it cannot reach 1 in 'recall, drops'; its best is noted below. Benzer verifies "
        "exactly; the scripts remove every band collision.\n\n"
        + table(head, rows) + "\n" + table(["documents", "ratio of medians", "CPU", "wall"], ratios)
        + "\nMicroseconds of CPU a document:\n\n"
        + table(["documents", "Benzer", "in the program", "in the kernel", "cp of the corpus"], splits) + "\n")
    for what, values in micros.items():
        if len(values) > 1:
            most = (max(values) / min(values) - 1) * 100
            text += f"- {what} a document: the most is {most:.0f} % above the least (goal 15)\n"
    text += "".join(notes) + "- command: `benzer dedup CORPUS -o CLEAN --removed REMOVED --json --quiet`\n"
    publish("dedup", "Whole deduplication", text)
