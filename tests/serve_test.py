#!/usr/bin/env python3
# labels: server
"""Tests the answers of `benzer serve` to valid requests: indexes, documents, questions, keys, tasks, decisions.

serve_stop_test.py tests how it starts and stops, serve_fault_test.py kills, serve_hostile_test.py what it refuses. The program is
BENZER or the release build. Routes that a server does not have are skipped with a sentence. Prints "N passed, N failed".
"""
from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from serve_hostile_rows import BODY
from serve_tasks_test import done
from serve_test_util import SOON, Server, lines_of, made, make_keys, program, run_tests, same, scratch, talk, text_of

# --- HTTP -----------------------------------------------------------------------------------------

def test_service(server: Server) -> None:
    client = server.client()
    about = client.expect(200, "GET", "/").json
    assert about["name"] == "benzer" and re.fullmatch(r"\d+\.\d+\.\d+\S*", about["version"]), about
    same(client.expect(200, "GET", "/healthz").json, {"status": "alive"})
    same(client.expect(200, "GET", "/readyz").json, {"status": "ready", "reasons": []})
    limits = client.expect(200, "GET", "/v1/limits").json
    wanted = {"body_bytes": BODY, "bulk_bytes": 1 << 30, "bulk_lines": 1_000_000, "batch": 1000, "matches": 1000, "all_matches": 100_000, "rows": 100_000}
    same({name: limits.get(name) for name in wanted}, wanted)
    page = client.ask("GET", "/", headers={"Accept": "text/html,*/*"})
    same((page.status, page["Location"]), (303, "/ui/"), "GET / of a browser")


def test_http(server: Server) -> None:
    client = server.client()
    for target in ("/healthz", "/v1/limits", "/v1/nothing"):
        get, head = client.ask("GET", target), client.ask("HEAD", target)
        same((head.status, head["Content-Type"], head.body), (get.status, get["Content-Type"], b""), f"HEAD {target}")
        assert "nothing" in target or head["Content-Length"] == get["Content-Length"], f"HEAD {target}: {head} and {get}"
    refused = client.expect(405, "DELETE", "/v1/limits")
    assert "GET" in refused["Allow"], refused
    for _ in range(3):  # ask() opens no second connection, so it fails if the server has closed this one
        client.ask("GET", "/healthz", keep=True)
        assert client.connection.sock is not None, "HTTP/1.1 is not kept alive"
        client.connection.auto_open = 0
    client.connection.close()
    request = b"GET /healthz HTTP/1.%d\r\nHost: localhost\r\n%s\r\n"
    for minor, line, kept in ((1, b"", True), (1, b"Connection: close\r\n", False), (0, b"", False), (0, b"Connection: keep-alive\r\n", True)):
        said = talk(server, request % (minor, line), hang_up=False, patience=1 if kept else 15)
        same(([answer.status for answer in said.answers], said.end), ([200], "nothing" if kept else "closed"), f"1.{minor} {line!r}")
        if not kept and minor == 1:
            same(said.answers[0]["Connection"], "close", "what ends is said")
    head = b"PUT /v1/indexes/expected HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    said = talk(server, head, hang_up=False, until=lambda data: data.endswith(b"\r\n\r\n"))
    same([answer.status for answer in said.answers], [100], "Expect: 100-continue")
    said = talk(server, head.replace(b"Length: 2", b"Length: 20000000"), hang_up=False)
    same([answer.status for answer in said.answers], [413], "Expect: 100-continue of what is too large")


def test_request_id(server: Server) -> None:
    client = server.client()
    for good in ("a", "a-B_9", "x" * 64):
        same(client.ask("GET", "/healthz", headers={"X-Request-Id": good})["X-Request-Id"], good)
        problem = client.expect(404, "GET", "/v1/nothing", headers={"X-Request-Id": good})
        same((problem["X-Request-Id"], problem.json["instance"]), (good, good))
    own = {client.ask("GET", "/healthz", headers={"X-Request-Id": bad})["X-Request-Id"] for bad in ("", "x" * 65, "a b", "a/b", "<b>")}
    assert len(own) == 5 and not own & {"", "x" * 65, "a b", "a/b", "<b>"}, f"ids that are not allowed are replaced: {own}"


def test_early_answer(server: Server) -> None:
    """The answer to a refused body arrives, although the client is still sending."""
    for target, size, status in (("/v1/nothing", 300_000, 404), ("/v1/plan", BODY + 1_000_000, 413)):
        for _ in range(5):
            try:
                server.client().expect(status, "POST", target, b" " * size, headers={"Content-Type": "application/x-ndjson"})
            except ConnectionError as error:
                raise AssertionError(f"POST {target} with {size:,} bytes: {status} is expected, not {error!r}") from None


# --- indexes and documents --------------------------------------------------------------------

