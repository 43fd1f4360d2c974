#!/usr/bin/env python3
"""Describes what a module with the interface of datasketch 2.0 computes, as data for JSON.

`python datasketch_vectors.py` writes datasketch_vectors.json with what datasketch 2.0.0 computes; it must be installed.
These are promises: signatures that were stored with it must compare for ever, so the file is not written again.
"""

from __future__ import annotations

import base64
import importlib
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).resolve().parent / "datasketch_vectors.json"
SCHEMES = ("affine32", "affine64", "legacy")

# Values of all lengths around a block of SHA-1 (64 bytes), and a long one.
VALUES = [b"value %d " % i + b"x" * i for i in range(70)] + [b"", b"y" * 1000]
SOME_KEYS = range(12)


def some_sets() -> list[list[bytes]]:
    """Sets of which neighbours share most values."""
    return [[b"%d" % j for j in range(i, i + 20)] for i in SOME_KEYS]


def numbers(values: Any) -> Any:
    return np.asarray(values).tolist()


def make(sketch: Any, values: list[bytes], **options: Any) -> Any:
    m = sketch.MinHash(**options)
    m.update_batch(values)
    return m


def describe_signatures(sketch: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for scheme in SCHEMES:
        for seed in (1, 42, (1 << 31) + 5):
            for num_perm in (1, 5, 67):
                m = make(sketch, VALUES, num_perm=num_perm, seed=seed, scheme=scheme)
                result[f"{scheme} {seed} {num_perm}"] = [numbers(m.hashvalues), m.count()]
        result[f"{scheme} permutations"] = numbers(sketch.MinHash(num_perm=5, scheme=scheme).permutations)
        m = sketch.MinHash(num_perm=5, scheme=scheme, hashfunc=lambda value: value)
        m.update_batch([1, 2, 3, (1 << 32) - 1])
        result[f"{scheme} own hashfunc"] = numbers(m.hashvalues)
    result["sha1"] = [sketch.sha1_hash32(b"abc"), sketch.sha1_hash64(b"abc")]
    return result


def describe_bytes(sketch: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for scheme in SCHEMES:
        m = make(sketch, VALUES, num_perm=5, scheme=scheme)
        lean = sketch.LeanMinHash(m)
        for order in "@=<>!":
            buffer = bytearray(lean.bytesize(order))
            lean.serialize(buffer, order)
            result[f"lean {scheme} {order}"] = buffer.hex()
        result[f"lean {scheme} state"] = lean.__getstate__().hex()
        for b in (0, 1, 2, 3, 8, 11, 32):
            short = sketch.bBitMinHash(m, b=b, r=0.25)
            result[f"b-bit {scheme} {b}"] = [short.__getstate__().hex(), short.bytesize()]
    a, b = (make(sketch, values) for values in some_sets()[:2])
    for bits, r in ((1, 0.0), (4, 0.0), (4, 0.25)):
        result[f"b-bit jaccard {bits} {r}"] = sketch.bBitMinHash(a, bits, r).jaccard(sketch.bBitMinHash(b, bits, r))
    return result


def describe_weighted(sketch: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    rng = np.random.RandomState(7)
    for dim, samples, seed in ((3, 4, 1), (40, 8, 42)):
        generator = sketch.WeightedMinHashGenerator(dim, sample_size=samples, seed=seed)
        vectors = rng.uniform(0, 10, (4, dim)) * (rng.uniform(0, 1, (4, dim)) < 0.6)
        vectors[:, 0] = 1
        result[f"{dim} {samples}"] = [numbers(generator.minhash(vector).hashvalues) for vector in vectors]
        vectors[2] = 0
        many = generator.minhash_many(vectors)
        result[f"{dim} {samples} many"] = [None if m is None else numbers(m.hashvalues) for m in many]
    return result


def describe_indexes(sketch: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for scheme in SCHEMES:
        signatures = [make(sketch, values, num_perm=32, scheme=scheme) for values in some_sets()]
        lsh = sketch.MinHashLSH(num_perm=32, params=(8, 4))
        forest = sketch.MinHashLSHForest(num_perm=32, l=4)
        ensemble = sketch.MinHashLSHEnsemble(threshold=0.5, num_perm=32, num_part=3, m=4)
        for key, m in zip(SOME_KEYS, signatures):
            lsh.insert(key, m)
            forest.add(key, m)
        forest.index()
        # Few sizes, so that each is a partition of its own.
        ensemble.index([(key, m, 20 + key % 3) for key, m in zip(SOME_KEYS, signatures)])
        result[f"band keys {scheme}"] = [band_key.hex() for band_key in lsh.keys[3]]
        result[f"counts {scheme}"] = [sorted(counts.values()) for counts in lsh.get_counts()]
        result[f"lsh {scheme}"] = [sorted(lsh.query(m)) for m in signatures]
        result[f"forest {scheme}"] = [sorted(forest.query(m, 3)) for m in signatures]
        result[f"ensemble {scheme}"] = [sorted(ensemble.query(m, 20)) for m in signatures]
    for threshold in (0.1, 0.3, 0.5, 0.7, 0.8):
        for num_perm in (20, 128, 256):
            lsh = sketch.MinHashLSH(threshold=threshold, num_perm=num_perm, weights=(0.4, 0.6))
            result[f"plan {threshold} {num_perm}"] = [lsh.b, lsh.r]
    return result


def describe(sketch: Any) -> dict[str, Any]:
    return {
        "signatures": describe_signatures(sketch),
        "bytes": describe_bytes(sketch),
        "weighted": describe_weighted(sketch),
        "indexes": describe_indexes(sketch),
    }


def describe_pickles(sketch: Any) -> dict[str, str]:
    """Pickles as base64, of objects that `datasketch_test.py` makes again to compare."""
    objects: dict[str, Any] = {}
    for scheme in SCHEMES:
        m = make(sketch, VALUES, num_perm=8, scheme=scheme)
        objects[f"minhash {scheme}"] = m
        objects[f"lean {scheme}"] = sketch.LeanMinHash(m)
        objects[f"b-bit {scheme}"] = sketch.bBitMinHash(m, b=4)
        lsh = sketch.MinHashLSH(num_perm=8, params=(4, 2))
        lsh.insert("first", m)
        objects[f"lsh {scheme}"] = lsh
    forest = sketch.MinHashLSHForest(num_perm=8, l=2)
    forest.add("first", objects["minhash affine32"])
    forest.index()
    objects["forest"] = forest
    objects["weighted"] = sketch.WeightedMinHashGenerator(3, 4).minhash([1, 2, 3])
    return {name: base64.b64encode(pickle.dumps(value, 4)).decode("ascii") for name, value in objects.items()}


if __name__ == "__main__":
    module = importlib.import_module("datasketch")
    FILE.write_text(json.dumps({**describe(module), "pickles": describe_pickles(module)}, separators=(",", ":")) + "\n")
    print(f"wrote {FILE.stat().st_size} bytes to {FILE.name}")
