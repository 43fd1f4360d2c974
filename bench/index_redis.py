"""Measures an index in Redis: memory of a document, loading, queries; the same for datasketch, and on three masters."""
from __future__ import annotations

import itertools
import json
import random
import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from corpora import Corpus, distinct, short_planted
from index import QUERIES, Found, answer_of, shingles, some_of, speed
from measure import (
    BENCH,
    OUT,
    VENV_PYTHON,
    Run,
    benzer,
    describe_machine,
    first_line,
    publish,
    run_timed,
    shuffled,
    spread,
    table,
    warm,
)
from servers import Server, cluster_url, redis_cluster, redis_server

TOGETHER = 20  # queries to a call
TABLES = 17  # of postings: 16 bands and the directory
SLOT_BYTES = 64  # cut slots of a document
# Bytes of a record of one field: checksum, version, sizes and numbers; band keys and slots are added.
RECORD_HEAD = 8 + 4 + 2 + 1 + 1 + 4
KEY_BYTES = 64
HEAD = len(b"benzer:bench:")


@dataclass(frozen=True)
class Load:
    """The cost of loading a corpus into an empty store."""
    documents: int
    run: Run
    server_cpu: float  # seconds, of all servers together
    grown: int  # bytes of memory that the servers have grown by

    def rate(self) -> float:
        return self.documents / self.run.wall_seconds

    def cpu(self) -> float:
        """CPU of the program and the servers, in microseconds a document."""
        return (self.run.cpu_seconds + self.server_cpu) / self.documents * 1e6

    def client_cpu(self) -> float:
        return self.run.cpu_seconds / self.documents * 1e6


def load(servers: list[Server], url: str, corpus: Corpus, expected: int) -> Load:
    warm(corpus.path)
    cpu, memory = sum(s.cpu_seconds() for s in servers), sum(s.used_memory() for s in servers)
    run = run_timed([benzer(), "index", url, corpus.path, "--create", "--quiet", "--docs", str(expected)])
    return Load(corpus.documents, run, sum(s.cpu_seconds() for s in servers) - cpu,
                sum(s.used_memory() for s in servers) - memory)


def near_copies(corpus: Corpus) -> Path:
    """Makes documents of the corpus with one word replaced; each is similar to its original."""
    path = OUT / f"{corpus.path.stem}.near.jsonl"
    generator = random.Random(2)
    with some_of(corpus).open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            words = json.loads(line)["text"].split(" ")
            words[generator.randrange(len(words))] = f"replaced{number}"
            out.write(json.dumps({"id": f"q{number}", "text": " ".join(words)}) + "\n")
    return path


def strangers() -> Path:
    return distinct(1024, QUERIES, seed=7).path


def piece_of(path: Path, part: int, parts: int) -> Path:
    """Makes a file with one of `parts` parts of a file's lines."""
    lines = path.read_bytes().splitlines(keepends=True)
    piece = OUT / f"{path.stem}.piece.jsonl"
    piece.write_bytes(b"".join(lines[part::parts]))
    return piece


def peer(*words: str | Path) -> Found:
    return answer_of(VENV_PYTHON, BENCH / "peers" / "redis_index.py", *words)


# Memory

@dataclass
class Kind:
    """A kind of Redis keys: how many there are, and the names of some."""
    keys: int = 0
    names: list[bytes] = field(default_factory=list)


def kinds_of(server: Server) -> dict[str, Kind]:
    kinds: dict[str, Kind] = defaultdict(Kind)
    for number, key in enumerate(server.client.scan_iter(count=5000)):
        name = "record" if key[HEAD:HEAD + 1] == b"d" else "other"
        if key[HEAD:HEAD + 1] == b"b":
            name = "directory" if int.from_bytes(key[HEAD + 1:HEAD + 4]) == TABLES - 1 else "bands"
        kinds[name].keys += 1
        if number % 97 == 0:
            kinds[name].names.append(key)
    return kinds


def ask_each(server: Server, command: list, keys: list[bytes], *more: object) -> list[int]:
    pipeline = server.client.pipeline(transaction=False)
    for key in keys:
        pipeline.execute_command(*command, key, *more)
    return pipeline.execute()


