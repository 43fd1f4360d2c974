"""Which rows kept() filters: those that the run has read, or it says that there are other ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from benzer._errors import BadInputError, InvalidArgumentError
from benzer._queries import Query, other_rows
from benzer._saved import needs_documents
from benzer._tables import is_path, module_of, reading, source_of

if TYPE_CHECKING:
    from benzer._inputs import Inputs

_TABLES = ("pandas", "numpy", "polars", "pyarrow", "datasets", "duckdb", "_duckdb")


def can_change(inputs: Inputs) -> bool:
    """Whether the documents of a run may be other ones when they are read again, in place or as a query returns them.

    A LazyFrame that is read in batches is compared by its Query. Tables of pyarrow and datasets do not change.
    """
    if inputs.paths or inputs.parquet is not None or isinstance(inputs.tables[0].read, Query):
        return False
    kind = module_of(inputs.documents)
    return kind != "datasets" and (kind != "pyarrow" or hasattr(inputs.documents, "to_table"))


class ReadRows:
    """The rows of the documents that a run has read."""

    def __init__(self, run: Any, inputs: Inputs, is_query: bool) -> None:
        self._run = run
        self._fields = inputs.fields
        self._is_query = is_query

    def check(self, documents: Any) -> None:
        """Raise an error if a table or a list has other rows."""
        if hasattr(documents, "__len__") and len(documents) != len(self._run.kept()):
            return  # kept_of() says so
        source = source_of(documents, self._fields)
        with reading([source]):
            is_same = self._run.has_rows([source])
        if not is_same:
            raise other_rows() if self._is_query else _changed()


def _changed() -> BadInputError:
    hint = "deduplicate them again, and leave them as they are until kept() has returned"
    return BadInputError(f"the documents have changed since the run has read them; {hint}", hint=hint)


def rows_of(documents: Any, inputs: Inputs | None, has_files: bool, run: Any) -> tuple[Any, Any]:
    """Return the table of which kept() returns rows, and of a query what was read of it.

    documents: None for the one that was given to the run, which must have the rows that were read. inputs: those of
    the run; None after it was pickled.
    """
    if documents is None and inputs is None and not has_files:
        raise needs_documents("kept()", "give them to kept()")
    given: Any = None if inputs is None else inputs.documents
    documents = given if documents is None else documents
    if documents is given and (isinstance(given, Iterator) or hasattr(given, "read_all")):
        raise InvalidArgumentError(f"a {type(given).__name__} can be read once, and was; give a list or a table")
    if is_path(documents) or has_files:
        raise InvalidArgumentError("the documents are files; give output to write what is kept")
    if inputs is None or documents is not given:
        return documents, None
    read = inputs.tables[0].read
    if not can_change(inputs):
        return documents, read
    if read is not None:  # kept_of() carries the query out
        return documents, ReadRows(run, inputs, is_query=True)
    if module_of(documents) == "pyarrow":
        import pyarrow

        try:
            documents = documents.to_table()
        except (pyarrow.ArrowException, OSError) as error:
            raise BadInputError(f"the documents cannot be read again: {error}") from error
    elif not isinstance(documents, (list, tuple)) and not hasattr(documents, "__arrow_c_stream__"):
        if module_of(documents) not in _TABLES:
            documents = list(documents)
    ReadRows(run, inputs, is_query=False).check(documents)
    return documents, None
