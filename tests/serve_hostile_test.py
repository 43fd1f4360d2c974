#!/usr/bin/env python3
# labels: server slow
"""Sends hostile requests: `benzer serve` refuses each with a sentence, and goes on.

A table of rows (name, bytes, what is expected) is sent six times or more over raw sockets; with BENZER_SANITIZED only once, since
sanitizers keep freed memory. After every row the server answers GET /healthz on a new connection. In the end its memory has not
grown, nothing outside its folder was touched, and the indexes are the same as before. The program is BENZER or the release build.
Prints "N passed, N failed".
"""
from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from serve_hostile_rows import GET, Row, bulk, framing, head, heads, picture, pipelines, post, routes_of, send
from serve_test_util import Said, Server, faults_of_problem, make_keys, scratch, shown, talk

SECRET = "what stands outside the folder of the server"
OUTSIDE = "../outside/picture.png"
# The first rounds warm up: threads fill their caches, and tables of the indexes are doubled. That takes four rounds, or up to nine,
# depending on which worker gets which request. So rounds are added until two in a row add no memory. A leak of 2 KiB a row (the
# buffer of a connection is 64 KiB) is 5 MiB in two rounds of 1,375 rows.
ROUNDS, MOST_ROUNDS = (1, 1) if "BENZER_SANITIZED" in os.environ else (6, 14)
MOST_GROWTH = 4 << 20
STRICT = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}


# --- paths ----------------------------------------------------------------------------------------

def paths() -> Iterator[Row]:
    for target in ("//healthz", "/healthz/", "/./healthz", "/v1/../healthz", "/healthz/..", "/%2e/healthz", "/v1/%2e%2e/healthz", "/..;/healthz",
                   "/v1/..;/healthz", "/healthz;a=b", "/%2Fhealthz", "/healthz%2F", "/v1%2Findexes", "/v1//indexes", "/v1/indexes/",
                   "/v1\\indexes", "/%5Chealthz", "/%2568ealthz", "/HEALTHZ", "/healthz.json", "/v1/indexes/c/", "/v1/indexes/c//stats",
                   "/v1/indexes/..%2Fc", "/v1/indexes/%2e%2e", "/v1/indexes/..", "/v1/indexes/%2E%2E%2F%2E%2E%2Fetc%2Fpasswd",
                   "/v1/indexes/c%2Fstats", "/v1/indexes/c%5Cstats", "/v1/indexes/%c0%ae%c0%ae", "/v1/indexes/%ff%fe",
                   "/v1/indexes/%ed%a0%80", "/v1/indexes/c%0d%0aSet-Cookie:%20a", "/v1/indexes/c%20", "/v1/indexes/c%2500",
                   "/v1/indexes/.removed-c-1-1", "/v1/indexes/BENZER", "/v1/indexes/" + "a" * 65, "/v1/indexes/" + "%61" * 2000,
                   "/v1/indexes/c/documents/" + "%41" * 2000, "/v1/indexes/c/documents/%2e%2e%2f%2e%2e%2fBENZER", "/.git/config",
                   "/ui/../../../../etc/passwd", "/ui/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/ui/..%2f..%2f..%2fetc%2fpasswd", "/ui//etc/passwd",
                   "/ui/..\\..\\etc\\passwd", "/ui/%252e%252e/etc/passwd", "/ui/%c0%ae%c0%ae/etc/passwd", "/ui/.%00./x", "/etc/passwd", "/v1", "/" * 4000,
                   "/v1/tasks/..%2F..%2Fx", "/v1/tasks/18446744073709551616", "/v1/tasks/-1", "/v1/tasks/1%20", "/v1/indexes/c/decisions/..%2Fx",
                   "/v1/indexes/c/decisions/-1", "/v1/tasks/" + "9" * 4000, "/v1/tasks/x/report?format=..%2Fx", "/\u200b".encode().decode("latin-1")):
        yield f"GET {target[:80]}", head("GET", target.encode("latin-1")), "400|404"
    for target in ("/%00", "/healthz%00", "/v1/indexes/c%00", "/v1/indexes/%00", "/%", "/%4", "/%zz", "/%u0041", "/%-1", "/%+1",
                   "/v1/indexes?a=%", "/v1/indexes?a=%zz", "/v1/indexes?a=%00", "/v1/indexes?a=1&a=2",
                   "/v1/indexes?%61=1&a=2", "/v1/indexes?a&a"):
        yield f"GET {target}", head("GET", target), "400"
    yield "a query of 2,000 parameters", head("GET", "/v1/indexes?" + "&".join(f"a{i}" for i in range(2000))), "200|400|414|431"
    yield "a query of nothing but signs", head("GET", "/v1/indexes?&&=&==&?&#?"), "200|400|422"
    yield "a query of Latin-1", head("GET", b"/v1/indexes?\xff=\xfe"), "200|400|422"
    for name in ("..", ".", "a.b", ".a", "a%2Fb", "a%20b", "a%5Cb", "%2e%2e", "..%2Foutside", "%2Ftmp%2Fx", "a%0Ab", "%C3%A4", "%ff", "a" * 65, ".removed-a",
                 "a:b", "a%7Cb", "%2E", "a%00", "~", "a*", "$HOME", "a%22b"):
        yield f"PUT of an index {name[:30]}", send("PUT", f"/v1/indexes/{name}", {}), "400|422"
        yield f"DELETE of an index {name[:30]}", head("DELETE", f"/v1/indexes/{name}?confirm={name}"), "400|404|422"
    for query in ("", "?confirm=", "?confirm=C", "?confirm=c+", "?confirm=c%20", "?confirm=*", "?confirm=c&confirm=c", "?confirm[]=c", "?confirm=true",
                  "?Confirm=c", "?confirm=c%00"):
        yield f"DELETE c{query}", head("DELETE", "/v1/indexes/c" + query), "400|422"
    yield "PUT where a file is", send("PUT", "/v1/indexes/taken", {}), "409"
    yield "PUT of an id in bytes", send("PUT", "/v1/indexes/c/documents/%ff%fe", {"text": "a"}), "400|422"
    yield "PUT of an id that is overlong", send("PUT", "/v1/indexes/c/documents/%c0%af", {"text": "a"}), "400|422"
    yield "PUT of an id with NUL", send("PUT", "/v1/indexes/c/documents/a%00b", {"text": "a"}), "400|422"
    yield "PUT of an empty id", send("PUT", "/v1/indexes/c/documents/", {"text": "a"}), "404|405|422"
    yield "PUT of an id that looks like a path", send("PUT", "/v1/indexes/c/documents/..%2F..%2Fx", {"text": "a"}), "200|201"
    yield "PUT of an id of signs", send("PUT", "/v1/indexes/c/documents/%3Cscript%3E%22%27%0A%1B", {"text": "a"}), "200|201"


