#!/usr/bin/env python3
# labels: server store
"""Tests that an acknowledged write of an index in Redis is not undone by another server that has read an earlier version of the document.

A gate holds the last step of the slower server while the faster write is carried out. The program is BENZER or the release build.
Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from serve_replicas_test_util import PATIENT, Gate, Pair, Redis, redis_server, why_skipped
from serve_test_util import FINAL, PATIENCE, Server, ended, program, run_tests, same, text_of
from serve_upkeep_test import until


def gated(redis: Redis, stack: ExitStack) -> Gate:
    gate = Gate(redis.port)
    stack.callback(gate.end)
    return gate


def dedup_meanwhile(redis: Redis, name: str, is_of_keeper: bool) -> None:
    """Replaces the keeper or the other document of a cluster, between the search and the removal of a dedup by the other server."""
    with ExitStack() as stack:
        gate = gated(redis, stack)
        pair = Pair(redis, stack, name, through=gate)
        one, other = pair.clients
        for number in range(20):  # so that no guard rail stops it
            same(pair.put(other, f"other{number}", text_of(100 + number)).status, 201)
        texts = {place: f"{text_of(1)} {place}" for place in ("x", "y")}
        for place, text in texts.items():
            same(pair.put(other, place, text).status, 201)
        [cluster, _] = other.expect(200, "POST", pair.path + "/clusters", {}).lines
        keeper, member = cluster["keeper"], cluster["members"][0]["id"]
        replaced, left = (keeper, member) if is_of_keeper else (member, keeper)
        gate.hold(b"GETDEL")
        answer = one.ask("POST", pair.path + "/dedup", {"remove": True})
        if answer.status == 202:
            task = f"/v1/tasks/{answer.json['id']}"
            until("it removes", lambda: gate.reached.is_set() or one.expect(200, "GET", task).json["status"] in FINAL)
        else:
            assert answer.status in (409, 422), answer
        same(pair.put(other, replaced, text_of(50)).json["outcome"], "replaced")
        gate.open()
        if answer.status == 202:
            ended(one, answer.json)
        same(pair.found(other, text_of(50)), [(replaced, 1.0)], "what was put in meanwhile")
        if is_of_keeper:
            same(pair.found(other, texts[left])[:1], [(left, 1.0)], "the document whose keeper is no longer there")


def test_dedup_and_the_removed_document(redis: Redis) -> None:
    dedup_meanwhile(redis, "member", False)


def test_dedup_and_the_keeper(redis: Redis) -> None:
    dedup_meanwhile(redis, "keeper", True)


def test_change_of_attributes(redis: Redis) -> None:
    """PATCH does not bring back the text that another server has replaced meanwhile."""
    with ExitStack() as stack:
        gate = gated(redis, stack)
        pair = Pair(redis, stack, "patch", "--attribute", "lang=string", through=gate)
        one, other = pair.clients
        same(pair.put(other, "x", text_of(1)).status, 201)
        gate.hold(b"HSET")  # follows the reading of the document
        with ThreadPoolExecutor(1) as pool:
            changing = pool.submit(one.ask, "PATCH", pair.path + "/documents/x", {"lang": "en"})
            try:
                assert gate.reached.wait(PATIENCE), "the change is not written"
                same(pair.put(other, "x", text_of(2)).json["outcome"], "replaced")
            finally:
                gate.open()
            assert changing.result().status in (200, 503), changing.result()
        same((pair.found(other, text_of(2)), pair.found(other, text_of(1))), ([("x", 1.0)], []), "after the text was replaced")


def test_expiry(redis: Redis) -> None:
    """A document whose expiry was put off meanwhile is not removed."""
    with ExitStack() as stack:
        gate = gated(redis, stack)
        url = f"redis://127.0.0.1:{redis.port}/expiry"

        def index(expires_at: str) -> None:
            done = subprocess.run([str(program()), "index", "--create", url, "-", "--docs", "1000", "--quiet", "--attribute", "expires_at=time"], check=False,
                                  input=json.dumps({"id": "x", "text": text_of(1), "expires_at": expires_at}), capture_output=True, text=True, timeout=PATIENCE)
            same(done.returncode, 0, done.stderr)
        index("2001-01-01")
        gate.hold(b"MULTI")  # follows the last look at the document
        server = stack.enter_context(Server(f"redis://127.0.0.1:{gate.port}/expiry"))
        assert gate.reached.wait(PATIENCE), "the server does not remove what has expired"
        index("2100-01-01")
        gate.open()
        client = server.client(patience=PATIENT)
        client.expect(201, "PUT", "/v1/indexes/expiry/documents/y", {"text": text_of(2)})  # waits until the removal is over
        same(client.ask("GET", "/v1/indexes/expiry/documents/x").status, 200, "after its expiry was put off")


def main() -> int:
    if why := why_skipped():
        print(f"SKIPPED: {why}")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with redis_server("races") as redis:
        return run_tests([test_dedup_and_the_removed_document, test_dedup_and_the_keeper, test_change_of_attributes, test_expiry], redis)


if __name__ == "__main__":
    sys.exit(main())
