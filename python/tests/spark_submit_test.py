# labels: python
"""Runs the program for spark-submit as a process, and checks what it refuses."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import spark_session

import benzer
from benzer import _engine, spark_submit

TEXTS = [f"{n} ships left port {n} on day {n} with {n} sacks of salt and {n} of flour" for n in range(30)]
TEXTS += [text + " again" for text in TEXTS[:10]]
SETTINGS = {**spark_session.SETTINGS, **spark_session.SHORT_JOBS, "spark.driver.memory": "600m"}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with spark_session.started(SETTINGS) as session:
        yield session


def write_documents(folder: Path) -> Any:
    """Write two files of documents, of which every fourth is a near-copy, and return them as one table."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir()
    table = pyarrow.table({"url": [f"d{n:02}" for n in range(40)], "content": TEXTS, "stars": list(range(40))})
    pyarrow.parquet.write_table(table.slice(0, 25), folder / "a.parquet")
    pyarrow.parquet.write_table(table.slice(25), folder / "b.parquet")
    return table


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run spark-submit as a user does: the file of the module, and its options."""
    submit = Path(sys.executable).parent / "spark-submit"
    package = Path(benzer.__file__).parent
    settings = [word for name, value in SETTINGS.items() for word in ("--conf", f"{name}={value}")]
    begin = [os.fspath(submit), "--master", "local[2]", *settings] if submit.exists() else [sys.executable]
    return subprocess.run(
        [*begin, os.fspath(package / "spark_submit.py"), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.fspath(package.parent), "PYSPARK_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_run_writes_what_one_machine_writes(tmp_path: Path) -> None:
    spark_session.needs_spark()
    import pyarrow.parquet

    table = write_documents(tmp_path / "in")
    options = ["--text", "content", "--id", "url", "--threshold", "0.7", "--keep", "max:stars", "--json"]
    outputs = ["--output", "clean", "--checkpoint", "work", "--clusters", "clusters"]
    done = run(["in", *options, *outputs], tmp_path)
    assert done.returncode == 0, done.stderr
    expected = benzer.deduplicate(table, text="content", id="url", threshold=0.7, keep="max:stars")

    kept = pyarrow.parquet.read_table(tmp_path / "clean").sort_by("url")
    assert kept.to_pylist() == expected.kept().to_pylist()
    removed = pyarrow.parquet.read_table(tmp_path / "clean.removed").sort_by("id").to_pylist()
    wanted = [{name: one[name] for name in ("id", "kept_id", "score")} for one in expected.removed]
    assert removed == sorted(wanted, key=lambda one: str(one["id"]))
    assert pyarrow.parquet.read_table(tmp_path / "clusters").num_rows == 20
    summary = json.loads(done.stdout)
    assert (summary["documents"], summary["kept"], summary["removed"]) == (40, 30, 10)
    assert (summary["output"], summary["removed_list"]) == ("clean", "clean.removed")
    assert (tmp_path / "work" / "notes").exists()


def test_a_missing_input_is_an_error_of_the_program(tmp_path: Path) -> None:
    spark_session.needs_spark()
    done = run(["nothing.parquet", "--output", "clean", "--json"], tmp_path)
    assert done.returncode == 2
    # spark-submit prints what the program writes to either stream on its standard output.
    found = re.search(r'\{"error".*?"exit_code": 2\}', done.stdout)
    assert found, done.stdout + done.stderr
    assert json.loads(found[0]) == {
        "error": "not_found",
        "message": "nothing.parquet: there is no such file or folder",
        "file": "nothing.parquet",
        "exit_code": 2,
    }
    assert not (tmp_path / "clean").exists()


def check(spark: Any, words: list[str]) -> str:
    """Return the sentence with which the places of the options are refused; empty if they are not."""
    try:
        spark_submit._check_places(spark_submit._Places(spark), spark_submit._parse(words))
    except benzer.Error as error:
        return str(error)
    return ""


def test_outputs_never_meet_inputs(spark: Any, tmp_path: Path) -> None:
    write_documents(tmp_path / "in")
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "in")
    begin = [f"{tmp_path}/in"]
    assert check(spark, [*begin, "--output", f"{tmp_path}/clean"]) == ""
    assert check(spark, [f"{tmp_path}/in/*.parquet", "--output", f"{tmp_path}/clean"]) == ""
    for output, sentence in (
        ("in", "is also an input"),
        ("link", "is also an input"),
        ("in/clean", "is in the other"),
        ("there", "exists already"),
        (".", "is in the other"),
    ):
        assert sentence in check(spark, [*begin, "--output", f"{tmp_path}/{output}"]), output
    clean = ["--output", f"{tmp_path}/clean"]
    assert "is also an input" in check(spark, [f"file:{tmp_path}/in", *clean, "--removed", f"{tmp_path}/in"])
    assert "is also what --output writes" in check(spark, [*begin, *clean, "--removed", f"{tmp_path}/clean/"])
    assert "is also the checkpoint" in check(spark, [*begin, *clean, "--checkpoint", f"{tmp_path}/clean"])
    assert "is also a reference" in check(
        spark, [*begin, "--output", f"{tmp_path}/there", "--against", f"{tmp_path}/there"]
    )
    assert "no such file" in check(spark, [f"{tmp_path}/in/*.orc", *clean])


class LostDriverError(Exception):
    pass


@contextmanager
def lost_driver(spark: Any, monkeypatch: pytest.MonkeyPatch, place: Path) -> Iterator[None]:
    """Lose the driver when it begins to write there."""
    writer = type(spark.range(1).write)
    parquet = writer.parquet

    def write_or_fail(self: Any, path: str, *rest: Any, **options: Any) -> None:
        if path == str(place):
            raise LostDriverError
        parquet(self, path, *rest, **options)

    with monkeypatch.context() as patched:
        patched.setattr(writer, "parquet", write_or_fail)
        with pytest.raises(LostDriverError):
            yield


def test_a_report_never_meets_inputs_and_outputs(spark: Any, tmp_path: Path) -> None:
    write_documents(tmp_path / "in")
    for name in ("one", "two.json"):
        (tmp_path / name).write_bytes((tmp_path / "in" / "a.parquet").read_bytes())
    (tmp_path / "link.html").symlink_to(tmp_path / "one")
    (tmp_path / "folder").mkdir()
    outputs = ["--output", f"{tmp_path}/clean", "--checkpoint", f"{tmp_path}/work"]
    begin = [f"{tmp_path}/in", f"{tmp_path}/one", *outputs, "--against", f"{tmp_path}/two.json"]
    there = sorted(tmp_path.iterdir())
    for report, sentence in (
        ("one", "the report '.*/one' is also an input: choose another name"),
        ("link.html", "the report '.*/link.html' is also an input"),
        ("two", "the report's JSON file '.*/two.json' is also a reference"),
        ("two.html", "the report's JSON file '.*/two.json' is also a reference"),
        ("in/report.html", "one of the report '.*/in/report.html' and an input, '.*/in', is in the other"),
        ("clean/report.html", "and what --output writes, .* is in the other"),
        ("clean", "is also what --output writes"),
        ("work", "is also the checkpoint"),
        ("folder", "folder"),
        ("nothing/report.html", "nothing"),
    ):
        assert re.search(sentence, check(spark, [*begin, "--report", f"{tmp_path}/{report}"])), report
    assert check(spark, [*begin, "--report", f"{tmp_path}/report.html"]) == ""
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.long
def test_columns_that_only_some_files_have_are_kept(spark: Any, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    folder = tmp_path / "in"
    table = write_documents(folder)
    more = table.slice(0, 30).append_column("more", pyarrow.array(range(30)))
    pyarrow.parquet.write_table(more.slice(25), folder / "b.parquet")
    (folder / "0.parquet").write_bytes((folder / "b.parquet").read_bytes()[:-40])
    words = ["--text", "content", "--id", "url", "--threshold", "0.7", "--partitions", "1"]
    words += ["--output", f"{tmp_path}/clean"]
    summary = spark_submit._run(spark, spark_submit._parse([str(folder), *words]))
    assert (summary["kept"], summary["damaged"]) == (30, [f"file:{folder}/0.parquet"])
    kept = pyarrow.parquet.read_table(tmp_path / "clean").sort_by("url")
    assert kept.column_names == more.column_names
    assert kept["more"].to_pylist() == [None] * 25 + list(range(25, 30))

    other = table.set_column(2, "stars", pyarrow.array(["many"] * 40))
    pyarrow.parquet.write_table(other, folder / "c.parquet")
    words[-1] = f"{tmp_path}/other"
    with pytest.raises(benzer.BadInputError, match="a column is BIGINT in one file and STRING in another; write the"):
        spark_submit._run(spark, spark_submit._parse([str(folder), *words]))
    for name in "abc":
        (folder / f"{name}.parquet").unlink()
    with pytest.raises(benzer.BadInputError, match="Spark can read no file there as Parquet"):
        spark_submit._run(spark, spark_submit._parse([str(folder), *words]))


def test_a_file_that_is_input_and_reference_is_refused(spark: Any, tmp_path: Path) -> None:
    write_documents(tmp_path / "in")
    words = [f"{tmp_path}/in", "--text", "content", "--dry-run", "--against", f"{tmp_path}/in/a.parquet"]
    with pytest.raises(benzer.InvalidArgumentError, match=r"a\.parquet: documents of this file are also references"):
        spark_submit._run(spark, spark_submit._parse(words))


@pytest.mark.long
def test_an_output_that_another_run_wrote_meanwhile_is_refused(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet

    import benzer.spark

    write_documents(tmp_path / "in")
    deduplicate = benzer.spark.deduplicate

    def words(name: str, *more: str) -> Any:
        options = ["--text", "content", "--threshold", "0.7", "--partitions", "1", "--output", f"{tmp_path}/clean"]
        return spark_submit._parse([f"{tmp_path}/in/{name}.parquet", *options, *more])

    def beaten(*frames: Any, **options: Any) -> Any:
        """Let another run write the output before this one does."""
        result = deduplicate(*frames, **options)
        with monkeypatch.context() as patched:
            patched.setattr(benzer.spark, "deduplicate", deduplicate)
            if not (tmp_path / "clean").exists():
                spark_submit._run(spark, words("b", "--checkpoint", f"{tmp_path}/other"))
        return result

    sentence = "/clean' exists already: remove it, or choose another name"
    for more in (["--checkpoint", f"{tmp_path}/work"], []):
        with monkeypatch.context() as patched:
            patched.setattr(benzer.spark, "deduplicate", beaten)
            with pytest.raises(benzer.InvalidArgumentError, match=sentence):
                spark_submit._run(spark, words("a", *more))
        with pytest.raises(benzer.InvalidArgumentError, match=sentence):
            spark_submit._run(spark, words("a", *more))
        assert pyarrow.parquet.read_table(tmp_path / "clean").num_rows == 15
        for name in ("clean", "clean.removed"):
            assert not [one for one in (tmp_path / name).iterdir() if "benzer" in one.name]
            shutil.rmtree(tmp_path / name)


@pytest.mark.long
def test_an_output_that_another_run_wrote_where_one_was_begun_is_refused(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user removes what a lost run has begun, and another run writes there."""
    import pyarrow.parquet

    write_documents(tmp_path / "in")
    options = ["--text", "content", "--threshold", "0.7", "--partitions", "1", "--output", f"{tmp_path}/clean"]
    given = spark_submit._parse([f"{tmp_path}/in/a.parquet", *options, "--checkpoint", f"{tmp_path}/work"])

    with lost_driver(spark, monkeypatch, tmp_path / "clean"):
        spark_submit._run(spark, given)
    for name in ("clean", "clean.removed"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
    other = spark_submit._parse([f"{tmp_path}/in/b.parquet", *options, "--checkpoint", f"{tmp_path}/other"])
    spark_submit._run(spark, other)
    with pytest.raises(benzer.InvalidArgumentError, match="exists already"):
        spark_submit._run(spark, given)
    assert pyarrow.parquet.read_table(tmp_path / "clean").num_rows == 15


@pytest.mark.long
def test_only_the_report_is_written_of_a_dry_run(spark: Any, tmp_path: Path) -> None:
    write_documents(tmp_path / "in")
    words = [f"{tmp_path}/in", "--text", "content", "--threshold", "0.7", "--dry-run", "--output", f"{tmp_path}/clean"]
    words += ["--report", f"{tmp_path}/report.html", "--id", "url"]
    summary = spark_submit._run(spark, spark_submit._parse(words))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in", "report.html", "report.json"]
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["counts"]["documents"], report["counts"]["removed"], report["counts"]["clusters"]) == (40, 10, 10)
    assert [one["removed"] for one in report["clusters"]] == [1] * 10
    ids = {(one["keeper"]["id"], one["members"][0]["b"]["id"]) for one in report["clusters"]}
    whole = benzer.deduplicate(str(tmp_path / "in"), text="content", id="url", threshold=0.7)
    assert ids == {(one["kept_id"], one["id"]) for one in whole.removed}
    sampled = {(one["a"]["id"], one["b"]["id"]) for one in report["sample"]}
    assert sampled == ids and len(report["sample"]) == 10
    assert summary["dry_run"] and summary["output"] is None
    lines = spark_submit._text_of(summary).splitlines()
    assert lines[0] == "benzer: 40 documents: 30 kept, 10 removed (25.0 %); only the report was written (--dry-run)"


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(1.0, "1.0000"), (0.99278, "0.9928"), (0.99996, "0.99996"), (0.9999962, "0.999996"), (1 - 1e-15, "0.999999999")],
)
def test_no_probability_seems_to_be_certain_that_is_not(probability: float, shown: str) -> None:
    assert _engine.shown_probability(probability) == shown