def test_indexes(server: Server) -> None:
    client = server.client()
    path = made(client, "life", fields=["title=text:word3;w=2", "body=text:word5"])
    wanted = {"fields": ["title=text:word3;w=2", "body=text:word5"]}
    same(client.expect(200, "PUT", path, wanted).json["name"], "life", "the same again")
    differs = client.expect(409, "PUT", path, {"fields": ["title=text:word3"]})
    same(differs.code, "index_differs")
    one = client.expect(200, "GET", path).json
    same((one["state"], one["documents"]), ("ready", 0))
    schema = one["schema"]
    same([(part["name"], part["features"], float(part["weight"])) for part in schema["fields"]], [("title", "text:word3", 2), ("body", "text:word5", 1)])
    same(client.expect(200, "PUT", path, {"schema": schema["text"]}).json["schema"], schema, "its own spelling")
    assert one in client.expect(200, "GET", "/v1/indexes").json["indexes"]
    for confirm in ("", "?confirm=other"):
        same(client.expect(422, "DELETE", path + confirm).code, "not_confirmed")
    client.expect(204, "DELETE", path + "?confirm=life")
    for method in ("GET", "DELETE"):
        same(client.expect(404, method, path + ("?confirm=life" if method == "DELETE" else "")).code, "index_not_found")
    assert not (server.root / "life").exists(), "its folder goes"
    client.expect(201, "PUT", path)
    same([part["name"] for part in client.expect(200, "GET", path).json["schema"]["fields"]], ["text"], "what an empty body makes")


def test_frequencies(server: Server) -> None:
    """Checks that an index with +tf-idf keeps the document frequencies that it was made with."""
    client = server.client()
    (server.root.parent / "pages.jsonl").write_text("".join(f'{{"text":"menu of pages about{number}"}}\n' for number in range(8)), encoding="utf-8")
    files = []
    for words in (1, 2):
        file = server.root.parent / f"{words}.freq"
        subprocess.run([program(), "count-frequencies", server.root.parent / "pages.jsonl", "--features", f"text:word{words}", "-o", file, "--quiet"], check=True)
        files.append(base64.b64encode(file.read_bytes()).decode())
    path = "/v1/indexes/rare"
    asked = {"fields": ["title=text:word1+tf-idf", "body=text:word2+tf-idf", "tags=values"], "frequencies": files}
    schema = client.expect(201, "PUT", path, asked).json["schema"]
    assert all("+tf-idf@" in part["features"] for part in schema["fields"][:2]), schema
    same(client.expect(200, "PUT", path, asked).json["schema"], schema, "the same again")
    same(client.expect(200, "PUT", path, {"schema": schema["text"], "frequencies": files[:1]}).json["schema"], schema, "its own spelling")
    for name, title in (("a", "menu of pages storm"), ("b", "menu of pages ferry")):
        client.expect(201, "PUT", f"{path}/documents/{name}", {"title": title})
    asked_for = {"document": {"title": "menu storm"}, "threshold": 0.8, "allow_low_recall": True}
    for document, ids in (({"title": "menu of storm"}, ["a"]), ({"title": "menu of pages"}, [])):
        found = client.expect(200, "POST", path + "/similar", {**asked_for, "document": document}).json
        same([match["id"] for match in found["matches"]], ids)
    compared = client.expect(200, "POST", path + "/compare", {"a": {"id": "a"}, "b": {"id": "b"}}).json
    assert 0 < compared["score"] < 0.4, compared  # three of five words are common ones
    damaged = files[1][:40] + ("B" if files[1][40] == "A" else "A") + files[1][41:]
    for wrong, where in (({**asked, "frequencies": [files[0], "x!"]}, "/frequencies/1"), ({**asked, "frequencies": [files[0], damaged]}, "/frequencies/1"),
                         ({**asked, "frequencies": ["AAAA", files[1]]}, "/frequencies/0"),
                         ({"fields": ["title=text:word1"], "frequencies": files[:1]}, "/frequencies/0"), ({**asked, "frequencies": "x"}, "/frequencies")):
        same(client.expect(422, "PUT", "/v1/indexes/other", wrong).json["where"], where)
    assert "asks for +tf-idf" in client.expect(422, "PUT", "/v1/indexes/other", {"fields": asked["fields"]}).json["detail"]
    assert "'frequencies'" in client.expect(422, "PUT", "/v1/indexes/other", {"schema": "text=text:word1+tf-idf@0123456789abcdef"}).json["detail"]


