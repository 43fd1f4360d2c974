"""Asks an index every kind of question, and compares the answers with the model."""
from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from attributes import Condition
from model import Content, Model, Similarity, decimal, record
from program import A_FILE, Finding, Program, Result

EVERYTHING = 1_000_000  # a limit that no answer reaches
ROUNDING = 1e-12
MOST_COUNTED = 20  # pairs of a round whose misses are counted
Refusal = Callable[[Result], None]  # raises if an error is not the right one


def ids_of(text: str) -> list[str]:
    return [json.loads(line) if line.startswith('"') else line for line in text.split("\n")[:-1]]


def id_line(name: str) -> str:
    return (json.dumps(name) if name.startswith('"') or any(c < " " or c in "\x7f\x85\u2028\u2029" for c in name) else name) + "\n"


def must_not(result: Result) -> None:
    raise Finding(f"ended with {result.code}: {result.said[-1000:]}")


def may_be_damaged(result: Result) -> None:
    """Accepts, for a store that is damaged or on a failing disk, an error that names the file."""
    if result.code in (2, 10) and "no file BENZER" in result.said:
        return
    if result.code == 2 and "it has the version" in result.said:
        return
    if result.code not in (4, 5):
        raise Finding(f"a damaged store: ended with {result.code}: {result.said[-1000:]}")
    if not A_FILE.search(result.said):
        raise Finding(f"the damaged file is not named: {result.said[-1000:]}")


class Misses:
    """Records which pairs the bands missed, and the probability of that, and checks that a pair is always missed or never."""

    def __init__(self, bands: int, rows: int, recall: float) -> None:
        self.bands, self.rows, self.recall = bands, rows, recall
        self.counted: dict[tuple, tuple[float, bool]] = {}
        self.seen: dict[tuple, bool] = {}

    def note(self, model: Model, a: Content, b: Content, threshold: Fraction, rule: str, found: bool, counts: bool) -> None:
        a, b = model.schema.bare(a), model.schema.bare(b)
        if model.has_same_features(a, b):
            if not found:
                raise Finding(f"two equal documents are not found: {a}")
            return
        pair = (a, b) if a <= b else (b, a)
        if self.seen.setdefault((pair, threshold, rule), found) != found:
            raise Finding(f"{pair} are a pair at {threshold} ({rule}) once, and once they are not")
        best = model.similarity(a, b, rule).best_field
        if not counts or best == 1 or pair in self.counted or len(self.counted) == MOST_COUNTED:
            return
        curve = 1 - (1 - best**self.rows) ** self.bands
        self.counted[pair] = (curve * (1 - (1 - self.recall) / 100), found)


