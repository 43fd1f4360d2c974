#!/usr/bin/env python3
# labels: dedup io slow
"""Runs random collections with random options, and checks the results against what docs/ promises (tests/oracle).

    random_options_test.py [--rounds N | --seconds N] [--seed S] [--without WORD,...] [-v]

Round i has the seed S + i, which decides everything except when a process is killed. One round is repeated with
`--seed SEED --rounds 1`. --without leaves something out of all cases, such as against, by, html, report, huge, dirt,
memory or signatures, to narrow down a fault. The program is BENZER or the release build; a report of a sanitizer is a
fault, too.

Of the pairs that the bands may miss, as many must be found as the curve promises (tests/oracle/misses.py).

Prints "N passed, N failed".
"""
from __future__ import annotations

import os
import shutil
import sys
import time
import traceback
from pathlib import Path

try:
    import regex  # noqa: F401
    import xxhash  # noqa: F401
except ImportError:  # Debian installs these packages for its own interpreter
    if sys.executable != "/usr/bin/python3" and Path("/usr/bin/python3").exists():
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    print("SKIPPED: random options (needs the Python packages xxhash and regex)\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

sys.path.insert(0, str(Path(__file__).resolve().parent / "oracle"))
from campaign import again, read_options, seeds
from misses import allowed_misses
from rounds import Round

ROUNDS = 60


def main() -> int:
    options = read_options(ROUNDS)
    began = time.monotonic()
    passed = failed = missed = counted = 0
    expected = 0.0
    rounds = 0
    for seed in seeds(options):
        rounds += 1
        one = Round(seed, options.without)
        try:
            faults = list(one.faults())
        except Exception as error:  # an error of the program, or of the test itself
            faults = [f"{error}" if isinstance(error, RuntimeError) else traceback.format_exc()]
        missed += one.missed
        counted += len(one.promised)
        expected += sum(1 - p for p in one.promised)
        if options.v:
            print(f"{seed}: {one.commands[0]}", flush=True)
        if faults:
            failed += 1
            print(f"FAILED: seed {seed}: {faults[0]}")
            for fault in faults[1:5]:
                print(f"    {fault}")
            for command in one.commands:
                print(f"    $ {command}")
            print(f"    in {one.folder}; again: BENZER={os.environ.get('BENZER', '')} tests/random_options_test.py "
                  f"{again(options, seed)}", flush=True)
        else:
            passed += 1
            shutil.rmtree(one.folder)
    print(f"{rounds} rounds in {time.monotonic() - began:.0f} s; of {counted} pairs that may be missed, "
          f"{missed} were, {expected:.1f} are promised at most")
    if missed > allowed_misses(expected):
        failed += 1
        print(f"FAILED: more than {allowed_misses(expected):.1f} are no chance")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
