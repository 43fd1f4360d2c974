#!/usr/bin/env python3
"""Measures benzer.spark: equal to the program, its cost beside it and beside a floor, its shuffles, and peers.

  spark.py [NAME...] [--quick] [--turns N] [--documents N] [--curator PYTHON] [--datatrove PYTHON] [--record]

NAME: equal, size, standalone, growth, shuffle, peers, cluster; without one all. Needs benzer, pyspark, pyarrow and
numpy in this Python, Java, and the program (BENZER, or that of ./dev bench). The peers need other versions of the same
packages, so each is run by the Python of an environment of its own, if one is named; Spark's MLlib is measured with
this one.
`cluster` computes from what `size` and `shuffle` have left. Prints markdown tables and keeps each as
build/bench/spark-NAME.md; --record puts these into docs/benchmarks.md.
"""
from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path

import run as recorder
from corpora import Corpus, planted, short_planted
from measure import (
    BENCH,
    OUT,
    Run,
    TooSlowError,
    benzer,
    describe_machine,
    first_line,
    publish,
    run_timed,
    shuffled,
    spread,
    table,
    warm,
)
from python_tables import median_ratio, scored
from score import read_pairs
from spark_events import STAGES, shuffled_bytes
from spark_inputs import DataSet, data_sets, descriptions, parquet_of

GB = 10**9
PYTHON = sys.executable
JOBS = BENCH / "spark_jobs.py"
WORK = OUT / "spark.work"  # what a run leaves, removed before the next one
FIGURES = OUT / "spark-figures.json"
PARTITIONS = [1, 2, 7, 200]
LIMIT = 15 * 60  # seconds of a peer
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "4g",
    "spark.io.compression.codec": "zstd",
}
TELL = ("`local[2]`, " + ", ".join(f"`{name}={value}`" for name, value in SETTINGS.items())
        + "; CPU of the JVM, of Python and of all that they start, from start to end, by the operating system")
Removed = list[tuple[str, str | None, float | None]]  # id, kept_id, score


def spark_environment(python: str = PYTHON, **more: str) -> dict[str, str]:
    """Returns what makes Spark use these settings, however a script starts its session. Dots are __ in more."""
    settings = {**SETTINGS, "spark.local.dir": str(WORK / "local"), "spark.sql.warehouse.dir": str(WORK / "warehouse"),
                **{name.replace("__", "."): value for name, value in more.items()}}
    words = ["--master", "local[2]"]
    for name, value in settings.items():
        words += ["--conf", f"{name}={value}"]
    return {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python,
            "TMPDIR": str(OUT), "PYSPARK_SUBMIT_ARGS": shlex.join([*words, "pyspark-shell"])}


def clear() -> None:
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)


def versions() -> str:
    java = subprocess.run(["java", "-version"], stderr=subprocess.PIPE, text=True, check=True).stderr.splitlines()[0]
    return (f"PySpark {importlib.metadata.version('pyspark')}, {java.replace(chr(34), '')}, "
            f"pyarrow {importlib.metadata.version('pyarrow')}, Python {sys.version.split()[0]}")


def of_program(lines: Path, *words: str, clean: Path = WORK / "clean.jsonl") -> list[str | Path]:
    return [benzer(), "dedup", lines, "-o", clean, "--removed", WORK / "program.removed", *words, "--json", "--quiet"]


