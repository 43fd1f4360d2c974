#!/usr/bin/env python3
# labels: report
"""Tests the evidence page of `benzer dedup --report` and its JSON: right, safe, small, and the same every time.

The program is BENZER or the release build. The page is read by an HTML parser, the JSON is checked by its schema
(docs/report.schema.json); both must agree with the summary. Prints "N passed, N failed".
"""
from __future__ import annotations

import base64
import binascii
import html.parser
import json
import random
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import PATIENCE_SECONDS, ROOT, program, run_test, run_tests, scratch

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())
VOID = {"meta", "br", "link", "img", "input", "hr"}
HOSTILE = '</script><script>alert(1)</script> "\'<img src=x onerror=alert(2)> \0\x1b[31m\u202e\u2066 &lt; \ufeff {}'
WORDS = [f"word{i}" for i in range(5000)]


# --- what the page must be -----------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """Checks that tags are balanced and nothing is loaded; collects text, headings and tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.pictures: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"not closed: {self.open}")
        self.wrong += [f"a link to nowhere: {link}" for link in self.links if link.removeprefix("#") not in self.ids]
        if len(self.ids) != len(set(self.ids)):
            self.wrong.append("an id twice")

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if tag == "img" and name == "src" or name == "style" and "url(" in value:
                self.pictures.append(value.removeprefix("--other:url(").removesuffix(")"))
                continue
            if name.startswith("on") or name in ("src", "srcset", "data", "action", "formaction", "xlink:href"):
                self.wrong.append(f"<{tag} {name}=...>")
            if name == "href":
                self.links.append(value)
            if name == "id":
                self.ids.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):  # <rect/> in a drawing
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_data(self, text):
        self.text += text


def is_jpeg(url: str) -> bool:
    start = "data:image/jpeg;base64,"
    try:
        bytes_of = base64.b64decode(url.removeprefix(start), validate=True)
    except binascii.Error:
        return False
    return url.startswith(start) and bytes_of.startswith(b"\xff\xd8\xff") and bytes_of.endswith(b"\xff\xd9")


def faults_of_page(text: str, pictures: bool = False) -> list[str]:
    page = Page(text)
    faults = page.wrong
    if extra := page.tags & {"script", "iframe", "object", "embed", "link", "form", "base", "video", "audio"}:
        faults.append(f"tags {extra}")
    if page.pictures and not pictures:
        faults.append("pictures")
    if wrong := [url[:80] for url in page.pictures if not is_jpeg(url)]:
        faults.append(f"pictures that are none: {wrong[:3]}")
    if re.search(r"url\((?!data:image/jpeg;base64,[A-Za-z0-9+/=]+\)\")|@import", text):
        faults.append("a resource in the style")
    shown = {c for c in text if (ord(c) < 32 and c not in "\n\t") or c in "\x7f\u202e\u2066\u200b\ufeff"}
    if shown:
        faults.append(f"characters {shown!r}")
    return faults


# --- the parts of JSON Schema that our schema uses ----------------------------------------------

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}
KNOWN = {"anyOf", "$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "properties", "required",
         "additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum", "pattern"}


def is_type(value, name: str) -> bool:
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def violations(value, schema, at="$"):
    if unknown := set(schema) - KNOWN:
        yield f"the schema has {unknown}, which this test does not know"
    if "$ref" in schema:
        yield from violations(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], at)
    if "anyOf" in schema and all(list(violations(value, rule, at)) for rule in schema["anyOf"]):
        yield f"{at}: it is none of {len(schema['anyOf'])} kinds"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        yield f"{at}: {value!r} is not {types}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is not allowed"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} has another form"
    if is_type(value, "number") and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{at}: {value} is out of range"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{at}: {len(value)} items"
        for i, item in enumerate(value):
            yield from violations(item, schema.get("items", {}), f"{at}[{i}]")
    if isinstance(value, dict):
        yield from (f"{at}: no {name}" for name in schema.get("required", []) if name not in value)
        for name, item in value.items():
            rule = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            if rule is False:
                yield f"{at}: {name} is not in the schema"
            else:
                yield from violations(item, rule or {}, f"{at}.{name}")


# --- inputs --------------------------------------------------------------------------------------

def near_copies(seed: int, families: int, words: int = 60) -> list[str]:
    """Clusters of one to six near-copies at many similarities, some of them equal."""
    chance = random.Random(seed)
    texts = []
    for _ in range(families):
        base = chance.choices(WORDS, k=words)
        for _ in range(chance.randint(1, 6)):
            copy = list(base)
            for _ in range(chance.choice([0, 0, 1, 2, 3, 5])):
                copy[chance.randrange(words)] = chance.choice(WORDS)
            texts.append(" ".join(copy))
    chance.shuffle(texts)
    return texts


