"""Runs a round: a new store, and some dozens of random steps on it. After each step the model says what the store must have."""
from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from attributes import EXPIRY, PAST
from changes import Change, Client, prefix_of
from damage import copied
from fault_steps import Copy, FaultSteps
from model import Content, Model, Schema, record
from program import Finding, Program, Result
from questions import EVERYTHING, Misses, Questions, id_line, ids_of
from serve_test_util import Server

ODD_IDS = ["a b", "tab\there", "line\nend", '"quoted', "\u2028", "naïve", "-x", "日本", "back\\slash", "l" * 5000, "%2F", "{}"]
MOST_DOCUMENTS = 120  # few, because the model compares all pairs of them


class Round(FaultSteps):
    def __init__(self, seed: int, has_disk: bool, without: set[str]) -> None:
        self.seed, self.has_disk, self.without = seed, has_disk, without
        self.chance = random.Random(f"index model {seed}")
        fast = Path("/dev/shm")
        self.folder = Path(tempfile.mkdtemp(prefix=f"benzer-index-model-{seed}-", dir=fast if fast.is_dir() else None))
        self.program = Program(self.folder)
        self.schema = Schema(self.chance)
        self.model = Model(self.schema)
        self.store = "st"
        self.copies: list[Copy] = []
        self.snapshots: list[Copy] = []
        self.made = 0  # number of ids that were made
        self.folders = 0
        self.is_settled = True
        self.pace = 0.05  # seconds that a command that writes takes
        self.steps: list[str] = []

    # --- the round ----------------------------------------------------------------------------------

    def run(self) -> None:
        self.create()
        for number, step in enumerate(self.chance.choices(self.choices(), k=self.chance.choice([12, 20, 30]))):
            # Each step has a seed of its own, since a step may draw a different number of random numbers when it is repeated.
            self.chance.seed(f"index model {self.seed} {number}")
            self.steps.append(step.__name__)
            self.program.note(f"# {number}: {step.__name__}")
            step()
        self.program.note("# the end")
        self.check()
        for snapshot in self.snapshots:
            self.questions.is_exactly(snapshot.name, snapshot.documents)

    def choices(self) -> list[Callable]:
        weighted = {self.index: 5, self.same_few_ids: 2, self.equal_documents: 2, self.bulk: 2, self.check_and_add: 3, self.remove: 3, self.update: 3,
                    self.ask: 4, self.look_at_all: 2, self.compact: 2, self.snapshot: 2, self.keep_a_copy: 3, self.read_while_writing: 3,
                    self.kill: 6, self.serve: 2, self.cut_under_a_server: 1, self.damage: 8}
        if self.schema.attributes.can_expire:
            weighted |= {self.expire: 3}
        if self.has_disk:
            weighted |= {self.unreadable_pages: 3, self.failing_writes: 3, self.serve_from_a_failing_disk: 1}
        return [step for step, weight in weighted.items() if step.__name__ not in self.without for _ in range(weight)]

    def create(self) -> None:
        self.program.expect("index", self.store, self.program.file(""), "--create", "--quiet", *self.schema.arguments())
        spelling = self.program.expect("stats", self.store, "--json").json["schema"]
        bands, rows = map(int, next(part for part in spelling.split(" | ") if part.startswith("bands:"))[6:].split("x"))
        self.misses = Misses(bands, rows, float(self.schema.recall))
        self.questions = Questions(self.program, self.model, self.chance, self.misses)

    def check(self) -> None:
        self.questions.is_exactly(self.store, self.model.documents)
        self.questions.verify(self.store, self.model.documents)

    def folder_name(self, kind: str) -> str:
        self.folders += 1
        return f"{kind}-{self.folders:02}"

    # --- writes -------------------------------------------------------------------------------------

    def how(self) -> list[str]:
        out = []
        if self.chance.random() < 0.5:
            out += ["--durability", self.chance.choice(["sync", "batch", "none"])]
        if self.chance.random() < 0.7:
            out += ["--memtable", str(self.chance.choice([4000, 20_000, 60_000, 400_000]))]
        return out

    def new_id(self) -> str:
        if self.chance.random() < 0.05:
            return self.chance.choice(ODD_IDS)
        self.made += 1
        return f"d{self.made}"

    def any_id(self) -> str:
        known = sorted(self.model.documents)
        too_many = len(known) > MOST_DOCUMENTS
        if known and (too_many or self.chance.random() < 0.3):
            return self.chance.choice(known)
        if self.chance.random() < 0.1 and self.model.history:
            return self.chance.choice(sorted(self.model.history))
        return self.new_id()

    def any_content(self) -> Content:
        known = sorted(self.model.documents)
        choice = self.chance.random()
        if known and choice < 0.2:
            return self.model.documents[self.chance.choice(known)]
        if known and choice < 0.5:
            return self.schema.changed(self.model.documents[self.chance.choice(known)], self.chance)
        return self.schema.content(self.chance)

    def puts(self, most: int = 100) -> list[Change]:
        count = self.chance.choice([0, 1, 2, 10, 30, most])
        return [(self.any_id(), self.any_content()) for _ in range(count)]

    def lines(self, changes: list[Change]) -> str:
        for name, content in changes:
            self.model.remember(name, content)
        return "".join(record(name, content) for name, content in changes)

    def written(self, changes: list[Change]) -> str:
        return self.program.file(self.lines(changes))

    def put(self, changes: list[Change], *more: str) -> None:
        before = set(self.model.documents)
        replaced = 0
        for name, _ in changes:
            replaced += name in before
            before.add(name)
        started = time.monotonic()
        result = self.program.expect("index", self.store, self.written(changes), "--json", *self.how(), *more).json
        self.pace = 0.7 * self.pace + 0.3 * (time.monotonic() - started)
        self.model.apply(changes)
        wanted = {"documents": len(changes), "inserted": len(changes) - replaced, "replaced": replaced, "skipped": 0, "refused": 0,
                  "size": len(self.model.documents)}
        said = {name: result[name] for name in wanted}
        if said != wanted:
            raise Finding(f"index says {said}, where it is {wanted}")
        self.is_settled = True

    def index(self) -> None:
        self.put(self.puts())
        self.questions.some(self.store, self.model.documents, 1)

    def same_few_ids(self) -> None:
        names = [self.any_id() for _ in range(self.chance.randint(1, 3))]
        for _ in range(self.chance.choice([1, 3])):
            self.put([(self.chance.choice(names), self.any_content()) for _ in range(self.chance.choice([20, 100, 300]))])
        self.questions.some(self.store, self.model.documents, 1)

    def equal_documents(self) -> None:
        content = self.any_content()
        self.put([(self.any_id(), content) for _ in range(self.chance.choice([5, 40, 80]))])
        self.questions.some(self.store, self.model.documents, 2)

    def bulk(self) -> None:
        self.put(self.puts(), "--bulk")
        self.questions.some(self.store, self.model.documents, 1)

    def check_and_add(self) -> None:
        """Each document is compared with those that the index has at that moment."""
        changes = self.puts(40)
        threshold, rule, options, counts = self.questions.threshold()
        if "--allow-low-recall" in options:
            threshold, options, counts = Fraction(1), ["--threshold", "1", "--score", rule], True
        limit = self.chance.choice([1, 10, EVERYTHING])
        conditions, where = self.questions.where()
        result = self.program.expect("check-and-add", self.store, self.written(changes), "--quiet", "--limit", limit, *options, *where,
                                     *self.how())
        answers = result.lines
        if [answer["id"] for answer in answers] != [name for name, _ in changes]:
            raise Finding(f"check-and-add answers for {[answer['id'] for answer in answers][:5]}")
        for (name, content), answer in zip(changes, answers):
            among = self.questions.meeting(self.model.documents, conditions)
            self.questions.check_matches(answer["matches"], content, among, name, threshold, rule, limit, counts)
            if answer["added"] == bool(answer["matches"]):
                raise Finding(f"check-and-add says {answer}")
            if answer["added"]:
                self.model.put(name, content)
        self.is_settled = True

    def gone(self) -> list[str]:
        known = sorted(self.model.documents)
        return self.chance.sample(known, min(len(known), self.chance.choice([1, 1, 3, 20, len(known) // 2])))

    def remove(self) -> None:
        names = self.gone()
        stranger = ["never"] if self.chance.random() < 0.3 else []
        if not names + stranger:
            return
        plain = [name for name in names if "\0" not in name and len(name) < 100]
        if self.chance.random() < 0.5 and len(plain) == len(names):
            how = ["--", *names, *stranger]
        else:
            how = ["--ids", self.program.file("".join(map(id_line, names + stranger)), "ids")]
        result = self.program.expect("remove", self.store, "--json", *self.how(), *how, code=1 if stranger else 0).json
        if (result["removed"], result["missing"]) != (len(names), len(stranger)):
            raise Finding(f"remove says {result} of {len(names)} and {len(stranger)}")
        self.model.apply((name, None) for name in names)
        self.is_settled = True
        self.questions.some(self.store, self.model.documents, 1)

    def updates(self) -> tuple[list[Change], str, int, int]:
        """Returns changes of attributes, the file that asks for them, how many of these documents are not there, and how many changes
        are refused, because they name an attribute that the index does not have."""
        now, changes, lines, missing, refused = dict(self.model.documents), [], [], 0, 0
        for _ in range(self.chance.choice([1, 5, 40, 150])):
            name, change = self.any_id(), self.schema.attributes.change(self.chance)
            is_refused = self.chance.random() < 0.02
            lines.append(json.dumps({"id": name} | change | ({"stranger": 1} if is_refused else {})) + "\n")
            if name not in now:
                missing += 1
                continue
            if is_refused:
                refused += 1
                continue
            now[name] = self.schema.updated(now[name], change)
            self.model.remember(name, now[name])
            changes.append((name, now[name]))
        return changes, self.program.file("".join(lines)), missing, refused

    def update(self) -> None:
        changes, file, missing, refused = self.updates()
        result = self.program.expect("update", self.store, file, "--json", *self.how(), code=3 if refused else 1 if missing else 0).json
        if (result["changed"], result["missing"], result["refused"]) != (len(changes), missing, refused):
            raise Finding(f"update says {result} of {len(changes)}, {missing} and {refused}")
        self.model.apply(changes)
        self.is_settled = True
        self.questions.some(self.store, self.model.documents, 1)

    def expire(self) -> None:
        """Documents that have expired are in no answer, even if they are copies of others. They are counted until they are removed."""
        live = dict(self.model.documents)
        names = [self.any_id() for _ in range(self.chance.choice([1, 5, 40]))]
        ends = self.chance.choice(PAST)
        if self.chance.random() < 0.5:
            gone = {name for name in names if name in live}
            lines = "".join(json.dumps({"id": name, EXPIRY: ends}) + "\n" for name in gone)
            self.program.expect("update", self.store, self.program.file(lines), *self.how())
        else:
            # Later documents, of which some have the same text, do not expire.
            content = self.any_content()
            changes = [(name, self.schema.updated(self.chance.choice([content, self.any_content()]), {EXPIRY: ends})) for name in names]
            later = [(self.any_id(), self.schema.updated(self.chance.choice(changes)[1], {EXPIRY: None})) for _ in range(self.chance.choice([0, 3]))]
            lines = "".join(record(name, content) for name, content in changes) + self.lines(later)
            self.program.expect("index", self.store, self.program.file(lines), "--quiet", *self.how(),
                                *(["--bulk"] if self.chance.random() < 0.3 else []))
            self.model.apply(later)
            gone = set(names) - {name for name, _ in later}
            live |= dict(later)
        self.model.apply((name, None) for name in gone)
        everything = len(live.keys() | gone)
        for _ in range(self.chance.choice([0, 1, 2])):
            if self.chance.random() < 0.3:
                self.program.expect("compact", self.store)
            self.questions.some_of_what_is_visible(self.store, self.model.documents, 2)
        if (counted := self.program.expect("stats", self.store, "--json").json["documents"]) != everything:
            raise Finding(f"{counted} documents are counted, and there are {everything} with those that have expired")
        words = ["remove", self.store, "--expired", "--json", *self.how()]
        if self.chance.random() < 0.4:
            self.program.run(*words, kill_after=self.chance.uniform(0, self.pace))
            self.program.expect(*words)
        elif (removed := self.program.expect(*words).json["removed"]) != len(gone):
            raise Finding(f"{removed} documents are removed, and {len(gone)} have expired")
        self.is_settled = True
        self.check()

    # --- steps that change nothing ------------------------------------------------------------------

    def ask(self) -> None:
        self.questions.some(self.store, self.model.documents, self.chance.choice([1, 3]))

    def look_at_all(self) -> None:
        self.check()

    def compact(self) -> None:
        self.program.expect("compact", self.store, *(["--memtable", "20000"] if self.chance.random() < 0.3 else []))
        stats = self.program.expect("stats", self.store, "--json").json
        if stats["removed"] != 0 or stats["segments"] > 1 or stats["documents"] != len(self.model.documents):
            raise Finding(f"after compact: {stats}")
        self.is_settled = True
        self.check()

    def snapshot(self) -> None:
        name = self.folder_name("snapshot")
        result = self.program.expect("snapshot", self.store, name, "--json").json
        if result["documents"] != len(self.model.documents):
            raise Finding(f"a snapshot of {result['documents']}, not {len(self.model.documents)}")
        self.snapshots.append(Copy(name, self.model.documents, True))
        self.questions.is_exactly(name, self.model.documents)
        self.questions.some(name, self.model.documents, 1)

    def keep_a_copy(self) -> None:
        name = copied(self.program, self.store, self.folder_name("copy"))
        self.copies.append(Copy(name, self.model.documents, self.is_settled))

    # --- several processes --------------------------------------------------------------------------

    def read_while_writing(self) -> None:
        """Each reader sees the first of the requested changes, and never fewer than an earlier reader."""
        if self.chance.random() < 0.3:
            changes, words = [], ["compact", self.store]
        else:
            changes = self.puts() + self.puts(200)
            words = ["index", self.store, self.written(changes), "--quiet", *self.how(), *(["--bulk"] if self.chance.random() < 0.4 else [])]
        writer = self.program.start(*words)
        before, seen = dict(self.model.documents), 0
        try:
            while writer.poll() is None:
                seen = prefix_of(self.model, before, changes, self.state_while(writer), seen, "while it is written")
                busy = self.program.run(*self.chance.choice([["remove", self.store, "never"], ["compact", self.store]]))
                # A process that has just locked the store may not have written its process id yet.
                if busy.code == 11 and str(writer.pid) not in busy.said and "another process" not in busy.said and writer.poll() is None:
                    busy = self.program.run("remove", self.store, "never")
                if busy.code == 11 and str(writer.pid) not in busy.said and "another process" not in busy.said:
                    raise Finding(f"who writes is {writer.pid}, and it says {busy.said}")
                if busy.code not in (0, 1, 11):
                    raise Finding(f"a second writer ended with {busy.code}: {busy.said}")
        finally:
            out, said = writer.communicate()
        code = self.program.judged(writer.returncode, out, said, "the writer").code
        if code == 11 and words[0] in ("index", "compact"):
            self.program.note("# another one was faster")
            changes = changes if seen else []
            if seen:
                raise Finding("it ended with 11 and has written")
        elif code != 0:
            raise Finding(f"the writer ended with {code}: {said[-500:]}")
        self.model.apply(changes)
        self.is_settled = True
        self.check()

    def state_while(self, writer: subprocess.Popen) -> dict[str, Content]:
        """Returns the documents, read by several commands. While the writer runs, these may see different moments, so the read is repeated."""
        while True:
            is_over = writer.poll() is not None
            keys = dict(self.questions.keys)  # restored, because keys of a document replaced meanwhile would be recorded for its earlier text
            try:
                state = self.questions.read(self.store, self.model.history)
                self.questions.list(self.store, state)  # only the list shows new documents without features
                return state
            except Finding:
                if is_over:
                    raise
            finally:
                self.questions.keys = keys

    def kill(self) -> None:
        """Kills a writer at any time: all acknowledged changes were made, and of the others the first ones."""
        act = self.chance.choice(["index", "index", "bulk", "check-and-add", "check-and-add", "remove", "compact", "update"])
        after = self.chance.uniform(0, 1.3 * self.pace)
        before, how, is_whole = dict(self.model.documents), self.how(), False
        if act == "remove":
            names = self.gone()
            changes: list[Change] = [(name, None) for name in names]
            words = ["--ids", self.program.file("".join(map(id_line, names)), "ids"), *how]
        elif act == "compact":
            changes, words = [], []
        elif act == "update" and self.schema.attributes.kinds:
            changes, file, _, _ = self.updates()
            words = [file, *how]
        else:
            act = "index" if act == "update" else act
            changes = self.puts(40) + self.puts(200)
            words = [self.written(changes), "--quiet", *how, *(["--bulk"] if act == "bulk" else [])]
            is_whole = act == "bulk"
            if act == "check-and-add":
                words += ["--threshold", "1"]
        result = self.program.run("index" if act == "bulk" else act, self.store, *words, kill_after=after)
        if result.code not in ((0, 1, 3, -9) if act == "update" else (0, -9)):
            raise Finding(f"{act} ended with {result.code}: {result.said[-500:]}")
        least = len(changes) if result.code >= 0 else 0
        if act == "check-and-add":
            whole = list(Result(0, result.out[: result.out.rfind("\n") + 1], "").lines)
            least = 0 if "none" in how and result.code != 0 else len(whole)
            changes = self.added(changes, whole)
            least = min(least, len(changes))
        self.settle(before, changes, least, is_whole, f"{act}, killed")
        self.is_settled = result.code >= 0

    def added(self, changes: list[Change], answers: list[dict]) -> list[Change]:
        """Returns the changes that check-and-add makes, or would make at a threshold of 1, where equal documents are always found."""
        now, out = dict(self.model.documents), []
        there: dict[object, set[str]] = {}

        def key(content: Content) -> object:
            return frozenset(self.model.sets(content).items()) or None

        for name, content in now.items():
            there.setdefault(key(content), set()).add(name)
        for number, (name, content) in enumerate(changes):
            twins = there.get(key(content), set()) - {name} if key(content) is not None else set()
            if number < len(answers) and answers[number]["added"] == bool(twins):
                raise Finding(f"check-and-add says {answers[number]}, and equal are {sorted(twins)[:3]}")
            if twins:
                if number < len(answers):
                    out.append((name, now.get(name)))  # acknowledged, without a change
                continue
            if name in now:
                there[key(now[name])].discard(name)
            now[name] = content
            there.setdefault(key(content), set()).add(name)
            out.append((name, content))
        return out

    def settle(self, before: dict[str, Content], changes: list[Change], least: int, is_whole: bool, what: str) -> None:
        state = self.questions.read(self.store, self.model.history)
        count = prefix_of(self.model, before, changes, state, least, what)
        if is_whole and count not in (0, len(changes)):
            now = dict(before)
            whole = self.model.documents.copy()
            for name, content in changes:
                whole[name] = content
            is_all = whole.keys() == state.keys() and all(self.model.equal(whole[name], state[name]) for name in whole)
            if not is_all and not (now.keys() == state.keys() and all(self.model.equal(now[name], state[name]) for name in now)):
                raise Finding(f"{what}: {count} of {len(changes)} changes are there, and it is all of them or none")
        self.model.documents = dict(before)
        self.model.apply(changes[:count])
        self.questions.verify(self.store, self.model.documents)

    # --- a server -----------------------------------------------------------------------------------

    def serve(self) -> None:
        self.program.note(f"benzer serve {self.store}  # with clients that write and ask; see {Path(__file__).name}")
        with Server(self.folder / self.store, "--log", "none") as server:
            clients, before = self.clients(server)
            try:
                self.while_served(clients, before)
                time.sleep(self.chance.uniform(0, 0.2))
                if self.chance.random() < 0.5:
                    server.kill()
            finally:
                for client in clients:
                    client.stop()
            if server.is_alive:
                self.end_of(clients, before, "while it is served")
                live = copied(self.program, self.store, self.folder_name("live"))
                self.remove_expired(live)
                self.copies.append(Copy(live, self.model.documents, True))
                self.questions.is_exactly(self.store, self.model.documents)
                if self.chance.random() < 0.5:
                    server.kill()
                elif (code := server.stop()) != 0:
                    raise Finding(f"the server ended with {code}: {''.join(server.said)[-2000:]}")
                self.remove_expired(self.store)
                self.check()
            else:
                self.remove_expired(self.store)
                self.end_of(clients, before, "after the server was killed")
            self.is_settled = False
            self.program.judged(0, "", "".join(server.said), "benzer serve")
            if server.process.returncode not in (0, -9):
                raise Finding(f"the server ended with {server.process.returncode}: {''.join(server.said)[-2000:]}")

    def clients(self, server: Server, tolerated: frozenset[int] = frozenset(), name: str = "") -> tuple[list[Client], dict[str, Content]]:
        count = self.chance.choice([1, 2, 4])
        known = [one for one in sorted(self.model.documents) if one not in ODD_IDS]
        room = max(0, MOST_DOCUMENTS - len(known)) // count  # new documents for each client
        self.made += 1000
        return [Client(server, name or self.store, self.model, random.Random(f"{self.seed} {self.made} {i}"),
                       {one: self.model.documents[one] for one in known[i::count]}, f"c{self.made}-{i}-", room, tolerated)
                for i in range(count)], dict(self.model.documents)

    def while_served(self, clients: list[Client], before: dict[str, Content]) -> None:
        for _ in range(self.chance.choice([0, 1, 3])):
            act = self.chance.choice(["busy", "verify", "snapshot", "list"])
            if act == "busy":
                words = self.chance.choice([["remove", self.store, "never"], ["compact", self.store], ["verify", self.store, "--repair"],
                                            ["index", self.store, self.program.file(record("never", self.schema.content(self.chance)))]])
                if (result := self.program.run(*words)).code != 11:
                    raise Finding(f"a second writer ended with {result.code}: {result.said}")
            elif act == "verify":
                self.program.expect("verify", self.store)
            elif act == "list":
                ids = set(ids_of(self.program.expect("list", self.store).out))
                if strangers := ids - set(self.model.history):
                    raise Finding(f"documents that nobody has written: {sorted(strangers)[:3]}")
            else:
                least = [client.acknowledged for client in clients]
                name = self.folder_name("snapshot")
                self.program.expect("snapshot", self.store, name)
                state = self.questions.read(name, self.model.history)
                self.beginnings(clients, before, state, least, "in a snapshot")
                self.snapshots.append(Copy(name, state, True))

    def beginnings(self, clients: list[Client], before: dict[str, Content], state: dict[str, Content], least: list[int], what: str) -> list[int]:
        """Returns how many changes of each client were made, and checks that all other documents are as before."""
        own = [set(client.names) | {name for name, _ in client.changes} for client in clients]
        out = []
        for client, names, count in zip(clients, own, least):
            changes = list(client.changes)
            out.append(prefix_of(self.model, {n: c for n, c in before.items() if n in names}, changes,
                                 {n: c for n, c in state.items() if n in names}, count, what))
        rest = set().union(*own)
        prefix_of(self.model, {n: c for n, c in before.items() if n not in rest}, [], {n: c for n, c in state.items() if n not in rest}, 0, what)
        return out

    def end_of(self, clients: list[Client], before: dict[str, Content], what: str) -> None:
        for client in clients:
            if client.wrong:
                raise Finding(client.wrong)
        state = self.questions.read(self.store, self.model.history)
        counts = self.beginnings(clients, before, state, [client.acknowledged for client in clients], what)
        self.model.documents = dict(before)
        for client, count in zip(clients, counts):
            self.model.apply(client.changes[:count])
