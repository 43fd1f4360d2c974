"""Reads input files as docs/cli.md defines: which documents they have, and what is skipped.

Nothing here knows how the files were made.
"""
from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import NamedTuple

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
SURROGATE = re.compile("[\ud800-\udfff]")


class Number(NamedTuple):
    """A JSON number with its digits."""

    token: str

    def value(self) -> Fraction:
        return Fraction(self.token)


class Fields(NamedTuple):
    """The names of the fields of a record that are used."""

    id: str = "id"
    text: str = "text"
    values: str | None = None
    has_weights: bool = False  # values may be an object of weights
    by: str | None = None
    numbers: tuple[str, ...] = ()


class Weighted(bytes):
    """A value with its weight. Values with other weights differ."""

    weight: Fraction

    def __eq__(self, other) -> bool:
        return bytes(self) == bytes(other) and self.weight == other.weight

    def __hash__(self) -> int:
        return hash((bytes(self), self.weight))


class Document(NamedTuple):
    id: object  # str, or Number: also the document's place, if none has an id; None, if only others have one
    content: object  # bytes, or a list of them
    replaced: bool
    group: object
    numbers: dict
    source: str
    line: int
    raw: bytes  # with its line end, if it has one
    reference: bool
    input: str  # as named on the command line

    @property
    def size(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else sum(map(len, self.content))


class Input(NamedTuple):
    """A file, or a folder with its files: name and uncompressed bytes of each."""

    name: str
    kind: str  # jsonl, csv, tsv or text
    files: list[tuple[str, bytes]]
    reference: bool = False


class Reading:
    def __init__(self, inputs: list[Input], fields: Fields) -> None:
        self.fields = fields
        self.documents: list[Document] = []
        self.given_ids: list = []  # without places that are used as ids
        self.skipped_lines: list[bytes] = []  # of inputs that are not references
        self.skipped = 0
        self.header = b""
        self.without_group = self.without_number = 0
        self.names: set[str] | None = None  # of the fields that any document of JSON lines has
        for one in sorted(inputs, key=lambda i: not i.reference):
            for path, data in one.files:
                {"jsonl": self._lines, "text": self._text}.get(one.kind, self._table)(one, path, data)
        self.references = sum(d.reference for d in self.documents)
        have_ids = {d.reference for d in self.documents if d.id is not None}
        self.documents = [d._replace(id=Number(str(i))) if d.id is None and d.reference not in have_ids else d
                          for i, d in enumerate(self.documents)]

    def is_misspelt(self) -> bool:
        """Whether no document of JSON lines has one of the fields that are named beside its text."""
        named = [self.fields.id] * (self.fields.id != "id") + [self.fields.by] * (self.fields.by is not None) + list(self.fields.numbers)
        return self.names is not None and not self.names.issuperset(named)

    def duplicate_ids(self) -> int:
        return len(self.given_ids) - len(set(self.given_ids))

    def _skip(self, one: Input, raw: bytes) -> None:
        self.skipped += 1
        if not one.reference:
            self.skipped_lines.append(raw)

    def _add(self, one: Input, path: str, line: int, raw: bytes, content, replaced, id_, group, numbers) -> None:
        if not one.reference:
            self.without_group += self.fields.by is not None and group is None
            self.without_number += any(numbers.get(name) is None for name in self.fields.numbers)
        if id_ is not None:
            self.given_ids.append(id_)
        self.documents.append(
            Document(id_, content, replaced, group, numbers, path, line, raw, one.reference, one.name))

    def _text(self, one: Input, path: str, data: bytes) -> None:
        data = data.removeprefix(b"\xef\xbb\xbf")
        self._add(one, path, 0, path.encode() + b"\n", data, False, path, None, {})

    # JSON lines

    def _lines(self, one: Input, path: str, data: bytes) -> None:
        data = data.removeprefix(b"\xef\xbb\xbf")
        for line, raw in enumerate(re.findall(rb"[^\n]*\n|[^\n]+", data), 1):
            if not raw.strip(b" \t\r\n"):
                continue
            try:
                record, replaced = self._record(raw)
                content = self._content(record)
            except ValueError:
                self._skip(one, raw)
                continue
            id_ = record.get(self.fields.id)
            self.names = (self.names or set()) | set(record)
            numbers = {n: record[n].value() for n in self.fields.numbers if isinstance(record.get(n), Number)}
            self._add(one, path, line, raw, content, replaced, id_ if isinstance(id_, (str, Number)) else None,
                      self._group(record), numbers)

    @staticmethod
    def _record(raw: bytes) -> tuple[dict, bool]:
        """Parses a record. The last one of repeated fields counts."""
        text = raw.decode("utf-8", "replace")
        replaced = text.encode() != raw
        found = []

        def clean(value):
            if isinstance(value, str):
                found.append(SURROGATE.search(value))
                return SURROGATE.sub("\ufffd", value)
            return [clean(v) for v in value] if isinstance(value, list) else value

        def refuse(_):
            raise ValueError("no number of JSON")

        record = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse,
                            object_pairs_hook=lambda pairs: {clean(k): clean(v) for k, v in pairs})
        if not isinstance(record, dict):
            raise ValueError("not an object")
        return record, replaced or any(found)

    def _content(self, record: dict):
        if self.fields.values is None:
            content = record.get(self.fields.text)
            if not isinstance(content, str):
                raise ValueError("no text")
            return content.encode()
        content = record.get(self.fields.values)
        if self.fields.has_weights and type(content) is dict:
            return [self._weighted(value, weight) for value, weight in content.items()]
        if type(content) is not list or not all(isinstance(v, str) for v in content):
            raise ValueError("no values")
        if self.fields.has_weights:
            return [self._weighted(v, Number("1")) for v in content]
        return [v.encode() for v in content]

    @staticmethod
    def _weighted(value: str, weight) -> Weighted:
        if not isinstance(weight, Number) or not Fraction(1, 10**6) <= weight.value() <= 99_999_000:
            raise ValueError("no weight")
        out = Weighted(value.encode())
        out.weight = weight.value()
        return out

    def _group(self, record: dict):
        value = record.get(self.fields.by) if self.fields.by else None
        if isinstance(value, Number):
            return "number", value.value()
        return (type(value).__name__, value) if isinstance(value, (str, bool)) else None

    # CSV and TSV

    def _table(self, one: Input, path: str, data: bytes) -> None:
        data = data.removeprefix(b"\xef\xbb\xbf")
        names = None
        for line, raw, values in records(data, b"," if one.kind == "csv" else b"\t"):
            if names is None:
                names = [v.decode() for v in values]
                if not self.header and not one.reference:
                    self.header = raw
                continue
            if len(values) != len(names):
                self._skip(one, raw)
                continue
            record = dict(zip(names, values))
            text = {name: value.decode("utf-8", "replace") for name, value in record.items()}
            numbers = {n: Number(text[n]).value() for n in self.fields.numbers if NUMBER.fullmatch(text[n])}
            self._add(one, path, line, raw, record[self.fields.text], False, text.get(self.fields.id) or None,
                      text[self.fields.by] or None if self.fields.by else None, numbers)


