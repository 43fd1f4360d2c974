#!/usr/bin/env python3
# labels: server
"""Tests `benzer serve` with kills, too few resources, damage and slow clients: what it acknowledged is there, and others do not wait.

The deadlines of 20 s are waited for once, in parallel with the other tests. The program is BENZER or the release build. Prints
"N passed, N failed".
"""
from __future__ import annotations

import functools
import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time
from http.client import HTTPException
from pathlib import Path

from serve_hostile_rows import send
from serve_test_util import (
    PATIENCE,
    SOON,
    Said,
    Server,
    Skip,
    almost_similar,
    lines_of,
    made,
    program,
    run_tests,
    same,
    scratch,
    talk,
    text_of,
)

ROUNDS = 10  # kills
PLAN = b"POST /v1/plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def folder_of(name: str) -> Path:
    """A new folder with an empty root in it."""
    folder = scratch(f"serve-{name}")
    (folder / "root").mkdir()
    return folder


def run(*words: str | Path, patience: float = 30) -> subprocess.CompletedProcess:
    return subprocess.run([str(program()), *map(str, words)], capture_output=True, text=True, check=False, timeout=patience)


def is_sound(store: Path) -> None:
    done = run("verify", store)
    assert done.returncode == 0, f"verify ended with {done.returncode}: {done.stdout}{done.stderr}"


# --- kill -----------------------------------------------------------------------------------------

class Ingest:
    """A client that adds and removes documents until the connection breaks, and records what was acknowledged."""

    def __init__(self, server: Server, number: int, seed: int) -> None:
        self.server, self.number, self.chance = server, number, random.Random(seed)
        self.there: dict[str, str] = {}
        self.gone: set[str] = set()
        self.wrong = ""
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        path = "/v1/indexes/a"
        for count in range(100_000):
            documents = {f"{self.number}-{self.chance.randrange(10**9)}": text_of(self.chance.randrange(10**12)) for _ in range(self.chance.choice((1, 1, 20)))}
            name, text = next(iter(documents.items()))
            removed = self.chance.choice(sorted(self.there)) if self.there and count % 7 == 6 else None
            if removed:  # between the request and the answer its state is unknown
                del self.there[removed]
            try:
                if removed:
                    answer = self.server.client().ask("DELETE", f"{path}/documents/{removed}")
                elif len(documents) > 1:
                    answer = self.server.client().ask("POST", path + "/documents", lines_of(documents))
                elif count % 2:
                    answer = self.server.client().ask("POST", path + "/check-and-add", {"document": {"id": name, "text": text}})
                else:
                    answer = self.server.client().ask("PUT", f"{path}/documents/{name}", {"text": text})
            except (OSError, HTTPException):
                return
            if answer.status not in (200, 201, 204):
                self.wrong = f"an answer {answer}"
                return
            if removed:
                self.gone.add(removed)
            else:
                self.there |= documents


def check_kept(server: Server, there: dict[str, str], gone: set[str], chance: random.Random) -> None:
    client = server.client()
    for name in chance.sample(sorted(there), min(60, len(there))):
        answer = client.expect(200, "GET", f"/v1/indexes/a/documents/{name}")
        if (document := answer.json.get("document")) is not None:
            same(document["text"], there[name], f"what {name} says")
    for name in chance.sample(sorted(gone), min(10, len(gone))):
        client.expect(404, "GET", f"/v1/indexes/a/documents/{name}")
    for first in range(0, len(there), 400):
        names = sorted(there)[first : first + 400]
        asked = {"documents": [{"text": there[name]} for name in names], "limit": 1, "threshold": 1}
        results = client.expect(200, "POST", "/v1/indexes/a/similar/batch", asked).json["results"]
        lost = [name for name, result in zip(names, results, strict=True) if [match["id"] for match in result["matches"]] != [name]]
        assert not lost, f"{len(lost)} of {len(there)} acknowledged documents are not found by what they say: {lost[:5]}"


def test_kill() -> None:
    folder = folder_of("kill")
    chance = random.Random(1)
    there: dict[str, str] = {}
    gone: set[str] = set()
    for number in range(ROUNDS + 1):
        with Server(folder / "root") as server:
            if number == 0:
                made(server.client(), "a")
            check_kept(server, there, gone, chance)
            if number == ROUNDS:
                same(server.stop(), 0)
                break
            clients = [Ingest(server, i, 100 * number + i) for i in range(4)]
            time.sleep(chance.uniform(0.1, 0.5))
            server.kill()
            for client in clients:
                client.thread.join(PATIENCE)
                assert not client.wrong, client.wrong
                there |= client.there
                gone |= client.gone
    assert len(there) > 100, f"only {len(there)} documents were acknowledged in {ROUNDS} rounds"
    is_sound(folder / "root" / "a")


