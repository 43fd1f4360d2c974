"""Makes documents that share passages, and the list of these passages. bench/corpora.py calls it.

  make_passages.py planted OUT DOCUMENTS SEED TRUTH    a fifth of the documents have passages of earlier ones
  make_passages.py changed OUT DOCUMENTS SEED TRUTH    the same, with 1 to 5 % of the words of each passage changed
  make_passages.py menu OUT DOCUMENTS SEED TRUTH       every document has the same 300 words in its middle
  make_passages.py own OUT DOCUMENTS SEED              the same documents with 300 words of their own there

Documents are JSON lines {"id", "text"} of about 3.6 KB; the words of a text are lower-case ASCII letters with single
blanks. Words are drawn as in natural text: some are frequent (Zipf), and short phrases recur. By chance no two
documents have 50 consecutive words in common.

The truth has a JSON line for each passage of at least 50 words that also occurs in an earlier document, sorted by
document and place: {"document", "begin", "end", "first_word", "words", "changed", "first": {"document", "begin", "end"}}.
Begin and end are bytes of the text. The passages of `planted` and `menu` are maximal, and `first` is the earliest
place: the words before and after a passage differ from those at every earlier place of it, so that bounds are exact.
`changed` counts the words that were replaced, left out or inserted, never the first or the last one.

Needs numpy. Memory: about a kilobyte for each passage that may be copied again, a twentieth of the documents.
"""
from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

Words = np.ndarray  # of numbers of words
VOCABULARY = 50_000
PHRASES = 4_000
BLOCK = 2_000  # documents
MENU = 300  # words
LEAST, MOST = 50, 400  # words of a passage
LEAST_CHANGED = 60  # of one that loses up to 5 % of them
COPIES = 49  # most documents with a passage, beside its first
BYTES_OF_TEXT = 3_544  # mean, of the line's 3,580


@dataclass
class Source:
    """A passage that later documents may copy."""
    document: int
    start: int  # byte
    end: int
    words: Words
    copies: int  # still to be made
    before: set[int] = field(default_factory=set)  # words next to it at the places so far
    after: set[int] = field(default_factory=set)


@dataclass
class Place:
    """A passage in a document."""
    source: Source
    first: int  # word of the document
    words: int
    changed: int


