# labels: python
"""What a first user does with an installed wheel, with nothing else installed."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

begin = time.perf_counter()
import benzer  # noqa: E402

print(f"Python {sys.version.split()[0]}, benzer {benzer.__version__}, import {time.perf_counter() - begin:.3f} s")

texts = ["one two three four five six seven", "quite another text of some words", "one two three four five six seven"]
result = benzer.deduplicate(texts)
assert result.kept() == texts[:2], result.kept()
assert [row["kept_row"] for row in result.removed] == [0]
assert "<html" in result.report().html

with tempfile.TemporaryDirectory() as folder:
    with benzer.Index.open(Path(folder, "news.benzer"), create=True, fields={"body": "text:word3"}) as index:
        index.add([{"id": "a", "body": texts[0]}])
        assert [match.id for match in index.similar({"body": texts[0]})] == ["a"]
        # The decoder of images is a program inside the package.
    # A white picture of 32 x 32 points as PNM, which needs no library to write.
    picture = b"P6 64 64 255\n" + bytes(
        (x * 3 + y * 7 + c * 40) % 256 for y in range(64) for x in range(64) for c in range(3)
    )
    pictures = benzer.Index(fields={"image": "image:pdq"})
    pictures.add([{"id": "p", "image": picture}], strict=True)
    assert [match.id for match in pictures.similar({"image": picture})] == ["p"]

    lines = Path(folder, "docs.jsonl")
    lines.write_text("".join(f'{{"text":"{text}"}}\n' for text in texts))
    program = Path(sys.executable).with_name("benzer")
    for command in ([program], [sys.executable, "-m", "benzer"]):
        kept = Path(folder, "kept.jsonl")
        subprocess.run([*command, "dedup", lines, "-o", kept, "--quiet"], check=True)
        assert len(kept.read_text().splitlines()) == 2
    try:
        benzer.deduplicate(Path(folder, "docs.parquet"))
    except benzer.NotFoundError:
        pass
    Path(folder, "docs.parquet").write_bytes(b"PAR1")
    try:
        benzer.deduplicate(Path(folder, "docs.parquet"))
    except benzer.InvalidArgumentError as error:
        assert "benzer[arrow]" in str(error)
    else:
        import pyarrow  # noqa: F401  it is installed after all

print("1 passed, 0 failed")