@pytest.mark.long
def test_a_damaged_file_is_left_out_and_named_or_refused(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_documents(tmp_path / "in")
    sound = sorted((tmp_path / "in").glob("*.parquet"))[0]
    (tmp_path / "in" / "zz.parquet").write_bytes(sound.read_bytes()[:-40])
    words = [f"{tmp_path}/in", "--text", "content", "--threshold", "0.7", "--dry-run"]
    with pytest.raises(benzer.BadInputError, match=r"zz\.parquet is damaged"):
        spark_submit._run(spark, spark_submit._parse([*words, "--strict"]))
    summary = spark_submit._run(spark, spark_submit._parse(words))
    assert (summary["documents"], summary["removed"], len(summary["damaged"])) == (40, 10, 1)
    assert "zz.parquet is damaged; its documents were left out" in capsys.readouterr().err


@pytest.mark.long
def test_the_same_command_writes_again_what_it_had_begun(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver is lost after the first of three outputs."""
    write_documents(tmp_path / "in")
    words = [f"{tmp_path}/in", "--text", "content", "--id", "url", "--threshold", "0.7", "--partitions", "1"]
    words += ["--output", f"{tmp_path}/clean", "--clusters", f"{tmp_path}/clusters", "--checkpoint", f"{tmp_path}/work"]

    outputs = {str(tmp_path / name): name for name in ("clean.removed", "clusters", "clean")}
    with lost_driver(spark, monkeypatch, tmp_path / "clusters"):
        spark_submit._run(spark, spark_submit._parse(words))
    assert (tmp_path / "clean.removed").exists() and not (tmp_path / "clean").exists()

    (tmp_path / "clean.removed" / "mine.txt").write_text("not of Spark")
    with pytest.raises(benzer.InvalidArgumentError, match="exists already"):
        spark_submit._run(spark, spark_submit._parse(words))
    (tmp_path / "clean.removed" / "mine.txt").unlink()
    spark_submit._run(spark, spark_submit._parse(words))
    counts = {name: spark.read.parquet(path).count() for path, name in outputs.items()}
    assert counts == {"clean.removed": 10, "clusters": 20, "clean": 30}
    assert not [one for path in outputs for one in os.listdir(path) if "benzer" in one]
    with pytest.raises(benzer.InvalidArgumentError, match="exists already"):
        spark_submit._run(spark, spark_submit._parse(words))


@pytest.mark.long
def test_outputs_that_are_not_of_the_run_are_refused(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An input is written again, and rows vanish, while the outputs are written."""
    write_documents(tmp_path / "in")
    words = [f"{tmp_path}/in", "--text", "content", "--threshold", "0.7", "--partitions", "1"]
    words += ["--checkpoint", f"{tmp_path}/work", "--output"]
    kept = benzer.spark.Result.kept

    def some_are_kept(self: Any) -> Any:
        return kept.fget(self).limit(3)  # type: ignore[attr-defined]

    def kept_and_changed(self: Any) -> Any:
        frame = kept.fget(self)  # type: ignore[attr-defined]
        os.utime(tmp_path / "in" / "a.parquet", (1_700_000_000, 1_700_000_000))
        return frame

    for how, sentence in (
        (some_are_kept, "clean-1 has 3 documents in place of the 30 that are kept, so it is not complete"),
        (kept_and_changed, r"a\.parquet has changed since the frame was made"),
    ):
        words += [f"{tmp_path}/clean-1" if how is some_are_kept else f"{tmp_path}/clean-2"]
        monkeypatch.setattr(benzer.spark.Result, "kept", property(how))
        with pytest.raises(benzer.BadInputError, match=sentence):
            spark_submit._run(spark, spark_submit._parse(words))
        words.pop()
        assert len(list((tmp_path / "work" / "notes").glob("outputs-*-written.txt"))) == 0


@pytest.mark.long
def test_a_run_that_a_guard_rail_stops_writes_its_report(spark: Any, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"text": ["one two three four five six"] * 2000}), tmp_path / "a.parquet")
    words = [f"{tmp_path}/a.parquet", "--output", f"{tmp_path}/clean", "--report", f"{tmp_path}/report.html"]
    with pytest.raises(benzer.GuardRailError) as stopped:
        spark_submit._run(spark, spark_submit._parse([*words, "--partitions", "1"]))
    found: Any = stopped.value.result
    assert found.summary()["removed"] == 1999 and found.kept.count() == 1
    assert json.loads((tmp_path / "report.json").read_text())["counts"]["removed"] == 1999
    assert not (tmp_path / "clean").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "no input was named: give Parquet files or folders of them"),
        (["a"], "give --output, the folder for the kept documents, or --dry-run"),
        (["a", "--output"], "--output needs a value"),
        (["a", "--against"], "--against needs a value"),
        (["a", "--output", "b", "--keeep", "last"], "'--keeep' is not an option; did you mean '--keep'?"),
        (["a", "--output", "b", "--keep", "last", "--keep", "first"], "--keep is given twice"),
        (["a", "-o", "b", "--output", "c"], "--output is given twice"),
        (["a", "--output", "b", "--partitions", "0"], "--partitions is '0', and it must be a number from 1 on"),
        (["a", "--output", "b", "--threads", "4"], "--threads is not offered on Spark: Spark shares the work"),
        (["a", "--output", "b", "--annotate"], "--annotate is not offered on Spark: join the documents"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark_submit.main(words) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"benzer: {sentence}")
    assert printed.count("\n") == 1


