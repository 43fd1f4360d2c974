#!/usr/bin/env python3
# labels: server store
"""Tests that the task `verify` of `benzer serve` finds damage in each file of an index, as `benzer verify` does.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from serve_test_util import Client, Server, ended, made, program, run_tests, same, scratch, text_of

INDEX = "/v1/indexes/sound"


def verify(client: Client) -> dict:
    return ended(client, client.expect(202, "POST", INDEX + "/verify").json)


def is_sound(client: Client) -> bool:
    return client.expect(200, "GET", INDEX + "/stats").json["last_verify"]["ok"]


def flip(file: Path, at: int) -> None:
    with file.open("r+b") as opened:
        opened.seek(at)
        byte = opened.read(1)[0]
        opened.seek(at)
        opened.write(bytes([byte ^ 0xFF]))


def make(root: Path) -> None:
    """Makes an index with a segment, a list of removed documents, decisions and, once it is written to, a log. A stop writes what is in memory."""
    with Server(root) as server:
        made(server.client(), "sound", {f"{number}-{i}": text_of(number, i) for number in range(20) for i in range(2)})
    with Server(root) as server:
        client = server.client()
        client.expect(200, "POST", INDEX + "/documents/delete", {"ids": [f"{number}-1" for number in range(5)]})
        client.expect(201, "POST", INDEX + "/decisions", {"members": ["7-0", "7-1"], "keeper": "7-1"})


def test_each_file(root: Path) -> None:
    make(root)
    folder = root / "sound"
    with Server(root) as server:
        client = server.client()
        client.expect(201, "PUT", INDEX + "/documents/new", {"text": text_of(30)})
        same(verify(client)["status"], "succeeded")
        kinds = set()
        for file in sorted(folder.iterdir()):
            # One of the two places of the mark may be damaged; nobody reads the lock; SQLite has checksums for its log only.
            if file.name in ("LOCK", "SYNCED") or file.name.startswith("documents.sqlite-"):
                continue
            kinds.add(file.name.split("-")[0])
            at = 100 if file.name == "documents.sqlite" else file.stat().st_size // 2  # 100: the head of its first page
            flip(file, at)
            task = verify(client)
            flip(file, at)
            same(is_sound(client), False, f"last_verify of {file.name}")
            same((task["status"], (task["problem"] or {}).get("code")), ("failed", "damaged"), file.name)
            assert file.name in task["problem"]["detail"], f"{file.name}: {task}"
        same(kinds, {"BENZER", "MANIFEST", "decisions.jsonl", "documents.sqlite", "log", "removed", "segment"}, "kinds of files")
        same(verify(client)["status"], "succeeded", "as it was")
        same(is_sound(client), True)


def test_like_the_command(root: Path) -> None:
    """What a running server finds in its log is what the command finds after a kill."""
    folder = root / "sound"
    with Server(root) as server:
        client = server.client()
        client.expect(201, "PUT", INDEX + "/documents/acknowledged", {"text": text_of(31)})
        log = max(folder.glob("log-*"))
        flip(log, log.stat().st_size // 2)
        task = verify(client)
        same(task["status"], "failed")
        server.kill()
    said = subprocess.run([program(), "verify", folder], capture_output=True, text=True, timeout=60)
    same(said.returncode, 4, said.stderr)
    assert task["problem"]["detail"].split(": ", 1)[1] in said.stderr, f"{task} and {said.stderr}"
    flip(log, log.stat().st_size // 2)
    with Server(root) as server:
        same(verify(server.client())["status"], "succeeded")


def main() -> int:
    root = scratch("serve-verify") / "root"
    root.mkdir()
    return run_tests([test_each_file, test_like_the_command], root)


if __name__ == "__main__":
    sys.exit(main())
