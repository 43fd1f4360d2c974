# labels: python
"""Runs the blocks of the guide to Spark, in a session on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import spark_session

import benzer

PROGRAM = """
import pages, spark_session
with spark_session.started(spark_session.SHORT_JOBS):
    pages.run("docs/python/spark.md")
"""


@pytest.mark.long
def test_blocks_run(tmp_path: Path) -> None:
    spark_session.needs_spark()
    # The JVM of a session stays, with the folder in which it began; the guide writes to the current one.
    path = os.pathsep.join([os.fspath(Path(__file__).parent), os.fspath(Path(benzer.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "clean" / "_SUCCESS").exists()
