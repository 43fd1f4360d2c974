# labels: python
"""Holds the package to types that a type checker knows, for every public name."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import benzer


@pytest.mark.skipif(importlib.util.find_spec("pyright") is None, reason="pyright is not installed")
@pytest.mark.skipif(shutil.which("node") is None, reason="pyright runs in node, which is not installed")
def test_all_types_are_known(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        # It finds the other libraries by the first python on the path.
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": os.fspath(Path(benzer.__file__).parents[1]),
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",  # it would ask a registry for newer versions
    }
    # Types of libraries that have none are not counted.
    command = [sys.executable, "-m", "pyright", "--verifytypes", "benzer", "--ignoreexternal"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert "Type completeness score: 100%" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr
