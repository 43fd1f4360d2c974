"""Deduplicates a Parquet file with rensa, gaoya or datasketch: Python shingles (gaoya makes its own), 16 bands of 8,
union-find, the first document is kept. Rows and compression are those of the input.

  parquet_scripts.py rensa|gaoya|datasketch IN OUT REMOVED_IDS
"""
from __future__ import annotations

import sys
from collections.abc import Iterator

from pyarrow import parquet
from shingling import BANDS, ROWS, SLOTS, UnionFind, shingles, unite_candidates

CHUNK = 1000
Found = Iterator[tuple[int, list[int]]]


def chunks(source: str) -> Iterator[list[str]]:
    for batch in parquet.ParquetFile(source).iter_batches(batch_size=CHUNK, columns=["text"]):
        yield batch.column(0).to_pylist()


def rensa(source: str) -> Found:
    from rensa import RMinHash, RMinHashLSH

    sketches: list[RMinHash] = []
    for texts in chunks(source):
        sketches += RMinHash.from_token_sets([shingles(text) for text in texts], num_perm=SLOTS, seed=42)
    index = RMinHashLSH(threshold=0.8, num_perm=SLOTS, num_bands=BANDS)
    index.insert_pairs(list(enumerate(sketches)))
    return enumerate(index.query_all(sketches))


def gaoya(source: str) -> Found:
    from gaoya.minhash import MinHashStringIndex

    # It shingles and signs on all cores, and signs once more to query. With a jaccard_threshold of 0 it answers with
    # every document that shares a band, as the others do.
    index = MinHashStringIndex(32, 0.0, BANDS, ROWS, None, "word", True, (5, 5), id_container="smallvec")
    count = 0
    for texts in chunks(source):
        index.par_bulk_insert_docs(list(range(count, count + len(texts))), texts)
        count += len(texts)
    begin = 0
    for texts in chunks(source):
        yield from enumerate(index.par_bulk_query(texts), begin)
        begin += len(texts)


def datasketch(source: str) -> Found:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS))
    sketches: list[MinHash] = []
    for texts in chunks(source):
        for sketch in MinHash.bulk([[one.encode() for one in shingles(text)] for text in texts], num_perm=SLOTS):
            index.insert(len(sketches), sketch)
            sketches.append(sketch)
    return ((i, index.query(sketch)) for i, sketch in enumerate(sketches))


def main(tool: str, source: str, out: str, removed_ids: str) -> None:
    groups = UnionFind(parquet.ParquetFile(source).metadata.num_rows)
    unite_candidates(groups, {"rensa": rensa, "gaoya": gaoya, "datasketch": datasketch}[tool](source))
    kept = [groups.find(i) == i for i in range(parquet.ParquetFile(source).metadata.num_rows)]
    rows = parquet.read_table(source)
    parquet.write_table(rows.filter(kept), out, compression="zstd")
    with open(removed_ids, "w", encoding="utf-8") as gone:
        gone.writelines(f"{id}\n" for id, stays in zip(rows["id"].to_pylist(), kept) if not stays)


if __name__ == "__main__":
    main(*sys.argv[1:5])
