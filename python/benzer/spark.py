"""Deduplication on a cluster with Spark, with the result of one machine::

    from benzer.spark import deduplicate

    result = deduplicate(spark.read.parquet("s3://bucket/crawl"), text="text", id="url",
                         checkpoint="s3://bucket/work")
    result.kept.write.parquet("s3://bucket/clean")

What is kept and removed, the keepers and the scores are those of ``benzer dedup`` on the same
documents in the same order. The executors need the package benzer and nothing else.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from pyspark.sql import functions as F

from benzer import _engine, _spark_audit, _spark_tasks
from benzer._errors import GuardRailError, InvalidArgumentError
from benzer._inputs import fields_of, settings_of
from benzer._runs import Report
from benzer._runs import deduplicate as _deduplicate_here
from benzer._spark_choice import check_all_were_chosen, listed_for_choice
from benzer._spark_errors import DamagedFileError, plain_name
from benzer._spark_frames import (
    Checkpoint,
    Documents,
    check_checkpoint,
    check_column,
    check_whole_files,
    column_of,
    join_by_number,
    map_batches,
    missing_fields,
    other_checkpoint,
    removed_schema,
    setting,
    sums_of,
    tasks_at_once,
    whole_files,
)
from benzer._spark_partitions import keys_of_partitions
from benzer._spark_references import check_references
from benzer._spark_report import make_report
from benzer._spark_types import check_same_types
from benzer._tables import source_of

__all__ = ["Result", "deduplicate"]

_SKETCHES = "number long, fingerprint binary, keys binary, cut binary, bytes long, flags tinyint, replaced int"
_ENTRIES_PER_PARTITION = 2_000_000
_LEAST_PER_PARTITION = 5_000
"""Documents: a task of Python costs a fifth of a second before it does anything."""
_CHECKPOINT_FORMAT = 4
"""Goes up when stages or notes change."""
_MEMBER_BYTES = 256 << 20
_MOST_SIGNATURES_BROADCAST = 1_000_000


class Result:
    """What ``deduplicate()`` has found. Frames are read from the checkpoint, which must stay as long.

    >>> result.kept.write.parquet("clean")  # doctest: +SKIP
    >>> result.removed.orderBy("score").show()  # doctest: +SKIP
    """

    def __init__(self, run: Any) -> None:
        self._run = run
        self._summary = run.summary()

    @property
    def kept(self) -> Any:
        """The documents that are kept: the frame that was given, without the rows that are removed.

        They are read when the frame is written. Until then files that are read in place must stay as they are.
        """
        run = self._run
        documents = run.documents
        check_whole_files(run.checkpoint.spark)
        documents.check_unchanged()
        listed = run.removed().select("number")
        rows = documents.numbered([column_of(name) for name in documents.columns])
        kept = join_by_number(rows, listed, self._summary["removed"], "left_anti")
        return kept.select(*[column_of(name) for name in documents.columns])

    @property
    def removed(self) -> Any:
        """The documents that are removed: ``id``, ``kept_id`` and ``score``.

        With ``cluster="components"`` also ``linked_id`` and ``linked_score``.
        """
        names = ["id", "kept_id", "score"]
        if self._run.has_links:
            names += ["linked_id", "linked_score"]
        return self._run.removed().select(*names)

    def clusters(self) -> Any:
        """Return the documents of all clusters: ``cluster``, ``kept_id``, ``id``, ``is_kept`` and ``score``.

        ``cluster`` is a number that the documents of a cluster share, and no others, also where ids are not unique.
        """
        removed = self._run.removed().filter(F.col("kept_number").isNotNull())
        removed = removed.withColumnRenamed("kept_number", "cluster")
        keepers = removed.dropDuplicates(["cluster"])
        return keepers.select(
            "cluster", "kept_id", F.col("kept_id").alias("id"), F.lit(True).alias("is_kept"), F.lit(1.0).alias("score")
        ).unionByName(removed.select("cluster", "kept_id", "id", F.lit(False).alias("is_kept"), "score"))

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the run, with the names that ``benzer dedup --json`` prints."""
        return json.loads(json.dumps(self._summary))  # type: ignore[no-any-return]

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """Return the report of the run: what was removed and why, for a sample of the clusters side by side.

        The driver reads the largest clusters, those with the lowest scores, some others and a sample of the removed
        documents once more, about 250 documents. The page is that of ``benzer dedup --report``, without the scores of all pairs.

        Args:
            path: A file of the driver for the page (``report.html``); its JSON twin is written next to it.
        """
        with self._run.reading():
            found = make_report(self._run, self._summary)
        if path is not None:
            found.save(path)
        return found

    @property
    def problems(self) -> list[str]:
        """What was wrong with the documents, as sentences: files that were left out."""
        return [f"{file} is damaged; its documents were left out" for file in self._summary["damaged"]]

    def audit(self, sample: int = 1000) -> dict[str, Any]:
        """Measure on these documents what share of the similar pairs the run finds.

        It reads the documents again, and compares a sample of them exactly with all.

        sample: how many documents are drawn. More give a narrower interval, and cost as much more.

        Returns what ``benzer audit --json`` prints: ``recall``, its interval of 95 % and what the bands
        promise, for ``all`` pairs and for those of ``different`` documents, the same by ``ranges`` of
        scores, the most similar ``missed`` pairs, and the share of documents that have a similar one.
        """
        with self._run.reading():
            return _spark_audit.audit(self._run, sample)

    def __repr__(self) -> str:
        one = self._summary
        return (
            f"<benzer.spark.Result: {one['kept']:,} of {one['documents']:,} documents kept, {one['removed']:,} removed>"
        )


