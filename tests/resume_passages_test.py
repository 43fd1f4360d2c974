#!/usr/bin/env python3
# labels: passages io slow
"""Tests `benzer passages --work`: a run that was killed, or whose stages were damaged, gives when it is resumed the same
bytes as an undisturbed run without a work folder.

The program is BENZER or the release build. Random choices are seeded (BENZER_SEED), but how far a killed process got
depends on the machine. Prints "N passed, N failed".
"""
from __future__ import annotations

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from resume_runs import SEED, SMALL_BLOCKS, Faults, Result, Runs, differences, kill_at_any_moment, run_all

KILLS = 5
REMOVAL = ("passages", "--remove", "--allow-large-clusters", "--min-words", "12")
LISTING = ("passages", "--min-words", "12")
SEED_FILE, EQUAL, READ = "benzer-passages-seed", "benzer-passages-equal", "benzer-sketch-000002"


def expected_of(runs: Runs, *options: str) -> Result:
    expected = runs.run(*options)
    if expected.code != 3 or expected.summary["passages"] < 1000:
        raise RuntimeError(f"not what was meant: {expected.code} {expected.summary} {expected.said}")
    return expected


def test_killed_while_passages_are_removed() -> Faults:
    runs = Runs("passages_removed", 2_000_000, REMOVAL)
    yield from kill_at_any_moment(runs, expected_of(runs), KILLS)


def test_killed_while_near_passages_are_listed() -> Faults:
    runs = Runs("passages_near", 1_000_000, LISTING)
    yield from kill_at_any_moment(runs, expected_of(runs, "--gap", "3"), KILLS, "--gap", "3")


def test_killed_while_memory_is_limited() -> Faults:
    runs = Runs("passages_limited", 1_000_000, LISTING)
    yield from kill_at_any_moment(runs, expected_of(runs), KILLS, *SMALL_BLOCKS)


def test_damaged_stages_are_done_again() -> Faults:
    runs = Runs("passages_damaged", 100_000, REMOVAL)
    runs.work()
    tried = runs.end(runs.start("--dry-run", "--json", "--work", "work"))  # leaves all of its stages
    kept = {name: (runs.path / "work" / name).read_bytes() for name in runs.stages()}
    if tried.code != 3 or not {SEED_FILE, EQUAL, READ} <= kept.keys():
        yield f"not what was meant: {tried.code} {tried.said} {kept.keys()}"
    expected = expected_of(runs)
    chance = random.Random(SEED)
    for name in (SEED_FILE, EQUAL, READ):
        for cut in (True, False) * 6:
            runs.work()
            for each, data in kept.items():
                if each == name:
                    at = chance.randrange(len(data))
                    data = data[:at] if cut else data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
                (runs.path / "work" / each).write_bytes(data)
            yield from differences(runs.run("--resume", "--work", "work"), expected, f"{name} damaged, cut {cut}")


def test_what_was_found_is_used() -> Faults:
    """A run with all stages of an earlier one reads its log of runs, and writes nothing to it."""
    runs = Runs("passages_used", 100_000, REMOVAL)
    runs.work()

    def dry_run(*options: str) -> Result:
        return runs.end(runs.start("--dry-run", "--json", "--work", "work", *options))

    first = dry_run()
    before = {name: (runs.path / "work" / name).read_bytes() for name in runs.stages()}
    yield from differences(dry_run("--resume"), first, "a dry run again")
    after = {name: (runs.path / "work" / name).read_bytes() for name in runs.stages()}
    if not before or before != after:
        yield f"stages changed: {[name for name in before if before[name] != after.get(name)]}"
    runs.words = (*REMOVAL[:-1], "30")
    other = dry_run("--resume")
    runs.words = REMOVAL
    if other.code != 2 or "'shingle=4'" not in other.said[-1]:
        yield f"another length: {other.code} {other.said}"
    # Without the seed the rest is worth nothing, and is done again.
    (runs.path / "work" / SEED_FILE).unlink()
    yield from differences(dry_run("--resume"), first, "a lost seed")
    refused = dry_run()
    if refused.code != 2 or "--resume" not in refused.said[-1]:
        yield f"without --resume: {refused.code} {refused.said}"


if __name__ == "__main__":
    sys.exit(run_all(globals()))
