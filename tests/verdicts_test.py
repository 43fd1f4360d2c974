#!/usr/bin/env python3
# labels: research long
"""Do the verdicts of `benzer eval` depend on the seed?

Every experiment runs with several seeds, and must give the same answer and the same reason each time: a verdict that one
seed turns round was not decided by the numbers. By default three seeds and no experiment of over 20 seconds; --all takes
those, too, and --seeds 20 is what `./dev soak` runs. --data FOLDER takes texts from a folder.
"""
from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
import common
from common import Report, program, run_benzer, run_test, scratch

common.PATIENCE_SECONDS = 1800  # experiments that compare all pairs take minutes on a busy machine
LONG = ("slides", "images")


def experiments(options: argparse.Namespace) -> list[str]:
    done = subprocess.run([program(), "eval", "--list", "--json"], capture_output=True, check=True)
    known = json.loads(done.stdout)["experiments"]
    names = [row["name"] for row in known if row["reads_texts"] or not options.data]
    return [name for name in names if options.only in ("", name) and (options.all or name not in LONG)]


def verdict(name: str, seed: int, data: str, out: Path) -> tuple[tuple[str, str], float]:
    """The answer and its reason, and the seconds of the run."""
    folder = ("--data", data) if data else ()
    seconds = run_benzer(["eval", name, "--seed", str(seed), "--json", "--quiet", *folder], out)
    said = json.loads(out.read_text("utf-8"))["verdict"]
    return (said["answer"], said["why"]), seconds


def check_all(options: argparse.Namespace) -> int:
    report = Report("experiment          ", "seeds", "verdict", "seconds")
    out = scratch(options.only or "all") / "result.json"
    for name in experiments(options):
        verdicts: dict[tuple[str, str], list[int]] = {}
        seconds = 0.0
        for seed in range(options.first, options.first + options.seeds):
            said, took = verdict(name, seed, options.data, out)
            verdicts.setdefault(said, []).append(seed)
            seconds += took
        answers = {answer for answer, _ in verdicts}
        report.row(name, options.seeds, " or ".join(sorted(answers)), round(seconds))
        what = "; ".join(f"{answer} for seeds {seeds}: {why}" for (answer, why), seeds in verdicts.items())
        report.check(len(verdicts) == 1 and "open" not in answers, f"{name}: {what}")
    print(f"each with {options.seeds} seeds")
    return report.finish()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--all", action="store_true", help="also the experiments that take over 20 seconds")
    parser.add_argument("--only", default="", metavar="NAME", help="this experiment only")
    parser.add_argument("--data", default="", metavar="FOLDER", help="texts of the experiments that read some")
    options = parser.parse_args()
    return run_test(lambda: check_all(options))


if __name__ == "__main__":
    sys.exit(main())
