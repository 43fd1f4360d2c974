#!/usr/bin/env python3
# labels: report image
"""Tests the evidence page of a run on images, and its JSON: what report_test.py checks of every page, and the images.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import random
import re
import subprocess
import sys

from report_test import PATIENCE_SECONDS, Folder, Page, faults, markup_on, program, run_test, run_tests


def picture(seed: int, noise: int = 0, pixels_of_cell: int = 8) -> bytes:
    """A PNM file of 20 x 15 cells. Images of different seeds are not similar; noise makes a near-copy."""
    chance = random.Random(seed)
    cells = [[chance.randint(30, 225) for _ in range(20)] for _ in range(15)]
    dirt = random.Random(seed * 100 + noise)
    side = pixels_of_cell
    pixels = bytes(cells[y // side][x // side] + dirt.randint(-noise, noise) for y in range(15 * side) for x in range(20 * side))
    return b"P5 %d %d 255\n" % (20 * side, 15 * side) + pixels


def test_pictures():
    folder = Folder("pictures")
    photos = folder.path / "photos"
    photos.mkdir()
    for seed in range(4):
        for noise in range(0, 20, 5):
            (photos / f"{seed}-{noise:02}.pgm").write_bytes(picture(seed, noise))
        (photos / f"{seed}-same.jpg").write_bytes(picture(seed))
    (photos / "<script>alert(1)<\\script> \"'<img src=x onerror=alert(2)> \x1b[31m\u202e.pgm").write_bytes(picture(0, 9))
    (photos / "4-small.pgm").write_bytes(picture(3, 0, 4))
    (photos / "blank.pgm").write_bytes(b"P5 30 30 255\n" + b"x" * 900)
    (photos / "notes.txt").write_text("no picture")
    summary, page, twin = folder.run("photos", "--features", "image:pdq", "--dry-run")
    yield from faults(summary, page, twin)
    report = json.loads(twin)
    if report["settings"]["distance"] != 31 or report["counts"]["no_images"] != 1 or report["counts"]["short"] != 1:
        yield f"not what was meant: {report['counts']}"
    if len(report["clusters"]) != 4 or summary["removed"] != 18:
        yield f"{len(report['clusters'])} clusters, {summary['removed']} removed"
    members = [member for cluster in report["clusters"] for member in cluster["members"]]
    if len(members) != 18:
        yield f"{len(members)} members are shown"
    for member in members:
        if member["score"] != (256 - 2 * member["distance"]) / 256:
            yield f"distance {member['distance']} with score {member['score']}"
        if member["same_file"] != member["b"]["id"].endswith("same.jpg"):
            yield f"{member['b']['id']}: {member['same_file']}"
        if member["b"]["format"] != "PNM" or (member["b"]["width"] == 80) != ("small" in member["b"]["id"]):
            yield f"{member['b']}"
    parsed = Page(page)
    if report["settings"]["keep"] != "largest" or "it has the most pixels" not in page:
        yield "the keepers were not chosen by their pixels"
    if page.count('unfolded"><summary>') < 4 or re.search(r"<details[^>]* open", page):
        yield "clusters are not folded on a phone"
    if page.count('class="grid"') != 4 or page.count('class="card kept"') != 4:
        yield "there is no grid for each cluster"
    if parsed.text.count("same file") != 4 + 1:  # once in the legend
        yield f"{parsed.text.count('same file')} times the same file"
    # The kept and the removed images, the kept one once more for each grid, and the differences.
    different = sum(not member["same_file"] for member in members)
    border = len(report["above"]) + len(report["below"])
    sampled = sum(3 if pair["same_file"] else 4 for pair in report["sample"])
    if len(parsed.pictures) != 4 + 4 + 18 + different + 4 * border + sampled or len(report["sample"]) != 18:
        yield f"{len(parsed.pictures)} pictures"
    yield from markup_on(page, "<script", "<img src=x", "document", "shingle", "data:image/pnm")
    if "&lt;script&gt;" not in page or "&lt;U+202E&gt;" not in page:
        yield "the name is not shown as it is"
    if len(page) > 2e6:
        yield f"{len(page)} bytes"
    for words in [report["command"]] + [step["command"] for step in report["next_steps"]]:
        done = subprocess.run([str(program()), *words[1:]], cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS)
        if done.returncode != 0:
            yield f"{words}: {done.stderr.decode()}"
    if folder.read() != (page, twin):
        yield "the command does not repeat the page"
    for options in (["--features", "image:pdq+turned", "--threads", "1"], ["--features", "image:grid16", "--threshold", "0.5"],
                    ["--features", "image:dhash", "--cluster", "components", "--short", "drop", "--keep", "longest"],
                    ["--features", "image:pdq", "--distance", "0", "--short", "keep"]):
        yield from faults(*folder.run("photos", "--dry-run", *options))
    done = subprocess.run([str(program()), "review", "r.json"], input=b"y\nn\n", cwd=folder.path, capture_output=True, timeout=PATIENCE_SECONDS)
    if done.returncode != 0 or b"PNM, 160 x 120 pixels" not in done.stderr:
        yield f"review ends with {done.returncode}: {done.stderr.decode()}"


if __name__ == "__main__":
    sys.exit(run_test(lambda: run_tests([test_pictures])))
