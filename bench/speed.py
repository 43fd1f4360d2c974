"""Measures text to 128 slots, and tokens to 128 slots, in one thread, in turn with peers. All times are CPU seconds."""
from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from corpora import sized, sized_texts
from measure import BENCH, OUT, benzer, publish, shuffled, spread, table

sys.path.insert(0, str(BENCH / "peers"))
from shingling import SLOTS, shingles

DOCUMENTS = 4096
SIZES = {1024: 400_000, 5120: 150_000}  # bytes a document: goal in documents a second
TEXT_GOALS = {  # how many times faster Benzer should be
    "daft minhash, xxh3": "3",
    "rensa RMinHash, Python shingles": "15",
    "datasketch, Python shingles": "40",
}
LEVELS = ("baseline", "avx2", "avx512")
Timed = Callable[[int], float]  # passes -> CPU seconds a pass


class Benzer:
    """Runs sketch_speed as a child process that makes as many passes as it is told to."""

    def __init__(self, kind: str, path: Path, level: str = "") -> None:
        self._child = subprocess.Popen([benzer().parent / "sketch_speed", kind, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       env={**os.environ, "BENZER_CPU": level}, text=True, bufsize=1)
        assert self._child.stdin is not None and self._child.stdout is not None
        self._ask, self._answers = self._child.stdin, self._child.stdout
        self.hello = self._answers.readline().strip()
        self.checksum = ""

    def __call__(self, passes: int) -> float:
        self._ask.write(f"{passes}\n")
        documents, seconds, self.checksum = self._answers.readline().split()
        assert int(documents) == DOCUMENTS
        return float(seconds)

    def close(self) -> None:
        self._ask.close()
        self._child.wait()


def in_process(work: Callable[[], object]) -> Timed:
    def timed(passes: int) -> float:
        started = time.process_time()
        for _ in range(passes):
            work()
        return (time.process_time() - started) / passes

    return timed


def text_peers(texts: list[str]) -> dict[str, Callable[[], object]]:
    from daft import col
    from daft.recordbatch import RecordBatch
    from datasketch import MinHash
    from rensa import RMinHash

    column = RecordBatch.from_pydict({"text": texts})
    minhash = col("text").minhash(num_hashes=SLOTS, ngram_size=5, seed=1, hash_function="xxhash3_64")

    def rensa() -> None:
        for text in texts:
            RMinHash(num_perm=SLOTS, seed=42).update(shingles(text))

    def datasketch() -> None:
        MinHash.bulk(([shingle.encode() for shingle in shingles(text)] for text in texts), num_perm=SLOTS)

    return {
        "daft minhash, xxh3": lambda: column.eval_expression_list([minhash]),
        "rensa RMinHash, Python shingles": rensa,
        "datasketch, Python shingles": datasketch,
    }


def token_peers(sets: list[list[str]]) -> dict[str, Callable[[], object]]:
    from rensa import RMinHash

    def rensa() -> None:
        for tokens in sets:
            RMinHash(num_perm=SLOTS, seed=42).update(tokens)

    return {"rensa RMinHash.update": rensa}


def take_turns(contenders: dict[str, Timed], turns: int) -> dict[str, list[float]]:
    """Returns seconds a pass for each. A turn lasts at least a quarter of a second, so that the time to refill the caches after
    another contender does not dominate for the fast ones."""
    passes = {name: math.ceil(0.25 / timed(1)) for name, timed in contenders.items()}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(turns):
        for name in shuffled(list(contenders), turn):
            seconds[name].append(contenders[name](passes[name]))
    return seconds


def compare(title: str, benzers: dict[str, Benzer], peers: dict[str, Callable[[], object]], goals: dict[str, float],
            goal_rate: float | None, turns: int) -> list[list[object]]:
    """Returns rows: what, documents a second, goal, how many times Benzer is faster, goal, checksum."""
    contenders: dict[str, Timed] = dict(benzers)
    contenders.update({name: in_process(work) for name, work in peers.items()})
    seconds = take_turns(contenders, turns)
    ours = next(iter(benzers))
    rows: list[list[object]] = []
    for name, spent in seconds.items():
        ratios = [peer / own for peer, own in zip(spent, seconds[ours])]
        checksum = benzers[name].checksum if name in benzers else ""
        wanted = f"{goal_rate:,.0f}" if name == ours and goal_rate else ""
        factor = "" if name == ours else f"{spread(ratios)}"
        rate = spread([DOCUMENTS / seconds_a_pass for seconds_a_pass in spent], 0)
        rows.append([title, name, rate, wanted, factor, goals.get(name, ""), checksum])
    for run in benzers.values():
        run.close()
    return rows


def measure_speed(quick: bool) -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for us and for all children
    turns = 3 if quick else 7
    rows: list[list[object]] = []
    notes: list[str] = []
    for size, goal in SIZES.items():
        corpus = sized(size, DOCUMENTS)
        texts = sized_texts(corpus)
        assert len(set(texts)) == DOCUMENTS
        plain, tokens = OUT / f"sized-{size}.txt", OUT / f"sized-{size}.tokens"
        plain.write_text("".join(text + "\n" for text in texts), encoding="ascii")
        sets = [shingles(text) for text in texts]
        tokens.write_text("".join("\t".join(words) + "\n" for words in sets), encoding="ascii")
        notes.append(f"- {corpus.origin()}; {sum(map(len, sets)) / DOCUMENTS:.0f} shingles a document\n")

        label = f"{size // 1024} KiB text"
        ours = {"**Benzer**": Benzer("text", plain)}
        ours |= {f"Benzer, {level}": Benzer("text", plain, level) for level in available_levels()}
        ours |= {"Benzer, features alone": Benzer("features", plain)}
        notes.append(f"- {label}: {ours['**Benzer**'].hello}\n")
        rows += compare(label, ours, text_peers(texts), TEXT_GOALS, goal, turns)
        rows += compare(f"{size // 1024} KiB ready tokens", {"**Benzer**": Benzer("tokens", tokens)}, token_peers(sets),
                        {"rensa RMinHash.update": "1.5"}, None, turns)
    head = ["input", "what", "documents/s", "goal", "Benzer is faster by", "goal", "checksum"]
    text = (f"{DOCUMENTS:,} distinct documents, 5-word shingles, 128 slots, one thread on one core; median "
            f"(min to max) of {turns} turns in changing order, CPU time.\n\n"
            + table(head, rows) + "\n" + "".join(notes))
    publish("speed", "Text to signature", text)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))


def available_levels() -> list[str]:
    flags = Path("/proc/cpuinfo").read_text()
    has = {"baseline": True, "avx2": " avx2" in flags, "avx512": " avx512bw" in flags}
    return [level for level in LEVELS if has[level]]
