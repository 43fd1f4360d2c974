"""Compares what a run wrote with the definition, and yields sentences about what is wrong."""
from __future__ import annotations

import gzip
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import definition
from case import Case
from definition import Removal, Sets, Spec, overlap, reaches
from documents import Document, Number, Reading, keep_order

Faults = Iterator[str]
LARGE_BUCKET = 64  # docs/cli.md: in larger buckets leaders compare with kept documents only


def unpacked(name: str, data: bytes) -> bytes:
    if name.endswith(".gz"):
        return gzip.decompress(data)
    if name.endswith(".zst"):
        return subprocess.run(["zstd", "-q", "-dc"], input=data, capture_output=True, check=True).stdout
    return data


def lines_of(path: Path) -> list[dict]:
    return plain(parsed(unpacked(path.name, path.read_bytes())))


def parsed(data: bytes) -> list[dict]:
    """Parses lines of JSON; numbers keep their digits."""
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line has no end")
    return [json.loads(line, parse_int=Number, parse_float=Number) for line in data.decode().splitlines()] if data else []


class Truth:
    """The documents of a case, and which of them are similar."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.spec = Spec(case.spec)
        self.threshold = Fraction(case.threshold)
        self.reading = reading = Reading(case.inputs, case.fields)
        self.documents: list[Document] = reading.documents
        cache: dict = {}
        found = []
        for document in self.documents:
            key = document.content if isinstance(document.content, bytes) else tuple(document.content)
            if key not in cache:
                cache[key] = definition.extract(self.spec, document.content)
            found.append(cache[key])
        self.found = found
        shingles = [one.shingles for one in found]
        self.common = definition.Common(frozenset(), 0)
        if self.spec.drop_common is not None:
            shingles, self.common = definition.drop_common(self.spec.drop_common, shingles)
        if self.spec.tf_idf:
            shingles = definition.weigh(shingles)
        policy = case.options.get("--short", "exact")
        self.dropped = [i for i, one in enumerate(found) if policy == "drop" and one.short and not self.documents[i].reference]
        part = [i for i, one in enumerate(found) if one.shingles and (policy == "exact" or not one.short)]
        self.order = keep_order(self.documents, part, case.rules, [len(set(one)) for one in shingles])
        self.sets = Sets(self.documents, shingles, self.order, self.spec.is_weighted, case.contained)
        self.edges = self.sets.similar(self.threshold)
        self.at = {(d.source, d.line): i for i, d in enumerate(self.documents)}

    def removals(self, edges) -> list[Removal]:
        choose = definition.components if self.case.components else definition.leaders
        dropped = [Removal(i, None, None) for i in self.dropped]
        return sorted(choose(self.documents, self.sets, edges, self.order, self.threshold) + dropped, key=lambda r: r.document)

    def is_stopped(self, removed: list[Removal]) -> bool:
        """Whether a guard rail stops the run: a source of many documents would lose more than nine tenths."""
        if "--allow-large-clusters" in self.case.options or "--annotate" in self.case.outputs:
            return False
        documents = Counter(d.input for d in self.documents if not d.reference)
        lost = Counter(self.documents[r.document].input for r in removed)
        return any(count >= 1000 and 10 * lost[name] > 9 * count for name, count in documents.items())

    def compared(self, edges) -> list[tuple[int, int, float]]:
        """Returns the pairs that --pairs must list."""
        out = [(*self.pair_of(a, b), pair.score) for (a, b), pair in edges.items()]
        for members in self.sets.members:
            out += [(*sorted((members[0], m)), 1.0) for m in members[1:] if not self.documents[m].reference]
        return sorted(out)

    def pair_of(self, a: int, b: int) -> list[int]:
        """Returns the documents that stand for two sets: their first ones, but not two references if one set has other members."""
        first, second = ([m for m in self.sets.members[one] if not self.documents[m].reference][:1] for one in (a, b))
        both = [self.sets.members[one][0] for one in (a, b)]
        if all(self.documents[one].reference for one in both):
            both = [both[0], *second] if second else [*first, both[1]]
        return sorted(both)

    def all_pairs(self, edges) -> list[tuple[int, int, float]]:
        """Returns the pairs that `benzer pairs` must list."""
        out = []
        groups = [(members, members, 1.0) for members in self.sets.members]
        groups += [(self.sets.members[a], self.sets.members[b], pair.score) for (a, b), pair in edges.items()]
        for left, right, score in groups:
            out += [(*sorted((x, y)), score) for x in left for y in right
                    if (left is not right or x < y) and not (self.documents[x].reference and self.documents[y].reference)]
        return sorted(out)

    def listed(self, lines: list[dict]) -> dict:
        """Returns the pairs of sets in a list, by their first documents; ids must be unique."""
        keys = set(map(pair_key, lines))
        out = {}
        for (a, b), pair in self.edges.items():
            if pair_key(self.pair_lines([(*self.pair_of(a, b), pair.score)])[0]) in keys:
                out[a, b] = pair
        return out

    def id(self, number: int):
        return self.documents[number].id

    def pair_lines(self, pairs) -> list[dict]:
        return [{"a": self.id(a), "b": self.id(b), "score": score} | self.shares("a", a, "b", b) | {"exact": True}
                | self.place("a", a) | self.place("b", b) for a, b, score in pairs]

    def place(self, side: str, number: int) -> dict:
        """Tells where a document without an id is."""
        document = self.documents[number]
        return {f"{side}_source": document.source, f"{side}_line": document.line} if document.id is None else {}

    def shares(self, name_a: str, a: int, name_b: str, b: int) -> dict:
        """With containment, how much of each document the other one has."""
        if not self.case.contained:
            return {}
        one, other = (self.sets.features[self.sets.of[number]] for number in (a, b))
        return {f"share_of_{name_a}": len(one & other) / len(one), f"share_of_{name_b}": len(one & other) / len(other)}


def pair_key(line: dict) -> tuple:
    places = [line.get(name) for name in ("a_source", "a_line", "b_source", "b_line")]
    return (str(line["a"]), str(line["b"]), line["score"], *places)


def plain(value):
    """Converts scores and line numbers to numbers; ids keep their digits."""
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: float(v.token) if (k in ("score", "weakest") or k.startswith("share_of_")) and v is not None else
                int(v.token) if (k == "line" or k.endswith("_line") or k in ("cluster", "size")) and v is not None else plain(v)
                for k, v in value.items()}
    return value


def compare_lists(name: str, got: list[dict], want: list[dict]) -> Faults:
    if len(got) != len(want):
        yield f"{name}: {len(got)} lines, not {len(want)}"
    for i, (ours, theirs) in enumerate(zip(want, got), 1):
        if ours != theirs or list(ours) != list(theirs):
            yield f"{name}:{i}: {theirs}, not {ours}"
            return


class DedupChecks:
    def __init__(self, truth: Truth, folder: Path, summary: dict, code: int) -> None:
        self.truth, self.case, self.folder, self.summary, self.code = truth, truth.case, folder, summary, code
        self.outputs = self.case.outputs
        self.edges = truth.edges if self.case.lossless else None

    def removed_path(self) -> str | None:
        if "--annotate" in self.outputs:
            return self.outputs.get("--removed")
        return self.outputs.get("--removed", self.case.output + ".removed.jsonl")

    def run(self) -> Faults:
        yield from self.pairs_list()
        path = self.removed_path()
        lines = lines_of(self.folder / path) if path else None
        if self.edges is not None:
            self.removed = self.truth.removals(self.edges)
            if lines is not None:
                yield from compare_lists("removed", lines, [self.removed_line(r) for r in self.removed])
        elif lines is None:
            return
        else:
            self.removed = yield from self.justified(lines)
        yield from self.clusters_list()
        yield from self.kept()
        yield from self.skipped()
        yield from self.counts()

    def may_have_large_buckets(self) -> bool:
        """Whether there may be buckets in which documents are compared with kept ones only."""
        return not self.case.components and len(self.truth.sets.members) > LARGE_BUCKET

    def pairs_list(self) -> Faults:
        """All pairs of the list are similar. If the list is complete, it defines what a lossy run has found."""
        if "--pairs" not in self.outputs:
            return
        got = lines_of(self.folder / self.outputs["--pairs"])
        truth = self.truth
        want = truth.pair_lines(truth.compared(truth.edges))
        large = self.may_have_large_buckets()
        if self.case.lossless and not large:
            yield from compare_lists("pairs", got, want)
            return

        if strange := Counter(map(pair_key, got)) - Counter(map(pair_key, want)):
            yield f"pairs: {sorted(strange)[:3]} are not similar, or not so"
        if large or not self.case.unique:
            return
        self.edges = truth.listed(got)
        yield from compare_lists("pairs", got, truth.pair_lines(truth.compared(self.edges)))

    def removed_line(self, removal: Removal) -> dict:
        document = self.truth.documents[removal.document]
        line = {"id": document.id, "source": document.source, "line": document.line}
        if removal.kept is None:
            return line | {"kept_id": None, "kept_source": None, "kept_line": None, "score": None, "exact": True, "reason": "short"}
        kept = self.truth.documents[removal.kept]
        line |= {"kept_id": kept.id, "kept_source": kept.source, "kept_line": kept.line, "score": removal.score}
        line |= self.truth.shares("removed", removal.document, "keeper", removal.kept) | {"exact": True}
        return line | self.link(removal)

    def link(self, removal: Removal) -> dict:
        if removal.link is None:
            return {}
        by = self.truth.documents[removal.link[0]]
        return {"link": {"id": by.id, "source": by.source, "line": by.line, "score": removal.link[1]}}

    def justified(self, lines: list[dict]):
        """Checks every removal on its own, if the run may have missed pairs."""
        truth, sets, removed = self.truth, self.truth.sets, []
        place = {number: i for i, number in enumerate(truth.order)}
        for line in lines:
            number = truth.at.get((line["source"], line["line"]))
            if number is None or truth.id(number) != line["id"] or truth.documents[number].reference:
                yield f"removed: {line} is no document"
                return removed
            if line["kept_source"] is None:
                removed.append(Removal(number, None, None))
                continue
            kept = truth.at.get((line["kept_source"], line["kept_line"]))
            if kept is None or truth.id(kept) != line["kept_id"] or kept not in sets.of or number not in sets.of:
                yield f"removed: {line} has no keeper that takes part"
                return removed
            a, b = sets.of[number], sets.of[kept]
            link = line.get("link")
            by = truth.at.get((link["source"], link["line"])) if link else None
            removed.append(Removal(number, kept, line["score"], (by, link["score"]) if link else None))
            if sets.group[a] != sets.group[b] or overlap(sets.features[a], sets.features[b]).score != line["score"]:
                yield f"removed: {line} has another score"
            if place[kept] > place[number]:
                yield f"removed: {line} names a keeper behind it in keep order"
            close = overlap(sets.features[a], sets.features[sets.of[by]]) if link else overlap(sets.features[a], sets.features[b])
            if not reaches(close, truth.threshold) or link and close.score != link["score"]:
                yield f"removed: {line} is not similar enough"
        gone = {r.document for r in removed}
        if [r.document for r in removed] != sorted(gone):
            yield "removed: not in input order, or twice"
        if any(r.kept in gone for r in removed):
            yield "removed: a keeper is removed itself"
        if {r.document for r in removed if r.kept is None} != set(truth.dropped):
            yield "removed: not the short documents"
        for members in sets.members:
            # Equal documents are never missed: all but one are removed, or all, for another keeper.
            if sum(m not in gone and not truth.documents[m].reference for m in members) > 1:
                yield f"removed: of {[truth.id(m) for m in members]} more than one stays"
        return removed

    def by_keeper(self) -> dict[int, list[Removal]]:
        out: dict[int, list[Removal]] = {}
        for removal in self.removed:
            if removal.kept is not None:
                out.setdefault(removal.kept, []).append(removal)
        return dict(sorted(out.items()))

    def clusters_list(self) -> Faults:
        if "--clusters" not in self.outputs:
            return
        want = []
        for i, (keeper, removals) in enumerate(self.by_keeper().items(), 1):
            document = self.truth.documents[keeper]
            members = []
            for removal in removals:
                one = self.truth.documents[removal.document]
                members.append({"id": one.id, "score": removal.score} | self.truth.shares("removed", removal.document, "keeper", keeper)
                               | {"source": one.source, "line": one.line} | self.link(removal))
            want.append({"cluster": i, "keeper": document.id, "size": len(members) + 1, "members": members, "weakest": min(r.score for r in removals),
                         "keeper_source": document.source, "keeper_line": document.line})
        yield from compare_lists("clusters", lines_of(self.folder / self.outputs["--clusters"]), want)

    def kept(self) -> Faults:
        annotate = "--annotate" in self.outputs
        gone = set() if annotate else {r.document for r in self.removed}
        cells = self.annotations() if annotate else {}
        table = self.case.format in ("csv", "tsv")
        comma = b"\t" if self.case.format == "tsv" else b","
        want = []
        if table:
            names = comma.join([b"", b"benzer_cluster", b"benzer_keeper", b"benzer_score", b"benzer_kept"]) if annotate else b""
            want.append(self.added(self.truth.reading.header, names))
        for number, document in enumerate(self.truth.documents):
            if document.reference or number in gone:
                continue
            raw = document.raw
            if annotate and table:
                raw = self.added(raw, comma + comma.join(self.cell(v) for v in cells[number]))
            elif annotate:
                texts = [json.dumps(v, ensure_ascii=False) if not isinstance(v, Number) else v.token
                         for v in cells[number]]
                at = raw.rindex(b"}")
                more = '"benzer_cluster":{},"benzer_keeper":{},"benzer_score":{},"benzer_kept":{}'.format(*texts)
                raw = raw[:at] + b"," + more.encode() + raw[at:]
            want.append(raw)
        want = self.ended(want, annotate)
        got = unpacked(self.case.output, (self.folder / self.case.output).read_bytes())
        if got != b"".join(want):
            whole = b"".join(want)
            at = next((i for i, (x, y) in enumerate(zip(got, whole)) if x != y), min(len(got), len(whole)))
            yield f"kept: {len(got)} bytes, not {len(whole)}; from {at} on {got[max(0, at - 40) : at + 80]}, not {whole[at : at + 80]}"

    def ended(self, lines: list[bytes], all_of_them: bool = False) -> list[bytes]:
        """Adds a line end to a last line without one, if another line follows or if it is annotated."""
        end = b"\r\n" if self.truth.reading.header.endswith(b"\r\n") else b"\n"
        last = len(lines) - (not all_of_them)
        return [raw if raw.endswith(b"\n") or i >= last else raw + end for i, raw in enumerate(lines)]

    @staticmethod
    def added(raw: bytes, more: bytes) -> bytes:
        body = raw.rstrip(b"\r\n")
        return body + more + raw[len(body):]

    @staticmethod
    def cell(value) -> bytes:
        if isinstance(value, bool):
            return b"true" if value else b"false"
        text = "" if value is None else value.token if isinstance(value, Number) else str(value)
        return ('"' + text.replace('"', '""') + '"' if any(c in text for c in '",\n\r\t') else text).encode()

    def annotations(self) -> dict[int, list]:
        gone = {r.document for r in self.removed}
        out = {number: [None, None, None, number not in gone] for number in range(len(self.truth.documents))}
        for i, (keeper, removals) in enumerate(self.by_keeper().items(), 1):
            name = self.truth.id(keeper)
            out[keeper] = [i, name, 1.0, True]
            for removal in removals:
                out[removal.document] = [i, name, removal.score, False]
        return out

    def skipped(self) -> Faults:
        reading = self.truth.reading
        kind = self.case.skipped_kind()
        path = self.folder / (self.case.output + ".skipped" + kind)
        lines = reading.skipped_lines
        if path.exists() != bool(lines):
            yield f"{path.name}: " + ("is missing" if lines else "has nothing to save")
        elif lines:
            want = b"".join(self.ended([reading.header, *lines] if kind != ".jsonl" else lines))
            if path.read_bytes() != want:
                yield f"{path.name}: {path.read_bytes()[:300]!r}, not {want[:300]!r}"

    def counts(self) -> Faults:
        truth, reading, summary = self.truth, self.truth.reading, self.summary
        documents = len(truth.documents) - reading.references
        clusters = self.by_keeper()
        sources = []
        for one in self.case.inputs:
            if not one.reference:
                of = [i for i, d in enumerate(truth.documents) if d.input == one.name]
                sources.append({"source": one.name, "documents": len(of), "removed": sum(r.document in of for r in self.removed)})
        want = {"kept": documents - len(self.removed), "removed": len(self.removed), "clusters": len(clusters),
                "largest_cluster": max([len(c) + 1 for c in clusters.values()], default=0), "sources": sources,
                "skipped_saved": len(reading.skipped_lines), "annotated": "--annotate" in self.outputs,
                "cluster": "components" if self.case.components else "leader",
                "keep": self.case.options.get("--keep", "largest" if self.case.contained else "first")}
        if self.edges is not None and not self.may_have_large_buckets() and not (self.case.contained and not self.case.is_by_size()):
            want["verified_pairs"] = len(self.edges)
        yield from compare_counts(summary, want | common_counts(truth))
        if self.code != (3 if reading.skipped else 0):
            yield f"the exit code is {self.code}, with {reading.skipped} skipped"


def common_counts(truth: Truth) -> dict:
    reading = truth.reading
    own = [i for i, d in enumerate(truth.documents) if not d.reference]
    copies = sum(m != members[0] and not truth.documents[m].reference for members in truth.sets.members for m in members)
    return {"documents": len(own), "references": reading.references, "empty": sum(not truth.found[i].shingles for i in own),
            "short": sum(truth.found[i].short for i in own), "skipped": reading.skipped,
            "replaced": sum(d.replaced or one.replaced for d, one in zip(truth.documents, truth.found)),
            "without_group": reading.without_group, "without_number": reading.without_number,
            "duplicate_ids": reading.duplicate_ids(), "exact_duplicates": copies,
            "common_features": len(truth.common.features), "only_common": truth.common.only}


def compare_counts(summary: dict, want: dict) -> Faults:
    for name, value in want.items():
        if summary.get(name) != value:
            yield f"summary: {name} is {summary.get(name)}, not {value}"


class PairsChecks:
    """Checks the output of `benzer pairs`."""

    def __init__(self, truth: Truth, folder: Path, summary: dict, code: int) -> None:
        self.truth, self.case, self.folder, self.summary, self.code = truth, truth.case, folder, summary, code
        self.edges = truth.edges if self.case.lossless else None

    def run(self) -> Faults:
        truth = self.truth
        got = lines_of(self.folder / self.case.output)
        want = truth.pair_lines(truth.all_pairs(truth.edges))
        if self.case.lossless:
            yield from compare_lists("pairs", got, want)
        elif strange := Counter(map(pair_key, got)) - Counter(map(pair_key, want)):
            yield f"pairs: {sorted(strange)[:3]} are not similar, or not so"
        elif self.case.unique:
            # A pair of two references is not listed, though their sets may be similar.
            self.edges = truth.listed(got)
            shown = [line for line in want if pair_key(line) in set(map(pair_key, got))]
            yield from compare_lists("pairs", got, shown)
        yield from compare_counts(self.summary, {"pairs": len(got)} | common_counts(truth))
        if self.code != (3 if truth.reading.skipped else 0):
            yield f"the exit code is {self.code}, with {truth.reading.skipped} skipped"
