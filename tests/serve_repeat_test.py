#!/usr/bin/env python3
# labels: server
"""Tests what a server knows after a restart, and that a request that is sent again is carried out once.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from serve_test_util import Client, Server, almost_similar, ended, made, make_keys, run_tests, same, scratch, text_of

KEY = {"Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"'}


def copies(client: Client, name: str, count: int = 30) -> str:
    return made(client, name, {f"d{i:02}": text_of(i % 10) for i in range(count)})


def report(client: Client, task: dict, form: str) -> bytes:
    return client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format={form}").body


def test_tasks_outlive_the_server(_: None) -> None:
    root = scratch("outlive")
    with Server(root) as server:
        client = server.client()
        path = copies(client, "a")
        other = copies(client, "b")
        looked = ended(client, client.expect(202, "POST", path + "/dedup").json)
        done = ended(client, client.expect(202, "POST", path + "/dedup", {"remove": True}).json)
        refused = ended(client, client.expect(202, "POST", other + "/dedup", {"remove": True, "largest_loss": 0.01}).json)
        of_other = ended(client, client.expect(202, "POST", other + "/dedup").json)
        same((done["result"]["removed"], refused["problem"]["code"]), (20, "guard_rail"))
        before = {form: [report(client, task, form) for task in (looked, done, refused)] for form in ("json", "ndjson", "html")}
        client.expect(204, "DELETE", other + "?confirm=b")
        same(client.expect(409, "GET", f"/v1/tasks/{of_other['id']}/report").code, "no_report", "a report goes with its index")
        same(server.stop(), 0)
    with Server(root) as server:
        client = server.client()
        listed = client.expect(200, "GET", "/v1/tasks").json["tasks"]
        same(listed, [of_other, refused, done, looked])
        for form, reports in before.items():
            same([report(client, task, form) for task in (looked, done)], reports[:2], form)
        fresh = client.expect(202, "POST", path + "/verify").json
        assert fresh["id"] not in [task["id"] for task in listed], "an id is used twice"
        assert b"event: task" in client.expect(200, "GET", f"/v1/tasks/{done['id']}/events").body
        same(client.expect(409, "POST", f"/v1/tasks/{done['id']}/cancel").code, "task_is_over")


def test_a_killed_server_says_what_it_did_not_end(_: None) -> None:
    root = scratch("killed")
    with Server(root) as server:
        client = server.client()
        path = made(client, "a", {f"d{i}": almost_similar(i) for i in range(9000)})
        task = client.expect(202, "POST", path + "/dedup").json
        waits = client.expect(202, "POST", path + "/verify").json
        while client.expect(200, "GET", f"/v1/tasks/{task['id']}").json["status"] == "enqueued":
            time.sleep(0.01)
        server.kill()
    with Server(root) as server:
        client = server.client()
        for one in (task, waits):
            left = client.expect(200, "GET", f"/v1/tasks/{one['id']}").json
            same((left["status"], left["problem"]["code"]), ("failed", "server_ended"))
        same(client.expect(409, "GET", f"/v1/tasks/{task['id']}/report").code, "no_report")


def test_a_killed_removal_leaves_its_report(_: None) -> None:
    """What a removal was to remove can be read after a kill in the middle of it."""
    root = scratch("killed-removal")
    count = 6000
    with Server(root) as server:
        client = server.client()
        path = made(client, "a", {f"d{i:05}": text_of(i % 3) for i in range(count)})
        task = client.expect(202, "POST", path + "/dedup", {"remove": True, "largest_cluster": 1, "largest_loss": 1}).json
        while not (client.expect(200, "GET", f"/v1/tasks/{task['id']}").json["result"] or {}).get("removed"):
            pass
        server.kill()
    with Server(root) as server:
        client = server.client()
        left = client.expect(200, "GET", f"/v1/tasks/{task['id']}").json
        assert left["status"] in ("failed", "succeeded"), left
        there = client.expect(200, "GET", path).json["documents"]
        assert there <= count - left["result"]["removed"], (there, left)
        *lines, last = [json.loads(line) for line in report(client, task, "ndjson").splitlines()]
        same((last["summary"]["documents"], last["summary"]["clusters"]), (count, 3))
        same(len({line["id"] for line in lines}), count - 3)
        if left["status"] == "failed":
            assert left["seconds"] < 600, left
            page, whole = report(client, task, "html").decode(), json.loads(report(client, task, "json"))
            assert "The removal had begun" in page and "No document was removed" not in page and whole["removing"] is True and "removed" not in whole, whole
        kept = {one["id"] for one in client.expect(200, "GET", path + "/documents?limit=1000").json["documents"]}
        assert kept >= {line["kept_id"] for line in lines} & kept and {line["kept_id"] for line in lines} == {"d00000", "d00001", "d00002"}


def test_a_damaged_file_is_put_aside(_: None) -> None:
    root = scratch("damaged-server")
    with Server(root) as server:
        path = copies(server.client(), "a")
        ended(server.client(), server.client().expect(202, "POST", path + "/verify").json)
    database = root / ".server" / "server.sqlite"
    database.write_bytes(b"no database at all" * 1000)
    with Server(root) as server:
        client = server.client()
        same(client.expect(200, "GET", "/v1/tasks").json["tasks"], [])
        same(client.expect(200, "GET", path).json["documents"], 30)
        ended(client, client.expect(202, "POST", path + "/verify").json)
        assert any("server.sqlite.damaged" in line for line in server.said), server.said
    assert (root / ".server" / "server.sqlite.damaged").read_bytes().startswith(b"no database")


def test_what_stands_in_the_way_of_the_folder(_: None) -> None:
    """Whatever is the matter with the server's own folder, it serves indexes, and says so."""
    for place, make in (("server.sqlite", Path.mkdir), ("reports", lambda path: path.write_text("a file")), ("lock", Path.mkdir)):
        root = scratch(f"in-the-way-{place}")
        with Server(root) as server:
            path = copies(server.client(), "a")
        for name in (place, place + "-wal", place + "-shm"):
            (root / ".server" / name).rmdir() if (root / ".server" / name).is_dir() else (root / ".server" / name).unlink(missing_ok=True)
        make(root / ".server" / place)
        with Server(root) as server:
            client = server.client()
            same(client.expect(200, "GET", path).json["documents"], 30)
            task = ended(client, client.expect(202, "POST", path + "/dedup").json)
            report(client, task, "html")
            assert any("only until this server ends" in line for line in server.said), server.said
        with Server(root) as server:
            same(server.client().expect(200, "GET", "/v1/tasks").json["tasks"], [])
    other = scratch("other-tables")
    with Server(other) as server:
        pass
    database = sqlite3.connect(other / ".server" / "server.sqlite")
    database.execute("PRAGMA user_version = 77")
    database.commit()
    database.close()
    with Server(other) as server:
        assert any("of another version" in line for line in server.said), server.said
        same(server.client().expect(200, "GET", "/v1/tasks").json["tasks"], [])


