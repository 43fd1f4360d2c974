"""Deduplicates JSON lines with rensa, as its documentation shows: full sketches (not the sampled rho path) of Python
shingles, 16 bands of 8, union-find, the first document is kept.

  rensa_dedup.py IN OUT REMOVED_IDS
"""
from __future__ import annotations

import sys

from rensa import RMinHash, RMinHashLSH
from shingling import BANDS, SLOTS, UnionFind, documents, shingles, unite_candidates, write_kept

CHUNK = 1000


def main(source: str, out: str, removed_ids: str) -> None:
    sketches: list[RMinHash] = []
    chunk: list[list[str]] = []
    for _, text in documents(source):
        chunk.append(shingles(text))
        if len(chunk) == CHUNK:
            sketches += RMinHash.from_token_sets(chunk, num_perm=SLOTS, seed=42)
            chunk.clear()
    sketches += RMinHash.from_token_sets(chunk, num_perm=SLOTS, seed=42)
    index = RMinHashLSH(threshold=0.8, num_perm=SLOTS, num_bands=BANDS)
    index.insert_pairs(list(enumerate(sketches)))
    groups = UnionFind(len(sketches))
    unite_candidates(groups, enumerate(index.query_all(sketches)))
    write_kept(source, out, removed_ids, groups)


if __name__ == "__main__":
    main(*sys.argv[1:4])
