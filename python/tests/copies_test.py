# labels: python
"""Results, tables and estimators can be pickled and copied, and come back from other processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow")
pytest.importorskip("polars")
pytest.importorskip("pandas")

TEXT = "one two three four five six seven"
OTHER = "other words that are not the same at all"
ROWS = [{"id": "a", "text": TEXT}, {"id": None, "text": TEXT}, {"id": "c\ud800", "text": TEXT}, {"text": "x"}]
OPTIONS = {"threshold": 0.7, "keep": "longest", "features": "text:word3"}


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: list[Callable[[Any], Any]] = [
    pickled,
    lambda value: pickled(pickled(value)),
    lambda value: pickle.loads(pickle.dumps(value, protocol=2)),
    copy.copy,
    copy.deepcopy,
]


def references(path: Path) -> benzer.Result:
    return benzer.deduplicate([TEXT, OTHER], against=[TEXT])


def files(path: Path) -> benzer.Result:
    for name in ("a", "b"):
        (path / f"{name}.jsonl").write_text('{"id": "%s", "text": "%s"}\n' % (name, TEXT) + "no JSON\n")
    return benzer.deduplicate(str(path / "*.jsonl"), output=path / "clean")


RESULTS: list[tuple[str, Callable[[Path], benzer.Result]]] = [
    ("texts", lambda path: benzer.deduplicate([TEXT, OTHER, TEXT], **OPTIONS)),
    ("rows", lambda path: benzer.deduplicate(ROWS)),
    ("nothing removed", lambda path: benzer.deduplicate([TEXT, OTHER])),
    ("no rows", lambda path: benzer.deduplicate([])),
    ("dropped", lambda path: benzer.deduplicate([TEXT, "x"], short="drop")),
    ("components", lambda path: benzer.deduplicate([TEXT, TEXT + " eight"], cluster="components", threshold=0.5)),
    ("references", references),
    ("a table", lambda path: benzer.deduplicate(pa.table({"id": [1, 2], "text": [TEXT, TEXT]}))),
    ("files", files),
]


@pytest.mark.parametrize("copied", COPIES, ids=["pickle", "pickle twice", "protocol 2", "copy", "deepcopy"])
@pytest.mark.parametrize("make", [make for _, make in RESULTS], ids=[name for name, _ in RESULTS])
def test_results(make: Callable[[Path], benzer.Result], copied: Callable[[Any], Any], tmp_path: Path) -> None:
    result = make(tmp_path)
    same = copied(result)
    assert same.summary == result.summary and same.problems == result.problems and same.output == result.output
    assert same.kept_rows() == result.kept_rows()
    for one, other in (
        (same.removed, result.removed),
        (same.clusters(), result.clusters()),
        (same.annotations(), result.annotations()),
    ):
        assert one == other and one.to_arrow().equals(other.to_arrow()) and one._repr_html_() == other._repr_html_()
    assert repr(same) == repr(result) and same._repr_html_() == result._repr_html_()
    table = list(range(len(result.kept_rows())))
    if result.output is None:
        assert same.kept(table) == result.kept(table)
    else:
        for call in (same.kept, lambda: same.kept(table)):
            with pytest.raises(benzer.InvalidArgumentError, match="files"):
                call()


def test_a_pickled_result_has_no_documents() -> None:
    texts = [TEXT, OTHER, TEXT]
    result = benzer.deduplicate(texts)
    same = pickled(result)
    with pytest.raises(benzer.InvalidArgumentError, match=r"give them to kept\(\)"):
        same.kept()
    with pytest.raises(benzer.InvalidArgumentError, match=r"call report\(\) before it is pickled"):
        same.report()
    assert same.kept(texts) == result.kept() == copy.copy(result).kept() == [TEXT, OTHER]
    assert len(pickle.dumps(result)) < 2000


def test_reports(tmp_path: Path) -> None:
    result = benzer.deduplicate([TEXT, OTHER, TEXT], report=tmp_path / "r.html")
    later = benzer.deduplicate([TEXT, OTHER, TEXT])
    report = later.report()
    assert pickled(later).report().html == report.html and pickled(later).report().data() == report.data()
    pickled(result).report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "r.html").read_bytes()
    assert pickled(report).html == report.html == copy.deepcopy(report).html and pickled(report).json == report.json


@pytest.mark.parametrize("copied", COPIES[:4])
@pytest.mark.parametrize("texts", [[TEXT, OTHER, TEXT], [], [OTHER]])
def test_pairs(texts: list[str], copied: Callable[[Any], Any]) -> None:
    found = benzer.pairs(texts, against=[TEXT])
    same = copied(found)
    assert list(same) == list(found) and same[:1] == found[:1] and len(same) == len(found) and repr(same) == repr(found)
    assert same.table.to_arrow().equals(found.table.to_arrow()) and same.summary == found.summary


def test_tables() -> None:
    with benzer.Index() as index:
        tables = [index.pairs(), index.clusters()]
        index.add([{"id": str(i), "text": TEXT} for i in range(3)])
        tables += [index.pairs(), index.clusters()]
    result = benzer.deduplicate(ROWS)
    empty = benzer.deduplicate([], cluster="components", against=["x"])
    for one in (result, empty):
        tables += [one.removed, one.clusters(), one.annotations()]
    for table in tables:
        for copied in COPIES:
            assert copied(table) == table and copied(table).to_arrow().equals(table.to_arrow())
        assert table.to_arrow().to_pylist() == table.to_pylist() == list(table)
        assert len(table) == table.to_arrow().num_rows == len(table.to_polars()) == len(table.to_pandas())


def test_signatures_can_be_copied() -> None:
    table = benzer.sketch([TEXT, None], sketch="fss:4")
    assert copy.copy(table) == table == copy.deepcopy(table)
    with pytest.raises(TypeError, match="to_arrow"):
        pickle.dumps(table)


def test_answers_of_an_index(tmp_path: Path) -> None:
    with benzer.Index.open(tmp_path / "index", create=True, attributes={"n": "number"}) as index:
        answers = [
            index.add([{"id": "a", "text": TEXT, "n": 1}]),
            index.similar(TEXT, explain=True),
            index.check_and_add({"id": "b", "text": TEXT}),
            index.get("a"),
            index.stats(),
        ]
        for copied in COPIES:
            assert [copied(answer) for answer in answers] == answers
            with pytest.raises(TypeError, match=r"pass its location.*Index\.open"):
                copied(index)
        assert len(index) == 1


def test_estimators() -> None:
    pytest.importorskip("sklearn")
    from benzer.sklearn import MinHashTransformer, NearDuplicateClusterer

    texts = [TEXT, OTHER, TEXT]
    for copied in COPIES:
        clusterer = copied(NearDuplicateClusterer(threshold=0.7))
        assert clusterer.get_params() == NearDuplicateClusterer(threshold=0.7).get_params()
        fitted = copied(clusterer.fit(texts))
        assert fitted.labels_.tolist() == [0, 1, 0] and fitted.kept_.tolist() == [True, True, False]
        transformer = copied(copied(MinHashTransformer(sketch="fss:8")).fit(texts))
        assert transformer.transform(texts).tolist() == MinHashTransformer(sketch="fss:8").transform(texts).tolist()


def test_options_are_plain_values() -> None:
    """A dict of keyword arguments is all there is to keep, to copy or to send."""
    texts = [TEXT, TEXT + " eight", OTHER]
    for copied in COPIES:
        assert benzer.deduplicate(texts, **copied(OPTIONS)).removed == benzer.deduplicate(texts, **OPTIONS).removed


def found_of(texts: list[str]) -> tuple[benzer.Result, benzer.Pairs]:
    return benzer.deduplicate(texts), benzer.pairs(texts)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_results_come_from_other_processes(method: str) -> None:
    texts = [TEXT, OTHER, TEXT]
    result, pairs = found_of(texts)  # also: this process has used the engine before it forks
    with multiprocessing.get_context(method).Pool(2) as pool:
        for other, other_pairs in pool.map(found_of, [texts] * 3):
            assert other.removed == result.removed and other.kept(texts) == [TEXT, OTHER]
            assert list(other_pairs) == list(pairs)
