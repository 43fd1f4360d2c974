#!/usr/bin/env python3
"""Finds licence texts inside copyright files with `benzer passages`, and compares with what the files say themselves.

  licences.py [--files FOLDER] [--min-words N] [--found FILE]

Machine-readable copyright files (copyright-format 1.0 of Debian) name a licence in each paragraph `License:`, most of
them with its text. This program cuts the paragraphs out, looks up which passages `benzer passages COPYRIGHT --against
LICENCES` has found in each, and says whether they are of the licence that the paragraph names. Files are those of
shared/data/manpages (BENZER_DATA names the folder), or all files called `copyright` below a folder such as
/usr/share/doc; of equal ones the first counts. --found reads what the program has printed, in place of running it.

With --against, files are compared with the licences only and not with each other. A passage names the first of all references that have it, and many licences share
their text. So short names come first in the references, and a passage is of the paragraph's licence if the text of any
licence with this name has its words.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpora import unpacked
from measure import OUT, benzer, data_folder, publish, spread, table

WORD = re.compile(r"\w+")
PARAGRAPH = re.compile(r"^License:(?P<name>.*)\n(?P<text>(?:[ \t].*\n?)*)", re.MULTILINE)
# Names in copyright files that are spelled otherwise in the list of licences.
OTHER_NAMES = {"expat": "mit", "artistic": "artistic-1.0", "bsd-2": "bsd-2-clause", "bsd-3": "bsd-3-clause",
               "bsd": "bsd-3-clause", "x11": "x11", "gnu-all-permissive-license": "fsfap", "mpl": "mpl-1.1"}
GNU = re.compile(r"(?P<kind>agpl|lgpl|gpl|gfdl|fdl)-?v?-?(?P<major>\d)?(?:\.(?P<minor>\d))?")
FEWEST = 20  # words of a text; shorter paragraphs only say where the text is


@dataclass
class Paragraph:
    file: str
    name: str
    start: int  # bytes of its text
    end: int
    words: int
    is_reference: bool  # to a file of the system that has the text


@dataclass(frozen=True)
class Passage:
    start: int
    end: int
    words: int
    licence: str
    text: str


def word_list(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def common_name(name: str) -> str:
    """Returns the beginning of the licence's names in the list: `GPL-2+` is gpl-2.0, as is `GPL-2.0-or-later`."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    if found := GNU.match(plain):
        kind = {"fdl": "gfdl"}.get(found["kind"], found["kind"])
        return f"{kind}-{found['major']}.{found['minor'] or 0}" if found["major"] else kind
    plain = plain.removesuffix("+")
    return OTHER_NAMES.get(plain, plain)


def names_in(expression: str) -> list[str]:
    """Returns the licences of `GPL-2+ and (MIT or X11)`; exceptions belong to the licence in front of them."""
    parts = re.split(r",?\s+(?:and/or|and|or)\s+|,\s*", re.sub(r"[()]", "", expression.strip()), flags=re.IGNORECASE)
    return [re.sub(r"\s+with\s.*", "", part, flags=re.IGNORECASE) for part in parts if part]


def copyright_files(folder: Path | None) -> dict[str, str]:
    """Returns the texts of distinct files by name."""
    files: Iterator[tuple[str, bytes]]
    if folder:
        paths = sorted(path for path in folder.rglob("copyright") if path.is_file())
        files = ((path.parent.name, path.read_bytes()) for path in paths)
    else:
        data = data_folder()
        if data is None:
            sys.exit("manpages and licences are not there (BENZER_DATA names their folder).")
        archive = tarfile.open(unpacked(data / "manpages" / "copyright.tar.zst"))
        members = sorted((one for one in archive.getmembers() if one.isfile()), key=lambda one: one.name)
        files = ((Path(one.name).stem, archive.extractfile(one).read()) for one in members)
    seen: set[bytes] = set()
    texts = {}
    for name, content in files:
        digest = hashlib.sha256(content).digest()
        if digest not in seen:
            seen.add(digest)
            texts[name] = content.decode("utf-8", "replace")
    return texts


def licence_texts() -> dict[str, str]:
    """Returns the licences, shorter names first."""
    data = data_folder()
    if data is None:
        sys.exit("licences are not there (BENZER_DATA names their folder).")
    with unpacked(data / "licences" / "licences.jsonl.zst").open(encoding="utf-8") as file:
        texts = {line["id"]: line["text"] for line in map(json.loads, file)}
    return dict(sorted(texts.items(), key=lambda item: (len(item[0]), item[0])))


def write_lines(path: Path, texts: dict[str, str], group: str) -> Path:
    lines = (json.dumps({"id": id, "kind": group, "text": text}) + "\n" for id, text in texts.items())
    path.write_text("".join(lines), encoding="ascii")
    return path


def paragraphs_of(file: str, text: str) -> tuple[list[Paragraph], list[str]]:
    """Returns the paragraphs with a text, and all names of licences in a file."""
    found, names = [], []
    for one in PARAGRAPH.finditer(text):
        name = one["name"].strip()
        names += names_in(name)
        words = len(word_list(one["text"]))
        if name and words >= FEWEST:
            start, end = (len(text[:at].encode()) for at in one.span("text"))
            found.append(Paragraph(file, name, start, end, words, "common-licenses" in one["text"]))
    return found, names


def passages_by_file(found: Path, texts: dict[str, str]) -> dict[str, list[Passage]]:
    by_file: dict[str, list[Passage]] = defaultdict(list)
    with found.open(encoding="utf-8") as file:
        for line in map(json.loads, file):
            words = texts[line["document"]].encode()[line["begin"]:line["end"]].decode("utf-8", "replace")
            if line["first"]["document"] not in texts:  # else it is of another copyright file
                by_file[line["document"]].append(
                    Passage(line["begin"], line["end"], line["words"], line["first"]["document"], words))
    return by_file


