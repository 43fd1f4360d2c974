#!/usr/bin/env python3
"""Shows pairs of a removed list side by side, the kept document left, the removed one right.

usage: side_by_side.py REMOVED.jsonl [--count 10] [--text FIELD] [--width COLUMNS]

REMOVED.jsonl is what `benzer dedup` writes. The pairs are chosen for a spread of scores, from the
highest to the lowest. Paths in the list are read as they are, so run it where benzer was run.
"""

import argparse
import difflib
import gzip
import json
import os
import shutil
import subprocess
import sys
import unicodedata

MAX_WORDS = 3000  # words of each text that are compared; the diff is quadratic in the worst case
MAX_PLACES = 4  # differences shown of one pair
CONTEXT = 5  # equal words shown before a difference


def read_pairs(path):
    """Reads a few pairs for every score in thousandths, so that long lists need little memory."""
    by_score = {}
    total = 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            if pair.get("kept_id") is None:  # a short document that was dropped has no counterpart
                continue
            total += 1
            same = by_score.setdefault(round(pair["score"], 3), [])
            if len(same) < 20:
                same.append(pair)
    return by_score, total


def spread(by_score, count):
    """Chooses `count` pairs, spread evenly over the scores that occur, each kept document once if possible."""
    scores = sorted(by_score, reverse=True)
    wanted = min(count, len(scores))
    even = [scores[i * (len(scores) - 1) // max(1, wanted - 1)] for i in range(wanted)]
    left = {score: list(pairs) for score, pairs in by_score.items()}
    chosen, seen = [], set()
    while len(chosen) < count and any(left[score] for score in even):
        for score in even:  # one of each score, then a second one of each, ...
            if left[score] and len(chosen) < count:
                pair = next((p for p in left[score] if family(p) not in seen), left[score][0])
                left[score].remove(pair)
                seen.add(family(pair))
                chosen.append(pair)
    return sorted(chosen, key=lambda pair: -pair["score"])


def family(pair):
    return (pair["kept_source"], pair.get("kept_line"), pair["kept_id"])


def open_lines(path):
    if path.endswith(".gz"):
        return gzip.open(path)
    if path.endswith(".zst"):
        return subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE).stdout
    return open(path, "rb")


def read_texts(places, field):
    """Returns the text of each (source, line), and reads each source once. Line 0 means the whole file."""
    wanted = {}
    for source, line in places:
        wanted.setdefault(source, set()).add(line or 0)
    texts = {}
    for source, numbers in wanted.items():
        with open_lines(source) as file:
            if numbers == {0}:
                texts[source, 0] = file.read().decode("utf-8", "replace")
                continue
            for number, line in enumerate(file, 1):
                if number in numbers:
                    text = json.loads(line).get(field, "")
                    texts[source, number] = text if isinstance(text, str) else "\n".join(map(str, text))
    return texts


def cell_width(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def fit(text, width):
    """Cuts the text, or fills it with blanks, to exactly `width` columns."""
    text = "".join(c if c.isprintable() else " " for c in text)
    if cell_width(text) > width:
        while cell_width(text) > width - 3:
            text = text[:-1]
        text += "..."
    return text + " " * (width - cell_width(text))


def two_rows(words, width):
    """Lays out words in two rows, the second one indented and cut."""
    first = []
    while words and cell_width(" ".join([*first, words[0]])) <= width:
        first.append(words[0])
        words = words[1:]
    return fit(" ".join(first), width), fit("  " + " ".join(words), width)


def places(left, right):
    """Returns where two texts differ, word by word: (words before, left words, right words, words after)."""
    a, b = left.split()[:MAX_WORDS], right.split()[:MAX_WORDS]
    codes = [c for c in difflib.SequenceMatcher(None, a, b).get_opcodes() if c[0] != "equal"]
    for n, (_, i, i_end, j, j_end) in enumerate(codes):
        until = codes[n + 1][1] if n + 1 < len(codes) else len(a)
        yield a[max(0, i - CONTEXT) : i], a[i:i_end], b[j:j_end], a[i_end : min(until, i_end + 30)]


def marked(before, words, after, width):
    """Shows one difference in two rows; shortens the words before it if the difference is long."""
    before = list(before)
    while before and cell_width(" ".join(before)) > width // 2:
        before.pop(0)
    words = ["[" + words[0], *words[1:]] if words else ["["]
    words[-1] += "]"
    return two_rows([*before, *words, *after], width)


def show(number, total, pair, left, right, width):
    column = (width - 3) // 2

    def rows(a, b):
        for cells in zip(a, b):
            if any(cell.strip() for cell in cells):
                print(" | ".join(cells).rstrip())

    def name(role, document):
        document = str(document)
        room = column - 9
        return [fit(role + (document if len(document) <= room else "..." + document[3 - room :]), column)]

    head = f"-- {number} of {total}: score {pair['score']:.3f} "
    print("\n" + head + "-" * (width - len(head)))
    rows(name("kept     ", pair["kept_id"]), name("removed  ", pair["id"]))
    differences = list(places(left, right))
    if not differences:
        print("  (the same bytes)" if left == right else "  (only the white space differs)")
        rows(two_rows(left.split()[:60], column), two_rows(right.split()[:60], column))
    for before, in_left, in_right, after in differences[:MAX_PLACES]:
        rows(marked(before, in_left, after, column), marked(before, in_right, after, column))
    more = len(differences) - MAX_PLACES
    if more > 0:
        print(f"  (and {more} more place{'s' if more > 1 else ''} where they differ)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("removed")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--text", default="text", help="JSON field that holds the text")
    parser.add_argument("--width", type=int, default=min(160, shutil.get_terminal_size((100, 24)).columns))
    options = parser.parse_args()

    by_score, total = read_pairs(options.removed)
    pairs = spread(by_score, options.count)
    if not pairs:
        print("\nNothing was removed because of a similar document, so there is no pair to show.")
        return
    ends = [(p["kept_source"], p.get("kept_line")) for p in pairs] + [(p["source"], p.get("line")) for p in pairs]
    texts = read_texts(ends, options.text)
    print(f"\n{len(pairs)} of the {total} removed documents beside what was kept; [ ] marks where they differ.")
    for number, pair in enumerate(pairs, 1):
        left = texts[pair["kept_source"], pair.get("kept_line") or 0]
        right = texts[pair["source"], pair.get("line") or 0]
        show(number, len(pairs), pair, left, right, max(60, options.width))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
