"""Measures an index while it changes: rewritten documents, writers during merges, questions to the whole index, equal documents."""
from __future__ import annotations

import itertools
import json
import shutil
import signal
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator

from corpora import Corpus, distinct, planted, short_planted
from index import speed
from index_disk import STORE
from measure import OUT, benzer, publish, run_timed, spread, table
from serve import ROOT, ask, served

TURNS = 5
TEXT = "the quick brown fox jumps over the lazy dog and runs away from the angry bear"
POLL_SECONDS = 0.01


def log_bytes() -> int:
    return sum(path.stat().st_size for path in STORE.glob("log-*") if path.exists())


def rewriting(quick: bool) -> list[list[str]]:
    """Rewrites the same documents again and again, with kills at several moments: how large the log becomes, and how long opening takes."""
    live, times = 1000, 100 if quick else 1000
    lines = distinct(1024, 50_000).path.read_bytes().splitlines(keepends=True)[:live]
    piece = b"".join(lines)

    def rewrite(until: Callable[[int], bool]) -> int:
        """Kills the writer when until(bytes of its log) is true. Returns the largest size of the log that was seen."""
        shutil.rmtree(STORE, ignore_errors=True)
        writer = subprocess.Popen([benzer(), "index", STORE, "-", "--create", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)

        def feed() -> None:
            try:
                for _ in range(times):
                    writer.stdin.write(piece)
                writer.stdin.close()
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        largest = 0
        while writer.poll() is None:
            largest = max(largest, log_bytes())
            if until(largest):
                writer.send_signal(signal.SIGKILL)
                writer.wait()
            time.sleep(POLL_SECONDS)
        feeder.join()
        return largest

    largest = rewrite(lambda _: False)
    opened = []
    for share in (0.5, 0.8, 0.9, 0.95):
        rewrite(lambda size, least=share * largest: size >= least)
        left = log_bytes()
        run = run_timed([benzer(), "stats", STORE])
        opened.append((run.wall_seconds, run.peak_rss_bytes, left))
    return [[f"{live:,} documents rewritten {times:,} times: largest log [goal 128 MB]", f"{largest / 1e6:,.0f} MB"],
            ["opening it after a kill, at the worst of four moments [goal 1 s, 200 MB]",
             f"{max(run[0] for run in opened):.2f} s, {max(run[1] for run in opened) / 1e6:,.0f} MB of memory, with "
             f"{max(run[2] for run in opened) / 1e6:,.0f} MB of log"]]


def merging(quick: bool) -> list[list[str]]:
    corpus = short_planted(10**5 if quick else 3 * 10**6)
    shutil.rmtree(STORE, ignore_errors=True)
    found = speed("load", STORE, corpus.path)
    return [[f"longest write of {corpus.documents:,} documents, 1,024 at a time, synced, while segments are merged [goal 0.5 s]",
             f"{found['call_max'] / 1e6:.2f} s (median {found['call_p50'] / 1e3:.0f} ms, p99 {found['call_p99'] / 1e3:.0f} ms; "
             f"{found['merges']:.0f} merges)"]]


def latencies(work: Iterator[Callable[[], object]], goes_on: Callable[[], bool]) -> list[float]:
    """Returns the times of calls, one after the other, in ms, ascending, as long as goes_on() is true."""
    out = []
    while goes_on():
        call = next(work)
        started = time.perf_counter()
        call()
        out.append((time.perf_counter() - started) * 1e3)
        time.sleep(0.005)
    return sorted(out)


def long_questions(quick: bool) -> list[list[str]]:
    """Measures similar and PUT, on the same index and on another one, while a client asks for all clusters of the first."""
    corpus = planted(10_000 if quick else 100_000)
    texts = [json.loads(line)["text"] for line in itertools.islice(corpus.path.open(encoding="utf-8"), 1000)]
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir()
    for name in ("asked", "other"):
        run_timed([benzer(), "index", ROOT / name, corpus.path, "--create", "--quiet"])
    questions = 2 if quick else 10
    taken: list[float] = []
    rows = []
    with served() as (port, _):
        def clusters() -> None:
            for _ in range(questions):
                started = time.perf_counter()
                ask_lines(port, "/v1/indexes/asked/clusters")
                taken.append(time.perf_counter() - started)

        def calls(name: str, what: str) -> Iterator[Callable[[], object]]:
            path = f"/v1/indexes/{name}"
            for number in itertools.count():
                text = texts[number % len(texts)]
                if what == "similar":
                    yield lambda: ask(port, "POST", path + "/similar", {"text": text})
                else:
                    yield lambda: ask(port, "PUT", f"{path}/documents/new-{number % 100}", {"text": f"{text} {number}"})

        for name, what in itertools.product(("asked", "other"), ("similar", "PUT")):
            questioner = threading.Thread(target=clusters)
            questioner.start()
            found = latencies(calls(name, what), questioner.is_alive)
            questioner.join()
            goal = 50 if what == "similar" else 100
            rows.append([f"`{what}` in the {'same' if name == 'asked' else 'other'} index meanwhile: p99 [goal {goal} ms]",
                         f"{found[len(found) * 99 // 100]:.1f} ms (median {found[len(found) // 2]:.1f}, slowest {found[-1]:.1f}, of {len(found):,})"])
    return [[f"`clusters` of {corpus.documents:,} documents over HTTP", f"{spread(taken)} s"], *rows]


def ask_lines(port: int, path: str) -> None:
    subprocess.run(["curl", "-sS", "--fail", "-X", "POST", "-H", "Content-Type: application/json", "-d", "{}", "-o", OUT / "answer",
                    f"http://127.0.0.1:{port}{path}"], check=True)


def copies(count: int) -> Corpus:
    path = OUT / f"copies-{count}.jsonl"
    path.write_text("".join(json.dumps({"id": f"copy-{number}", "text": TEXT}) + "\n" for number in range(count)), encoding="utf-8")
    return Corpus(path, None, count, "", "", 0)


def equal_documents(quick: bool) -> list[list[str]]:
    corpus = copies(10_000)
    shutil.rmtree(STORE, ignore_errors=True)
    run_timed([benzer(), "index", STORE, corpus.path, "--create", "--quiet"])
    seconds = [run_timed([benzer(), "clusters", STORE]).wall_seconds for _ in range(TURNS)]
    rows = [[f"`clusters` of {corpus.documents:,} equal documents [goal 0.1 s]", f"{spread(seconds, 3)} s"]]

    many = copies(20_000 if quick else 200_000)
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir()
    run_timed([benzer(), "index", ROOT / "same", many.path, "--create", "--quiet"])
    with served() as (port, _):
        def check() -> object:
            return ask(port, "POST", "/v1/indexes/same/check-and-add", {"document": {"id": "new", "text": TEXT}})

        check()  # reads the pages of the store into memory first
        left = iter(range(100))
        found = latencies(itertools.repeat(check), lambda: next(left, None) is not None)
    rows.append([f"`check-and-add` to {many.documents:,} equal documents, over HTTP [goal 5 ms]",
                 f"{statistics.median(found):.1f} ms (slowest of {len(found)}: {found[-1]:.1f})"])
    return rows


def measure_upkeep(quick: bool) -> None:
    rows = [*rewriting(quick), *merging(quick), *long_questions(quick), *equal_documents(quick)]
    for folder in (STORE, ROOT):
        shutil.rmtree(folder)
    publish("index-upkeep", "An index while it changes", table(["what", "measured"], rows))
