#!/usr/bin/env python3
# labels: server
"""Tests the health check of the container (packaging/container/health) without a container.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from serve_fault_test import folder_of
from serve_test_util import PATIENCE, Server, make_certificate, run_tests

CONTAINER = Path(__file__).resolve().parent.parent / "packaging/container"


def check(options: str) -> tuple[int, str]:
    """Returns the exit code of the health check in a container with these BENZER_OPTIONS, and what it says."""
    done = subprocess.run(["bash", CONTAINER / "health"], env={**os.environ, "BENZER_OPTIONS": options}, capture_output=True,
                          text=True, timeout=PATIENCE)
    return done.returncode, done.stderr


def test_plain() -> None:
    with Server(folder_of("health") / "root") as server:
        for options in (f"--port {server.port}", f"--rate 5 --port={server.port} --log-writes", f"--log-writes\n--port {server.port}"):
            said = check(options)
            assert said == (0, ""), (options, said)
    code, said = check(f"--port {server.port}")
    assert code == 1 and f"no server answers at port {server.port}: the connection is refused" in said, said


def test_tls() -> None:
    folder = folder_of("health_tls")
    certificate, key = make_certificate(folder)
    with Server(folder / "root", tls=(certificate, key)) as server:
        for options in (f"--port {server.port} --tls-certificate {certificate} --tls-key {key}",
                        f"--tls-certificate={certificate} --tls-key={key} --port={server.port}"):
            said = check(options)
            assert said == (0, ""), (options, said)
        # Another scheme than that of the server.
        code, said = check(f"--port {server.port}")
        assert code == 1 and "it says '' instead of 200 OK" in said, said
    code, said = check(f"--port {server.port} --tls-certificate c --tls-key k")
    assert code == 1 and "the connection is refused" in said, said


def test_a_silent_server_is_not_healthy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for options in (f"--port {port}", f"--port {port} --tls-certificate c --tls-key k"):
            code, said = check(options)
            assert code == 1 and "it accepts a connection, and is silent" in said, (options, said)


def test_the_image_has_it() -> None:
    recipe = (CONTAINER / "Containerfile").read_text()
    assert 'CMD ["benzer-health"]' in recipe and "COPY share/doc/benzer/container/health /usr/bin/benzer-health\n" in recipe
    assert "EXPOSE 6363\n" in recipe and "port=6363\n" in (CONTAINER / "health").read_text()


def main() -> int:
    return run_tests([test_plain, test_tls, test_a_silent_server_is_not_healthy, test_the_image_has_it])


if __name__ == "__main__":
    sys.exit(main())
