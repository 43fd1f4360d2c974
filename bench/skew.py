"""Measures skewed corpora, made from the planted one, and that one: thousands of copies, and a boilerplate in every document."""
from __future__ import annotations

import json
import random
import re
import statistics
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from corpora import SEED, planted
from measure import OUT, Run, benzer, publish, run_timed, sha256, shuffled, spread, table, warm
from score import read_pairs, read_removed, score

WORD = re.compile(r"[a-z0-9]+")
SHINGLE = 5
BOILERPLATE = [f"clause{n}" for n in range(200)]
Pair = tuple[str, str, int, int]  # ids, intersection and union of their shingles


def documents(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="ascii") as file:
        yield from map(json.loads, file)


def write(path: Path, lines: Iterator[dict[str, str]]) -> None:
    with path.open("w", encoding="ascii") as file:
        file.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def with_copies(source: Path, truth: list[Pair], out: Path) -> list[Pair]:
    """Turns thirty per cent of the documents into copies of one of ten."""
    chance = random.Random(SEED)
    texts = {line["id"]: line["text"] for line in documents(source)}
    originals = chance.sample(sorted(texts), 10)
    original_of = {name: chance.choice(originals) for name in texts
                   if name not in originals and chance.random() < 0.3}
    write(out, ({"id": name, "text": texts[original_of.get(name, name)]} for name in texts))
    copies = defaultdict(list)
    for name, original in original_of.items():
        copies[original].append(name)
    pairs = [pair for pair in truth if pair[0] not in original_of and pair[1] not in original_of]
    for a, b, intersection, union in list(pairs):  # a document similar to an original is as similar to its copies
        pairs += [(*sorted((a, copy)), intersection, union) for copy in copies.get(b, ())]
        pairs += [(*sorted((b, copy)), intersection, union) for copy in copies.get(a, ())]
    for original, names in copies.items():
        first, *others = sorted([original, *names])
        pairs += [(first, other, 1, 1) for other in others]
    return pairs


def with_boilerplate(source: Path, truth: list[Pair], out: Path) -> list[Pair]:
    """Puts the same 200 words in front of every document; the new similarities follow by counting shingles."""
    front = " ".join(BOILERPLATE) + " "
    write(out, ({"id": line["id"], "text": front + line["text"]} for line in documents(source)))
    inside, across = len(BOILERPLATE) - SHINGLE + 1, SHINGLE - 1
    heads = {line["id"]: WORD.findall(line["text"].lower()[:400])[:across] for line in documents(source)}
    pairs = []
    for a, b, intersection, union in truth:
        common = 0
        while common < across and heads[a][:common + 1] == heads[b][:common + 1]:
            common += 1
        pairs.append((a, b, intersection + inside + common, union + inside + 2 * across - common))
    return pairs


def measure_skew(quick: bool) -> None:
    corpus = planted(10_000 if quick else 100_000)
    assert corpus.truth is not None
    truth = read_pairs(corpus.truth)
    made = {"as it is": (corpus.path, truth)}
    for name, make in (("30 % copies of ten documents", with_copies),
                       ("200 words before every document", with_boilerplate)):
        path = OUT / f"skew-{make.__name__}.jsonl"
        made[name] = (path, make(corpus.path, truth, path))
    runs: dict[str, list[Run]] = {name: [] for name in made}
    clean, lists = OUT / "skew.clean.jsonl", {name: OUT / f"skew.{n}.removed.jsonl" for n, name in enumerate(made)}
    digests = {}
    for turn in range(3 if quick else 7):
        for name in shuffled(list(made), turn):
            path = made[name][0]
            warm(path)
            runs[name].append(run_timed([benzer(), "dedup", path, "-o", clean, "--removed", lists[name], "--json",
                                         "--quiet"]))
            digests[name] = sha256(clean)[:12]
    clean.unlink()
    own = statistics.median(run.cpu_seconds for run in runs["as it is"])
    rows = []
    for name, (path, pairs) in made.items():
        summary = json.loads(runs[name][-1].stdout)
        s = score(pairs, read_removed(lists[name]), Fraction(4, 5))
        cpu = [run.cpu_seconds for run in runs[name]]
        rows.append([name, f"{path.stat().st_size / 1e6:,.0f}", spread(cpu),
                     spread(run.wall_seconds for run in runs[name]), f"{statistics.median(cpu) / own:.2f}",
                     f"{summary['candidates']:,}", f"{summary['removed']:,}", f"{s.leader_recall:.4f}",
                     f"{s.leader_precision:.4f}", digests[name]])
    head = ["corpus", "MB", "CPU s", "wall s", "CPU, times the first [goal 1.5]", "candidates", "removed", "recall",
            "precision", "sha256 of the kept lines"]
    publish("skew", "Skewed corpora",
            f"{corpus.documents:,} documents, `benzer dedup CORPUS -o CLEAN --removed REMOVED`, in turn; recall and "
            "precision at J 0.8 as leader clustering has it, against the planted pairs, recomputed for what was "
            "added (similar pairs that nobody planted are not in that list: a few in 10,000).\n\n" + table(head, rows))