def feature_bytes(server: Server, records: Kind) -> float:
    """Returns the mean size of a document's features; the rest of a record has the same length for all documents."""
    record = statistics.mean(ask_each(server, ["STRLEN"], records.names))
    return record - RECORD_HEAD - len("d0000000") - KEY_BYTES - SLOT_BYTES


def memory_row(server: Server, made: Load, expected: int) -> list[str]:
    """Returns bytes a document, by their purpose. The overhead of Redis for each key is divided among the kinds by their number of keys."""
    kinds = kinds_of(server)
    each = {name: statistics.mean(ask_each(server, ["MEMORY", "USAGE"], kind.names, "SAMPLES", "0"))
            for name, kind in kinds.items() if kind.names}
    keys = sum(kind.keys for kind in kinds.values())
    tables = (made.grown - sum(each[name] * kinds[name].keys for name in each)) / keys
    of = {name: (each[name] + tables) * kinds[name].keys / made.documents for name in each}
    features = feature_bytes(server, kinds["record"])
    groups = kinds["bands"].keys / (TABLES - 1)
    return [f"{made.documents:,}", f"{expected:,}", f"{made.documents / groups:.1f}", f"{of['bands'] + SLOT_BYTES:,.0f}",
            f"{of['bands']:,.0f}", SLOT_BYTES, f"{of['directory']:,.0f}", f"{of['record'] - features - SLOT_BYTES:,.0f}",
            f"{features:,.0f}", f"**{made.grown / made.documents:,.0f}**", f"{tables:.0f}"]


MEMORY_HEAD = ["documents", "expected", "documents to a group of a band", "**buckets and slots** [goal 500]", "postings of 16 bands",
               "slots", "directory", "record, the rest: keys of bands, id, Redis's own", "features", "**all** [stated]",
               "of these, to find a key"]
SPEED_HEAD = ["documents", "expected", "documents/s in [goal 10,000]", "CPU us a document: program", "server",
              "near-copies: alone p50, us", "p99 [goal 1,000]", f"by {TOGETHER}, queries/s [goal 15,000]",
              "CPU us a query, program + server", "strangers: alone p50, us", "p99", f"by {TOGETHER}, queries/s",
              "CPU us a query, program + server"]


def asked_together(servers: list[Server], url: str, path: Path) -> Found:
    """Queries by calls of TOGETHER queries. Adds the CPU of the servers, in microseconds a query."""
    cpu = sum(server.cpu_seconds() for server in servers)
    run = speed("server", url, path, str(TOGETHER))
    return run | {"server_cpu": (sum(server.cpu_seconds() for server in servers) - cpu) / run["queries"] * 1e6}


def speed_row(made: Load, expected: int, server: Server, asked: list[Path], turns: int) -> list[str]:
    row = [f"{made.documents:,}", f"{expected:,}", f"{made.rate():,.0f}", f"{made.client_cpu():.1f}",
           f"{made.server_cpu / made.documents * 1e6:.1f}"]
    for path in asked:
        alone, together = [], []
        for turn in range(turns):
            alone.append(speed("server", server.url(), piece_of(path, 2 * turn, 2 * turns), "1"))
            together.append(asked_together([server], server.url(), piece_of(path, 2 * turn + 1, 2 * turns)))
        row += [spread((run[figure] for run in alone), 0) for figure in ("call_p50", "call_p99")]
        row.append(spread((run["per_second"] for run in together), 0))
        row.append(" + ".join(f"{statistics.median(run[of] for run in together):.0f}" for of in ("cpu", "server_cpu")))
    return row


