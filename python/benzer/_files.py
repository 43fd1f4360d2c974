"""Files as documents: which of them are tables, how they are read, and how outputs are written.

Parquet and Arrow files are read with pyarrow, in batches of the columns that are needed. JSON lines,
CSV and texts are read by the engine itself.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from benzer._errors import BadInputError, Error, InvalidArgumentError, NotFoundError, StorageFailedError

if TYPE_CHECKING:
    from benzer._runs import Inputs
    from benzer._tables import Fields, Source

_PARQUET = (".parquet", ".parq", ".pq")
_ARROW = (".arrow", ".arrows", ".ipc", ".feather")
_RECORDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_PACKED = ("", ".gz", ".zst", ".xz", ".bz2")
_BATCH_BYTES = 16 << 20
_GROUP_BYTES = 64 << 20


def _is_wild(name: str) -> bool:
    return any(mark in name for mark in "*?[")


def _is_table_name(name: str) -> bool:
    return name.lower().endswith(_PARQUET + _ARROW)


def names_of(documents: Any) -> list[str] | None:
    """Return the names of files, with patterns and folders of tables filled in; None for no files."""
    if isinstance(documents, (str, os.PathLike)):
        named = [os.fspath(documents)]
    elif isinstance(documents, (list, tuple)) and documents and all(isinstance(one, os.PathLike) for one in documents):
        named = [os.fspath(one) for one in documents]
    elif isinstance(documents, (list, tuple)) and documents and all(_is_file_name(one) for one in documents):
        named = list(documents)
    else:
        return None
    out: list[str] = []
    for name in named:
        out.extend(_expand(plain_name(name)))
    return out


def plain_name(name: str | os.PathLike[str]) -> str:
    """Return a name of a file; file:///a/b is /a/b."""
    from urllib.parse import unquote, urlsplit

    plain = os.fspath(name)
    return unquote(urlsplit(plain).path) if plain.startswith("file://") else plain


def _is_file_name(value: object) -> bool:
    """Whether a str in a list of str names a file, and is no text: by its ending alone.

    What is there on this machine must not decide it.
    """
    if not isinstance(value, str) or "\n" in value or "\0" in value:
        return False
    name = value.lower()
    if "://" in name and name.endswith("/"):
        return name.split("://", 1)[0].isalnum()
    return _is_table_name(name) or name.endswith(tuple(one + packed for one in _RECORDS for packed in _PACKED))


def _expand(name: str) -> list[str]:
    if "://" in name:
        return _expand_address(name)
    if _is_wild(name) and not os.path.exists(name):
        found = sorted(glob.glob(name, recursive=True))
        if not found:
            raise NotFoundError(f"no file has a name like {name!r}", subject=name, subject_kind="file")
        return found
    if os.path.isdir(name):
        inside = sorted(
            os.path.join(folder, file) for folder, _, files in os.walk(name) for file in files if _is_table_name(file)
        )
        return inside or [name]
    if not os.path.exists(name):
        raise NotFoundError(f"{name}: the file does not exist", subject=name, subject_kind="file")
    return [name]


def _expand_address(address: str) -> list[str]:
    from fnmatch import fnmatchcase

    scheme = address.split("://", 1)[0]
    fs, path = _file_system(address)
    from pyarrow import fs as arrow_fs

    if _is_wild(path):
        base = path.split("*", 1)[0].split("?", 1)[0].split("[", 1)[0].rpartition("/")[0]
        selector = arrow_fs.FileSelector(
            base, recursive="**" in path or "/" in path[len(base) + 1 :], allow_not_found=True
        )
        found = [info.path for info in fs.get_file_info(selector) if info.is_file]
        names = sorted(one for one in found if fnmatchcase(one, path))
    else:
        info = fs.get_file_info(path)
        if info.type == arrow_fs.FileType.Directory:
            selector = arrow_fs.FileSelector(path, recursive=True)
            names = sorted(one.path for one in fs.get_file_info(selector) if _is_table_name(one.path))
        else:
            names = [path] if info.is_file else []
    if not names:
        raise NotFoundError(f"{address}: no such file", subject=address, subject_kind="file")
    return [f"{scheme}://{name}" for name in names]


