"""Checks writers that may not finish: which of the requested changes were made."""
from __future__ import annotations

import http.client
import json
import random
import threading
import urllib.parse

from attributes import EXPIRY, PAST, Condition
from model import Content, Model, record
from program import Finding
from serve_test_util import Answer, Server

Change = tuple[str, "Content | None"]  # None: removed


def prefix_of(model: Model, before: dict[str, Content], changes: list[Change], state: dict[str, Content], least: int, what: str) -> int:
    """Returns how many of the changes, from the first one on, have been made. What is left of a log is always a prefix of it."""
    touched = {name for name, _ in changes}
    for name in (before.keys() | state.keys()) - touched:
        if name not in state or name not in before or not model.equal(before[name], state[name]):
            raise Finding(f"{what}: nobody has touched {name}, which is {state.get(name)} and was {before.get(name)}")
    now = {name: before.get(name) for name in touched}

    def differs(name: str) -> bool:
        is_there, other = now[name], state.get(name)
        return (is_there is None) != (other is None) or (is_there is not None and not model.equal(is_there, other))

    different = {name for name in touched if differs(name)}
    best = None
    for count in range(len(changes) + 1):
        if count > 0:
            name, content = changes[count - 1]
            now[name] = content
            different.discard(name)
            if differs(name):
                different.add(name)
        if count < least:
            continue
        if not different:
            return count
        if best is None or len(different) < best[0]:
            best = (len(different), count, sorted(different)[:3])
    shown = {name: (state.get(name), [content for other, content in changes if other == name][-2:]) for name in best[2]}
    raise Finding(f"{what}: what is there is not the beginning of {len(changes)} changes, of which {least} were acknowledged; after {best[1]} "
                  f"of them {best[0]} documents differ, such as {shown}")


def version_among(model: Model, name: str, content: Content, match: dict, conditions: list[Condition]) -> bool:
    """Whether score and attributes are those of a version that the document has had or may have now, and that meets the conditions."""
    for version in list(model.history.get(name, ())):
        if match.get("attributes", {}) != model.schema.attributes_of(version) or not model.schema.meets(version, conditions):
            continue
        if abs(float(model.similarity(content, version, "mean").score) - match["score"]) < 1e-12:
            return True
    return False


class Client:
    """A client that changes documents of its own over HTTP, next to others, until it is told to stop or the server has ended."""

    def __init__(self, server: Server, name: str, model: Model, chance: random.Random, known: dict[str, Content], prefix: str, room: int,
                 tolerated: frozenset[int] = frozenset()) -> None:
        self.server, self.path, self.model, self.chance = server, f"/v1/indexes/{name}", model, chance
        self.names, self.prefix, self.tolerated = list(known), prefix, tolerated
        self.now = dict(known)  # its documents, if all of its changes are made
        self.most = len(known) + room
        self.changes: list[Change] = []
        self.acknowledged = 0  # number of changes
        self.refused = 0
        self.wrong = ""
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                if not self.step():
                    return
        except (OSError, http.client.HTTPException):
            pass  # the server was killed
        except Finding as finding:
            self.wrong = str(finding)

    def stop(self) -> None:
        self.stopping.set()
        self.thread.join()

    def step(self) -> bool:
        act = self.chance.choice(["put", "put", "many", "remove", "update", "expire", "similar", "similar"])
        if act == "similar":
            return self.ask()
        if act == "remove":
            name = self.chance.choice(self.names) if self.names else "nobody"
            made = [(name, None)] if self.names else []
            answer = self.send("DELETE", f"/documents/{urllib.parse.quote(name, safe='')}", None, made)
            return self.judge(answer, {204, 404}, made)
        if act in ("update", "expire"):
            return self.update(act)
        made = []
        for _ in range(1 if act == "put" else self.chance.choice([2, 10, 40])):
            if self.names and (len(self.names) >= self.most or self.chance.random() < 0.4):
                name = self.chance.choice(self.names)
            else:
                name = f"{self.prefix}{len(self.names)}"
                self.names.append(name)
            made.append((name, self.model.schema.content(self.chance)))
        if act == "put":
            name, content = made[0]
            answer = self.send("PUT", f"/documents/{urllib.parse.quote(name, safe='')}", json.loads(record(None, content)), made)
            return self.judge(answer, {200, 201}, made)
        answer = self.send("POST", "/documents", "".join(record(name, content) for name, content in made), made)
        if answer.status == 200 and "summary" not in answer.lines[-1]:
            return self.judge(Answer(507, []), {200}, made)  # the last line says that the request failed
        if answer.status == 200 and answer.lines[-1]["summary"]["refused"] and not self.tolerated:
            raise Finding(f"documents were refused: {answer.lines[:3]}")
        return self.judge(answer, {200}, made)

    def update(self, act: str) -> bool:
        """Changes attributes of a document, or lets it expire, which has the effect of a removal."""
        attributes = self.model.schema.attributes
        if not self.names or not attributes.kinds or act == "expire" and not attributes.can_expire:
            return True
        name = self.chance.choice(self.names)
        change = {EXPIRY: self.chance.choice(PAST)} if act == "expire" else attributes.change(self.chance)
        made: list[Change] = []
        if name in self.now:
            made = [(name, None if act == "expire" else self.model.schema.updated(self.now[name], change))]
        answer = self.send("PATCH", f"/documents/{urllib.parse.quote(name, safe='')}", change, made)
        return self.judge(answer, {200} if made else {404}, made)

    def send(self, method: str, path: str, body: object, made: list[Change]) -> Answer:
        for name, content in made:
            if content is not None:
                self.model.remember(name, content)
                self.now[name] = content
            else:
                self.now.pop(name, None)
        self.changes += made
        return self.server.client().ask(method, self.path + path, body)

    def judge(self, answer: Answer, good: set[int], made: list[Change]) -> bool:
        if answer.status in good:
            self.acknowledged = len(self.changes)
            return True
        if answer.status not in self.tolerated:
            raise Finding(f"an answer {answer}")
        self.refused += 1
        return False  # stop: after a gap, later changes would not be a prefix

    def ask(self) -> bool:
        known = sorted(self.model.history)
        content = (self.chance.choice(sorted(self.model.history[self.chance.choice(known)])) if known and self.chance.random() < 0.7
                   else self.model.schema.content(self.chance))
        body: dict = {"document": json.loads(record(None, content)), "limit": 100}
        attributes = self.model.schema.attributes
        conditions = [attributes.condition(self.chance)] if attributes.kinds and self.chance.random() < 0.5 else []
        if conditions:
            body["where"] = [one.spelling for one in conditions]
        answer = self.server.client().ask("POST", f"{self.path}/similar", body)
        if answer.status != 200:
            if answer.status not in self.tolerated:
                raise Finding(f"an answer {answer}")
            self.refused += 1
            return True
        for match in answer.json["matches"]:
            if not version_among(self.model, match["id"], content, match, conditions):
                raise Finding(f"a match that no version of the document makes: {match}, asked for {content}")
        return True
