"""Models an index: a map of ids to documents, and their exact similarity. It shares nothing with the engine.

Texts are words of small ASCII letters and digits with blanks between them, so that their shingles are known without Unicode.
"""
from __future__ import annotations

import json
import random
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from attributes import Attributes, Condition

Content = tuple[tuple[str, object], ...]  # (field, text or tuple of values) and (attribute, value), ascending by name


class Field(NamedTuple):
    name: str
    words: int  # words of a shingle; 0 for values
    weight: Fraction
    seed: int

    def spelling(self) -> str:
        kind = f"text:word{self.words}" if self.words else "values"
        weight = f";w={float(self.weight):g}" if self.weight != 1 else ""
        return f"{self.name}={kind}+seed:{self.seed}{weight}"

    def features(self, value: object) -> frozenset:
        if self.words == 0:
            return frozenset(value)
        words = value.split()
        if not words:
            return frozenset()
        size = min(self.words, len(words))
        return frozenset(tuple(words[i : i + size]) for i in range(len(words) - size + 1))


class Schema:
    def __init__(self, chance: random.Random) -> None:
        kinds = chance.choice([("text",), ("text",), ("values",), ("text", "values"), ("text", "text", "values")])
        names = ["body" if kind == "text" else "tags" for kind in kinds]
        if names.count("body") > 1:
            names[0] = "title"
        self.fields = [Field(name, chance.choice([1, 1, 2, 3]) if kind == "text" else 0, Fraction(chance.choice([1, 1, 2, 3])),
                             chance.randrange(1, 2**32)) for name, kind in zip(names, kinds)]
        if len(self.fields) == 1:
            self.fields[0] = self.fields[0]._replace(weight=Fraction(1))
        self.least = Fraction(chance.choice(["0.3", "0.5", "0.6", "0.8"]))
        self.recall = chance.choice(["0.9", "0.99", "0.99", "0.999"])
        self.slots = chance.choice([64, 128, 128, 256])
        # A small vocabulary makes equal and similar documents; a large one makes documents that are similar to none.
        self.words = [f"w{i}" for i in range(chance.choice([6, 12, 40, 400]))]
        self.longest = chance.choice([3, 8, 20, 60])
        self.attributes = Attributes(chance)

    def arguments(self) -> list[str]:
        out = []
        for field in self.fields:
            out += ["--field", field.spelling()]
        return [*out, *self.attributes.arguments(), "--min-threshold", decimal(self.least), "--recall", self.recall, "--sketch", f"fss:{self.slots}"]

    def content(self, chance: random.Random) -> Content:
        """Returns a random document. Fields may be missing, but not all of them; any may be empty."""
        while True:
            out = {}
            for field in self.fields:
                if len(self.fields) > 1 and chance.random() < 0.15:
                    continue
                length = 0 if chance.random() < 0.04 else chance.randint(1, self.longest)
                words = chance.choices(self.words, k=length)
                out[field.name] = " ".join(words) if field.words else tuple(words)
            if out:
                return tuple(sorted((out | self.attributes.some(chance)).items()))

    def changed(self, content: Content, chance: random.Random) -> Content:
        """Returns a copy with a word or two changed."""
        out = dict(content)
        name = chance.choice([name for name, _ in self.bare(content)])
        words = list(out[name].split() if isinstance(out[name], str) else out[name])
        for _ in range(chance.randint(1, 2)):
            words.insert(chance.randint(0, len(words)), chance.choice(self.words))
            if len(words) > 1 and chance.random() < 0.5:
                words.pop(chance.randrange(len(words)))
        out[name] = " ".join(words) if isinstance(out[name], str) else tuple(words)
        if chance.random() < 0.3:
            return tuple(sorted((dict(self.bare(tuple(sorted(out.items())))) | self.attributes.some(chance)).items()))
        return tuple(sorted(out.items()))

    def bare(self, content: Content) -> Content:
        """Returns the fields without the attributes."""
        return tuple((name, value) for name, value in content if name not in self.attributes.kinds)

    def attributes_of(self, content: Content) -> dict[str, object]:
        return {name: value for name, value in content if name in self.attributes.kinds}

    def updated(self, content: Content, change: dict[str, object]) -> Content:
        """Returns the document with other attributes; None removes one."""
        return tuple(sorted((name, value) for name, value in (dict(content) | change).items() if value is not None))

    def meets(self, content: Content, conditions: Iterable[Condition]) -> bool:
        has = self.attributes_of(content)
        return all(one.name in has and one.is_met_by(has[one.name]) for one in conditions)

    def sets(self, content: Content) -> dict[str, frozenset]:
        """Returns the features of each field that has some."""
        given = dict(content)
        out = {field.name: field.features(given[field.name]) for field in self.fields if field.name in given}
        return {name: features for name, features in out.items() if features}