# --- JSON -----------------------------------------------------------------------------------------

def jsons() -> Iterator[Row]:
    nested = {"lists": lambda n: "[" * n + "]" * n, "objects": lambda n: '{"a":' * n + "1" + "}" * n, "open lists": lambda n: "[" * n,
              "open objects": lambda n: '{"a":' * n}
    for name, text in {
            "nothing but a blank": " ", "a list": "[]", "null": "null", "true": "true", "a number": "5", "a string": '"a"', "two objects": "{}{}",
            "trailing text": "{} x", "trailing comma": '{"text":"a",}', "a trailing NUL": "{}\0", "single quotes": "{'text':'a'}", "a comment": '{/**/"text":"a"}',
            "no quotes": '{text:"a"}', "half": '{"text":', "half a string": '{"text":"a', "a tab in a string": '{"text":"a\tb"}', "NUL in a string": '{"text":"a\0b"}',
            "a BOM": '\ufeff{"text":"a"}', "half an escape": r'{"text":"\u00"}', "an unknown escape": r'{"text":"\x41"}',
            "NaN": '{"text":"a","threshold":NaN}', "Infinity": '{"text":"a","threshold":Infinity}', "-Infinity": '{"text":"a","threshold":-Infinity}',
            "a number with a plus": '{"text":"a","limit":+5}', "a number with a zero": '{"text":"a","limit":05}', "hex": '{"text":"a","limit":0x5}',
            "a number without digits": '{"text":"a","limit":5.}', "a number without an end": '{"text":"a","limit":5e}', "a point in front": '{"text":"a","limit":.5}',
            "a form": "text=a&limit=5", "XML": "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>", "1,000,000 commas": "," * 1_000_000,
            "1,000,000 blanks": " " * 1_000_000, "1,000,000 quotes": '"' * 1_000_000, "1,000,000 backslashes": '{"' + "\\" * 999_999 + '":1}'}.items():
        yield f"JSON: {name}", post("similar", text), "400"
    for name, text in {"a lone surrogate": r"\ud800", "two low surrogates": r"\udc00\udc00", "half a pair": r"\ud83d\u0041"}.items():
        yield f"JSON: {name} in a text", post("similar", f'{{"text":"{text}"}}'), "200"
        yield f"JSON: {name} in an id", post("similar", f'{{"id":"{text}"}}'), "422"
        yield f"JSON: {name} in ids", post("documents/delete", f'{{"ids":["a","{text}"]}}'), "422"
        yield f"JSON: {name} in a name", post("similar", f'{{"text":"a","{text}":1}}'), "422"
    for name, data in {"UTF-16": '{"text":"a"}'.encode("utf-16"), "UTF-32": '{"text":"a"}'.encode("utf-32"), "bytes": b'{"text":"\xff\xfe"}',
                       "overlong UTF-8": b'{"text":"\xc0\xaf"}', "surrogates in UTF-8": b'{"text":"\xed\xa0\x80"}', "half a character": b'{"text":"\xe2\x82"}',
                       "beyond Unicode": b'{"text":"\xf4\x90\x80\x80"}', "bytes in a name": b'{"\xff":1}', "gzip": bytes.fromhex("1f8b0800000000000003") + bytes(50)}.items():
        yield f"JSON in {name}", post("similar", data), "400"
        yield f"document in {name}", send("PUT", "/v1/indexes/c/documents/x", data), "400|422"
        yield f"line in {name}", bulk(data.replace(b"{", b'{"id":"x",', 1)), "207|400|422"
    for levels in (65, 1000, 10_000, 100_000):
        for name, make in nested.items():
            yield f"JSON of {levels} {name}", post("similar", make(levels)), "400|422"
            yield f"JSON with {levels} {name}", post("similar", '{"document":' + make(levels) + "}"), "400|422"
            yield f"document with {levels} {name}", send("PUT", "/v1/indexes/c/documents/x", '{"text":' + make(levels) + "}"), "400|422"
            yield f"line with {levels} {name}", bulk('{"id":"x","text":' + make(levels) + "}"), "207|400|422"
    for number in ("1e999", "-1e999", "1e-999", "18446744073709551616", "-9223372036854775809", "9" * 100_000, "0." + "0" * 100_000 + "1", "1e" + "9" * 1000):
        yield f"number {number[:20]} ({len(number)})", post("similar", f'{{"text":"a","limit":{number}}}'), "400|422"
        yield f"number {number[:20]} ({len(number)}) in a document", send("PUT", "/v1/indexes/c/documents/x", f'{{"text":{number}}}'), "400|422"
    yield "a list of 500,000 numbers", post("similar", "[" + "1," * 499_999 + "1]"), "400"
    yield "a list of 10,001 documents", post("similar/batch", {"documents": [{}] * 10_001}), "413|422"
    yield "a list of 1,000,000 ids", post("documents/delete", {"ids": [""] * 1_000_000}), "413|422"
    yield "1,000,001 lines", bulk("\n" * 1_000_001), "413|422"
    yield "10,000 lines of nothing good", bulk("{}\n" * 10_000), "207|422"
    yield "300,000 lines of nothing", bulk("\n" * 300_000), "200|422"
    yield "a line of 1,000,000 letters", bulk('{"id":"x","text":"' + "a" * 1_000_000 + '"}'), "200|207"
    yield "a string of 1,000,000 letters", post("similar", {"id": "a" * 1_000_000}), "404|413|422"
    yield "a name of 1,000,000 letters", post("similar", {"a" * 1_000_000: 1}), "400|422"
    yield "100,000 members", post("similar", {f"a{i}": 1 for i in range(100_000)}), "400|413|422"
    yield "a member twice", post("similar", '{"text":"a","text":"b"}'), "400|422"
    yield "a member twice, escaped", post("similar", '{"text":"a","\\u0074ext":"b"}'), "400|422"
    yield "a member of control characters", post("similar", r'{"text":"a","\u0000\u001b[31m\n":1}'), "422"
    yield "a member of 59 bytes and a half", post("similar", {"text": "a", "aä" * 30: 1}), "422"
    yield "an empty member", post("similar", {"text": "a", "": 1}), "422"
    yield "__proto__", post("similar", {"text": "a", "__proto__": {"limit": 5}}), "422"
    for kind in ("", "text/plain", "application/x-www-form-urlencoded", "application/x-ndjson", "application/jsonx", "json", "application/json,text/plain",
                 "multipart/form-data; boundary=a", "application/json/x", ";application/json", "a" * 4000):
        yield f"JSON as {kind[:40]!r}", send("POST", "/v1/indexes/c/similar", {"text": "a"}, kind), "400|415"
        if kind != "application/x-ndjson":
            yield f"lines as {kind[:40]!r}", send("POST", "/v1/indexes/c/documents", "{}", kind), "400|415"
    yield "JSON encoded by gzip", send("POST", "/v1/plan", b"{}", "application/json", "Content-Encoding: gzip"), "200|400|415"
    for size, status in ((0, "404|422"), (65_535, "404|422"), (65_536, "404|422")):
        yield f"a search for an id of {size}", post("similar", {"id": "a" * size}), status
        yield f"a document of an id of {size}", post("check-and-add", {"document": {"id": "b" * size, "text": "a"}}), "200|201" if size == 65_535 else "422"
        yield f"a line of an id of {size}", bulk(json.dumps({"id": "c" * size, "text": "b"})), "200" if size == 65_535 else "207|422"
    yield "a document of another id than its path", send("PUT", "/v1/indexes/c/documents/x", {"id": "y", "text": "a"}), "422"
    yield "a threshold of 100,000 digits", post("similar", {"text": "a", "threshold": "0." + "8" * 100_000}), "422"
    yield "a threshold of 0.00001", post("similar", {"text": "a", "threshold": 0.00001, "allow_low_recall": True}), "200"
    yield "a threshold below what was planned", post("similar", {"text": "a", "threshold": 0.1}), "422"
    yield "two questions", post("similar", {"text": "a", "id": "x"}), "422"
    yield "no question", post("similar", {}), "422"
    yield "10,000 questions for 1,000 answers each", post("similar/batch", {"documents": [{"text": "same"}] * 10_000, "limit": 1000}), "413|422"


