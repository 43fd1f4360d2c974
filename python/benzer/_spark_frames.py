"""The frames of ``benzer.spark``: documents with numbers, and what a run has left in its checkpoint."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, unquote

from pyspark.sql import Observation
from pyspark.sql import functions as F

from benzer._errors import BadInputError, InvalidArgumentError, StorageFailedError, UnavailableError, error_in

NUMBER_BITS = 40
"""A document's number is that of its file, and below it that of its row."""
MOST_BROADCAST = 20_000_000
"""Rows of a list of documents that are sent to all executors at a time."""

_DIRECT = {"Filter", "Project", "LogicalRelation", "SubqueryAlias"}


def is_direct(frame: Any) -> bool:
    """Return whether each row of the frame is a row of a Parquet file, whenever it is read."""
    try:
        frame.select("_metadata.file_path", "_metadata.row_index").schema  # noqa: B018
    except Exception:
        return False
    if hasattr(frame, "_jdf"):
        plan = frame._jdf.queryExecution().analyzed()
        return bool(plan.deterministic()) and all(name in _DIRECT for name in _nodes(plan))
    return False


def _nodes(plan: Any) -> list[str]:
    children = plan.children()
    return [plan.nodeName(), *(name for i in range(children.size()) for name in _nodes(children.apply(i)))]


def sums_of(values: dict[str, Any]) -> list[Any]:
    """Return the sums of columns of numbers, or of how many rows are true, with these names."""
    return [F.coalesce(F.sum(value.cast("long")), F.lit(0)).alias(name) for name, value in values.items()]


def tasks_at_once(spark: Any) -> int:
    """Return how many tasks the cluster has cores for, as far as is known."""
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:  # a session of Connect does not know
        return int(spark.conf.get("spark.sql.shuffle.partitions", "200"))


class DamagedFileError(BadInputError):
    """A file of the documents cannot be read."""

    def __init__(self, file: str) -> None:
        super().__init__(
            f"{file} is damaged: Spark cannot read it; restore it, or leave it out",
            subject=file,
            subject_kind="file",
        )
        self.file = file


