"""Measures a hundred million documents within a limit of memory, and goes on with a run that was killed at several moments."""
from __future__ import annotations

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from corpora import SEED, sentence_pool
from measure import OUT, Run, benzer, compile_tool, publish, run_timed, sha256, spread, table, warm
from score import read_pairs, score
from skew import SHINGLE, WORD

GIB = 1 << 30
PARTS = 10
SAMPLE = 100  # one in so many families has its truth measured
CHECKED = 2000  # removed documents that are compared with their keepers again
THRESHOLD = Fraction(4, 5)
KILLS = [0.1, 0.35, 0.55, 0.7, 0.8, 0.9]  # of the time of a run that is not killed


class Packed:
    """A corpus as ten .zst files, made once, and the truth of a sample of it."""

    def __init__(self, documents: int) -> None:
        self.documents = documents
        self.folder = OUT / f"scale-{documents}"
        self.files = [self.folder / f"part-{part:02}.jsonl.zst" for part in range(PARTS)]
        self.truth = self.folder / "truth.tsv"
        self.text_bytes = self.folder / "bytes.json"
        if not self.text_bytes.exists():
            self.make()
        self.bytes = json.loads(self.text_bytes.read_text())

    def generator(self, out: str | Path, *options: str | Path) -> list[str | Path]:
        return [compile_tool("make_corpus"), sentence_pool(), out, str(self.documents), str(SEED), "--median", "360", *options]

    def make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        total = 0
        cores = os.cpu_count() or 1
        for first in range(0, PARTS, cores):  # as many at a time as there are cores; each knows the order of all documents
            makers = []
            for part in range(first, min(first + cores, PARTS)):
                truth = ["--truth", self.truth, "--truth-of-one-in", str(SAMPLE)] if part == 0 else []
                command = self.generator("/dev/stdout", "--part", f"{part + 1}/{PARTS}", *truth)
                makers.append(subprocess.Popen(["bash", "-ec", 'set -o pipefail; "${@:2}" | zstd -q -f -3 --long=27 -o "$1"', "make",
                                                self.files[part], *map(str, command)]))
            if any(maker.wait() != 0 for maker in makers):
                raise SystemExit(f"{self.folder} could not be made")
        for file in self.files:
            listed = subprocess.run(f"zstd -q -dc --long=27 {file} | wc -c", shell=True, capture_output=True, text=True, check=True)
            total += int(listed.stdout)
        self.text_bytes.write_text(json.dumps(total))

    def texts(self, ids: list[str]) -> dict[str, str]:
        """Returns the texts of some documents, which are made again."""
        names, out = OUT / "ids.txt", OUT / "texts.jsonl"
        names.write_text("\n".join(ids) + "\n")
        subprocess.run(self.generator(out, "--ids", names), check=True)
        with out.open(encoding="ascii") as file:
            return {line["id"]: line["text"] for line in map(json.loads, file)}

    def packed_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.files)


