"""Makes the columns that a run reads out of rows: of texts, of value sets, or of the fields of mappings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from benzer import _engine
from benzer._errors import BadInputError, InvalidArgumentError

if TYPE_CHECKING:
    from benzer._tables import Fields


class _Stream:
    """Columns of the engine as a table of Arrow."""

    def __init__(self, data: _engine.TableData) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._data.stream()


def columns_of(documents: Iterable[Any], fields: Fields) -> Any:
    """Copy texts, or the fields of mappings that are read, into columns."""
    rows = documents if isinstance(documents, list) else list(documents)
    if rows and isinstance(rows[0], Mapping):
        return _columns_of_mappings(rows, fields)
    if fields.values is not None:
        column = _engine.values_column(fields.values, _value_sets(fields.values, rows))
        return _Stream(_engine.TableData([column]))
    if rows and isinstance(rows[0], (list, tuple, set, frozenset)):
        raise BadInputError(
            f"document 0 is of the type {type(rows[0]).__name__}, and it must be a str; for sets of values give "
            "values and features='values'"
        )
    return _Stream(_engine.TableData([_engine.text_column(fields.text, rows)]))


_ABSENT = object()


def _found(row: Mapping[str, Any], name: str) -> Any:
    """Return a field of a document, or _ABSENT; "meta.text" and "/meta/text" are in the field "meta"."""
    if name in row:
        return row[name]
    value: Any = row
    for step in name[1:].split("/") if name.startswith("/") else name.split("."):
        if not isinstance(value, Mapping) or step not in value:
            return _ABSENT
        value = value[step]
    return value


def _cells(rows: Sequence[Mapping[str, Any]], name: str, parameter: str) -> list[Any]:
    """Return a field of all documents, None where one lacks it. A name that no document has is misspelt."""
    cells = [_found(row, name) for row in rows]
    if any(cell is not _ABSENT for cell in cells):
        return [None if cell is _ABSENT else cell for cell in cells]
    names = ", ".join(repr(str(one)) for one in rows[0]) or "none"
    hint = f"name the field with {parameter}"
    raise BadInputError(f"no document has the field {name!r}; the first one has {names}; {hint}", hint=hint)


def _columns_of_mappings(rows: list[Mapping[str, Any]], fields: Fields) -> Any:
    for place, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise BadInputError(f"document {place} is of the type {type(row).__name__}, and the first one is a mapping")
    content = fields.values or fields.text
    values = _cells(rows, content, "values" if fields.values else "text")
    columns: dict[str, _engine.Column] = {}
    if fields.id != content and (fields.id != "id" or any(_found(row, "id") is not _ABSENT for row in rows)):
        columns[fields.id] = _id_column(fields.id, _cells(rows, fields.id, "id"))
    if fields.group is not None and fields.group not in (content, *columns):
        columns[fields.group] = _group_column(fields.group, _cells(rows, fields.group, fields.group_parameter))
    for name in fields.numbers:
        if name not in (content, *columns):
            columns[name] = _number_column(name, _cells(rows, name, "keep"))
    if not fields.values:
        columns[content] = _engine.text_column(content, values)
    elif any(isinstance(value, Mapping) for value in values):
        try:
            import pyarrow
        except ImportError:
            hint = "pip install 'benzer[arrow]'"
            raise InvalidArgumentError(
                f"weights of values need pyarrow, which is not installed; {hint}", hint=hint
            ) from None

        weights = [None if value is None else _weights(content, place, value) for place, value in enumerate(values)]
        table = pyarrow.table(_Stream(_engine.TableData(list(columns.values()))))
        kind = pyarrow.map_(pyarrow.large_string(), pyarrow.float64())
        schema = table.schema.append(pyarrow.field(content, kind))  # with the extension type of groups
        return pyarrow.table([*table.columns, pyarrow.array(weights, kind)], schema=schema)
    else:
        columns[content] = _engine.values_column(content, _value_sets(content, values))
    return _Stream(_engine.TableData(list(columns.values())))


def _value_sets(name: str, rows: Sequence[Any]) -> list[list[Any] | None]:
    for place, row in enumerate(rows):
        if isinstance(row, (str, bytes, Mapping)) or not (row is None or isinstance(row, Iterable)):
            raise BadInputError(
                f"{name!r} of document {place} is of the type {type(row).__name__}, and it must be a "
                "list or a set of str"
            )
    return [None if row is None else [value for value in row if value is not None] for row in rows]


def _weights(name: str, place: int, value: Any) -> list[tuple[str | bytes, float]]:
    if not isinstance(value, Mapping):
        values = _value_sets(name, [value])[0] or []
        return [(one if isinstance(one, (str, bytes)) else str(one), 1.0) for one in values]
    for key, weight in value.items():
        if isinstance(weight, (str, bytes)) or not hasattr(weight, "__float__"):
            raise BadInputError(
                f"the weight of {key!r} in {name!r} of document {place} is of the type {type(weight).__name__}, and it "
                "must be a number"
            )
    return [(str(key), float(weight)) for key, weight in value.items()]


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or what numpy and pandas have for them."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if type(value).__name__ in ("datetime64", "timedelta64"):
        return str(value) == "NaT"
    return value.is_nan() if isinstance(value, Decimal) else isinstance(value, float) and math.isnan(value)


_LEAST, _MOST = -(2**63), 2**63 - 1


def _are_whole(values: Sequence[Any]) -> bool:
    return all(value is None or (type(value) is int and _LEAST <= value <= _MOST) for value in values)


def _plain_column(name: str, values: list[Any]) -> _engine.Column | None:
    """Return a column of values that have one type, if they do."""
    if _are_whole(values):
        return _engine.integer_column(name, values)
    if all(value is None or type(value) is float for value in values):
        return _engine.number_column(name, values)
    if all(value is None or isinstance(value, (str, bytes)) for value in values):
        return _engine.text_column(name, values)
    return None


def _plain(value: Any) -> Any:
    """Return a value without what numpy and pandas add to it: None if it is missing, else a value of Python."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and value.dtype.kind in "biuf":
        value = value.item()
    return None if _is_missing(value) else value


