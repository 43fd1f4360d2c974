"""Measures the server: queries a second, loading, slow clients, and memory after a while."""
from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from corpora import Corpus, distinct
from index import some_of
from measure import BENCH, OUT, VENV_PYTHON, benzer, publish, run_timed, shuffled, spread, table, warm
from servers import redis_server

ROOT = OUT / "served"
CONNECTIONS, SLOW = 64, 1000
JSON = {"Content-Type": "application/json"}


@contextmanager
def served() -> Iterator[tuple[int, int]]:
    """Starts a server on ROOT, and yields its port and its process id."""
    process = subprocess.Popen([benzer(), "serve", ROOT, "--port", "0", "--log", "none"], stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    try:
        yield int(re.search(r":(\d+)/", line)[1]), process.pid
    finally:
        process.terminate()
        if process.wait(60) != 0:
            raise RuntimeError(f"the server ended with {process.returncode}")


def ask(port: int, method: str, path: str, body: object = None) -> dict:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, None if body is None else json.dumps(body), JSON if body is not None else {})
    answer = connection.getresponse()
    said = answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status} {said[:300]!r}")
    return json.loads(said) if said else {}


def resident(pid: int) -> int:
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))[1]) << 10


def bodies(corpus: Corpus) -> Path:
    """Makes queries for documents of the corpus, by their texts."""
    path = OUT / f"{corpus.path.stem}.questions"
    with some_of(corpus).open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as out:
        for line in lines:
            out.write(json.dumps({"text": json.loads(line)["text"]}) + "\n")
    return path


@dataclass(frozen=True)
class Load:
    rate: float
    p50: float  # ms
    p99: float
    errors: int


def load(url: str, questions: Path, seconds: int, connections: int = CONNECTIONS) -> Load:
    said = subprocess.run(["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--latency", "-s", str(BENCH / "ask.lua"), url,
                           "--", str(questions)], check=True, capture_output=True, text=True).stdout
    def ms(quantile: str) -> float:
        number, unit = re.search(rf"{quantile}%\s+([\d.]+)(us|ms|s)", said).groups()
        return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", said)
    errors = (int(refused[1]) if refused else 0) + (sum(map(int, broken.groups())) if broken else 0)
    return Load(float(re.search(r"Requests/sec:\s+([\d.]+)", said)[1]), ms("50"), ms("99"), errors)


def load_row(name: str, loads: list[Load]) -> list[str]:
    return [name, spread((one.rate for one in loads), 0), spread(one.p50 for one in loads), spread(one.p99 for one in loads),
            str(sum(one.errors for one in loads))]


def fresh_root(corpus: Corpus) -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.mkdir()
    run_timed([benzer(), "index", ROOT / "news", corpus.path, "--create", "--quiet", "--bulk"])


