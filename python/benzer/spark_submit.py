"""``benzer dedup`` for Parquet files on a cluster with Spark.

    spark-submit .../benzer/spark_submit.py INPUT... --output DIR --checkpoint DIR [OPTIONS]
    python -m benzer.spark_submit INPUT... --output DIR [OPTIONS]

The options have the names and the meaning of those of ``benzer dedup``, and so have the exit codes.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

# spark-submit puts the folder of this file first in the path, and the modules in it have names of libraries.
_FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [one for one in sys.path if os.path.abspath(one or os.curdir) != _FOLDER]

from benzer._errors import (  # noqa: E402
    BadInputError,
    Error,
    GuardRailError,
    InterruptedRunError,
    InvalidArgumentError,
    NotFoundError,
)

_EXIT_CODES = {
    "invalid_argument": 2,
    "bad_input": 2,
    "not_found": 2,
    "corrupt": 4,
    "storage_failed": 5,
    "guard_rail": 7,
    "unavailable": 12,
    "denied": 13,
    "interrupted": 130,
}
"""As docs/cli.md lists them. All other failures are 1."""

_TEXTS = {
    "text": ("COLUMN", "column that holds the text [text]"),
    "values": ("COLUMN", "compare the sets of strings in this column instead of texts [none]"),
    "id": ("COLUMN", "column that names a document in the list of removed ones [id, else the row in its file]"),
    "by": ("COLUMN", "compare only documents with the same value in this column [none]"),
    "threshold": ("T", "Jaccard similarity that counts as similar, a decimal in (0, 1] [0.8]"),
    "recall": ("P", "share of the pairs exactly at the threshold to find, in (0, 1) [0.99]"),
    "features": (
        "SPEC",
        "text:wordN, wordsN or charN (+html +bag +stop:LANG +stem:LANG), values (+weights) [text:word5]",
    ),
    "sketch": ("SPEC", "fss:N, kperm:N or another of docs/config.md, N slots [fss:128]"),
    "bands": ("BxR", "B bands of R slots [planned for threshold and recall]"),
    "config": ("CONFIG", "the three together, as every summary prints them [text:word5 | fss:128]"),
    "seed": ("N", "seed of the feature hash; another one gives an independent run [0]"),
    "short": ("POLICY", "texts with fewer words than the shingle: exact, keep or drop [exact]"),
    "keep": (
        "RULES",
        "which of similar documents is kept: first, last, longest, shortest, max:COLUMN, min:COLUMN [first]",
    ),
    "cluster": ("HOW", "leader or components [leader]"),
    "order": ("COLUMN", "column by which the documents are in order [files by name, and the rows in them]"),
    "checkpoint": ("DIR", "folder that all executors reach; the same command goes on there after the driver was lost"),
    "partitions": ("N", "how many parts the documents are divided into [by their number]"),
    "removed": ("DIR", "list of removed documents and their keepers, as Parquet [OUTPUT.removed]"),
    "report": ("FILE", "a page on the driver's machine that shows what was removed and why, also of a dry run [none]"),
    "clusters": ("DIR", "list of the clusters: keeper, documents and scores, as Parquet [none]"),
}
_FLAGS = {
    "allow_large_clusters": "go on where one cluster holds over 10 % of the documents or over 90 % are removed "
    "[stop with exit code 7]",
    "strict": "stop at a damaged file [leave it out, and name it]",
    "dry_run": "do everything but writing the outputs; the checkpoint is written [off]",
    "json": "print one JSON object for programs instead of lines for people [off]",
    "quiet": "nothing on standard error but errors, and what Spark logs [off]",
}

_OTHER_FILES = "all inputs are Parquet; read other files with Spark and call benzer.spark.deduplicate()"
_INDEXES = "it is for an index, which 'benzer dedup' takes"
_PICTURES = "it is for pictures, which 'benzer dedup' compares"
_STAGES = "give --checkpoint, and the same command goes on there"
_NOT_OFFERED = {
    "format": _OTHER_FILES,
    "max_line": _OTHER_FILES,
    "signatures": "a checkpoint keeps the sketches of its run, and nothing else takes them",
    "distance": _PICTURES,
    "measure": "containment needs 'benzer dedup'",
    "frequencies": "weights by frequencies need 'benzer dedup'",
    "pairs": "the pairs are not kept; --clusters lists what belongs together, and 'benzer dedup' lists pairs",
    "annotate": "join the documents to the list of --clusters, by their ids",
    "remove": _INDEXES,
    "score": _INDEXES,
    "allow_low_recall": _INDEXES,
    "ca_file": _INDEXES,
    "timeout": _INDEXES,
    "threads": "Spark shares the work among cores; spark.executor.cores says how many an executor has",
    "memory_limit": "spark.executor.memoryOverhead is the memory of an executor for this",
    "work": _STAGES,
    "resume": _STAGES,
    "stage": _STAGES,
    "part": "Spark shares the inputs among its executors",
    "progress": "spark.ui.showConsoleProgress shows the progress of Spark",
}


def _spelled(name: str) -> str:
    return "--" + name.replace("_", "-")


class _Refuse(argparse.Action):
    """Says what to do in place of an option that ``benzer dedup`` has."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> NoReturn:
        raise InvalidArgumentError(f"{option_string} is not offered on Spark: {_NOT_OFFERED[self.dest]}")