def _file_system(name: str) -> tuple[Any, str]:
    """Return the file system of an address or a local name, and the path in it."""
    _need_pyarrow()
    from pyarrow import fs as arrow_fs

    if "://" not in name:
        return arrow_fs.LocalFileSystem(), name
    try:
        fs, path = arrow_fs.FileSystem.from_uri(name)
    except Exception as error:
        try:
            import fsspec
        except ImportError:
            raise InvalidArgumentError(f"{name}: {error}; fsspec may know it: pip install fsspec") from None
        other, path = fsspec.core.url_to_fs(name)
        return arrow_fs.PyFileSystem(arrow_fs.FSSpecHandler(other)), path
    return fs, path


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InvalidArgumentError(
            "Parquet and Arrow files are read with pyarrow, which is not installed: pip install 'benzer[arrow]'"
        ) from None


def are_tables(names: Sequence[str]) -> bool:
    """Return whether all files are Parquet or Arrow; a mixture is refused."""
    tables = [name for name in names if _is_table_name(name)]
    if tables and len(tables) < len(names):
        other = next(name for name in names if not _is_table_name(name))
        raise InvalidArgumentError(
            f"the inputs are tables and others: {tables[0]} and {other}; name inputs of one kind"
        )
    if not tables and any("://" in name for name in names):
        raise InvalidArgumentError(
            f"{names[0]}: only Parquet and Arrow files are read from addresses; copy the files first"
        )
    return bool(tables)


class _TableFile:
    """A Parquet or Arrow file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_parquet = name.lower().endswith(_PARQUET)
        self._seen: object = None

    def open(self) -> Any:
        """Open the file, and return what reads it. It must be the one that was opened first."""
        import pyarrow

        fs, path = _file_system(self.name)
        try:
            file = fs.open_input_file(path)
            info = fs.get_file_info(path)
            now = (info.size, info.mtime_ns)
            if self._seen is None:
                self._seen = now
            elif self._seen != now:
                raise BadInputError(
                    f"{self.name}: the file has changed since it was read first",
                    subject=self.name,
                    subject_kind="file",
                )
            if self.is_parquet:
                from pyarrow import parquet

                return parquet.ParquetFile(file)
            is_file = file.read(6) == b"ARROW1"
            file.seek(0)
            if is_file:
                return pyarrow.ipc.open_file(file)
            return pyarrow.ipc.open_stream(file)
        except FileNotFoundError:
            raise NotFoundError(
                f"{self.name}: the file does not exist", subject=self.name, subject_kind="file"
            ) from None
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise BadInputError(
                f"{self.name}: the file cannot be read: {error}",
                subject=self.name,
                subject_kind="file",
            ) from None

    @staticmethod
    def schema_of(opened: Any) -> Any:
        """Return the schema of an open file."""
        return opened.schema_arrow if hasattr(opened, "schema_arrow") else opened.schema

    def batches(self, opened: Any, columns: list[str] | None) -> Iterator[Any]:
        """Read the file in batches of about 16 MiB."""
        if self.is_parquet:
            meta = opened.metadata
            size = sum(meta.row_group(i).total_byte_size for i in range(meta.num_row_groups))
            rows = max(1, min(65536, _BATCH_BYTES * max(1, meta.num_rows) // max(1, size)))
            yield from opened.iter_batches(batch_size=rows, columns=columns)
            return
        if hasattr(opened, "num_record_batches"):
            found = (opened.get_batch(i) for i in range(opened.num_record_batches))
        else:
            found = iter(opened)
        for batch in found:
            batch.validate(full=True)  # the bytes of a file may point anywhere
            yield batch if columns is None else batch.select(columns)

    def reader(self, fields: Fields) -> Any:
        """Return a reader of the columns that are needed."""
        import pyarrow

        opened = self.open()
        schema = self.schema_of(opened)
        columns = _columns(fields, schema.names)
        if columns is not None:
            schema = pyarrow.schema([schema.field(one) for one in columns])
        return pyarrow.RecordBatchReader.from_batches(schema, self.batches(opened, columns))


def _columns(fields: Fields, names: list[str]) -> list[str] | None:
    """Return the columns that are read; a name such as "meta.text" is in the column "meta"."""
    wanted = [fields.values or fields.text, *fields.numbers]
    wanted += [name for name in (fields.group, fields.id) if name is not None]
    out = []
    for name in wanted:
        for known in (name, name.lstrip("/").split("/")[0].split(".")[0]):
            if known in names:
                if known not in out:
                    out.append(known)
                break
        else:
            if name != "id":
                return None  # the engine names the columns that there are
    # In the order of the file, which is how readers return them.
    return [name for name in names if name in out]


class TableFiles:
    """Parquet or Arrow files as sources of a run, and as outputs of it."""

    def __init__(self, names: list[str], fields: Fields) -> None:
        _need_pyarrow()
        self.names = names
        self.files: list[_TableFile] = [_TableFile(name) for name in names]
        self._fields = fields
        self.schemas: list[Any] = []
        # What is wrong with a file is told before hours of work.
        for file in self.files:
            self.schemas.append(file.schema_of(file.open()))

    def sources(self) -> list[Source]:
        """Return a source for each file."""
        from benzer._tables import Source

        return [Source(partial(file.reader, self._fields), is_held=False, name=file.name) for file in self.files]


class _Output:
    """A file that appears under its name only when it is whole."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._fs, self._path = _file_system(name)
        self._partial = f"{self._path}.{os.getpid()}.partial"
        self._stream: Any = None

    def open(self) -> Any:
        """Open the file under its temporary name."""
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
        """Give the file its name."""
        self._fs.move(self._partial, self._path)

    def discard(self) -> None:
        """Remove what was written, if it has no name yet."""
        try:
            if self._stream is not None:
                self._stream.close()
            self._fs.delete_file(self._partial)
        except OSError:
            pass