class Licences:
    """Says whether a licence of some name has a run of words."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for id, text in texts.items():
            joined = f" {' '.join(word_list(text))} "
            lower = id.lower()
            for end in range(len(lower), 0, -1):
                if end == len(lower) or lower[end] == "-":
                    self.by_name[lower[:end]].append(joined)

    def has_name(self, name: str) -> bool:
        return common_name(name) in self.by_name

    def has_words(self, name: str, words: str) -> bool:
        run = f" {' '.join(word_list(words))} "
        return any(run in text for text in self.by_name.get(common_name(name), ()))


def covered_words(paragraph: Paragraph, passages: list[Passage], content: bytes) -> int:
    """Returns how many words of a paragraph are in at least one passage."""
    covered, reached = 0, paragraph.start
    for one in sorted(passages, key=lambda one: one.start):
        start, end = max(one.start, reached), min(one.end, paragraph.end)
        if start < end:
            covered += len(word_list(content[start:end].decode("utf-8", "replace")))
            reached = end
    return covered


def judge(paragraph: Paragraph, inside: list[Passage], licences: Licences) -> str:
    names = names_in(paragraph.name)
    if not inside and paragraph.is_reference:
        return "no passage, says where the text is"
    if not inside:
        return "no passage" if any(map(licences.has_name, names)) else "no passage, no licence of this name in the list"
    if any(licences.has_words(name, one.text) for name in names for one in inside):
        return "agrees"
    return "another licence" if any(map(licences.has_name, names)) else "a licence, but none of this name in the list"


VERDICTS = ["agrees", "another licence", "a licence, but none of this name in the list", "no passage, says where the text is",
            "no passage", "no passage, no licence of this name in the list"]


def compare(texts: dict[str, str], licences: Licences, by_file: dict[str, list[Passage]]) -> str:
    verdicts: Counter[str] = Counter()
    shares: dict[str, list[float]] = defaultdict(list)
    examples: Counter[tuple[str, str, str]] = Counter()
    unnamed: Counter[tuple[str, str]] = Counter()
    without_text: Counter[str] = Counter()
    for file, text in texts.items():
        content, passages = text.encode(), by_file.get(file, [])
        paragraphs, names = paragraphs_of(file, text)
        for paragraph in paragraphs:
            inside = [one for one in passages if one.start < paragraph.end and paragraph.start < one.end]
            verdict = judge(paragraph, inside, licences)
            verdicts[verdict] += 1
            shares[verdict].append(covered_words(paragraph, inside, content) / paragraph.words)
            if verdict not in ("agrees", "no passage, says where the text is"):
                longest = max(inside, key=lambda one: one.words, default=None)
                examples[verdict, paragraph.name, longest.licence if longest else ""] += 1
        for one in passages:
            if not any(licences.has_words(name, one.text) for name in set(names)):
                unnamed[one.licence, "in a paragraph of another name" if any(
                    one.start < paragraph.end and paragraph.start < one.end for paragraph in paragraphs)
                    else "elsewhere in the file"] += 1
        with_text = {common_name(name) for paragraph in paragraphs for name in names_in(paragraph.name)}
        without_text.update({common_name(name) for name in names if name.strip()} - with_text)
    percent = {name: spread((100 * share for share in found), 0) for name, found in shares.items()}
    listed = [[verdict, f"{verdicts[verdict]:,}", percent.get(verdict, "")] for verdict in VERDICTS]
    return "\n\n".join([
        table(["paragraphs with a text: what was found in it", "paragraphs", "% of its words in passages"], listed),
        "The most frequent paragraphs that do not agree:",
        table(["what", "the paragraph's name", "longest passage, first licence that has it", "paragraphs"],
              [[*names, f"{count:,}"] for names, count in examples.most_common(20)]),
        "Passages of licences that no paragraph of the file names:",
        table(["first licence that has it", "where", "passages"],
              [[*names, f"{count:,}"] for names, count in unnamed.most_common(20)]),
        "Names without a text in the same file:",
        table(["licence", "files"], [[name, f"{count:,}"] for name, count in without_text.most_common(20)])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path, metavar="FOLDER", help="where files called copyright are")
    parser.add_argument("--min-words", type=int, default=20, help="the fewest words of a passage (default 20)")
    parser.add_argument("--found", type=Path, metavar="FILE", help="what benzer passages has printed")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    texts, licences = copyright_files(options.files), licence_texts()
    files = write_lines(OUT / "licences.files.jsonl", texts, "copyright")
    references = write_lines(OUT / "licences.references.jsonl", licences, "licence")
    found = options.found
    if not found:
        found = OUT / "licences.found.jsonl"
        with found.open("wb") as out:
            subprocess.run([benzer(), "passages", files, "--against", references,
                            "--min-words", str(options.min_words), "--quiet"], stdout=out, check=True)
    by_file = passages_by_file(found, texts)
    machine_readable = sum("copyright-format" in text[:200] for text in texts.values())
    publish("licences", "Licence texts inside copyright files",
            f"{len(texts):,} distinct files, {machine_readable:,} of them machine-readable, {len(licences):,} licence "
            f"texts; passages of at least {options.min_words} words. {sum(map(len, by_file.values())):,} passages in "
            f"{len(by_file):,} files.\n\n" + compare(texts, Licences(licences), by_file))


if __name__ == "__main__":
    main()
