# labels: python
"""Limits the memory that reading files takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benzer._files import TableFiles
from benzer._tables import Fields

pyarrow = pytest.importorskip("pyarrow")


def test_a_large_row_group_is_read_in_pieces(tmp_path: Path) -> None:
    from pyarrow import parquet

    # 64 MiB in one row group, which was read in one piece (80 MiB).
    texts = [os.urandom(1 << 10).hex() for _ in range(1 << 15)]
    path = tmp_path / "one.parquet"
    parquet.write_table(pyarrow.table({"text": texts}), path, compression="none", use_dictionary=False)
    assert parquet.ParquetFile(path).metadata.num_row_groups == 1
    del texts

    (source,) = TableFiles([str(path)], Fields(None, None, None)).sources()
    before = pyarrow.total_allocated_bytes()
    most = rows = 0
    for batch in pyarrow.RecordBatchReader.from_stream(source.open()):
        rows += batch.num_rows
        most = max(most, pyarrow.total_allocated_bytes() - before)
    assert rows == 1 << 15
    # A batch has 16 MiB.
    assert most < 40 << 20
