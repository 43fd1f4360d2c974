#!/usr/bin/env python3
# labels: dedup io slow
"""Tests `benzer dedup --work`: a run that was killed, shared among processes, or whose stages were damaged, gives when it
is resumed the same bytes as an undisturbed run without a work folder.

The program is BENZER or the release build. Random choices are seeded (BENZER_SEED), but how far a killed process got
depends on the machine. Prints "N passed, N failed".
"""
from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import run_test
from resume_runs import SEED, SMALL_BLOCKS, Faults, Runs, differences, kill_at_any_moment, run_all

KILLS = 20


def test_killed_at_any_moment() -> Faults:
    runs = Runs("killed", 5_000_000)
    expected = runs.run()
    if expected.code != 3 or not expected.files[2] or expected.summary["removed"] < 1000:
        yield f"not what was meant: {expected.code} {expected.summary}"
    yield from kill_at_any_moment(runs, expected, KILLS)


def test_killed_while_logs_grow() -> Faults:
    """Many small records, and all kills within the first stage: most of them happen while a log grows."""
    runs = Runs("growing", 1_000_000)
    expected = runs.run(*SMALL_BLOCKS)
    runs.work()
    started = time.monotonic()
    runs.stage("--work", "work", *SMALL_BLOCKS)
    whole = time.monotonic() - started
    chance = random.Random(SEED)
    runs.work()
    for kill in range(KILLS):
        process = runs.start("--stage", "sketch", "--json", "--resume", "--work", "work", *SMALL_BLOCKS)
        try:
            process.wait(whole * chance.random() * 0.7)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        runs.end(process)
        if len(runs.stages()) > 3 and chance.random() < 0.5:
            yield from differences(runs.run("--work", "work", "--resume", *SMALL_BLOCKS), expected, f"after kill {kill}")
            runs.work()
    yield from differences(runs.run("--work", "work", "--resume", *SMALL_BLOCKS), expected, "in the end")


def test_finished_stages_stay_as_they_are() -> Faults:
    """Later runs that read them change no byte of them."""
    runs = Runs("finished")
    expected = runs.run()
    runs.work()
    sketched = runs.stage("--work", "work")
    if sketched.code != 3 or sketched.summary["documents"] != expected.summary["documents"]:
        yield f"the stage: {sketched}"
    stages = {name: (runs.path / "work" / name).read_bytes() for name in runs.stages()}
    if list(stages) != [f"benzer-sketch-{i:06}" for i in range(len(runs.inputs))]:
        yield f"stages: {list(stages)}"
    # A first stage takes about 570 bytes a document, and the ids and problems.
    if not 560 < sum(map(len, stages.values())) / sketched.summary["documents"] < 620:
        yield f"{sum(map(len, stages.values())) / sketched.summary['documents']} bytes a document"
    for options in (["--stage", "sketch"], ["--dry-run"], ["--stage", "sketch", "--part", "2/2"]):
        runs.end(runs.start("--resume", "--work", "work", "--json", *options))
        if {name: (runs.path / "work" / name).read_bytes() for name in stages} != stages:
            yield f"{options} changes stages"
    yield from differences(runs.run("--resume", "--work", "work"), expected, "in the end")
    if runs.stages():
        yield f"left: {runs.stages()}"


def test_parts_at_the_same_time() -> Faults:
    runs = Runs("parts", 1_000_000)
    expected = runs.run()
    for parts, given in ((3, (1, 2, 3)), (7, range(1, 8)), (3, (1, 3))):  # the last case leaves out a part
        runs.work()
        running = [runs.start("--stage", "sketch", "--part", f"{part}/{parts}", "--work", "work", "--json") for part in given]
        documents = sum(runs.end(process).summary["documents"] for process in running)
        if len(given) == parts and documents != expected.summary["documents"]:
            yield f"{parts} parts have {documents} documents"
        yield from differences(runs.run("--resume", "--work", "work"), expected, f"{parts} parts")
        if runs.stages():
            yield f"left: {runs.stages()}"
    # A part that is run a second time, and one in which a process was killed.
    runs.work()
    for _again in range(2):
        runs.stage("--part", "1/2", "--work", "work")
    runs.stage("--part", "2/2", "--work", "work", "--resume")
    yield from differences(runs.run("--resume", "--work", "work"), expected, "parts again")


