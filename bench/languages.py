"""Measures what stems, stop words and words of dictionaries change: what is found among real pages, and what it costs.

The right answers do not come from the features that are compared. A pair of translated manual pages is right if their
English originals are similar (truth:w3, J >= 0.3). Two versions of the Universal Declaration of Human Rights are right if
they are of one language. Passages of it are right with a copy of theirs in which spans of characters were lost or replaced.
"""
from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

from corpora import unpacked
from measure import OUT, benzer, data_folder, publish, run_timed, spread, table

Pairs = dict[frozenset, float]

ORIGINALS_AT = "0.3"
FIGURES = ["average precision", "best threshold", "recall there", "precision there"]  # what figures() returns
PAGES_NOTE = ("Manual pages whose English originals are there. A pair is right if its originals are similar "
              f"(`truth:w3`, J >= {ORIGINALS_AT}). The best threshold is the one with the highest harmonic mean of recall and "
              "precision.")
PAGES = [("de", "de"), ("fr", "fr"), ("pt_BR", "pt"), ("ja", None)]  # folder of the pages, language of Snowball
SAME_LANGUAGE = {"de": ["deu", "deu_1901"], "el": ["ell_monotonic", "ell_polytonic"], "pt": ["por_BR", "por_PT"],
                 "ro": ["ron", "ron_1953", "ron_1993"]}
WITHOUT_SPACES = {"Thai": "tha", "Lao": "lao", "Khmer": "khm", "Burmese": "mya", "Japanese": "jpn", "Chinese": "cmn_hans"}
PASSAGE = 150  # characters


