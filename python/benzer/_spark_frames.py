"""The frames of ``benzer.spark``: documents with numbers, and what a run has left in its checkpoint."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pyspark.sql import Observation
from pyspark.sql import functions as F

from benzer._errors import BadInputError, InvalidArgumentError, StorageFailedError
from benzer._inputs import fields_of
from benzer._spark_errors import DamagedFileError, clear_errors, file_path, plain_name
from benzer._spark_listing import check_files, input_files, states_of, states_of_frame
from benzer._spark_tasks import NUMBER, with_names

NUMBER_BITS = 40
"""A document's number is that of its file, and below it that of its row."""
MOST_BROADCAST = 20_000_000
"""Rows of a list of documents that are sent to all executors at a time."""

_DIRECT = {"Filter", "Project", "LogicalRelation", "SubqueryAlias"}
_OF_THE_MOMENT = ("CURRENT_LIKE",)
"""Spark's name of the time and the user, which it calls deterministic, but which may differ in the next job."""
_COPIED = ("PLAN_EXPRESSION", "PYTHON_UDF", "SCALA_UDF")
"""Queries inside of expressions, which may read other data, and functions of the user, which may do anything."""


def is_direct(frame: Any) -> bool:
    """Return whether each row of the frame is a row of a Parquet file, whenever it is read."""
    try:
        frame.select("_metadata.file_path", "_metadata.row_index").schema  # noqa: B018
    except Exception:
        return False
    plan = _plan_of(frame)
    if plan is None or not is_steady(frame) or _contains(frame, _COPIED):
        return False
    return all(node.nodeName() in _DIRECT for node in _nodes(plan))


def is_steady(frame: Any) -> bool:
    """Return whether the frame has the same rows each time, in any order, as far as Spark can tell."""
    plan = _plan_of(frame)
    return plan is None or (bool(plan.deterministic()) and not _contains(frame, _OF_THE_MOMENT))


def _plan_of(frame: Any) -> Any:
    return frame._jdf.queryExecution().analyzed() if hasattr(frame, "_jdf") else None


def _contains(frame: Any, patterns: Sequence[str]) -> bool:
    known = frame.sparkSession._jvm.org.apache.spark.sql.catalyst.trees.TreePattern
    plan = _plan_of(frame)
    return any(plan.containsPattern(getattr(known, name)()) for name in patterns)


def _nodes(plan: Any) -> list[Any]:
    children = plan.children()
    return [plan, *(node for i in range(children.size()) for node in _nodes(children.apply(i)))]


def has_only(frame: Any, names: Collection[str]) -> bool:
    """Return whether a frame is made by these kinds of steps alone; False if that is not known."""
    plan = _plan_of(frame)
    return plan is not None and all(node.nodeName() in names for node in _nodes(plan))


def files_of_plan(frame: Any) -> list[str]:
    """Return the files that a frame may read, as ``_metadata.file_path`` names them; none if they are not known."""
    plan = _plan_of(frame)
    relations = [] if plan is None else [node for node in _nodes(plan) if node.nodeName() == "LogicalRelation"]
    names = []
    for node in relations:
        if node.relation().getClass().getSimpleName() == "HadoopFsRelation":
            names += input_files(frame.sparkSession, node.relation().location())
    return [file_path(name) for name in names]


def _check_files_differ(frame: Any) -> None:
    """Refuse a file that is named twice: its documents would have the same numbers."""
    names = files_of_plan(frame)
    if len(names) > len(set(names)):
        name = plain_name(Counter(names).most_common(1)[0][0])
        raise InvalidArgumentError(
            f"{name}: this input is read twice, so its documents would remove one another; name it once",
            subject=name,
            subject_kind="file",
        )


