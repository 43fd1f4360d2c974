#!/usr/bin/env python3
# labels: server
"""Attacks `benzer serve` from one address, and asks from another one meanwhile: what others get must stay right, and the memory bounded.

    serve_attack_test.py [--seconds S] [--most-ms MS]

Each attack lasts S seconds (2). A table says how long GET /healthz and a small question took meanwhile, and how much memory the
server had at most. --most-ms: the slowest of 100 of these may take this long; ./dev soak asks for it, on a machine with nothing else
to do. The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import argparse
import base64
import contextlib
import http.client
import json
import multiprocessing
import resource
import socket
import sys
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from serve_test_util import PATIENCE, Server, made, png, run_tests, same, scratch, text_of

MIB = 1 << 20
ATTACKER = "127.0.0.2"
# What the server may have beside what it had before: the budget of bodies and answers, and what workers make of some of them.
MOST_MEMORY = 768 * MIB

SECONDS, MOST_MS = 2.0, 0.0
TABLE: list[str] = []


def root_of(name: str) -> Path:
    root = scratch(name.replace(" ", "-")) / "root"
    root.mkdir(parents=True)
    return root


class Attacker:
    """Connections from another address than that of the others. They never wait."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.open: list[socket.socket] = []

    def send(self, data: bytes) -> None:
        """Opens a connection, and sends as much as the server takes at once. The answer stays where it is."""
        with contextlib.suppress(OSError):  # a refusal is as good
            one = socket.create_connection(("127.0.0.1", self.server.port), timeout=PATIENCE, source_address=(ATTACKER, 0))
            self.open.append(one)
            one.settimeout(0.2)
            one.sendall(data)

    def ask(self, method: str, target: str, body: object = None) -> int:
        """Sends a request, reads its answer and returns its status; 0 if there was none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE, source_address=(ATTACKER, 0))
        status = 0
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection.request(method, target, json.dumps(body) if body else None, {"Content-Type": "application/json"})
            reply = connection.getresponse()
            reply.read()
            status = reply.status
        connection.close()
        return status

    def close(self) -> None:
        for one in self.open:
            with contextlib.suppress(OSError):
                one.close()


def head(method: str, target: str, length: int, kind: str = "application/json") -> bytes:
    return f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


class Probe:
    """Asks what costs little, one after the other, on connections that are kept. In a process of its own: threads of one Python process
    wait for each other, and it is the server's time that counts."""

    def __init__(self, server: Server, path: str) -> None:
        self.server, self.path = server, path
        self.took: list[float] = []
        self.wrong: list[str] = []
        self.most_memory = 0
        context = multiprocessing.get_context("fork")
        self.results, self.end = context.SimpleQueue(), context.Event()
        self.process = context.Process(target=self.run)

    def run(self) -> None:
        health, question = self.server.client(), self.server.client()
        while not self.end.wait(0.01):
            for client, method, target, body in ((health, "GET", "/healthz", None), (question, "POST", self.path + "/similar", {"text": text_of(1, 1)})):
                began = time.monotonic()
                try:
                    answer = client.ask(method, target, body, keep=True)
                    if answer.status != 200 or (body and [match["id"] for match in answer.json["matches"]] != ["a"]):
                        self.wrong.append(str(answer))
                except (OSError, http.client.HTTPException) as error:
                    self.wrong.append(repr(error))
                self.took.append(time.monotonic() - began)
            with contextlib.suppress(OSError):
                self.most_memory = max(self.most_memory, self.server.rss())
        self.results.put((self.took, self.wrong, self.most_memory))

    def __enter__(self) -> Probe:
        self.process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end.set()
        self.took, self.wrong, self.most_memory = self.results.get()
        self.process.join()


def nothing(attacker: Attacker, path: str) -> None:
    time.sleep(0.02)


