#!/usr/bin/env python3
"""Measures the Python package: an Arrow table, Parquet files beside peers, memory, an index, the import.

  python_tables.py [NAME...] [--quick] [--turns N] [--text-dedup PYTHON] [--datatrove PYTHON] [--record]

NAME: table, parquet, memory, index, import; without one all but memory, which takes 25 GB of disk and half an hour.
Needs benzer, pyarrow and numpy in this Python, and next to the program (BENZER, or that of ./dev bench) index_speed.
rensa, gaoya and datasketch are measured if this Python has them. text-dedup and datatrove need other versions of the
same packages, so each is run by the Python of an environment of its own, if one is named. Prints markdown tables and
keeps each as build/bench/python-NAME.md; --record puts these into docs/benchmarks.md.
"""
from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import run as recorder
from corpora import SEED, Corpus, distinct, planted, sentence_pool
from index import asked_of, one_core
from measure import (
    BENCH,
    OUT,
    Run,
    benzer,
    compile_tool,
    describe_machine,
    publish,
    run_timed,
    shuffled,
    spread,
    table,
    warm,
)
from score import Score, read_pairs, read_removed, root, score

GB = 10**9
LIMIT = "1G"
PYTHON = sys.executable
THRESHOLD = Fraction(4, 5)

# What users write. Each is a process of its own.
COPY = "import sys; from pyarrow import parquet as p; p.write_table(p.read_table(sys.argv[1]), sys.argv[2], compression='zstd')"
DEDUP = "import sys, benzer; benzer.deduplicate(sys.argv[1], output=sys.argv[2], removed=sys.argv[3])"
LIMITED = f"""
import json, sys, benzer
result = benzer.deduplicate(sys.argv[1], output=sys.argv[2], memory_limit="{LIMIT}")
peak = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmHWM:"))
print(json.dumps([result.summary["documents"], result.summary["removed"], peak]))
"""
# Of a table in memory only the call is timed: wall and CPU seconds.
OF_TABLE = """
import json, sys, time, benzer, pyarrow
rows = pyarrow.ipc.open_file(sys.argv[1]).read_all()
wall, cpu = time.perf_counter(), time.process_time()
result = benzer.deduplicate(rows, removed=sys.argv[2]) if sys.argv[2:] else benzer.deduplicate(rows)
if sys.argv[2:]: kept = result.kept()
print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu, result.summary["kept"]]))
"""
IMPORT = """
import time
wall, cpu = time.perf_counter(), time.process_time()
import benzer
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def python(program: str, *words: str | Path) -> list[str | Path]:
    return [PYTHON, "-c", program, *words]


def median_ratio(above: list[float], below: list[float]) -> str:
    """Formats the ratio within each turn, since turns differ on a shared machine."""
    return spread(a / b for a, b in zip(above, below))


def as_table(corpus: Corpus, ending: str, write: Callable[[object, Path], None]) -> Path:
    """Returns the corpus as a file of a table, made again when the corpus was."""
    path = corpus.path.with_suffix(ending)
    if not path.exists() or path.stat().st_mtime < corpus.path.stat().st_mtime:
        write(rows_of(corpus.path), path)
    return path


def rows_of(lines: Path) -> object:
    from pyarrow import json as arrow_json

    return arrow_json.read_json(lines, read_options=arrow_json.ReadOptions(block_size=64 << 20))


def parquet_of(corpus: Corpus, group: int | None = None) -> Path:
    """Returns the corpus as Parquet with zstd; row groups are as pyarrow makes them, up to 1,048,576 rows, or smaller."""
    from pyarrow import parquet

    return as_table(corpus, f".{group}.parquet" if group else ".parquet",
                    lambda rows, path: parquet.write_table(rows, path, compression="zstd", row_group_size=group))


def arrow_of(corpus: Corpus) -> Path:
    from pyarrow import feather

    return as_table(corpus, ".arrow", lambda rows, path: feather.write_feather(rows, path, compression="uncompressed"))


def lines_equal(one: Path, other: Path) -> str:
    """Says whether two lists of removed documents are equal. A table has no file name and no lines."""
    texts = [path.read_bytes() for path in (one, other)]
    if texts[0] == texts[1]:
        return "equal byte for byte"
    place = re.compile(rb'"(kept_|linked_)?(source|line)":("[^"]*"|[0-9]+),')
    texts = [place.sub(b"", text) for text in texts]
    return "equal byte for byte, without the file names and line numbers" if texts[0] == texts[1] else "**different**"


# An Arrow table


def measure_table(options: argparse.Namespace) -> None:
    corpus = planted(10_000 if options.quick else 100_000)
    rows = arrow_of(corpus)
    clean, theirs, ours = OUT / "program.clean.jsonl", OUT / "program.removed", OUT / "table.removed"
    commands = {
        "program, --dry-run": [benzer(), "dedup", corpus.path, "--dry-run", "--json", "--quiet"],
        "table": python(OF_TABLE, rows),
        "program, writes": [benzer(), "dedup", corpus.path, "-o", clean, "--removed", theirs, "--json", "--quiet"],
        "table, kept": python(OF_TABLE, rows, ours),
    }
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    walls: dict[str, list[float]] = {name: [] for name in commands}
    cpus: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(options.turns or 9):
        for name in shuffled(list(commands), turn):
            warm(corpus.path)
            warm(rows)
            run = run_timed(commands[name])
            called = json.loads(run.stdout)
            is_table = name.startswith("table")
            runs[name].append(run)
            walls[name].append(called[0] if is_table else run.wall_seconds)
            cpus[name].append(called[1] if is_table else run.cpu_seconds)
    labels = {
        "program, --dry-run": "`benzer dedup CORPUS.jsonl --dry-run`, the process",
        "table": "`benzer.deduplicate(table)`, the call",
        "program, writes": "`benzer dedup CORPUS.jsonl -o CLEAN.jsonl --removed LIST`, the process",
        "table, kept": "`benzer.deduplicate(table, removed=LIST).kept()`, the calls",
    }
    out = []
    for name, base in (("program, --dry-run", ""), ("table", "program, --dry-run"), ("program, writes", ""), ("table, kept", "program, writes")):
        ratios = [median_ratio(of[name], of[base]) if base else "" for of in (walls, cpus)]
        out.append([labels[name], spread(cpus[name]), spread(walls[name]),
                    f"{max(run.peak_rss_bytes for run in runs[name]) / GB:.3f}", ratios[1], ratios[0]])
    head = ["what", "CPU s", "wall s", "peak RSS GB, the process", "CPU, of the program's [goal 1]", "wall [goal 1]"]
    publish("python-table", "Python: an Arrow table",
            f"{corpus.origin()}. The table is in memory, the lines are in the page cache; {len(walls['table'])} turns, median (min to max); ratios "
            "are of one turn each. The process of a table holds it, so its memory includes the corpus. The lists of "
            f"removed documents are {lines_equal(theirs, ours)}.\n\n" + table(head, out))
    clean.unlink()


# Parquet files


def surplus_recall(pairs: list[tuple[str, str, int, int]], removed: set[str]) -> float:
    """Returns the share of surplus documents that were removed: all but one of each component, whichever one is kept."""
    parent: dict[str, str] = {}
    for a, b, intersection, union in pairs:
        if intersection * THRESHOLD.denominator >= union * THRESHOLD.numerator:
            parent[root(parent, a)] = root(parent, b)
    sizes = Counter(root(parent, x) for x in parent)
    gone = Counter(root(parent, x) for x in parent if x in removed)
    return sum(min(gone[top], size - 1) for top, size in sizes.items()) / sum(size - 1 for size in sizes.values())


def peers_here(options: argparse.Namespace) -> dict[str, str]:
    """Returns the peers that can be run, and their versions."""
    out = {}
    for name in ("rensa", "gaoya", "datasketch"):
        try:
            out[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            print(f"{name} is not installed, and is left out", file=sys.stderr)
    for name in ("text-dedup", "datatrove"):
        if other := getattr(options, name.replace("-", "_")):
            out[name] = subprocess.run([other, "-c", f"from importlib.metadata import version; print(version('{name}'))"],
                                       stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return out


def parquet_command(tool: str, source: Path, out: Path, removed: Path, options: argparse.Namespace) -> list[str | Path]:
    if tool == "copy":
        return python(COPY, source, out)
    if tool == "benzer":
        return python(DEDUP, source, out, removed)
    if tool in ("text-dedup", "datatrove"):
        name = tool.replace("-", "_")
        return [getattr(options, name), BENCH / "peers" / f"{name}_parquet.py", source, out, removed, OUT / f"{tool}.work"]
    return [PYTHON, BENCH / "peers" / "parquet_scripts.py", tool, source, out, removed]


def scored(tool: str, pairs: list, removed: Path) -> list[str]:
    if tool == "copy":
        return [""] * 4
    ids = read_removed(removed)
    s: Score = score(pairs, ids, THRESHOLD)
    return [f"{s.leader_recall:.4f}", f"{s.leader_precision:.4f}", f"{surplus_recall(pairs, ids):.4f}", f"{s.drop_precision:.4f}"]


def parquet_rows(corpus: Corpus, group: int | None, plan: dict[str, int], options: argparse.Namespace) -> list[list[object]]:
    """Runs each tool so many times, in turn, on one file."""
    source = parquet_of(corpus, group)
    pairs = read_pairs(corpus.truth)
    runs: dict[str, list[Run]] = {tool: [] for tool in plan}
    files = {tool: (OUT / f"{tool}.kept.parquet", OUT / f"{tool}.parquet.removed") for tool in plan}
    for turn in range(max(plan.values())):
        for tool in shuffled(list(plan), turn):
            if turn < plan[tool]:
                warm(source)
                runs[tool].append(run_timed(parquet_command(tool, source, *files[tool], options), {"TMPDIR": str(OUT)}))
                print(f"{tool}, {corpus.documents:,}: {runs[tool][-1]}", file=sys.stderr, flush=True)
                shutil.rmtree(OUT / f"{tool}.work", ignore_errors=True)
    out = []
    for tool, (kept, removed) in files.items():
        found, copies, own = runs[tool], runs["copy"], runs["benzer"]
        cpu = [run.cpu_seconds for run in found]
        wall = [run.wall_seconds for run in found]
        # Peers are compared by medians: they have fewer turns.
        beside = statistics.median(cpu) / statistics.median(run.cpu_seconds for run in own)
        times = [median_ratio(cpu, [run.cpu_seconds for run in copies]), median_ratio(wall, [run.wall_seconds for run in copies]), ""]
        if tool not in ("copy", "benzer"):
            times = ["", "", f"{beside:.1f}"]
        name = {"copy": "pyarrow, a copy", "benzer": "**Benzer**"}.get(tool, tool)
        out.append([f"{corpus.documents:,}", f"{group:,}" if group else "all", name, len(found), spread(cpu), spread(wall),
                    f"{max(run.peak_rss_bytes for run in found) / GB:.2f}", *(times if tool != "copy" else ["", "", ""]),
                    *scored(tool, pairs, removed)])
        kept.unlink()
    return out


def measure_parquet(options: argparse.Namespace) -> None:
    versions = peers_here(options)
    turns = options.turns or 3
    small, large = planted(10_000), planted(100_000)
    ours = {"copy": turns, "benzer": turns}
    plan = {**ours, **{tool: turns if tool in ("rensa", "gaoya") else 1 for tool in versions}}  # these are the fastest
    out = []
    if not options.quick:
        # The others would take from one and a half minutes to a quarter of an hour of CPU each.
        fastest = {tool: times for tool, times in plan.items() if tool in (*ours, "rensa", "gaoya")}
        out += parquet_rows(large, None, fastest, options)
        out += parquet_rows(large, 1000, ours, options)
    out += parquet_rows(small, None, plan, options)
    head = ["documents", "rows of a row group", "tool", "turns", "CPU s", "wall s", "peak RSS GB", "CPU, of the copy's [goal 2]",
            "wall, of the copy's [goal 2]", "CPU, of Benzer's [goal 10]", "recall", "precision", "recall, drops", "precision, drops"]
    said = ", ".join(f"{name} {version}" for name, version in versions.items())
    publish("python-parquet", "Python: Parquet in, Parquet out",
            f"{large.origin()}; as Parquet with zstd {parquet_of(large).stat().st_size / 1e6:,.0f} MB. {said}; "
            f"pyarrow {importlib.metadata.version('pyarrow')}, Python {sys.version.split()[0]}. Whole processes with all that "
            "they start, in turn, on a file in the page cache: user and system CPU, wall and peak resident memory of the "
            "largest process, by the operating system; median (min to max), ratios of one turn each. All write the kept rows "
            "as Parquet with zstd.\n\n" + table(head, out) + f"\n- Benzer: `{DEDUP}`\n- copy: `{COPY}`\n"
            "- peers: `bench/peers/parquet_scripts.py`, `text_dedup_parquet.py`, `datatrove_parquet.py`\n")


# Memory


def large_folder(want: int) -> Path:
    """Makes Parquet files of 100,000 documents each, every one from another seed, until they have that many bytes."""
    from pyarrow import parquet

    folder, made_of = OUT / "large.parquet", OUT / "part.jsonl"
    folder.mkdir(exist_ok=True)
    have = number = 0
    while have < want:
        part = folder / f"part-{number:03}.parquet"
        if not part.exists():
            tool = compile_tool("make_corpus")
            subprocess.run([tool, sentence_pool(), made_of, "100000", str(SEED + 1 + number)], check=True)
            parquet.write_table(rows_of(made_of), part.with_suffix(".fresh"), compression="zstd")
            made_of.unlink()
            part.with_suffix(".fresh").rename(part)
        have += part.stat().st_size
        number += 1
    return folder


def joined(folder: Path, count: int) -> Path:
    """Returns the first files of a folder as one, with as few row groups as pyarrow makes by default."""
    import pyarrow
    from pyarrow import parquet

    path = OUT / "joined.parquet"
    parts = sorted(folder.glob("*.parquet"))[:count]
    parquet.write_table(pyarrow.concat_tables([parquet.read_table(part) for part in parts]), path, compression="zstd")
    return path


def measure_memory(options: argparse.Namespace) -> None:
    share = 20 if options.quick else 1
    inputs: dict[str, Callable[[], Path]] = {
        "documents of 3.6 KB, a fifth near-copies, files of 100,000": lambda: large_folder(10 * GB // share),
        "four of these in one file with one row group": lambda: joined(large_folder(10 * GB // share), 4),
        "documents of 4 KiB, one file with one row group": lambda: parquet_of(distinct(4096, 250_000 // share)),
        "documents of 1 MiB, one file with one row group": lambda: parquet_of(distinct(1 << 20, 1000 // share)),
    }
    out = []
    for name, make in inputs.items():
        source = make()
        target = OUT / ("limited" if source.is_dir() else "limited.parquet")
        run = run_timed(python(LIMITED, source, target), {"TMPDIR": str(OUT)})
        documents, removed, peak = json.loads(run.stdout)
        print(f"{name}: {peak:,}, {run}", file=sys.stderr, flush=True)
        size = sum(part.stat().st_size for part in (source.glob("*.parquet") if source.is_dir() else [source]))
        out.append([name, f"{size / GB:.2f}", f"{documents:,}", f"{removed:,}", f"{run.cpu_seconds:,.0f}", f"{run.wall_seconds:,.0f}",
                    f"{peak / GB:.3f}", f"{run.peak_rss_bytes / GB:.3f}"])
        shutil.rmtree(target) if target.is_dir() else target.unlink()
    publish("python-memory", "Python: a limit of memory",
            f'`benzer.deduplicate(FILES, output=OUT, memory_limit="{LIMIT}")`, one run each; the Parquet files have zstd. The '
            "memory is that of the whole process with Python and pyarrow: as it reads its own VmHWM at the end, and as the "
            "operating system counts it.\n\n"
            + table(["input", "GB on disk", "documents", "removed", "CPU s", "wall s", "VmHWM, GB [goal 1.3]", "peak RSS, GB"], out))


# An index


def ask_index(corpus: str, known: str, new: str) -> None:
    """Does what index_speed memory does, in Python, and prints the same names."""
    import numpy

    import benzer as package

    def texts(path: str) -> list[str]:
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line)["text"] for line in lines]

    others = numpy.ones(128 << 20, numpy.uint8)

    def evict() -> None:
        others[::64] += 1

    def quantile(values: list[float], share: float) -> float:
        return sorted(values)[int(share * (len(values) - 1))]

    index = package.Index(fields={"text": "text:word5"}, min_threshold=0.8)
    with open(corpus, encoding="utf-8") as lines:
        index.add((json.loads(line) for line in lines), threads=1)
    answer: dict[str, float] = {"documents": len(index)}
    for name, asked in (("known", texts(known)), ("new", texts(new))):
        walls, cpus = [], []
        for _ in range(5):
            evict()
            wall, cpu = time.perf_counter(), time.process_time()
            index.similar(asked, threads=1)
            cpus.append((time.process_time() - cpu) / len(asked) * 1e6)
            walls.append((time.perf_counter() - wall) / len(asked) * 1e6)
        answer["batch_cpu_" + name], answer["batch_" + name] = quantile(cpus, 0.5), quantile(walls, 0.5)
        evict()
        micros, matches = [], 0
        for text in asked:
            began = time.perf_counter()
            found = index.similar(text)
            micros.append((time.perf_counter() - began) * 1e6)
            matches += len(found)
        answer[f"alone_{name}_p50"], answer[f"alone_{name}_p99"] = quantile(micros, 0.5), quantile(micros, 0.99)
        answer[f"alone_{name}_matches"] = matches / len(asked)
    print(json.dumps(answer))


def measure_index(options: argparse.Namespace) -> None:
    out = []
    turns = options.turns or 7
    documents = 20_000 if options.quick else 100_000
    for size in (1024, 4096):
        asked = asked_of(distinct(size, documents), size)
        commands = {"C++": [benzer().parent / "index_speed", "memory", *asked],
                    "Python": [PYTHON, Path(__file__).resolve(), "--ask-index", *asked]}
        found: dict[str, list[dict[str, float]]] = {name: [] for name in commands}
        with one_core():
            for turn in range(turns):
                for name in shuffled(list(commands), turn):
                    found[name].append(json.loads(run_timed(commands[name]).stdout))
        for of in ("known", "new"):
            for what, key in (("one, p50", f"alone_{of}_p50"), ("one, p99", f"alone_{of}_p99"), ("in batches, CPU", f"batch_cpu_{of}")):
                theirs, ours = ([run[key] for run in found[name]] for name in ("C++", "Python"))
                more = [b - a for a, b in zip(theirs, ours)]
                percent = spread((100 * (b / a - 1) for a, b in zip(theirs, ours)), 1)
                out.append([f"{size:,}", "with a match" if of == "known" else "without", what, spread(theirs, 1), spread(ours, 1),
                            spread(more, 1), percent])
    head = ["bytes of a document", "query", "how", "C++, us", "Python, us", "more, us [goal, one: 15]", "more, % [goal, batches: 10]"]
    publish("python-index", "Python: queries",
            f"{documents:,} distinct documents in memory, {turns} turns of 4,096 queries, one core; `index.similar(text)` one by one, "
            "by the clock, and `index.similar(texts, threads=1)`; in C++ `index_speed memory`, which makes the same calls. Text in, "
            "hashing included; median (min to max); differences are of one turn each.\n\n" + table(head, out))


# The import


def measure_import(options: argparse.Namespace) -> None:
    turns = options.turns or 31
    environment = {"PYTHONDONTWRITEBYTECODE": ""}  # as an installed package, it has its byte code
    commands = {"pass": python("pass"), "import benzer": python(IMPORT), "import pyarrow": python("import pyarrow"),
                "import numpy": python("import numpy")}
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for command in commands.values():
        run_timed(command, environment)
    for turn in range(turns):
        for name in shuffled(list(commands), turn):
            runs[name].append(run_timed(commands[name], environment))
    inside = [[1000 * float(word) for word in run.stdout.split()] for run in runs["import benzer"]]
    out = []
    for name, found in runs.items():
        alone = [spread(values, 1) for values in zip(*inside)] if name == "import benzer" else ["", ""]
        out.append([f"`{name}`", spread((1000 * run.wall_seconds for run in found), 1),
                    spread((1000 * run.cpu_seconds for run in found), 1), *alone,
                    f"{max(run.peak_rss_bytes for run in found) / 1e6:.0f}"])
    publish("python-import", "Python: the import",
            f"A process each, warm, {turns} turns; median (min to max).\n\n"
            + table(["Python runs", "wall ms", "CPU ms", "the import by itself, wall ms [goal 50]", "CPU ms", "peak RSS MB"], out))


MEASURE = {"table": measure_table, "parquet": measure_parquet, "memory": measure_memory, "index": measure_index, "import": measure_import}


def main() -> None:
    if sys.argv[1:2] == ["--ask-index"]:
        ask_index(*sys.argv[2:5])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="which measurements: " + ", ".join(MEASURE))
    parser.add_argument("--quick", action="store_true", help="small inputs")
    parser.add_argument("--turns", type=int, help="how often each is run")
    parser.add_argument("--text-dedup", metavar="PYTHON", help="the Python that has text-dedup")
    parser.add_argument("--datatrove", metavar="PYTHON", help="the Python that has datatrove")
    parser.add_argument("--record", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    for name in options.name:
        if name not in MEASURE:
            parser.error(f"there is no measurement {name}; there are {', '.join(MEASURE)}")
    OUT.mkdir(parents=True, exist_ok=True)
    print(describe_machine(), flush=True)
    for name in options.name or [name for name in MEASURE if name != "memory"]:
        MEASURE[name](options)
    if options.record:
        recorder.NAMES = [f"python-{name}" for name in MEASURE]
        recorder.record()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
