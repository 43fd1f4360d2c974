"""Makes the inputs of the benchmarks once, keeps them under build/bench/, and makes them again when their generator has changed."""
from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from measure import BENCH, OUT, compile_tool, sha256

SEED = 20240701


@dataclass(frozen=True)
class Corpus:
    path: Path
    truth: Path | None
    documents: int
    digest: str
    pool_digest: str | None  # None if the words are drawn, and not from sentences
    seed: int

    def origin(self) -> str:
        size = self.path.stat().st_size / 1e6
        pool = f", sentence pool sha256 {self.pool_digest[:16]}" if self.pool_digest else ""
        return (f"{self.path.name}: {self.documents:,} documents, {size:,.1f} MB, seed {self.seed}, "
                f"sha256 {self.digest[:16]}{pool}")


def sentence_pool() -> Path:
    pool = OUT / "pool.txt"
    if not pool.exists():
        fresh = OUT / "pool.fresh"
        subprocess.run([sys.executable, BENCH / "sentence_pool.py", fresh], check=True)
        fresh.rename(pool)
    return pool


def generated(name: str, documents: int, *options: str, with_truth: bool = False, seed: int = SEED) -> Corpus:
    pool = sentence_pool()
    path, stamp = OUT / f"{name}.jsonl", OUT / f"{name}.stamp"
    truth = OUT / f"{name}.truth.tsv" if with_truth else None
    recipe = {"pool": sha256(pool), "generator": sha256(BENCH / "make_corpus.cc"), "documents": documents,
              "seed": seed, "options": list(options)}
    known = json.loads(stamp.read_text()) if stamp.exists() and path.exists() else {}
    if known.get("recipe") != recipe:
        tool = compile_tool("make_corpus")
        truth_option = ["--truth", str(truth)] if truth else []
        subprocess.run([tool, pool, path, str(documents), str(seed), *truth_option, *options], check=True)
        known = {"recipe": recipe, "sha256": sha256(path)}
        stamp.write_text(json.dumps(known))
    return Corpus(path, truth, documents, known["sha256"], recipe["pool"], seed)


def planted(documents: int) -> Corpus:
    """Returns the corpus of whole runs, with near-duplicates and their truth."""
    short = f"{documents // 1000}k" if documents < 10**6 else f"{documents // 10**6}m"
    return generated(f"corpus-{short}", documents, with_truth=True)


def short_planted(documents: int) -> Corpus:
    """Returns the same with documents of about half a kilobyte, without the truth, which would be too large for ten million."""
    short = f"{documents // 1000}k" if documents < 10**6 else f"{documents // 10**6}m"
    return generated(f"short-{short}", documents, "--median", "360")


def sized(bytes_each: int, documents: int) -> Corpus:
    """Returns distinct documents of one length, for the kernels."""
    return generated(f"sized-{bytes_each}", documents, "--bytes", str(bytes_each))


def distinct(bytes_each: int, documents: int, seed: int = SEED) -> Corpus:
    """Returns the same, in a number for an index. Other seeds give other documents."""
    name = f"sized-{bytes_each}-{documents}" + ("" if seed == SEED else f"-{seed}")
    return generated(name, documents, "--bytes", str(bytes_each), seed=seed)


def sized_texts(corpus: Corpus) -> list[str]:
    with corpus.path.open(encoding="ascii") as file:
        return [json.loads(line)["text"].replace("\n", " ") for line in file]


def with_passages(kind: str, documents: int) -> Corpus:
    """Returns documents that share passages: planted, changed, menu or own (make_passages.py). Only `own` has no truth."""
    short = f"{documents / 1000:g}k" if documents < 10**6 else f"{documents / 10**6:g}m"
    path, stamp, truth = (OUT / f"passages-{kind}-{short}.{end}" for end in ("jsonl", "stamp", "truth.jsonl"))
    recipe = {"generator": sha256(BENCH / "make_passages.py"), "documents": documents, "seed": SEED}
    known = json.loads(stamp.read_text()) if stamp.exists() and path.exists() else {}
    if known.get("recipe") != recipe:
        subprocess.run([sys.executable, BENCH / "make_passages.py", kind, path, str(documents), str(SEED),
                        *([] if kind == "own" else [truth])], check=True)
        known = {"recipe": recipe, "sha256": sha256(path)}
        stamp.write_text(json.dumps(known))
    return Corpus(path, None if kind == "own" else truth, documents, known["sha256"], None, SEED)


def planted_passages(documents: int) -> Corpus:
    return with_passages("planted", documents)


def unpacked(packed: Path) -> Path:
    """Returns an uncompressed copy of a .zst file."""
    plain = OUT / packed.stem
    if not plain.exists() or plain.stat().st_mtime < packed.stat().st_mtime:
        subprocess.run(["zstd", "-q", "-f", "-d", "--long=27", packed, "-o", plain], check=True)
        plain.touch()
    return plain
