"""Aligns passages with passim 2 on Spark, which the environment configures.

  passim_passages.py IN WORK LEAST_CHARACTERS PASSAGES

At its defaults (character n-grams of 25, at least 5 in common, at most 100 documents with an n-gram), but with passages
of at least so many characters, and for all pairs of documents of which the first has the lower number. It stops after the alignment (--to-extents),
before pairs of passages are joined to clusters, which needs a package of Java. Writes JSON lines as `benzer passages`
does; each passage of a document has a line for each earlier document.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path

import passim


def main(source: str, work: Path, least: str, passages: str) -> None:
    passim.main(["--all-pairs", "--fields", "cast(substring(id, 2) as int) as number", "--filterpairs",
                 "number < number2", "--min-align", least, "--to-extents", source, str(work / "passim")])
    from pyarrow import parquet

    columns = ["number", "begin", "end", "number2", "begin2", "end2"]
    rows = parquet.read_table(work / "passim" / "tmp" / "extents.parquet", columns=columns)
    with open(passages, "w", encoding="ascii") as out:
        for first, begin, end, later, begin2, end2 in zip(*(rows[name].to_pylist() for name in columns), strict=True):
            source_place = {"document": f"d{first:07}", "begin": begin, "end": end}
            out.write(json.dumps({"document": f"d{later:07}", "begin": begin2, "end": end2,
                                  "first": source_place}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:5])
