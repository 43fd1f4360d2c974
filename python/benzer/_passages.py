"""Passages: runs of words that documents share, however different the rest of them is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from benzer import _engine
from benzer._inputs import Inputs, Progress, settings_of
from benzer._table import Table


class Passages(Sequence[dict[str, Any]]):
    """The passages that documents share: dicts, sorted by the documents and by their places.

    >>> import benzer
    >>> found = benzer.passages(["to be or not to be", "he said: to be or not to be!"], min_words=4)
    >>> [(one["row"], one["text"], one["first_row"]) for one in found]
    [(1, 'to be or not to be', 0)]
    """

    def __init__(self, table: Table, summary: str) -> None:
        self._table = table
        self._summary = summary

    @property
    def table(self) -> Table:
        """The passages as a table.

        row, id (and source, if there are several) name the document; begin, end, begin_char, end_char and words
        are the place of the passage, and text is what stands there. The columns that begin with first_ are the
        place in an earlier document where its words are first. score is the share of equal words, below 1 with
        ``gap`` only. Passages with the same first place and length have the same cluster.
        """
        return self._table

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of the run, the same as ``benzer passages --json`` prints."""
        summary: dict[str, Any] = json.loads(self._summary)
        return summary

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._table[place] for place in range(*i.indices(len(self)))]
        return self._table[i]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._table)

    def __repr__(self) -> str:
        return f"<benzer.Passages: {len(self):,}>"


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

    Args:
        documents: A table, a list of texts, or files, as for ``deduplicate()``.
        text, id, format, max_line, strict, memory_limit, work, threads, progress: As for ``deduplicate()``.
        across: A column with the group of each document: only passages of different groups are found.
        against: References: only what of these is in the documents is found.
        min_words: The fewest words of a passage. By default 50.
        gap: Find near passages, too, of which up to so many words between equal runs differ. By default 0.
        features: What words are: "text:word1" or "text:words1", and what is ignored ("+html", "+stop:en",
            "+stem:en"). By default "text:word1".

    Returns:
        All passages, with exact bounds: a sequence of dicts, which ``table`` has as a table.

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
    return Passages(run.table(), run.summary())
