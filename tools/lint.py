#!/usr/bin/env python3
"""Style as a test: what a reviewer should not have to say.

usage: lint.py [--fix]

  format     C++ as clang-format-19 writes it (--fix rewrites it)
  arrows     rooms include only what lies below them; programs include the public headers only
  headers    every public header compiles alone
  size       at most 600 lines a file
  left-overs marks of unfinished work, trailing blanks, tabs, paths of somebody's machine

Prints a line per finding and closes with "N passed, N failed".
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED_FOLDERS = {".git", ".venv", "build", "out", "__pycache__", "node_modules"}
CODE = {".h", ".cc", ".py", ".cmake", ".sh"}
PAGES = {".md", ".txt", ".json", ".yml"}
MAX_LINES = 600
CLANG_FORMAT = "clang-format-19"

# Arrows point from a higher room to a lower one, never sideways or up.
RANK = {"base": 0, "classics": 1, "image": 1, "features": 2, "sketch": 2, "lsh": 3, "verify": 3, "store": 3,
        "io": 4, "dedup": 4, "engine": 4, "eval": 5, "report": 5, "experiments": 6}
# Public headers that belong to a room at the top; the others are types that everybody shares.
PUBLIC_RANK = {"experiments.h": 6, "audit.h": 5, "forecast.h": 5, "report.h": 5, "review.h": 5, "input.h": 4, "dedup.h": 4,
               "guard.h": 4, "index.h": 4, "planner.h": 3, "similarity.h": 3, "classics": 1}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
SOMEBODYS_PATH = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")


def all_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            yield Path(folder, name).relative_to(ROOT)


def is_test_data(path):
    """Inputs and golden files keep their bytes, whatever they look like."""
    return path.parts[0] == "tests" and path.suffix not in CODE


def cpp(files):
    return [f for f in files if f.suffix in (".h", ".cc")]


def check_format(files, fix):
    if shutil.which(CLANG_FORMAT) is None:
        return [f"{CLANG_FORMAT} is not installed: ./dev setup lint"]
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    run = subprocess.run([CLANG_FORMAT, *mode, *map(str, cpp(files))], cwd=ROOT, capture_output=True, text=True)
    wrong = sorted({line.split(":")[0] for line in run.stderr.splitlines() if ": error:" in line})
    if run.returncode != 0 and not wrong:
        return [run.stderr.strip()]
    return [f"{path}: not as {CLANG_FORMAT} writes it (./dev format)" for path in wrong]


def check_arrows(files):
    for path in cpp(files):
        room = path.parts[1] if path.parts[0] == "src" else path.parts[0]
        # What sits beside a room to exercise it may look further than the room itself.
        exercise = re.search(r"_(test|fuzz|benchmark)\.cc$|_test_util\.h$", path.name) or path.parts[0] == "tests"
        if path.parts[0] == "src" and room not in RANK:
            yield f"{path}: the room '{room}' has no place in the order of rooms (tools/lint.py)"
            continue
        for bracket, name in INCLUDE.findall(Path(ROOT, path).read_text(encoding="utf-8")):
            target = name.split("/")[0]
            if target == "benzer":
                above = PUBLIC_RANK.get(name.split("/")[1], 0) > RANK.get(room, 9)
                if above and not exercise:
                    yield f"{path}: includes {name}, which belongs to a room above {room}"
            elif target not in RANK:
                if path.parts[0] == "src" and bracket == '"' and not exercise:
                    yield f'{path}: spell "{name}" from src/, as "{room}/..."'
            elif path.parts[0] in ("include", "apps", "examples") and not exercise:
                yield f"{path}: includes {name}; only <benzer/...> is public"
            elif target != room and RANK[target] >= RANK.get(room, 9) and not exercise:
                yield f"{path}: includes {name}, but {target} does not lie below {room}"


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


def check_leftovers(files):
    for path in files:
        if is_test_data(path) or not (path.suffix in CODE | PAGES or path.name in ("dev", "run")):
            continue
        text = Path(ROOT, path).read_text(encoding="utf-8")
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


def main():
    if sys.argv[1:] not in ([], ["--fix"]):
        sys.exit(__doc__)
    fix = sys.argv[1:] == ["--fix"]
    files = list(all_files())
    checks = {
        "format": lambda: check_format(files, fix),
        "arrows": lambda: check_arrows(files),
        "headers": lambda: check_headers(files),
        "size": lambda: check_size(files),
        "left-overs": lambda: check_leftovers(files),
    }
    failed = 0
    for name, check in checks.items():
        findings = list(check())
        for finding in findings:
            print(f"{name}: {finding}")
        failed += bool(findings)
    print(f"{len(checks) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
