"""What users write for Spark, each a process of its own that spark.py measures; the settings are in the environment.

  spark_jobs.py benzer IN OUT REMOVED CHECKPOINT
  spark_jobs.py floor IN OUT IDS
  spark_jobs.py equal IN OUT CHECKPOINT SETTINGS PARTITIONS...

benzer  writes the kept rows and the list of removed ones.
floor   what any such job does: texts are handed to Python, which gives back the ids, and the frame is written again.
equal   runs once for each number of partitions, and writes the ids of the kept rows and the list of removed ones to
        OUT/PARTITIONS; SETTINGS are arguments as JSON. The number "default" leaves it to Benzer, and the checkpoint
        stays.
"""
from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark.sql import SparkSession


def run_benzer(spark: SparkSession, source: str, out: str, removed: str, checkpoint: str) -> None:
    from benzer.spark import deduplicate

    result = deduplicate(spark.read.parquet(source), checkpoint=checkpoint)
    result.kept.write.parquet(out)
    result.removed.write.parquet(removed)


def only_ids(batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        yield batch.select(["id"])


def run_floor(spark: SparkSession, source: str, out: str, ids: str) -> None:
    frame = spark.read.parquet(source)
    frame.select("id", "text").mapInArrow(only_ids, "id string").write.parquet(ids)
    frame.filter("id != ''").write.parquet(out)


def run_equal(spark: SparkSession, source: str, out: str, checkpoint: str, settings: str, *partitions: str) -> None:
    from benzer.spark import deduplicate

    for count in partitions:
        result = deduplicate(spark.read.parquet(source), checkpoint=checkpoint,
                             partitions=None if count == "default" else int(count),
                             allow_large_clusters=True, **json.loads(settings))
        result.kept.select("id").write.parquet(f"{out}/{count}/kept")
        result.removed.write.parquet(f"{out}/{count}/removed")
        if count != "default":
            shutil.rmtree(checkpoint)


def main() -> None:
    jobs = {"benzer": run_benzer, "floor": run_floor, "equal": run_equal}
    spark = SparkSession.builder.getOrCreate()
    try:
        jobs[sys.argv[1]](spark, *sys.argv[2:])
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
