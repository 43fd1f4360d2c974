#!/usr/bin/env python3
"""Runs the command line's end-to-end cases: tests/cli/*.test against one program.

    run.py PROGRAM [-v] [-k WORDS] [--without WORDS]... [--file NAME]... [--beside OTHER] [--patience N]

-k: cases with these words in their names; --without: but none with these; --file: those of this .test file;
--beside: each case is run by this program, too, and what both print and write is compared, in place of what the case says; --patience: a case may take N times as long as
it says, for programs with sanitizers.

As many cases at a time as there are cores.

A .test file holds cases. Each starts with its name and its command, which `sh -c` runs in a fresh
folder where `benzer` is the program:

    === dedup keeps the first of equal lines
    $ benzer dedup in.jsonl -o out.jsonl
    --- file in.jsonl
    {"id":1,"text":"one two three four five six"}
    --- stdout
    --- file-is out.jsonl
    {"id":1,"text":"one two three four five six"}

Sections, each ended by the next one:
    --- file NAME           makes the file before the command (folders are made as needed)
    --- base64 NAME         the same from base64, for packed and other odd bytes
    --- gzip NAME           the same, packed by Python; so do xz and bzip2
    --- exit N              the exit code, 0 if not given
    --- stdout              the whole of standard output; without the section it is not looked at
    --- stderr              the whole of standard error, likewise
    --- stdout~ , stderr~   each line is a regular expression that is found somewhere in it
    --- stdout!~, stderr!~  each line is one that is not found in it
    --- file-is NAME        the file holds exactly this afterwards
    --- file~ NAME          each line is a regular expression that is found in the file
    --- absent NAME...      no such files afterwards
    --- only NAME...        the folder holds exactly these afterwards
    --- json stdout|stderr  it is one JSON object; each line is a Python expression in which `j` is
                            that object, and must be true
    --- needs WORD...       root (can drop privileges), tmpfs (can mount one), zstd, stemming (in this build): else skipped
    --- seconds N           time limit, 20 if not given
"""

import argparse
import base64
import bz2
import concurrent.futures
import contextlib
import gzip
import itertools
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
SECTION = re.compile(r"^--- (\S+)(?: (.*))?$")


class Case:
    def __init__(self, source, name):
        self.source, self.name, self.command, self.sections = source, name, [], []


def parse(path):
    cases, lines = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("=== "):
            cases.append(Case(f"{path.name}:{number}", line[4:]))
            lines = None
        elif match := SECTION.match(line):
            lines = []
            cases[-1].sections.append((match[1], (match[2] or "").strip(), lines))
        elif lines is not None:
            lines.append(line)
        elif line.startswith("$ "):
            cases[-1].command.append(line[2:])
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{number}: neither a command nor in a section: {line}")
    for case in cases:  # blank lines before the next case belong to no section
        for _, _, lines in case.sections:
            while lines and not lines[-1].strip():
                lines.pop()
    return cases


def body(lines):
    return ("\n".join(lines) + "\n").encode() if lines else b""


def can_mount():
    if os.geteuid() != 0:
        return False
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder],
                              capture_output=True)
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)
        return done.returncode == 0


ABLE = {
    "root": lambda: os.geteuid() == 0 and shutil.which("setpriv") is not None,
    "tmpfs": can_mount,
    "zstd": lambda: shutil.which("zstd") is not None,
}
KNOWN_ABLE = {}


def able(word):
    if word not in KNOWN_ABLE:
        KNOWN_ABLE[word] = ABLE[word]()
    return KNOWN_ABLE[word]


def prepare(case, folder):
    makers = {"file": lambda lines: body(lines), "gzip": lambda lines: gzip.compress(body(lines), mtime=0),
              "xz": lambda lines: lzma.compress(body(lines)),
              "bzip2": lambda lines: bz2.compress(body(lines)),
              "base64": lambda lines: base64.b64decode("".join(lines))}
    for kind, name, lines in case.sections:
        if kind in makers:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(makers[kind](lines))


def found(pattern, text):
    return re.search(pattern, text, re.MULTILINE) is not None