def test_leftovers_go(_: None) -> None:
    root = scratch("leftovers")
    with Server(root) as server:
        client = server.client()
        kept = ended(client, client.expect(202, "POST", copies(client, "a") + "/dedup").json)
    reports = root / ".server" / "reports"
    for name in ("9-abc.json", "9-abc.html", f"{kept['id']}.json.benzer-1-2.tmp", "other"):
        (reports / name).write_text("x")
    with Server(root) as server:
        same(sorted(path.name for path in reports.iterdir()), sorted(f"{kept['id']}.{form}" for form in ("html", "json", "ndjson")))


def test_answers_are_bounded(_: None) -> None:
    """A long answer is not remembered, and those of one client are at most a thousand. They go with their index."""
    root = scratch("bounded")
    with Server(root) as server:
        client = server.client()
        path = made(client, "a", {f"d{i}": text_of(1) for i in range(100)})
        long = {"document": {"id": "x", "text": text_of(1)}, "with_documents": True, "limit": 100}
        first, again = (client.expect(200, "POST", path + "/check-and-add", long, headers=KEY) for _ in range(2))
        assert len(first.body) > 16384 and again["Idempotency-Replayed"] is None, len(first.body)
        for number in range(1003):
            client.expect(200, "POST", path + "/documents/delete", {"ids": []}, headers={"Idempotency-Key": f"k{number}"})
        for number, is_there in ((0, False), (1, False), (1002, True)):
            answer = client.expect(200, "POST", path + "/documents/delete", {"ids": []}, headers={"Idempotency-Key": f"k{number}"})
            same(answer["Idempotency-Replayed"], "true" if is_there else None, str(number))
        client.expect(204, "DELETE", path + "?confirm=a")
        made(client, "a")
        same(client.expect(200, "POST", path + "/documents/delete", {"ids": []}, headers={"Idempotency-Key": "k1002"})["Idempotency-Replayed"], None)