def test_documents(server: Server) -> None:
    client = server.client()
    path = made(client, "docs") + "/documents"
    put = client.expect(201, "PUT", path + "/a", {"text": text_of(1)}).json
    same((put["id"], put["outcome"]), ("a", "inserted"))
    same(client.expect(200, "PUT", path + "/a", {"text": text_of(2)}).json["outcome"], "replaced")
    same(client.expect(200, "PUT", path + "/a", {"id": "a", "text": text_of(1)}).json["outcome"], "replaced")
    got = client.expect(200, "GET", path + "/a").json
    assert got["id"] == "a" and got["fields"]["text"]["keys"], got
    # Any id is found by its spelling in a path, and by its name in a body.
    for spelled, name in (("delete", "delete"), ("a%2Fb", "a/b"), ("%2E%2E", ".."), ("a%20b%3F%23", "a b?#"), ("%C3%A4%F0%9F%A6%8A", "ä🦊"), ("%2541", "%41"),
                          ("a+b", "a+b"), ("%22%5C%0A%1B", '"\\\n\x1b')):
        same(client.expect(201, "PUT", f"{path}/{spelled}", {"text": text_of(3)}).json["id"], name)
        same(client.expect(200, "GET", f"{path}/{spelled}").json["id"], name)
        same(client.expect(200, "POST", path + "/delete", {"ids": [name]}).json["removed"], 1, name)
        client.expect(201, "PUT", f"{path}/{spelled}", {"text": text_of(3)})
        client.expect(204, "DELETE", f"{path}/{spelled}")
        same(client.expect(404, "GET", f"{path}/{spelled}").code, "document_not_found")
    client.expect(404, "DELETE", path + "/nobody")
    client.expect(415, "PUT", path + "/a", b"{}", headers={"Content-Type": "text/plain"})

    bulk = client.expect(207, "POST", path, '{"id":"b","text":"one"}\n\n{"id":"c"\n \t\r\n{"text":"no id"}\n{"id":"a","text":"again"}\r\n{"id":5,"text":["no text"]}\n{"id":"e","Text":"x"}\n{"id":"d","text":null}')
    *rows, last = bulk.lines
    same([row["line"] for row in rows], [1, 3, 5, 6, 7, 8, 9])
    same([row["outcome"] for row in rows], ["inserted", "refused", "refused", "replaced", "refused", "refused", "inserted"])
    assert all(row["problem"]["code"] and row["problem"]["detail"] for row in rows if row["outcome"] == "refused"), rows
    same({name: last["summary"][name] for name in ("documents", "inserted", "replaced", "refused")}, {"documents": 7, "inserted": 2, "replaced": 1, "refused": 4})
    same(bulk["Content-Type"].split(";")[0], "application/x-ndjson")
    same(client.expect(200, "POST", path, lines_of({"e": "x"}).encode(), headers={"Content-Type": "application/jsonl"}).lines[-1]["summary"]["inserted"], 1)
    gone = client.expect(200, "POST", path + "/delete", {"ids": ["b", "d", "d", "nobody"]}).json
    same((gone["removed"], gone["not_there"]), (2, 2))
    same(client.expect(200, "GET", "/v1/indexes/docs").json["documents"], 2)
    stats = client.expect(200, "GET", "/v1/indexes/docs/stats").json
    same(stats["documents"], 2)


def test_similar(server: Server) -> None:
    client = server.client()
    path = made(client, "alike", {"a": text_of(1), "a1": text_of(1, 1), "a2": text_of(1, 2), "b": text_of(2), "empty": ""})

    def found(**asked: object) -> list[str]:
        return [match["id"] for match in client.expect(200, "POST", path + "/similar", asked).json["matches"]]
    same(found(id="a"), ["a1", "a2"], "by id, the best first, without itself")
    for asked in ({"text": text_of(1)}, {"document": {"text": text_of(1)}}):
        matches = client.expect(200, "POST", path + "/similar", asked).json["matches"]
        same([match["id"] for match in matches], ["a", "a1", "a2"])
        scores = [match["score"] for match in matches]
        assert scores[0] == 1 and scores == sorted(scores, reverse=True) and all(match["exact"] for match in matches), matches
    same(found(text=text_of(1), limit=1), ["a"])
    same(found(text=text_of(1), threshold=1), ["a"])
    same(found(text=text_of(1), threshold="1.0"), ["a"])
    same(found(text=text_of(9)), [])
    same(found(text=""), [])
    results = client.expect(200, "POST", path + "/similar/batch", {"documents": [{"text": text_of(2)}, {"text": text_of(9)}, {"text": text_of(1)}]}).json["results"]
    same([[match["id"] for match in one["matches"]] for one in results], [["b"], [], ["a", "a1", "a2"]])
    for bad in (3, 70, 99):
        asked = [{"text": text_of(1)}] * 100
        asked[bad] = {"id": "x" * 70_000, "text": text_of(1)}
        same(client.expect(422, "POST", path + "/similar/batch", {"documents": asked}).json["where"], f"/documents/{bad}")
    same(client.expect(404, "POST", path + "/similar", {"id": "nobody"}).code, "document_not_found")
    of_id = client.expect(200, "POST", path + "/similar", {"id": "a", "explain": True}).json["matches"]
    assert of_id and all(match["fields"]["text"]["passages"] for match in of_id), of_id
    told = client.expect(200, "POST", path + "/similar", {"text": text_of(1), "explain": True, "limit": 2}).json["matches"]
    for match in told:
        part = match["fields"]["text"]
        assert 0 < match["found_probability"] <= 1 and 0 < part["intersection"] <= part["union"], match
        same(round(part["intersection"] / part["union"], 9), round(part["similarity"], 9))
        assert len(part["equal_bands"]) <= part["bands"], match


