# labels: python
"""Prints a digest of what the package and its program answer about texts in many languages.

usage: answers.py DATA

Two builds give the same answers if they print the same. DATA is the folder of the larger data sets.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import benzer

FEATURES = [
    "text:words2",
    "text:word3",
    "text:word1+bag",
    "text:char5",
    "text:words1+stop:en+stem:en",
    "text:word2+tf-idf",
]
PROGRAM = Path(benzer.__file__).with_name("bin") / "benzer"


def run(command: list[str], text: str | None = None) -> bytes:
    return subprocess.run(
        [PROGRAM, *command],
        input=None if text is None else text.encode(),
        stdout=subprocess.PIPE,
        stderr=None,
        check=True,
    ).stdout


def show(what: str, answers: Iterable[bytes]) -> None:
    digest = hashlib.sha256()
    size = 0
    for answer in answers:
        digest.update(answer)
        size += len(answer)
    if size == 0:
        sys.exit(f"{what}: there are no answers, so that builds cannot differ")
    print(digest.hexdigest()[:32], what)


def main() -> None:
    data = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        show_all(data)


def show_all(data: Path) -> None:
    for name in ("udhr", "manpages"):
        packed = data / name / f"{name}.jsonl.zst"
        lines = b"".join(
            subprocess.check_output(["zstd", "-dcq", packed]).splitlines(keepends=True)[:: 1 if name == "udhr" else 10]
        )
        Path("docs.jsonl").write_bytes(lines)
        texts = [json.loads(line)["text"] for line in lines.splitlines()]
        for features in FEATURES:
            kind = ["--features", features]
            pairs = benzer.pairs(texts, features=features, threshold=0.5, exact=True)
            show(f"{name} {features} pairs", [repr(sorted(pairs)).encode()])
            show(
                f"{name} {features} pairs, program",
                [run(["pairs", "docs.jsonl", "-o", "-", *kind, "--threshold", "0.5", "--exact", "--quiet"])],
            )
            if "tf-idf" in features:
                continue
            show(f"{name} {features} sketch", (repr(row).encode() for row in benzer.sketch(texts, features=features)))
            run(["sketch", "docs.jsonl", "-o", "signatures", "--quiet", *kind])
            show(f"{name} {features} sketch, program", [Path("signatures").read_bytes()])
            show(
                f"{name} {features} explain",
                (json.dumps(benzer.explain(text, features=features), sort_keys=True).encode() for text in texts[::10]),
            )
            show(
                f"{name} {features} explain, program",
                (run(["explain", "-", "--json", *kind], text) for text in texts[::40]),
            )
    # The answers name the pictures, by the same name on each machine.
    Path("pictures").symlink_to(data / "images" / "originals")
    for picture, threshold in (("pdq", "0.5"), ("sift", "0.2"), ("near", "0.6")):
        options = ["--features", f"image:{picture}", "--threshold", threshold]
        show(f"image:{picture}", [run(["pairs", "pictures", *options, "-o", "-", "--quiet"])])


if __name__ == "__main__":
    main()
