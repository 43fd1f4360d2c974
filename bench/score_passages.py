"""Compares passages with a truth file, and makes the truth of small corpora by a slow and simple way."""
from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

Span = tuple[int, int]  # bytes [start, end) of a text
Spans = dict[str, list[Span]]  # by document
Record = tuple[str, int, int, str, int, int]  # document, start, end; the same of the source


@dataclass(frozen=True)
class Score:
    true: int  # passages of the truth
    found: int
    exact: int  # of the truth: with the same bounds
    same_source: int | None  # of these: with the same source; None if no sources are known
    nearly: int  # of the truth: nine tenths of its words are in one found passage
    false: int  # of the found ones: fewer than nine tenths of its words are in passages of the truth
    true_words: int
    found_words: int
    both_words: int

    def cells(self) -> list[str]:
        return [f"{self.found:,}", f"{self.exact / self.true:.4f}",
                "" if self.same_source is None else f"{self.same_source / self.true:.4f}",
                f"{self.nearly / self.true:.4f}", f"{self.both_words / self.true_words:.4f}",
                f"{self.both_words / max(1, self.found_words):.4f}", f"{self.false:,}"]


CELLS = ["found", "with exact bounds", "and source", "nine tenths of its words", "recall of words",
         "precision of words", "false"]
CELLS_IN_WORDS = (
    "Recall counts passages of the truth: those found with exact bounds, those of which the exact source was named too, "
    "and those of which one found passage has nine tenths of the words. Words are counted once, in however many passages "
    "they are. A found passage is false if fewer than nine tenths of its words are in passages of the truth.")


def read_records(path: Path) -> Iterator[Record]:
    """Yields the passages of a truth, or of what `benzer passages` prints."""
    with path.open(encoding="utf-8") as file:
        for line in map(json.loads, file):
            source = line["first"]
            yield line["document"], line["begin"], line["end"], source["document"], source["begin"], source["end"]


def texts_of(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="ascii") as file:
        for line in map(json.loads, file):
            yield line["id"], line["text"]


def word_starts(text: str) -> list[int]:
    starts = [0]
    while (at := text.find(" ", starts[-1])) >= 0:
        starts.append(at + 1)
    return starts


def words_in(starts: list[int], length: int, spans: Iterable[Span]) -> set[int]:
    """Returns the numbers of the words that are wholly in one of the spans."""
    found: set[int] = set()
    ends = [*(start - 1 for start in starts[1:]), length]
    for start, end in spans:
        found.update(range(bisect_left(starts, start), bisect_right(ends, end)))
    return found


def spans_by_document(records: Iterable[Record], with_sources: bool) -> Spans:
    spans: dict[str, set[Span]] = defaultdict(set)
    for document, start, end, source, source_start, source_end in records:
        spans[document].add((start, end))
        if with_sources:
            spans[source].add((source_start, source_end))
    return {document: sorted(found) for document, found in spans.items()}


def score(corpus: Path, truth: list[Record], found: list[Record] | Spans) -> Score:
    """Compares by bounds, and by words. Spans without sources are compared with all places of a passage, also the first."""
    is_spans = isinstance(found, dict)
    true_spans = spans_by_document(truth, is_spans)
    found_spans = found if isinstance(found, dict) else spans_by_document(found, False)
    same_source = None if isinstance(found, dict) else len(set(found) & set(truth))
    exact = nearly = false = true_words = found_words = both_words = 0
    for document, text in texts_of(corpus):
        right, here = true_spans.get(document, []), found_spans.get(document, [])
        if not right and not here:
            continue
        starts = word_starts(text)
        rights = [words_in(starts, len(text), [span]) for span in right]
        heres = [words_in(starts, len(text), [span]) for span in here]
        all_right, all_here = set().union(*rights), set().union(*heres)
        exact += sum(span in rights for span in heres)
        nearly += sum(any(10 * len(words & found) >= 9 * len(words) for found in heres) for words in rights)
        false += sum(10 * len(words & all_right) < 9 * len(words) for words in heres)
        true_words += len(all_right)
        found_words += len(all_here)
        both_words += len(all_right & all_here)
    return Score(sum(map(len, true_spans.values())), sum(map(len, found_spans.values())), exact, same_source, nearly,
                 false, true_words, found_words, both_words)


def shared_passages(corpus: Path, least: int) -> list[Record]:
    """Returns all maximal runs of at least so many words that an earlier document has, with the earliest place of each.

    Looks at each word for all earlier places of the words from there on, and extends every one: for small corpora.
    """
    texts: list[tuple[str, list[str], list[int]]] = []
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by the hash of so many words
    found: list[Record] = []
    for number, (document, text) in enumerate(texts_of(corpus)):
        words, starts = text.split(" "), word_starts(text)
        texts.append((document, words, starts))
        windows = [hash(tuple(words[at:at + least])) for at in range(len(words) - least + 1)]
        reached = 0  # the end of the runs so far; one that does not go further is inside of one of these
        for at, window in enumerate(windows):
            best, source = 0, (0, 0)
            for other, other_at in places.get(window, ()):  # in order, so that the earliest of the longest is taken
                others, length = texts[other][1], 0
                while (at + length < len(words) and other_at + length < len(others)
                       and words[at + length] == others[other_at + length]):
                    length += 1
                if length > best:
                    best, source = length, (other, other_at)
            if best >= least and at + best > reached:
                reached = at + best
                name, others, other_starts = texts[source[0]]
                last, other_last = reached - 1, source[1] + best - 1
                found.append((document, starts[at], starts[last] + len(words[last]), name, other_starts[source[1]],
                              other_starts[other_last] + len(others[other_last])))
        for at, window in enumerate(windows):
            places[window].append((number, at))
    return found