def _hash_of_query(frame: Any) -> str:
    """Return a hash of the filters and columns of a frame of files, the same in each session."""
    spark = frame.sparkSession
    with (
        setting(spark, "spark.sql.debug.maxToStringFields", "100000"),
        setting(spark, "spark.sql.maxPlanStringLength", str((1 << 31) - 16)),
    ):
        text = str(_plan_of(frame).toString())
    text = re.sub(r"lambda (\w+?)_\d+#", r"lambda \1#", text)
    # The text has "#" before the ids of columns, which are others in each session. Texts and names may have one, too.
    texts = list(_texts_with_ids(json.loads(_plan_of(frame).toJSON())))
    return hashlib.sha256(json.dumps([re.sub(r"#\d+L?", "", text), texts]).encode()).hexdigest()


def _texts_with_ids(plan: Any) -> Iterator[str]:
    """Yield the texts in the JSON of a plan of which a part looks like the id of a column."""
    if isinstance(plan, str) and "#" in plan:
        yield plan
    elif isinstance(plan, (list, dict)):
        for part in plan if isinstance(plan, list) else plan.values():
            yield from _texts_with_ids(part)


def _sum_of_rows(frame: Any) -> Any:
    """Return the sum of the hashes of all rows, in which their order does not count."""
    columns = []
    for field in frame.schema.fields:
        column = column_of(field.name)
        is_hashed = not re.search("map<|variant", field.dataType.simpleString())
        columns.append(column if is_hashed else column.cast("string"))
    # A long would overflow, which is an error in ANSI mode.
    return F.coalesce(F.sum(F.xxhash64(*columns).cast("decimal(20,0)")), F.lit(0)).cast("string")


def column_of(name: str) -> Any:
    """Return the column of this name, which may have dots and backticks."""
    quoted = name.replace("`", "``")
    return F.col(f"`{quoted}`")


def map_batches(frame: Any, task: Callable[[Any], Any], schema: Any) -> Any:
    """Apply a task to the batches of a frame of the user's columns, which ``mapInArrow`` looks for by expressions."""
    names = list(frame.columns)
    if any(one in name for name in names for one in ".`"):
        frame = frame.toDF(*[f"_benzer_{place}" for place in range(len(names))])
        task = partial(with_names, names=names, task=task)
    return frame.mapInArrow(task, schema)


def sums_of(values: dict[str, Any]) -> list[Any]:
    """Return the sums of columns of numbers, or of how many rows are true, with these names."""
    return [F.coalesce(F.sum(value.cast("long")), F.lit(0)).alias(name) for name, value in values.items()]


def tasks_at_once(spark: Any) -> int:
    """Return how many tasks the cluster has cores for, as far as is known."""
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:  # a session of Connect does not know
        return int(spark.conf.get("spark.sql.shuffle.partitions", "200"))


@contextmanager
def setting(spark: Any, name: str, value: str) -> Iterator[None]:
    """Change a setting of the session for a while."""
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, before)


PASSING_OVER = ("ignoreCorruptFiles", "ignoreMissingFiles")
"""With these Spark leaves out the rows of files that it cannot read, and says nothing."""


@contextmanager
def whole_files(spark: Any) -> Iterator[None]:
    """Let Spark say which file it cannot read, in place of passing over it."""
    corrupt, missing = (f"spark.sql.files.{name}" for name in PASSING_OVER)
    with setting(spark, corrupt, "false"), setting(spark, missing, "false"):
        yield


def check_whole_files(spark: Any) -> None:
    """Refuse to make a frame that the user reads, while Spark passes over files."""
    for name in PASSING_OVER:
        if str(spark.conf.get(f"spark.sql.files.{name}")).lower() == "true":
            raise InvalidArgumentError(
                f"spark.sql.files.{name} is true, so that documents of files that cannot be read would be missing in "
                "what is kept; set it to false until that is written"
            )


