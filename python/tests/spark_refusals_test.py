# labels: python
"""Checks what benzer.spark refuses and leaves out: changed, damaged and odd files, checkpoints of other runs."""

from __future__ import annotations

import datetime
import decimal
import gc
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_session

import benzer

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark", reason="pyspark is not installed")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("there is no Java, which Spark needs", allow_module_level=True)

from pyarrow import parquet  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

import benzer.spark  # noqa: E402
from benzer import _spark_errors, _spark_frames, _spark_listing, _spark_types  # noqa: E402

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session.started(spark_session.SHORT_JOBS) as session:
        yield session


def texts(count: int, tag: str = "a") -> list[str]:
    return [f"{tag}{n} ships left port {n} on day {n} with {n} sacks of salt and {n} of flour" for n in range(count)]


COPIES = texts(10) + [text + " again" for text in texts(4)] + texts(3)
"""17 documents, of which 7 are removed."""


def write(path: Path, **columns: Any) -> str:
    path.parent.mkdir(exist_ok=True)
    parquet.write_table(pa.table(columns), path)
    return str(path)


def run(frame: Any, work: Path | None, **options: Any) -> Any:
    options = {"threshold": 0.7, "partitions": 1, "allow_large_clusters": True, **options}
    return benzer.spark.deduplicate(frame, checkpoint=None if work is None else str(work), **options)


def test_frames_that_change_with_time_are_copied(spark: Any, tmp_path: Path) -> None:
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=9)
    path = write(tmp_path / "a.parquet", text=COPIES, time=pa.array([later] * 17, pa.timestamp("us", tz="UTC")))
    frame = spark.read.parquet(path)
    own = F.udf(lambda text: True, "boolean")
    listed = frame.filter("time > current_timestamp()")
    for other in (
        listed,
        frame.filter("time > current_date()"),
        frame.filter("time > now()"),
        frame.filter(own("text")),
    ):
        assert not _spark_frames.is_direct(other)
    frame.createOrReplaceTempView("documents")
    assert not _spark_frames.is_direct(spark.sql("select * from documents where text in (select text from documents)"))
    assert _spark_frames.is_direct(frame.filter("time > timestamp'2020-01-01'"))
    result = run(listed, tmp_path / "work")
    assert (result.summary()["removed"], result.problems, result.kept.count()) == (7, [], 10)
    assert run(listed, tmp_path / "work").summary() == result.summary()  # its rows are those of the copy


