"""Measures two ways to find the most similar documents of an index below the threshold that its bands are planned for."""
from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from corpora import unpacked
from measure import OUT, benzer, data_folder, publish, run_timed, table

FLOORS = ["0.1", "0.2", "0.3", "0.5"]
LIMIT = 10
QUERIES = 65  # one more than share a scan


def ask(index: Path, queries: Path, *options: str) -> tuple[float, dict[str, list[str]]]:
    """Returns the CPU seconds, and for each query the ids of its matches."""
    run = run_timed([benzer(), "similar", index, "--like", queries, "--limit", str(LIMIT), "--threads", "1", "--quiet", *options])
    found: dict[str, list[str]] = {}
    for line in run.stdout.splitlines():
        match = json.loads(line)
        found.setdefault(match["query"], []).append(match["id"])
    return run.cpu_seconds, found


def made(name: str, documents: Path, *options: str) -> Path:
    index = OUT / f"most-similar-{name}"
    shutil.rmtree(index, ignore_errors=True)
    run_timed([benzer(), "index", index, documents, "--create", "--bulk", "--quiet", *options])
    return index


def measure(documents: Path) -> Iterable[list[object]]:
    lines = documents.read_text(encoding="utf-8").splitlines(keepends=True)
    queries, first, none = OUT / "queries.jsonl", OUT / "first.jsonl", OUT / "none.jsonl"
    asked = lines[:: len(lines) // QUERIES][:QUERIES]
    queries.write_text("".join(asked), encoding="utf-8")
    first.write_text(asked[0], encoding="utf-8")
    none.write_text('{"id":"none","text":""}\n', encoding="utf-8")
    index = made("planned", documents)
    exact = made("exact", documents, "--recall", "0.9999999")  # so that next to nothing is missed
    opened, _ = ask(index, none, "--threshold", "1")
    for floor in FLOORS:
        _, right = ask(exact, queries, "--floor", floor)
        total = sum(map(len, right.values()))
        for name, options in (("bands", ("--threshold", floor, "--allow-low-recall")), ("all signatures", ("--floor", floor))):
            alone, _ = ask(index, first, *options)
            together, found = ask(index, queries, *options)
            share = sum(len(set(ids) & set(found.get(query, []))) for query, ids in right.items()) / max(total, 1)
            yield [floor, name, total, f"{share:.4f}", f"{1000 * (alone - opened):.1f}", f"{1000 * (together - opened) / QUERIES:.1f}"]


def measure_most_similar(quick: bool) -> None:
    data = data_folder()
    if data is None:
        sys.exit("The data folder is missing.")
    documents = unpacked(data / "debian-descriptions" / "descriptions.jsonl.zst")
    if quick:
        with documents.open(encoding="utf-8") as lines:
            some = list(islice(lines, 50_000))
        documents = OUT / "some-descriptions.jsonl"
        documents.write_text("".join(some), encoding="utf-8")
    head = ["floor", "candidates by", "true answers", "found", "ms, one query", "ms a query, of 65"]
    publish("most-similar", "The most similar documents of an index",
            f"The {LIMIT} most similar documents of {QUERIES} of the {'50,000' if quick else '225,037'} Debian package descriptions, "
            "in an index in a folder that is planned for 0.8. CPU time of one thread, without opening the index. The true "
            "answers are those of an index planned with `--recall 0.9999999`.\n\n" + table(head, measure(documents)))