# --- members --------------------------------------------------------------------------------------

WRONG = {
    "id": (True, [], {}), "ids": ("x", 5, {}, True, [None], [[]], ["a", True]), "text": (5, True, [], {}, 1.5), "flag": ("true", 0, 1, [], {}), "object": ("x", 5, True, [], [{}]), "list": ("x", 5, {}, True, [5], ["x"], [None]),
    "texts": ("x", 5, {}, True, [5], [None], [[]], ["a", 5]), "whole": ("5", -1, 1.5, True, [], {}, 1e30, 2**63, 2**64 - 1, 0),
    "real": ("0.5", True, [], {}, -1, 0, 1, 2), "share": ("0.5", True, [], {}, -1, -0.001, 1.001, 2, 1e300), "rule": (5, "", "MEAN", "mean ", [], "sum"),
    "threshold": (True, [], {}, -1, 0, -0.0, 1.0000001, 2, 1e300, "", "abc", "NaN", "nan", "inf", "-1", "0", "-0", "+0.8", " 0.8", "0.8 ", "0,8", "0x1p-1", "1e-400",
                  "1e-1", "0.8f", "8/10", "\u0660.\u0668", "0.123456789012345678", "0.8\0", "1.00000000000000000001")}
ASKED = {"threshold": "threshold", "score": "rule", "limit": "whole", "allow_low_recall": "flag"}
CHANGED = {"members": "ids", "keeper": "id", "not_duplicates": "flag", "note": "text"}
# For each route: its members with their kinds, and a body that is valid apart from them.
MEMBERS = {
    "POST /v1/indexes/c/similar": ({"id": "id", "text": "text", "document": "object", "exact": "flag", "explain": "flag", "floor": "threshold",
                                        "with_documents": "flag", **ASKED}, {"text": "a"}),
    "POST /v1/indexes/c/similar/batch": ({"documents": "list", "floor": "threshold", "exact": "flag", "explain": "flag", "with_documents": "flag", **ASKED}, {"documents": [{"text": "a"}]}),
    "POST /v1/indexes/c/passages": ({"id": "id", "text": "text", "document": "object", "min_words": "whole", "limit": "whole", "where": "texts", "places": "flag"}, {"text": "a"}),
    "POST /v1/indexes/c/check-and-add": ({"document": "object", **ASKED}, {"document": {"id": "x", "text": "a"}}),
    "POST /v1/indexes/c/documents/delete": ({"ids": "ids"}, {}),
    "POST /v1/indexes/c/documents/get": ({"id": "id"}, {}),
    "POST /v1/indexes/c/documents/list": ({"limit": "whole", "after": "id"}, {}),
    "POST /v1/indexes/c/pairs": (ASKED, {}),
    "POST /v1/indexes/c/clusters": ({**ASKED, "sort": "rule", "ignore_decisions": "flag"}, {}),
    "POST /v1/plan": ({"threshold": "threshold", "recall": "real", "slots": "whole"}, {}),
    "PUT /v1/indexes/new": ({"schema": "text", "fields": "texts", "measure": "text", "sketch": "text", "bands": "text", "min_threshold": "threshold", "recall": "threshold",
                                 "keep_documents": "flag"}, {}),
    "POST /v1/indexes/c/compare": ({"a": "object", "b": "object", "threshold": "threshold"}, {"a": {"text": "a"}, "b": {"text": "b"}}),
    "POST /v1/indexes/c/dedup": ({"threshold": "threshold", "score": "rule", "remove": "flag", "allow_low_recall": "flag", "largest_cluster": "share", "largest_loss": "share"}, {}),
    "POST /v1/indexes/c/decisions": (CHANGED, {"members": ["x", "y"]}),
    "PUT /v1/indexes/c/documents/x": ({"text": "text"}, {}),
}


