"""Makes the inputs of spark.py: Parquet files of JSON lines, the data sets, and sets that are hard to do in parts."""
from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from corpora import SEED, planted, unpacked
from measure import OUT, data_folder

ROW_GROUP = 10_000
BLOCK = 64 << 20


@dataclass(frozen=True)
class DataSet:
    name: str
    lines: Path
    options: dict[str, str] = field(default_factory=dict)  # of benzer dedup and of benzer.spark.deduplicate()

    @property
    def words(self) -> list[str]:
        return [word for name, value in self.options.items() for word in (f"--{name}", value)]


def parquet_of(lines: Path, column: str = "text") -> Path:
    """Returns the ids and one more column of JSON lines as Parquet with zstd, made again when the lines were.

    It is made block by block, since ten million documents do not have to fit into memory.
    """
    import pyarrow
    from pyarrow import json as arrow_json
    from pyarrow import parquet

    path = lines.with_suffix(".spark.parquet")
    if path.exists() and path.stat().st_mtime >= lines.stat().st_mtime:
        return path
    fresh = path.with_suffix(".fresh")
    held: list[pyarrow.RecordBatch] = []

    def write_groups(writer: parquet.ParquetWriter, least: int) -> None:
        rows = pyarrow.Table.from_batches(held)
        while rows.num_rows >= least and rows.num_rows:
            writer.write_table(rows.slice(0, ROW_GROUP))
            rows = rows.slice(ROW_GROUP)
        held[:] = rows.to_batches()

    with arrow_json.open_json(lines, read_options=arrow_json.ReadOptions(block_size=BLOCK)) as reader:
        schema = pyarrow.schema([reader.schema.field(name) for name in ("id", column)])
        with parquet.ParquetWriter(fresh, schema, compression="zstd") as writer:
            for batch in reader:
                held.append(batch.select(["id", column]))
                write_groups(writer, ROW_GROUP)
            if held:
                write_groups(writer, 1)
    fresh.rename(path)
    return path


def made(name: str, documents: int, texts: Callable[[int], Iterator[str]]) -> Path:
    path = OUT / f"{name}-{documents}.jsonl"
    if not path.exists():
        fresh = path.with_suffix(".fresh")
        with fresh.open("w", encoding="ascii") as file:
            for number, text in enumerate(texts(documents)):
                file.write(json.dumps({"id": f"d{number:07}", "text": text}) + "\n")
        fresh.rename(path)
    return path


def chain_texts(documents: int) -> Iterator[str]:
    """Yields texts of 104 words, each eight words further than the one before it.

    Neighbours have 92 of 108 features of five words in common (0.85), and the next but one 84 of 116 (0.72). So every
    other document is kept, and which ones depends on the first of the chain.
    """
    for number in range(documents):
        yield " ".join(f"w{n}" for n in range(8 * number, 8 * number + 104))


def template_texts(documents: int) -> Iterator[str]:
    """Yields texts that begin with the same 200 words. Most end with 5 to 30 of their own, one in fifty with 60.

    So nearly all share keys with all. Those with 60 are similar to no other, and are kept.
    """
    chance = random.Random(SEED)
    front = " ".join(f"clause{n}" for n in range(200))
    for number in range(documents):
        own = 60 if chance.random() < 0.02 else chance.randint(5, 30)
        yield f"{front} " + " ".join(f"d{number}w{n}" for n in range(own))


def data_sets(quick: bool) -> Iterator[DataSet]:
    yield DataSet("made, with near-duplicates", planted(10_000 if quick else 100_000).path)
    if data := data_folder():
        if not quick:
            yield descriptions()
            yield DataSet("manual pages", unpacked(data / "manpages" / "manpages.jsonl.zst"))
        yield DataSet("names in package relations", unpacked(data / "package-sets" / "depends.jsonl.zst"),
                      {"values": "values"})
        yield DataSet("declaration of human rights", unpacked(data / "udhr" / "udhr.jsonl.zst"),
                      {"features": "text:char5", "threshold": "0.3"})
    yield DataSet("a chain", made("chain", 2_000, chain_texts))
    yield DataSet("one template", made("template", 2_000 if quick else 20_000, template_texts))


def descriptions() -> DataSet:
    data = data_folder()
    assert data is not None
    return DataSet("Debian descriptions", unpacked(data / "debian-descriptions" / "descriptions.jsonl.zst"),
                   {"features": "text:word3"})
