"""datasketch on Redis, as its documentation shows: documents in, then queries, each alone.

  redis_index.py PORT COUNT    a server on this machine that is empty
"""
from __future__ import annotations

import json
import random
import sys
import time

from datasketch import MinHash, MinHashLSH

BANDS, ROWS, SLOTS, QUERIES = 16, 6, 128, 500


def main(port: int, count: int) -> None:
    generator = random.Random(1)
    sets = ([b"%x" % generator.getrandbits(48) for _ in range(10)] for _ in range(count))
    sketches = MinHash.bulk(sets, num_perm=SLOTS)
    index = MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS), storage_config={
        "type": "redis", "basename": b"bench", "redis": {"host": "127.0.0.1", "port": port}})
    started = time.perf_counter()
    with index.insertion_session() as session:
        for number, sketch in enumerate(sketches):
            session.insert(f"d{number}", sketch)
    loaded = time.perf_counter() - started
    micros = []
    for sketch in sketches[:: max(1, count // QUERIES)]:
        started = time.perf_counter()
        index.query(sketch)
        micros.append((time.perf_counter() - started) * 1e6)
    micros.sort()
    print(json.dumps({"documents": count, "wall": loaded, "query_p50": micros[len(micros) // 2],
                      "query_p99": micros[len(micros) * 99 // 100]}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