def members(missing: set[str]) -> Iterator[Row]:
    for route, (known, rest) in MEMBERS.items():
        if route in missing:
            continue
        method, target = route.split()
        for name, kind in known.items():
            for value in WRONG[kind]:
                alone = name in ("id", "document", "schema") and "document" not in rest
                body = {**({} if alone else rest), name: value}
                yield f"{route} {json.dumps(body)[:100]}", send(method, target, body), "400|422"
        if "documents/x" not in route:  # a document may have further members
            yield f"{route} with another member", send(method, target, {**rest, "nobody_knows": 1}), "422"
        yield f"{route} with a list", send(method, target, []), "400|422"
    for spelling in ("", "zzz", "text", "text=", "=text:word5", "text=text:word0", "text=text:word33", "text=values+html", "text=text:word5;w=0", "text=text:word5;w=-1",
                     "text=text:word5;w=1e9", "text=text:word5+drop-common:0.1", "text=text:word5+tf-idf", "a\nb=text:word5;w=x", "p=image:sift+words:/etc/passwd", f"p=image:sift+words:{OUTSIDE}",
                     "p=image:near", "text=text:word5;text=text:word5", "t=" + "text:word5" * 5000, "a" * 256 + "=text:word5", "id=text:word5"):
        yield f"field {spelling[:60]!r}", send("PUT", "/v1/indexes/new", {"fields": [spelling]}), "422"
        yield f"schema {spelling[:60]!r}", send("PUT", "/v1/indexes/new", {"schema": spelling}), "422"
    for body in ({"fields": []}, {"fields": ["a=text:word5"] * 2}, {"fields": [f"f{i}=text:word5" for i in range(65)]}, {"schema": "text=text:word5", "sketch": "fss:64"},
                 {"sketch": "fss:0"}, {"sketch": "kperm:4097"}, {"sketch": "fss:99999999999999999999"}, {"sketch": "fss:-1"}, {"sketch": "sha1"}, {"bands": "0x0"},
                 {"bands": "16"}, {"bands": "4096x4096"}, {"bands": "-1x6"}, {"bands": "16x6x2"}, {"bands": "99999999999x1"}, {"recall": 1}, {"min_threshold": "0.0000001"}):
        yield f"index {json.dumps(body)[:80]}", send("PUT", "/v1/indexes/new", body), "422"