class LeastFree(threading.Thread):
    """Notes how much of the disk is free while a run needs most of it. Others must leave it alone."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.before = self.least = self.free()
        self.is_over = threading.Event()

    @staticmethod
    def free() -> int:
        status = os.statvfs(OUT)
        return status.f_bavail * status.f_frsize

    def run(self) -> None:
        while not self.is_over.wait(0.2):
            self.least = min(self.least, self.free())


@contextmanager
def watched_disk() -> Iterator[LeastFree]:
    os.sync()
    watch = LeastFree()
    watch.start()
    yield watch
    watch.is_over.set()
    watch.join()


def shingles(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(text.lower())
    return {tuple(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))}


def removals(path: Path) -> Iterator[tuple[str, str]]:
    """Yields the removed documents and their keepers."""
    with path.open(encoding="utf-8") as file:
        for line in map(json.loads, file):
            yield line["id"], line["kept_id"]


def accuracy(corpus: Packed, list_of_removed: Path) -> tuple[int, float, int]:
    """Returns how many were removed, the recall of the sample, and how many of CHECKED keepers are not similar enough."""
    pairs = read_pairs(corpus.truth)
    wanted = {name for pair in pairs for name in pair[:2]}
    chance = random.Random(SEED)
    removed: set[str] = set()
    checked: list[tuple[str, str]] = []
    count = 0
    for name, keeper in removals(list_of_removed):
        count += 1
        if name in wanted:
            removed.add(name)
        if len(checked) < CHECKED:
            checked.append((name, keeper))
        elif (place := chance.randrange(count)) < CHECKED:
            checked[place] = (name, keeper)
    texts = corpus.texts(sorted({name for pair in checked for name in pair}))
    wrong = 0
    for name, keeper in checked:
        a, b = shingles(texts[name]), shingles(texts[keeper])
        wrong += Fraction(len(a & b), len(a | b)) < THRESHOLD
    return count, score(pairs, removed, THRESHOLD).leader_recall, wrong


def command(corpus: Packed, list_of_removed: Path, limit: int, *more: str | Path) -> list[str | Path]:
    limited = ["--memory-limit", str(limit)] if limit else []
    return [benzer(), "dedup", *corpus.files, "--removed", list_of_removed, "--quiet", *limited, *more]


def run_once(corpus: Packed, list_of_removed: Path, limit: int) -> tuple[Run, int]:
    """Returns also the most of the disk that it took. The kept lines are thrown away, since the disk has no room for them."""
    with watched_disk() as disk:
        run = run_timed(command(corpus, list_of_removed, limit, "-o", "-"), {"TMPDIR": str(OUT)}, output=Path("/dev/null"))
    return run, disk.before - disk.least


def measure_scale(quick: bool) -> None:
    few, many = Packed(100_000 if quick else 10**6), Packed(10**6 if quick else 10**8)
    limit = GIB // 8 if quick else 8 * GIB
    list_of_removed = OUT / "scale.removed.jsonl"
    rows = []
    own = 0.0
    for corpus, limit_of_run, turns in ((few, 0, 5), (many, limit, 1)):
        runs = []
        for _ in range(turns):
            for file in corpus.files if corpus is few else []:
                warm(file)
            run, disk = run_once(corpus, list_of_removed, limit_of_run)
            runs.append(run)
        each = [run.cpu_seconds / corpus.documents * 1e6 for run in runs]
        own = own or statistics.median(each)
        count, recall, wrong = accuracy(corpus, list_of_removed)
        rows.append([f"{corpus.documents:,}", f"{corpus.bytes / 1e9:,.1f}", f"{corpus.packed_bytes() / 1e9:,.1f}",
                     f"{limit_of_run / GIB:g} GiB" if limit_of_run else "none", spread(each),
                     f"{100 * (statistics.median(each) / own - 1):+.0f} %", spread((run.wall_seconds for run in runs), 0),
                     f"{max(run.peak_rss_bytes for run in runs) / GIB:.2f}", f"{max(run.peak_rss_bytes for run in runs) / corpus.documents:.0f}",
                     f"{disk / corpus.documents:.0f}", f"{count:,}", f"{recall:.4f}", f"{wrong} of {min(CHECKED, count):,}"])
    head = ["documents", "GB", "packed GB", "limit", "CPU us a document", "beside the first [goal +20 %]", "wall s", "peak GiB",
            "memory, bytes a document", "disk, bytes a document", "removed", "recall", "keepers that are not similar"]
    publish("scale", "A hundred million documents",
            f"Documents of about 0.6 KB in ten `.zst` files, a fifth of them near-copies; `benzer dedup FILES -o - --removed LIST "
            f"--memory-limit BYTES > /dev/null`. Recall is of the planted pairs of one in {SAMPLE} families, and keepers are compared "
            f"again by a program that shares no code with Benzer.\n\n" + table(head, rows))


def measure_killed(quick: bool) -> None:
    corpus = Packed(100_000 if quick else 10**7)
    limit = GIB // 16 if quick else GIB
    list_of_removed, clean, work = OUT / "killed.removed.jsonl", OUT / "killed.clean.jsonl", OUT / "killed.work"

    def start(*more: str) -> subprocess.Popen:
        return subprocess.Popen(command(corpus, list_of_removed, limit, "-o", clean, "--work", work, *more), stderr=subprocess.DEVNULL)

    def digests() -> tuple[str, str]:
        return sha256(clean), sha256(list_of_removed)

    def fresh() -> None:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()

    fresh()
    began = time.monotonic()
    if start().wait() != 0:
        raise SystemExit("the run that is not killed failed")
    whole, wanted = time.monotonic() - began, digests()
    rows = []
    for moment in KILLS:
        fresh()
        clean.unlink(missing_ok=True)
        began = time.monotonic()
        process = start()
        time.sleep(moment * whole)
        process.send_signal(signal.SIGKILL)
        code = process.wait()
        kept = {kind: sum(file.stat().st_size for file in work.rglob(f"*{kind}*") if file.is_file()) for kind in ("sketch", "verify")}
        began = time.monotonic()
        if start("--resume").wait() != 0:
            raise SystemExit(f"the run that was killed after {moment:.0%} does not go on")
        rows.append([f"{moment:.0%}", "killed" if code == -signal.SIGKILL else "had ended", f"{kept['sketch'] / corpus.documents:.0f}",
                     f"{kept['verify'] / corpus.documents:.1f}", f"{time.monotonic() - began:.1f}", "yes" if digests() == wanted else "**no**"])
    for path in (clean, list_of_removed):
        path.unlink()
    head = ["killed after this part of the time", "", "sketches kept, bytes a document", "pairs kept, bytes a document", "going on, s", "equal bytes"]
    publish("killed", "A large run that is killed",
            f"{corpus.documents:,} documents of about 0.6 KB in ten `.zst` files, `--memory-limit {limit // (1 << 20)}M --work FOLDER`; "
            f"{whole:.1f} s if it is not killed. Then the same with `--resume`.\n\n" + table(head, rows))
