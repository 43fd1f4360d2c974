#!/usr/bin/env python3
"""Writes src/features/stem_probe.words: the words whose stems tell one version of Snowball from another.

    tools/make_stem_probe.py UDHR.jsonl.zst > src/features/stem_probe.words

UDHR.jsonl.zst has the Universal Declaration of Human Rights, which is in the public domain, in each language
({"id", "text"}, as in ../shared/data/udhr). The rule: normalise by NFKC and fold case; words are runs of letters and
marks; of the distinct words of 4 to 20 characters, sorted by code point, every second one. A line is the code of a
language and its words. Another file would be another checksum in every configuration with +stem, so that each index
made with one would be refused: the file is made once.
"""

import json
import subprocess
import sys
import unicodedata

SOURCES = {
    "ar": "arb", "ca": "cat", "da": "dan", "de": "deu", "el": "ell_monotonic", "en": "eng", "es": "spa",
    "eu": "eus", "fi": "fin", "fr": "fra", "ga": "gle", "hi": "hin", "hu": "hun", "hy": "hye", "id": "ind",
    "it": "ita", "lt": "lit", "ne": "nep", "nl": "nld", "no": "nob", "pt": "por_PT", "ro": "ron", "ru": "rus",
    "sr": "srp_cyrl", "sv": "swe", "ta": "tam", "tr": "tur", "yi": "ydd",
}  # fmt: skip


def words_of(text):
    text = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(c if unicodedata.category(c)[0] in "LM" else " " for c in text)
    return sorted({word for word in kept.split() if 4 <= len(word) <= 20})


def main():
    lines = subprocess.run(["zstd", "-dc", "--long=27", sys.argv[1]], check=True, capture_output=True).stdout
    texts = {record["id"]: record["text"] for record in map(json.loads, lines.splitlines())}
    for language, source in sorted(SOURCES.items()):
        print(language, *words_of(texts[source])[::2])


if __name__ == "__main__":
    main()
