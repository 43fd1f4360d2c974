"""Deduplicates Parquet files with text-dedup's Spark script, at threshold 0.8 with words of five.

  spark_text_dedup.py IN OUT REMOVED_IDS WORK

Its script has numbers of partitions for data of terabytes (8,192, 4,096 and at least 256), with which it takes ten
minutes or more for any data, and says to change it first. So they become those of spark.sql.shuffle.partitions.
"""
from __future__ import annotations

import re
import sys
import sysconfig
from pathlib import Path


def main(source: str, out: str, removed_ids: str, work: str) -> None:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    path = Path(sysconfig.get_paths()["purelib"], "text_dedup", "minhash_spark.py")
    numbers = r'(?<="spark.sql.shuffle.partitions", ")8192|(?<=repartition\()4096|(?<=max\()256'
    code, changes = re.subn(numbers, partitions, path.read_text(encoding="utf-8"))
    if changes != 4:
        sys.exit(f"{path} is another version than 0.4.0: {changes} numbers of partitions instead of 4")
    changed = Path(work, "minhash_spark.py")
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_text(code, encoding="utf-8")
    spark.stop()
    sys.argv = [str(changed), "--input", source, "--output", out, "--column", "text", "--threshold", "0.8",
                "--ngram_size", "5", "--checkpoint_dir", f"{work}/checkpoints"]
    exec(compile(code, str(changed), "exec"), {"__name__": "__main__"})

    # It leaves its session open, and writes which rows are kept.
    spark = SparkSession.builder.getOrCreate()
    kept = spark.read.parquet(out).select("id")
    with open(removed_ids, "w", encoding="utf-8") as gone:
        gone.writelines(f"{row['id']}\n" for row in spark.read.parquet(source).join(kept, "id", "left_anti").collect())
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:5])
