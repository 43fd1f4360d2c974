"""The tables of a command of the program (see benzer_program.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from benzer import _files, _outputs
from benzer._errors import InvalidArgumentError
from benzer._tables import Fields, Source

if TYPE_CHECKING:
    from benzer._table import Table


class Tables:
    """Reads and writes the tables of a command. The engine calls it."""

    def __init__(self) -> None:
        self._inputs: _files.TableFiles | None = None
        self._read: set[object] = set()
        self._outputs: _outputs.TableOutputs | None = None

    def open(
        self, inputs: list[str], references: list[str], columns: list[str], id: str
    ) -> tuple[list[Source], list[Source]]:
        """Find the files, and return a source for each input and each reference."""
        fields = Fields(columns[0], None, id, numbers=columns[1:])
        names = _files.expanded(inputs)
        compared = _files.expanded(references)
        if not _files.are_tables([*names, *compared]):
            raise InvalidArgumentError(f"{inputs[0]}: there is no Parquet or Arrow file in it")
        _files.check_inputs([*names, *compared])
        self._read = {_files.identity(name) for name in [*names, *compared]}
        self._inputs = _files.TableFiles(names, fields, inputs)
        return self._inputs.sources(), _files.TableFiles(compared, fields).sources()

    def reads(self, path: str) -> bool:
        """Whether the path is one of the inputs or references."""
        return _files.identity(path) in self._read

    def targets(self, output: str) -> list[str]:
        """Return the files that are written for an output."""
        assert self._inputs is not None
        self._outputs = _outputs.TableOutputs(self._inputs, _files.plain_name(output))
        return self._outputs.names

    def check_targets(self, annotate: bool) -> None:
        """Refuse files that cannot be written. annotate: whether columns are added."""
        assert self._outputs is not None
        self._outputs.check(annotate)

    def write(self, kept: bytes, sizes: Sequence[int], marks: Table | None, tell: Callable[[int], object]) -> None:
        """Write the rows that are kept, or with marks all of them, under temporary names."""
        assert self._outputs is not None
        self._outputs.write(kept, sizes, marks, tell)

    def commit(self) -> None:
        """Give all files their names."""
        assert self._outputs is not None
        self._outputs.commit()

    def discard(self) -> None:
        """Remove what was written and has no name yet."""
        assert self._outputs is not None
        self._outputs.discard()