def test_most_similar(server: Server) -> None:
    """Checks that a floor finds the most similar documents, far below what the index is planned for."""
    client = server.client()
    words = [f"word{i}" for i in range(40)]
    text = " ".join(words)
    path = made(client, "floor", {"a": text, "half": " ".join(words[:20]), "third": " ".join(words[:13]), "b": text_of(2)})
    asked = {"text": text, "floor": 0.1}
    same([match["id"] for match in client.expect(200, "POST", path + "/similar", {"text": text}).json["matches"]], ["a"])
    answer = client.expect(200, "POST", path + "/similar", asked).json
    same([match["id"] for match in answer["matches"]], ["a", "half", "third"])
    assert all(match["exact"] for match in answer["matches"]), answer
    same((answer["recall"], answer["work"]["candidates"]), (0.9999, 4))
    same([match["id"] for match in client.expect(200, "POST", path + "/similar", {**asked, "limit": 2}).json["matches"]], ["a", "half"])
    same([match["id"] for match in client.expect(200, "POST", path + "/similar", {"id": "a", "floor": "0.1"}).json["matches"]], ["half", "third"])
    batch = client.expect(200, "POST", path + "/similar/batch", {"documents": [{"text": text}, {"text": text_of(2)}], "floor": 0.4}).json
    same([[match["id"] for match in one["matches"]] for one in batch["results"]], [["a", "half"], ["b"]])
    same(batch["recall"], 0.9999)
    assert "recall" not in client.expect(200, "POST", path + "/similar", {"text": text}).json
    for wrong in ({"threshold": 0.9}, {"exact": False}, {"allow_low_recall": True}, {"floor": 0}, {"floor": "x"}):
        same(client.expect(422, "POST", path + "/similar", {**asked, **wrong}).json["where"], "/floor")
    client.expect(422, "POST", path + "/check-and-add", {"document": {"id": "c", "text": "c"}, "floor": 0.1})


def test_containment(server: Server) -> None:
    """Checks that an index of containment finds what contains a text and what it contains, and says how much."""
    client = server.client()
    words = [f"word{i}" for i in range(400)]
    whole, part = " ".join(words), " ".join(words[100:150])
    path = "/v1/indexes/contained"
    schema = client.expect(201, "PUT", path, {"fields": ["text=text:word5"], "measure": "containment"}).json["schema"]
    same((schema["measure"], schema["keys"], "bands" in schema, "sketch" in schema), ("containment", "0.251/20", False, False))
    client.expect(200, "PUT", path, {"schema": schema["text"]})
    for name, text in (("whole", whole), ("part", part), ("other", text_of(3))):
        client.expect(201, "PUT", f"{path}/documents/{name}", {"text": text})
    [match] = client.expect(200, "POST", path + "/similar", {"id": "part"}).json["matches"]
    same((match["id"], match["score"]), ("whole", 1.0))
    same(match["shares"], {"text": {"share_of_query": 1.0, "share_of_match": 46 / 396}})
    [match] = client.expect(200, "POST", path + "/similar", {"id": "whole", "explain": True}).json["matches"]
    why = match["fields"]["text"]
    same((match["id"], why["intersection"], why["share_of_query"], why["share_of_match"]), ("part", 46, 46 / 396, 1.0))
    same(why["equal_keys"], why["keys"])
    assert "bands" not in why and "union" not in why, why
    compared = client.expect(200, "POST", path + "/compare", {"a": {"text": part}, "b": {"id": "whole"}}).json
    field = compared["fields"]["text"]
    same((compared["similar"], field["share_of_a"], field["share_of_b"]), (True, 1.0, 46 / 396))
    assert 0 < field["equal_keys"] < field["keys"] and "estimate" not in field, field
    same([match["id"] for match in client.expect(200, "POST", path + "/similar", {"id": "part", "floor": 0.1}).json["matches"]], ["whole"])
    client.expect(200, "GET", path + "/stats")
    asked = {"text": "An introduction. " + " ".join(words[90:160]), "min_words": 40}
    answer = client.expect(200, "POST", path + "/passages", asked).json
    same([(one["id"], one["words"]) for one in answer["matches"]], [("whole", 70), ("part", 50)])
    [run] = answer["matches"][1]["passages"]
    same((run["words"], run["text"], asked["text"][run["begin"]:run["end"]]), (50, part, part))
    same("places" in run, False)
    whole_run, run = (one["passages"][0] for one in client.expect(200, "POST", path + "/passages", {**asked, "places": True}).json["matches"])
    same(run["places"], [{"first_word": 0, "words": 50, "begin": 0, "end": len(part), "begin_char": 0, "end_char": len(part)}])
    [place] = whole_run["places"]
    same((place["words"], whole[place["begin"]:place["end"]]), (70, " ".join(words[90:160])))
    client.expect(201, "PUT", "/v1/indexes/unkept", {"schema": schema["text"], "keep_documents": False})
    refused = client.expect(409, "POST", "/v1/indexes/unkept/passages", {**asked, "places": True}).json
    same((refused["code"], refused["where"]), ("document_not_kept", "/places"))
    client.expect(204, "DELETE", "/v1/indexes/unkept?confirm=unkept")
    same([one["id"] for one in client.expect(200, "POST", path + "/passages", {"id": "part", "limit": 5}).json["matches"]], ["whole"])
    same(client.expect(200, "POST", path + "/passages", {**asked, "limit": 1}).json["matches"][0]["id"], "whole")
    same(client.expect(404, "POST", path + "/passages", {"id": "nobody"}).json["where"], "/id")
    for wrong in ({"min_words": 4}, {"min_words": 0}, {"id": "part"}, {"where": ["lang = en"]}):
        client.expect(422, "POST", path + "/passages", {**asked, **wrong})
    shares = {"share_of_removed": 1.0, "share_of_keeper": 46 / 396}
    pairs = client.expect(200, "POST", f"{path}/pairs").lines
    same(pairs[0], {"a": "whole", "b": "part", "score": 1.0, "share_of_a": 46 / 396, "share_of_b": 1.0, "exact": True})
    same((len(pairs), pairs[-1]["summary"]["pairs"]), (2, 1))
    clusters = client.expect(200, "POST", f"{path}/clusters", {"sort": "weakest"}).lines
    same((clusters[0]["keeper"], clusters[0]["members"]), ("whole", [{"id": "part", "score": 1.0, **shares}]))
    for what in ("clusters", "dedup"):
        same(client.expect(422, "POST", f"{path}/{what}", {"cluster": "components"}).json["where"], "/cluster")
    done(client, path, "dedup", {"remove": True, "largest_cluster": 1})
    client.expect(404, "GET", f"{path}/documents/part")
    client.expect(201, "PUT", f"{path}/documents/part", {"text": part})
    client.expect(422, "POST", path + "/similar", {"text": part, "exact": False})
    wrong = client.expect(422, "PUT", "/v1/indexes/wrong", {"measure": "overlap"}).json
    same((wrong["code"], wrong["where"]), ("wrong_value", "/measure"))
    client.expect(422, "PUT", "/v1/indexes/wrong", {"measure": "containment", "sketch": "fss:64"})
    client.expect(422, "PUT", "/v1/indexes/wrong", {"measure": "containment", "schema": schema["text"]})