def withstand(name: str, once: Callable[[Attacker, str], None] = nothing, again: Callable[[Attacker, str], None] = nothing,
              keep: bool = False, at_once: int = 1, is_heard: bool = True, patience: float = 1) -> None:
    """Attacks once, then again and again until the time is over, so many at a time, while others ask. keep: the index has long documents.
    is_heard: False leaves the log unread. patience: times --most-ms."""
    with Server(root_of(name), quiet=is_heard, is_heard=is_heard) as server:
        client = server.client()
        path = made(client, "docs", {"a": text_of(1), **{f"b{i}": text_of(i + 2) for i in range(50)}})
        if keep:
            long = "y" * 200_000
            for number in range(60):
                client.expect(201, "PUT", f"{path}/documents/long{number}", {"text": text_of(1000 + number), "note": long})
        before = server.rss()
        attacker = Attacker(server)
        try:
            with Probe(server, path) as probe:
                end = time.monotonic() + SECONDS
                once(attacker, path)

                def go_on() -> None:
                    while time.monotonic() < end:
                        again(attacker, path)
                with ThreadPoolExecutor(at_once) as attackers:
                    for _ in range(at_once):
                        attackers.submit(go_on)
        finally:
            attacker.close()
        probe.took.sort()
        p99 = probe.took[len(probe.took) * 99 // 100] * 1000
        used = max(0, probe.most_memory - before)
        TABLE.append(f"{name:24} {len(probe.took):6} {probe.took[len(probe.took) // 2] * 1000:8.1f} {p99:8.1f} {used / MIB:8.0f}")
        assert not probe.wrong, f"{len(probe.wrong)} of {len(probe.took)} answers to others: {probe.wrong[0]}"
        assert used <= MOST_MEMORY, f"the server took {used / MIB:.0f} MiB"
        assert not MOST_MS or p99 <= MOST_MS * patience, f"one answer in 100 to others took {p99:.1f} ms or more"
        same(server.healthy(), "")
        same(server.stop(), 0)


def test_half_sent_bodies() -> None:
    def attack(attacker: Attacker, path: str) -> None:
        for _ in range(150):
            attacker.send(head("POST", path + "/similar", 8 * MIB) + b" " * (6 * MIB))
    withstand("half-sent bodies", attack)


def test_half_sent_chunks() -> None:
    def attack(attacker: Attacker, path: str) -> None:
        begin = f"POST {path}/similar HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        for _ in range(150):
            attacker.send(begin + (b"100000\r\n" + b" " * MIB + b"\r\n") * 6)
    withstand("half-sent chunks", attack)


def test_half_sent_lines() -> None:
    """Lines of many documents that do not end, and batches that are complete."""
    def attack(attacker: Attacker, path: str) -> None:
        for _ in range(150):
            attacker.send(head("POST", path + "/documents", 512 * MIB, "application/x-ndjson") + b'{"id":"x","text":"' + b"w " * (3 * MIB))
    withstand("half-sent lines", attack)


def test_unread_answers() -> None:
    def attack(attacker: Attacker, path: str) -> None:
        for _ in range(200):
            attacker.send(f"GET {path}/documents?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    withstand("unread answers", attack, keep=True)


def test_many_connections() -> None:
    def attack(attacker: Attacker, _: str) -> None:
        for _ in range(3000):
            attacker.send(b"GET /healthz HTT")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 10_000), hard))
    try:
        withstand("many connections", attack)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_long_documents() -> None:
    """Questions with long documents, which take long to hash."""
    body = {"text": " ".join(f"word{number}" for number in range(600_000))}

    def again(attacker: Attacker, path: str) -> None:
        attacker.ask("POST", path + "/similar", body)
    withstand("long documents", again=again)
    withstand("20 long documents", again=again, at_once=20)


def test_pictures_that_grow() -> None:
    """Pictures that are small as files, and large when they are decoded, put in by several at a time."""
    rows = b"".join(b"\0" + bytes(6000) for _ in range(6000))
    data = "data:image/png;base64," + base64.b64encode(png(6000, 6000, zlib.compress(rows, 9))).decode()

    def once(attacker: Attacker, path: str) -> None:
        same(attacker.ask("PUT", "/v1/indexes/pictures", {"fields": ["image=image:pdq"]}), 201)
        same(attacker.ask("PUT", "/v1/indexes/pictures/documents/first", {"image": data}), 201)

    def again(attacker: Attacker, path: str) -> None:
        attacker.ask("PUT", f"/v1/indexes/pictures/documents/{threading.get_ident()}", {"image": data})
    withstand("large pictures", once, again, at_once=6)


def test_empty_loads() -> None:
    """Requests with many documents that have none: they take no memory, so that does not limit them."""
    load = head("POST", "/v1/indexes/docs/documents", 0, "application/x-ndjson") * 30

    def again(attacker: Attacker, _: str) -> None:
        attacker.send(load)
        if len(attacker.open) > 800:
            attacker.open.pop(0).close()
    withstand("empty loads", again=again, at_once=4, patience=4)


def test_unread_log() -> None:
    def again(attacker: Attacker, _: str) -> None:
        attacker.ask("GET", "/" + "x" * 400)
    withstand("unread log", again=again, at_once=4, is_heard=False)


def test_unread_decisions() -> None:
    members = [f"{'m' * 400}{number}" for number in range(5000)]

    def once(attacker: Attacker, path: str) -> None:
        for _ in range(15):
            same(attacker.ask("POST", path + "/decisions", {"members": members, "not_duplicates": True}), 201)
        for _ in range(100):
            attacker.send(f"GET {path}/decisions HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    withstand("unread decisions", once)


def test_whole_index() -> None:
    def again(attacker: Attacker, path: str) -> None:
        attacker.ask("POST", path + "/pairs", {"threshold": 0.8})
        attacker.ask("GET", path + "/stats")
        attacker.ask("GET", path + "/similarities")
        attacker.ask("GET", "/metrics")
    withstand("whole index", again=again)


def test_invalid_bytes() -> None:
    def again(attacker: Attacker, _: str) -> None:
        for data in (b"\x00" * 4000, b"GET / HTTP/9.9\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"):
            attacker.send(data)
        attacker.close()
        attacker.open.clear()
    withstand("invalid bytes", again=again)


def main() -> int:
    global SECONDS, MOST_MS
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--most-ms", type=float, default=MOST_MS)
    asked = parser.parse_args()
    SECONDS, MOST_MS = asked.seconds, asked.most_ms
    code = run_tests([test_half_sent_bodies, test_half_sent_chunks, test_half_sent_lines, test_unread_answers, test_many_connections,
                      test_long_documents, test_whole_index, test_invalid_bytes, test_pictures_that_grow, test_empty_loads, test_unread_log, test_unread_decisions])
    print(f"{'attack':24} {'asked':>6} {'p50 ms':>8} {'p99 ms':>8} {'MiB more':>8}")
    print("\n".join(TABLE))
    return code


if __name__ == "__main__":
    sys.exit(main())