def check_inputs(names: Sequence[str]) -> None:
    """Refuse a file that is named twice: its documents would remove one another."""
    known: dict[object, str] = {}
    for name in names:
        identity = _identity(name)
        if identity in known:
            raise InvalidArgumentError(
                f"{name}: this input is read twice (also as {known[identity]}), so its documents would remove one "
                "another; name it once",
                subject=name,
                subject_kind="file",
            )
        known[identity] = name


def _identity(name: str) -> object:
    """Return what is equal for two names of one file, also of one that does not exist yet."""
    if "://" in name:
        scheme, _, rest = name.partition("://")
        return scheme, "/".join(filter(None, rest.split("/")))
    try:
        status = os.stat(name)
    except OSError:
        return os.path.realpath(name)
    return status.st_dev, status.st_ino


def check_outputs(inputs: Inputs, output: Any, removed: Any, report: Any, annotate: bool) -> list[str]:
    """Refuse outputs that cannot be, before anything is read, and return the names of the others."""
    if output is None:
        if annotate:
            raise InvalidArgumentError("annotate needs an output; Result.annotations() has the columns")
    elif not inputs.paths and inputs.parquet is None:
        raise InvalidArgumentError("output is for documents in files; Result.kept() returns the kept ones of a table")
    outputs = [os.fspath(one) for one in (removed, report) if one is not None]
    for one in outputs:
        if "://" in one:
            raise InvalidArgumentError(f"{one}: the list of removed documents and the report are local files")
    if report is not None:
        outputs.append(twin_of(os.fspath(report)))
    if output is not None and inputs.parquet is not None:
        targets = _targets(inputs.parquet.names, plain_name(output))
        outputs += dict.fromkeys(target for _, target in targets)
        _check_schemas(inputs.parquet, targets)
    elif output is not None:
        outputs.append(plain_name(output))
    read = {_identity(name): name for name in inputs.names}
    written: dict[object, str] = {}
    for one in outputs:
        identity = _identity(one)
        if identity in read:
            raise InvalidArgumentError(
                f"the output {one!r} is also an input, and would be overwritten; give another name",
                subject=one,
                subject_kind="file",
            )
        if identity in written:
            raise InvalidArgumentError(f"two outputs have the name {one!r}; give them different names")
        written[identity] = one
    return outputs


def twin_of(report: str) -> str:
    """Return the name of the JSON twin of a report."""
    return (report[: -len(".html")] if report.endswith(".html") else report) + ".json"


