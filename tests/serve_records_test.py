#!/usr/bin/env python3
# labels: server
"""Tests that what `benzer serve` tells of its work is true and stays: reports of removals, tasks at its end, lines of the log.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import http.client
import json
import socket
import sqlite3
import struct
import sys
import threading
import time
from pathlib import Path

from serve_hostile_rows import head
from serve_test_util import PATIENCE, Server, almost_similar, ended, made, run_tests, same, scratch, text_of

EVERYTHING = {"remove": True, "largest_loss": 1, "largest_cluster": 1}


def root_of(name: str) -> Path:
    root = scratch(f"serve-records-{name}") / "root"
    root.mkdir()
    return root


def copies(count: int) -> dict[str, str]:
    """Documents of which each second one is a copy of the one before."""
    return {f"d{i}": text_of(i // 2) for i in range(count)}


def logged(server: Server, route: str) -> list[dict]:
    return [line for line in map(json.loads, (said for said in server.said if said.startswith("{"))) if route in line.get("target", "")]


def test_what_has_left_the_index_counts() -> None:
    """Also if what is kept of the documents cannot be removed."""
    with Server(root_of("removal")) as server:
        client = server.client()
        path = made(client, "a", copies(100))
        other = sqlite3.connect(server.root / "a" / "documents.sqlite", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        task = ended(client, client.expect(202, "POST", path + "/dedup", EVERYTHING).json)
        other.execute("ROLLBACK")
        other.close()
        same((task["status"], task["problem"]["code"]), ("failed", "storage_failed"))
        gone = 100 - client.expect(200, "GET", path).json["documents"]
        same(gone, 50, "removed")
        same(task["result"].get("removed"), gone, "the result")
        same(client.expect(200, "GET", f"/v1/tasks/{task['id']}/report").json["removed"], gone, "the report")


def test_a_report_that_cannot_be_read_is_cut_off() -> None:
    """It must not look like a shorter list of documents to remove."""
    with Server(root_of("unreadable")) as server:
        client = server.client()
        task = ended(client, client.expect(202, "POST", made(client, "a", copies(100)) + "/dedup", {}).json)
        for form in ("json", "ndjson", "html"):
            file = server.root / ".server" / "reports" / f"{task['id']}.{form}"
            file.unlink()
            file.mkdir()  # it can be opened, and each read of it fails
            try:
                answer = client.ask("GET", f"/v1/tasks/{task['id']}/report?format={form}")
            except (http.client.HTTPException, ConnectionError):
                continue
            raise AssertionError(f"{form}: the answer has an end: {answer}")
        same(server.healthy(), "")


def test_other_indexes_come_and_go() -> None:
    """An index that is removed takes its own reports with it, and nothing else."""
    with Server(root_of("others")) as server:
        client = server.client()
        path = made(client, "main", copies(200))
        is_over = threading.Event()

        def come_and_go() -> None:
            own = server.client()
            while not is_over.is_set():
                made(own, "short", {"a": text_of(1)})
                own.expect(204, "DELETE", "/v1/indexes/short?confirm=short")

        thread = threading.Thread(target=come_and_go)
        thread.start()
        try:
            tasks = [ended(client, client.expect(202, "POST", path + "/dedup", {}).json) for _ in range(20)]
        finally:
            is_over.set()
            thread.join()
        for task in tasks:
            same((task["status"], task["problem"]), ("succeeded", None))
        client.expect(200, "GET", f"/v1/tasks/{tasks[-1]['id']}/report")
        reports = server.root / ".server" / "reports"
        assert list(reports.iterdir())
        client.expect(204, "DELETE", "/v1/indexes/main?confirm=main")
        same([one.name for one in reports.iterdir()], [], "reports of an index that is gone")


def test_a_removal_that_was_cut_off() -> None:
    """The end of the process between renaming the folder of an index and removing its reports: the next start removes them, but not
    those of an index that is there again."""
    root = root_of("cut-off-removal")
    key = {"Idempotency-Key": "one"}
    with Server(root) as server:
        client = server.client()
        for name in ("a-b", "stays"):
            task = client.expect(202, "POST", made(client, name, copies(20)) + "/dedup", {}, headers=key if name == "a-b" else None).json
            same(ended(client, task)["status"], "succeeded", name)
            kept = task["id"]
        server.kill()
    (root / "a-b").rename(root / ".removed-a-b-4711-1")
    (root / ".removed-stays-4711-2").mkdir()
    with Server(root) as server:
        client = server.client()
        same(sorted(one.name for one in (root / ".server" / "reports").iterdir()), [f"{kept}.{form}" for form in ("html", "json", "ndjson")])
        same([one.name for one in root.glob(".removed-*")], [])
        path = made(client, "a-b", copies(20))
        answer = client.expect(202, "POST", path + "/dedup", {}, headers=key)
        same(answer["Idempotency-Replayed"], None, "the answer about the index that was removed")
        same(server.stop(), 0)


def test_damaged_database() -> None:
    """Reports of tasks that are no longer listed say what was removed, so they are put aside, too."""
    root = root_of("damaged")
    with Server(root) as server:
        client = server.client()
        path = made(client, "a", copies(20))
        task = ended(client, client.expect(202, "POST", path + "/dedup", EVERYTHING).json)
        same(task["result"]["removed"], 10)
        same(server.stop(), 0)
    own = root / ".server"
    before = {one.name: one.read_bytes() for one in (own / "reports").iterdir()}
    same(len(before), 3)
    with (own / "server.sqlite").open("r+b") as file:
        file.write(b"damaged damaged ")
    with Server(root, quiet=False) as server:
        assert any("reports.damaged" in line for line in server.said), server.said
        same(list((own / "reports").iterdir()), [])
    same({one.name: one.read_bytes() for one in (own / "reports.damaged").iterdir()}, before)


def test_the_server_ends_first() -> None:
    """A task that the end of the server has stopped was not canceled by anybody."""
    root = root_of("ends")
    with Server(root) as server:
        client = server.client()
        path = made(client, "long", {f"d{i}": almost_similar(i) for i in range(9000)})
        tasks = [client.expect(202, "POST", path + what, {}).json["id"] for what in ("/dedup", "/verify")]
        end = time.monotonic() + PATIENCE
        while client.expect(200, "GET", f"/v1/tasks/{tasks[0]}").json["status"] == "enqueued" and time.monotonic() < end:
            time.sleep(0.01)
        same(server.stop(), 0)
    with Server(root) as server:
        for task in tasks:
            found = server.client().expect(200, "GET", f"/v1/tasks/{task}").json
            same((found["status"], (found["problem"] or {}).get("code")), ("failed", "server_ended"), found["kind"])


def test_log_of_who_breaks_off() -> None:
    """A bulk request that is cut off may have changed documents, and an answer that is cut off has not been sent."""
    with Server(root_of("log"), "--log", "json", quiet=False) as server:
        client = server.client()
        path = made(client, "a")
        lines = "".join(json.dumps({"id": f"d{i}", "text": text_of(i) * 20}) + "\n" for i in range(3000)).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head("POST", path + "/documents", "Content-Type: application/x-ndjson", f"Content-Length: {2 * len(lines)}") + lines)
        end = time.monotonic() + PATIENCE
        while not (broken := [one["status"] for one in logged(server, "/a/documents")]) and time.monotonic() < end:
            time.sleep(0.05)
        same(broken, [499], "the line of a request that was cut off")
        assert client.expect(200, "GET", path).json["documents"] > 0, "what came before is stored"

        big = made(client, "big", {f"d{i}": text_of(i) * 4000 for i in range(60)})
        whole = len(client.expect(200, "GET", big + "/documents").body)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.sendall(head("GET", big + "/documents"))
            connection.recv(1000)
        while len(sizes := [one["bytes"] for one in logged(server, "/big/documents") if one["method"] == "GET"]) < 2 and time.monotonic() < end:
            time.sleep(0.05)
        same(sizes[0], whole, "bytes of an answer that was sent")
        assert sizes[1] < whole, f"the client had gone, and {sizes[1]} of {whole} bytes count as sent"


def main() -> int:
    return run_tests([test_what_has_left_the_index_counts, test_a_report_that_cannot_be_read_is_cut_off, test_other_indexes_come_and_go, test_a_removal_that_was_cut_off, test_damaged_database,
                      test_the_server_ends_first, test_log_of_who_breaks_off])


if __name__ == "__main__":
    sys.exit(main())
