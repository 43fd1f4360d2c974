"""Checks that a report agrees with the lists and with the definition."""
from __future__ import annotations

import json

from checks import Faults, Truth
from definition import MILLION, Overlap, Removal, containment, overlap, reaches


def pair_faults(truth: Truth, where: str, pair: dict) -> Faults:
    """Checks score and shingles of two documents side by side."""
    numbers = []
    for side in "ab":
        told = pair[side]
        number = truth.at.get((told["source"], told["line"]))
        if number is None or number != told["number"] or truth.documents[number].size != told["bytes"]:
            yield f"{where}: {told} is no document"
            return
        if str(told["id"]) != str(getattr(truth.id(number), "token", truth.id(number))) and isinstance(told["id"], str):
            yield f"{where}: the id of {told} is {truth.id(number)}"
        numbers.append(number)
    a, b = (truth.sets.features[truth.sets.of[number]] for number in numbers)
    both = containment(a, b) if truth.case.contained else overlap(a, b)
    if truth.case.contained and where == "clusters":
        both = Overlap(both.shared, len(b))  # of the removed document, which need not be the smaller one
    shared = len(a.keys() & b.keys() if isinstance(a, dict) else a & b)
    counts = {"shared": shared, "only_a": len(a) - shared, "only_b": len(b) - shared}
    if isinstance(a, dict):
        counts |= {"shared_weight": both.shared / MILLION, "all_weight": both.all / MILLION}
    if both.score != pair["score"] or any(pair[name] != count for name, count in counts.items()):
        yield f"{where}: {pair['a']['id']} and {pair['b']['id']} have {both.score} and {counts}, not " \
              f"{[pair['score']] + [pair[name] for name in counts]}"


def report_faults(truth: Truth, removed: list[Removal], twin: str) -> Faults:
    report = json.loads(twin)
    clusters: dict[int, list[Removal]] = {}
    for removal in removed:
        if removal.kept is not None:
            clusters.setdefault(removal.kept, []).append(removal)
    for shown in report["clusters"]:
        keeper = shown["keeper"]["number"]
        own = clusters.get(keeper, [])
        want = {"removed": len(own), "lowest_score": min((r.score for r in own), default=None)}
        if any(shown[name] != value for name, value in want.items()):
            yield f"the cluster of {keeper} has {want}, not {[shown[name] for name in want]}"
        members = {r.document: r for r in own}
        for pair in shown["members"]:
            if pair["a"]["number"] != keeper or pair["b"]["number"] not in members:
                yield f"{pair['b']} is not in the cluster of {keeper}"
                continue
            yield from pair_faults(truth, "clusters", pair)
    if sum(size["removed"] for size in report["sizes"] if "removed" in size) > len(removed):
        yield "the sizes do not add up"
    for name, similar in (("above", True), ("below", False)):
        scores = [pair["score"] for pair in report[name]]
        if scores != sorted(scores, reverse=not similar):
            yield f"{name}: {scores} are not in order"
        for pair in report[name]:
            yield from pair_faults(truth, name, pair)
            a, b = (truth.sets.features[truth.sets.of[pair[side]["number"]]] for side in "ab")
            if reaches(containment(a, b) if truth.case.contained else overlap(a, b), truth.threshold) != similar:
                yield f"{name}: {pair['a']['id']} and {pair['b']['id']} are on the wrong side of the threshold"
    features = truth.sets.features
    equal = sum(r.kept is not None and r.score == 1 and features[truth.sets.of[r.document]] == features[truth.sets.of[r.kept]]
                for r in removed)
    counts = {"equal": equal, "dropped_short": len(truth.dropped), "near": len(removed) - equal - len(truth.dropped)}
    for name, count in counts.items():
        if report["counts"][name] != count:
            yield f"{name} is {report['counts'][name]}, not {count}"