def records(data: bytes, comma: bytes):
    """Yields line, bytes and fields of each record that is not an empty line; no fields if text follows a closing quote."""
    field = re.compile(rb'(?:"((?:[^"]|"")*)"([^,\n]*)|([^,\n]*))(,|\n|\Z)'.replace(b",", comma))
    at, line = 0, 1
    while at < len(data):
        begin, values, good, end = at, [], True, comma
        while end == comma:
            found = field.match(data, at)
            at, end = found.end(), found[4]
            behind = found[2] if found[1] is not None else found[3]
            if end != comma:
                behind = behind.removesuffix(b"\r")
            good &= found[1] is None or not behind
            values.append(behind if found[1] is None else found[1].replace(b'""', b'"'))
        raw = data[begin:at]
        if raw.strip(b"\r\n"):
            yield line, raw, values if good else []
        line += raw.count(b"\n")


# --- keep order --------------------------------------------------------------------------------------

def keep_order(documents: list[Document], taking_part: list[int], rules: list[tuple], features: list[int]) -> list[int]:
    """features: how many different ones each document has.

    References come first; then each rule breaks the ties of the rules before it, and input order breaks the last ones."""
    inputs = {document.input for document in documents}

    def rank(name: str, names: list[str]) -> int:
        for i, wanted in enumerate(names):
            if name == wanted or wanted not in inputs and name.rsplit("/", 1)[-1] == wanted:
                return i
        return len(names)

    def key(number: int):
        document = documents[number]
        parts: list = [not document.reference]
        for rule, *names in rules:
            if rule in ("longest", "shortest"):
                parts.append(-document.size if rule == "longest" else document.size)
            elif rule in ("max", "min"):
                value = document.numbers.get(names[0])
                parts.append((value is None, 0 if value is None else -value if rule == "max" else value))
            elif rule == "largest":
                parts.append(-features[number])
            elif rule == "source":
                parts.append(rank(document.input, names))
            elif rule == "last":
                parts.append(-number)
        return (*parts, number)

    return sorted(taking_part, key=key)