def _unsigned_column(name: str, values: Sequence[Any]) -> _engine.Column | None:
    """Return a column of whole numbers of which some need the 64th bit, as hashes do."""
    if not all(value is None or (type(value) is int and 0 <= value < 2**64) for value in values):
        return None
    return _engine.typed_column(name, "L", [None if value is None else str(value) for value in values])


def _id_column(name: str, values: Sequence[Any]) -> _engine.Column:
    def whole(value: Any) -> Any:
        """Return what a column of doubles has: 1.0 is 1, and infinity is no id."""
        if not isinstance(value, float):
            return value
        is_plain = value.is_integer() and abs(value) < 1e16
        return int(value) if is_plain else value if math.isfinite(value) else None

    ids = [_plain(value) for value in values]
    if column := _plain_column(name, ids) or _unsigned_column(name, ids):
        return column
    ids = [whole(one) for one in ids]
    texts = [one if one is None or isinstance(one, (str, bytes)) else str(one) for one in ids]
    return _plain_column(name, ids) or _unsigned_column(name, ids) or _engine.text_column(name, texts)


def _moment_name(value: Any) -> str | None:
    """Return a time as "2024-05-01T00:00:00Z" with all of its digits; None for a value that is not a time."""
    from datetime import date, datetime, timezone

    if type(value).__name__ == "datetime64":
        text = str(value if str(value)[16:] else value.astype("datetime64[s]"))  # one of hours or days has no seconds
    elif isinstance(value, datetime):
        utc = value.astimezone(timezone.utc) if value.tzinfo else value  # Python 3.10 has no datetime.UTC
        text = utc.replace(tzinfo=None).isoformat()
    elif isinstance(value, date):
        text = f"{value.isoformat()}T00:00:00"
    else:
        return None
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "Z"