# --- slow clients ---------------------------------------------------------------------------------

def measured(server: Server, count: int) -> float:
    """Returns the time of the slowest of `count` requests on new connections."""
    slowest = 0.0
    for number in range(count):
        started = time.monotonic()
        server.client().expect(200, "POST", "/v1/indexes/a/similar", {"text": text_of(number)})
        slowest = max(slowest, time.monotonic() - started)
    return slowest


def test_slow_clients() -> None:
    folder = folder_of("slow")
    with Server(folder / "root") as server:
        made(server.client(), "a", {"a": text_of(1)})
        heads = [b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: ", PLAN + b"Content-Length: 5000\r\n\r\n", PLAN + b"Transfer-Encoding: chunked\r\n\r\n5000\r\n"]
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(200)]
        for number, connection in enumerate(slow):
            connection.sendall(heads[number % len(heads)])
        for _ in range(3):
            for connection in slow:
                connection.sendall(b" ")
            slowest = measured(server, 20)
            assert slowest < SOON, f"beside 200 slow clients an answer took {slowest:.1f} s"
            time.sleep(0.7)
        # A client that requests much and does not read it does not keep the others waiting, either.
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as greedy:
            greedy.sendall(b"GET /v1/indexes HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000)
            assert (slowest := measured(server, 20)) < SOON, f"beside one that does not read an answer took {slowest:.1f} s"
        for connection in slow:
            connection.close()
        assert measured(server, 5) < 2


def hang_up_on(server: Server, path: str) -> None:
    """Sends several requests that take many seconds, and closes the connections."""
    batch = {"documents": [{"text": almost_similar(i)} for i in range(1000)], "limit": 100}
    for method, target, body in (("POST", path + "/pairs", {}), ("POST", path + "/clusters", {}), ("POST", path + "/similar/batch", batch),
                                 ("GET", path + "/similarities?documents=1000", None), ("GET", path + "/stats", None), ("GET", "/metrics", None)) * 2:
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
            connection.sendall(send(method, target, {} if body is None else body))
            time.sleep(0.1)


def test_those_who_hang_up() -> None:
    """After clients with slow requests have gone, neither other clients nor a stop wait for that work."""
    folder = folder_of("hang-up")
    with Server(folder / "root") as server:
        client = server.client(patience=SOON)
        path = made(client, "a", {f"d{i}": almost_similar(i) for i in range(9000)})
        hang_up_on(server, path)
        try:
            client.expect(201, "PUT", path + "/documents/new", {"text": "a"})
        except TimeoutError:
            server.kill()
            raise AssertionError(f"behind questions that nobody waits for, PUT of a document got no answer in {SOON} s") from None
        hang_up_on(server, path)
        same(server.stop(SOON), 0)


def test_no_file_descriptors() -> None:
    folder = folder_of("descriptors")
    with Server(folder / "root") as server:
        client = server.client()
        path = made(client, "a")
        client.ask("GET", "/healthz", keep=True)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))
        many = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(100)]
        acknowledged = [i for i in range(20) if client.ask("PUT", f"{path}/documents/{i}", {"text": text_of(i)}, keep=True).status == 201]
        for connection in many:
            connection.close()
        same(server.healthy(), "")
        for i in acknowledged:
            client.expect(200, "GET", f"{path}/documents/{i}", keep=True)
        same(server.stop(), 0)
    is_sound(folder / "root" / "a")


