#!/usr/bin/env python3
# labels: server
"""Tests `benzer serve` with indexes that are damaged, unreachable, incomplete or removed while in use, and with tasks that are canceled.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path

from serve_fault_test import folder_of
from serve_tasks_test import done, ended, families, metrics
from serve_test_util import (
    PATIENCE,
    SOON,
    Client,
    Server,
    Skip,
    almost_similar,
    lines_of,
    made,
    program,
    run_tests,
    same,
    text_of,
)


def until(what: str, is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
    end = time.monotonic() + patience
    while not is_so():
        assert time.monotonic() < end, f"not within {patience} s: {what}"
        time.sleep(0.01)


def damage(file: Path) -> None:
    """Overwrites the first bytes of each page but the first and the last, in place, since a server may have the file mapped."""
    with file.open("r+b") as opened:
        for at in range(4096, file.stat().st_size - 4096, 4096):
            opened.seek(at)
            opened.write(b"damaged")


def died() -> int:
    """Returns the id of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return process.pid


class Busy:
    """A task that runs until it is canceled, so that tasks that are added meanwhile wait."""

    def __init__(self, client: Client) -> None:
        self.client = client
        path = "/v1/indexes/busy"
        if client.ask("GET", path).status == 404:
            made(client, "busy", {f"d{i}": almost_similar(i) for i in range(9000)})
        self.task = client.expect(202, "POST", path + "/dedup", {}).json
        until("it is carried out", lambda: self.is_running())

    def is_running(self) -> bool:
        return self.client.expect(200, "GET", f"/v1/tasks/{self.task['id']}").json["status"] == "processing"

    def end(self) -> None:
        assert self.is_running(), "it was over before the others had begun"
        self.client.expect(200, "POST", f"/v1/tasks/{self.task['id']}/cancel")
        ended(self.client, self.task)


# --- damaged and incomplete indexes ---------------------------------------------------------------

def test_damaged_sample() -> None:
    """With damaged pages, stats lack only the sample, also for a request that waits for another one's sample; other indexes have theirs."""
    root = folder_of("sample") / "root"
    with Server(root) as server:
        for name in ("good", "bad"):
            done(server.client(), families(server.client(), name, 700), "compact")
    with Server(root) as server:  # it has read only the pages that opening needs
        for file in (root / "bad").glob("segment-*"):
            damage(file)
        with ThreadPoolExecutor(40) as pool:
            for answer in pool.map(lambda _: server.client().ask("GET", "/v1/indexes/bad/stats"), range(400)):
                same((answer.status, answer.json["sample"], answer.json["buckets"]), (200, None, None), str(answer))
                assert "segment-" in answer.json["sample_problem"] and str(root) not in answer.json["sample_problem"], answer.json
                same(answer.json["documents"], 2100)
        same(server.healthy(), "")
        client = server.client()
        of = metrics(client)  # which asks for a sample, and does not wait for it
        until("a sample is taken", lambda: 'benzer_bucket_largest{index="good"}' in metrics(client))
        of = metrics(client)
        same([of[f'benzer_index_ready{{index="{name}"}}'] for name in ("good", "bad")], [1, 0])
        same([of[f'benzer_documents{{index="{name}"}}'] for name in ("good", "bad")], [2100, 2100])
        assert 'benzer_bucket_largest{index="good"}' in of and 'benzer_bucket_largest{index="bad"}' not in of, of
        same(ended(client, client.expect(202, "POST", "/v1/indexes/bad/verify").json)["problem"]["code"], "damaged")
        verified = client.expect(200, "GET", "/v1/indexes/bad").json
        same(verified["documents"], 2100)


