"""Measures what weighing features by how rare they are (+tf-idf) changes: what is found, and what it costs.

The right answers do not come from the features that are compared: pairs of translated manual pages whose English
originals are similar, and pages whose bodies are a passage and its damaged copy, under menus and footers that many share.
"""
from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from corpora import unpacked
from languages import FIGURES, ORIGINALS_AT, PAGES_NOTE, figures, find_pairs, read, write
from measure import OUT, benzer, data_folder, publish, run_timed, spread, table

PAGES = ["de", "fr", "pt_BR"]  # folders of translated pages
BODY, FRAME = 60, 120  # words of a page that are its own, and words of the frame around it
FRAMES, BODIES = 8, 800


def specs(features: str) -> list[str]:
    return [features, f"{features}+drop-common:0.05", f"{features}+tf-idf"]


def measure_pages(pages: dict[str, str]) -> Iterable[list[object]]:
    of_language: dict[str, dict[str, str]] = {}
    for id, text in pages.items():
        language, name = id.split("/", 1)
        of_language.setdefault(language, {})[name] = text
    for folder in PAGES:
        names = of_language[folder].keys() & of_language["en"].keys()
        right = set(find_pairs(write("originals", {name: of_language["en"][name] for name in names}), "truth:w3", ORIGINALS_AT))
        path = write("pages", {name: of_language[folder][name] for name in names})
        for spec in [*specs("text:word1"), *specs("text:word3")]:
            yield [folder, f"{len(names)} / {len(right)}", f"`{spec}`", *figures(find_pairs(path, spec, "0.1"), right)]


def damaged(words: list[str], others: list[str], chance: random.Random) -> list[str]:
    """Returns the words, of which 15 % are lost and 15 % replaced by any words, in spans of one to four."""
    out, at = [], 0
    while at < len(words):
        size = chance.randint(1, 4)
        fate, start = chance.random(), chance.randrange(len(others) - 4)
        if fate >= 0.15:
            out += others[start:start + size] if fate < 0.3 else words[at:at + size]
        at += size
    return out


def framed_pages(pages: dict[str, str], licences: dict[str, str]) -> tuple[dict[str, str], set[frozenset]]:
    """Returns pages whose bodies are passages of manual pages, and whose frames are passages of licences."""
    chance = random.Random(11)
    words = " ".join(text for id, text in sorted(pages.items()) if id.startswith("en/")).split()
    law = " ".join(text for _, text in sorted(licences.items())).split()
    frames = [law[start:start + FRAME] for start in chance.sample(range(len(law) - FRAME), FRAMES)]
    texts, right = {}, set()
    for number, start in enumerate(chance.sample(range(0, len(words) - BODY, BODY), BODIES)):
        body = words[start:start + BODY]
        for name, own in (("p", body), ("c", damaged(body, words, chance))):
            frame = frames[min(int(chance.expovariate(0.5)), FRAMES - 1)]  # some frames have most pages
            texts[f"{name}{number}"] = " ".join(frame[:FRAME // 2] + own + frame[FRAME // 2:])
        right.add(frozenset((f"p{number}", f"c{number}")))
    return texts, right


def measure_frames(pages: dict[str, str], licences: dict[str, str]) -> Iterable[list[object]]:
    texts, right = framed_pages(pages, licences)
    path = write("frames", texts)
    for spec in [*specs("text:word1"), *specs("text:word3")]:
        yield [f"{len(texts)} / {len(right)}", f"`{spec}`", *figures(find_pairs(path, spec, "0.1"), right)]


def measure_cost(path: Path, quick: bool) -> Iterable[list[object]]:
    for spec in specs("text:word5"):
        command = [benzer(), "dedup", path, "-o", OUT / "rare.kept.jsonl", "--features", spec, "--quiet"]
        seconds = [run_timed(command).cpu_seconds for _ in range(3 if quick else 7)]
        yield [f"`{spec}`", spread(seconds)]


def measure_rare(quick: bool) -> None:
    data = data_folder()
    if data is None:
        print("SKIPPED: manpages and licences are not there (BENZER_DATA names their folder).")
        return
    file = unpacked(data / "manpages" / "manpages.jsonl.zst")
    pages = read(file)
    licences = read(unpacked(data / "licences" / "licences.jsonl.zst"))
    publish("rare", "Rare features", "\n\n".join([
        PAGES_NOTE,
        table(["pages", "pages / right pairs", "features", *FIGURES], measure_pages(pages)),
        f"Pages of {BODY} words of their own, in one of {FRAMES} frames of {FRAME} words, which few to most pages share. A "
        "pair is right if one body is a copy of the other one, of which 15 % of the words were lost and 15 % replaced.",
        table(["pages / right pairs", "features", *FIGURES], measure_frames(pages, licences)),
        f"CPU seconds of `benzer dedup` over {len(pages):,} manual pages ({file.stat().st_size / 1e6:.0f} MB), median (min to max).",
        table(["features", "CPU s"], measure_cost(file, quick))]))
