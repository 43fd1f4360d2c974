#!/usr/bin/env python3
# labels: web
"""Tests the page of `benzer serve`: its types, its unit tests, and every view in a browser.

Needs Node.js 20.19, npm with its packages, and Chromium; without them it is skipped. The program is BENZER or the release build.
Screenshots of the views are kept in build/page-tests/pictures. Prints "N passed, N failed, N skipped".
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import program

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "page-tests"
PATIENCE_SECONDS = 600


def skip(why: str) -> int:
    print(f"SKIPPED: {why}")
    print("0 passed, 0 failed, 1 skipped")
    return 0


def node_version() -> tuple[int, ...]:
    if shutil.which("node") is None or shutil.which("npm") is None:
        return (0,)
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in said.strip().lstrip("v").split("."))


def main() -> int:
    if node_version() < (20, 19):
        return skip("the page needs Node.js 20.19 or newer, and npm")
    chromium = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    if shutil.which(chromium) is None:
        return skip(f"there is no {chromium}")
    for name in ("src", "e2e"):  # files that were deleted from web/ must not be checked
        shutil.rmtree(FOLDER / name, ignore_errors=True)
    shutil.copytree(ROOT / "web", FOLDER, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist"))
    packages = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1",
                               "--fetch-timeout=20000"], cwd=FOLDER, check=False, timeout=PATIENCE_SECONDS)
    if packages.returncode != 0:
        return skip("npm could not fetch the page's packages (no network?)")
    environment = {**os.environ, "BENZER": str(program()), "CHROMIUM": chromium, "PICTURES": str(FOLDER / "pictures")}
    failed = 0
    steps = ["check", "test", "e2e"]
    for step in steps:
        done = subprocess.run(["npm", "run", "--silent", step], cwd=FOLDER, check=False, env=environment, timeout=PATIENCE_SECONDS)
        if done.returncode != 0:
            print(f"FAILED: npm run {step}")
            failed += 1
    print(f"{len(steps) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
