"""Shares among all measurements: paths, the machine's description, timed processes, medians and markdown tables."""
from __future__ import annotations

import hashlib
import os
import platform
import random
import shlex
import statistics
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / "bench"
RELEASE = ROOT / "build" / "release"
OUT = ROOT / "build" / "bench"
VENV_PYTHON = ROOT / "build" / "bench-venv" / "bin" / "python"
PEERS = {"datasketch": "2.0.0", "rensa": "0.5.0", "daft": "0.7.26", "numpy": "2.4.6", "gaoya": "0.2.2",
         "lmdb": "3.0.0", "redis": "8.1.0", "ImageHash": "4.3.2", "pillow": "13.0.0"}


@dataclass(frozen=True)
class Run:
    user_seconds: float  # CPU of the process and of all that it started
    kernel_seconds: float
    wall_seconds: float
    peak_rss_bytes: int
    written_bytes: int  # to the disk, perhaps later
    stdout: bytes

    @property
    def cpu_seconds(self) -> float:
        return self.user_seconds + self.kernel_seconds


class TooSlowError(Exception):
    """A process did not end within its limit, and was ended."""


def run_timed(command: Sequence[str | Path], environment: dict[str, str] | None = None,
              limit: float | None = None, output: Path | None = None) -> Run:
    """Runs a process, which must succeed, and returns what it used. After so many seconds of the limit it is ended. `output`
    gets what it prints, in place of the result."""
    words = [str(word) for word in command]
    if limit is not None:
        words = ["timeout", "--kill-after=10", f"{limit:g}", *words]
    printed = output or OUT / "stdout"
    launcher = [sys.executable, "-I", "-S", BENCH / "launch.py", printed, *words]
    done = subprocess.run(launcher, stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, **(environment or {})})
    code, user, kernel, wall, peak, written = done.stdout.split()
    if limit is not None and float(wall) >= limit:
        raise TooSlowError(f"{shlex.join(words)} took more than {limit:g} seconds.")
    if code != "0":
        sys.exit(f"{shlex.join(words)} ended with {code}.")
    return Run(float(user), float(kernel), float(wall), int(peak), int(written), b"" if output else printed.read_bytes())


def warm(path: Path) -> None:
    """Reads a file into the page cache. Also writes dirty pages of earlier runs, so that they do not disturb the next one."""
    os.sync()
    with path.open("rb") as file:
        while file.read(1 << 24):
            pass


def sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def spread(values: Iterable[float], digits: int = 2) -> str:
    """Formats values as "median (min to max)"."""
    found = list(values)
    if len(found) == 1:
        return f"{found[0]:,.{digits}f}"
    return f"{statistics.median(found):,.{digits}f} ({min(found):,.{digits}f} to {max(found):,.{digits}f})"


def shuffled(items: list, turn: int) -> list:
    """Returns the order for a turn, so that a measurement does not always follow the same one."""
    order = list(items)
    random.Random(turn).shuffle(order)
    return order


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *[[str(cell) for cell in row] for row in rows]]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def publish(name: str, title: str, text: str) -> None:
    """Prints a section and keeps it as build/bench/NAME.md, at 120 columns as all pages."""
    wrap = partial(textwrap.wrap, width=120, break_long_words=False, break_on_hyphens=False)
    lines = f"## {title}\n\n{text}".split("\n")
    section = "\n".join(line if line.startswith("|") else "\n".join(wrap(line)) for line in lines)
    (OUT / f"{name}.md").write_text(section, encoding="utf-8")
    print(section, flush=True)


def benzer() -> Path:
    path = Path(os.environ.get("BENZER") or RELEASE / "benzer")
    if not path.exists():
        sys.exit(f"{path} does not exist; run ./dev build, or name the program in BENZER.")
    return path


def data_folder() -> Path | None:
    folder = Path(os.environ.get("BENZER_DATA") or ROOT.parent / "shared" / "data").resolve()
    return folder if (folder / "README.md").exists() else None


def first_line(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (FileNotFoundError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def compile_tool(name: str) -> Path:
    """Builds bench/NAME.cc, which needs no library, unless the program is newer."""
    source, tool = BENCH / f"{name}.cc", OUT / name
    if not tool.exists() or source.stat().st_mtime > tool.stat().st_mtime:
        subprocess.run(["g++", "-std=c++20", "-O2", "-ffp-contract=off", "-o", tool, source], check=True)
    return tool


def describe_machine() -> str:
    model = "unknown"
    memory = 0
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal"):
            memory = round(int(line.split()[1]) / 2**20)
    flags = Path("/proc/cpuinfo").read_text()
    vector = "AVX-512" if " avx512bw" in flags else "AVX2" if " avx2" in flags else "no AVX2"
    commit = first_line("git", "-C", str(ROOT), "describe", "--always", "--dirty")
    load = " ".join(f"{value:.1f}" for value in os.getloadavg())
    peers = ", ".join(f"{name} {version}" for name, version in PEERS.items())
    return (
        f"- machine: {model}, {os.cpu_count()} cores, {vector}, {memory} GiB; "
        f"{platform.system()} {platform.release()}; load average {load}\n"
        f"- Benzer: {first_line(str(benzer()), '--version')}, commit {commit}, {first_line('g++', '--version')}\n"
        f"- peers: Python {platform.python_version()}, {peers}\n"
    )
