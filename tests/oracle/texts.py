"""Generates random texts in many scripts, with all kinds of near-copies: lists of words, spelled in different ways."""
from __future__ import annotations

import random
import unicodedata

from definition import STOP_WORDS

# Code points that every version of Unicode since 10 treats alike.
THAI = "กขคงจชซดตถทนบปพมยรลวสหอ"
SCRIPTS = {
    "accents": "éàöüñçşžøåœßİıǅﬁ",
    "greek": "αβγδεζηθικλμνξοπρσςτυφχψωΣΩΆ",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяЁЙ",
    "hangul": "가나다라마바사아자차카타파하한국어글각닭",
    "cjk": "我们都是来自五湖四海为了一个共同的目标走到起漢字仮名人々〇",
    "kana": "ひらがなカタカナｶﾞぱプー",
    "thai": THAI,
    "arabic": "سلامعليكم٢٠٤",
    "hebrew": "שלוםעבריתבָּ",
    "devanagari": "कखगघचछजहिन्दी",
    "wide": "ＱｑＺｚＸ１２３",
    "signs": "½②™㎏Ⅷ\u212b\u2126𝐐𐐀",
}
CUT = ("cjk", "kana", "thai")
BETWEEN = [" "] * 12 + ["  ", ", ", ". ", " - ", "\n", "\t", "; ", " (", ") ", "! ", "...", "😀", "\u00a0", "\u3000", "\u2028", "\r\n"]
INSIDE = ["\u00ad", "\u200b", "\u200d"]  # normalisation removes them


class Words:
    """A vocabulary. Small ones make many ties."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        size = chance.choice([4, 12, 60, 400, 400, 3000])
        scripts = chance.sample(sorted(SCRIPTS), chance.choice([0, 0, 0, 1, 2, 4]))
        self.words = [self._word(chance.choice(scripts) if scripts and chance.random() < 0.6 else None)
                      for _ in range(size)]
        if chance.random() < 0.3:
            self.words += STOP_WORDS["en"] + STOP_WORDS["de"]

    def _word(self, script: str | None) -> str:
        if script:
            return "".join(self.chance.choices(SCRIPTS[script], k=self.chance.choice([1, 2, 3, 5, 9])))
        syllables = self.chance.choices(["ka", "mo", "zu", "ri", "te", "xo", "q7", "3"], k=self.chance.choice([1, 2, 2, 3, 4, 12]))
        # Some words differ by an ending alone, so that they have a stem in common.
        ending = self.chance.choice(["s", "ed", "ing", "en", "lar"]) if self.chance.random() < 0.3 else ""
        return "".join(syllables) + (ending or str(self.chance.randrange(100)))

    def some(self, count: int) -> list[str]:
        return self.chance.choices(self.words, k=count)


def edited(chance: random.Random, words: list[str], stock: Words, edits: int) -> list[str]:
    """Returns a near-copy with this number of edits."""
    out = list(words)
    for _ in range(edits):
        at = chance.randrange(len(out) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            out[at:at] = stock.some(1)
        elif kind == 1:
            del out[at : at + 1]
        elif kind == 2:
            out[at : at + 1] = stock.some(1)
        elif kind == 3 and out:
            other = chance.randrange(len(out))
            at = min(at, len(out) - 1)
            out[at], out[other] = out[other], out[at]
        else:
            end = chance.randrange(at, len(out) + 1)
            out[at:at] = out[at : min(end, at + 6)]
    return out


def length(chance: random.Random) -> int:
    return chance.choice([0, 1, 2, 3, 4, 5, 6, 9, 15, 25, 30, 40, 40, 50, 60, 60, 80, 120])


def families(chance: random.Random, stock: Words, count: int) -> list[list[str]]:
    out: list[list[str]] = []
    while len(out) < count:
        base = stock.some(length(chance))
        out.append(base)
        for _ in range(chance.choice([0, 0, 1, 2, 4, 8])):
            kind = chance.random()
            if kind < 0.3:
                out.append(base)
            elif kind < 0.4:
                out.append(chance.sample(base, len(base)))
            else:
                out.append(edited(chance, base, stock, chance.choice([1, 1, 1, 2, 2, 3, 5, 10])))
    return out[:count]


def boilerplate(chance: random.Random, stock: Words, count: int) -> list[list[str]]:
    """Texts that share a passage, so that more than 64 sets share a band key."""
    passage = stock.some(chance.choice([20, 40, 60]))
    return [passage + stock.some(chance.choice([0, 1, 1, 2, 5, 12, 30])) for _ in range(count)]


def ties(chance: random.Random, stock: Words, count: int) -> list[list[str]]:
    """Copies of a text with one word replaced, at different places, which gives many equal scores."""
    base = stock.some(chance.choice([12, 30]))
    out = []
    for _ in range(count):
        copy = list(base)
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            copy[chance.randrange(len(copy))] = chance.choice(["zz1", "zz2"])
        out.append(copy)
    return out


def chain(chance: random.Random, stock: Words, count: int) -> list[list[str]]:
    """A chain of texts, each similar to the one before it."""
    out = [stock.some(chance.choice([10, 30]))]
    while len(out) < count:
        out.append(edited(chance, out[-1], stock, chance.choice([1, 1, 2])))
    return out


def collection(chance: random.Random, stock: Words) -> list[list[str]]:
    kind = chance.choice([families] * 5 + [boilerplate] * 2 + [ties, chain])
    if kind is boilerplate:
        count = chance.choice([70, 100, 160])
    else:
        count = chance.choice([0, 1, 4, 12, 25, 40, 40, 50, 60, 60, 90, 150])
    made = kind(chance, stock, count) if count else []
    if made and chance.random() < 0.3:
        made += families(chance, stock, chance.choice([5, 20]))
    chance.shuffle(made)
    return made


def spelled(chance: random.Random, words: list[str], careful: bool) -> str:
    """Spells the words as a text. Careless texts differ in case, punctuation and normal form."""
    if careful:
        return " ".join(words)
    out = ""
    for word in words:
        kind = chance.random()
        if kind < 0.1:
            word = word.upper() if word.upper().casefold() == word.casefold() else word
        elif kind < 0.15:
            word = word.title() if word.title().casefold() == word.casefold() else word
        elif kind < 0.2:
            word = unicodedata.normalize("NFD", word)
        elif kind < 0.22:
            word += chance.choice(INSIDE)
        out += word + chance.choice(BETWEEN)
    return out if chance.random() < 0.5 else out.rstrip()


def page(chance: random.Random, words: list[str]) -> str:
    """Writes the words as a page of HTML, valid or not."""
    out = []
    for word in words:
        kind = chance.random()
        if kind < 0.05:
            word = f"<p class='{chance.choice(['a', 'b>'])}'>{word}</p>"
        elif kind < 0.1:
            word = f"<b>{word}</b>" + chance.choice(["", "<br>", "<!-- no > text -->"])
        elif kind < 0.13:
            word = "".join(f"&#{ord(c)};" for c in word)
        elif kind < 0.16:
            word += chance.choice(["<script>x = '<p>'</script>", "<style>p{}</style>", "<img alt=no>", "&nbsp;", "&eacute;",
                                   " < ", "<td>", "<template>t</template>", "&amp;", "&nosuch;"])
        out.append(word)
    return " ".join(out) + chance.choice(["", "", "<!-- not closed", "<p x='"])