def check(case, folder, done):
    """Yields a sentence for each difference from what the case expects."""
    streams = {"stdout": done.stdout, "stderr": done.stderr}
    text = {name: data.decode("utf-8", "replace") for name, data in streams.items()}
    wanted_exit = 0
    for kind, name, lines in case.sections:
        path = folder / name.split(" ")[0] if name else folder
        if kind == "exit":
            wanted_exit = int(name)
        elif kind in streams:
            if streams[kind] != body(lines):
                yield f"{kind} is not as written"
        elif kind in ("stdout~", "stderr~", "stdout!~", "stderr!~"):
            stream, wanted = kind[:6], not kind.endswith("!~")
            for pattern in lines:
                if found(pattern, text[stream]) != wanted:
                    yield f"{stream} {'lacks' if wanted else 'has'} /{pattern}/"
        elif kind == "file-is":
            if not path.exists():
                yield f"{name} does not exist"
            elif path.read_bytes() != body(lines):
                yield f"{name} is not as written, but:\n{path.read_text(errors='replace')}"
        elif kind == "file~":
            content = path.read_text(errors="replace") if path.exists() else ""
            for pattern in lines:
                if not found(pattern, content):
                    yield f"{name} lacks /{pattern}/:\n{content}"
        elif kind == "absent":
            for each in name.split():
                if (folder / each).exists():
                    yield f"{each} exists"
        elif kind == "only":
            there = sorted(p.name for p in folder.iterdir())
            if there != sorted(name.split()):
                yield f"the folder holds {' '.join(there)}"
        elif kind == "json":
            try:
                value = json.loads(text[name])
            except ValueError as error:
                yield f"{name} is not JSON: {error}"
                continue
            for expression in lines:
                if not eval(expression, {"j": value}):  # safe: the test files are our own
                    yield f"{name}: not true: {expression}"
        elif kind not in ("file", "base64", "gzip", "xz", "bzip2", "needs", "seconds"):
            yield f"unknown section {kind}"
    if done.returncode != wanted_exit:
        yield f"exit code {done.returncode} instead of {wanted_exit}"


PATIENCE = 1


def execute(case, programs, look):
    """Runs the commands in a fresh folder, and returns look(folder, output). Raises subprocess.TimeoutExpired."""
    limit = 20
    for kind, name, _ in case.sections:
        if kind == "seconds":
            limit = int(name)
    with tempfile.TemporaryDirectory(prefix="benzer-cli-") as temporary:
        os.chmod(temporary, 0o755)  # for cases that drop privileges
        folder = pathlib.Path(temporary) / "work"
        folder.mkdir()
        prepare(case, folder)
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": temporary, "LC_ALL": "C.UTF-8",
                       "TMPDIR": temporary}
        for name, value in os.environ.items():  # the options of sanitizers
            if name.endswith("SAN_OPTIONS"):
                environment[name] = value
        try:
            done = subprocess.run(["sh", "-c", "\n".join(case.command)], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE * limit)
        except subprocess.TimeoutExpired:
            end_processes_in(folder)
            raise
        return look(folder, done)