def test_problem_of_maintenance() -> None:
    """Stats, metrics and the log show a failure of background work, until the work succeeds."""
    folder = folder_of("problem") / "root" / "a"

    def index(number: int, most_bytes: int) -> None:
        """Adds a document to the index, with a limit on the size of files."""
        given = lines_of({f"{number}": text_of(number)})
        limit = (most_bytes, most_bytes)
        subprocess.run([str(program()), "index", str(folder), "-", "--create", "--quiet"], input=given, capture_output=True, text=True, check=True,
                       timeout=PATIENCE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))

    def look(problems: int) -> None:
        with Server(folder.parent) as server:
            client = server.client()
            same(metrics(client)['benzer_index_maintenance_failing{index="a"}'], problems)
            problem = client.expect(200, "GET", "/v1/indexes/a/stats").json["maintenance_problem"]
            same(problem is not None, bool(problems), str(problem))
            if problem:
                assert problem["problem"].startswith("segment-") and problem["at"].endswith("Z"), problem
            told = [line for line in server.said if "background work fails" in line]
            same(len(told), problems, str(server.said))
            assert all(" a: " in line and "segment-" in line for line in told), told

    index(1, 1 << 20)
    look(0)
    index(2, 4000)  # enough for the log, but not for a page of a segment
    look(1)
    index(3, 1 << 20)
    look(0)


def test_snapshot_of_damage() -> None:
    """A snapshot that fails leaves nothing that looks like a snapshot."""
    root = folder_of("snapshot") / "root"
    with Server(root) as server:
        families(server.client(), "a", 300)
    damage(root / "a" / "documents.sqlite")
    leftover = root / ".snapshots" / f".new-{died()}-a-2026"
    leftover.mkdir(parents=True)
    under_way = root / ".snapshots" / f".new-{os.getpid()}-a-2026"
    under_way.mkdir()
    with Server(root) as server:
        assert not leftover.exists(), "what a kill left of a snapshot is there after a start"
        client = server.client()
        task = ended(client, client.expect(202, "POST", "/v1/indexes/a/snapshot").json)
        same((task["status"], task["problem"]["code"]), ("failed", "damaged"), str(task))
        assert str(root) not in str(task), task
        same(list((root / ".snapshots").iterdir()), [under_way], "what another process makes stays")


def test_made_and_killed() -> None:
    """PUT of an index can be repeated after a kill at any moment."""
    root = folder_of("made") / "root"
    (root / f".new-{died()}-old").mkdir()
    chance = random.Random(3)
    for number in range(10):
        with Server(root) as server:
            assert not list(root.glob(".new-*")), "what a kill left is there after a start"
            thread = threading.Thread(target=put_quietly, args=(server, f"/v1/indexes/c{number}"))
            thread.start()
            time.sleep(chance.uniform(0, 0.02))
            server.kill()
            thread.join(PATIENCE)
    with Server(root) as server:
        for number in range(10):
            answer = server.client().ask("PUT", f"/v1/indexes/c{number}", {})
            assert answer.status in (200, 201), f"after a kill: {answer}"


def put_quietly(server: Server, path: str) -> None:
    try:
        server.client().ask("PUT", path, {})
    except (OSError, HTTPException):
        pass


# --- documents that expire ------------------------------------------------------------------------

def test_what_has_expired_is_removed() -> None:
    """When a server opens an index, and when the next document that it knows of expires."""
    root = folder_of("expired") / "root"
    path = "/v1/indexes/a"
    with Server(root) as server:
        client = server.client()
        client.expect(201, "PUT", path, {"attributes": ["expires_at=time;ttl=1s"]})
        client.expect(201, "PUT", path + "/documents/first", {"text": text_of(1)})
        client.expect(201, "PUT", path + "/documents/stays", {"text": text_of(2), "expires_at": "2100-01-01"})
        until("the first document has expired", lambda: client.ask("GET", path + "/documents/first").status == 404)
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 4))
        client.expect(201, "PUT", path + "/documents/second", {"text": text_of(3), "expires_at": soon})
    with Server(root) as server:
        client = server.client()
        until("the two that have expired are removed", lambda: client.expect(200, "GET", path).json["documents"] == 1)
        same([one["id"] for one in client.expect(200, "GET", path + "/documents").json["documents"]], ["stays"])


# --- unreachable indexes --------------------------------------------------------------------------

def state(client: Client, name: str) -> str:
    return next(one["state"] for one in client.expect(200, "GET", "/v1/indexes").json["indexes"] if one["name"] == name)


