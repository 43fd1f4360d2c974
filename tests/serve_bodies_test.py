#!/usr/bin/env python3
# labels: server
"""Tests which values members of a body may have, how refusals name the error, and how long answers may be.

serve_test.py tests answers to valid requests. The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import sys
import uuid

from serve_test_util import Server, lines_of, made, run_tests, same, scratch, text_of


def test_ids_are_strings_or_numbers(server: Server) -> None:
    """In every body that names a document, and in documents themselves."""
    client = server.client()
    path = made(client, "numbers")
    client.expect(200, "POST", path + "/documents", "".join(json.dumps({"id": i, "text": text_of(1, i)}) + "\n" for i in (1, 2, -3)))
    same([match["id"] for match in client.expect(200, "POST", path + "/similar", {"id": 1}).json["matches"]], ["-3", "2"])
    same(client.expect(200, "POST", path + "/compare", {"a": {"id": 1}, "b": {"id": "2"}}).json["similar"], True)
    decision = client.expect(201, "POST", path + "/decisions", {"members": [1, "2"], "keeper": 2}).json
    same((decision["members"], decision["keeper"]), (["1", "2"], "2"))
    for wrong in (True, [], {}):
        same(client.expect(422, "POST", path + "/similar", {"id": wrong}).json["where"], "/id", str(wrong))
    same(client.expect(200, "POST", path + "/documents/delete", {"ids": [1, -3, "2", 18446744073709551615]}).json["removed"], 3)


def test_any_id_in_a_body(server: Server) -> None:
    """Also those that proxies and browsers resolve in a path, that are too long for a head, or have a zero byte."""
    client = server.client()
    path = made(client, "any")
    client.expect(201, "PUT", "/v1/indexes/labelled", {"attributes": ["price=number"]})
    labelled = "/v1/indexes/labelled/documents"
    ids = ["\0", "a\0b", ".", "..", "../..", "x" * 65_535, "ä" * 4_000]
    for number, one in enumerate(ids):
        body = [{"id": one, "text": text_of(number), "price": 1}]
        for documents in (path + "/documents", labelled):
            same(client.expect(200, "POST", documents, body).json["summary"]["inserted"], 1, one[:10])
        held = client.expect(200, "POST", path + "/documents/get", {"id": one}).json
        same((held["id"], held["document"]["text"]), (one, text_of(number)))
        same(client.expect(200, "PATCH", labelled, {"id": one, "price": number}).json["outcome"], "replaced")
        same(client.expect(200, "POST", labelled + "/get", {"id": one}).json["attributes"], {"price": number})
    listed, after = [], {}
    while after is not None:
        page = client.expect(200, "POST", path + "/documents/list", {"limit": 1, **after}).json
        listed += [one["id"] for one in page["documents"]]
        after = None if page["next"] is None else {"after": page["next"]}
    same(listed, sorted(ids, key=str.encode))
    same(client.expect(200, "POST", path + "/documents/list").json, client.expect(200, "GET", path + "/documents").json)
    same(client.expect(200, "POST", path + "/documents/delete", {"ids": ids}).json["removed"], len(ids))
    for wrong in ({}, {"id": None}, {"id": []}, {"id": "x", "more": 1}):
        client.expect(422, "POST", path + "/documents/get", wrong)
    for wrong in ({"price": 1}, {"id": "", "price": 1}, {"id": None, "price": 1}):
        client.expect(422, "PATCH", labelled, wrong)
    for wrong in ({"limit": 0}, {"limit": 1001}, {"after": None}):
        client.expect(422, "POST", path + "/documents/list", wrong)
    same(client.expect(404, "POST", path + "/documents/get", {"id": ".."}).code, "document_not_found")
    same(client.expect(404, "PATCH", labelled, {"id": "nobody", "price": 1}).code, "document_not_found")


def test_numbers_keep_their_digits(server: Server) -> None:
    """Also numbers that a parser of 64 bits refuses, or would print in another way."""
    client = server.client()
    path = made(client, "digits")
    ids = ("1.50", "-0", "123456789012345678901234567890", "1e-999")
    client.expect(200, "POST", path + "/documents", "".join('{"id":%s,"text":"%s"}\n' % (i, text_of(1, 1)) for i in ids[:3]))
    headers = {"Content-Type": "application/json"}
    added = ('{"document": {"id": %s, "n": [123456789012345678901234567890, 0.10], "text": "%s"}}' % (ids[3], text_of(7))).encode()
    same(client.expect(201, "POST", path + "/check-and-add", added, headers=headers).json["added"], True)
    listed = {one["id"]: one["document"] for one in client.expect(200, "GET", path + "/documents").json["documents"]}
    same(set(listed), set(ids))
    found = client.expect(200, "POST", path + "/similar", b'{"id":123456789012345678901234567890}', headers=headers).json["matches"]
    same({match["id"] for match in found}, {"1.50", "-0"})
    asked = ('{"documents": [{"text": "%s", "n": -1e999}]}' % text_of(1, 1)).encode()
    same(len(client.expect(200, "POST", path + "/similar/batch", asked, headers=headers).json["results"][0]["matches"]), 3)
    found = client.expect(200, "POST", path + "/similar", b'{"id":1.50}', headers=headers).json["matches"]
    same({match["id"] for match in found}, {"-0", "123456789012345678901234567890"})
    client.expect(404, "POST", path + "/similar", b'{"id":1.5}', headers=headers)
    for wrong in (b'{"id":"1.50","threshold":1e999}', b'{"id":"1.50","limit":18446744073709551616}'):
        client.expect(422, "POST", path + "/similar", wrong, headers=headers)
    deleted = b'{"ids":[123456789012345678901234567890,-0,1.50,7]}'
    same(client.expect(200, "POST", path + "/documents/delete", deleted, headers=headers).json["removed"], 3)


def test_kept_documents_are_strict(server: Server) -> None:
    """What is stored can be read by every reader of JSON, and by all alike."""
    client = server.client()
    path = made(client, "strict")
    headers = {"Content-Type": "application/json"}
    text = text_of(3)
    odd = (r'{"text": "%s \ud800", "\udfff": 12345678901234567890123}' % text).encode()
    client.expect(201, "PUT", path + "/documents/odd", odd, headers=headers)
    kept = client.expect(200, "GET", path + "/documents/odd").body
    assert rb"\ufffd" in kept and b"ud800" not in kept and b"udfff" not in kept and b"12345678901234567890123" in kept, kept
    # Each route takes the document that was stored, also one with many levels.
    deep = ('{"text": "%s", "n": %s}' % (text, "[" * 900 + "]" * 900)).encode()
    client.expect(201, "PUT", path + "/documents/deep", deep, headers=headers)
    for sent in (odd, deep):
        for body in (b'{"document": %s}', b'{"document": %s, "explain": true}'):
            same({one["id"] for one in client.expect(200, "POST", path + "/similar", body % sent, headers=headers).json["matches"]}, {"odd", "deep"})
        batch = client.expect(200, "POST", path + "/similar/batch", b'{"documents": [%s]}' % sent, headers=headers).json["results"]
        same(len(batch[0]["matches"]), 2)
        same(client.expect(200, "POST", path + "/compare", b'{"a": {"document": %s}, "b": {"id": "odd"}}' % sent, headers=headers).json["similar"], True)
        added = b'{"document": {"id": "new", %s, "threshold": 0.9}' % sent[1:]
        same(client.expect(200, "POST", path + "/check-and-add", added, headers=headers).json["added"], False)
    client.expect(422, "POST", path + "/similar", rb'{"id": "odd\ud800"}', headers=headers)
    client.expect(204, "DELETE", path + "/documents/deep")
    client.expect(422, "PUT", path + "/documents/large", b'{"text": "x", "n": [{"m": -1e999}]}', headers=headers)
    client.expect(422, "POST", path + "/check-and-add", b'{"document": {"id": 1e999, "text": "x"}}', headers=headers)
    lines = (r'{"id": "a\ud800", "text": "x"}', r'{"id": "a\udfff", "text": "x"}', '{"id": "n", "text": "x", "n": 1e999}', '{"id": "good", "text": "x"}')
    rows = client.expect(207, "POST", path + "/documents", "\n".join(lines)).lines
    same([row["outcome"] for row in rows[:-1]], ["refused", "refused", "refused", "inserted"])
    assert "lone surrogate" in rows[0]["problem"]["detail"] and "1e999" in rows[2]["problem"]["detail"], rows
    same([one["id"] for one in client.expect(200, "GET", path + "/documents").json["documents"]], ["good", "odd"])


def test_where(server: Server) -> None:
    """A refusal names the place, and has the same code on each route."""
    client = server.client()
    path = made(client, "where", {"a": text_of(1)})
    pictures = made(client, "pictures", fields=["p=image:pdq"])
    for target, body, code, where in (
            (path + "/compare", {"b": {"id": "a"}}, "wrong_value", "/a"),
            (path + "/check-and-add", {"document": {"text": "no id"}}, "bad_input", "/document/id"),
            (path + "/similar/batch", {"documents": [{"text": ""}, {"text": 5}]}, "bad_input", "/documents/1"),
            (pictures + "/similar/batch", {"documents": [{"p": "photo.png"}]}, "image_by_path", "/documents/0/p"),
            (path + "/similar", {"id": "a", "threshold": 1e-300}, "wrong_value", "/threshold")):
        problem = client.expect(422, "POST", target, body).json
        same((problem["code"], problem.get("where")), (code, where), json.dumps(body))
    assert '"1e-300"' in problem["detail"], problem
    low = client.expect(422, "POST", path + "/similar", {"id": "a", "threshold": 0.5}).json
    assert " % of" in low["detail"] or " %;" in low["detail"], low
    one = client.expect(400, "POST", path + "/documents", {"id": "b", "text": "one"}).json
    assert "PUT .../documents/{id}" in one["hint"] and "x-ndjson" in one["hint"], one
    same("--data-binary" in client.expect(400, "POST", path + "/similar", b'{"id":', headers={"Content-Type": "application/json"}).json["hint"], True)


def test_if_match(server: Server) -> None:
    client = server.client()
    path = made(client, "matched") + "/decisions"
    body = {"members": ["a", "b"], "not_duplicates": True}
    tag = client.expect(201, "POST", path, body)["ETag"]
    for wrong, status in ((tag.strip('"'), 422), (tag[:-1], 422), ('"9.9"', 412), ("W/" + tag, 412)):
        client.expect(status, "PUT", path + "/1", body, headers={"If-Match": wrong})
    for tags in (f'"9.9", {tag}', None, "*"):
        tag = client.expect(200, "PUT", path + "/1", body, headers={"If-Match": tags or f'{tag} , "1.3"'})["ETag"]


def test_tags_of_another_index(server: Server) -> None:
    """A decision of a new index is not the one that a removed index of that name had, although it has the same id."""
    client = server.client()
    tags = []
    for _ in range(2):
        path = made(client, "again")
        tags.append(client.expect(201, "POST", path + "/decisions", {"members": ["a", "b"], "keeper": "a"}).json["etag"])
        same(client.expect(200, "GET", path + "/decisions/1")["ETag"], tags[-1], "it stays the same")
        if len(tags) == 1:
            client.expect(204, "DELETE", path + "?confirm=again")
    client.expect(412, "PUT", path + "/decisions/1", {"members": ["a", "b"], "keeper": "b"}, headers={"If-Match": tags[0]})
    client.expect(412, "DELETE", path + "/decisions/1", headers={"If-Match": tags[0]})
    client.expect(200, "PUT", path + "/decisions/1", {"members": ["a", "b"], "keeper": "b"}, headers={"If-Match": tags[1]})


def test_array_of_documents(server: Server) -> None:
    client = server.client()
    path = made(client, "array") + "/documents"
    documents = [{"id": f"d{number}", "text": f"{text_of(number)} , ] [ {{ \\ \" }}"} for number in range(5000)]
    body = f" {json.dumps(documents, indent=1)}\n".encode()
    as_json = {"Content-Type": "application/json"}
    answer = client.expect(200, "POST", path, body, headers=as_json).json
    same([one["id"] for one in answer["results"]], [one["id"] for one in documents])
    same(answer["summary"], {"documents": 5000, "inserted": 5000, "replaced": 0, "refused": 0, "durability": "sync"})
    same(client.expect(200, "GET", path + "/d4321").json["document"], documents[4321])
    same(client.expect(200, "POST", path, b"[]", headers=as_json).json, {"results": [], "summary": {"documents": 0, "inserted": 0, "replaced": 0, "refused": 0, "durability": "sync"}})
    some = client.expect(207, "POST", path, b'[{"id":"a","text":"one two three"},7,{"text":"x y z"},{"id":"b","text":x}]', headers=as_json).json
    same([(one["line"], one["outcome"]) for one in some["results"]], [(1, "inserted"), (2, "refused"), (3, "refused"), (4, "refused")])
    for wrong in ("", "{}", "7", "[1", '[{"id":"c","text":"four five six"},', "[] x", '[{"id":"c","text":"four five six"}}]'):
        client.expect(400 if not wrong.endswith("}}]") else 207, "POST", path, wrong.encode(), headers=as_json)
    same(client.expect(200, "GET", path + "/c").json["id"], "c", "what came before the fault is stored")
    problem = client.expect(413, "POST", path, json.dumps([{"id": "e", "text": "x"}, {"id": "f", "text": "w " * 4_500_000}]).encode(), headers=as_json)
    same(problem.code, "line_too_long")
    client.expect(200, "GET", path + "/e")

    given = client.expect(200, "POST", path + "?make_ids=true", [{"text": "no id here"}, {"id": "mine", "text": "an id of mine"}, {"text": "nor here"}]).json
    ids = [one["id"] for one in given["results"]]
    assert ids[1] == "mine" and ids[0] != ids[2] and all(uuid.UUID(ids[at]).version == 7 for at in (0, 2)), ids
    same(client.expect(200, "GET", f"{path}/{ids[0]}").json["document"], {"text": "no id here"})
    client.expect(422, "POST", path + "?make_ids=1", b"[]", headers=as_json)


def test_pages_of_decisions(server: Server) -> None:
    client = server.client()
    path = made(client, "decided") + "/decisions"
    for number in range(7):
        client.expect(201, "POST", path, {"members": [f"m{number}"], "keeper": f"m{number}"})
    last = client.expect(200, "GET", path + "/4").json
    client.expect(204, "DELETE", path + "/4", headers={"If-Match": last["etag"]})
    for limit, pages in ((2, [["1", "2"], ["3", "5"], ["6", "7"]]), (4, [["1", "2", "3", "5"], ["6", "7"]]), (1000, [["1", "2", "3", "5", "6", "7"]])):
        got, after = [], "0"
        while after is not None:
            page = client.expect(200, "GET", f"{path}?limit={limit}&after={after}").json
            got.append([one["id"] for one in page["decisions"]])
            after = page["next"]
        same(got, pages)
    same(client.expect(200, "GET", path + "?after=7").json, {"decisions": [], "next": None})
    for wrong in ("limit=0", "limit=1001", "after=-1", "after=x"):
        client.expect(422, "GET", f"{path}?{wrong}")
    for missing in ("4", "0", "8", "01", "-1", "x", "99999999999999999999"):
        client.expect(404, "GET", f"{path}/{missing}")


def test_long_answers(server: Server) -> None:
    """Answers that would be longer than the limit are refused, or cut with a notice."""
    client = server.client()
    path = made(client, "long", keep_documents=False)
    most = client.expect(200, "GET", "/v1/limits").json["answer_bytes"]
    before = server.rss()
    names = ["n" * 60_000 + str(i) for i in range(1300)]
    answer = client.expect(200, "POST", path + "/documents", lines_of(dict.fromkeys(names, "one two three four five six")))
    *rows, last = answer.lines
    summary = last["summary"]
    assert most < len(answer.body) < most + 100_000, len(answer.body)
    same((summary["documents"], summary["inserted"], len(rows) + summary["left_out"]), (1300, 1300, 1300))
    for what in ("pairs", "clusters"):
        problem = client.expect(422, "POST", f"{path}/{what}", {"limit": 100_000})
        same(problem.code, "answer_too_large", what)
        assert "limit" in problem.json["hint"], problem
    client.expect(200, "POST", path + "/pairs", {"limit": 10})
    # Memory for the body in pieces, its documents and an answer, and for the index itself.
    assert server.rss() - before < 600 << 20, f"it took {server.rss() - before:,} bytes of memory"


def test_first_clusters(server: Server) -> None:
    """The first clusters of a sorted list are right, although the server does not hold all clusters."""
    client = server.client()
    path = made(client, "clusters", {f"{number:02}-{i}": text_of(number, i % 3) for number in range(40) for i in range(2 + number % 5)})
    for sort, key in (("keeper", lambda row: 0), ("size", lambda row: -row["size"]), ("weakest", lambda row: row["weakest"])):
        *everything, _ = client.expect(200, "POST", path + "/clusters", {"sort": sort}).lines
        same(everything, sorted(everything, key=key), sort)
        for limit in (1, 3, 39, 40):
            *rows, last = client.expect(200, "POST", path + "/clusters", {"sort": sort, "limit": limit}).lines
            same(rows, everything[:limit], f"{sort}, the first {limit}")
            same((last["summary"]["truncated"], last["summary"]["clusters"]), (limit < 40, 40))


def main() -> int:
    root = scratch("serve-bodies") / "root"
    root.mkdir()
    with Server(root) as server:
        return run_tests([test_ids_are_strings_or_numbers, test_any_id_in_a_body, test_numbers_keep_their_digits, test_kept_documents_are_strict, test_where, test_if_match, test_tags_of_another_index, test_array_of_documents, test_pages_of_decisions, test_long_answers, test_first_clusters], server)


if __name__ == "__main__":
    sys.exit(main())
