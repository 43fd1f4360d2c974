#!/usr/bin/env python3
"""Runs datasketch's own tests against benzer.datasketch, and compares what passes with datasketch_suite.txt.

  datasketch_suite.py                   tests of the last source archive that has any, 1.7.0, which pip downloads
  datasketch_suite.py --tests FOLDER    tests of a checkout of datasketch, its folder `test`

Needs pytest, numpy, scipy and mockredispy, and benzer on the path of Python. Tests of datasketch 1.x expect the hash
values of its scheme, so they run with `legacy` as the default; --scheme "" keeps that of 2.0. Nothing of datasketch is
kept: the tests are unpacked in the build folder, and datasketch itself is not installed.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
RELEASE = "1.7.0"
LIST = HERE / "datasketch_suite.txt"


def download_tests(folder: Path) -> Path:
    """Returns the folder with the tests of the release, which is filled at the first time."""
    tests = folder / f"datasketch-{RELEASE}" / "test"
    if tests.is_dir():
        return tests
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download"]
    subprocess.run([*pip, "--no-deps", "--no-binary", ":all:", "-d", folder, f"datasketch=={RELEASE}"], check=True)
    with tarfile.open(folder / f"datasketch-{RELEASE}.tar.gz") as archive:
        for member in archive.getmembers():
            if member.isfile() and "/test/" in member.name and ".." not in member.name:
                archive.extract(member, folder)
    return tests


def read_list() -> tuple[dict[str, bool], dict[str, str]]:
    """Returns the cases that must pass, with whether the release has them, and the files that are left out, with why."""
    cases, left_out = {}, {}
    for line in LIST.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "leave":
            name, _, why = rest.strip().partition(" ")
            left_out[name] = why.strip()
        elif word in ("pass", "later"):
            cases[rest.strip()] = word == "pass"
    return cases, left_out


def run_tests(tests: Path, left_out: dict[str, str], scheme: str) -> dict[str, str]:
    """Returns the outcome of each case: passed, failed or skipped."""
    report = tests.parent / "outcomes.xml"
    files = sorted(path for path in tests.glob("test_*.py") if path.name not in left_out)
    environment = {**os.environ, "BENZER_DATASKETCH_SCHEME": scheme}
    environment["PYTHONPATH"] = os.pathsep.join([str(HERE), environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "datasketch_alias", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", f"--rootdir={tests}", f"--junit-xml={report}", *map(str, files)]
    subprocess.run(command, env=environment, cwd=tests)
    outcomes = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        names = case.get("classname", "").split(".")
        file = next((i for i, name in enumerate(names) if name.startswith("test_")), len(names) - 1)
        identity = "::".join([names[file] + ".py", *names[file + 1 :], case.get("name", "")])
        kinds = {child.tag for child in case}
        outcomes[identity] = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs datasketch's own tests against benzer.datasketch.")
    parser.add_argument("--tests", type=Path, help="folder `test` of a checkout (default: downloaded)")
    parser.add_argument("--folder", type=Path, default=HERE.parents[1] / "build" / "datasketch")
    parser.add_argument("--scheme", default="legacy", help="scheme of signatures that name none; '' keeps the default")
    options = parser.parse_args()
    missing = [name for name in ("pytest", "numpy", "scipy", "mockredis") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"datasketch_suite: missing {', '.join(missing)}: pip install pytest numpy scipy mockredispy")
        return 2
    tests = (options.tests or download_tests(options.folder)).resolve()
    cases, left_out = read_list()
    outcomes = run_tests(tests, left_out, options.scheme)
    unlisted = sorted(set(outcomes) - set(cases))
    wrong = sorted(name for name, outcome in outcomes.items() if name in cases and outcome != "passed")
    absent = [] if options.tests else sorted(name for name, here in cases.items() if here and name not in outcomes)
    for name, why in sorted(left_out.items()):
        if (tests / name).exists():
            print(f"left out  {name}: {why}")
    for title, names in (("not in the list", unlisted), ("should pass", wrong), ("not found", absent)):
        for name in names:
            print(f"{title}: {name} ({outcomes.get(name, 'absent')})")
    failed = len(unlisted) + len(wrong) + len(absent)
    print(f"{len(outcomes) - len(unlisted) - len(wrong)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
