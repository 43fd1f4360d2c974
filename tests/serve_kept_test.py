#!/usr/bin/env python3
# labels: server
"""Tests that `benzer serve` compares a document by its text only if the index has the features of that text.

A kill between the two syncs of a write, or a full disk, leaves the one without the other. The program is BENZER or the release build.
Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

from serve_tasks_test import done
from serve_test_util import Client, Server, made, run_tests, same, scratch, text_of

INDEX = "/v1/indexes/kept"


def ids(client: Client, body: object) -> list[str]:
    return [match["id"] for match in client.expect(200, "POST", INDEX + "/similar", body).json["matches"]]


def exchange(root: Path, name: str, text: str) -> None:
    """Changes what is kept of a document, and not its features."""
    with sqlite3.connect(root / "kept" / "documents.sqlite", isolation_level=None, timeout=10) as database:
        changed = database.execute("UPDATE documents SET json = ? WHERE id = ?", (json.dumps({"text": text}), name.encode()))
        same(changed.rowcount, 1)
    database.close()


def test_a_text_of_other_features(server: Server) -> None:
    client = server.client()
    made(client, "kept", {"a": text_of(2), "b": text_of(1), "c": text_of(2, 1)})
    exchange(server.root, "a", text_of(1))
    same(ids(client, {"id": "a"}), ["c"])
    explained = client.expect(200, "POST", INDEX + "/similar", {"id": "a", "explain": True}).json["matches"]
    same([match["id"] for match in explained], ["c"], "an explanation is about the same document")
    same(explained[0]["fields"]["text"]["passages"], None, "the features have no passages")
    for sides in ({"a": {"id": "a"}, "b": {"id": "b"}}, {"a": {"id": "b"}, "b": {"id": "a"}}):
        refused = client.expect(409, "POST", INDEX + "/compare", sides)
        same((refused.code, refused.json["where"]), ("document_not_kept", f"/{'a' if sides['a']['id'] == 'a' else 'b'}/id"))
    same(client.expect(200, "POST", INDEX + "/compare", {"a": {"id": "b"}, "b": {"id": "c"}}).json["similar"], False)
    same(client.expect(200, "GET", INDEX + "/documents/a").json["document"]["text"], text_of(1), "what was kept is still shown")
    task = done(client, INDEX, "dedup", {})
    page = client.expect(200, "GET", f"/v1/tasks/{task['id']}/report?format=html").body.decode()
    assert "quick1" not in page and "brown1" not in page, "a report shows the text of another document"
    client.expect(200, "PUT", INDEX + "/documents/a", {"text": text_of(2)})  # as the hint says
    assert client.expect(200, "POST", INDEX + "/compare", {"a": {"id": "a"}, "b": {"id": "c"}}).json["similar"] is True
    explained = client.expect(200, "POST", INDEX + "/similar", {"id": "a", "explain": True}).json["matches"]
    assert explained[0]["fields"]["text"]["passages"], explained


def test_a_text_that_is_no_document(server: Server) -> None:
    """What somebody has written into the file counts as not kept."""
    client = server.client()
    with sqlite3.connect(server.root / "kept" / "documents.sqlite", isolation_level=None, timeout=10) as database:
        database.execute("UPDATE documents SET json = '{\"text\":7}' WHERE id = ?", (b"b",))
    database.close()
    same(client.expect(409, "POST", INDEX + "/compare", {"a": {"id": "b"}, "b": {"id": "c"}}).code, "document_not_kept")


def test_passages(server: Server) -> None:
    client = server.client()
    path = "/v1/indexes/books"
    client.expect(201, "PUT", path, {"fields": ["text=text:word2"], "measure": "containment"})
    for name, number in (("a", 1), ("b", 2)):
        client.expect(201, "PUT", f"{path}/documents/{name}", {"text": text_of(number)})
    with sqlite3.connect(server.root / "books" / "documents.sqlite", isolation_level=None, timeout=10) as database:
        database.execute("UPDATE documents SET json = ? WHERE id = ?", (json.dumps({"text": text_of(3)}), b"a"))
    database.close()
    same(client.expect(409, "POST", path + "/passages", {"id": "a"}).code, "document_not_kept")
    for number, places in ((1, 0), (2, 1)):
        found = client.expect(200, "POST", path + "/passages", {"text": text_of(number), "places": True}).json["matches"]
        same([len(passage["places"]) for match in found for passage in match["passages"]], [places], "places in another text are none")


def main() -> int:
    root = scratch("serve-kept") / "root"
    root.mkdir()
    with Server(root) as server:
        return run_tests([test_a_text_of_other_features, test_a_text_that_is_no_document, test_passages], server)


if __name__ == "__main__":
    sys.exit(main())