class _Once(argparse.Action):
    """Takes the value of an option that may be given once, as ``benzer dedup`` does."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if getattr(namespace, self.dest) is not None:
            raise InvalidArgumentError(f"{option_string} is given twice")
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        found = re.fullmatch(r"argument (\S+): expected (?:one|at least one) argument", message)
        raise InvalidArgumentError(f"{found[1].rpartition('/')[2]} needs a value" if found else message)


def _parser() -> _Parser:
    parser = _Parser(
        prog="benzer.spark_submit",
        usage="spark-submit [OPTIONS OF SPARK] .../benzer/spark_submit.py INPUT... --output DIR [OPTIONS]",
        description="Remove near-duplicate documents from Parquet files on a cluster, with the result of 'benzer "
        "dedup'. Inputs are files, folders, patterns and addresses that Spark reads.",
        allow_abbrev=False,
    )
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help="Parquet: files, folders, patterns or addresses")
    parser.add_argument(
        "-o",
        "--output",
        action=_Once,
        metavar="DIR",
        help="folder for the kept documents, which must not exist yet",
    )
    parser.add_argument(
        "--against",
        nargs="+",
        action="extend",
        metavar="FILE",
        default=[],
        help="references to compare with, never removed",
    )
    for name, (value, sentence) in _TEXTS.items():
        parser.add_argument(_spelled(name), action=_Once, metavar=value, help=sentence.replace("%", "%%"))
    for name, sentence in _FLAGS.items():
        parser.add_argument(_spelled(name), action="store_true", help=sentence.replace("%", "%%"))
    parser.add_argument("--help-all", action="help", help=argparse.SUPPRESS)
    for name in _NOT_OFFERED:
        parser.add_argument(_spelled(name), dest=name, nargs="?", action=_Refuse, help=argparse.SUPPRESS)
    return parser


def _parse(arguments: Sequence[str]) -> Any:
    """Return the options that were given. Raises InvalidArgumentError for others."""
    parser = _parser()
    given, others = parser.parse_known_intermixed_args(arguments)
    for one in others:
        name = one.partition("=")[0]
        near = difflib.get_close_matches(
            name, [_spelled(known) for known in (*_TEXTS, *_FLAGS, "output", "against")], 1
        )
        hint = f"did you mean '{near[0]}'?" if near else "see --help"
        raise InvalidArgumentError(f"'{name}' is not an option; {hint}")
    if not given.inputs:
        raise InvalidArgumentError("no input was named: give Parquet files or folders of them")
    if given.output is None and not given.dry_run:
        raise InvalidArgumentError("give --output, the folder for the kept documents, or --dry-run")
    if given.partitions is not None:
        if not given.partitions.isdecimal() or int(given.partitions) < 1:
            raise InvalidArgumentError(f"--partitions is '{given.partitions}', and it must be a number from 1 on")
        given.partitions = int(given.partitions)
    if given.removed is None and given.output is not None:
        given.removed = given.output.rstrip("/") + ".removed"
    return given


class _Places:
    """Files and folders of Spark, by their full names."""

    def __init__(self, spark: Any) -> None:
        self._paths = spark._jvm.org.apache.hadoop.fs.Path
        self._settings = spark._jsc.hadoopConfiguration()

    def full_name(self, name: str) -> str:
        path = self._paths(name)
        full = str(path.getFileSystem(self._settings).makeQualified(path).toString())
        return "file:" + os.path.realpath(full.removeprefix("file:")) if full.startswith("file:") else full

    def exists(self, name: str) -> bool:
        path = self._paths(name)
        return bool(path.getFileSystem(self._settings).exists(path))

    def found(self, pattern: str) -> list[str]:
        """Return what a name or a pattern means."""
        path = self._paths(pattern)
        found = path.getFileSystem(self._settings).globStatus(path)
        return [self.full_name(one.getPath().toString()) for one in found or []]

    def names_in(self, folder: str) -> list[str]:
        path = self._paths(folder)
        return [str(one.getPath().getName()) for one in path.getFileSystem(self._settings).listStatus(path)]

    def is_of_spark(self, name: str) -> bool:
        """Return whether a folder has only what Spark writes there."""
        return all(one.startswith(("part-", "_", ".")) for one in self.names_in(name))

    def mark(self, name: str) -> None:
        """Make an empty file, and its folder."""
        path = self._paths(name)
        path.getFileSystem(self._settings).create(path, False).close()

    def remove(self, name: str) -> None:
        """Remove a file or a folder, if there is one."""
        path = self._paths(name)
        path.getFileSystem(self._settings).delete(path, True)


class _Outputs:
    """The outputs that a run has begun: each has a file that says so until all of them are written.

    The same command writes these again, and no others. Without a checkpoint a run does not go on.
    """

    def __init__(self, spark: Any, places: _Places, checkpoint: str | None) -> None:
        from benzer._spark_frames import Checkpoint

        self._places = places
        note = None if checkpoint is None else Checkpoint(spark, checkpoint).note("run")
        # The key of a run is a secret, and an output is passed on.
        self._mark = None if note is None else "_benzer-" + hashlib.sha256(bytes.fromhex(note["key"])).hexdigest()[:16]
        self._begun: list[str] = []

    def is_begun(self, name: str) -> bool:
        """Return whether an output is one that this run has begun, and has only what Spark and this class write."""
        return self._mark is not None and self._places.exists(f"{name}/{self._mark}") and self._places.is_of_spark(name)

    def check(self, name: str) -> None:
        """Refuse an output that is there, unless this run has begun it."""
        if self._places.exists(name) and not self.is_begun(name):
            raise _exists(name)

    def write(self, frame: Any, name: str) -> None:
        """Write an output. The check is repeated, since another run may have written it in the meantime."""
        self.check(name)
        if self._mark is None:
            frame.write.mode("errorifexists").parquet(name)
            return
        if self.is_begun(name):
            self._places.remove(name)
        self._places.mark(f"{name}/{self._mark}")
        if self._places.names_in(name) != [self._mark]:
            self._places.remove(f"{name}/{self._mark}")
            raise _exists(name)
        self._begun.append(name)
        frame.write.mode("append").parquet(name)

    def end(self) -> None:
        for name in self._begun:
            self._places.remove(f"{name}/{self._mark}")


def _exists(name: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"the output '{name}' exists already: remove it, or choose another name")


_OUTPUTS = ("output", "removed", "clusters")


def _check_places(places: _Places, given: Any, outputs: _Outputs | None = None) -> None:
    """Refuse inputs that are not there, and outputs that are, or that another name stands for.

    outputs: knows which ones an attempt of this run has begun, which may be there.
    """
    taken: list[tuple[str, str, str]] = []
    for kind, names in (("an input", given.inputs), ("a reference", given.against)):
        for name in names:
            found = places.found(name)
            if not found:
                raise NotFoundError(f"{name}: there is no such file or folder", subject=name, subject_kind="file")
            taken += [(full, name, kind) for full in found]
    if given.checkpoint is not None:
        taken.append((places.full_name(given.checkpoint), given.checkpoint, "the checkpoint"))
    for option in _OUTPUTS:
        name = getattr(given, option)
        if name is not None:
            full = places.full_name(name)
            _check_apart(f"the output '{name}'", full, taken)
            if outputs is not None:
                outputs.check(name)
            elif places.exists(name):
                raise _exists(name)
            taken.append((full, name, f"what {_spelled(option)} writes"))
    if given.report is not None:
        _check_report(given.report, taken)


def _check_apart(what: str, full: str, taken: Sequence[tuple[str, str, str]]) -> None:
    """Refuse a place to write that is one of the others, is in one of them, or has it in it."""
    for other, other_name, kind in taken:
        if full == other:
            raise InvalidArgumentError(f"{what} is also {kind}: choose another name")
        if full.startswith(other.rstrip("/") + "/") or other.startswith(full.rstrip("/") + "/"):
            raise InvalidArgumentError(
                f"one of {what} and {kind}, '{other_name}', is in the other: choose another name"
            )


def _check_report(name: str, taken: Sequence[tuple[str, str, str]]) -> None:
    """Refuse a report, or the JSON file next to it, that would overwrite something else, or cannot be written."""
    from benzer import _engine
    from benzer._output_names import twin_of

    for what, file in (("the report", name), ("the report's JSON file", twin_of(name))):
        # A file of the driver, also where other names are those of the cluster.
        _check_apart(f"{what} '{file}'", "file:" + os.path.realpath(file), taken)
        _engine.check_output_place(file)


def _read(spark: Any, names: Sequence[str]) -> Any:
    """Return the frame of these files, with the columns that any of them has."""
    from pyspark.sql.types import StructType

    # By default Spark takes the columns of one file. A damaged file has none, and is left out or refused by the run.
    merged = spark.read.option("mergeSchema", "true").option("ignoreCorruptFiles", "true")
    try:
        schema: StructType = merged.parquet(*names).schema
    except Exception as error:
        shown = ", ".join(names)
        if "UNABLE_TO_INFER_SCHEMA" in str(error):
            raise BadInputError(f"{shown}: Spark can read no file there as Parquet; name others") from error
        if found := re.search(r"incompatible data types? \"(.+?)\" and \"(.+?)\"", str(error)):
            raise BadInputError(
                f"{shown}: a column is {found[1]} in one file and {found[2]} in another; write the files with the same "
                "types, or read them with Spark and call benzer.spark.deduplicate()"
            ) from error
        raise
    return spark.read.schema(schema).parquet(*names)


def _text_of(summary: dict[str, Any]) -> str:
    """Return the lines for people of a summary."""
    from benzer import _engine

    documents, removed = summary["documents"], summary["removed"]
    share = 100 * removed / documents if documents else 0
    rows = [
        ("configuration", summary["config"]),
        (
            "threshold",
            f"{summary['threshold']}; a pair exactly there is found with probability "
            f"{_engine.shown_probability(summary['recall_at_threshold'])}, closer ones more often",
        ),
    ]
    for name, count, sentence in (
        ("compared", summary["verified_pairs"], "pairs confirmed exactly"),
        ("against", summary["references"], "references, never removed"),
        ("equal", summary["exact_duplicates"], "documents with the same features as an earlier one"),
        ("short", summary["short"], "documents with less text than one shingle"),
        ("empty", summary["empty"], "documents without features: kept, similar to nothing"),
        ("replaced", summary["replaced"], "documents with invalid UTF-8, compared with U+FFFD in its place"),
    ):
        if count:
            rows.append((name, f"{count:,} {sentence}"))
    if summary["clusters"]:
        largest = f"the largest cluster has {summary['largest_cluster']:,} documents"
        rows.append(("clusters", f"{summary['clusters']:,} kept documents have removed ones; {largest}"))
    for name, key in (
        ("output", "output"),
        ("removed list", "removed_list"),
        ("clusters", "clusters_list"),
        ("report", "report"),
    ):
        if summary[key]:
            rows.append((name, summary[key]))
    rows.append(("cost", f"{summary['seconds']:.1f} s, {summary['bytes']:,} bytes of input"))
    what = "only the report" if summary["report"] else "nothing"
    written = f"; {what} was written (--dry-run)" if summary["dry_run"] else ""
    head = (
        f"benzer: {documents:,} documents: {documents - removed:,} kept, {removed:,} removed ({share:.1f} %){written}"
    )
    return "\n".join([head, *(f"  {name:<13} {value}" for name, value in rows)])


def _check_written(spark: Any, result: Any, output: str) -> None:
    """Refuse kept documents that may be others than those of the run."""
    result._run.documents.check_unchanged()
    rows, kept = spark.read.parquet(output).count(), result.summary()["kept"]
    if rows != kept:
        raise BadInputError(
            f"{output} has {rows:,} documents in place of the {kept:,} that are kept, so it is not complete; the same "
            "command with another --output and another --checkpoint does it again",
            subject=output,
            subject_kind="file",
        )


def _run(spark: Any, given: Any) -> dict[str, Any]:
    """Deduplicate, write the outputs, and return the summary."""
    from benzer._spark_frames import PASSING_OVER
    from benzer.spark import deduplicate

    for name in PASSING_OVER:
        spark.conf.set(f"spark.sql.files.{name}", "false")
    places = _Places(spark)
    _check_places(places, given, _Outputs(spark, places, given.checkpoint))
    passed = [
        name for name in (*_TEXTS, "allow_large_clusters", "strict") if name not in ("removed", "clusters", "report")
    ]
    try:
        result: Any = deduplicate(
            _read(spark, given.inputs),
            against=_read(spark, given.against) if given.against else None,
            **{name: getattr(given, name) for name in passed},
        )
    except GuardRailError as error:
        stopped: Any = error.result
        if given.report is not None and stopped is not None:
            stopped.report(given.report)  # it shows best what is wrong
        raise
    for problem in result.problems:
        print(f"benzer: {problem}", file=sys.stderr)
    if given.report is not None:
        result.report(given.report)
    if not given.dry_run:
        names = {option: getattr(given, option) for option in _OUTPUTS if getattr(given, option) is not None}
        outputs = _Outputs(spark, places, given.checkpoint)
        for name in names.values():
            outputs.check(name)
        frames = {"removed": result.removed, "clusters": result.clusters(), "output": result.kept}
        for option, frame in frames.items():
            if option in names:
                outputs.write(frame, names[option])
        _check_written(spark, result, given.output)
        outputs.end()
    summary: dict[str, Any] = result.summary()
    summary.update(inputs=given.inputs, against=given.against, dry_run=given.dry_run)
    summary["report"] = given.report
    for name, option in (("output", "output"), ("removed_list", "removed"), ("clusters_list", "clusters")):
        summary[name] = None if given.dry_run else getattr(given, option)
    return summary


def _error_of(error: BaseException) -> Error:
    """Return what went wrong as an error of Benzer, also where it was raised by a task or by Spark."""
    if isinstance(error, Error):
        return error
    if isinstance(error, KeyboardInterrupt):
        return InterruptedRunError("the run was interrupted; with the same --checkpoint it goes on where it was")
    from benzer._spark_errors import clear_errors

    try:
        with clear_errors():
            raise error
    except Error as clear:
        return clear
    except BaseException:  # not known
        text = str(error)
    raised = re.findall(r"^Traceback .*\n(?:[ \t].*\n)*(\S.*)$", text, re.MULTILINE)
    first = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)
    return Error(
        f"Spark could not finish the run: {raised[-1] if raised else first}; with --checkpoint the same command goes "
        "on where it was"
    )


def _sentence_of(error: Error) -> str:
    """Return the sentence of an error, in which arguments are spelled as options."""
    options = "|".join([*_FLAGS, *_TEXTS])
    sentence = re.sub(rf"\b({options})=True\b", lambda found: _spelled(found[1]), str(error))
    return re.sub(rf"\b({options})='([^']*)'", lambda found: f"{_spelled(found[1])} {found[2]}", sentence)


def _shown(error: Error, code: int, is_json: bool) -> str:
    """Return what is printed for an error: a sentence, or an object with its parts."""
    sentence = _sentence_of(error)
    if not is_json:
        return f"benzer: {sentence}"
    out: dict[str, Any] = {"error": error.code, "message": sentence}
    if error.subject_kind == "file":
        out["file"] = error.subject
    if error.hint:
        out["hint"] = error.hint
    return json.dumps({**out, "exit_code": code})


def _summary_of(words: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Run with these arguments; return them and the summary."""
    given = _parse(words)
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InvalidArgumentError("pyspark is not installed: pip install 'benzer[spark]'") from None
    spark = SparkSession.builder.getOrCreate()
    try:
        if not hasattr(spark, "_jvm"):
            raise InvalidArgumentError(
                "Spark Connect runs no program of its own: call benzer.spark.deduplicate() in the session"
            )
        return given, _run(spark, given)
    finally:
        spark.stop()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run with these arguments, by default those of the process, and return the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        given, summary = _summary_of(words)
    except (Exception, KeyboardInterrupt) as error:
        known = _error_of(error)
        code = _EXIT_CODES.get(known.code, 1)
        # In one piece, since Spark may write to the same stream.
        sys.stderr.write(_shown(known, code, "--json" in words) + "\n")
        return code
    if given.json:
        print(json.dumps(summary, ensure_ascii=False))
    elif not given.quiet:
        sys.stderr.write(_text_of(summary) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