def pictures(outside: Path) -> Iterator[Row]:
    named = (str(outside), OUTSIDE, "file://" + str(outside), "picture.png", "/etc/passwd", "http://localhost/picture.png", "//localhost/x", "\\\\localhost\\x", "-", "~/x",
             "/dev/zero", "/proc/self/environ")
    urls = {"nothing": "", "data:": "data:", "no base64": "data:image/png,abc", "bad base64": "data:image/png;base64,!!!!", "half base64": "data:image/png;base64,AAA",
            "no picture": "data:image/png;base64,AAAA", "an SVG": "data:image/svg+xml;base64,PHN2Zy8+", "text": "data:text/plain;base64,AAAA",
            "blanks in base64": "data:image/png;base64, AAAA", "60,000 x 60,000": picture(60_000, 60_000), "2^31-1 x 2^31-1": picture(2**31 - 1, 2**31 - 1),
            "2^32-1 x 1": picture(2**32 - 1, 1), "0 x 0": picture(0, 0), "1 x 60,000,000": picture(1, 60_000_000), "8,000 x 8,000 and no data": picture(8000, 8000, b"x"),
            "64 x 64 and no data": picture(64, 64, b"x"), "half a head": picture(8, 8)[:60], "a URL in a URL": "data:data:image/png;base64,AAAA"}
    for value in named:
        for name, data in {"PUT": send("PUT", "/v1/indexes/p/documents/x", {"p": value}), "similar": send("POST", "/v1/indexes/p/similar", {"document": {"p": value}}),
                           "check": send("POST", "/v1/indexes/p/check-and-add", {"document": {"id": "x", "p": value}})}.items():
            yield f"{name} of a picture that is {value!r}", data, "400|422"
        line = json.dumps({"id": "x", "p": value})
        yield f"line of a picture that is {value!r}", send("POST", "/v1/indexes/p/documents", line, "application/x-ndjson"), "207|400|422"
    for name, url in urls.items():
        yield f"PUT of a picture of {name}", send("PUT", "/v1/indexes/p/documents/x", {"p": url}), "400|413|422"
        yield f"similar to a picture of {name}", send("POST", "/v1/indexes/p/similar", {"document": {"p": url}}), "400|413|422"
    for value in (5, True, [], {}, ["data:image/png;base64,AAAA"]):
        yield f"PUT of a picture that is {value!r}", send("PUT", "/v1/indexes/p/documents/x", {"p": value}), "400|422"


