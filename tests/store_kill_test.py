#!/usr/bin/env python3
# labels: store slow
"""A store outlives whoever writes to it: what was acknowledged is there, and nothing is half there.

usage: store_kill_test.py [--cycles N | --kills N] [--seed S]     50 cycles unless said otherwise

In each cycle a process adds documents, and others remove some, compact the store, copy it, load it at once, repair it or
read it, and are killed with SIGKILL at a random moment. What was acknowledged was printed, so this process knows it. The
program is BENZER or the release build. The tables are kept so small that segments are written and merged all the time.
--kills goes on until so many processes were killed before their end. Prints how many of each kind, and "N passed, N failed".
"""
from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import PATIENCE_SECONDS, program, scratch

MEMTABLE = "40000"
MOST_FILES = 8  # of a compacted store: the description, lock, manifest, mark, log, segment and list of removed documents
LARGEST = 20_000  # documents; then a new store is begun, because the checks of each cycle would take longer and longer

Problems = Iterator[str]


def text_of(number: int, version: int) -> str:
    """Returns a text; no two of them are similar."""
    letters = random.Random(number * 1000 + version).randbytes(90).hex()
    return " ".join(letters[place : place + 6] for place in range(0, 180, 6))


class Store:
    def __init__(self, seed: int, kills: Counter[str]) -> None:
        self.folder = scratch("store-kill")
        self.store = self.folder / "store"
        self.random = random.Random(seed)
        self.kills = kills  # processes that were killed before their end, by what they did
        self.there: dict[str, str] = {}  # acknowledged: text by id
        self.open: set[str] = set()  # ids whose last change was not acknowledged
        self.next = 0
        empty = subprocess.run([str(program()), "index", self.store, "-", "--create", "--quiet"], input=b"",
                               check=True, timeout=PATIENCE_SECONDS)
        assert empty.returncode == 0

    def command(self, *words: str | Path, **more) -> subprocess.CompletedProcess:
        return subprocess.run([str(program()), *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=PATIENCE_SECONDS, **more)

    def killed(self, kind: str, seconds: float, *words: str | Path) -> int | None:
        """Runs a command and kills it after so many seconds. Returns its exit code, or None if it was killed before its end."""
        process = subprocess.Popen([str(program()), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        try:
            return process.wait(self.random.uniform(0.0, seconds))
        except subprocess.TimeoutExpired:
            process.kill()
        process.wait()
        if process.returncode != -signal.SIGKILL:
            return process.returncode  # it was faster
        self.kills[kind] += 1
        return None

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
        self.kills["writers"] += process.returncode == -signal.SIGKILL
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

    def kill_while_removing(self) -> Problems:
        if not self.there:  # on a busy machine the writers may have been killed before they wrote
            return
        gone = self.random.sample(sorted(self.there), min(5, len(self.there)))
        code = self.killed("removals", 0.06, "remove", self.store, *gone, "--memtable", MEMTABLE)
        if code not in (None, 0):
            yield f"documents that are there could not be removed: {code}"
        for name in gone:
            del self.there[name]
            if code is None:
                self.open.add(name)

    def kill_while_compacting(self) -> Problems:
        if self.killed("merges", 0.1, "compact", self.store) not in (None, 0):
            yield "the store could not be compacted"

    def kill_while_copying(self) -> Problems:
        """A snapshot is whole or is no index; its file BENZER is written last."""
        copy = self.folder / "copy"
        code = self.killed("snapshots", 0.03, "snapshot", self.store, copy)
        if code not in (None, 0):
            yield f"no snapshot could be made: {code}"
        if (copy / "BENZER").exists():
            yield from self.differences(copy, f"a snapshot (exit code {code})")
        elif code == 0:
            yield "a snapshot was made and is not there"
        self.delete_others()

    def kill_while_loading(self) -> Problems:
        """A load has added all documents or none, and can be repeated."""
        loaded, documents = self.folder / "loaded", self.folder / "documents.jsonl"
        names = {f"l{i}" for i in range(self.random.randrange(1, 2000))}
        documents.write_text("".join(json.dumps({"id": name, "text": text_of(self.random.randrange(10**15), 0)}) + "\n" for name in names))
        words = ("index", loaded, documents, "--create", "--bulk", "--quiet")
        if self.killed("bulk loads", 0.1, *words) not in (None, 0):
            yield "documents could not be loaded at once"
        if (loaded / "BENZER").exists():
            sound = self.command("verify", loaded)
            ids = set(self.command("list", loaded).stdout.split())
            if sound.returncode != 0 or ids not in (set(), names):
                yield f"a load that was killed has left {len(ids)} of {len(names)} documents; verify: {sound.returncode} {sound.stderr}"
        again = self.command(*words)
        if again.returncode != 0 or set(self.command("list", loaded).stdout.split()) != names:
            yield f"a load that was killed cannot be repeated: {again.returncode} {again.stderr}"
        self.delete_others()

    def kill_while_repairing(self) -> Problems:
        """A repair that was killed can be repeated, and the damage costs no more than the document that was hit."""
        copy = self.folder / "copy"
        if self.command("snapshot", self.store, copy).returncode != 0:
            yield "no snapshot could be made"
            return
        files = sorted(path for path in copy.iterdir() if path.name.startswith(("segment", "MANIFEST")))
        damaged = self.random.choice(files)
        whole = bytearray(damaged.read_bytes())
        whole[self.random.randrange(len(whole))] ^= 1 << self.random.randrange(8)
        damaged.unlink()  # it is linked to that of the store
        damaged.write_bytes(whole)
        for _ in range(self.random.randint(1, 3)):
            if self.killed("repairs", 0.1, "verify", copy, "--repair") not in (None, 0, 4):
                yield "a repair failed"
        last = self.command("verify", copy, "--repair")
        if last.returncode not in (0, 4):
            yield f"a repair after one that was killed ended with {last.returncode}: {last.stderr}"
        yield from self.differences(copy, f"a repaired {damaged.name}", lost=1)
        self.delete_others()

    def kill_while_reading(self) -> Problems:
        """A reader that was killed keeps no files of earlier versions."""
        asked = self.folder / "asked.jsonl"
        names = self.random.sample(sorted(self.there), min(300, len(self.there)))
        asked.write_text("".join(json.dumps({"id": name, "text": self.there[name]}) + "\n" for name in names))
        if self.killed("readers", 0.02, "similar", self.store, "--like", asked, "--quiet") not in (None, 0):
            yield "the store could not be asked"
        if self.random.random() < 0.1:
            if (done := self.command("compact", self.store)).returncode != 0:
                yield f"compact failed after a reader was killed: {done.stderr}"
            if len(left := sorted(path.name for path in self.store.iterdir())) > MOST_FILES:
                yield f"a compacted store has the files {left}"

    def delete_others(self) -> None:
        for path in self.folder.iterdir():
            if path.name != "store":
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def differences(self, store: Path, what: str, lost: int = 0) -> Generator[str, None, set[str] | None]:
        """Says what is wrong with a store that must have the acknowledged documents but `lost` of them. Returns the ids that it has,
        or None if it is damaged."""
        sound = self.command("verify", store)
        if sound.returncode != 0:
            yield f"{what}: verify ended with {sound.returncode}: {sound.stderr}"
            return None
        ids = self.command("list", store).stdout.split()
        if len(ids) != len(set(ids)):
            yield f"{what}: a document is there twice"
        missing = set(self.there) - set(ids) - self.open
        if len(missing) > lost:
            yield f"{what}: {len(missing)} acknowledged documents are lost: {sorted(missing)[:5]}"
        # A damaged removal may bring one back.
        extra = set(ids) - set(self.there) - self.open
        if len(extra) > lost:
            yield f"{what}: {len(extra)} documents are there that were removed: {sorted(extra)[:5]}"
        return set(ids)

    def problems(self) -> Problems:
        """Says what is wrong after a cycle."""
        ids = yield from self.differences(self.store, "the store")
        if ids is None:
            return
        known = [name for name in self.there if name not in self.open]
        asked = self.random.sample(sorted(known), min(100, len(known)))
        lines = "".join(json.dumps({"id": f"?{name}", "text": self.there[name]}) + "\n" for name in asked)
        answers = self.command("similar", self.store, "--like", "-", "--quiet", input=lines).stdout.splitlines()
        found = {(answer["query"], answer["id"]) for answer in map(json.loads, answers) if answer["score"] == 1}
        missed = [name for name in asked if (f"?{name}", name) not in found]
        if missed:
            yield f"{len(missed)} acknowledged documents are not found by what they say: {missed[:5]}"
        # The state of the others was unknown; from now on none of them is there.
        present = sorted(self.open & ids)
        for name in self.open:
            self.there.pop(name, None)
        self.open.clear()
        if present and (gone := self.command("remove", self.store, *present)).returncode != 0:
            yield f"{len(present)} documents cannot be removed: {gone.stderr}"


def cycles_of(options: argparse.Namespace, kills: Counter[str]) -> Iterator[int]:
    cycle = 0
    while sum(kills.values()) < options.kills if options.kills else cycle < options.cycles:
        yield cycle
        cycle += 1


def test_kill(options: argparse.Namespace) -> Problems:
    kills: Counter[str] = Counter()
    store = Store(options.seed, kills)
    acknowledged = 0
    for cycle in cycles_of(options, kills):
        if len(store.there) > LARGEST:
            shutil.rmtree(store.folder)
            store = Store(options.seed + cycle, kills)
        acknowledged += store.kill_while_adding()
        steps = [store.problems]
        if cycle % 3 == 1:
            steps.insert(0, store.kill_while_removing)
        if cycle % 5 == 2:
            steps.insert(0, store.kill_while_compacting)
        others = (store.kill_while_copying, store.kill_while_loading, store.kill_while_repairing, store.kill_while_reading)
        steps.append(others[cycle % len(others)])
        for step in steps:
            for problem in step():
                yield f"seed {options.seed}, cycle {cycle}: {problem}"
    if acknowledged == 0:
        yield "not one document was acknowledged, so that nothing was tested"
    print(f"{sum(kills.values())} kills: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kills.items()))
          + f"; {acknowledged} documents were acknowledged")
    shutil.rmtree(store.folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=50)
    parser.add_argument("--kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    problems = list(test_kill(options))
    for problem in problems:
        print(problem)
    print(f"{time.monotonic() - started:.1f} s")
    print(f"{0 if problems else 1} passed, {1 if problems else 0} failed")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
