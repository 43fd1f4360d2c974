# labels: python
"""Runs the blocks of the guide to Spark, in a session on this machine."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pages
import pytest


def test_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("there is no Java, which Spark runs on")
    from pyspark.sql import SparkSession

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]")
    for name, value in (("ui.enabled", "false"), ("ui.showConsoleProgress", "false"), ("sql.shuffle.partitions", "2")):
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    try:
        session.sparkContext.setLogLevel("OFF")
        pages.run("docs/python/spark.md")
    finally:
        session.stop()
