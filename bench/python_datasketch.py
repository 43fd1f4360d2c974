#!/usr/bin/env python3
"""Compares benzer.datasketch with datasketch 2.0: speed in alternating turns, and memory in processes of their own.

  python_datasketch.py [--documents N] [--tokens N] [--keys N] [--turns N]

Needs datasketch and benzer in the same Python. Prints a markdown table of medians.
"""
from __future__ import annotations

import argparse
import importlib
import random
import statistics
import subprocess
import sys
import time

MODULES = ("datasketch", "benzer.datasketch")
PLANS = (("16 bands of 8", {"params": (16, 8)}), ("threshold 0.9", {"threshold": 0.9}))


def make_documents(count: int, tokens: int) -> list[list[bytes]]:
    """Lists of words; each document shares most of them with another one."""
    rng = random.Random(1)
    documents: list[list[bytes]] = []
    for i in range(count):
        words = [b"word%d" % rng.randrange(10**9) for _ in range(tokens)]
        if i % 10 == 9:
            words = documents[-1][: tokens - tokens // 10] + words[: tokens // 10]
        documents.append(words)
    return documents


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def print_row(what: str, unit: str, times: dict[str, list[float]], count: int) -> None:
    theirs, ours = (statistics.median(times[name]) for name in MODULES)
    print(f"| {what} | {1e6 * theirs / count:,.2f} {unit} | {1e6 * ours / count:,.2f} {unit} | {theirs / ours:.1f} |", flush=True)


def measure_signing(modules, documents: list[list[bytes]], turns: int) -> None:
    for scheme in ("affine32", "affine64", "legacy"):
        for what in ("update_batch", "bulk"):
            times = {name: [] for name in MODULES}
            for _ in range(turns):
                for name in MODULES:
                    minhash = modules[name].MinHash
                    if what == "bulk":
                        times[name].append(seconds(lambda: minhash.bulk(documents, scheme=scheme)))
                        continue
                    empty = [minhash(scheme=scheme) for _ in documents]
                    times[name].append(seconds(lambda: [m.update_batch(d) for m, d in zip(empty, documents)]))
            print_row(f"`MinHash.{what}`, {scheme}, {len(documents[0])} values", "µs", times, len(documents))


def measure_index(modules, documents: list[list[bytes]], turns: int) -> None:
    keys = [f"document {i}" for i in range(len(documents))]
    signatures = {name: modules[name].MinHash.bulk(documents) for name in MODULES}
    for plan, options in PLANS:
        inserting, querying = ({name: [] for name in MODULES} for _ in range(2))
        for _ in range(turns):
            for name in MODULES:
                lsh = modules[name].MinHashLSH(num_perm=128, **options)
                pairs = list(zip(keys, signatures[name]))
                inserting[name].append(seconds(lambda: [lsh.insert(key, m) for key, m in pairs]))
                querying[name].append(seconds(lambda: [lsh.query(m) for _, m in pairs]))
        print_row(f"`MinHashLSH.insert`, {plan}", "µs", inserting, len(keys))
        print_row(f"`MinHashLSH.query`, {plan}", "µs", querying, len(keys))


def resident_bytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


def print_growth(module: str, keys: int, scheme: str) -> None:
    """Prints the growth of resident memory for each key. The keys exist before, and signatures are dropped."""
    import numpy as np

    sketch = importlib.import_module(module)
    rng = np.random.default_rng(1)
    names = [f"document {i}" for i in range(keys)]
    lsh = sketch.MinHashLSH(num_perm=128, params=(16, 8))

    def insert(name: str) -> None:
        values = rng.integers(0, 1 << 32, 128)
        lsh.insert(name, sketch.LeanMinHash(seed=1, hashvalues=values, scheme=scheme))

    for name in names[:1000]:
        insert(name)
    before = resident_bytes()
    for name in names[1000:]:
        insert(name)
    print((resident_bytes() - before) / (keys - 1000))


def measure_memory(keys: int) -> None:
    for scheme in ("affine32", "legacy"):
        sizes = []
        for name in MODULES:
            command = [sys.executable, __file__, "--grow", name, "--keys", str(keys), "--scheme", scheme]
            sizes.append(float(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        print(f"| memory of a key, {scheme}, 16 bands of 8, {keys:,} keys | {sizes[0]:,.0f} B | {sizes[1]:,.0f} B | {sizes[0] / sizes[1]:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--tokens", type=int, default=300)
    parser.add_argument("--keys", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--grow", choices=MODULES, help=argparse.SUPPRESS)
    parser.add_argument("--scheme", default="affine32", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.grow:
        print_growth(options.grow, options.keys, options.scheme)
        return
    modules = {name: importlib.import_module(name) for name in MODULES}
    print("| 128 hash values | datasketch 2.0 | benzer.datasketch | times |\n| --- | --- | --- | --- |")
    documents = make_documents(options.documents, options.tokens)
    measure_signing(modules, documents, options.turns)
    measure_index(modules, documents, options.turns)
    measure_memory(options.keys)


if __name__ == "__main__":
    main()