def test_attributes(server: Server) -> None:
    client = server.client()
    path = "/v1/indexes/shop"
    created = client.expect(201, "PUT", path, {"attributes": ["lang=string", "price=number", "live=boolean", "expires_at=time;ttl=30d"]}).json
    same(created["schema"]["attributes"], ["lang=string", "price=number", "live=boolean", "expires_at=time;ttl=30d"])
    for name, price, more in (("a", 3, {}), ("b", "7.50", {}), ("c", 7.5, {"live": True, "expires_at": "2100-01-01"}), ("gone", 1, {"expires_at": "2020-01-01"})):
        client.expect(201, "PUT", f"{path}/documents/{name}", {"text": text_of(1), "lang": "en", "price": price, **more})
    refused = client.expect(422, "PUT", path + "/documents/d", {"text": text_of(1), "price": "cheap"})
    assert "must be a number" in refused.json["detail"], refused
    client.expect(404, "GET", path + "/documents/gone")

    def found(*conditions: str) -> list[str]:
        asked = {"text": text_of(1), "where": list(conditions)}
        return [match["id"] for match in client.expect(200, "POST", path + "/similar", asked).json["matches"]]
    same(found(), ["a", "b", "c"])
    same(found("price >= 7.5", "lang in en,de"), ["b", "c"])
    same(found("price >= 7.5", "lang=de"), [])
    same(found("live=true"), ["c"])
    match = client.expect(200, "POST", path + "/similar", {"text": text_of(1), "where": ["live=true"]}).json["matches"][0]
    same(match["attributes"], {"lang": "en", "price": 7.5, "live": True, "expires_at": "2100-01-01T00:00:00Z"})
    for wrong in ("size=1", "price<cheap", "price", ""):
        client.expect(422, "POST", path + "/similar", {"text": text_of(1), "where": [wrong]})

    same(client.expect(200, "PATCH", path + "/documents/c", {"price": 2, "live": None}).json["outcome"], "replaced")
    same(client.expect(200, "GET", path + "/documents/c").json["attributes"], {"lang": "en", "price": 2, "expires_at": "2100-01-01T00:00:00Z"})
    same(found("live=true"), [])
    for name, change, status in (("nobody", {"price": 1}, 404), ("gone", {"price": 1}, 404), ("c", {"size": 1}, 422), ("c", {"price": "x"}, 422),
                                 ("c", {"price": [1]}, 422), ("c", [], 422), ("c", {"id": "d", "price": 1}, 422)):
        client.expect(status, "PATCH", f"{path}/documents/{name}", change)
    same(found("price=2"), ["c"])

    checked = path + "/check-and-add"
    same(client.expect(200, "POST", checked, {"document": {"id": "e", "text": text_of(1)}, "where": ["price=2"]}).json["added"], False)
    client.expect(201, "POST", checked, {"document": {"id": "e", "text": text_of(1), "price": 9}, "where": ["price=9"]})


def test_check_and_add(server: Server) -> None:
    client = server.client()
    path = made(client, "checked") + "/check-and-add"
    first = client.expect(201, "POST", path, {"document": {"id": "a", "text": text_of(1)}}).json
    same((first["added"], first["matches"]), (True, []))
    assert first["durability"], first
    second = client.expect(200, "POST", path, {"document": {"id": "b", "text": text_of(1, 1)}}).json
    same((second["added"], [match["id"] for match in second["matches"]]), (False, ["a"]))
    client.expect(404, "GET", "/v1/indexes/checked/documents/b")
    client.expect(201, "POST", path, {"document": {"id": "c", "text": text_of(1, 1)}, "threshold": 0.99})
    # Of eight clients that add the same text at once, exactly one adds it, every time.
    with ThreadPoolExecutor(8) as pool:
        for number in range(10, 30):
            answers = list(pool.map(lambda i, number=number: server.client().ask("POST", path, {"document": {"id": f"{number}-{i}", "text": text_of(number)}}), range(8)))
            same(sorted(answer.status for answer in answers), [200] * 7 + [201], f"text {number}")
            winner = next(i for i, answer in enumerate(answers) if answer.status == 201)
            assert all(answer.json["matches"][0]["id"] == f"{number}-{winner}" for answer in answers if answer.status == 200), answers
    same(client.expect(200, "GET", "/v1/indexes/checked").json["documents"], 22)


