"""The small tables that the engine returns."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar

from benzer import _engine

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Table:
    """A table with named columns, in Arrow's memory format.

    Every library of tables takes it without a copy: ``pyarrow.table(t)``, ``polars.DataFrame(t)``,
    ``duckdb.sql("select * from t")``. Without any of them it can be read, too: it is a list of rows.

    >>> import benzer
    >>> table = benzer.deduplicate(["a b c d e f", "x", "a b c d e f"]).removed
    >>> table.column_names
    ['row', 'id', 'kept_row', 'kept_id', 'score']
    >>> table[0]
    {'row': 2, 'id': 2, 'kept_row': 0, 'kept_id': 0, 'score': 1.0}
    >>> table["row"]
    [2]
    """

    __slots__ = ("_data",)

    def __init__(self, data: _engine.TableData) -> None:
        self._data = data

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._data.names()

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, key: int | slice | str) -> Any:
        """Return a row as a dict, by its number, a slice as a list of them, or a column as a list, by its name."""
        names = self.column_names
        if isinstance(key, str):
            if key not in names:
                raise KeyError(f"the table has no column {key!r}; its columns are {names}")
            return self._data.values(names.index(key), 0, len(self))
        if isinstance(key, slice):
            return [self[row] for row in range(*key.indices(len(self)))]
        row = key + len(self) if key < 0 else key
        if not 0 <= row < len(self):
            raise IndexError(f"the table has {len(self)} rows, and row {key} was asked for")
        return {name: self._data.values(i, row, row + 1)[0] for i, name in enumerate(names)}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        piece = 1000
        names = self.column_names
        for begin in range(0, len(self), piece):
            columns = [self._data.values(i, begin, begin + piece) for i in range(len(names))]
            for values in zip(*columns):
                yield dict(zip(names, values))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table over the Arrow C stream interface."""
        return self._data.stream()

    def to_arrow(self) -> pyarrow.Table:
        """Return the table as a pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas.DataFrame (needs pyarrow, too)."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """Return the table as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self)

    def to_pylist(self) -> list[dict[str, Any]]:
        """Return all rows as dicts."""
        return list(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.column_names == other.column_names and self.to_pylist() == other.to_pylist()

    __hash__: ClassVar[None]  # type: ignore[assignment]  # the rows are compared

    def __repr__(self) -> str:
        return f"<benzer.Table of {len(self):,} rows: {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        return html_table(self.column_names, [list(self[i].values()) for i in range(min(10, len(self)))], len(self))

    def __copy__(self) -> Table:
        return self  # nothing changes a table

    def __deepcopy__(self, memo: object) -> Table:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        columns = [(name, kind, self[name]) for name, kind in zip(self.column_names, self._data.formats())]
        for name, kind, _ in columns:
            if not kind:
                raise TypeError(f"the column {name!r} has lists and cannot be pickled; pickle to_arrow()")
        return (_restored, (columns,))


def html_table(names: list[str], rows: list[list[Any]], total: int) -> str:
    """Return a table for a notebook: the first rows, and how many there are."""
    from html import escape

    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(value))}</td>" for value in row) + "</tr>" for row in rows)
    more = f"<p>{total:,} rows</p>" if total > len(rows) else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def html_frame(page: str) -> str:
    """Return a page as a part of a notebook, without rights."""
    from html import escape

    return (
        f'<iframe srcdoc="{escape(page, quote=True)}" sandbox="" '
        'style="width:100%;height:600px;border:1px solid #ccc"></iframe>'
    )


def _restored(columns: list[tuple[str, str, list[Any]]]) -> Table:
    """Make a table again that was pickled."""
    return Table(_engine.TableData([_column(*one) for one in columns]))


def _column(name: str, kind: str, values: list[Any]) -> _engine.Column:
    """Make a column of a type, as the Arrow C data interface spells it."""
    makers = {"b": _engine.boolean_column, "l": _engine.integer_column, "g": _engine.number_column}
    if kind in makers:
        return makers[kind](name, values)
    return _engine.typed_column(name, kind, [_token(value) for value in values])


def _token(value: Any) -> str | bytes | None:
    if value is None or isinstance(value, (str, bytes)):
        return value
    return format(value, "f") if isinstance(value, Decimal) else repr(value)
