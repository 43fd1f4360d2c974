"""Models the attributes of documents, and conditions on them, by the rules of docs/cli.md: a document without an attribute meets no
condition on it, and strings are compared by their bytes.
"""
from __future__ import annotations

import json
import operator
import random
from collections.abc import Callable
from typing import NamedTuple

# Values as `get` spells them. A condition may name any of them, and some that no document has.
VALUES: dict[str, list] = {
    "string": ["en", "de", "", "a,b", 'say "x"', "日本", "e\u0301", "z" * 300],
    "number": [0, 1, -1, 2.5, 1e300, 5e-324, 9007199254740993.0],
    "time": ["1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2026-02-28T12:00:00Z", "2026-02-28T12:00:00.5Z"],
    "boolean": [True, False],
}
NAMES = {"string": "lang", "number": "price", "time": "seen", "boolean": "ok"}
EXPIRY = "expires_at"
LATER = ["2999-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"]
PAST = ["2001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"]
COMPARISONS = {"=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class Condition(NamedTuple):
    name: str
    spelling: str
    is_met_by: Callable[[object], bool]


def order(kind: str, value: object) -> object:
    """Returns what values of this kind are ordered by. A time gets six digits after the point, so that its spelling has the right order."""
    if kind == "time":
        second, _, fraction = value[:-1].partition(".")
        return second, fraction.ljust(6, "0")
    return value.encode() if kind == "string" else value


class Attributes:
    """The attributes that an index declares: none, or some kinds, each with one attribute."""

    def __init__(self, chance: random.Random) -> None:
        some = chance.random() < 0.7
        self.kinds = {NAMES[kind]: kind for kind in VALUES if some and chance.random() < 0.5}
        if chance.random() < 0.5:
            self.kinds[EXPIRY] = "time"

    def arguments(self) -> list[str]:
        return [word for name, kind in self.kinds.items() for word in ("--attribute", f"{name}={kind}")]

    @property
    def can_expire(self) -> bool:
        return EXPIRY in self.kinds

    def values(self, name: str) -> list:
        return LATER if name == EXPIRY else VALUES[self.kinds[name]]

    def some(self, chance: random.Random) -> dict[str, object]:
        return {name: chance.choice(self.values(name)) for name in self.kinds if chance.random() < 0.6}

    def change(self, chance: random.Random) -> dict[str, object]:
        """Returns new values of some attributes; None removes one."""
        return {name: None if chance.random() < 0.3 else chance.choice(self.values(name)) for name in self.kinds if chance.random() < 0.5}

    def condition(self, chance: random.Random) -> Condition:
        name = chance.choice(sorted(self.kinds))
        kind = self.kinds[name]
        known = self.values(name) + (PAST if name == EXPIRY else [])

        def spelled(value: object) -> str:
            if not isinstance(value, str):
                return json.dumps(value)
            needs_quotes = kind == "string" and (not value or any(c in value for c in ' ",'))
            return json.dumps(value, ensure_ascii=False) if needs_quotes or chance.random() < 0.3 else value

        if chance.random() < 0.25:
            among = chance.sample(known, chance.randint(1, len(known)))
            wanted = [order(kind, value) for value in among]
            return Condition(name, f"{name} in {','.join(map(spelled, among))}", lambda value: order(kind, value) in wanted)
        value = chance.choice(known)
        sign = chance.choice(["=", "!="] if kind == "boolean" else sorted(COMPARISONS))
        blank = chance.choice(["", " "])
        return Condition(name, f"{name}{blank}{sign}{blank}{spelled(value)}",
                         lambda given: COMPARISONS[sign](order(kind, given), order(kind, value)))
