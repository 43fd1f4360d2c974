"""Defines what `benzer dedup` and `benzer pairs` promise, written from docs/cli.md, docs/config.md and docs/format.md alone.

Documents become sets of shingles (no hashes), similarity is a fraction, and removals follow from the definition of
leaders and components. The rules of words and pages are those of tests/golden, which were written in the same way.
"""
from __future__ import annotations

import sys
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
import check_features
import html_rules

# A part of the stop words of these languages; the random texts contain no others.
STOP_WORDS = {"en": "it is the of and was to be not".split(), "de": "dass der und die über das was".split()}
BLANKS = b"\t\n\v\f\r "


class Spec:
    """A specification of features, such as text:word5+bag."""

    def __init__(self, text: str) -> None:
        self.kind, *modifiers = text.split("+")
        values = dict(m.split(":") for m in modifiers if ":" in m)
        self.flags = {m for m in modifiers if ":" not in m}
        self.stop = set(STOP_WORDS[values["stop"]]) if "stop" in values else set()
        self.stem = values.get("stem")
        self.drop_common = Fraction(values["drop-common"]) if "drop-common" in values else None
        self.tf_idf = "tf-idf" in self.flags
        self.is_weighted = self.tf_idf or "weights" in self.flags
        self.seed = int(values.get("seed", 0))
        name = self.kind.removeprefix("text:").removeprefix("truth:")
        self.size = int(name.lstrip("abcdefghijklmnopqrstuvwxyz") or 1) if name not in ("terms004", "values") else 1


class Extracted(NamedTuple):
    shingles: tuple  # with repetitions; or features with their weights, each once
    short: bool = False
    replaced: bool = False


def code_points(data: bytes) -> list[bytes]:
    """Splits at code points. Bytes 10xxxxxx before the first code point belong to none."""
    out: list[bytes] = []
    for byte in data:
        if byte & 0xC0 != 0x80:
            out.append(bytes([byte]))
        elif out:
            out[-1] += bytes([byte])
    return out


def units_of(spec: Spec, data: bytes) -> tuple[list, bool]:
    """Returns the units of which shingles are made, and whether invalid UTF-8 was replaced."""
    if spec.kind.startswith("text:shingle"):
        if "squeeze" in spec.flags:
            data = b" ".join(part for part in _runs(data))
        return code_points(data), False
    if spec.kind in ("truth:w1", "text:terms004"):
        return check_features.truth_words("truth:w1", data)[1], False
    if spec.kind.startswith("truth:"):
        words = check_features.truth_words(spec.kind, data)[1]
        return (code_points(b" ".join(words)) if spec.kind == "truth:c5" else words), False
    if "html" in spec.flags:
        data = html_rules.readable(data)
    text, replaced = check_features.decode(data)
    words = check_features.words_of(spec.kind, check_features.nfkc_casefold(text), spec.stop)
    if spec.stem:
        words = check_features.stems_of(spec.stem, words)
    return (list(" ".join(words)) if spec.kind.startswith("text:char") else words), replaced > 0


def _runs(data: bytes) -> list[bytes]:
    """Returns the parts between runs of blanks; joining them by one blank replaces each run by one."""
    parts, part, blank = [], b"", False
    for byte in data:
        if byte in BLANKS:
            if not blank:
                parts.append(part)
                part = b""
            blank = True
        else:
            part, blank = part + bytes([byte]), False
    return parts + [part]


def djb2a(data: bytes) -> int:
    value = 5381
    for byte in data:
        value = (33 * value ^ (byte - 256 if byte > 127 else byte)) & 0xFFFFFFFF
    return value


MILLION = 10**6