def write_lines(path: Path, texts: list[str], name: str = "d") -> None:
    path.write_text("".join(json.dumps({"id": f"{name}{i}", "text": text}) + "\n" for i, text in enumerate(texts)))


class Folder:
    def __init__(self, name: str) -> None:
        self.path = scratch("report-" + name)

    def run(self, *arguments: str, code: int = 0):
        """Returns the summary, the page and its JSON of a dedup run."""
        command = [str(program()), "dedup", *arguments, "--report", "r.html", "--json", "--quiet"]
        done = subprocess.run(command, cwd=self.path, capture_output=True, timeout=PATIENCE_SECONDS)
        if done.returncode != code:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.decode()}")
        return json.loads(done.stdout), *self.read()

    def read(self) -> tuple[str, str]:
        return tuple((self.path / name).read_bytes().decode() for name in ("r.html", "r.json"))


def faults(summary, page: str, twin: str) -> list[str]:
    """Returns violations of what must hold for every run."""
    report = json.loads(twin)
    pictures = report["settings"]["config"].startswith("image:")
    out = faults_of_page(page, pictures) + list(violations(report, SCHEMA))
    counts = report["counts"]
    for name in ("documents", "kept", "removed", "clusters", "empty", "short", "replaced", "duplicate_ids", "skipped",
                 "candidates", "verified_pairs", "exact_duplicates"):
        if summary[name] != counts[name]:
            out.append(f"{name}: the summary has {summary[name]}, the report {counts[name]}")
    if counts["removed"] != counts["equal"] + counts["near"] + counts["dropped_short"]:
        out.append("removed is not the sum of its kinds")
    for name in ("config", "threshold", "recall_at_threshold"):
        if summary[name] != report["settings"][name]:
            out.append(f"{name}: {summary[name]} and {report['settings'][name]}")
    text = Page(page).text
    for number in (counts["documents"], counts["kept"], counts["removed"], counts["clusters"]):
        if f"{number:,}" not in text:
            out.append(f"{number:,} is not on the page")
    rows = report["sources"]["rows"] + [report["sources"]["rest"]]
    if sum(row["removed"] for row in rows) != counts["removed"]:
        out.append("the sources do not add up")
    if sum(bin["below"] + bin["similar"] for bin in report["scores"]["bins"]) + report["scores"]["equal"] != report["scores"]["compared"]:
        out.append("the scores do not add up")
    if len(page) > 20e6 or len(twin) > 20e6:
        out.append(f"{len(page)} and {len(twin)} bytes")
    return out


# --- tests: each yields sentences about what is wrong -------------------------------------------

def test_counts_of_several_sources():
    folder = Folder("sources")
    texts = near_copies(1, 150)
    write_lines(folder.path / "a.jsonl", texts[::2], "a")
    write_lines(folder.path / "b.jsonl", texts[1::2], "b")
    summary, page, twin = folder.run("a.jsonl", "b.jsonl", "-o", "out.jsonl")
    yield from faults(summary, page, twin)
    report = json.loads(twin)
    removed = [json.loads(line) for line in (folder.path / "out.jsonl.removed.jsonl").open()]
    for i, row in enumerate("ab"):
        for j, column in enumerate("ab"):
            found = sum(r["source"] == f"{row}.jsonl" and r["kept_source"] == f"{column}.jsonl" for r in removed)
            if report["matrix"]["removed_by"][i][j] != found:
                yield f"{found} of {row} are removed because of {column}, not {report['matrix']['removed_by'][i][j]}"
    scores = {(r["id"], r["kept_id"]): r["score"] for r in removed}
    for cluster in report["clusters"]:
        for member in cluster["members"]:
            if scores.get((member["b"]["id"], member["a"]["id"])) != member["score"]:
                yield f"the list does not have {member['b']['id']} with this keeper and score"
    if summary["report"] != "r.html":
        yield "the summary does not name the report"


def test_the_same_for_any_threads_and_again():
    folder = Folder("same")
    write_lines(folder.path / "in.jsonl", near_copies(2, 300))
    for options in ([], ["--threshold", "0.5", "--features", "text:char5"]):
        first = folder.run("in.jsonl", "--dry-run", "--threads", "1", *options)[1:]
        for threads in ("4", "1", "3"):
            if folder.run("in.jsonl", "--dry-run", "--threads", threads, *options)[1:] != first:
                yield f"another page with {threads} threads"
    if str(ROOT) in first[0] or "seconds" in first[0]:
        yield "the page tells of the machine"


def test_a_dry_run_writes_the_report_only():
    folder = Folder("dry")
    write_lines(folder.path / "in.jsonl", near_copies(3, 40))
    summary, page, twin = folder.run("in.jsonl", "--dry-run")
    yield from faults(summary, page, twin)
    if sorted(p.name for p in folder.path.iterdir()) != ["in.jsonl", "r.html", "r.json"]:
        yield "other files were written"
    if "would be removed" not in page:
        yield "it does not say that nothing was removed"


