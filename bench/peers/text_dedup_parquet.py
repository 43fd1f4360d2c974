"""Deduplicates a Parquet file with text-dedup: its MinHash command with 16 bands of 8 and xxh3, its faster hash.

  text_dedup_parquet.py IN OUT REMOVED_IDS CACHE

CACHE is a folder that is removed first, so that nothing of an earlier run is used.
"""
from __future__ import annotations

import os
import shutil
import sys


def main(source: str, out: str, removed_ids: str, cache: str) -> None:
    shutil.rmtree(cache, ignore_errors=True)
    os.environ["HF_HOME"] = cache
    os.environ["HF_HUB_OFFLINE"] = "1"
    from datasets import load_from_disk
    from pyarrow import parquet
    from text_dedup.minhash import main as command

    command(["--path", "parquet", "--data_files", source, "--split", "train", "--cache_dir", cache, "--column", "text",
             "--ngram", "5", "--num_perm", "128", "--threshold", "0.8", "--b", "16", "--r", "8", "--hash_func", "xxh3",
             "--output", cache + "/kept"], standalone_mode=False)
    rows = load_from_disk(cache + "/kept").with_format("arrow")[:]
    parquet.write_table(rows, out, compression="zstd")
    kept = set(rows["id"].to_pylist())
    with open(removed_ids, "w", encoding="utf-8") as gone:
        ids = parquet.read_table(source, columns=["id"])["id"].to_pylist()
        gone.writelines(f"{id}\n" for id in ids if id not in kept)


if __name__ == "__main__":
    main(*sys.argv[1:5])