def alone_section(quick: bool) -> str:
    memory, speeds = [], []
    large, small = (50_000, 10_000) if quick else (10**6, 10**5)
    # First groups are full, then their number has just doubled; then there are far too many groups, and far too few.
    places = [(large, large), (small, small), (small, small * 11 // 10), (small, 10 * small), (small, small // 10)]
    for documents, expected in places:
        corpus = distinct(1024, documents)
        with redis_server() as server:
            made = load([server], server.url(), corpus, expected)
            asked = [near_copies(corpus), strangers()]
            speeds.append(speed_row(made, expected, server, asked, 5 if documents == large else 1))
            memory.append(memory_row(server, made, expected))
    return ("One process that loads (`benzer index redis://... CORPUS --create --docs EXPECTED`, JSON lines of 1 KiB texts in) "
            "and one server, which share two cores. Queries through the library, text in, over a new connection each turn, "
            "all distinct: near-copies have one word of an indexed document replaced, so that each finds its original, "
            "whose record is fetched and compared exactly.\n\n" + table(SPEED_HEAD, speeds)
            + "\nBytes a document: how much `used_memory` grew. Shares are by `MEMORY USAGE` of every 97th key.\n\n"
            + table(MEMORY_HEAD, memory))


# datasketch

def judged(name: str, tokens: Path) -> Found:
    pairs = OUT / f"redis.{name}.pairs"
    with redis_server() as server:
        if name == "datasketch":
            peer("pairs", str(server.port), tokens, pairs)
        else:
            speed("found", server.url(), tokens, pairs)
    found = speed("judge", tokens, pairs)
    pairs.unlink()
    return found


def judge_rows(quick: bool) -> tuple[dict[str, Found], Corpus]:
    corpus = short_planted(1000 if quick else 10_000)
    tokens = OUT / "redis.tokens.jsonl"
    with corpus.path.open(encoding="utf-8") as lines, tokens.open("w", encoding="utf-8") as out:
        for record in map(json.loads, lines):
            out.write(json.dumps({"id": record["id"], "values": shingles(record["text"])}) + "\n")
    found = {name: judged(name, tokens) for name in ("Benzer", "datasketch")}
    tokens.unlink()
    return found, corpus


def peer_section(quick: bool) -> str:
    corpus = distinct(1024, 10_000 if quick else 50_000)
    turns = 2 if quick else 5
    near = near_copies(corpus)
    with redis_server() as ours, redis_server() as theirs:
        made = load([ours], ours.url(), corpus, corpus.documents)
        features = feature_bytes(ours, kinds_of(ours)["record"])
        before = theirs.used_memory()
        loaded = peer("load", str(theirs.port), corpus.path)
        their_bytes = (theirs.used_memory() - before) / corpus.documents
        runs: dict[str, list[Found]] = defaultdict(list)
        for turn in range(turns):
            piece = piece_of(near, turn, turns * (4 if quick else 2))
            for name in shuffled(["alone", "together", "datasketch"], turn):
                runs[name].append(peer("query", str(theirs.port), piece) if name == "datasketch" else
                                  speed("server", ours.url(), piece, "1" if name == "alone" else str(TOGETHER)))
    quality, planted = judge_rows(quick)

    def times(name: str, of: str) -> str:
        return spread((ours["per_second"] / peer[of] for ours, peer in zip(runs[name], runs["datasketch"])), 1)

    def found(name: str) -> list[str]:
        return [f"{quality[name]['recall']:.4f}", f"{quality[name]['precision']:.4f}"]

    def ours_row(title: str, name: str, p50: str, p99: str) -> list[str]:
        return [title, f"{made.rate():,.0f}", f"{made.grown / made.documents:,.0f}", p50, p99,
                spread((run["per_second"] for run in runs[name]), 0), times(name, "text_per_second"),
                times(name, "ready_per_second"), *found("Benzer")]

    def theirs_row(title: str, of: str, seconds: float) -> list[str]:
        return [title, f"{corpus.documents / seconds:,.0f}", f"{their_bytes:,.0f}",
                *(spread((run[f"{of}_{q}"] for run in runs["datasketch"]), 0) for q in ("p50", "p99")),
                spread((run[f"{of}_per_second"] for run in runs["datasketch"]), 0), "", "", *found("datasketch")]

    alone = [spread((run[figure] for run in runs["alone"]), 0) for figure in ("call_p50", "call_p99")]
    our_bytes = made.grown / made.documents
    rows = [ours_row("**Benzer**, alone", "alone", *alone), ours_row(f"**Benzer**, by {TOGETHER}", "together", "", ""),
            theirs_row("datasketch, text in", "text", loaded["wall"]),
            theirs_row("datasketch, signatures ready", "ready", loaded["wall"] - loaded["sketching"])]
    head = ["what", "documents/s in", "bytes a document", "query p50, us", "p99", "queries/s", "times datasketch [goal 20]",
            "times datasketch, signatures ready", "recall", "precision"]
    return (f"The same {corpus.documents:,} documents of 1 KiB in two servers of their own, the same near-copies asked by turns "
            f"({turns}); the same shingles, made in Python for datasketch, which asks for the bands of a query one by one, has no "
            "call for many queries, keeps no features and compares nothing. It takes "
            f"**{their_bytes / our_bytes:.1f}** times Benzer's memory [goal 10], and {their_bytes / (our_bytes - features):.1f} "
            f"times what Benzer takes without features. Recall and precision: all {planted.documents:,} documents of "
            f"{planted.path.name} asked for, judged by an exact join of their shingles at J >= 0.8.\n\n" + table(head, rows))


# Three masters

@contextmanager
def one_and_three(names: list[str]) -> Iterator[dict[str, tuple[list[Server], str]]]:
    with redis_server() as one, redis_cluster(3) as three:
        yield {names[0]: ([one], one.url()), names[1]: (three, cluster_url(three))}


def uneven(values: list[float]) -> float:
    """Returns the largest value divided by the mean."""
    return max(values) / statistics.mean(values)


def cluster_section(quick: bool) -> str:
    corpus = distinct(1024, 10_000 if quick else 100_000)
    asked = {"near-copies": near_copies(corpus), "strangers": strangers()}
    names = ["one server", "three masters"]
    figures: dict[tuple[str, str], list[float]] = defaultdict(list)
    even: dict[str, float] = {}
    for turn in range(1 if quick else 3):
        with one_and_three(names) as at:
            for name in shuffled(names, turn):
                servers, url = at[name]
                made = load(servers, url, corpus, corpus.documents)
                figures[name, "in"].append(made.cpu())
                figures[name, "in, program"].append(made.client_cpu())
                figures[name, "in, rate"].append(made.rate())
                if len(servers) > 1:
                    even["keys"] = uneven([s.client.dbsize() for s in servers])
                    even["bytes"] = uneven([s.used_memory() for s in servers])
                    even["commands of the load"] = uneven([s.calls("hset", "set") for s in servers])
            for (kind, path), name in itertools.product(asked.items(), shuffled(names, turn)):
                servers, url = at[name]
                run = asked_together(servers, url, path)
                figures[name, kind].append(run["cpu"] + run["server_cpu"])
                figures[name, kind + ", program"].append(run["cpu"])
                figures[name, kind + ", rate"].append(run["per_second"])
                if len(servers) > 1:
                    even["commands of queries"] = uneven([s.calls("hkeys", "getrange") for s in servers])
    rows = []
    for kind in ("in", *asked):
        for name in names:
            values = figures[name, kind]
            ratio = "" if name == names[0] else spread((a / b for a, b in zip(values, figures[names[0], kind])), 2)
            rows.append(["loading" if kind == "in" else f"queries by {TOGETHER}, {kind}", name, spread(values, 1), ratio,
                         spread(figures[name, kind + ", program"], 1), spread(figures[name, kind + ", rate"], 0)])
    head = ["what", "where", "CPU us each, program and servers", "times one server [goal 1.5]", "of these the program", "each second"]
    return (f"{corpus.documents:,} documents, on one server and on a cluster of three masters without replicas; four servers and a "
            "program on two cores, so a rate says little. Servers' CPU is `used_cpu_user` + `used_cpu_sys`, user and kernel.\n\n"
            + table(head, rows) + "\nThe most that a master has, over the mean [goal 1.10]: "
            + ", ".join(f"{what} {value:.3f}" for what, value in even.items()) + ".\n")


def measure_redis(quick: bool) -> None:
    machine = describe_machine().splitlines()[0]  # these figures depend on other work on the machine
    sections = ["### One server\n\n" + alone_section(quick), "### Beside datasketch\n\n" + peer_section(quick),
                "### Three masters\n\n" + cluster_section(quick)]
    publish("redis", "The index in Redis", f"{first_line('redis-server', '--version')}, on loopback, nothing kept on disk. All "
            "servers and programs share the cores of one machine, also with whatever else runs there (see its load average).\n\n"
            + machine + "\n\n" + "\n".join(sections))