# --- keys -----------------------------------------------------------------------------------------

def keys_rows(routes: list[tuple[str, str, str]], keys: dict[str, str], lines: list[str], missing: set[str]) -> Iterator[Row]:
    smaller = {"read": [], "write": ["read"], "admin": ["read", "write"]}
    for method, path, scope in routes:
        target = plain(path)
        body = method in ("POST", "PUT")

        def asked(*headers: str, method=method, target=target, body=body) -> bytes:
            return send(method, target, {}, "application/json", *headers) if body else head(method, target, *headers)
        if scope == "none":
            yield f"{method} {path} without a key", asked(), "200|303|404" if path.startswith("/ui/") else "200|401"
            continue
        name = f"{method} {path}"
        yield f"{name} without a key", asked(), "401"
        yield f"{name} with a wrong key", asked("Authorization: Bearer bz_" + "0" * 48), "401"
        yield f"{name} with the hash of a key", asked(f"Authorization: Bearer {lines[2].split()[1]}"), "401"
        for small in smaller[scope]:
            yield f"{name} with a key to {small}", asked(f"Authorization: Bearer {keys[small]}"), "404" if f"{method} {target}" in missing else "403"
    good = keys["admin"]
    for text in ("", "Bearer", "Bearer ", f"Basic {good}", "Basic dXNlcjpwYXNz", f"{good}", f"Bearer{good}", f"Bearer {good[:-1]}", f"Bearer {good}0", f"Bearer {good.upper()}",
                 f"Bearer {good} x", f"Bearer {good},Bearer x", f"Bearer x,{good}", f"Bearer \"{good}\"", f"Token {good}", f"Digest {good}", f"Bearer Bearer {good}", "Bearer *",
                 "Bearer null", "Bearer " + "a" * 7000, f"Bearer {lines[2]}", "Bearer admin", f"Bearer={good}", f"Bearer {good}\xa0"):
        yield f"Authorization: {text[:40]!r}", head("GET", "/v1/limits", f"Authorization: {text}"), "400|401"
    yield "Authorization of 10 KB", head("GET", "/v1/limits", "Authorization: Bearer " + "a" * 10_000), "431"
    yield "Authorization with NUL", head("GET", "/v1/limits", f"Authorization: Bearer {good}\0"), "400|401"
    yield "Authorization, good and bad", head("GET", "/v1/limits", f"Authorization: Bearer {good}", "Authorization: Bearer x"), "400|401"
    yield "Authorization, bad and good", head("GET", "/v1/limits", "Authorization: Bearer x", f"Authorization: Bearer {good}"), "400|401"
    yield "Authorization, twice the same", head("GET", "/v1/limits", *[f"Authorization: Bearer {good}"] * 2), "200|400|401"
    yield "Authorization in small letters", head("GET", "/v1/limits", f"authorization: bearer {good}"), "200"
    yield "Authorization of a proxy", head("GET", "/v1/limits", f"Proxy-Authorization: Bearer {good}"), "401"
    yield "a key in the query", head("GET", f"/v1/limits?access_token={good}&key={good}"), "400|401"
    yield "a key in a cookie", head("GET", "/v1/limits", f"Cookie: key={good}; Authorization=Bearer {good}"), "401"
    yield "a key in a trailer", head("POST", "/v1/plan", "Transfer-Encoding: chunked") + f"0\r\nAuthorization: Bearer {good}\r\n\r\n".encode(), "401"
    yield "a key in the body", send("POST", "/v1/plan", {"key": good}), "401"
    yield "a key for another method by a header", head("GET", "/v1/indexes/c", f"Authorization: Bearer {keys['read']}", "X-HTTP-Method-Override: DELETE"), "200"
    yield "a path that is not there, without a key", head("GET", "/v1/nothing"), "401"
    yield "a method that is not there, without a key", head("PATCH", "/v1/limits"), "401|501"
    yield "one in the body of 401", send("POST", "/v1/plan", GET) + GET, "401 200|closed"