def _group_name(value: Any) -> str | bytes | None:
    """Return the name of a group as the engine has it for files and tables: 1 and 1.0 are "1"; "1" has a quote."""
    if _plain(value) is None:
        return None
    if isinstance(value, bytes):
        return b'"' + value
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):  # one of numpy
        return "true" if value else "false"
    if type(value).__name__ in ("float16", "float32"):
        return str(value)  # by its own digits, as in a column of Arrow
    value = _plain(value)
    if isinstance(value, (int, float)):
        return int.__repr__(value) if isinstance(value, int) else float.__repr__(value)
    if isinstance(value, Decimal):
        return str(value) if value.is_finite() else str(float(value))
    return _moment_name(value) or f'"{value}'


def _group_column(name: str, values: Sequence[Any]) -> _engine.Column:
    # A column of one type has the names that the engine makes of it, which are the same.
    names = (_group_name(value) for value in values)
    return _plain_column(name, list(values)) or _engine.group_column(name, list(names))


def _number_column(name: str, values: Sequence[Any]) -> _engine.Column:
    from datetime import date, datetime, timedelta, timezone

    utc = timezone.utc  # Python 3.10 has no datetime.UTC
    kinds: dict[str, int] = {}  # of what the numbers are, and the first document with each

    def number(place: int, value: Any) -> Any:
        """Return a number as it is, and a time in nanoseconds since 1970."""
        if _is_missing(value):
            return None
        if type(value).__name__ == "datetime64":
            kinds.setdefault("no time zone", place)
            seconds = value.astype("datetime64[s]")
            return int(seconds.astype("int64")) * 10**9 + int(
                (value - seconds).astype("timedelta64[ns]").astype("int64")
            )
        if isinstance(value, datetime):
            kinds.setdefault("a time zone" if value.tzinfo else "no time zone", place)
            rest = getattr(value, "nanosecond", 0)  # of pandas, whose differences have a narrower range
            value = value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value
            time = value if value.tzinfo else value.replace(tzinfo=utc)
            return (time - datetime(1970, 1, 1, tzinfo=utc)) // timedelta(microseconds=1) * 1000 + rest
        if isinstance(value, date):
            kinds.setdefault("no time zone", place)
            return (value - date(1970, 1, 1)).days * 24 * 60 * 60 * 10**9
        kinds.setdefault("no time", place)
        return _plain(value)

    numbers = [number(place, value) for place, value in enumerate(values)]
    if len(kinds) > 1:
        hint = "give all of them one kind, such as times with a time zone"
        found = " and ".join(f"{kind} (document {place})" for kind, place in kinds.items())
        raise BadInputError(
            f"the values of the field {name!r} cannot be compared, as some have {found}; {hint}",
            hint=hint,
            subject=name,
            subject_kind="field",
        )
    if _are_whole(numbers):
        return _engine.integer_column(name, numbers)
    for place, value in enumerate(numbers):
        if value is not None and (isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__")):
            raise BadInputError(
                f"the field {name!r} of document {place} is of the type {type(value).__name__}, and it "
                "must be a number or a time",
                subject=name,
                subject_kind="field",
            )
    try:
        exact = [one for one in numbers if isinstance(one, (int, Decimal, Fraction))]
        if any(not isinstance(one, int) or abs(one) > 2**53 for one in exact):
            # A float would make different numbers equal. Only their order counts, so that ranks do.
            numbers = [
                one if one is None or isinstance(one, (int, Decimal, Fraction)) else float(one) for one in numbers
            ]
            known = {one for one in numbers if one is not None}
            ranks = {one: rank for rank, one in enumerate(sorted(known))}
            return _engine.integer_column(name, [ranks.get(one) for one in numbers])
        return _engine.number_column(name, [None if one is None else float(one) for one in numbers])
    except (ArithmeticError, TypeError, ValueError) as error:
        raise BadInputError(
            f"the values of the field {name!r} cannot be compared: {error}", subject=name, subject_kind="field"
        ) from None
