"""The rows of a table that are kept, with new texts in some of them, as a table of the same kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSequence, Sequence
from typing import Any

from benzer._arrow_rows import plain_type
from benzer._errors import InvalidArgumentError
from benzer._table import Table
from benzer._tables import arrow_of, kept_of, mask_of, module_of


class Edits:
    """New texts of some of the documents that are kept."""

    def __init__(self, column: str, kept: bytes, edited: bytes, texts: Table) -> None:
        """kept: a byte for each document, 1 if it is kept. edited: a byte for each of these, 1 if its text is new."""
        self.column = column
        self.kept = kept
        self.edited = edited
        self.places = [place for place, one in enumerate(edited) if one]
        self.texts: list[str] = texts["text"]

    def put_into(self, values: MutableSequence[Any]) -> None:
        """Put the new texts in place of the old ones; a text that was bytes stays bytes."""
        for place, text in zip(self.places, self.texts):
            values[place] = _like(values[place], text)


def _like(old: Any, text: str) -> Any:
    return text.encode() if isinstance(old, bytes) else text


def edited_of(documents: Any, edits: Edits, read: Any = None) -> Any:
    """Return the rows of a table that are kept, with the new texts, as a table of the same kind."""
    kind = module_of(documents)
    if kind in ("duckdb", "_duckdb") and hasattr(documents, "query"):
        kept_rows = _with_arrow(arrow_of(kept_of(documents, edits.kept, read)), edits)  # noqa: F841  # found by its name
        return documents.query("documents", "select * from kept_rows")
    kept = kept_of(documents, edits.kept, read)
    if kind == "datasets":
        return _with_dataset(kept, edits)
    if kind == "pandas":
        return _with_pandas(kept, edits)
    if kind == "numpy":
        return _with_numpy(kept, edits)
    if kind == "polars":
        return _with_polars(kept, edits)
    if isinstance(kept, (list, tuple)):
        return _with_list(kept, edits)
    return _with_arrow(kept, edits)


def _checked(column: str, names: Sequence[Any]) -> str:
    if column in names:
        return column
    raise InvalidArgumentError(
        f"the texts are not in a column of their own, but in {column!r}; give a table that has them in a column",
        hint="give a table that has them in a column",
    )


def _with_list(kept: Any, edits: Edits) -> Any:
    rows = list(kept)
    for place, text in zip(edits.places, edits.texts):
        row = rows[place]
        if isinstance(row, Mapping):
            rows[place] = {**row, edits.column: _like(row[_checked(edits.column, list(row))], text)}
        else:
            rows[place] = _like(row, text)
    return tuple(rows) if isinstance(kept, tuple) else rows


def _with_numpy(kept: Any, edits: Edits) -> Any:
    names = kept.dtype.names
    if names is None:
        kept = kept.astype(_wide_enough(kept, edits), copy=False)
        edits.put_into(kept)
        return kept
    column = _checked(edits.column, names)
    dtype = _wide_enough(kept[column], edits)
    if dtype != kept.dtype[column]:
        kept = kept.astype([(name, dtype if name == column else kept.dtype[name]) for name in names])
    edits.put_into(kept[column])
    return kept


def _wide_enough(values: Any, edits: Edits) -> Any:
    """Return a dtype that cuts none of the new texts off: U+FFFD is longer than the invalid byte that it replaces."""
    dtype = values.dtype
    if dtype.kind not in "SU":
        return dtype
    longest = max((len(text.encode() if dtype.kind == "S" else text) for text in edits.texts), default=0)
    size = dtype.itemsize // (4 if dtype.kind == "U" else 1)
    return dtype if longest <= size else f"{dtype.byteorder.strip('|')}{dtype.kind}{longest}"


def _with_pandas(kept: Any, edits: Edits) -> Any:
    import pandas

    is_frame = isinstance(kept, pandas.DataFrame)
    column = kept[_checked(edits.column, list(kept.columns))] if is_frame else pandas.Series(kept)
    if isinstance(column.dtype, pandas.CategoricalDtype):
        column = column.astype(object)  # new texts are no categories
    column = column.copy()  # pandas before 3 would warn that it may be a part of the table
    column.iloc[edits.places] = [_like(column.iloc[place], text) for place, text in zip(edits.places, edits.texts)]
    if is_frame:
        kept = kept.copy(deep=False)
        kept[edits.column] = column
        return kept
    if isinstance(kept, pandas.Series):
        return column
    return pandas.Index(column) if isinstance(kept, pandas.Index) else column.array


def _with_polars(kept: Any, edits: Edits) -> Any:
    import polars

    if hasattr(kept, "collect"):
        return _with_polars(kept.collect(engine="streaming"), edits).lazy()
    is_frame = isinstance(kept, polars.DataFrame)
    column = kept[_checked(edits.column, kept.columns)] if is_frame else kept
    is_bytes = column.dtype == polars.Binary
    if not is_bytes and column.dtype != polars.String:
        column = column.cast(polars.String)  # new texts are no categories
    texts = [text.encode() for text in edits.texts] if is_bytes else edits.texts
    column = column.scatter(edits.places, texts)
    return kept.with_columns(column) if is_frame else column


def _with_arrow(kept: Any, edits: Edits) -> Any:
    import pyarrow

    if isinstance(kept, (pyarrow.Array, pyarrow.ChunkedArray)):
        return _with_array(kept, edits)
    place = kept.schema.get_field_index(_checked(edits.column, kept.schema.names))
    column = _with_array(kept.column(place), edits)
    columns = [column if i == place else kept.column(i) for i in range(kept.num_columns)]
    schema = kept.schema.set(place, kept.schema.field(place).with_type(column.type))
    return type(kept).from_arrays(columns, schema=schema)


def _with_array(array: Any, edits: Edits) -> Any:
    """A dictionary becomes a column of texts, as the new ones are not in it."""
    import pyarrow
    from pyarrow import compute

    kind = array.type
    if pyarrow.types.is_null(kind):
        return array  # no text is new
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
        array = array.cast(kind)
    is_bytes = kind == pyarrow.binary() or plain_type(kind) == pyarrow.large_binary()
    plain = pyarrow.large_binary() if is_bytes else pyarrow.large_string()
    texts = pyarrow.array(edits.texts, pyarrow.large_string()).cast(plain)
    return compute.replace_with_mask(array.cast(plain), mask_of(edits.edited), texts).cast(kind)


def _with_dataset(kept: Any, edits: Edits) -> Any:
    if not hasattr(kept, "data"):
        return _with_stream(kept, edits)
    texts = list(kept[_checked(edits.column, kept.column_names)])
    edits.put_into(texts)
    names = kept.column_names
    if len(names) == 1:  # without it the dataset would have no rows
        made: Any = type(kept).from_dict({edits.column: texts}, kept.features, kept.info, kept.split)
        return made.with_format(**kept.format)
    feature = kept.features[edits.column]
    edited = kept.remove_columns(edits.column).add_column(edits.column, texts, feature=feature)
    return edited.select_columns(names)


def _with_stream(kept: Any, edits: Edits) -> Any:
    new = dict(zip(edits.places, edits.texts))

    def rows() -> Iterator[Any]:
        for place, row in enumerate(kept):
            if place in new:
                row = {**row, edits.column: _like(row[_checked(edits.column, list(row))], new[place])}
            yield row

    return type(kept).from_generator(rows, features=kept.features)
