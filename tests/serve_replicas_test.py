#!/usr/bin/env python3
# labels: server store
"""Tests two `benzer serve` processes that share an index in Redis behind a balancer: writes, kills, restarts, and what each has to itself.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import random
import signal
import socket
import sys
import threading
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http.client import HTTPException

from serve_fault_test import run
from serve_replicas_test_util import PATIENT, Gate, Pair, Redis, at_once, insist, redis_server, why_skipped
from serve_test_util import PATIENCE, Answer, Server, ended, lines_of, run_tests, same, text_of
from serve_upkeep_test import until

# --- reads and writes -----------------------------------------------------------------------------

def test_read_your_writes(redis: Redis) -> None:
    """What was written through one server is seen through the other as soon as it was answered."""
    with ExitStack() as stack:
        pair = Pair(redis, stack, "own")
        there = []
        for number in range(30):
            one, other = pair.clients if number % 2 else reversed(pair.clients)
            name, first, second = f"d{number}", text_of(number), text_of(1000 + number)
            same(pair.put(one, name, first).status, 201)
            same(pair.get(other, name).status, 200)
            same(pair.found(other, first), [(name, 1.0)])
            same(pair.put(other, name, second).status, 200, "the other server knows that it replaces")
            same((pair.found(one, first), pair.found(one, second)), ([], [(name, 1.0)]), "after it was replaced")
            if number % 3 == 0:
                one.expect(204, "DELETE", f"{pair.path}/documents/{name}")
                same((pair.get(other, name).status, pair.found(other, second)), (404, []), "after it was removed")
            else:
                there.append(name)
        for client in (*pair.clients, pair.balancer.client()):
            same(pair.ids(client), sorted(there))
            same(client.expect(200, "GET", pair.path).json["documents"], len(there))


def test_same_ids(redis: Redis) -> None:
    """Of writes of the same ids through both servers one whole version remains, none that was answered before the others began, and the
    document is there all the time."""
    names, rounds = [f"d{number}" for number in range(8)], 30

    def version(number: int) -> str:
        """Each version has another number of features."""
        return " ".join(f"{number}w{place}" for place in range(30 + number % 37))
    with ExitStack() as stack:
        pair = Pair(redis, stack, "same")
        for place, name in enumerate(names):
            same(pair.put(pair.clients[0], name, version(place)).status, 201)
        written = {name: [(place, 0.0, time.monotonic())] for place, name in enumerate(names)}  # version, and when it was sent and answered
        is_over = threading.Event()

        def write(writer: int) -> None:
            chance, client = random.Random(writer), pair.servers[writer % 2].client(patience=PATIENT)
            for number in range(1000 * (writer + 1), 1000 * (writer + 1) + rounds):
                name, sent = chance.choice(names), time.monotonic()
                same(pair.put(client, name, version(number)).status, 200, "the document was there already")
                written[name].append((number, sent, time.monotonic()))

        def read() -> int:
            chance, count = random.Random(9), 0
            while not is_over.is_set():
                same(pair.get(pair.balancer.client(), chance.choice(names)).status, 200, "while it is replaced")
                count += 1
            return count
        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(read)
            try:
                at_once(*(lambda writer=writer: write(writer) for writer in range(4)))
            finally:
                is_over.set()
            assert reading.result() > 0
        for name in names:
            left = [(number, answered) for number, _, answered in written[name] if pair.found(pair.clients[0], version(number)) == [(name, 1.0)]]
            same(len(left), 1, f"versions of {name} that are found, of {written[name]}")
            [(number, answered)] = left
            same(pair.get(pair.clients[1], name).json["fields"]["text"]["features"], len(version(number).split()) - 4, "its features are of the same version")
            later = [one for one in written[name] if one[1] > answered]
            same(later, [], f"versions of {name} that were sent after version {number} was answered")
        same(pair.ids(pair.clients[0]), names)
        pair.is_sound(len(names))


def test_check_and_add(redis: Redis) -> None:
    """Of similar documents that are checked and added at the same moment through both servers, exactly one is added."""
    with ExitStack() as stack:
        pair = Pair(redis, stack, "check")

        def check(number: int, place: int) -> Answer:
            document = {"id": f"d{number}-{place}", "text": f"{text_of(number)} end{place}"}
            return pair.servers[place % 2].client(patience=PATIENT).ask("POST", pair.path + "/check-and-add", {"document": document})
        for number in range(30):
            answers = at_once(*(lambda place=place: check(number, place) for place in range(4)))
            added = [place for place, answer in enumerate(answers) if answer.status == 201]
            same(sorted(answer.status for answer in answers), [200, 200, 200, 201], f"round {number}")
            winner = f"d{number}-{added[0]}"
            for place, answer in enumerate(answers):
                same((answer.json["added"], [match["id"] for match in answer.json["matches"]]), (place in added, [] if place in added else [winner]), str(answer))
            same([name for name, _ in pair.found(pair.clients[0], text_of(number))], [winner])
            same(check(number, added[0]).json["added"], True, "a request that is sent again says the same")
        same(len(pair.ids(pair.clients[1])), 30)
        pair.is_sound(30)


# --- the loss of a server -------------------------------------------------------------------------

def test_kill(redis: Redis) -> None:
    """SIGKILL for a server in the middle of a load: all that was answered is there, and what was not can be sent again, through the other."""
    with ExitStack() as stack:
        gate = Gate(redis.port)
        stack.callback(gate.end)
        pair = Pair(redis, stack, "kill", through=gate)
        bulk = {f"bulk{number:04}": text_of(number) for number in range(2300)}
        gate.hold(b"bulk2200")  # in the second step of the load
        answered: dict[str, str] = {}
        is_killed = threading.Event()

        def load() -> None:
            with suppress(OSError, HTTPException):
                answer = pair.clients[0].ask("POST", pair.path + "/documents", lines_of(bulk))
                raise AssertionError(f"a load that cannot have been completed is answered {answer}")

        def write(writer: int) -> None:
            client, rest = pair.balancer.client(), 20
            for number in range(10**6):
                text = text_of(10_000 + 2_000 * writer + number)
                same(pair.put(client, f"d{writer}-{number}", text).status // 100, 2, "a write through the balancer")
                answered[f"d{writer}-{number}"] = text
                rest -= is_killed.is_set()
                if rest == 0:
                    return
        with ThreadPoolExecutor(4) as pool:
            writing = [pool.submit(write, writer) for writer in range(3)]
            try:
                until("both servers have written", lambda: len(answered) > 100)
                loading = pool.submit(load)
                assert gate.reached.wait(PATIENCE), "the load does not come to its second step"
                pair.servers[0].kill()
            finally:
                is_killed.set()
                gate.open(drops=True)
            for one in (loading, *writing):
                one.result()
        assert all(pair.balancer.answered.values()), pair.balancer.answered
        client = pair.clients[1]
        same(pair.found_wrongly(client, answered), {}, f"of {len(answered)} documents that were answered")
        left = bulk.keys() & set(pair.ids(client))
        assert 2000 <= len(left) < len(bulk), f"{len(left)} of the documents of the load are there; the first step has 2,000"
        again = client.expect(200, "POST", pair.path + "/documents", lines_of(bulk)).lines[-1]["summary"]
        same((again["inserted"], again["replaced"]), (len(bulk) - len(left), len(left)))
        same(pair.ids(client), sorted([*answered, *bulk]), "each once")
        run("verify", "--repair", pair.url)  # entries that the killed server has left are in no answer
        pair.is_sound(len(answered) + len(bulk))
        same(pair.found_wrongly(client, bulk), {})


def test_rolling_restart(redis: Redis) -> None:
    """One server after the other is restarted while clients read and write through the balancer: no answer is wrong, and none is lost."""
    with ExitStack() as stack:
        pair = Pair(redis, stack, "rolling")
        same(pair.put(pair.clients[0], "fixed", text_of(1)).status, 201)
        is_over = threading.Event()
        last: dict[str, str] = {}  # the last version of each document that was answered
        counts = {"written": 0, "read": 0}

        def write(writer: int) -> None:
            client = pair.balancer.client()
            number = 0
            while not is_over.is_set():
                name, text = f"d{writer}-{number % 20}", text_of(100_000 * (writer + 1) + number)
                answer = insist(client, "PUT", f"{pair.path}/documents/{name}", {"text": text})
                assert answer.status in (200, 201), answer
                last[name] = text
                answer = insist(client, "POST", pair.path + "/similar", {"text": text})
                same((answer.status, [match["id"] for match in answer.json["matches"]]), (200, [name]), "after it was answered")
                number += 1
                counts["written"] += 1

        def read() -> None:
            client = pair.balancer.client()
            while not is_over.is_set():
                answer = insist(client, "POST", pair.path + "/similar", {"text": text_of(1) + " more"})
                same((answer.status, [match["id"] for match in answer.json["matches"]]), (200, ["fixed"]))
                counts["read"] += 1

        def go_on() -> None:
            before = dict(counts)
            until("reads and writes go on", lambda: all(counts[what] >= before[what] + 20 for what in counts) or any(one.done() for one in running), PATIENT)
        with ThreadPoolExecutor(4) as pool:
            running = [*(pool.submit(write, writer) for writer in range(2)), *(pool.submit(read) for _ in range(2))]
            try:
                go_on()
                for place, server in enumerate(pair.servers):
                    same(server.stop(), 0)
                    go_on()
                    pair.servers[place] = stack.enter_context(Server(pair.url, port=server.port))
                    before = pair.balancer.answered[server.port]
                    go_on()
                    until("the restarted server is asked", lambda: pair.balancer.answered[server.port] > before)
            finally:
                is_over.set()
            for one in running:
                one.result()
        client = pair.servers[0].client()
        same(pair.found_wrongly(client, last), {})
        same(pair.ids(client), sorted([*last, "fixed"]))
        pair.is_sound(len(last) + 1)


def begin(server: Server, method: str, target: str, body: bytes) -> socket.socket:
    """Sends all of a request but its body, and returns when the server has read it."""
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    connection.sendall(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                       "Expect: 100-continue\r\n\r\n".encode())
    assert connection.recv(1000).startswith(b"HTTP/1.1 100 "), "the server does not want the body"
    return connection


def is_refused(server: Server) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", server.port)) != 0


def test_stopping(redis: Redis) -> None:
    """A server that stops takes no connection, calls itself not ready where it was asked before, and answers the requests under way."""
    with ExitStack() as stack:
        pair = Pair(redis, stack, "stopping")
        first, other = pair.servers
        document = json.dumps({"text": text_of(1)}).encode()
        writing = stack.enter_context(begin(first, "PUT", pair.path + "/documents/d1", document))
        asking = stack.enter_context(begin(first, "GET", "/readyz", b"{}"))
        idle = stack.enter_context(socket.create_connection(("127.0.0.1", first.port), timeout=PATIENCE))
        same(pair.balancer.client().expect(200, "GET", "/readyz").json["status"], "ready")
        first.process.send_signal(signal.SIGTERM)
        until("it refuses connections", lambda: is_refused(first))
        same(idle.recv(1), b"", "of a connection without a request")
        asking.sendall(b"{}")
        said = asking.recv(10_000)
        assert said.startswith(b"HTTP/1.1 503 ") and b'"status":"stopping"' in said, said
        before = pair.balancer.answered[other.port]
        for _ in range(4):
            same(pair.balancer.client().expect(200, "GET", "/readyz").json["status"], "ready")
        same(pair.balancer.answered[other.port], before + 4, "the balancer goes to the other one")
        writing.sendall(document)
        said = writing.recv(10_000)
        assert said.startswith(b"HTTP/1.1 201 "), said
        same(first.process.wait(PATIENT), 0)
        same(pair.found(pair.clients[1], text_of(1)), [("d1", 1.0)])


class Outage:
    """An outage of a Redis server of its own, which takes ten seconds and so begins before the other tests."""

    def __init__(self, pool: Executor) -> None:
        self._end = pool.submit(self._run)

    def test_outage(self, _: Redis) -> None:
        """Without Redis requests are answered with 503 after ten seconds, while /readyz goes on; with Redis again both servers work
        without a restart, and requests that have waited are carried out."""
        self._end.result()

    @staticmethod
    def _run() -> None:
        with ExitStack() as stack:
            redis = stack.enter_context(redis_server("outage"))
            pair = Pair(redis, stack, "outage")
            same(pair.put(pair.clients[0], "d1", text_of(1)).status, 201)
            redis.stop()
            asked = (("PUT", f"{pair.path}/documents/d2", {"text": text_of(2)}), ("POST", pair.path + "/similar", {"text": text_of(1)}), ("GET", "/readyz"))
            answers = at_once(*(lambda server=server, ask=ask: server.client(patience=PATIENT).ask(*ask) for server in pair.servers for ask in asked))
            same([(answer.status, answer.code) for answer in answers], [(503, "unavailable"), (503, "unavailable"), (200, None)] * 2)
            assert all(answer["Retry-After"] for answer in answers if answer.status == 503), answers
            with ThreadPoolExecutor(2) as pool:
                waiting = [pool.submit(pair.put, server.client(patience=PATIENT), f"w{place}", text_of(10 + place)) for place, server in enumerate(pair.servers)]
                time.sleep(0.3)  # so that they meet no Redis; nothing depends on it
                redis.start()
                same([one.result().status for one in waiting], [201, 201])
            for place, client in enumerate(pair.clients):
                same(pair.found(client, text_of(1)), [("d1", 1.0)])
                same(pair.put(client, f"d{3 + place}", text_of(3 + place)).status, 201)
            same(pair.ids(pair.clients[0]), ["d1", "d3", "d4", "w0", "w1"])


# --- what each server has to itself -----------------------------------------------------------------

def test_own_tasks(redis: Redis) -> None:
    """A task and its report are known only to the server that was asked for it; snapshots and decisions are refused by both."""
    with ExitStack() as stack:
        pair = Pair(redis, stack, "tasks")
        one, other = pair.clients
        for place in range(3):
            same(pair.put(one, f"d{place}", text_of(1, place)).status, 201)
        task, again, at_other = (client.expect(202, "POST", pair.path + "/dedup", {}, headers={"Idempotency-Key": "once"}).json for client in (one, one, other))
        same(again["id"], task["id"])
        assert at_other["id"] != task["id"], "the other server does not know the key"
        same(ended(one, task)["result"]["would_remove"], 2)
        ended(other, at_other)
        same(one.expect(422, "POST", pair.path + "/dedup", {"remove": True}).code, "invalid_argument")
        one.expect(200, "GET", f"/v1/tasks/{task['id']}/report")
        for target in ("", "/report", "/events"):
            same(other.expect(404, "GET", f"/v1/tasks/{task['id']}{target}").code, "task_not_found")
        same(other.expect(404, "POST", f"/v1/tasks/{task['id']}/cancel").code, "task_not_found")
        same((len(one.expect(200, "GET", "/v1/tasks").json["tasks"]), len(other.expect(200, "GET", "/v1/tasks").json["tasks"])), (1, 1))
        same(sorted(pair.balancer.client().ask("GET", f"/v1/tasks/{task['id']}").status for _ in range(4)), [200, 200, 404, 404], "through the balancer")
        for client in pair.clients:
            same(client.expect(409, "POST", pair.path + "/snapshot").code, "single_index")
            same(client.expect(422, "POST", pair.path + "/decisions", {"members": ["d0", "d1"], "not_duplicates": True}).code, "invalid_argument")
            same(client.expect(200, "GET", pair.path + "/documents/d0").json["document"], None, "documents are not kept")


def main() -> int:
    if why := why_skipped():
        print(f"SKIPPED: {why}")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with redis_server("replicas") as redis, ThreadPoolExecutor(1) as pool:
        outage = Outage(pool)
        return run_tests([test_read_your_writes, test_same_ids, test_check_and_add, test_kill, test_rolling_restart, test_stopping, test_own_tasks,
                          outage.test_outage], redis)


if __name__ == "__main__":
    sys.exit(main())
