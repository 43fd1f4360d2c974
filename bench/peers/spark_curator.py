"""Deduplicates Parquet files with distributed-curator, as its page shows, at threshold 0.8.

  spark_curator.py IN OUT REMOVED_IDS WORK

It takes as many partitions as spark.sql.shuffle.partitions says. WORK is not used.
"""
from __future__ import annotations

import sys

from distributed_curator import get_jar_path, partition_aware_deduplicate
from pyspark.sql import SparkSession


def main(source: str, out: str, removed_ids: str) -> None:
    spark = SparkSession.builder.config("spark.jars", get_jar_path()).getOrCreate()
    partitions = int(spark.conf.get("spark.sql.shuffle.partitions"))
    frame = spark.read.parquet(source).withColumnRenamed("id", "doc_id")
    result = partition_aware_deduplicate(spark=spark, input_df=frame, text_column="text", similarity_threshold=0.8,
                                         num_partitions=partitions, is_input_doc_id_unique=True).cache()
    result.filter("not is_duplicate").write.parquet(out)
    with open(removed_ids, "w", encoding="utf-8") as gone:
        gone.writelines(f"{row['doc_id']}\n" for row in result.filter("is_duplicate").select("doc_id").collect())
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:4])