def decimal(number: Fraction) -> str:
    return f"{float(number):g}"


def record(name: str | None, content: Content) -> str:
    out = {} if name is None else {"id": name}
    for field, value in content:
        out[field] = list(value) if isinstance(value, tuple) else value
    return json.dumps(out, ensure_ascii=False) + "\n"


class Similarity(NamedTuple):
    score: Fraction
    fields: dict[str, Fraction]  # of the fields that at least one of the two has

    @property
    def best_field(self) -> float:
        return float(max(self.fields.values(), default=0))


class Model:
    """The documents by id, in an order that is not promised, and every version that ever existed."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.documents: dict[str, Content] = {}
        self.changes = 0
        self.history: dict[str, set[Content]] = {}
        self._sets: dict[Content, dict[str, frozenset]] = {}
        self._scores: dict[tuple, Similarity] = {}

    def sets(self, content: Content) -> dict[str, frozenset]:
        if content not in self._sets:
            self._sets[content] = self.schema.sets(content)
        return self._sets[content]

    def similarity(self, a: Content, b: Content, rule: str) -> Similarity:
        a, b = self.schema.bare(a), self.schema.bare(b)
        key = (a, b, rule) if a <= b else (b, a, rule)
        if key not in self._scores:
            self._scores[key] = self._similarity(a, b, rule)
        return self._scores[key]

    def _similarity(self, a: Content, b: Content, rule: str) -> Similarity:
        of_a, of_b = self.sets(a), self.sets(b)
        fields, total, weight = {}, Fraction(0), Fraction(0)
        for field in self.schema.fields:
            one, other = of_a.get(field.name, frozenset()), of_b.get(field.name, frozenset())
            if not one and not other:
                continue
            jaccard = fields[field.name] = Fraction(len(one & other), len(one | other))
            total += field.weight * jaccard
            weight += field.weight
        if not fields:
            return Similarity(Fraction(0), {})
        score = {"mean": total / weight, "all": min(fields.values()), "any": max(fields.values())}[rule]
        return Similarity(score, fields)

    def has_same_features(self, a: Content, b: Content) -> bool:
        return self.sets(a) == self.sets(b)

    def equal(self, a: Content, b: Content) -> bool:
        """Returns whether an index keeps the same of both."""
        return self.has_same_features(a, b) and self.schema.attributes_of(a) == self.schema.attributes_of(b)

    def matches(self, content: Content, threshold: Fraction, rule: str, documents: dict[str, Content] | None = None,
                but: str | None = None) -> dict[str, Similarity]:
        documents = self.documents if documents is None else documents
        out = {}
        for name, other in documents.items():
            found = self.similarity(content, other, rule)
            if name != but and found.fields and found.score >= threshold:
                out[name] = found
        return out

    def put(self, name: str, content: Content) -> None:
        self.changes += 1
        self.documents[name] = content
        self.remember(name, content)

    def remember(self, name: str, content: Content) -> None:
        """Records a version, which a repair after damage may bring back."""
        self.history.setdefault(name, set()).add(content)

    def apply(self, changes: Iterable[tuple[str, Content | None]]) -> None:
        for name, content in changes:
            if content is None:
                self.changes += 1
                self.documents.pop(name, None)
            else:
                self.put(name, content)
