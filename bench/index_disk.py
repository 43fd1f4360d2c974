"""Measures an index on disk: loading, bytes written, queries, and how soon it answers after opening."""
from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import time
from pathlib import Path

from corpora import Corpus, distinct, short_planted
from index import QUERIES, Found, answer_of, one_core, some_of, speed
from measure import BENCH, OUT, VENV_PYTHON, Run, benzer, publish, run_timed, spread, table, warm
from servers import redis_server

STORE = OUT / "index.benzer"
PEERS = BENCH / "peers"
COLD_QUERIES, COLD_TURNS = 20, 10
LOAD_HEAD = ["documents", "what", "documents/s [goal 40,000, bulk 80,000]", "wall s", "CPU us a document",
             "bytes kept a document", "bytes written per byte kept [goal 5]"]
QUERY_HEAD = ["documents", "what", "segments", "known: p50 [goal 25]", "p99 [goal 100]", "new: p50", "p99",
              "known, cold: p50", f"slowest of {COLD_QUERIES}"]


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def load_command(corpus: Corpus, *options: str) -> list[str | Path]:
    return [benzer(), "index", STORE, corpus.path, "--create", "--quiet", *options]


def load(corpus: Corpus, options: list[str], turns: int) -> list[tuple[Run, int]]:
    """Loads a new store, `turns` times. Returns the runs, and the sizes of the stores."""
    runs = []
    for _ in range(turns):
        shutil.rmtree(STORE, ignore_errors=True)
        warm(corpus.path)
        runs.append((run_timed(load_command(corpus, *options)), bytes_in(STORE)))
    return runs


def load_row(name: str, corpus: Corpus, runs: list[tuple[Run, int]]) -> list[str]:
    count = corpus.documents
    return [f"{count:,}", name, spread((count / run.wall_seconds for run, _ in runs), 0),
            spread(run.wall_seconds for run, _ in runs), spread(run.cpu_seconds / count * 1e6 for run, _ in runs),
            f"{runs[0][1] / count:,.0f}", spread(run.written_bytes / kept for run, kept in runs)]


def forget() -> str:
    """Drops the store from the page cache, and returns a sentence that says how."""
    os.sync()
    try:
        Path("/proc/sys/vm/drop_caches").write_text("1", encoding="ascii")
        return "the system's whole page cache is dropped"
    except OSError:
        for path in STORE.iterdir():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return "the store's files are dropped from the page cache (posix_fadvise)"


def query_row(corpus: Corpus) -> tuple[list[str], str]:
    """Measures queries of the current store."""
    known, fresh = some_of(corpus), distinct(1024, QUERIES, seed=7).path
    warmed = speed("query", STORE, known, fresh)
    lines = known.read_bytes().splitlines(keepends=True)
    piece = OUT / "index.cold.jsonl"
    cold: list[Found] = []
    how = ""
    for turn in range(COLD_TURNS):
        piece.write_bytes(b"".join(lines[turn * COLD_QUERIES : (turn + 1) * COLD_QUERIES]))
        how = forget()
        cold.append(speed("query", STORE, piece, piece))
    row = [f"{corpus.documents:,}", "**Benzer**", f"{warmed['segments']:.0f}",
           *(f"{warmed[figure]:.1f}" for figure in ("known_p50", "known_p99", "new_p50", "new_p99")),
           *(spread((run[figure] for run in cold), 0) for figure in ("known_first_p50", "known_first_max"))]
    return row, how


def bulk_options() -> list[str]:
    """Returns the options of a bulk load, if this version has one."""
    done = subprocess.run([benzer(), "index", "--help-all"], stdout=subprocess.PIPE, check=True, text=True)
    return ["--bulk"] if "--bulk" in done.stdout else []


def reopen(corpus: Corpus, moments: list[float]) -> list[str]:
    """Measures how soon a store answers after it was closed, and after its writer was killed, at the worst of these moments."""
    known = some_of(corpus)
    closed = [speed("open", STORE, known) for _ in range(5)]

    def answered(run: Found) -> float:
        return run["open_ms"] + run["answer_ms"]

    killed = []
    for moment in moments:
        shutil.rmtree(STORE)
        writer = subprocess.Popen([str(word) for word in load_command(corpus)], stdout=subprocess.DEVNULL)
        time.sleep(moment)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        log_bytes = sum(path.stat().st_size for path in STORE.glob("log-*"))
        run = speed("open", STORE, known)
        killed.append((answered(run), run["documents"], log_bytes))
    worst, documents, log_bytes = max(killed)
    return [f"{corpus.documents:,}", spread((run["open_ms"] for run in closed), 1), spread(map(answered, closed), 1),
            f"{documents:,.0f}", f"{log_bytes / 1e6:,.0f}", f"{worst / 1e3:.2f}"]


