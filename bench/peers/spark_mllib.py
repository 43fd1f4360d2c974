"""Deduplicates Parquet files with Spark's MLlib: features of five words and MinHashLSH, as its documentation shows.

  spark_mllib.py IN OUT REMOVED_IDS WORK

approxSimilarityJoin gives the pairs whose Jaccard distance is at most 0.2; the earlier document of a pair is kept, and
each that has an earlier one is removed. WORK is not used.
"""
from __future__ import annotations

import sys

from pyspark.ml import Pipeline
from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

HASHES = 5  # more find more pairs, and each costs as much again


def main(source: str, out: str, removed_ids: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    frame = spark.read.parquet(source)
    features = Pipeline(stages=[
        RegexTokenizer(inputCol="text", outputCol="words", pattern="\\W+"),
        NGram(n=5, inputCol="words", outputCol="ngrams"),
        HashingTF(inputCol="ngrams", outputCol="features", numFeatures=1 << 20, binary=True),
    ])
    vectors = features.fit(frame).transform(frame).filter(F.size("ngrams") > 0).select("id", "features").cache()
    model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=HASHES, seed=1).fit(vectors)
    pairs = model.approxSimilarityJoin(vectors, vectors, 0.2, distCol="distance")
    later = pairs.filter("datasetA.id < datasetB.id").select(F.col("datasetB.id").alias("id")).distinct().cache()
    frame.join(later, "id", "left_anti").write.parquet(out)
    with open(removed_ids, "w", encoding="utf-8") as gone:
        gone.writelines(f"{row['id']}\n" for row in later.collect())
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:4])
