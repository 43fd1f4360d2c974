"""Errors of the jobs of ``benzer.spark``: damaged files, and what went wrong on an executor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from benzer._errors import BadInputError, UnavailableError, error_in

# What the causes of an error say if the bytes of a file are not what Parquet asks for. A file is only left out for one
# of these, so that documents are not lost because a disk or a server does not answer.
_DAMAGE = re.compile(
    r"is not a Parquet file|org\.apache\.parquet\.\S*Exception|can not read class org\.apache\.parquet"
    r"|TProtocolException|ChecksumException|EOFException: Reached the end of stream|OutOfBoundsException"
    r"|BufferUnderflowException|NegativeArraySizeException|FAILED_TO_UNCOMPRESS|PARSING_ERROR|Zstd\w*Exception"
    r"|ZipException|DataFormatException|[Cc]orrupt|[Mm]alformed"
)
_OTHER_CAUSE = re.compile(
    r"FileNotFound|NoSuchFile|AccessControl|AccessDenied|Permission denied|Time[d ]*[Oo]ut|SocketException"
    r"|Connect\w*Exception|UnknownHost|SSL\w*Exception|BlockMissing|amazonaws|awssdk|microsoft\.azure|OutOfMemory"
    r"|Interrupt|Input/output error|Too many open files|No space left|Stale file handle|ClassCastException"
    r"|UnsupportedOperationException|SchemaColumnConvert|Unable to create Parquet converter"
)
_OTHER_TYPE = re.compile(
    r"[Cc]olumn:? <?\[([^\]]+)\]>?.*?Expected:? (?:Spark type )?(.+?), (?:actual Parquet type|Found:?) (\w+)"
)


class DamagedFileError(BadInputError):
    """A file of the documents cannot be read. file: as ``_metadata.file_path`` names it."""

    def __init__(self, file: str) -> None:
        name = plain_name(file)
        super().__init__(
            f"{name} is damaged: Spark cannot read it; restore it, or leave it out",
            subject=name,
            subject_kind="file",
        )
        self.file = file


@contextmanager
def clear_errors() -> Iterator[None]:
    """Say in one sentence what went wrong on an executor, where that is known."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if file := re.search(r"(?:reading|cannot be converted in) file (\S+?)\.?(?:\s|$)", text):
            _raise_of_file(file_path(file[1]), text, error)
        if "No module named 'benzer" in text:
            raise UnavailableError(
                "an executor has no package benzer; install the same version there, or send it with the job "
                "(spark.archives)"
            ) from error
        if own := error_in(text):
            raise own from error
        raise


def _raise_of_file(file: str, text: str, error: Exception) -> None:
    """Raise what is wrong with a file, unless it could not be read for a reason that is not in the file."""
    lines = "\n".join(line for line in text.splitlines() if not re.match(r"\s+(?:at|Suppressed:) ", line))
    if other := _OTHER_TYPE.search(lines):
        name, wanted, found = other.groups()
        raise BadInputError(
            f"the column {name!r} of {plain_name(file)} is {found}, and that of the frame is {wanted}; write the file "
            "with the type of the others, or leave it out",
            subject=name,
            subject_kind="field",
        ) from error
    lines = re.sub(r"(?<!\S)(?:\w+:)?/\S+", "", lines)  # names of files, which may have any word
    if _DAMAGE.search(lines) and not _OTHER_CAUSE.search(lines):
        raise DamagedFileError(file) from error


def file_path(name: str) -> str:
    """Return the name of a file in an error or a plan as the column ``_metadata.file_path`` has it: both are encoded."""
    return re.sub(r"^file:/+", "file:/", name)


def plain_name(file: str) -> str:
    """Return the name of a file for a sentence. It is not for comparing: Spark compares encoded names."""
    return unquote(file)
