"""The exceptions of the package."""

from __future__ import annotations

import re
from typing import TypeVar


class Error(Exception):
    """The base of every exception that the engine raises.

    The message is one sentence: what is wrong, where, and what to do.

    >>> import benzer
    >>> try:
    ...     benzer.deduplicate(["a text"], threshold=2)
    ... except benzer.Error as error:
    ...     print(error.code)
    invalid_argument
    """

    code: str
    """The reason, one of a closed list of words that are the same over HTTP and in JSON."""
    subject: str | None
    """The file, index, field or parameter that the error is about."""
    subject_kind: str | None
    """The kind of the subject, one of "file", "place", "index", "field" and "parameter"."""
    line: int | None
    """The line of the file, from 1."""
    hint: str | None
    """What to do about it."""

    def __init__(
        self,
        message: str,
        code: str = "",
        hint: str | None = None,
        subject: str | None = None,
        subject_kind: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code or type(self)._code
        self.hint = hint
        self.subject = subject
        self.subject_kind = subject_kind
        self.line = line

    _code = "error"

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        state = (self.args[0], self.code, self.hint, self.subject, self.subject_kind, self.line)
        return (type(self), state)


_Kind = TypeVar("_Kind", bound=Error)


def advised(kind: type[_Kind], problem: str, hint: str, file: str | None = None) -> _Kind:
    """Return an error of a problem and what to do about it. file: what it is about, if that is a file."""
    return kind(f"{problem}; {hint}", hint=hint, subject=file, subject_kind=None if file is None else "file")


class InvalidArgumentError(Error, ValueError):
    """An argument, a configuration or a call cannot be carried out as it was given."""

    _code = "invalid_argument"


class BadInputError(Error, ValueError):
    """A document, a table or an input file cannot be understood."""

    _code = "bad_input"


class NotFoundError(Error, FileNotFoundError, KeyError):
    """A named input, or a document that was named by its id, does not exist."""

    _code = "not_found"


class CorruptError(Error, OSError):
    """One of Benzer's own files is damaged."""

    _code = "corrupt"


class StorageFailedError(Error, OSError):
    """Something could not be written, or a part of an index could not be read."""

    _code = "storage_failed"


class InterruptedRunError(Error, InterruptedError):
    """A call was stopped before its end."""

    _code = "interrupted"


class NoIndexError(Error, FileNotFoundError):
    """There is no index at the location."""

    _code = "no_index"


class BusyError(Error, BlockingIOError):
    """Another process writes to the index, or another run keeps its stages in the work folder."""

    _code = "busy"


class GuardRailError(Error, RuntimeError):
    """The result would remove so much that it must be asked for (``allow_large_clusters=True``).

    Look at what would be removed before you allow it.

    >>> import benzer
    >>> pages = ["the same page on every address of a site"] * 10_000
    >>> try:
    ...     benzer.deduplicate(pages)
    ... except benzer.GuardRailError as error:
    ...     print(error.result)
    <benzer.Result: 1 of 10,000 documents kept, 9,999 removed>
    """

    _code = "guard_rail"
    result: object = None
    """The ``Result`` nevertheless."""

    def __reduce__(self) -> tuple[object, ...]:
        return (*super().__reduce__(), {} if self.result is None else {"result": self.result})


class UnavailableError(Error, ConnectionError):
    """A server cannot be reached, or does not answer in time."""

    _code = "unavailable"


class DeniedError(Error, PermissionError):
    """A server refuses the user, the password or a command."""

    _code = "denied"


_BY_CODE: dict[str, type[Error]] = {
    one._code: one
    for one in (
        InvalidArgumentError,
        BadInputError,
        NotFoundError,
        CorruptError,
        StorageFailedError,
        InterruptedRunError,
        NoIndexError,
        BusyError,
        GuardRailError,
        UnavailableError,
        DeniedError,
    )
}


def from_engine(code: str, message: str, hint: str, kind: str, subject: str, line: int) -> Error:
    """Make the exception of an error of the engine, which calls this."""
    return _BY_CODE.get(code, Error)(message, code, hint or None, subject or None, kind or None, line or None)


def error_in(text: str) -> Error | None:
    """Return the error of Benzer that a task on another machine has raised, out of its traceback."""
    found = re.findall(r"^benzer\.(?:_errors\.)?(\w+Error): (.+)$", text, re.MULTILINE)
    if not found:
        return None
    kind: type[Error] = globals().get(found[-1][0], Error)
    return kind(found[-1][1])
