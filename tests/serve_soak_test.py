#!/usr/bin/env python3
# labels: server slow
"""Lets clients write to `benzer serve` and ask it while others attack it, the disk gets full, and the server is stopped and killed: what was
acknowledged is there, answers are right, and the memory stays as it is.

    serve_soak_test.py [--seconds S] [--seed S]

The index is on a disk of its own in memory, which only root or a user namespace may mount; without it the disk is never full. Each writer
has ids of its own, and knows what was acknowledged of them. The program is BENZER or the release build. Prints what was done, and
"N passed, N failed[, N skipped]".
"""
from __future__ import annotations

import argparse
import contextlib
import http.client
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "index_model"))
from failing_disk import libc, own_mounts
from serve_attack_test import MIB, Attacker, head
from serve_test_util import PATIENCE, Server, lines_of, program, scratch, text_of

SECONDS = 20.0
WRITERS, ASKERS = 3, 2
IDS = 1500  # of each writer
DISK_MIB = 192
MOST_MEMORY = 768 * MIB
AGAIN = (408, 429, 503, 507)  # may be sent again (docs/rest.md)
PATH = "/v1/indexes/docs"


class Soak:
    def __init__(self, folder: Path, chance: random.Random, has_disk: bool) -> None:
        self.folder, self.chance, self.has_disk = folder, chance, has_disk
        self.root = folder / "root"
        self.root.mkdir()
        self.server = Server(self.root)
        self.server.client().expect(201, "PUT", PATH, {})
        self.lock = threading.Lock()
        self.problems: list[str] = []
        self.counts: Counter[str] = Counter()
        self.memory: list[int] = []  # of this life of the server, each second
        self.most_memory = 0
        self.over = threading.Event()
        self.writers = [Writer(self, number, chance.randrange(2**31)) for number in range(WRITERS)]

    def problem(self, what: str) -> None:
        with self.lock:
            self.problems.append(what)
        self.over.set()

    def did(self, what: str, count: int = 1) -> None:
        with self.lock:
            self.counts[what] += count

    def ask(self, method: str, target: str, body: object = None):
        """Returns the answer, or None if there was none: the server was stopped or killed, or was busy for too long."""
        try:
            answer = self.server.client().ask(method, target, body)
        except (OSError, http.client.HTTPException):
            return None
        if answer.status >= 500 and answer.status not in AGAIN:
            self.problem(f"{method} {target} is answered {answer}")
        return answer

    def attack(self) -> None:
        """Attacks from another address, one kind after the other."""
        chance = random.Random(self.chance.randrange(2**31))
        while not self.over.wait(0.05):
            attacker = Attacker(self.server)
            try:
                kind = chance.randrange(6)
                for _ in range(chance.randrange(1, 40)):
                    if kind == 0:
                        attacker.send(head("POST", PATH + "/similar", 8 * MIB) + b" " * MIB)
                    elif kind == 1:
                        attacker.send(head("POST", PATH + "/documents", 512 * MIB, "application/x-ndjson") + b'{"id":"x","text":"' + b"w " * MIB)
                    elif kind == 2:
                        attacker.send(f"GET {PATH}/documents?limit=100 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                    elif kind == 3:
                        attacker.send(chance.choice([b"\x00" * 4000, b"GET / HTTP/9.9\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"]))
                    elif kind == 4:
                        attacker.send(b"GET /healthz HTT")
                    else:
                        attacker.ask("POST", PATH + "/similar", {"text": " ".join(f"w{chance.randrange(10**6)}" for _ in range(50_000))})
                    if self.over.is_set():
                        break
                self.over.wait(chance.random())
            finally:
                attacker.close()
            self.did("attacks")

    def watch(self) -> None:
        """Reads the memory of the server each second."""
        while not self.over.wait(1):
            with contextlib.suppress(OSError, TypeError):  # it has just ended
                self.memory.append(self.server.rss())
                self.most_memory = max(self.most_memory, self.memory[-1])

    def check_memory(self) -> None:
        if len(self.memory) > 120:
            third = len(self.memory) // 3
            middle, last = (sorted(part)[third // 2] for part in (self.memory[third : 2 * third], self.memory[2 * third :]))
            if last > middle * 1.25 + 32 * MIB:
                self.problem(f"the memory grows: {middle / MIB:.0f} MiB in the second third of {len(self.memory)} s, {last / MIB:.0f} MiB in the last one")
        self.memory.clear()

    def disturb(self, seconds: float) -> None:
        """Stops, kills and starts the server, and fills the disk."""
        kind = self.chance.choice(["stops", "kills", "kills", "full disks"])
        if kind == "full disks":
            if not self.has_disk:
                return
            filler = self.root.parent / "filler"
            with contextlib.suppress(OSError), filler.open("wb", buffering=0) as out:
                while not self.over.is_set():
                    out.write(bytes(MIB))
            for block in (4096, 1):  # the last free bytes
                with contextlib.suppress(OSError), filler.open("ab", buffering=0) as out:
                    while out.write(bytes(block)):
                        pass
            self.over.wait(min(3, seconds / 10))
            filler.unlink()
        else:
            if kind == "stops":
                if (code := self.server.stop()) != 0:
                    self.problem(f"the server ended with {code} after SIGTERM: {''.join(self.server.said)[-1000:]}")
            else:
                self.server.kill()
            self.check_memory()
            self.server = Server(self.root)
        self.did(kind)

    def run(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=one) for one in (*(writer.write for writer in self.writers), *(writer.ask for writer in self.writers[:ASKERS]),
                                                            self.attack, self.watch)]
        for thread in threads:
            thread.start()
        try:
            # Some lives are short, and one in ten is long enough to see whether the memory grows.
            while (left := until - time.monotonic()) > 0 and not self.over.wait(min(left, seconds / 3 if self.chance.random() < 0.1 else
                                                                                    self.chance.uniform(1, max(2, seconds / 20)))):
                self.disturb(seconds)
        finally:
            self.over.set()
            for thread in threads:
                thread.join()
        self.check_memory()
        if self.most_memory > MOST_MEMORY:
            self.problem(f"the server took {self.most_memory / MIB:.0f} MiB")
        if problem := self.server.healthy():
            self.problem(problem)
        if (code := self.server.stop()) != 0:
            self.problem(f"the server ended with {code}: {''.join(self.server.said)[-1000:]}")
        self.compare()

    def compare(self) -> None:
        """Says what the index has, after the end, that is not what was acknowledged."""
        store = self.root / "docs"
        sound = subprocess.run([program(), "verify", store], capture_output=True, text=True, check=False, timeout=PATIENCE * 10)
        if sound.returncode != 0:
            self.problem(f"verify ended with {sound.returncode}: {sound.stderr}")
        listed = subprocess.run([program(), "list", store], capture_output=True, text=True, check=True, timeout=PATIENCE * 10).stdout.split()
        if len(listed) != len(set(listed)):
            self.problem("a document is there twice")
        for writer in self.writers:
            there = {name for name in listed if name.startswith(writer.prefix)}
            for name in sorted(set(writer.texts) - there)[:5]:
                self.problem(f"{name} was acknowledged, and is lost")
            for name in sorted(there - set(writer.texts) - writer.unknown)[:5]:
                self.problem(f"{name} was removed, and is there")


class Writer:
    """Writes documents with ids of its own, one request at a time, and asks for them."""

    def __init__(self, soak: Soak, number: int, seed: int) -> None:
        self.soak, self.number, self.chance = soak, number, random.Random(seed)
        self.prefix = f"w{number}-"
        self.texts: dict[str, int] = {}  # acknowledged, and not being changed: the number of the text
        self.unknown: set[str] = set()  # a change was not answered
        self.next_text = number

    def some(self, count: int) -> dict[str, int]:
        names = {f"{self.prefix}{self.chance.randrange(IDS)}" for _ in range(count)}
        out = {}
        for name in names:
            self.next_text += WRITERS
            out[name] = self.next_text
        return out

    def write(self) -> None:
        soak = self.soak
        while not soak.over.is_set():
            documents = self.some(self.chance.choice([1, 1, 1, 40]))
            removes = self.chance.random() < 0.2
            for name in documents:
                self.texts.pop(name, None)
                self.unknown.add(name)
            if len(documents) > 1:
                answer = soak.ask("POST", PATH + "/documents", lines_of({name: text_of(text) for name, text in documents.items()}))
            else:
                (name, text), = documents.items()
                answer = soak.ask("DELETE", f"{PATH}/documents/{name}") if removes else soak.ask("PUT", f"{PATH}/documents/{name}", {"text": text_of(text)})
            if answer is None or answer.status in AGAIN:
                soak.did("writes without an answer" if answer is None else f"writes answered {answer.status}")
                soak.over.wait(0.05)
                continue
            if answer.status not in (200, 201, 204, 404):
                soak.problem(f"a write is answered {answer}")
                return
            self.unknown -= documents.keys()
            if answer.status != 404 and not (removes and len(documents) == 1):
                self.texts |= documents
            soak.did("documents acknowledged", len(documents))

    def ask(self) -> None:
        """Asks for documents that were acknowledged, unless they are changed meanwhile."""
        soak, chance = self.soak, random.Random(self.number)
        while not soak.over.is_set():
            known = list(self.texts.items())
            if not known:
                soak.over.wait(0.05)
                continue
            name, text = chance.choice(known)
            answer = soak.ask("POST", PATH + "/similar", {"text": text_of(text)})
            if answer is None or answer.status != 200:
                soak.over.wait(0.05)
                continue
            soak.did("questions")
            if self.texts.get(name) == text and name not in [match["id"] for match in answer.json["matches"]]:
                soak.problem(f"{name} was acknowledged, and is not found: {answer}")
                return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    refused = own_mounts()
    folder = scratch(f"soak-{options.seed}")
    if not refused and libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={DISK_MIB}m".encode()) != 0:
        refused = "no file system in memory can be mounted"
    soak = Soak(folder, random.Random(options.seed), not refused)
    began = time.monotonic()
    soak.run(options.seconds)
    print(f"{time.monotonic() - began:.0f} seconds: " + ", ".join(f"{count} {what}" for what, count in sorted(soak.counts.items()))
          + f"; the server had at most {soak.most_memory / MIB:.0f} MiB")
    for problem in soak.problems[:10]:
        print(f"FAILED: {problem[:2000]}")
    if refused:
        print(f"SKIPPED: the disk was never full: {refused}")
    print(f"{int(not soak.problems)} passed, {int(bool(soak.problems))} failed{', 1 skipped' if refused else ''}")
    return int(bool(soak.problems))


if __name__ == "__main__":
    sys.exit(main())
