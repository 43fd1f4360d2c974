#!/usr/bin/env python3
# labels: dedup io
"""Tests `benzer dedup --work` with bad arguments: inputs without documents behave as without --work; stages that do not
fit, options that contradict each other and unusable folders are refused in one sentence.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import fcntl
import gzip
import os
import resource
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import program, run_test
from resume_runs import OUTPUTS, SMALL_BLOCKS, Faults, Runs, Texts, differences, run_all, write_corpus


def test_files_that_give_nothing() -> Faults:
    runs = Runs("nothing", 100_000)
    (runs.path / "empty.jsonl").write_bytes(b"")
    (runs.path / "mark.jsonl").write_bytes(b"\xef\xbb\xbf")
    (runs.path / "bad.jsonl").write_bytes(b"no json\n{]\n\n" + b"x" * 5000)
    (runs.path / "long.jsonl").write_bytes(b'{"id":"l","text":"' + b"long " * 400_000 + b'"}\n{"id":"m","text":"a b"}\n')
    packed = gzip.compress(Texts(7).lines(400_000, "g"), 1)
    (runs.path / "cut.jsonl.gz").write_bytes(packed[:-10_000])
    (runs.path / "rubbish.jsonl.gz").write_bytes(b"rubbish")
    runs.inputs = ["empty.jsonl", "cut.jsonl.gz", "bad.jsonl", "mark.jsonl", *runs.inputs, "long.jsonl", "rubbish.jsonl.gz"]
    options = ["--max-line", "1M", *SMALL_BLOCKS]
    for inputs in (runs.inputs, ["empty.jsonl"], ["bad.jsonl"], ["rubbish.jsonl.gz", "cut.jsonl.gz"]):
        expected = runs.run(*options, inputs=inputs)
        if expected.code != (0 if inputs == ["empty.jsonl"] else 3):
            yield f"not what was meant: {expected}"
        runs.work()
        runs.stage("--work", "work", *options, inputs=inputs)
        sound = runs.path / "sound"
        shutil.rmtree(sound, ignore_errors=True)
        shutil.copytree(runs.path / "work", sound)
        yield from differences(runs.run("--resume", "--work", "work", *options, inputs=inputs), expected, str(inputs[:2]))
        # As if killed at the very end of each file: only the mark of completeness is missing.
        for path in sound.iterdir():
            if path.suffix != ".growing":
                path.write_bytes(path.read_bytes()[:-24])
                path.rename(path.with_name(path.name + ".growing"))
        shutil.copytree(sound, runs.work(), dirs_exist_ok=True)
        for _again in range(2):
            runs.stage("--resume", "--work", "work", *options, inputs=inputs)
        yield from differences(runs.run("--resume", "--work", "work", *options, inputs=inputs), expected, f"{inputs[:2]} cut")
    # A reference must be undamaged, even if an earlier run has reported the damage.
    for resume in ([], ["--resume"]):
        refused = runs.run("--work", "work", *resume, *options, "--against", "cut.jsonl.gz", inputs=["a.jsonl"])
        if refused.code != 2 or "cut.jsonl.gz" not in refused.said[-1]:
            yield f"a cut reference: {refused.code} {refused.said}"


def test_a_file_that_cannot_be_opened() -> Faults:
    # Root may read everything, so the program runs as another user, in a folder where that user may write.
    runs = Runs("secret", 0)
    somebody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
    with tempfile.TemporaryDirectory() as folder:
        runs.path = Path(folder)
        runs.inputs = write_corpus(runs.path, 20_000)
        (runs.path / "c.jsonl").chmod(0)
        copied = shutil.copy(program(), runs.path / "program")
        runs.command = lambda *options, inputs=None: [copied, "dedup", *(inputs or runs.inputs), *options]
        runs.path.chmod(0o777)
        expected = runs.run(**somebody)
        if expected.code != 3 or not any("c.jsonl: the file cannot be opened" in said for said in expected.said):
            yield f"not what was meant: {expected}"
        runs.work().chmod(0o777)
        yield from differences(runs.run("--work", "work", **somebody), expected, "with a folder")
        runs.stage("--work", "work", **somebody)
        yield from differences(runs.run("--work", "work", "--resume", **somebody), expected, "gone on with")
        runs.work().chmod(0o555)
        refused = runs.run("--work", "work", **somebody)
        if refused.code != 2 or len(refused.said) != 1 or "--work 'work' is not allowed" not in refused.said[0]:
            yield f"a folder without permission: {refused}"


def test_refused() -> Faults:
    runs = Runs("refused", 20_000)
    a, b, c, d, e = runs.inputs
    (runs.path / "x.csv").write_text("id,text\n1,a b c\n")
    (runs.path / "x.txt").write_text("a b c")
    (runs.path / "x.jsonl").write_text('{"text":"a b c"}')
    sound = runs.work("sound")
    runs.stage("--work", "sound")
    shutil.copytree(sound, runs.path / "short")
    (runs.path / "short" / "benzer-sketch-000000").unlink()
    runs.work("fresh")
    resume = ["--resume", "--work", "sound"]
    fresh = ["--work", "fresh"]
    output = ["-o", OUTPUTS[0]]
    stage = ["--stage", "sketch"]
    cases = [
        (None, [*resume, "--features", "text:word4"], ["'features=text:word5'", "'features=text:word4'"]),
        (None, [*resume, "--features", "text:word5+html"], ["'features=text:word5'", "'features=text:word5+html'"]),
        (None, [*resume, "--sketch", "fss:64"], ["'sketch=fss:128'", "'sketch=fss:64'"]),
        (None, [*resume, "--seed", "5"], ["'features=text:word5'", "'features=text:word5+seed:5'"]),
        (None, [*resume, "--text", "body"], ["'text=text'", "'text=body'"]),
        (None, [*resume, "--id", "key"], ["'id=id'", "'id=key'"]),
        (None, [*resume, "--by", "lang"], ["'by='", "'by=lang'"]),
        (None, [*resume, "--keep", "max:score"], ["'numbers='", "'numbers=score'"]),
        (None, [*resume, "--max-line", "1M"], ["longest line"]),
        (None, [*resume, "--values", "tags"], ["features=text:word5", "features=values"]),
        ([a, b, c, d], resume, ["more inputs than the 4"]),
        ([a, b, c, d, "-"], resume, ["'standard input' can be read only once"]),
        ([b, a, c, d, e], resume, ["'a.jsonl'", "'b.jsonl.gz'"]),
        (["x.jsonl", a, b, c, d, e], resume, ["'a.jsonl'", "'x.jsonl'"]),
        (None, ["--work", "sound"], ["sound", "--resume"]),
        (None, [*stage, "--work", "sound"], ["sound", "--resume"]),
        (None, ["--work", "short"], ["short", "--resume"]),
        (None, ["--work", "none"], ["none", "No such file"]),
        (None, ["--work", a], ["a.jsonl", "name a folder"]),
        (None, ["--resume"], ["--resume", "--work DIR"]),
        (None, stage, ["--stage", "--work DIR"]),
        (None, [*fresh, "--part", "1/3"], ["--part", "--stage sketch"]),
        (None, [*fresh, "--stage", "other"], ["--stage 'other'", "sketch"]),
        *((None, [*fresh, *stage, "--part", part], [f"--part '{part}'", "3/10"])
          for part in ("0/3", "4/3", "x", "1/0", "3", "1/", "/3", "1/3/5", "-1/3", "1.5/3", " 1/3", "1/99999999999")),
        (None, [*fresh, *stage, *output], ["--output"]),
        (None, [*fresh, *stage, "--dry-run"], ["--dry-run"]),
        (["-"], [*fresh, "--resume", "--format", "jsonl"], ["read only once"]),
        (["-"], [*fresh, *stage], ["read only once"]),
        (["x.csv"], [*fresh, "--resume"], ["CSV", "JSON lines"]),
        (["x.csv"], [*fresh, *stage], ["CSV", "JSON lines"]),
        (["x.csv"], [*fresh, *stage, "--part", "1/2"], ["CSV", "JSON lines"]),
        (["x.txt"], [*fresh, "--resume"], ["texts", "JSON lines"]),
        (["x.txt"], [*fresh, *stage], ["text", "JSON lines"]),
        (None, [*fresh, "--features", "text:word5+drop-common:0.1"], ["+drop-common", "stages"]),
        (None, [*fresh, *stage, "--features", "text:word5+drop-common:0.1"], ["+drop-common"]),
        (None, [*fresh, "--features", "text:word5+tf-idf"], ["+tf-idf needs all documents", "stages"]),
    ]
    before = {path.name: path.read_bytes() for path in sound.iterdir()}
    for inputs, options, words in cases:
        if not set(options) & {"--stage", "--dry-run"}:
            options = [*output, *options]
        result = runs.end(runs.start(*options, inputs=inputs))
        # The bad lines of the files before the one that does not fit are reported, too.
        last = result.said[-1] if result.said else ""
        errors = [said for said in result.said if not said.endswith("was skipped")]
        if result.code != 2 or len(errors) != 1:
            yield f"{inputs} {options}: {result.code} {result.said}"
        elif missing := [word for word in words if word not in last]:
            yield f"{inputs} {options}: not said {missing}: {last}"
        if {path.name: path.read_bytes() for path in sound.iterdir()} != before:
            yield f"{inputs} {options}: stages were changed"
            break
        if any(result.files):
            yield f"{inputs} {options}: something was written"
    if runs.stages("fresh"):
        yield f"stages in the fresh folder: {runs.stages('fresh')}"

    path = runs.path / b
    status, data = path.stat(), path.read_bytes()
    os.utime(path)  # only the content counts
    yield from differences(runs.run("--dry-run", *resume), runs.run("--dry-run"), "another time")
    middle = len(data) // 2
    for change, changed in (("size", data + gzip.compress(b"\n")), ("content", data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:])):
        path.write_bytes(changed)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        result = runs.run(*resume)
        if result.code != 2 or f"the input '{b}' was changed" not in result.said[-1]:
            yield f"another {change}: {result.code} {result.said}"
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    yield from differences(runs.run(*resume), runs.run(), "as it was")


def test_another_run_in_the_folder() -> Faults:
    """Two runs would write into the same stages, and the first that ends would remove those of the other."""
    runs = Runs("busy", 20_000)
    expected = runs.run()
    runs.work()
    folder = os.open(runs.path / "work", os.O_RDONLY)
    whole, part = ["--work", "work"], ["--work", "work", "--part", "1/2"]
    for held, options, code in ((fcntl.LOCK_EX, whole, 11), (fcntl.LOCK_EX, [*whole, "--resume"], 11), (fcntl.LOCK_EX, part, 11),
                                (fcntl.LOCK_SH, whole, 11), (fcntl.LOCK_SH, part, 0)):
        fcntl.flock(folder, held)
        result = runs.stage(*options) if options == part else runs.run(*options)
        if result.code != code or code and (any(result.files) or "work: another run keeps its stages in this work folder" not in result.said[-1]):
            yield f"{options} with {held}: {result}"
    os.close(folder)
    yield from differences(runs.run(*whole, "--resume"), expected, "once it is free")


def test_read_once_and_other_formats_without_resume() -> Faults:
    """A work folder is also for the files of --memory-limit: inputs of other formats use it without stages."""
    runs = Runs("others", 20_000)
    (runs.path / "x.csv").write_text("id,text\n1,a b c d e f\n2,a b c d e f\n")
    for inputs, more in ((["x.csv"], []), (["a.jsonl", "-"], ["--format", "jsonl"])):
        expected = runs.run(*more, inputs=inputs)
        runs.work()
        yield from differences(runs.run("--work", "work", *more, inputs=inputs), expected, str(inputs))
        if runs.stages():
            yield f"{inputs}: left: {runs.stages()}"


def test_a_folder_that_cannot_be_written() -> Faults:
    runs = Runs("full")
    expected = runs.run()

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    runs.work()
    for _ in range(2):
        full = runs.stage("--work", "work", "--resume", preexec_fn=small_files, restore_signals=False)
        if full.code != 5 or "work/benzer-sketch-" not in full.said[-1] or "free space" not in full.said[-1]:
            yield f"a full disk: {full.code} {full.said}"
    yield from differences(runs.run("--resume", "--work", "work"), expected, "after a full disk")
    runs.work()
    (runs.path / "work" / "benzer-sketch-000002.growing").mkdir()
    blocked = runs.run("--work", "work", "--resume")
    if blocked.code != 5 or "benzer-sketch-000002.growing" not in blocked.said[-1] or blocked.files[0]:
        yield f"a folder in the place of a stage: {blocked.code} {blocked.said}"
    (runs.path / "work" / "benzer-sketch-000002.growing").rmdir()
    yield from differences(runs.run("--resume", "--work", "work"), expected, "after the folder was removed")


def main() -> int:
    return run_all(globals())


if __name__ == "__main__":
    sys.exit(run_test(main))
