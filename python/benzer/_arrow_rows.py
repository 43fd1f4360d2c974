"""Rows of data of pyarrow, of any type: those of a mask, and types that more functions of pyarrow take."""

from __future__ import annotations

import re
from typing import Any

from benzer._errors import InvalidArgumentError


def filtered(data: Any, mask: Any) -> Any:
    """Return the rows of data of pyarrow for which the mask is true. The mask is chunked if the data is."""
    import pyarrow

    try:
        return data.filter(mask)
    except pyarrow.ArrowNotImplementedError:
        if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)):
            return _filtered_column(data, mask, "")
    columns = [_filtered_column(column, mask, name) for column, name in zip(data.columns, data.schema.names)]
    return type(data).from_arrays(columns, schema=data.schema)


def _filtered_column(column: Any, mask: Any, name: str) -> Any:
    """Filter a column of a type that this version of pyarrow may not filter, in another type or in pieces."""
    import pyarrow

    kind = column.type
    try:
        return column.filter(mask)
    except pyarrow.ArrowNotImplementedError:
        pass
    try:
        if (plain := plain_type(kind)) != kind:
            return column.cast(plain).filter(mask).cast(kind)
    except pyarrow.ArrowNotImplementedError:
        pass
    try:
        if isinstance(column, pyarrow.Array):
            return _joined(column, mask)
        begin = 0
        chunks = []
        for chunk in column.chunks:
            chunks.append(_joined(chunk, mask.slice(begin, len(chunk))))
            begin += len(chunk)
        return pyarrow.chunked_array(chunks, kind)
    except pyarrow.ArrowNotImplementedError as error:
        hint = "leave the column out, or give it another type"
        raise InvalidArgumentError(
            f"rows of the column {name!r} cannot be selected, as pyarrow does not do it for its type {kind}; {hint}",
            hint=hint,
        ) from error


def _joined(array: Any, mask: Any) -> Any:
    import pyarrow

    runs = re.finditer(b"\1+", bytes(mask.cast(pyarrow.uint8()).to_pylist()))
    pieces = [array.slice(run.start(), run.end() - run.start()) for run in runs]
    return pyarrow.concat_arrays(pieces) if pieces else array.slice(0, 0)


def plain_type(kind: Any) -> Any:
    """Return the type with strings and bytes in place of views of them, which fewer functions of pyarrow take."""
    import pyarrow
    from pyarrow import types

    # By their names: pyarrow before 16 has no such types.
    if str(kind) in ("string_view", "binary_view"):
        return pyarrow.large_string() if str(kind) == "string_view" else pyarrow.large_binary()
    if types.is_struct(kind):
        return pyarrow.struct([_plain_field(kind.field(i)) for i in range(kind.num_fields)])
    if types.is_map(kind):
        return pyarrow.map_(_plain_field(kind.key_field), _plain_field(kind.item_field), kind.keys_sorted)
    if types.is_list(kind):
        return pyarrow.list_(_plain_field(kind.value_field))
    if types.is_large_list(kind):
        return pyarrow.large_list(_plain_field(kind.value_field))
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(_plain_field(kind.value_field), kind.list_size)
    if types.is_dictionary(kind):
        return pyarrow.dictionary(kind.index_type, plain_type(kind.value_type), kind.ordered)
    return kind


def _plain_field(field: Any) -> Any:
    return field.with_type(plain_type(field.type))
