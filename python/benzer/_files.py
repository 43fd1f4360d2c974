"""Files as documents: which of them are tables, and how they are read.

Parquet and Arrow files are read with pyarrow, in batches of the columns that are needed. JSON lines,
CSV and texts are read by the engine itself.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from benzer._errors import BadInputError, Error, InvalidArgumentError, NotFoundError, UnavailableError, advised

if TYPE_CHECKING:
    from benzer._tables import Fields, Source

PARQUET = (".parquet", ".parq", ".pq")
_ARROW = (".arrow", ".arrows", ".ipc", ".feather")
_RECORDS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
_PACKED = ("", ".gz", ".zst", ".xz", ".bz2")
_BATCH_BYTES = 16 << 20
_BUFFER_BYTES = 1 << 20
_REMOTE_BUFFER_BYTES = 8 << 20


def _is_wild(name: str) -> bool:
    return any(mark in name for mark in "*?[")


def split_query(name: str) -> tuple[str, str]:
    """Return an address without its query, and the query, such as "?region=eu-west-1"; of other names, no query."""
    found = re.search(r"\?\w+=.*", name) if "://" in name else None
    return (name[: found.start()], found.group()) if found else (name, "")


def has_ending(name: str, *endings: str) -> bool:
    """Whether the name of a file, without the query of an address, has one of the endings."""
    return split_query(name)[0].lower().endswith(endings)


def is_table_name(name: str) -> bool:
    return has_ending(name, *PARQUET, *_ARROW)


def _is_hidden(name: str) -> bool:
    """Whether a file in a folder of tables is a mark, a checksum or an unfinished file, as other readers take it."""
    return name.startswith(("_", "."))


def _has_hidden(path: str) -> bool:
    return any(map(_is_hidden, path.split("/")))


def names_of(documents: Any) -> list[str] | None:
    """Return the names of files, with patterns and folders of tables filled in; None for no files."""
    named = named_by(documents)
    return None if named is None else expanded(named)


def named_by(documents: Any) -> list[str] | None:
    """Return the names of files, folders, patterns and addresses as they were given; None for no files."""
    if isinstance(documents, (str, os.PathLike)):
        return [os.fspath(documents)]
    if isinstance(documents, (list, tuple)) and documents and all(isinstance(one, os.PathLike) for one in documents):
        return [os.fspath(one) for one in documents]
    if isinstance(documents, (list, tuple)) and documents and all(_is_file_name(one) for one in documents):
        return list(documents)
    return None


def expanded(names: Sequence[str]) -> list[str]:
    """Return the files that names of files, folders, patterns and addresses mean."""
    out = [file for name in names for file in _expand(plain_name(name))]
    for name in out:
        if any("\udc80" <= one <= "\udcff" for one in name):
            raise advised(
                InvalidArgumentError, f"{name!r}: the name is not UTF-8, and such files are not read", "rename the file"
            )
    return out


def root_of(name: str) -> str:
    """Return the folder below which the files of a name are; in a folder of outputs they have what follows it."""
    plain = plain_name(name)
    path = path_of(plain)
    if _is_wild(path) and not os.path.exists(path):
        return re.split(r"[*?[]", path, maxsplit=1)[0].rpartition("/")[0] or "/"
    is_folder = not is_table_name(plain) if "://" in plain else os.path.isdir(plain)
    return (path.rstrip("/") or "/") if is_folder else os.path.dirname(path)


def path_of(name: str) -> str:
    """Return the path of a file, also of one in an object store."""
    return "/" + split_query(name)[0].split("://", 1)[1].lstrip("/") if "://" in name else os.path.abspath(name)


def plain_name(name: str | os.PathLike[str]) -> str:
    """Return a name of a file; file:///a/b is /a/b."""
    from urllib.parse import unquote, urlsplit

    plain = os.fspath(name)
    return unquote(urlsplit(plain).path) if plain.startswith(("file://", "local://")) else plain


def _is_file_name(value: object) -> bool:
    """Whether a str in a list of str names a file, and is no text: by its ending alone.

    What is there on this machine must not decide it.
    """
    if not isinstance(value, str) or "\n" in value or "\0" in value:
        return False
    name = split_query(value)[0].lower()
    if "://" in name and name.endswith("/"):
        return name.split("://", 1)[0].isalnum()
    return is_table_name(name) or is_record_name(name)


def is_record_name(name: str) -> bool:
    return name.lower().endswith(tuple(one + packed for one in _RECORDS for packed in _PACKED))


def _expand(name: str) -> list[str]:
    if "://" in name:
        return _expand_address(name)
    if _is_wild(name) and not os.path.exists(name):
        below = len(root_of(name)) + 1
        found = sorted(one for one in glob.glob(name, recursive=True) if not _has_hidden(os.path.abspath(one)[below:]))
        if not found:
            raise NotFoundError(f"no file has a name like {name!r}", subject=name, subject_kind="file")
        if "**" in name:  # what is in the folders is found, too
            return [one for one in found if not os.path.isdir(one)]
        return [file for one in found for file in _expand(one)]
    if os.path.isdir(name):
        return _tables_in(name) or [name]
    if not os.path.exists(name):
        raise NotFoundError(f"{name}: the file does not exist", subject=name, subject_kind="file")
    return [name]


def _tables_in(folder: str) -> list[str]:
    tables: list[str] = []
    others: list[str] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [one for one in folders if not _is_hidden(one)]
        for file in files:
            if not _is_hidden(file):
                (tables if is_table_name(file) else others).append(os.path.join(place, file))
    records = sorted(one for one in others if is_record_name(one))
    if tables and records:
        raise advised(
            InvalidArgumentError,
            f"the folder {folder} has tables and others: {min(tables)} and {records[0]}",
            "name inputs of one kind",
        )
    return sorted(tables)


