# labels: python
"""Makes the documents with which the tests of benzer.spark compare a cluster and one machine."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("text", pa.string()),
        ("words", pa.list_(pa.string())),
        ("group", pa.string()),
        ("n", pa.int64()),
    ]
)


def _words(random_: random.Random, count: int) -> list[str]:
    return [f"w{random_.randrange(100_000)}" for _ in range(count)]


def _families(random_: random.Random, count: int) -> list[list[str]]:
    """Near-copies at all similarities, equal copies, and repeats of the same words."""
    out = []
    for _ in range(count):
        base = _words(random_, random_.randrange(8, 120))
        out.append(base)
        for _ in range(random_.randrange(6)):
            more = _words(random_, random_.randrange(1, len(base) // 3 + 2))
            begin = random_.randrange(len(base) // 3)
            out.append(random_.choice([base, base + more, more + base, base[begin:], base + base]))
    return out


def _chain(random_: random.Random, length: int, step: int) -> list[list[str]]:
    """Documents of which each is similar to its neighbours alone."""
    words = _words(random_, step * length + 40)
    return [words[step * i : step * i + 40] for i in range(length)]


def _boilerplate(random_: random.Random, count: int) -> list[list[str]]:
    """Documents that share most of their words, and differ in so many that few are similar."""
    shared = _words(random_, 150)
    return [shared + _words(random_, random_.randrange(3, 60)) for _ in range(count)]


def texts(seed: int, families: int = 50) -> list[str | None]:
    """Return families, chains, buckets of fewer and of more than 64 documents, short and empty texts and nulls."""
    random_ = random.Random(seed)
    made = _families(random_, families)
    made += _chain(random_, 90, 4) + _chain(random_, 40, 2)
    made += _boilerplate(random_, 150) + _boilerplate(random_, 40)
    out: list[str | None] = [" ".join(one) for one in made]
    out += ["", "!?", "two words", "Two, words!", "one", "two words", None, None, "", "caf\u00e9 \u2603 words"]
    random_.shuffle(out)
    return out


def table_of(texts: list[str | None], seed: int = 0) -> Any:
    """Return a table with the columns of SCHEMA; some groups and numbers are missing."""
    random_ = random.Random(seed)
    rows = [
        {
            "id": f"d{i}",
            "text": text,
            "words": None if text is None else text.split(),
            "group": random_.choice(["a", "b", "", None]),
            "n": random_.choice([*range(20), None]),
        }
        for i, text in enumerate(texts)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def write(folder: Path, table: Any, files: int = 1) -> list[str]:
    """Write a table to Parquet files, in row groups of 100 rows, and return their paths in the order of the rows."""
    folder.mkdir()
    ends = [table.num_rows * i // files for i in range(files + 1)]
    paths = []
    for i in range(files):
        paths.append(str(folder / f"part-{i:03}.parquet"))
        parquet.write_table(table.slice(ends[i], ends[i + 1] - ends[i]), paths[-1], row_group_size=100)
    return paths
