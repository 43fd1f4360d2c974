"""Shares among the tests of `benzer serve`: a server of their own, sockets, a parser of answers, and reports of failures.

Nothing here trusts the server: answers are parsed by hand, each wait has a limit, and only processes started here are ended.
"""
from __future__ import annotations

import contextlib
import functools
import http.client
import json
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import png, program, scratch  # noqa: F401

SOON, PATIENCE = 10.0, 15.0  # seconds, for requests that need not wait, and for any answer: less than the server's deadlines of 20 and 30 s
START = 60.0  # seconds until a server listens; opening may take long on a busy machine
SHOWN = 300  # bytes of a request or an answer in a message


def shown(data: bytes) -> str:
    """Printable, and short."""
    middle = b"" if len(data) <= SHOWN else f" ...({len(data)} bytes)... ".encode()
    return repr(data if not middle else data[: SHOWN // 2] + middle + data[-SHOWN // 2 :])


class Skip(Exception):
    """Raised by a test that cannot run here, with a sentence that says why."""


# --- the server -----------------------------------------------------------------------------------

class Server:
    """`benzer serve` on a free port. `with Server(root) as server:`"""

    def __init__(self, root: Path, *options: str, keys: Path | None = None, tls: tuple[Path, Path] | None = None,
                 port: int = 0, quiet: bool = True, cwd: Path | None = None, env: dict[str, str] | None = None, is_heard: bool = True) -> None:
        """is_heard: False leaves unread what it says after its first line."""
        self.root = root
        self.is_heard = is_heard
        self.tls = tls is not None
        words = [str(program().resolve()), "serve", str(root), "--port", str(port), *(() if "--seed" in options else ("--seed", "0")), *options]
        words += ["--quiet"] if quiet else []
        words += ["--keys", str(keys)] if keys else []
        words += ["--tls-certificate", str(tls[0]), "--tls-key", str(tls[1])] if tls else []
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=cwd,
                                        env={**os.environ, **(env or {})})
        self.said: list[str] = []
        self._is_up = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        if not self._is_up.wait(START) or not hasattr(self, "port"):
            self.kill()
            raise RuntimeError(f"{' '.join(words)} did not start: {''.join(self.said)}")

    def _read(self) -> None:
        for line in self.process.stderr:
            self.said.append(line.decode(errors="replace"))
            if found := re.search(r"^benzer: serving .* on (https?)://.*:(\d+)/$", self.said[-1].rstrip("\n")):
                self.port = int(found[2])
                self._is_up.set()
                if not self.is_heard:
                    return
        self._is_up.set()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def rss(self) -> int:
        """Resident memory of the server, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def files(self) -> list[str]:
        """Files that the server has open, without sockets and the like."""
        names = []
        for one in Path(f"/proc/{self.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                names.append(os.readlink(one))
        return sorted(name for name in names if name.startswith("/"))

    def stop(self, patience: float = 40.0) -> int:
        """Stops the server with SIGTERM, and returns its exit code. A second call returns the same."""
        if self.is_alive:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not end within {patience} s of SIGTERM") from None
        self._reader.join(PATIENCE)
        return code

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join(PATIENCE)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: object) -> None:
        if self.is_alive:
            try:
                self.stop()
            except AssertionError:
                if error[0] is None:
                    raise

    def client(self, key: str | None = None, patience: float = PATIENCE) -> Client:
        return Client(self, key, patience)

    def healthy(self) -> str:
        """Returns why the server does not answer on a new connection, or an empty string."""
        if not self.is_alive:
            return f"the server is gone, with code {self.process.returncode}: {''.join(self.said)[-2000:]}"
        try:
            answer = self.client().ask("GET", "/healthz")
        except (OSError, http.client.HTTPException) as error:
            return f"GET /healthz is not answered: {error!r}"
        return "" if answer.status == 200 else f"GET /healthz is answered {answer.status}"


def make_keys(folder: Path) -> tuple[Path, dict[str, str]]:
    """Makes the file of --keys, and returns it with the keys by scope."""
    keys, lines = {}, []
    for scope in ("read", "write", "admin"):
        made = subprocess.run([str(program()), "serve", "--new-key", scope], capture_output=True, text=True, check=True, timeout=60)
        lines.append(made.stdout)
        keys[scope] = re.search(r"the key is (\S+)", made.stderr)[1]
    path = folder / "keys"
    path.write_text("# of a test\n\n" + "".join(lines))
    path.chmod(0o600)
    return path, keys


def make_certificate(folder: Path) -> tuple[Path, Path]:
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", str(key),
                    "-out", str(certificate)], check=True, capture_output=True, timeout=60)
    return certificate, key


# --- answers --------------------------------------------------------------------------------------

@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
    version: str = "HTTP/1.1"

    def __getitem__(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return values[0] if values else None

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self) -> list:
        """The objects of an NDJSON body."""
        assert self.body.endswith(b"\n"), f"the last line has no end: {shown(self.body)}"
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def code(self) -> str | None:
        return self.json.get("code") if (self["Content-Type"] or "").startswith("application/problem+json") else None

    def __str__(self) -> str:
        return f"{self.status} {dict(self.headers)} {shown(self.body)}"


def take_apart(data: bytes, heads: bool = False) -> list[Answer]:
    """Parses all answers of a connection; ValueError for bytes that are not answers. `heads`: they are answers to HEAD."""
    out = []
    while data:
        head, end, data = data.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        if not end or not (match := re.fullmatch(rb"(HTTP/1\.[01]) (\d{3}) [ -~]*", first)):
            raise ValueError(f"no head of an answer: {shown(head)}")
        headers = []
        for line in lines:
            if not (pair := re.fullmatch(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff]*)", line)):
                raise ValueError(f"no header line: {shown(line)}")
            headers.append((pair[1].decode(), pair[2].decode("latin-1").rstrip()))
        answer = Answer(int(match[2]), headers, version=match[1].decode())
        if answer.status >= 200 and answer.status not in (204, 304) and not heads:
            if (answer["Transfer-Encoding"] or "") == "chunked":
                answer.body, data = _chunks(data)
            else:
                length = answer["Content-Length"]
                size = len(data) if length is None else int(length)
                if size > len(data):
                    raise ValueError(f"{len(data)} of {size} bytes of a body: {answer}")
                answer.body, data = data[:size], data[size:]
        out.append(answer)
    return out


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    body = b""
    while True:
        size, end, data = data.partition(b"\r\n")
        count = int(size.split(b";")[0], 16)
        if not end or len(data) < count + 2 or data[count : count + 2] != b"\r\n":
            raise ValueError(f"no chunk: {shown(size + end + data)}")
        body, data = body + data[:count], data[count + 2 :]
        if count == 0:
            return body, data


def faults_of_problem(answer: Answer, has_body: bool = True) -> list[str]:
    """Returns what is wrong with an answer of status 400 and above."""
    faults = []
    if not answer["X-Request-Id"]:
        faults.append("no X-Request-Id")
    if answer["Content-Type"] != "application/problem+json":
        faults.append(f"the content type is {answer['Content-Type']}")
    if answer.status == 401 and not answer["WWW-Authenticate"]:
        faults.append("401 without WWW-Authenticate")
    if answer.status == 405 and answer["Allow"] is None:
        faults.append("405 without Allow")
    if answer.status == 503 and not (answer["Retry-After"] or "").isdigit():
        faults.append("503 without Retry-After")
    if not has_body:
        return faults
    try:
        problem = json.loads(answer.body.decode("utf-8"))
    except ValueError as error:
        return [*faults, f"the body is no JSON: {error}"]
    for name, kind in (("type", str), ("title", str), ("status", int), ("detail", str), ("code", str)):
        if not isinstance(problem.get(name), kind):
            faults.append(f"{name} is {problem.get(name)!r}")
    if problem.get("status") != answer.status:
        faults.append(f"status {problem.get('status')} in an answer {answer.status}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(problem.get("code"))):
        faults.append(f"the code is {problem.get('code')!r}")
    detail = str(problem.get("detail"))
    if len(detail.split()) < 3 or not 10 <= len(detail) <= 1000 or re.search(r"[\x00-\x1f\x7f]|std::|boost|exception|errno", detail):
        faults.append(f"no sentence: {detail[:200]!r} ({len(detail)} characters)")
    if unknown := set(problem) - {"type", "title", "status", "detail", "code", "instance", "hint", "where", "retry_after_s"}:
        faults.append(f"members {sorted(unknown)}")
    return faults


# --- clients --------------------------------------------------------------------------------------

@dataclass
class Said:
    """The bytes received from a connection, and how it ended: "closed", "reset" or "nothing" (time limit reached)."""

    data: bytes
    end: str
    answers: list[Answer] = field(default_factory=list)
    wrong: str = ""


def talk(server: Server, data: bytes, *, patience: float = PATIENCE, hang_up: bool = True, heads: bool = False,
         until: Callable[[bytes], bool] = lambda _: False) -> Said:
    """Sends bytes while it reads, closes its sending side if `hang_up`, and reads to the end of the connection."""
    end, received, left = "nothing", b"", memoryview(data)
    with socket.create_connection(("127.0.0.1", server.port), timeout=patience) as connection:
        connection.setblocking(False)
        deadline = time.monotonic() + patience
        is_open = True  # the sending side
        while (wait := deadline - time.monotonic()) > 0 and not until(received):
            readable, writable, _ = select.select([connection], [connection] if is_open and (left or hang_up) else [], [], wait)
            try:
                if readable:
                    if not (piece := connection.recv(1 << 16)):
                        end = "closed"
                        break
                    received += piece
                if writable and left:
                    left = left[connection.send(left[: 1 << 16]) :]
                elif writable:
                    connection.shutdown(socket.SHUT_WR)
                    is_open = False
            except BlockingIOError:
                continue
            except (BrokenPipeError, ConnectionResetError, OSError) as error:
                if isinstance(error, ConnectionResetError) and readable or not is_open:
                    end = "reset"
                    break
                is_open = False  # the server reads no more, but its answer still counts
    said = Said(received, end)
    try:
        said.answers = take_apart(received, heads)
    except ValueError as error:
        said.wrong = str(error)
    return said


class Client:
    """A client with a new connection for each request, or one that is kept. `ask` opens it if there is none."""

    def __init__(self, server: Server, key: str | None = None, patience: float = PATIENCE) -> None:
        self.server, self.key, self.patience = server, key, patience
        self.connection: http.client.HTTPConnection | None = None

    def _open(self) -> http.client.HTTPConnection:
        if not self.server.tls:
            return http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=self.patience)
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=self.patience, context=context)

    def ask(self, method: str, target: str, body: object = None, *, headers: dict[str, str] | None = None,
            keep: bool = False) -> Answer:
        """Sends a request. `body`: bytes unchanged, str as NDJSON, anything else as JSON."""
        sent = dict(headers or {})
        if self.key is not None:
            sent.setdefault("Authorization", f"Bearer {self.key}")
        if isinstance(body, str):
            sent.setdefault("Content-Type", "application/x-ndjson")
            body = body.encode()
        elif body is not None and not isinstance(body, bytes):
            sent.setdefault("Content-Type", "application/json")
            body = json.dumps(body).encode()
        connection = self.connection or self._open()
        try:
            connection.request(method, target, body, sent)
            reply = connection.getresponse()
            return Answer(reply.status, reply.getheaders(), reply.read(), f"HTTP/{reply.version / 10}")
        finally:
            self.connection = connection if keep else None
            if not keep:
                connection.close()

    def expect(self, status: int, method: str, target: str, body: object = None, **more) -> Answer:
        answer = self.ask(method, target, body, **more)
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        assert answer.status == status, f"{method} {target} {shown(sent)}: {status} is expected, not {answer}"
        if status >= 400:
            faults = faults_of_problem(answer, method != "HEAD")
            if str(Path(self.server.root).resolve()).encode() in answer.body:
                faults.append("a folder of the server")
            assert not faults, f"{method} {target} {shown(sent)}: {faults} in {answer}"
        return answer


# --- documents -----------------------------------------------------------------------------------

WORDS = "the quick brown fox jumps over the lazy dog and runs far away into the dark green wood behind the old mill".split()


def text_of(number: int, changed: int = 0) -> str:
    """Texts of different numbers share nothing. The first `changed` words are changed."""
    return " ".join(f"{'x' if i < changed else ''}{word}{number}" for i, word in enumerate(WORDS * 3))


def almost_similar(number: int) -> str:
    """Texts of different numbers have a similarity of 0.75: at the threshold 0.8 all of them are compared, and none is similar to
    another, so questions to an index of thousands take seconds."""
    return " ".join([*(f"common{i}" for i in range(34)), *(f"{number}own{i}" for i in range(5))])


def lines_of(documents: dict[str, str]) -> str:
    return "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in documents.items())


def made(client: Client, name: str, documents: dict[str, str] | None = None, **schema: object) -> str:
    """Makes an index, and returns its path."""
    path = f"/v1/indexes/{name}"
    client.expect(201, "PUT", path, schema)
    if documents:
        client.expect(200, "POST", path + "/documents", lines_of(documents))
    return path


# --- tasks ---------------------------------------------------------------------------------------

FINAL = {"succeeded", "failed", "canceled"}


def ended(client: Client, task: dict) -> dict:
    """Waits until a task is over, and returns what is said of it then."""
    end = time.monotonic() + PATIENCE
    while task["status"] not in FINAL:
        assert time.monotonic() < end, f"a task does not end: {task}"
        time.sleep(0.02)
        task = client.expect(200, "GET", f"/v1/tasks/{task['id']}").json
    return task


def same(got: object, wanted: object, what: str = "") -> None:
    assert got == wanted, f"{what}: {got!r} is not {wanted!r}"


# --- tests ----------------------------------------------------------------------------------------

def in_own_folder(test: Callable) -> Callable:
    """Returns the test without its argument, a new folder that is removed after it."""

    @functools.wraps(test)
    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            test(Path(folder))

    return run


def run_tests(tests: list[Callable], *given: object) -> int:
    """Runs tests with the given arguments, prints which failed and which were skipped, and returns the exit code."""
    passed = failed = skipped = 0
    for test in tests:
        started = time.monotonic()
        try:
            test(*given)
            passed += 1
        except Skip as reason:
            skipped += 1
            print(f"SKIPPED: {test.__name__}: {reason}")
        except AssertionError as error:
            failed += 1
            lines = ", ".join(str(frame.lineno) for frame in traceback.extract_tb(error.__traceback__)[1:])
            print(f"FAILED: {test.__name__} (lines {lines}): {error}")
        except Exception:  # such as a program that does not start, or a connection that breaks: a failure
            failed += 1
            print(f"FAILED: {test.__name__}: {traceback.format_exc()}")
        if os.environ.get("BENZER_TIMES"):
            print(f"{test.__name__}: {time.monotonic() - started:.2f} s", flush=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0
