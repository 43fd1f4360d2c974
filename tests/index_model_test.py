#!/usr/bin/env python3
# labels: store engine slow
"""Compares a store with a model of it: random commands by several processes, kills, damaged and exchanged files, and a failing disk.

    index_model_test.py [--rounds N | --seconds N] [--seed S] [--without WORD,...] [-v]

Round i has the seed S + i, which decides everything except when a process is killed and how concurrent ones take turns. One round is
repeated with `--seed SEED --rounds 1`. --without leaves steps out, by their names in tests/index_model/steps.py: kill, damage,
serve, unreadable_pages and so on. A round that fails keeps its folder, with all commands as a shell script. The program is BENZER
or the release build; a report of a sanitizer is a finding, too.

No answer may have a wrong score or a document that does not exist, and equal documents are always found. The bands may miss some
other pairs: the number of misses in all rounds must agree with the curve, as in random_options_test.py.

The failing disk is a file system of this test (tests/index_model/failing_disk.py), which only root or a user namespace may mount.

Prints "N passed, N failed[, N skipped]".
"""
from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "index_model"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "oracle"))
from campaign import again, read_options, seeds
from failing_disk import FailingDisk, own_mounts
from misses import allowed_misses
from program import Finding
from steps import Round

ROUNDS = 10
LAST_LINES = 25  # lines of the script that are printed


def can_mount() -> str:
    """Returns an empty string, or why the failing disk cannot be mounted."""
    if refused := own_mounts():
        return refused
    folder = Path("/tmp" if not os.environ.get("TMPDIR") else os.environ["TMPDIR"]) / f"benzer-can-mount-{os.getpid()}"
    try:
        with FailingDisk(folder / "behind", folder / "mounted"):
            return ""
    except OSError as error:
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tell(one: Round, problem: str, options: argparse.Namespace) -> None:
    script = one.folder / "steps.sh"
    words = [f"#!/bin/sh\n# benzer is {one.program.environment() or 'build/release/benzer'}\nset -x\n", *(f"{line}\n" for line in one.program.script)]
    script.write_text("".join(words), encoding="utf-8", errors="surrogateescape")
    print(f"FAILED: seed {one.seed}: {problem[:6000]}")
    for line in one.program.script[-LAST_LINES:]:
        print(f"    $ {line[:300]}")
    print(f"    all of it: {script}; again: BENZER={one.program.environment()} tests/index_model_test.py {again(options, one.seed)}",
          flush=True)


def main() -> int:
    options = read_options(ROUNDS)
    began = time.monotonic()
    refused = can_mount()
    passed = failed = missed = counted = 0
    expected = 0.0
    steps: Counter = Counter()
    asked: Counter = Counter()
    rounds = operations = 0
    for seed in seeds(options):
        rounds += 1
        one = Round(seed, not refused, options.without)
        started = time.monotonic()
        try:
            one.run()
            passed += 1
            shutil.rmtree(one.folder)
        except Finding as finding:
            failed += 1
            tell(one, str(finding), options)
        except Exception:  # an error of the test itself
            failed += 1
            tell(one, traceback.format_exc(), options)
        except BaseException:  # the test was interrupted
            shutil.rmtree(one.folder)
            raise
        if hasattr(one, "questions"):
            counted += len(one.misses.counted)
            missed += sum(not found for _, found in one.misses.counted.values())
            expected += sum(1 - p for p, _ in one.misses.counted.values())
            asked += one.questions.asked
            operations += one.model.changes + one.questions.documents
        steps.update(one.steps)
        if options.v:
            print(f"{seed}: {time.monotonic() - started:.1f} s, {len(one.steps)} steps, {len(one.model.documents)} documents", flush=True)
    print(f"{rounds} rounds with {sum(steps.values())} steps and {operations} operations in {time.monotonic() - began:.0f} s; of {counted} "
          f"pairs that may be missed, {missed} were, {expected:.1f} are promised at most")
    print("steps: " + ", ".join(f"{count} {name}" for name, count in sorted(steps.items())))
    print("questions: " + ", ".join(f"{count} {name}" for name, count in sorted(asked.items())))
    if missed > allowed_misses(expected):
        failed += 1
        print(f"FAILED: more than {allowed_misses(expected):.1f} are no chance")
    if refused:
        print(f"SKIPPED: the disk that fails cannot be mounted here: {refused}")
    print(f"{passed} passed, {failed} failed" + (", 1 skipped" if refused else ""))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
