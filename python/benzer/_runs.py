"""Runs over a table, a list or files: deduplicate() and pairs()."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from benzer import _engine, _files, _outputs
from benzer._errors import BadInputError, GuardRailError, InvalidArgumentError
from benzer._inputs import Inputs, Progress, as_text, fields_of, files_of, settings_of
from benzer._output_names import Taken, twin_of
from benzer._saved import SavedPairs, SavedRun, needs_documents
from benzer._table import Table, html_frame, html_table
from benzer._tables import kept_of, reading, source_of
from benzer._unchanged import rows_of


class Result:
    """What ``deduplicate()`` has found.

    >>> import benzer
    >>> texts = ["the cat sat on the mat today", "a dog", "the cat sat on the mat today"]
    >>> result = benzer.deduplicate(texts)
    >>> result.kept(texts)
    ['the cat sat on the mat today', 'a dog']
    >>> result.removed[0]
    {'row': 2, 'id': 2, 'kept_row': 0, 'kept_id': 0, 'score': 1.0}
    """

    def __init__(self, run: Any, inputs: Inputs, settings: dict[str, Any], taken: Taken) -> None:
        self._run = run
        self._inputs: Inputs | None = inputs
        """None after the result was pickled."""
        self._settings = settings
        self._taken = taken
        self._has_files = bool(inputs.paths or inputs.parquet)
        self._removed: Table | None = None
        self._report: Report | None = None
        self._summary: dict[str, Any] = json.loads(run.summary())
        self.output: str | list[str] | None = None
        """The files that were written, if any."""

    @property
    def removed(self) -> Table:
        """The documents that are removed, each with the kept one because of which it is.

        Columns: ``row`` and ``id`` of the document, ``kept_row`` and ``kept_id`` of the one that is
        kept, and ``score``, their exact similarity. A row is counted from 0 in its table or file; of
        several files ``source`` and ``kept_source`` are their names. Ids have the type of the column
        that they came from.

        With ``cluster="components"`` also ``linked_row``, ``linked_id`` and ``linked_score``: the
        document that links it to its cluster. With ``measure="containment"`` also
        ``share_of_removed`` and ``share_of_keeper``: how much of each the other one contains.
        """
        if self._removed is None:
            self._removed = self._run.removed()
        return self._removed

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, the same as ``benzer dedup --json`` prints."""
        return copy.deepcopy(self._summary)

    @property
    def problems(self) -> list[str]:
        """What was wrong with records that were skipped, the first ones as sentences."""
        return list(self._run.problems())

    def kept(self, documents: Any = None) -> Any:
        """Return the documents that are kept, as a table of the same kind.

        Args:
            documents: The table, column or list that was deduplicated, or another one with the same
                rows. By default the one that was given to ``deduplicate()``, which must not have changed.
        """
        documents, read = rows_of(documents, self._inputs, self._has_files, self._run)
        return kept_of(documents, self._run.kept(), read)

    def kept_rows(self) -> bytes:
        """Return a byte for each document in order: 1 if it is kept, else 0."""
        return bytes(self._run.kept())

    def clusters(self) -> Table:
        """Return the documents of all clusters.

        Columns: ``cluster`` from 1, ``row`` and ``id``, ``is_kept``, and ``score``, the similarity
        with the kept one.
        """
        table: Table = self._run.clusters()
        return table

    def annotations(self) -> Table:
        """Return a row for each document, to be put beside it.

        Columns: ``benzer_cluster``, ``benzer_keeper`` (an id) and ``benzer_score``, null for
        documents in no cluster, and ``benzer_kept``, which is never null: whether the document is
        kept. ``benzer_keeper`` is also null where the keeper has no id.
        ``deduplicate(..., annotate=True)`` writes them to files.
        """
        table: Table = self._run.annotations()
        return table

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """Return the report of the run: what was removed and why, side by side.

        In a notebook the report shows itself. The first call compares again what was compared before,
        unless the run was asked for a report.

        Args:
            path: A file for the page (``report.html``); its JSON twin is written next to it.
        """
        if self._inputs is None and self._report is None:
            raise needs_documents("report()", "call report() before it is pickled, or give report to deduplicate()")
        if self._inputs is not None and "report" not in self._settings:
            settings = {**self._settings, "report": "report.html"}
            run = self._inputs.start(_engine.DedupRun, settings, None)
            if run.removed_lines() != self._run.removed_lines() or run.kept() != self._run.kept():
                raise BadInputError(
                    "the documents have changed since they were deduplicated, or can be read once; give "
                    "report to deduplicate()"
                )
            run.remove_stages()
            self._run = run
            self._settings = settings
        if self._inputs is not None:
            self._report = self._make_report(False)
        assert self._report is not None
        if path is not None:
            self._report.save(path)
        return self._report

    def __copy__(self) -> Result:
        same = Result.__new__(Result)
        vars(same).update(vars(self))
        return same

    def __deepcopy__(self, memo: object) -> Result:
        return copy.copy(self)  # what was found does not change, and the documents are not copied

    def __getstate__(self) -> dict[str, Any]:
        run = self._run if isinstance(self._run, SavedRun) else SavedRun(self._run)
        return {**vars(self), "_run": run, "_removed": None, "_inputs": None, "_settings": {}}

    def audit(self, sample: int = 1000, *, progress: Progress = None) -> dict[str, Any]:
        """Measure on these documents what share of the similar pairs such a run finds.

        It reads the documents again, and compares a sample of them with all.

        sample: how many documents are drawn. More give a narrower interval, and cost as much more.

        Returns what ``benzer audit --json`` prints: ``recall`` and its interval of 95 %, for all
        pairs and for those of ``different`` documents, in ``ranges`` of scores, the worst ``missed``
        pairs, and the share of documents that have a similar one.

        >>> import benzer
        >>> audit = benzer.deduplicate(["a b c d e f", "x y", "a b c d e f"]).audit()
        >>> audit["all"]["pairs"], audit["all"]["recall"]
        (1, 1.0)
        """
        if self._inputs is None:
            raise needs_documents("audit()", "call audit() before it is pickled")
        known = set(_engine.options_of("audit"))
        settings = {name: value for name, value in self._settings.items() if name in known}
        run = self._inputs.start(_engine.AuditRun, {**settings, "sample": as_text(sample)}, progress)
        found: dict[str, Any] = json.loads(run.json())
        return found

    def _make_report(self, is_stopped: bool) -> Report:
        html, json_text = self._run.report(["benzer.deduplicate"], is_stopped)
        return Report(html, json_text, self._taken)

    def __repr__(self) -> str:
        one = self._summary
        return f"<benzer.Result: {one['kept']:,} of {one['documents']:,} documents kept, {one['removed']:,} removed>"

    def _repr_html_(self) -> str:
        one = self._summary
        names = ["documents", "kept", "removed", "clusters", "threshold"]
        head = html_table(names, [[one.get(name, "") for name in names]], 1)
        sample = self.removed
        return head + (sample._repr_html_() if len(sample) else "")


