"""What an index answers. Named tuples, because a query may have thousands of answers: a frozen dataclass takes five
times as long to make.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from benzer import _engine


class RefusedDocument(NamedTuple):
    """A document that was not put into an index, and why.

    >>> import warnings
    >>> import benzer
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     done = benzer.Index().add([{"id": "a", "text": "a storm"}, {"id": "b"}])
    >>> done.refused[0].place, done.refused[0].id
    (1, 'b')
    """

    place: int
    """Its place among the documents that were given, from 0."""
    id: str
    """Its id, if it has one."""
    problem: str
    """The reason, in one sentence."""


class AddResult(NamedTuple):
    """What ``Index.add()`` has done.

    >>> import benzer
    >>> benzer.Index().add([{"id": "a", "text": "a storm"}, {"id": "b", "text": "a calm"}])
    AddResult(inserted=2, replaced=0, refused=[])
    """

    inserted: int
    """Documents with a new id."""
    replaced: int
    """Documents whose id was there already."""
    refused: list[RefusedDocument]
    """Documents that were not put in."""


class Shares(NamedTuple):
    """How much of a query and of a document that is similar to it the other one has.

    >>> import benzer
    >>> index = benzer.Index(fields="text:word1", measure="containment")
    >>> _ = index.add([{"id": "a", "text": "one two three four"}])
    >>> index.similar("two three")[0].shares["text"].share_of_match
    0.5
    """

    share_of_query: float
    """The share of the query's features that the document has."""
    share_of_match: float
    """The share of the document's features that the query has."""


class Match(NamedTuple):
    """A document of an index that is similar to a query.

    >>> import benzer
    >>> index = benzer.Index(fields="text:word2", min_threshold=0.5)
    >>> _ = index.add([{"id": "a", "text": "a storm hit the coast"}])
    >>> [match] = index.similar("a storm hit the city", explain=True)
    >>> match.id, match.score, match.passages
    ('a', 0.6, {'text': ['a storm hit the']})
    """

    id: str
    """The id of the document."""
    score: float
    """The exact score, from 0 to 1; an estimate if ``exact`` is false."""
    exact: bool
    fields: dict[str, float]
    """The similarity of each field."""
    attributes: dict[str, Any]
    """What the index keeps next to the hashes."""
    passages: dict[str, list[str]]
    """For each field passages of the query that the document has, too; empty without ``explain=True``."""
    bands: dict[str, list[int]]
    """For each field the bands whose keys agree, of an index of containment the keys; empty without
    ``explain=True``."""
    found_probability: float | None
    """The probability that a pair as similar as this one is found; None without ``explain=True``."""
    shares: dict[str, Shares]
    """For each field how much of either document the other one has; empty but for an index of containment."""


class QueryPassage(NamedTuple):
    """A run of words of a query, all of whose shingles a document of the index has.

    >>> import benzer
    >>> index = benzer.Index(fields="text:word2", measure="containment")
    >>> _ = index.add([{"id": "a", "text": "one two three four"}])
    >>> [match] = index.passages("nine one two three", min_words=3)
    >>> match.passages[0].begin, match.passages[0].text
    (5, 'one two three')
    """

    field: str
    """The field of the query."""
    begin: int
    """The first byte of the passage in the text of the field, as UTF-8."""
    end: int
    """The byte after its last one."""
    begin_char: int
    """The same in characters: the passage is text[begin_char:end_char]."""
    end_char: int
    words: int
    """Its length in words."""
    text: str
    """The passage."""


class PassageMatch(NamedTuple):
    """A document of an index that has passages of a query.

    >>> import benzer
    >>> index = benzer.Index(fields="text:word2", measure="containment")
    >>> _ = index.add([{"id": "a", "text": "one two three four"}])
    >>> [match] = index.passages("nine one two three", min_words=3)
    >>> match.id, match.words
    ('a', 3)
    """

    id: str
    """The id of the document."""
    words: int
    """How many words of the query are in its passages."""
    passages: list[QueryPassage]
    """The passages, by field and place."""
    attributes: dict[str, Any]
    """What the index keeps next to the hashes."""


class CheckResult(NamedTuple):
    """The answer of ``Index.check_and_add()``.

    >>> import benzer
    >>> index = benzer.Index()
    >>> answers = index.check_and_add([{"id": "a", "text": "a storm"}, {"id": "b", "text": "a storm"}])
    >>> [(answer.added, [match.id for match in answer.matches]) for answer in answers]
    [(True, []), (False, ['a'])]
    """

    added: bool
    """Whether the document was added."""
    matches: list[Match]
    """The similar documents because of which it was not added, best first."""
    problem: str = ""
    """Of many documents: why this one cannot be put in; empty if it can."""


class IndexedDocument(NamedTuple):
    """What an index holds of a document; it keeps no texts.

    >>> import benzer
    >>> index = benzer.Index(fields="text:word2", attributes={"lang": "string"})
    >>> _ = index.add([{"id": "a", "text": "a storm hit the coast", "lang": "en"}])
    >>> index.get("a")
    IndexedDocument(id='a', features={'text': 4}, attributes={'lang': 'en'})
    """

    id: str
    """The id of the document."""
    features: dict[str, int]
    """For each field the number of its different features."""
    attributes: dict[str, Any]
    """What the index keeps next to the hashes."""


def match_of(found: _engine.Match) -> Match:
    fields = found.fields
    passages: dict[str, list[str]] = {}
    bands: dict[str, list[int]] = {}
    if found.found_probability is not None:
        for one in fields:
            passages[one.field] = one.passages or []
            bands[one.field] = one.bands or []
    return Match(
        found.id,
        found.score,
        found.exact,
        {one.field: one.score for one in fields},
        found.attributes,
        passages,
        bands,
        found.found_probability,
        {one.field: Shares(*one.shares) for one in fields if one.shares is not None},
    )


def matches_of(found: list[_engine.Match]) -> list[Match]:
    return [match_of(one) for one in found]


def passage_matches_of(found: list[_engine.PassageMatch]) -> list[PassageMatch]:
    return [
        PassageMatch(id, words, [QueryPassage(*one) for one in passages], attributes)
        for id, words, passages, attributes in found
    ]


def add_result(done: tuple[int, int, list[tuple[int, str, str]]], begin: int) -> AddResult:
    inserted, replaced, refused = done
    return AddResult(
        inserted,
        replaced,
        [RefusedDocument(begin + place, id, problem) for place, id, problem in refused],
    )
