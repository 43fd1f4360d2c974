"""Deduplicates a Parquet file with datatrove: its four stages with words of five and 16 buckets of 8, English.

  datatrove_parquet.py IN OUT REMOVED_IDS WORK

WORK is a folder for what the stages write, which is removed first. A file is one task to datatrove, so it runs in one
process. Its writer makes a file of its own, which is moved to OUT.
"""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def main(source: str, out: str, removed_ids: str, work: str) -> None:
    shutil.rmtree(work, ignore_errors=True)
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers import ParquetWriter
    from datatrove.utils.typeshelper import Languages
    from pyarrow import parquet

    config = MinhashConfig(n_grams=5, num_buckets=16, hashes_per_bucket=8)
    reader = ParquetReader(os.path.dirname(source), glob_pattern=os.path.basename(source), text_key="text", id_key="id")
    stages = [
        (1, [reader, MinhashDedupSignature(output_folder=f"{work}/signatures", config=config, language=Languages.english)]),
        (config.num_buckets, [MinhashDedupBuckets(input_folder=f"{work}/signatures", output_folder=f"{work}/buckets", config=config)]),
        (1, [MinhashDedupCluster(input_folder=f"{work}/buckets", output_folder=f"{work}/removed", config=config)]),
        (1, [reader, MinhashDedupFilter(input_folder=f"{work}/removed"),
             ParquetWriter(f"{work}/kept", output_filename="${rank}.parquet", compression="zstd")]),
    ]
    for number, (tasks, pipeline) in enumerate(stages):
        LocalPipelineExecutor(pipeline=pipeline, tasks=tasks, workers=1, logging_dir=f"{work}/logs/{number}").run()
    shutil.move(next(Path(work, "kept").glob("*.parquet")), out)
    kept = set(parquet.read_table(out, columns=["id"])["id"].to_pylist())
    with open(removed_ids, "w", encoding="utf-8") as gone:
        ids = parquet.read_table(source, columns=["id"])["id"].to_pylist()
        gone.writelines(f"{id}\n" for id in ids if id not in kept)


if __name__ == "__main__":
    main(*sys.argv[1:5])
