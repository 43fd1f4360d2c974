"""The report of a run on Spark: a sample of its clusters, compared again on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import Window
from pyspark.sql import functions as F

from benzer import _engine
from benzer._inputs import Inputs
from benzer._output_names import Taken
from benzer._runs import Report
from benzer._spark_frames import column_of, join_by_number, table_of
from benzer._spark_listing import input_files
from benzer._spark_tasks import NUMBER
from benzer._spark_types import with_plain_ids

if TYPE_CHECKING:
    from benzer.spark import _Run

_SHOWN = 20
"""Clusters of each kind, which are the largest, the weakest, and others; and removals picked at random."""


def make_report(run: _Run, summary: dict[str, Any]) -> Report:
    removed = run.removed().filter("kept_number is not null")
    is_equal = (F.col("score") == 1).cast("long")
    clusters = removed.groupBy("kept_number").agg(
        F.count(F.lit(1)).alias("size"), F.min("score").alias("weakest"), F.sum(is_equal).alias("equal")
    )
    orders = ([F.desc("size")], [F.col("weakest")], [F.xxhash64("kept_number")])
    chosen: dict[int, tuple[int, int]] = {}
    for place, order in enumerate(orders, 1):
        for one in clusters.orderBy(*order, "kept_number").limit(3 * _SHOWN).collect():
            if len(chosen) < _SHOWN * place:
                chosen[one["kept_number"]] = (one["size"], one["equal"])
    sample = removed.orderBy(F.xxhash64("number"), "number").limit(_SHOWN).collect()
    members = _members(removed, chosen)
    shown = {*members, *chosen}
    shown.update(number for one in sample for number in (one["number"], one["kept_number"]))
    documents, references = _documents(run, shown)
    settings = {**run.settings, "id": "_benzer_id", "report": "report.html"}
    numbers = [one for table in (references, documents) if table is not None for one in table[NUMBER].to_pylist()]
    rows = {number: row for row, number in enumerate(numbers)}
    content = [table.drop_columns([NUMBER]) for table in (documents, references) if table is not None]
    again = Inputs(content[0], content[1] if len(content) > 1 else None, settings).start(
        _engine.DedupRun, settings, None
    )
    sizes = [(one["size"] + 1, one["count"]) for one in clusters.groupBy("size").count().collect()]
    totals = _engine.ReportTotals(
        _numbers(run, summary),
        sizes,
        {rows[number]: counts for number, counts in chosen.items()},
        [rows[number] for number in members],
        [(rows[one["kept_number"]], rows[one["number"]], one["score"]) for one in sample],
    )
    taken = Taken([file for one in run.both for file in input_files(run.checkpoint.spark, one.original._jdf)])
    html, json_text = again.report(["benzer.spark.deduplicate"], False, totals)
    return Report(html, json_text, taken)


def _members(removed: Any, chosen: dict[int, Any]) -> list[int]:
    """Return the least, the middle and the most similar removed document of each of these clusters."""
    of_chosen = removed.filter(F.col("kept_number").isin(list(chosen)))
    by_keeper = Window.partitionBy("kept_number")
    placed = of_chosen.select(
        "number",
        "kept_number",
        F.row_number().over(by_keeper.orderBy("score", "number")).alias("place"),
        F.count(F.lit(1)).over(by_keeper).alias("all"),
    )
    middle = F.floor(F.col("all") / 2) + 1
    members = placed.filter((F.col("place") == 1) | (F.col("place") == F.col("all")) | (F.col("place") == middle))
    return [one["number"] for one in members.select("number").collect()]


def _documents(run: _Run, shown: set[int]) -> tuple[Any, Any]:
    """Return these documents as tables, without and with the references."""
    listed = run.checkpoint.spark.createDataFrame([(number,) for number in shown], "number long")
    columns = [column_of(name) for name in run.fields]
    rows = with_plain_ids(run.numbered(columns, with_ids=True))
    table = table_of(join_by_number(rows, listed, 1, "inner"))
    known = sum(number < run.documents.first for number in table[NUMBER].to_pylist())
    return table.slice(known), table.slice(0, known) if known else None


def _numbers(run: _Run, summary: dict[str, Any]) -> dict[str, int]:
    numbers = {name: value for name, value in summary.items() if isinstance(value, int) and not isinstance(value, bool)}
    removed = run.removed()
    threshold = float(summary["threshold"])
    sizes = run.sketches().select("number", "bytes")
    counted = removed.agg(
        F.sum((F.col("score") == 1).cast("long")).alias("equal"),
        F.sum((F.col("score") < 1).cast("long")).alias("near"),
        F.sum(F.col("kept_number").isNull().cast("long")).alias("dropped"),
        F.sum((F.col("score") < threshold).cast("long")).alias("below"),
    ).first()
    size = join_by_number(sizes, removed.select("number"), summary["removed"], "left_semi").agg(F.sum("bytes")).first()
    return {**numbers, **{name: value or 0 for name, value in counted.asDict().items()}, "removed_bytes": size[0] or 0}