def _expand_address(address: str) -> list[str]:
    try:
        return _list(address)
    except OSError as error:
        if isinstance(error, Error):
            raise
        raise UnavailableError(f"{address}: it cannot be listed: {error}") from error


def _list(address: str) -> list[str]:
    from fnmatch import fnmatchcase

    from pyarrow import fs as arrow_fs

    scheme, query = address.split("://", 1)[0], split_query(address)[1]
    fs, path = file_system(address)
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
            found = [one.path for one in fs.get_file_info(selector) if is_table_name(one.path)]
            below = len(path.rstrip("/")) + 1
            names = sorted(one for one in found if not _has_hidden(one[below:]))
        elif info.is_file:
            return [address]
        else:
            names = []
    if not names:
        raise NotFoundError(f"{address}: no such file", subject=address, subject_kind="file")
    return [f"{scheme}://{name}{query}" for name in names]


def file_system(name: str) -> tuple[Any, str]:
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
            raise advised(
                InvalidArgumentError, f"{name}: {error}", "fsspec may know it: pip install fsspec", name
            ) from None
        try:
            other, path = fsspec.core.url_to_fs(name)
        except (ImportError, OSError, ValueError) as failure:
            raise InvalidArgumentError(f"{name}: {failure}", subject=name, subject_kind="file") from None
        return arrow_fs.PyFileSystem(arrow_fs.FSSpecHandler(other)), path
    return fs, path


def _need_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InvalidArgumentError(
            "Parquet and Arrow files are read with pyarrow, which is not installed: pip install 'benzer[arrow]'",
            hint="pip install 'benzer[arrow]'",
        ) from None


def are_tables(names: Sequence[str]) -> bool:
    """Return whether all files are Parquet or Arrow; a mixture is refused."""
    tables = [name for name in names if is_table_name(name)]
    if tables and len(tables) < len(names):
        other = next(name for name in names if not is_table_name(name))
        raise advised(
            InvalidArgumentError,
            f"the inputs are tables and others: {tables[0]} and {other}",
            "name inputs of one kind",
        )
    if not tables and any("://" in name for name in names):
        raise advised(
            InvalidArgumentError,
            f"{names[0]}: only Parquet and Arrow files are read from addresses",
            "copy the files first",
            names[0],
        )
    return bool(tables)


def has_dictionary(kind: Any) -> bool:
    """Whether the values of a type of Arrow, or a part of them, are in a dictionary."""
    import pyarrow

    inner = (kind.field(i).type for i in range(kind.num_fields))
    return bool(pyarrow.types.is_dictionary(kind)) or any(map(has_dictionary, inner))


class TableFile:
    """A Parquet or Arrow file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_parquet = has_ending(name, *PARQUET)
        self._seen: object = None

    def open(self) -> Any:
        """Open the file, and return what reads it. It must be the one that was opened first."""
        import pyarrow

        fs, path = file_system(self.name)
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

                # By default, whole columns of a row group are read ahead, which can be gigabytes.
                buffer = _REMOTE_BUFFER_BYTES if "://" in self.name else _BUFFER_BYTES
                return parquet.ParquetFile(file, buffer_size=buffer, pre_buffer=False)
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
            groups = [range(meta.num_row_groups)]
            if any(has_dictionary(one.type) and one.type.num_fields for one in opened.schema_arrow):
                # pyarrow cannot make a batch of two row groups of a dictionary in a struct or a list.
                groups = [range(i, i + 1) for i in range(meta.num_row_groups)]
            for group in groups:
                yield from opened.iter_batches(batch_size=rows, row_groups=group, columns=columns)
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

    def __init__(self, names: list[str], fields: Fields, named: Sequence[str] = ()) -> None:
        _need_pyarrow()
        self.names = names
        self.roots: list[str] = [root_of(one) for one in named or names]
        """The folders below which the files are."""
        self.folders: list[str] = [plain_name(one) for one in named if os.path.isdir(plain_name(one))]
        """The folders that were named."""
        self.files: list[TableFile] = [TableFile(name) for name in names]
        self._fields = fields
        self.schemas: list[Any] = []
        # What is wrong with a file is told before hours of work.
        for file in self.files:
            self.schemas.append(file.schema_of(file.open()))
            fields.check_unique(self.schemas[-1].names, f"{file.name}: the table")

    def sources(self) -> list[Source]:
        """Return a source for each file."""
        from benzer._tables import Source

        return [Source(partial(file.reader, self._fields), is_held=False, name=file.name) for file in self.files]


def check_inputs(names: Sequence[str]) -> None:
    """Refuse a file that is named twice: its documents would remove one another."""
    known: dict[object, str] = {}
    for name in names:
        key = identity(name)
        if key in known:
            raise advised(
                InvalidArgumentError,
                f"{name}: this input is read twice (also as {known[key]}), so its documents would remove one another",
                "name it once",
                name,
            )
        known[key] = name


def identity(name: str) -> object:
    """Return what is equal for two names of one file, also of one that does not exist yet."""
    from urllib.parse import parse_qs

    name = plain_name(name.rpartition("::")[2])  # of simplecache::file:///a/b, what is cached
    if "://" in name:
        name, query = split_query(name)
        scheme, _, rest = name.partition("://")
        server = parse_qs(query[1:]).get("endpoint_override", [""])[0]
        return scheme, server, "/".join(filter(None, rest.split("/")))
    # A folder that is not there yet may be followed by "..", which the system cannot look up.
    for path in (name, real := os.path.realpath(name)):
        with suppress(OSError):
            status = os.stat(path)
            return status.st_dev, status.st_ino
    return real
