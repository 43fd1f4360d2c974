"""What a result holds in another process: the answers of a run, without its documents."""

from __future__ import annotations

from typing import Any

from benzer._errors import InvalidArgumentError
from benzer._table import Table


class SavedRun:
    """The answers of a run of deduplicate()."""

    def __init__(self, run: Any) -> None:
        self._removed: Table = run.removed()
        self._clusters: Table = run.clusters()
        self._annotations: Table = run.annotations()
        self._kept: bytes = run.kept()
        self._problems: list[str] = list(run.problems())

    def removed(self) -> Table:
        return self._removed

    def clusters(self) -> Table:
        return self._clusters

    def annotations(self) -> Table:
        return self._annotations

    def kept(self) -> bytes:
        return self._kept

    def problems(self) -> list[str]:
        return self._problems


class SavedPairs:
    """The pairs of a run of pairs()."""

    def __init__(self, run: Any, summary: str) -> None:
        self._table: Table = run.table()
        self._pairs: list[tuple[int, int, float]] = [run.pair(place) for place in range(len(run))]
        self._summary = summary

    def table(self) -> Table:
        return self._table

    def pair(self, place: int) -> tuple[int, int, float]:
        return self._pairs[place]

    def __len__(self) -> int:
        return len(self._pairs)

    def summary(self) -> str:
        return self._summary


class SavedPassageRemoval:
    """The answers of a run of remove_passages()."""

    def __init__(self, run: Any) -> None:
        self._removed: Table = run.removed()
        self._passages: Table = run.passages()
        self._edited_texts: Table = run.edited_texts()
        self._kept: bytes = run.kept()
        self._edited: bytes = run.edited()
        self._problems: list[str] = list(run.problems())

    def removed(self) -> Table:
        return self._removed

    def passages(self) -> Table:
        return self._passages

    def edited_texts(self) -> Table:
        return self._edited_texts

    def kept(self) -> bytes:
        return self._kept

    def edited(self) -> bytes:
        return self._edited

    def problems(self) -> list[str]:
        return self._problems


def needs_documents(what: str, instead: str) -> InvalidArgumentError:
    """Return the error of a call that needs the documents of a result that was pickled."""
    return InvalidArgumentError(
        f"{what} needs the documents, and a result that was pickled has none; {instead}", hint=instead
    )
