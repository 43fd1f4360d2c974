#!/usr/bin/env python3
"""Writes datatrove_vectors.json: the signatures and files that datatrove 0.10.1 makes of some documents.

`python datatrove_vectors.py` needs datatrove 0.10.1 with xxhash. These are promises: stored signatures must compare for
ever, so the file is not written again.

The words are taken as they are: normalisation and tokenizers of datatrove are not a part of what is compared.
"""

from __future__ import annotations

import base64
import json
import random
import tempfile
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "datatrove_vectors.json"

CONFIGS: list[dict[str, Any]] = [
    {},
    {"hash_fc": "sha1"},
    {"precision": 32},
    {"precision": 32, "hash_fc": "sha1", "seed": 42},
    {"n_grams": 1, "num_buckets": 3, "hashes_per_bucket": 2, "seed": (1 << 31) + 5},
    {"n_grams": 3, "num_buckets": 1, "hashes_per_bucket": 1, "seed": 0},
]
# The configuration of the files, which are small.
OF_FILES: dict[str, Any] = {"n_grams": 2, "num_buckets": 3, "hashes_per_bucket": 2}


def documents() -> list[list[str]]:
    """Documents of words; neighbours share most of them."""
    words = "storm coast night warm stone harbour wall fox dog noon καφές über 天気 0".split()
    chosen = random.Random(7).choices(words, k=60)
    long = [f"word{n % 700}" for n in range(5000)]  # more shingles than are permuted at a time
    return [chosen, [*chosen[:50], "other"], chosen[:5], chosen[:4], ["one"], [], chosen, long]


def main() -> None:
    from datatrove.data import Document
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature
    from datatrove.utils.hashing import HashConfig
    from datatrove.utils.text import TextNormConfig

    as_it_is = TextNormConfig(**dict.fromkeys(TextNormConfig.__dataclass_fields__, False))

    class Split:
        def word_tokenize(self, text: str) -> list[str]:
            return text.split()

    def stage(options: dict[str, Any], folder: str) -> Any:
        of_hash = {name: options[name] for name in ("precision", "hash_fc") if name in options}
        rest = {name: value for name, value in options.items() if name not in of_hash}
        config = MinhashConfig(**rest, hash_config=HashConfig(**of_hash), norm_config=as_it_is)
        made = MinhashDedupSignature(folder, config)
        made.word_tokenizer = Split()
        return made

    texts = [" ".join(words) for words in documents()]
    result: dict[str, Any] = {"signatures": [], "files": {}}
    with tempfile.TemporaryDirectory() as folder:
        for options in CONFIGS:
            made = stage(options, folder)
            values = []
            for text in texts:
                shingles = made.get_shingles(text)
                buckets = made.get_signature(shingles) if len(shingles) else None
                values.append(None if buckets is None else sum(buckets, []))
            result["signatures"].append([options, values])
        made = stage(OF_FILES, folder)
        made.run([Document(text=text, id=str(n)) for n, text in enumerate(texts)], rank=3)
        for file in sorted(Path(folder).rglob("*.sig")):
            name = file.relative_to(folder).as_posix()
            result["files"][name] = base64.b64encode(file.read_bytes()).decode()
    FILE.write_text(json.dumps(result) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
