#!/usr/bin/env python3
"""Collects distinct English sentences from the documentation of installed Debian packages.

  sentence_pool.py OUT

One sentence a line, printable ASCII, in the order of the sorted paths of their files, so that the same packages give
the same bytes. The corpus generator recombines them; every result made from a pool names its sha256.
"""
from __future__ import annotations

import gzip
import hashlib
import html
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]?\s+(?=[\"'(]?[A-Z])")
PRINTABLE = re.compile(r"[ -~]+")
WORD = re.compile(r"[A-Za-z0-9]+")
ROFF_REQUEST = re.compile(r"^[.'](?:B|I|BR|BI|IR|RB|RI|IB|SM|SB|Nm|Fl|Ar|Pa|Xr|Em|Sy|Dv|Va|Fn|Ql) ", re.MULTILINE)
ROFF_LINE = re.compile(r"^[.'].*$", re.MULTILINE)
ROFF_FONT = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)|\\s[-+]?\d|\\[&/,|^]|\\\*\(..")
TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
POD = re.compile(r"^=(?!cut)\w+.*?(?=^=cut|\Z)", re.DOTALL | re.MULTILINE)
POD_MARK = re.compile(r"[BCEFILSX]<+\s?([^<>]*?)\s?>+")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
INDENTED = re.compile(r"^(?: {4,}|\t).*$", re.MULTILINE)


def bible() -> Iterator[str]:
    try:
        done = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return
    for verse in done.stdout.decode("ascii", "replace").splitlines():
        yield verse.partition(" ")[2]


def man_page(text: str) -> str:
    text = ROFF_LINE.sub("", ROFF_REQUEST.sub("", text))
    text = ROFF_FONT.sub("", text).replace("\\-", "-").replace("\\(aq", "'").replace("\\(dq", '"').replace("\\e", "/")
    return re.sub(r"\\.", "", text)


def web_page(text: str) -> str:
    return html.unescape(TAG.sub(" ", text))


def perl_documentation(text: str) -> str:
    return "\n\n".join(POD_MARK.sub(r"\1", INDENTED.sub("", part)) for part in POD.findall(text))


def python_documentation(text: str) -> str:
    return "\n\n".join(DOCSTRING.findall(text))


def plain(text: str) -> str:
    return text


# Folder, pattern of names, reader. Changelogs come last: there are many, with few sentences.
SOURCES = [
    ("/usr/share/man", r"/man[1-8]/.*\.gz$", man_page),
    ("/usr/share/perl", r"\.(pm|pod)$", perl_documentation),
    ("/usr/share/perl5", r"\.(pm|pod)$", perl_documentation),
    ("/usr/lib", r"^/usr/lib/python3.*\.py$", python_documentation),
    ("/usr/lib", r"^/usr/lib/x86_64-linux-gnu/perl.*\.(pm|pod)$", perl_documentation),
    ("/usr/share/common-licenses", r".", plain),
    ("/usr/share/info", r"\.info.*\.gz$", plain),
    ("/usr/share/doc", r"\.html(\.gz)?$", web_page),
    ("/usr/share/doc", r"/(README|NEWS|FAQ|copyright|.*\.(txt|md|rst))[^/]*(\.gz)?$", plain),
    ("/usr/share/doc", r"/changelog[^/]*\.gz$", plain),
]
FOREIGN_MAN = re.compile(r"/man/[a-z]{2}(_[A-Z]{2})?(\.[^/]*)?/")


def files(folder: str, pattern: str) -> list[Path]:
    """Returns regular files by path, without links, which lead to the same files."""
    wanted = re.compile(pattern)
    found = [p for p in Path(folder).rglob("*") if wanted.search(str(p)) and not FOREIGN_MAN.search(str(p))]
    return sorted((p for p in found if p.is_file() and not p.is_symlink()), key=lambda p: str(p).encode())


def read(path: Path) -> str:
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError):
            return ""
    return data.decode("utf-8", "replace")


def sentences(text: str) -> Iterator[str]:
    """Yields sentences of prose, without code, tables and lists."""
    for paragraph in re.split(r"\n\s*\n|\n\s*[-*+o]\s", text.replace("\r", "")):
        for sentence in SENTENCE_END.split(" ".join(paragraph.split())):
            if not 30 <= len(sentence) <= 400 or not PRINTABLE.fullmatch(sentence):
                continue
            letters = sum(c.isalpha() or c == " " for c in sentence)
            if sentence[-1] in ".!?:;" and letters >= 0.85 * len(sentence) and sentence.count(" ") >= 5:
                yield sentence


def collect() -> Iterator[str]:
    for verse in bible():
        yield from sentences(verse)
    for folder, pattern, reader in SOURCES:
        for path in files(folder, pattern):
            yield from sentences(reader(read(path)))


def main() -> None:
    seen: set[str] = set()
    pool: list[str] = []
    for sentence in collect():
        key = " ".join(WORD.findall(sentence.lower()))
        if key not in seen:
            seen.add(key)
            pool.append(sentence)
    data = "".join(sentence + "\n" for sentence in pool).encode("ascii")
    Path(sys.argv[1]).write_bytes(data)
    print(f"{len(pool):,} sentences, {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