@contextmanager
def clear_errors() -> Iterator[None]:
    """Say in one sentence what went wrong on an executor, where that is known."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if file := re.search(r"reading file (\S+?)\.?(?:\s|$)", text):
            raise DamagedFileError(plain_file(file[1])) from error
        if "No module named 'benzer" in text:
            raise UnavailableError(
                "an executor has no package benzer; install the same version there, or send it with the job (spark.archives)"
            ) from error
        if own := error_in(text):
            raise own from error
        raise


@contextmanager
def setting(spark: Any, name: str, value: str) -> Iterator[None]:
    """Change a setting of the session for a while."""
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, before)


def plain_file(name: str) -> str:
    """Return the name of a file in one of the ways in which Spark writes it."""
    return re.sub(r"^file:/+", "file:/", unquote(name))


class Checkpoint:
    """A folder with what the stages of a run have made, and with a note of each that is complete."""

    def __init__(self, spark: Any, folder: str) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self._schemas: dict[str, Any] = {}
        self._notes: dict[str, dict[str, Any]] = {}
        try:
            lines = self._read_notes()
            notes = [json.loads(line) for line in lines]
            self._notes = {note["stage"]: note for note in notes}
        except Exception as error:
            raise BadInputError(
                f"the notes of the checkpoint {folder} cannot be read; give another folder, or remove this one",
                subject=folder,
                subject_kind="file",
            ) from error

    def path(self, stage: str) -> str:
        return f"{self.folder}/{stage}"

    def note(self, stage: str) -> dict[str, Any] | None:
        """Return what was noted when the stage was complete; None if it is not."""
        return self._notes.get(stage)

    def write_note(self, stage: str, content: dict[str, Any]) -> None:
        note = {**content, "stage": stage}
        self._write_line(stage, json.dumps(note))
        self._notes[stage] = note

    # A session of Connect has no access to the file system but by jobs, each of which takes a while.

    def _place(self, name: str) -> tuple[Any, Any]:
        place = self.spark._jvm.org.apache.hadoop.fs.Path(self.path(name))
        return place.getFileSystem(self.spark._jsc.hadoopConfiguration()), place

    def _read_notes(self) -> list[str]:
        if not hasattr(self.spark, "_jvm"):
            try:
                return [one[0] for one in self.spark.read.schema("value string").text(self.path("notes")).collect()]
            except Exception as error:
                if "PATH_NOT_FOUND" in str(error):
                    return []
                raise
        system, folder = self._place("notes")
        if not system.exists(folder):
            return []
        texts = []
        for one in system.listStatus(folder):
            if not one.getPath().getName().startswith(("_", ".")):
                stream = system.open(one.getPath())
                texts.append(self.spark._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
                stream.close()
        return [line for text in texts for line in text.splitlines()]

    def _write_line(self, stage: str, line: str) -> None:
        if not hasattr(self.spark, "_jvm"):
            frame = self.spark.createDataFrame([(line,)], "value string")
            frame.coalesce(1).write.mode("append").text(self.path("notes"))
            return
        # Spark passes over names with a line at their beginning, so half a note is none.
        system, half = self._place(f"notes/_{stage}")
        _, whole = self._place(f"notes/{stage}.txt")
        stream = system.create(half, True)
        stream.write(bytearray(line + "\n", "utf-8"))
        stream.close()
        if not system.rename(half, whole):
            raise StorageFailedError(f"{self.path('notes')}: the note of the stage {stage} cannot be written")

    def stage(self, name: str, make: Callable[[], Any], **counts: Any) -> Any:
        """Return the frame of a stage: what an earlier run has left, or else what ``make()`` returns, written.

        counts: What is summed up while it is written, and is in its note then.
        """
        if self.note(name) is None:
            counted = Observation()
            frame = make().observe(counted, F.count(F.lit(1)).alias("rows"), *sums_of(counts))
            with clear_errors():
                frame.write.mode("overwrite").parquet(self.path(name))
            self._schemas[name] = frame.schema
            self.write_note(name, dict(counted.get))
        if name not in self._schemas:
            self._schemas[name] = self.spark.read.parquet(self.path(name)).schema
        return self.spark.read.schema(self._schemas[name]).parquet(self.path(name))

    def count(self, stage: str, name: str) -> int:
        """Return a number that was noted when the stage was complete; 0 if it is not."""
        note = self.note(stage)
        return 0 if note is None else int(note[name])

    def rows(self, stage: str) -> int:
        return self.count(stage, "rows")


class Documents:
    """A frame whose documents have numbers, in the order in which they are kept by default."""

    def __init__(
        self, frame: Any, checkpoint: Checkpoint, name: str, order: str | None, base: int, is_strict: bool
    ) -> None:
        """base: the number of the first file; the files of references come first."""
        spark = checkpoint.spark
        self.original = frame
        self.columns = list(frame.columns)
        if order is None and is_direct(frame):
            self.frame = frame
        else:
            # A frame may give its rows in another order each time, or other rows. What is written gives the same.
            sorted_frame = frame if order is None else frame.sort(order)
            self.frame = checkpoint.stage(name, lambda: sorted_frame)
        self.damaged: list[str] = []
        self.gaps: list[int] = []
        """The numbers of files that were found to be damaged when their texts were read."""
        self.skipped = 0
        self.copied = self.frame is not frame
        counts = self._count(is_strict)
        self.files = [[one["file"], one["rows"], str(one["time"])] for one in counts]
        self.first = base << NUMBER_BITS
        self.end = (base + len(counts)) << NUMBER_BITS
        self.rows = sum(one["rows"] for one in counts)
        starts = [(one["file"], (base + i) << NUMBER_BITS) for i, one in enumerate(counts)]
        self._starts = spark.createDataFrame(starts, "`_benzer_file` string, `_benzer_start` long")

    def _count(self, is_strict: bool) -> list[Any]:
        """Count the rows of each file, for which Spark reads little more than the ends of files."""
        while True:
            try:
                with clear_errors():
                    found = (
                        self.readable()
                        .groupBy(F.col("_metadata.file_path").alias("file"))
                        .agg(F.count(F.lit(1)).alias("rows"), F.max("_metadata.file_modification_time").alias("time"))
                        .collect()
                    )
                return sorted(found, key=lambda one: str(one["file"]).encode())
            except DamagedFileError as error:
                if is_strict or error.file in self.damaged:
                    raise
                self.damaged.append(error.file)

    def readable(self) -> Any:
        """Return the rows of the files that are not known to be damaged."""
        if not self.damaged:
            return self.frame
        names = [one for name in self.damaged for one in (name, re.sub("^file:/", "file:///", name))]
        names += [quote(name, safe="/:") for name in names]  # Spark writes them so or so
        return self.frame.filter(~F.col("_metadata.file_path").isin(names))

    def leave_out_damaged(self, sketches: Any) -> None:
        """Leave out the files of which some rows could not be read: fewer were sketched than they have."""
        own = (F.col("number") >= self.first) & (F.col("number") < self.end)
        counts = sketches.filter(own).groupBy(F.shiftright("number", NUMBER_BITS).alias("file")).count().collect()
        found = {one["file"] - (self.first >> NUMBER_BITS): one["count"] for one in counts}
        for place, (file, rows, _) in enumerate(self.files):
            if found.get(place, 0) != rows:
                self.damaged.append(plain_file(file))
                self.skipped += rows
                self.gaps.append(place + (self.first >> NUMBER_BITS))

    def without_gaps(self, sketches: Any) -> Any:
        return sketches.filter(~F.shiftright("number", NUMBER_BITS).isin(self.gaps)) if self.gaps else sketches

    def check_unchanged(self) -> None:
        """Refuse documents that have changed since the run began."""
        if self.copied:
            return
        now = [[one["file"], one["rows"], str(one["time"])] for one in self._count(True)]
        if now != [one for one in self.files if plain_file(one[0]) not in self.damaged]:
            raise BadInputError("the files of the documents have changed while they were read; run it again")

    def numbered(self, columns: Sequence[Any]) -> Any:
        """Return these columns behind the column ``number``."""
        found = self.readable().select(
            F.col("_metadata.file_path").alias("_benzer_file"),
            F.col("_metadata.row_index").alias("_benzer_row"),
            *columns,
        )
        joined = found.join(F.broadcast(self._starts), "_benzer_file")
        number = (F.col("_benzer_start") + F.col("_benzer_row")).alias("number")
        return joined.select(number, *[F.col(f"`{name}`") for name in found.columns[2:]])


def join_by_number(frame: Any, listed: Any, rows: int, how: str) -> Any:
    """Join a frame to a list of documents, which is sent to the executors, so that the frame is not shuffled.

    A long list is sent in pieces, each for a range of numbers.
    """
    pieces = -(-rows // MOST_BROADCAST)
    if pieces <= 1:
        return frame.join(F.broadcast(listed), "number", how)
    bounds = listed.approxQuantile("number", [i / pieces for i in range(1, pieces)], 0.001)
    edges = [None, *sorted({int(bound) for bound in bounds}), None]
    out = None
    for low, high in zip(edges, edges[1:], strict=False):
        here = F.lit(True)
        if low is not None:
            here = here & (F.col("number") >= low)
        if high is not None:
            here = here & (F.col("number") < high)
        piece = frame.filter(here).join(F.broadcast(listed.filter(here)), "number", how)
        out = piece if out is None else out.unionByName(piece)
    return out


def table_of(frame: Any) -> Any:
    """Return a small frame of documents as a table, in the order of their numbers."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    rows = sorted((one.asDict() for one in frame.collect()), key=lambda one: int(one["number"]))
    for row in rows:
        row.update({name: list(value.items()) for name, value in row.items() if isinstance(value, dict)})
    return pa.Table.from_pylist(rows, schema=to_arrow_schema(frame.schema))