def failing_commands(folder, report):
    for words in [report["command"]] + [step["command"] for step in report["next_steps"]]:
        done = subprocess.run([str(program()), *words[1:]], cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS)
        if done.returncode != 0:
            yield f"{words}: {done.stderr.decode()}"


def test_the_commands_run():
    folder = Folder("commands")
    (folder.path / "in put").mkdir()
    for i, text in enumerate(near_copies(4, 40)):
        (folder.path / "in put" / f"{i}.txt").write_text(text)
    first = folder.run("in put", "--dry-run", "--threshold", "0.6")
    yield from faults(*first)
    report = json.loads(first[2])
    yield from failing_commands(folder, report)
    if folder.read() != first[1:]:
        yield "the command does not repeat the page"
    if not any(words["command"][1] == "compare" for words in report["next_steps"]):
        yield "no command compares two of the files"


def test_the_commands_run_whatever_the_features():
    folder = Folder("frequencies")
    (folder.path / "texts").mkdir()
    for i, text in enumerate(near_copies(4, 40)):
        (folder.path / "texts" / f"{i}.txt").write_text(text)
    counted = [str(program()), "count-frequencies", "texts", "-o", "texts.freq", "--features", "text:word1"]
    subprocess.run(counted, cwd=folder.path, check=True, capture_output=True, timeout=PATIENCE_SECONDS)
    for compares, options in (
        (True, ["--features", "text:word1+tf-idf", "--frequencies", "texts.freq"]),
        (True, ["--features", "text:word1", "--measure", "containment"]),
        (False, ["--features", "text:word1+tf-idf"]),
        (False, ["--features", "text:word1+drop-common:0.5"]),
    ):
        report = json.loads(folder.run("texts", "--dry-run", "--threshold", "0.6", *options)[2])
        yield from failing_commands(folder, report)
        if any(step["command"][1] == "compare" for step in report["next_steps"]) != compares:
            yield f"compare is suggested, or not: {options}"


def test_the_commands_write_over_no_input():
    folder = Folder("names")
    for name in ("clean.jsonl", "clean-2.jsonl.gz.jsonl", "pairs.jsonl"):
        write_lines(folder.path / name, near_copies(5, 30), name)
    report = json.loads(folder.run("./clean.jsonl", "clean-2.jsonl.gz.jsonl", "--against", "pairs.jsonl", "--dry-run")[2])
    yield from failing_commands(folder, report)
    for name in ("clean-3.jsonl", "pairs-2.jsonl"):
        if not (folder.path / name).exists():
            yield f"{name} was not written"


def markup_on(page, *never):
    for markup in never:
        if markup in page:
            yield f"{markup} is on the page"


def test_what_was_found_comes_first():
    folder = Folder("order")
    write_lines(folder.path / "in.jsonl", near_copies(7, 80))
    page = folder.run("in.jsonl", "--dry-run")[1]
    order = re.findall(r'<h2 id="(\w+)">', page)
    if order != ["clusters", "border", "where", "sizes", "trust", "notes", "done", "next"]:
        yield f"sections {order}"
    if order != re.findall(r'<li><a href="#(\w+)">', page):
        yield "the contents have another order"
    # A page without scripts cannot fold what is open; style sheets unfold it on wide screens.
    if re.search(r"<details[^>]* open", page):
        yield "something is unfolded on a phone"
    if page.count('class="one unfolded"') != 3 or page.count('class="more unfolded"') != 3:
        yield "not the first cluster of each list, and the rest of each list, are unfolded on wide screens"
    if page.count("on a logarithmic scale") != 2 or "ten times" in page:
        yield "the plots do not say what their axes are"


def test_scrolling_by_keyboard():
    folder = Folder("keyboard")
    write_lines(folder.path / "in.jsonl", near_copies(8, 30, 150) + ["short text here now ok", "short text here now ok."])
    page = folder.run("in.jsonl", "--dry-run")[1]
    boxes = re.findall(r'<div class="text"([^>]*)>', page)
    wrong = [box for box in boxes if "role=" in box and not re.fullmatch(r' tabindex="0" role="region" aria-label="Text of [^"]+" .*', box)]
    if wrong or not any("role=" in box for box in boxes) or all("role=" in box for box in boxes):
        yield f"long texts can be reached by keyboard, and short ones need not: {boxes[:4]}"
    if any("tabindex" not in box for box in re.findall(r'<div class="[^"]*scroll[^>]*>', page)):
        yield "a plot or table that scrolls cannot be reached"