def test_whole(server: Server) -> None:
    client = server.client()
    path = made(client, "whole", {f"{number}-{i}": text_of(number, i) for number in range(5) for i in range(3)})
    *pairs, last = client.expect(200, "POST", path + "/pairs", {}).lines
    same((len(pairs), last["summary"]["rows"], last["summary"]["truncated"]), (15, 15, False))
    assert all(pair["a"].split("-")[0] == pair["b"].split("-")[0] and pair["score"] >= 0.8 for pair in pairs), pairs
    *rows, last = client.expect(200, "POST", path + "/pairs", {"limit": 15}).lines
    same((len(rows), last["summary"]["truncated"]), (15, False), "a limit that is reached, not passed")
    *rows, last = client.expect(200, "POST", path + "/pairs", {"limit": 14}).lines
    same((len(rows), last["summary"]["truncated"]), (14, True))
    *clusters, last = client.expect(200, "POST", path + "/clusters", {}).lines
    same((len(clusters), last["summary"]["clusters"]), (5, 5))
    for cluster in clusters:
        same(len(cluster["members"]), 2)
        assert cluster["keeper"] not in [member["id"] for member in cluster["members"]], cluster
        same(cluster["weakest"], min(member["score"] for member in cluster["members"]), "weakest")
    plan = client.expect(200, "POST", "/v1/plan", {"threshold": 0.8, "recall": 0.99, "slots": 128}).json
    assert plan["recall_at_threshold"] >= 0.99 and plan["bands"] * plan["rows"] <= 128, plan
    same([round(point["similarity"], 2) for point in plan["curve"]], [i / 50 for i in range(1, 51)])
    same(client.expect(200, "POST", "/v1/plan").json["slots"], 128)


def test_fields(server: Server) -> None:
    client = server.client()
    path = made(client, "values", fields=["tags=values"])
    client.expect(200, "POST", path + "/documents", "".join(json.dumps({"id": name, "tags": tags}) + "\n" for name, tags in
                                                            {"a": ["x", "y", "z", "u"], "b": ["x", "y", "z", "u", "v"], "c": ["q"]}.items()))
    same([match["id"] for match in client.expect(200, "POST", path + "/similar", {"document": {"tags": ["u", "z", "y", "x"]}}).json["matches"]], ["a", "b"])
    client.expect(422, "POST", path + "/similar", {"text": "x"})
    path = made(client, "picture", fields=["p=image:pdq"])
    client.expect(422, "PUT", path + "/documents/x", {"p": "/etc/hostname"})


def test_limits(server: Server) -> None:
    """Exactly at a limit, and one above."""
    client = server.client()
    limits = client.expect(200, "GET", "/v1/limits").json
    path = made(client, "limits")

    def both(what: str, good: int, bad: tuple[int, ...], ask) -> None:
        at, above = ask(0), ask(1)
        assert at.status == good, f"{what}, at the limit: {good} is expected, not {at}"
        assert above.status in bad, f"{what}, one above the limit: {bad} is expected, not {above}"
    room = BODY - len(json.dumps({"text": ""}))
    both("a body", 200, (413,), lambda extra: client.ask("POST", path + "/similar", {"text": "a" * (room + extra)}))
    both("a document", 201, (413,), lambda extra: client.ask("PUT", path + "/documents/x", {"text": "a" * (room + extra)}))
    room = BODY - len('{"id":"y","text":""}')
    both("a line", 200, (207, 413), lambda extra: client.ask("POST", path + "/documents", '{"id":"y","text":"' + "a" * (room + extra) + '"}\n'))
    both("lines", 200, (413,), lambda extra: client.ask("POST", path + "/documents", "\n" * (limits["bulk_lines"] + extra)))
    both("ids", 200, (413, 422), lambda extra: client.ask("POST", path + "/documents/delete", {"ids": ["n"] * (limits["ids"] + extra)}))
    both("questions", 200, (413, 422), lambda extra: client.ask("POST", path + "/similar/batch", {"documents": [{"text": "a"}] * (limits["batch"] + extra), "limit": 10}))
    both("questions times matches", 200, (413, 422), lambda extra: client.ask("POST", path + "/similar/batch", {"documents": [{"text": "a"}] * 1000, "limit": 100 + extra}))
    both("matches", 200, (422,), lambda extra: client.ask("POST", path + "/similar", {"text": "a", "limit": limits["matches"] + extra}))
    for what in ("pairs", "clusters"):
        both(what, 200, (422,), lambda extra, what=what: client.ask("POST", f"{path}/{what}", {"limit": limits["rows"] + extra}))
    both("documents in a list", 200, (400, 422), lambda extra: client.ask("GET", f"{path}/documents?limit={1000 + extra}"))
    both("bytes of an id", 200, (207, 422), lambda extra: client.ask("POST", path + "/documents", json.dumps({"id": "i" * (65_535 + extra), "text": "a"})))
    both("bytes of a name", 201, (422,), lambda extra: client.ask("PUT", "/v1/indexes/" + "n" * (64 + extra), {}))


