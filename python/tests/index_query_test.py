# labels: python
"""Tests what indexes answer and change, with bad input, threads, forks and the program on the same folder."""

from __future__ import annotations

import copy
import datetime
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import threading
import time
import warnings
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import index_data
import pytest
from index_data import FIELDS, NEAR, OTHER, TEXT, ids, png, run_python

import benzer
from benzer import Index

pyarrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")

index, folder = index_data.index, index_data.folder  # fixtures

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BENZER") or ROOT / "build" / "release" / "benzer")


# Queries.


def test_similar(index: Index) -> None:
    first, second = index.similar(TEXT)
    attributes = {"lang": "en", "price": 3.0, "seen": "2026-01-01T00:00:00Z", "live": True}
    assert first == benzer.Match("a", 1.0, True, {"body": 1.0}, attributes, {}, {}, None, {})
    assert (second.id, second.score) == ("b", 10 / 12)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, ["a", "b"]),
        ({"threshold": 0.9}, ["a"]),
        ({"threshold": "0.83"}, ["a", "b"]),
        ({"limit": 1}, ["a"]),
        ({"where": "lang = de"}, ["b"]),
        ({"where": ["price<10", "live=true"]}, ["a"]),
        ({"where": ("price>3",)}, ["b"]),
        ({"where": []}, ["a", "b"]),
        ({"where": "seen>=2026-01-01"}, ["a"]),
        ({"where": "lang in en,de"}, ["a", "b"]),
        ({"score": "any"}, ["a", "b"]),
        ({"threshold": 0.01, "allow_low_recall": True}, ["a", "b"]),
    ],
)
def test_questions(index: Index, arguments: dict[str, Any], found: list[str]) -> None:
    assert ids(index.similar(TEXT, **arguments)) == found
    assert ids(index.similar({"id": "new", "body": TEXT}, **arguments)) == found
    assert [ids(one) for one in index.similar([TEXT, OTHER], **{**arguments, "where": None})][1] == ["c"]
    assert ids(index.similar_to("c", **{**arguments, "threshold": 0.5})) == []
    index.add({"id": "new", "body": TEXT})
    assert ids(index.similar_to("new", **arguments)) == found


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"threshold": 0.2}, "below 0.5"),
        ({"threshold": float("nan")}, "threshold"),
        ({"limit": 0}, "limit '0' is not allowed"),
        ({"limit": 1.5}, "limit"),
        ({"where": "cost<10"}, 'no attribute "cost"'),
        ({"where": ""}, "condition"),
        ({"where": 5}, "condition"),
        ({"where": [1]}, "condition"),
        ({"where": {"lang": "en"}}, "condition"),
        ({"floor": 0}, "floor '0"),
        ({"floor": 0.5, "threshold": 0.9}, "a floor and a threshold were given"),
        ({"score": "least"}, "give mean, all or any"),
    ],
)
def test_bad_questions(index: Index, arguments: dict[str, Any], said: str) -> None:
    for call in (lambda: index.similar(TEXT, **arguments), lambda: index.similar_to("a", **arguments)):
        with pytest.raises(benzer.InvalidArgumentError, match=said):
            call()


def test_most_similar() -> None:
    words = [f"word{number}" for number in range(64)]
    with Index(fields={"body": "text:word1"}, min_threshold=0.9) as index:
        index.add({"id": str(count), "body": " ".join(words[:count])} for count in (1, 2, 4, 8, 16, 32, 63))
        query = " ".join(words)
        assert ids(index.similar(query)) == ["63"]
        assert ids(index.similar(query, floor=0.05, limit=3)) == ["63", "32", "16"]
        assert ids(index.similar(query, floor="0.0625")) == ["63", "32", "16", "8", "4"]
        assert [match.score for match in index.similar(query, floor=0.2)] == [63 / 64, 0.5, 0.25]
        assert [ids(one) for one in index.similar([query, "word0"], floor=0.5)] == [["63", "32"], ["1", "2"]]
        assert ids(index.similar_to("32", floor=0.5)) == ["63", "16"]
        assert index.floor_recall == 0.9999


