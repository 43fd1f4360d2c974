"""Shares among the tests of several `benzer serve` processes: a redis-server, a balancer, and a gate that holds what a server sends to Redis.

Only processes started here are ended.
"""
from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from serve_fault_test import folder_of, run
from serve_test_util import PATIENCE, START, Answer, Client, Server, program, same
from serve_upkeep_test import until

PATIENT = 60.0  # seconds: more than a request takes that waits in vain for a Redis server or for a stop of its server


class Redis:
    """A redis-server on a free port, whose data survive stop() and start()."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes",
                                         "--dir", str(self.folder), "--logfile", str(self.folder / "redis.log")])
        until("Redis listens", lambda: self.answers(), START)

    def answers(self) -> bool:
        with socket.socket() as asked:
            asked.settimeout(PATIENCE)
            if asked.connect_ex(("127.0.0.1", self.port)) != 0:
                return False
            asked.sendall(b"PING\r\n")
            return asked.recv(100).startswith(b"+PONG")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        same(self.process.wait(PATIENCE), 0, "the exit code of Redis")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Balancer:
    """Passes each request on to the next server, and to the other one if a server is gone before or, for what may be repeated, while it answers."""

    def __init__(self, *ports: int) -> None:
        self.ports = list(ports)
        self.tls, self.root, self.is_alive = False, "balancer", True  # for Client
        self.answered = dict.fromkeys(ports, 0)
        self._next = 0
        self._lock = threading.Lock()
        balancer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def pass_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                answer = balancer.answer(self.command, self.path, body, self.headers.get("Content-Type"))
                self.send_response(answer.status)
                for name, value in answer.headers:
                    if name.lower() not in ("date", "connection", "transfer-encoding", "content-length"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = pass_on

        class Listener(ThreadingHTTPServer):
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:  # a client that has hung up
                pass

        self._listener = Listener(("127.0.0.1", 0), Handler)
        self.port = self._listener.server_address[1]
        threading.Thread(target=self._listener.serve_forever, daemon=True).start()

    def answer(self, method: str, target: str, body: bytes, content_type: str | None) -> Answer:
        may_repeat = method in ("GET", "PUT", "DELETE") or target.endswith("/similar")
        with self._lock:
            self._next += 1
            first = self._next
        for turn in range(len(self.ports)):
            port = self.ports[(first + turn) % len(self.ports)]
            connection = HTTPConnection("127.0.0.1", port, timeout=PATIENT)
            try:
                connection.connect()
            except OSError:
                continue
            try:
                connection.request(method, target, body or None, {"Content-Type": content_type} if content_type else {})
                reply = connection.getresponse()
                answer = Answer(reply.status, reply.getheaders(), reply.read())
            except (OSError, HTTPException):
                if may_repeat:
                    continue
                break
            finally:
                connection.close()
            with self._lock:
                self.answered[port] += 1
            return answer
        return Answer(502, [], b"no server answers")

    def client(self, patience: float = 2 * PATIENT) -> Client:
        return Client(self, None, patience)

    def end(self) -> None:
        self._listener.shutdown()
        self._listener.server_close()


class Gate:
    """Stands between a server and Redis, and holds the first piece for Redis that contains certain bytes, with all that follows on that connection."""

    def __init__(self, port: int) -> None:
        self._redis_port = port
        self._wanted: bytes | None = None
        self._drops = False
        self._lock = threading.Lock()
        self.reached, self.opened = threading.Event(), threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, wanted: bytes) -> None:
        self.reached.clear()
        self.opened.clear()
        self._wanted, self._drops = wanted, False

    def open(self, drops: bool = False) -> None:
        """Passes on what is held, or drops it and closes that connection."""
        self._drops = drops
        self.opened.set()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._redis_port))
            except OSError:
                return
            threading.Thread(target=self._carry, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, False), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, is_watched: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(1 << 20):
                if is_watched and self._takes(piece):
                    self.reached.set()
                    self.opened.wait()
                    if self._drops:
                        break
                target.sendall(piece)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _takes(self, piece: bytes) -> bool:
        with self._lock:
            if self._wanted is None or self._wanted not in piece:
                return False
            self._wanted = None
            return True

    def end(self) -> None:
        self.open()
        self._listener.close()


class Pair:
    """A new index in Redis, two servers of it, and their balancer."""

    def __init__(self, redis: Redis, stack: ExitStack, name: str, *options: str, through: Gate | None = None) -> None:
        """through: the way of the first server to Redis."""
        self.path = f"/v1/indexes/{name}"
        self.url = f"redis://127.0.0.1:{redis.port}/{name}"
        made = subprocess.run([str(program()), "index", "--create", self.url, "-", "--docs", "1000", "--quiet", *options], input="", capture_output=True, text=True,
                              check=False, timeout=PATIENCE)
        same(made.returncode, 0, made.stderr)
        first = f"redis://127.0.0.1:{through.port}/{name}" if through else self.url
        self.servers = [stack.enter_context(Server(url)) for url in (first, self.url)]
        self.clients = [server.client(patience=PATIENT) for server in self.servers]
        self.balancer = Balancer(*(server.port for server in self.servers))
        stack.callback(self.balancer.end)

    def is_sound(self, documents: int) -> None:
        done = run("verify", self.url)
        assert done.returncode == 0 and f"is sound: {documents:,} documents" in done.stdout + done.stderr, f"verify ended with {done.returncode}: {done.stdout}{done.stderr}"

    def put(self, client: Client, name: str, text: str) -> Answer:
        return client.ask("PUT", f"{self.path}/documents/{name}", {"text": text})

    def get(self, client: Client, name: str) -> Answer:
        return client.ask("GET", f"{self.path}/documents/{name}")

    def found(self, client: Client, text: str) -> list[tuple[str, float]]:
        """Ids and scores of the documents that are similar to the text."""
        answer = client.expect(200, "POST", self.path + "/similar", {"text": text, "limit": 100})
        return [(match["id"], match["score"]) for match in answer.json["matches"]]

    def found_wrongly(self, client: Client, documents: dict[str, str]) -> dict[str, list]:
        """What the texts of these documents find, where that is not the document alone."""
        out, names = {}, list(documents)
        for begin in range(0, len(names), 500):
            some = names[begin : begin + 500]
            answer = client.expect(200, "POST", self.path + "/similar/batch", {"documents": [{"text": documents[name]} for name in some], "limit": 5})
            out |= {name: result["matches"] for name, result in zip(some, answer.json["results"])
                    if [(match["id"], match["score"]) for match in result["matches"]] != [(name, 1.0)]}
        return out

    def ids(self, client: Client) -> list[str]:
        out, after = [], ""
        while after is not None:
            answer = client.expect(200, "GET", f"{self.path}/documents?limit=1000&after={after}").json
            out += [one["id"] for one in answer["documents"]]
            after = answer["next"]
        return out


def insist(client: Client, method: str, target: str, body: object = None) -> Answer:
    """Asks again after 502, 503 and broken connections."""
    end = time.monotonic() + PATIENT
    while True:
        try:
            answer = client.ask(method, target, body)
            if answer.status not in (502, 503):
                return answer
            problem = str(answer)
        except (OSError, HTTPException) as error:
            problem = repr(error)
        assert time.monotonic() < end, f"{method} {target} is not answered: {problem}"
        time.sleep(0.02)


def at_once(*work: Callable[[], object]) -> list:
    """Runs functions at the same time, and returns what they return, or raises what one of them raises."""
    together = threading.Barrier(len(work))

    def one(of: Callable[[], object]) -> object:
        together.wait(PATIENCE)
        return of()
    with ThreadPoolExecutor(len(work)) as pool:
        return list(pool.map(one, work))


@contextmanager
def redis_server(name: str) -> Iterator[Redis]:
    redis = Redis(folder_of(name))
    try:
        yield redis
    finally:
        redis.end()


def why_skipped() -> str:
    """Returns why tests with Redis cannot run here, or an empty string."""
    if shutil.which("redis-server") is None:
        return "there is no redis-server: ./dev setup test installs it"
    return "this build has no Redis" if "Redis none" in run("--version").stdout else ""
