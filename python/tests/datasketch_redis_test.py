"""Tests of an index of benzer.datasketch in Redis, with a server of their own, and with datasketch if it is installed."""

from __future__ import annotations

import pickle
import shutil
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import benzer.datasketch as sketch

redis = pytest.importorskip("redis")

try:
    import datasketch as peer
except ImportError:
    peer = None

SERVER = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(SERVER is None, reason="redis-server is not installed")
BASE = b"tested"


@pytest.fixture(scope="module")
def socket(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("redis")
    path = folder / "socket"
    command = [str(SERVER), "--port", "0", "--unixsocket", str(path), "--save", "", "--dir", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    for _ in range(100):
        if path.exists():
            break
        time.sleep(0.05)
    yield path
    server.terminate()
    server.wait()


@pytest.fixture
def client(socket: Path) -> Any:
    result = redis.Redis(unix_socket_path=str(socket))
    result.flushall()
    return result


@pytest.fixture
def config(client: Any, socket: Path) -> dict[str, Any]:
    return {"type": "redis", "basename": BASE, "redis": {"unix_socket_path": str(socket)}}


def signatures(module: Any, scheme: str = "affine32") -> list[Any]:
    lists = [[b"%d" % j for j in range(i, i + 20)] for i in range(30)]
    return list(module.MinHash.bulk(lists, num_perm=16, scheme=scheme))


def make_index(module: Any, config: dict[str, Any], **options: Any) -> Any:
    return module.MinHashLSH(num_perm=16, params=(4, 4), storage_config=config, **options)


def content(client: Any) -> dict[bytes, Any]:
    """All that is in the server."""
    read = {b"hash": client.hgetall, b"set": client.smembers, b"list": lambda key: client.lrange(key, 0, -1)}
    return {key: read[client.type(key)](key) for key in client.keys()}


@pytest.mark.parametrize("session", [False, True])
def test_layout(client: Any, config: dict[str, Any], session: bool) -> None:
    lsh, (a, *_) = make_index(sketch, config), signatures(sketch)
    if session:
        with lsh.insertion_session(buffer_size=3) as target:
            target.insert("first", a)
    else:
        lsh.insert("first", a)
    key = pickle.dumps("first")
    band_keys = [a.hashvalues[i : i + 4].astype(">u4").tobytes() for i in range(0, 16, 4)]
    expected: dict[bytes, Any] = {BASE + b"_keys": {key: BASE + b"_keys" + key}, BASE + b"_keys" + key: band_keys}
    for band, band_key in enumerate(band_keys):
        name = BASE + b"_bucket_" + struct.pack(">H", band)
        expected[name] = {band_key: name + band_key}
        expected[name + band_key] = {key}
    assert content(client) == expected
    if session:
        with lsh.deletion_session() as target2:
            target2.remove("first")
    else:
        lsh.remove("first")
    assert content(client) == {}


def test_answers_as_in_memory(config: dict[str, Any]) -> None:
    lsh, memory = make_index(sketch, config), sketch.MinHashLSH(num_perm=16, params=(4, 4))
    all_ = signatures(sketch)
    with lsh.insertion_session(buffer_size=50) as session:
        for i, m in enumerate(all_):
            session.insert(i, m)
            memory.insert(i, m)
    for i in range(0, 30, 4):
        lsh.remove(i)
        memory.remove(i)
    for m in all_:
        assert sorted(lsh.query(m)) == sorted(memory.query(m))
    assert sorted(sum(counts.values()) for counts in lsh.get_counts()) == [22] * 4
    assert [len(counts) for counts in lsh.get_counts()] == [len(counts) for counts in memory.get_counts()]
    assert [sum(counts.values()) for counts in lsh.get_subset_counts(1, 2)] == [2] * 4
    lsh.add_to_query_buffer(all_[1])
    lsh.add_to_query_buffer(all_[2])
    assert set(lsh.collect_query_buffer()) == set(memory.query(all_[1])) & set(memory.query(all_[2]))
    again = pickle.loads(pickle.dumps(lsh))
    assert sorted(again.query(all_[1])) == sorted(memory.query(all_[1]))
    again.insert("more", all_[0])
    assert "more" in lsh and "other" not in lsh
    memory.insert(b"more", all_[0])
    other = make_index(sketch, {**config, "basename": b"other"})
    other.merge(lsh)
    assert sorted(map(str, other.query(all_[1]))) == sorted(map(str, lsh.query(all_[1])))
    with pytest.raises(ValueError, match="in both"):
        other.merge(lsh, check_overlap=True)


def after_each_request(monkeypatch: pytest.MonkeyPatch, action: Any) -> None:
    """Carry out what another program does after each request, whose number it takes."""
    requests = 0
    acting = False

    def with_action(send: Any) -> Any:
        def replaced(*args: Any, **options: Any) -> Any:
            nonlocal acting, requests
            answer = send(*args, **options)
            if not acting:
                acting = True
                action(requests)
                requests += 1
                acting = False
            return answer

        return replaced

    monkeypatch.setattr(redis.Redis, "execute_command", with_action(redis.Redis.execute_command))
    monkeypatch.setattr(redis.client.Pipeline, "execute", with_action(redis.client.Pipeline.execute))


def remove(lsh: Any, key: str, session: bool) -> None:
    if session:
        with lsh.deletion_session() as target:
            target.remove(key)
    else:
        lsh.remove(key)


@pytest.mark.parametrize("session", [False, True])
@pytest.mark.parametrize("transaction", [False, True])
@pytest.mark.parametrize("turn", [0, 1, 2, 3])
def test_removal_while_another_program_inserts(
    config: dict[str, Any], monkeypatch: pytest.MonkeyPatch, session: bool, transaction: bool, turn: int
) -> None:
    config["redis_buffer"] = {"transaction": transaction}
    lsh, other = make_index(sketch, config), make_index(sketch, config)
    m = signatures(sketch)[0]
    lsh.insert("old", m)
    inserted = []

    def insert(request: int) -> None:
        if request == turn:
            other.insert("new", m)
            inserted.append("new")

    with monkeypatch.context() as patch:
        after_each_request(patch, insert)
        remove(lsh, "old", session)
    assert inserted or turn > 0
    assert lsh.query(m) == inserted
    assert lsh.get_counts() == lsh.get_subset_counts(*inserted)


@pytest.mark.parametrize("session", [False, True])
def test_removal_while_another_program_replaces_the_key(
    client: Any, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch, session: bool
) -> None:
    lsh, other = make_index(sketch, config), make_index(sketch, config)
    all_ = signatures(sketch)
    a, b = all_[0], all_[29]
    lsh.insert("key", a)

    def replace(request: int) -> None:
        if request == 0:
            if "key" in other:
                other.remove("key")
            other.insert("key", b)

    with monkeypatch.context() as patch:
        after_each_request(patch, replace)
        remove(lsh, "key", session)
    assert lsh.query(a) == []
    assert lsh.query(b) == (["key"] if "key" in lsh else [])
    if "key" in lsh:
        lsh.remove("key")
    assert content(client) == {}


def test_tables_forget_what_is_empty(client: Any, config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    lsh = make_index(sketch, config)
    for table in (lsh.keys, lsh.hashtables[0]):
        for buffer in (False, True):
            table.insert(b"key", b"one", b"two", buffer=buffer)
            table.remove_val(b"key", b"one", buffer=buffer)
            table.empty_buffer()
            assert b"key" in table and list(table[b"key"]) == [b"two"]
            table.remove_val(b"key", b"two", buffer=buffer)
            table.empty_buffer()
            assert content(client) == {}
        for turn in range(3):
            table.insert(b"key", b"one")
            values = []

            def insert(request: int, table: Any = table, turn: int = turn, values: list[bytes] = values) -> None:
                if request == turn:
                    table.insert(b"key", b"two")
                    values.append(b"two")

            with monkeypatch.context() as patch:
                after_each_request(patch, insert)
                table.remove_val(b"key", b"one")
            assert list(table[b"key"]) == values
            assert (b"key" in table) == bool(values)
            table.remove(b"key")
            assert content(client) == {}


def test_an_entry_is_written_after_its_values(config: dict[str, Any]) -> None:
    # Where this is no transaction, a removal in between would take an entry without values.
    lsh = make_index(sketch, config)
    for table, command in ((lsh.keys, "RPUSH"), (lsh.hashtables[0], "SADD")):
        pipe = table.new_buffer(table._redis)
        table.send_insert(pipe, b"key", b"value")
        assert [sent[0][0] for sent in pipe.command_stack] == [command, "HSET"]


def test_copies_share_a_client_and_keep_attributes(config: dict[str, Any]) -> None:
    lsh, a = make_index(sketch, config), signatures(sketch)[0]
    lsh.keys.name = "own"
    session = lsh.insertion_session()
    session.insert("first", a)
    again = pickle.loads(pickle.dumps(lsh))
    session.close()
    assert again.query(a) == ["first"]
    assert again.keys.name == "own"
    assert again._redis._pending == 0
    assert all(table._redis is again.keys._redis for table in again.hashtables)


def test_a_key_that_has_lost_its_list(client: Any, config: dict[str, Any]) -> None:
    lsh = make_index(sketch, config)
    lsh.keys._redis.hset(lsh.keys._name, pickle.dumps("key"), b"name")
    assert "key" in lsh
    lsh.remove("key")
    assert content(client) == {}


def test_merge_of_weighted_signatures_of_32_bits(config: dict[str, Any]) -> None:
    hashvalues = sketch.WeightedMinHashGenerator(3, 16).minhash([1, 2, 3]).hashvalues.astype("int32")
    m = sketch.WeightedMinHash(1, hashvalues)
    lsh, memory = make_index(sketch, config), sketch.MinHashLSH(num_perm=16, params=(4, 4))
    lsh.insert("first", m)
    memory.merge(lsh)
    assert lsh.query(m) == ["first"]
    assert memory.query(m) == [pickle.dumps("first")]


def test_errors(config: dict[str, Any]) -> None:
    lsh, (a, *_) = make_index(sketch, config), signatures(sketch)
    lsh.insert("first", a)
    with pytest.raises(ValueError, match="in the index already"):
        lsh.insert("first", a)
    with pytest.raises(ValueError, match="not in the index"):
        lsh.remove("second")
    plain = make_index(sketch, {**config, "basename": b"plain"}, prepickle=False)
    with pytest.raises(TypeError, match="keys in Redis are bytes"):
        plain.insert("first", a)
    plain.insert(b"first", a)
    assert plain.query(a) == [b"first"]


def test_configuration_from_the_environment(
    config: dict[str, Any], socket: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", str(socket))
    lsh = make_index(
        sketch, {**config, "redis": {"unix_socket_path": {"env": "PLACE"}, "db": {"env": "NO", "default": 0}}}
    )
    lsh.insert("first", signatures(sketch)[0])
    assert make_index(sketch, config).query(signatures(sketch)[0]) == ["first"]


@pytest.mark.skipif(peer is None, reason="datasketch is not installed")
@pytest.mark.parametrize("scheme", ["affine32", "affine64", "legacy"])
@pytest.mark.parametrize("session", [False, True])
def test_shares_a_server_with_datasketch(client: Any, config: dict[str, Any], scheme: str, session: bool) -> None:
    theirs, ours = signatures(peer, scheme), signatures(sketch, scheme)

    def insert(module: Any, index: Any, numbers: range, all_: list[Any]) -> None:
        if not session:
            for i in numbers:
                index.insert(i, all_[i])
            return
        with index.insertion_session() as target:
            for i in numbers:
                target.insert(i, all_[i])

    contents = []
    for module, all_ in ((peer, theirs), (sketch, ours)):
        client.flushall()
        insert(module, make_index(module, config), range(20), all_)
        contents.append(content(client))
    assert contents[0] == contents[1]
    # Each adds some, and both see all.
    their_index, our_index = make_index(peer, config), make_index(sketch, config)
    insert(peer, their_index, range(20, 25), theirs)
    insert(sketch, our_index, range(25, 30), ours)
    for a, b in zip(theirs, ours):
        assert sorted(their_index.query(a)) == sorted(our_index.query(b))
    for i in range(30):
        (their_index if i % 2 else our_index).remove(i)
    assert our_index.is_empty()
    # datasketch pickled an index in Redis: it is opened again here.
    their_index.insert("again", theirs[0])
    assert sketch.loads(pickle.dumps(their_index)).query(ours[0]) == ["again"]


def test_ensemble(client: Any, config: dict[str, Any]) -> None:
    all_ = signatures(sketch)
    options = {"threshold": 0.5, "num_perm": 16, "num_part": 2, "m": 4}
    ensembles = [sketch.MinHashLSHEnsemble(**options, storage_config=kind) for kind in (config, {"type": "dict"})]
    for ensemble in ensembles:
        ensemble.index([(i, m, 20 + i % 5) for i, m in enumerate(all_)])
    for m in all_:
        assert sorted(ensembles[0].query(m, 20)) == sorted(ensembles[1].query(m, 20))
    plain = sketch.MinHashLSHEnsemble(**options, storage_config={**config, "basename": b"plain"}, prepickle=False)
    with pytest.raises(TypeError, match="keys in Redis are bytes"):
        plain.index([(b"first", all_[0], 20), ("second", all_[1], 30)])
    assert plain.is_empty()
