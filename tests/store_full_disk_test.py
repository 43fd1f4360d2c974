#!/usr/bin/env python3
# labels: store
"""Tests a store on a full disk, and a program without descriptors: errors are clear, nothing acknowledged is lost, and work can go on.

The disk is a small tmpfs, which only root may mount. Otherwise a limit on the size of files takes its place, for which the system
has another error. The program is BENZER or the release build. Prints "N passed, N failed[, N skipped]".
"""
from __future__ import annotations

import json
import random
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import PATIENCE_SECONDS, Report, program, run_test, scratch

STORAGE_FAILED = 5
SMALL_TABLES = ["--memtable", "200000"]  # so that segments are written all the time


def documents(first: int, count: int) -> bytes:
    chance = random.Random(first)
    lines = []
    for number in range(first, first + count):
        text = " ".join(f"w{chance.randrange(10**6)}" for _ in range(60))
        lines.append(json.dumps({"id": f"d{number}", "text": text}) + "\n")
    return "".join(lines).encode()


def benzer(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(program()), *map(str, words)], capture_output=True, check=False, timeout=PATIENCE_SECONDS,
                          restore_signals=False, **more)  # so that SIGXFSZ stays ignored, as it is in Python
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def ids(store: Path) -> list[str]:
    return benzer("list", store).stdout.split()


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[bool]:
    """Mounts a tmpfs; yields False, after printing why, if that is not allowed."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "benzer-test", str(folder)], capture_output=True,
                             check=False).returncode == 0
    if not mounted:
        print("SKIPPED: a small disk cannot be mounted here.")
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(folder)], check=True)


def one_sentence(said: str, *parts: str) -> bool:
    return said.count("\n") == 1 and said.startswith("benzer: ") and all(part in said for part in parts)


def fill(report: Report, store: Path, reason: str, **limits: object) -> None:
    """Adds documents, a few at a time, until there is no space for more."""
    benzer("index", store, "-", "--create", "--quiet", input=b"")
    acknowledged = 0
    for _ in range(200):
        done = benzer("index", store, "-", "--quiet", *SMALL_TABLES, input=documents(acknowledged, 200), **limits)
        if done.returncode != 0:
            break
        acknowledged += 200
    report.check(acknowledged > 0, "not one document was acknowledged")
    report.check(done.returncode == STORAGE_FAILED, f"{reason}: it ended with {done.returncode}, not {STORAGE_FAILED}")
    report.check(one_sentence(done.stderr, str(store), reason), f"{reason}: it said {done.stderr!r}")
    again = benzer("index", store, "-", "--quiet", *SMALL_TABLES, input=documents(acknowledged, 200), **limits)
    report.check(again.returncode in (0, STORAGE_FAILED), f"{reason}: the next one ended with {again.returncode}")
    sound = benzer("verify", store)
    report.check(sound.returncode == 0, f"{reason}: verify ended with {sound.returncode}: {sound.stderr}")
    there = ids(store)
    report.check(len(there) == len(set(there)), f"{reason}: a document is there twice")
    lost = {f"d{number}" for number in range(acknowledged)} - set(there)
    report.check(not lost, f"{reason}: {len(lost)} acknowledged documents are lost")
    report.row(reason, acknowledged, len(there), done.stderr.strip().removeprefix(f"benzer: {store}"))


def goes_on(report: Report, store: Path, what: str) -> None:
    done = benzer("index", store, "-", "--quiet", *SMALL_TABLES, input=documents(0, 1000))
    report.check(done.returncode == 0, f"{what}: with space again it ended with {done.returncode}: {done.stderr}")
    report.check(benzer("compact", store).returncode == 0, f"{what}: it cannot be compacted")
    report.check(benzer("verify", store).returncode == 0, f"{what}: it is damaged")
    report.check({f"d{number}" for number in range(1000)} <= set(ids(store)), f"{what}: documents are missing")


def test_full_disk(report: Report, folder: Path) -> None:
    with small_disk(folder / "disk", "6m") as mounted:
        if not mounted:
            return
        store = folder / "disk" / "store"
        # Another file takes most of the space, and is removed later.
        (folder / "disk" / "other").write_bytes(bytes(4 << 20))
        fill(report, store, "No space left on device")
        (folder / "disk" / "other").unlink()
        goes_on(report, store, "a full disk")


def test_removal_on_a_full_disk(report: Report, folder: Path) -> None:
    """As long as the log's last page has room, a removal succeeds; after that, its error says that it may or may not have been done."""
    with small_disk(folder / "filled", "2m") as mounted:
        if not mounted:
            return
        store = folder / "filled" / "store"
        benzer("index", store, "-", "--create", "--quiet", input=documents(0, 300))
        filler = (folder / "filled" / "filler").open("wb", buffering=0)
        with filler:
            try:
                while filler.write(bytes(4096)):
                    pass
            except OSError:
                pass
        removed = refused = 0
        for number in range(140):
            done = benzer("remove", store, f"d{number}")
            is_gone = f"d{number}" not in ids(store)
            if done.returncode == 0:
                removed += 1
                report.check(is_gone, f"d{number} is there, and its removal was acknowledged")
                report.check(one_sentence(done.stderr, "everything is stored", "No space left"), f"a removal said {done.stderr!r}")
            else:
                refused += 1
                report.check(done.returncode == STORAGE_FAILED, f"a removal ended with {done.returncode}")
                report.check(one_sentence(done.stderr, "may be there or not", "No space left"), f"a removal said {done.stderr!r}")
        report.check(removed > 20, f"only {removed} removals succeeded")
        report.check(refused > 20, f"only {refused} removals were refused")
        report.row("No space left on device", removed, len(ids(store)), f"refused {refused} removals")
        (folder / "filled" / "filler").unlink()
        done = benzer("remove", store, *[f"d{number}" for number in range(140)])
        report.check(done.stderr.count("everything is stored") == 0, f"with space again it said {done.stderr!r}")
        report.check(len(ids(store)) == 160, f"with space again {len(ids(store))} are left")
        looked = benzer("stats", store, "--json")
        report.check(json.loads(looked.stdout)["maintenance_problem"] is None, f"with space again: {looked.stdout}")


