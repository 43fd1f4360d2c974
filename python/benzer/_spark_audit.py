"""The audit of ``benzer.spark``: a sample of the documents is compared exactly with all of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from benzer import _engine
from benzer._errors import InvalidArgumentError
from benzer._runs import pairs
from benzer._spark_frames import column_of, join_by_number, map_batches, table_of
from benzer._spark_tasks import NUMBER, fields_compared, numbers_of, sliced
from benzer._spark_types import with_plain_ids
from benzer._tables import Fields, source_of

_PAIRS = "drawn long, other long, score double, pairs long, is_equal boolean, is_found boolean, is_again boolean"
"""Pairs below the threshold have no other document, and are counted."""
_MISSED = 5
_LEAST_SCORE = 1e-6
"""Above 0: pairs that share nothing are not looked for."""


def audit(run: Any, sample: int) -> dict[str, Any]:
    """Measure what share of the similar pairs of drawn documents the run finds."""
    if sample < 1:
        raise InvalidArgumentError(f"sample is {sample}, and it must be at least 1")
    begin = time.monotonic()
    known = run.sketches().filter(F.col("flags") % 2 == 1).select("number")
    drawn = known.orderBy(F.xxhash64("number", F.lit(run.settings.get("seed", "0"))), "number").limit(sample)
    numbers = sorted(one["number"] for one in drawn.collect())

    def make() -> Any:
        columns = [column_of(name) for name in run.fields]
        rows = run.numbered(columns)
        table = table_of(join_by_number(rows, F.broadcast(drawn), sample, "left_semi"))
        task = partial(
            compare,
            settings=run.settings,
            threshold=run.template["threshold"],
            key=run.key,
            sample=table,
            references=run.documents.first,
        )
        return map_batches(rows, task, _PAIRS)

    met = run.checkpoint.stage(f"audit-{sample}", make)
    similar = _in_one_component(run, met.filter("other is not null"))
    met = similar.unionByName(met.filter("other is null"))
    flags = F.when(F.col("other").isNotNull(), 8).otherwise(0)
    for name, bit in (("is_found", 1), ("is_equal", 2), ("is_again", 4)):
        flags = flags + F.col(name).cast("int") * bit
    rows = met.groupBy("drawn", "score", flags.alias("flags")).agg(F.sum("pairs").alias("pairs")).collect()
    rows.sort(key=lambda one: tuple(one))  # so that sums of fractions are the same each time
    place = {number: i for i, number in enumerate(numbers)}
    pairs = (
        np.array([place[one["drawn"]] for one in rows], np.uint64),
        np.array([one["pairs"] for one in rows], np.uint64),
        np.array([one["score"] for one in rows], np.float64),
        np.array([one["flags"] for one in rows], np.uint8),
    )
    summary = run.summary()
    counts = {name: summary[name] for name in ("documents", "references", "empty", "short", "skipped")}
    counts.update(taking_part=known.count(), sample=len(numbers))
    drawn_references = sum(number < run.documents.first for number in numbers)
    out = json.loads(_engine.audit_json(run.settings, counts, pairs, drawn_references, _missed(run, similar)))
    for name in ("inputs", "against", "threads", "cpu", "cpu_seconds", "peak_rss_bytes"):
        out.pop(name, None)
    out["seconds"] = time.monotonic() - begin
    return out  # type: ignore[no-any-return]


def compare(
    batches: Iterable[Any], settings: dict[str, Any], threshold: str, key: bytes, sample: Any, references: int
) -> Iterator[Any]:
    """Find the pairs of drawn documents with others exactly, and whether bands and signatures find them.

    Rows have their number and the columns that the settings name. A pair of two drawn documents is
    there for each of them, and the second time it is_again.
    """
    fields = fields_compared(settings)
    known = ("text", "values", "by", "short")
    arguments: dict[str, Any] = {name: settings[name] for name in known if name in settings}
    arguments["threshold"] = max(_engine.least_audited_score(settings), _LEAST_SCORE)
    if "config" in settings:
        arguments["features"] = settings["config"].partition("|")[0].strip()
    arguments.update({name: settings[name] for name in ("features", "seed") if name in settings})
    drawn_numbers = numbers_of(sample.column(NUMBER))
    drawn_sketches = _Sketches(settings, sample, fields, key)
    least = float(threshold)
    # Several thresholds are one double. A score is a quotient of small numbers, so it can be compared exactly.
    reaches = np.greater_equal if Fraction(least).limit_denominator(1 << 26) >= Fraction(threshold) else np.greater
    for batch in batches:
        if batch.num_rows == 0:
            continue
        met = pa.table(pairs(sample, against=batch, exact=True, threads=1, **arguments).table)
        met = met.filter(met.column("a_is_reference"))  # not of two drawn documents, which the batches have, too
        a, b, score = (numbers_of(met.column(name)) for name in ("a_row", "b_row", "score"))
        others, drawn = numbers_of(batch.column(NUMBER))[a], drawn_numbers[b]
        is_pair = (others != drawn) & ((others >= references) | (drawn >= references))
        a, b, score, others, drawn = a[is_pair], b[is_pair], score[is_pair], others[is_pair], drawn[is_pair]
        is_again = np.isin(others, drawn_numbers) & (others < drawn)
        is_similar = reaches(score, least)
        yield from _below(drawn[~is_similar], score[~is_similar], is_again[~is_similar])
        a, b, score = a[is_similar], b[is_similar], score[is_similar]
        others, drawn, is_again = others[is_similar], drawn[is_similar], is_again[is_similar]
        sketches = _Sketches(settings, batch, fields, key)
        # Fingerprints count repeats, which sets do not have: only equal sets have this score.
        is_equal = score == 1
        is_found = sketches.meet(a, drawn_sketches, b)
        yield from _batches(drawn, pa.array(others), score, np.ones(len(a), np.int64), is_equal, is_found, is_again)


def _below(drawn: Any, score: Any, is_again: Any) -> Iterator[Any]:
    """Count the pairs below the threshold, which may be many."""
    keys = np.empty(len(drawn), [("drawn", np.int64), ("score", np.float64), ("is_again", np.bool_)])
    keys["drawn"], keys["score"], keys["is_again"] = drawn, score, is_again
    each, counts = np.unique(keys, return_counts=True)
    no = np.zeros(len(each), bool)
    yield from _batches(each["drawn"], pa.nulls(len(each), pa.int64()), each["score"], counts, no, no, each["is_again"])


def _batches(drawn: Any, other: Any, score: Any, pairs: Any, *flags: Any) -> Iterator[Any]:
    names = ["drawn", "other", "score", "pairs", "is_equal", "is_found", "is_again"]
    columns = [
        pa.array(np.ascontiguousarray(drawn)),
        other,
        *(pa.array(np.ascontiguousarray(one)) for one in (score, pairs, *flags)),
    ]
    yield from sliced(pa.RecordBatch.from_arrays(columns, names=names))


class _Sketches:
    """What the run knows of some documents."""

    def __init__(self, settings: dict[str, Any], table: Any, fields: Fields, key: bytes) -> None:
        made = _engine.sketch_partition(settings, [source_of(table, fields)], key)
        rows = table.num_rows
        self._settings = settings
        self._keys = np.frombuffer(made["keys"], np.uint64).reshape(rows, -1)
        self._cut = np.frombuffer(made["cut"], np.uint8).reshape(rows, -1)

    def meet(self, rows: Any, others: _Sketches, other_rows: Any) -> Any:
        """Return for pairs of rows whether a run compares them, as it does with all equal sets."""
        shares_band = (self._keys[rows] == others._keys[other_rows]).any(axis=1)
        cut = (np.ascontiguousarray(one).reshape(-1) for one in (self._cut[rows], others._cut[other_rows]))
        is_near = np.frombuffer(_engine.near_signatures(self._settings, *cut), np.bool_)
        return shares_band & is_near


def _in_one_component(run: Any, met: Any) -> Any:
    """Take pairs as missed also if the run has not brought both documents to one place."""
    copies = run.copies().select(F.col("b").alias("copy"), F.col("a").alias("first"))
    members = run.members().select(F.col("b").alias("member"), F.col("a").alias("root"))
    for name in ("drawn", "other"):
        met = met.join(copies, F.col(name) == F.col("copy"), "left").drop("copy")
        met = met.withColumn("first", F.coalesce("first", name))
        met = met.join(members, F.col("first") == F.col("member"), "left").drop("member")
        met = met.withColumn(f"{name}_root", F.coalesce("root", "first")).drop("first", "root")
    is_together = F.col("drawn_root") == F.col("other_root")
    return met.withColumn("is_found", F.col("is_found") & is_together).drop("drawn_root", "other_root")


def _missed(run: Any, similar: Any) -> list[tuple[str, str, float]]:
    """Return the most similar pairs that were missed: the ids of their documents as JSON, and the score."""
    missed = similar.filter(~F.col("is_found") & ~F.col("is_again")).orderBy(F.desc("score"), "drawn", "other")
    rows = missed.limit(_MISSED).collect()
    if not rows:
        return []
    numbers = [(int(number),) for number in {one[name] for one in rows for name in ("drawn", "other")}]
    listed = run.checkpoint.spark.createDataFrame(numbers, "number long")
    found = with_plain_ids(join_by_number(run.numbered([], with_ids=True), listed, len(numbers), "left_semi")).collect()
    ids = {one[NUMBER]: json.dumps(one["_benzer_id"], default=str) for one in found}
    ordered = (sorted((one["drawn"], one["other"])) + [one["score"]] for one in rows)
    return [(ids[a], ids[b], score) for a, b, score in ordered]
