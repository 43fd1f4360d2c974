#!/usr/bin/env python3
# labels: store cli
"""Checks that commands print the same for a store in Redis as for one in a folder, and never a password.

A server of Debian's redis-server is started on a free port, and stopped. The program is BENZER or the release build.
Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "data"))
from common import PATIENCE_SECONDS, program, scratch

PASSWORD = "open-sesame"


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """Starts a server, and yields its address."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port = chosen.getsockname()[1]
    process = subprocess.Popen(["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder),
                                "--requirepass", PASSWORD, "--logfile", str(folder / "redis.log")])
    try:
        for _ in range(500):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.01)
        yield f"127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def run(*words: str | Path, code: int = 0, env: dict[str, str] | None = None, text: str | None = None) -> str:
    done = subprocess.run([str(program()), *map(str, words)], capture_output=True, text=True, check=False, input=text,
                          timeout=PATIENCE_SECONDS, env={**os.environ, **(env or {})})
    if done.returncode != code:
        raise AssertionError(f"{words} ended with {done.returncode}, not {code}: {done.stdout}{done.stderr}")
    if PASSWORD in done.stdout + done.stderr:
        raise AssertionError(f"{words} tells the password: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def documents(path: Path) -> None:
    chance = random.Random(3)
    with path.open("w", encoding="utf-8") as file:
        for number in range(300):
            words = [f"w{chance.randrange(10**6)}" for _ in range(60)]
            for copy in range(1 + (number % 3 == 0) + (number % 9 == 0)):
                if copy:
                    words[copy * 20] = "changed"
                file.write(json.dumps({"id": f"d{number}-{copy}", "text": " ".join(words)}) + "\n")


def sorted_lines(out: str) -> list[str]:
    """Returns JSON lines without what depends on the order of documents or the kind of the store."""
    lines = []
    for line in out.splitlines():
        if line.startswith("{"):
            parsed = json.loads(line)
            parsed.pop("durability", None)  # has other levels in Redis
            if "a" in parsed:
                parsed["a"], parsed["b"] = sorted([parsed["a"], parsed["b"]])
            lines.append(json.dumps(parsed, sort_keys=True))
    return sorted(lines)


def families(out: str) -> list[list[str]]:
    return sorted(sorted([line["keeper"], *(member["id"] for member in line["members"])])
                  for line in map(json.loads, filter(lambda text: text.startswith('{"cluster"'), out.splitlines())))


def test_commands(folder: Path, address: str) -> None:
    docs, plain = folder / "docs.jsonl", folder / "store"
    documents(docs)
    there = f"redis://:{PASSWORD}@{address}/news"
    run("index", plain, docs, "--create")
    made = run("index", there, docs, "--create", "--docs", "500")
    assert f"redis://{address}/news, 434 documents now, memory" in made, made
    again = json.loads(run("index", there, docs, "--json", "--quiet").splitlines()[0])
    assert (again["inserted"], again["replaced"], again["durability"]) == (0, 434, "memory"), again

    for command in (["similar", "--id", "d0-0"], ["similar", "--like", docs, "--threshold", "0.82"],
                    ["similar", "--id", "d9-1", "--explain", "--json"], ["pairs"], ["pairs", "--threshold", "0.82"],
                    ["get", "d0-0", "d0-1"]):
        name, *options = command
        expected, got = (sorted_lines(run(name, store, *options, "--quiet") if name != "get" else run(name, store, *options))
                         for store in (plain, there))
        assert expected and expected == got, (command, expected[:2], got[:2])
    # Only components are compared: leaders depend on the order of documents, which differs.
    assert families(run("clusters", plain, "--cluster", "components")) == families(run("clusters", there, "--cluster", "components"))
    assert run("audit", there, "--sample", "100", "--quiet").count("recall") > 0
    assert sorted(run("list", plain).split()) == sorted(run("list", there).split())
    assert "434 documents" in run("stats", there) and "1 master" in run("stats", there)
    assert json.loads(run("stats", there, "--json"))["servers"] == 1
    assert "is sound: 434 documents" in run("verify", there)
    assert "is sound: 434 documents" in run("verify", there, "--repair")

    lines = run("check-and-add", there, "-", "--quiet", text='{"id":"new","text":"quite another text it is"}\n'
                '{"id":"newer","text":"quite another text it is"}\n').splitlines()
    assert [json.loads(line)["added"] for line in lines] == [True, False], lines
    assert json.loads(lines[0])["durability"] == "memory"
    gone = json.loads(run("remove", there, "new", "--json"))
    assert (gone["removed"], gone["missing"], gone["durability"]) == (1, 0, "memory"), gone
    run("remove", there, "new", code=1)
    run("get", there, "new", code=1)

    for words, code, sentence in (
            (["index", there, docs, "--bulk"], 2, "a bulk load is for an index in a folder"),
            (["snapshot", there, folder / "copy"], 2, "back up the server"),
            (["index", there, docs, "--create", "--field", "text=text:word3"], 2, "the index has the schema"),
            (["index", there, docs, "--durability", "sync"], 2, "give memory, replicas:N or disk"),
            (["index", there, docs, "--durability", "replicas:0"], 2, "replicas:N (1 to 100)"),
            (["index", plain, docs, "--durability", "memory"], 2, "give sync, batch or none"),
            (["index", there, docs, "--durability", "disk"], 2, "has appendonly no"),
            (["index", there, docs, "--durability", "replicas:1", "--timeout", "0.5"], 12, "0 of 1 replicas"),
            (["verify", there, "--repair", "--field", "text=text:word3"], 2, "has its schema with it"),
            (["stats", there, "--timeout", "x"], 2, "--timeout 'x' is not allowed"),
            (["similar", there, "--id", "nobody"], 2, "no document"),
            (["stats", f"redis://:{PASSWORD}@{address}/other"], 10, "no index with this name"),
            (["stats", f"redis://{address}/news"], 13, "NOAUTH"),
            (["stats", f"redis://:wrong@{address}/news"], 13, "WRONGPASS"),
            (["stats", f"redis+cluster://:{PASSWORD}@{address}/news"], 2, "is not a cluster"),
            (["pairs", there, docs], 2, "which must be the only input"),
            (["pairs", there, "--features", "text:word3"], 2, "is for files")):
        out = run(*words, code=code)
        assert sentence in out, (words, out)
    assert "434 documents" in run("stats", f"redis://{address}/news", env={"BENZER_REDIS_PASSWORD": PASSWORD})


def test_attributes(folder: Path, address: str) -> None:
    """Conditions, changes and expiry have the same effect in Redis as in a folder."""
    chance = random.Random(5)
    items = folder / "items.jsonl"
    with items.open("w", encoding="utf-8") as file:
        for number in range(200):
            item: dict[str, object] = {"id": f"i{number}", "text": f"a blue mug of stoneware with handle {number % 5}", "price": number % 20}
            if number % 3:
                item["lang"] = chance.choice(["en", "de"])
            if number % 10 == 0:
                item["expires_at"] = "2001-01-01"
            file.write(json.dumps(item) + "\n")
    changes = folder / "changes.jsonl"
    changes.write_text('{"id":"i1","price":0.5,"lang":null}\n{"id":"i2","expires_at":"2001-01-01"}\n{"id":"nobody","price":1}\n', encoding="utf-8")
    stores = [str(folder / "items"), f"redis://:{PASSWORD}@{address}/items"]
    declared = [word for one in ("price=number", "lang=string", "expires_at=time") for word in ("--attribute", one)]
    for store in stores:
        run("index", store, items, "--create", *declared)

    def ask(*words: str | Path, code: int = 0) -> list[str]:
        name, *options = words
        expected, got = (sorted_lines(run(name, store, *options, code=code)) for store in stores)
        assert expected == got, (words, expected[:2], got[:2])
        return got

    questions = (["--where", "price<3"], ["--where", "lang in en,fr", "--where", "price>=19"], ["--where", "lang!=en"], [])
    like = ["similar", "--like", items, "--quiet", "--limit", "1000", "--threshold", "0.8"]
    found = [len(ask(*like, *where)) for where in questions]
    assert 0 < found[1] < found[0] < found[3] and 0 < found[2] < found[3], found
    assert not any('"i0"' in line for line in ask(*like) if '"query": "i0"' not in line), "an expired document is found"
    ask("get", "i1", "i3")
    ask("check-and-add", items, "--quiet", "--limit", "1000", "--where", "price=7")
    for store in stores:
        assert json.loads(run("update", store, changes, "--json", "--quiet", code=1).splitlines()[0])["changed"] == 2
    assert json.loads(ask("get", "i1")[0])["attributes"] == {"price": 0.5}
    ask(*like, "--where", "price<1")
    ask("pairs", "--quiet")
    for store in stores:
        left = json.loads(run("stats", store, "--json"))["documents"]
        removed = json.loads(run("remove", store, "--expired", "--json"))["removed"]
        assert removed > 0 and json.loads(run("stats", store, "--json"))["documents"] == left - removed
    ask(*like)


def test_weights(folder: Path, address: str) -> None:
    """Checks that values with weights, and attributes next to them, are the same in Redis as in a folder."""
    chance = random.Random(4)
    lines = []
    for number in range(200):
        gear = {f"v{number // 4}-{place}": chance.choice([0.25, 0.5, 1, 2.5, 40]) for place in range(8)}
        for copy in range(1 + number % 2):
            gear[f"v{number // 4}-{copy}"] = 0.1
            lines.append(json.dumps({"id": f"{number}-{copy}", "gear": gear, "price": number}))
    docs, plain = folder / "gear.jsonl", folder / "gear"
    docs.write_text("\n".join(lines) + "\n", encoding="utf-8")
    there = f"redis://:{PASSWORD}@{address}/gear"
    for store in (plain, there):
        run("index", store, docs, "--create", "--field", "gear=values+weights", "--attribute", "price=number", "--min-threshold", "0.4")
    for command in (["pairs"], ["similar", "--id", "7-1", "--explain", "--json"], ["similar", "--like", docs, "--where", "price<100"],
                    ["similar", "--document", lines[5], "--threshold", "0.6"]):
        name, *options = command
        expected, got = (sorted_lines(run(name, store, *options, "--quiet")) for store in (plain, there))
        assert expected and expected == got, (command, expected[:2], got[:2])
    assert "weight" in run("index", there, "-", code=3, text='{"id":"x","gear":{"tent":0}}\n')
    assert "is sound: 300 documents" in run("verify", there)


def test_frequencies(folder: Path, address: str) -> None:
    """Checks that an index in Redis keeps its document frequencies, and weighs by them as one in a folder does."""
    docs, counted, plain = folder / "rare.jsonl", folder / "rare.freq", folder / "rare"
    docs.write_text("".join(f'{{"id":"{n}","text":"menu of pages x{n // 2} y{n // 2} z{n // 3} a{n}"}}\n' for n in range(200)), encoding="utf-8")
    run("count-frequencies", docs, "--features", "text:word1", "-o", counted)
    there = f"redis://:{PASSWORD}@{address}/rare"
    for store in (plain, there):
        run("index", store, docs, "--create", "--field", "text=text:word1+tf-idf", "--frequencies", counted, "--min-threshold", "0.4")
    counted.unlink()
    for command in (["pairs"], ["similar", "--id", "7", "--explain", "--json"], ["similar", "--document", '{"text":"menu x3 y3"}']):
        name, *options = command
        expected, got = (sorted_lines(run(name, store, *options, "--quiet")) for store in (plain, there))
        assert expected and expected == got, (command, expected[:2], got[:2])
    assert "is sound: 200 documents" in run("verify", there)
    assert "text=text:word1+tf-idf@" in run("stats", there)


def test_signals(folder: Path, address: str) -> None:
    """A signal ends a command while the server says nothing, and what was being written is not called lost."""
    there = f"redis://:{PASSWORD}@{address}/stopped"
    run("index", there, "-", "--create", text='{"id":"a","text":"one two three"}\n')

    def ask(*words: str) -> str:
        host, port = address.split(":")
        return subprocess.run(["redis-cli", "-h", host, "-p", port, *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "REDISCLI_AUTH": PASSWORD}, timeout=PATIENCE_SECONDS).stdout

    ask("CONFIG", "RESETSTAT")
    command = subprocess.Popen([str(program()), "index", there, "-", "--timeout", "60"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    begun = time.monotonic()
    while "cmdstat_get:" not in ask("INFO", "commandstats"):  # with which it opens the index
        assert time.monotonic() - begun < PATIENCE_SECONDS
        time.sleep(0.02)
    time.sleep(1)
    ask("CLIENT", "PAUSE", "10000", "ALL")
    paused = time.monotonic()
    assert command.stdin
    command.stdin.write(b'{"id":"b","text":"one two four"}\n')
    command.stdin.close()
    command.stdin = None
    time.sleep(1)  # it waits for the server
    command.terminate()
    _, said = command.communicate(timeout=PATIENCE_SECONDS)
    assert command.returncode == 130, (command.returncode, said)
    assert time.monotonic() - paused < 8, said
    assert b"may or may not have been written" in said, said
    time.sleep(max(0, 10.5 - (time.monotonic() - paused)))
    assert "is sound" in run("verify", there)


def said(words: list[str], folder: Path) -> str:
    """Returns what a command says that may fail; it must not crash."""
    done = subprocess.run([str(program()), *words], capture_output=True, check=False, cwd=folder, stdin=subprocess.DEVNULL,
                          timeout=PATIENCE_SECONDS)
    assert 0 <= done.returncode < 70, (words, done)
    return (done.stdout + done.stderr).decode("utf-8", "replace")


def test_passwords(folder: Path, address: str) -> None:
    """No command tells the password of an address, whether that is an input or the value of an option."""
    folder = folder / "passwords"
    folder.mkdir()
    (folder / "docs.jsonl").write_text('{"id":"a","text":"one two three"}\n', encoding="utf-8")
    run("index", folder / "plain", folder / "docs.jsonl", "--create")
    there = f"redis://bob:{PASSWORD}@{address}/news"  # a user that the server does not know
    commands = [name for name in re.findall(r"^  ([a-z-]+)\b", run("--help"), re.MULTILINE)
                if said([name, "--help"], folder).count("\nUsage: benzer ") == 1]
    assert len(commands) > 25 and "check-and-add" in commands, commands
    tried = 0
    for name in commands:
        options = re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+) (?:FILE|DIR)", said([name, "--help-all"], folder), re.MULTILINE)
        asked = [[name, *inputs] for inputs in ([there], [there, there], ["docs.jsonl", there], [there, "docs.jsonl"], ["plain", there])]
        asked += [[name, *inputs, option, there] for option in options for inputs in (["docs.jsonl"], ["plain", "docs.jsonl"])]
        if name == "serve":  # it would not end
            asked = [[name, there, there]]
        for words in [[there], *asked]:
            for json_asked in ([], ["--json"]):
                out = said([*words, *json_asked], folder)
                assert PASSWORD not in out, (words, out)
                tried += 1
    assert tried > 500, tried
    assert not (folder / "redis:").exists(), "an address became the name of a folder"
    assert f"'{there.replace(':' + PASSWORD, '')}' is an index" in said(["sketch", there, "-o", "o"], folder)

    served = subprocess.Popen([str(program()), "serve", there, "--port", "0", "--timeout", "1"], stderr=subprocess.PIPE)
    assert served.stderr
    log = b""
    while b"serving" not in log:
        line = served.stderr.readline()
        assert line, log
        log += line
    served.terminate()
    log += served.stderr.read()
    served.wait(PATIENCE_SECONDS)
    assert b"serving redis://bob@" in log and PASSWORD.encode() not in log, log


def main() -> None:
    if shutil.which("redis-server") is None:
        print("SKIPPED: there is no redis-server: ./dev setup test installs it")
        print("0 passed, 0 failed, 1 skipped")
        return
    if "Redis none" in run("--version"):
        print("SKIPPED: this build has no Redis")
        print("0 passed, 0 failed, 1 skipped")
        return
    folder = scratch("redis-cli")
    try:
        with server(folder) as address:
            test_commands(folder, address)
            test_attributes(folder, address)
            test_weights(folder, address)
            test_frequencies(folder, address)
            test_signals(folder, address)
            test_passwords(folder, address)
    except AssertionError:
        traceback.print_exc(file=sys.stdout)
        print("0 passed, 1 failed")
        sys.exit(1)
    print("6 passed, 0 failed")


if __name__ == "__main__":
    main()
