#!/usr/bin/env python3
# labels: report passages
"""Tests the page of `benzer passages --report`: right, safe, small, and the same every time.

The program is BENZER or the release build. The page is checked as those of report_test.py, and must agree with the summary
and with the list of passages. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from common import PATIENCE_SECONDS, ROOT, program, run_test, run_tests, scratch
from report_test import HOSTILE, Page, faults_of_page

WORDS = [f"word{i}" for i in range(5000)]
SECTIONS = ["origins", "documents", "frequent", "notes", "done"]


class Folder:
    def __init__(self, name: str) -> None:
        self.path = scratch("passage-report-" + name)

    def write(self, name: str, texts: list[str], label: str = "d") -> None:
        lines = [json.dumps({"id": f"{label}{i}", "text": text}) + "\n" for i, text in enumerate(texts)]
        (self.path / name).write_text("".join(lines))

    def run(self, *arguments: str, code: int = 0):
        """Returns the summary, the page and the passages."""
        command = [str(program()), "passages", *arguments, "--report", "r.html", "-o", "out.jsonl", "--json", "--quiet"]
        done = subprocess.run(command, cwd=self.path, capture_output=True, timeout=PATIENCE_SECONDS)
        if done.returncode != code:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()}")
        passages = [json.loads(line) for line in (self.path / "out.jsonl").open()]
        return json.loads(done.stdout), (self.path / "r.html").read_bytes().decode(), passages


def quoting(seed: int, count: int, change: float = 0) -> list[str]:
    """Texts that quote earlier ones, some words of the quotations changed."""
    chance = random.Random(seed)
    texts: list[list[str]] = []
    for _ in range(count):
        words = chance.choices(WORDS, k=chance.randint(0, 120))
        for _ in range(chance.randint(0, 3)):
            if not texts:
                break
            source = chance.choice(texts)
            begin = chance.randrange(len(source) + 1)
            quoted = [chance.choice(WORDS) if chance.random() < change else word for word in source[begin : begin + 60]]
            at = chance.randrange(len(words) + 1)
            words[at:at] = quoted
        texts.append(words)
    return [" ".join(words) for words in texts]


def faults(summary, page: str, passages) -> list[str]:
    """Returns violations of what must hold for every run."""
    out = faults_of_page(page)
    if (order := re.findall(r'<h2 id="(\w+)">', page)) != SECTIONS:
        out.append(f"sections {order}")
    text = Page(page).text
    for name in ("documents", "documents_with_passages", "passages", "clusters", "words", "shared_words"):
        if f"{summary[name]:,}" not in text:
            out.append(f"{name}: {summary[name]:,} is not on the page")
    if len(passages) != summary["passages"]:
        out.append("the list and the summary differ")
    if re.search(r"<details[^>]* open", page):
        out.append("something is unfolded on a phone")
    return out


def test_documents_and_where_passages_come_from():
    folder = Folder("documents")
    folder.write("in.jsonl", quoting(1, 60))
    summary, page, passages = folder.run("in.jsonl", "--min-words", "12")
    yield from faults(summary, page, passages)
    documents: dict[str, set] = {}
    for passage in passages:
        documents.setdefault(passage["first"]["document"], set()).add(passage["document"])
    rows = dict(re.findall(r'<th scope="row"><bdi>(d\d+)</bdi></th><td[^>]*>[^<]*</td><td class="number">(\d+)</td>', page))
    if not rows:
        yield "no row names a document"
    for name, number in rows.items():
        if len(documents[name]) != int(number):
            yield f"{name} is in {len(documents[name])} documents, and the page says {number}"
    if max(len(found) for found in documents.values()) != max(int(number) for number in rows.values()):
        yield "the document that most have passages of is not there"
    for passage in passages[:3]:
        if passage["text"].split()[0] not in page:
            yield f"{passage['text'][:40]} is not on the page"


def test_the_most_frequent_passage():
    folder = Folder("frequent")
    menu = "home news about us contact imprint privacy terms help search login"
    folder.write("in.jsonl", [f"{menu} text{i} of{i} its{i} own{i}" for i in range(40)] + quoting(2, 20))
    summary, page, passages = folder.run("in.jsonl", "--min-words", "8")
    yield from faults(summary, page, passages)
    if "<b>In 39 documents</b>: 11 words of <b><bdi>d0</bdi></b>" not in page:
        yield "the page does not show the menu and how often it is there"


def test_words_of_near_passages_that_differ():
    folder = Folder("near")
    before, after = WORDS[:20], WORDS[20:40]
    folder.write("in.jsonl", [" ".join([*before, "old", *after]), " ".join([*before, "new", "words", *after])])
    summary, page, passages = folder.run("in.jsonl", "--min-words", "12", "--gap", "3")
    yield from faults(summary, page, passages)
    marked = set(re.findall(r"<mark>([^<]*)</mark>", page)) - {"words"}
    if marked != {"old", "new words"}:
        yield f"marked as different: {marked}"
    if "40 of 42 are equal" not in page:
        yield "the score is not explained"
    folder.write("in.jsonl", quoting(3, 60, change=0.05))
    yield from faults(*folder.run("in.jsonl", "--min-words", "12", "--gap", "3"))


def test_what_is_said_of_near_passages():
    folder = Folder("sentences")
    folder.write("in.jsonl", quoting(8, 40))
    exact = "Every run of at least 12 words that an earlier document has, too, is found."
    near = "Near passages are found by runs of 4 equal words."
    page = folder.run("in.jsonl", "--min-words", "12")[1]
    if exact not in page or near in page:
        yield "the settings do not say that all equal passages are found"
    if not re.search(r"in common with an earlier document, and [0-9.]+ % of all words are in one\.</p>", page):
        yield "the headline does not say what the share of words is"
    page = folder.run("in.jsonl", "--min-words", "12", "--gap", "2")[1]
    if exact in page or near not in page:
        yield "the settings promise all near passages"
    page = folder.run("in.jsonl", "--min-words", "60", "--gap", "2")[1]
    if "by runs of 8 equal words" not in page:
        yield "the settings do not say which runs near passages need"
    folder.write("known.jsonl", quoting(8, 10), "r")
    if "that a reference has, too, is found" not in folder.run("in.jsonl", "--against", "known.jsonl")[1]:
        yield "the settings speak of earlier documents, and there are references"


def test_the_end_of_a_long_near_passage():
    """So far into a passage nobody looks for words that differ."""
    folder = Folder("long")
    note = "Words that differ are marked in the first 4,000 words only."
    for size, is_noted in ((4010, True), (3900, False)):
        before = WORDS[:size]
        folder.write("in.jsonl", [" ".join(before), " ".join([*before[:30], "put", "in", "here", *before[30:]])])
        page = folder.run("in.jsonl", "--min-words", "12", "--gap", "3")[1]
        marked = set(re.findall(r"<mark>([^<]*)</mark>", page)) - {"words"}
        if marked != {"put in here"}:
            yield f"marked as different of {size} words: {marked}"
        if (note in page) != is_noted:
            yield f"the page is wrong about the words that are marked of {size}"


def test_a_page_is_a_file():
    folder = Folder("device")
    folder.write("in.jsonl", ["a text"])
    for more in ([], ["--remove"]):
        for path in ("-", "/dev/null"):
            command = [str(program()), "passages", "in.jsonl", "-o", "out.jsonl", "--report", path, *more]
            done = subprocess.run(command, cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS, text=True)
            expected = f"benzer: --report '{path}' is not allowed: name a file\n"
            if done.returncode != 2 or done.stderr != expected or done.stdout:
                yield f"{command[2:]}: {done.returncode} {done.stderr}"


def test_documents_that_are_files():
    folder = Folder("files")
    for name, text in (("a.txt", " ".join(WORDS[:40])), ("b.txt", " ".join(WORDS[10:30]))):
        (folder.path / name).write_text(text)
    summary, page, passages = folder.run("a.txt", "b.txt", "--min-words", "12")
    yield from faults(summary, page, passages)
    if "<summary>In <bdi>a.txt</bdi>: bytes " not in page:
        yield "the place of a passage is not where it should be"


def test_references():
    folder = Folder("references")
    texts = quoting(4, 40)
    folder.write("known.jsonl", texts[:20], "r")
    folder.write("in.jsonl", texts[20:])
    summary, page, passages = folder.run("in.jsonl", "--against", "known.jsonl", "--min-words", "12")
    yield from faults(summary, page, passages)
    if "References that were found" not in page or "in common with the references" not in page:
        yield "the page does not say that these are references"
    named = set(re.findall(r'<th scope="row"><bdi>([a-z]\d+)</bdi></th>', page))
    if not named or any(name.startswith("d") for name in named):
        yield f"not only references are named: {named}"


def test_the_same_for_any_threads_and_again():
    folder = Folder("same")
    folder.write("in.jsonl", quoting(5, 300, change=0.02))
    for options in (["--min-words", "10"], ["--min-words", "10", "--gap", "4"]):
        first = folder.run("in.jsonl", "--threads", "1", *options)[1]
        for more in (["--threads", "4"], ["--threads", "2", "--memory-limit", "64M"]):
            if folder.run("in.jsonl", *more, *options)[1] != first:
                yield f"another page with {more}"
    if str(ROOT) in first or "seconds" in first:
        yield "the page tells of the machine"


def test_the_command_repeats_the_page():
    folder = Folder("command")
    folder.write("in.jsonl", quoting(6, 30))
    page = folder.run("in.jsonl", "--min-words", "10")[1]
    command = re.search(r"<code>(benzer passages [^<]*)</code>|<pre[^>]*>(benzer passages [^<]*)</pre>", page)
    if not command:
        yield "the page has no command"
        return
    words = (command[1] or command[2]).split()
    done = subprocess.run([str(program()), *words[1:]], cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS)
    if done.returncode != 0 or (folder.path / "r.html").read_text() != page:
        yield f"{words}: {done.returncode} {done.stderr.decode()}"


def test_what_would_be_removed():
    folder = Folder("removal")
    folder.write("in.jsonl", quoting(9, 60))
    page = folder.run("in.jsonl", "--min-words", "12")[1]
    command = [str(program()), "passages", "in.jsonl", "--min-words", "12", "--remove", "--dry-run", "--report", "dry.html", "--quiet"]
    subprocess.run(command, cwd=folder.path, check=True, timeout=PATIENCE_SECONDS)
    dry = (folder.path / "dry.html").read_text()
    yield from faults_of_page(dry)
    body = slice(page.index('<h2 id="origins"'), page.index('<h2 id="done"'))
    if page[body] != dry[dry.index('<h2 id="origins"') : dry.index('<h2 id="done"')]:
        yield "the page of a removal has other passages"


def test_nothing_found_and_nothing_there():
    folder = Folder("nothing")
    for texts in ([], [""], ["one two three", "four five six"]):
        folder.write("in.jsonl", texts)
        summary, page, passages = folder.run("in.jsonl")
        yield from faults(summary, page, passages)


def test_hostile_text():
    folder = Folder("hostile")
    chance = random.Random(7)
    lines = []
    for i in range(60):
        text = " ".join([HOSTILE, *chance.choices(WORDS[:300], k=20), HOSTILE, *WORDS[:30], "<b>" * 20])
        lines.append(json.dumps({"id": HOSTILE + str(i % 7), "text": text}).encode())
    lines += [b'{"text":"\xff\xfe ' + " ".join(WORDS[:40]).encode() + b'"}', b"<script>", b'{"id":"\\ud800","text":"x"}']
    (folder.path / "in.jsonl").write_bytes(b"\n".join(lines))
    for options in (["--gap", "2"], ["--features", "text:word1+html"]):
        summary, page, passages = folder.run("in.jsonl", "--min-words", "10", *options, code=3)
        yield from faults(summary, page, passages)
        if "<b><b>" in page or "<img src=x" in page:
            yield "text became markup"


def test_large_texts_make_a_small_page():
    folder = Folder("large")
    chance = random.Random(8)
    base = chance.choices(WORDS, k=200_000)
    folder.write("in.jsonl", [" ".join(base)] + [" ".join(base[i:] + [f"x{i}"]) for i in range(4)]
                 + [" ".join(" ".join(base[j : j + 12]) + f" y{j}" for j in range(0, 100_000, 37))])
    summary, page, passages = folder.run("in.jsonl", "--min-words", "10")
    yield from faults(summary, page, passages)
    if len(page) > 2e6:
        yield f"{len(page)} bytes"


def test_what_is_refused():
    folder = Folder("refused")
    folder.write("in.jsonl", ["a b c"])
    for arguments, word in ((["-o", "x", "--report", "x"], "x"), (["--report", "in.jsonl"], "input"), (["--report", ""], "empty"),
                            (["--remove", "-o", "out", "--report", "out.removed.jsonl"], "out.removed.jsonl")):
        done = subprocess.run([str(program()), "passages", "in.jsonl", *arguments], cwd=folder.path, capture_output=True,
                              timeout=PATIENCE_SECONDS)
        if done.returncode != 2 or word not in done.stderr.decode():
            yield f"{arguments}: {done.returncode} {done.stderr.decode()}"
    if sorted(path.name for path in folder.path.iterdir()) != ["in.jsonl"]:
        yield "something was written"


def main() -> int:
    return run_tests([test for name, test in globals().items() if name.startswith("test_")])


if __name__ == "__main__":
    sys.exit(run_test(main))