def read_lines(path: Path, names: list[str]) -> list[tuple]:
    with path.open(encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        return sorted((tuple(row[name] for name in names) for row in rows), key=repr)


def read_frame(folder: Path, names: list[str]) -> list[tuple]:
    from pyarrow import parquet

    columns = parquet.read_table(folder, columns=names).to_pydict()
    return sorted(zip(*(columns[name] for name in names)), key=repr)


PAIR = ["id", "kept_id", "score"]


# Equal to the program


def check_equal(one: DataSet) -> list[object]:
    clear()
    summary = json.loads(run_timed(of_program(one.lines, *one.words, "--allow-large-clusters")).stdout)
    settings = {**one.options, **({"threshold": float(one.options["threshold"])} if "threshold" in one.options else {})}
    source = parquet_of(one.lines, one.options.get("values", "text"))
    run_timed([PYTHON, JOBS, "equal", source, WORK / "out", WORK / "checkpoint", json.dumps(settings),
               *map(str, PARTITIONS)], spark_environment())
    kept, removed = read_lines(WORK / "clean.jsonl", ["id"]), read_lines(WORK / "program.removed", PAIR)
    for count in PARTITIONS:
        if read_frame(WORK / "out" / str(count) / "kept", ["id"]) != kept:
            sys.exit(f"{one.name}: with {count} partitions other documents are kept than by the program.")
        if read_frame(WORK / "out" / str(count) / "removed", PAIR) != removed:
            sys.exit(f"{one.name}: with {count} partitions removed documents, keepers or scores are not the program's.")
    words = " ".join(f"`--{name} {value}`" for name, value in one.options.items())
    return [one.name, words, f"{summary['documents']:,}", f"{summary['removed']:,}", f"{summary['largest_cluster']:,}",
            ", ".join(map(str, PARTITIONS))]


def measure_equal(options: argparse.Namespace) -> None:
    rows = []
    for one in data_sets(options.quick):
        rows.append(check_equal(one))
        print("equal: " + ", ".join(map(str, rows[-1])), file=sys.stderr, flush=True)
    publish("spark-equal", "Spark: equal to the program",
            "`benzer.spark.deduplicate()` beside `benzer dedup` on the same documents: kept and removed documents, "
            f"keepers and scores are the same after sorting, with each number of partitions. {versions()}.\n\n"
            + table(["data set", "options", "documents", "removed", "largest cluster", "equal with so many partitions"],
                    rows))


# Beside the program and a job that does nothing


def run_spark(corpus: Corpus, what: str) -> Run:
    """Runs a job on warm files. What it wrote stays in WORK."""
    clear()
    source = parquet_of(corpus.path)
    warm(source)
    job = what.removeprefix("standalone ")
    more = [WORK / "ids"] if job == "floor" else [WORK / "removed", WORK / "checkpoint"]
    words = [job, source, WORK / "out", *more]
    if job == what:
        return run_timed([PYTHON, JOBS, *words], spark_environment())
    return run_timed([PYTHON, BENCH / "spark_standalone.py", *words],
                     spark_environment(spark__executor__memory="2g", spark__executor__cores="1"))


def run_program(corpus: Corpus) -> Run:
    clear()
    warm(corpus.path)
    return run_timed(of_program(corpus.path))


def runs_in_turn(corpus: Corpus, names: list[str], turns: int) -> tuple[dict[str, list[Run]], bool]:
    """Runs these turn about, and says whether Spark's and the program's removed documents are equal."""
    runs: dict[str, list[Run]] = {name: [] for name in names}
    found: dict[str, Removed] = {}
    for turn in range(turns):
        for name in shuffled(names, turn):
            runs[name].append(run_program(corpus) if name == "program" else run_spark(corpus, name))
            print(f"{name}, {corpus.documents:,}: {runs[name][-1]}", file=sys.stderr, flush=True)
            if name == "program":
                found[name] = read_lines(WORK / "program.removed", PAIR)
            elif "benzer" in name:
                found["benzer"] = read_frame(WORK / "removed", PAIR)
    clear()
    return runs, found["program"] == found["benzer"]


def keep_figure(name: str, value: object) -> None:
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    FIGURES.write_text(json.dumps({**known, name: value}))


def measure_size(options: argparse.Namespace) -> None:
    labels = {"benzer": "**Benzer on Spark**", "program": "`benzer dedup`, JSON lines", "floor": "Spark, the floor"}
    rows = []
    origins = []
    for documents in [10_000] if options.quick else [100_000, 1_000_000]:
        corpus = planted(documents)
        origins.append(corpus.origin())
        runs, is_equal = runs_in_turn(corpus, list(labels), options.turns or 3)
        cpus = {name: [run.cpu_seconds for run in found] for name, found in runs.items()}
        for name, label in labels.items():
            ratios = [median_ratio(cpus["benzer"], cpus[other]) for other in ("program", "floor")]
            rows.append([f"{documents:,}", label, len(runs[name]), spread(cpus[name]),
                         spread(run.wall_seconds for run in runs[name]),
                         f"{max(run.peak_rss_bytes for run in runs[name]) / GB:.2f}",
                         *(ratios if name == "benzer" else ["", ""]),
                         ("yes" if is_equal else "**no**") if name == "benzer" else ""])
        if not options.quick:
            keep_figure("cpu", {"documents": documents, "seconds": statistics.median(cpus["benzer"])})
    head = ["documents", "what", "turns", "CPU s", "wall s", "peak RSS GB, the largest process",
            "CPU, of the program's [goal 4 and 2]", "CPU, of the floor's", "equal to the program"]
    publish("spark-size", "Spark: cost beside the program",
            f"{'; '.join(origins)}. As Parquet with zstd, row groups of 10,000, in the page cache. The floor hands ids "
            "and texts to Python with `mapInArrow`, which gives back the ids, and writes the frame again: what any job "
            "does that reads all texts in Python. "
            f"In turn, median (min to max), ratios of one turn each. {TELL}. {versions()}.\n\n"
            + table(head, rows))


def measure_standalone(options: argparse.Namespace) -> None:
    names = {"standalone benzer": "**Benzer on Spark**", "standalone floor": "Spark, the floor",
             "program": "`benzer dedup`, JSON lines"}
    rows = []
    for documents in [10_000] if options.quick else [100_000, 1_000_000]:
        runs, is_equal = runs_in_turn(planted(documents), list(names), options.turns or 3)
        base = statistics.median(run.cpu_seconds for run in runs["program"])
        for name, label in names.items():
            cpu = [run.cpu_seconds for run in runs[name]]
            rows.append([f"{documents:,}", label, len(cpu), spread(cpu), spread(run.wall_seconds for run in runs[name]),
                         f"{statistics.median(cpu) / base:.1f}",
                         ("yes" if is_equal else "**no**") if "benzer" in name else ""])
    publish("spark-standalone", "Spark: a master and two workers",
            "The same documents on a standalone master and two workers, each with an executor of one core: six "
            f"processes of Java in place of one, whose start and end are counted, too. {versions()}.\n\n"
            + table(["documents", "what", "turns", "CPU s", "wall s", "CPU, of the program's", "equal to the program"],
                    rows))


# What a document more costs


def measure_growth(options: argparse.Namespace) -> None:
    turns = options.turns or 3
    rows = []
    empty, _ = runs_in_turn(short_planted(1_000), ["benzer", "program"], turns)
    idle = {name: statistics.median(run.cpu_seconds for run in found) for name, found in empty.items()}
    for documents in [10_000] if options.quick else [100_000, 1_000_000, 10_000_000]:
        corpus = short_planted(documents)
        runs, is_equal = runs_in_turn(corpus, ["benzer", "program"], turns if documents <= 10**6 else 1)
        micros = {name: [run.cpu_seconds / documents * 1e6 for run in found] for name, found in runs.items()}
        less = {name: [value - idle[name] / documents * 1e6 for value in values] for name, values in micros.items()}
        rows.append([f"{documents:,}", f"{corpus.path.stat().st_size / documents:,.0f}", len(runs["benzer"]),
                     *(spread(of[name], 1) for name in ("benzer", "program") for of in (micros, less)),
                     median_ratio(less["benzer"], less["program"]), spread(run.wall_seconds for run in runs["benzer"]),
                     f"{max(run.peak_rss_bytes for run in runs['benzer']) / GB:.2f}", "yes" if is_equal else "**no**"])
    head = ["documents", "bytes of one", "turns", "Spark: CPU us a document", "less an empty run",
            "program: CPU us a document", "less an empty run", "the second of the fourth", "Spark: wall s",
            "peak RSS GB, the largest process",
            "equal to the program"]
    publish("spark-growth", "Spark: more documents",
            f"Short documents. An empty run has 1,000 documents and takes {idle['benzer']:.1f} s of CPU on Spark, and "
            f"{idle['program']:.2f} s in the program. {TELL}. {versions()}.\n\n" + table(head, rows))


# Shuffles


def bytes_of_run(source: Path, settings: dict[str, str], codec: str) -> Counter[str]:
    clear()
    events = WORK / "events"
    events.mkdir()
    # Other than in the tables of time the run is that of `equal`, which takes options.
    run_timed([PYTHON, JOBS, "equal", source, WORK / "out", WORK / "checkpoint", json.dumps(settings), "default"],
              spark_environment(spark__io__compression__codec=codec, spark__eventLog__enabled="true",
                                spark__eventLog__dir=events.as_uri(), spark__eventLog__compress="false",
                                spark__eventLog__rolling__enabled="false"))
    [log] = [path for path in events.iterdir() if not path.name.startswith(".")]
    return shuffled_bytes(log)


def measure_shuffle(options: argparse.Namespace) -> None:
    corpus = planted(10_000 if options.quick else 100_000)
    sets = [DataSet(corpus.path.name, corpus.path)]
    if not options.quick:
        sets.append(descriptions())
    rows = []
    for one in sets:
        source = parquet_of(one.lines)
        with one.lines.open("rb") as lines:
            documents = sum(1 for _ in lines)
        for codec in ("lz4", "zstd"):
            found = bytes_of_run(source, one.options, codec)
            names = [*STAGES, "other"]
            rows.append([one.name, f"{documents:,}", codec, *(f"{found[name] / documents:,.0f}" for name in names),
                         f"**{found.total() / documents:,.0f}**"])
            if one is sets[0] and codec == "zstd" and not options.quick:
                keep_figure("shuffled", found.total() / documents)
                members = json.loads((WORK / "checkpoint" / "notes" / "members.txt").read_text())
                keep_figure("connected", members["rows"] / documents)
    publish("spark-shuffle", "Spark: what is shuffled",
            "Bytes a document that the tasks of each stage wrote for a shuffle (Shuffle Bytes Written, by the event "
            f"log), with the two values of `spark.io.compression.codec`; the goal is 700 in all. {versions()}.\n\n"
            + table(["data set", "documents", "codec", *STAGES, "other", "in all [goal 700]"], rows))


# Peers


def version_of(python: str, name: str) -> str:
    return first_line(python, "-c", f"from importlib.metadata import version; print(version('{name}'))")


def peers_here(options: argparse.Namespace) -> dict[str, str]:
    out = {"benzer": "", "program": "", "mllib": importlib.metadata.version("pyspark")}
    for tool, python, package in (("curator", options.curator, "distributed-curator"),
                                  ("datatrove", options.datatrove, "datatrove")):
        if python:
            out[tool] = version_of(python, package)
            if tool == "curator":
                out[tool] += f", PySpark {version_of(python, 'pyspark')}"
        else:
            print(f"{package} is left out; name its Python by --{tool}", file=sys.stderr)
    return out


def run_peer(tool: str, corpus: Corpus, options: argparse.Namespace) -> tuple[Run, Path]:
    """Runs a tool once, and returns where its removed ids are."""
    if tool == "program":
        return run_program(corpus), WORK / "program.removed"
    removed = WORK / f"{tool}.removed"
    if tool == "benzer":
        run = run_spark(corpus, "benzer")
        removed.write_text("".join(f"{row[0]}\n" for row in read_frame(WORK / "removed", ["id"])), encoding="utf-8")
        return run, removed
    clear()
    source = parquet_of(corpus.path)
    warm(source)
    python = {"mllib": PYTHON, "curator": options.curator, "datatrove": options.datatrove}[tool]
    script = BENCH / "peers" / ("datatrove_parquet.py" if tool == "datatrove" else f"spark_{tool}.py")
    more = {"spark__sql__shuffle__partitions": str(1 + corpus.documents // 5000)}
    out = WORK / ("out.parquet" if tool == "datatrove" else "out")
    command = [python, script, source, out, removed, WORK / "peer"]
    return run_timed(command, spark_environment(python, **more), LIMIT), removed


def measure_peers(options: argparse.Namespace) -> None:
    labels = {"benzer": "**Benzer on Spark**", "program": "**`benzer dedup`**", "mllib": "Spark's MLlib",
              "curator": "distributed-curator", "datatrove": "datatrove"}
    found = peers_here(options)
    rows = []
    sizes = options.documents or ([10_000] if options.quick else [10_000, 100_000])
    for documents in sizes:
        corpus = planted(documents)
        assert corpus.truth is not None
        pairs = read_pairs(corpus.truth)
        base = 0.0
        for tool, version in found.items():
            turns = (options.turns or 3) if not version else 1
            name = f"{labels[tool]} {version}".strip()
            runs = []
            try:
                for _ in range(turns):
                    run, removed = run_peer(tool, corpus, options)
                    runs.append(run)
                    print(f"{tool}, {documents:,}: {run}", file=sys.stderr, flush=True)
            except (TooSlowError, SystemExit) as failed:
                print(f"{tool}: {failed}", file=sys.stderr, flush=True)
                what = f"ended after {LIMIT // 60} minutes" if isinstance(failed, TooSlowError) else "failed"
                rows.append([f"{documents:,}", name, 1, what, *[""] * 7])
                continue
            cpu = [run.cpu_seconds for run in runs]
            base = statistics.median(cpu) if tool == "benzer" else base
            rows.append([f"{documents:,}", name, turns, spread(cpu), spread(run.wall_seconds for run in runs),
                         f"{max(run.peak_rss_bytes for run in runs) / GB:.2f}",
                         f"{statistics.median(cpu) / base:.2f}", *scored(tool, pairs, removed)])
    clear()
    head = ["documents", "tool", "turns", "CPU s", "wall s", "peak RSS GB, the largest process",
            "CPU, of Benzer's on Spark", "recall", "precision", "recall, drops", "precision, drops"]
    publish("spark-peers", "Spark: peers",
            f"{'; '.join(planted(documents).origin() for documents in sizes)}. Parquet with zstd in "
            "the page cache; `benzer dedup` reads JSON lines. Recall and precision are against the planted pairs, as "
            "in the table of Parquet files. Peers on Spark have one shuffle partition for 5,000 documents. "
            f"A run of more than {LIMIT // 60} minutes is ended. {TELL}. "
            f"{versions()}.\n\n" + table(head, rows)
            + "\n- Benzer: `bench/spark_jobs.py`\n- peers: `bench/peers/spark_*.py`, `datatrove_parquet.py`\n")


# What a cluster would take


def measure_cluster(options: argparse.Namespace) -> None:
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    if missing := {"cpu", "shuffled", "connected"} - set(known):
        names = " and ".join("size" if name == "cpu" else "shuffle" for name in sorted(missing))
        sys.exit(f"cluster needs the figures of {names}.")
    documents, machines, cores, network = 2_530_000_000, 63, 16, 10e9 / 8
    price = 0.80  # dollars an hour of a machine; no cloud's list, but what such machines cost about
    connected_bytes = 56  # of a document, docs/python/spark.md
    each = known["cpu"]["seconds"] / known["cpu"]["documents"]
    total = each * documents
    sent = known["shuffled"] * documents
    connected = known["connected"] * documents
    hours = total / machines / cores / 3600
    rows = [["CPU of one document, us, the start of Spark included", f"{each * 1e6:,.0f}"],
            ["CPU of all, hours of one core", f"{total / 3600:,.0f}"],
            [f"the same on {machines * cores:,} cores, hours", f"{hours:.2f}"],
            [f"{machines} machines for that time at {price:.2f} dollars an hour, dollars [goal 50]",
             f"{hours * machines * price:.1f}"],
            ["the same if three quarters of the time is waiting, dollars", f"{4 * hours * machines * price:.1f}"],
            ["shuffled in all, TB", f"{sent / 1e12:.2f}"],
            ["shuffled a machine, GB", f"{sent / machines / GB:.1f}"],
            ["seconds of a network of 10 Gbit/s a machine for it", f"{sent / machines / network:,.0f}"],
            ["documents that have a candidate, which one task connects, millions", f"{connected / 1e6:,.0f}"],
            [f"memory of that task, {connected_bytes} bytes each, GB", f"{connected * connected_bytes / GB:,.0f}"]]
    publish("spark-cluster", "Spark: a projection",
            f"Nothing of this was measured. It multiplies what {known['cpu']['documents']:,} documents of 3.6 "
            f"KB took on two cores by {documents:,} documents on {machines} machines of {cores} cores, which is the "
            "largest run that distributed-curator's page tells of, at 500 dollars or more. It leaves out storage, "
            "stragglers and lost machines. The price is an assumption, and the memory of the one task that connects "
            "components a lower bound, since several parts may find the same pairs.\n\n"
            + table(["what", "projected"], rows))


MEASURE = {"equal": measure_equal, "size": measure_size, "standalone": measure_standalone, "growth": measure_growth,
           "shuffle": measure_shuffle, "peers": measure_peers, "cluster": measure_cluster}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="which measurements: " + ", ".join(MEASURE))
    parser.add_argument("--quick", action="store_true", help="small inputs")
    parser.add_argument("--turns", type=int, help="how often each is run")
    parser.add_argument("--documents", type=int, action="append", help="sizes for the peers; may be repeated")
    parser.add_argument("--curator", metavar="PYTHON", help="the Python that has distributed-curator")
    parser.add_argument("--datatrove", metavar="PYTHON", help="the Python that has datatrove")
    parser.add_argument("--record", action="store_true", help="put the tables into docs/benchmarks.md")
    options = parser.parse_args()
    for name in options.name:
        if name not in MEASURE:
            parser.error(f"there is no measurement {name}; there are {', '.join(MEASURE)}")
    OUT.mkdir(parents=True, exist_ok=True)
    os.chdir(OUT)  # Spark makes folders where it is started
    print(describe_machine(), flush=True)
    for name in options.name or MEASURE:
        MEASURE[name](options)
    if options.record:
        recorder.NAMES = [f"spark-{name}" for name in MEASURE]
        recorder.record()


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