class Report:
    """The evidence of a run as a page, which needs no script and loads nothing.

    >>> import benzer
    >>> report = benzer.deduplicate(["a b c d e f"] * 2).report()
    >>> report.html.startswith("<!DOCTYPE html>")
    True
    """

    def __init__(self, html: str, json_text: str, taken: Taken) -> None:
        self.html = html
        """The page."""
        self.json = json_text
        """The same for programs."""
        self._taken = taken

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, and its JSON twin next to it.

        Names of files that the run has read or written are refused.
        """
        name = os.fspath(path)
        twin = twin_of(name)
        self._taken.check([name, twin])
        for file, text in ((twin, self.json), (name, self.html)):
            _engine.write_file(file, text)

    def data(self) -> dict[str, Any]:
        """Return the content of the report."""
        content: dict[str, Any] = json.loads(self.json)
        return content

    def _repr_html_(self) -> str:
        return html_frame(self.html)


def deduplicate(
    documents: Any,
    *,
    text: str | None = None,
    values: str | None = None,
    id: str | None = None,
    by: str | None = None,
    against: Any = None,
    features: str | None = None,
    measure: str | None = None,
    threshold: float | str | None = None,
    distance: int | None = None,
    recall: float | None = None,
    keep: str | None = None,
    cluster: str | None = None,
    short: str | None = None,
    sketch: str | None = None,
    bands: str | None = None,
    config: str | None = None,
    seed: int | None = None,
    frequencies: Sequence[str | os.PathLike[str]] | None = None,
    signatures: str | os.PathLike[str] | None = None,
    allow_large_clusters: bool = False,
    output: str | os.PathLike[str] | None = None,
    removed: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    annotate: bool = False,
    format: str | None = None,
    max_line: int | str | None = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
    work: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Result:
    """Find near-duplicates and decide which documents are kept.

    The arguments have the names of the options of ``benzer dedup``, are read by the same code, and
    give the same result. Nothing is removed from what was given: ``Result.kept()`` returns the kept
    documents, and ``output`` writes them.

    Args:
        documents: A table: whatever exports itself over the Arrow C stream interface (pyarrow,
            polars, pandas, DuckDB, datasets), a list of texts, an iterable of mappings, a numpy
            array of texts; or files: Parquet, Arrow, JSON lines, CSV or texts by a name or a pattern,
            a list of paths, or of names that all end as such files do (.parquet, .arrow, .jsonl,
            .csv, also packed). Any other list of str is a list of texts.
        text: The column with the texts. By default "text".
        values: The column with sets of values, which are compared instead of texts.
        id: The column with the ids. By default "id". Without it a document has the number of its row, and
            those of ``against`` are numbered after them; in files all documents are numbered in order, those
            of ``against`` first. Where some documents have an id, one without has None.
        by: A column; only documents with equal values in it are compared.
        against: Documents to compare with, which are never removed.
        features: How a text becomes features. By default "text:word5": shingles of five words.
        measure: "jaccard": of all features of two documents, the share that both have. "containment":
            of those of the smaller one, the share that the larger one has; a document is removed if a
            kept one contains so much of it.
        threshold: The similarity from which on two documents are similar. By default 0.8.
        distance: The same for hashes of pictures, in bits.
        recall: The probability that a pair exactly at the threshold is found. By default 0.99.
        keep: Which of similar documents is kept: "first", "last", "longest", "shortest", "largest",
            "max:COLUMN", "min:COLUMN", "source:NAME", or several with commas between them.
        cluster: "leader": a document is removed if a kept one is similar to it. "components": of all
            that a chain of similar documents connects, one is kept.
        short: What happens to texts that are shorter than a shingle: "exact", "keep" or "drop".
        sketch: The sketch. By default "fss:128".
        bands: The bands, such as "16x6", in place of recall.
        config: features, sketch and bands in one text.
        seed: Another number gives an independent run.
        frequencies: Files of document frequencies, for "+tf-idf".
        signatures: A file that ``benzer sketch`` made of these files of lines.
        allow_large_clusters: Go on where a cluster or a loss is suspiciously large.
        output: Where the kept documents are written, if the documents are files. For Parquet a folder
            gets one file for each input file. Records of JSON lines, CSV and lines of text that were
            skipped are saved unchanged next to it, in OUTPUT.skipped.jsonl (.csv, .tsv, .txt);
            ``Result.summary["skipped_list"]`` names the file.
        removed: A file for the list of removed documents, one JSON object a line.
        report: A file for the report.
        annotate: Write all documents, with four more columns, in place of the kept ones.
        format: The format of files of records: "jsonl", "csv", "tsv", "text" or "lines".
        max_line: The longest record, in bytes. Files of pictures may have 128 MiB, whatever it says.
        strict: Stop at the first bad record in place of skipping it.
        memory_limit: The most memory, in bytes or as "8G"; temporary files take the rest.
        work: The folder for temporary files. What a run on files of lines has read is kept there
            until its outputs are written.
        resume: Go on with what an interrupted run of the same files has left in ``work``.
        threads: By default one for each core.
        progress: True for a bar, or a function that is called with stage, done and total.

    Raises:
        benzer.InvalidArgumentError: for arguments that are not allowed or contradict each other.
        benzer.BadInputError: for a column that is not there or has another type.
        benzer.GuardRailError: if so much would be removed that it looks like a mistake.
        KeyboardInterrupt: on Ctrl-C, within 0.2 seconds.

    >>> import benzer
    >>> result = benzer.deduplicate(["one two three four five six", "seven"] * 2, keep="longest")
    >>> result
    <benzer.Result: 2 of 4 documents kept, 2 removed>
    """
    settings: dict[str, Any] = settings_of(
        text=text,
        values=values,
        id=id,
        by=by,
        features=features,
        measure=measure,
        threshold=threshold,
        distance=distance,
        recall=recall,
        keep=keep,
        cluster=cluster,
        short=short,
        sketch=sketch,
        bands=bands,
        config=config,
        seed=seed,
        frequencies=frequencies,
        signatures=signatures,
        output=output,
        removed=removed,
        report=report,
        dry_run=output is None,
        annotate=annotate,
        format=format,
        max_line=max_line,
        strict=strict,
        memory_limit=memory_limit,
        work=work,
        resume=resume,
        threads=threads,
    )
    inputs = Inputs(documents, against, settings)
    others = files_of("signatures", signatures) + files_of("frequencies", frequencies)
    outputs = _outputs.Outputs(inputs, output, removed, report, annotate, others)
    written = None if output is None else _files.plain_name(output)
    run = inputs.start(_engine.DedupRun, settings, progress, outputs.names, written)
    result = Result(run, inputs, settings, outputs.taken)
    if not allow_large_clusters and not annotate:
        try:
            run.check_guard_rails()
        except GuardRailError as error:
            error.result = result
            result._summary.update(output=None, removed_list=None)
            if report is not None:
                result._make_report(True).save(report)  # it shows best what is wrong
            raise

    def write_lists() -> None:
        if report is not None:
            result.report(report)
        if removed is not None:
            _engine.write_file(os.fspath(removed), run.removed_lines())

    if output is None:
        write_lists()
    else:
        result.output = outputs.write(run, progress, write_lists)
        result._summary.update(skipped_list=run.skipped_list() or None, skipped_saved=run.skipped_saved())
    run.remove_stages()
    return result


class Pairs(Sequence[tuple[int, int, float]]):
    """Pairs of similar documents: tuples of two rows and the score, sorted by the rows.

    >>> import benzer
    >>> pairs = benzer.pairs(["a b c d e f g", "x", "a b c d e f h"], threshold=0.5)
    >>> list(pairs)
    [(0, 2, 0.5)]
    """

    def __init__(self, run: Any) -> None:
        self._run = run
        self._summary: str = run.summary()  # which has the seconds until now

    def __copy__(self) -> Pairs:
        return self  # nothing changes pairs

    def __deepcopy__(self, memo: object) -> Pairs:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (Pairs, (self._run if isinstance(self._run, SavedPairs) else SavedPairs(self._run, self._summary),))

    def __len__(self) -> int:
        return len(self._run)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._run.pair(place) for place in range(*i.indices(len(self)))]
        place = i + len(self) if i < 0 else i
        if not 0 <= place < len(self):
            raise IndexError(f"there are {len(self)} pairs, and pair {i} was asked for")
        return self._run.pair(place)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        for i in range(len(self)):
            yield self._run.pair(i)

    @property
    def table(self) -> Table:
        """The pairs as a table with the columns a_row, a_id, b_row, b_id and score.

        With ``measure="containment"`` also share_of_a and share_of_b: how much of each the other one contains.
        """
        table: Table = self._run.table()
        return table

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, the same as ``benzer pairs --json`` prints."""
        summary: dict[str, Any] = json.loads(self._summary)
        return summary

    def __repr__(self) -> str:
        return f"<benzer.Pairs: {len(self):,}>"