def test_containment(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(400)]
    whole, part = " ".join(words), " ".join(words[100:150])
    with Index.open(tmp_path / "contained", create=True, fields="text:word5", measure="containment") as index:
        index.add(
            [{"id": "whole", "text": whole}, {"id": "part", "text": part}, {"id": "other", "text": "a b c d e f"}]
        )
        [match] = index.similar({"id": "part", "text": part})
        assert (match.id, match.score, match.shares["text"]) == ("whole", 1.0, (1.0, 46 / 396))
        [match] = index.similar({"id": "whole", "text": whole}, explain=True)
        assert (match.id, match.shares["text"].share_of_query) == ("part", 46 / 396)
        assert match.bands["text"]
        assert "measure:containment | keys:0.251/20 | min:0.8" in index.schema
        assert index.pairs().to_pylist() == [
            {"a_id": "whole", "b_id": "part", "score": 1.0, "share_of_a": 46 / 396, "share_of_b": 1.0}
        ]
        assert [tuple(row.values()) for row in index.clusters()] == [
            (1, "whole", True, 1.0, 1.0, 1.0),
            (1, "part", False, 1.0, 1.0, 46 / 396),
        ]
        for columns in (index.clusters(), index.deduplicate()):
            assert list(columns[0])[-2:] == ["share_of_removed", "share_of_keeper"]
        with pytest.raises(benzer.InvalidArgumentError, match="clustering by components has no containment"):
            index.deduplicate(cluster="components")
        [gone] = index.deduplicate(remove=True)
        assert gone == {
            "id": "part", "kept_id": "whole", "score": 1.0, "share_of_removed": 1.0, "share_of_keeper": 46 / 396,
        }  # fmt: skip
        assert sorted(index) == ["other", "whole"]
        index.add([{"id": "part", "text": part}])
        [match] = index.passages("Before. " + " ".join(words[:120]) + ", and after it", min_words=100)
        assert (match.id, match.words, match.passages[0].text) == ("whole", 120, " ".join(words[:120]))
        assert match.passages[0][:5] == ("text", 8, 8 + len(match.passages[0].text), 8, 8 + len(match.passages[0].text))
        found = index.passages([part, {"id": "part", "text": part}, "nothing of it"], min_words=20, limit=5)
        assert [[match.id for match in one] for one in found] == [["part", "whole"], ["whole"], []]
        with pytest.raises(benzer.InvalidArgumentError, match="shorter than the shingles"):
            index.passages(part, min_words=2)
    with Index(fields="text:word5") as jaccard:
        with pytest.raises(benzer.InvalidArgumentError, match="measure='containment'|has bands"):
            jaccard.passages(part)
        jaccard.add([{"id": "whole", "text": whole}])
        assert jaccard.similar(part) == []
        assert jaccard.similar(whole)[0].shares == {}
        jaccard.add([{"id": "again", "text": whole}])
        assert list(jaccard.pairs()[0]) == ["a_id", "b_id", "score"]
    for bad, said in (({"measure": "overlap"}, "jaccard or containment"), ({"sketch": "fss:64"}, "makes no sketches")):
        with pytest.raises(benzer.InvalidArgumentError, match=said):
            Index(**{"measure": "containment", **bad})


def test_explain(index: Index) -> None:
    match = index.similar(NEAR, where="lang=en", explain=True)[0]
    assert match.passages == {"body": ["a storm hit the coast on monday night and took the roofs"]}
    assert match.bands["body"]
    assert match.found_probability is not None
    assert 0.9 < match.found_probability <= 1


def test_several_fields() -> None:
    with Index(fields={"title": "text:word2;w=3", "body": "text:word3"}, min_threshold=0.5) as index:
        index.add([{"id": 1, "title": "storm on the coast", "body": TEXT}, {"id": 2, "body": TEXT}])
        query = {"title": "storm on the coast", "body": OTHER}
        assert index.similar(query)[0].fields == {"title": 1.0, "body": 0.0}
        assert [round(index.similar(query, score=rule)[0].score, 3) for rule in ("mean", "any")] == [0.75, 1.0]
        assert index.similar(query, score="all") == []
        with pytest.raises(benzer.BadInputError, match="needs names for its fields"):
            index.similar(TEXT)


