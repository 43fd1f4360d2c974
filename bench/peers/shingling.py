"""Implements what users of Python MinHash libraries write: lower, split, join five words, set; and union-find over candidates."""
from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator

SLOTS, BANDS, ROWS = 128, 16, 8


def shingles(text: str) -> list[str]:
    words = text.lower().split()
    if len(words) < 5:
        return [" ".join(words)] if words else []
    return list({" ".join(words[i : i + 5]) for i in range(len(words) - 4)})


def documents(path: str) -> Iterator[tuple[str, str]]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield record["id"], record["text"]


class UnionFind:
    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, x: int) -> int:
        while self._parent[x] != x:
            self._parent[x] = self._parent[self._parent[x]]
            x = self._parent[x]
        return x

    def unite(self, x: int, y: int) -> None:
        a, b = self.find(x), self.find(y)
        if a != b:  # the earlier document represents both
            self._parent[max(a, b)] = min(a, b)


def write_kept(source: str, out: str, removed_ids: str, groups: UnionFind) -> None:
    """Writes the lines of the first document of every group, and the ids of all others."""
    kept = removed = 0
    with open(source, encoding="utf-8") as lines, open(out, "w", encoding="utf-8") as clean, open(
        removed_ids, "w", encoding="utf-8"
    ) as gone:
        for i, line in enumerate(lines):
            if groups.find(i) == i:
                clean.write(line)
                kept += 1
            else:
                gone.write(json.loads(line)["id"] + "\n")
                removed += 1
    print(f"kept {kept} removed {removed}", file=sys.stderr)


def unite_candidates(groups: UnionFind, found: Iterable[tuple[int, list[int]]]) -> None:
    for i, others in found:
        for j in others:
            groups.unite(i, j)
