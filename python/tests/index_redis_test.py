"""Tests of an index in Redis, with a server of their own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import benzer
from benzer import Index

SERVER = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(SERVER is None, reason="redis-server is not installed")
TEXT = "a storm hit the coast on monday night"


class Server:
    """A server, which can be made silent."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as chosen:
            chosen.bind(("127.0.0.1", 0))
            self.port = chosen.getsockname()[1]
        command = [str(SERVER), "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        for _ in range(500):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    break
            time.sleep(0.02)

    def say(self, words: str) -> str:
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(words.encode() + b"\r\n")
            head, _, rest = connection.recv(1 << 16).decode().partition("\r\n")
            return rest if head.startswith("$") else head

    def open(self, *, timeout: float = 60) -> Index:
        return Index.open(
            f"redis://127.0.0.1:{self.port}/tested",
            create=True,
            fields="text:word3",
            attributes={"price": "number"},
            min_threshold=0.5,
            docs=1000,
            timeout=timeout,
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("redis"))
    yield server
    server.process.terminate()
    server.process.wait()


@pytest.fixture
def server(running: Server) -> Iterator[Server]:
    with running.open() as index:
        index.add({"id": "a", "text": TEXT, "price": 1})
    yield running
    os.kill(running.process.pid, signal.SIGCONT)


def test_no_call_counts_the_documents(server: Server) -> None:
    server.say("CONFIG RESETSTAT")
    with server.open() as index:
        index.add([{"id": "b", "text": "quite another text it is"}])
        assert index.check_and_add([{"id": "c", "text": "and here is one more of them"}])[0].added
        assert index.update({"id": "a", "price": 2}) == 1
        assert len(index.similar([TEXT])[0]) == 1
        assert 7 not in index
        assert "hlen" not in server.say("INFO commandstats")
        assert len(index) == 3
        assert "hlen" in server.say("INFO commandstats")


CALLS: dict[str, Callable[[Index], object]] = {
    "get": lambda index: index.get("a"),
    "in": lambda index: "a" in index,
    "len": len,
    "ids": lambda index: next(index.ids()),
    "stats": lambda index: index.stats(),
    "similar": lambda index: index.similar(TEXT),
    "similar_to": lambda index: index.similar_to("a"),
    "add": lambda index: index.add({"id": "d", "text": TEXT}),
    "check_and_add": lambda index: index.check_and_add({"id": "d", "text": TEXT}),
    "update": lambda index: index.update({"id": "a", "price": 3}),
    "remove": lambda index: index.remove("a"),
    "verify": lambda index: index.verify(),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_threads_go_on_and_ctrl_c_ends_the_call(server: Server, name: str) -> None:
    index = server.open()
    assert index.get("a") is not None
    os.kill(server.process.pid, signal.SIGSTOP)
    ticks = 0
    is_over = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not is_over.wait(0.05):
            ticks += 1
            if ticks == 10:
                os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, as in a background job
    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            CALLS[name](index)
    finally:
        is_over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begun < 20  # of 60 seconds
    os.kill(server.process.pid, signal.SIGCONT)
    with server.open() as other:
        other.add({"id": "a", "text": TEXT})
    assert index.get("a") is not None  # the index goes on
    index.verify()
    index.close()


def test_a_silent_server_is_unavailable(server: Server) -> None:
    index = server.open(timeout=0.5)
    os.kill(server.process.pid, signal.SIGSTOP)
    with pytest.raises(benzer.UnavailableError, match="has not answered"):
        index.get("a")
