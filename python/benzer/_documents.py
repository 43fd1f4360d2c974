"""What goes into an index: one document or many, of rows or of tables."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from benzer import _engine
from benzer._answers import CheckResult, RefusedDocument, matches_of
from benzer._errors import BadInputError, InvalidArgumentError
from benzer._tables import Fields, reading, source_of

Document = str | Mapping[str, Any]
"""A document of an index: a mapping from the names of its fields to their values, with an "id"; or a
text alone, for an index of one field."""

T = TypeVar("T")


def is_one(documents: Any) -> bool:
    """Whether the value is one document: a text or a mapping. Anything else is many."""
    return isinstance(documents, (str, Mapping))


def is_table(documents: Any) -> bool:
    return hasattr(documents, "__arrow_c_stream__") or type(documents).__module__.partition(".")[0] in (
        "pyarrow",
        "polars",
        "pandas",
        "duckdb",
        "datasets",
    )


def with_table(documents: Any, call: Callable[[list[Any]], T]) -> T:
    """Call the engine with a table of documents."""
    source = source_of(documents, Fields.all())
    with reading([source]):
        return call([source])


def many(documents: Any) -> Iterable[Any]:
    if isinstance(documents, (bytes, bytearray)) or not isinstance(documents, Iterable):
        raise InvalidArgumentError(
            f"documents are of the type {type(documents).__name__}; give a mapping, an iterable of mappings or a table"
        )
    return documents


def renamed(documents: Any, id: str) -> Iterator[Any]:
    """Give each document the id that it has under another name."""
    for one in many(documents):
        yield {**one, "id": one.get(id)} if isinstance(one, Mapping) else one


def held(document: Any) -> Any:
    """Read the values that can be read once: a piece is given to the engine again if it was refused."""
    if isinstance(document, Mapping) and any(isinstance(value, Iterator) for value in document.values()):
        return {name: list(value) if isinstance(value, Iterator) else value for name, value in document.items()}
    return document


def pieces(documents: Iterable[Any], size: int = 4096) -> Iterator[list[Any]]:
    piece: list[Any] = []
    for one in many(documents):
        piece.append(one)
        if len(piece) == size:
            yield piece
            piece = []
    if piece:
        yield piece


def each_piece(
    documents: Iterable[Any], call: Callable[[list[Any]], T]
) -> Iterator[tuple[int, list[Any], T | BadInputError]]:
    """Call the engine with pieces of the documents. Yields the place of each piece, the piece, and the result.

    The engine reads the whole piece before it changes anything, and refuses all of it for a value of a
    wrong type. The piece is then halved until that document is alone; its result is the error.
    """
    begin = 0
    for whole in pieces(documents):
        waiting = [whole]
        while waiting:
            piece = waiting.pop()
            done: T | BadInputError
            try:
                done = call(piece)
            except BadInputError as error:
                if len(piece) > 1:
                    half = len(piece) // 2
                    waiting += [piece[half:], piece[:half]]
                    continue
                done = error
            yield begin, piece, done
            begin += len(piece)


def check_each(
    engine: Any, documents: Any, settings: dict[str, Any], has_values: bool
) -> Iterator[tuple[str, CheckResult]]:
    """Add each of many documents, or of a table, unless one is similar. Yields the id and the answer of each."""
    if is_table(documents):
        answers = with_table(documents, lambda sources: engine.check_table(sources, "id", settings))
        for added, matches, id, problem in answers:
            yield id, CheckResult(added, matches_of(matches), problem)
        return
    if has_values:
        documents = map(held, many(documents))
    for _, piece, done in each_piece(documents, lambda piece: engine.check_many(piece, settings)):
        if isinstance(done, BadInputError):
            yield shown_id(piece[0]), CheckResult(False, [], str(done))
            continue
        for added, matches, id, problem in done:
            yield id, CheckResult(added, matches_of(matches), problem)


def id_text(id: object) -> str:
    """Return an id as the index has it, as of documents that are put in."""
    if isinstance(id, str):
        return id
    try:
        text = _engine.id_text(id)
    except BadInputError:
        text = ""
    if text == "":
        raise InvalidArgumentError(f"an id is of the type {type(id).__name__}, and it must be a str or a number")
    return text


def shown_id(document: Any) -> str:
    id = document.get("id") if isinstance(document, Mapping) else None
    return "" if id is None else str(id)


def short(problem: str) -> str:
    return problem if len(problem) <= 500 else problem[:250] + " ... " + problem[-250:]


def tell_refused(refused: list[RefusedDocument], strict: bool) -> None:
    """Warn of documents that were refused, to the caller of the caller; strict: raise in place of that."""
    if not refused:
        return
    first = refused[0]
    count = len(refused)
    told = f"{count:,} documents were refused" if count > 1 else "a document was refused"
    shown = first.id if len(first.id) <= 100 else first.id[:100] + "..."
    told += f"; the first one, number {first.place} with the id {shown!r}: {short(first.problem)}"
    if strict:
        raise BadInputError(told)
    warnings.warn(told, stacklevel=3)


def thread_count(threads: int | None) -> int:
    """Return the number of threads as the engine takes it: 0 is one for each core."""
    if threads is None:
        return 0
    if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= 1024:
        raise InvalidArgumentError(
            f"threads {threads!r} is not allowed: give a whole number from 1 to 1024",
            hint="give a whole number from 1 to 1024",
            subject="threads",
            subject_kind="parameter",
        )
    return threads


def location_of(location: str | os.PathLike[str]) -> str:
    name = os.fsdecode(location)
    if not name:
        raise InvalidArgumentError("the location of an index is empty; name a folder, or the address of an index")
    return name
