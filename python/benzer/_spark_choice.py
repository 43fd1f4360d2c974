"""The documents that the last stage of ``benzer.spark`` reads once more, to choose which of them are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from benzer._spark_frames import changed
from benzer._spark_tasks import COMPARED, COPY, DROPPED, EQUAL

if TYPE_CHECKING:
    from benzer.spark import _Run


def listed_for_choice(run: _Run) -> tuple[Any, int]:
    """Return a list of documents with their component, their kind and of which document they are copies.

    It also returns about how many they are, and not less.
    """
    members = run.members().select(
        F.col("b").alias("number"),
        F.col("a").alias("root"),
        F.lit(COMPARED).alias("kind"),
        F.lit(None).cast("long").alias("first"),
    )
    listed = members
    count = run.checkpoint.rows("members")
    if run.are_copies_joined:
        roots = members.select(F.col("number").alias("a"), "root")
        families = run.copies().join(roots, "a", "left")
        kind = F.when(F.col("root").isNull(), EQUAL).otherwise(COPY)
        copies = families.select(
            F.col("b").alias("number"),
            F.coalesce("root", "a").alias("root"),
            kind.alias("kind"),
            F.col("a").alias("first"),
        )
        alone = families.filter("root is null").select("a").distinct()
        firsts = alone.select(
            F.col("a").alias("number"),
            F.col("a").alias("root"),
            F.lit(EQUAL).alias("kind"),
            F.col("a").alias("first"),
        )
        listed = listed.unionByName(copies).unionByName(firsts)
        count += 2 * run.checkpoint.rows("copies")
    if run.settings.get("short") == "drop":
        short = run.sketches().filter(F.col("flags") >= 2).select("number")
        short = short.filter(F.col("number") >= run.documents.first)
        dropped = short.select(
            "number",
            F.col("number").alias("root"),
            F.lit(DROPPED).alias("kind"),
            F.lit(None).cast("long").alias("first"),
        )
        listed = listed.unionByName(dropped)
        count += run.checkpoint.count("sketches", "short")
    for name in ("root", "kind", "first"):
        listed = listed.withColumnRenamed(name, f"_benzer_{name}")
    return listed, count


def check_all_were_chosen(run: _Run, notes: Sequence[dict[str, Any]], short: int) -> None:
    """Refuse a stage that did not get all documents of the list; only the first of copies are not counted."""
    wanted = run.checkpoint.rows("members")
    if run.are_copies_joined:
        wanted += run.checkpoint.rows("copies")
    if run.settings.get("short") == "drop":
        wanted += short
    if sum(one["listed"] for one in notes) != wanted:
        raise changed(run.checkpoint.folder)
