# labels: python
"""The source package has what a build reads, and no more."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core")
ROOT = Path(__file__).resolve().parents[2]
BUILT_FROM = ("apps/", "cmake/", "include/", "python/benzer/", "python/src/", "src/", "web/src/", "web/public/")
ONLY_TESTS = ("_benchmark.cc", "_fuzz.cc", "_test.cc", ".test.ts")
LARGEST = 3_000_000  # bytes, packed


def test_the_source_package(tmp_path: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("this is not a checkout of git")
    code = f"from scikit_build_core.build import build_sdist; build_sdist({os.fspath(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    (packed,) = tmp_path.glob("*.tar.gz")
    assert packed.stat().st_size < LARGEST
    with tarfile.open(packed) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        name
        for name in listed.stdout.splitlines()
        if name.startswith(BUILT_FROM) and not name.endswith(ONLY_TESTS) and (ROOT / name).exists()
    }
    wanted |= {"CMakeLists.txt", "LICENSE", "pyproject.toml", "python/README.md", "python/benzer_program.py"}
    assert wanted <= names, sorted(wanted - names)
    needless = (
        "bench/",
        "build/",
        "docs/",
        "examples/",
        "python/tests/",
        "tests/",
        "tools/",
        "web/e2e/",
        "web/node_modules/",
    )
    assert not [name for name in names if name.startswith(needless) or name.endswith(ONLY_TESTS)]