def test_largest_file(report: Report, folder: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    store = folder / "limited"
    fill(report, store, "File too large", preexec_fn=limit)
    goes_on(report, store, "a limit of file sizes")


def test_no_descriptors(report: Report, folder: Path) -> None:
    """With any number of descriptors a command works, or says in one sentence what it lacks. With three the program cannot even be loaded."""
    store = folder / "descriptors"
    benzer("index", store, "-", "--create", "--quiet", *SMALL_TABLES, input=documents(0, 1000))
    written = 1000
    refused = 0
    for most in range(4, 24):
        def limit(most: int = most) -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

        more = folder / "more.jsonl"
        more.write_bytes(documents(written, 100))
        done = benzer("index", store, more, "--quiet", *SMALL_TABLES, preexec_fn=limit)
        if done.returncode == 0:
            written += 100
        else:
            refused += 1
            report.check(one_sentence(done.stderr, "Too many open files"), f"{most} descriptors: it said {done.stderr!r}")
            report.check(done.returncode == STORAGE_FAILED, f"{most} descriptors: it ended with {done.returncode}")
        sound = benzer("verify", store)
        report.check(sound.returncode == 0, f"{most} descriptors: verify ended with {sound.returncode}: {sound.stderr}")
    report.check(refused > 0, "there were always enough descriptors")
    report.check({f"d{number}" for number in range(written)} <= set(ids(store)), "acknowledged documents are lost")
    report.row("Too many open files", written, len(ids(store)), f"refused {refused} times")


def main() -> int:
    report = Report("the system says        ", "acknowledged", "there", "benzer says, behind the name of the store")
    folder = scratch("store-full-disk")
    test_full_disk(report, folder)
    test_removal_on_a_full_disk(report, folder)
    test_largest_file(report, folder)
    test_no_descriptors(report, folder)
    shutil.rmtree(folder)
    return report.finish()


if __name__ == "__main__":
    sys.exit(run_test(main))
