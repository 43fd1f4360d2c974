"""Measures inputs that are extreme: one band key for a third of a million documents, thousands of copies of a large one, and a huge one."""
from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from corpora import SEED
from measure import OUT, benzer, publish, run_timed, spread, table, warm
from skew import write

TURNS = 3


@dataclass(frozen=True)
class Extreme:
    what: str
    texts: Iterator[str]
    options: list[str]
    removed: int


def words(chance: random.Random, count: int, bits: int = 40) -> str:
    return " ".join(f"w{chance.getrandbits(bits):x}" for _ in range(count))


def text_of(size: int, seed: int) -> str:
    chance = random.Random(seed)
    pieces, length = [], 0
    while length < size:
        pieces.append(words(chance, 10_000, 24))
        length += len(pieces[-1]) + 1
    return " ".join(pieces)[:size]


def almost_similar(count: int) -> Iterator[str]:
    """Yields texts of 100 common words and 14 of their own, so that any two have a similarity of 96 / 124 = 0.774."""
    common = " ".join(f"clause{n}" for n in range(100))
    chance = random.Random(SEED)
    for _ in range(count):
        yield f"{common} {words(chance, 14)}"


def copies(count: int, size: int) -> Iterator[str]:
    text = text_of(size, SEED)
    for _ in range(count):
        yield text


def huge(size: int) -> Iterator[str]:
    yield text_of(size, 1)
    yield text_of(size, 1)
    yield text_of(size, 2)


def measure_extremes(quick: bool) -> None:
    shrink = 100 if quick else 1
    count, large, giant = 10**6 // shrink, 10**4 // shrink, 10**9 // shrink
    extremes = [
        Extreme(f"{count:,} documents of 1 KB, any two at 0.774; a band has 0.36 of them under one key", almost_similar(count), [], 0),
        Extreme(f"{large:,} copies of a document of 1 MB", copies(large, 10**6), ["--allow-large-clusters"], large - 1),
        Extreme(f"two copies of a document of {giant / 1e9:g} GB, and another one", huge(giant), ["--allow-large-clusters", "--max-line", "1G"], 1),
    ]
    path, clean, removed = OUT / "extreme.jsonl", OUT / "extreme.clean.jsonl", OUT / "extreme.removed.jsonl"
    rows = []
    for extreme in extremes:
        write(path, ({"id": str(number), "text": text} for number, text in enumerate(extreme.texts)))
        runs = []
        for _ in range(TURNS):
            warm(path)
            runs.append(run_timed([benzer(), "dedup", path, "-o", clean, "--removed", removed, "--quiet", *extreme.options]))
        with removed.open("rb") as file:
            found = sum(1 for _ in file)
        rows.append([extreme.what, f"{path.stat().st_size / 1e9:.2f}", spread((run.wall_seconds for run in runs), 1),
                     spread((run.cpu_seconds for run in runs), 1), f"{max(run.peak_rss_bytes for run in runs) / 2**30:.2f}",
                     f"{found:,}", "yes" if found == extreme.removed else "**no**"])
    for file in (path, clean, removed):
        file.unlink()
    publish("extremes", "Extreme inputs", "`benzer dedup`, without a limit of memory.\n\n"
            + table(["input", "GB", "wall s", "CPU s", "peak GiB", "removed", "which is right"], rows))