def test_too_many_connections() -> None:
    """A connection above the limit is refused with an answer; when the others have gone, new ones are accepted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 5000:
        raise Skip(f"only {hard} files may be open here")
    folder = folder_of("connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (5000, hard))
    try:
        with Server(folder / "root") as server:
            many = [socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) for _ in range(4200)]
            server.client().expect(503, "GET", "/healthz")
            for connection in many:
                connection.close()
            end = time.monotonic() + PATIENCE
            while (wrong := server.healthy()) and time.monotonic() < end:
                time.sleep(0.05)
            same(wrong, "")
            assert server.rss() < 256 << 20, f"it has {server.rss():,} bytes of memory"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_removed_and_made_again() -> None:
    """Work on an index that was removed does not touch a new index of the same name."""
    folder = folder_of("again")
    with Server(folder / "root") as server:
        client = server.client()
        path = made(client, "a", {f"old{i}": almost_similar(i) for i in range(3000)})
        # A bulk request, a query and a task still use the old index.
        lines = "".join(f'{{"id":"old{i}","text":"{text_of(i)}"}}\n' for i in range(2000)).encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as bulk:
            bulk.sendall(f"POST {path}/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: {len(lines)}\r\n\r\n".encode())
            bulk.sendall(lines[: len(lines) // 2])
            question = threading.Thread(target=lambda: server.client().ask("POST", path + "/pairs", {"limit": 100_000}))
            question.start()
            client.ask("POST", path + "/dedup", {})
            time.sleep(0.1)
            end = time.monotonic() + PATIENCE
            while (removed := client.ask("DELETE", path + "?confirm=a")).status in (409, 503) and time.monotonic() < end:
                time.sleep(0.1)  # refused while a task runs
            same(removed.status, 204, str(removed))
            while (again := client.ask("PUT", path, {})).status in (409, 503) and time.monotonic() < end:
                time.sleep(0.1)
            same(again.status, 201, str(again))
            new = {f"new{i}": text_of(10_000 + i) for i in range(50)}
            client.expect(200, "POST", path + "/documents", lines_of(new))
            try:
                bulk.sendall(lines[len(lines) // 2 :])
                bulk.recv(1 << 16)
            except OSError:
                pass
            question.join()
        time.sleep(0.3)
        check_kept(server, new, set(), random.Random(1))
        same(client.expect(200, "GET", path).json["documents"], 50, "documents of the new one")
        same(server.stop(), 0)
    is_sound(folder / "root" / "a")
    same(sorted(run("list", folder / "root" / "a").stdout.split()), sorted(new), "what is on the disk")


# --- damaged stores -------------------------------------------------------------------------------

def test_damaged() -> None:
    folder = folder_of("damaged")
    root = folder / "root"
    with Server(root) as server:
        for name in ("good", "bad"):
            made(server.client(), name, {"a": text_of(1)})
    (root / "bad" / "MANIFEST").write_bytes(b"\0" * 100)
    (root / ".removed-old-1-1").mkdir()
    (root / "a file").write_text("")
    with Server(root) as server:
        client = server.client()
        states = {one["name"]: one["state"] for one in client.expect(200, "GET", "/v1/indexes").json["indexes"]}
        same(states, {"good": "ready", "bad": "damaged"})
        ready = client.expect(200, "GET", "/readyz").json
        same([reason["index"] for reason in ready["reasons"]], ["bad"])
        assert str(folder) not in json.dumps(ready), f"without a key it tells where its folder is: {ready}"
        same(len(client.expect(200, "POST", "/v1/indexes/good/similar", {"text": text_of(1)}).json["matches"]), 1)
        client.expect(201, "PUT", "/v1/indexes/good/documents/b", {"text": text_of(2)})
        for method, what, body in (("GET", "", None), ("GET", "/stats", None), ("POST", "/similar", {"text": "a"}), ("PUT", "/documents/a", {"text": "a"})):
            same(client.expect(500, method, "/v1/indexes/bad" + what, body).code, "damaged")
        assert not (root / ".removed-old-1-1").exists(), "what was being removed is not removed"
        same(server.stop(), 0)


def test_cut_off() -> None:
    """A file that cannot be read any more (the system raises SIGBUS) is an error of its index, and does not end the server."""
    folder = folder_of("cut-off")
    root = folder / "root"
    texts = {f"d{i}": text_of(i) for i in range(200)}
    with Server(root) as server:
        for name in ("good", "bad"):
            made(server.client(), name, texts)
        same(server.stop(), 0)
    with Server(root) as server:
        client = server.client()
        for name in ("good", "bad"):
            same(len(client.expect(200, "POST", f"/v1/indexes/{name}/similar", {"text": text_of(1)}).json["matches"]), 1)
        segment = next((root / "bad").glob("segment-*"))
        os.truncate(segment, 0)
        for method, what, body in (("POST", "/similar", {"text": text_of(1)}), ("POST", "/similar", {"id": "d1"}), ("PUT", "/documents/d1", {"text": "a"}),
                                   ("POST", "/check-and-add", {"document": {"id": "new", "text": text_of(2)}}), ("POST", "/pairs", {})):
            answer = client.expect(507, method, "/v1/indexes/bad" + what, body)
            same(answer.code, "storage_failed")
            assert f"{segment.name}: byte " in answer.json["detail"] and str(folder) not in answer.json["detail"], str(answer)
            same(len(client.expect(200, "POST", "/v1/indexes/good/similar", {"text": text_of(1)}).json["matches"]), 1)
        client.expect(201, "PUT", "/v1/indexes/good/documents/new", {"text": text_of(1000)})
        same(server.stop(), 0)
    is_sound(root / "good")
    same(run("verify", root / "bad").returncode, 4)  # now the size of the file shows the damage


def test_one_store() -> None:
    folder = folder_of("one")
    with Server(folder / "root") as server:
        made(server.client(), "a", {"a": text_of(1)})
    with Server(folder / "root" / "a") as server:
        client = server.client()
        same([(one["name"], one["documents"]) for one in client.expect(200, "GET", "/v1/indexes").json["indexes"]], [("a", 1)])
        client.expect(201, "PUT", "/v1/indexes/a/documents/b", {"text": text_of(2)})
        same(client.expect(409, "PUT", "/v1/indexes/b", {}).code, "single_index")
        same(client.expect(409, "DELETE", "/v1/indexes/a?confirm=a").code, "single_index")
        # A second server on the same index does not write, does not call it damaged, and does not disturb the first.
        with Server(folder / "root") as second:
            other = second.client()
            answer = other.ask("PUT", "/v1/indexes/a/documents/c", {"text": text_of(3)})
            same((answer.status, answer.code), (503, "busy"), f"{answer}")
        client.expect(200, "GET", "/v1/indexes/a/documents/b")
    is_sound(folder / "root" / "a")


# --- the deadlines --------------------------------------------------------------------------------

class Deadlines:
    """Waits 20 s for the server's deadlines, while other tests run."""

    WAITING = {"half a head": (b"GET /hea", "408"), "half a body": (PLAN + b"Content-Length: 20\r\n\r\n{", "408"),
               "half a chunk": (PLAN + b"Transfer-Encoding: chunked\r\n\r\n20\r\n{", "408"), "nothing": (b"", "408|closed"),
               "nothing after an answer": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "200 408|closed")}

    def __init__(self) -> None:
        self.server = Server(folder_of("deadlines") / "root")
        self.said: dict[str, tuple[Said, float]] = {}
        self.threads = [threading.Thread(target=self.wait, args=(name, data)) for name, (data, _) in self.WAITING.items()]
        self.threads.append(threading.Thread(target=self.drip))
        for thread in self.threads:
            thread.start()

    def wait(self, name: str, data: bytes) -> None:
        started = time.monotonic()
        said = talk(self.server, data, hang_up=False, patience=40)
        self.said[name] = said, time.monotonic() - started

    def drip(self) -> None:
        """A client that sends a byte a second is cut off, too."""
        started = time.monotonic()
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=1) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nA: ")
            data, end = b"", "nothing"
            while time.monotonic() - started < 40:
                try:
                    connection.sendall(b"a")
                    if not (piece := connection.recv(1 << 16)):
                        end = "closed"
                        break
                    data += piece
                except TimeoutError:
                    continue
                except OSError:
                    end = "reset"
                    break
        self.said["a byte a second"] = Said(data, end), time.monotonic() - started

    def test(self) -> None:
        for thread in self.threads:
            thread.join(50)
        assert self.server.stop() == 0
        wrong = []
        for name, (said, seconds) in self.said.items():
            expected = [part.split("|") for part in self.WAITING.get(name, (b"", "408|closed"))[1].split()]
            got = [str(answer.status) for answer in said.answers]
            fits = len(got) <= len(expected) and all(one in part for one, part in zip(got, expected)) and all("closed" in part for part in expected[len(got):])
            if not fits or said.wrong or said.end == "nothing" or not 18 < seconds < 30:
                wrong.append(f"{name}: after {seconds:.1f} s {said.end}, with {said.data!r}")
        assert not wrong, "; ".join(wrong)


def main() -> int:
    deadlines = Deadlines()
    tests = [test_kill, test_slow_clients, test_those_who_hang_up, test_no_file_descriptors, test_too_many_connections, test_removed_and_made_again,
             test_damaged, test_cut_off, test_one_store]
    last = functools.partial(deadlines.test)
    last.__name__ = "test_deadlines"
    return run_tests([*tests, last])


if __name__ == "__main__":
    sys.exit(main())