def test_without_a_place_nothing_is_done(_: None) -> None:
    """If an answer could not be remembered, the request is refused before it is carried out."""
    root = scratch("no-place")
    with Server(root) as server:
        client = server.client(patience=60)
        path = copies(client, "a", 3)
        held = sqlite3.connect(root / ".server" / "server.sqlite", isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        body = {"members": ["d00", "d01"], "not_duplicates": True}
        same(client.expect(507, "POST", path + "/decisions", body, headers=KEY).code, "storage_failed")
        held.execute("ROLLBACK")
        held.close()
        same(client.expect(200, "GET", path + "/decisions").json["decisions"], [])
        client.expect(201, "POST", path + "/decisions", body, headers=KEY)
        same(len(client.expect(200, "GET", path + "/decisions").json["decisions"]), 1)


def test_two_servers_do_not_share(_: None) -> None:
    """A second server on the same folder has no index, and changes nothing of what the first one keeps."""
    root = scratch("two-servers")
    with Server(root) as first:
        path = copies(first.client(), "a")
        task = ended(first.client(), first.client().expect(202, "POST", path + "/verify").json)
        with Server(root) as second:
            same(second.client().expect(200, "GET", "/v1/tasks").json["tasks"], [])
            same(second.client().expect(503, "GET", path).code, "busy")
        same(first.client().expect(200, "GET", "/v1/tasks").json["tasks"], [task])


def test_a_request_is_carried_out_once(_: None) -> None:
    folder = scratch("once")
    root = folder / "root"
    root.mkdir()
    keys, by_scope = make_keys(folder)
    with Server(root, keys=keys) as server:
        admin, writer = server.client(by_scope["admin"]), server.client(by_scope["write"])
        path = copies(admin, "a", 3)
        body = {"members": ["d00", "d01"], "not_duplicates": True}
        first = writer.expect(201, "POST", path + "/decisions", body, headers=KEY)
        again = writer.expect(201, "POST", path + "/decisions", body, headers=KEY)
        same((again.body, again["ETag"], again["Idempotency-Replayed"]), (first.body, first["ETag"], "true"))
        same(first["Idempotency-Replayed"], None)
        same(len(writer.expect(200, "GET", path + "/decisions").json["decisions"]), 1)
        same(writer.expect(422, "POST", path + "/decisions", {**body, "note": "x"}, headers=KEY).code, "idempotency_key_reused")
        same(writer.expect(422, "POST", path + "/dedup", headers=KEY).code, "idempotency_key_reused", "another route")
        admin.expect(201, "POST", path + "/decisions", body, headers=KEY)  # the key of another client
        task = writer.expect(202, "POST", path + "/dedup", headers={"Idempotency-Key": "a"}).json
        same(writer.expect(202, "POST", path + "/dedup", headers={"Idempotency-Key": "a"}).json["id"], task["id"])
        # A refusal has done nothing, and is not remembered.
        late = {"document": {"id": "late", "text": text_of(77)}}
        writer.expect(404, "POST", "/v1/indexes/b/check-and-add", late, headers={"Idempotency-Key": "b"})
        copies(admin, "b", 3)
        same(writer.expect(201, "POST", "/v1/indexes/b/check-and-add", late, headers={"Idempotency-Key": "b"}).json["added"], True)
        same(writer.expect(201, "POST", "/v1/indexes/b/check-and-add", late, headers={"Idempotency-Key": "b"}).json["added"], True)
        for wrong in ("", '""', "x" * 129, "a b", 'a"b', "a\\b", "\u00e9"):
            for target in ("/decisions", "/documents"):
                answer = writer.ask("POST", path + target, b"{}", headers={"Idempotency-Key": wrong.encode("latin-1").decode("latin-1"), "Content-Type": "application/json"})
                assert answer.status == 400 and answer.code in ("bad_idempotency_key", "bad_json"), f"{wrong!r}: {answer}"
        same(server.stop(), 0)
    with Server(root, keys=keys) as server:
        writer = server.client(by_scope["write"])
        same(writer.expect(201, "POST", path + "/decisions", body, headers=KEY).body, first.body, "after a restart")
        same(writer.expect(202, "POST", path + "/dedup", headers={"Idempotency-Key": "a"}).json["id"], task["id"])


def test_many_at_a_time(_: None) -> None:
    """Of requests that come together with one key, one is carried out; the others wait or have its answer."""
    root = scratch("once-together")
    with Server(root) as server:
        path = copies(server.client(), "a", 3)
        start = threading.Barrier(12)

        def decide(_: int) -> int:
            start.wait()
            answer = server.client().ask("POST", path + "/decisions", {"members": ["d00", "d01"], "keeper": "d00"}, headers=KEY)
            assert answer.status == 201 or answer.code == "request_under_way" and answer["Retry-After"], answer
            return answer.status
        with ThreadPoolExecutor(12) as pool:
            assert 201 in list(pool.map(decide, range(12)))
        same(len(server.client().expect(200, "GET", path + "/decisions").json["decisions"]), 1)


def test_made_ids_come_again(_: None) -> None:
    root = scratch("made-again")
    with Server(root) as server:
        client = server.client()
        path = made(client, "a")
        lines = "".join(json.dumps({"text": text_of(i)}) + "\n" for i in range(20)).encode()

        def put(body: bytes, key: str | None) -> list[str]:
            headers = {"Content-Type": "application/x-ndjson", **({"Idempotency-Key": key} if key else {})}
            answer = client.expect(200, "POST", path + "/documents?make_ids=true", body, headers=headers)
            return [row["id"] for row in answer.lines[:-1]]
        first = put(lines, "k")
        same((put(lines, "k"), put(lines, '"k"')), (first, first))
        same(client.expect(200, "GET", path).json["documents"], 20)
        assert all(one[14] == "8" and one[19] in "89ab" for one in first), first
        other = put(lines.replace(b"\n", b" \n", 1), "k")
        same(([a == b for a, b in zip(first, other)]), [False] + [True] * 19, "another line has another id")
        assert not set(put(lines, "l")) & set(first) and not set(put(lines, None)) & set(first)


def main() -> int:
    return run_tests([test_tasks_outlive_the_server, test_a_killed_server_says_what_it_did_not_end, test_a_killed_removal_leaves_its_report,
                      test_a_damaged_file_is_put_aside, test_what_stands_in_the_way_of_the_folder, test_leftovers_go, test_answers_are_bounded,
                      test_without_a_place_nothing_is_done, test_two_servers_do_not_share, test_a_request_is_carried_out_once, test_many_at_a_time, test_made_ids_come_again], None)


if __name__ == "__main__":
    sys.exit(main())
