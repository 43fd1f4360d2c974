"""Measures an index on disk as one would build it with LMDB: band and hash to document numbers, sorted, synced every 10,000.

  lmdb_bands.py FOLDER COUNT

Each document has 16 random keys, made before: no text, no features, no ids. Prints one JSON object.
"""
from __future__ import annotations

import json
import os
import sys
import time

import lmdb
import numpy as np

BANDS, BATCH, QUERIES = 16, 10_000, 4096


def keys(generator: np.random.Generator, count: int) -> list[list[bytes]]:
    """Returns the keys of each document; the first byte is the band."""
    raw = generator.integers(0, 256, (count, BANDS, 9), dtype=np.uint8)
    raw[:, :, 0] = np.arange(BANDS, dtype=np.uint8)
    rows = raw.reshape(count * BANDS, 9)
    flat = rows.tobytes()
    found = [flat[at : at + 9] for at in range(0, len(flat), 9)]
    return [found[at : at + BANDS] for at in range(0, len(found), BANDS)]


def main(folder: str, count: int) -> None:
    generator = np.random.default_rng(1)
    environment = lmdb.open(folder, map_size=1 << 36, max_dbs=1)
    bands = environment.open_db(b"bands", dupsort=True, dupfixed=True)
    spent, known = [0.0, 0.0], []
    for first in range(0, count, BATCH):
        batch = keys(generator, min(BATCH, count - first))
        items = [(key, number.to_bytes(4, "little")) for number, row in enumerate(batch, first) for key in row]
        started, cpu = time.perf_counter(), time.process_time()
        items.sort()  # LMDB inserts sorted keys faster
        with environment.begin(write=True, db=bands) as transaction:
            transaction.cursor().putmulti(items)
        spent[0] += time.perf_counter() - started
        spent[1] += time.process_time() - cpu
        known += batch[:: max(1, count // QUERIES)]
    micros = []
    with environment.begin(db=bands) as transaction:
        cursor = transaction.cursor()
        for row in known[:QUERIES]:
            started = time.perf_counter()
            for key in row:
                if cursor.set_key(key):
                    list(cursor.iternext_dup())
            micros.append((time.perf_counter() - started) * 1e6)
    micros.sort()
    environment.close()
    with open("/proc/self/io", encoding="ascii") as file:
        written = next(int(line.split()[1]) for line in file if line.startswith("write_bytes"))
    print(json.dumps({"documents": count, "wall": spent[0], "cpu": spent[1], "written": written,
                      "kept": os.path.getsize(os.path.join(folder, "data.mdb")),
                      "query_p50": micros[len(micros) // 2], "query_p99": micros[len(micros) * 99 // 100]}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
