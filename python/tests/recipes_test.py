# labels: python
"""Runs the recipes for Ray, Dask and datasets, each where its library is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pages
import pyarrow
import pytest

import benzer

PAGE = "docs/python/ray_dask_datasets.md"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    yield


def test_datasets() -> None:
    pytest.importorskip("datasets", reason="datasets is not installed")
    pages.run(PAGE, "datasets")


def test_a_batch_of_one_text_that_looks_like_a_name() -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    names = {"benzer": benzer, "pyarrow": pyarrow, "dataset": datasets.Dataset.from_dict({"text": ["see readme.json"]})}
    recipe = next(one for one in pages.blocks(PAGE, "datasets") if "def signatures" in one)
    exec(recipe, names)
    assert len(names["signed"][0]["signature"]) == 64


def test_dask() -> None:
    pytest.importorskip("dask.dataframe", reason="dask is not installed")
    pages.run(PAGE, "Dask")


def test_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="ray is not installed: it takes 290 MB, so the tests do not ask for it")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")  # else it writes a token to the home folder
    package = os.fspath(Path(benzer.__file__).parents[1])
    ray.init(
        num_cpus=2, include_dashboard=False, logging_level="ERROR", runtime_env={"env_vars": {"PYTHONPATH": package}}
    )
    try:
        pages.run(PAGE, "Ray Data")
    finally:
        ray.shutdown()


def test_every_section_is_run() -> None:
    sections = [pages.blocks(PAGE, heading) for heading in ("datasets", "Dask", "Ray Data")]
    first = pages.blocks(PAGE, "no such section")
    assert len(pages.blocks(PAGE)) == sum(len(one) - len(first) for one in sections) + len(first)


def test_a_batch_alone_misses_near_copies() -> None:
    """Which is why no recipe calls deduplicate() for each batch."""
    texts = [f"{n} ships left port {n} on day {n} with {n} sacks of salt and {n} of flour" for n in range(10)]
    batches = [texts, [text + " again" for text in texts]]
    assert [len(benzer.deduplicate(batch, threshold=0.7).removed) for batch in batches] == [0, 0]
    assert len(benzer.deduplicate(sum(batches, []), threshold=0.7).removed) == 10


def test_a_batch_may_be_given_out_twice() -> None:
    texts = [f"{n} ships left port {n} on day {n} with {n} sacks of salt" for n in range(10)]
    block = pyarrow.table({"id": [f"d{n}" for n in range(10)], "text": texts})
    index = benzer.Index()
    for _ in range(2):
        assert all(one.added for one in index.check_and_add(block))
    assert len(index) == 10
