# labels: python
"""Runs the blocks of Python on a page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def blocks(page: str, heading: str | None = None) -> list[str]:
    """Return the blocks of a page, or those of one section and of what is above the first section.

    Line numbers of a block are those of the page.
    """
    text = (ROOT / page).read_text(encoding="utf-8")
    section = None
    found = []
    for match in re.finditer(r"^## ([^\n]*)$|^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if match.group(1):
            section = match.group(1)
        elif heading is None or section in (None, heading):
            found.append("\n" * text[: match.start(2)].count("\n") + match.group(2))
    return found


def run(page: str, heading: str | None = None) -> None:
    """Run the blocks one after the other, with the same names."""
    code = blocks(page, heading)
    assert code, page
    names: dict[str, Any] = {"__name__": "page"}
    for block in code:
        exec(compile(block, page, "exec"), names)
