"""Starts empty Redis servers on free ports of this machine, which end with their caller."""
from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import redis

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Returns a free port, low enough that the port 10,000 above it exists, which a node of a cluster uses as well."""
    for port in range(20_000 + os.getpid() % 5_000, 30_000):
        try:
            for taken in (port, port + 10_000):
                with socket.socket() as probe:
                    probe.bind((LOOPBACK, taken))
            return port
        except OSError:
            continue
    raise RuntimeError("no free port")


class Server:
    """A running server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.client = redis.Redis(host=LOOPBACK, port=port, socket_timeout=60)

    def used_memory(self) -> int:
        return self.client.info("memory")["used_memory"]

    def cpu_seconds(self) -> float:
        """CPU seconds of the server so far."""
        used = self.client.info("cpu")
        return used["used_cpu_user"] + used["used_cpu_sys"]

    def calls(self, *commands: str) -> int:
        """How often these commands were called so far."""
        known = self.client.info("commandstats")
        return sum(known.get(f"cmdstat_{command}", {"calls": 0})["calls"] for command in commands)

    def url(self, store: str = "bench") -> str:
        return f"redis://{LOOPBACK}:{self.port}/{store}"


@contextmanager
def redis_server(*options: str) -> Iterator[Server]:
    """Starts a server that writes nothing to the disk."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(["redis-server", "--port", str(port), "--bind", LOOPBACK, "--save", "", "--appendonly",
                                    "no", "--dir", folder, *options], stdout=subprocess.DEVNULL)
        server = Server(port)
        try:
            wait_for(lambda: server.client.ping())
            yield server
        finally:
            server.client.close()
            process.kill()
            process.wait()


@contextmanager
def redis_cluster(masters: int) -> Iterator[list[Server]]:
    """Starts a cluster without replicas."""
    with ExitStack() as stack:
        servers = [stack.enter_context(redis_server("--cluster-enabled", "yes")) for _ in range(masters)]
        subprocess.run(["redis-cli", "--cluster", "create", *(f"{LOOPBACK}:{server.port}" for server in servers),
                        "--cluster-replicas", "0", "--cluster-yes"], stdout=subprocess.DEVNULL, check=True)
        for server in servers:
            wait_for(lambda: server.client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")
        yield servers


def cluster_url(servers: list[Server], store: str = "bench") -> str:
    return f"redis+cluster://{','.join(f'{LOOPBACK}:{server.port}' for server in servers)}/{store}"


def wait_for(is_so) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            if is_so():
                return
        except redis.exceptions.RedisError:
            pass
        if time.monotonic() > deadline:
            raise RuntimeError("a Redis server does not come up")
        time.sleep(0.05)
