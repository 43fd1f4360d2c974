# labels: python
"""Runs every block of Python on the pages, page by page, in a folder of its own."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["docs/python.md", "docs/from_datasketch.md", "python/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = list(re.finditer(r"```python\n(.*?)```", text, re.DOTALL))
    assert blocks
    names = {"__name__": "page"}
    for block in blocks:
        # Line numbers are those of the page.
        code = "\n" * text[: block.start(1)].count("\n") + block.group(1)
        exec(compile(code, page, "exec"), names)