def test_a_question_has_bounds(server: Server) -> None:
    """The largest question that is allowed needs little memory, and other requests do not wait."""
    client = server.client()
    path = made(client, "same", {f"d{i}": text_of(1) for i in range(1000)})
    before, slowest, is_done = server.rss(), [0.0], threading.Event()

    def watch() -> None:
        while not is_done.is_set():
            started = time.monotonic()
            server.client().ask("GET", "/healthz")
            slowest[0] = max(slowest[0], time.monotonic() - started)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        answer = client.expect(200, "POST", path + "/similar/batch", {"documents": [{"text": text_of(1)}] * 1000, "limit": 100})
    finally:
        is_done.set()
        watcher.join()
    same({len(one["matches"]) for one in answer.json["results"]}, {100})
    # 100,000 matches of 60 bytes, copied a few times.
    assert server.rss() - before < 128 << 20, f"it took {server.rss() - before:,} bytes of memory"
    assert slowest[0] < SOON, f"GET /healthz waited {slowest[0]:.1f} s for it"


def test_an_answer_has_bounds(server: Server) -> None:
    """One answer does not hold many large documents in memory at once, nor the problems of a million lines."""
    client = server.client()
    path = made(client, "large")
    text = text_of(1) + " x" * 50_000
    client.expect(200, "POST", path + "/documents", lines_of({f"d{i}": f"{text} {i}" for i in range(300)}))
    before = server.rss()
    for method, what, asked in (("GET", "documents?limit=1000", None), ("POST", "similar", {"text": text, "limit": 1000, "with_documents": True}),
                                ("POST", "similar/batch", {"documents": [{"text": text[:400_000]}] * 15, "limit": 300, "with_documents": True})):
        answer = client.ask(method, f"{path}/{what}", asked)
        assert answer.status in (200, 413, 422), answer
        assert len(answer.body) < 80 << 20, f"{method} {what}: an answer of {len(answer.body):,} bytes"
        assert server.rss() - before < 300 << 20, f"{method} {what} took {server.rss() - before:,} bytes of memory"
    before = server.rss()
    answer = client.ask("POST", path + "/documents", "{}\n" * 1_000_000)
    assert answer.status in (207, 413, 422) and server.rss() - before < 200 << 20, f"{answer.status}, {server.rss() - before:,} bytes of memory"


# --- keys -----------------------------------------------------------------------------------------

def test_keys_for_some_indexes(_: Server) -> None:
    """A key that is for some indexes sees these alone, and one that has ended none; writes are logged with the key's name."""
    folder = scratch("some-keys")
    root = folder / "root"
    root.mkdir(parents=True)
    keys, by_scope = make_keys(folder)
    read, write, admin = keys.read_text().splitlines()[-3:]
    keys.write_text("\n".join((read + " indexes=a,c", write + " name=feeder indexes=a", admin + " name=boss")) + "\n")
    with Server(root, "--log", "json", "--log-writes", keys=keys, quiet=False) as server:
        boss, reader, writer = (server.client(by_scope[scope]) for scope in ("admin", "read", "write"))
        for name in ("a", "b"):
            made(boss, name, {"x": text_of(1)})
        task = boss.expect(202, "POST", "/v1/indexes/b/dedup").json
        same([one["name"] for one in reader.expect(200, "GET", "/v1/indexes").json["indexes"]], ["a"])
        same([one["name"] for one in boss.expect(200, "GET", "/v1/indexes").json["indexes"]], ["a", "b"])
        reader.expect(200, "POST", "/v1/indexes/a/similar", {"id": "x"})
        for method, target in (("GET", "/v1/indexes/b"), ("POST", "/v1/indexes/b/similar"), ("GET", f"/v1/tasks/{task['id']}"),
                               ("GET", f"/v1/tasks/{task['id']}/report"), ("GET", f"/v1/tasks/{task['id']}/events")):
            same(reader.ask(method, target).status, 404, target)
        same(writer.ask("POST", f"/v1/tasks/{task['id']}/cancel").status, 404)
        same(reader.expect(200, "GET", "/v1/tasks").json["tasks"], [])
        assert 'index="b"' not in reader.expect(200, "GET", "/metrics").body.decode()
        same(reader.expect(200, "GET", "/v1/key").json, {"scope": "read", "name": None, "indexes": ["a", "c"], "expires": None})
        same(boss.expect(200, "GET", "/v1/key").json, {"scope": "admin", "name": "boss", "indexes": None, "expires": None})
        writer.expect(201, "PUT", "/v1/indexes/a/documents/y", {"text": text_of(2)})
        same(writer.ask("PUT", "/v1/indexes/b/documents/y", {"text": text_of(2)}).status, 404)
        server.stop()
    lines = [json.loads(line) for line in server.said if line.startswith("{")]
    same([one["key"] for one in lines], ["boss"] * 5 + ["feeder"] * 3, "a line for each write, with the name of its key")
    assert not any(key in line for key in by_scope.values() for line in server.said)

    (root / "broken").mkdir()
    (root / "broken" / "BENZER").write_text("?")
    keys.write_text(read + " expires=2026-01-31\n" + admin + " expires=2999-12-31\n")
    with Server(root, keys=keys) as server:
        same(server.client(by_scope["read"]).ask("GET", "/v1/limits").status, 401)
        same(server.client(by_scope["admin"]).expect(200, "GET", "/v1/key").json["expires"], "2999-12-31")
        same(server.client().expect(200, "GET", "/readyz").json, {"status": "ready", "reasons": []}, "for strangers")
        same([one["index"] for one in server.client(by_scope["admin"]).expect(200, "GET", "/readyz").json["reasons"]], ["broken"])


