# labels: python
"""Runs every block of Python on the pages, page by page, in a folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pages
import pytest

RECIPES = "docs/python/ray_dask_datasets.md"  # recipes_test.py runs it, as it needs other libraries
FOLDER = pages.ROOT / "docs" / "python"
PAGES = sorted(str(file.relative_to(pages.ROOT)) for file in FOLDER.rglob("*.md"))
SPARK = "docs/python/spark.md"  # spark_page_test.py runs it, as it needs Spark and Java
OTHERS = [RECIPES, SPARK]
PAGES = [*(page for page in PAGES if page not in OTHERS), "python/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pages.run(page)


@pytest.mark.parametrize("page", [page for page in [*PAGES, *OTHERS] if page != "python/README.md"])
def test_paragraphs_are_on_one_page(page: str) -> None:
    text = re.sub(r"^```.*?^```", "", (pages.ROOT / page).read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    others = [(pages.ROOT / other).read_text(encoding="utf-8") for other in [*PAGES, *OTHERS] if other != page]
    for paragraph in text.split("\n\n"):
        if len(paragraph) > 150:
            assert not [other for other in others if paragraph.strip() in other], paragraph


def test_commands_run(tmp_path: Path) -> None:
    """The lines of shell run, each in a folder with documents of which some are near-copies."""
    program = os.environ.get("BENZER") or shutil.which("benzer")
    if program is None:
        pytest.skip("the program benzer is not there; BENZER names it")
    lines = [
        (page, line)
        for page in PAGES
        for block in re.findall(r"^```sh\n(.*?)^```", (pages.ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for line in block.replace("\\\n", "").splitlines()
    ]
    assert lines
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "benzer").symlink_to(program)
    for number, (page, line) in enumerate(lines):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "docs.jsonl").write_text(
            "".join(f'{{"id": {n}, "text": "{n // 2} ships left port {n // 2} with salt"}}\n' for n in range(40))
        )
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{page}: '{line}' ended with {done.returncode}: {done.stderr}"
