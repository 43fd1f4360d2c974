#!/usr/bin/env python3
# labels: features sketch
"""Checks that the golden files are what docs/format.md defines, by recomputing them without the engine.

check_features.py needs the packages xxhash and regex. Debian installs them for its own interpreter,
which need not be the `python3` that runs this, so both are tried.

Prints "N passed, N failed[, N skipped]".
"""

import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True)


def interpreter_with(*packages):
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if run(python, "-c", "import " + ", ".join(packages)).returncode == 0:
                return python
        except OSError:
            continue
    return None


def check_features():
    """Returns whether features.json agrees with the definition, or None if the check is skipped."""
    python = interpreter_with("xxhash", "regex")
    if python is None:
        print("SKIPPED: check_features.py (needs the Python packages xxhash and regex)")
        return None
    done = run(python, FOLDER / "check_features.py")
    print("check_features.py: " + (done.stdout + done.stderr).decode("utf-8", "replace").rstrip())
    return done.returncode == 0


def check_sketches():
    done = run(sys.executable, FOLDER / "make_sketches.py")
    if done.returncode != 0:
        print("make_sketches.py: " + done.stderr.decode("utf-8", "replace").rstrip())
        return False
    made, found = done.stdout.splitlines(), (FOLDER / "sketches.json").read_bytes().splitlines()
    for number, (ours, theirs) in enumerate(zip(made, found), 1):
        if ours != theirs:
            print(f"sketches.json:{number}: defined {ours.decode()}, in the file {theirs.decode(errors='replace')}")
            return False
    print(f"make_sketches.py: {len(made)} lines, {len(found)} in the file")
    return len(made) == len(found)


def main():
    results = [check_features(), check_sketches()]
    skipped = results.count(None)
    print(f"{results.count(True)} passed, {results.count(False)} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if False in results else 0


if __name__ == "__main__":
    sys.exit(main())