def test_keys(server: Server) -> None:
    folder = scratch("serve-keys")
    (folder / "root").mkdir()
    file, keys = make_keys(folder)
    assert all(key not in file.read_text() for key in keys.values()), "the file has a key as it is"
    with Server(folder / "root", keys=file) as guarded:
        read, write, admin, nobody = (guarded.client(keys.get(scope)) for scope in ("read", "write", "admin", "none"))
        path = made(admin, "a", {"a": text_of(1)})
        for target in ("/", "/healthz", "/readyz"):
            nobody.expect(200, "GET", target)
        for target in ("/v1/limits", "/v1/indexes", "/v1/nothing", "/metrics", path):
            same(nobody.expect(401, "GET", target)["WWW-Authenticate"].split()[0], "Bearer")
            same(nobody.expect(401, "HEAD", target).body, b"")
        read.expect(404, "GET", "/v1/nothing")
        for client in (read, write, admin):
            client.expect(200, "GET", path)
            client.expect(200, "GET", path + "/documents/a")
            client.expect(200, "POST", path + "/similar", {"id": "a"})
            client.expect(200, "GET", "/metrics")
        for method, target, body in (("PUT", path + "/documents/b", {"text": "b"}), ("POST", path + "/documents", '{"id":"b"}'), ("DELETE", path + "/documents/a", None),
                                     ("POST", path + "/documents/delete", {"ids": ["a"]}), ("POST", path + "/check-and-add", {"document": {"id": "c"}})):
            same(read.expect(403, method, target, body).code, "scope_too_small")
        write.expect(201, "PUT", path + "/documents/b", {"text": "b"})
        write.expect(204, "DELETE", path + "/documents/b")
        for client in (read, write):
            client.expect(403, "PUT", "/v1/indexes/b", {})
            client.expect(403, "DELETE", path + "?confirm=a")
        same([one["documents"] for one in admin.expect(200, "GET", "/v1/indexes").json["indexes"]], [1])
        admin.expect(204, "DELETE", path + "?confirm=a")
        guarded.stop()
        assert not any(key in "".join(guarded.said) for key in keys.values()), "a key is in the log"


def test_log(server: Server) -> None:
    """The log has a line for each request, without keys, and without characters that could forge another line."""
    folder = scratch("serve-log")
    (folder / "root").mkdir()
    file, keys = make_keys(folder)
    for log in ("json", "text", "none"):
        with Server(folder / "root", "--log", log, keys=file, quiet=False) as loud:
            client = loud.client(keys["read"])
            client.expect(404, "GET", "/v1/nothing%0a%1b[31m?a=1", headers={"X-Request-Id": "mine"})
            client.expect(200, "GET", "/v1/limits")
            loud.stop()
            lines = [line for line in loud.said if not line.startswith("benzer: ")]
            said = "".join(lines)
            assert keys["read"] not in said and "\x1b" not in said and "\ufffd" not in said, said
            same(len(lines), 0 if log == "none" else 2, f"lines of --log {log}: {said}")
            if log == "json":
                rows = [json.loads(line) for line in lines]
                same([(row["method"], row["status"]) for row in rows], [("GET", 404), ("GET", 200)])
                same(rows[0]["request"], "mine")
            elif log == "text":
                assert "mine" in lines[0] and " GET " in lines[0] and " 404 " in lines[0], lines


def test_rate(server: Server) -> None:
    folder = scratch("serve-rate")
    (folder / "root").mkdir()
    with Server(folder / "root", "--rate", "5") as slow:
        statuses = [slow.client().ask("GET", "/v1/limits").status for _ in range(12)]
        same((statuses[:5], 429 in statuses, set(statuses)), ([200] * 5, True, {200, 429}), f"{statuses}")
        refused = slow.client().expect(429, "GET", "/v1/limits")
        assert int(refused["Retry-After"]) >= 1, refused
        for _ in range(12):
            slow.client().expect(200, "GET", "/healthz")  # the rate limit does not count health checks


def main() -> int:
    folder = scratch("serve")
    root = folder / "root"
    root.mkdir()
    with Server(root) as server:
        code = run_tests([test_service, test_http, test_request_id, test_early_answer, test_indexes, test_frequencies, test_documents, test_similar,
                          test_most_similar, test_containment, test_attributes, test_check_and_add, test_whole, test_fields, test_limits, test_keys,
                          test_keys_for_some_indexes, test_log, test_rate, test_a_question_has_bounds, test_an_answer_has_bounds], server)
        assert server.stop() == 0, f"the server ended with {server.process.returncode}: {''.join(server.said)[-2000:]}"
    return code


if __name__ == "__main__":
    sys.exit(main())
