# labels: python
"""Tables with columns of types that pyarrow itself does not filter: views in lists, and runs of equal values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import benzer

pa = pytest.importorskip("pyarrow", minversion="18")
pl = pytest.importorskip("polars")
from pyarrow import compute, parquet  # noqa: E402

TEXT = "the quick brown fox jumps over the lazy dog at noon"
TEXTS = [TEXT, TEXT, "a text of other words"]
VIEW = pa.string_view()
RUNS = compute.run_end_encode(pa.array(["a", "b", "b"]))
COLUMNS = {
    "list": pa.array([["a"], ["b"], None], pa.list_(VIEW)),
    "large": pa.array([["a"], ["b"], None], pa.large_list(VIEW)),
    "fixed": pa.array([["a"], ["b"], None], pa.list_(VIEW, 1)),
    "struct": pa.array([{"x": "a"}, None, {"x": "c"}], pa.struct([pa.field("x", VIEW, metadata={"k": "v"})])),
    "deep": pa.array([[[{"x": b"a"}]], None, []], pa.list_(pa.list_(pa.struct([("x", pa.binary_view())])))),
    "map": pa.array([[("a", "b")], [], None], pa.map_(VIEW, VIEW)),
    "dictionary": pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), pa.array(["a", "b"], VIEW)),
    "runs": RUNS,
    "list of runs": pa.ListArray.from_arrays([0, 1, 2, 3], RUNS),
    "struct of runs": pa.StructArray.from_arrays([RUNS], names=["x"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_tables_of_any_type_are_filtered(name: str) -> None:
    column = COLUMNS[name]
    table = pa.table({"text": TEXTS, "more": column})
    expected = [column.to_pylist()[0], column.to_pylist()[2]]
    for one in (table, table.to_batches()[0], pa.concat_tables([table.slice(0, 2), table.slice(2)])):
        kept = benzer.deduplicate(one).kept()
        assert kept.schema.equals(table.schema, check_metadata=True) and kept["more"].to_pylist() == expected
        cut = benzer.remove_passages(one, min_words=4, min_left=2).kept()
        assert cut.schema.equals(table.schema, check_metadata=True) and cut["more"].to_pylist() == expected


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("suffix", [".arrow", ".arrows", ".parquet"])
def test_files_of_any_type_are_written_or_refused_at_once(
    name: str, suffix: str, tmp_path: Path, monkeypatch: Any
) -> None:
    table = pa.table({"text": TEXTS, "more": COLUMNS[name]})
    source, output = tmp_path / "in.arrow", tmp_path / f"out{suffix}"
    with pa.ipc.new_file(str(source), table.schema) as out:
        out.write_table(table)
    if suffix == ".parquet" and "runs" in name:
        monkeypatch.setattr(benzer._inputs.Inputs, "start", None)
        with pytest.raises(benzer.InvalidArgumentError, match="column 'more' of the type .* cannot be written to Parq"):
            benzer.deduplicate(source, output=output)
        assert not output.exists()
        return
    benzer.deduplicate(source, output=output)
    if suffix == ".parquet":
        kept = parquet.read_table(output)
    else:
        kept = (pa.ipc.open_file if suffix == ".arrow" else pa.ipc.open_stream)(str(output)).read_all()
        assert kept.schema == table.schema
    assert kept["more"].to_pylist() == [COLUMNS[name].to_pylist()[0], COLUMNS[name].to_pylist()[2]]


def test_files_of_polars(tmp_path: Path) -> None:
    frame = pl.DataFrame({"text": TEXTS, "tags": [["a"], ["b"], ["c"]], "meta": [{"x": "a"}] * 3})
    frame.write_ipc(tmp_path / "in.arrow")
    benzer.deduplicate(tmp_path / "in.arrow", output=tmp_path / "out.arrow")
    assert pl.read_ipc(tmp_path / "out.arrow").equals(frame[[0, 2]])
