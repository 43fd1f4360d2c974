#!/usr/bin/env python3
"""Runs the long tests in turns for as many hours as asked for, and writes what they did and found to docs/reliability.md.

usage: ./dev soak [--hours H] [--parts N] [--seed S] [--only NAME,...] [--list]

A campaign is a test that is told how much to do, and with which seed. It runs in parts of some minutes, one on each core; the next
part is always of the campaign with the smallest share of its goal. docs/campaigns.json keeps what was done, and tests/fuzz/found the
inputs with which fuzzing reached most, so that a later call goes on where this one was ended, also on another machine that has these
files; a part that was ended counts nothing. A part that finds
something leaves its log in build/soak/findings, and its campaign goes on. The seed of the first call is printed; part i of a campaign
has a seed that follows from it and from i.

What runs must have been built before: ./dev soak does that.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Container, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reliability.md"
STATE = ROOT / "docs" / "campaigns.json"
BEGIN, END = "<!-- campaigns: ./dev soak writes this table -->\n", "<!-- end of campaigns -->\n"
TESTS = "build/release/benzer_tests"


@dataclass(frozen=True)
class Campaign:
    name: str
    what: str
    goal: int
    unit: str
    part: int  # how much of it takes some minutes
    command: str  # {amount} and {seed} are replaced, here and in `environment`
    counted: str  # a regular expression: the numbers of its group are added up, or its matches are counted if it has no group
    environment: dict[str, str] = field(default_factory=dict)
    is_alone: bool = False  # nothing else may run, since it measures times
    fact: str = ""  # a regular expression for something to tell of the last part


def power(name: str, level: str) -> Campaign:
    return Campaign(f"power-{level.lower()}", f"states that a loss of power may leave, with `--durability {name}`", 100_000, "states", 4000,
                    f"{TESTS} --gtest_filter=*DiskStoreCrash.*/{level}", r"^(\d+) states",
                    {"BENZER_CRASH_STATES": "{amount}", "BENZER_TEST_SEED": "{seed}"})


def fuzz(target: str) -> Campaign:
    return Campaign(f"fuzz-{target.removesuffix('_fuzz')}", f"`{target}`, with the address sanitizer", 3600, "seconds of CPU", 300,
                    f"bash -ec 'source tools/tests.sh; sanitizer_options; unpack_found {target}; fuzz_all build/asan {{amount}} {target}'",
                    r"^  (\d+) s of CPU", fact=r"(covers \d+ edges with \d+ inputs)$")


CAMPAIGNS = [
    Campaign("kills", "processes killed that write, remove, merge, copy, load, repair or read", 10_000, "kills", 200,
             "python3 tests/store_kill_test.py --kills {amount} --seed {seed}", r"^(\d+) kills"),
    power("sync", "Sync"), power("batch", "Batch"), power("none", "None"),
    Campaign("power-repair", "states that a loss of power may leave, without the list of segments", 100_000, "states", 4000,
             f"{TESTS} --gtest_filter=RepairCrash.*", r"^\d+ of (\d+) states", {"BENZER_CRASH_STATES": "{amount}", "BENZER_TEST_SEED": "{seed}"}),
    Campaign("failing-operations", "each operation on files of a run that fails: EIO, ENOSPC, EDQUOT, EMFILE, EINTR, short; once, or from then on",
             20_000, "operations", 4, f"{TESTS} --gtest_filter=*DiskStoreFaults.*", r"^(\d+) failing operations",
             {"BENZER_FAULT_ROUNDS": "{amount}", "BENZER_TEST_SEED": "{seed}"}),
    Campaign("damaged-indexes", "bits flipped in files of an index, or files cut", 100_000, "files", 4000,
             f"{TESTS} --gtest_filter=RepairTest.NoDamage*", r"^(\d+) files damaged", {"BENZER_TEST_FLIPS": "{amount}", "BENZER_TEST_SEED": "{seed}"}),
    Campaign("damaged-files", "the same in signatures, frequencies, vocabularies and stages of runs", 100_000, "files", 4000,
             "python3 tests/damaged_files_test.py --rounds {amount} --seed {seed}", r"^(\d+) files damaged"),
    Campaign("model", "documents written, removed or asked for by several processes, compared with a model, beside kills, damage, a failing disk",
             1_000_000, "operations", 30,
             "python3 tests/index_model_test.py --rounds {amount} --seed {seed}", r"^\d+ rounds with \d+ steps and (\d+) operations"),
    Campaign("settings", "random runs: two compilers, three levels of processors, 1 to 16 threads, limits of memory from 64 MiB; equal bytes",
             1000, "runs", 100, "python3 tests/random_options_test.py --rounds {amount} --seed {seed}", r"^(\d+) rounds",
             {"BENZER_OTHER": f"{ROOT}/build/asan/benzer"}),
    Campaign("sanitized", "random runs with the address sanitizer, compared with the definition", 1000, "runs", 50,
             "bash -ec 'source tools/tests.sh; sanitizer_options; exec python3 tests/random_options_test.py --rounds {amount} --seed {seed}'",
             r"^(\d+) rounds", {"BENZER": f"{ROOT}/build/asan/benzer"}),
    Campaign("redis", "faults of a Redis server or cluster while clients write and ask", 500, "runs", 5, f"{TESTS} --gtest_filter=Redis*FaultTest.*",
             r", run \d+ of \d+, seed ", {"BENZER_REDIS_FAULT_RUNS": "{amount}", "BENZER_TEST_SEED": "{seed}"}),
    Campaign("server", "seconds of clients that write and ask, beside attacks, stops, kills and a full disk", 28_800, "seconds", 900,
             "python3 tests/serve_soak_test.py --seconds {amount} --seed {seed}", r"^(\d+) seconds: ", fact=r"(at most \d+ MiB)$"),
    Campaign("attacks", "attacks on the server; others wait at most 50 ms, one in 100 longer", 14, "attacks", 20,
             "python3 tests/serve_attack_test.py --seconds {amount} --most-ms 50", r"^.+ \d+ +\d+\.\d +\d+\.\d +\d+$", is_alone=True),
    Campaign("spark", "executors and drivers of Spark killed; random options on Spark", 40, "kills", 5,
             "build/python-venv/bin/python -m pytest -q -rP -p no:cacheprovider python/tests/spark_test.py python/tests/spark_cluster_test.py",
             r"^(\d+) (?:executors|drivers) were killed",
             {"PYTHONPATH": f"{ROOT}/build/release/python", "BENZER_SPARK_KILLS": "{amount}", "BENZER_SPARK_ROUNDS": "{amount}", "BENZER_SPARK_SEED": "{seed}"}),
    Campaign("verdicts", "repetitions of all experiments of the sources, with other seeds", 20, "seeds", 5,
             "python3 tests/verdicts_test.py --all --seeds {amount} --first {seed}", r"^each with (\d+) seeds"),
    Campaign("alone", "each source file compiled alone, which finds missing includes", 1, "builds", 1,
             "bash -ec 'cmake --preset debug -DBENZER_UNITY=OFF && cmake --build build/debug -t all && echo built alone'", r"^built alone$"),
    *(fuzz(path.stem) for folder in ("src", "apps") for path in sorted((ROOT / folder).rglob("*_fuzz.cc"))),
]


@dataclass
class Progress:
    """What was done of a campaign."""

    done: int = 0
    parts: int = 0
    seconds: float = 0
    findings: list[str] = field(default_factory=list)  # logs
    versions: list[str] = field(default_factory=list)  # commits
    fact: str = ""


class Soak:
    """Runs campaigns. Their logs are in a folder, and what was done in the file `state`."""

    def __init__(self, campaigns: list[Campaign], folder: Path, state: Path, version: str, seed: int | None = None,
                 cores: int = os.cpu_count() or 1) -> None:
        self.campaigns, self.folder, self.version, self.cores = campaigns, folder, version, cores
        self.chosen = campaigns
        folder.mkdir(parents=True, exist_ok=True)
        self.state = state
        kept = json.loads(self.state.read_text()) if self.state.exists() else {"seed": seed if seed is not None else time.time_ns() // 1000 % 10**9}
        if seed not in (None, kept["seed"]):
            sys.exit(f"{self.state} has what was done with the seed {kept['seed']}; leave --seed out to go on, or remove the file")
        self.seed = kept["seed"]
        self.progress = {one.name: Progress(**kept.get("campaigns", {}).get(one.name, {})) for one in campaigns}
        self.lock = threading.Condition()
        self.running: dict[str, subprocess.Popen | None] = {}
        self.is_over = False
        self.left = sys.maxsize  # parts that may begin

    def seed_of(self, campaign: Campaign, part: int) -> int:
        # Less than 2^31, and so far apart that rounds that count up from one do not meet those of another.
        digest = hashlib.sha256(f"{self.seed} {campaign.name} {part}".encode()).digest()
        return int.from_bytes(digest[:4], "little") >> 1

    def share(self, campaign: Campaign) -> float:
        return self.progress[campaign.name].done / campaign.goal

    def choose(self) -> Campaign | None:
        """Returns the campaign of the next part, or None if all must wait for a running one."""
        if any(one.is_alone and one.name in self.running for one in self.chosen):
            return None
        free = [one for one in self.chosen if one.name not in self.running]
        best = min(free, key=self.share, default=None)
        return None if best is not None and best.is_alone and self.running else best

    def work(self, until: float) -> None:
        while True:
            with self.lock:
                while not self.ends(until) and (chosen := self.choose()) is None:
                    self.lock.wait(1)
                if self.ends(until):
                    return
                assert chosen is not None
                self.left -= 1
                self.running[chosen.name] = None
            self.run_part(chosen)
            with self.lock:
                del self.running[chosen.name]
                self.lock.notify_all()

    def ends(self, until: float) -> bool:
        return self.is_over or self.left <= 0 or time.monotonic() >= until

    def run_part(self, campaign: Campaign) -> None:
        progress = self.progress[campaign.name]
        number = progress.parts
        values = {"amount": str(campaign.part), "seed": str(self.seed_of(campaign, number))}
        log = self.folder / f"{campaign.name}.log"
        environment = os.environ | {name: value.format(**values) for name, value in campaign.environment.items()}
        command = campaign.command.format(**values)
        began = time.monotonic()
        with log.open("w") as out:
            out.write(f"$ {' '.join(f'{name}={value.format(**values)}' for name, value in campaign.environment.items())} {command}\n")
            out.flush()
            with self.lock:
                if self.is_over:
                    return
                # A group of its own, so that an interrupt reaches its children only when they are told to end.
                process = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                self.running[campaign.name] = process
            code = process.wait()
        seconds = time.monotonic() - began
        text = log.read_text(errors="replace")
        with self.lock:
            if self.is_over:
                return
            done = count(campaign.counted, text)
            progress.parts += 1
            progress.seconds += seconds
            progress.done += done
            if self.version not in progress.versions:
                progress.versions.append(self.version)
            if campaign.fact and (facts := re.findall(campaign.fact, text, re.MULTILINE)):
                progress.fact = facts[-1]
            # A part that has done nothing is a finding, too: the test was skipped, or says it in another way.
            if code != 0 or done == 0:
                kept = self.folder / "findings" / f"{campaign.name}-{number}.log"
                kept.parent.mkdir(exist_ok=True)
                log.rename(kept)
                progress.findings.append(kept.name)
            self.save()
            print(f"{campaign.name}: {done} {campaign.unit} in {seconds:.0f} s, {progress.done} of {campaign.goal}"
                  + (f"; FOUND something: {self.folder}/findings/{progress.findings[-1]}" if code != 0 or done == 0 else ""), flush=True)

    def save(self) -> None:
        new = self.state.with_suffix(".new")
        new.write_text(json.dumps({"seed": self.seed, "campaigns": {name: asdict(one) for name, one in self.progress.items()}}, indent=1) + "\n")
        new.replace(self.state)

    def run(self, hours: float = 1, parts: int | None = None, only: Container[str] = ()) -> None:
        """Begins no more parts when the time is over or so many were begun, and waits for those that run. only: names of campaigns."""
        self.chosen = [one for one in self.campaigns if not only or one.name in only]
        until = time.monotonic() + hours * 3600
        self.left = sys.maxsize if parts is None else parts
        workers = [threading.Thread(target=self.work, args=(until,)) for _ in range(self.cores)]
        for worker in workers:
            worker.start()
        try:
            for worker in workers:
                worker.join()
        except KeyboardInterrupt:
            self.end()
            for worker in workers:
                worker.join()

    def end(self) -> None:
        with self.lock:
            self.is_over = True
            for process in self.running.values():
                if process is not None:
                    os.killpg(process.pid, signal.SIGKILL)
            self.lock.notify_all()

    def table(self) -> Iterator[str]:
        yield "| campaign | what | goal | done | hours | found | commits |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n"
        for one in self.campaigns:
            progress = self.progress[one.name]
            fact = f" ({progress.fact})" if progress.fact else ""
            yield (f"| {one.name} | {one.what} | {one.goal:,} {one.unit} | {progress.done:,}{fact} | {progress.seconds / 3600:.1f} | "
                   f"{len(progress.findings)} | {', '.join(progress.versions)} |\n")
        yield f"\nThe seed is {self.seed}.\n"


def count(pattern: str, text: str) -> int:
    found = re.findall(pattern, text, re.MULTILINE)
    return sum(map(int, found)) if re.compile(pattern).groups else len(found)


def write_table(page: Path, table: str) -> None:
    before, _, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"{page} lacks the lines between which the table belongs: {BEGIN.strip()} and {END.strip()}")
    page.write_text(before + BEGIN + "\n" + table + "\n" + END + after)


def current_version() -> str:
    """Returns the commit, and whether anything differs from it but what a call of this program writes, and the pages."""
    git = ["git", "-C", str(ROOT)]
    commit = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    return commit + "-dirty" * subprocess.run([*git, "diff", "--quiet", "HEAD", "--", ".", ":!docs", ":!tests/fuzz/found"], check=False).returncode


def keep_found(campaigns: list[Campaign]) -> None:
    targets = [f"{one.name.removeprefix('fuzz-')}_fuzz" for one in campaigns if one.name.startswith("fuzz-")]
    if targets:
        subprocess.run(["bash", "-ec", f"source tools/tests.sh; sanitizer_options; keep_found build/asan {' '.join(targets)}"], cwd=ROOT, check=True)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--hours", type=float, default=1)
    arguments.add_argument("--parts", type=int)
    arguments.add_argument("--seed", type=int)
    arguments.add_argument("--only", type=lambda names: names.split(","), default=[])
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()
    known = [one.name for one in CAMPAIGNS]
    if strange := [name for name in options.only if name not in known]:
        sys.exit(f"there is no campaign {strange[0]}; there are {', '.join(known)}")
    if options.list:
        print("\n".join(f"{one.name:20} {one.goal:>9,} {one.unit:10} {one.what}" for one in CAMPAIGNS))
        return 0
    soak = Soak(CAMPAIGNS, ROOT / "build" / "soak", STATE, current_version(), options.seed)
    campaigns = len(options.only or CAMPAIGNS)
    print(f"the seed is {soak.seed}; {options.hours:g} hours of {campaigns} campaigns on {soak.cores} cores", flush=True)
    before = sum(len(one.findings) for one in soak.progress.values())
    parts = {name: one.parts for name, one in soak.progress.items()}
    soak.run(options.hours, options.parts, options.only)
    keep_found([one for one in soak.campaigns if soak.progress[one.name].parts > parts[one.name]])
    write_table(PAGE, "".join(soak.table()))
    found = sum(len(one.findings) for one in soak.progress.values()) - before
    print(f"the table is in {PAGE.relative_to(ROOT)}, and what a later call goes on with in {STATE.relative_to(ROOT)} and tests/fuzz/found")
    print(f"{campaigns} campaigns, {found} findings")
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
