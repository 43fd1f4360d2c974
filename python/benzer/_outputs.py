"""Outputs of runs over files: which names they may have, and how tables are written."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from benzer import _engine
from benzer._arrow_rows import filtered, plain_type
from benzer._errors import BadInputError, Error, InvalidArgumentError, StorageFailedError, advised
from benzer._files import (
    PARQUET,
    TableFile,
    TableFiles,
    file_system,
    has_dictionary,
    has_ending,
    is_record_name,
    is_table_name,
    path_of,
    plain_name,
    split_query,
)
from benzer._output_names import Taken, check_are_local, check_names, twin_of
from benzer._progress import progress_callback

if TYPE_CHECKING:
    from benzer._inputs import Inputs
    from benzer._table import Table

_GROUP_BYTES = 64 << 20
_MOST_NAME = 255  # bytes
_NAME_ONE = "name a folder, or a file that ends in .parquet"
_ADDED = ("benzer_cluster", "benzer_keeper", "benzer_score", "benzer_kept")  # the columns of annotations


def _partial_name(path: str) -> str:
    """Return a name for what will have this one, not longer than file systems allow."""
    folder, name = os.path.split(path)
    suffix = f".{os.getpid()}.partial"
    if len(os.fsencode(name)) + len(suffix) > _MOST_NAME:
        name = os.fsencode(name)[: _MOST_NAME - len(suffix)].decode("utf-8", "ignore")
    return os.path.join(folder, name + suffix)


class _Output:
    """A file that appears under its name only when it is whole."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._fs, path = file_system(name)
        # What a symbolic link names is written, and the link stays.
        self._path = path if "://" in name else os.path.realpath(path)
        self._partial = _partial_name(self._path)
        self._stream: Any = None
        self._remembered: object = None
        """Lets a signal that ends the process at once remove the file."""

    def folder(self) -> str:
        """Return the folder of the file, or of those above it the first one that exists. Only of a local file."""
        folder = os.path.dirname(self._path)
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        return folder

    def open(self) -> Any:
        """Open the file under its temporary name."""
        if "://" not in self.name:
            self._remembered = _engine.RememberedName(self._partial)
        self._stream = self._fs.open_output_stream(self._partial)
        return self._stream

    def finish(self) -> None:
        """Write everything to the disk."""
        self._stream.close()
        if "://" not in self.name:
            descriptor = os.open(self._partial, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def commit(self) -> None:
        """Give the file its name. It keeps the mode of the file that it replaces."""
        is_local = "://" not in self.name
        if is_local:
            with suppress(FileNotFoundError):
                os.chmod(self._partial, stat.S_IMODE(os.stat(self._path).st_mode))
        self._fs.move(self._partial, self._path)
        self._remembered = None
        if is_local:
            folder = os.open(os.path.dirname(self._path) or ".", os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def discard(self) -> None:
        """Remove what was written, if it has no name yet."""
        try:
            if self._stream is not None:
                with suppress(OSError):
                    self._stream.close()
        finally:
            with suppress(OSError):
                self._fs.delete_file(self._partial)
            self._remembered = None


class Outputs:
    """The files that a run writes. Those that cannot be are refused before anything is read."""

    def __init__(
        self, inputs: Inputs, output: Any, removed: Any, report: Any, annotate: bool, others: Sequence[str] = ()
    ) -> None:
        """others: files that are read and are no documents."""
        if output is None:
            if annotate:
                hint = "Result.annotations() has the columns"
                raise advised(InvalidArgumentError, "annotate needs an output", hint)
        elif not inputs.paths and inputs.parquet is None:
            hint = "Result.kept() returns the kept ones of a table"
            raise advised(InvalidArgumentError, "output is for documents in files", hint)
        self._documents = "" if output is None else plain_name(output)
        self._annotate = annotate
        self._tables: TableOutputs | None = None
        reports = [] if report is None else [os.fspath(report), twin_of(os.fspath(report))]
        self.names: list[str] = [*([] if removed is None else [os.fspath(removed)]), *reports]
        """All of them."""
        check_are_local(self.names)
        lists = len(self.names)
        if output is not None and inputs.parquet is not None:
            self._tables = TableOutputs(inputs.parquet, self._documents)
            self.names += dict.fromkeys([*self._tables.names, self._documents])
            self._tables.check_folders()
        elif output is not None:
            self.names.append(self._documents)
        read = [*inputs.names, *others]
        check_names(self.names, read)
        self.taken = Taken(read, [name for name in self.names if name not in reports])
        for name in self.names if self._tables is None else self.names[:lists]:
            _engine.check_output(name)
        if self._tables is not None:
            self._tables.check(annotate)

    def write(self, run: Any, progress: Any, write_lists: Callable[[], None]) -> str | list[str]:
        """Write the documents that are kept, or all of them with annotations, and the lists of the run."""
        with progress_callback(progress) as callback:
            # The documents appear last, so that whoever finds them finds their lists, too.
            if self._tables is None:
                try:
                    run.write(self._documents, self._annotate, callback)
                    write_lists()
                except BaseException:
                    run.discard()
                    raise
                run.commit()
                return self._documents
            kept = run.kept()

            def tell(done: int) -> None:
                if callback is not None:
                    callback("write", done, len(kept))

            marks = run.annotations() if self._annotate else None
            self._tables.write(kept, run.source_sizes(), marks, tell)
            try:
                write_lists()
            except BaseException:
                self._tables.discard()
                raise
            self._tables.commit()
            return self._tables.names


def record_outputs(inputs: Inputs, output: Any, lists: Sequence[Any]) -> list[str]:
    """Return the names of an output of records and of lists of a run, those that are not None.

    Those that cannot be written are refused.
    """
    if output is not None and not inputs.paths:
        what = "tables" if inputs.parquet is None else "files with tables"
        hint = "kept() returns the documents of a table without their passages"
        raise advised(InvalidArgumentError, f"output is for files of records, and the documents are {what}", hint)
    names = [os.fspath(one) for one in lists if one is not None]
    check_are_local(names)
    if output is not None:
        names.append(plain_name(output))
    check_names(names, inputs.names)
    for name in names:
        _engine.check_output(name)
    return names


def _check_schemas(tables: TableFiles, targets: list[tuple[str, str]]) -> None:
    """Refuse one output for files with other columns, before hours of work."""
    first: dict[str, int] = {}
    for i, (name, target) in enumerate(targets):
        like = first.setdefault(target, i)
        if not tables.schemas[i].equals(tables.schemas[like]):
            raise advised(
                BadInputError,
                f"{name} has other columns than {tables.names[like]}, and both are to be written to {target}",
                "give a folder as the output",
                name,
            )


def _targets(tables: TableFiles, output: str) -> list[tuple[str, str]]:
    """Return for each input the file that its rows are written to."""
    names = tables.names
    if not output:
        raise InvalidArgumentError("the output has an empty name")
    if is_record_name(output):
        raise advised(
            InvalidArgumentError,
            f"the output {output!r} has a name of records, and tables are written as tables",
            _NAME_ONE,
        )
    if output == "-" or output.startswith("/dev/"):
        raise advised(InvalidArgumentError, f"tables cannot be written to {output!r}", _NAME_ONE)
    base, query = split_query(output)
    if is_table_name(output):
        if os.path.isdir(output):
            hint = "end it with '/', or give another name"
            raise advised(InvalidArgumentError, f"the output {output!r} is a folder", hint)
        return [(name, output) for name in names]
    if not output.endswith("/") and "://" not in output and os.path.isfile(output):
        raise advised(InvalidArgumentError, f"the output {output!r} is a file", _NAME_ONE)
    paths = [path_of(name) for name in names]
    common = os.path.commonpath(tables.roots)
    folder = base if base.endswith("/") else base + "/"
    targets = [(name, folder + os.path.relpath(path, common) + query) for name, path in zip(names, paths)]
    known: dict[str, str] = {}
    for name, target in targets:
        if known.setdefault(target, name) != name:
            raise advised(
                InvalidArgumentError,
                f"{known[target]} and {name} would both be written to {target}",
                "deduplicate into a file that ends in .parquet, or one after the other",
            )
    return targets


def _remove_if_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)


class TableOutputs:
    """The rows of tables that are kept, in files that appear together when all are whole."""

    def __init__(self, tables: TableFiles, output: str) -> None:
        self._tables = tables
        self._output = output
        self._targets = _targets(tables, output)
        self._written: list[_Output] = []
        self._made: list[str] = []  # folders
        self.names: list[str] = list(dict.fromkeys(target for _, target in self._targets))
        """The files that are written."""
        _check_schemas(tables, self._targets)

    def check_folders(self) -> None:
        """Refuse an output in a folder that is read, where the next run would read it."""
        folders = {os.path.realpath(one) for one in self._tables.folders}
        for target in self.names:
            place = os.path.dirname(os.path.realpath(target))
            while "://" not in target and place != os.path.dirname(place):
                if place in folders:
                    raise advised(
                        InvalidArgumentError,
                        f"the output {target!r} is in the input folder {place!r}, where the next run would read it as "
                        "a document",
                        "choose a place outside",
                        target,
                    )
                place = os.path.dirname(place)

    def check(self, annotate: bool) -> None:
        """Refuse outputs that cannot be written, before hours of work. annotate: whether columns are added."""
        for name, schema in zip(self._tables.names, self._tables.schemas):
            known = [one for one in _ADDED if annotate and one in schema.names]
            if known:
                raise InvalidArgumentError(
                    f"{name}: there is a column {known[0]!r} already, which annotate adds",
                    subject=name,
                    subject_kind="file",
                )
        for schema, (_, target) in zip(self._tables.schemas, self._targets):
            if has_ending(target, *PARQUET):
                self._check_types(schema)
        for name in (one for one in self.names if "://" not in one):
            if os.path.exists(name) and not os.path.isfile(name):
                raise self._failure(f"{name} is {'a folder' if os.path.isdir(name) else 'no file'}")
            folder = _Output(name).folder()
            if folder == os.path.dirname(os.path.realpath(name)):
                _engine.check_output_place(name)
            else:  # the folders between them are made later
                try:
                    TemporaryFile(dir=folder).close()
                except OSError as error:
                    raise self._failure(f"{folder}: {error.strerror}") from error

    def _check_types(self, schema: Any) -> None:
        """Refuse columns of Arrow files that Parquet files cannot have, by trying."""
        import pyarrow
        from pyarrow import parquet

        for field in schema:
            try:
                parquet.ParquetWriter(pyarrow.BufferOutputStream(), _for_parquet(pyarrow.schema([field]))).close()
            except (pyarrow.ArrowException, OSError) as error:
                raise advised(
                    InvalidArgumentError,
                    f"{self._output}: the column {field.name!r} of the type {field.type} cannot be written to Parquet: "
                    f"{error}",
                    "name an output that ends in .arrow",
                    self._output,
                ) from error

    def write(self, kept: bytes, sizes: Sequence[int], marks: Table | None, tell: Callable[[int], object]) -> None:
        """Write the rows for which kept has a 1, or with marks all of them, under temporary names.

        sizes: the number of rows of each table, after those of the references. tell: called with the number of
        rows that were read.
        """
        sizes = sizes[-len(self._tables.files) :]
        columns = None if marks is None else marks.to_arrow()
        writer: _Writer | None = None
        begin = 0
        try:
            for file, (_, target), size in zip(self._tables.files, self._targets, sizes):
                if writer is not None and writer.output.name != target:
                    writer.close()
                    writer = None
                opened = file.open()
                if writer is None:
                    if "://" not in target:
                        self._make_folder(os.path.dirname(target))
                    out = _Output(target)
                    self._written.append(out)
                    inputs = [one for one, (_, name) in zip(self._tables.files, self._targets) if name == target]
                    writer = _Writer(out, inputs, opened, columns)
                writer.copy(file, opened, kept[begin : begin + size], begin, tell)
                begin += size
            if writer is not None:
                writer.close()
        except BaseException as error:
            try:
                if writer is not None:
                    writer.abandon()
            finally:
                self._discard(error)
            raise

    def commit(self) -> None:
        """Give all files their names."""
        try:
            for out in self._written:
                out.commit()
        except BaseException as error:
            self._discard(error)
            raise

    def _make_folder(self, folder: str) -> None:
        if not folder or os.path.isdir(folder):
            return
        self._make_folder(os.path.dirname(folder))
        with suppress(FileExistsError):  # another process has just made it
            os.mkdir(folder)
            self._made.append(folder)

    def discard(self) -> None:
        """Remove what was written and has no name yet."""
        with ExitStack() as stack:  # which goes on if Ctrl-C interrupts one of them
            for folder in self._made:
                stack.callback(_remove_if_empty, folder)
            for out in self._written:
                stack.callback(out.discard)

    def _discard(self, error: BaseException) -> None:
        import pyarrow

        self.discard()
        if isinstance(error, (pyarrow.ArrowException, OSError)) and not isinstance(error, Error):
            raise self._failure(error) from error

    def _failure(self, why: object) -> StorageFailedError:
        return StorageFailedError(
            f"{self._output}: the output cannot be written: {why}", subject=self._output, subject_kind="file"
        )


class _Dictionaries:
    """The dictionaries of an Arrow file, which has one for each column. Those of its inputs are unified."""

    def __init__(self, schema: Any) -> None:
        self._heads: dict[int, Any] = {i: None for i in range(len(schema)) if has_dictionary(schema.field(i).type)}
        """By the number of the column: an array without rows, with the values that were found so far."""

    def add_all(self, files: Sequence[TableFile]) -> bool:
        """Unify the dictionaries of all files. Return whether that is possible."""
        import pyarrow

        try:
            for file in files if self._heads else ():
                opened = file.open()
                names = TableFile.schema_of(opened).names
                are_unique = len(set(names)) == len(names)
                columns = [names[i] for i in self._heads] if are_unique else None
                for batch in file.batches(opened, columns):
                    for place, i in enumerate(self._heads):
                        self._unify(i, pyarrow.chunked_array([batch.column(place if are_unique else i)]))
        except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError):
            return False  # a dictionary has a null, or more values than its numbers can count
        return True

    def applied(self, table: Any) -> Any:
        """Return the table with the unified dictionaries."""
        for i in self._heads:
            table = table.set_column(i, table.schema.field(i), self._unify(i, table.column(i)))
        return table

    def _unify(self, i: int, column: Any) -> Any:
        import pyarrow

        if not column.num_chunks:
            return column
        head = column.chunk(0).slice(0, 0) if self._heads[i] is None else self._heads[i]
        chunks = pyarrow.chunked_array([head, *column.chunks]).unify_dictionaries().chunks
        self._heads[i] = chunks[0]
        return pyarrow.chunked_array(chunks[1:])


