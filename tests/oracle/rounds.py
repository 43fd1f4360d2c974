"""Runs one round: runs a random case, compares it with the definition, and runs it again in other ways, which must change no byte."""
from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from case import Case, packed
from checks import DedupChecks, Faults, PairsChecks, Truth, unpacked
from common import program, scratch
from evidence import report_faults
from report_test import faults as page_faults

DEADLINE_SECONDS = 120  # many times as long as any of these runs takes
# Members of the summary that describe the run and not its result.
COSTS = ("seconds", "cpu_seconds", "peak_rss_bytes", "threads", "cpu")
ENDED = (-signal.SIGKILL, -signal.SIGTERM)  # SIGTERM: before the program has installed its handlers
CPU_LEVELS = ("baseline", "avx2", "avx512")
REPORTS = ("Sanitizer", "runtime error:", "core dumped")


class Result(NamedTuple):
    code: int
    summary: dict
    said: list[str]
    files: dict[str, bytes]
    seconds: float


class Round:
    def __init__(self, seed: int, without: set[str]) -> None:
        self.seed = seed
        self.case = Case(seed, without)
        self.chance = random.Random(f"round {seed}")
        self.folder = scratch(f"round-{seed}")
        self.case.write(self.folder)
        self.commands: list[str] = []
        self.promised: list[float] = []  # the probability that each true pair is found
        self.missed = 0

    # Running

    def start(self, arguments: list[str], data: bytes = b"", other: str | None = None, **environment: str) -> subprocess.Popen:
        """other: a program in place of the one under test."""
        command = [other or str(program()), *arguments]
        self.commands.append(" ".join(f"'{a}'" if set(a) & set(" \"'+*:") else a for a in command))
        stdin = self.folder / "stdin"
        stdin.write_bytes(data)
        with stdin.open("rb") as file:
            return subprocess.Popen(command, cwd=self.folder, env=os.environ | environment, stdin=file, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE)

    def end(self, process: subprocess.Popen, began: float) -> Result:
        try:
            out, err = process.communicate(timeout=DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise RuntimeError("it hangs") from None
        said = err.decode("utf-8", "replace")
        at = min((at for word in REPORTS if (at := said.find(word)) >= 0), default=0)
        if process.returncode < 0 and process.returncode not in ENDED or any(word in said for word in REPORTS):
            raise RuntimeError(f"ended with {process.returncode}:\n{said[max(0, at - 20) : at + 3000]}")
        try:
            summary = json.loads(out) if out else {}
        except ValueError:
            raise RuntimeError(f"the summary is no JSON: {out[:300]!r}") from None
        for cost in COSTS:
            summary.pop(cost, None)
        folder = self.folder / "out"
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        return Result(process.returncode, summary, said.splitlines(), files, time.monotonic() - began)

    def run(self, *more: str, command: str | None = None, other: str | None = None, **environment: str) -> Result:
        began = time.monotonic()
        arguments = [command or self.case.command, *self.case.arguments(), *self.named(), "--json", *more]
        return self.end(self.start(arguments, other=other, **environment), began)

    def named(self) -> list[str]:
        case = self.case
        out = ["-o", case.output]
        for name, value in case.outputs.items():
            out += [name] if value is None else [name, value]
        return out

    def fresh(self) -> None:
        shutil.rmtree(self.folder / "out")
        (self.folder / "out").mkdir()
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        (self.folder / "work").mkdir()

    # Checking

    def faults(self) -> Faults:
        truth = Truth(self.case)
        first = self.run("--threads", str(self.chance.choice([1, 2, 3, 4])))
        if self.case.command == "dedup" and self.case.lossless and truth.is_stopped(truth.removals(truth.edges)):
            if first.code != 7 or set(first.files) - {"report.html", "report.json"}:
                yield f"exit code {first.code} and {list(first.files)}, where a guard rail stops the run"
            return
        if truth.reading.is_misspelt():
            if first.code != 2 or first.files:
                yield f"exit code {first.code} and {list(first.files)}, where a named field is in no document"
            return
        if first.code not in (0, 3):
            yield f"the exit code is {first.code}: {first.said[-3:]}"
            return
        if tmp := [name for name in first.files if "tmp" in name]:
            yield f"left behind: {tmp}"
        if self.case.command == "dedup":
            checks = DedupChecks(truth, self.folder, first.summary, first.code)
            yield from checks.run()
        else:
            checks = PairsChecks(truth, self.folder, first.summary, first.code)
            yield from checks.run()
        if not self.case.lossless and checks.edges is not None:
            self.count_misses(truth, checks.edges, first.summary)
        if "--report" in self.case.outputs:
            page, twin = first.files["report.html"].decode(), first.files["report.json"].decode()
            faults = [*page_faults(first.summary, page, twin), *report_faults(truth, checks.removed, twin)]
            yield from (f"report: {fault}" for fault in faults)
        for variant in self.variants():
            self.fresh()
            yield from (f"{variant.__name__}: {fault}" for fault in variant(first))

    def count_misses(self, truth: Truth, found: dict, summary: dict) -> None:
        """Records, for at most 20 true pairs, the probability that each is found, and how many were missed."""
        parts = [part.strip() for part in summary["config"].split("|")]
        sketch = next(part for part in parts if part.split(":")[0] in ("fss", "kperm", "linear", "mod-prime", "multiply-shift", "java-random"))
        if not sketch.startswith(("fss", "kperm")):
            return  # this sketch imitates another tool, whose recall may be lower than promised
        bands, rows = map(int, next(part for part in parts if part.startswith("bands:"))[6:].split("x"))
        wanted = float(self.case.options.get("--recall", "0.99"))
        pairs = sorted(truth.edges)
        for pair in self.chance.sample(pairs, min(20, len(pairs))):
            curve = 1 - (1 - truth.edges[pair].score ** rows) ** bands
            self.promised.append(curve * (1 - (1 - wanted) / 100))
            self.missed += pair not in found

    # Other ways to the same result

    def variants(self) -> list:
        case = self.case
        saves = case.format in ("jsonl", "values") and "+drop-common" not in case.spec and "+tf-idf" not in case.spec and not case.exact
        ways = [self.threads, self.other_build]
        if not case.exact:
            ways.append(self.memory)
        if case.command == "dedup":
            ways += [self.dry_run, self.over_another]
        if case.format != "text":
            ways += [self.strict, self.other_packing]
            if len(case.inputs) == 1 and not any(rule[0] == "source" for rule in case.rules):
                ways.append(self.standard_input)
        if "+tf-idf" in case.spec:
            ways.append(self.counted_before)
        if saves:
            if not case.contained:
                ways.append(self.signatures)
            if case.command == "dedup":
                ways += [self.work, self.killed, self.parts]
        ways = [way for way in ways if way.__name__ not in case.without]
        return self.chance.sample(ways, min(len(ways), self.chance.choice([1, 1, 2])))

    def differences(self, first: Result, other: Result, ignored: tuple[str, ...] = ()) -> Faults:
        if other.code != first.code:
            yield f"exit code {other.code}, not {first.code}: {other.said[-2:]}"
            return
        if list(other.files) != list(first.files):
            yield f"files {list(other.files)}, not {list(first.files)}"
            return
        for name, data in first.files.items():
            if other.files[name] != data and name not in ignored:
                yield f"{name} has other bytes"
        if other.said != first.said:
            yield f"it says {other.said[:3]}, not {first.said[:3]}"
        for key, value in first.summary.items():
            if other.summary.get(key) != value:
                yield f"{key} is {other.summary.get(key)}, not {value}"

    def any_threads(self) -> list[str]:
        return ["--threads", str(self.chance.choice([1, 2, 3, 8]))]

    def threads(self, first: Result) -> Faults:
        yield from self.differences(first, self.run(*self.any_threads()))

    def memory(self, first: Result) -> Faults:
        yield from self.differences(first, self.run("--memory-limit", "64M", *self.any_threads()))

    def other_build(self, first: Result) -> Faults:
        """The program that BENZER_OTHER names, or the same one, with the kernels of an older processor."""
        limit = [] if self.case.exact else self.chance.choice([[], ["--memory-limit", "64M"], ["--memory-limit", "100M"], ["--memory-limit", "1G"]])
        threads = str(self.chance.randint(1, 16))
        yield from self.differences(first, self.run(*limit, "--threads", threads, other=os.environ.get("BENZER_OTHER"),
                                                    BENZER_CPU=self.chance.choice(CPU_LEVELS)))

    def dry_run(self, first: Result) -> Faults:
        other = self.run("--dry-run", *self.any_threads())
        if set(other.files) - {"report.html", "report.json"}:
            yield f"wrote {list(other.files)}"
        for key in ("documents", "kept", "removed", "clusters", "largest_cluster", "sources", "skipped", "verified_pairs"):
            if other.summary.get(key) != first.summary[key]:
                yield f"{key} is {other.summary.get(key)}, not {first.summary[key]}"

    def over_another(self, first: Result) -> Faults:
        """Files of an earlier run are replaced, and a list that this run does not make is removed."""
        for name in [*first.files, self.case.output[4:] + ".skipped" + self.case.skipped_kind()]:
            (self.folder / "out" / name).write_bytes(b"of another run\n" * 1000)
        yield from self.differences(first, self.run(*self.any_threads()))

    def strict(self, first: Result) -> Faults:
        other = self.run("--strict", *self.any_threads())
        if first.code == 0:
            yield from self.differences(first, other, ("report.html", "report.json"))  # they show the command
        elif other.code != 2 or other.files:
            yield f"exit code {other.code} and {list(other.files)} with a bad line"

    def renamed(self, result: Result, names: dict[str, str]) -> Result:
        """Returns the result with other names of inputs in lists, messages and summary."""

        def swap(data: bytes) -> bytes:
            for old, new in names.items():
                data = data.replace(old.encode(), new.encode())
            return data

        files = {}
        for name, data in result.files.items():
            data = unpacked(name, data)
            files[name] = data if name.startswith("kept") and "removed" not in name else swap(data)
        summary = json.loads(swap(json.dumps(result.summary).encode()))
        return result._replace(files=files, said=swap("\n".join(result.said).encode()).decode().split("\n"), summary=summary)

    def other_packing(self, first: Result) -> Faults:
        """The same documents in other files."""
        names, arguments = {}, self.case.arguments()
        for one in self.case.inputs:
            plain = one.name.removesuffix(".gz").removesuffix(".zst")
            names[one.name], on_disk = packed(self.chance, plain, one.files[0][1])
            (self.folder / names[one.name]).write_bytes(on_disk)
        for old, new in names.items():
            arguments = [re.sub(rf"(?<![\w.]){re.escape(old)}(?![\w.])", new, a) for a in arguments]
        process = self.start([self.case.command, *arguments, *self.named(), "--json", *self.any_threads()])
        other = self.renamed(self.end(process, time.monotonic()), {new: old for old, new in names.items() if new != old})
        yield from self.differences(self.renamed(first, {}), other, ("report.html", "report.json"))

    def standard_input(self, first: Result) -> Faults:
        one, = self.case.inputs
        arguments = ["-" if a == one.name else a for a in self.case.arguments()]
        kind = [] if self.case.format in ("jsonl", "values") else ["--format", self.case.format]
        process = self.start([self.case.command, *arguments, *kind, *self.named(), "--json", *self.any_threads()], one.files[0][1])
        other = self.renamed(self.end(process, time.monotonic()), {'"-"': f'"{one.name}"'})
        # Messages have another name for the input.
        yield from self.differences(self.renamed(first, {}), other._replace(said=self.renamed(first, {}).said),
                                    ("report.html", "report.json"))

    def small_blocks(self) -> list[str]:
        return ["--memory-limit", "64M"] if self.chance.random() < 0.5 else []

    def limits(self) -> list[str]:
        """With this limit lines of more than 1 MiB are skipped, so the signatures must be made with it, too."""
        return self.small_blocks() if "--max-line" in self.case.options else []

    def work(self, first: Result) -> Faults:
        yield from self.differences(first, self.run("--work", "work", *self.small_blocks(), *self.any_threads()))
        yield from self.nothing_left()

    def nothing_left(self) -> Faults:
        if left := [path.name for path in (self.folder / "work").iterdir()]:
            yield f"left in the work folder: {left}"

    def killed(self, first: Result) -> Faults:
        """A run that is killed at any time, up to three times, and resumed."""
        arguments = [self.case.command, *self.case.arguments(), *self.named(), "--json", "--work", "work", *self.any_threads()]
        for attempt in range(self.chance.choice([1, 1, 2, 3])):
            process = self.start(arguments + (["--resume"] if attempt else []))
            time.sleep(self.chance.random() * first.seconds)
            process.send_signal(self.chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
            ended = self.end(process, time.monotonic())
            if ended.code not in (*ENDED, 130, first.code):
                yield f"exit code {ended.code} when it was ended: {ended.said[-2:]}"
            if ended.code != -signal.SIGKILL and (left := [name for name in ended.files if ".tmp" in name]):
                yield f"left behind when it was ended: {left}"
            if ended.code == first.code:
                break
            for path in (self.folder / "out").glob(".*.tmp"):
                path.unlink()
        for path in (self.folder / "out").iterdir():
            path.unlink()
        yield from self.differences(first, self.run("--work", "work", "--resume", *self.any_threads()))
        yield from self.nothing_left()

    def parts(self, first: Result) -> Faults:
        """The sketch stage in parts, one after the other, or only some of them."""
        count = self.chance.choice([1, 2, 3])
        for part in self.chance.sample(range(1, count + 1), self.chance.randint(1, count)):
            stage = list(self.case.arguments())
            process = self.start(["dedup", *stage, "--work", "work", "--stage", "sketch", "--part", f"{part}/{count}", "--json", *self.any_threads()])
            ended = self.end(process, time.monotonic())
            if ended.code not in (0, 3):
                yield f"part {part}/{count} ends with {ended.code}: {ended.said[-2:]}"
                return
        yield from self.differences(first, self.run("--work", "work", "--resume", *self.any_threads()))
        yield from self.nothing_left()

    def counted_before(self, first: Result) -> Faults:
        """Document frequencies that were counted before give what the run counts itself."""
        inputs = [one.name for one in self.case.inputs]  # references count, too
        options = [f"{name}={value}" for name, value in self.case.options.items() if name in ("--values", "--text", "--max-line")]
        features = next(part.strip() for part in first.summary["config"].split("|") if "+tf-idf" in part)
        counting = ["count-frequencies", *inputs, *options, "--features", features, "-o", "work/frequencies", "--json", *self.any_threads()]
        ended = self.end(self.start(counting), time.monotonic())
        if ended.code == 2 and "there are no documents" in "".join(ended.said):
            return
        if ended.code != first.code:
            yield f"count-frequencies ends with {ended.code}, not {first.code}: {ended.said[-2:]}"
            return
        again = self.run("--frequencies", "work/frequencies", *self.any_threads())
        mark = "+tf-idf@" + ended.summary["mark"]
        if mark not in again.summary.get("config", ""):
            yield f"no {mark} in {again.summary.get('config')}"
            return
        again.summary["config"] = again.summary["config"].replace(mark, "+tf-idf")
        yield from self.differences(first, again, ("report.html", "report.json"))  # they show the command

    def signatures(self, first: Result) -> Faults:
        kept = ("--values", "--id", "--text", "--by", "--features", "--sketch", "--seed", "--keep", "--max-line", "--config")
        inputs = self.case.arguments()[: -len(self.case.options) or None]
        options = [name if value is None else f"{name}={value}" for name, value in self.case.options.items() if name in kept]
        process = self.start(["sketch", *inputs, *options, "-o", "work/signatures", "--json", *self.any_threads()])
        ended = self.end(process, time.monotonic())
        if ended.code != first.code:
            yield f"sketch ends with {ended.code}, not {first.code}: {ended.said[-2:]}"
            return
        again = self.run("--signatures", "work/signatures", *self.limits(), *self.any_threads())
        yield from self.differences(first, again, ("report.html", "report.json"))  # they show the command
