"""Measures indexes in memory of Python libraries, as their users use them: 16 bands of 6 rows.

  index_peers.py text PEER CORPUS    text to index, then the same texts as queries
  index_peers.py ready PEER COUNT    the index alone: signatures are made before
  index_peers.py pairs PEER TOKENS OUT    which pairs it takes for similar, two numbers a line

PEER: rensa, datasketch, gaoya. Answers one JSON object; seconds of CPU of the process. Since rensa's bands must divide
its slots, it gets 96 of them, which gives the same recall; gaoya makes as many hashes as its bands use, and shingles
texts itself.
"""
from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice

from shingling import shingles

BANDS, ROWS, SLOTS = 16, 6, 128
CHUNK = 1000
Tokens = list[str]


class Rensa:
    def __init__(self) -> None:
        from rensa import RMinHash, RMinHashLSH

        self._hash = RMinHash
        self._index = RMinHashLSH(threshold=0.8, num_perm=BANDS * ROWS, num_bands=BANDS)

    def sketch(self, sets: list[Tokens]) -> list:
        return self._hash.from_token_sets(sets, num_perm=BANDS * ROWS, seed=42)

    def insert(self, first: int, sketches: list) -> None:
        self._index.insert_pairs(list(enumerate(sketches, first)))

    def query_all(self, sketches: list) -> list[list[int]]:
        return self._index.query_all(sketches)

    def query(self, sketch: object) -> list[int]:
        return self._index.query(sketch)


class Datasketch:
    def __init__(self) -> None:
        from datasketch import MinHash, MinHashLSH

        self._hash = MinHash
        self._index = MinHashLSH(num_perm=SLOTS, params=(BANDS, ROWS))

    def sketch(self, sets: list[Tokens]) -> list:
        return self._hash.bulk(([token.encode() for token in tokens] for tokens in sets), num_perm=SLOTS)

    def insert(self, first: int, sketches: list) -> None:
        for number, sketch in enumerate(sketches, first):
            self._index.insert(number, sketch)

    def query_all(self, sketches: list) -> list[list[int]]:
        return [self._index.query(sketch) for sketch in sketches]

    def query(self, sketch: object) -> list[int]:
        return self._index.query(sketch)


class Gaoya:
    """Takes only texts, and makes the signatures in both calls. It keeps them, to drop candidates whose estimate is below
    the threshold."""

    def __init__(self, of_tokens: bool = False) -> None:
        from gaoya.minhash import MinHashStringIndex

        ngrams = {"analyzer": lambda text: text.split("\t")} if of_tokens else {
            "analyzer": "word", "lowercase": True, "ngram_range": (ROWS - 1, ROWS - 1)}
        self._index = MinHashStringIndex(32, 0.8, BANDS, ROWS, None, id_container="smallvec", **ngrams)

    def insert(self, first: int, texts: list[str]) -> None:
        for number, text in enumerate(texts, first):
            self._index.insert_document(number, text)

    def query_all(self, texts: list[str]) -> list[list[int]]:
        return [self._index.query(text) for text in texts]

    def query(self, text: str) -> list[int]:
        return self._index.query(text)


KINDS = {"rensa": Rensa, "datasketch": Datasketch, "gaoya": Gaoya}


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def read(path: str, what: str) -> Iterable:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)[what]


def chunks(items: Iterable) -> Iterable[list]:
    remaining = iter(items)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk


def alone(name: str, index: object, queries: list) -> dict[str, float]:
    micros = []
    for query in queries:
        started = time.perf_counter()
        index.query(query)
        micros.append((time.perf_counter() - started) * 1e6)
    micros.sort()
    return {f"alone_{name}_p50": micros[len(micros) // 2], f"alone_{name}_p99": micros[len(micros) * 99 // 100]}


def text(peer: str, corpus: str) -> dict[str, float]:
    """Measures adding texts. The time of shingling is reported separately, since users could do it elsewhere."""
    index = KINDS[peer]()
    count, shingling, rest = 0, 0.0, 0.0
    for texts in chunks(read(corpus, "text")):
        started = time.process_time()
        sets = texts if peer == "gaoya" else [shingles(text) for text in texts]
        shingled = time.process_time()
        index.insert(count, sets if peer == "gaoya" else index.sketch(sets))
        shingling += shingled - started
        rest += time.process_time() - shingled
        count += len(texts)
    return {"documents": count, "shingling": shingling, "rest": rest}


def ready(peer: str, count: int) -> dict[str, float]:
    """Measures sets of ten random tokens: the cost of a signature and its bands does not depend on the features."""
    generator = random.Random(1)

    def some(size: int) -> list:
        sets = [[f"{generator.getrandbits(48):x}" for _ in range(10)] for _ in range(size)]
        return [" ".join(tokens) for tokens in sets] if peer == "gaoya" else index.sketch(sets)

    index = KINDS[peer]()
    asked = {"known": [], "new": some(2048)}
    inserting, done, before = 0.0, 0, resident_bytes()
    while done < count:
        sketches = some(min(CHUNK, count - done))
        inserting += timed(lambda: index.insert(done, sketches))
        done += len(sketches)
        asked["known"] += sketches[:: count // 2048 + 1]
    sketches = None  # so that it is not counted below
    answer = {"documents": count, "insert": inserting / count * 1e6, "resident": (resident_bytes() - before) / count}
    for name, queries in asked.items():
        seconds = timed(lambda: index.query_all(queries))
        answer |= {f"batch_{name}": seconds / len(queries) * 1e6, **alone(name, index, queries)}
    return answer


def pairs(peer: str, tokens: str, out: str) -> dict[str, float]:
    index = Gaoya(of_tokens=True) if peer == "gaoya" else KINDS[peer]()
    sketches: list = []
    for sets in chunks(read(tokens, "values")):
        found = ["\t".join(tokens) for tokens in sets] if peer == "gaoya" else index.sketch(sets)
        index.insert(len(sketches), found)
        sketches += found
    with open(out, "w", encoding="ascii") as file:
        for a, others in enumerate(index.query_all(sketches)):
            file.writelines(f"{a} {b}\n" for b in others if a != b)
    return {"documents": len(sketches)}


def main() -> None:
    what, peer, *rest = sys.argv[1:]
    if what == "text":
        found = text(peer, rest[0])
    elif what == "ready":
        found = ready(peer, int(rest[0]))
    else:
        found = pairs(peer, rest[0], rest[1])
    print(json.dumps(found))


if __name__ == "__main__":
    main()