def five_digits(millionths: int) -> int:
    """Rounds a weight as it is kept: to five significant digits, halves up."""
    power = 10 ** max(len(str(millionths)) - 5, 0)
    return (millionths + power // 2) // power * power


def given_weights(content) -> tuple:
    """Returns the values with the sums of their weights, in millionths."""
    sums: Counter = Counter()
    for value in content:
        assert (millionths := MILLION * value.weight).denominator == 1
        sums[1, bytes(value)] += five_digits(int(millionths))
    return tuple((feature, five_digits(weight)) for feature, weight in sums.items())


@cache
def inverse_frequency(documents: int, having: int) -> int:
    """Returns log2(1 + documents / having) in millionths, rounded, by decimals of 60 digits."""
    with localcontext() as context:
        context.prec = 60
        logarithm = (1 + Decimal(documents) / having).ln() / Decimal(2).ln()
        return int((MILLION * logarithm).to_integral_value(ROUND_HALF_UP))


def weigh(lists: list[tuple]) -> list[tuple]:
    """Returns the features of each document with their weights: occurrences times inverse document frequency."""
    having = Counter(feature for one in lists for feature in set(one))
    return [tuple((feature, five_digits(count * inverse_frequency(len(lists), having[feature]))) for feature, count in Counter(one).items())
            for one in lists]


def extract(spec: Spec, content) -> Extracted:
    """Returns the features of a text (bytes), or of values (a list of bytes)."""
    replaced, short = False, False
    if spec.kind == "values":
        shingles = [(1, bytes(value)) for value in content]
        if "weights" in spec.flags:
            return Extracted(given_weights(content))
    else:
        units, replaced = units_of(spec, content)
        size = min(spec.size, len(units))
        short = 0 < len(units) < spec.size
        shingles = [(size, tuple(units[i : i + size])) for i in range(len(units) - size + 1 if size else 0)]
        if "djb2a" in spec.flags:
            shingles = [djb2a(b"".join(parts)) for _, parts in shingles]
        elif "4bytes" in spec.flags:
            hashed = check_features.Hash(spec.seed)
            shingles = [hashed.feature(hashed.of_bytes(b"".join(parts)), n) >> 32 for n, parts in shingles]
    if "bag" in spec.flags:
        seen: Counter = Counter()
        for i, shingle in enumerate(shingles):
            seen[shingle] += 1
            shingles[i] = (shingle, seen[shingle])
    return Extracted(tuple(shingles), short, replaced)


class Common(NamedTuple):
    features: frozenset  # common features that were removed from some document
    only: int  # documents that have only common features, and keep them


def drop_common(share: Fraction, lists: list[tuple]) -> tuple[list[tuple], Common]:
    """Removes the shingles that are common in the collection, in which references and empty documents count, too."""
    counts = Counter(feature for one in lists for feature in set(one))
    limit = max(share.numerator * len(lists) // share.denominator, 9)
    common = frozenset(feature for feature, count in counts.items() if count > limit)
    kept = [tuple(f for f in one if f not in common) or one for one in lists]
    left_out = {f for one, rest in zip(lists, kept) for f in set(one) - set(rest)}
    return kept, Common(frozenset(left_out), sum(1 for one in lists if one and common.issuperset(one)))


# --- which documents are similar, and which are kept -------------------------------------------------

class Overlap(NamedTuple):
    shared: int
    all: int

    @property
    def score(self) -> float:
        return self.shared / self.all


# The different features of a document; if they have weights, with these.
Features = frozenset | dict


def size_of(features: Features) -> int:
    return sum(features.values()) if isinstance(features, dict) else len(features)


def overlap(a: Features, b: Features) -> Overlap:
    shared = sum(min(weight, b[f]) for f, weight in a.items() if f in b) if isinstance(a, dict) else len(a & b)
    return Overlap(shared, size_of(a) + size_of(b) - shared)


def containment(a: Features, b: Features) -> Overlap:
    return Overlap(len(a & b), min(len(a), len(b)))


def reaches(pair: Overlap, threshold: Fraction) -> bool:
    return pair.shared * threshold.denominator >= threshold.numerator * pair.all


class Sets:
    """The distinct multisets of features within each group, of the documents that take part, in keep order."""

    def __init__(self, documents, shingles: list[tuple], order: list[int], is_weighted: bool, contained: bool = False) -> None:
        self.contained = contained
        self.of: dict[int, int] = {}
        self.members: list[list[int]] = []  # in keep order
        self.features: list[Features] = []
        known: dict[tuple, int] = {}
        for number in order:
            key = (documents[number].group, frozenset(Counter(shingles[number]).items()))
            if key not in known:
                known[key] = len(self.members)
                self.members.append([])
                self.features.append(dict(shingles[number]) if is_weighted else frozenset(shingles[number]))
            self.of[number] = known[key]
            self.members[known[key]].append(number)
        self.group = [documents[members[0]].group for members in self.members]
        self.only_references = [all(documents[m].reference for m in members) for members in self.members]

    def similar(self, threshold: Fraction) -> dict[tuple[int, int], Overlap]:
        """Returns all pairs of different sets that reach the threshold; references are not compared with one another."""
        out = {}
        sizes = [size_of(one) for one in self.features]
        for b, more in enumerate(self.features):
            for a in range(b):
                if self.group[a] != self.group[b] or self.only_references[a] and self.only_references[b]:
                    continue
                small, large = sorted((sizes[a], sizes[b]))
                if not self.contained and small * threshold.denominator < threshold.numerator * large:
                    continue
                pair = containment(self.features[a], more) if self.contained else overlap(self.features[a], more)
                if reaches(pair, threshold):
                    out[a, b] = pair
        return out


class Removal(NamedTuple):
    document: int
    kept: int | None
    score: float | None
    link: tuple[int, float] | None = None


def _neighbours(sets: Sets, edges: dict[tuple[int, int], Overlap], threshold: Fraction | None = None) -> list[dict[int, float]]:
    """Returns the others of which each set is removed, with the score. With containment it must be contained in them."""
    out: list[dict[int, float]] = [{} for _ in sets.members]
    for (a, b), pair in edges.items():
        for x, y in ((a, b), (b, a)):
            own = Overlap(pair.shared, len(sets.features[x])) if sets.contained else pair
            if not sets.contained or reaches(own, threshold):
                out[x][y] = own.score
    return out


def leaders(documents, sets: Sets, edges, order: list[int], threshold: Fraction) -> list[Removal]:
    """A document is removed if and only if it is similar to a kept one. Its keeper is the one with the highest score, then the earliest."""
    neighbours = _neighbours(sets, edges, threshold)
    place = {number: i for i, number in enumerate(order)}
    first_kept: dict[int, int] = {}
    removed = []
    for number in order:
        own = sets.of[number]
        keepers = []
        if not documents[number].reference:
            keepers = [(-score, place[first_kept[other]]) for other, score in [*neighbours[own].items(), (own, 1.0)]
                         if other in first_kept]
        if keepers:
            score, at = min(keepers)
            removed.append(Removal(number, order[at], -score))
        else:
            first_kept.setdefault(own, number)
    return sorted(removed)


def components(documents, sets: Sets, edges, order: list[int], _threshold: Fraction) -> list[Removal]:
    """Of the documents that similar pairs connect, the first in keep order is kept."""
    neighbours = _neighbours(sets, edges)
    keeper: dict[int, int] = {}
    for start in range(len(sets.members)):  # sets are in keep order, too
        if start in keeper:
            continue
        keeper[start] = start
        waiting = [start]
        while waiting:
            for other in neighbours[waiting.pop()]:
                if other not in keeper:
                    keeper[other] = start
                    waiting.append(other)
    removed = []
    for number in order:
        own = sets.of[number]
        kept = sets.members[keeper[own]][0]
        if documents[number].reference or number == kept:
            continue
        score = 1.0 if own == keeper[own] else overlap(sets.features[own], sets.features[keeper[own]]).score
        first = sets.members[own][0]
        if number != first:
            link = (first, 1.0)
        else:
            # The keeper is compared with its whole cluster, also where the bands missed the pair.
            best, by = min((-s, other) for other, s in [*neighbours[own].items(), (keeper[own], score)])
            link = (sets.members[by][0], -best)
        removed.append(Removal(number, kept, score, link))
    return sorted(removed)
