# labels: python
"""Compares benzer.spark on two cores of this machine with benzer.deduplicate() on the same files."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spark_data
import spark_session

import benzer

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyspark", reason="pyspark is not installed")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("there is no Java, which Spark needs", allow_module_level=True)

from pyspark.sql import functions as F  # noqa: E402

import benzer.spark  # noqa: E402
from benzer import _spark_frames, _spark_partitions  # noqa: E402

ROUNDS = int(os.environ.get("BENZER_SPARK_ROUNDS", "1"))
"""How many times options are drawn at random."""
SEED = int(os.environ.get("BENZER_SPARK_SEED", "1"))
MOST_PARTITIONS = 200 if ROUNDS > 1 else 20  # 200 take minutes: Spark starts a task for each in every stage
STAGES = ["run", "partitions", "sketches", "copies", "found", "candidates", "members", "removed", "summary"]
# Measured, not counted on both sides, or counted in the components alone.
OWN_NUMBERS = {
    "candidates",
    "damaged",
    "verified_pairs",
    "duplicate_ids",
    "seconds",
    "cpu_seconds",
    "threads",
    "cpu",
    "peak_rss_bytes",
}
# The names of files, of which a frame has none.
OWN_NAMES = {"inputs", "against", "sources"}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session.started(spark_session.SHORT_JOBS) as session:
        yield session


def key_of(row: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(map(repr, row))


def rows_of(frame: Any) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in frame.collect()), key=key_of)


def removed_of(result: Any, names: list[str]) -> list[tuple[Any, ...]]:
    table = pa.table(result.removed)
    return sorted(zip(*[table.column(name).to_pylist() for name in names]), key=key_of)


def check_equal(found: list[Any], expected: list[Any], what: str) -> None:
    """Fail with the first differences; those of ten thousand rows would take minutes to list."""
    if found != expected:
        missing, more = set(map(repr, expected)), set(map(repr, found))
        first = sorted(missing - more)[:5], sorted(more - missing)[:5]
        raise AssertionError(
            f"{what}: {len(found)} instead of {len(expected)} rows; missing: {first[0]}, more: {first[1]}"
        )


def check_same(result: Any, here: Any, table: Any, id: str | None = "id", skipped: int = 0) -> None:
    """Fail unless a run on Spark has the result of one machine, which had these documents, and skipped so many."""
    names = ["id", "kept_id", "score"]
    if "linked_id" in pa.table(here.removed).column_names:
        names += ["linked_id", "linked_score"]
    assert result.removed.columns == names
    check_equal(rows_of(result.removed), removed_of(here, names), "removed")
    removed = set(pa.table(here.removed).column("id").to_pylist())
    assert result.kept.columns == table.column_names
    rows = [tuple(row.values()) for row in table.to_pylist()]
    ids = range(len(rows)) if id is None else table.column(id).to_pylist()
    expected = sorted((row for row, one in zip(rows, ids) if one not in removed), key=key_of)
    check_equal(rows_of(result.kept), expected, "kept")
    ours, theirs = result.summary(), {**here.summary, "skipped": skipped}
    left_out = OWN_NUMBERS | OWN_NAMES
    other = {name: (ours.get(name), theirs.get(name)) for name in ours.keys() | theirs.keys() if name not in left_out}
    assert {name: both for name, both in other.items() if both[0] != both[1]} == {}


def compare(spark: Any, folder: Path, table: Any, *, files: int = 1, against: Any = None, **options: Any) -> Any:
    """Deduplicate a table that is in files, on Spark and here, and return the result of Spark."""
    paths = spark_data.write(folder, table, files)
    own = {"text": "text", "id": "id", "allow_large_clusters": True}
    own.update({name: options.pop(name) for name in list(options) if name not in ("checkpoint", "partitions")})
    own = {name: value for name, value in own.items() if value is not None}
    known: dict[str, Any] = {}
    if against is not None:
        known["against"] = spark.read.parquet(*spark_data.write(folder.with_name(f"{folder.name}-against"), against))
    checkpoint = str(folder.with_name(f"{folder.name}-checkpoint"))
    frame = spark.read.parquet(str(folder))
    result = benzer.spark.deduplicate(frame, **own, **known, **{"checkpoint": checkpoint, **options})
    here = benzer.deduplicate(table if len(paths) > 1 or "id" not in own else paths, against=against, **own)
    check_same(result, here, table, own.get("id"))
    return result


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("base")


TABLE = spark_data.table_of(spark_data.texts(SEED), SEED)


@pytest.fixture(scope="module")
def first(spark: Any, base: Path) -> Any:
    """Compare a run on five files, with ten thousand exact copies of one document among the others."""
    copied = "ten thousand documents have the text of this one".split()
    texts: list[str | None] = TABLE.column("text").to_pylist()
    texts[100:100] = [" ".join(copied)] * 10_000
    return compare(spark, base / "first", spark_data.table_of(texts, SEED), files=5, partitions=7)


def test_many_files_and_copies(first: Any) -> None:
    summary = first.summary()
    assert summary["largest_cluster"] == 10_000
    assert summary["removed"] > 10_000 + 100
    assert f"{summary['kept']:,} of {summary['documents']:,} documents kept" in repr(first)
    clusters = first.clusters().collect()
    assert len({row.kept_id for row in clusters}) == sum(row.is_kept for row in clusters) == summary["clusters"]
    assert len(clusters) == summary["removed"] + summary["clusters"]


def test_longest_of_a_group(spark: Any, tmp_path: Path) -> None:
    result = compare(spark, tmp_path / "a", TABLE, keep="longest", by="group", short="drop", partitions=1)
    assert result.removed.filter("kept_id is null and score is null").count() == 5


def test_references_without_a_group_are_not_counted(spark: Any, tmp_path: Path) -> None:
    known = TABLE.slice(0, 40).set_column(0, "id", pa.array([f"known-{i}" for i in range(40)]))
    known = known.set_column(known.column_names.index("group"), "group", pa.nulls(40, pa.string()))
    result = compare(spark, tmp_path / "a", TABLE, against=known, by="group", keep="min:n")
    assert 0 < result.summary()["without_group"] < TABLE.num_rows


def test_components_with_references(spark: Any, tmp_path: Path) -> None:
    known = spark_data.table_of([f"{text} more" for text in TABLE.column("text").to_pylist()[::9]], SEED + 1)
    known = known.set_column(0, "id", pa.array([f"known-{i}" for i in range(known.num_rows)]))
    result = compare(
        spark, tmp_path / "a", TABLE, files=3, against=known, cluster="components", keep="last", partitions=2
    )
    assert result.removed.filter(F.col("kept_id").startswith("known-")).count() > 5
    assert result.removed.filter("linked_id != kept_id").count() > 50


@pytest.mark.long
def test_numbers_and_lengths(spark: Any, tmp_path: Path) -> None:
    result = compare(
        spark,
        tmp_path / "a",
        TABLE,
        files=2,
        keep="max:n,shortest",
        short="keep",
        threshold=0.6,
        partitions=MOST_PARTITIONS,
    )
    assert result.summary()["removed"] > 200


def test_values_without_ids(spark: Any, tmp_path: Path) -> None:
    table = TABLE.drop_columns(["id"])
    result = compare(spark, tmp_path / "a", table, text=None, id=None, values="words", keep="min:n,last", threshold=0.7)
    assert result.removed.schema["id"].dataType.simpleString() == "bigint"


def test_filtered_files_of_other_columns(spark: Any, tmp_path: Path) -> None:
    spark_data.write(tmp_path / "a", TABLE, 3)
    frame = (
        spark.read.parquet(str(tmp_path / "a"))
        .filter("n < 15 and n > 0")
        .select("id", F.upper("text").alias("content"))
    )
    assert _spark_frames.is_direct(frame)
    result = benzer.spark.deduplicate(frame, text="content", features="text:char7", threshold=0.7, seed=3)
    rows = [
        {"id": row["id"], "content": row["text"] and row["text"].upper()}
        for row in TABLE.to_pylist()
        if (row["n"] or 99) < 15
    ]
    table = pa.Table.from_pylist(rows, pa.schema([("id", pa.string()), ("content", pa.string())]))
    here = benzer.deduplicate(table, text="content", id="id", features="text:char7", threshold=0.7, seed=3)
    check_same(result, here, table)


def test_a_frame_in_an_order_of_its_own(spark: Any, tmp_path: Path) -> None:
    """A frame that is not read from files is written to the checkpoint once, in the order of a column."""
    texts = ["a b c d e f", "", "a b c d e f", "x y z u v w", "a b c d e f g", None]
    frame = spark.createDataFrame([(i, text, -i) for i, text in enumerate(texts)], "id long, text string, place long")
    assert not _spark_frames.is_direct(frame)
    folder = tmp_path / "work"
    result = benzer.spark.deduplicate(frame, order="place", checkpoint=str(folder), threshold=0.6)
    assert rows_of(result.removed) == [(0, 4, 2 / 3), (2, 4, 2 / 3)]
    assert sorted(row.id for row in result.kept.collect()) == [1, 3, 4, 5]
    assert len(list((folder / "documents").glob("*.parquet"))) >= 1


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_any_documents(spark: Any, tmp_path: Path, count: int) -> None:
    result = compare(spark, tmp_path / "a", TABLE.slice(0, count))
    assert result.summary()["documents"] == result.summary()["kept"] == count


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_random_options(spark: Any, tmp_path: Path, seed: int) -> None:
    random_ = random.Random(seed)
    options: dict[str, Any] = {
        "keep": random_.choice([None, "first", "last", "longest", "shortest", "max:n", "min:n,longest"]),
        "cluster": random_.choice([None, "components"]),
        "short": random_.choice([None, "keep", "drop"]),
        "by": random_.choice([None, "group"]),
        "features": random_.choice([None, "text:word2", "text:words3", "text:char9", "text:word4+bag"]),
        "threshold": random_.choice([0.5, 0.65, 0.8, 0.95, 1.0]),
        "recall": random_.choice([None, 0.9]),
        "partitions": random_.choice([1, 2, 3, 5]),
        "id": random_.choice([None, "id"]),
    }
    table = spark_data.table_of(spark_data.texts(seed, 30), seed)
    known = spark_data.table_of(spark_data.texts(seed, 3)[:150], seed) if random_.randrange(2) else None
    files = 1 if options["id"] is None else random_.choice([1, 4])
    if options["id"] is None:
        table = table.drop_columns(["id"])
        known = None  # its rows would have the numbers of others
    print(options, files, known is not None)
    compare(spark, tmp_path / "a", table, files=files, against=known, **options)


class LostDriverError(Exception):
    pass


@pytest.mark.long
def test_a_lost_driver_is_taken_up(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver is lost after each stage is written, before its note is and after it."""
    paths = spark_data.write(tmp_path / "a", TABLE, 2)
    options = {"checkpoint": str(tmp_path / "work"), "text": "text", "id": "id", "partitions": 2}
    write_note = _spark_frames.Checkpoint.write_note
    noted: list[str] = []
    lost_at, is_noted = "", False

    def write_or_fail(self: Any, stage: str, content: dict[str, Any]) -> None:
        if stage != lost_at or is_noted:
            noted.append(stage)
            write_note(self, stage, content)
        if stage == lost_at:
            raise LostDriverError

    monkeypatch.setattr(_spark_frames.Checkpoint, "write_note", write_or_fail)
    for number, stage in enumerate(STAGES):
        lost_at, is_noted = stage, number % 2 == 0
        with pytest.raises(LostDriverError):
            benzer.spark.deduplicate(spark.read.parquet(str(tmp_path / "a")), **options)
    lost_at = ""
    result = benzer.spark.deduplicate(spark.read.parquet(str(tmp_path / "a")), **options)
    check_same(result, benzer.deduplicate(TABLE, text="text", id="id"), TABLE)
    assert sorted(noted) == sorted(STAGES), "a stage was made again"
    again = benzer.spark.deduplicate(spark.read.parquet(str(tmp_path / "a")), **options)
    assert again.summary() == result.summary()
    assert sorted(noted) == sorted(STAGES)

    # Another run may not go on with it.
    frame = spark.read.parquet(str(tmp_path / "a"))
    with pytest.raises(benzer.InvalidArgumentError, match="other options"):
        benzer.spark.deduplicate(frame, **options, threshold=0.7)
    with pytest.raises(benzer.InvalidArgumentError, match="other documents"):
        benzer.spark.deduplicate(frame.filter("n < 10"), **options)
    with pytest.raises(benzer.InvalidArgumentError, match="other documents"):
        benzer.spark.deduplicate(spark.read.parquet(paths[0]), **options)
    spark_data.write(tmp_path / "b", TABLE, 1)
    with pytest.raises(benzer.InvalidArgumentError, match="other documents"):
        benzer.spark.deduplicate(frame, against=spark.read.parquet(str(tmp_path / "b")), **options)


