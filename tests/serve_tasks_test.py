#!/usr/bin/env python3
# labels: server
"""Tests what `benzer serve` stores and runs: documents as they were sent, tasks, decisions, comparisons, figures, its description.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import html.parser
import json
import re
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from serve_hostile_rows import ADMIN, NONE, READ, WRITE, anonymous
from serve_test_util import (
    SOON,
    Client,
    Server,
    almost_similar,
    ended,
    lines_of,
    made,
    run_tests,
    same,
    scratch,
    talk,
    text_of,
)


def families(client: Client, name: str, count: int = 5, size: int = 3) -> str:
    """Makes an index of clusters of near-copies."""
    return made(client, name, {f"{number}-{i}": text_of(number, i) for number in range(count) for i in range(size)})


def done(client: Client, path: str, what: str, body: object = None) -> dict:
    """Starts a task, and waits until it has succeeded."""
    answer = client.expect(202, "POST", f"{path}/{what}", body)
    same(answer["Location"], f"/v1/tasks/{answer.json['id']}")
    task = ended(client, answer.json)
    same((task["status"], task["problem"]), ("succeeded", None), f"{what}: {task}")
    return task


# --- documents that are kept ----------------------------------------------------------------------

def test_kept_documents(server: Server) -> None:
    client = server.client()
    path = made(client, "kept")
    assert client.expect(200, "GET", path).json["keep_documents"] is True
    # Any valid JSON is returned as the same JSON, and does not break an answer.
    sent = {"plain": b'{"text":"a b c"}', "blanks": b' \n\t{ "text" :\n "a b c" }\r\n ', "more": '{"text":"ä","n":1e300,"l":[null,true,{"x":-0.0}],"u":"\\ud83e\\udd8a\\u0000"}'.encode(),
            "close": b'{"text":"</script>\\"}],"}', "deep": b'{"text":"a","x":' + b"[" * 60 + b"]" * 60 + b"}", "big": b'{"text":"a","n":123456789012345678}'}
    for name, body in sent.items():
        client.expect(201, "PUT", f"{path}/documents/{name}", body, headers={"Content-Type": "application/json"})
        got = client.expect(200, "GET", f"{path}/documents/{name}").json["document"]
        same({**got, "id": ""}, {**json.loads(body), "id": ""}, name)
    client.expect(200, "POST", path + "/documents", '{"id":"line","text":"x y z"}\r\n')
    for asked in ({"id": "plain"}, {"text": "a b c"}):
        for match in client.expect(200, "POST", path + "/similar", {**asked, "with_documents": True}).json["matches"]:
            same(match["document"]["text"], json.loads(sent[match["id"]])["text"])
    client.expect(200, "PUT", path + "/documents/plain", {"text": "other"})
    same(client.expect(200, "GET", path + "/documents/plain").json["document"]["text"], "other", "what is replaced")
    client.expect(204, "DELETE", path + "/documents/plain")
    client.expect(201, "PUT", path + "/documents/plain", {"text": "third"})
    same(client.expect(200, "GET", path + "/documents/plain").json["document"]["text"], "third")
    stats = client.expect(200, "GET", path + "/stats").json
    same(stats["kept"]["documents"], 7)
    not_kept = made(client, "notkept", keep_documents=False)
    client.expect(201, "PUT", not_kept + "/documents/a", {"text": text_of(1)})
    same(client.expect(200, "GET", not_kept + "/documents/a").json["document"], None)
    same(client.expect(200, "GET", not_kept + "/stats").json["kept"], None)
    same(client.expect(200, "GET", not_kept).json["keep_documents"], False)
    client.expect(409, "PUT", not_kept, {"keep_documents": True})


def test_listing(server: Server) -> None:
    client = server.client()
    names = [f"d{i:03}" for i in range(120)] + ["a b", "ä", "x&y=z", "zz/..", "%41"]
    path = made(client, "listed", {name: name for name in names})
    for limit in (1, 7, 125, 1000):
        seen, after = [], ""
        while True:
            page = client.expect(200, "GET", f"{path}/documents?limit={limit}" + (f"&after={quoted(after)}" if after else "")).json
            assert 0 < len(page["documents"]) <= limit, page
            seen += [one["id"] for one in page["documents"]]
            assert all(one["document"]["text"] == one["id"] for one in page["documents"]), page
            if page["next"] is None:
                break
            after = page["next"]
        same(seen, sorted(names, key=str.encode), f"in pages of {limit}")
    same(len(client.expect(200, "GET", path + "/documents").json["documents"]), 50, "the limit when none is given")
    same(client.expect(200, "GET", path + "/documents?after=%F4%8F%BF%BF").json, {"documents": [], "next": None})
    for query in ("limit=0", "limit=-1", "limit=x", "limit=1.5", "limit=", "limit=18446744073709551617", "limit=%2B5", "limit=0x5"):
        client.expect(422, "GET", f"{path}/documents?{query}")


def quoted(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def test_similarities(server: Server) -> None:
    client = server.client()
    path = families(client, "histogram")
    drawn = client.expect(200, "GET", path + "/similarities?documents=15").json
    same((drawn["sampled"], drawn["pairs"], len(drawn["histogram"])), (15, 105, 20))
    same(sum(row["pairs"] for row in drawn["histogram"]), 105)
    same([round(row["from"], 2) for row in drawn["histogram"]], [i / 20 for i in range(20)])
    assert sum(row["pairs"] for row in drawn["histogram"][-4:]) == 15, drawn
    for query in ("documents=0", "documents=-1", "documents=x", "documents=99999999999999999999"):
        client.expect(422, "GET", f"{path}/similarities?{query}")


# --- comparisons ----------------------------------------------------------------------------------

def test_compare(server: Server) -> None:
    client = server.client()
    path = families(client, "compared", 2)
    for a, b in (({"id": "0-0"}, {"id": "0-2"}), ({"text": text_of(0)}, {"document": {"text": text_of(0, 2)}})):
        got = client.expect(200, "POST", path + "/compare", {"a": a, "b": b}).json
        field = got["fields"]["text"]
        same((got["similar"], field["kind"]), (True, "text"))
        same(round(field["intersection"] / field["union"], 9), round(got["score"], 9))
        assert abs(field["estimate"] - field["similarity"]) <= 6 * field["standard_error"] + 0.01 and len(field["equal_bands"]) <= field["bands"], field
        same("".join(piece["text"] for piece in field["a"]["pieces"]), text_of(0), "its pieces are the text")
        same("".join(piece["text"] for piece in field["b"]["pieces"]), text_of(0, 2))
        assert {piece["mark"] for piece in field["a"]["pieces"]} <= {"none", "shared", "own"}, field
    other = client.expect(200, "POST", path + "/compare", {"a": {"id": "0-0"}, "b": {"id": "1-0"}}).json
    same((other["score"], other["similar"]), (0, False))
    for body in ({"a": {"id": "0-0"}}, {"a": {}, "b": {"id": "0-0"}}, {"a": {"id": "0-0", "text": "x"}, "b": {"id": "0-0"}}, {"a": {"id": "0-0", "x": 1}, "b": {"id": "0-0"}}):
        client.expect(422, "POST", path + "/compare", body)
    client.expect(404, "POST", path + "/compare", {"a": {"id": "0-0"}, "b": {"id": "nobody"}})
    for text in ("", " ", "<b>&amp;</b>", "a\u0000b", "日本語のテキスト", "🦊" * 50):
        got = client.expect(200, "POST", path + "/compare", {"a": {"text": text}, "b": {"text": text + " and more words than before"}}).json
        same("".join(piece["text"] for piece in got["fields"]["text"]["a"]["pieces"]), text)


# --- decisions ------------------------------------------------------------------------------------

def test_decisions(server: Server) -> None:
    client = server.client()
    path = families(client, "decided", 3)
    decisions = path + "/decisions"
    same(client.expect(200, "GET", decisions).json, {"decisions": [], "next": None})
    first = client.expect(201, "POST", decisions, {"members": ["0-0", "0-1", "0-2"], "keeper": "0-2", "note": "the ä <b>newest</b>"})
    one = first.json
    same((first["ETag"], first["Location"], one["keeper"], one["note"]), (one["etag"], f"{decisions}/{one['id']}", "0-2", "the ä <b>newest</b>"))
    target = f"{decisions}/{one['id']}"
    got = client.expect(200, "GET", target)
    same((got["ETag"], got.json), (one["etag"], one))
    second = client.expect(201, "POST", decisions, {"members": ["1-0", "1-1"], "not_duplicates": True}).json
    same([decision["id"] for decision in client.expect(200, "GET", decisions).json["decisions"]], [one["id"], second["id"]])
    # A decision cannot be changed without the ETag of its current version.
    changed = {"members": ["0-0", "0-1", "0-2"], "keeper": "0-1"}
    for method in ("PUT", "DELETE"):
        body = changed if method == "PUT" else None
        client.expect(428, method, target, body)
        for wrong in ("x", one["etag"].strip('"')):
            client.expect(422, method, target, body, headers={"If-Match": wrong})
        for wrong in ('"x"', second["etag"], '""', "W/" + one["etag"]):
            client.expect(412, method, target, body, headers={"If-Match": wrong})
    new = client.expect(200, "PUT", target, changed, headers={"If-Match": one["etag"]})
    assert new["ETag"] != one["etag"] and new.json["keeper"] == "0-1", new
    client.expect(412, "PUT", target, changed, headers={"If-Match": one["etag"]})
    same(client.expect(200, "GET", target).json, new.json, "after a change that was refused")
    for body in ({}, {"members": []}, {"members": ["0-0", "0-1"], "keeper": "2-0"}, {"members": ["", "0-0"]},
                 {"members": ["0-0", "0-1"], "keeper": "0-0", "not_duplicates": True}, {"members": ["0-0", "0-1"], "note": "n" * 5000}, {"members": ["0-0", "i" * 65_536]}):
        answer = client.ask("POST", decisions, body)
        assert answer.status in (404, 409, 422), f"a decision {json.dumps(body)[:100]}: {answer}"
    # Clusters and deduplications obey decisions.
    rows = {tuple(sorted([row["keeper"], *(member["id"] for member in row["members"])])): row for row in client.expect(200, "POST", path + "/clusters", {}).lines[:-1]}
    same(rows["0-0", "0-1", "0-2"]["keeper"], "0-1", "the keeper that was decided")
    same(rows["0-0", "0-1", "0-2"]["decision"]["id"], one["id"])
    assert not any({"1-0", "1-1"} <= set(members) for members in rows), f"what are no duplicates are in one cluster: {list(rows)}"
    free = client.expect(200, "POST", path + "/clusters", {"ignore_decisions": True}).lines[:-1]
    same(sorted(len(row["members"]) for row in free), [2, 2, 2])
    same([client.expect(200, "POST", path + "/clusters", body).lines[-1]["summary"][name] for body in ({}, {"ignore_decisions": True})
          for name in ("set_apart", "chosen_keepers")], [1, 1, 0, 0])
    same(client.expect(200, "POST", path + "/pairs", {}).lines[-1]["summary"]["set_apart"], 1)
    task = done(client, path, "dedup", {"remove": True, "largest_cluster": 1})
    same([task["result"][name] for name in ("set_apart", "chosen_keepers")], [1, 1])
    page = client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=html").body.decode()
    for said in ("<b>Set apart:</b> 1 similar pair", "<b>Chosen keepers:</b> 1 cluster", "The same documents, decisions and options"):
        assert said in page, f"the report does not say {said!r}"
    left = {one["id"] for one in client.expect(200, "GET", path + "/documents").json["documents"]}
    assert {"0-1", "1-0", "1-1"} <= left and "0-0" not in left and "0-2" not in left, left
    client.expect(204, "DELETE", target, headers={"If-Match": new["ETag"]})
    client.expect(404, "GET", target)
    client.expect(404, "DELETE", target, headers={"If-Match": new["ETag"]})


# --- tasks ----------------------------------------------------------------------------------------

def test_dedup(server: Server) -> None:
    client = server.client()
    path = families(client, "cleaned", 20)
    same(done(client, path, "dedup", {"cluster": "components"})["result"]["cluster"], "components")
    task = done(client, path, "dedup", {})
    same((task["kind"], task["index"]), ("dedup", "cleaned"))
    same(client.expect(200, "GET", path).json["documents"], 60, "a run without 'remove' removes nothing")
    report = client.expect(200, "GET", f"/v1/tasks/{task['id']}/report").json
    same(len(report["found"]), 20)
    *lines, last = client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=ndjson").lines
    same(last, {"summary": task["result"]})
    same((len({line["id"] for line in lines}), len({line["kept_id"] for line in lines})), (40, 20), "a line each that goes")
    page = client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=html")
    assert page["Content-Type"].startswith("text/html") and page["Content-Security-Policy"], page
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"], page["Content-Security-Policy"]
    assert "script-src" not in page["Content-Security-Policy"] and "default-src 'none'" in page["Content-Security-Policy"], page
    check_page(page.body.decode())
    for section in ("clusters", "border", "sizes", "trust", "notes", "done"):
        assert f'<h2 id="{section}">' in page.body.decode(), f"the report has no section {section}"
    client.expect(422, "GET", f"/v1/tasks/{task['id']}/report?format=xml")
    for rail in ({"largest_cluster": 0.01}, {"largest_loss": 0.5}):
        failed = ended(client, client.expect(202, "POST", path + "/dedup", {"remove": True, **rail}).json)
        same((failed["status"], failed["problem"]["code"]), ("failed", "guard_rail"), f"{rail}")
        same(failed["problem"]["where"], f"/{next(iter(rail))}", "the member that allows more")
        same([failed["result"][name] for name in ("cluster", "would_remove", "kept")], ["leader", 40, 20], "what would have gone")
        same(client.expect(200, "GET", path).json["documents"], 60)
    done(client, path, "dedup", {"remove": True})
    same(client.expect(200, "GET", path).json["documents"], 20)
    same(client.expect(200, "POST", path + "/clusters", {}).lines[-1]["summary"]["clusters"], 0)
    nothing = done(client, path, "dedup", {})["result"]
    same((nothing["clusters"], nothing["largest_cluster"], "weakest" in nothing), (0, 0, False), "without clusters none is the weakest")
    same(client.expect(200, "GET", path + "/stats").json["kept"]["documents"], 20, "what is removed is not kept")
    evil = made(client, "evil", {name: "</script><img src=x onerror=alert(1)> \u202e " + text_of(1) for name in ("<b>", "'\"><script>alert(1)</script>")})
    task = done(client, evil, "dedup", {})
    check_page(client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=html").body.decode())


def check_page(text: str) -> None:
    class Page(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag not in ("script", "iframe", "object", "embed", "img", "form", "base", "link"), f"the report has <{tag}>"
            assert not any(name.startswith("on") or name in ("src", "action") for name, _ in attributes), f"the report has {attributes}"
    page = Page()
    page.feed(text)
    page.close()


def test_tasks(server: Server) -> None:
    client = server.client()
    path = families(client, "worked")
    for kind in ("verify", "compact", "snapshot"):
        task = done(client, path, kind)
        same((task["kind"], task["index"]), (kind, "worked"))
        assert task["id"] in [one["id"] for one in client.expect(200, "GET", "/v1/tasks").json["tasks"]]
        same(client.expect(409, "POST", f"/v1/tasks/{task['id']}/cancel").code, "task_is_over")
        client.expect(409, "GET", f"/v1/tasks/{task['id']}/report")
    snapshot = task["result"]["name"]
    assert "/" not in snapshot, snapshot
    verified = client.expect(200, "GET", path + "/stats").json["last_verify"]
    same((verified["ok"], bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", verified["at"]))), (True, True), f"{verified}")
    for name in ("0", "x", "-1", "1e3", "99999999999999999999", "%2e%2e", "1%00"):
        answer = client.ask("GET", f"/v1/tasks/{name}")
        assert answer.status == 404 or (answer.status == 400 and "%00" in name), f"GET /v1/tasks/{name}: {answer}"
    client.expect(404, "POST", "/v1/indexes/nobody/verify")


def test_tasks_of_others(_: Server) -> None:
    """One address has half of the places for tasks, and its tasks take turns with those of others."""
    folder = scratch("tasks-of-others")
    with Server(folder) as server:
        client = server.client()
        path = made(client, "a", {f"d{i}": almost_similar(i) for i in range(9000)})
        made(client, "b", {"x": text_of(1)})
        mine = [client.expect(202, "POST", path + "/dedup").json["id"] for _ in range(9)]
        same(client.expect(429, "POST", path + "/dedup").code, "too_many_tasks")
        with socket.create_connection(("127.0.0.1", server.port), source_address=("127.0.0.2", 0)) as connection:
            connection.sendall(b"POST /v1/indexes/b/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            said = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        assert said.startswith(b"HTTP/1.1 202 "), said
        theirs = json.loads(said.partition(b"\r\n\r\n")[2])
        client.expect(200, "POST", f"/v1/tasks/{mine[0]}/cancel")
        same(ended(client, theirs)["status"], "succeeded")
        left = [client.expect(200, "GET", f"/v1/tasks/{one}").json["status"] for one in mine[2:]]
        same(left, ["enqueued"] * 7, "those of the first address still wait")
        for one in mine[1:]:
            client.ask("POST", f"/v1/tasks/{one}/cancel")


def test_events_and_cancel(server: Server) -> None:
    """A task on documents that are almost similar takes long enough to be watched, and ends soon after it is canceled."""
    client = server.client()
    path = made(client, "long", {f"d{i}": almost_similar(i) for i in range(9000)})
    task = client.expect(202, "POST", path + "/dedup", {}).json
    waiting = client.expect(202, "POST", path + "/verify").json
    events = b"GET /v1/tasks/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n" % task["id"].encode()
    said = talk(server, events, hang_up=False, patience=3, until=lambda data: b"event: task" in data)
    assert b"200 OK" in said.data and b"text/event-stream" in said.data and b"event: task\ndata: {" in said.data, said
    watchers = ThreadPoolExecutor(40)
    heard = [watchers.submit(talk, server, events, patience=30, hang_up=False, until=lambda data: data.endswith(b"0\r\n\r\n")) for _ in range(40)]
    client.expect(200, "POST", f"/v1/tasks/{waiting['id']}/cancel")
    same(ended(client, waiting)["status"], "canceled", "one that waits")
    assert client.expect(200, "GET", f"/v1/tasks/{task['id']}").json["status"] == "processing", "it is over before it could be canceled"
    client.expect(200, "POST", f"/v1/tasks/{task['id']}/cancel")
    started = time.monotonic()
    same(ended(client, task)["status"], "canceled", "one that runs")
    assert time.monotonic() - started < SOON
    same(client.expect(200, "GET", path).json["documents"], 9000)
    assert all(b'"status":"canceled"' in one.result().data for one in heard), "one of forty who watched was not told of the end"
    # After the end of the task the stream has its last state, and ends, in HTTP/1.0, too.
    for version in (b"1.1", b"1.0"):
        said = talk(server, events.replace(b"HTTP/1.1", b"HTTP/" + version).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), hang_up=False)
        assert len(said.answers) == 1 and said.end == "closed", said
        last = said.answers[0].body.decode().strip().split("\n\n")[-1].split("\n")
        same((last[0], json.loads(last[1].removeprefix("data: "))["status"]), ("event: task", "canceled"))


# --- figures and description ----------------------------------------------------------------------

def metrics(client: Client) -> dict[str, float]:
    """Returns every sample of /metrics, which must be in the text format of Prometheus."""
    answer = client.expect(200, "GET", "/metrics")
    assert answer["Content-Type"].startswith("text/plain"), answer
    out: dict[str, float] = {}
    types: dict[str, str] = {}
    label = r'[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"'
    assert answer.body.endswith(b"\n")
    for line in answer.body.decode().splitlines():
        if found := re.fullmatch(r"# TYPE ([a-z_:]+) (counter|gauge|histogram)", line):
            assert found[1] not in types, f"the type of {found[1]} twice"
            types[found[1]] = found[2]
        elif not re.fullmatch(r"# HELP [a-z_:]+ .+", line):
            found = re.fullmatch(rf"([a-z_:]+)(\{{{label}(?:,{label})*\}})? (\S+)", line)
            assert found, f"no line of Prometheus: {line!r}"
            family = re.sub(r"_(bucket|sum|count)$", "", found[1]) if found[1] not in types else found[1]
            assert family in types, f"{line!r} has no type before it"
            assert found[1] + (found[2] or "") not in out, f"{line!r} twice"
            out[found[1] + (found[2] or "")] = float(found[3])
    return out


def test_metrics(server: Server) -> None:
    client = server.client()
    path = families(client, "counted")
    before = metrics(client)
    same(before['benzer_documents{index="counted"}'], 15)
    client.expect(200, "POST", path + "/similar", {"id": "0-0"})
    client.expect(404, "GET", path + "/documents/nobody")
    client.expect(200, "POST", path + "/documents", lines_of({"new": "a", "newer": "b"}))
    client.expect(404, "GET", "/v1/<script>\"")
    after = metrics(client)
    for name, more in (("benzer_queries_total", 1), ("benzer_hits_total", 2), ("benzer_documents_written_total", 2), ('benzer_documents{index="counted"}', 2)):
        same(after[name] - before[name], more, name)
    total = {name: sum(value for key, value in of.items() if key.startswith("benzer_requests_total")) for name, of in (("before", before), ("after", after))}
    same(total["after"] - total["before"], 5, "the four requests, and GET /metrics")
    refused = [sum(value for key, value in of.items() if key.startswith("benzer_requests_total") and 'status="4xx"' in key) for of in (before, after)]
    same(refused[1] - refused[0], 2)


def test_snapshots(server: Server) -> None:
    """Files of segments are shared with the index, unless a copy is asked for; kept documents never are."""
    client = server.client()
    path = families(client, "kept-as-it-was")
    done(client, path, "compact")
    for body, names in ((None, 2), ({"copy": True}, 1)):
        time.sleep(1.1)  # the name of a snapshot has the time in seconds
        result = done(client, path, "snapshot", body)["result"]
        folder = server.root / ".snapshots" / result["name"]
        sealed = list(folder.glob("segment-*"))
        same([file.stat().st_nlink for file in sealed], [names], str(result))
        same(result["linked_bytes"], sealed[0].stat().st_size if names == 2 else 0)
        same([(folder / name).stat().st_nlink for name in ("documents.sqlite", "MANIFEST", "BENZER")], [1, 1, 1])
        done(client, path, "verify")
    same(client.expect(422, "POST", path + "/snapshot", {"copy": "yes"}).json["where"], "/copy")


def test_numbers_of_a_store(server: Server) -> None:
    """Stats and metrics agree about the files, and about background work."""
    client = server.client()
    path = families(client, "upkept")
    for _ in range(2):
        done(client, path, "compact")
        client.expect(200, "POST", path + "/documents", lines_of({"new": "one two three four five six"}))
    of, stats = metrics(client), client.expect(200, "GET", path + "/stats").json
    same((stats["upkeep"]["flushes"], stats["upkeep"]["merges"], stats["segments"], stats["removed"]), (2, 1, 1, 1), str(stats))
    folder = server.root / "upkept"
    same(stats["log_bytes"], sum(log.stat().st_size for log in folder.glob("log-*")))
    assert 0 < stats["segment_bytes"] <= sum(segment.stat().st_size for segment in folder.glob("segment-*")), stats
    assert 0 < stats["restart_seconds"] < 60, stats
    renamed = {"removed": "removed_documents", "flushes": "flushes_total", "merges": "merges_total", "failures": "maintenance_failures_total",
               "stalls": "stalls_total", "stall_seconds": "stall_seconds_total"}
    for name in ("documents", "removed", "segments", "segment_bytes", "log_bytes", "restart_seconds", *stats["upkeep"]):
        same(of[f'benzer_{renamed.get(name, name)}{{index="upkept"}}'], {**stats, **stats["upkeep"]}[name], name)


def test_openapi(server: Server) -> None:
    client = server.client()
    description = client.expect(200, "GET", "/openapi.json").json
    assert description["openapi"].startswith("3."), description["openapi"]
    promised = {anonymous(name): scope for scope, names in (("none", NONE), ("read", READ), ("write", WRITE), ("admin", ADMIN)) for name in names}
    described = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            described[f"{method.upper()} {anonymous(path)}"] = operation["x-scope"]
            parameters = {one["name"] for one in operation["parameters"] if one["in"] == "path"}
            same(parameters, set(re.findall(r"\{([^}]*)\}", path)), f"the parameters of {path}")
            answer = client.ask(method.upper(), re.sub(r"\{[^}]*\}", "1", path))
            assert answer.code not in ("no_such_route", "method_not_allowed") or path.startswith("/ui/"), f"{method} {path} is described, and answered {answer}"
    same({name: scope for name, scope in described.items() if "/ui/" not in name}, promised, "what is described and what is promised")
    ids = [operation["operationId"] for methods in description["paths"].values() for operation in methods.values()]
    same(len(ids), len(set(ids)), "an operationId twice")
    text = json.dumps(description)
    for reference in set(re.findall(r'"\$ref": "([^"]*)"', text)) | set(re.findall(r"A JSON object a line: (#[\w/]+)", text)):
        place = description
        for part in reference.removeprefix("#/").split("/"):
            assert part in place, f"{reference} leads nowhere"
            place = place[part]


def main() -> int:
    folder = scratch("serve-tasks")
    root = folder / "root"
    root.mkdir()
    with Server(root) as server:
        code = run_tests([test_kept_documents, test_listing, test_similarities, test_compare, test_decisions, test_dedup, test_tasks, test_metrics, test_snapshots, test_numbers_of_a_store, test_openapi,
                          test_events_and_cancel, test_tasks_of_others], server)
        assert server.stop() == 0, f"the server ended with {server.process.returncode}: {''.join(server.said)[-2000:]}"
    return code


if __name__ == "__main__":
    sys.exit(main())
