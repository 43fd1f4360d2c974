"""Deduplicates JSON lines with datasketch 2.0 at its default scheme: Python shingles, 16 bands of 8, union-find, the
first document is kept. Signatures are made in bulk, its fastest way.

  datasketch_dedup.py IN OUT REMOVED_IDS
"""
from __future__ import annotations

import sys
from itertools import islice

from datasketch import MinHash, MinHashLSH
from shingling import BANDS, ROWS, SLOTS, UnionFind, documents, shingles, unite_candidates, write_kept

CHUNK = 1000


def main(source: str, out: str, removed_ids: str) -> None:
    index = MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS))
    sketches: list[MinHash] = []
    texts = (text for _, text in documents(source))
    while chunk := [[shingle.encode() for shingle in shingles(text)] for text in islice(texts, CHUNK)]:
        for sketch in MinHash.bulk(chunk, num_perm=SLOTS):
            index.insert(len(sketches), sketch)
            sketches.append(sketch)
    groups = UnionFind(len(sketches))
    unite_candidates(groups, ((i, index.query(sketch)) for i, sketch in enumerate(sketches)))
    write_kept(source, out, removed_ids, groups)


if __name__ == "__main__":
    main(*sys.argv[1:4])