@pytest.mark.long
def test_a_damaged_page_is_left_out_by_the_next_driver_as_well(spark: Any, tmp_path: Path) -> None:
    """The end of the file is sound. Only a task that reads its texts finds the damage."""
    paths = spark_data.write(tmp_path / "a", TABLE, 3)
    content = bytearray(Path(paths[2]).read_bytes())
    texts = pa.parquet.ParquetFile(paths[2]).metadata.row_group(0).column(TABLE.column_names.index("text"))
    begin = texts.data_page_offset
    content[begin : begin + 400] = bytes(400)
    Path(paths[2]).write_bytes(content)
    options = {"checkpoint": str(tmp_path / "work"), "text": "text", "id": "id"}
    sound = pa.concat_tables([pa.parquet.read_table(path) for path in paths[:2]])
    here = benzer.deduplicate(sound, text="text", id="id")

    def run() -> Any:
        return benzer.spark.deduplicate(spark.read.parquet(str(tmp_path / "a")), **options)

    result = run()
    check_same(result, here, sound, skipped=TABLE.num_rows - sound.num_rows)
    assert len(result.problems) == 1
    for stage in ("removed", "summary"):
        (tmp_path / "work" / "notes" / f"{stage}.txt").unlink()
    again = run()
    check_same(again, here, sound, skipped=TABLE.num_rows - sound.num_rows)
    assert again.problems == result.problems

    notes = tmp_path / "work" / "notes"
    changed = (notes / "run.txt").read_text().replace('"version": "', '"version": "0')
    (notes / "run.txt").write_text(changed)
    with pytest.raises(benzer.BadInputError, match="the notes of the checkpoint .* cannot be read"):
        run()  # by their checksum
    (notes / ".run.txt.crc").unlink()
    with pytest.raises(benzer.InvalidArgumentError, match="of another version of Benzer"):
        run()


