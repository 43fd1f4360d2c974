"""The files of a frame of ``benzer.spark``, listed anew.

Spark lists files when it makes a frame, and what the frame says of their times and lengths is of that moment. So only
another listing shows that a file was written again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from pyspark.sql import functions as F

from benzer._errors import BadInputError

State = tuple[int, int]
"""The length of a file, and its time in microseconds."""

_OF_PATTERNS = re.compile(r"[{}\[\]*?\\]")
_SECOND = 1_000_000


def states_of(spark: Any, files: Sequence[str]) -> dict[str, State]:
    """Return the states that files have now, under their names in ``_metadata.file_path``.

    files: these names, or those of ``inputFiles()``.
    """
    paths = [_OF_PATTERNS.sub(r"\\\g<0>", unquote(file)) for file in files]
    if not paths:
        return {}
    try:
        # Executors ask for lengths and times, and read no content.
        listed = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(paths)
        rows = listed.select("_metadata.file_path", "length", F.unix_micros("modificationTime")).collect()
    except Exception as error:
        if missing := re.search(r"\[PATH_NOT_FOUND\] Path does not exist: (.+?)\.(?: SQLSTATE|\s|$)", str(error)):
            raise _other_file(missing[1], "is not there any more") from error
        raise
    return {file: (length, time) for file, length, time in rows}


def input_files(spark: Any, files: Any) -> list[str]:
    """Return the files of a ``FileIndex`` or of a frame of Java.

    They come in one string, since each element of an array is fetched by a call.
    """
    text = spark._jvm.org.apache.hadoop.util.StringUtils.join("\n", files.inputFiles())
    return text.split("\n") if text else []


def states_of_frame(frame: Any) -> dict[str, State]:
    """Return the states that the files of a frame have now, also of those that cannot be read.

    Lengths that differ from those that Spark has listed are refused: it would take such files for damaged.
    """
    spark = frame.sparkSession
    location = frame._jdf.queryExecution().analyzed().collectLeaves().apply(0).relation().location()
    now = states_of(spark, input_files(spark, location))
    then, length = int(location.sizeInBytes()), sum(length for length, _ in now.values())
    # A table of a catalogue has another index, which does not know.
    if then != length and location.getClass().getSimpleName() == "InMemoryFileIndex":
        raise BadInputError(
            f"the files of the documents have {length:,} bytes, and had {then:,} when the frame was made; make the "
            "frame again, and write to its files when the run is over"
        )
    return now


def check_files(then: Mapping[str, State], now: Mapping[str, State]) -> None:
    """Refuse files that have another length or time than they had."""
    for file, state in then.items():
        if file not in now:
            raise _other_file(file, "is not there any more")
        if not _is_same(state, now[file]):
            raise _other_file(file, "has changed since the frame was made")


def _is_same(one: State, other: State) -> bool:
    """Compare states. Some stores tell the time of one file in whole seconds, and those of a listing exactly."""
    if one[1] % _SECOND == 0 or other[1] % _SECOND == 0:
        return (one[0], one[1] // _SECOND) == (other[0], other[1] // _SECOND)
    return one == other


def _other_file(file: str, what: str) -> BadInputError:
    return BadInputError(
        f"{file} {what}; make the frame again, and give another checkpoint, since the documents of a run must stay as "
        "they are until what it keeps is written",
        subject=file,
        subject_kind="file",
    )
