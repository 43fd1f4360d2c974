# labels: python
"""Makes an index that another machine opens, and prints a digest of what an index answers.

usage: index_exchange.py make|show FOLDER DATA

An index is made with `make` on one machine. `show` has to print the same on every machine. It also adds documents, so
that each machine writes to the index of the other. DATA is the folder of the larger data sets.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import benzer

FIELDS = {"text": "text:word3+stop:en+stem:en", "tags": "values", "image": "image:pdq"}


def documents(data: Path) -> list[dict[str, object]]:
    lines = subprocess.check_output(["zstd", "-dcq", data / "udhr" / "udhr.jsonl.zst"]).splitlines()
    pictures = sorted(path for path in (data / "images" / "originals").iterdir() if path.suffix in (".jpg", ".png"))
    made = []
    for number, line in enumerate(lines):
        text = json.loads(line)["text"]
        made.append(
            {
                "id": f"id-{number}",
                "text": text,
                "tags": text.split()[:20],
                "image": pictures[number % len(pictures)].read_bytes(),
                "length": len(text) / 3,
            }
        )
    return made


def show(folder: Path, data: Path) -> None:
    with benzer.Index.open(folder) as index:
        index.verify()
        print(len(index), index.schema)
        answers = [list(index), [list(pair.values()) for pair in index.pairs(threshold=0.8)]]
        for document in documents(data)[::5]:
            found = index.get(document["id"])
            answers.append((found.features, found.attributes))
            answers.append([(match.id, match.score) for match in index.similar(document, threshold=0.8)])
        print(hashlib.sha256(repr(answers).encode()).hexdigest())
        index.add(
            [
                {"id": f"{one['id']}-again", **{k: v for k, v in one.items() if k != "id"}}
                for one in documents(data)[:50]
            ]
        )
        index.remove([f"id-{number}" for number in range(100, 120)])
        index.compact()
        index.verify()
        print(len(index))


def main() -> None:
    task, folder, data = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if task == "show":
        show(folder, data)
        return
    with benzer.Index.open(folder, create=True, fields=FIELDS, attributes={"length": "number"}) as index:
        index.add(documents(data), strict=True)


if __name__ == "__main__":
    main()