class _Writer:
    """Writes the rows of files to one, in the format that its name says."""

    def __init__(self, output: _Output, inputs: Sequence[TableFile], opened: Any, marks: Any) -> None:
        import pyarrow

        self.output = output
        self._marks = marks
        self._schema = TableFile.schema_of(opened)
        if marks is not None:
            for field in marks.schema:
                self._schema = self._schema.append(field)
        self._closing = ExitStack()
        self._dictionaries = _Dictionaries(pyarrow.schema([]))
        stream = output.open()
        if has_ending(output.name, *PARQUET):
            from pyarrow import parquet

            self._schema = _for_parquet(self._schema)
            self._rows = _rows_of_group(opened)
            self._writer = parquet.ParquetWriter(
                stream, self._schema, compression=_compression_of(opened, self._schema)
            )
        else:
            self._rows = 0
            # datasets reads streams, whatever their names.
            is_stream = not inputs[0].is_parquet and not hasattr(opened, "num_record_batches")
            is_stream = is_stream or has_ending(output.name, ".arrows")
            if not is_stream:
                found = _Dictionaries(self._schema)
                if found.add_all(inputs):
                    self._dictionaries = found
                else:  # one Arrow file has one of each column, and a stream may replace them
                    is_stream = len(inputs) > 1 or inputs[0].is_parquet
            make = pyarrow.ipc.new_stream if is_stream else pyarrow.ipc.new_file
            self._writer = make(stream, self._schema)
        self._closing.callback(self._writer.close)
        self._waiting: list[Any] = []
        self._waiting_rows = self._waiting_bytes = 0

    def copy(self, file: TableFile, opened: Any, kept: bytes, begin: int, tell: Callable[[int], object]) -> None:
        """Copy the rows that are kept, or all with their annotations."""
        import pyarrow

        from benzer._tables import mask_of

        at = 0
        for batch in file.batches(opened, None):
            piece = kept[at : at + batch.num_rows]
            if self._marks is not None:
                columns = [*batch.columns]
                part = self._marks.slice(begin + at, batch.num_rows).combine_chunks()
                for column in part.columns:
                    chunks = column.chunks
                    columns.append(chunks[0] if chunks else pyarrow.nulls(0, column.type))
                batch = pyarrow.RecordBatch.from_arrays(columns, names=self._schema.names)
            elif 0 in piece:
                batch = filtered(batch, mask_of(piece))
            at += len(piece)
            if batch.num_rows:
                self._add(pyarrow.Table.from_batches([batch]).cast(self._schema))
            tell(begin + at)
        if at != len(kept):
            raise BadInputError(
                f"{file.name}: the file has {at:,} rows now, and had {len(kept):,} when it was read",
                subject=file.name,
                subject_kind="file",
            )

    def _add(self, table: Any) -> None:
        self._waiting.append(table)
        self._waiting_rows += table.num_rows
        self._waiting_bytes += table.nbytes
        if self._waiting_rows >= self._rows or self._waiting_bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow

        if not self._waiting:
            return
        table = pyarrow.concat_tables(self._waiting)
        self._waiting.clear()
        self._waiting_rows = self._waiting_bytes = 0
        if hasattr(self._writer, "write_batch") and self._rows:
            self._writer.write_table(table, row_group_size=table.num_rows)
        elif isinstance(self._writer, pyarrow.RecordBatchFileWriter):
            self._writer.write_table(self._dictionaries.applied(table))
        else:
            self._writer.write_table(table)

    def abandon(self) -> None:
        """End the writer of a file that will be removed."""
        with suppress(Exception):
            self._closing.close()

    def close(self) -> None:
        """Write what waits, and end the file."""
        self._flush()
        self._closing.close()
        self.output.finish()


