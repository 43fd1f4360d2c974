#!/usr/bin/env python3
# labels: server
"""Tests clients that share a server: which requests wait, clients that disconnect, and requests from foreign pages.

serve_test.py tests answers to valid requests. The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import contextlib
import email.utils
import json
import socket
import ssl
import struct
import subprocess
import sys
import time

from serve_hostile_rows import head, send
from serve_test_util import (
    PATIENCE,
    SOON,
    Server,
    almost_similar,
    made,
    make_certificate,
    make_keys,
    program,
    run_tests,
    same,
    scratch,
    talk,
    text_of,
)

SAME = "one two three four five six"


def root_of(name: str):
    root = scratch(f"serve-http-{name}") / "root"
    root.mkdir()
    return root


def request_of(method: str, target: str, body: object, *lines: str) -> bytes:
    return send(method, target, body, "application/json", *lines)


def test_questions_leave_room() -> None:
    """The largest number of questions to whole indexes does not keep other indexes waiting; clients that break the connection are logged as such."""
    with Server(root_of("room"), "--log", "json", quiet=False) as server:
        client = server.client()
        path = made(client, "a", {f"d{i}": almost_similar(i) for i in range(9000)})
        other = made(client, "b", {"x": text_of(1)})
        asked = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(2)]
        for connection in asked:
            connection.sendall(request_of("POST", path + "/clusters", {}))
        time.sleep(0.3)
        same(client.expect(503, "POST", path + "/clusters", {}).code, "too_busy", "they are under way")
        said = from_another_address(server, head("GET", other + "/similarities", "Connection: close"))
        assert said.startswith(b"HTTP/1.1 200 "), f"one place is left for another address: {said[:200]!r}"
        server.client(patience=5).expect(200, "GET", other + "/documents/x")
        server.client(patience=5).expect(201, "PUT", other + "/documents/y", {"text": "a text"})
        asked[0].setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset; the other connection is closed normally
        for connection in asked:
            connection.close()
        end = time.monotonic() + PATIENCE
        statuses: list[int] = []
        while len(statuses) < 2 and time.monotonic() < end:
            time.sleep(0.05)
            rows = [json.loads(line) for line in server.said if line.startswith("{")]
            statuses = [row["status"] for row in rows if row["target"] == path + "/clusters" and row["status"] != 503]
        same(statuses, [499, 499], "the log of those who have gone")


def from_another_address(server: Server, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE, source_address=("127.0.0.2", 0)) as connection:
        connection.sendall(data)
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    return answer


def test_who_has_gone_is_noticed() -> None:
    """Bytes that wait to be read do not hide that a client has closed its connection: another request, or the end of TLS."""
    folder = scratch("serve-http-gone")
    for tls in (None, make_certificate(folder)):
        root = folder / ("tls" if tls else "plain")
        root.mkdir()
        with Server(root, "--log", "json", quiet=False, tls=tls) as server:
            path = made(server.client(), "a", {f"d{i}": almost_similar(i) for i in range(9000)})
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            if tls:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
                connection = context.wrap_socket(connection)
            connection.sendall(request_of("POST", path + "/clusters", {}) + (b"" if tls else head("GET", "/healthz")))
            time.sleep(0.3)
            if tls:
                connection.settimeout(0.2)
                with contextlib.suppress(OSError):
                    connection.unwrap()
            connection.close()
            end = time.monotonic() + 10
            while not (lines := [json.loads(line) for line in server.said if "/clusters" in line]):
                assert time.monotonic() < end, f"the request of who has gone goes on, {'with' if tls else 'without'} TLS"
                time.sleep(0.05)
            same([line["status"] for line in lines], [499])


def test_half_close() -> None:
    """A client that closes its sending side gets its answer, if that does not take long."""
    with Server(root_of("half")) as server:
        path = made(server.client(), "a", {f"d{i}": SAME for i in range(500)})
        said = talk(server, request_of("POST", path + "/similar", {"text": SAME, "limit": 500}), hang_up=True)
        same([answer.status for answer in said.answers], [200], str(said.answers)[:300])


def test_foreign_pages() -> None:
    """Without keys, a page of another server may link to this one, but may not send requests."""
    with Server(root_of("pages")) as server:
        path = made(server.client(), "a", {"d": SAME})
        own = f"Origin: http://localhost:{server.port}"
        for name, data, status in (
                ("cross-site", head("POST", path + "/compact", "Content-Length: 0", "Sec-Fetch-Site: cross-site"), 403),
                ("same-site", head("POST", path + "/compact", "Content-Length: 0", "Sec-Fetch-Site: same-site"), 403),
                ("origin", send("POST", path + "/documents", "{}", "application/x-ndjson", "Origin: http://evil.example"), 403),
                ("null", head("POST", "/v1/tasks/1/cancel", "Content-Length: 0", "Origin: null"), 403),
                ("reading", head("GET", "/v1/limits", "Origin: http://localhost.evil.example"), 403),
                ("nothing", head("GET", "/v1/nothing", "Sec-Fetch-Site: cross-site"), 403),
                ("link", head("GET", "/ui/", "Sec-Fetch-Site: cross-site"), 200),
                ("typed", head("GET", "/v1/limits", "Sec-Fetch-Site: none"), 200)):
            said = talk(server, data)
            same([answer.status for answer in said.answers], [status], name)
            same(said.answers[0].code if status == 403 else "foreign_page", "foreign_page", name)
        for host in (f"localhost:{server.port}", f"LOCALHOST:{server.port}"):
            data = head("GET", "/v1/limits", f"Host: {host}", own, "Sec-Fetch-Site: same-origin", host=False)
            same([answer.status for answer in talk(server, data).answers], [200], f"its own page under {host}")
        same(server.client().expect(200, "GET", "/v1/tasks").json["tasks"], [], "tasks that were started")


def test_allowed_origins() -> None:
    """Pages of servers that were named may ask and read answers, problems too; those of others may not."""
    folder = root_of("origins")
    ours, theirs = {"Origin": "https://tools.example"}, {"Origin": "https://evil.example"}
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,idempotency-key"}
    allowed = ("--allow-origin", ours["Origin"], "--allow-origin", "http://localhost:8000")
    with Server(folder, *allowed) as server:
        client = server.client()
        path = made(client, "a", {"d": SAME})
        for target in (path + "/similar", "/nothing", "/healthz"):
            answer = client.expect(204, "OPTIONS", target, headers={**ours, **asks})
            same((answer["Access-Control-Allow-Origin"], answer["Vary"], answer.body), (ours["Origin"], "Origin", b""))
            assert "PATCH" in answer["Access-Control-Allow-Methods"] and "Idempotency-Key" in answer["Access-Control-Allow-Headers"], answer
            for refused in (client.ask("OPTIONS", target, headers={**theirs, **asks}), client.ask("OPTIONS", target)):
                assert refused.status in (403, 404, 405) and refused["Access-Control-Allow-Origin"] is None, f"{target}: {refused}"
        for status, method, target, body in ((200, "POST", path + "/similar", {"id": "d"}), (404, "GET", path + "/documents/x", None), (422, "POST", path + "/similar", {"x": 1}),
                                             (200, "GET", path + "/documents", None), (200, "POST", path + "/pairs", {}), (404, "GET", "/nothing", None)):
            answer = client.expect(status, method, target, body, headers={**ours, "Sec-Fetch-Site": "cross-site"})
            same((answer["Access-Control-Allow-Origin"], answer["Vary"]), (ours["Origin"], "Origin"), target)
            assert "ETag" in answer["Access-Control-Expose-Headers"] and answer["Access-Control-Allow-Credentials"] is None, answer
            same(client.expect(403, method, target, body, headers=theirs)["Access-Control-Allow-Origin"], None)
        put = client.expect(200, "POST", path + "/documents", b'{"id":"e","text":"x"}\n', headers={**ours, "Content-Type": "application/x-ndjson"})
        same(put["Access-Control-Allow-Origin"], ours["Origin"])
        same(client.expect(200, "GET", "/v1/limits")["Vary"], "Origin", "for caches between")
    keys, by_scope = make_keys(folder)
    with Server(folder, "--allow-origin", "*", keys=keys) as server:
        same(server.client().expect(204, "OPTIONS", path, headers={**theirs, **asks})["Access-Control-Allow-Origin"], theirs["Origin"])
        same(server.client(by_scope["read"]).expect(200, "GET", path, headers=theirs)["Access-Control-Allow-Origin"], theirs["Origin"])
        same(server.client().expect(401, "GET", path, headers=theirs)["Access-Control-Allow-Origin"], theirs["Origin"])
    for wrong in (["*"], ["tools.example"], ["https://tools.example/"], ["https://"], ["HTTPS://tools.example"], ["https://a b"], [""]):
        done = subprocess.run([str(program()), "serve", str(folder), "--port", "0", "--allow-origin", *wrong], capture_output=True, text=True, timeout=60)
        same(done.returncode, 2, f"{wrong}: {done.stderr}")
        assert "origin" in done.stderr, done.stderr


def test_misspelt_parameters() -> None:
    with Server(root_of("parameters")) as server:
        client = server.client()
        path = made(client, "a", {"d": SAME})
        for method, target in (("GET", path + "/documents?limt=2"), ("GET", path + "/documents?integer=2"), ("GET", path + "?limit=2"),
                               ("GET", "/v1/limits?x"), ("DELETE", path + "?confirm=a&confrim=a"), ("POST", path + "/pairs?limit=2")):
            same(client.expect(422, method, target).code, "unknown_parameter", target)
        client.expect(200, "GET", path + "/documents?limit=2&after=a")


def test_who_goes_away_from_a_bulk() -> None:
    """When the client of a bulk request goes away, only a worker waits for the batch that is being stored."""
    with Server(root_of("bulk"), "--threads", "1") as server:
        client = server.client()
        path = made(client, "a")
        lines = "".join(json.dumps({"id": f"d{i}", "text": text_of(i) * 20}) + "\n" for i in range(4000)).encode()
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head("POST", path + "/documents", "Content-Type: application/x-ndjson", f"Content-Length: {2 * len(lines)}") + lines)
        started = time.monotonic()
        same(server.healthy(), "")
        assert time.monotonic() - started < SOON
        end = time.monotonic() + PATIENCE
        while client.expect(200, "GET", path).json["documents"] == 0 and time.monotonic() < end:
            time.sleep(0.05)
        assert client.expect(200, "GET", path).json["documents"] > 0, "what came before is stored"


def test_date() -> None:
    with Server(root_of("date")) as server:
        for target in ("/healthz", "/nothing"):
            at = email.utils.parsedate_to_datetime(server.client().ask("GET", target)["Date"])
            assert abs(at.timestamp() - time.time()) < 5, at


def test_log_of_what_is_no_request() -> None:
    with Server(root_of("log"), "--log", "text", quiet=False) as server:
        talk(server, b"GET\0/ HTTP/1.1\r\n\r\n")
        talk(server, head("HEAD", "/v1/limits"), heads=True)
        server.stop()
        lines = [line.split() for line in server.said if " ms " in line]
        same([tuple(line[3:7]) for line in lines], [("-", "-", "-", "400"), ("-", "HEAD", "/v1/limits", "200")])
        same(lines[1][-2:], ["0", "bytes"], "HEAD sends none")


def main() -> int:
    return run_tests([test_questions_leave_room, test_who_has_gone_is_noticed, test_half_close, test_foreign_pages, test_allowed_origins, test_misspelt_parameters, test_who_goes_away_from_a_bulk,
                      test_date, test_log_of_what_is_no_request])


if __name__ == "__main__":
    sys.exit(main())
