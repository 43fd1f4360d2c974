"""Passages, which are runs of words that documents share: found, and cut out."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, overload

from benzer import _engine
from benzer._edited import Edits, edited_of
from benzer._errors import GuardRailError
from benzer._inputs import Inputs, Progress, settings_of
from benzer._output_names import Taken
from benzer._outputs import record_outputs
from benzer._progress import progress_callback
from benzer._saved import SavedPassageRemoval, needs_documents
from benzer._table import Table, html_frame, html_table
from benzer._unchanged import rows_of


class PassageReport:
    """What documents share as a page, which needs no script and loads nothing.

    >>> import benzer
    >>> report = benzer.passages(["to be or not to be"] * 2, min_words=4).report()
    >>> report.html.startswith("<!DOCTYPE html>")
    True
    """

    def __init__(self, html: str, taken: Taken) -> None:
        self.html = html
        """The page."""
        self._taken = taken

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page. The name of a file that the run has read or written is refused."""
        self._taken.check([os.fspath(path)])
        _engine.write_file(os.fspath(path), self.html)

    def _repr_html_(self) -> str:
        return html_frame(self.html)


def report_of(run: Any, made: PassageReport | None, taken: Taken, function: str) -> PassageReport:
    """Return the report that was made, or make it. run: None after a result was pickled."""
    if made is not None:
        return made
    if run is None:
        raise needs_documents("report()", f"call report() before it is pickled, or give report to {function}")
    return PassageReport(run.report(), taken)


