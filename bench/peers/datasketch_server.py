"""Serves datasketch on Redis with the HTTP server of Python's library: POST / with {"text": ...} answers {"ids": [...]}.

  datasketch_server.py REDIS_PORT CORPUS

Adds the corpus, listens on a free port, prints "ready PORT SECONDS" (the time of adding), and answers until it is killed.
"""
from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from redis_index import index_at, records, sketches_of
from shingling import shingles


def main() -> None:
    index = index_at(int(sys.argv[1]))
    started = time.perf_counter()
    with index.insertion_session() as session:
        for chunk in records(sys.argv[2]):
            for record, sketch in zip(chunk, sketches_of(shingles(record["text"]) for record in chunk), strict=True):
                session.insert(record["id"], sketch)
    seconds = time.perf_counter() - started

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            text = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"]
            body = json.dumps({"ids": list(index.query(sketches_of([shingles(text)])[0]))}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    print("ready", server.server_port, seconds, flush=True)
    server.serve_forever()


main()