def read(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8") as file:
        return {record["id"]: record["text"] for record in map(json.loads, file)}


def write(name: str, texts: dict[str, str]) -> Path:
    path = OUT / f"languages.{name}.jsonl"
    lines = (json.dumps({"id": id, "text": text}, ensure_ascii=False) + "\n" for id, text in sorted(texts.items()))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def find_pairs(path: Path, features: str, threshold: str) -> Pairs:
    out = OUT / "languages.pairs.jsonl"
    run_timed([benzer(), "pairs", path, "--exact", "--features", features, "--threshold", threshold, "--quiet", "-o", out])
    with out.open(encoding="utf-8") as file:
        return {frozenset((pair["a"], pair["b"])): pair["score"] for pair in map(json.loads, file)}


def figures(found: Pairs, right: set[frozenset]) -> list[str]:
    """Returns the average precision, and recall and precision at the threshold where their harmonic mean is highest."""
    ranked = sorted(found.items(), key=lambda pair: -pair[1])
    hits, total, best = 0, 0.0, (0.0, 0.0, 0.0, 0.0)
    for number, (pair, score) in enumerate(ranked, 1):
        if pair in right:
            hits += 1
            total += hits / number
        if number == len(ranked) or ranked[number][1] < score:
            best = max(best, (2 * hits / (number + len(right)), score, hits / len(right), hits / number))
    return [f"{total / len(right):.3f}", f"{best[1]:.2f}", f"{best[2]:.3f}", f"{best[3]:.3f}"]


def with_modifiers(features: str, language: str) -> list[str]:
    stop, stem = f"+stop:{language}", f"+stem:{language}"
    return [features, features + stem, features + stop, features + stop + stem]


def measure_pages(pages: dict[str, str]) -> Iterable[list[object]]:
    of_language: dict[str, dict[str, str]] = {}
    for id, text in pages.items():
        language, name = id.split("/", 1)
        of_language.setdefault(language, {})[name] = text
    for folder, language in PAGES:
        names = of_language[folder].keys() & of_language["en"].keys()
        originals = write("originals", {name: of_language["en"][name] for name in names})
        right = set(find_pairs(originals, "truth:w3", ORIGINALS_AT))
        path = write("pages", {name: of_language[folder][name] for name in names})
        specs = with_modifiers("text:word3", language) if language else [
            "text:word3", "text:words3", "text:word5", "text:words5", "text:char5", "text:char9"]
        for spec in specs:
            yield [folder, f"{len(names)} / {len(right)}", f"`{spec}`", *figures(find_pairs(path, spec, "0.1"), right)]


def measure_versions(declarations: dict[str, str]) -> Iterable[list[object]]:
    path = write("declarations", declarations)
    for language, ids in SAME_LANGUAGE.items():
        for features in ("text:word1", "text:word3"):
            for spec in with_modifiers(features, language):
                found = find_pairs(path, spec, "0.001")
                own = min(found.get(frozenset((a, b)), 0.0) for i, a in enumerate(ids) for b in ids[i + 1:])
                other = max((score for pair, score in found.items() if len(pair & set(ids)) == 1), default=0.0)
                yield [language, f"`{spec}`", f"{own:.3f}", f"{other:.3f}"]


def damaged(passage: str, passages: list[str], chance: random.Random) -> str:
    """Returns the passage in spans of 2 to 10 characters, of which 15 % are lost and 15 % come from any passage."""
    out, at = [], 0
    while at < len(passage):
        size = chance.randint(2, 10)
        fate, other = chance.random(), chance.choice(passages)
        start = chance.randrange(len(other) - size)
        if fate >= 0.15:
            out.append(other[start:start + size] if fate < 0.3 else passage[at:at + size])
        at += size
    return "".join(out)


def measure_passages(declarations: dict[str, str]) -> Iterable[list[object]]:
    for language, id in WITHOUT_SPACES.items():
        text, chance = declarations[id], random.Random(7)
        passages = [text[i:i + PASSAGE] for i in range(0, len(text) - PASSAGE, PASSAGE)]
        both = {f"p{i}": passage for i, passage in enumerate(passages)}
        both |= {f"c{i}": damaged(passage, passages, chance) for i, passage in enumerate(passages)}
        right = {frozenset((f"p{i}", f"c{i}")) for i in range(len(passages))}
        path = write("passages", both)
        for spec in ("text:word2", "text:words2", "text:word5", "text:words5", "text:char5"):
            yield [language, len(passages), f"`{spec}`", *figures(find_pairs(path, spec, "0.01"), right)]


def measure_cost(pages: dict[str, str], quick: bool) -> Iterable[list[object]]:
    for folder, specs in {"de": with_modifiers("text:word3", "de"), "ja": ["text:word3", "text:words3"]}.items():
        path = write("cost", {id: text for id, text in pages.items() if id.startswith(folder + "/")})
        megabytes = path.stat().st_size / 1e6
        for spec in specs:
            command = [benzer(), "sketch", path, "-o", OUT / "languages.signatures", "--features", spec, "--quiet"]
            seconds = [run_timed(command).cpu_seconds for _ in range(3 if quick else 7)]
            yield [folder, f"{megabytes:.1f}", f"`{spec}`", spread(seconds)]


def measure_languages(quick: bool) -> None:
    data = data_folder()
    if data is None:
        print("SKIPPED: udhr and manpages are not there (BENZER_DATA names their folder).")
        return
    pages = read(unpacked(data / "manpages" / "manpages.jsonl.zst"))
    declarations = read(unpacked(data / "udhr" / "udhr.jsonl.zst"))
    publish("languages", "Stems, stop words and dictionaries", "\n\n".join([
        PAGES_NOTE,
        table(["pages", "pages / right pairs", "features", *FIGURES], measure_pages(pages)),
        "The Declaration of Human Rights in 380 versions: the lowest score of two versions of one language, and the "
        "highest of one of these and any other.",
        table(["language", "features", "same language", "nearest other"], measure_versions(declarations)),
        f"Passages of it of {PASSAGE} characters, and a copy of each in which 15 % of spans of 2 to 10 characters were "
        "lost and 15 % replaced.",
        table(["language", "passages", "features", *FIGURES], measure_passages(declarations)),
        "CPU seconds of `benzer sketch`, median (min to max).",
        table(["pages", "MB", "features", "CPU s"], measure_cost(pages, quick))]))
