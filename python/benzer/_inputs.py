"""What runs read, and their arguments as the engine takes them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from benzer import _files
from benzer._errors import InvalidArgumentError, advised
from benzer._progress import progress_callback
from benzer._tables import Fields, Source, is_path, reading, source_of
from benzer._unchanged import can_change

Progress = bool | Callable[[str, int, int], object] | None


def as_text(value: object) -> str | bool | list[str] | None:
    """Write an argument as the command line would have it; the engine reads it with the same code."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (list, tuple)):
        return [str(os.fspath(one)) if is_path(one) else str(one) for one in value]
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, float) and math.isfinite(value):
        # Without an exponent: 0.00001 is 1e-05 to Python, and 1e9 is 1000000000.
        return str(int(value)) if value.is_integer() else format(Decimal(repr(float(value))), "f")
    return str(value)


def files_of(name: str, value: object) -> list[str]:
    """Return the names of the files of an argument that takes one or several."""
    if value is None:
        return []
    files: list[str] = []
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(one, (str, os.PathLike)):
            raise InvalidArgumentError(
                f"{name} is of the type {type(one).__name__}, and it must be the name of a file",
                subject=name,
                subject_kind="parameter",
            )
        files.append(os.fspath(one))
    return files


def settings_of(**arguments: object) -> dict[str, str | bool | list[str]]:
    """Return the arguments that were given."""
    texts = {name: as_text(value) for name, value in arguments.items()}
    return {name: text for name, text in texts.items() if text is not None}


def schema_settings(
    fields: Mapping[str, str] | str | None,
    attributes: Mapping[str, str] | None,
    measure: str | None,
    min_threshold: float | str | None,
    recall: float | None,
    sketch: str | None,
    ttl: str | None,
    frequencies: Sequence[str | os.PathLike[str]] | None,
) -> dict[str, Any]:
    """Return the settings of the schema of an index."""
    if isinstance(fields, str):
        fields = {"text": fields}
    for name, value in (("fields", fields), ("attributes", attributes)):
        if value is not None and not isinstance(value, Mapping):
            raise InvalidArgumentError(
                f"{name} is of the type {type(value).__name__}, and it must be a mapping",
                subject=name,
                subject_kind="parameter",
            )
    return settings_of(
        field=None if fields is None else [f"{name}={spec}" for name, spec in fields.items()],
        attribute=None if attributes is None else [f"{name}={kind}" for name, kind in attributes.items()],
        measure=measure,
        min_threshold=min_threshold,
        recall=recall,
        sketch=sketch,
        ttl=ttl,
        frequencies=frequencies,
    )


def slots_of(sketch: str) -> int:
    """Return the number of slots that a sketch has: 128 for "fss:128"."""
    return int(sketch.partition(":")[2].partition("+")[0] or 128)


def fields_of(settings: dict[str, Any]) -> Fields:
    numbers: list[str] = []
    for rule in str(settings.get("keep", "")).split(","):
        if rule.startswith(("max:", "min:")):
            numbers.append(rule[4:])
    return Fields(
        settings.get("text"),
        settings.get("values"),
        settings.get("id"),
        settings.get("by", settings.get("across")),
        numbers,
        group_parameter="by" if "by" in settings else "across",
    )


class Inputs:
    """What a run reads: tables, or files that the engine reads itself."""

    def __init__(self, documents: Any, against: Any, settings: dict[str, Any]) -> None:
        self.documents = documents
        self.paths: list[str] = []
        self.tables: list[Source] = []
        self.references: list[Source] = []
        self.parquet: _files.TableFiles | None = None
        self.names: list[str] = []
        self.fields: Fields = fields_of(settings)
        fields = self.fields
        named = _files.named_by(documents)
        names = None if named is None else _files.expanded(named)
        if names is None:
            self.tables = [source_of(documents, fields)]
        elif _files.are_tables(names):
            self.parquet = _files.TableFiles(names, fields, named or ())
            self.tables = self.parquet.sources()
        else:
            self.paths = names
        reference_names = None if against is None else _files.names_of(against)
        self.names = [*(names or []), *(reference_names or [])]
        _files.check_inputs(self.names)
        if against is None:
            return
        if self.paths:
            if reference_names is None or _files.are_tables(reference_names):
                raise InvalidArgumentError(
                    "the references are a table and the documents are files of records; give both "
                    "as files, or both as tables"
                )
            settings["against"] = reference_names
        elif reference_names is None:
            self.references = [source_of(against, fields)]
        elif _files.are_tables(reference_names):
            self.references = _files.TableFiles(reference_names, fields).sources()
        else:
            raise InvalidArgumentError(
                "the references are files of records and the documents are a table; give both as "
                "files, or both as tables"
            )
        if self.paths:
            settings["inputs"] = self.paths

    def start(
        self,
        run: Any,
        settings: dict[str, Any],
        progress: Progress,
        outputs: Sequence[str] = (),
        documents: str | None = None,
    ) -> Any:
        """Make a run of the engine and carry it out, unless it reads one of the outputs.

        documents: the output of the documents, next to which skipped records of files are saved.
        """
        made = run(
            {**settings, "inputs": self.paths} if self.paths else settings,
            self.tables,
            self.references,
        )
        skipped = "" if documents is None else made.skipped_path(documents)
        if skipped and _files.identity(skipped) in map(_files.identity, outputs):
            raise advised(
                InvalidArgumentError,
                f"the skipped records are saved in {skipped!r}, and another output has that name",
                "give another name",
                skipped,
            )
        for output in [*outputs, skipped] if skipped else outputs:
            if made.reads(output):
                raise InvalidArgumentError(
                    f"the output {output!r} is also an input, and would be overwritten; give another name",
                    subject=output,
                    subject_kind="file",
                )
        if can_change(self) and hasattr(made, "note_rows"):
            made.note_rows()
        with progress_callback(progress) as callback, reading([*self.tables, *self.references]):
            made.run(callback)
        return made