class Language:
    """A vocabulary with frequencies and phrases, and the bytes of its words."""

    def __init__(self, seed: int) -> None:
        chance = np.random.Generator(np.random.PCG64([seed, 1]))
        spelled: list[str] = []
        seen: set[str] = set()
        while len(spelled) < VOCABULARY:  # frequent words are short
            length = 2 + int(chance.poisson(0.36 * np.log2(len(spelled) + 2)))
            word = "".join("bcdfghjklmnprstvwz"[chance.integers(18)] if n % 2 else "aeiou"[chance.integers(5)]
                           for n in range(int(chance.integers(2)), length + 1))
            if word not in seen:
                seen.add(word)
                spelled.append(word)
        weights = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.07
        counts = np.maximum(1, np.round(weights / weights.sum() * (1 << 22))).astype(np.int64)
        self.drawn_from = np.repeat(np.arange(VOCABULARY, dtype=np.uint16), counts)
        self.lengths = np.array([len(word) for word in spelled], dtype=np.int64)
        width = int(self.lengths.max()) + 1
        padded = b"".join((word + " ").encode("ascii").ljust(width, b"\0") for word in spelled)
        self.padded = np.frombuffer(padded, dtype=np.uint8).reshape(VOCABULARY, width)
        self.mean = float(self.lengths[self.drawn_from].mean()) + 1
        sizes = chance.integers(3, 9, PHRASES)
        self.phrase_ends = np.cumsum(sizes)
        self.phrase_sizes = sizes
        self.phrases = self.single_words(chance, int(sizes.sum()))

    def single_words(self, chance: np.random.Generator, count: int) -> Words:
        return self.drawn_from[chance.integers(0, len(self.drawn_from), count)]

    def words(self, chance: np.random.Generator, count: int) -> Words:
        """Draws words, of which every seventh is part of a phrase that other texts have, too."""
        words = self.single_words(chance, count)
        phrases = np.minimum((PHRASES ** chance.random(count // 38)).astype(np.int64), PHRASES - 1)
        sizes = self.phrase_sizes[phrases]
        at = chance.integers(0, max(1, count - 13), len(phrases))
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        target = np.repeat(at, sizes) + within
        if count > 13:
            words[target] = self.phrases[np.repeat(self.phrase_ends[phrases] - sizes, sizes) + within]
        return words

    def bytes_before(self, words: Words) -> np.ndarray:
        """Returns for each word where it starts in the text, and then where one more word would."""
        return np.concatenate(([0], np.cumsum(self.lengths[words] + 1)))

    def text(self, words: Words) -> bytes:
        """Returns the words with a blank after each."""
        wide = self.padded[words].reshape(-1)
        return wide[wide != 0].tobytes()


class Writer:
    """Writes documents and the truth, block by block."""

    def __init__(self, language: Language, out: Path, truth: Path | None) -> None:
        self.language = language
        self.out = out.open("wb")
        self.truth = truth.open("w", encoding="ascii") if truth else None

    def documents(self, first: int, documents: list[Words]) -> None:
        every = np.concatenate(documents)
        starts = self.language.bytes_before(every)
        text = self.language.text(every)
        at, lines = 0, []
        for number, words in enumerate(documents, first):
            begin, at = at, at + len(words)
            lines.append(b'{"id":"d%07d","text":"%s"}\n' % (number, text[starts[begin]:starts[at] - 1]))
        self.out.writelines(lines)

    def passage(self, number: int, place: Place, starts: np.ndarray) -> None:
        """Writes where a passage of a document is; `starts` are those of the document's words."""
        assert self.truth
        source = {"document": f"d{place.source.document:07}", "begin": place.source.start, "end": place.source.end}
        line = {"document": f"d{number:07}", "begin": int(starts[place.first]),
                "end": int(starts[place.first + place.words]) - 1, "first_word": place.first, "words": place.words,
                "changed": place.changed, "first": source}
        self.truth.write(json.dumps(line, separators=(",", ":")) + "\n")

    def close(self) -> None:
        self.out.close()
        if self.truth:
            self.truth.close()


def own_words(language: Language, chance: np.random.Generator, count: int, less: int = 0) -> list[Words]:
    """Returns texts of differing lengths, which have so many words less than the mean of all documents."""
    mean = BYTES_OF_TEXT / language.mean - less
    lengths = np.clip(chance.lognormal(np.log(mean) - 0.18, 0.6, count), LEAST_CHANGED, 8 * mean).astype(np.int64)
    return np.split(language.words(chance, int(lengths.sum())), np.cumsum(lengths)[:-1])


def changed_words(language: Language, chance: np.random.Generator, words: Words) -> tuple[Words, int]:
    """Replaces, leaves out or inserts 1 to 5 % of the words, at least one, and returns how many."""
    count = max(1, round(len(words) * chance.uniform(0.01, 0.05)))
    places = np.sort(chance.choice(np.arange(1, len(words) - 1), count, replace=False))
    parts, last = [], 0
    for at in places.tolist():
        parts.append(words[last:at])
        what = chance.integers(3)
        new = int(chance.integers(VOCABULARY - 1))
        if what != 1:  # a replaced word differs; so does an inserted one from the word that it is in front of
            parts.append(np.array([new + (new >= words[at])], dtype=words.dtype))
        last = at + (what != 2)
    return np.concatenate([*parts, words[last:]]), count


class Planter:
    """Puts passages of earlier documents into documents, and remembers passages that later ones may copy."""

    def __init__(self, language: Language, documents: int, is_changed: bool) -> None:
        self.language = language
        self.is_changed = is_changed
        self.most = max(20, documents // 20)
        self.sources: list[Source] = []

    def other_word(self, chance: np.random.Generator, *refused: set[int]) -> int:
        while True:
            word = int(chance.integers(VOCABULARY))
            if not any(word in words for words in refused):
                return word

    def choose(self, chance: np.random.Generator) -> list[Source]:
        count = min(1 + int(chance.geometric(0.6) - 1), 4, len(self.sources))
        chosen = chance.choice(len(self.sources), count, replace=False).tolist()
        found = [self.sources[at] for at in chosen]
        for at in sorted(chosen, reverse=True):
            self.sources[at].copies -= 1
            if not self.sources[at].copies:
                self.sources[at] = self.sources[-1]
                self.sources.pop()
        return found

    def plant(self, chance: np.random.Generator, own: Words) -> tuple[Words, list[Place]]:
        """Returns the document with passages between its own words, and where they are."""
        sources = self.choose(chance)
        cuts = np.sort(chance.integers(0, len(own) + 1, len(sources))).tolist()
        if chance.random() < 0.15:
            cuts[0] = 0
        if chance.random() < 0.15:
            cuts[-1] = len(own)
        for at in range(1, len(cuts)):
            if chance.random() < 0.2:
                cuts[at] = cuts[at - 1]  # next to the passage before
        gaps = [own[a:b].copy() for a, b in zip([0, *cuts], [*cuts, len(own)])]
        copies = [changed_words(self.language, chance, source.words) if self.is_changed else (source.words, 0)
                  for source in sources]
        # The word before a passage, and the one after, must differ from those at each earlier place of it.
        for at, gap in enumerate(gaps):
            left = sources[at - 1].after if at else set()
            right = sources[at].before if at < len(sources) else set()
            if not len(gap) and 0 < at < len(sources) and (
                    int(copies[at][0][0]) in left or int(copies[at - 1][0][-1]) in right):
                gap = np.array([0], dtype=own.dtype)
                gap[0] = self.other_word(chance, left, right)
            elif len(gap) == 1:
                if int(gap[0]) in left or int(gap[0]) in right:
                    gap[0] = self.other_word(chance, left, right)
            elif len(gap):
                if int(gap[0]) in left:
                    gap[0] = self.other_word(chance, left)
                if int(gap[-1]) in right:
                    gap[-1] = self.other_word(chance, right)
            gaps[at] = gap
        parts, places, length = [gaps[0]], [], len(gaps[0])
        for source, (words, changed), gap in zip(sources, copies, gaps[1:]):
            places.append(Place(source, length, len(words), changed))
            parts += [words, gap]
            length += len(words) + len(gap)
        document = np.concatenate(parts)
        for place in places:
            self.note_neighbours(place.source, document, place.first, place.first + place.words)
        return document, places

    def note_neighbours(self, source: Source, document: Words, first: int, end: int) -> None:
        if first:
            source.before.add(int(document[first - 1]))
        if end < len(document):
            source.after.add(int(document[end]))

    def remember(self, chance: np.random.Generator, number: int, document: Words, places: list[Place]) -> None:
        """Lets later documents copy one or two passages of this one.

        Such a passage may begin or end in the middle of one that is itself copied. But it is not inside of one, whose
        earliest place would be another, and does not begin or end where another one does, whose neighbours count, too.
        """
        bounds = {bound for place in places for bound in (place.first, place.first + place.words)}
        starts = None
        for _ in range(1 + int(chance.random() < 0.2)):
            length = int(chance.integers(LEAST_CHANGED if self.is_changed else LEAST, min(MOST, len(document)) + 1))
            first = int(chance.integers(0, len(document) - length + 1))
            end = first + length
            if first in bounds or end in bounds:
                continue
            if any(place.first <= first and end <= place.first + place.words for place in places):
                continue
            bounds |= {first, end}
            if starts is None:
                starts = self.language.bytes_before(document)
            copies = min(COPIES, int(chance.geometric(0.6)) if chance.random() < 0.95 else int(chance.integers(5, 50)))
            source = Source(number, int(starts[first]), int(starts[end]) - 1, document[first:end].copy(), copies)
            self.note_neighbours(source, document, first, end)
            self.sources.append(source)


def write_planted(language: Language, writer: Writer, documents: int, seed: int, is_changed: bool) -> None:
    planter = Planter(language, documents, is_changed)
    for first in range(0, documents, BLOCK):
        chance = np.random.Generator(np.random.PCG64([seed, 2, first]))
        made = own_words(language, chance, min(BLOCK, documents - first), less=70)
        for at, number in enumerate(range(first, first + len(made))):
            places: list[Place] = []
            if planter.sources and chance.random() < 0.2:
                made[at], places = planter.plant(chance, made[at])
                starts = language.bytes_before(made[at])
                for place in places:
                    writer.passage(number, place, starts)
            if len(planter.sources) < planter.most and chance.random() < 0.5:
                planter.remember(chance, number, made[at], places)
        writer.documents(first, made)


def menu_of(language: Language, chance: np.random.Generator) -> Words:
    """Returns 300 words with as many bytes as words of documents have on average."""
    while True:
        words = language.single_words(chance, MENU)
        if abs(int(language.lengths[words].sum()) + MENU - MENU * language.mean) < 1:
            return words


def name_of(number: int) -> Words:
    """Returns two words that no other document has in this order, so that the bounds of the menu are exact."""
    return np.array([number % VOCABULARY, number // VOCABULARY], dtype=np.uint16)


def write_crawl(language: Language, writer: Writer, documents: int, seed: int, is_own: bool) -> None:
    menu = menu_of(language, np.random.Generator(np.random.PCG64([seed, 3])))
    home: Source | None = None
    for first in range(0, documents, BLOCK):
        chance = np.random.Generator(np.random.PCG64([seed, 4, first]))
        bodies = own_words(language, chance, min(BLOCK, documents - first), less=MENU)
        made = []
        for number, body in enumerate(bodies, first):
            half = len(body) // 2
            middle = language.words(chance, MENU) if is_own else menu
            made.append(np.concatenate([body[:half], name_of(number)[::-1], middle, name_of(number), body[half:]]))
            if is_own:
                continue
            starts = language.bytes_before(made[-1])
            place = half + 2
            if home:
                writer.passage(number, Place(home, place, MENU, 0), starts)
            else:
                home = Source(number, int(starts[place]), int(starts[place + MENU]) - 1, menu, 0)
        writer.documents(first, made)


def main() -> None:
    kind, out, documents, seed = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    language = Language(seed)
    writer = Writer(language, out, Path(sys.argv[5]) if kind != "own" else None)
    if kind in ("planted", "changed"):
        write_planted(language, writer, documents, seed, kind == "changed")
    else:
        write_crawl(language, writer, documents, seed, kind == "own")
    writer.close()


if __name__ == "__main__":
    main()