def test_held_by_another() -> None:
    """An index that another process has open is opened when that one has ended, with or without a request for it."""
    root = folder_of("held") / "root"
    with Server(root) as first:
        made(first.client(), "a", {"a": text_of(1)})
        with Server(root) as second:
            client = second.client()
            same(state(client, "a"), "busy")
            same(client.expect(503, "GET", "/v1/indexes/a").code, "busy")
            same(first.stop(), 0)
            until("it is ready", lambda: state(client, "a") == "ready")
            client.expect(201, "PUT", "/v1/indexes/a/documents/b", {"text": text_of(2)})


def test_out_of_reach() -> None:
    """An index whose Redis server does not answer is not called damaged, keeps no request waiting, and is available soon after its server is."""
    if not shutil.which("redis-server"):
        raise Skip("there is no redis-server")
    folder = folder_of("reach")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"redis://127.0.0.1:{port}/news"
    with Server(url) as server:
        client = server.client()
        if "without Redis" in str(server.said) or "has no Redis" in client.ask("GET", "/v1/indexes").body.decode():
            raise Skip("this build has no Redis")
        same(state(client, "news"), "unavailable")
        started = time.monotonic()
        for _ in range(20):
            same(client.expect(503, "GET", "/v1/indexes/news").code, "unavailable")
        assert time.monotonic() - started < SOON, "whoever asks waits until it is tried again"
        redis = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)], stdout=subprocess.DEVNULL)
        try:
            (folder / "docs.jsonl").write_text(lines_of({"a": text_of(1)}))
            made_there = subprocess.run([str(server.process.args[0]), "index", "--create", url, str(folder / "docs.jsonl")], capture_output=True, text=True, check=False, timeout=30)
            same(made_there.returncode, 0, made_there.stderr)
            until("it is ready", lambda: state(client, "news") == "ready")
            same(client.expect(200, "GET", "/v1/indexes/news").json["documents"], 1)
            same(server.stop(), 0)
        finally:
            redis.kill()
            redis.wait()


# --- tasks ----------------------------------------------------------------------------------------

def test_removed_meanwhile(server: Server) -> None:
    """A waiting task whose index is removed fails and says so; a canceled one does not block the name of the index."""
    client = server.client()
    left = families(client, "left")
    busy = Busy(client)
    kinds = ("verify", "compact", "snapshot", "dedup")
    waiting = {kind: client.expect(202, "POST", f"{left}/{kind}", {"remove": True} if kind == "dedup" else None).json for kind in kinds}
    client.expect(204, "DELETE", left + "?confirm=left")
    busy.end()
    for kind, task in waiting.items():
        task = ended(client, task)
        same((task["status"], (task["problem"] or {}).get("code")), ("failed", "index_not_found"), f"{kind}: {task}")
        assert str(server.root) not in str(task), task
    for path in (families(client, "freed"),):
        busy = Busy(client)
        task = client.expect(202, "POST", path + "/verify").json
        client.expect(204, "DELETE", path + "?confirm=freed")
        same(client.expect(503, "PUT", path).code, "busy")
        client.expect(200, "POST", f"/v1/tasks/{task['id']}/cancel")
        client.expect(201, "PUT", path)
        busy.end()


def test_reports(server: Server) -> None:
    """Twenty reports are kept."""
    client = server.client()
    path = families(client, "reported")
    tasks = [done(client, path, "dedup", {}) for _ in range(23)]
    same([client.ask("GET", f"/v1/tasks/{task['id']}/report").status for task in tasks], [409] * 3 + [200] * 20)


# Numbers of pairs to try until a removal is interrupted while it runs: if this test has to wait for a core, a smaller one may be over.
PAIRS = 12_000, 48_000, 192_000


def removal(client: Client, pairs: int) -> tuple[str, dict]:
    """Returns the path of an index, and the dedup task that has begun to remove."""
    documents = {f"{number}-{i}": " ".join(f"{word}{number}" for word in "abcdefghij") for number in range(pairs) for i in range(2)}
    path = made(client, f"halved-{pairs}", documents)
    task = client.expect(202, "POST", path + "/dedup", {"remove": True, "largest_cluster": 1}).json
    until("some have gone", lambda: client.expect(200, "GET", path).json["documents"] < 2 * pairs)
    return path, task