def test_inputs_and_options_come_in_any_order() -> None:
    given = spark_submit._parse(["a", "--output", "o/", "b", "--against", "x", "y", "--partitions", "7"])
    assert (given.inputs, given.against, given.partitions, given.removed) == (["a", "b"], ["x", "y"], 7, "o.removed")
    given = spark_submit._parse(["a", "--output", "o", "--against", "x", "--against", "y", "z"])
    assert given.against == ["x", "y", "z"]


def test_all_options_of_the_command_are_offered_or_explained() -> None:
    offered = {action.dest for action in spark_submit._parser()._actions if action.help is not argparse.SUPPRESS}
    explained = set(spark_submit._NOT_OFFERED)
    assert not offered & explained
    assert set(_engine.options_of("dedup")) - {"help", "help_all"} <= offered | explained


def test_errors_keep_their_codes_and_are_spelled_as_options() -> None:
    text = "Traceback (most recent call last):\n  ...\nbenzer._errors.BadInputError: the column has numbers\n"
    error = spark_submit._error_of(RuntimeError(text))
    assert (type(error), str(error)) == (benzer.BadInputError, "the column has numbers")
    stopped = benzer.GuardRailError("look at them; to go on give allow_large_clusters=True")
    assert spark_submit._EXIT_CODES[stopped.code] == 7
    assert spark_submit._sentence_of(stopped) == "look at them; to go on give --allow-large-clusters"
    assert "finish the run: Job aborted; with" in str(spark_submit._error_of(RuntimeError("\n Job aborted\nat x")))
    text = "See below.\nTraceback (most recent call last):\n  File x\nModuleNotFoundError: No module named 'numpy'\n\n\tat x"
    assert "the run: ModuleNotFoundError: No module named 'numpy'; with" in str(
        spark_submit._error_of(RuntimeError(text))
    )


def test_damage_that_is_found_when_outputs_are_written_is_one_sentence() -> None:
    text = "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///a.parquet. SQLSTATE: KD001\n"
    cause = "Caused by: java.io.IOException: can not read class org.apache.parquet.format.PageHeader: Required field"
    error = spark_submit._error_of(OSError(text + cause))
    assert str(error) == "file:/a.parquet is damaged: Spark cannot read it; restore it, or leave it out"


def test_an_error_of_a_task_is_one_sentence(spark: Any, tmp_path: Path) -> None:
    write_documents(tmp_path / "in")
    given = spark_submit._parse([f"{tmp_path}/in", "--text", "stars", "--dry-run"])
    with pytest.raises(Exception) as raised:
        spark_submit._run(spark, given)
    error = spark_submit._error_of(raised.value)
    assert error.code == "bad_input", str(error)
    assert "stars" in str(error) and "\n" not in str(error)
