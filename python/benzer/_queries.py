"""Queries of polars, which are carried out in batches: a LazyFrame needs no memory for all of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benzer._errors import InvalidArgumentError


class Query:
    """The columns of a LazyFrame that a run reads.

    A run carries the query out up to three times, and it may return its rows in another order each time.
    So the hashes of the rows of the first reading are kept, 8 bytes each, and all others compared.
    """

    def __init__(self, frame: Any, columns: list[str] | None) -> None:
        self.columns: list[str] = frame.collect_schema().names() if columns is None else columns
        self._frame = frame if columns is None else frame.select(columns)
        self._hashes: Any = None

    def open(self) -> tuple[Any, Iterator[Any]]:
        """Return the schema and the batches of a reading."""
        import polars
        import pyarrow

        # pyarrow.table() would import pandas first, if that is installed.
        empty: Any = pyarrow.RecordBatchReader.from_stream(polars.DataFrame(schema=self._frame.collect_schema()))
        return empty.schema, self._batches()

    def _batches(self) -> Iterator[Any]:
        import polars
        import pyarrow

        hashes = [polars.Series([], dtype=polars.UInt64)]
        for frame in _frames_of(self._frame) if self._hashes is None else self.checked(self._frame):
            if self._hashes is None:
                hashes.append(frame.hash_rows())
            yield from pyarrow.RecordBatchReader.from_stream(frame)
        if self._hashes is None:
            self._hashes = polars.concat(hashes)

    def checked(self, frame: Any) -> Iterator[Any]:
        """Carry out a query that has these columns, and yield its rows if they are those of the first time."""
        begin = 0
        for batch in _frames_of(frame):
            expected = self._hashes[begin : begin + len(batch)]
            if not batch.select(self.columns).hash_rows().equals(expected):
                raise other_rows()
            begin += len(batch)
            yield batch
        if begin != len(self._hashes):
            raise other_rows()


def _frames_of(frame: Any) -> Iterator[Any]:
    """Carry a LazyFrame out, and yield its rows in their order."""
    frames: Iterator[Any] = frame.collect_batches(engine="streaming", lazy=True)
    return frames


def other_rows() -> InvalidArgumentError:
    return InvalidArgumentError(
        "the query does not return the rows that it returned before, in the same order; carry it out "
        "first, and give its result"
    )


def can_be_batches(frame: Any) -> bool:
    """Whether this polars carries a LazyFrame out in batches, and pyarrow can hand them on."""
    try:
        import pyarrow
        from polars.io.plugins import register_io_source  # noqa: F401
    except ImportError:
        return False
    return hasattr(frame, "collect_batches") and hasattr(pyarrow.RecordBatchReader, "from_stream")


def kept_of_query(frame: Any, mask: Any, read: Query | None) -> Any:
    """Return a LazyFrame of the rows of another for which the mask is true.

    It carries that other one out when it is carried out itself, and raises an error for other rows than
    those that were deduplicated.
    """
    from polars.io.plugins import register_io_source

    def rows(columns: Sequence[str] | None, predicate: Any, most: int | None, size: int | None) -> Iterator[Any]:
        needed = [] if read is None else [*read.columns]
        if predicate is not None:
            needed += predicate.meta.root_names()
        query = frame if columns is None else frame.select(list(dict.fromkeys([*columns, *needed])))
        begin, left = 0, most
        for batch in _frames_of(query) if read is None else read.checked(query):
            part = batch.filter(mask[begin : begin + len(batch)])
            begin += len(batch)
            # polars hands down both only for head().filter(): the rows are counted before the filter.
            if left is not None:
                part = part.head(left)
                left -= len(part)
            if predicate is not None:
                part = part.filter(predicate)
            yield part if columns is None else part.select(columns)
            if left == 0:
                return

    return register_io_source(rows, schema=frame.collect_schema())