def test_cancel_of_removal(server: Server) -> None:
    """A canceled removal ends between two batches of a thousand, and says how many documents were removed."""
    client = server.client()
    for count in PAIRS:
        path, task = removal(client, count)
        client.ask("POST", f"/v1/tasks/{task['id']}/cancel")
        task = ended(client, task)
        if task["status"] == "canceled":
            break
    left = client.expect(200, "GET", path).json["documents"]
    same(task["status"], "canceled", str(task))
    result = task["result"]
    same((result["removed"], result["would_remove"], result["kept"]), (2 * count - left, left - count, left))
    assert 0 < result["removed"] < count, result
    *lines, last = client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=ndjson").lines
    same(last, {"summary": result})
    same(len(lines), count)
    for line, status in ((lines[result["removed"] - 1], 404), (lines[result["removed"]], 200)):
        client.expect(status, "GET", f"{path}/documents/{line['id']}")
    assert f"It was stopped before its end:</b> {result['removed']:,} documents of these are removed." in page_of(client, task)


def test_stop_of_removal() -> None:
    """A stop does not wait for the end of a removal, and the index can be opened again. The next server's tasks have other ids."""
    for count in PAIRS:
        root = folder_of("stopped") / "root"
        with Server(root) as server:
            path, first = removal(server.client(), count)
            same(server.stop(), 0)
        with Server(root) as server:
            client = server.client()
            left = client.expect(200, "GET", path).json["documents"]
            stopped = client.expect(200, "GET", f"/v1/tasks/{first['id']}").json
            if stopped["status"] == "canceled":
                same(stopped["result"]["removed"], 2 * count - left)
                assert f"{stopped['result']['removed']:,} documents of these are removed." in page_of(client, stopped)
            second = done(client, path, "verify")
            assert first["id"] != second["id"] and second["progress"] is None, (first, second)
        if left > count:
            break
    assert count < left < 2 * count, f"{left} of {2 * count} documents are left"


def page_of(client: Client, task: dict) -> str:
    return client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=html").body.decode()


def test_page(server: Server) -> None:
    """The page has the texts of removed documents, whatever the index has now, and no more of them than it shows. It goes with the index."""
    client = server.client()
    path = families(client, "shown", 3)
    task = done(client, path, "dedup", {"remove": True, "largest_cluster": 1})
    others = "".join(json.dumps({"id": f"{number}-{i}", "text": "another text"}) + "\n" for number in range(3) for i in range(3))
    client.expect(200, "POST", path + "/documents", others)
    page = page_of(client, task)
    client.expect(204, "DELETE", path + "?confirm=shown")
    made(client, "shown")
    same(client.expect(409, "GET", f"/v1/tasks/{task['id']}/report").code, "no_report")
    assert "another text" not in page and "keeps no texts" not in page, page
    assert page.count("brown2") >= 4 and "<mark>" in page and '<span class="s">' in page, page

    long = made(client, "long", {f"{number}-{i}": " ".join(f"wörter{number}x{word}" for word in range(15_000)) for number in range(8) for i in range(6)})
    task = done(client, long, "dedup", {})
    started = time.monotonic()
    page = page_of(client, task)
    # Each of 8 clusters shows its least and its most similar member, and one between; equal texts are shown once, also those
    # of the 20 removals picked at random.
    assert len(page) < 300_000 and page.count('<div class="part">') == 24 + 20 and "\ufffd" not in page, f"{len(page)} bytes"
    assert time.monotonic() - started < SOON, "the page takes too long"
    not_kept = made(client, "unkept", {"a": text_of(1), "b": text_of(1)}, keep_documents=False)
    same(page_of(client, done(client, not_kept, "dedup", {})).count("An index keeps no texts"), 1)


def main() -> int:
    code = run_tests([test_damaged_sample, test_problem_of_maintenance, test_snapshot_of_damage, test_made_and_killed, test_what_has_expired_is_removed, test_held_by_another, test_out_of_reach, test_stop_of_removal])
    root = folder_of("upkeep") / "root"
    with Server(root) as server:
        code |= run_tests([test_removed_meanwhile, test_reports, test_cancel_of_removal, test_page], server)
        assert server.stop() == 0, f"the server ended with {server.process.returncode}: {''.join(server.said)[-2000:]}"
    return code


if __name__ == "__main__":
    sys.exit(main())
