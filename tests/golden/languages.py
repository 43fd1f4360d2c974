"""Stems and words of dictionaries for the definition of features, from libstemmer and ICU by way of ctypes.

The engine uses the same two libraries. What is defined here, and written again, is what happens around them.
"""
from __future__ import annotations

import ctypes
import ctypes.util
import functools
import re

import regex

MOST_STEM_BYTES = 255
MOST_RUN_BYTES = 1 << 14
WITH_DICTIONARY = regex.compile(
    r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Han}\p{Hiragana}\p{Katakana}\p{Common}]")
WORD_BREAKS, DONE = 1, -1
EVERY_DICTIONARY = "ภาษา ພາສາ ភាសា မြန် 我们"


def _library(name: str) -> ctypes.CDLL:
    found = ctypes.util.find_library(name)
    if found is None:
        raise SystemExit(f"the library {name} is not installed (./dev setup test)")
    return ctypes.CDLL(found)


@functools.cache
def _stemmer(language: str) -> tuple[ctypes.CDLL, int]:
    library = _library("stemmer")
    library.sb_stemmer_new.restype = library.sb_stemmer_stem.restype = ctypes.c_void_p
    library.sb_stemmer_new.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    library.sb_stemmer_stem.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    library.sb_stemmer_length.argtypes = [ctypes.c_void_p]
    return library, library.sb_stemmer_new(language.encode(), None)


def stem(language: str, word: str) -> str:
    data = word.encode()
    if len(data) > MOST_STEM_BYTES:
        return word
    library, stemmer = _stemmer(language)
    place = library.sb_stemmer_stem(stemmer, data, len(data))
    return ctypes.string_at(place, library.sb_stemmer_length(stemmer)).decode() or word


@functools.cache
def _icu() -> tuple[ctypes.CDLL, str]:
    """Returns ICU and the suffix of its functions, which is its version."""
    name = ctypes.util.find_library("icuuc") or ""
    version = re.search(r"\.so\.(\d+)", name)
    library = _library("icuuc")
    return library, f"_{version[1]}" if version else ""


def _ends_by_icu(text: str) -> list[int]:
    """Returns where ICU's words of a text end, in code points.

    The iterator cuts a text of each script first, so that it has all dictionaries: it would not take one by a sign that scripts
    share."""
    library, suffix = _icu()
    open_, set_text, next_, close = (
        getattr(library, name + suffix) for name in ("ubrk_open", "ubrk_setText", "ubrk_next", "ubrk_close"))
    open_.restype = ctypes.c_void_p
    set_text.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p]
    next_.argtypes = close.argtypes = [ctypes.c_void_p]
    error = ctypes.c_int(0)
    breaks = open_(WORD_BREAKS, b"", None, 0, ctypes.byref(error))
    assert error.value <= 0 and breaks, error
    for each in (EVERY_DICTIONARY, text):
        utf16 = each.encode("utf-16-le")
        set_text(breaks, utf16, len(utf16) // 2, ctypes.byref(error))
        assert error.value <= 0, error
        ends = []
        while (place := next_(breaks)) != DONE:
            ends.append(len(utf16[: 2 * place].decode("utf-16-le", "ignore")))
    close(breaks)
    return ends


def _cut_run(units: list[str]) -> list[str]:
    """Cuts a run of units into words. The dictionary sees the vowels AM of Thai and Lao composed."""
    owners, text = [], ""  # the number of the unit in which each code point of the text ends
    for number, unit in enumerate(units):
        for c in unit:
            composed = {"\u0e4d\u0e32": "\u0e33", "\u0ecd\u0eb2": "\u0eb3"}.get(text[-1:] + c)
            if composed:
                text, owners[-1] = text[:-1] + composed, number
            else:
                text, owners = text + c, [*owners, number]
    words, first = [], 0
    for end in _ends_by_icu(text):
        last = owners[end - 1]
        if end < len(owners) and owners[end] == last:
            continue  # within a unit
        words.append("".join(units[first : last + 1]))
        first = last + 1
    return words


def dictionary_words(units: list[tuple[str, bool]]) -> list[str]:
    """Returns the words of text:wordsN from those of text:wordN, each with whether it touches the one before it and whether it is
    a code point that was cut out."""
    words, run = [], []
    for unit, touches, is_cut in [*units, ("", False, False)]:
        known = is_cut and WITH_DICTIONARY.match(unit)
        if run and not (known and touches and sum(len(part.encode()) for part in [*run, unit]) <= MOST_RUN_BYTES):
            words += _cut_run(run)
            run = []
        if known:
            run.append(unit)
        elif unit:
            words.append(unit)
    return words