def end_processes_in(folder):
    """Kills what a case has left running, in process groups of its own, too."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if pathlib.Path(os.readlink(process / "cwd")).is_relative_to(folder):
                os.kill(int(process.name), signal.SIGKILL)


def run(case, programs):
    """Returns None if the case passed, otherwise what was wrong."""
    def look(folder, done):
        problems = list(check(case, folder, done))
        if not problems:
            return None
        return "\n".join(problems + ["-- stdout", done.stdout.decode("utf-8", "replace"), "-- stderr",
                                     done.stderr.decode("utf-8", "replace")])
    try:
        return execute(case, programs, look)
    except subprocess.TimeoutExpired as error:
        return f"still running after {error.timeout:g} s"


# What differs from run to run: times, memory, random seeds, folders.
CHANGES = re.compile(rb"benzer-cli-\w+|(?<![\d.])\d+(\.\d+)?(?= (s|ms|MB|kB|minutes?|documents a second)\b)|"
                     rb"(?<=[\"_]seconds\":)[-+.e\d]+|(?<=_bytes\":)\d+|\+seed:\d+|\"pid\":\d+")


def printed(case, programs):
    """Returns all that the case prints and writes, without what differs from run to run. For stores only the names: they have random keys."""
    def look(folder, done):
        out = {"exit code": str(done.returncode).encode(), "stdout": done.stdout, "stderr": done.stderr}
        for path in sorted(folder.rglob("*")):
            if any((above / "BENZER").exists() for above in path.parents if above != folder.parent):
                continue
            out[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else b""
        return {name: CHANGES.sub(b"~", content) for name, content in out.items()}
    return execute(case, programs, look)


def run_beside(case, programs, others):
    """Returns None if both programs print and write the same. A case whose output changes from run to run is ignored."""
    try:
        mine, theirs = printed(case, programs), printed(case, others)
        if mine == theirs or printed(case, others) != theirs:
            return None
    except subprocess.TimeoutExpired as error:
        return f"one of them is still running after {error.timeout:g} s"
    lines = []
    for name in sorted({*mine, *theirs}):
        if mine.get(name) == theirs.get(name):
            continue
        before, after = (side.get(name, b"(it is not there)").decode("utf-8", "replace").split("\n") for side in (theirs, mine))
        differing = [pair for pair in itertools.zip_longest(before, after, fillvalue="(no more lines)") if pair[0] != pair[1]]
        lines += [name, "  before " + differing[0][0][:300], "  now    " + differing[0][1][:300]]
    return "\n".join(lines)


def timed(case, programs, others):
    started = time.monotonic()
    problem = run_beside(case, programs, others) if others else run(case, programs)
    return problem, time.monotonic() - started


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("-v", action="store_true", dest="verbose")
    parser.add_argument("-k", dest="words", default="")
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--file", action="append", default=[], dest="files")
    parser.add_argument("--beside")
    parser.add_argument("--patience", type=int, default=1)
    options = parser.parse_args(arguments)
    global PATIENCE
    PATIENCE = options.patience
    program = pathlib.Path(options.program).resolve()
    if not os.access(program, os.X_OK):
        sys.exit(f"run.py: {program} is not a program")
    ABLE["stemming"] = lambda: b"stemming none" not in subprocess.run([program, "--version"], stdout=subprocess.PIPE).stdout
    # Cases send signals. A parent that ignores SIGINT, as the shell of a background job does, would pass that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for ignored in (signal.SIGHUP, signal.SIGQUIT):  # nohup, for example, ignores SIGHUP
        signal.signal(ignored, signal.SIG_DFL)
    passed = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="benzer-cli-") as programs:
        os.chmod(programs, 0o755)
        # A copy and not a link: a case without privileges may not be able to read the build folder.
        shutil.copy(program, pathlib.Path(programs) / "benzer")
        others = None
        if options.beside:
            others = pathlib.Path(programs) / "beside"
            others.mkdir()
            shutil.copy(options.beside, others / "benzer")
        files = [FOLDER / name for name in options.files] or sorted(FOLDER.glob("*.test"))
        cases = [case for path in files for case in parse(path)
                 if options.words in case.name and not any(words in case.name for words in options.without)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
            able_to_run = {}
            for case in cases:
                needs = [w for kind, name, _ in case.sections if kind == "needs" for w in name.split()]
                missing = [w for w in needs if not able(w)]
                if missing:
                    skipped += 1
                    print(f"SKIPPED {case.source} {case.name} (needs {' '.join(missing)})")
                else:
                    able_to_run[case] = workers.submit(timed, case, programs, others)
            for case, done in able_to_run.items():
                problem, seconds = done.result()
                if problem is None:
                    passed += 1
                    if options.verbose:
                        print(f"passed  {seconds:5.2f} s  {case.source} {case.name}")
                else:
                    failed += 1
                    print(f"FAILED  {case.source} {case.name}\n$ " + "\n  ".join(case.command))
                    print("\n".join("    " + line for line in problem.rstrip().split("\n")))
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