def _check_options(frame: Any) -> None:
    """Refuse a frame that passes over files by an option of its own, which goes before the setting of the session."""
    for node in _nodes(_plan_of(frame)) if hasattr(frame, "_jdf") else []:
        is_of_files = node.nodeName() == "LogicalRelation" and hasattr(node.relation(), "options")
        options = str(node.relation().options().toString()).lower() if is_of_files else ""
        for name in PASSING_OVER:
            if f"{name.lower()} -> true" in options:
                raise InvalidArgumentError(
                    f"the frame was read with the option {name}, so that documents would be missing unnoticed; read it "
                    "without, since damaged files are left out and named anyway"
                )


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

    @property
    def is_empty(self) -> bool:
        """Return whether no run has noted anything here."""
        return not self._notes

    def stage(self, name: str, make: Callable[[], Any], other: dict[str, Any] | None = None, **counts: Any) -> Any:
        """Return the frame of a stage: what an earlier run has left, or else what ``make()`` returns, written.

        counts: What is summed up while it is written, and is in its note then. other: other aggregates for the note.
        """
        if self.note(name) is None:
            counted = Observation()
            others = [value.alias(key) for key, value in (other or {}).items()]
            frame = make().observe(counted, F.count(F.lit(1)).alias("rows"), *sums_of(counts), *others)
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
        self, frame: Any, checkpoint: Checkpoint, name: str, id: str | None, order: str | None, is_strict: bool
    ) -> None:
        """id: the column with the ids; None: the number of a row in its file."""
        self.original = self.frame = frame
        self.columns = list(frame.columns)
        self.name = name
        self.id = id
        self.order = order
        self.is_strict = is_strict
        self.checkpoint = checkpoint
        self.damaged: list[str] = []
        """The files that are left out, as ``_metadata.file_path`` names them."""
        self.gaps: list[int] = []
        """The numbers of files that were found to be damaged when their texts were read."""
        self.skipped = 0
        _check_options(frame)
        self.copied = order is not None or not is_direct(frame)
        if not self.copied:
            _check_files_differ(frame)
            now = states_of_frame(frame)
            self._list_files()
            check_files(self._listed, now)

    def _list_files(self) -> None:
        listed = self._count(self.is_strict)
        self.files = [[one["file"], one["rows"], one["time"]] for one in listed]
        self._listed = {one["file"]: (one["length"], one["time"]) for one in listed}
        self.rows = sum(one[1] for one in self.files)

    def described(self) -> dict[str, Any]:
        """Return what tells this frame from others, as far as it is known before anything is written."""
        out: dict[str, Any] = {"id": self.id, "columns": self.original.schema.simpleString(), "files": None}
        if not self.copied:
            lengths = sum(length for length, _ in self._listed.values())
            out.update(files=self.files, bytes=lengths, query=_hash_of_query(self.original))
        elif not is_steady(self.original):
            out.update(files=sorted(input_files(self.checkpoint.spark, self.original._jdf)))
        return out

    def start(self, base: int) -> None:
        """Copy the frame if it must be, and number its files. base: the number of the first; references come first."""
        if self.copied:
            self._copy()
        self.first = base << NUMBER_BITS
        self.end = (base + len(self.files)) << NUMBER_BITS
        starts = [(file, (base + i) << NUMBER_BITS) for i, (file, _, _) in enumerate(self.files)]
        self._starts = self.checkpoint.spark.createDataFrame(starts, "`_benzer_file` string, `_benzer_start` long")

    def _copy(self) -> None:
        # A frame may give its rows in another order each time, or other rows. What is written gives the same.
        frame = self.original if self.order is None else self.original.sort(column_of(self.order))
        sum_of_rows = _sum_of_rows(self.original)
        note = self.checkpoint.note(self.name)
        if note is not None and is_steady(self.original):
            with clear_errors():
                now = self.original.agg(F.count(F.lit(1)).alias("rows"), sum_of_rows.alias("sum")).first()
            if (now["rows"], now["sum"]) != (note["rows"], note["sum"]):
                raise other_checkpoint("of a run with other documents", self.checkpoint.folder)
        self.frame = self.checkpoint.stage(self.name, lambda: frame, {"sum": sum_of_rows})
        self._list_files()
        if self.rows != self.checkpoint.rows(self.name):
            raise BadInputError(
                f"the copy of the documents in the checkpoint {self.checkpoint.folder} has {self.rows:,} rows in place "
                f"of {self.checkpoint.rows(self.name):,}; give another folder, or remove this one",
                subject=self.checkpoint.folder,
                subject_kind="file",
            )

    def _count(self, is_strict: bool) -> list[Any]:
        """Count the rows of each file, for which Spark reads little more than the ends of files."""
        time = F.max(F.unix_micros("_metadata.file_modification_time"))  # in any time zone
        length = F.max("_metadata.file_size")
        while True:
            try:
                with clear_errors(), whole_files(self.checkpoint.spark):
                    found = (
                        self.readable()
                        .groupBy(F.col("_metadata.file_path").alias("file"))
                        .agg(F.count(F.lit(1)).alias("rows"), time.alias("time"), length.alias("length"))
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
        return self.frame.filter(~F.col("_metadata.file_path").isin(self.damaged))

    def leave_out_damaged(self, sketches: Any, columns: Sequence[Any]) -> None:
        """Leave out the files whose damage has kept rows from being sketched.

        Each file with other rows than it had is read once more. If that finds no damage, the rows have changed.
        """
        own = (F.col("number") >= self.first) & (F.col("number") < self.end)
        counts = sketches.filter(own).groupBy(F.shiftright("number", NUMBER_BITS).alias("file")).count().collect()
        found = {one["file"] - (self.first >> NUMBER_BITS): one["count"] for one in counts}
        differ = [place for place, (_, rows, _) in enumerate(self.files) if found.get(place, 0) != rows]
        for place in differ:
            file, rows, _ = self.files[place]
            damage = self._damage_of(file, columns) if found.get(place, 0) < rows else None
            if damage is None:
                raise changed(self.checkpoint.folder)
            if self.is_strict:
                raise damage
            self.gaps.append(place + (self.first >> NUMBER_BITS))
            self.skipped += rows
        self.damaged += [self.files[place][0] for place in differ]

    def _damage_of(self, file: str, columns: Sequence[Any]) -> DamagedFileError | None:
        """Read a file to its end, and return the error if it is damaged."""
        rows = self.frame.filter(F.col("_metadata.file_path") == file)
        try:
            with clear_errors(), whole_files(self.checkpoint.spark):
                rows.select(*columns).write.format("noop").mode("overwrite").save()
        except DamagedFileError as error:
            return error
        return None

    def id_column(self, kind: Any = None) -> Any:
        """Return the column with the ids. kind: the type that numbers of rows get."""
        row = F.col("_metadata.row_index")
        if self.id is not None:
            row = column_of(self.id)
        elif kind is not None:
            row = (row if kind.simpleString() in ("string", "int", "bigint") else F.lit(None)).cast(kind)
        return row.alias("_benzer_id")

    def without_gaps(self, sketches: Any) -> Any:
        return sketches.filter(~F.shiftright("number", NUMBER_BITS).isin(self.gaps)) if self.gaps else sketches

    def check_unchanged(self) -> None:
        """Refuse documents whose files have changed since Spark listed them for the frame."""
        if self.copied:
            return
        first = self.first >> NUMBER_BITS
        known = [file for place, (file, _, _) in enumerate(self.files, first) if place not in self.gaps]
        check_files({file: self._listed[file] for file in known}, states_of(self.checkpoint.spark, known))

    def numbered(self, columns: Sequence[Any]) -> Any:
        """Return these columns after the column NUMBER."""
        found = self.readable().select(
            F.col("_metadata.file_path").alias("_benzer_file"),
            F.col("_metadata.row_index").alias("_benzer_row"),
            *columns,
        )
        joined = found.join(F.broadcast(self._starts), "_benzer_file")
        number = (F.col("_benzer_start") + F.col("_benzer_row")).alias(NUMBER)
        return joined.select(number, *[column_of(name) for name in found.columns[2:]])


def changed(folder: str) -> BadInputError:
    return BadInputError(
        f"the documents changed while they were read; run it again with another checkpoint than {folder}",
        subject=folder,
        subject_kind="file",
    )


def join_by_number(frame: Any, listed: Any, rows: int, how: str) -> Any:
    """Join a frame to a list of documents, which is sent to the executors, so that the frame is not shuffled.

    The frame has the column NUMBER or, if it has no columns of the user, "number", and the list has "number". A long
    list is sent in pieces, each for a range of numbers.
    """
    key = NUMBER if NUMBER in frame.columns else "number"
    listed = listed.withColumnRenamed("number", key)
    pieces = -(-rows // MOST_BROADCAST)
    if pieces <= 1:
        return frame.join(F.broadcast(listed), key, how)
    bounds = listed.approxQuantile(key, [i / pieces for i in range(1, pieces)], 0.001)
    edges = [None, *sorted({int(bound) for bound in bounds}), None]
    out = None
    for low, high in zip(edges, edges[1:], strict=False):
        here = F.lit(True)
        if low is not None:
            here = here & (F.col(key) >= low)
        if high is not None:
            here = here & (F.col(key) < high)
        piece = frame.filter(here).join(F.broadcast(listed.filter(here)), key, how)
        out = piece if out is None else out.unionByName(piece)
    return out


def table_of(frame: Any) -> Any:
    """Return a small frame of documents as a table, in the order of their numbers."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema

    rows = sorted((one.asDict() for one in frame.collect()), key=lambda one: int(one[NUMBER]))
    for row in rows:
        row.update({name: list(value.items()) for name, value in row.items() if isinstance(value, dict)})
    return pa.Table.from_pylist(rows, schema=to_arrow_schema(frame.schema))


def check_column(frame: Any, name: str, parameter: str) -> None:
    if name not in frame.columns:
        raise BadInputError(
            f"there is no column {name!r} for {parameter}; the columns are {', '.join(frame.columns)}",
            subject=name,
            subject_kind="field",
        )


def removed_schema(id_type: Any, has_links: bool) -> Any:
    """Return the columns of the stage of removed documents."""
    from pyspark.sql.types import DoubleType, LongType, StringType, StructField, StructType

    fields = [
        ("number", LongType()),
        ("kept_number", LongType()),
        ("score", DoubleType()),
        ("id", id_type),
        ("kept_id", id_type),
    ]
    if has_links:
        fields += [("linked_id", id_type), ("linked_score", DoubleType())]
    return StructType([StructField(name, kind) for name, kind in [*fields, ("note", StringType())]])


def missing_fields(documents: Documents, settings: dict[str, Any]) -> dict[str, int]:
    """Count the documents, not references, without a group or one of the numbers that keep names."""
    fields = fields_of(settings)
    wanted = {"without_group": [fields.group] if fields.group else [], "without_number": fields.numbers}
    out = dict.fromkeys(wanted, 0)
    if any(wanted.values()):
        missing = {}
        for count, names in wanted.items():
            is_missing = F.lit(False)
            for name in names:
                is_missing = is_missing | column_of(name).isNull()
                if count == "without_number":
                    is_missing = is_missing | column_of(name).cast("string").eqNullSafe("NaN")
            missing[count] = is_missing
        found = documents.readable().agg(*sums_of(missing)).first()
        out = {count: int(found[count]) for count in out}
    return out


def other_checkpoint(what: str, folder: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"the checkpoint {folder} is {what}; give another folder, or remove this one",
        subject=folder,
        subject_kind="file",
    )


def check_checkpoint(wanted: dict[str, Any], found: dict[str, Any], folder: str) -> None:
    """Refuse what another run has left."""
    for name, what in (
        ("version", "of another version of Benzer"),
        ("settings", "of a run with other options"),
        ("order", "of a run with another order"),
        ("frames", "of a run with other documents"),
    ):
        if wanted[name] != found.get(name):
            if name == "frames" and _without_ids(wanted) == _without_ids(found):
                what = "of a run with another id"
            raise other_checkpoint(what, folder)


def _without_ids(manifest: dict[str, Any]) -> list[Any]:
    return [{**one, "id": None} for one in manifest["frames"]]
