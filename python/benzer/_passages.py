"""Passages: runs of words that documents share, however different the rest of them is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, overload

from benzer import _engine
from benzer._inputs import Inputs, Progress, settings_of
from benzer._table import Table, html_table


class Passages(Sequence[dict[str, Any]]):
    """The passages that documents share: dicts, sorted by the documents and by their places.

    >>> import benzer
    >>> found = benzer.passages(["to be or not to be", "he said: to be or not to be!"], min_words=4)
    >>> [(one["row"], one["text"], one["first_row"]) for one in found]
    [(1, 'to be or not to be', 0)]
    """

    def __init__(self, table: Table, summary: str, problems: list[str]) -> None:
        self._table = table
        self._summary = summary
        self._problems = problems

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
    format: str | None = None,
    max_line: int | str | None = None,
    strict: bool = False,
    memory_limit: int | str | None = None,
    work: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress = None,
) -> Passages:
    """Find the passages that documents share: quotations, licences, menus.

    A passage is a run of words of a document that an earlier document has, too, and that is maximal: no longer run
    around it is in any earlier document. Case, spacing and punctuation do not matter.

    Args:
        documents: A table, a list of texts, or files, as for ``deduplicate()``.
        text, id, format, max_line, strict, work, threads, progress: As for ``deduplicate()``.
        across: A column with the group of each document: only passages of different groups are found. A document
            without a value is a group of its own.
        against: References: only what of these is in the documents is found.
        min_words: The fewest words of a passage. By default 50. Fewer than 10 take much more time.
        gap: Find near passages, too, of which up to so many words between equal runs differ. By default 0.
        memory_limit: As for ``deduplicate()``; the passages themselves are in memory whatever it is.
        features: What words are: "text:word1" or "text:words1", and what is ignored ("+html", "+stop:en",
            "+stem:en"). By default "text:word1".

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
        format=format,
        max_line=max_line,
        strict=strict,
        memory_limit=memory_limit,
        work=work,
        threads=threads,
    )
    run = Inputs(documents, against, settings).start(_engine.PassagesRun, settings, progress)
    return Passages(run.table(), run.summary(), list(run.problems()))