def test_two_counts_of_equal_documents():
    folder = Folder("equal")
    words = " ".join(WORDS[:40])
    texts = [words, words + " one more", words + " one more", words, "something else that is only here"]
    write_lines(folder.path / "in.jsonl", texts)
    summary, page, twin = folder.run("in.jsonl", "--dry-run", "--threshold", "0.5")
    yield from faults(summary, page, twin)
    if (summary["exact_duplicates"], json.loads(twin)["counts"]["equal"]) != (2, 1):
        yield f"not what was meant: {summary}"
    if "no feature differs; 1 more equals a removed one" not in page:
        yield "the page does not explain the other number"
    command = [str(program()), "dedup", "in.jsonl", "--dry-run", "--threshold", "0.5"]
    said = subprocess.run(command, cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS).stderr.decode()
    if "2 documents with the same features as an earlier one: 1 equals a kept document, 1 a removed one" not in said:
        yield f"the summary does not explain its number: {said}"


def test_hostile_text():
    folder = Folder("hostile")
    base = " ".join(WORDS[:50])
    lines = [json.dumps({"id": HOSTILE.format(i), "text": HOSTILE.format(base + " " + "x" * i)}).encode() for i in range(4)]
    lines.append(b'{"id":"utf8","text":"\xff\xfe ' + base.encode() + b'"}')
    lines += [b"<b>no json</b>", b'{"id":"<i>","text":5}']
    (folder.path / "<img src=x>.jsonl").write_bytes(b"\n".join(lines))
    summary, page, twin = folder.run("<img src=x>.jsonl", "-o", "o\"><b>.jsonl", "--threshold", "0.5", code=3)
    yield from faults(summary, page, twin)
    if summary["removed"] != 4 or summary["skipped"] != 2 or summary["replaced"] != 1:
        yield f"not what was meant: {summary}"
    yield from markup_on(page, "<script", "<img", "<b>no", "<i>", "onerror=alert(2)>")
    if "\u2400" not in page or "&lt;U+202E&gt;" not in page:
        yield "control characters are not visible"


def test_long_texts_and_many_documents_stay_small():
    folder = Folder("large")
    chance = random.Random(5)
    texts = []
    for _ in range(80):
        base = chance.choices(WORDS, k=20000)
        for _ in range(4):
            base[chance.randrange(20000)] = "<changed>"
            texts.append(" ".join(base))
    write_lines(folder.path / "in.jsonl", texts)
    summary, page, twin = folder.run("in.jsonl", "--dry-run")
    yield from faults(summary, page, twin)
    if len(page) > 3e6:
        yield f"{len(page)} bytes"
    pairs = [member for cluster in json.loads(twin)["clusters"] for member in cluster["members"]]
    for pair in pairs:
        own = [piece["text"] for piece in pair["text_b"]["pieces"] if piece["mark"] == "own"]
        if pair["text_b"]["size"] < 100000 or "changed" not in " ".join(own):
            yield f"the excerpt of {pair['b']['id']} does not show the difference"
            break


def test_other_kinds_of_documents_and_options():
    folder = Folder("kinds")
    rows = [{"id": i, "v": [f"v{i // 3 * 10 + j}" for j in range(9)] + [f"own{i}"]} for i in range(60)]
    (folder.path / "v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield from faults(*folder.run("v.jsonl", "--values", "v", "--dry-run", "--threshold", "0.5", "--keep", "longest"))
    write_lines(folder.path / "t.jsonl", near_copies(6, 60) + ["", "!", "short", "Short", "two words"])
    for options in (["--short", "drop"], ["--features", "text:word2+bag", "--keep", "shortest"], ["--features", "truth:c5"],
                    ["--features", "text:word3+stop:en", "--bands", "32x4"]):
        yield from faults(*folder.run("t.jsonl", "--dry-run", *options))
    (folder.path / "none.jsonl").write_text("")
    yield from faults(*folder.run("none.jsonl", "-o", "out.jsonl"))


def test_refused_names():
    folder = Folder("refused")
    write_lines(folder.path / "in.jsonl", ["a b c"])
    write_lines(folder.path / "x.json", ["a b c"])
    for arguments, word in ((["--report", "-"], "next to"), (["--report", "in.jsonl"], "input"), (["--report", "out"], "same"),
                            (["--report", "x.html"], "input"), (["--report", ""], "empty")):
        command = [str(program()), "dedup", "in.jsonl", "x.json", "-o", "out", *arguments]
        done = subprocess.run(command, cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS)
        if done.returncode != 2 or word not in done.stderr.decode():
            yield f"{arguments}: {done.returncode} {done.stderr.decode()}"
    if sorted(p.name for p in folder.path.iterdir()) != ["in.jsonl", "x.json"]:
        yield "something was written"


def main() -> int:
    return run_tests([test for name, test in globals().items() if name.startswith("test_")])


if __name__ == "__main__":
    sys.exit(run_test(main))
