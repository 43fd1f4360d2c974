# labels: python passages report
"""The report of passages() and remove_passages(): the page of the command line."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from passages_data import POEM, program, quoting

import benzer


def body(page: str) -> str:
    """Return a page without what names inputs and the command."""
    return page[: page.index('<h2 id="done"')]


@pytest.mark.parametrize("remove", [False, True])
def test_it_is_the_page_of_the_command_line(remove: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in quoting(60)))
    command = [program(), "passages", "in.jsonl", "--min-words", "8", "--across", "n", "--report", "expected.html"]
    subprocess.run([*command, "-o", "out.jsonl", *(["--remove"] if remove else [])], capture_output=True, check=True)
    expected = Path("expected.html").read_text()
    call = benzer.remove_passages if remove else benzer.passages
    found = call("in.jsonl", min_words=8, across="n", report="asked.html")
    page = Path("asked.html").read_text()
    assert body(page) == body(expected)
    assert f"benzer.{call.__name__}" in page
    assert page.count("What documents with the same value in this field have in common is left out.") == 1
    report = found.report("again.html")
    assert Path("again.html").read_text() == report.html == page
    assert found.report() is report
    assert "<iframe srcdoc=" in report._repr_html_()


def test_tables_and_lists_have_one() -> None:
    rows = quoting(40)
    pages = [
        benzer.passages(documents, min_words=8).report().html
        for documents in (rows, pandas.DataFrame(rows), pyarrow.Table.from_pylist(rows))
    ]
    assert pages[0] == pages[1] == pages[2]
    assert POEM not in pages[0]
    assert POEM in benzer.passages([POEM, POEM], min_words=5).report().html
    assert "None of 2 documents has a passage" in benzer.passages(["a", "b"]).report().html
    assert "The inputs hold no document" in benzer.passages([]).report().html


def test_after_pickling() -> None:
    for call in (benzer.passages, benzer.remove_passages):
        found: Any = call([POEM, POEM], min_words=5)
        without = pickle.loads(pickle.dumps(found))
        with pytest.raises(benzer.InvalidArgumentError, match=r"report\(\) needs the documents") as caught:
            without.report()
        assert f"give report to {call.__name__}()" in str(caught.value)
        page = found.report().html
        assert pickle.loads(pickle.dumps(found)).report().html == page
        assert copy.deepcopy(found).report().html == page


def test_threads_get_one_page() -> None:
    found = benzer.passages(quoting(200), min_words=8)
    with ThreadPoolExecutor(4) as pool:
        pages = {report.html for report in pool.map(lambda _: found.report(), range(8))}
    assert len(pages) == 1


def test_it_is_written_if_a_guard_rail_stops_the_run(tmp_path: Path) -> None:
    pages = ["home news sport weather " + f"page{n}" for n in range(10_000)]
    with pytest.raises(benzer.GuardRailError):
        benzer.remove_passages(pages, min_words=4, report=tmp_path / "page.html")
    assert "<b>In 9,999 documents</b>: 4 words" in (tmp_path / "page.html").read_text()


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({"text": POEM}) + "\n")
    for call in (benzer.passages, benzer.remove_passages):
        with pytest.raises(benzer.InvalidArgumentError, match="is also an input, and would be overwritten"):
            call(file, report=file)
        with pytest.raises(benzer.InvalidArgumentError, match="the report are local files"):
            call([POEM], report="s3://bucket/page.html")
    with pytest.raises(benzer.InvalidArgumentError, match="two outputs have the name"):
        benzer.remove_passages(file, output=tmp_path / "a", report=tmp_path / "a")
    assert json.loads(file.read_text()) == {"text": POEM}