def _check_schemas(tables: TableFiles, targets: list[tuple[str, str]]) -> None:
    """Refuse one output for files with other columns, before hours of work."""
    first: dict[str, int] = {}
    for i, (name, target) in enumerate(targets):
        like = first.setdefault(target, i)
        if not tables.schemas[i].equals(tables.schemas[like]):
            raise BadInputError(
                f"{name} has other columns than {tables.names[like]}, and both are to be written to "
                f"{target}; give a folder as the output",
                subject=name,
                subject_kind="file",
            )


def _targets(names: list[str], output: str) -> list[tuple[str, str]]:
    """Return for each input the file that its rows are written to."""
    if _is_table_name(output):
        return [(name, output) for name in names]
    if not output.endswith("/") and "://" not in output and os.path.isfile(output):
        raise InvalidArgumentError(f"the output {output!r} is a file; name a folder, or a file that ends in .parquet")
    paths = [_path_of(name) for name in names]
    common = os.path.commonpath([os.path.dirname(path) for path in paths])
    folder = output if output.endswith("/") else output + "/"
    return [(name, folder + os.path.relpath(path, common)) for name, path in zip(names, paths)]


def _path_of(name: str) -> str:
    return "/" + name.split("://", 1)[1].lstrip("/") if "://" in name else os.path.abspath(name)


def write(inputs: Inputs, run: Any, output: str, annotate: bool, progress: Any) -> str | list[str]:
    """Write the documents that are kept, or all of them with annotations."""
    if inputs.parquet is None:
        from benzer._progress import progress_callback

        with progress_callback(progress) as callback:
            run.write(output, annotate, callback)
        return output
    return _write_tables(inputs.parquet, run, output, annotate)


def _write_tables(tables: TableFiles, run: Any, output: str, annotate: bool) -> list[str]:
    import pyarrow

    targets = _targets(tables.names, output)
    kept = run.kept()
    sizes = run.source_sizes()[-len(tables.files) :]
    marks = run.annotations().to_arrow() if annotate else None
    outputs: list[_Output] = []
    writer: _Writer | None = None
    begin = 0
    try:
        for file, (_, target), size in zip(tables.files, targets, sizes):
            if writer is not None and writer.output.name != target:
                writer.close()
                writer = None
            opened = file.open()
            if writer is None:
                if "://" not in target:
                    os.makedirs(os.path.dirname(target) or ".", exist_ok=True)
                out = _Output(target)
                outputs.append(out)
                writer = _Writer(out, file, opened, marks)
            writer.copy(file, opened, kept[begin : begin + size], begin)
            begin += size
        if writer is not None:
            writer.close()
        for out in outputs:
            out.commit()
    except BaseException as error:
        if writer is not None:
            writer.abandon()
        for out in outputs:
            out.discard()
        if isinstance(error, (pyarrow.ArrowException, OSError)) and not isinstance(error, Error):
            raise StorageFailedError(f"{output}: the output cannot be written: {error}") from error
        raise
    return [out.name for out in outputs]


class _Writer:
    """Writes the rows of files to one, in the format that its name says."""

    def __init__(self, output: _Output, like: _TableFile, opened: Any, marks: Any) -> None:
        import pyarrow

        self.output = output
        self._marks = marks
        self._schema = _TableFile.schema_of(opened)
        if marks is not None:
            for field in marks.schema:
                if field.name in self._schema.names:
                    raise InvalidArgumentError(
                        f"{like.name}: there is a column {field.name!r} already, which annotate adds"
                    )
                self._schema = self._schema.append(field)
        self._closing = ExitStack()
        stream = output.open()
        if output.name.lower().endswith(_PARQUET):
            from pyarrow import parquet

            self._rows = _rows_of_group(opened)
            self._writer = parquet.ParquetWriter(
                stream, self._schema, compression=_compression_of(opened, self._schema)
            )
        else:
            self._rows = 0
            is_stream = output.name.lower().endswith(".arrows")
            make = pyarrow.ipc.new_stream if is_stream else pyarrow.ipc.new_file
            self._writer = make(stream, self._schema)
        self._closing.callback(self._writer.close)
        self._waiting: list[Any] = []
        self._waiting_rows = self._waiting_bytes = 0

    def copy(self, file: _TableFile, opened: Any, kept: bytes, begin: int) -> None:
        """Copy the rows that are kept, or all with their annotations."""
        import pyarrow

        from benzer._tables import filtered, mask_of

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
