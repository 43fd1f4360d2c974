"""Measures an index in memory, and those of Python libraries: adding documents, queries, memory, and what is found."""
from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpora import Corpus, distinct, short_planted
from measure import BENCH, OUT, VENV_PYTHON, benzer, publish, shuffled, spread, table

sys.path.insert(0, str(BENCH / "peers"))
from shingling import shingles

QUERIES = 4096
Found = dict[str, float]
PEERS = ("rensa", "gaoya", "datasketch")
# One thread for rayon, because gaoya would use all cores.
ONE_THREAD = {**os.environ, "RAYON_NUM_THREADS": "1"}


def answer_of(*command: str | Path) -> Found:
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True, env=ONE_THREAD)
    return json.loads(done.stdout)


def speed(*words: str | Path) -> Found:
    return answer_of(benzer().parent / "index_speed", *words)


def peer(*words: str | Path) -> Found:
    return answer_of(VENV_PYTHON, BENCH / "peers" / "index_peers.py", *words)


@contextmanager
def one_core() -> Iterator[None]:
    """Limits this process, and all that it starts, to one core."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(all_cores)})
    yield
    os.sched_setaffinity(0, all_cores)


def some_of(corpus: Corpus, count: int = QUERIES) -> Path:
    """Returns random documents of the corpus, as queries."""
    path = OUT / f"{corpus.path.stem}.{count}.jsonl"
    generator, size = random.Random(1), corpus.path.stat().st_size
    with corpus.path.open("rb") as lines, path.open("wb") as out:
        for _ in range(count):
            line = b""
            while not line:  # the end of the file was hit: try another place
                lines.seek(generator.randrange(size))
                lines.readline()
                line = lines.readline()
            out.write(line)
    return path


def asked_of(corpus: Corpus, size: int = 1024) -> list[Path]:
    """Returns the corpus, queries that are documents of it, and other queries."""
    return [corpus.path, some_of(corpus), distinct(size, QUERIES, seed=7).path]


def each(runs: list[Found], *names: str, digits: int = 2) -> str:
    """The sum of these figures, in each run."""
    return spread((sum(run[name] for name in names) for run in runs), digits)


def texts(quick: bool) -> str:
    turns = 2 if quick else 3
    rows = []
    for size, documents, goal in ((1024, 20_000, 200_000), (5120, 10_000, 90_000)):
        corpus = distinct(size, documents // 4 if quick else documents)
        asked = asked_of(corpus, size)
        runs: dict[str, list[Found]] = {name: [] for name in ("benzer", *PEERS)}
        for turn in range(turns):
            for name in shuffled(list(runs), turn):
                if name == "datasketch" and turn > 0:
                    continue
                runs[name].append(speed("memory", *asked) if name == "benzer" else peer("text", name, corpus.path))
        own = statistics.median(run["cpu"] for run in runs["benzer"])
        rows.append([f"{size // 1024} KiB", f"{corpus.documents:,}", "**Benzer**",
                     spread((1e6 / run["cpu"] for run in runs["benzer"]), 0), f"{goal:,}", "", "", ""])
        for name in PEERS:
            counts = [run["documents"] for run in runs[name]]
            whole = [(run["shingling"] + run["rest"]) / count for run, count in zip(runs[name], counts)]
            rest = [run["rest"] / count for run, count in zip(runs[name], counts)]
            rows.append([f"{size // 1024} KiB", f"{corpus.documents:,}", name, spread((1 / s for s in whole), 0), "",
                         spread((1 / s for s in rest), 0), f"{statistics.median(whole) / own * 1e6:.1f}",
                         f"{statistics.median(rest) / own * 1e6:.1f}"])
    head = ["documents of", "documents", "what", "documents/s", "goal", "without shingling",
            "Benzer is faster by", "if shingling were free"]
    return ("Text in, CPU time of one thread on one core. Benzer keeps all features for exact answers. The shingles of "
            "rensa and datasketch are made in Python, as their users do; gaoya makes its own, and hashes each word "
            "shingle of the text as it is.\n\n" + table(head, rows))


def sizes(quick: bool) -> str:
    rows, bytes_rows = [], []
    for documents in (10_000, 50_000) if quick else (10_000, 100_000, 1_000_000):
        corpus = distinct(1024, documents)
        asked = asked_of(corpus)
        turns = 1 if quick else 5 if documents < 10**6 else 3
        parts: list[Found] = []
        whole: list[Found] = []
        peers: dict[str, list[Found]] = {name: [] for name in PEERS if name != "datasketch" or documents < 10**6}
        for turn in range(turns):
            for name in shuffled(["parts", "whole", *peers], turn):
                if name == "parts":
                    parts.append(speed("parts", *asked))
                elif name == "whole":
                    whole.append(speed("memory", *asked))
                elif turn == 0 or documents < 10**6 and name != "datasketch":
                    peers[name].append(peer("ready", name, str(documents)))
        count = f"{documents:,}"
        rows.append([count, "**Benzer**", each(whole, "cpu"), *row_of(parts)])
        rows += [[count, name, "", *row_of(found)] for name, found in peers.items()]
        bytes_rows.append([count, "**Benzer**",
                           *(f"{whole[0][name]:,.0f}" for name in ("tables", "keys", "cuts", "features", "ids")),
                           f"{whole[0]['tables'] + whole[0]['keys'] + whole[0]['cuts']:,.0f}",
                           each(whole, "resident", digits=0)])
        bytes_rows += [[count, name, *[""] * 6, each(found, "resident", digits=0)] for name, found in peers.items()]
    head = ["documents", "what", "text in, us", "insert, us [goal 2]", "known, in batches, us [goal 1]",
            "new, in batches", "known, alone: p50 [goal 10]", "p99", "new, alone: p50", "p99"]
    bytes_head = ["documents", "what", "tables", "keys", "slots", "features", "ids", "tables, keys and slots [goal 300]",
                  "resident memory, all of it"]
    return ("Documents of 1 KiB. Microseconds each: of CPU, of queries alone by the clock. *Insert* and queries are the "
            "index alone: hashes, or the peers' signatures, are ready. *Known* queries are texts that the index has "
            "under another id, and so one exact comparison with all features; *new* ones are like nothing. Peers "
            "compare nothing exactly; rensa and datasketch answer with candidates, gaoya makes its signatures inside "
            "of both calls, and checks them.\n\n" + table(head, rows)
            + "\nBytes a document, as the index counts them and by what the process grew.\n\n"
            + table(bytes_head, bytes_rows))


def row_of(runs: list[Found]) -> list[str]:
    return [each(runs, name) for name in ("insert", "batch_known", "batch_new", "alone_known_p50", "alone_known_p99",
                                          "alone_new_p50", "alone_new_p99")]


def threads(quick: bool) -> str:
    asked = asked_of(distinct(1024, 20_000 if quick else 100_000))
    runs: dict[str, list[Found]] = {"one": [], "two callers": [], "threads = 2": []}
    for turn in range(2 if quick else 5):
        for name in shuffled(list(runs), turn):
            how = {"one": ("threads", "1"), "two callers": ("callers", "2"), "threads = 2": ("threads", "2")}[name]
            runs[name].append(speed("memory", *asked, *how))

    def times(name: str, what: str) -> str:
        return f"{statistics.median(r[what] for r in runs['one']) / statistics.median(r[what] for r in runs[name]):.2f}"

    rows = [[name, each(found, "wall"), times(name, "wall"), each(found, "batch_known"), times(name, "batch_known")]
            for name, found in runs.items()]
    return ("Microseconds by the clock, text in. *Two callers* give the index halves of the documents at the same "
            "time; `threads = 2` is one caller, and only hashing takes two threads.\n\n"
            + table(["threads", "insert, us", "times [goal 1.8]", "known, in batches, us", "times [goal 1.8]"], rows))


def measure_index_memory(quick: bool) -> None:
    with one_core():
        sections = [texts(quick), sizes(quick)]
    sections.append(threads(quick))
    publish("index-memory", "The index in memory", "\n".join(sections))


def measure_index_recall(quick: bool) -> None:
    corpus = short_planted(10_000 if quick else 50_000)
    tokens = OUT / "index.tokens.jsonl"
    with corpus.path.open(encoding="utf-8") as lines, tokens.open("w", encoding="utf-8") as out:
        for line in lines:
            record = json.loads(line)
            out.write(json.dumps({"id": record["id"], "values": shingles(record["text"])}) + "\n")
    found: dict[str, Found] = {"**Benzer**": speed("judge", tokens)}
    for name in PEERS:
        pairs = OUT / f"index.{name}.pairs"
        peer("pairs", name, tokens, pairs)
        found[name] = speed("judge", tokens, pairs)
        pairs.unlink()
    tokens.unlink()
    rows = [[name, f"{run['near_recall']:.4f}", f"{run['recall']:.4f}", f"{run['precision']:.4f}", f"{run['found']:,.0f}"]
            for name, run in found.items()]
    ours = found["**Benzer**"]
    head = ["what", "recall at J 0.8 to 0.82 [goal 0.99]", "recall", "precision [goal 1]", "pairs found"]
    publish("index-recall", "What the index finds",
            f"{corpus.documents:,} documents with near-copies, every one asked for; the same shingles for all, made in "
            f"Python. Judge is an exact join of the shingles: {ours['pairs']:,.0f} pairs have J >= 0.8, "
            f"{ours['near_pairs']:,.0f} of them J < 0.82. rensa and datasketch give candidates; gaoya's answers are those "
            "whose estimate reaches the threshold.\n\n" + table(head, rows) + f"\n- {corpus.origin()}\n")
