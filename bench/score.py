#!/usr/bin/env python3
"""Scores a deduplication against the exact similarities of the generated corpus; shares no code with Benzer.

  score.py TRUTH.tsv REMOVED [--threshold 0.8]

REMOVED is a file of ids, or Benzer's removed list. Two readings of "right" are computed, for every tool:

leader   what Benzer promises. `missed`: documents that were kept although an earlier kept one has J >= t; `right`:
         removed documents that have a kept one with J >= t. recall = right / (right + missed),
         precision = right / removed.
drops    what union-find tools aim at. Every document that is not the first of its component of truth pairs with
         J >= t should go: recall = the share of these that went; precision@T = the share of removed documents that
         have any partner, kept or not, with J >= T.
"""
from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path


@dataclass(frozen=True)
class Score:
    removed: int
    right: int            # removed, with a kept partner of J >= t
    missed: int           # kept, though an earlier kept document has J >= t
    should_drop: int
    dropped: int          # of should_drop
    partner: int          # removed, with any partner of J >= t
    partner_half: int     # removed, with any partner of J >= 0.5

    @property
    def leader_recall(self) -> float:
        return ratio(self.right, self.right + self.missed)

    @property
    def leader_precision(self) -> float:
        return ratio(self.right, self.removed)

    @property
    def drop_recall(self) -> float:
        return ratio(self.dropped, self.should_drop)

    @property
    def drop_precision(self) -> float:
        return ratio(self.partner, self.removed)

    @property
    def drop_precision_half(self) -> float:
        return ratio(self.partner_half, self.removed)


def ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def read_removed(path: Path) -> set[str]:
    with path.open(encoding="utf-8") as file:
        return {json.loads(line)["id"] if line.startswith("{") else line.rstrip("\n") for line in file}


def read_pairs(path: Path) -> list[tuple[str, str, int, int]]:
    with path.open(encoding="ascii") as file:
        rows = (line.split("\t") for line in file)
        return [(a, b, int(intersection), int(union)) for a, b, intersection, union, _ in rows]


def root(parent: dict[str, str], x: str) -> str:
    """Returns the document that stands for the component of x; one that is new is a component of its own."""
    while parent.setdefault(x, x) != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


def score(pairs: list[tuple[str, str, int, int]], removed: set[str], threshold: Fraction) -> Score:
    """Scores the removals. Ids sort by position in the corpus, and the first of a pair is the earlier document."""
    parent: dict[str, str] = {}
    right: set[str] = set()
    partner: dict[Fraction, set[str]] = defaultdict(set)
    missed: set[str] = set()
    for a, b, intersection, union in pairs:
        if 2 * intersection >= union:
            partner[Fraction(1, 2)] |= {a, b}
        if intersection * threshold.denominator < union * threshold.numerator:
            continue
        partner[threshold] |= {a, b}
        first, last = sorted((root(parent, a), root(parent, b)))
        parent[last] = first
        if a not in removed and b not in removed:
            missed.add(b)
        right |= {x for x, y in ((a, b), (b, a)) if x in removed and y not in removed}
    should_drop = {x for x in parent if root(parent, x) != x}
    return Score(removed=len(removed), right=len(right), missed=len(missed), should_drop=len(should_drop),
                 dropped=len(should_drop & removed), partner=len(partner[threshold] & removed),
                 partner_half=len(partner[Fraction(1, 2)] & removed))


def perfect_leader(pairs: list[tuple[str, str, int, int]], threshold: Fraction) -> set[str]:
    """Returns what leader clustering removes if it misses no pair: the best that Benzer can do in either reading."""
    earlier: dict[str, list[str]] = defaultdict(list)
    for a, b, intersection, union in pairs:
        if intersection * threshold.denominator >= union * threshold.numerator:
            earlier[b].append(a)
    removed: set[str] = set()
    for document in sorted(earlier):
        if any(other not in removed for other in earlier[document]):
            removed.add(document)
    return removed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("removed", type=Path)
    parser.add_argument("--threshold", type=Fraction, default=Fraction(4, 5))
    options = parser.parse_args()
    s = score(read_pairs(options.truth), read_removed(options.removed), options.threshold)
    print(f"removed {s.removed:,}")
    print(f"leader: {s.right:,} right, {s.missed:,} missed; recall {s.leader_recall:.4f}, "
          f"precision {s.leader_precision:.4f}")
    print(f"drops: {s.should_drop:,} wanted, {s.dropped:,} dropped; recall {s.drop_recall:.4f}, "
          f"precision {s.drop_precision:.4f}, with J >= 0.5 {s.drop_precision_half:.4f}")


if __name__ == "__main__":
    main()
