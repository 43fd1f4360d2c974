"""Measures datasketch on Redis, used as its documentation shows: documents are added by a session, and each query is a call of its own.

  redis_index.py ready PORT COUNT       adding and queries, with signatures made before
  redis_index.py load PORT CORPUS       adding texts
  redis_index.py query PORT QUERIES     queries by text, of an index that was loaded before
  redis_index.py pairs PORT TOKENS OUT  which pairs it takes for similar, two numbers a line

On this machine, a server that is empty but for this. Answers one JSON object.
"""
from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import islice

from datasketch import MinHash, MinHashLSH
from shingling import shingles

BANDS, ROWS, SLOTS, QUERIES, CHUNK = 16, 6, 128, 500, 1000
Found = dict[str, float]


def index_at(port: int) -> MinHashLSH:
    return MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS), storage_config={
        "type": "redis", "basename": b"bench", "redis": {"host": "127.0.0.1", "port": port}})


def sketches_of(sets: Iterable[list[str]]) -> list[MinHash]:
    return MinHash.bulk(([token.encode() for token in tokens] for tokens in sets), num_perm=SLOTS)


def records(path: str) -> Iterator[list[dict]]:
    with open(path, encoding="utf-8") as file:
        while chunk := [json.loads(line) for line in islice(file, CHUNK)]:
            yield chunk


def quantiles(name: str, micros: list[float]) -> Found:
    micros = sorted(micros)
    return {f"{name}_p50": micros[len(micros) // 2], f"{name}_p99": micros[len(micros) * 99 // 100]}


def ready(port: int, count: int) -> Found:
    generator = random.Random(1)
    sketches = sketches_of([f"{generator.getrandbits(48):x}" for _ in range(10)] for _ in range(count))
    index = index_at(port)
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
    return {"documents": count, "wall": loaded, **quantiles("query", micros)}


def load(port: int, corpus: str) -> Found:
    index = index_at(port)
    spent, sketching, count = 0.0, 0.0, 0
    for chunk in records(corpus):
        started = time.perf_counter()
        sketches = sketches_of(shingles(record["text"]) for record in chunk)
        sketched = time.perf_counter()
        with index.insertion_session() as session:
            for record, sketch in zip(chunk, sketches):
                session.insert(record["id"], sketch)
        sketching += sketched - started
        spent += time.perf_counter() - started
        count += len(chunk)
    return {"documents": count, "wall": spent, "sketching": sketching}


def query(port: int, queries: str) -> Found:
    index = index_at(port)
    micros, with_text, answers = [], [], 0
    for chunk in records(queries):
        for record in chunk:
            started = time.perf_counter()
            sketch = sketches_of([shingles(record["text"])])[0]
            sketched = time.perf_counter()
            answers += len(index.query(sketch))
            ended = time.perf_counter()
            micros.append((ended - sketched) * 1e6)
            with_text.append((ended - started) * 1e6)
    return {"queries": len(micros), "matches": answers / len(micros), **quantiles("ready", micros),
            **quantiles("text", with_text), "ready_per_second": len(micros) / sum(micros) * 1e6,
            "text_per_second": len(micros) / sum(with_text) * 1e6}


def pairs(port: int, tokens: str, out: str) -> Found:
    index = index_at(port)
    sketches: list[MinHash] = []
    for chunk in records(tokens):
        found = sketches_of(record["values"] for record in chunk)
        with index.insertion_session() as session:
            for number, sketch in enumerate(found, len(sketches)):
                session.insert(number, sketch)
        sketches += found
    with open(out, "w", encoding="ascii") as file:
        for a, sketch in enumerate(sketches):
            file.writelines(f"{a} {b}\n" for b in index.query(sketch) if a != b)
    return {"documents": len(sketches)}


def main() -> None:
    what, port, *rest = sys.argv[1:]
    if what == "ready":
        found = ready(int(port), int(rest[0]))
    else:
        found = {"load": load, "query": query, "pairs": pairs}[what](int(port), *rest)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
