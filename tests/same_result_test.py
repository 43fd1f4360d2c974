#!/usr/bin/env python3
# labels: dedup engine cli server
"""Checks that a deduplication of the same documents has the same result for files, for an index and over HTTP: the same clusters, the
same list of removed documents, the same documents left.

The program is BENZER or the release build. Prints "N passed, N failed".
"""
from __future__ import annotations

import html
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from serve_tasks_test import done
from serve_test_util import Client, Server, lines_of, made, program, run_tests, same

# Members that only results of files have; an index knows no places in files.
PLACES = {"source", "line", "kept_source", "kept_line", "keeper_source", "keeper_line"}


def index(seed: int) -> dict[str, str]:
    """Documents in random order: clusters of changed texts, made by chains of small changes, some of them equal."""
    chance = random.Random(seed)
    documents = {}
    for family in range(40):
        words = [f"f{family}w{chance.randrange(1000)}" for _ in range(chance.randrange(8, 40))]
        for member in range(chance.choice([1, 1, 2, 3, 8])):
            documents[f"{family}-{member}"] = " ".join(words)
            words = list(words)
            for _ in range(chance.choice([0, 1, 1, 2])):
                words[chance.randrange(len(words))] = f"n{chance.randrange(10**6)}"
    order = list(documents)
    chance.shuffle(order)
    return {name: documents[name] for name in order}


def benzer(folder: Path, *words: object) -> str:
    run = subprocess.run([program(), *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, (words, run.returncode, run.stderr)
    return run.stdout


def lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def without_places(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_places(part) for name, part in value.items() if name not in PLACES}
    return [without_places(part) for part in value] if isinstance(value, list) else value


def evidence(page: str) -> list[str]:
    """Returns what a page shows of the pairs in its largest clusters: sentences, ids and marked texts, in its order. Of equally weak pairs
    it may show any."""
    clusters = page.split("<h3>The largest</h3>")[1].split("<h3>")[0]
    pieces = re.findall(r"<p class=\"quiet\">.*?</p>|<summary>.*?</summary>|<p>Score.*?</p>|<p>The two.*?</p>|<b>.*?</b>|<div class=\"text\".*?</div>", clusters)
    return [html.unescape(piece) for piece in pieces if "Why" not in piece]


def compare(client: Client, folder: Path, name: str, way: str, threshold: str) -> None:
    like = ["--threshold", threshold, "--cluster", way, "--quiet", "--allow-large-clusters"]
    benzer(folder, "dedup", "in.jsonl", "-o", "kept", "--removed", "gone", "--clusters", "clusters", "--features", "text:word1", *like)
    clusters = without_places(lines(folder / "clusters"))
    gone = without_places(lines(folder / "gone"))
    assert clusters and any("-" in line["kept_id"] for line in gone)

    benzer(folder, "dedup", "st", "--removed", "st.gone", "--clusters", "st.clusters", *like)

    def by_id(line: dict) -> str:
        return line["id"]

    same(lines(folder / "st.clusters"), clusters, "clusters of a store")
    same(sorted(lines(folder / "st.gone"), key=by_id), sorted(gone, key=by_id), "what goes from a store")
    same([json.loads(line) for line in benzer(folder, "clusters", "st", *like[:-1]).splitlines()], clusters, "benzer clusters")

    body = {"threshold": float(threshold), "cluster": way}
    *rows, _ = client.expect(200, "POST", f"/v1/indexes/{name}/clusters", body).lines
    same([{key: row[key] for key in row if key != "decision"} for row in rows], clusters, "clusters over HTTP")
    task = done(client, f"/v1/indexes/{name}", "dedup", body)
    report = f"/v1/tasks/{task['id']}/report"
    same(client.expect(200, "GET", report).json["found"], clusters, "the report as JSON")
    *listed, last = client.expect(200, "GET", report + "?format=ndjson").lines
    same(sorted(listed, key=by_id), sorted(gone, key=by_id), "its lines")
    same(last, {"summary": task["result"]}, "its last line")
    same(task["result"]["would_remove"], len(gone))

    # The page, as far as an index has its data.
    benzer(folder, "dedup", "in.jsonl", "--dry-run", "--features", "text:word1", "--report", "files.html", *like)
    page = evidence((folder / "files.html").read_text())
    assert any("<mark>" in piece for piece in page), page
    over_http = evidence(client.expect(200, "GET", report + "?format=html").body.decode())
    same([pair for pair in zip(over_http, page) if pair[0] != pair[1]][:1], [], "the page over HTTP")
    same(len(over_http), len(page), "the page over HTTP")
    benzer(folder, "dedup", "st", "--report", "st.html", *like)
    same([piece for piece in evidence((folder / "st.html").read_text()) if "<summary>" in piece], [piece for piece in page if "<summary>" in piece],
         "the page of a store")

    # The documents that are left after the removal.
    benzer(folder, "dedup", "st", "--remove", *like)
    left = sorted(line["id"] for line in lines(folder / "kept"))
    same(sorted(benzer(folder, "list", "st").split()), left, "what is left of a store")
    removed = done(client, f"/v1/indexes/{name}", "dedup", {**body, "remove": True, "largest_cluster": 1, "largest_loss": 1})
    same((removed["result"]["removed"], removed["result"]["kept"]), (len(gone), len(left)))


def test_same(server: Server) -> None:
    client = server.client()
    for seed in range(4):
        for way in ("leader", "components"):
            for threshold in ("0.5", "0.75"):
                with tempfile.TemporaryDirectory() as made_folder:
                    folder = Path(made_folder)
                    documents = index(seed)
                    (folder / "in.jsonl").write_text(lines_of(documents))
                    benzer(folder, "index", "st", "in.jsonl", "--create", "--quiet", "--field", "text=text:word1", "--min-threshold", threshold)
                    name = f"{way}-{seed}-{threshold.replace('.', '-')}"
                    made(client, name, documents, fields=["text=text:word1"], min_threshold=float(threshold))
                    compare(client, folder, name, way, threshold)


def main() -> int:
    with tempfile.TemporaryDirectory() as root, Server(Path(root)) as server:
        return run_tests([test_same], server)


if __name__ == "__main__":
    sys.exit(main())
