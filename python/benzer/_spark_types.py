"""Types of columns in ``benzer.spark``: those of documents and references, and those of ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pyspark.sql import functions as F

from benzer._errors import BadInputError
from benzer._spark_tasks import ID


def check_same_types(documents: Any, references: Any, columns: Sequence[str]) -> None:
    """Refuse columns that have another type in the references.

    A union would cast one to the other: the texts "042" and "42" would be one number, and large numbers lose digits.
    """
    different = {}
    for name in columns:
        own, other = (frame.schema[name].dataType.simpleString() for frame in (documents, references))
        if _widened(own) != _widened(other) and "void" not in (own, other):
            different[name] = f"{name!r} ({own} in documents, {other} in against)"
    if not different:
        return
    what = f"the column {next(iter(different.values()))} has"
    if len(different) > 1:
        what = f"the columns {' and '.join(different.values())} have"
    raise BadInputError(
        f"{what} different types; cast one of them, so that both frames have the same",
        subject=next(iter(different)),
        subject_kind="field",
    )


def with_plain_ids(frame: Any) -> Any:
    """Return a frame whose ids are texts, unless they are numbers or texts, which reports show as they are."""
    kind = frame.schema[ID].dataType.simpleString()
    if re.match("string|tinyint|smallint|int|bigint|float|double|decimal|void", kind) and "interval" not in kind:
        return frame
    return frame.withColumn(ID, F.col(ID).cast("string"))


def _widened(kind: str) -> str:
    """Return the type that the union of integers has, which have the same values in it."""
    return kind if "struct" in kind else re.sub(r"\b(?:tinyint|smallint|int)\b", "bigint", kind)
