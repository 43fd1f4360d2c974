#!/usr/bin/env python3
# labels: server slow
"""Runs Schemathesis against a `benzer serve`: requests and answers must be as /openapi.json describes them.

Needs the Python package schemathesis (PyPI) in the Python that runs this, or in the one that the variable PYTHON names; otherwise
it is skipped. Takes about half a minute. The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from serve_test_util import Server, made, make_keys, scratch, text_of

SECONDS = 20
PACKAGE = "schemathesis==4.32.5"
# Left out are checks that demand more than is promised. One is that every body that fits its schema is accepted: a document needs an
# id, exactly one of id, text and document is allowed, and a threshold below the index's needs allow_low_recall. Another is
# object_level_authorization: keys are for the whole server.
CHECKS = ("not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance", "response_schema_conformance",
          "negative_data_rejection", "missing_required_header", "unsupported_method", "allow_header_conformance", "ignored_auth", "use_after_free")
# Names in paths are those of existing things. Schemathesis cannot generate lines of JSON, and reads a schema of events as OpenAPI 3.2
# does; serve_test.py and serve_tasks_test.py test both. An unknown method (QUERY) gets 501, as RFC 9110 says, and a request gets 503
# while a task holds the index; neither is an error of the server.
CONFIGURATION = """\
[parameters]
"path.name" = "alike"
"path.id" = "a"
"path.task" = "1"
"path.decision" = "1"
"path.file" = "nothing"

[phases.coverage]
unexpected-methods = ["PATCH", "PUT", "DELETE", "TRACE"]

[[operations]]
include-name = "POST /v1/indexes/{name}/documents"
enabled = false

[[operations]]
include-name = "GET /v1/tasks/{task}/events"
enabled = false

[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 503]

[checks.missing_required_header]
expected-statuses = [400, 401, 404, 422, 428]

[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428, 431, 501]
"""


def interpreter() -> str | None:
    """Returns a Python that has schemathesis, or None."""
    for python in (os.environ.get("PYTHON"), sys.executable):
        if python and subprocess.run([python, "-c", "import schemathesis.cli"], capture_output=True, check=False, timeout=60).returncode == 0:
            return python
    return installed()


def installed() -> str | None:
    """Installs schemathesis into an environment of its own, and returns its Python; None without a network."""
    venv = Path(__file__).resolve().parent.parent / "build" / "schemathesis-venv"
    python = venv / "bin" / "python"
    if python.exists() and subprocess.run([python, "-c", "import schemathesis.cli"], capture_output=True, check=False).returncode == 0:
        return str(python)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    done = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--timeout", "20", "--retries", "1", PACKAGE],
                          capture_output=True, check=False)
    return str(python) if done.returncode == 0 else None


def main() -> int:
    python = interpreter()
    if python is None:
        print(f"SKIPPED: there is no schemathesis, and {PACKAGE} could not be installed (no network?)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    folder = scratch("serve-schemathesis")
    (folder / "root").mkdir()
    file, keys = make_keys(folder)
    configuration = folder / "schemathesis.toml"
    configuration.write_text(CONFIGURATION)
    with Server(folder / "root", keys=file) as server:
        client = server.client(keys["admin"])
        if client.ask("GET", "/openapi.json").status != 200:
            print("SKIPPED: this server has no /openapi.json")
            print("0 passed, 0 failed, 1 skipped")
            return 0
        path = made(client, "alike", {"a": text_of(1), "b": text_of(1, 1), "c": text_of(2)})
        made(client, "values", fields=["tags=values"])
        client.expect(201, "POST", path + "/decisions", {"members": ["a", "b"], "keeper": "b"})
        client.expect(202, "POST", path + "/dedup", {})
        words = [python, "-m", "schemathesis.cli", "--config-file", str(configuration), "run", f"http://127.0.0.1:{server.port}/openapi.json",
                 "--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing", "--max-time", str(SECONDS), "--max-examples", "60", "--workers", "1", "--seed", "1",
                 "--continue-on-failure", "--no-shrink", "--request-timeout", "15", "--generation-database", "none", "--no-color", "--warnings", "off",
                 "--header", f"Authorization: Bearer {keys['admin']}", "--output-sanitize", "true"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS * 4)
        dead = server.healthy()
        code = server.stop() if server.is_alive else server.process.returncode
    failed = done.returncode != 0 or bool(dead) or code != 0
    if failed:
        print(done.stdout[-20_000:] + done.stderr[-2000:])
    if dead:
        print(f"FAILED: {dead}")
    if code != 0:
        print(f"FAILED: the server ended with {code}: {''.join(server.said)[-2000:]}")
    if done.returncode != 0:
        print(f"FAILED: schemathesis ended with {done.returncode}")
    print("0 passed, 1 failed" if failed else "1 passed, 0 failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