def test_values_and_weights() -> None:
    with Index(fields={"tags": "values"}) as index:
        index.add([{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": {"b", "a"}}, {"id": 3, "tags": (x for x in "xy")}])
        assert ids(index.similar({"tags": ("b", "a")})) == ["1", "2"]
        for bad in ("ab", b"ab", [1], {"a": 1.0}):
            with pytest.warns(UserWarning, match="refused"):
                assert index.add({"id": 4, "tags": bad}).refused
        # The values of a document are read once, also if another one of its batch is refused.
        with pytest.warns(UserWarning, match="refused"):
            index.add([{"id": 5, "tags": iter("pq")}, {"id": 6, "tags": 3}, {"id": 7, "tags": iter("pq")}])
        assert ids(index.similar({"tags": ["p", "q"]})) == ["5", "7"]
    with Index(fields={"tags": "values+weights"}, min_threshold=0.5) as index:
        index.add([{"id": 1, "tags": {"a": 2.0, "b": 1}}])
        assert index.similar({"tags": {"a": 1.0, "b": 1.0}})[0].score == pytest.approx(2 / 3)


@pytest.mark.parametrize("weight", ["x", None, 10**400], ids=["text", "none", "large"])
def test_weights_that_are_no_numbers(weight: Any) -> None:
    with Index(fields={"tags": "values+weights"}) as index, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "'tags'" in index.add({"id": 1, "tags": {"a": weight}}).refused[0].problem


def test_images(tmp_path: Path) -> None:
    one, other = png(lambda x, y: (x * 5, y * 7, x * y)), png(lambda x, y: (x * x * 5, y * 50, x ^ y))
    path = tmp_path / "one.png"
    path.write_bytes(one)
    with Index(fields={"image": "image:dhash"}) as index:
        index.add([{"id": n, "image": image} for n, image in enumerate((one, path, str(path), other))])
        assert ids(index.similar({"image": path})) == ids(index.similar({"image": one})) == ["0", "1", "2"]
        for bad in (b"none", tmp_path / "none.png", "none.png", 3):
            with pytest.warns(UserWarning, match="refused"):
                assert index.add([{"id": 9, "image": bad}, {"id": 8, "image": one}]).refused[0].place == 0
            with pytest.raises(benzer.BadInputError):
                index.similar({"image": bad})


def test_images_whose_paths_are_not_utf8(tmp_path: Path) -> None:
    """A str as os.listdir() makes it names the same file as a path object; other bytes are another file."""
    paths = [os.fsdecode(os.fsencode(tmp_path) + b"/caf" + byte + b".png") for byte in (b"\xe9", b"\xff")]
    Path(paths[0]).write_bytes(png(lambda x, y: (x * 5, y * 7, x * y)))
    Path(paths[1]).write_bytes(png(lambda x, y: (x * x * 5, y * 50, x ^ y)))
    with Index(fields={"image": "image:dhash"}) as index:
        index.add([{"id": n, "image": path} for n, path in enumerate((*paths, Path(paths[0])))], strict=True)
        assert ids(index.similar({"image": paths[0]})) == ["0", "2"]
        with pytest.raises(benzer.BadInputError, match="lone surrogate"):
            index.similar({"image": "\ud800"})


def test_a_question_that_is_refused_is_named_by_its_place() -> None:
    index = Index(fields="text:word2", attributes={"price": "number"}, measure="containment")
    index.add({"id": "a", "text": TEXT, "price": 1})
    questions: list[dict[str, Any]] = [{"text": TEXT}] * 10_000
    calls = (lambda asked: index.similar(asked), lambda asked: index.passages(asked, min_words=2))
    for bad in ({"text": 3}, {"id": "x" * 70_000, "text": TEXT}):
        for call in calls:
            with pytest.raises(benzer.Error, match="^document 9000: "):
                call([*questions[:9000], bad, *questions[9000:]])
    table = pyarrow.table({"id": ["b"] * 9000 + ["x" * 70_000], "text": [TEXT] * 9001})
    with pytest.raises(benzer.Error, match="^document 9000: "):
        index.similar(table)
    # Attributes of questions are not used, so they may be of any kind.
    assert ids(index.similar({"text": TEXT, "price": "cheap"})) == ["a"]
    assert [ids(one) for one in index.similar(pyarrow.table({"text": [TEXT], "price": [["cheap"]]}))] == [["a"]]


def test_check_and_add(index: Index) -> None:
    answer = index.check_and_add({"id": "d", "body": TEXT}, limit=1)
    assert not answer.added
    assert ids(answer.matches) == ["a"]
    assert index.check_and_add({"id": "d", "body": TEXT}, where="lang=fr").added
    rows = [{"id": str(n), "body": "the same words stand there three times", "lang": "fr"} for n in range(3)]
    answers = index.check_and_add(iter(rows))
    assert [one.added for one in answers] == [True, False, False]
    assert [ids(one.matches) for one in answers] == [[], ["0"], ["0"]]
    index.remove("0")
    assert [one.added for one in index.check_and_add(pyarrow.Table.from_pylist(rows))] == [True, False, False]
    assert index.get(0).attributes == {"lang": "fr"}  # type: ignore[union-attr]
    with pytest.raises(benzer.InvalidArgumentError, match="allow_low_recall"):
        index.check_and_add({"id": "e", "body": TEXT}, threshold=0.1)
    assert not index.check_and_add({"id": "e", "body": TEXT}, threshold=0.1, allow_low_recall=True).added
    with pytest.raises(benzer.InvalidArgumentError, match="no id"):
        index.check_and_add({"body": "nothing of the kind is in there yet"})


def test_check_and_add_goes_on_after_a_document_that_is_refused(index: Index) -> None:
    rows = [
        {"id": "x", "body": "the same words stand there three times"},
        {"id": "y"},
        {"body": "nothing of the kind is in there yet"},
        {"id": "z", "body": "another one that nobody has seen before"},
    ]
    with pytest.warns(UserWarning, match="2 documents were refused; the first one, number 1 with the id 'y'"):
        answers = index.check_and_add(rows)
    assert [one.added for one in answers] == [True, False, False, True]
    assert [bool(one.problem) for one in answers] == [False, True, True, False]
    assert "none of the fields" in answers[1].problem
    assert "no id" in answers[2].problem
    index.remove(["x", "z"])
    with pytest.raises(benzer.BadInputError, match="2 documents were refused"):
        index.check_and_add(rows, strict=True)
    assert "z" in index
    table = pyarrow.table({"id": ["v", None], "body": ["a text of a table that has an id", "and one that has none"]})
    with pytest.warns(UserWarning, match="a document was refused"):
        answers = index.check_and_add(table)
    assert [(one.added, bool(one.problem)) for one in answers] == [(True, False), (False, True)]


TABLES = {
    "empty text": {"id": ["a", "b"], "body": [TEXT, None]},
    "times": {"id": ["a", "b"], "body": [TEXT, "x y z"], "seen": [datetime.datetime(2024, 1, 1), None]},
    "dates": {"id": ["a"], "body": [TEXT], "seen": [datetime.date(2024, 1, 1)]},
    "numbers as ids": {"id": [1.0, 2.5, 1e15, 1e16, 1e-7, None], "body": [TEXT, "b", "c", "d", "e", "f"]},
    "bytes as ids": {"id": [b"a", b"b"], "body": [TEXT, "b"]},
    "bools": {"id": ["a", "b"], "body": [TEXT, "b"], "live": [True, False]},
    "numbers as texts": {"id": ["a", "b", "c"], "body": [TEXT, "b", "c"], "word": [1.0, 2.5, None]},
    "decimals": {"id": [Decimal("1.50")], "body": [TEXT], "word": [Decimal("20.00")]},
    "dates as texts": {"id": ["a"], "body": [TEXT], "word": [datetime.date(2024, 1, 1)]},
    "times as texts": {"id": ["a"], "body": [TEXT], "word": [datetime.datetime(2024, 1, 1, 3, 4, 5, 600)]},
    "times with a zone": {
        "id": ["a"],
        "body": [TEXT],
        "word": [datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))],
    },
    "bytes as texts": {"id": ["a"], "body": [TEXT], "word": [b"x"]},
}


@pytest.mark.filterwarnings("ignore:a document was refused")
@pytest.mark.parametrize("columns", TABLES.values(), ids=TABLES)
def test_rows_and_tables_mean_the_same(columns: dict[str, list[Any]]) -> None:
    pytest.importorskip("pandas")
    table = pyarrow.table(columns)
    kept = []
    for documents in (table, table.to_pylist(), table.to_pandas()):
        for call in (Index.add, Index.check_and_add):
            kinds = {"seen": "time", "live": "boolean", "word": "string"}
            with Index(fields={"body": "text:word1"}, attributes=kinds, min_threshold=0.9) as index:
                call(index, documents)
                kept.append({id: index.get(id) for id in index})
    assert kept[0]
    assert all(one == kept[0] for one in kept)


def test_ids_are_read_alike_everywhere() -> None:
    with Index(fields="text:word1", attributes={"lang": "string"}) as index:
        index.add([{"id": 1.0, "text": TEXT}, {"id": b"q", "text": "others"}, {"id": Decimal("2.50"), "text": "third"}])
        assert sorted(index) == ["1", "2.5", "q"]
        for id in (1.0, 1, "1", b"q", 2.5):
            assert id in index
            assert index.get(id) is not None
        assert None not in index
        assert float("nan") not in index
        assert index.update({"id": 1.0, "lang": "en"}) == 1
        with pytest.raises(benzer.BadInputError, match="no id"):
            index.update({"id": float("nan"), "lang": "en"})
        assert index.similar_to(1.0) == []
        assert index.remove([1.0, b"q"]) == 2
        for bad in (None, True, float("nan"), ["x"]):
            with pytest.raises(benzer.InvalidArgumentError, match="an id is of the type"):
                index.get(bad)  # type: ignore[arg-type]


def test_values_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    rows = [{"id": numpy.int64(1), "body": TEXT, "price": numpy.float64(0.5), "live": numpy.bool_(False)}]
    with Index(fields={"body": "text:word1"}, attributes={"price": "number", "live": "boolean"}) as index:
        assert index.add(rows).refused == []
        assert index.get(1).attributes == {"price": 0.5, "live": False}  # type: ignore[union-attr]


def test_pictures_of_a_table() -> None:
    picture = png(lambda x, y: (x * 5, y * 7, x * y))
    for documents in ([{"id": "a", "photo": picture}], pyarrow.table({"id": ["a"], "photo": [picture]})):
        with Index(fields={"photo": "image:pdq"}, min_threshold=0.9) as index:
            assert index.add(documents).inserted == 1
            assert ids(index.similar({"photo": picture})) == ["a"]


def test_passages_of_a_table() -> None:
    with Index(fields="text:word2", measure="containment") as index:
        index.add([{"id": "a", "text": TEXT}])
        texts = [TEXT, None]
        found = index.passages(pyarrow.table({"text": texts}), min_words=5)
        assert found == index.passages([{"text": text} for text in texts], min_words=5)
        assert [len(one) for one in found] == [1, 0]


@pytest.mark.parametrize("work", [benzer.explain, lambda text: benzer.compare(text, text)], ids=["explain", "compare"])
def test_an_interrupt_ends_what_is_done_with_a_large_text(work: Callable[[str], object]) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored, as in a background job
    text = " ".join(f"w{number * 7919 % 1_000_003}" for number in range(400_000))
    begin = time.monotonic()
    work(text)
    whole = time.monotonic() - begin
    timer = threading.Timer(whole / 20, os.kill, (os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work(text)
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    # An interrupt that came when the work was done would be raised, too.
    assert time.monotonic() - begin < 0.8 * whole


def test_racing_threads_add_each_document_once() -> None:
    barrier, added = threading.Barrier(6), []
    with Index(fields="text:word3") as index:

        def work(worker: int) -> None:
            barrier.wait()
            for n in range(40):
                document = {"id": f"{worker}-{n}", "text": " ".join(f"{n}-{k}" for k in range(20))}
                added.append((n, index.check_and_add(document).added))

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(n for n, was_added in added if was_added) == list(range(40))
        assert len(index) == 40


# Documents by their ids.


def test_ids(index: Index) -> None:
    numpy = pytest.importorskip("numpy")
    index.add([{"id": n, "body": TEXT} for n in (-5, 0, 10**30)] + [{"id": "a\0b", "body": TEXT}])
    assert list(index) == list(index.ids()) == ["-5", "0", "1" + "0" * 30, "a", "a\0b", "b", "c"]
    assert all(id in index for id in ("a", 0, -5, "0", numpy.int64(0), 10**30, "a\0b"))
    assert not any(id in index for id in ("A", 1, True, None, 0.5, b"A", "", ["a"]))
    assert index.get("none") is None
    for bad in (True, None, float("nan"), object()):
        for call in (index.get, index.similar_to, index.remove):
            with pytest.raises(benzer.InvalidArgumentError, match="of the type"):
                call(bad)  # type: ignore[arg-type]
    with pytest.raises(KeyError, match='no document "none"'):
        index.similar_to("none")
    for wrong in ({"a": 1}, bytearray(b"a"), ["b", None]):
        with pytest.raises(benzer.InvalidArgumentError, match="type"):
            index.remove(wrong)  # type: ignore[arg-type]
    assert len(index) == 7
    assert index.remove(["a", "none", 0, "a"]) == 2
    assert index.remove(numpy.int64(-5)) == 1
    assert index.remove(id for id in list(index)) == 4
    assert list(index) == []


def test_ids_that_are_not_utf8(index: Index) -> None:
    index.add({"id": "x\udcff", "body": OTHER})
    assert list(index) == ["a", "b", "c", "x\udcff"]
    assert "x\udcff" in index
    assert index.get("x\udcff").id == "x\udcff"  # type: ignore[union-attr]
    assert ids(index.similar_to("x\udcff")) == ["c"]
    assert index.remove("x\udcff") == 1


def test_update(index: Index) -> None:
    day = datetime.datetime(2026, 5, 1, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    assert index.update({"id": "a", "price": 9.25, "lang": None, "seen": day, "live": False}) == 1
    attributes = {"price": 9.25, "seen": "2026-05-01T00:00:00Z", "live": False}
    assert index.get("a") == benzer.IndexedDocument("a", {"body": 11}, attributes)
    assert index.update(iter([{"id": "none", "price": 1}, {"id": "b", "lang": "fr"}])) == 1
    for bad, said in (
        ({"id": "a", "cost": 1}, '"cost"'),
        ({"id": "a", "price": "cheap"}, '"cheap"'),
        ({"id": "a", "price": [1]}, "type list"),
        ({"price": 1}, "no id"),
        (3, "type int"),
    ):
        index.update({"id": "c", "price": 0})
        with pytest.raises(benzer.BadInputError, match=said):
            index.update([bad, {"id": "c", "price": 1}])  # type: ignore[list-item]
        assert index.get("c").attributes == {"price": 1.0}  # type: ignore[union-attr]


def test_expired() -> None:
    with Index(fields="text:word3", ttl="1s") as index:
        index.add([{"id": "a", "text": TEXT}, {"id": "b", "text": TEXT, "expires_at": "2099-01-01"}])
        time.sleep(1.2)
        assert ids(index.similar(TEXT)) == ["b"]
        assert "a" not in index
        assert index.remove_expired() == 1
        assert index.remove_expired() == 0


def test_whole_index(index: Index) -> None:
    assert index.pairs().to_pylist() == [{"a_id": "a", "b_id": "b", "score": 10 / 12}]
    assert index.pairs(threshold=0.9).to_pylist() == []
    for rule in ("leader", "components"):
        rows = index.clusters(cluster=rule).to_pylist()
        assert [(one["cluster"], one["id"], one["is_kept"]) for one in rows] == [(1, "a", True), (1, "b", False)]
    with pytest.raises(benzer.InvalidArgumentError, match="leader or components"):
        index.clusters(cluster="chains")


def test_deduplicate_an_index(index: Index, folder: Path) -> None:
    removed = [{"id": "b", "kept_id": "a", "score": 10 / 12}]
    assert index.deduplicate().to_pylist() == removed and len(index) == 3
    assert index.deduplicate(threshold=0.9, remove=True).to_pylist() == [] and len(index) == 3
    stages: list[str] = []
    found = index.deduplicate(remove=True, progress=lambda stage, done, total: stages.append(stage))
    assert found.to_pylist() == removed and sorted(index) == ["a", "c"] and stages[-1] == "remove"
    with Index.open(folder, read_only=True) as reader, pytest.raises(benzer.InvalidArgumentError, match="reading only"):
        reader.deduplicate(remove=True)


def test_guard_rails_of_an_index() -> None:
    index = Index(fields="text:word2")
    index.add([{"id": str(i), "text": "one and the same text"} for i in range(3000)])
    with pytest.raises(benzer.GuardRailError, match="allow_large_clusters=True"):
        index.deduplicate(remove=True)
    assert len(index) == 3000 and len(index.deduplicate()) == 2999
    index.deduplicate(remove=True, allow_large_clusters=True)
    assert len(index) == 1


def test_upkeep(folder: Path, tmp_path: Path) -> None:
    with Index.open(folder) as index:
        index.remove("b")
        index.compact()
        index.verify()
        assert (index.stats()["documents"], index.stats()["schema"]) == (2, index.schema)
        index.snapshot(tmp_path / "linked")
        index.snapshot(tmp_path / "copied", copy=True)
        with pytest.raises(benzer.InvalidArgumentError, match="empty folder"):
            index.snapshot(tmp_path / "copied")
    for name in ("linked", "copied"):
        with Index.open(tmp_path / name) as snapshot:
            assert list(snapshot) == ["a", "c"]
    segment = max((path for path in (tmp_path / "copied").rglob("*") if path.is_file()), key=lambda p: p.stat().st_size)
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 0xFF
    segment.write_bytes(data)
    with pytest.raises(benzer.CorruptError), Index.open(tmp_path / "copied") as damaged:
        damaged.verify()


# Processes, copies, and the program.


@pytest.mark.parametrize("ending", ["return", "delete", "with"])
def test_fork(folder: Path, ending: str) -> None:
    index = Index.open(folder)
    child = os.fork()
    if child == 0:  # pragma: no cover
        signal.alarm(20)
        try:
            with pytest.raises(benzer.InvalidArgumentError, match="before this process was forked"):
                index.add({"id": "x", "body": TEXT})
            assert "opened before a fork" in repr(index)
            with Index.open(folder, read_only=True) as reader:
                assert len(reader) == 3
            if ending == "with":
                index.__exit__(None, None, None)
            elif ending == "delete":
                del index
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert index.add({"id": "d", "body": TEXT}).inserted == 1
    index.close()


def test_exit_of_a_forked_process_ends(folder: Path) -> None:
    code = (
        "import benzer, os, sys\n"
        "index = benzer.Index.open(sys.argv[1])\n"
        "if os.fork() == 0: sys.exit(3)\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]), index.add({'id': 'd', 'body': 'x'}).inserted)\n"
    )
    assert run_python(code, folder).split() == ["3", "1"]


def test_values_can_be_copied(index: Index) -> None:
    answers = [index.similar(TEXT, explain=True)[0], index.get("a"), index.check_and_add({"id": "d", "body": TEXT})]
    answers += [benzer.AddResult(1, 2, [benzer.RefusedDocument(3, "x", "why")]), index.pairs(), index.clusters()]
    for answer in answers:
        for made in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
            assert made == answer
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(index)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(ids, [index.similar(TEXT)]) == [["a", "b"]]


def test_program_answers_alike(tmp_path: Path) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"the program is not at {PROGRAM}; BENZER names it")

    def run(*arguments: object) -> list[Any]:
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    rows = [{"id": f"{n}", "body": f"{TEXT} number {n // 3} of these", "lang": "en"} for n in range(60)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    schema = ["--field", "body=text:word3", "--attribute", "lang=string", "--min-threshold", "0.5"]
    run("index", tmp_path / "by_program", tmp_path / "rows.jsonl", "--create", "--json", *schema)
    kinds = {"lang": "string"}
    with Index.open(tmp_path / "by_python", create=True, fields=FIELDS, attributes=kinds, min_threshold=0.5) as made:
        made.add(rows)
    for folder in (tmp_path / "by_program", tmp_path / "by_python"):
        told = run("similar", folder, "--like", tmp_path / "rows.jsonl", "--limit", 5)
        with Index.open(folder) as index:
            found = [
                (row["id"], match) for row, matches in zip(rows, index.similar(rows, limit=5)) for match in matches
            ]
            stats = index.stats()
        assert [(one["query"], one["id"], one["score"], one["exact"]) for one in told] == [
            (query, match.id, match.score, match.exact) for query, match in found
        ]
        theirs = run("stats", folder, "--json")[0]
        assert {name: stats[name] for name in ("documents", "schema")} == {
            n: theirs[n] for n in ("documents", "schema")
        }