def test_a_guard_rail_stops(spark: Any, base: Path, first: Any) -> None:
    """The files of the first run are there already, with its checkpoint."""
    options = {"checkpoint": str(base / "first-checkpoint"), "id": "id", "partitions": 7}
    with pytest.raises(benzer.GuardRailError, match="10,000"):
        benzer.spark.deduplicate(spark.read.parquet(str(base / "first")), **options)


def test_errors_before_anything_is_read(spark: Any) -> None:
    frame = spark.createDataFrame([("a", 1, ["b"])], "text string, n long, words array<string>")

    def run(documents: Any = frame, **options: Any) -> Any:
        return benzer.spark.deduplicate(documents, **options)

    cases: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"documents": pa.table({"text": ["a"]})}, benzer.InvalidArgumentError, "must be a DataFrame of Spark"),
        ({"text": "body"}, benzer.BadInputError, "no column 'body' for text; the columns are text, n, words"),
        ({"id": "url"}, benzer.BadInputError, "no column 'url' for id"),
        ({"by": "url"}, benzer.BadInputError, "no column 'url' for by"),
        ({"order": "url"}, benzer.BadInputError, "no column 'url' for order"),
        ({"keep": "max:url"}, benzer.BadInputError, "no column 'url' for keep"),
        ({"values": "url"}, benzer.BadInputError, "no column 'url' for values"),
        ({"against": frame.select("n")}, benzer.BadInputError, "no column 'text' for text"),
        ({"text": "n"}, benzer.BadInputError, "'n'"),
        ({"values": "text"}, benzer.BadInputError, "'text'"),
        ({"by": "words"}, benzer.BadInputError, "'words'"),
        ({"keep": "max:words"}, benzer.BadInputError, "'words'"),
        ({"partitions": 0}, benzer.InvalidArgumentError, "partitions is 0, and it must be at least 1"),
        ({"threshold": 1.5}, benzer.InvalidArgumentError, "threshold"),
        ({"keep": "best"}, benzer.InvalidArgumentError, "keep"),
        ({"keep": "source:a"}, benzer.InvalidArgumentError, "no sources"),
        ({"features": "image:dhash"}, benzer.InvalidArgumentError, "pictures"),
        ({"features": "text:word5+drop-common:0.1"}, benzer.InvalidArgumentError, "frequencies"),
        ({"features": "text:word5+tf-idf"}, benzer.InvalidArgumentError, "frequencies"),
    ]
    bad = []
    for options, kind, part in cases:
        try:
            run(**options)
            bad.append(f"{options}: no error")
        except Exception as error:
            if not isinstance(error, kind) or part not in str(error) or "\n" in str(error):
                bad.append(f"{list(options)}: {type(error).__name__}: {str(error)[:300]}")
    assert not bad, "\n".join(bad)


