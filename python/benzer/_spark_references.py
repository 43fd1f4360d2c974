"""Refuses references of ``benzer.spark`` that are documents, too: each would be removed, and no copy be left."""

from __future__ import annotations

from typing import Any

from pyspark.sql import functions as F

from benzer._errors import InvalidArgumentError
from benzer._spark_errors import DamagedFileError, clear_errors, plain_name
from benzer._spark_frames import NUMBER_BITS, Documents, files_of_plan, has_only, is_steady, whole_files

_WHOLE = {
    "LogicalRelation",
    "Project",
    "SubqueryAlias",
    "View",
    "Sort",
    "Union",
    "Repartition",
    "RepartitionByExpression",
    "RebalancePartitions",
}
"""What leaves all rows of the files in a frame."""
_MOST_NAMED = 1000
"""Names of files in a filter."""


def check_references(references: Documents, documents: Documents) -> None:
    """Refuse a row of a file that is in both frames.

    Not every frame shows which rows of which files it has: not those of a session of Connect, and not those that
    filter, and also join, sample or limit.
    """
    frames = [one.original for one in (documents, references)]
    names = [set(files_of_plan(frame)) for frame in frames]
    shared = sorted(names[0] & names[1])
    if not shared:
        return
    if all(has_only(frame, _WHOLE) for frame in frames):
        raise _refused(shared[0])
    if not all(_has_rows(frame) for frame in frames):
        return
    spark = documents.checkpoint.spark
    while shared:
        found = [_places(frame, shared) for frame in frames]
        try:
            with clear_errors(), whole_files(spark):
                row = found[0].join(found[1], "place", "left_semi").first()
        except DamagedFileError as error:
            if error.file not in shared:
                raise
            shared.remove(error.file)  # the run refuses it, or leaves it out
            continue
        if row is not None:
            raise _refused(shared[row["place"] >> NUMBER_BITS])
        return


def _has_rows(frame: Any) -> bool:
    """Return whether each row of the frame is a row of a file, with its place there."""
    if not has_only(frame, (_WHOLE - {"Union", "View"}) | {"Filter"}) or not is_steady(frame):
        return False
    try:
        frame.select("_metadata.file_path", "_metadata.row_index").schema  # noqa: B018
    except Exception:
        return False
    return True


def _places(frame: Any, files: list[str]) -> Any:
    """Return for each row of these files which one it is, as a number."""
    starts = [(file, place << NUMBER_BITS) for place, file in enumerate(files)]
    listed = frame.sparkSession.createDataFrame(starts, "file string, start long")
    rows = frame.select(F.col("_metadata.file_path").alias("file"), F.col("_metadata.row_index").alias("row"))
    if len(files) <= _MOST_NAMED:
        rows = rows.filter(F.col("file").isin(files))
    return rows.join(F.broadcast(listed), "file").select((F.col("start") + F.col("row")).alias("place"))


def _refused(file: str) -> InvalidArgumentError:
    name = plain_name(file)
    return InvalidArgumentError(
        f"{name}: documents of this file are also references, so they would be removed and no copy of them be left; "
        "leave them out of one of the two",
        subject=name,
        subject_kind="file",
    )