class Passages(Sequence[dict[str, Any]]):
    """The passages that documents share: dicts, sorted by the documents and by their places.

    >>> import benzer
    >>> found = benzer.passages(["to be or not to be", "he said: to be or not to be!"], min_words=4)
    >>> [(one["row"], one["text"], one["first_row"]) for one in found]
    [(1, 'to be or not to be', 0)]
    """

    def __init__(self, run: Any, taken: Taken) -> None:
        self._run: Any = run
        """None after the passages were pickled."""
        self._taken = taken
        self._table: Table = run.table()
        self._summary: str = run.summary()  # which has the seconds until now
        self._problems: list[str] = list(run.problems())
        self._report: PassageReport | None = None

    @property
    def table(self) -> Table:
        """The passages as a table.

        ``row`` and ``id`` name the document, as in ``Result.removed``; of files also ``source``. ``begin`` and ``end``
        are bytes of its text as UTF-8, ``begin_char`` and ``end_char`` characters, and ``words`` is the length. The
        columns that begin with ``first_`` are the same of the place where these words are first, in an earlier
        document or in a reference. ``score`` is the share of equal words, below 1 with ``gap`` only. Passages with the
        same first place and length have one ``cluster``. ``text`` is the text of the passage.
        """
        return self._table

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, the same as ``benzer passages --json`` prints."""
        summary: dict[str, Any] = json.loads(self._summary)
        return summary

    @property
    def problems(self) -> list[str]:
        """What was wrong with records that were skipped, the first ones as sentences."""
        return list(self._problems)

    def report(self, path: str | os.PathLike[str] | None = None) -> PassageReport:
        """Return the report: what documents share, and where it comes from, in their texts.

        In a notebook the report shows itself. The first call reads some of the documents again.

        Args:
            path: A file for the page.
        """
        self._report = report_of(self._run, self._report, self._taken, "passages()")
        if path is not None:
            self._report.save(path)
        return self._report

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_run": None}

    def __copy__(self) -> Passages:
        return self  # nothing changes passages

    def __deepcopy__(self, memo: object) -> Passages:
        return self

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, i: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, i: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, i: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(i, slice):
            return [self._table[place] for place in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(f"there are {len(self)} passages, and passage {i} was asked for")
        one: dict[str, Any] = self._table[i]
        return one

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._table)

    def __repr__(self) -> str:
        one = self.summary
        return (
            f"<benzer.Passages: {len(self):,} in {one['documents_with_passages']:,} of {one['documents']:,} documents>"
        )

    def _repr_html_(self) -> str:
        one = self.summary
        names = ["documents", "documents_with_passages", "passages", "clusters", "words", "shared_words"]
        head = html_table(names, [[one[name] for name in names]], 1)
        return head + (self._table._repr_html_() if len(self) else "")


def passages(
    documents: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    across: str | None = None,
    against: Any = None,
    min_words: int | None = None,
    gap: int | None = None,
    features: str | None = None,
    report: str | os.PathLike[str] | None = None,
    format: str | None = None,
    max_line: int | str | None = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
    work: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> Passages:
    """Find the passages that documents share: quotations, licences, menus.

    A passage is a run of words of a document that an earlier document has, too, and that is maximal: no longer run
    around it is in any earlier document. Case, spacing and punctuation do not matter.

    Args:
        documents: A table, a list of texts, or files, as for ``deduplicate()``.
        text, id, format, max_line, strict, work, resume, threads, progress: As for ``deduplicate()``.
        across: A column with the group of each document: only passages of different groups are found. A document
            without a value is a group of its own.
        against: References: only what of these is in the documents is found.
        min_words: The fewest words of a passage. By default 50. Fewer than 10 take much more time.
        gap: Find near passages, too, of which up to so many words between equal runs differ. By default 0.
        memory_limit: As for ``deduplicate()``; the passages themselves are in memory whatever it is.
        features: What words are: "text:word1" or "text:words1", and what is ignored ("+html", "+stop:en",
            "+stem:en"). By default "text:word1".
        report: A file for the report, a page that shows what documents share, and where it comes from.

    Returns:
        All passages, with exact bounds: a sequence of dicts, which ``table`` has as a table. Passages of a document
        may overlap; none is inside another one.

    Raises:
        benzer.InvalidArgumentError: for arguments that are not allowed or contradict each other.
        benzer.BadInputError: for a column that is not there or has another type.
        KeyboardInterrupt: on Ctrl-C, within 0.2 seconds.

    >>> import benzer
    >>> texts = ["a storm hit the coast on monday", "news: a storm hit the coast, they say"]
    >>> [(one["begin"], one["end"], one["words"]) for one in benzer.passages(texts, min_words=3)]
    [(6, 27, 5)]
    """
    settings: dict[str, Any] = settings_of(
        text=text,
        id=id,
        across=across,
        min_words=min_words,
        gap=gap,
        features=features,
        report=report,
        format=format,
        max_line=max_line,
        strict=strict,
        memory_limit=memory_limit,
        work=work,
        resume=resume,
        threads=threads,
    )
    inputs = Inputs(documents, against, settings)
    outputs = record_outputs(inputs, None, [report])
    run = inputs.start(_engine.PassagesRun, settings, progress, outputs)
    found = Passages(run, Taken(inputs.names))
    if report is not None:
        found.report(report)
    run.remove_stages()
    return found


class PassageRemoval:
    """What ``remove_passages()`` cuts out of documents.

    >>> import benzer
    >>> texts = ["to be or not to be", "he said: to be or not to be!"]
    >>> removal = benzer.remove_passages(texts, min_words=4)
    >>> removal.kept()
    ['to be or not to be', 'he said: !']
    >>> removal.removed[0]["text"]
    'to be or not to be'
    """

    def __init__(self, run: Any, inputs: Inputs, settings: dict[str, Any], taken: Taken) -> None:
        self._run = run
        self._inputs: Inputs | None = inputs
        """None after the result was pickled."""
        self._taken = taken
        self._report: PassageReport | None = None
        self._column = str(settings.get("text", "text"))
        self._has_files = bool(inputs.paths or inputs.parquet)
        self._summary: dict[str, Any] = json.loads(run.summary())
        self.output: str | None = None
        """The file that was written, if any."""

    @property
    def removed(self) -> Table:
        """What is cut out of the documents, in order.

        Columns: ``row`` and ``id`` of the document; ``begin`` and ``end`` in bytes, and ``begin_char`` and ``end_char``
        in characters of its text; ``words``; and ``text``, what was there. A document that goes has one more row, with
        ``is_dropped``, no place, and the text that was left of it. The documents are read again for it.
        """
        table: Table = self._run.removed()
        return table

    @property
    def passages(self) -> Table:
        """The passages of the documents, of which whole parts are cut, without their texts.

        The columns are those of ``Passages.table``, and ``first_left``: how many words of the first place are left
        there. Where that is less than ``first_words``, that document loses them to an earlier one.
        """
        table: Table = self._run.passages()
        return table

    def kept(self, documents: Any = None) -> Any:
        """Return the documents without their passages, as a table of the same kind.

        A column of categories becomes one of texts. A LazyFrame is collected.

        Args:
            documents: The table, column or list that was given to ``remove_passages()``, or another one with the same
                rows. By default that one, which must not have changed.
        """
        documents, read = rows_of(documents, self._inputs, self._has_files, self._run)
        edits = Edits(self._column, self._run.kept(), self._run.edited(), self._run.edited_texts())
        return edited_of(documents, edits, read)

    def report(self, path: str | os.PathLike[str] | None = None) -> PassageReport:
        """Return the report: what documents share, and where it comes from, as of ``Passages``.

        Args:
            path: A file for the page.
        """
        run = None if self._inputs is None else self._run
        self._report = report_of(run, self._report, self._taken, "remove_passages()")
        if path is not None:
            self._report.save(path)
        return self._report

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, the same as ``benzer passages --remove --json`` prints."""
        return copy.deepcopy(self._summary)

    @property
    def problems(self) -> list[str]:
        """What was wrong with records that were skipped, the first ones as sentences."""
        return list(self._run.problems())

    def __copy__(self) -> PassageRemoval:
        same = PassageRemoval.__new__(PassageRemoval)
        vars(same).update(vars(self))
        return same

    def __deepcopy__(self, memo: object) -> PassageRemoval:
        return copy.copy(self)  # what was found does not change, and the documents are not copied

    def __getstate__(self) -> dict[str, Any]:
        run = self._run if isinstance(self._run, SavedPassageRemoval) else SavedPassageRemoval(self._run)
        return {**vars(self), "_run": run, "_inputs": None}

    def __repr__(self) -> str:
        one = self._summary
        return (
            f"<benzer.PassageRemoval: {one['removed_words']:,} of {one['words']:,} words removed, from {one['cut']:,} of "
            f"{one['documents']:,} documents>"
        )

    def _repr_html_(self) -> str:
        names = ["documents", "cut", "dropped", "words", "removed_words"]
        head = html_table(names, [[self._summary[name] for name in names]], 1)
        return head + (self.removed._repr_html_() if self._summary["cut"] else "")


