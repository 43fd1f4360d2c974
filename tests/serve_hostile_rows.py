"""Makes the rows of serve_hostile_test.py that are about bytes (framing, heads, trailing data), and lists the routes.

A row is a name, the bytes, and the statuses of the answers in order: "200|400 closed" is one answer, 200 or 400, and then none.
"""
from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator

from serve_test_util import Client, png

Row = tuple[str, bytes, str]
BODY = 8 << 20  # bytes that a body may have; serve_test.py checks that this is the limit


# --- how requests are spelled ---------------------------------------------------------------------

def head(method: str | bytes, target: str | bytes, *lines: str | bytes, version: str = "HTTP/1.1", host: bool = True) -> bytes:
    first = b" ".join(part if isinstance(part, bytes) else part.encode() for part in (method, target, version))
    rest = [line if isinstance(line, bytes) else line.encode("latin-1") for line in lines]
    return b"\r\n".join([first, *([b"Host: localhost"] if host else []), *rest, b"", b""])


def send(method: str, target: str | bytes, body: object = b"", kind: str = "application/json", *lines: str) -> bytes:
    """Makes a request with a body: bytes and str unchanged, anything else as JSON."""
    if not isinstance(body, (bytes, str)):
        body = json.dumps(body)
    body = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
    return head(method, target, f"Content-Type: {kind}", f"Content-Length: {len(body)}", *lines) + body


def post(what: str, body: object, *lines: str) -> bytes:
    return send("POST", f"/v1/indexes/c/{what}", body, "application/json", *lines)


def plan(*lines: str | bytes, body: bytes = b"{}", version: str = "HTTP/1.1", host: bool = True) -> bytes:
    return head("POST", "/v1/plan", "Content-Type: application/json", *lines, version=version, host=host) + body


def chunked(body: bytes, *lines: str) -> bytes:
    return plan("Transfer-Encoding: chunked", *lines, body=body)


def bulk(body: str | bytes) -> bytes:
    return send("POST", "/v1/indexes/c/documents", body, "application/x-ndjson")


def picture(width: int, height: int, data: bytes = b"") -> str:
    return "data:image/png;base64," + base64.b64encode(png(width, height, data or zlib.compress(bytes(10**6), 9), colours=2)).decode()


GET = head("GET", "/healthz")
LAST = b"2\r\n{}\r\n0\r\n\r\n"


# --- framing --------------------------------------------------------------------------------------