# --- the table is sent ----------------------------------------------------------------------------

def faults(row: Row, said: Said) -> Iterator[str]:
    name, data, expected = row
    if said.wrong:
        yield f"the answer is none: {said.wrong}"
    if said.end == "nothing" or said.end == "reset" and not said.answers:
        yield f"{'the connection stays open' if said.end == 'nothing' else 'the connection is reset'}"
    wanted = [part.split("|") for part in expected.split()]
    got = [str(answer.status) for answer in said.answers]
    missing = wanted[len(got):]
    if len(got) > len(wanted) or any(status not in part for status, part in zip(got, wanted)) or any("closed" not in part for part in missing):
        yield f"expected is {expected[:40]}, not {' '.join(got) or 'no answer'}"
    for answer in said.answers:
        if answer.status >= 400:
            yield from faults_of_problem(answer, not data.startswith(b"HEAD"))
        if SECRET.encode() in answer.body:
            yield "it shows what is outside its folder"


def send_all(server: Server, rows: Iterable[Row]) -> dict[str, str]:
    """Sends all rows, and returns the faults by the name of the row."""
    failures = {}
    for row in rows:
        name, data, _ = row
        try:
            said = talk(server, data, heads=data.startswith(b"HEAD"))
            wrong = list(faults(row, said))
        except OSError as error:
            said, wrong = Said(b"", "nothing"), [f"no connection: {error}"]
        if dead := server.healthy():
            wrong.append(dead)
        if wrong:
            failures[name] = f"{name}: {'; '.join(wrong)}\n    sent {shown(data)}\n    got {shown(said.data)}, then {said.end}"
        if not server.is_alive:
            break
    return failures


def files_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in folder.rglob("*")}


def missing_routes(server: Server, names: Iterable[str], key: str | None = None) -> set[str]:
    """Returns the routes that this server does not have."""
    out = set()
    for name in names:
        method, target = name.split()
        answer = server.client(key).ask(method, target, b"x", headers={"Content-Type": "text/x"})
        if answer.code == "no_such_route":
            out.add(name)
    return out