class Questions:
    def __init__(self, program: Program, model: Model, chance: random.Random, misses: Misses) -> None:
        self.program, self.model, self.chance, self.misses = program, model, chance, misses
        self.keys: dict[tuple, object] = {}  # band keys of each set of features
        self.asked: Counter = Counter()
        self.documents = 0  # that questions were about; a question about all of the index counts as one
        self.above_floor: Counter = Counter()  # of the most similar documents: how many were found, and missed

    def all(self) -> list[Callable]:
        return [self.list, self.get, self.similar_to, self.similar_like, self.pairs, self.clusters, self.stats, self.verify]

    def some(self, store: str, documents: dict[str, Content], count: int, refused: Refusal = must_not) -> int:
        """Asks `count` random questions, and returns how many were answered."""
        return sum(one(store, documents, refused) for one in self.chance.sample(self.all(), count))

    def some_of_what_is_visible(self, store: str, documents: dict[str, Content], count: int) -> None:
        """As some(), without the questions that count documents that have expired."""
        for one in self.chance.sample([one for one in self.all() if one not in (self.stats, self.verify)], count):
            one(store, documents, must_not)

    def answer(self, what: str, refused: Refusal, *words: object, good: tuple[int, ...] = (0,), documents: int = 1) -> Result | None:
        self.asked[what] += 1
        self.documents += documents
        result = self.program.run(what, *words)
        if result.code in good:
            return result
        self.asked[f"{what} refused"] += 1
        refused(result)
        return None

    def threads(self) -> list[str]:
        return ["--threads", str(self.chance.choice([1, 2, 4]))] if self.chance.random() < 0.3 else []

    def threshold(self) -> tuple[Fraction, str, list[str], bool]:
        """Returns a threshold and a rule, the options for both, and whether misses count."""
        least = self.model.schema.least
        threshold = self.chance.choice([least, least, Fraction("0.8"), Fraction("0.9"), Fraction(1), Fraction("0.2")])
        rule = self.chance.choice(["mean", "mean", "all", "any"])
        options = ["--threshold", decimal(threshold), "--score", rule]
        return threshold, rule, options + (["--allow-low-recall"] if threshold < least else []), threshold >= least

    def threshold_or_floor(self) -> tuple[Fraction, str, list[str], bool | None]:
        """As threshold(), or in its place a floor; whether misses count is None then."""
        if self.chance.random() < 0.7:
            return self.threshold()
        floor, rule = self.chance.choice([Fraction("0.01"), Fraction("0.1"), Fraction("0.3")]), self.chance.choice(["mean", "all", "any"])
        return floor, rule, ["--floor", decimal(floor), "--score", rule, "--quiet"], None

    def where(self) -> tuple[list[Condition], list[str]]:
        """Returns conditions on attributes, mostly none, and the options for them."""
        if not self.model.schema.attributes.kinds or self.chance.random() < 0.5:
            return [], []
        conditions = [self.model.schema.attributes.condition(self.chance) for _ in range(self.chance.choice([1, 1, 2]))]
        return conditions, [word for one in conditions for word in ("--where", one.spelling)]

    def meeting(self, documents: dict[str, Content], conditions: list[Condition]) -> dict[str, Content]:
        return {name: content for name, content in documents.items() if self.model.schema.meets(content, conditions)}

    # --- single documents ---------------------------------------------------------------------------

    def list(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        result = self.answer("list", refused, store)
        if result:
            self.same_ids(ids_of(result.out), documents)
        return result is not None

    def same_ids(self, ids: list[str], documents: dict[str, Content]) -> None:
        if len(ids) != len(set(ids)):
            raise Finding(f"a document is listed twice: {[name for name, count in Counter(ids).items() if count > 1][:3]}")
        if lost := sorted(set(documents) - set(ids)):
            raise Finding(f"{len(lost)} documents are not listed: {lost[:3]}")
        if more := sorted(set(ids) - set(documents)):
            raise Finding(f"{len(more)} documents are listed that are not there: {more[:3]}")

    def get(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        asked = self.chance.sample(sorted(documents), min(len(documents), self.chance.choice([1, 5, 50])))
        gone = self.chance.choice(["never", *sorted(set(self.model.history) - set(documents))])
        asked.insert(self.chance.randint(0, len(asked)), gone)
        ids = self.program.file("".join(map(id_line, asked)), "ids")
        result = self.answer("get", refused, store, "--ids", ids, good=(0, 1), documents=len(asked))
        if not result:
            return False
        if result.code == 0:
            raise Finding(f"a document that is not there is shown: {gone}")
        asked.remove(gone)
        if [one["id"] for one in result.lines] != asked:
            raise Finding(f"get shows {[one['id'] for one in result.lines]}, and was asked for {asked}")
        for one in result.lines:
            self.is_version(one, documents[one["id"]])
        return True

    def is_version(self, shown: dict, content: Content) -> None:
        """Checks what `get` shows: the right numbers of features, and always the same keys for the same features."""
        if shown.get("attributes", {}) != self.model.schema.attributes_of(content):
            raise Finding(f"{shown['id']} is shown with {shown.get('attributes')}, where it is {content}")
        sets = self.model.sets(content)
        counts = {name: field["features"] for name, field in shown["fields"].items()}
        if counts != {name: len(features) for name, features in sets.items()}:
            raise Finding(f"{shown['id']} has so many features: {counts}, where it is {content}")
        for name, features in sets.items():
            if self.keys.setdefault((name, features), shown["fields"][name]["keys"]) != shown["fields"][name]["keys"]:
                raise Finding(f"the keys of {shown['id']} ({name}) are not what they were: {content}")

    def similar_to(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        if not documents:
            return self.list(store, documents, refused)
        name = self.chance.choice(sorted(documents))
        threshold, rule, options, counts = self.threshold_or_floor()
        limit = self.chance.choice([1, 3, 10, EVERYTHING])
        conditions, where = self.where()
        result = self.answer("similar", refused, store, f"--id={name}", "--limit", limit, *options, *where)
        if not result:
            return False
        if strangers := {match["query"] for match in result.lines} - {name}:
            raise Finding(f"matches of {strangers}, and {name} was asked for")
        self.check_matches(result.lines, documents[name], self.meeting(documents, conditions), name, threshold, rule, limit, counts)
        return True

    def similar_like(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        asked = {}
        for number in range(self.chance.choice([1, 4, 30])):
            known = self.chance.choice(sorted(self.model.history)) if self.model.history else None
            version = self.chance.choice(sorted(self.model.history[known])) if known else self.model.schema.content(self.chance)
            choice = self.chance.random()
            asked[f"?{number}"] = (version if choice < 0.5 else self.model.schema.changed(version, self.chance) if choice < 0.9
                                   else self.model.schema.content(self.chance))
        threshold, rule, options, counts = self.threshold_or_floor()
        limit = self.chance.choice([1, 3, 10, EVERYTHING])
        like = self.program.file("".join(record(name, content) for name, content in asked.items()))
        conditions, where = self.where()
        result = self.answer("similar", refused, store, "--like", like, "--limit", limit, *(["--quiet"] if counts is not None else []), *options, *where,
                             *self.threads(), documents=len(asked))
        if not result:
            return False
        found: dict[str, list] = {name: [] for name in asked}
        for match in result.lines:
            found[match["query"]].append(match)
        meeting = self.meeting(documents, conditions)
        for name, matches in found.items():
            self.check_matches(matches, asked[name], meeting, None, threshold, rule, limit, counts)
        return True

    def check_matches(self, matches: list[dict], content: Content, documents: dict[str, Content], own: str | None,
                      threshold: Fraction, rule: str, limit: int, counts: bool | None) -> None:
        true = self.model.matches(content, threshold, rule, documents, own)
        order = [(-match["score"], match["id"].encode()) for match in matches]
        if order != sorted(order) or len(set(order)) != len(order) or len(matches) > limit:
            raise Finding(f"matches out of order, or too many: {order[:5]}")
        for match in matches:
            if match["id"] not in true:
                raise Finding(f"a match that is not there: {match}; asked for {content} at {threshold} ({rule}); it is {documents.get(match['id'])}")
            wanted = true[match["id"]]
            fields = {name: float(score) for name, score in wanted.fields.items()}
            if (abs(match["score"] - float(wanted.score)) > ROUNDING or match["exact"] is not True or set(fields) != set(match["fields"])
                    or any(abs(match["fields"][name] - score) > ROUNDING for name, score in fields.items())):
                raise Finding(f"a wrong score: {match}; it is {float(wanted.score)}, {fields}")
            if match.get("attributes", {}) != self.model.schema.attributes_of(documents[match["id"]]):
                raise Finding(f"a match with wrong attributes: {match}, which is {documents[match['id']]}")
        found = {match["id"] for match in matches}
        last = true[matches[-1]["id"]] if len(matches) == limit else None

        def is_cut_off(name: str, wanted: Similarity) -> bool:
            """Returns whether a document comes after the last match. Scores are exact up to the last digit of a double."""
            if last is None or name in found:
                return False
            if wanted.fields == last.fields:
                return name.encode() > matches[-1]["id"].encode()
            return float(wanted.score) < float(last.score) + 1e-12

        for name, wanted in true.items():
            if is_cut_off(name, wanted):
                continue
            if counts is None:
                self.note_above_floor(name in found)
            else:
                self.misses.note(self.model, content, documents[name], threshold, rule, name in found, counts)

    def note_above_floor(self, is_found: bool) -> None:
        """Of the most similar documents a hundredth of what the recall allows may be missed; tells if it is ten times as many."""
        self.above_floor["found" if is_found else "missed"] += 1
        loss = (1 - self.misses.recall) / 100
        if self.above_floor["missed"] > 3 + 10 * loss * self.above_floor.total():
            raise Finding(f"of the most similar documents too many are missed: {self.above_floor}")

    # --- the whole ----------------------------------------------------------------------------------

    def pairs(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        threshold, rule, options, counts = self.threshold()
        result = self.answer("pairs", refused, store, "--quiet", *options, *self.threads())
        if result:
            self.check_pairs(result.lines, documents, threshold, rule, counts)
        return result is not None

    def check_pairs(self, pairs: list[dict], documents: dict[str, Content], threshold: Fraction, rule: str, counts: bool) -> dict[frozenset, float]:
        found = {}
        for pair in pairs:
            a, b = pair["a"], pair["b"]
            if a not in documents or b not in documents or a == b or frozenset((a, b)) in found:
                raise Finding(f"no such pair, or twice: {pair}")
            true = self.model.similarity(documents[a], documents[b], rule)
            if not true.fields or true.score < threshold or abs(float(true.score) - pair["score"]) > ROUNDING or pair["exact"] is not True:
                raise Finding(f"a pair with a wrong score: {pair}, which is {float(true.score)} at {threshold} ({rule})")
            found[frozenset((a, b))] = pair["score"]
        names = sorted(documents)
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                true = self.model.similarity(documents[a], documents[b], rule)
                if true.fields and true.score >= threshold:
                    self.misses.note(self.model, documents[a], documents[b], threshold, rule, frozenset((a, b)) in found, counts)
        return found

    def clusters(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        """Checks that clusters follow from the pairs of the same moment, in the order of the store."""
        threshold, rule, options, counts = self.threshold()
        how = self.chance.choice(["leader", "components"])
        listed = self.answer("list", refused, store)
        pairs = self.answer("pairs", refused, store, "--quiet", *options)
        result = self.answer("clusters", refused, store, "--quiet", "--cluster", how, *options, *self.threads())
        if not (listed and pairs and result):
            return False
        order = ids_of(listed.out)
        self.same_ids(order, documents)
        edges = self.check_pairs(pairs.lines, documents, threshold, rule, counts)
        wanted = leaders(order, edges) if how == "leader" else components(order, edges)
        got = {}
        for cluster in result.lines:
            scores = []
            for member in cluster["members"]:
                got[member["id"]] = cluster["keeper"]
                scores.append(self.check_member(member, cluster, documents, rule))
                if how == "components" and member["link"]["id"] != link(member["id"], order, edges):
                    raise Finding(f"the link is not {link(member['id'], order, edges)}: {member}")
            if not scores or min(scores) != cluster["weakest"]:
                raise Finding(f"the weakest is not right: {cluster}")
        if got != wanted:
            wrong = {name: (got.get(name), wanted.get(name)) for name in got.keys() | wanted.keys() if got.get(name) != wanted.get(name)}
            raise Finding(f"clusters ({how}) at {threshold} ({rule}): keepers (found, right) are {dict(sorted(wrong.items())[:3])}")
        return True

    def check_member(self, member: dict, cluster: dict, documents: dict[str, Content], rule: str) -> float:
        for other, said in ((cluster["keeper"], member["score"]), *((one["id"], one["score"]) for one in [member.get("link")] if one)):
            true = self.model.similarity(documents[member["id"]], documents[other], rule)
            if abs(float(true.score) - said) > ROUNDING:
                raise Finding(f"a wrong score: {member} with {other}, which is {float(true.score)}")
        return member["score"]

    def stats(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        result = self.answer("stats", refused, store, "--json")
        if result and result.json["documents"] != len(documents):
            raise Finding(f"stats: {result.json['documents']} documents, not {len(documents)}")
        return result is not None

    def verify(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        result = self.answer("verify", refused, store, "--json")
        if result and (result.json["documents"] != len(documents) or result.json["sound"] is not True):
            raise Finding(f"verify: {result.json}, and there are {len(documents)} documents")
        return result is not None

    # --- all documents ------------------------------------------------------------------------------

    def read(self, store: str, candidates: dict[str, set[Content]], refused: Refusal = must_not) -> dict[str, Content] | None:
        """Returns the version that each document has, by the exact scores of the versions and by its keys, or None if a command was
        refused. A document that is listed twice, that has content it never had, or that has two versions at once is a finding."""
        candidates = {name: set(contents) for name, contents in list(candidates.items())}  # clients of a server add to them
        result = self.answer("list", refused, store)
        if not result:
            return None
        ids = ids_of(result.out)
        self.same_ids(ids, {name: None for name in ids if name in candidates})
        bare = self.model.schema.bare
        versions = sorted({bare(content) for name in ids for content in candidates[name]})
        like = self.program.file("".join(record(str(number), content) for number, content in enumerate(versions)))
        result = self.answer("similar", refused, store, "--like", like, "--threshold", 1, "--limit", EVERYTHING, "--quiet")
        listed = self.program.file("".join(map(id_line, ids)), "ids")
        shown = self.answer("get", refused, store, "--ids", listed)
        if not (result and shown):
            return None
        found: dict[str, list[Content]] = {name: [] for name in ids}
        for match in result.lines:
            content = versions[int(match["query"])]
            if match["score"] != 1 or match["id"] not in found:
                raise Finding(f"a match that is not there: {match}")
            found[match["id"]].append(content)
        for one in shown.lines:
            if not one["fields"]:
                found[one["id"]] += [bare(content) for content in candidates[one["id"]] if not self.model.sets(content)]
        out = {}
        attributes = {one["id"]: one.get("attributes", {}) for one in shown.lines}
        for name, contents in found.items():
            if len({frozenset(self.model.sets(content).items()) for content in contents}) > 1:
                raise Finding(f"{name} has two versions at once: {contents}")
            out[name] = next((content for content in sorted(candidates[name])
                              if bare(content) in contents and self.model.schema.attributes_of(content) == attributes.get(name)), None)
            if out[name] is None:
                raise Finding(f"{name} has something that it never had, with {attributes.get(name)}{f', but others: {contents[0]}' if contents else ''}")
        if [one["id"] for one in shown.lines] != ids:
            raise Finding("get does not show what is listed")
        for one in shown.lines:
            self.is_version(one, out[one["id"]])
        return out

    def is_exactly(self, store: str, documents: dict[str, Content], refused: Refusal = must_not) -> bool:
        """Checks that the index has exactly these documents with these contents."""
        state = self.read(store, {name: self.model.history[name] for name in self.model.history}, refused)
        if state is None:
            return False
        self.same_ids(list(state), documents)
        for name, content in documents.items():
            if not self.model.equal(state[name], content):
                raise Finding(f"{name} is {state[name]}, and should be {content}")
        return True


def components(order: list[str], edges: dict[frozenset, float]) -> dict[str, str]:
    near: dict[str, set[str]] = {}
    for a, b in map(tuple, edges):
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)
    out: dict[str, str] = {}
    seen: set[str] = set()
    for keeper in order:
        if keeper in seen:
            continue
        seen.add(keeper)
        left = [keeper]
        while left:
            for name in near.get(left.pop(), set()) - seen:
                seen.add(name)
                out[name] = keeper
                left.append(name)
    return out


def leaders(order: list[str], edges: dict[frozenset, float]) -> dict[str, str]:
    """Returns the removed documents with their keepers: the most similar of the kept documents that come earlier; of equally similar ones
    the first."""
    kept, out = [], {}
    for name in order:
        similar = [keeper for keeper in kept if frozenset((name, keeper)) in edges]
        if similar:
            out[name] = max(similar, key=lambda keeper: edges[frozenset((name, keeper))])
        else:
            kept.append(name)
    return out


def link(name: str, order: list[str], edges: dict[frozenset, float]) -> str:
    """Returns the document that links another to its component: the first of its equals, otherwise the most similar one; of equally similar
    ones the first."""
    place = order.index(name)
    others = [(edges[pair], at) for at, other in enumerate(order) if at != place and (pair := frozenset((name, other))) in edges]
    return order[min(others, key=lambda one: (one[0] == 1 and one[1] > place, -one[0], one[1]))[1]]
