#!/usr/bin/env python3
# labels: server
"""Tests how `benzer serve` starts and stops: options that it refuses, TLS, and that no client can keep it from stopping.

serve_test.py tests its answers. The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import random
import signal
import socket
import ssl
import subprocess
import sys
import time
import warnings

from serve_fault_test import folder_of, is_sound, run
from serve_test_util import (
    PATIENCE,
    SOON,
    Server,
    Skip,
    almost_similar,
    lines_of,
    made,
    make_certificate,
    make_keys,
    run_tests,
    same,
    talk,
    text_of,
)

# --- start ----------------------------------------------------------------------------------------

def test_start_is_refused() -> None:
    folder = folder_of("start")
    root = folder / "root"
    keys, _ = make_keys(folder)
    certificate, key = make_certificate(folder)
    (folder / "bad").write_text("# first\nread abc\n")
    (folder / "junk").write_text(keys.read_text().replace("\n", "0\n"))
    (folder / "empty").write_text("# nobody\n")
    for name in ("bad", "junk", "empty"):
        (folder / name).chmod(0o600)
    (folder / "wide").write_text(keys.read_text())
    (folder / "wide").chmod(0o640)
    (folder / "wide.pem").write_text(key.read_text())
    (folder / "wide.pem").chmod(0o644)
    (folder / "other").mkdir()
    _, other_key = make_certificate(folder / "other")
    tls = ("--tls-certificate", certificate, "--tls-key")
    with Server(root) as server:
        for words, code, sentence in (
                ((root, "--host", "0.0.0.0"), 2, "would accept requests from any machine"), ((root, "--host", "::"), 2, "would accept requests from any machine"),
                ((root, "--host", "192.0.2.1"), 2, "would accept requests from any machine"), ((root, "--host", "127.evil"), 2, "is not an address"),
                ((root, "--host", ""), 2, "--host"), ((root, "--host", "nowhere.example", "--keys", keys), 2, "is not an address"),
                ((root, "--port", "65536"), 2, "--port '65536'"), ((root, "--port=-1"), 2, "--port '-1'"), ((root, "--port", "x"), 2, "--port 'x'"),
                ((root, "--port", str(server.port)), 12, "cannot be listened on"), ((root, "--tls-certificate", certificate), 2, "give both"),
                ((root, "--tls-key", key), 2, "give both"), ((root, *tls, keys), 2, "cannot be used"), ((root, *tls, other_key), 2, "cannot be used"),
                ((root, *tls, folder / "none"), 2, "none: No such file or directory"), ((root, "--keys", folder / "bad"), 2, "bad:2: this line is not a key"),
                ((root, "--keys", folder / "junk"), 2, "this line is not a key"), ((root, "--keys", folder / "empty"), 2, "it contains no keys"),
                ((root, "--keys", folder / "wide"), 2, "others than its owner may use it: its mode is 0640"), ((root, *tls, folder / "wide.pem"), 2, "chmod 600"),
                ((root, "--keys", folder / "none"), 2, "cannot be read"), ((folder / "none",), 2, "mkdir -p"), ((keys,), 2, "cannot be read"),
                ((), 2, "needs a folder"), (("--new-key", "nobody"), 2, "give read, write or admin"), (("--new-key", "read", root), 2, "has no effect with --new-key"),
                (("--new-key", "read", "--keys", "none", "--port", "99999"), 2, "'--port' has no effect with --new-key"),
                (("--new-key", "read", "--allow-origin", "*"), 2, "'benzer serve --new-key read >> FILE'")):
            words = (*words, *(["--port", "0"] if "--port" not in " ".join(map(str, words)) else []))
            try:
                done = run("serve", *words, patience=5)
            except subprocess.TimeoutExpired:
                raise AssertionError(f"serve {words} runs, and '{sentence}' was expected") from None
            assert done.returncode == code and sentence in done.stderr, f"serve {words} ended with {done.returncode}: {done.stderr}"


def test_tls() -> None:
    folder = folder_of("tls")
    with Server(folder / "root", tls=make_certificate(folder)) as server:
        assert any("https://" in line for line in server.said), server.said
        client = server.client()
        path = made(client, "a", {"a": text_of(1)})
        client.expect(200, "POST", path + "/similar", {"text": text_of(1) + " " * 900_000})
        client.ask("GET", "/healthz", keep=True)
        client.connection.auto_open = 0
        same(client.ask("GET", "/healthz", keep=True).status, 200, "kept over TLS")
        for plain in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", bytes(100), b"\x16\x03\x01\xff\xff" + bytes(2000)):
            said = talk(server, plain)
            assert said.end != "nothing" and b"HTTP/1.1 200" not in said.data, f"{plain[:40]!r} to the port of TLS: {said}"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw, context.wrap_socket(raw) as secure:
            same(secure.version(), "TLSv1.3")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        try:
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw, context.wrap_socket(raw) as secure:
                raise AssertionError(f"{secure.version()} is spoken")
        except OSError:
            pass
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            context.minimum_version, context.maximum_version = ssl.TLSVersion.MINIMUM_SUPPORTED, ssl.TLSVersion.TLSv1_1
        try:
            context.set_ciphers("ALL:@SECLEVEL=0")
            with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw, context.wrap_socket(raw) as secure:
                raise AssertionError(f"{secure.version()} is spoken")
        except OSError:
            pass
        same(server.healthy(), "")
        with socket.create_connection(("127.0.0.1", server.port)):  # a client that never begins the handshake
            time.sleep(0.1)
            started = time.monotonic()
            same(server.stop(), 0)
        assert time.monotonic() - started < SOON, f"it ended after {time.monotonic() - started:.1f} s, for one who never says hello"


def test_older_tls() -> None:
    """--allow-tls-1.2 takes TLS 1.2 as well, with ciphers that have forward secrecy."""
    folder = folder_of("tls12")
    with Server(folder / "root", "--allow-tls-1.2", tls=make_certificate(folder)) as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw, context.wrap_socket(raw) as secure:
            same(secure.version(), "TLSv1.3")
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        for ciphers, is_taken in (("DEFAULT", True), ("AES128-GCM-SHA256:AES256-SHA256", False), ("ECDHE-ECDSA-AES128-SHA256", False)):
            context.set_ciphers(ciphers)
            try:
                with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw, context.wrap_socket(raw) as secure:
                    assert is_taken and secure.cipher()[0].startswith("ECDHE"), secure.cipher()
            except OSError as error:
                assert not is_taken, f"{ciphers}: {error}"


def test_files_are_read_again() -> None:
    """SIGHUP takes up new keys and certificates, and revokes old ones; a file that is wrong changes nothing."""
    folder = folder_of("reload")
    keys, first = make_keys(folder)
    certificate, key = make_certificate(folder)
    (folder / "other").mkdir()
    others, second = make_keys(folder / "other")
    with Server(folder / "root", keys=keys, tls=(certificate, key), quiet=False) as server:
        def certificate_now() -> str:
            return ssl.get_server_certificate(("127.0.0.1", server.port))

        def read_again(says: str) -> None:
            before = len(server.said)
            server.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + PATIENCE
            while not any(says in line for line in server.said[before:]):
                assert time.monotonic() < end and server.is_alive, f"'{says}' was not said: {server.said[before:]}"
                time.sleep(0.02)

        def statuses() -> list[int]:
            return [server.client(one["read"]).ask("GET", "/v1/limits").status for one in (first, second)]
        same(statuses(), [200, 401])
        was = certificate_now()
        for path, text in ((keys, others.read_text()), *zip((certificate, key), (path.read_text() for path in make_certificate(folder / "other")))):
            path.write_text(text)
        read_again("were read again")
        same(statuses(), [401, 200])
        assert certificate_now() != was
        was = certificate_now()
        keys.write_text("read abc\n")
        read_again("keys:1: this line is not a key")
        same(statuses(), [401, 200])
        same(certificate_now(), was)
        same(server.stop(), 0)


# --- stop -----------------------------------------------------------------------------------------

def bulk_request(documents: int, words: int) -> bytes:
    chance = random.Random(documents)
    body = lines_of({f"d{i}": " ".join(f"w{chance.randrange(10**6)}" for _ in range(words)) for i in range(documents)}).encode()
    return (f"POST /v1/indexes/a/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


def test_stop_under_way() -> None:
    """SIGTERM while a request is carried out, and while its body arrives: both are answered."""
    request = bulk_request(9000, 120)
    for rest in (0, 1):
        folder = folder_of("stop")
        with Server(folder / "root") as server:
            made(server.client(), "a")
            with socket.create_connection(("127.0.0.1", server.port), timeout=40) as connection:
                connection.sendall(request[: len(request) - rest])
                time.sleep(0.1)
                server.process.send_signal(signal.SIGTERM)
                time.sleep(0.2)
                if rest:
                    connection.sendall(request[-rest:])
                data = b""
                while piece := connection.recv(1 << 16):
                    data += piece
            said = f"({'its body came' if rest else 'it was carried out'}) the answer is {data[:300]!r} ... {data[-200:]!r}"
            assert data.startswith(b"HTTP/1.1 200 ") and b'"documents":9000,"inserted":9000' in data, said
            same(server.process.wait(SOON), 0)
        is_sound(folder / "root" / "a")
        same(len(run("list", folder / "root" / "a").stdout.split()), 9000)


def test_stop_waits_for_nobody() -> None:
    """Silent clients, half requests and slow requests do not keep the server from stopping, and /readyz says that it stops."""
    folder = folder_of("waits")
    with Server(folder / "root") as server:
        client = server.client()
        path = made(client, "a", {f"d{i}": almost_similar(i) for i in range(9000)})
        client.ask("GET", "/healthz", keep=True)
        asked = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(4)]
        asked[1].sendall(b"GET /hea")
        question = b"POST %s/pairs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n" % path.encode() + b'{"limit":1}'
        for connection in asked[2:]:
            connection.sendall(question)
        time.sleep(0.3)
        started = time.monotonic()
        try:
            same(server.stop(SOON), 0)
        except AssertionError as error:
            raise AssertionError(f"{error}: it waits for two questions for pairs with limit 1 of 9,000 documents that are almost similar") from None
        assert time.monotonic() - started < SOON
        for connection in asked:
            connection.close()
    is_sound(folder / "root" / "a")


def test_stop_ends_what_waits() -> None:
    """Requests that wait for a worker, and those that it carries out, are told to end a few seconds after the stop began."""
    folder = folder_of("queue")
    with Server(folder / "root", "--threads", "2") as server:
        client = server.client()
        path = made(client, "a", {f"d{i}": almost_similar(i) for i in range(9000)})
        request = b"POST %s/similar HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        one = b'{"text":"%s"}' % (" ".join(f"word{number}" for number in range(900_000))).encode()
        asked = []
        for address in range(2, 60):
            connection = socket.create_connection(("127.0.0.1", server.port), source_address=(f"127.0.0.{address}", 0))
            connection.sendall(request % (path.encode(), len(one)) + one)
            asked.append(connection)
        started = time.monotonic()
        same(server.stop(), 0)
        took = time.monotonic() - started
        assert took < 12, f"it ended after {took:.1f} s"
        for connection in asked:
            connection.close()
    is_sound(folder / "root" / "a")


def test_unread_log() -> None:
    """A log that nobody reads keeps the server neither from answering nor from stopping."""
    folder = folder_of("log")
    with Server(folder / "root", quiet=False, is_heard=False) as server:
        client = server.client()
        for _ in range(2000):
            same(client.ask("GET", "/healthz", keep=True).status, 200)
        started = time.monotonic()
        same(server.stop(), 0)
        assert time.monotonic() - started < SOON


def test_interrupt() -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        raise Skip("whoever started this test has Ctrl-C ignored, and the server keeps to that")
    folder = folder_of("interrupt")
    with Server(folder / "root") as server:
        server.process.send_signal(signal.SIGINT)
        same(server.process.wait(PATIENCE), 0, "the code of Ctrl-C")


def test_what_it_says() -> None:
    """Messages on standard error, unless --quiet: a warning about unencrypted keys, and the end; and the help under both names."""
    folder = folder_of("says")
    keys, _ = make_keys(folder)
    for quiet in (False, True):
        with Server(folder / "root", "--host", "0.0.0.0", keys=keys, quiet=quiet) as server:
            same(server.stop(), 0)
        said = [line for line in server.said if line.startswith("benzer: ") and "serving" not in line]
        same([("unencrypted" in line, line == "benzer: stopped\n") for line in said], [] if quiet else [(True, False), (False, True)], str(said))
    same(run("help", "serve").stdout, run("serve", "--help").stdout)
    assert all(f" {code} " in run("--help").stdout for code in (4, 10, 11, 12, 13)), "codes are missing"


def main() -> int:
    return run_tests([test_start_is_refused, test_tls, test_older_tls, test_files_are_read_again, test_stop_under_way, test_stop_waits_for_nobody, test_stop_ends_what_waits, test_unread_log, test_interrupt, test_what_it_says])


if __name__ == "__main__":
    sys.exit(main())
