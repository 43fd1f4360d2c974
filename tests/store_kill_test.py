#!/usr/bin/env python3
# labels: store slow
"""A store outlives whoever writes to it: what was acknowledged is there, and nothing is half there.

usage: store_kill_test.py [--cycles N]     50 unless said otherwise

In each cycle a process adds documents, removes some or compacts the store, and is killed with SIGKILL at a random
moment. What it acknowledged was printed, so this process knows it. The program is BENZER or the release build. The
tables are kept so small that segments are written and merged all the time. Prints "N passed, N failed".
"""
from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import PATIENCE_SECONDS, program, scratch

MEMTABLE = "40000"
LARGEST = 20_000  # documents; then a new store is begun, because the checks of each cycle would take longer and longer


def text_of(number: int, version: int) -> str:
    """Returns a text; no two of them are similar."""
    chance = random.Random(number * 1000 + version)
    return " ".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=3)[0] + str(chance.randrange(10**6)) for _ in range(30))


class Store:
    def __init__(self, seed: int) -> None:
        self.folder = scratch("store-kill")
        self.store = self.folder / "store"
        self.random = random.Random(seed)
        self.there: dict[str, str] = {}  # acknowledged: text by id
        self.open: set[str] = set()  # ids whose last change was not acknowledged
        self.next = 0
        empty = subprocess.run([str(program()), "index", self.store, "-", "--create", "--quiet"], input=b"",
                               check=True, timeout=PATIENCE_SECONDS)
        assert empty.returncode == 0

    def command(self, *words: str | Path, **more) -> subprocess.CompletedProcess:
        return subprocess.run([str(program()), *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=PATIENCE_SECONDS, **more)

    def kill_while_adding(self) -> int:
        """Returns how many documents were acknowledged."""
        documents = {}
        known = sorted(self.there)
        for _ in range(400):
            if known and self.random.random() < 0.3:
                name = self.random.choice(known)  # replaced by another version
            else:
                name, self.next = f"d{self.next}", self.next + 1
            documents[name] = text_of(self.random.randrange(10**15), 0)
        process = subprocess.Popen([str(program()), "check-and-add", str(self.store), "-", "--quiet", "--memtable", MEMTABLE,
                                    "--max-line", "1K"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        lines = [json.dumps({"id": name, "text": text}) + "\n" for name, text in documents.items()]

        def feed() -> None:
            try:
                process.stdin.write("".join(lines).encode())
                process.stdin.close()
            except OSError:
                pass  # it was killed

        feeder = threading.Thread(target=feed)
        feeder.start()
        killer = threading.Timer(self.random.uniform(0.005, 0.25), process.kill)
        killer.start()
        printed = process.stdout.read()
        process.wait()
        killer.cancel()
        feeder.join()
        acknowledged = 0
        self.open |= set(documents)
        for line in printed.decode().splitlines(keepends=True):
            if not line.endswith("\n"):
                break
            answer = json.loads(line)
            if not answer["added"]:
                raise RuntimeError(f"{answer} resembles nothing, and was not added")
            self.there[answer["id"]] = documents[answer["id"]]
            self.open.discard(answer["id"])
            acknowledged += 1
        return acknowledged

    def kill_while_removing(self) -> None:
        gone = self.random.sample(sorted(self.there), min(5, len(self.there)))
        process = subprocess.Popen([str(program()), "remove", str(self.store), *gone, "--memtable", MEMTABLE],
                                   stderr=subprocess.DEVNULL)
        try:
            process.wait(self.random.uniform(0.0, 0.06))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for name in gone:
            del self.there[name]
            if process.returncode not in (0, 1):
                self.open.add(name)

    def kill_while_compacting(self) -> None:
        process = subprocess.Popen([str(program()), "compact", str(self.store)], stdout=subprocess.DEVNULL)
        try:
            process.wait(self.random.uniform(0.0, 0.1))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def problems(self):
        """Yields what is wrong after a cycle."""
        sound = self.command("verify", self.store)
        if sound.returncode != 0:
            yield f"verify ended with {sound.returncode}: {sound.stderr}"
            return
        ids = self.command("list", self.store).stdout.split()
        if len(ids) != len(set(ids)):
            yield "a document is there twice"
        lost = set(self.there) - set(ids) - self.open
        if lost:
            yield f"{len(lost)} acknowledged documents are lost: {sorted(lost)[:5]}"
        extra = set(ids) - set(self.there) - self.open
        if extra:
            yield f"{len(extra)} documents are there that were removed: {sorted(extra)[:5]}"
        known = [name for name in self.there if name not in self.open]
        asked = self.random.sample(sorted(known), min(100, len(known)))
        lines = "".join(json.dumps({"id": f"?{name}", "text": self.there[name]}) + "\n" for name in asked)
        answers = self.command("similar", self.store, "--like", "-", "--quiet", input=lines).stdout.splitlines()
        found = {(answer["query"], answer["id"]) for answer in map(json.loads, answers) if answer["score"] == 1}
        missed = [name for name in asked if (f"?{name}", name) not in found]
        if missed:
            yield f"{len(missed)} acknowledged documents are not found by what they say: {missed[:5]}"
        # The state of the others was unknown; from now on their current state is expected.
        for name in list(self.open):
            self.open.discard(name)
            self.there.pop(name, None)
            if name in ids:
                gone = self.command("remove", self.store, name)
                if gone.returncode != 0:
                    yield f"{name} cannot be removed: {gone.stderr}"


def test_kill(cycles: int):
    store = Store(seed=1)
    acknowledged = 0
    for cycle in range(cycles):
        if len(store.there) > LARGEST:
            shutil.rmtree(store.folder)
            store = Store(seed=cycle)
        acknowledged += store.kill_while_adding()
        if cycle % 3 == 1:
            store.kill_while_removing()
        if cycle % 5 == 2:
            store.kill_while_compacting()
        for problem in store.problems():
            yield f"cycle {cycle}: {problem}"
    if acknowledged == 0:
        yield f"not one document was acknowledged in {cycles} cycles, so that nothing was tested"
    print(f"{cycles} cycles, {acknowledged} acknowledged, {len(store.there)} there")
    shutil.rmtree(store.folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=50)
    options = parser.parse_args()
    started = time.monotonic()
    problems = list(test_kill(options.cycles))
    for problem in problems:
        print(problem)
    print(f"{time.monotonic() - started:.1f} s")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
