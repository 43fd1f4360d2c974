"""What the executors of ``benzer.spark`` do: each function takes the batches of a partition and yields others.

They depend on nothing but their arguments and the rows, in any order of batches, so a task may be
repeated, or run twice at the same time, and its result is the same.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benzer import _engine
from benzer._errors import BadInputError
from benzer._runs import deduplicate
from benzer._tables import Fields, source_of

NUMBER = "_benzer_number"
"""The number of a document, next to columns of the user, which may have any name."""
KIND, FIRST, ID = "_benzer_kind", "_benzer_first", "_benzer_id"

COMPARED, COPY, EQUAL, DROPPED = 0, 1, 2, 3
"""Kinds of members: its text is compared; its text is that of another member; it is one of a family
of which all have equal features; it is removed because it is short."""

LARGEST_BUCKET = 64
"""As on one machine: of larger buckets no list of all pairs is made."""
MOST_COMPARED = 65536
"""The documents of larger buckets are taken for connected without a look at their signatures."""

_BATCH_BYTES = 4 << 20
"""About what a batch of texts has that are written for the engine."""

Batches = Iterable[Any]

_LARGE = {pa.string(): pa.large_string(), pa.list_(pa.string()): pa.large_list(pa.large_string())}


def with_names(batches: Batches, names: Sequence[str], task: Callable[[Batches], Iterator[Any]]) -> Iterator[Any]:
    """Carry out a task on batches whose columns get these names first."""
    return task(pa.RecordBatch.from_arrays(batch.columns, names=names) for batch in batches)


def fixed_binary(data: bytes, width: int) -> Any:
    """Make a column of values of the same width out of their bytes."""
    count = len(data) // width
    offsets = np.arange(count + 1, dtype=np.int32) * width
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def bytes_of(column: Any) -> Any:
    """Return the bytes of a column of values of one width, without a copy."""
    _, offsets, data = column.buffers()
    if len(column) == 0:
        return b""
    width = np.int64 if pa.types.is_large_binary(column.type) else np.int32
    ends = np.frombuffer(offsets, width)[column.offset : column.offset + len(column) + 1]
    return memoryview(data)[ends[0] : ends[-1]]


def numbers_of(column: Any) -> Any:
    return column.to_numpy(zero_copy_only=False)


def pairs_batch(pairs: Any) -> Any:
    """Make a batch of the columns a and b."""
    both = np.frombuffer(pairs, np.int64).reshape(-1, 2)
    return pa.RecordBatch.from_arrays([pa.array(both[:, 0]), pa.array(both[:, 1])], names=["a", "b"])


def sliced(batch: Any, rows: int = 1 << 16) -> Iterator[Any]:
    for begin in range(0, batch.num_rows, rows):
        yield batch.slice(begin, rows)


def sketch(batches: Batches, settings: dict[str, Any], key: bytes) -> Iterator[Any]:
    """Sketch documents: rows with their number and the columns that the settings name."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        rows = batch.num_rows
        # An id may have a type that the engine does not take. It is read so that damage of its column is found here.
        batch = batch.select([name for name in batch.schema.names if name != ID])
        made = _engine.sketch_partition(settings, [source_of(batch, fields_compared(settings))], key)
        flags = np.frombuffer(made["takes_part"], np.uint8) | np.frombuffer(made["is_short"], np.uint8) << 1
        replaced = np.zeros(rows, np.int32)
        replaced[0] = made["replaced"]
        yield pa.RecordBatch.from_arrays(
            [
                batch.column(NUMBER),
                fixed_binary(made["fingerprints"], 16),
                fixed_binary(made["keys"], len(made["keys"]) // rows),
                fixed_binary(made["cut"], len(made["cut"]) // rows),
                pa.array(np.frombuffer(made["bytes"], np.int64)),
                pa.array(flags.astype(np.int8)),
                pa.array(replaced),
            ],
            names=["number", "fingerprint", "keys", "cut", "bytes", "flags", "replaced"],
        )


def fields_compared(settings: dict[str, Any]) -> Fields:
    return Fields(settings.get("text"), settings.get("values"), None, settings.get("by"), [])


def _packed(parts: list[int], packed: list[bytes]) -> Any:
    kept = [i for i, one in enumerate(packed) if one]
    return pa.RecordBatch.from_arrays(
        [pa.array([parts[i] for i in kept], pa.int32()), pa.array([packed[i] for i in kept], pa.binary())],
        names=["part", "packed"],
    )


def send_fingerprints(batches: Batches, parts: list[int]) -> Iterator[Any]:
    """Divide fingerprints and numbers among the parts, so that equal ones meet."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        entries = np.empty((batch.num_rows, 3), np.uint64)
        entries[:, :2] = np.frombuffer(bytes_of(batch.column("fingerprint")), np.uint64).reshape(-1, 2)
        entries[:, 2] = numbers_of(batch.column("number"))
        part = entries[:, 0] % np.uint64(len(parts))
        order = np.argsort(part, kind="stable")
        ends = np.searchsorted(part[order], np.arange(len(parts) + 1, dtype=np.uint64))
        entries = entries[order]
        yield _packed(parts, [entries[ends[i] : ends[i + 1]].tobytes() for i in range(len(parts))])


def find_copies(batches: Batches) -> Iterator[Any]:
    """Find documents with equal fingerprints: each, as b, and the first of them, as a."""
    entries = np.concatenate(
        [np.empty((0, 3), np.uint64)]
        + [
            np.frombuffer(one.as_buffer(), np.uint64).reshape(-1, 3)
            for batch in batches
            for one in batch.column("packed")
        ]
    )
    entries = entries[np.lexsort((entries[:, 2], entries[:, 1], entries[:, 0]))]
    is_first = np.ones(len(entries), bool)
    is_first[1:] = (entries[1:, :2] != entries[:-1, :2]).any(axis=1)
    firsts = entries[is_first, 2]
    first = firsts[np.cumsum(is_first) - 1] if len(entries) else entries[:, 2]
    pairs = np.stack([first[~is_first], entries[~is_first, 2]], axis=1).astype(np.int64)
    yield from sliced(pairs_batch(np.ascontiguousarray(pairs)))


def send_keys(batches: Batches, parts: list[int]) -> Iterator[Any]:
    """Divide the keys of bands among the parts, so that equal ones meet."""
    for batch in batches:
        if batch.num_rows == 0:
            continue
        numbers = np.ascontiguousarray(numbers_of(batch.column("number")))
        yield _packed(parts, _engine.pack_keys(bytes_of(batch.column("keys")), numbers, len(parts)))


def find_buckets(batches: Batches) -> Iterator[Any]:
    """Find the documents that share a key: as pairs, or with the key if they are many."""
    buckets = _engine.KeyBuckets()
    for batch in batches:
        for one in batch.column("packed"):
            buckets.add(one.as_buffer())
    found, large = buckets.find(LARGEST_BUCKET)
    pairs = pairs_batch(found)
    keys = pa.nulls(pairs.num_rows, pa.int64())
    yield from sliced(pa.RecordBatch.from_arrays([*pairs.columns, keys], names=["a", "b", "key"]))
    entries = np.frombuffer(large, np.int64).reshape(-1, 2)
    columns = [pa.array(entries[:, 1]), pa.nulls(len(entries), pa.int64()), pa.array(entries[:, 0])]
    yield from sliced(pa.RecordBatch.from_arrays(columns, names=["a", "b", "key"]))


def near(batches: Batches, settings: dict[str, Any]) -> Iterator[Any]:
    """Keep the pairs whose signatures are near enough to be compared exactly."""
    for batch in batches:
        passes = _engine.near_signatures(settings, bytes_of(batch.column("cut_a")), bytes_of(batch.column("cut_b")))
        mask = pa.array(np.frombuffer(passes, np.bool_))
        yield batch.select(["a", "b"]).filter(mask)


def connect_buckets(batches: Batches, settings: dict[str, Any]) -> Iterator[Any]:
    """Connect the documents of large buckets: rows (key, number, cut), sorted by key and number."""
    key: int | None = None
    numbers: list[Any] = []
    cuts: list[Any] = []

    def finish() -> Iterator[Any]:
        if not numbers:
            return
        members = np.concatenate(numbers)
        if len(members) > MOST_COMPARED:
            pairs = np.stack([np.full(len(members) - 1, members[0]), members[1:]], axis=1)
        else:
            found = _engine.connect_near_signatures(settings, np.frombuffer(b"".join(cuts), np.uint8))
            pairs = members[np.frombuffer(found, np.uint32).reshape(-1, 2)]
        yield from sliced(pairs_batch(np.ascontiguousarray(pairs, np.int64)))

    for batch in batches:
        keys = numbers_of(batch.column("key"))
        starts = [0, *(np.flatnonzero(np.diff(keys)) + 1).tolist(), len(keys)]
        for begin, end in zip(starts, starts[1:], strict=False):
            if begin == end:
                continue
            if keys[begin] != key:
                yield from finish()
                key, numbers, cuts = keys[begin], [], []
            piece = batch.slice(begin, end - begin)
            numbers.append(numbers_of(piece.column("number")))
            if sum(map(len, numbers)) <= MOST_COMPARED:
                cuts.append(bytes(bytes_of(piece.column("cut"))))
    yield from finish()


def connect(batches: Batches, is_last: bool) -> Iterator[Any]:
    """Find components: each document, as b, and the lowest of its component, as a.

    Unless this is the last step, the lowest itself is left out, so that pairs go on to the next.
    """
    connections = _engine.Connections()
    for batch in batches:
        pairs = np.stack([numbers_of(batch.column("a")), numbers_of(batch.column("b"))], axis=1)
        connections.add(np.ascontiguousarray(pairs, np.int64))
    pairs = np.frombuffer(connections.components(), np.int64).reshape(-1, 2)
    if not is_last:
        pairs = np.ascontiguousarray(pairs[pairs[:, 0] != pairs[:, 1]])
    yield from sliced(pairs_batch(pairs))


class Members:
    """The rows of a partition in memory, or in a local file if they are many."""

    def __init__(self, batches: Batches, most_bytes: int, folder: str, name: str = "members.arrow") -> None:
        self.batches: list[Any] = []
        self.path: str | None = None
        size = 0
        writer: Any = None
        for batch in batches:
            size += batch.nbytes
            self.batches.append(batch)
            if writer is None and size > most_bytes:
                self.path = os.path.join(folder, name)
                writer = pa.ipc.new_file(self.path, batch.schema)
            if writer is not None:
                for one in self.batches:
                    writer.write_batch(one)
                self.batches = []
        if writer is not None:
            writer.close()

    def table(self) -> Any:
        if self.path is not None:
            return pa.ipc.open_file(pa.memory_map(self.path)).read_all()
        return pa.Table.from_batches(self.batches) if self.batches else None


def choose(batches: Batches, settings: dict[str, Any], references: int, most_bytes: int, schema: Any) -> Iterator[Any]:
    """Deduplicate whole components: rows with their number and kind, sorted by number.

    references: the numbers below it are those of references. most_bytes: what is held in memory.
    """
    with tempfile.TemporaryDirectory(prefix="benzer-") as folder:
        table = Members(batches, most_bytes, folder).table()
        if table is None or table.num_rows == 0:
            return
        numbers = numbers_of(table.column(NUMBER))
        kinds = numbers_of(table.column(KIND))
        firsts = numbers_of(table.column(FIRST))
        removed = _removed_equal(numbers, kinds, firsts, references)
        links: tuple[Any, Any] | None = None
        listed = np.count_nonzero((kinds != EQUAL) | (firsts != numbers))
        note = {"candidates": 0, "verified_pairs": 0}
        compared = kinds <= COPY
        if compared.any():
            rows = np.flatnonzero(compared)
            run = _deduplicated(table, rows, firsts, settings, references, most_bytes, folder)
            found = pa.table(run.removed)
            # The ids are places among these rows.
            row, kept_row = (rows[numbers_of(found.column(name))] for name in ("id", "kept_id"))
            removed.append((row, kept_row, numbers_of(found.column("score"))))
            note = {name: run.summary[name] for name in note}
            if "linked_id" in found.column_names:
                links = (rows[numbers_of(found.column("linked_id"))], numbers_of(found.column("linked_score")))
        note["listed"] = int(listed)
        yield from sliced(_removed_batch(table, removed, links, note, schema))


def _places_of(wanted: Any, numbers: Any) -> Any:
    """Return where these documents are among the sorted numbers of all rows."""
    places = np.searchsorted(numbers, wanted)
    if not np.array_equal(numbers[np.minimum(places, len(numbers) - 1)], wanted):
        raise BadInputError(
            "the documents changed while they were read, since one is missing that others are copies of; run it again "
            "with another checkpoint"
        )
    return places


def _removed_equal(numbers: Any, kinds: Any, firsts: Any, references: int) -> list[tuple[Any, Any, Any]]:
    """Return what needs no comparison: rows, the rows of their keepers (-1: none) and scores."""
    equal = np.flatnonzero((kinds == EQUAL) & (firsts != numbers) & (numbers >= references))
    dropped = np.flatnonzero(kinds == DROPPED)
    return [
        (equal, _places_of(firsts[equal], numbers), np.ones(len(equal))),
        (dropped, np.full(len(dropped), -1), np.zeros(len(dropped))),
    ]


def _deduplicated(
    table: Any, rows: Any, firsts: Any, settings: dict[str, Any], references: int, most_bytes: int, folder: str
) -> Any:
    """Run the engine on these rows. Copies of a document have its row, once more."""
    names = [name for name in table.column_names if name not in (NUMBER, KIND, FIRST, ID)]
    numbers = numbers_of(table.column(NUMBER))
    places = _places_of(firsts[rows], numbers)
    content = [name for name in names if name in (settings.get("text"), settings.get("values"), settings.get("by"))]
    chosen = table.select(names)
    if len(rows) < table.num_rows or (places != rows).any():
        chosen = Members(_expanded(chosen, rows, places, content), most_bytes, folder, "chosen.arrow").table()
    # A column "id" of the user would be taken for ids, if it is here for another purpose.
    chosen = chosen.append_column(ID, pa.array(np.arange(len(rows))))
    known = int(np.searchsorted(numbers[rows], references))
    arguments: dict[str, Any] = {**settings, "id": ID, "threads": 1, "allow_large_clusters": True}
    documents, against = chosen.slice(known), chosen.slice(0, known)
    if chosen.nbytes > most_bytes:
        arguments.update(memory_limit=max(4 * most_bytes, 64 << 20), work=folder)
    return deduplicate(documents, against=against if known else None, **arguments)


def _expanded(table: Any, rows: Any, places: Any, content: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of a table in batches of some megabytes, with the content of the rows at these places."""
    sizes = np.full(table.num_rows, 64, np.int64)
    for name in content:
        sizes += _sizes_of(table.column(name))
    batch_of = np.cumsum(sizes[places]) // _BATCH_BYTES
    starts = [0, *(np.flatnonzero(np.diff(batch_of)) + 1).tolist(), len(rows)]
    for begin, end in zip(starts, starts[1:], strict=False):
        taken = {
            name: _taken(table.column(name), (places if name in content else rows)[begin:end])
            for name in table.column_names
        }
        yield pa.RecordBatch.from_pydict(taken)


def _sizes_of(column: Any) -> Any:
    """Return about how many bytes each value has."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return numbers_of(pc.fill_null(pc.binary_length(column), 0))
    if pa.types.is_nested(column.type):
        each = column.nbytes // max(1, len(column))
        return np.full(len(column), each, np.int64)
    return np.zeros(len(column), np.int64)


def _taken(column: Any, places: Any) -> Any:
    """Return the values at these places, without the copy of a whole column in chunks that take() makes first."""
    each, inverse = np.unique(places, return_inverse=True)
    ends = np.cumsum([len(chunk) for chunk in column.chunks])
    chunk_of = np.searchsorted(ends, each, side="right")
    pieces = []
    for number in np.unique(chunk_of):
        chunk = column.chunk(int(number))
        local = each[chunk_of == number] - (ends[number] - len(chunk))
        pieces.append(chunk.take(pa.array(local)))
    values = pa.concat_arrays(pieces)
    values = values.cast(_LARGE.get(values.type, values.type))
    return values if np.array_equal(each, places) else values.take(pa.array(inverse))


def _removed_batch(
    table: Any, removed: list[tuple[Any, Any, Any]], links: tuple[Any, Any] | None, note: dict[str, Any], schema: Any
) -> Any:
    rows: Any = np.concatenate([one[0] for one in removed]).astype(int)
    kept_rows: Any = np.concatenate([one[1] for one in removed]).astype(int)
    scores: Any = np.concatenate([one[2] for one in removed]).astype(float)
    numbers, ids = table.column(NUMBER), table.column(ID)
    keepers = pa.array(kept_rows, mask=kept_rows < 0)
    columns: dict[str, Any] = {
        "number": numbers.take(pa.array(rows)),
        "kept_number": numbers.take(keepers),
        "score": pa.array(scores, mask=kept_rows < 0),
        "id": ids.take(pa.array(rows)),
        "kept_id": ids.take(keepers),
    }
    if "linked_id" in schema.names:
        at, score = links if links is not None else (np.empty(0, int), np.empty(0))
        linked = np.concatenate([kept_rows[: len(rows) - len(at)], at]).astype(int)
        columns["linked_id"] = ids.take(pa.array(linked, mask=linked < 0))
        scores = np.concatenate([scores[: len(rows) - len(at)], score])
        columns["linked_score"] = pa.array(scores, mask=linked < 0)
    count = len(rows)
    columns["note"] = pa.nulls(count, pa.string())
    out = pa.table({name: columns[name].cast(schema.field(name).type) for name in schema.names}, schema=schema)
    # Components are whole, so no other task has documents of these clusters.
    sizes = np.unique(kept_rows[kept_rows >= 0], return_counts=True)[1]
    counts = {**note, "clusters": len(sizes), "largest_cluster": 1 + int(sizes.max()) if len(sizes) else 0}
    empty = {name: pa.nulls(1, schema.field(name).type) for name in schema.names}
    out = pa.concat_tables([out, pa.table({**empty, "note": pa.array([json.dumps(counts)])}, schema=schema)])
    return out.combine_chunks().to_batches()[0]