def test_files_that_change_while_they_are_read_are_not_damaged(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.read.parquet(write(tmp_path / "a.parquet", text=COPIES))
    count = _spark_frames.Documents._count
    found = []

    def count_more(self: Any, is_strict: bool) -> Any:
        """Count one row more than the file will have, as before a row was taken away."""
        found[:] = [
            {"file": one["file"], "rows": one["rows"] + 1, "time": one["time"], "length": one["length"]}
            for one in count(self, is_strict)
        ]
        return found

    monkeypatch.setattr(_spark_frames.Documents, "_count", count_more)
    for is_strict in (False, True):
        with pytest.raises(benzer.BadInputError, match="the documents changed while they were read; run it again"):
            run(frame, tmp_path / f"work-{is_strict}", strict=is_strict)


def write_again(path: Path, order: list[int]) -> None:
    """Write 60 documents in this order, of which the last ten are copies: in each order the file has one length."""
    texts = [f"{n:04} ships left port {n:04} on day {n:04} with {n:04} sacks" for n in [*range(50), *range(10)]]
    path.parent.mkdir(exist_ok=True)
    table = pa.table({"id": list(range(60)), "text": [texts[i] for i in order]})
    parquet.write_table(table, path, compression="NONE", use_dictionary=False, write_statistics=False)


ORDER = list(range(60))
OTHER_ORDER = [*range(10), *range(50, 60), *range(10, 50)]


def test_a_file_that_is_written_again_in_place_is_noticed(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a frame says of its files is of the moment when it was made: unique documents were removed."""
    path = tmp_path / "in [1]" / "a %20{b}*.parquet"  # as in patterns, which this name is not
    write_again(path, ORDER)
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_000))
    frame = spark.read.option("recursiveFileLookup", "true").parquet(str(tmp_path / "in ?1?"))
    write_note = _spark_frames.Checkpoint.write_note

    def write_and_change(self: Any, stage: str, content: dict[str, Any]) -> None:
        write_note(self, stage, content)
        if stage == "members":
            write_again(path, OTHER_ORDER)

    with monkeypatch.context() as patched:
        patched.setattr(_spark_frames.Checkpoint, "write_note", write_and_change)
        with pytest.raises(benzer.BadInputError, match="has changed since the frame was made; make the frame again"):
            run(frame, tmp_path / "work")
    for is_strict in (False, True):  # before any work
        with pytest.raises(benzer.BadInputError, match="has changed since the frame was made"):
            run(frame, tmp_path / f"none-{is_strict}", strict=is_strict)
        assert not (tmp_path / f"none-{is_strict}").exists()

    frame = spark.read.option("recursiveFileLookup", "true").parquet(str(tmp_path / "in ?1?"))
    result = run(frame, tmp_path / "again")
    assert result.kept.count() == 50
    write_again(path, ORDER)
    for read in (lambda: result.kept, result.report, result.audit):
        with pytest.raises(benzer.BadInputError, match="has changed since the frame was made"):
            read()
    path.unlink()
    with pytest.raises(benzer.BadInputError, match="is not there any more; make the frame again"):
        result.kept  # noqa: B018


def test_a_longer_file_is_not_taken_for_a_damaged_one(spark: Any, tmp_path: Path) -> None:
    """Spark looks for the end of the file where it was."""
    path = write(tmp_path / "in" / "a.parquet", text=COPIES)
    write(tmp_path / "in" / "b.parquet", text=texts(4, "b"))
    frame = spark.read.parquet(str(tmp_path / "in"))
    write(Path(path), text=[*COPIES, "one more"])
    with pytest.raises(benzer.BadInputError, match=r"have [\d,]+ bytes, and had [\d,]+ when the frame was made"):
        run(frame, tmp_path / "work")


def test_times_of_files_are_compared_as_exactly_as_stores_tell_them() -> None:
    check = _spark_listing.check_files
    check({"a": (1, 5_123_000), "b": (1, 5_000_000)}, {"a": (1, 5_000_000), "b": (1, 5_999_000), "c": (1, 1)})
    for then, now in (((1, 5_123_000), (1, 5_124_000)), ((1, 5_123_000), (1, 6_000_000)), ((1, 5), (2, 5))):
        with pytest.raises(benzer.BadInputError, match="a has changed since the frame was made"):
            check({"a": then}, {"a": now})


def damage(path: str, column: str) -> None:
    """Overwrite the first page of a column; the end of the file stays sound."""
    content = bytearray(Path(path).read_bytes())
    group = parquet.ParquetFile(path).metadata.row_group(0)
    place = next(group.column(i) for i in range(group.num_columns) if group.column(i).path_in_schema == column)
    begin = place.dictionary_page_offset or place.data_page_offset
    content[begin : begin + 60] = bytes(60)
    Path(path).write_bytes(content)


@pytest.mark.parametrize("is_ignored", ["false", "true"])
def test_damage_of_ids_is_found_before_others_are_chosen(spark: Any, tmp_path: Path, is_ignored: str) -> None:
    """Spark passed over the rows of a, so all of its documents and their copies in b were missing."""
    ids = [f"{n}" for n in range(20)]
    damage(write(tmp_path / "in" / "a.parquet", id=ids, text=texts(20)), "id")
    write(
        tmp_path / "in" / "b.parquet",
        id=[f"b{one}" for one in ids],
        text=texts(10) + [f"{one} again" for one in COPIES[:10]],
    )
    with _spark_frames.setting(spark, "spark.sql.files.ignoreCorruptFiles", is_ignored):
        frame = spark.read.parquet(str(tmp_path / "in"))
        result = run(frame, tmp_path / "work", threshold=0.95)
        counts = [result.summary()[name] for name in ("documents", "removed", "kept", "skipped")]
        assert (counts, len(result.problems)) == ([20, 0, 20, 20], 1)
        if is_ignored == "true":
            with pytest.raises(benzer.InvalidArgumentError, match="ignoreCorruptFiles is true, so that documents"):
                result.kept  # noqa: B018
            with pytest.raises(benzer.BadInputError, match=r"a\.parquet is damaged"):
                run(frame, tmp_path / "strict", strict=True)
            copied = frame.filter(F.udf(lambda text: True, "boolean")("text"))
            with pytest.raises(benzer.BadInputError, match=r"a\.parquet is damaged"):
                run(copied, tmp_path / "copied")
            assert spark.conf.get("spark.sql.files.ignoreCorruptFiles") == "true"
    assert {row.id for row in result.kept.collect()} == {f"b{one}" for one in ids}


def test_frames_that_pass_over_files_are_refused(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", text=COPIES)
    for name in ("ignoreCorruptFiles", "ignoreMissingFiles"):
        frame = spark.read.option(name, "true").parquet(path)
        for one in (frame, frame.join(frame.select("text").distinct(), "text")):
            with pytest.raises(benzer.InvalidArgumentError, match=f"with the option {name}, so that documents would"):
                run(one, tmp_path / "work")
    run(spark.read.option("ignoreCorruptFiles", "false").parquet(path), tmp_path / "work")


@pytest.mark.parametrize("missing", ["a4", "a0", "short"])
def test_documents_that_vanish_are_missed(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    """a4 is the first of copies, a0 has a near-copy."""
    documents = [*texts(6), *texts(6)[3:], texts(1)[0] + " again", "short one"]
    frame = spark.read.parquet(write(tmp_path / "a.parquet", text=documents))
    numbered = benzer.spark._Run.numbered

    def without(self: Any, *rest: Any) -> Any:
        found = numbered(self, *rest)
        return found if self.checkpoint.note("members") is None else found.filter(f"text not like '{missing} %'")

    monkeypatch.setattr(
        benzer.spark._Run, "numbered", lambda self, columns, with_ids=False: without(self, columns, with_ids)
    )
    with pytest.raises(benzer.BadInputError, match="the documents changed while they were read"):
        run(frame, tmp_path / "work", short="drop")


def test_strict_refuses_the_checkpoint_of_a_run_that_left_files_out(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", text=COPIES)
    damage(write(tmp_path / "in" / "b.parquet", text=texts(40, "b")), "text")
    result = run(spark.read.parquet(str(tmp_path / "in")), tmp_path / "work")
    assert (result.summary()["documents"], result.summary()["skipped"], len(result.problems)) == (17, 40, 1)
    with pytest.raises(benzer.BadInputError, match=r"b\.parquet is damaged"):
        run(spark.read.parquet(str(tmp_path / "in")), tmp_path / "work", strict=True)


def test_a_file_with_another_type_is_not_left_out(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", text=texts(4), n=[1, 2, 3, 4])
    write(tmp_path / "in" / "b.parquet", text=texts(4, "b"), n=["1", "2", "3", "4"])
    damage(write(tmp_path / "in" / "c.parquet", text=texts(40, "c"), n=[1] * 40), "text")
    frame = spark.read.schema("text string, n long").parquet(str(tmp_path / "in"))
    with pytest.raises(benzer.BadInputError, match=r"the column 'n' of \S+b\.parquet is BINARY, .* is bigint"):
        run(frame, tmp_path / "work", keep="max:n")


def test_only_damage_of_the_format_is_damage() -> None:
    begin = (
        "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///a/b%20c.parquet.  SQLSTATE: KD001\n"
    )
    for cause, is_damage in (
        ("java.lang.RuntimeException: file:/a is not a Parquet file (length is too low: 4)", True),
        ("java.io.IOException: can not read class org.apache.parquet.format.PageHeader: Required field", True),
        ("org.apache.parquet.io.ParquetDecodingException: could not read page", True),
        ("java.io.FileNotFoundException: File file:/a does not exist", False),
        ("org.apache.hadoop.security.AccessControlException: Permission denied: user=a", False),
        ("java.io.IOException: cannot read file:/corrupt/a", False),
        ("java.net.SocketTimeoutException: Read timed out", False),
        ("java.io.IOException: Input/output error", False),
        ("org.apache.parquet.io.ParquetDecodingException: x\nCaused by: java.net.SocketException: reset", False),
        ("java.lang.IllegalStateException: of another kind", False),
    ):
        text = f"{begin}\tat org.apache.parquet.SomeException.corrupt(A.java:1)\nCaused by: {cause}\n\tat b"
        with pytest.raises((OSError, benzer.Error)) as raised, _spark_errors.clear_errors():
            raise OSError(text)
        assert isinstance(raised.value, _spark_errors.DamagedFileError) == is_damage, cause
        assert not is_damage or raised.value.subject == "file:/a/b c.parquet"  # type: ignore[attr-defined]


def test_only_the_damaged_one_of_files_with_like_names_is_left_out(spark: Any, tmp_path: Path) -> None:
    """Spark encodes names in addresses, and a name may look like another one encoded."""
    folder = tmp_path / "in"
    folder.mkdir()
    for number, name in enumerate(("a b.parquet", "t=10%3A00/a.parquet", "c%20d.parquet")):
        write(folder / name, text=[f"{number}{text}" for text in COPIES])
    ends, pages = ("a%20b.parquet", "t=10%3A00/\u00e9 +&'{#}.parquet"), ("c d.parquet", "t=10%253A00/a.parquet")
    for name in ends:
        path = write(folder / name, text=texts(30, "b"))
        Path(path).write_bytes(Path(path).read_bytes()[:-30])
    for name in pages:
        damage(write(folder / name, text=texts(30, "b")), "text")
    frame = spark.read.schema("text string").option("recursiveFileLookup", "true").parquet(str(folder))
    result = run(frame, tmp_path / "work")
    summary = result.summary()
    assert sorted(summary["damaged"]) == sorted(f"file:{folder}/{name}" for name in (*ends, *pages))
    assert (summary["documents"], summary["skipped"], result.kept.count()) == (51, 60, 51 - summary["removed"])


def test_a_file_that_is_named_twice_is_refused(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "a.parquet", text=COPIES)
    write(tmp_path / "in" / "b.parquet", text=texts(4, "b"))
    for names in ((path, path), (str(tmp_path / "in"), path)):
        frame = spark.read.parquet(*names)
        with pytest.raises(benzer.InvalidArgumentError, match=r"a\.parquet: this input is read twice"):
            run(frame, tmp_path / "work")
        with pytest.raises(benzer.InvalidArgumentError, match="read twice"):
            run(frame.filter("text > 'a5'"), tmp_path / "work")


def test_a_row_that_is_document_and_reference_is_refused(spark: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "in" / "a b.parquet", text=COPIES, n=list(range(17)))
    other = write(tmp_path / "in" / "b.parquet", text=texts(4, "b"), n=list(range(4)))
    whole, file = spark.read.parquet(str(tmp_path / "in")), spark.read.parquet(path)
    whole.createOrReplaceTempView("whole")
    low, high = whole.filter("n < 9"), whole.filter("n >= 9")
    for number, (documents, references, options) in enumerate(
        (
            (whole, file, {}),
            (file, whole.select("text"), {}),
            (whole, file, {"order": "n"}),
            (whole, file.filter("n = 3"), {}),
            (low, file.filter("n = 8").sort("text"), {"order": "n"}),
            (spark.read.parquet(other).union(file), file.repartition(2), {}),
            (spark.sql("select text, n from whole"), file, {}),
        )
    ):
        with pytest.raises(benzer.InvalidArgumentError, match=r"a b\.parquet: documents of this file are also ref"):
            run(documents, tmp_path / f"refused-{number}", against=references, **options)
        assert not (tmp_path / f"refused-{number}" / "notes").exists()
    result = run(high, tmp_path / "work", against=low)  # other rows of the same file
    assert (result.summary()["documents"], result.summary()["references"], result.summary()["removed"]) == (8, 13, 7)


def test_a_shared_file_that_is_damaged_is_left_out(spark: Any, tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.parquet", text=COPIES, n=list(range(17)))
    damage(write(tmp_path / "in" / "b.parquet", text=texts(40, "b"), n=list(range(40))), "n")
    whole = spark.read.parquet(str(tmp_path / "in"))
    low, high = whole.filter("n < 9"), whole.filter("n >= 9")
    result = run(high, tmp_path / "work", against=low)
    assert (result.summary()["documents"], result.summary()["removed"], len(result.problems)) == (8, 7, 2)
    with pytest.raises(benzer.InvalidArgumentError, match=r"a\.parquet: documents of this file are also references"):
        run(whole.filter("n >= 8"), tmp_path / "refused", against=low)


def test_a_checkpoint_knows_the_copy_the_id_and_the_order(spark: Any, tmp_path: Path) -> None:
    rows = [(f"d{n}", n, text, {"a": n}) for n, text in enumerate(COPIES)]
    frame = spark.createDataFrame(rows, "id string, n long, text string, more map<string, int>")
    work = tmp_path / "work"
    result = run(frame, work, order="n")
    again = run(frame.orderBy(F.desc("n")), work, order="n")
    assert again.summary() == result.summary()
    written = sorted((work / "documents").glob("*.parquet"))
    for other, options, what in (
        (frame, {"order": None}, "another order"),
        (frame.withColumn("m", -F.col("n")), {"order": "m"}, "another order"),
        (frame, {"id": "n"}, "another id"),
        (frame.filter("n < 16"), {}, "other documents"),
        (frame.withColumn("n", F.col("n") + 1), {}, "other documents"),
        (frame.drop("more"), {}, "other documents"),
        (frame, {"against": frame}, "other documents"),
        (spark.createDataFrame([("d", 1, "a b", {})], frame.schema), {}, "other documents"),
    ):
        with pytest.raises(benzer.InvalidArgumentError, match=what):
            run(other, work, **{"order": "n", **options})
    assert sorted((work / "documents").glob("*.parquet")) == written


def test_a_checkpoint_knows_the_columns_and_filters_of_files(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = spark.read.parquet(write(tmp_path / "a.parquet", text=COPIES, n=list(range(17))))

    def changed(frame: Any, low: int) -> Any:
        return frame.filter(f"n >= {low} and n < {low + 10}").withColumn("more", F.transform(F.array("n"), lambda x: x))

    result = run(changed(frame, 0), tmp_path / "work")
    with monkeypatch.context() as driver:
        driver.setenv("TZ", "XYZ-11:37")
        time.tzset()  # as on another driver
        assert run(changed(frame, 0), tmp_path / "work").summary() == result.summary()
    time.tzset()
    marked = frame.withColumn("a#1", F.lit("x#7L lambda y_3#")).withColumn("a#2", F.lit(b"#1")).filter("`a#1` < 'y#1'")
    hashes = {
        _spark_frames._hash_of_query(other)
        for other in (
            marked,
            marked.filter("text like '%#1%'"),
            marked.filter("text like '%#2%'"),
            marked.filter(F.col("text").isin("#1", "b")),
            marked.filter(F.col("text").isin("#2", "b")),
            marked.filter("`a#1` < 'c'"),
            marked.filter(F.col("a#2").cast("string") < "c"),
            marked.withColumn("n", F.when(F.col("text").contains("#1L"), 1)),
            marked.withColumn("n", F.when(F.col("text").contains("#2L"), 1)),
            marked.withColumn("n", F.from_json("text", "`b#1` int")),
            marked.withColumn("n", F.from_json("text", "`b#2` int")),
        )
    }
    assert len(hashes) == 11
    assert _spark_frames._hash_of_query(marked.filter("text like '%#1%'")) in hashes
    for other in (changed(frame, 3), changed(frame.withColumn("text", F.upper("text")), 0)):
        with pytest.raises(benzer.InvalidArgumentError, match="other documents"):
            run(other, tmp_path / "work")


def test_the_copy_of_an_older_version_is_refused(spark: Any, tmp_path: Path) -> None:
    """Older versions copied a frame before they noted whose it is."""
    frame = spark.createDataFrame([(text,) for text in COPIES], "text string")
    work = tmp_path / "work"
    run(frame, work)
    for one in (work / "notes").iterdir():
        if "documents" not in one.name:
            one.unlink()
    with pytest.raises(benzer.InvalidArgumentError, match="of another version of Benzer"):
        run(frame, work)


def test_frames_outlive_a_result_without_a_checkpoint(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    frame = spark.createDataFrame([(text,) for text in COPIES], "text string")
    kept = run(frame, None).kept
    gc.collect()
    assert kept.count() == 10
    folders = set(tmp_path.iterdir())
    assert len(folders) == 1
    with pytest.raises(benzer.InvalidArgumentError):
        run(frame, None, threshold=7)
    with pytest.raises(benzer.GuardRailError) as stopped:
        run(spark.createDataFrame([(COPIES[0],)] * 2000, "text string"), None, allow_large_clusters=False)
    result: Any = stopped.value.result
    assert result.kept.count() == 1 and len(set(tmp_path.iterdir()) - folders) == 1


def test_columns_may_have_any_name(spark: Any, tmp_path: Path) -> None:
    count = range(17)
    names = ("number", "kind", "first", "root", "a", "b", "part", "note", "score", "kept_id", "Cluster", "file", "rows")
    path = write(tmp_path / "a.parquet", id=count, text=COPIES, **{name: [f"{i % 2}" for i in count] for name in names})
    frame = spark.read.parquet(path)
    table = parquet.read_table(path)
    cases = ({"keep": "max:id"}, {"by": "id", "keep": "max:id"}, {"by": "number"}, {"by": "Cluster", "keep": "last"})
    for number, options in enumerate(cases):
        result = run(frame, tmp_path / f"work-{number}", **options)
        here = benzer.deduplicate(table, threshold=0.7, id="id", allow_large_clusters=True, **options)
        found = sorted((row.id, row.kept_id) for row in result.removed.collect())
        assert found == sorted((one["id"], one["kept_id"]) for one in here.removed)
        assert result.kept.columns == table.column_names and result.kept.count() == 17 - len(found)


def test_names_of_columns_may_have_dots_and_backticks(spark: Any, tmp_path: Path) -> None:
    names = ["a`b", "a.b", "`", "c``.`d"]
    columns = {name: [i % 5 + place for i in range(17)] for place, name in enumerate(names)}
    path = write(tmp_path / "a.parquet", **{"t`.x": COPIES, "a": list(range(17)), **columns})
    frame = spark.read.parquet(path)
    options: dict[str, Any] = {"text": "t`.x", "id": "a", "keep": "max:a`b,min:a.b"}
    result = run(frame, tmp_path / "work", **options)
    here = benzer.deduplicate(parquet.read_table(path), threshold=0.7, allow_large_clusters=True, **options)
    found = sorted((row.id, row.kept_id) for row in result.removed.collect())
    assert found == sorted((one["id"], one["kept_id"]) for one in here.removed)
    assert result.kept.columns == frame.columns and result.kept.count() == 10
    assert "ships left port" in result.report().html and result.audit(5)["documents"] == 17
    # A struct with such a field, which `order` must not take.
    frame = frame.withColumn("a", F.struct((-F.col("a")).alias("b"))).withColumnsRenamed({"a.b": "x", "c``.`d": "a.b"})
    ordered = run(frame.withColumn("a.b", F.monotonically_increasing_id()), tmp_path / "o", text="t`.x", order="a.b")
    assert [row[0] for row in ordered.kept.select("`t``.x`").collect()] == texts(10)


def test_clusters_whose_keepers_have_equal_ids_are_told_apart(spark: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        own = [" ".join(name + word for word in text.split()) for text in texts(2)]
        write(tmp_path / "in" / f"{name}.parquet", text=[own[0], own[0], own[1]])
    result = run(spark.read.parquet(str(tmp_path / "in")), tmp_path / "work")
    rows = result.clusters().collect()
    assert result.summary()["clusters"] == len({row.cluster for row in rows}) == 2
    assert sorted((row.kept_id, row.id, row.is_kept) for row in rows) == [(0, 0, True)] * 2 + [(0, 1, False)] * 2


def test_references_need_no_ids(spark: Any, tmp_path: Path) -> None:
    frame = spark.read.parquet(write(tmp_path / "a.parquet", id=[f"d{i}" for i in range(17)], text=COPIES))
    known = spark.read.parquet(write(tmp_path / "b.parquet", text=texts(2)))
    result = run(frame, tmp_path / "work", against=known)
    assert {row.kept_id for row in result.removed.collect() if row.id in ("d0", "d1")} == {"0", "1"}
    assert result.summary()["removed"] == 9
    with pytest.raises(benzer.BadInputError, match="no column 'id' for id"):
        run(frame, tmp_path / "work", against=known, id="id")


def test_references_with_other_types_are_refused_before_any_work(spark: Any, tmp_path: Path) -> None:
    """A union would take "042" and 42 for one group, and compare large integers as doubles."""
    documents: dict[str, Any] = {
        "id": ["007", "8"],
        "text": [COPIES[0]] * 2,
        "g": ["042", "7"],
        "n": [2**60, 2**60 + 1],
    }
    frame = spark.read.parquet(write(tmp_path / "a.parquet", **documents))

    def known(**columns: Any) -> Any:
        path = write(tmp_path / "b.parquet", **{**{k: v[:1] for k, v in documents.items()}, **columns})
        return spark.read.parquet(path)

    for columns, options, sentence in (
        ({"id": [42]}, {}, r"the column 'id' \(string in documents, bigint in against\) has different types; cast one"),
        ({"g": [42]}, {"by": "g"}, r"'g' \(string in documents, bigint in against\)"),
        ({"n": [1.5]}, {"keep": "max:n"}, r"'n' \(bigint in documents, double in against\)"),
        ({"n": [1.5], "id": [7]}, {"keep": "max:n"}, r"the columns 'n' \(.*\) and 'id' \(.*\) have different types"),
    ):
        with pytest.raises(benzer.BadInputError, match=sentence):
            run(frame, tmp_path / "work", against=known(**columns), **options)
    assert not (tmp_path / "work").exists()
    # What the run does not read may differ, and so may the width of integers, which a union keeps as they are.
    narrow = known(n=pa.array([3], pa.int8()), g=[42])
    result = run(frame, tmp_path / "work", against=narrow, keep="max:n")
    assert sorted((row.id, row.kept_id) for row in result.removed.collect()) == [("007", "007"), ("8", "007")]


def test_reports_show_ids_of_any_type(spark: Any, tmp_path: Path) -> None:
    """The run takes them, and its report is of the engine, which takes texts and numbers."""
    expressions = {
        "date'2020-01-02'": "2020-01-02",
        "timestamp'2020-01-02 00:00:01'": "2020-01-02 00:00:01",
        "make_dt_interval(3)": "INTERVAL '3 00:00:00' DAY TO SECOND",
        "true": "true",
        "cast('a' as binary)": "a",
        "named_struct('a', 1, 'b', 'x')": "{1, x}",
        "array(1, 2)": "[1, 2]",
        "map('a', 1)": "{a -> 1}",
        "'a'": "a",
        "5": 5,
        "1.5D": 1.5,
        "1.50": decimal.Decimal("1.50"),
    }
    for expression, shown in expressions.items():
        frame = spark.range(1).select(F.expr(expression).alias("_benzer_id"))
        assert [row[0] for row in _spark_types.with_plain_ids(frame).collect()] == [shown], expression
    days = [datetime.date(2020, 1, 1 + n) for n in range(17)]
    result = run(spark.read.parquet(write(tmp_path / "a.parquet", text=COPIES, day=days)), tmp_path / "work", id="day")
    found = json.loads(result.report().json)
    clusters = {one["keeper"]["id"]: {pair["b"]["id"] for pair in one["members"]} for one in found["clusters"]}
    assert clusters["2020-01-04"] == {"2020-01-14"} and len(clusters) == 4


def test_a_later_report_does_not_replace_documents(spark: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / f"{name} 1.json", text=COPIES)
    before = {path: path.read_bytes() for path in tmp_path.glob("*.json")}
    frame = spark.read.parquet(f"{tmp_path}/a 1.json").limit(20)  # which is copied
    result = run(frame, tmp_path / "work", against=spark.read.parquet(f"{tmp_path}/b 1.json"))
    report = result.report(tmp_path / "page.html")
    for name in ("a", "b"):
        with pytest.raises(benzer.InvalidArgumentError, match=f"{name} 1.json' is also an input"):
            report.save(tmp_path / f"{name} 1.html")
    assert {path: path.read_bytes() for path in before} == before
    assert (tmp_path / "page.html").exists()


def test_short_documents_count_as_rows_of_the_list(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spark_frames, "MOST_BROADCAST", 10)
    joined = []
    join = _spark_frames.join_by_number
    monkeypatch.setattr(
        benzer.spark,
        "join_by_number",
        lambda frame, listed, rows, how: joined.append(rows) or join(frame, listed, rows, how),
    )
    frame = spark.read.parquet(write(tmp_path / "a.parquet", text=[f"short {i}" for i in range(50)]))
    result = run(frame, tmp_path / "work", short="drop")
    assert result.summary()["removed"] == 50 and max(joined) >= 50


def test_all_replaced_texts_are_counted(spark: Any, tmp_path: Path) -> None:
    bad = [f"a b c d e {n} \xff".encode("latin-1") for n in range(300)]
    frame = spark.read.parquet(write(tmp_path / "a.parquet", text=pa.array(bad, pa.binary())))
    result = run(frame.select(F.col("text").cast("string").alias("text")), tmp_path / "work", threshold=1)
    assert result.summary()["replaced"] == 300


def test_large_types_of_arrow_are_read(spark: Any, tmp_path: Path) -> None:
    frame = spark.read.parquet(write(tmp_path / "a.parquet", text=COPIES))
    with _spark_frames.setting(spark, "spark.sql.execution.arrow.useLargeVarTypes", "true"):
        assert run(frame, tmp_path / "work").summary()["removed"] == 7