def _mix(value: int) -> int:
    return value & 0xFFFFFFFF


def _hash_of(number: int) -> int:
    """Return Spark's hash of an integer: Murmur3 of 32 bits, with the seed 42."""
    k = _mix(number * 0xCC9E2D51)
    k = _mix((k << 15 | k >> 17) * 0x1B873593)
    h = 42 ^ k
    h = _mix(_mix(h << 13 | h >> 19) * 5 + 0xE6546B64) ^ 4
    h = _mix((h ^ h >> 16) * 0x85EBCA6B)
    h = _mix((h ^ h >> 13) * 0xC2B2AE35)
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def keys_of_partitions(count: int) -> list[int]:
    """Return for each partition an integer that ``repartition(count, column)`` sends to it."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < count:
        found.setdefault(_hash_of(number) % count, number)
        number += 1
    return [found[i] for i in range(count)]


def check_column(frame: Any, name: str, parameter: str) -> None:
    if name not in frame.columns:
        raise BadInputError(
            f"there is no column {name!r} for {parameter}; the columns are {', '.join(frame.columns)}",
            subject=name,
            subject_kind="field",
        )


def check_checkpoint(wanted: dict[str, Any], found: dict[str, Any], folder: str) -> None:
    """Refuse what another run has left."""
    for name, what in (
        ("version", "of another version of Benzer"),
        ("settings", "of a run with other options"),
        ("files", "of a run with other documents"),
    ):
        if wanted[name] != found.get(name):
            raise InvalidArgumentError(
                f"the checkpoint {folder} is {what}; give another folder, or remove this one",
                subject=folder,
                subject_kind="file",
            )
