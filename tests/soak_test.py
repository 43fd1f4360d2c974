#!/usr/bin/env python3
# labels: cli
"""Tests tools/soak.py with campaigns of its own, which do nothing but print. Prints "N passed, N failed"."""
from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from common import scratch
from serve_test_util import run_tests, same
from soak import BEGIN, CAMPAIGNS, END, ROOT, Campaign, Soak, count, write_table


def printing(name: str, goal: int, **more: object) -> Campaign:
    return Campaign(name, "prints", goal, "things", 10, "echo '{amount} things with {seed}'", r"^(\d+) things", **more)


def soak_in(folder: Path, campaigns: list[Campaign], version: str = "v1", seed: int | None = 7, cores: int = 1) -> Soak:
    return Soak(campaigns, folder, folder / "state.json", version, seed, cores)


def parts_of(soak: Soak) -> dict[str, int]:
    return {name: one.parts for name, one in soak.progress.items()}


def test_each_fuzz_target_is_a_campaign() -> None:
    """A folder of inputs belongs to a target, in a folder of any depth."""
    targets = {path.name.removesuffix("_fuzz") for path in (ROOT / "tests" / "fuzz" / "corpus").iterdir()}
    same({one.name.removeprefix("fuzz-") for one in CAMPAIGNS if one.name.startswith("fuzz-")}, targets)


def test_shares_are_alike() -> None:
    """A campaign of ten times the goal has ten times the parts."""
    soak = soak_in(scratch("shares"), [printing("small", 100), printing("large", 1000)])
    soak.run(parts=22)
    same(parts_of(soak), {"small": 2, "large": 20})
    same([one.findings for one in soak.progress.values()], [[], []])


def test_going_on() -> None:
    """A later call goes on with the same seed and other parts, and knows what was done."""
    folder = scratch("going-on")
    first = soak_in(folder, [printing("one", 1000)])
    first.run(parts=5)
    later = soak_in(folder, [printing("one", 1000), printing("new", 1000)], "v2", None)
    same(later.seed, 7)
    same(parts_of(later), {"one": 5, "new": 0})
    seeds = {later.seed_of(later.campaigns[0], part) for part in range(1000)}
    same(len(seeds), 1000)
    later.run(parts=5)
    same(parts_of(later), {"one": 5, "new": 5})  # it was ahead
    same(later.progress["one"].versions, ["v1"])
    same(later.progress["new"].versions, ["v2"])
    try:
        soak_in(folder, [], "v2", 8)
        raise AssertionError("another seed was taken")
    except SystemExit as refused:
        assert "seed 7" in str(refused), refused


def test_findings() -> None:
    """An error, and a part that has done nothing, are findings; their logs stay."""
    folder = scratch("findings")
    fails = Campaign("fails", "fails", 10, "things", 1, "bash -c 'echo 1 things; exit 3'", r"^(\d+) things")
    silent = Campaign("silent", "is skipped", 10, "things", 1, "echo 'SKIPPED: no server'", r"^(\d+) things")
    soak = soak_in(folder, [fails, silent], cores=2)
    soak.run(parts=6)
    for name in ("fails", "silent"):
        found = soak.progress[name].findings
        same(len(found), soak.progress[name].parts)
        assert len(found) > 1 and (folder / "findings" / found[0]).read_text().count("\n") == 2, found


def test_interrupted_parts_count_nothing() -> None:
    folder = scratch("interrupted")
    long = Campaign("long", "waits", 10, "things", 1, "bash -c 'echo 5 things; sleep 60 & wait'", r"^(\d+) things")
    soak = soak_in(folder, [long])
    runner = threading.Thread(target=soak.run)
    runner.start()
    while not (folder / "long.log").exists() or "5 things\n" not in (folder / "long.log").read_text():
        time.sleep(0.01)
    soak.end()
    runner.join(30)
    assert not runner.is_alive(), "it waits for a part that was ended"
    same((soak.progress["long"].done, soak.progress["long"].parts), (0, 0))


def test_alone() -> None:
    """What measures times runs while nothing else does."""
    folder = scratch("alone")
    marks = folder / "marks"
    marks.mkdir()
    # Each part makes a file for as long as it runs, and says how many there are.
    command = f"bash -c 'touch {marks}/$$; sleep 0.02; ls {marks} | wc -l; rm {marks}/$$'"
    quiet = Campaign("quiet", "is alone", 5, "things", 1, command, r"^(\d+)$", is_alone=True)
    loud = [Campaign(name, "is not", 50, "things", 1, command, r"^(\d+)$") for name in ("loud", "louder")]
    soak = soak_in(folder / "state", [quiet, *loud], cores=2)
    soak.run(parts=60)
    quietly = soak.progress["quiet"]
    assert quietly.parts > 1 and quietly.done == quietly.parts, quietly
    assert any(soak.progress[one.name].done > soak.progress[one.name].parts for one in loud), "nothing ran side by side, so nothing was tested"


def test_table() -> None:
    folder = scratch("table")
    soak = soak_in(folder, [printing("one", 1000, fact=r"with (\d+)")])
    soak.run(parts=2)
    page = folder / "page.md"
    page.write_text(f"before\n{BEGIN}old\n{END}after\n")
    for _ in range(2):
        write_table(page, "".join(soak.table()))
    text = page.read_text()
    assert text.startswith("before\n" + BEGIN) and text.endswith(END + "after\n") and "old" not in text, text
    same(text.count("| one | prints | 1,000 things |"), 1)
    assert "The seed is 7." in text
    same(json.loads((folder / "state.json").read_text())["campaigns"]["one"]["fact"], soak.progress["one"].fact)


def test_counts() -> None:
    same(count(r"^(\d+) kills", "12 kills: 3 a\nof 4 kills\n30 kills\n"), 42)
    same(count(r", run \d+ of \d+, seed ", "a, run 1 of 2, seed 5: b\na, run 2 of 2, seed 6: c\n"), 2)


if __name__ == "__main__":
    sys.exit(run_tests([test_each_fuzz_target_is_a_campaign, test_shares_are_alike, test_going_on, test_findings,
                        test_interrupted_parts_count_nothing, test_alone, test_table, test_counts]))
