#!/usr/bin/env python3
"""The benchmarks behind docs/benchmarks.md; `./dev bench` calls this after building.

  run.py [NAME...] [--quick] [--documents N] [--record]

NAME: speed, dedup, skew, extremes, large, evidence, words, languages, rare, help, recall, edits, index-memory, index-disk, index-recall,
index (these three), most-similar, index-upkeep, redis, images, serve, index-large, scale, killed; if none is given all but the last three,
extremes and large, which take 6 to 70 GB of disk. Prints markdown tables and keeps each as build/bench/NAME.md. --quick stays under eight minutes once the inputs are made:
10,000 documents (indices: 50,000), few turns, and no recall table (that is a test of its own). --record puts the kept tables
into docs/benchmarks.md, below what is written there by hand, in place of those with the same titles.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys

from measure import OUT, PEERS, ROOT, VENV_PYTHON, describe_machine, publish

INDEX = ["index-memory", "index-disk", "index-recall"]
NAMES = ["speed", "dedup", "skew", "extremes", "large", "evidence", "words", "languages", "rare", "help", "recall", "edits", *INDEX, "most-similar", "index-upkeep", "redis", "images", "serve", "index-large", "scale", "killed"]  # as recorded


def enter_environment() -> None:
    """Installs the peers into an environment of their own, and restarts this program in it."""
    wanted = [f"{name}=={version}" for name, version in PEERS.items()]
    stamp = OUT / "peers.txt"
    if not VENV_PYTHON.exists() or not stamp.exists() or stamp.read_text() != "\n".join(wanted):
        subprocess.run([sys.executable, "-m", "venv", VENV_PYTHON.parents[1]], check=True)
        pip = [VENV_PYTHON, "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *wanted], check=True)
        stamp.write_text("\n".join(wanted))
    if os.path.realpath(sys.prefix) != os.path.realpath(VENV_PYTHON.parents[1]):
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])


def from_test(name: str, title: str, script: str, *options: str) -> None:
    """Publishes the table that a data test prints."""
    command = [sys.executable, ROOT / "tests" / "data" / script, *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    publish(name, title, done.stdout + (f"\n{script} ended with {done.returncode}.\n" if done.returncode else ""))


def record() -> None:
    """Puts the kept tables into docs/benchmarks.md; tables there that have no kept one stay."""
    page = ROOT / "docs" / "benchmarks.md"
    marker = "<!-- tables of ./dev bench -->\n"
    written, found, tables = page.read_text(encoding="utf-8").partition(marker)
    if not found:
        sys.exit(f"{page} has no line {marker.strip()}, below which the tables go")
    sections = {section.splitlines()[0]: section.strip() for section in re.split(r"^(?=## )", tables, flags=re.MULTILINE) if section.strip()}
    for name in ["machine", *NAMES]:
        if (OUT / f"{name}.md").exists():
            section = (OUT / f"{name}.md").read_text(encoding="utf-8").strip()
            sections[section.splitlines()[0]] = section
    page.write_text(written + marker + "\n" + "\n\n".join(sections.values()) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="which benchmarks: index, " + ", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small inputs and few turns")
    parser.add_argument("--documents", type=int, action="append", choices=[10_000, 100_000, 1_000_000],
                        help="sizes for dedup; may be repeated")
    parser.add_argument("--record", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    if "index" in options.name:
        options.name += INDEX
        options.name.remove("index")
    for name in options.name:
        if name not in NAMES:
            parser.error(f"there is no benchmark {name}; there are index, {', '.join(NAMES)}")
    OUT.mkdir(parents=True, exist_ok=True)
    enter_environment()

    from evidence import measure_evidence
    from extremes import measure_extremes
    from images import measure_images
    from index import measure_index_memory, measure_index_recall
    from index_disk import measure_index_disk, measure_index_large
    from index_redis import measure_redis
    from languages import measure_languages
    from large import measure_large
    from most_similar import measure_most_similar
    from rare import measure_rare
    from scale import measure_killed, measure_scale
    from serve import measure_serve
    from skew import measure_skew
    from small import measure_help, measure_words
    from speed import measure_speed
    from upkeep import measure_upkeep
    from whole import measure_whole

    quick = options.quick
    measure = {
        "speed": lambda: measure_speed(quick),
        "dedup": lambda: measure_whole(quick, options.documents),
        "skew": lambda: measure_skew(quick),
        "extremes": lambda: measure_extremes(quick),
        "large": lambda: measure_large(quick),
        "evidence": lambda: measure_evidence(quick),
        "words": lambda: measure_words(quick),
        "languages": lambda: measure_languages(quick),
        "rare": lambda: measure_rare(quick),
        "help": lambda: measure_help(quick),
        "recall": lambda: from_test("recall", "Recall against exact pairs", "recall_test.py"),
        "edits": lambda: from_test("edits", "One edited word", "edits_test.py", "--quick" if quick else "--full"),
        "index-memory": lambda: measure_index_memory(quick),
        "index-disk": lambda: measure_index_disk(quick),
        "index-recall": lambda: measure_index_recall(quick),
        "most-similar": lambda: measure_most_similar(quick),
        "index-upkeep": lambda: measure_upkeep(quick),
        "redis": lambda: measure_redis(quick),
        "images": lambda: measure_images(quick),
        "serve": lambda: measure_serve(quick),
        "index-large": lambda: measure_index_large(quick),
        "scale": lambda: measure_scale(quick),
        "killed": lambda: measure_killed(quick),
    }
    left_out = ["extremes", "large", "index-large", "scale", "killed", *(["recall"] if quick else [])]
    chosen = options.name or [name for name in NAMES if name not in left_out]
    publish("machine", "Machine and versions", describe_machine())
    for name in NAMES:
        if name in chosen:
            measure[name]()
    if options.record:
        record()


if __name__ == "__main__":
    main()
