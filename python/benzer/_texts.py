"""What looks at texts one by one: explain(), compare() and plan()."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benzer import _engine
from benzer._errors import InvalidArgumentError
from benzer._inputs import settings_of

Text = str | Iterable[str] | Mapping[str, float]
"""A text, or a set of values for the features "values"."""


def _as_text(value: Any) -> str:
    """Return a text as it is, and values as the JSON that the engine reads."""
    for plain in ("as_py", "to_pylist", "to_list", "tolist"):  # of Arrow, polars, pandas and numpy
        if hasattr(value, plain):
            value = getattr(value, plain)()
            break
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)) or not isinstance(value, Iterable):
        raise InvalidArgumentError(f"a text is of the type {type(value).__name__}, and it must be a str")
    try:
        return json.dumps(dict(value) if isinstance(value, Mapping) else list(value))
    except TypeError as error:
        raise InvalidArgumentError(f"a set has something that is neither a string nor a weight: {error}") from error


def compare(
    a: Text,
    b: Text,
    *,
    features: str | None = None,
    measure: str | None = None,
    threshold: float | str | None = None,
    recall: float | None = None,
    sketch: str | None = None,
    bands: str | None = None,
    config: str | None = None,
    seed: int | None = None,
    frequencies: Sequence[str | os.PathLike[str]] | None = None,
    min_words: int | None = None,
    gap: int | None = None,
    shown: int = 10,
) -> dict[str, Any]:
    """Say how similar two texts are and why, as ``benzer compare --json`` does.

    Args:
        a, b: Two texts; with features="values" two collections of strings, with
            features="values+weights" two mappings from strings to numbers.
        features: How a text becomes features. By default "text:word5".
        measure: "jaccard" or "containment", as for ``deduplicate()``.
        threshold: From which similarity on "similar" is true. By default 0.8.
        recall: The probability for which the bands are planned. By default 0.99.
        sketch, bands, config, seed, frequencies: As for ``deduplicate()``.
        min_words: The fewest words of the passages that are listed. By default 10.
        gap: Passages are listed that differ by runs of up to this many words. By default 5.
        shown: How many of the shingles of each kind, and of the passages, are listed.

    Returns:
        Among others "similarity", "intersection" and "union", which are exact; "estimate" and
        "found_probability", which are those of the sketch and the bands; "shared_shingles",
        "only_a_shingles" and "only_b_shingles"; "passage_list", which has for each passage of b that a
        has, too, both places ("begin" and "end" in bytes, "begin_char" and "end_char" in characters),
        both texts and the "score", the share of equal words. With containment "share_of_a" and
        "share_of_b", and no estimate.

    Raises:
        benzer.InvalidArgumentError: for arguments that are not allowed or contradict each other.

    >>> import benzer
    >>> found = benzer.compare("a storm hit the coast", "a storm hit the city", features="text:word2")
    >>> found["similarity"], found["shared_shingles"]
    (0.6, ['a storm', 'storm hit', 'hit the'])
    """
    settings = settings_of(
        features=features,
        measure=measure,
        threshold=threshold,
        recall=recall,
        sketch=sketch,
        bands=bands,
        config=config,
        seed=seed,
        frequencies=frequencies,
        min_words=min_words,
        gap=gap,
    )
    answer: dict[str, Any] = json.loads(_engine.compare(settings, _as_text(a), _as_text(b), shown))
    return answer


def explain(
    text: Text,
    *,
    features: str | None = None,
    sketch: str | None = None,
    bands: str | None = None,
    config: str | None = None,
    seed: int | None = None,
    frequencies: Sequence[str | os.PathLike[str]] | None = None,
) -> dict[str, Any]:
    """Say what each step makes of a text, as ``benzer explain --json`` does.

    Args:
        text: A text, or values as for ``compare()``.
        features, sketch, bands, config, seed, frequencies: As for ``deduplicate()``.

    Returns:
        Among others "words", "shingles" (each with its "text" and "feature"), "signature" and the keys of
        the bands.

    Raises:
        benzer.InvalidArgumentError: for arguments that are not allowed or contradict each other.

    >>> import benzer
    >>> steps = benzer.explain("The Storm hit the coast", features="text:word3")
    >>> [one["text"] for one in steps["shingles"]]
    ['the storm hit', 'storm hit the', 'hit the coast']
    """
    settings = settings_of(
        features=features,
        sketch=sketch,
        bands=bands,
        config=config,
        seed=seed,
        frequencies=frequencies,
    )
    answer: dict[str, Any] = json.loads(_engine.explain(settings, _as_text(text)))
    return answer


def plan(
    threshold: float | str = 0.8,
    *,
    recall: float | None = None,
    measure: str | None = None,
    slots: int | None = None,
    docs: int | None = None,
) -> dict[str, Any]:
    """Plan the bands for a threshold, as ``benzer plan --json`` does.

    Args:
        threshold: The similarity from which on pairs are to be found.
        recall: The probability with which a pair exactly there is found. By default 0.99.
        measure: "jaccard", or "containment", for which anchors are planned.
        slots: The most slots of a signature. By default 128.
        docs: A number of documents, for which memory and candidates are predicted.

    Returns:
        Among others "bands" and "recall_at_threshold"; "curve", the probability for each similarity;
        "alternatives" with other numbers of rows; "others", what other tools would choose. With
        containment "anchors" and "needed_anchors" in place of bands, and the "keys" of an index.

    Raises:
        benzer.InvalidArgumentError: if no bands of so many slots have the recall.

    >>> import benzer
    >>> benzer.plan(0.8)["bands"]
    '16x6'
    """
    answer: dict[str, Any] = json.loads(
        _engine.plan(settings_of(measure=measure, threshold=threshold, recall=recall, slots=slots, docs=docs))
    )
    return answer