def prepare(folder: Path) -> Path:
    """Makes a root with a file where an index could be, next to a folder that the server must not read."""
    root, outside = folder / "root", folder / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "taken").write_text("no index")
    (outside / "picture.png").write_text(SECRET)
    return root


def fill(server: Server, key: str | None = None) -> None:
    client = server.client(key)
    client.expect(201, "PUT", "/v1/indexes/c", {})
    client.expect(201, "PUT", "/v1/indexes/p", {"fields": ["p=image:pdq"]})
    client.expect(200, "POST", "/v1/indexes/c/documents", "".join(f'{{"id":"same{i}","text":"same"}}\n' for i in range(20)))


def names_of(server: Server, key: str | None = None) -> set[str]:
    return {one["name"] for one in server.client(key).expect(200, "GET", "/v1/indexes").json["indexes"]}


def test_rows(folder: Path, root: Path, failures: dict[str, str]) -> tuple[int, list[int]]:
    """Returns the number of rows, and the memory after each round."""
    with Server(root, cwd=folder / "outside", env=STRICT) as server:
        fill(server)
        missing = missing_routes(server, MEMBERS)
        rows = [*framing(), *heads(), *pipelines(), *paths(), *jsons(), *members(missing), *pictures(folder / "outside" / "picture.png")]
        if len(names := {name for name, _, _ in rows}) != len(rows):
            failures["names"] = f"{len(rows) - len(names)} rows have the name of another"
        memory = []
        while len(memory) < ROUNDS or len(memory) < MOST_ROUNDS and memory[-1] - memory[-3] > MOST_GROWTH:
            failures |= {name: text for name, text in send_all(server, rows).items() if name not in failures}
            if not server.is_alive:
                return len(rows), memory
            memory.append(server.rss())
        if len(memory) >= 3 and memory[-1] - memory[-3] > MOST_GROWTH:
            failures["memory"] = f"the last two rounds of {len(rows)} rows took {memory[-1] - memory[-3]:,} bytes; {MOST_GROWTH:,} are allowed"
        if names_of(server) != {"c", "p"}:
            failures["indexes"] = f"there are the indexes {sorted(names_of(server))}, and c and p were made"
        if strange := [name for name in server.files() if not name.startswith((str(root), "/dev/", "/proc/", "/memfd:"))]:
            failures["open files"] = f"the server has open {strange}"
        if server.stop() != 0:
            failures["end"] = f"the server ended with {server.process.returncode}: {''.join(server.said)[-2000:]}"
    return len(rows), memory


def plain(name: str) -> str:
    """A route with values in place of its parameters."""
    return re.sub(r"\{[^}]*\}", "1", name.replace("{c}", "c").replace("{name}", "c").replace("{index}", "c"))


def test_keys(folder: Path, root: Path, failures: dict[str, str]) -> int:
    key_file, keys = make_keys(folder)
    with Server(root, keys=key_file, cwd=folder / "outside") as server:
        client = server.client(keys["admin"])
        before = names_of(server, keys["admin"])
        routes = routes_of(client)
        missing = missing_routes(server, [plain(f"{method} {path}") for method, path, _ in routes], keys["admin"])
        lines = [line for line in key_file.read_text().splitlines() if line and not line.startswith("#")]
        rows = list(keys_rows(routes, keys, lines, missing))
        failures |= send_all(server, rows)
        if names_of(server, keys["admin"]) != before:
            failures["keys"] = "a request without the right key changed the indexes"
    return len(rows)


def main() -> int:
    started = time.monotonic()
    folder = scratch("serve-hostile")
    root = prepare(folder)
    before = files_of(folder / "outside")
    failures: dict[str, str] = {}
    count, memory = test_rows(folder, root, failures)
    count += test_keys(folder, root, failures)
    if files_of(folder / "outside") != before:
        failures["outside"] = f"outside of the folder of the server there is {files_of(folder / 'outside')}, and was {before}"
    if extra := {path.name for path in folder.iterdir()} - {"root", "outside", "keys"}:
        failures["beside"] = f"beside the folder of the server there is {sorted(extra)}"
    for text in failures.values():
        print(f"FAILED: {text}")
    print(f"{count} rows in {time.monotonic() - started:.1f} s; memory after each round {', '.join(f'{size:,}' for size in memory)}")
    print(f"{max(0, count - len(failures))} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
