# labels: python
"""Several threads work on the same objects at once, which a Python without the GIL does not prevent."""

from __future__ import annotations

import json
import pickle
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import benzer

THREADS = 8
WORDS = [f"word{i}" for i in range(400)]


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    """Let a Python with the GIL change threads as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*works: Callable[[int], object]) -> None:
    """Carry out the works in THREADS threads, which begin at the same moment, and raise what one raises."""
    barrier = threading.Barrier(THREADS)
    raised: list[BaseException] = []

    def run(number: int) -> None:
        barrier.wait()
        try:
            works[number % len(works)](number)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def some_texts(seed: int, count: int) -> list[str]:
    drawn = random.Random(seed)
    return [" ".join(drawn.choices(WORDS, k=20)) for _ in range(count)]


@pytest.mark.parametrize("kept", [False, True], ids=["memory", "folder"])
def test_an_index(kept: bool, tmp_path: Path) -> None:
    fields = {"text": "text:word2"}
    attributes = {"n": "number"}
    folder = tmp_path / "news.benzer"
    if kept:
        index = benzer.Index.open(folder, create=True, fields=fields, attributes=attributes)
    else:
        index = benzer.Index(fields=fields, attributes=attributes)

    def work(number: int) -> None:
        texts = some_texts(number, 60)
        documents = [{"id": f"{number}-{i}", "text": text, "n": i} for i, text in enumerate(texts)]
        index.add(documents[:40])
        for document in documents[40:]:
            assert index.check_and_add(document).added
        for i, text in enumerate(texts):
            assert f"{number}-{i}" in [match.id for match in index.similar({"text": text})]
        index.update([{"id": f"{number}-{i}", "n": -i} for i in range(10)])
        assert index.remove([f"{number}-{i}" for i in range(10, 30)]) == 20
        assert f"{number}-0" in index
        assert f"{number}-10" not in index
        found = index.get(f"{number}-1")
        assert found is not None
        assert found.attributes == {"n": -1}
        assert sum(name.startswith(f"{number}-") for name in index) == 40
        assert len(index) >= 40
        assert len(index.pairs()) == 0
        index.verify()

    together(work)
    assert len(index) == THREADS * 40
    index.close()
    if kept:
        with benzer.Index.open(folder) as again:
            assert len(again) == THREADS * 40


def test_an_index_that_is_closed_meanwhile(tmp_path: Path) -> None:
    for turn in range(10):
        index = benzer.Index.open(tmp_path / f"{turn}.benzer", create=True)
        index.add([{"id": "a", "text": "one two three four five six"}])

        def query(number: int, index: benzer.Index = index) -> None:
            try:
                for i in range(10_000):
                    index.similar({"text": "one two three four five six"})
                    index.add([{"id": f"{number}-{i}", "text": "one two three"}])
            except benzer.Error as error:
                assert "closed" in str(error)

        def close(number: int, index: benzer.Index = index) -> None:
            time.sleep(0.01)
            index.close()
            assert index.closed

        together(query, query, query, close)


@pytest.mark.parametrize("has_report", [False, True], ids=["later", "asked"])
def test_a_result(has_report: bool, tmp_path: Path) -> None:
    texts = some_texts(1, 300)
    texts += texts[:100]
    file = tmp_path / "docs.jsonl"
    file.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)))
    report = {"report": tmp_path / "report.html"} if has_report else {}
    for result in (benzer.deduplicate(texts), benzer.deduplicate(file, **report)):

        def work(number: int, result: benzer.Result = result) -> None:
            for _ in range(3):
                assert len(result.removed) == 100
                assert [row["kept_row"] for row in result.removed] == list(range(100))
                assert len(result.clusters()) == 200
                assert len(result.annotations()) == 400
                assert sum(result.kept_rows()) == 300
                assert result.problems == []
                assert result.summary["removed"] == 100

        def show(number: int, result: benzer.Result = result) -> None:
            assert json.loads(result.report().json)["counts"] == json.loads(result.report().json)["counts"]
            assert len(pickle.loads(pickle.dumps(result)).removed) == 100

        together(work, show)


def test_runs_that_share_a_list_and_a_callback() -> None:
    texts = some_texts(2, 2000)
    told: list[str] = []

    def run(number: int) -> None:
        for _ in range(3):
            found = benzer.deduplicate(texts, progress=lambda stage, done, total: told.append(stage))
            assert found.summary["documents"] >= 2000
            benzer.sketch(texts[:50])
            benzer.compare(texts[0], texts[1])
            benzer.explain(texts[0])

    def change(number: int) -> None:
        for _ in range(200):
            texts.append("another text that was not there at first")
            texts.pop()

    together(run, change)
    assert told


def test_a_signature_of_datasketch() -> None:
    pytest.importorskip("numpy")
    from benzer import datasketch

    words = [[f"{number} {i}".encode() for i in range(2000)] for number in range(THREADS)]
    all_words = datasketch.MinHash()
    all_words.update_batch([word for some in words for word in some])
    shared = datasketch.MinHash()
    together(lambda number: [shared.update_batch(words[number][i : i + 10]) for i in range(0, 2000, 10)])
    # Updates can get lost, as with datasketch itself, but no value comes from nowhere.
    assert (shared.hashvalues >= all_words.hashvalues).all()
    assert shared.jaccard(all_words) > 0


def test_an_index_of_datasketch() -> None:
    pytest.importorskip("numpy")
    from benzer import datasketch

    index = datasketch.MinHashLSH(threshold=0.8)

    def work(number: int) -> None:
        signatures = datasketch.MinHash.bulk([[f"{number} {i} {j}".encode() for j in range(10)] for i in range(300)])
        for i, signature in enumerate(signatures):
            index.insert((number, i), signature)
            assert (number, i) in index.query(signature)
        for i in range(0, 300, 2):
            index.remove((number, i))
        assert [(number, i) in index for i in range(4)] == [False, True, False, True]
        for i, signature in enumerate(signatures):
            assert ((number, i) in index.query(signature)) == (i % 2 == 1)

    together(work)
    assert len(index.keys) == THREADS * 150


class Key:
    """A key that lets other threads run whenever it is compared or hashed."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        time.sleep(0)
        return self.number % 3

    def __eq__(self, other: object) -> bool:
        time.sleep(0)
        return isinstance(other, Key) and other.number == self.number


def test_an_index_of_datasketch_whose_keys_are_compared_by_python() -> None:
    pytest.importorskip("numpy")
    from benzer import datasketch

    index = datasketch.MinHashLSH(threshold=0.8)
    signatures = datasketch.MinHash.bulk([[f"{i} {j}".encode() for j in range(10)] for i in range(20)])

    def work(number: int) -> None:
        drawn = random.Random(number)
        for _ in range(300):
            i = drawn.randrange(20)
            try:
                if drawn.random() < 0.5:
                    index.insert(Key(i), signatures[i])
                else:
                    index.remove(Key(i))
            except (ValueError, KeyError):  # the key is there, or is not
                pass
            assert all(isinstance(key, Key) for key in index.query(signatures[i]) if key is not None)

    together(work)
    for key in list(index.keys):
        index.remove(key)
    assert len(index.keys) == 0
