"""What counts as a table, and how the rows that are kept become one of the same kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress, islice
from typing import Any

from benzer import _engine
from benzer._arrow_rows import filtered
from benzer._columns import columns_of
from benzer._errors import BadInputError, InvalidArgumentError
from benzer._queries import Query, can_be_batches, kept_of_query


class Source:
    """A table as the engine reads it."""

    __slots__ = ("_open", "failure", "is_held", "name", "read")

    def __init__(self, open: Callable[[], Any], *, is_held: bool = True, name: str = "", read: Any = None) -> None:
        self._open = open
        self.is_held = is_held
        self.name = name
        self.read = read
        """Of a query, which may return its rows in another order next time: what was read."""
        self.failure: Exception | None = None
        """What ended a reading of batches that are made here."""

    def open(self) -> Any:
        """Return an object with ``__arrow_c_stream__``."""
        stream = self._open().__arrow_c_stream__()
        if "arrow_array_stream" not in repr(stream):
            raise BadInputError(
                f"the table cannot be read: its __arrow_c_stream__() returned a {type(stream).__name__}, and it must "
                "be a capsule with an Arrow stream"
            )
        return _Exported(stream)

    def reader(self, schema: Any, batches: Iterable[Any]) -> Any:
        """Return a reader of pyarrow for batches that are made while it is read."""
        import pyarrow

        def noted() -> Iterator[Any]:
            try:
                yield from batches
            except Exception as error:
                self.failure = error
                raise

        return pyarrow.RecordBatchReader.from_batches(schema, noted())


@contextmanager
def reading(sources: Iterable[Source]) -> Iterator[None]:
    """Raise what ended the reading of a table; a stream of Arrow makes a text of it."""
    try:
        yield
    except BadInputError:
        for source in sources:
            failure, source.failure = source.failure, None  # its traceback knows the run, which knows the source
            if failure is not None:
                raise failure from None
        raise


_MOST_ROWS = 2**32 - 1


def is_path(value: object) -> bool:
    """Whether the value names a file, by a str or a path."""
    return isinstance(value, (str, os.PathLike))


def module_of(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def source_of(documents: Any, fields: Fields) -> Source:
    """Return the source of anything that is a table, a column or an iterable of documents."""
    kind = module_of(documents)
    count = len(documents) if kind in ("pyarrow", "polars", "pandas") and hasattr(documents, "__len__") else 0
    if count > _MOST_ROWS:  # the engine would read for minutes to find out
        raise BadInputError(f"the table has {count:,} rows, and a run reads at most {_MOST_ROWS:,}; divide it")
    if kind == "datasets" and hasattr(documents, "with_format"):
        return _dataset_source(documents, fields)
    if kind == "polars" and hasattr(documents, "collect"):
        columns = fields.of(documents.collect_schema().names())
        if can_be_batches(documents):
            query = Query(documents, columns)
            source = Source(lambda: source.reader(*query.open()), is_held=False, read=query)
            return source
        lazy = documents if columns is None else documents.select(columns)
        frame = lazy.collect(engine="streaming")
        return Source(lambda: frame, read=frame)
    if kind == "pyarrow" and hasattr(documents, "schema"):
        fields.check_unique(documents.schema.names)
    if hasattr(documents, "__arrow_c_stream__") and hasattr(documents, "read_all"):
        rows = documents.read_all()  # of what can be read once
        return Source(lambda: rows)
    if kind in ("duckdb", "_duckdb") and hasattr(documents, "project"):
        columns = fields.of(documents.columns)
        quoted = ['"' + name.replace('"', '""') + '"' for name in columns or []]
        table = arrow_of(documents.project(", ".join(quoted)) if quoted else documents)
        return Source(lambda: table, read=table)
    if kind == "pyarrow":
        # Dataset and Scanner are read again and again; a reader is read once.
        if hasattr(documents, "scanner"):
            scan = {"columns": fields.of(documents.schema.names), **_scan_options(documents)}
            return Source(lambda: documents.scanner(**scan).to_reader(), is_held=False)
        if hasattr(documents, "to_reader") and not hasattr(documents, "num_rows"):
            return Source(documents.to_reader, is_held=False)
    if kind == "pandas":
        return _pandas_source(documents, fields)
    if hasattr(documents, "__arrow_c_stream__"):
        return Source(lambda: documents)
    if hasattr(documents, "__arrow_c_array__"):
        return Source(lambda: _reader_of_array(documents))
    if kind == "numpy" and hasattr(documents, "tolist"):
        documents = _rows_of_array(documents)
    if isinstance(documents, Mapping):
        raise InvalidArgumentError("documents are a mapping; give a table, or a list of texts or of mappings")
    if isinstance(documents, (bytes, bytearray)) or not isinstance(documents, Iterable):
        raise InvalidArgumentError(
            f"documents are of the type {type(documents).__name__}; give a table, a list of texts or "
            "of mappings, or names of files"
        )
    data = columns_of(documents, fields)
    return Source(lambda: data)


def _pandas_source(data: Any, fields: Fields) -> Source:
    """Objects of Python, which pyarrow converts only if all have one type, are read as a list is."""

    def opened() -> Any:
        import pandas

        is_frame = isinstance(data, pandas.DataFrame)
        table = data if is_frame or isinstance(data, pandas.Series) else pandas.Series(data)
        if is_frame:
            levels = _levels_of(data, fields)
            columns = fields.of([*data.columns, *levels])
            names = pandas.Index(data.columns if columns is None else columns)
            counts = data.columns[data.columns.isin(names)].value_counts()
            if (counts > 1).any():
                raise BadInputError(f"the table has several columns {str(counts.idxmax())!r}; rename all but one")
            table = data if columns is None else data[[name for name in columns if name not in levels]]
            table = table.reset_index(level=levels) if levels else table
        try:
            return _Exported(table.__arrow_c_stream__())
        except (AttributeError, ImportError):
            raise InvalidArgumentError(
                "tables of pandas need pandas 2.2 or later and pyarrow; install benzer[arrow]"
            ) from None
        except (NotImplementedError, TypeError, ValueError) as error:
            if fields.are_all:
                raise BadInputError(f"the table of pandas cannot be read: {error.args[0]}") from None
            known = table.astype(object).where(table.notna(), None)
            if not is_frame:
                return columns_of(known.tolist(), fields)
            names = [str(name) for name in known.columns]  # as pyarrow names them
            # Not to_dict(), which makes a float of a float32.
            cells = zip(*(known.iloc[:, i].tolist() for i in range(len(names))))
            return columns_of([dict(zip(names, row)) for row in cells], fields)

    return Source(opened)


def _levels_of(frame: Any, fields: Fields) -> list[str]:
    """Return the levels of the index that are read, which become columns.

    pandas exports a level as a column, but not one that is a range, and rows have no levels.
    """
    read = {fields.text, fields.values, fields.id, fields.group, *fields.numbers} - {None}
    return [name for name in frame.index.names if name in read and name not in frame.columns]


class _Exported:
    """A stream that was exported before."""

    def __init__(self, stream: object) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._stream


def _rows_of_array(array: Any) -> list[Any]:
    """Return the texts of an array of numpy as a list; of an array of records its fields as mappings."""
    if getattr(array, "ndim", 1) != 1:
        raise InvalidArgumentError(f"the array has {array.ndim} dimensions, and an array of texts must have one")
    rows: list[Any] = array.tolist()
    if array.dtype.names is not None:
        return [dict(zip(array.dtype.names, row)) for row in rows]
    if hasattr(array.dtype, "na_object"):
        return [row if isinstance(row, str) else None for row in rows]
    return rows


def _scan_options(dataset: Any) -> dict[str, Any]:
    """Return how a dataset of pyarrow is read in little memory: by default it reads far ahead."""
    from pyarrow import dataset as arrow_dataset
    from pyarrow.fs import LocalFileSystem

    options: dict[str, Any] = {"batch_size": 1024, "batch_readahead": 4, "fragment_readahead": 1}
    if isinstance(getattr(dataset, "filesystem", None), LocalFileSystem) and (
        isinstance(dataset.format, arrow_dataset.ParquetFileFormat)
    ):
        # Elsewhere it is faster to read all columns of a file at once than many small pieces.
        options["fragment_scan_options"] = arrow_dataset.ParquetFragmentScanOptions(pre_buffer=False)
    return options


def _reader_of_array(array: Any) -> Any:
    import pyarrow

    if hasattr(array, "schema"):
        return pyarrow.table(array)
    return pyarrow.chunked_array([pyarrow.array(array)])


def arrow_of(stream: Any) -> Any:
    """Return what a stream of Arrow exports: a table, or a column."""
    import pyarrow

    column = pyarrow.chunked_array(stream)
    is_table = pyarrow.types.is_struct(column.type)
    return pyarrow.Table.from_struct_array(column) if is_table else column


def _dataset_source(dataset: Any, fields: Fields) -> Source:
    """A datasets.Dataset is in memory-mapped Arrow tables, of which some rows may be selected."""
    if isinstance(dataset, Mapping):
        names = ", ".join(repr(str(name)) for name in dataset)
        raise InvalidArgumentError(f"documents are several datasets, {names}; give one of them")
    if getattr(dataset, "format", {"type": None})["type"] == "custom":
        raise InvalidArgumentError(
            "the dataset has a transform, which makes other rows of those that are stored; give "
            "dataset.map(transform), or dataset.with_format(None) for the rows as they are stored"
        )
    if dataset.features is None:  # an IterableDataset of unknown types, which is read again and again
        data = columns_of(dataset, fields)
        return Source(lambda: data)
    if hasattr(dataset, "data") and getattr(dataset, "_indices", None) is None:
        table = dataset.data.table
        return Source(lambda: table)
    dataset = dataset.with_format("arrow")
    columns = fields.of(list(dataset.features))
    narrow = dataset if columns is None else dataset.select_columns(columns)
    schema = narrow.features.arrow_schema

    def batches() -> Iterator[Any]:
        import pyarrow

        done = 0
        try:
            for table in narrow.iter(batch_size=1000):
                yield from table.cast(schema).combine_chunks().to_batches()
                done += len(table)
        except pyarrow.ArrowInvalid:  # of a stream with a value that is missing in one row of a batch only
            if hasattr(dataset, "data"):
                raise
            rows = islice(narrow.with_format(None), done, None)
            while part := list(islice(rows, 1000)):
                yield from pyarrow.Table.from_pylist(part, schema).to_batches()

    source = Source(lambda: source.reader(schema, batches()), is_held=False)
    return source


class Fields:
    """The names of the columns that a run reads."""

    __slots__ = ("are_all", "group", "group_parameter", "id", "numbers", "text", "values")

    def __init__(
        self,
        text: str | None,
        values: str | None,
        id: str | None,
        group: str | None = None,
        numbers: Sequence[str] = (),
        *,
        group_parameter: str = "by",
    ) -> None:
        for name in (text, values, id, group, *numbers):
            if isinstance(name, str) and any("\ud800" <= one <= "\udfff" for one in name):
                raise InvalidArgumentError(f"{name!r} is not the name of a column: it has a lone surrogate")
        self.text: str = text or "text"
        self.values: str | None = values
        self.id: str = id or "id"
        self.group: str | None = group
        self.group_parameter: str = group_parameter
        self.numbers: Sequence[str] = numbers
        self.are_all: bool = False

    @classmethod
    def all(cls) -> Fields:
        """Return the fields of an index, whose schema says which columns are read."""
        fields = cls(None, None, None)
        fields.are_all = True
        return fields

    def check_unique(self, names: Sequence[str], table: str = "the table") -> None:
        """Refuse two columns with the name of one that is read, of which either may be meant."""
        wanted = (self.values or self.text, self.id, self.group, *self.numbers)
        for name in names if len(set(names)) < len(names) else ():
            if names.count(name) > 1 and (self.are_all or name in wanted):
                raise BadInputError(f"{table} has several columns {name!r}; rename all but one")

    def of(self, names: Sequence[str]) -> list[str] | None:
        """Return those of the columns that are read; None: all, also if one that is named is not there."""
        if self.are_all:
            return None
        wanted = [self.values or self.text, *self.numbers]
        if self.group is not None:
            wanted.append(self.group)
        if self.id in names or self.id != "id":
            wanted.append(self.id)
        return list(dict.fromkeys(wanted)) if all(name in names for name in wanted) else None


def kept_of(documents: Any, kept: bytes, read: Any = None) -> Any:
    """Return the rows of a table for which the mask has a 1, as a table of the same kind.

    read: of a query that was carried out before, its Query or its ReadRows.
    """
    kind = module_of(documents)
    if kind == "datasets" and hasattr(documents, "skip") and not hasattr(documents, "data"):
        return _kept_of_iterable(documents, kept)
    if kind == "datasets" and hasattr(documents, "select"):
        _check_length(len(documents), kept)
        return documents.select([i for i, one in enumerate(kept) if one])
    if kind in ("pandas", "numpy") and hasattr(documents, "shape"):
        import numpy

        if not documents.shape:
            raise InvalidArgumentError("the array has 0 dimensions, and an array of texts must have one")
        _check_length(len(documents), kept)
        return documents[numpy.frombuffer(kept, dtype=bool)]
    if kind == "polars" and (hasattr(documents, "collect") or hasattr(documents, "__arrow_c_stream__")):
        import polars

        is_lazy = hasattr(documents, "collect")
        if is_lazy and can_be_batches(documents):
            count = documents.select(polars.len()).collect(engine="streaming").item()
            _check_length(count, kept)
            return kept_of_query(documents, _mask(kept).to_polars().to_series(), read)
        frame = documents.collect(engine="streaming") if is_lazy else documents
        _check_length(len(frame), kept)
        if read is not None:
            read.check(frame)
        result = frame.filter(polars.Series(_mask(kept).to_polars().to_series()))
        return result.lazy() if is_lazy else result
    if kind == "pyarrow":
        import pyarrow

        if hasattr(documents, "to_table"):
            documents = documents.to_table()
        if not hasattr(documents, "filter"):
            raise InvalidArgumentError(
                f"a {type(documents).__name__} can be read once, and was; read it into a table first"
            )
        _check_length(len(documents), kept)
        mask = _mask(kept).to_arrow().column(0)
        if isinstance(documents, (pyarrow.RecordBatch, pyarrow.Array)):
            mask = mask.combine_chunks()
        return filtered(documents, mask)
    if isinstance(documents, (list, tuple)):
        _check_length(len(documents), kept)
        rows = compress(documents, kept)
        return tuple(rows) if isinstance(documents, tuple) else list(rows)
    if kind in ("duckdb", "_duckdb") and hasattr(documents, "query"):
        table = arrow_of(documents)
        _check_length(len(table), kept)
        if read is not None:
            read.check(table)
        kept_rows = kept_of(table, kept)  # noqa: F841  # which DuckDB finds by its name
        return documents.query("documents", "select * from kept_rows")
    if hasattr(documents, "__arrow_c_stream__"):
        return kept_of(arrow_of(documents), kept)
    if isinstance(documents, Iterable) and kind != "polars":
        remaining = list(documents)
        _check_length(len(remaining), kept)
        return list(compress(remaining, kept))
    raise InvalidArgumentError(f"a {type(documents).__name__} is no table")


def _kept_of_iterable(documents: Any, kept: bytes) -> Any:
    def rows() -> Iterator[Any]:
        count = 0
        for row in documents:
            if count < len(kept) and kept[count]:
                yield row
            count += 1
        _check_length(count, kept)

    return type(documents).from_generator(rows, features=documents.features)


def _mask(kept: bytes) -> Any:
    from benzer._table import Table

    return Table(_engine.TableData([_engine.boolean_column("kept", list(kept))]))


def mask_of(kept: bytes) -> Any:
    """Return a mask as an array of pyarrow."""
    return _mask(kept).to_arrow().column(0).combine_chunks()


def _check_length(length: int, kept: bytes) -> None:
    if length != len(kept):
        raise InvalidArgumentError(
            f"the table has {length:,} rows, and the result is of {len(kept):,}; give the table that was deduplicated"
        )
