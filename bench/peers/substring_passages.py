"""Finds repeated substrings with Google's deduplicate-text-datasets, by the steps of its scripts.

  substring_passages.py PROGRAM IN WORK LEAST_BYTES RANGES

PROGRAM is its dedup_dataset. The steps are those of its load_dataset.py (all texts in one file, each after two bytes
0xff and its number), make_suffix_array.py (as many parts at once as it makes) and deduplicate_single_file.sh, but the
last, which removes what was found. Writes a JSON line {"document", "begin", "end"} for each range in a text.
"""
from __future__ import annotations

import bisect
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

OVERLAP = 100_000  # of parts, in bytes
BEFORE = 6  # bytes of what is in front of each text


def put_together(source: str, data: Path) -> tuple[list[str], list[int], list[int]]:
    """Writes one file of all texts, and returns the ids, where the texts start, and where they end."""
    ids, starts, ends = [], [], []
    at = 0
    with open(source, encoding="ascii") as file, data.open("wb") as out:
        for number, line in enumerate(map(json.loads, file), 1):
            text = line["text"].encode("ascii")
            out.write(b"\xff\xff" + struct.pack("<I", number) + text)
            ids.append(line["id"])
            starts.append(at + BEFORE)
            at += BEFORE + len(text)
            ends.append(at)
    return ids, starts, ends


def run_all(commands: list[list[object]]) -> None:
    running = [subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL) for command in commands]
    for process, command in zip(running, commands, strict=True):
        if process.wait():
            sys.exit(f"{command} ended with {process.returncode}.")


def make_suffix_array(program: str, data: Path, work: Path) -> None:
    size = data.stat().st_size
    parts = 96 if size > 10**9 else 4 if size > 10**7 else 1  # it has more only beyond 10 GB
    step = size // parts
    bounds = [(n * step, min((n + 1) * step + OVERLAP, size)) for n in range(parts)]
    run_all([[program, "make-part", "--data-file", data, "--start-byte", start, "--end-byte", end]
             for start, end in bounds])
    pieces = [Path(f"{data}.part.{start}-{end}") for start, end in bounds]
    merge: list[object] = [program, "merge", "--output-file", work / "merged", "--num-threads", os.cpu_count()]
    for piece in pieces:
        merge += ["--suffix-path", piece]
    run_all([merge])
    with open(f"{data}.table.bin", "wb") as table:
        subprocess.run(["cat", *sorted(work.glob("merged.*"))], stdout=table, check=True)
    for path in [*work.glob("merged.*"), *work.glob(f"{data.name}.part.*")]:
        path.unlink()


def main(program: str, source: str, work: Path, least: str, ranges: str) -> None:
    data, cache = work / "texts", work / "cache"
    cache.mkdir(parents=True)
    ids, starts, ends = put_together(source, data)
    make_suffix_array(program, data, work)
    run_all([[program, "self-similar", "--data-file", data, "--length-threshold", least, "--cache-dir", cache,
              "--num-threads", os.cpu_count()]])
    collect = [program, "collect", "--data-file", data, "--cache-dir", cache, "--length-threshold", least]
    printed = subprocess.run([str(word) for word in collect], stdout=subprocess.PIPE, check=True, text=True).stdout
    with open(ranges, "w", encoding="ascii") as out:
        for line in printed.partition("out\n")[2].splitlines():
            start, end = map(int, line.split())
            number = max(0, bisect.bisect_right(starts, start + BEFORE) - 1)
            first, last = max(start, starts[number]), min(end, ends[number])
            if first < last:
                out.write(json.dumps({"document": ids[number], "begin": first - starts[number],
                                      "end": last - starts[number]}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4], sys.argv[5])