def _for_parquet(schema: Any) -> Any:
    """Return the schema without views in other types, which pyarrow writes to Parquet for some of them only."""
    for i in range(len(schema)):
        if (field := schema.field(i)).type.num_fields or has_dictionary(field.type):
            schema = schema.set(i, field.with_type(plain_type(field.type)))
    return schema


def _rows_of_group(opened: Any) -> int:
    """Return how many rows the row groups of the input have."""
    meta = getattr(opened, "metadata", None)
    if meta is None or not hasattr(meta, "num_row_groups") or meta.num_row_groups == 0:
        return 1 << 20
    return max(1, int(meta.row_group(0).num_rows))


def _compression_of(opened: Any, schema: Any) -> str | dict[str, str]:
    """Return the compression of each column as the input has it; zstd for an Arrow file."""
    meta = getattr(opened, "metadata", None)
    if meta is None or not hasattr(meta, "num_row_groups") or meta.num_row_groups == 0:
        return "zstd"
    group = meta.row_group(0)
    out = {}
    for i in range(group.num_columns):
        column = group.column(i)
        codec = {"UNCOMPRESSED": "none", "LZ4_RAW": "lz4"}.get(column.compression, column.compression)
        out[column.path_in_schema] = codec.lower()
    for name in schema.names:
        out.setdefault(name, "zstd")
    return out