class _Run:
    """One run: its stages in their order, each of which reads those before it from the checkpoint."""

    def __init__(
        self,
        frame: Any,
        against: Any,
        settings: dict[str, Any],
        id: str | None,
        order: str | None,
        checkpoint: Checkpoint,
        partitions: int | None,
        is_strict: bool,
    ) -> None:
        self.begin = time.monotonic()
        self.settings = settings
        self.checkpoint = checkpoint
        self._sketches: Any = None
        self.is_strict = is_strict
        fields = fields_of(settings)
        names = [name for name in (fields.values or fields.text, fields.group, *fields.numbers) if name]
        self.fields = list(dict.fromkeys(names))
        self.template = self._template([one for one in (against, frame) if one is not None])
        self.are_copies_joined = settings.get("keep", "first") == "first"
        self.has_links = settings.get("cluster") == "components"
        # Without an argument, ids are those of a column that one of the frames may not have.
        own = id if against is not None and id in against.columns else None
        if against is not None:
            check_same_types(frame, against, [*self.fields, *([own] if own else [])])
        self.documents = Documents(frame, checkpoint, "documents", id, order, is_strict)
        self.references = None
        if against is not None:
            self.references = Documents(against, checkpoint, "references", own, None, is_strict)
            check_references(self.references, self.documents)
        self.both = [one for one in (self.references, self.documents) if one is not None]
        self._check_manifest(order)
        base = 0
        for one in self.both:
            one.start(base)
            base += len(one.files)
        self.partitions = self._partitions(partitions)
        if checkpoint.note("sketches") is not None:
            self.sketches()  # which files are damaged

    def _template(self, frames: list[Any]) -> dict[str, Any]:
        """Return the summary of a run of no documents, which checks the settings, too."""
        from pyspark.sql.pandas.types import to_arrow_schema

        for frame in frames:
            columns = [column_of(name) for name in self.fields]
            empty = to_arrow_schema(frame.select(*columns).schema).empty_table()
            _engine.sketch_partition(self.settings, [source_of(empty, fields_of(self.settings))], bytes(16))
        return _deduplicate_here(empty, **self.settings).summary

    def _check_manifest(self, order: str | None) -> None:
        manifest = {
            "version": f"{_engine.version}, {_CHECKPOINT_FORMAT}",
            "settings": self.settings,
            "order": order,
            "frames": [one.described() for one in self.both],
        }
        found = self.checkpoint.note("run")
        if found is None:
            if not self.checkpoint.is_empty:  # versions that copied frames before they noted what run it was
                raise other_checkpoint("of another version of Benzer", self.checkpoint.folder)
            # Whoever knows the key can write texts that are taken for copies, so each run draws its own.
            found = {**manifest, "key": secrets.token_hex(16)}
            self.checkpoint.write_note("run", found)
        check_checkpoint(manifest, found, self.checkpoint.folder)
        self.key = bytes.fromhex(found["key"])

    def _partitions(self, partitions: int | None) -> int:
        """Return into how many parts documents are divided, which stays the same after a lost driver."""
        found = self.checkpoint.note("partitions")
        if found is None:
            bands = int(self.template["config"].rpartition("bands:")[2].partition("x")[0])
            rows = sum(one.rows for one in self.both)
            busy = min(tasks_at_once(self.checkpoint.spark), 1 + rows // _LEAST_PER_PARTITION)
            found = {"count": partitions or max(busy, -(-rows * bands // _ENTRIES_PER_PARTITION))}
            self.checkpoint.write_note("partitions", found)
        return int(found["count"])

    def _spread(self, frame: Any, count: int | None = None) -> Any:
        return frame.repartition(count or self.partitions, "part").select("packed")

    def numbered(self, columns: Sequence[Any], with_ids: bool = False) -> Any:
        """Return these columns of the references and documents after NUMBER. with_ids: and their ids at the end."""
        kind = self.documents.frame.select(self.documents.id_column()).schema[0].dataType if with_ids else None
        ids = [[one.id_column(kind)] if with_ids else [] for one in self.both]
        frames = [one.numbered([*columns, *own]) for one, own in zip(self.both, ids, strict=True)]
        out = frames[0]
        for one in frames[1:]:
            out = out.unionByName(one)
        return out

    def sketches(self) -> Any:
        """Return what is known of each document; nothing is shuffled for it."""
        if self._sketches is None:
            self._sketches = self._sketch()
        return self._sketches

    def _sketch(self) -> Any:
        columns = [column_of(name) for name in self.fields]
        has_ids = any(one.id is not None for one in self.both)
        task = partial(_spark_tasks.sketch, settings=self.settings, key=self.key)

        def make() -> Any:
            return map_batches(self.numbered(columns, has_ids), task, _SKETCHES)

        counts = self._counts()
        try:
            with whole_files(self.checkpoint.spark):
                sketches = self.checkpoint.stage("sketches", make, **counts)
        except DamagedFileError:
            if self.is_strict:
                raise
            # Spark gives up such a file where the damage is, and does not say which it was.
            with setting(self.checkpoint.spark, "spark.sql.files.ignoreCorruptFiles", "true"):
                sketches = self.checkpoint.stage("sketches", make, **counts)
        if self.checkpoint.rows("sketches") != sum(one.rows for one in self.both):
            for one in self.both:
                one.leave_out_damaged(sketches, [*columns, one.id_column()])
                sketches = one.without_gaps(sketches)
        return sketches

    def _counts(self) -> dict[str, Any]:
        """Return what is counted of all sketches, without those of references, under its name in the summary."""
        own = (F.col("number") >= self.documents.first).cast("long")
        takes_part, is_short = F.col("flags") % 2 == 1, F.col("flags") >= 2
        return {
            "documents": own,
            "bytes": own * F.col("bytes"),
            "empty": own * (~takes_part & ~is_short).cast("long"),
            "short": own * is_short.cast("long"),
            "replaced": own * F.col("replaced"),
        }

    def copies(self) -> Any:
        """Return the documents that have the features of an earlier one, which is the column a."""
        keys = keys_of_partitions(self.partitions)

        def make() -> Any:
            known = self.sketches().filter(F.col("flags") % 2 == 1).select("number", "fingerprint")
            sent = known.mapInArrow(partial(_spark_tasks.send_fingerprints, parts=keys), "part int, packed binary")
            return self._spread(sent).mapInArrow(_spark_tasks.find_copies, "a long, b long")

        own = F.col("b") >= self.documents.first
        return self.checkpoint.stage("copies", make, exact_duplicates=own)

    def found(self) -> Any:
        """Return the pairs of documents that share a band key, and the members of large buckets."""
        keys = keys_of_partitions(self.partitions)

        def make() -> Any:
            known = self.sketches().filter(F.col("flags") % 2 == 1).select("number", "keys")
            copies = self.copies().select(F.col("b").alias("number"))
            known = join_by_number(known, copies, self.checkpoint.rows("copies"), "left_anti")
            sent = known.mapInArrow(partial(_spark_tasks.send_keys, parts=keys), "part int, packed binary")
            return self._spread(sent).mapInArrow(_spark_tasks.find_buckets, "a long, b long, key long")

        return self.checkpoint.stage("found", make)

    def members(self) -> Any:
        """Return the documents that have a candidate (b) and their component (a)."""

        def make() -> Any:
            found = self.found()
            pairs = found.filter("key is null").select("a", "b")
            large = found.filter("key is not null").select("key", F.col("a").alias("number"))
            candidates = self.checkpoint.stage(
                "candidates",
                lambda: self._with_signatures(
                    pairs.select(F.explode(F.array("a", "b")).alias("number")).unionByName(large.select("number"))
                ),
            )
            if self.checkpoint.rows("candidates") <= _MOST_SIGNATURES_BROADCAST:
                cut = F.broadcast(candidates)
            else:
                # A pair that shares several bands is there as often. Their signatures are moved below.
                cut, pairs = candidates, pairs.distinct()
            paired = pairs.join(cut.select(F.col("number").alias("a"), F.col("cut").alias("cut_a")), "a").join(
                cut.select(F.col("number").alias("b"), F.col("cut").alias("cut_b")), "b"
            )
            near = paired.mapInArrow(partial(_spark_tasks.near, settings=self.settings), "a long, b long")
            buckets = (
                large.join(cut, "number")
                .repartition(self.partitions, "key")
                .sortWithinPartitions("key", "number")
                .select("key", "number", "cut")
                .mapInArrow(partial(_spark_tasks.connect_buckets, settings=self.settings), "a long, b long")
            )
            edges = near.unionByName(buckets)
            if not self.are_copies_joined:
                edges = edges.unionByName(self.copies())
            connect = _spark_tasks.connect
            edges = edges.mapInArrow(partial(connect, is_last=False), "a long, b long")
            return edges.repartition(1).mapInArrow(partial(connect, is_last=True), "a long, b long")

        return self.checkpoint.stage("members", make)

    def _with_signatures(self, numbers: Any) -> Any:
        listed = numbers.distinct()
        cut = self.sketches().select("number", "cut")
        return join_by_number(cut, listed, self.checkpoint.rows("found"), "left_semi")

    def removed(self) -> Any:
        """Return the removed documents: numbers, keepers and ids. Rows with a note are of the tasks."""
        return self._removed_and_notes().filter("note is null")

    def _removed_and_notes(self) -> Any:
        return self.checkpoint.stage("removed", self._choose)

    def _choose(self) -> Any:
        listed, count = listed_for_choice(self)
        columns = [column_of(name) for name in self.fields]
        rows = join_by_number(self.numbered(columns, with_ids=True), listed, count, "inner")
        # Texts that need no comparison stay where they are.
        is_compared = F.col(_spark_tasks.KIND) == _spark_tasks.COMPARED
        content = [F.when(is_compared, column).alias(self.fields[0]) for column in columns[:1]]
        first = F.coalesce(_spark_tasks.FIRST, _spark_tasks.NUMBER).alias(_spark_tasks.FIRST)
        own = ("_benzer_root", _spark_tasks.NUMBER, _spark_tasks.KIND)
        rows = rows.select(*own, first, _spark_tasks.ID, *content, *columns[1:])
        rows = rows.repartition(self.partitions, "_benzer_root").drop("_benzer_root")
        rows = rows.sortWithinPartitions(_spark_tasks.NUMBER)
        schema = removed_schema(rows.schema[_spark_tasks.ID].dataType, self.has_links)
        from pyspark.sql.pandas.types import to_arrow_schema

        task = partial(
            _spark_tasks.choose,
            settings=self.settings,
            references=self.documents.first,
            most_bytes=_MEMBER_BYTES,
            schema=to_arrow_schema(schema),
        )
        return map_batches(rows, task, schema)

    def summary(self) -> dict[str, Any]:
        """Return the numbers of the run. The first call carries it out."""
        found = self.checkpoint.note("summary")
        if found is not None:
            return {name: value for name, value in found.items() if name != "stage"}
        notes = [
            json.loads(one["note"])
            for one in self._removed_and_notes().filter("note is not null").select("note").collect()
        ]
        out = dict(self.template)
        # Whether ids are unique is not looked at, which would cost a shuffle of all of them.
        for name in ("threads", "cpu", "peak_rss_bytes", "cpu_seconds", "duplicate_ids"):
            out.pop(name, None)
        out.update(self._counted())
        check_all_were_chosen(self, notes, out["short"])
        out.update(missing_fields(self.documents, self.settings))
        count = self.checkpoint.rows("removed") - len(notes)
        out.update(
            removed=count,
            kept=out["documents"] - count,
            clusters=sum(one["clusters"] for one in notes),
            largest_cluster=max((one["largest_cluster"] for one in notes), default=0),
            references=0 if self.references is None else self.references.rows,
            exact_duplicates=self.checkpoint.count("copies", "exact_duplicates"),
            candidates=sum(one["candidates"] for one in notes),
            verified_pairs=sum(one["verified_pairs"] for one in notes),
            sources=[{"source": "", "documents": out["documents"], "removed": count}],
            skipped=sum(one.skipped for one in self.both),
            damaged=[plain_name(file) for one in self.both for file in one.damaged],
            seconds=time.monotonic() - self.begin,
        )
        self.check_unchanged()
        self.checkpoint.write_note("summary", out)
        return out

    def check_unchanged(self) -> None:
        for one in self.both:
            one.check_unchanged()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let something read the documents again, which must be those of the run."""
        self.check_unchanged()
        with whole_files(self.checkpoint.spark):
            yield
        self.check_unchanged()

    def _counted(self) -> dict[str, int]:
        """Return the counts of the sketches, counted again if some of them are of damaged files."""
        sketches = self.sketches()
        counts = self._counts()
        if any(one.gaps for one in self.both):
            return sketches.agg(*sums_of(counts)).first().asDict()  # type: ignore[no-any-return]
        return {name: self.checkpoint.count("sketches", name) for name in counts}


def deduplicate(
    documents: Any,
    *,
    text: str | None = None,
    values: str | None = None,
    id: str | None = None,
    by: str | None = None,
    against: Any = None,
    features: str | None = None,
    threshold: float | str | None = None,
    recall: float | None = None,
    keep: str | None = None,
    cluster: str | None = None,
    short: str | None = None,
    sketch: str | None = None,
    bands: str | None = None,
    config: str | None = None,
    seed: int | None = None,
    order: str | None = None,
    checkpoint: str | None = None,
    partitions: int | None = None,
    strict: bool = False,
    allow_large_clusters: bool = False,
) -> Result:
    """Find near-duplicates in a frame of Spark, and decide which documents are kept.

    The arguments that ``benzer.deduplicate()`` has, too, mean the same here.

    >>> from benzer.spark import deduplicate  # doctest: +SKIP
    >>> result = deduplicate(spark.read.parquet("crawl"), id="url", checkpoint="work")  # doctest: +SKIP

    Args:
        documents: A DataFrame. If it is Parquet files, perhaps filtered and with other columns, the order of its
            documents is that of the files by name and of the rows in them. Any other frame is first written
            to the checkpoint, once, in the order that it has then, or sorted by ``order``.
        text: The column with the texts. By default "text".
        values: The column with sets of values, which are compared instead of texts.
        id: The column with the ids, for the list of removed documents. By default "id" if there is one, else the
            number of the row in its file. References without the column "id" have the numbers of their rows.
        by: A column of texts; only documents with equal values in it are compared.
        against: A frame of documents to compare with, which are never removed. The columns that the run reads must
            have the same types in both frames, but integers may have different widths.
        features, threshold, recall, cluster, short, sketch, bands, config, seed, allow_large_clusters: As for
            ``benzer.deduplicate()``, but no features of pictures, and none that need the frequencies of all
            documents.
        keep: Which of similar documents is kept: "first", "last", "longest", "shortest", "max:COLUMN",
            "min:COLUMN", or several with commas between them.
        order: A column by which the documents are in order, if the frame has no order of its own.
        checkpoint: A folder that all executors reach, for what the stages make. The same call goes on there after
            the driver was lost. It may be left out if Spark runs on this machine alone; then it is a temporary
            folder, which is there until the process ends.
        partitions: How many parts the documents are divided into for comparison. By default by their number, and
            by how many tasks Spark runs at once when the run begins.
        strict: Refuse a file whose bytes are damaged in a column that the run reads. Otherwise it is left out, with
            all of its documents, and is in ``Result.problems`` and in the summary (``skipped``, ``damaged``). Where
            a frame is copied to the checkpoint, such a file is always refused.

    Raises:
        benzer.InvalidArgumentError: for arguments that are not allowed or contradict each other.
        benzer.BadInputError: for a column that is not there or has another type.
        benzer.GuardRailError: if so much would be removed that it looks like a mistake.
    """
    if not hasattr(documents, "mapInArrow"):
        raise InvalidArgumentError(
            f"documents is of the type {type(documents).__name__}, and it must be a DataFrame of Spark; "
            "benzer.deduplicate() takes tables and files"
        )
    settings: dict[str, Any] = settings_of(
        text=text if values is not None else text or "text",
        values=values,
        by=by,
        features=features,
        threshold=threshold,
        recall=recall,
        keep=keep,
        cluster=cluster,
        short=short,
        sketch=sketch,
        bands=bands,
        config=config,
        seed=seed,
    )
    spark = documents.sparkSession
    if keep is not None and "source:" in keep:
        raise InvalidArgumentError(
            "a frame has no sources that keep could name; make a column of them, and use max or min"
        )
    is_id_given = id is not None
    if id is None and "id" in documents.columns:
        id = "id"
    for frame in (documents, against):
        if frame is None:
            continue
        own_id = id if is_id_given or frame is documents else None
        for parameter, name in (("text", settings.get("text")), ("values", values), ("id", own_id), ("by", by)):
            if name is not None:
                check_column(frame, name, parameter)
        for name in fields_of(settings).numbers:
            check_column(frame, name, "keep")
    if order is not None:
        check_column(documents, order, "order")
    if partitions is not None and partitions < 1:
        raise InvalidArgumentError(f"partitions is {partitions}, and it must be at least 1")
    temporary = None
    if checkpoint is None:
        if not spark.conf.get("spark.master", "").startswith("local"):
            raise InvalidArgumentError("give checkpoint, a folder that all executors reach, for what the stages make")
        checkpoint = temporary = tempfile.mkdtemp(prefix="benzer-spark-")
    try:
        with whole_files(spark):
            run = _Run(documents, against, settings, id, order, Checkpoint(spark, checkpoint), partitions, strict)
            result = Result(run)
    except BaseException:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    if temporary is not None:
        # Frames outlive the result that they are of.
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    if not allow_large_clusters:
        one = result._summary
        try:
            _engine.check_guard_rails(one["largest_cluster"], one["removed"], one["documents"])
        except GuardRailError as error:
            error.result = result
            raise
    return result