def pairs(
    documents: Any,
    *,
    text: str | None = None,
    values: str | None = None,
    id: str | None = None,
    by: str | None = None,
    against: Any = None,
    features: str | None = None,
    measure: str | None = None,
    threshold: float | str | None = None,
    distance: int | None = None,
    recall: float | None = None,
    exact: bool = False,
    short: str | None = None,
    sketch: str | None = None,
    bands: str | None = None,
    config: str | None = None,
    seed: int | None = None,
    frequencies: Sequence[str | os.PathLike[str]] | None = None,
    signatures: str | os.PathLike[str] | None = None,
    format: str | None = None,
    max_line: int | str | None = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
    work: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Pairs:
    """Find all pairs of similar documents.

    The arguments are those of ``deduplicate()``, and:

    Args:
        exact: Find every pair, by an exact join in place of sketches.

    Returns:
        A sequence of tuples of two rows and a score. Rows are numbered in the order of the documents, those of
        ``against`` first. Pairs of two documents of ``against`` are not in it.

    >>> import benzer
    >>> for a, b, score in benzer.pairs(["a b c d e f", "a b c d e f"]):
    ...     print(a, b, score)
    0 1 1.0
    """
    settings: dict[str, Any] = settings_of(
        text=text,
        values=values,
        id=id,
        by=by,
        features=features,
        measure=measure,
        threshold=threshold,
        distance=distance,
        recall=recall,
        exact=exact,
        short=short,
        sketch=sketch,
        bands=bands,
        config=config,
        seed=seed,
        frequencies=frequencies,
        signatures=signatures,
        format=format,
        max_line=max_line,
        strict=strict,
        memory_limit=memory_limit,
        work=work,
        threads=threads,
    )
    inputs = Inputs(documents, against, settings)
    return Pairs(inputs.start(_engine.PairsRun, settings, progress))


def sketch(
    documents: Any,
    *,
    text: str | None = None,
    values: str | None = None,
    features: str | None = None,
    sketch: str | None = None,
    config: str | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Table:
    """Return the signature of each document: a table with one column of fixed-size lists.

    Args:
        documents: A table, a list, or Parquet and Arrow files, as for ``deduplicate()``.
        text, values, features, config, seed, threads: As for ``deduplicate()``.
        sketch: The sketch, such as "fss:64" for 64 slots. By default "fss:128".

    Returns:
        A table with the column "signature". The share of equal slots of two signatures estimates the
        similarity of their documents.

    >>> import benzer
    >>> table = benzer.sketch(["a text of some words"], sketch="fss:4")
    >>> len(table["signature"][0])
    4
    """
    settings: dict[str, Any] = settings_of(
        text=text,
        values=values,
        features=features,
        sketch=sketch,
        config=config,
        seed=seed,
        threads=threads,
    )
    names = _files.names_of(documents)
    fields = fields_of(settings)
    if names is None:
        sources = [source_of(documents, fields)]
    elif _files.are_tables(names):
        sources = _files.TableFiles(names, fields).sources()
    else:
        raise InvalidArgumentError(
            "the documents are files of records, of which 'benzer sketch' makes a file of signatures; "
            "give a table, a list of texts, or Parquet files"
        )
    with reading(sources):
        table: Table = _engine.sketch(settings, sources)
    return table
