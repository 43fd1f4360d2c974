"""Defines the steps of a round that damage files, and those on a failing disk."""
from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from damage import Damage, copied, files_of
from failing_disk import FailingDisk
from model import Content
from program import Finding, Result
from questions import id_line, may_be_damaged
from serve_test_util import Server

FAILED = 5


class Copy:
    """A copy of the store: its folder, and the documents in it."""

    def __init__(self, name: str, documents: dict[str, Content], is_settled: bool) -> None:
        self.name, self.documents = name, dict(documents)
        self.is_settled = is_settled  # all of the log was acknowledged, so no part of it may be taken for a torn end

    def again(self) -> Copy:
        """Returns a copy of this description, for a step that changes which documents are expected."""
        return Copy(self.name, self.documents, self.is_settled)


class FaultSteps:
    """Steps of a Round, which defines the other members."""

    # --- damage -------------------------------------------------------------------------------------

    def a_copy(self) -> Copy:
        own = Copy(self.store, self.model.documents, self.is_settled)
        return self.chance.choice([own, own, *self.copies[-4:]])

    def damage(self) -> None:
        """Every answer is right, or the error for damage. A repair keeps what is undamaged, and reports what is lost."""
        source = self.a_copy().again()
        trial = copied(self.program, source.name, "trial")
        others = [copy.name for copy in self.copies + self.snapshots if copy.name != source.name] + [self.store]
        damage = Damage(self.program, self.chance, trial, others)
        damage.some()
        is_exact = damage.is_detectable and (source.is_settled or not damage.touches("log"))
        self.try_damaged(trial, source, is_exact)
        if self.chance.random() < 0.2:
            is_exact &= self.write_to_damaged(trial, source)
        if self.chance.random() < 0.2:
            for _ in range(self.chance.choice([1, 2])):
                self.program.run("verify", trial, "--repair", *self.schema.arguments(), kill_after=self.chance.uniform(0, self.pace))
            is_exact = False  # an earlier repair has reported these losses
        self.repair(trial, source, is_exact)
        self.go_on_with(trial)

    def write_to_damaged(self, trial: str, source: Copy) -> bool:
        """Returns False if the write was refused; some of it may have been done."""
        changes = self.puts(10)
        result = self.program.run("index", trial, self.written(changes), "--quiet", *self.how())
        if result.code != 0:
            may_be_damaged(result)
            return False
        for name, content in changes:
            source.documents[name] = content
        return True

    def try_damaged(self, trial: str, source: Copy, is_exact: bool, refused: Callable[[Result], None] = may_be_damaged) -> None:
        if is_exact:
            self.questions.some(trial, source.documents, 3, refused)
            self.questions.is_exactly(trial, source.documents, refused)
            if self.questions.verify(trial, source.documents, refused):
                self.questions.is_exactly(trial, source.documents)
        else:
            self.questions.read(trial, self.model.history, refused)
        if self.chance.random() < 0.3:
            copy = self.folder_name("snapshot")
            result = self.program.run("snapshot", trial, copy)
            if result.code != 0:
                refused(result)
            elif is_exact:
                self.questions.is_exactly(copy, source.documents)

    def repair(self, trial: str, source: Copy, is_exact: bool) -> None:
        words = ["verify", trial, "--repair", "--json"]
        result = self.program.run(*words)
        if result.code in (2, 4, 10) and not result.out:  # the schema is lost
            if not ("BENZER" in result.said or "no index" in result.said or "it has the version" in result.said):
                raise Finding(f"repair ended with {result.code}: {result.said}")
            result = self.program.run(*words, *self.schema.arguments())
        if result.code not in (0, 4) or not result.out:
            if "it has the version" in result.said or result.code in (4, 10) and not any("-" in name for name in files_of(self.folder / trial)):
                return  # the store has another version, or nothing of it is left
            raise Finding(f"repair ended with {result.code}: {result.said}")
        report = result.json
        expired = self.remove_expired(trial)
        state = self.questions.read(trial, self.model.history)  # fails for a document that never existed
        self.questions.verify(trial, state)
        if len(state) + expired != report["documents"]:
            raise Finding(f"a repair tells of {report['documents']} documents, and {len(state)} and {expired} expired ones are there")
        if report["complete"] != (result.code == 0):
            raise Finding(f"a repair ended with {result.code} and said {report}")
        strangers = {name for file in report["files"] for name in file["lost_ids"]} - set(self.model.history)
        if strangers:
            raise Finding(f"a repair has lost what was never there: {strangers}")
        if not is_exact:
            return
        wrong = {name for name in state.keys() | source.documents.keys()
                 if name not in state or name not in source.documents or not self.model.equal(state[name], source.documents[name])}
        told = sum(file["lost"] + file["returned"] for file in report["files"])
        if len(wrong) > told and not any(file["lost_unknown"] for file in report["files"]):
            shown = {name: (state.get(name), source.documents.get(name)) for name in sorted(wrong)[:3]}
            raise Finding(f"a repair tells of {told} lost or returned, and {len(wrong)} are wrong, such as (is, was) {shown}: {report}")

    def remove_expired(self, store: str) -> int:
        """Removes documents that have expired, which a repair may have brought back, or a server not removed yet. Returns how many."""
        if not self.schema.attributes.can_expire:
            return 0
        return self.program.expect("remove", store, "--expired", "--json").json["removed"]

    def go_on_with(self, trial: str) -> None:
        """Sometimes the round goes on with the repaired store."""
        if self.chance.random() < 0.4 and (state := self.questions.read(trial, self.model.history, lambda _: None)) is not None:
            if self.program.run("verify", trial).code == 0:
                self.program.shell("rm", "-rf", self.store)
                self.program.shell("mv", trial, self.store)
                self.model.documents = state
                self.is_settled = True
                self.put(self.puts(10))
                return
        shutil.rmtree(self.folder / trial)

    # --- a failing disk -----------------------------------------------------------------------------

    def unreadable_pages(self) -> None:
        source = self.a_copy().again()
        with self.disk() as disk:
            trial = "mounted/trial"
            copied(self.program, source.name, trial)
            pages = self.some_pages(disk.mounted / "trial")
            self.program.note(f"# pages that cannot be read: {pages}")
            disk.fail(read=pages, forget=True)
            self.try_damaged(trial, source, True, self.names_one_of(pages))
            if self.chance.random() < 0.5:
                self.repair_on_disk(trial, source)
            disk.heal()
            self.program.note("# all can be read again")
            if self.questions.verify(trial, source.documents, may_be_damaged) and not (self.folder / trial / "damaged").exists():
                self.questions.is_exactly(trial, source.documents)

    def repair_on_disk(self, trial: str, source: Copy) -> None:
        words = ["verify", trial, "--repair", "--json"]
        result = self.program.run(*words)
        if result.code == 4 and not result.out and "BENZER" in result.said:  # the schema cannot be read
            result = self.program.run(*words, *self.schema.arguments())
        if result.code != FAILED and (result.code not in (0, 4) or not result.out):
            raise Finding(f"repair ended with {result.code}: {result.said}")
        if result.code == FAILED:
            may_be_damaged(result)
        else:
            self.program.note("# it was repaired")
            self.remove_expired(trial)
            source.documents = self.questions.read(trial, self.model.history)

    def names_one_of(self, files: dict) -> Callable[[Result], None]:
        def refused(result: Result) -> None:
            if result.code != FAILED or not any(name in result.said for name in files):
                raise Finding(f"{sorted(files)} cannot be read: ended with {result.code}: {result.said}")
        return refused

    def some_pages(self, store: Path) -> dict[str, list[int]]:
        files = [path for path in store.iterdir() if path.is_file() and path.name != "LOCK" and path.stat().st_size > 0]
        out: dict[str, list[int]] = {}
        for path in self.chance.sample(sorted(files), min(len(files), self.chance.choice([1, 1, 2]))):
            pages = range((path.stat().st_size + 4095) // 4096)
            out[path.name] = sorted(self.chance.sample(pages, min(len(pages), self.chance.choice([1, 2, 5, 1000]))))
        return out

    def disk(self) -> FailingDisk:
        shutil.rmtree(self.folder / "behind", ignore_errors=True)
        self.program.note(f"# a file system that fails (failing_disk.py) shows the folder 'behind' in 'mounted'; again by --seed {self.seed}")
        return FailingDisk(self.folder / "behind", self.folder / "mounted")

    def failing_writes(self) -> None:
        """A command that succeeds has made all changes. One that fails has made the first ones, or with --bulk none."""
        with self.disk() as disk:
            trial = "mounted/trial"
            copied(self.program, self.store, trial)
            kept, self.store = self.store, trial
            for _ in range(self.chance.choice([1, 3])):
                self.fail_while_writing(disk)
            disk.heal()
            self.program.note("# it can be written again")
            self.put(self.puts(10))
            self.check()
            self.store = kept
            self.program.shell("rm", "-rf", kept)
            self.program.shell("cp", "-r", trial, kept)
            self.is_settled = True

    def fail_while_writing(self, disk: FailingDisk) -> None:
        fault = {"names": self.chance.choice(["", "", "log", "segment", "MANIFEST", "removed", "SYNCED", "BENZER|LOCK"]),
                 "after": self.chance.choice([0, 0, 1, 2, 5, 10]), "times": self.chance.choice([1, 2, 1000]),
                 "error": self.chance.choice([5, 28])}
        kind = self.chance.choice(["write", "sync"])
        self.program.note(f"# {kind} fails: {fault}")
        disk.fail(**{kind: fault})
        act = self.chance.choice(["index", "index", "bulk", "remove", "compact"])
        before, changes = dict(self.model.documents), []
        if act == "compact":
            result = self.program.run("compact", self.store)
        elif act == "remove":
            names = self.gone()
            changes = [(name, None) for name in names]
            result = self.program.run("remove", self.store, "--ids", self.program.file("".join(map(id_line, names)), "ids"), *self.how())
        else:
            changes = self.puts(40) + self.puts(200)
            result = self.program.run("index", self.store, self.written(changes), "--quiet", *self.how(), *(["--bulk"] if act == "bulk" else []))
        if result.code not in (0, FAILED) or result.code == FAILED and "mounted/trial" not in result.said:
            raise Finding(f"{act}, where a {kind} fails, ended with {result.code}: {result.said}")
        disk.heal()
        self.settle(before, changes, len(changes) if result.code == 0 else 0, act == "bulk", f"{act}, where a {kind} fails")

    def serve_from_a_failing_disk(self) -> None:
        """The server goes on when pages that it has read before cannot be read again, and when writes fail."""
        with self.disk() as disk:
            copied(self.program, self.store, "mounted/trial")
            kept, self.store = self.store, "mounted/trial"
            self.program.note(f"benzer serve {self.store}  # with clients that write and ask")
            with Server(self.folder / self.store, "--log", "none") as server:
                clients, before = self.clients(server, frozenset({500, 503, 507}), "trial")
                try:
                    time.sleep(self.chance.uniform(0, 0.2))
                    if self.chance.random() < 0.6:
                        disk.fail(read=self.some_pages(disk.behind / "trial"), forget=True)
                    else:
                        disk.fail(**{self.chance.choice(["write", "sync"]): {"names": "", "after": 3, "times": 5, "error": 5}})
                    time.sleep(self.chance.uniform(0, 0.3))
                finally:
                    disk.heal()
                    for client in clients:
                        client.stop()
                if wrong := server.healthy():
                    raise Finding(wrong)
                code = server.stop()
                is_told = code == FAILED and self.store in server.said[-1]  # after a failed sync the store is read-only
                if code != 0 and not is_told:
                    raise Finding(f"the server ended with {code}: {''.join(server.said)[-2000:]}")
            self.program.judged(0, "", "".join(server.said), "benzer serve")
            self.remove_expired(self.store)
            self.end_of(clients, before, "served from a disk that failed")
            self.check()
            self.store = kept
            self.program.shell("rm", "-rf", kept)
            self.program.shell("cp", "-r", "mounted/trial", kept)
            self.is_settled = False

    def cut_under_a_server(self) -> None:
        """When a mapped file is cut off, which raises SIGBUS, requests fail and the server goes on. The rest of the page where it was cut
        reads as zeros, after its checksum was found right; so a document there may also seem to be missing."""
        trial = copied(self.program, self.store, "trial")
        self.program.note(f"benzer serve {trial}  # with clients that write and ask")
        with Server(self.folder / trial, "--log", "none") as server:
            clients, _ = self.clients(server, frozenset({404, 500, 503, 507}), trial)
            try:
                time.sleep(self.chance.uniform(0, 0.1))
                for name in files_of(self.folder / trial):
                    if name.startswith(("segment", "removed")) and self.chance.random() < 0.7:
                        size = (self.folder / trial / name).stat().st_size
                        self.program.shell("truncate", "-s", self.chance.randrange(size), f"{trial}/{name}")
                time.sleep(self.chance.uniform(0, 0.2))
            finally:
                for client in clients:
                    client.stop()
            if wrong := [client.wrong for client in clients if client.wrong] + [said for said in [server.healthy()] if said]:
                raise Finding(wrong[0])
            if (code := server.stop()) not in (0, 4, FAILED):
                raise Finding(f"the server ended with {code}: {''.join(server.said)[-2000:]}")
        self.program.judged(0, "", "".join(server.said), "benzer serve")
        shutil.rmtree(self.folder / trial)
