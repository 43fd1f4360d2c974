#!/usr/bin/env python3
# labels: server
"""Checks that docs/rest.md and docs/operating.md agree with `benzer serve`.

The program is BENZER or the release build. Every block of docs/rest.md that is marked `sh` is run by bash in the order of the
page, in one folder and with one environment. Its output is compared with the block `json` or `text` that follows; without one it must
be empty. A block that ends with a line "benzer serve ROOT ..." starts the server, on a free port, and stops the previous one.

  json   JSON values one after the other. "..." matches any value; in a string it matches any characters; as the last member of a list,
         or as a name in an object, it matches any further members. A number matches numbers that are rounded to it
  text   lines. "..." matches any characters; alone in a line it matches any number of lines

The tables are compared with the program and its sources: routes with their keys and statuses, members, codes of problems, limits,
metrics. systemd-analyze, if it is installed, checks the unit of the package. Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import ROOT, program, run_test, scratch

PAGE = (ROOT / "docs" / "rest.md").read_text(encoding="utf-8")
OPERATING = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
SOURCES = ROOT / "apps" / "server"
PATIENCE = 60
# Rows of the table of limits that GET /v1/limits does not have, with their names in http.h.
OF_HTTP = {"the head of a request": "head_bytes", "its lines, the first one not counted": "header_lines", "connections": "connections",
           "bodies and answers": "held_bytes",
           "requests that wait for a worker": "waiting", "time for the head": "head_seconds", "time for the body": "body_seconds",
           "time for an answer": "request_seconds", "time that a stop gives requests": "grace_seconds", "time that a stop waits for requests": "stop_seconds"}


# --- what may differ -------------------------------------------------------------------------------

def pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("..."))), re.DOTALL)


def matches(expected: object, got: object) -> bool:
    if expected == "...":
        return True
    if isinstance(expected, str):
        return isinstance(got, str) and pattern(expected).fullmatch(got) is not None
    if isinstance(expected, dict) and isinstance(got, dict):
        others = "..." in expected
        names = set(expected) - {"..."}
        return names <= set(got) and (others or names == set(got)) and all(matches(expected[n], got[n]) for n in names)
    if isinstance(expected, list) and isinstance(got, list):
        if expected and expected[-1] == "...":
            expected = expected[:-1]
            got = got[:len(expected)]
        return len(expected) == len(got) and all(map(matches, expected, got))
    if isinstance(expected, (int, Decimal)) and isinstance(got, (int, Decimal)) and not isinstance(expected, bool):
        exponent = Decimal(expected).as_tuple().exponent
        return not isinstance(got, bool) and abs(Decimal(expected) - Decimal(got)) * 2 <= Decimal(10) ** int(exponent)
    return type(expected) is type(got) and expected == got


def json_values(text: str) -> list[object]:
    decoder = json.JSONDecoder(parse_float=Decimal)
    out, at = [], 0
    while at < len(text.rstrip()):
        value, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        out.append(value)
    return out


def is_as_shown(kind: str, expected: str, got: str) -> bool:
    if kind == "json":
        wanted, values = json_values(expected), json_values(got)
        return len(wanted) == len(values) and all(map(matches, wanted, values))
    lines = [r"(.*\n)*?" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n"
             for line in expected.rstrip("\n").split("\n")]
    return re.fullmatch("".join(lines), got.replace("\r", "").rstrip("\n") + "\n") is not None


# --- the server --------------------------------------------------------------------------------------

class Server:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self, words: list[str]) -> None:
        self.stop()
        log = (self.folder / "serve.log").open("w+", encoding="utf-8")
        self.process = subprocess.Popen([str(program()), *words, "--port", "0", "--seed", "0"], cwd=self.folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=log, text=True)
        for _ in range(PATIENCE * 100):
            said = (self.folder / "serve.log").read_text(encoding="utf-8")
            if found := re.search(r"serving \S+ on (http://\S+:\d+)/", said):
                self.url = found[1]
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"'benzer {' '.join(words)}' did not start: {said}")

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            self.process = None

    def get(self, path: str) -> str:
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return answer.read().decode()


# --- the examples ------------------------------------------------------------------------------------

def blocks() -> list[tuple[str, str, int]]:
    """Returns kind, text and line of each block of code."""
    return [(m[1], m[2], PAGE[:m.start()].count("\n") + 1) for m in re.finditer(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)]


def run_block(text: str, server: Server) -> str:
    *lines, last = text.rstrip("\n").split("\n")
    starts = re.match(r"benzer (serve [^-].*)", last)
    script = "\n".join(lines if starts else [*lines, last])
    # The next block has the variables of this one.
    script = f"[ ! -e .variables ] || . ./.variables\nset -eu\n{script}\ndeclare -p KEY 2> /dev/null > .variables || true\n"
    script = script.replace("http://127.0.0.1:6363", server.url)
    done = subprocess.run(["bash", "-c", script], cwd=server.folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
                          stdin=subprocess.DEVNULL,
                          env={**os.environ, "PATH": f"{server.folder}:{os.environ['PATH']}", "URL": server.url, "LC_ALL": "C.UTF-8"})
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(f"it ended with {done.returncode}: {done.stderr}{done.stdout}")
    if starts:
        server.start(starts[1].split())
    return done.stdout


def check_examples(server: Server) -> Iterator[str]:
    all_blocks = blocks()
    for (kind, text, line), following in zip(all_blocks, [*all_blocks[1:], ("", "", 0)]):
        if kind != "sh":
            continue
        try:
            got = run_block(text, server)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            yield f"docs/rest.md:{line}: {error}"
            continue
        shown = following if following[0] in ("json", "text") else ("text", "", 0)
        try:
            good = is_as_shown(shown[0], shown[1], got) if shown[1] else got == ""
        except ValueError as error:
            good, got = False, f"{error}: {got}"
        if not good:
            yield f"docs/rest.md:{shown[2] or line}: the page shows\n{shown[1]}and it is\n{got}"


# --- the tables --------------------------------------------------------------------------------------

def rows(page: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in page.split("\n") if line.startswith("| ")]


def two_ways(name: str, there: set[object], described: set[object]) -> Iterator[str]:
    yield from (f"{name}: {one} is missing on the page" for one in sorted(map(str, there - described)))
    yield from (f"{name}: the page has {one}, and the program has not" for one in sorted(map(str, described - there)))


def check_routes(server: Server) -> Iterator[str]:
    described = {}
    for row in rows(PAGE):
        if found := re.fullmatch(r"`([A-Z]+ /\S*)`", row[0]):
            described[found[1]] = (row[1], {status.strip() for status in row[2].split(",")})
    there = {}
    api = json.loads(server.get("/openapi.json"))
    for path, methods in api["paths"].items():
        for method, route in methods.items():
            there[f"{method.upper()} {path}"] = (route["x-scope"], set(route["responses"]) - {"default"})
    yield from two_ways("routes", set(there), set(described))
    for route in sorted(set(there) & set(described)):
        scope, statuses = there[route]
        if described[route] != (scope, statuses):
            yield f"routes: {route} is for {scope} with {sorted(statuses)}, and the page says {described[route]}"
    for named in set(re.findall(r"`((?:GET|PUT|POST|PATCH|DELETE) /[^`\s?]*)`", PAGE)) - set(there):
        yield f"routes: {named} is named, and there is none"


def check_members(server: Server) -> Iterator[str]:
    api = json.loads(server.get("/openapi.json"))
    named = set(re.findall(r"`(\w+)`", PAGE))
    for methods in api["paths"].values():
        for route in methods.values():
            for one in route.get("parameters", []):
                if one["in"] == "query" and one["name"] not in named:
                    yield f"members: the parameter {one['name']} is not on the page"
    for name, schema in api["components"]["schemas"].items():
        if schema.get("additionalProperties") is False:
            for member in schema.get("properties", {}):
                if member not in named:
                    yield f"members: {member} of {name} is not on the page"


def check_codes(_server: Server) -> Iterator[str]:
    there = set()
    for file in set(SOURCES.glob("*.cc")) - set(SOURCES.glob("*_test.cc")):
        there |= set(re.findall(r'\b([45]\d\d),\s*"([a-z_]+)"', file.read_text(encoding="utf-8")))
    described = {(row[0], row[1].strip("`")) for row in rows(PAGE) if re.fullmatch(r"[45]\d\d", row[0])}
    yield from two_ways("codes", there, described)
    named = {code for status, code in described}
    for code in re.findall(r"[45]\d\d `([a-z_]+)`", PAGE):
        if code not in named:
            yield f"codes: {code} is named, and there is none"


def check_limits(server: Server) -> Iterator[str]:
    named, of_http = {}, {}
    for row in rows(PAGE):
        if len(row) != 4 or not (figure := re.match(r"[\d,]+", row[1])):
            continue
        value = int(figure[0].replace(",", ""))
        if row[2].startswith("`"):
            named[row[2].strip("`")] = value
        elif row[2] == "":
            of_http[next((OF_HTTP[label] for label in OF_HTTP if row[0].startswith(label)), row[0])] = value
    yield from two_ways("limits", set(json.loads(server.get("/v1/limits")).items()), set(named.items()))
    constants = re.findall(r"(\w+) = (\d+);", (SOURCES / "http.h").read_text(encoding="utf-8"))
    yield from two_ways("limits", {(name, int(value)) for name, value in constants if name in OF_HTTP.values()}, set(of_http.items()))


def check_bounds(server: Server) -> Iterator[str]:
    """The bounds of parameters in the tables agree with those that refusals name."""
    news = "/v1/indexes/news"
    asked = [("GET", f"{news}/similarities?documents=0", None), ("GET", f"{news}/documents?limit=0", None),
             ("POST", f"{news}/similar", '{"text":"a","limit":0}'), ("POST", f"{news}/pairs", '{"limit":0}')]
    for method, path, body in asked:
        request = urllib.request.Request(server.url + path, method=method, data=body.encode() if body else None,
                                         headers={"Content-Type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=PATIENCE).close()
            yield f"bounds: {path} with 0 was answered"
        except urllib.error.HTTPError as error:
            with error:
                detail = json.load(error)["detail"]
            least, most = map(int, re.findall(r"from (\d+) to (\d+)", detail)[0])
            if f"({least} to {most:,}" not in PAGE and f", {least} to {most:,};" not in PAGE:
                yield f"bounds: {path}: {detail}; the page has no '{least} to {most:,}'"


def check_metrics(server: Server) -> Iterator[str]:
    there = set(re.findall(r"^# TYPE (benzer_\w+)", server.get("/metrics"), re.MULTILINE))
    described = {row[0].strip("`").split("{")[0] for row in rows(OPERATING) if row[0].startswith("`benzer_")}
    yield from two_ways("metrics", set(there), set(described))
    for named in set(re.findall(r"benzer_[a-z_]+", OPERATING)):
        if not {named, re.sub("_(bucket|sum|count)$", "", named)} & there:
            yield f"metrics: docs/operating.md names {named}, and there is none"


def logged(server: Server) -> str:
    """Waits for the log line of a request, which is written after the answer, and returns it.

    The lines of requests answered before it may be written after it."""
    log = server.folder / "serve.log"
    before = log.read_text(encoding="utf-8").count("/healthz")
    server.get("/healthz")
    for _ in range(PATIENCE * 100):
        whole = log.read_text(encoding="utf-8").rpartition("\n")[0].split("\n")
        asked = [line for line in whole if "/healthz" in line]
        if len(asked) > before:
            return asked[-1]
        time.sleep(0.01)
    return ""


def check_log(server: Server) -> Iterator[str]:
    shown = re.search(r"^```\n(\d{4}-\S+ .*)\n(\{\"at\".*)\n```", OPERATING, re.MULTILINE)
    if not shown:
        yield "log: docs/operating.md shows no line of each kind"
        return
    form = r"\S+Z \S+ \S+ \S+ [A-Z]+ \S+ \d{3} [\d.]+ ms \d+ bytes"
    last = logged(server)
    if not re.fullmatch(form, shown[1]) or not re.fullmatch(form, last):
        yield f"log: the line is\n{last}\nand docs/operating.md shows\n{shown[1]}"
    server.start(["serve", "indexes", "--log", "json"])
    last = logged(server)
    if not last.startswith("{") or list(json.loads(last)) != list(json.loads(shown[2])):
        yield f"log: the line is\n{last}\nand docs/operating.md shows\n{shown[2]}"


def check_unit(server: Server) -> Iterator[str]:
    unit = (ROOT / "packaging" / "benzer.service").read_text(encoding="utf-8")
    if not shutil.which("systemd-analyze"):
        return
    file = server.folder / "benzer.service"
    file.write_text(re.sub(r"=\S*/bin/benzer ", f"={program()} ", unit).replace("User=benzer", "User=daemon"), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(file)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode != 0 or "benzer.service" in done.stderr:
        yield f"unit: systemd-analyze verify says {done.stdout}{done.stderr}"


def check_links(_server: Server) -> Iterator[str]:
    pages = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("rest.md", "operating.md", "cli.md", "images.md")}
    anchors = {name: {re.sub(r"[^\w\- ]", "", title.lower().strip()).replace(" ", "-")
                      for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)} for name, text in pages.items()}
    for name in ("rest.md", "operating.md"):
        for target, anchor in re.findall(r"\]\(([\w.]*)#([\w-]+)\)", pages[name]):
            if (target or name) in anchors and anchor not in anchors[target or name]:
                yield f"links: docs/{name} leads to {target}#{anchor}, and there is none"


CHECKS: list[Callable[[Server], Iterator[str]]] = [check_examples, check_routes, check_members, check_codes, check_limits, check_bounds, check_metrics,
                                                   check_log, check_unit, check_links]


def main() -> int:
    tried = subprocess.run([str(program()), "serve", "--new-key", "none"], capture_output=True, text=True, check=False)
    if "without the server" in tried.stderr:
        print("SKIPPED: this build has no server\n0 passed, 0 failed, 1 skipped")
        return 0
    folder = scratch("rest_docs")
    (folder / "benzer").symlink_to(program().resolve())
    server, failed = Server(folder), 0
    try:
        for check in CHECKS:
            findings = list(check(server))
            for finding in findings:
                print(f"FAILED: {finding}")
            failed += bool(findings)
    finally:
        server.stop()
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(run_test(main))
