# labels: python
"""Documents that share passages, and the program that finds them."""

from __future__ import annotations

import os
import random
import shutil
from typing import Any

import pytest

POEM = "The quick brown fox jumps over the lazy dog"


def quoting(count: int, change: float = 0) -> list[dict[str, Any]]:
    """Return records that quote earlier ones, some words of the quotations changed."""
    chance = random.Random(11)
    words = [f"wörd{i}" for i in range(3000)]
    texts: list[list[str]] = []
    for _ in range(count):
        text = chance.choices(words, k=chance.randint(0, 80))
        if texts:
            source = chance.choice(texts)
            begin = chance.randrange(len(source) + 1)
            text[:0] = [chance.choice(words) if chance.random() < change else one for one in source[begin : begin + 50]]
        texts.append(text)
    return [{"id": f"d{i}", "text": " ".join(text), "n": i % 5} for i, text in enumerate(texts)]


def program() -> str:
    found = os.environ.get("BENZER") or shutil.which("benzer")
    if found is None:
        pytest.skip("the program benzer is not there; BENZER names it")
    return found