def lmdb_rows(documents: int) -> tuple[list[str], list[str]]:
    folder = OUT / "index.lmdb"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    found = answer_of(VENV_PYTHON, PEERS / "lmdb_bands.py", folder, str(documents))
    shutil.rmtree(folder)
    loading = [f"{documents:,}", "LMDB, ready keys alone, synced every 10,000", f"{documents / found['wall']:,.0f}",
               f"{found['wall']:.2f}", f"{found['cpu'] / documents * 1e6:.2f}", f"{found['kept'] / documents:,.0f}",
               f"{found['written'] / found['kept']:.2f}"]
    asking = [f"{documents:,}", "LMDB, ready keys, no comparison", "", f"{found['query_p50']:.1f}",
              f"{found['query_p99']:.1f}", *[""] * 4]
    return loading, asking


def redis_row(documents: int) -> list[str]:
    with redis_server() as server:
        found = answer_of(VENV_PYTHON, PEERS / "redis_index.py", "ready", str(server.port), str(documents))
    return [f"{documents:,}", f"datasketch on Redis, ready signatures; loads {documents / found['wall']:,.0f} documents/s",
            "", f"{found['query_p50']:,.1f}", f"{found['query_p99']:,.1f}", *[""] * 4]


def measure_index_disk(quick: bool) -> None:
    loads, asks, opens = [], [], []
    how = ""
    with one_core():
        for documents in (10_000, 50_000) if quick else (10_000, 100_000, 1_000_000):
            corpus = distinct(1024, documents)
            turns = 3 if documents < 10**6 else 1
            if bulk := bulk_options():
                loads.append(load_row("**Benzer**, `--bulk`", corpus, load(corpus, bulk, turns)))
            for level in ("batch", "sync"):  # the store of the last one is queried
                runs = load(corpus, ["--durability", level], turns)
                loads.append(load_row(f"**Benzer**, `--durability {level}`", corpus, runs))
            row, how = query_row(corpus)
            asks.append(row)
        seconds = statistics.median(run.wall_seconds for run, _ in runs)
        opens.append(reopen(corpus, [share * seconds for share in (0.3, 0.4, 0.5, 0.6, 0.7)]))
        for documents in (50_000,) if quick else (100_000, 1_000_000):
            loading, asking = lmdb_rows(documents)
            loads.append(loading)
            asks.append(asking)
        asks.append(redis_row(1000 if quick else 5000))
    shutil.rmtree(STORE)
    publish("index-disk", "The index on disk", tables(loads, asks, how) + "\n"
            + table(["documents", "open, ms [goal 10]", "and the first answer, ms", "after a kill: documents",
                     "MB of log", "open and first answer, s [goal 2]"], opens))


def measure_index_large(quick: bool) -> None:
    """Measures an index of ten million documents on disk."""
    corpus = short_planted(10**5 if quick else 10**7)
    with one_core():
        runs = load(corpus, bulk_options(), 1)
        loads = [load_row("**Benzer**" + ", ".join(["", *bulk_options()]), corpus, runs)]
        row, how = query_row(corpus)
        opens = [reopen(corpus, [min(300.0, runs[0][0].wall_seconds)])]
    shutil.rmtree(STORE)
    publish("index-large", "Ten million documents on disk",
            "Documents of about half a kilobyte, a fifth of them near-copies.\n\n" + tables(loads, [row], how) + "\n"
            + table(["documents", "open, ms", "and the first answer, ms", "after a kill: documents", "MB of log",
                     "open and first answer, s"], opens))


def tables(loads: list[list[str]], asks: list[list[str]], how: str) -> str:
    return ("`benzer index STORE CORPUS --create`, JSON lines in, on one core, which merging shares. Benzer keeps ids, "
            "features and slots as well, and syncs each piece of 1,024 documents; LMDB gets 16 ready keys a document "
            "and a number. Written is what the kernel says that the process gave to the disk.\n\n"
            + table(LOAD_HEAD, loads)
            + "\nQueries through the library, each alone, text in, microseconds by the clock. Before each *cold* turn "
            + f"{how}; the store is opened, and {COLD_QUERIES} queries are asked, each of which finds more of it warm than "
            + f"the one before; {COLD_TURNS} turns.\n\n" + table(QUERY_HEAD, asks))