def framing() -> Iterator[Row]:
    yield "length twice, the same", plan("Content-Length: 2", "Content-Length: 2"), "400"
    yield "length twice, another", plan("Content-Length: 2", "Content-Length: 3", body=b"{} "), "400"
    yield "length in a list, the same", plan("Content-Length: 2, 2"), "400"
    yield "length in a list, another", plan("Content-Length: 2, 3", body=b"{} "), "400"
    for text in ("-2", "+2", "0x2", "2.0", "2 2", "", "2;", "2,", ",2", "two", "1e1", "2\x0b", "\xb2", "'2'", "9" * 25, "9" * 4000,
                 "18446744073709551616", "18446744073709551618"):
        yield f"length {text[:30]!r}", plan(f"Content-Length: {text}"), "400|413"
    yield "length 2^64-1", plan("Content-Length: 18446744073709551615"), "400|413"
    yield "length 2^63", plan("Content-Length: 9223372036854775808"), "400|413"
    yield "length with blanks around", plan("Content-Length: \t 2 \t "), "200|400"
    yield "length with zeros in front", plan("Content-Length: 0000000002"), "200|400"
    yield "length above the limit", plan(f"Content-Length: {BODY + 1}"), "413"
    yield "length of a bulk above the limit", head("POST", "/v1/indexes/c/documents", "Content-Type: application/x-ndjson",
                                                   f"Content-Length: {1 << 45}"), "413"
    yield "length longer than the body", plan("Content-Length: 20"), "400|408|closed"
    yield "coding behind length", plan("Content-Length: 2", "Transfer-Encoding: chunked", body=LAST + GET), "400"
    yield "coding before length", plan("Transfer-Encoding: chunked", "Content-Length: 2", body=LAST + GET), "400"
    yield "coding with length 0", plan("Content-Length: 0", "Transfer-Encoding: chunked", body=LAST + GET), "400"
    for text in ("xchunked", "chunkedx", "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "chunked;q=1",
                 '"chunked"', "", ",chunked", "chunked,", "chunke", "chun ked", "\x0bchunked", "chunked\x00", "identity, chunked", "\xa0chunked"):
        yield f"coding {text!r}", plan(f"Transfer-Encoding: {text}", body=LAST), "200|400|501" if text.strip(",") == "chunked" else "400|501"
    yield "coding twice", plan("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=LAST), "400|501"
    yield "coding and another", plan("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=LAST), "400|501"
    yield "coding with capitals", plan("TRANSFER-ENCODING: Chunked", body=LAST), "200"
    yield "coding with tabs", plan("Transfer-Encoding:\tchunked\t", body=LAST), "200|400|501"
    yield "coding with a blank before the colon", plan("Transfer-Encoding : chunked", "Content-Length: 2", body=LAST), "400"
    yield "coding behind a bare LF", plan("A: b\nTransfer-Encoding: chunked", "Content-Length: 2", body=LAST), "400"
    yield "coding behind a bare CR", plan("A: b\rTransfer-Encoding: chunked", "Content-Length: 2", body=LAST), "400"
    yield "coding in a folded line", plan("Transfer-Encoding:", " chunked", body=LAST), "200|400|501"
    yield "length in a folded line", plan("A: b", " Content-Length: 5", "Content-Length: 2"), "200|400"
    yield "coding in 1.0", plan("Transfer-Encoding: chunked", body=LAST, version="HTTP/1.0"), "200|400"
    yield ("coding in 1.0, kept", plan("Connection: keep-alive", "Transfer-Encoding: chunked", body=LAST + GET, version="HTTP/1.0"),
           "200|400")
    for size in ("-2", "+2", "0x2", " 2", "g", "", "2g", "10000000000000002", "8000000000000002", "2\x00", "2\x0b;a", "2.0", "02h"):
        yield f"chunk size {size!r}", chunked(f"{size}\r\n{{}}\r\n0\r\n\r\n".encode()), "400|413"
    yield "chunk size with zeros", chunked(b"0" * 100 + LAST), "200|400"
    yield "chunk size with 100,000 zeros", chunked(b"0" * 100_000 + LAST), "400|413|431"
    for size in ("ffffffffffffffff", "7fffffffffffffff", f"{BODY + 1:x}", "FFFFFFFF"):
        yield f"chunk size {size}", chunked(f"{size}\r\n{{}}\r\n0\r\n\r\n".encode()), "400|413"
    yield "chunk extension", chunked(b'2;a=b;c="d\\"e"\r\n{}\r\n0;x\r\n\r\n'), "200|400"
    yield "chunk extension without an end", chunked(b'2;a="\r\n{}\r\n0\r\n\r\n'), "200|400|closed"
    yield "chunk extension with LF", chunked(b"2;a\nb\r\n{}\r\n0\r\n\r\n"), "400"
    yield "chunk extension with CR", chunked(b"2;a\rb\r\n{}\r\n0\r\n\r\n"), "400"
    yield "chunk extension of 200,000 bytes", chunked(b"2;a=" + b"x" * 200_000 + b"\r\n{}\r\n0\r\n\r\n"), "400|413|431"
    yield "chunk extension of 1,000,000 bytes", chunked(b"2;a=" + b"x" * 1_000_000 + b"\r\n{}\r\n0\r\n\r\n"), "400|413|431"
    yield "chunk without a last one", chunked(b"2\r\n{}\r\n"), "400|408|closed"
    yield "chunk cut in its size", chunked(b"2\r\n{}\r\n1"), "400|408|closed"
    yield "chunk cut in its data", chunked(b"9\r\n{}"), "400|408|closed"
    yield "chunk cut behind the last", chunked(b"2\r\n{}\r\n0\r\n"), "400|408|closed"
    yield "chunk longer than it says", chunked(b"2\r\n{}x\r\n0\r\n\r\n"), "400"
    yield "chunk without an end", chunked(b"2\r\n{}0\r\n\r\n"), "400"
    yield "chunk ends by LF", chunked(b"2\n{}\n0\n\n"), "400|408|closed"
    yield "chunk ends by CR", chunked(b"2\r{}\r0\r\r"), "400|408|closed"
    yield "chunk ends by LF CR", chunked(b"2\n\r{}\n\r0\n\r\n\r"), "400|408|closed"
    yield "chunks of one byte, 2,000", chunked(b"1\r\n \r\n" * 2000 + LAST), "200"
    yield "chunks above the limit", chunked(b"20000\r\n" + b" " * 0x20000 + b"\r\n" + b"%x\r\n" % BODY + b" " * BODY + b"\r\n" + LAST), "413"
    yield "trailer", chunked(b"2\r\n{}\r\n0\r\nA: b\r\n\r\n"), "200|400"
    yield "trailer with a length", chunked(b"2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n" + GET), "200|400 200|closed"
    yield "trailer with a coding", chunked(b"2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"), "200|400"
    yield "trailer with a host", chunked(b"2\r\n{}\r\n0\r\nHost: other\r\n\r\n"), "200|400"
    yield "trailer that is none", chunked(b"2\r\n{}\r\n0\r\nabc\r\n\r\n"), "400"
    yield "trailers, 100,000", chunked(b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 100_000 + b"\r\n"), "400|413|431"
    yield "body behind no length", plan(), "200 400"
    yield "body that is a request", plan("Content-Length: 0", body=GET), "200 200"


def heads() -> Iterator[Row]:
    yield "bare LF", GET.replace(b"\r\n", b"\n"), "200|400|505"
    yield "bare CR", GET.replace(b"\r\n", b"\r"), "400|505|closed"
    yield "LF CR", GET.replace(b"\r\n", b"\n\r"), "400|505|closed"
    for name, line in {
            "CR in a value": b"A: b\rc", "NUL in a value": b"A: b\0c", "LF in a value": b"A: b\nc", "no colon": b"abc", "NUL in a name": b"A\0: b",
            "blank before the colon": b"A : b", "tab before the colon": b"A\t: b", "empty name": b": b",
            "only a colon": b":", "bytes of Latin-1 in a name": b"\xc4: b", "a name in quotes": b'"A": b', "DEL in a value": b"A: b\x7fc",
            "ESC in a value": b"A: \x1b[31m", "a name with brackets": b"A(b): c", "a name with =": b"A=b"}.items():
        yield name, head("GET", "/healthz", line), "400"
    yield "blank in front of the first line", head("GET", "/healthz", " Host: localhost", host=False), "400"
    yield "line that is folded", head("GET", "/healthz", "A: b", " c"), "200|400"
    yield "line that is folded, with a colon", head("GET", "/healthz", "A: b", " : c"), "200|400"
    yield "line that is folded by a tab", head("GET", "/healthz", "A: b", "\tc"), "200|400"
    yield "bytes of Latin-1 in a value", head("GET", "/healthz", b"A: \xe4\xff"), "200|400"
    yield "empty value", head("GET", "/healthz", "A:"), "200"
    yield "100 lines", head("GET", "/healthz", *["A: b"] * 99), "200"
    yield "101 lines", head("GET", "/healthz", *["A: b"] * 100), "431"
    yield "101 lines of other names", head("GET", "/healthz", *[f"A{i}: b" for i in range(100)]), "431"
    yield "2,000 lines", head("GET", "/healthz", *["A:"] * 2000), "431"
    fixed = len(head("GET", "/healthz", "A: "))
    for size, status in ((8192, "200"), (8193, "431"), (8200, "431"), (9000, "431"), (70_000, "431"), (1_000_000, "431")):
        yield f"head of {size} bytes", head("GET", "/healthz", "A: " + "b" * (size - fixed)), status
    yield "target of 8,000 bytes", head("GET", "/" + "a" * 8000), "404|414"
    yield "target of 9,000 bytes", head("GET", "/" + "a" * 9000), "414|431"
    yield "target of 1,000,000 bytes", head("GET", "/" + "a" * 1_000_000), "414|431"
    yield "method of 9,000 bytes", head("A" * 9000, "/"), "400|431|501"
    yield "name of 9,000 bytes", head("GET", "/", "A" * 9000 + ": b"), "431"
    yield "no host", head("GET", "/healthz", host=False), "400"
    yield "two hosts", head("GET", "/healthz", "Host: localhost"), "400"
    yield "two hosts in a list", head("GET", "/healthz", "Host: localhost, other", host=False), "400"
    yield "two hosts in 1.0", head("GET", "/healthz", "Host: other", version="HTTP/1.0"), "400"
    yield "no host in 1.0", head("GET", "/healthz", version="HTTP/1.0", host=False), "200"
    for host in ("a b", "a/b", "a@b", "a?b", "[::1", "localhost:x", "<script>", "a\\b"):
        yield f"host {host!r}", head("GET", "/healthz", f"Host: {host}", host=False), "400|421"
    for version in ("HTTP/0.9", "HTTP/2.0", "HTTP/3.0", "HTTP/9.9", "HTTP/01.1", "HTTP/1.10", "HTTP/1", "HTTP/1.", "HTTP/.1", "http/1.1",
                    "HTTPS/1.1", "HTTP 1.1", "HTTP/1.1 ", "HTTP/1,1", "HTTP/-1.1", "ICAP/1.0", "HTTP/99999999999.1"):
        yield f"version {version!r}", head("GET", "/healthz", version=version), "400|505"
    yield "version 1.2", head("GET", "/healthz", version="HTTP/1.2"), "200|400|505"
    yield "version 0.9 by leaving it out", b"GET /healthz\r\n", "400|closed"
    yield "version 0.9 with an empty line", b"GET /healthz\r\n\r\n", "400"
    yield "preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), "400|505"
    yield "upgrade to h2c", head("GET", "/healthz", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQ"), "200|400"
    yield "upgrade to websocket", head("GET", "/healthz", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"), "200|400"
    for method in ("get", "Get", "BREW", "TRACE", "TRACK", "PROPFIND", "PATCH", "POST", "PUT", "DELETE", "OPTIONS", "G\xc4T", "GET\t", "GET(",
                   "", "\0GET", '"GET"', "M-SEARCH", "__proto__"):
        name, known = f"method {method!r}", method.isascii() and method.replace("-", "").replace("_", "").isalpha()
        yield name, head(method.encode("latin-1"), "/healthz"), "200|204|405|501" if method == "OPTIONS" else "405|501" if known else "400"
    yield "CONNECT", head("CONNECT", "localhost:80"), "400|405|501"
    yield "CONNECT with a path", head("CONNECT", "/healthz"), "400|405|501"
    yield "OPTIONS *", head("OPTIONS", "*"), "200|204|400|404|405|501"
    yield "GET *", head("GET", "*"), "400|404"
    yield "target with a scheme", head("GET", "http://localhost/healthz"), "200"
    yield "target with a scheme and nothing", head("GET", "http://"), "400"
    yield "target with another scheme", head("GET", "ftp://localhost/healthz"), "200|400|421"
    yield "target with another host", head("GET", "http://metadata.example/healthz"), "200|400|421"
    yield "target with a user", head("GET", "http://a:b@localhost/healthz"), "200|400|421"
    yield "target that is a file", head("GET", "file:///etc/passwd"), "400|404|421"
    yield "target without a slash", head("GET", "healthz"), "400"
    yield "target that is an authority", head("GET", "localhost:80"), "400"
    yield "target with a blank", head("GET", "/healthz x"), "400|505"
    yield "target that is empty", b"GET  HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"
    yield "target behind two blanks", b"GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"
    yield "target between tabs", b"GET\t/healthz\tHTTP/1.1\r\nHost: localhost\r\n\r\n", "400"
    yield "target with NUL", head("GET", b"/health\0z"), "400"
    yield "target with CR", head("GET", b"/health\rz"), "400"
    yield "target with ESC", head("GET", b"/\x1b[31m"), "400|404"
    yield "target with a fragment", head("GET", "/healthz#a"), "200|400|404"
    yield "target of Latin-1", head("GET", b"/\xff\xfe"), "400|404"
    yield "empty line before", b"\r\n" + GET, "200|400"
    yield "10,000 empty lines before", b"\r\n" * 10_000 + GET, "400|431|closed"
    yield "blank before the method", b" " + GET, "400"
    yield "TLS", bytes.fromhex("16030100a5010000a10303") + bytes(range(154)), "400|closed"
    yield "garbage", hashlib.shake_128(b"garbage").digest(5000), "400|closed"
    yield "10,000 zeros", bytes(10_000), "400|closed"
    yield "1,000,000 letters", b"A" * 1_000_000, "400|431|closed"
    yield "SSH", b"SSH-2.0-OpenSSH_9.2\r\n", "400|closed"
    yield "SMTP", b"EHLO localhost\r\nMAIL FROM:<a@b>\r\n", "400|closed"
    yield "Redis", b"*1\r\n$4\r\nPING\r\n", "400|closed"
    yield "nothing", b"", "closed"
    yield "half a method", b"GE", "400|closed"
    yield "half a head", b"GET /healthz HTTP/1.1\r\nHost: loc", "400|closed"
    for line in ("Origin: http://evil.example", "Origin: null", "Origin: http://localhost.evil.example", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"):
        yield f"a page from elsewhere, {line}", head("POST", "/v1/indexes/c/compact", "Content-Length: 0", line), "403"
        yield f"a page from elsewhere, {line}, with a text", send("POST", "/v1/indexes/c/documents", '{"id":"x"}', "text/plain", line), "403"
        yield f"a page from elsewhere, {line}, where nothing is", head("GET", "/v1/nothing", line), "403"
    yield "an expectation that is none", plan("Content-Length: 2", "Expect: 200-ok"), "200|417"
    yield "an expectation in 1.0", plan("Content-Length: 2", "Expect: 100-continue", version="HTTP/1.0"), "200"
    yield "an id of a request with CR", head("GET", "/healthz", b"X-Request-Id: a\rSet-Cookie: b"), "400"
    yield "an id of a request of 4,000", head("GET", "/healthz", "X-Request-Id: " + "a" * 4000), "200|400"
    yield "an id of a request of markup", head("GET", "/healthz", "X-Request-Id: <script>"), "200|400"
    yield "an id of a request of Latin-1", head("GET", "/healthz", b"X-Request-Id: \xff\xfe"), "200|400"


def pipelines() -> Iterator[Row]:
    yield "two at once", GET + GET, "200 200"
    yield "a hundred at once", GET * 100, " ".join(["200"] * 100)
    yield "half a one behind a whole one", GET + GET[:15], "200 400|408|closed"
    yield "garbage behind a whole one", GET + b"\0\0\0\0\r\n\r\n" + GET, "200 400|closed"
    yield "one behind Connection: close", head("GET", "/healthz", "Connection: close") + GET, "200"
    yield "one behind Connection: close, in a list", head("GET", "/healthz", "Connection: x, Close") + GET, "200"
    yield "one behind 1.0", head("GET", "/healthz", version="HTTP/1.0") + GET, "200"
    yield "one behind a body of GET", head("GET", "/healthz", "Content-Length: 5") + b"12345" + GET, "200|400 200|closed"
    yield "one in the body of GET", head("GET", "/healthz", f"Content-Length: {len(GET)}") + GET, "200|400"
    yield "one behind 422", post("similar", {}) + GET, "422 200"
    yield "one behind 404 without a body", head("GET", "/nothing") + GET, "404 200|closed"
    # The body of a refused request must not be read as another request.
    yield "one in the body of 404", send("POST", "/nothing", GET) + GET, "404 200|closed"
    yield "one in the body of 405", send("PATCH", "/v1/plan", GET) + GET, "405|501 200|closed"
    yield "one in the body of 415", send("POST", "/v1/plan", GET, "text/plain") + GET, "415 200|closed"
    yield "one in the body of 413", plan(f"Content-Length: {BODY + 1}", body=GET * 3), "413"
    yield "one in chunks of 404", head("POST", "/nothing", "Transfer-Encoding: chunked") + b"2\r\n{}\r\n0\r\n\r\n" + GET, "404 200|closed"
    yield "one in chunks of 413", chunked(b"f00000\r\n" + GET * 3), "413"
    yield "one behind a length and a coding", plan("Content-Length: 4", "Transfer-Encoding: chunked", body=b"0\r\n\r\n" + GET), "400"
    yield "one behind a coding that is unknown", plan("Transfer-Encoding: xchunked", body=b"0\r\n\r\n" + GET), "400|501"
    yield "one behind a bad chunk", chunked(b"zz\r\n" + GET), "400"
    yield "one behind two lengths", plan("Content-Length: 0", f"Content-Length: {len(GET)}", body=GET), "400"
    yield "one behind 431", head("GET", "/", *["A: b"] * 101) + GET, "431"
    yield "one behind no host", head("GET", "/", host=False) + GET, "400"
    yield "one behind 505", head("GET", "/", version="HTTP/2.0") + GET, "400|505"
    yield "one behind HEAD", head("HEAD", "/healthz", "Connection: close") + GET, "200"


# --- routes ---------------------------------------------------------------------------------------

NONE = {"GET /", "GET /healthz", "GET /readyz", "GET /openapi.json"}
READ = {"GET /metrics", "GET /v1/limits", "GET /v1/key", "GET /v1/indexes", "GET /v1/indexes/{c}", "GET /v1/indexes/{c}/stats",
        "GET /v1/indexes/{c}/similarities", "GET /v1/indexes/{c}/documents", "GET /v1/indexes/{c}/documents/{id}",
        "POST /v1/indexes/{c}/documents/get", "POST /v1/indexes/{c}/documents/list", "POST /v1/indexes/{c}/similar", "POST /v1/indexes/{c}/similar/batch", "POST /v1/indexes/{c}/passages", "POST /v1/indexes/{c}/compare",
        "POST /v1/plan", "POST /v1/indexes/{c}/pairs",
        "POST /v1/indexes/{c}/clusters", "GET /v1/indexes/{c}/decisions", "GET /v1/indexes/{c}/decisions/{d}",
        "GET /v1/tasks", "GET /v1/tasks/{t}", "GET /v1/tasks/{t}/events", "GET /v1/tasks/{t}/report"}
WRITE = {"POST /v1/indexes/{c}/documents", "PUT /v1/indexes/{c}/documents/{id}", "PATCH /v1/indexes/{c}/documents/{id}",
         "DELETE /v1/indexes/{c}/documents/{id}", "PATCH /v1/indexes/{c}/documents",
         "POST /v1/indexes/{c}/documents/delete", "POST /v1/indexes/{c}/check-and-add", "POST /v1/indexes/{c}/decisions",
         "PUT /v1/indexes/{c}/decisions/{d}", "DELETE /v1/indexes/{c}/decisions/{d}", "POST /v1/indexes/{c}/dedup",
         "POST /v1/tasks/{t}/cancel"}
ADMIN = {"PUT /v1/indexes/{c}", "DELETE /v1/indexes/{c}", "POST /v1/indexes/{c}/verify", "POST /v1/indexes/{c}/compact",
         "POST /v1/indexes/{c}/snapshot"}


def anonymous(path: str) -> str:
    """The path without the names of its parameters."""
    return re.sub(r"\{[^}]*\}", "{}", path)


def routes_of(client: Client) -> list[tuple[str, str, str]]:
    """Returns method, path and scope of the routes in /openapi.json, or of the promised routes without it."""
    promised = {anonymous(name): (name, scope) for scope, names in (("none", NONE), ("read", READ), ("write", WRITE), ("admin", ADMIN))
                for name in names}
    answer = client.ask("GET", "/openapi.json")
    if answer.status != 200:
        return [(*name.split(), scope) for name, scope in sorted(promised.values())]
    out = []
    for path, methods in answer.json["paths"].items():
        for method in methods.keys() & {"get", "put", "post", "delete", "patch"}:
            name = f"{method.upper()} {anonymous(path)}"
            scope = "none" if path.startswith("/ui") else promised[name][1] if name in promised else None
            assert scope is not None, f"/openapi.json has {name}, of which this test does not know who may ask it"
            out.append((method.upper(), path, scope))
    return sorted(out)