def questions_a_second(quick: bool) -> str:
    rows = []
    turns, seconds = (2, 3) if quick else (5, 10)
    corpus = distinct(1024, 50_000 if quick else 1_000_000)
    fresh_root(corpus)
    with served() as (port, _):
        url = f"http://127.0.0.1:{port}/v1/indexes/news/similar"
        load(url, bodies(corpus), seconds)  # reads the pages of the store into memory first
        rows.append(load_row(f"benzer serve, {corpus.documents:,} documents", [load(url, bodies(corpus), seconds) for _ in range(turns)]))

    small = distinct(1024, 10_000)
    fresh_root(small)
    found: dict[str, list[Load]] = {"benzer serve, 10,000 documents": [], "datasketch on Redis behind Python's http.server, 10,000 documents": []}
    with served() as (port, _), redis_server() as redis:
        peer = subprocess.Popen([VENV_PYTHON, BENCH / "peers" / "datasketch_server.py", str(redis.port), small.path], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        try:
            peer_port = int(peer.stdout.readline().split()[1])
            urls = dict(zip(found, [f"http://127.0.0.1:{port}/v1/indexes/news/similar", f"http://127.0.0.1:{peer_port}/"], strict=True))
            for turn in range(turns):
                for name in shuffled(list(found), turn):
                    found[name].append(load(urls[name], bodies(small), seconds))
        finally:
            peer.kill()
            peer.wait()
    rows += [load_row(name, loads) for name, loads in found.items()]
    ours, theirs = (statistics.median(one.rate for one in loads) for loads in found.values())
    return (f"wrk, one thread, {CONNECTIONS} keep-alive connections, on the same two cores; texts of 1 KiB that are in the index, each of 4,096 in turn; "
            f"{turns} runs of {seconds} s.\n\n" + table(["what", "requests/s [goal 15,000]", "p50 ms", "p99 ms [goal 20]", "errors"], rows) +
            f"\nAgainst datasketch on Redis behind a Python server: {ours / theirs:.0f} times its rate [goal 20].\n")


def loading(quick: bool) -> str:
    corpus = distinct(1024, 20_000 if quick else 100_000)
    turns = 2 if quick else 5
    runs: dict[str, list[float]] = {"benzer index": [], "POST, NDJSON": [], "POST, NDJSON, documents kept": []}
    for turn in range(turns):
        for name in shuffled(list(runs), turn):
            shutil.rmtree(ROOT, ignore_errors=True)
            ROOT.mkdir()
            warm(corpus.path)
            if name == "benzer index":
                run = run_timed([benzer(), "index", ROOT / "news", corpus.path, "--create", "--quiet"])
            else:
                with served() as (port, _):
                    ask(port, "PUT", "/v1/indexes/news", {"keep_documents": "kept" in name})
                    run = run_timed(["curl", "-sS", "--fail", "-T", corpus.path, "-X", "POST", "-H", "Content-Type: application/x-ndjson",
                                     "-o", OUT / "answer", f"http://127.0.0.1:{port}/v1/indexes/news/documents"])
            runs[name].append(corpus.documents / run.wall_seconds)
    without = statistics.median(runs["benzer index"])
    rows = [[name, spread(rates, 0), f"{statistics.median(rates) / without:.0%}"] for name, rates in runs.items()]
    return (f"{corpus.documents:,} documents of 1 KiB into a new index, each batch synced before it is answered.\n\n" +
            table(["what", "documents/s", "of the rate without HTTP [goal 80 %]"], rows))


def slow_clients(quick: bool) -> str:
    corpus = distinct(1024, 10_000)
    fresh_root(corpus)
    head = b"POST /v1/indexes/news/similar HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
    texts = [json.loads(line) for line in bodies(corpus).read_text(encoding="utf-8").splitlines()]
    with served() as (port, _):
        def latencies(count: int) -> list[float]:
            out = []
            for number in range(count):
                started = time.perf_counter()
                ask(port, "POST", "/v1/indexes/news/similar", texts[number % len(texts)])
                out.append((time.perf_counter() - started) * 1e3)
                time.sleep(0.02)
            return sorted(out)
        alone = latencies(100 if quick else 500)
        sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(SLOW)]
        ended = threading.Event()
        alive = [0]

        def drip() -> None:
            at = 0
            while not ended.is_set():
                started = time.monotonic()
                count = 0
                for one in sockets:
                    try:
                        one.send(head[at % len(head): at % len(head) + 1])
                        count += 1
                    except OSError:
                        pass
                alive[0] = count
                at += 1
                ended.wait(max(0.0, 1 - (time.monotonic() - started)))
        dripping = threading.Thread(target=drip)
        dripping.start()
        time.sleep(2)
        beside = latencies(100 if quick else 500)
        there = alive[0]
        ended.set()
        dripping.join()
        for one in sockets:
            one.close()
    rows = [[name, f"{found[len(found) // 2]:.2f}", f"{found[len(found) * 99 // 100]:.2f}", f"{found[-1]:.2f}"]
            for name, found in (("alone", alone), (f"beside {there:,} connections that send a byte a second", beside))]
    return ("A new connection for each question, from Python, in ms.\n\n" + table(["a healthy client", "p50", "p99", "slowest [goal 50]"], rows) +
            "\nWhoever has not sent a whole head after 20 s is answered with 408.\n")


def memory(quick: bool) -> str:
    minutes = 2 if quick else 10
    corpus = distinct(1024, 100_000)
    fresh_root(corpus)
    lines = some_of(corpus, 1000).read_text(encoding="utf-8").splitlines()
    with served() as (port, pid):
        ended = time.monotonic() + minutes * 60
        background = threading.Thread(target=lambda: load(f"http://127.0.0.1:{port}/v1/indexes/news/similar", bodies(corpus), minutes * 60, 8))
        background.start()
        began, sizes, at = time.monotonic(), [], 0
        while (now := time.monotonic()) < ended:
            if len(sizes) <= int((now - began) / 60) - 1:
                sizes.append(resident(pid))
            record = json.loads(lines[at % len(lines)])
            path = "/v1/indexes/news/documents/" + str(record["id"])
            ask(port, "PUT", path, {"text": record["text"]})
            if at % 10 == 0:
                ask(port, "DELETE", path)
                ask(port, "POST", "/v1/indexes/news/compare", {"a": {"text": record["text"]}, "b": {"text": record["text"] + " x"}})
            if at % 500 == 0:
                ask(port, "GET", "/v1/indexes/news/stats")
            at += 1
            time.sleep(0.01)
        background.join()
        sizes.append(resident(pid))
    change = (sizes[-1] - sizes[0]) / sizes[0]
    shown = ", ".join(f"{size / 2**20:.0f}" for size in sizes)
    return (f"{corpus.documents:,} documents; questions from 8 connections without a pause, and some {at / minutes / 60:.0f} changes a second. Resident memory after each minute, in MiB: "
            f"{shown}. After {minutes} minutes {change:+.1%} of that after one [goal 5 %].\n")


def measure_serve(quick: bool) -> None:
    publish("serve", "The server", "\n".join(["### Questions a second\n", questions_a_second(quick), "### Loading\n", loading(quick),
                                              "### Clients that are slow\n", slow_clients(quick), "### Memory\n", memory(quick)]))
