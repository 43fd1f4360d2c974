"""Holds what the tests of indexes share: documents, fixtures and helpers."""

from __future__ import annotations

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import benzer
from benzer import Index

TEXT = "a storm hit the coast on monday night and took the roofs off"
NEAR = "a storm hit the coast on monday night and took the roofs away"
OTHER = "the council will vote next week whether the old bridge is to be closed"
KINDS = {"lang": "string", "price": "number", "seen": "time", "live": "boolean"}
FIELDS = {"body": "text:word3"}
DOCUMENTS = [
    {"id": "a", "body": TEXT, "lang": "en", "price": 3, "seen": "2026-01-01", "live": True},
    {"id": "b", "body": NEAR, "lang": "de", "price": 9.5, "live": False},
    {"id": "c", "body": OTHER},
]


@pytest.fixture
def index() -> Iterator[Index]:
    with Index(fields=FIELDS, attributes=KINDS, min_threshold=0.5) as made:
        made.add(DOCUMENTS)
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Index.open(tmp_path / "index", create=True, fields=FIELDS, attributes=KINDS, min_threshold=0.5) as made:
        made.add(DOCUMENTS)
    return tmp_path / "index"


def ids(matches: list[benzer.Match]) -> list[str]:
    return [match.id for match in matches]


def run_python(code: str, *arguments: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def png(pixel: Callable[[int, int], tuple[int, int, int]]) -> bytes:
    """Make an image of 64 by 64 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(v % 256 for x in range(64) for v in pixel(x, y)) for y in range(64))
    head = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
