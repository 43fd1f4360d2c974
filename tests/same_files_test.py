#!/usr/bin/env python3
# labels: cli
"""Checks that no command writes to a file that it reads, or two outputs to one file. Each option that names an output is tried with
each input and each other output of the same command, by the same name, another spelling, a symbolic and a hard link. The command
must refuse, and change nothing.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import program, run_test, scratch

LINES = '{"id":"a","text":"one two three four five six seven"}\n{"id":"b","text":"eight nine ten eleven twelve and more"}\n'

# For each command that writes: its arguments, its inputs ({} is replaced by the file) and the options that name an output. The
# files are valid, so that without the check the command would run.
READ = {"input": "a.jsonl", "--against": "b.jsonl", "--signatures": "a.sig", "+words": "w.words", "--frequencies": "a.freq", "report": "r.json", "--data": "texts"}
COMMANDS: dict[str, tuple[list[str], dict[str, list[str]], list[str]]] = {
    "dedup": (["a.jsonl", "--allow-large-clusters"],
              {"input": [], "--against": ["--against", "{}"], "--signatures": ["--signatures", "{}"],
               "+words": ["--features", "image:sift+words:{}"], "--frequencies": ["--features", "text:word5+tf-idf", "--frequencies", "{}"]},
              ["--output", "--removed", "--report", "--pairs", "--clusters"]),
    "pairs": (["a.jsonl"], {"input": [], "--against": ["--against", "{}"], "--signatures": ["--signatures", "{}"],
                            "+words": ["--features", "image:sift+words:{}"], "--frequencies": ["--features", "text:word5+tf-idf", "--frequencies", "{}"]}, ["--output"]),
    "passages": (["a.jsonl", "--remove"], {"input": [], "--against": ["--against", "{}"]}, ["--output", "--removed", "--report"]),
    "sketch": (["a.jsonl"], {"input": [], "--against": ["--against", "{}"], "--frequencies": ["--features", "text:word5+tf-idf", "--frequencies", "{}"]}, ["--output"]),
    "count-frequencies": (["a.jsonl"], {"input": []}, ["--output"]),
    "review": (["r.json"], {"report": []}, ["--answers"]),
    "train-words": (["a.jsonl"], {"input": []}, ["--output"]),
    "eval": (["course-lengths"], {"--data": ["--data", "{}"]}, ["--out", "--html"]),
    "clusters": (["store"], {}, ["--output"]),
}
# Options that need no row: their commands write no file that the command line names, or only look at the files of these options.
READ_ONLY = {"--like", "--ids", "--ca-file", "--keys", "--tls-certificate", "--tls-key", "--work"}
TWINS: dict[str, Callable[[str], str]] = {"--output": lambda p: p + ".removed.jsonl", "--report": lambda p: re.sub(r"\.html$", "", p) + ".json"}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(program()), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def spellings(name: str) -> list[str]:
    """Returns other names of the same file; makes the links."""
    if Path(name).is_dir():
        return [name, f"./{name}/../{name}"]
    for link, make in ((f"soft-{name}", os.symlink), (f"hard-{name}", os.link)):
        if not Path(link).exists():
            make(name, link)
    return [name, f"./texts/../{name}", f"soft-{name}", f"hard-{name}"]


def main() -> int:
    os.chdir(scratch("files"))
    Path("a.jsonl").write_text(LINES)
    Path("b.jsonl").write_text(LINES.replace("one", "two"))
    Path("w.words").write_text("no vocabulary")
    Path("texts").mkdir()
    Path("texts/1.txt").write_text("some text")
    wrong: list[str] = []
    passed = 0
    for words in (["sketch", "a.jsonl", "-o", "a.sig"], ["dedup", "a.jsonl", "--dry-run", "--report", "r.html"],
                  ["index", "store", "a.jsonl", "--create"], ["count-frequencies", "a.jsonl", "-o", "a.freq"]):
        if run(*words).returncode != 0:
            wrong.append(f"not what was meant: {words}")

    def expect_refused(*words: str) -> None:
        nonlocal passed
        before = files()
        result = run(*words)
        if result.returncode != 2 or len(result.stderr.splitlines()) != 1:
            wrong.append(f"{' '.join(words)}: {result.returncode} {result.stderr}")
        elif files() != before:
            wrong.append(f"{' '.join(words)}: files were changed")
        else:
            passed += 1

    for command, (words, reads, writes) in COMMANDS.items():
        needed = [] if "--output" not in writes or command in ("pairs", "clusters") else ["--output", "out.jsonl"]
        for write in writes:
            more = [] if write == "--output" else needed
            for read, options in reads.items():
                for name in spellings(READ[read]):
                    target = name + "/x.html" if (read, write) == ("--data", "--html") else name
                    expect_refused(command, *words, *(option.format(READ[read]) for option in options), write, target, *more)
            for other in writes:
                if other == write or {other, write} == {"--out", "--html"}:
                    continue
                rest = [] if "--output" in (write, other) else needed
                expect_refused(command, *words, write, "x.html", other, "./texts/../x.html", *rest)
            if write in TWINS and command == "dedup":
                for other in writes:
                    if other not in (write, "--removed" if write == "--output" else write):
                        expect_refused(command, *words, write, "x.html", other, TWINS[write]("x.html"), *([] if "--output" in (write, other) else needed))
    expect_refused("clusters", "store", "-o", "store/out")
    expect_refused("pairs", "store", "-o", "store/BENZER")
    expect_refused("snapshot", "store", "store/copy")
    expect_refused("snapshot", "store", "./store")
    expect_refused("review", "r.json", "--answers", "-")
    expect_refused("eval", "blog-jaccard", "--out", "figures", "--html", "./figures/blog-jaccard.json")
    # The files that a run keeps in its work folder.
    Path("work").mkdir()
    os.link("a.jsonl", "work/benzer-verify")
    expect_refused("dedup", "a.jsonl", "-o", "out.jsonl", "--work", "work")
    os.remove("work/benzer-verify")
    for name in ("benzer-verify", "benzer-sketch-000000", "benzer-sketch-000000.growing"):
        expect_refused("dedup", "a.jsonl", "-o", "out.jsonl", "--pairs", f"work/{name}", "--work", "work")
        expect_refused("dedup", "a.jsonl", "-o", f"work/{name}", "--work", "work")
        os.symlink(f"work/{name}", "linked.jsonl")
        expect_refused("dedup", "a.jsonl", "-o", "linked.jsonl", "--work", "work")
        os.remove("linked.jsonl")
    expect_refused("dedup", "texts", "-o", "out.txt", "--work", "texts")
    # A link may lead to a file that is not there yet.
    os.symlink("linked.jsonl", "twice.jsonl")
    os.symlink("texts/linked.txt", "linked.jsonl")
    expect_refused("dedup", "texts", "-o", "twice.jsonl")
    expect_refused("dedup", "a.jsonl", "-o", "twice.jsonl", "--pairs", "texts/linked.txt")
    os.remove("twice.jsonl")
    os.remove("linked.jsonl")
    passages = ("passages", "--min-words", "10", "--work", "work")
    for name in ("benzer-passages-equal", "benzer-passages-near", "benzer-passages-seed", "benzer-passages-seed.growing",
                 "benzer-sketch-000000", "benzer-sketch-000000.growing"):
        kept = f"work/{name}"
        expect_refused(*passages, "a.jsonl", "-o", kept)
        expect_refused(*passages, "a.jsonl", "--annotate", "-o", kept)
        expect_refused(*passages, "a.jsonl", "-o", "out.jsonl", "--report", kept)
        expect_refused(*passages, "a.jsonl", "--remove", "-o", kept)
        expect_refused(*passages, "a.jsonl", "--remove", "-o", "out.jsonl", "--removed", kept)
        # Other names of the output: a link to a name that is free, and the lists that are named after the output.
        os.symlink(kept, "linked.jsonl")
        os.symlink(kept, "named.jsonl.removed.jsonl")
        os.symlink(kept, "listed.jsonl.skipped.jsonl")
        for output in ("linked.jsonl", "named.jsonl", "listed.jsonl"):
            expect_refused(*passages, "a.jsonl", "--remove", "-o", output)
        for link in ("linked.jsonl", "named.jsonl.removed.jsonl", "listed.jsonl.skipped.jsonl"):
            os.remove(link)
        Path(kept).unlink(missing_ok=True)
        os.link("b.jsonl", kept)
        expect_refused(*passages, kept, "--format", "jsonl", "-o", "out.jsonl")
        expect_refused(*passages, "a.jsonl", "--against", kept, "--format", "jsonl", "-o", "out.jsonl")
        expect_refused(*passages, "b.jsonl", "--remove", "-o", "out.jsonl")
        Path(kept).unlink(missing_ok=True)
    for folder in ("texts", "texts/work"):
        Path("texts/work").mkdir(exist_ok=True)
        expect_refused("passages", "texts", "-o", "out.jsonl", "--work", folder)
        expect_refused("passages", "a.jsonl", "--against", "texts", "-o", "out.jsonl", "--work", folder)
    # pairs keeps nothing in its work folder, so any name and place will do.
    if run("pairs", "texts", "-o", "work/benzer-verify", "--work", "work").returncode != 0:
        wrong.append("pairs: the name of a file that only dedup keeps was refused")
    passed += 1

    # A new option must be in the table.
    known = {option for _, reads, writes in COMMANDS.values() for option in (*reads, *writes)} | READ_ONLY
    for command in re.findall(r"^  ([a-z-]+) ", run("--help").stdout, re.MULTILINE):
        for option in re.findall(r"(--[a-z-]+) (?:FILE|DIR)\b", run(command, "--help-all").stdout):
            if option not in known or (command in COMMANDS and option not in READ_ONLY and option not in (*COMMANDS[command][1], *COMMANDS[command][2])):
                wrong.append(f"{command} {option} is not in the table")
            else:
                passed += 1
    for sentence in wrong:
        print(f"FAILED: {sentence}")
    print(f"{passed} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(run_test(main))
