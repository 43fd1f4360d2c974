#!/usr/bin/env python3
"""Style as a test: what a reviewer should not have to say.

usage: lint.py [--all | --since COMMIT]
       lint.py --fix

  format     C++ as clang-format-19 writes it
  tidy       what clang-tidy-19 finds (.clang-tidy) in the files that differ from the main branch; in all
             of them with --all, in those changed since a commit with --since
  python     what ruff finds (ruff.toml)
  shell      what shellcheck finds (.shellcheckrc)
  web        web/ as prettier writes it
  rooms      includes of src/ are the arrows of the table in CONTRIBUTING.md; programs include the public
             headers only
  headers    every public header compiles alone
  imports    names that Python files take from each other are there, and each test is in the list of those
             that run
  size       at most 600 lines a file, and 120 columns in a page, but for tables and code
  sentences  no sentence of the library, or of what front ends share, names an option of the command line:
             that is Parameter{"name"}
  left-overs files of crashes and merges, empty files, marks of unfinished work, trailing blanks, tabs,
             paths of somebody's machine

--fix rewrites what clang-format, ruff and prettier can, and checks nothing else. A check whose program is
missing is skipped. Prints a line per finding and closes with "N passed, N failed, N skipped".
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path

import lint_imports
import lint_programs
import lint_rooms

ROOT = Path(__file__).resolve().parent.parent
SKIPPED_FOLDERS = {".git", ".venv", "build", "out", "__pycache__", "node_modules"}
CODE = {".h", ".cc", ".py", ".cmake", ".sh", ".sed"}
PAGES = {".md", ".txt", ".json", ".yml"}
MAX_LINES = 600
MAX_COLUMNS = 120
# Files that fuzzers, crashes, merges, patches and editors leave.
LEFTOVERS = ["crash-*", "leak-*", "oom-*", "timeout-*", "slow-unit-*", "core", "core.*", "vgcore.*", "*.orig", "*.rej",
             "*.bak", "*.swp", "*~", "nohup.out"]

OF_ALL_TARGETS = re.compile(r"target_compile_definitions\((?!benzer_build_flags)[^)]*?(?P<name>\b(?:BOOST|SIMDJSON|FMT)_\w+)"
                            r"|^#define (?P<defined>(?:BOOST|SIMDJSON|FMT)_\w+)", re.MULTILINE)
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
# Front ends may propose a whole command line.
WHOLE_COMMAND = re.compile(r"\bbenzer [a-z-]+ [^\"']*")
OPTION = re.compile(r'"(?:[^"]*[^"\w-])?--[a-z]')
SOMEBODYS_PATH = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")


def all_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            yield Path(folder, name).relative_to(ROOT)


def is_test_data(path):
    """Whether this is an input or a golden file, whose bytes are not checked."""
    return path.parts[0] == "tests" and path.suffix not in CODE


def cpp(files):
    return [f for f in files if f.suffix in (".h", ".cc")]


def check_headers(files):
    headers = [f for f in files if f.parts[:2] == ("include", "benzer")]
    compiler = os.environ.get("CXX", "g++")

    def compile_alone(path):
        command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Iinclude", "-x", "c++", "-"]
        source = f"#include <{path.relative_to('include')}>\n"
        run = subprocess.run(command, cwd=ROOT, input=source, capture_output=True, text=True)
        return None if run.returncode == 0 and not run.stderr else f"{path}: does not compile alone\n{run.stderr.strip()}"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [finding for finding in pool.map(compile_alone, headers) if finding]


def check_size(files):
    for path in files:
        if path.suffix in CODE or path.name in ("dev", "CMakeLists.txt"):
            lines = Path(ROOT, path).read_bytes().count(b"\n")
            if lines > MAX_LINES:
                yield f"{path}: {lines} lines; at {MAX_LINES} look for the second subject"


def check_columns(files):
    for path in files:
        if path.suffix != ".md" or is_test_data(path):
            continue
        in_code = False
        for number, line in enumerate(Path(ROOT, path).read_text(encoding="utf-8").split("\n"), 1):
            in_code ^= line.lstrip().startswith("```")
            if len(line) > MAX_COLUMNS and not in_code and not line.lstrip().startswith("|"):
                yield f"{path}:{number}: {len(line)} columns; pages have {MAX_COLUMNS}"


def check_leftovers(files):
    for path in files:
        if any(fnmatch(path.name, pattern) for pattern in LEFTOVERS):
            yield f"{path}: a left-over, to be removed"
        if is_test_data(path) or not (path.suffix in CODE | PAGES or path.name in ("dev", "run", "pre-commit", "Doxyfile")):
            continue
        text = Path(ROOT, path).read_text(encoding="utf-8")
        if not text:
            yield f"{path}: an empty file"
        if text and not text.endswith("\n"):
            yield f"{path}: no new line at the end"
        for number, line in enumerate(text.split("\n"), 1):
            if UNFINISHED.search(line):
                yield f"{path}:{number}: unfinished: {line.strip()}"
            if line != line.rstrip():
                yield f"{path}:{number}: trailing blanks"
            if "\t" in line:
                yield f"{path}:{number}: a tab"
            if SOMEBODYS_PATH.search(line):
                yield f"{path}:{number}: a path of somebody's machine: {line.strip()}"


def check_sentences(files):
    for path in cpp(files):
        # Pages of reports and experiments may name options: their readers use the command line. So may its help.
        shared = path.parts[:2] == ("apps", "shared")
        if path.parts[0] != "src" and not shared or path.stem.endswith(("_test", "_test_util")):
            continue
        if path.parts[1] in ("report", "research") or shared and path.stem.endswith("_table"):
            continue
        for number, line in enumerate(Path(ROOT, path).read_text(encoding="utf-8").split("\n"), 1):
            code = line.partition("//")[0]
            if OPTION.search(WHOLE_COMMAND.sub("", code) if shared else code):
                yield f"{path}:{number}: an option of the command line; name the parameter: {line.strip()}"


def check_definitions(files):
    """Definitions that change a library of headers are the same for all targets, as its functions are linked together."""
    for path in files:
        if path.suffix not in (".cmake", ".txt", ".cc", ".h"):
            continue
        text = Path(ROOT, path).read_text(encoding="utf-8")
        for found in OF_ALL_TARGETS.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{path}:{line}: {found['name'] or found['defined']} is for one part of the program; benzer_build_flags has what is for all"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("--fix", action="store_true")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--all", action="store_const", dest="since", const=None)
    scope.add_argument("--since")
    parser.set_defaults(since="")
    options = parser.parse_args()
    files = list(all_files())
    sources = cpp(files)
    checks = {
        "format": lambda: lint_programs.check_clang_format(ROOT, sources, options.fix),
        "tidy": lambda: lint_programs.check_clang_tidy(ROOT, sources, options.since),
        "python": lambda: lint_programs.check_ruff(ROOT, options.fix),
        "shell": lambda: lint_programs.check_shell(ROOT),
        "web": lambda: lint_programs.check_prettier(ROOT, options.fix),
        "rooms": lambda: lint_rooms.check_arrows(ROOT, sources),
        "headers": lambda: check_headers(files),
        "imports": lambda: [*lint_imports.check_imports(ROOT, files), *lint_imports.check_lists_of_tests(ROOT, files)],
        "size": lambda: [*check_size(files), *check_columns(files)],
        "definitions": lambda: check_definitions(files),
        "sentences": lambda: check_sentences(files),
        "left-overs": lambda: check_leftovers(files),
    }
    if options.fix:
        checks = {name: checks[name] for name in ("format", "python", "web")}
    failed = skipped = 0
    for name, check in checks.items():
        try:
            findings = list(check())
        except lint_programs.Skipped as reason:
            print(f"SKIPPED {name}: {reason}")
            skipped += 1
            continue
        for finding in findings:
            print(f"{name}: {finding}")
        failed += bool(findings)
    print(f"{len(checks) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
