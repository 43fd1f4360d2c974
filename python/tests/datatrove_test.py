# labels: python
"""Tests benzer.datatrove against what datatrove itself made (datatrove_vectors.py), and against it where it is there."""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path
from typing import Any

import datatrove_vectors
import numpy
import pytest

import benzer
from benzer import datatrove

VECTORS = json.loads(datatrove_vectors.FILE.read_text(encoding="utf-8"))
OF_FILES = datatrove.Config(**datatrove_vectors.OF_FILES)
TASK = 3


def golden_folder(folder: Path) -> Path:
    for name, data in VECTORS["files"].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(base64.b64decode(data))
    return folder


def content(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize(("options", "expected"), VECTORS["signatures"], ids=range(len(VECTORS["signatures"])))
def test_signatures_are_those_of_datatrove(options: dict[str, Any], expected: list[list[int] | None]) -> None:
    config = datatrove.Config(**options)
    numbers, values = datatrove.signatures(datatrove_vectors.documents(), config)
    assert numbers.tolist() == [n for n, one in enumerate(expected) if one is not None]
    assert values.tolist() == [one for one in expected if one is not None]


def test_files_are_those_of_datatrove(tmp_path: Path) -> None:
    numbers, values = datatrove.signatures(datatrove_vectors.documents(), OF_FILES)
    datatrove.write(tmp_path / "made", numbers[::-1], values[::-1], TASK, OF_FILES)
    (tmp_path / "golden").mkdir()
    assert content(tmp_path / "made") == content(golden_folder(tmp_path / "golden"))


def test_files_of_datatrove_are_read(tmp_path: Path) -> None:
    folder = golden_folder(tmp_path)
    assert datatrove.tasks(folder) == [TASK]
    numbers, values = datatrove.read(folder, TASK, OF_FILES)
    expected = datatrove.signatures(datatrove_vectors.documents(), OF_FILES)
    assert numbers.tolist() == expected[0].tolist() == [0, 1, 2, 3, 6, 7]
    assert numpy.array_equal(values, expected[1])


@pytest.mark.parametrize("precision", [32, 64])
def test_what_is_written_is_read(tmp_path: Path, precision: Any) -> None:
    config = datatrove.Config(num_buckets=4, hashes_per_bucket=3, precision=precision)
    random = numpy.random.default_rng(5)
    values = random.integers(0, 1 << (precision - 3), (100, 12), numpy.uint64)
    numbers = random.permutation(1000)[:100]
    datatrove.write(tmp_path, numbers, values, 12, config)
    found, read = datatrove.read(tmp_path, 12, config)
    assert found.tolist() == sorted(numbers.tolist())
    assert numpy.array_equal(read, values[numpy.argsort(numbers)])
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_no_documents(tmp_path: Path) -> None:
    numbers, values = datatrove.signatures([["short"]])
    assert len(numbers) == 0
    assert values.shape == (0, 112)
    datatrove.write(tmp_path, numbers, values)
    found, read = datatrove.read(tmp_path)
    assert len(found) == 0
    assert read.shape == (0, 112)


def test_damaged_files(tmp_path: Path) -> None:
    folder = golden_folder(tmp_path)
    with pytest.raises(benzer.NotFoundError, match="not a folder of datatrove's signatures"):
        datatrove.tasks(folder / "bucket_000")
    with pytest.raises(benzer.NotFoundError, match="00004.minhash.sig: the file does not exist"):
        datatrove.read(folder, 4, OF_FILES)
    with pytest.raises(benzer.BadInputError, match="are not records of 68 bytes"):
        datatrove.read(folder, TASK, datatrove.Config(num_buckets=3))
    with pytest.raises(benzer.NotFoundError, match="bucket_003"):
        datatrove.read(folder, TASK, datatrove.Config(num_buckets=4, hashes_per_bucket=2))
    file = folder / "bucket_001" / "00003.minhash.sig"
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    with pytest.raises(benzer.BadInputError, match="not those of bucket 0"):
        datatrove.read(folder, TASK, OF_FILES)
    file.write_bytes(whole[:-1])
    with pytest.raises(benzer.BadInputError, match="cut off"):
        datatrove.read(folder, TASK, OF_FILES)


def test_arguments_that_are_refused(tmp_path: Path) -> None:
    values = numpy.ones((2, 112), numpy.uint64)
    wide = values << numpy.uint64(32)
    narrow = datatrove.Config(precision=32)
    refused: list[tuple[Any, Any, Any, datatrove.Config | None, str]] = [
        ([1], values, 0, None, "have the shape"),
        ([1, 1], values, 0, None, "same number"),
        ([-1, 2], values, 0, None, "-1 is not allowed: the numbers of documents must be whole numbers from 0 to 4,29"),
        ([1, 1 << 32], values, 0, None, "4294967296 is not allowed"),
        ([1, 1 << 70], values, 0, None, "of the type object"),
        ([0.5, 1], values, 0, None, "numbers of documents are of the type float64"),
        ([[0], [1]], values, 0, None, r"have the shape \(2, 1\), and must be a list"),
        ("ab", values, 0, None, "numbers of documents are of the type <U2"),
        ([1, 2], wide, 0, narrow, "4294967296 is not allowed: the values of 32 bits must be"),
        ([1, 2], values.astype(float), 0, None, "values of 64 bits are of the type float64"),
        ([1, 2], -values.astype(int), 0, None, "-1 is not allowed: the values of 64 bits"),
        ([1, 2], values[:, :-1], 0, None, r"have the shape \(2, 111\)"),
        ([1, 2], [[1], [1, 2]], 0, None, "rows of one length"),
        ([1, 2], values, -1, None, "task -1 is not allowed"),
        ([1, 2], values, 1.0, None, "task 1.0 is not allowed"),
        ([1, 2], values, 1 << 32, None, "task 4294967296 is not allowed"),
    ]
    for numbers, rows, task, config, told in refused:
        with pytest.raises(benzer.InvalidArgumentError, match=told):
            datatrove.write(tmp_path, numbers, rows, task, config)
    for seed in (-1, 0.5, 1 << 32):
        with pytest.raises(benzer.InvalidArgumentError, match=f"seed {seed} is not allowed"):
            datatrove.Config(seed=seed)  # type: ignore[arg-type]
    with pytest.raises(benzer.InvalidArgumentError, match="hashes of shingles are of the type float64"):
        datatrove.signature(numpy.array([0.5]))  # type: ignore[arg-type]
    with pytest.raises(benzer.InvalidArgumentError, match="give a list of its words"):
        datatrove.shingle_hashes("a text")
    with pytest.raises(benzer.InvalidArgumentError, match="without shingles"):
        datatrove.signature(numpy.empty(0, numpy.uint64))
    with pytest.raises(benzer.InvalidArgumentError, match="precision 16 is not allowed: give 32 or 64"):
        datatrove.Config(precision=16)  # type: ignore[arg-type]
    with pytest.raises(benzer.InvalidArgumentError, match="num_buckets 0 is not allowed"):
        datatrove.Config(num_buckets=0)
    assert not list(tmp_path.iterdir())


def test_a_write_that_fails_changes_no_file(tmp_path: Path, monkeypatch: Any) -> None:
    config = datatrove.Config(num_buckets=3, hashes_per_bucket=1)
    datatrove.write(tmp_path, [0], [[1, 2, 3]], config=config)
    calls = []
    write_bytes = Path.write_bytes

    def failing(self: Path, data: bytes) -> int:
        calls.append(self)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return write_bytes(self, data)

    monkeypatch.setattr(Path, "write_bytes", failing)
    with pytest.raises(OSError, match="No space left"):
        datatrove.write(tmp_path, [0], [[4, 5, 6]], config=config)
    assert datatrove.read(tmp_path, config=config).values.tolist() == [[1, 2, 3]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bucket_000", "bucket_001", "bucket_002"]


@pytest.mark.parametrize("precision", [32, 64])
@pytest.mark.skipif(importlib.util.find_spec("datatrove") is None, reason="datatrove is not installed")
def test_datatrove_goes_on_with_files_written_here(tmp_path: Path, precision: Any) -> None:
    from datatrove.pipeline.dedup import minhash
    from datatrove.utils.hashing import HashConfig

    of_theirs = minhash.MinhashConfig(hash_config=HashConfig(precision=precision))
    documents = datatrove_vectors.documents()
    config = datatrove.Config(precision=precision)
    numbers, values = datatrove.signatures(documents, config)
    for task in (0, 1):
        datatrove.write(tmp_path / "signatures", numbers, values, task, config)
    for rank in range(28):  # two workers for each bucket
        minhash.MinhashDedupBuckets(str(tmp_path / "signatures"), str(tmp_path / "pairs"), config=of_theirs).run(
            rank=rank, world_size=28
        )
    minhash.MinhashDedupCluster(str(tmp_path / "pairs"), str(tmp_path / "removed"), config=of_theirs).run()
    left = []
    for task in (0, 1):
        filter = minhash.MinhashDedupFilter(str(tmp_path / "removed"))
        left += [(task, n) for n in filter.run(iter(range(len(documents))), rank=task)]
    # One of the near-copies 0, 1 and 6 of both tasks; one each of 2 and 7; and those without a signature.
    kept = [(task, n) for task, n in left if n in (0, 1, 6)]
    assert len(kept) == 1
    assert len([one for one in left if one[1] == 2]) == 1
    assert len([one for one in left if one[1] == 7]) == 1
    assert {n for _, n in left if n in (3, 4, 5)} == {3, 4, 5}
    assert len(left) == 1 + 1 + 1 + 6