def remove_passages(
    documents: Any,
    *,
    text: str | None = None,
    id: str | None = None,
    across: str | None = None,
    against: Any = None,
    min_words: int | None = None,
    features: str | None = None,
    at: str | None = None,
    min_left: int | None = None,
    allow_large_clusters: bool = False,
    output: str | os.PathLike[str] | None = None,
    removed: str | os.PathLike[str] | None = None,
    report: str | os.PathLike[str] | None = None,
    format: str | None = None,
    max_line: int | str | None = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
    work: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress = None,
) -> PassageRemoval:
    """Cut passages out of documents that earlier ones have: of each passage the first place stays.

    This is ``benzer passages --remove``. Only equal words are cut, and all of them are still in an earlier document.
    Where the words around a cut would become one, a blank takes its place. Nothing is removed from what was given:
    ``PassageRemoval.kept()`` returns the documents with their new texts, and ``output`` writes them.

    Args:
        documents: A table, a list of texts, or files, as for ``deduplicate()``.
        text, id, format, max_line, strict, work, resume, threads, progress: As for ``deduplicate()``.
        across, against, min_words: As for ``passages()``. Of references nothing is cut.
        features: What words are: "text:word1" or "text:words1". Others are refused, as with "+stop" and "+stem"
            words would be cut that no earlier document has, and as "+html" reads another text than the record has.
        at: What is cut as a whole: "word", the words of passages and what is between them; or "sentence",
            "paragraph" (up to blank lines) or "line", those of which every word is in a passage. By default "word".
        min_left: Documents that lose something and keep fewer words go, unless they have the first place of what
            another one loses. By default 0.
        allow_large_clusters: Go on where one passage is in suspiciously many documents, or the loss is large.
        output: Where the records are written, if the documents are JSON lines, CSV or lines of text. Records that
            were skipped are saved unchanged next to it, in OUTPUT.skipped.jsonl (.csv, .tsv, .txt);
            ``PassageRemoval.summary["skipped_list"]`` names the file.
        removed: A file for the list of what was cut, one JSON object a line.
        report: A file for the report, which is also written if a guard rail stops the run.
        memory_limit: As for ``deduplicate()``; 200 bytes for each passage are in memory whatever it is.

    Raises:
        benzer.InvalidArgumentError: for arguments that are not allowed or contradict each other.
        benzer.BadInputError: for a column that is not there or has another type.
        benzer.GuardRailError: if so much would be removed that it looks like a mistake.
        KeyboardInterrupt: on Ctrl-C, within 0.2 seconds.

    >>> import benzer
    >>> pages = ["Home News Sport Weather. The storm is over.", "Home News Sport Weather. The match was lost."]
    >>> benzer.remove_passages(pages, min_words=4, at="sentence").kept()
    ['Home News Sport Weather. The storm is over.', 'The match was lost.']
    """
    settings: dict[str, Any] = settings_of(
        remove=True,
        dry_run=output is None,
        text=text,
        id=id,
        across=across,
        min_words=min_words,
        features=features,
        at=at,
        min_left=min_left,
        output=output,
        removed=removed,
        report=report,
        format=format,
        max_line=max_line,
        strict=strict,
        memory_limit=memory_limit,
        work=work,
        resume=resume,
        threads=threads,
    )
    inputs = Inputs(documents, against, settings)
    outputs = record_outputs(inputs, output, [removed, report])
    run = inputs.start(
        _engine.PassageRemovalRun, settings, progress, outputs, outputs[-1] if output is not None else None
    )
    written = [name for name in outputs if report is None or name != os.fspath(report)]
    result = PassageRemoval(run, inputs, settings, Taken(inputs.names, written))
    if report is not None:
        result.report(report)  # also if a guard rail stops the run: it shows best what is wrong
    if not allow_large_clusters:
        try:
            run.check_guard_rails()
        except GuardRailError as error:
            error.result = result
            result._summary.update(output=None, removed_list=None)
            raise
    if output is not None:
        result.output = outputs[-1]
        with progress_callback(progress) as callback:
            run.write(result.output, "" if removed is None else os.fspath(removed), callback)
        result._summary["skipped_list"] = run.skipped_list() or None
    elif removed is not None:
        _engine.write_file(os.fspath(removed), run.removed_lines())
    run.remove_stages()
    return result