def damage(path: Path, chance: random.Random) -> str:
    data = bytearray(path.read_bytes())
    how = chance.choice(["flip", "flip", "flip", "cut", "cut", "empty", "magic", "tail"])
    if how == "flip":
        at = chance.choice([chance.randrange(len(data)), chance.randrange(min(len(data), 200))])
        data[at] ^= 1 << chance.randrange(8)
        how = f"flip at {at}"
    elif how == "cut":
        del data[chance.randrange(len(data)):]
    elif how == "empty":
        data.clear()
    elif how == "magic":
        data[:8] = b"BENZLOG9"
    else:
        data += chance.randbytes(chance.randrange(1, 100))
    path.write_bytes(data)
    return f"{path.name}: {how}"


def test_damaged_stages() -> Faults:
    runs = Runs("damaged", 100_000)
    expected = runs.run(*SMALL_BLOCKS)
    sound = runs.work("sound")
    runs.stage("--work", "sound", *SMALL_BLOCKS)
    chance = random.Random(SEED)
    for _ in range(40):
        shutil.copytree(sound, runs.work(), dirs_exist_ok=True)
        done = []
        for path in chance.sample(sorted((runs.path / "work").iterdir()), chance.randint(1, 3)):
            if chance.random() < 0.3:
                path = path.rename(path.with_name(path.name + ".growing"))
            done.append(damage(path, chance))
        if chance.random() < 0.5:
            runs.stage("--resume", "--work", "work", *SMALL_BLOCKS)  # repairs the stage
        yield from differences(runs.run("--resume", "--work", "work", *SMALL_BLOCKS), expected, str(done))
        if runs.stages():
            yield f"{done}: left: {runs.stages()}"


def test_options_and_references() -> Faults:
    runs = Runs("options")
    first, *others = runs.inputs
    cases = [(runs.inputs, ["--by", "lang"]), (runs.inputs, ["--keep", "max:score,longest"]),
             (runs.inputs, ["--keep", "min:score,max:id", "--by", "lang", "--threads", "1"]),
             (runs.inputs, ["--memory-limit", "64M"]), (runs.inputs, ["--cluster", "components", "--threshold", "0.6"]),
             (runs.inputs, ["--features", "text:char5", "--sketch", "kperm:64", "--seed", "3"]),
             (others, ["--against", first]), (others, ["--against", first, "--by", "lang", "--keep", "max:score", *SMALL_BLOCKS])]
    for inputs, options in cases:
        expected = runs.run(*options, inputs=inputs)
        if not expected.files[0]:
            yield f"{options}: {expected}"
        runs.work()
        yield from differences(runs.run("--work", "work", *options, inputs=inputs), expected, f"{options} with a folder")
        runs.stage("--part", "1/2", "--work", "work", *options, inputs=inputs)
        yield from differences(runs.run("--resume", "--work", "work", *options, inputs=inputs), expected, f"{options} half done")
        runs.stage("--work", "work", *options, inputs=inputs)
        yield from differences(runs.run("--resume", "--work", "work", *options, inputs=inputs), expected, f"{options} done")


def test_other_settings_of_later_stages() -> Faults:
    """A stage serves every threshold, and inputs may be appended."""
    runs = Runs("later")
    for options in (["--threshold", "0.6"], ["--recall", "0.9", "--keep", "longest"], ["--short", "drop"], ["--bands", "32x4"]):
        expected = runs.run(*options)
        runs.work()
        runs.stage("--work", "work", inputs=runs.inputs[:3])
        yield from differences(runs.run("--resume", "--work", "work", *options), expected, str(options))


def main() -> int:
    return run_all(globals())


if __name__ == "__main__":
    sys.exit(run_test(main))
