# labels: python
"""Tests the audit of a run on Spark: it must see what a run misses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_session

import benzer

pytest.importorskip("pyspark", reason="pyspark is not installed")
pytest.importorskip("numpy", reason="numpy is not installed")

pytestmark = pytest.mark.long

NOT_OF_SPARK = {"inputs", "against", "threads", "cpu", "cpu_seconds", "peak_rss_bytes"}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session.started(spark_session.SHORT_JOBS) as session:
        yield session


def documents() -> list[str]:
    """Return 600 texts: 200 families of three that are about 0.7 alike, and some equal ones."""
    generator = random.Random(3)
    out = []
    for _ in range(200):
        words = [str(generator.randrange(100_000)) for _ in range(60)]
        for _ in range(3):
            changed = list(words)
            changed[generator.randrange(60)] = "changed"
            out.append(" ".join(changed))
    return [*out, *out[:9]]


def check_same(audit: dict[str, Any], one_machine: dict[str, Any]) -> None:
    """The audit has all that the engine's own has, but what it cost and, of equally similar pairs, which are shown."""
    expected = {name: value for name, value in one_machine.items() if name not in NOT_OF_SPARK}
    for one in (audit, expected):
        one["missed"] = [pair["score"] for pair in one["missed"]]
        one.pop("seconds")
        one["predicted"] = [
            row.pop("predicted") for row in (one["all"], one["different"], *one["ranges"], *one["below"])
        ]
    assert audit.pop("predicted") == pytest.approx(expected.pop("predicted"), abs=1e-12)
    assert audit == expected


def test_a_run_with_low_recall_is_seen_to_miss_pairs(spark: Any, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    from benzer.spark import deduplicate

    texts = documents()
    table = pyarrow.table({"id": [f"d{n}" for n in range(len(texts))], "text": texts})
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    arguments: dict[str, Any] = {"threshold": 0.7, "recall": 0.5}
    result = deduplicate(spark.read.parquet(f"{tmp_path}/in.parquet"), **arguments)
    audit = result.audit(sample=len(texts))

    every = set(benzer.pairs(texts, threshold=0.7, exact=True))
    found = set(benzer.pairs(texts, **arguments))
    assert len(found) < 0.95 * len(every)
    assert (audit["all"]["pairs"], audit["all"]["found"]) == (len(every), len(found))
    assert audit["all"]["low"] == audit["all"]["high"] == len(found) / len(every)  # everything was drawn
    missed = {(texts[int(one["a"][1:])], texts[int(one["b"][1:])]) for one in audit["missed"]}
    assert len(audit["missed"]) == 5
    assert all(benzer.compare(a, b)["similarity"] >= 0.7 for a, b in missed)
    assert sum(one["pairs"] for one in audit["below"]) > 0
    assert sum(one["pairs"] - one["found"] for one in audit["ranges"]) > 0
    one_machine = benzer.deduplicate(table, **arguments).audit(sample=len(texts))
    check_same(audit, one_machine)

    some = result.audit(sample=100)["all"]
    assert some["low"] < some["recall"] < some["high"]
    assert some["low"] < len(found) / len(every) < some["high"]


@pytest.mark.parametrize("features", ["text:word1", "text:word1+bag", "text:word3"])
def test_sets_that_differ_in_repeats_are_equal_as_on_one_machine(features: str) -> None:
    """A text, the same twice over, and one that ends in the middle of it: some of their sets are equal, some are not."""
    import pyarrow as pa

    from benzer import _spark_audit, _spark_tasks

    words = "one two three four five six seven".split()
    texts = [" ".join(one) for one in (words, words + words, words + words + words, words + words[:1])]
    table = pa.table({_spark_tasks.NUMBER: pa.array(range(len(texts)), pa.int64()), "text": texts})
    found = [
        row
        for batch in _spark_audit.compare(
            table.to_batches(), {"features": features, "threshold": "0.3"}, "0.3", bytes(16), sample=table, references=0
        )
        for row in batch.to_pylist()
        if row["other"] is not None and not row["is_again"]
    ]
    scores = benzer.pairs(texts, features=features, threshold="0.3", exact=True)
    assert len(found) == len(list(scores)) > 0
    here = benzer.deduplicate(texts, features=features, threshold="0.3", allow_large_clusters=True).audit()
    assert sum(row["is_equal"] for row in found) == here["equal_pairs"]
    assert all(row["is_found"] for row in found if row["is_equal"])


def test_references_and_groups_count_as_on_one_machine(spark: Any, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    from benzer.spark import deduplicate

    texts = documents()[:90]
    table = pyarrow.table(
        {"id": list(range(90)), "words": [text.split() for text in texts], "site": ["a", "a", "b"] * 30}
    )
    for name, part in (("old", table.slice(0, 31)), ("new", table.slice(31))):
        pyarrow.parquet.write_table(part, tmp_path / f"{name}.parquet")
    old, new = (spark.read.parquet(f"{tmp_path}/{name}.parquet") for name in ("old", "new"))
    arguments: dict[str, Any] = {"values": "words", "by": "site", "threshold": "0.6", "keep": "last", "recall": 0.5}
    audit = deduplicate(new, against=old, **arguments).audit()
    one_machine = benzer.deduplicate(table.slice(31), against=table.slice(0, 31), **arguments).audit()
    assert one_machine["all"]["pairs"] > 10
    check_same(audit, one_machine)