def test_a_cluster_needs_a_checkpoint(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.createDataFrame([("a",)], "text string")
    monkeypatch.setattr(type(spark.conf), "get", lambda self, name, default=None: "spark://a:7077")
    with pytest.raises(benzer.InvalidArgumentError, match="give checkpoint"):
        benzer.spark.deduplicate(frame)


def test_partitions_are_reached_by_their_keys(spark: Any) -> None:
    for count in (1, 2, 7, 200):
        keys = _spark_partitions.keys_of_partitions(count)
        frame = spark.createDataFrame([(key,) for key in keys], "part int").repartition(count, "part")
        found = frame.select("part", F.spark_partition_id().alias("place")).collect()
        assert sorted((row.place, row.part) for row in found) == list(enumerate(keys))


@pytest.mark.long
def test_a_report_shows_the_largest_cluster_and_samples_all_removals(spark: Any, tmp_path: Path) -> None:
    """The members of a chain that are shown are similar to its keeper or to others that are not shown."""
    choose = random.Random(3)
    rows = []
    for cluster in range(80):
        words = [f"w{choose.randrange(10**6)}" for _ in range(60)]
        for copy in range(200 if cluster == 0 else choose.randrange(2, 6)):
            place = choose.randrange(60)
            text = words if copy == 0 else [*words[:place], f"x{copy}", *words[place + 1 :]]
            rows.append((f"{cluster}-{copy}", " ".join(text)))
    choose.shuffle(rows)
    frame = spark.createDataFrame(rows, "id string, text string")
    options = {"cluster": "components", "threshold": 0.7, "checkpoint": str(tmp_path / "work")}
    result = benzer.spark.deduplicate(frame, id="id", **options)
    report = json.loads(result.report().json)
    assert report["clusters"][report["largest"][0]]["removed"] == 199
    assert all(
        one["keeper"]["id"].split("-")[0] == one["members"][0]["b"]["id"].split("-")[0] for one in report["clusters"]
    )
    removed = {one["id"]: (one["kept_id"], one["score"]) for one in result.removed.collect()}
    assert len({one["b"]["id"] for one in report["sample"]}) == 20
    for one in report["sample"]:
        assert removed[one["b"]["id"]] == (one["a"]["id"], pytest.approx(one["score"]))
