#!/usr/bin/env python3
# labels: dedup slow
"""Does one edited word let a near-duplicate slip through `benzer pairs` at its defaults?

Documents of 25 to 5,000 words of real text; one word is inserted, dropped, moved, appended or replaced at a seeded
place. Of the pairs whose exact Jaccard similarity (sets of 5-word shingles, counted here) reaches 0.8, 99 of 100 must
be found, 98 of 100 in each cell, and all of those with 0.9 and more. --full makes 1,000 pairs in every cell, also where
documents have 5,000 words; --quick makes fewer.
"""
from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

from common import Report, read_pairs, run_benzer, run_test, scratch

THRESHOLD = (4, 5)
CERTAIN = 0.9
LENGTHS = (25, 50, 100, 200, 400, 1000, 5000)
KINDS = ("insert", "drop", "move", "append", "replace")
SHINGLE = 5


def real_words() -> tuple[list[str], str]:
    """Returns the lower-case words of a long English text in its order, and their source."""
    try:
        done = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, check=True)
        text = " ".join(verse.partition(" ")[2] for verse in done.stdout.decode("ascii").splitlines())
        source = "bible-kjv-text"
    except (FileNotFoundError, subprocess.CalledProcessError):
        licences = sorted(Path("/usr/share/common-licenses").glob("*"))
        text = " ".join(path.read_text("utf-8", "replace") for path in licences)
        source = "/usr/share/common-licenses"
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in text.lower()).split()
    if len(words) < 20000:
        rng = random.Random("words")
        vocabulary = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9))) for _ in range(8000)]
        return [vocabulary[min(int(rng.paretovariate(0.5)), 7999)] for _ in range(800000)], "generated words"
    return words, source


class Passages:
    """Disjoint passages in their own order while the text lasts; then the same words in random order, so that two
    originals never share more than a few shingles."""

    def __init__(self, words: list[str], rng: random.Random) -> None:
        self._words, self._rng, self._next = words, rng, 0

    def take(self, length: int) -> list[str]:
        if self._next + length <= len(self._words):
            self._next += length
            return self._words[self._next - length : self._next]
        return self._rng.choices(self._words, k=length)


def edit(words: list[str], kind: str, rng: random.Random, vocabulary: list[str]) -> list[str]:
    at = rng.randrange(len(words))
    word = rng.choice(vocabulary)
    changed = list(words)
    if kind == "insert":
        changed.insert(at, word)
    elif kind == "drop":
        del changed[at]
    elif kind == "move":
        moved = changed.pop(at)
        changed.insert(rng.randrange(len(changed) + 1), moved)
    elif kind == "append":
        changed.append(word)
    else:
        changed[at] = word
    return changed


def shingles(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def overlap(a: str, b: str) -> tuple[int, int]:
    one, other = shingles(a), shingles(b)
    common = len(one & other)
    return common, len(one) + len(other) - common


def reaches(pair: tuple[int, int]) -> bool:
    return pair[0] * THRESHOLD[1] >= pair[1] * THRESHOLD[0]


def make_documents(length: int, pairs: int, words: list[str], path: Path) -> dict[str, str]:
    """Writes both sides of every pair, shuffled, as JSON lines, and returns the texts by id."""
    rng = random.Random(f"edits {length}")
    passages, vocabulary = Passages(words, rng), sorted(set(words))
    texts: dict[str, str] = {}
    for kind in KINDS:
        for n in range(pairs):
            original = passages.take(length)
            texts[f"{kind}-{n}-a"] = " ".join(original)
            texts[f"{kind}-{n}-b"] = " ".join(edit(original, kind, rng, vocabulary))
    ids = list(texts)
    rng.shuffle(ids)
    with path.open("w", encoding="ascii") as out:
        out.writelines(json.dumps({"id": i, "text": texts[i]}) + "\n" for i in ids)
    return texts


def run_length(length: int, pairs: int, words: list[str], folder: Path, report: Report, all_pairs: list[int]) -> None:
    source, out = folder / "documents.jsonl", folder / "pairs.jsonl"
    texts = make_documents(length, pairs, words, source)
    run_benzer(["pairs", source, "--threshold", "0.8", "--quiet"], out)
    found, wrong_form = read_pairs(out)
    report.check(not wrong_form, f"{length} words: {wrong_form[:3]}")
    wrong = 0
    for kind in KINDS:
        above = hits = certain_misses = 0
        for n in range(pairs):
            pair = (f"{kind}-{n}-a", f"{kind}-{n}-b")
            exact = overlap(texts[pair[0]], texts[pair[1]])
            score = found.pop(pair, None)
            wrong += score is not None and (score != exact[0] / exact[1] or not reaches(exact))
            if reaches(exact):
                above += 1
                hits += score is not None
                certain_misses += score is None and exact[0] / exact[1] >= CERTAIN
        recall = hits / above if above else 1.0
        report.row(length, kind, pairs, above, hits, f"{recall:.5f}")
        # One miss is always allowed: in a cell with few pairs it would exceed 2 %.
        allowed = max(1.0, 0.02 * above)
        report.check(above - hits <= allowed, f"{length} words, {kind}: recall {recall:.5f} is below 0.98")
        report.check(certain_misses == 0, f"{length} words, {kind}: {certain_misses} pairs with J >= 0.9 were missed")
        all_pairs[0] += above
        all_pairs[1] += hits
    # The remaining pairs are of different originals. Their scores must be right.
    for (a, b), score in found.items():
        exact = overlap(texts[a], texts[b])
        wrong += not reaches(exact) or score != exact[0] / exact[1]
    report.check(wrong == 0, f"{length} words: {wrong} reported pairs are not in truth what was said")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="1,000 pairs in every cell")
    parser.add_argument("--quick", action="store_true", help="200 pairs in a cell, 20 of 5,000 words")
    parser.add_argument("--lengths", help="only these lengths, e.g. 25,50")
    options = parser.parse_args()
    words, source = real_words()
    print(f"{len(words):,} words of {source}; text:word5, threshold 0.8\n")
    report = Report("words", "edit   ", "pairs", "J >= 0.8", "found", "recall ")
    total = [0, 0]
    folder = scratch("edits")
    for length in [int(n) for n in options.lengths.split(",")] if options.lengths else LENGTHS:
        pairs = 200 if options.quick else 1000
        if length >= 5000 and not options.full:
            pairs //= 10
        run_length(length, pairs, words, folder, report, total)
    recall = total[1] / total[0]
    report.row("all", "", "", total[0], total[1], f"{recall:.5f}")
    report.check(recall >= 0.99, f"recall over all is {recall:.5f}, below 0.99")
    return report.finish()


if __name__ == "__main__":
    sys.exit(run_test(main))
