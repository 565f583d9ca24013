"""Evaluate a table of predictions with Spark.

    spark-submit spark_evidence.py FOLDER

The Parquet table has the columns `row` (a number by which rows are ordered), `label` and `scores` (an array). Each
partition becomes Evidence where it is, and the sum has the same bits as one process over all rows, intervals included.
"""
import operator
import sys
from collections.abc import Iterable, Iterator

from pyspark.sql import Row, SparkSession

import credence


def evidence_of(rows: Iterable[tuple[Row, int]]) -> Iterator[credence.Evidence]:
    """Yield the evidence of a partition, whose rows have consecutive numbers."""
    given = list(rows)
    if given:
        scores, labels = [row.scores for row, _ in given], [row.label for row, _ in given]
        # One thread: Spark keeps the other processors busy.
        yield credence.Evidence().update(scores, labels, first_row=given[0][1], threads=1)


def evaluate(spark: SparkSession, folder: str) -> credence.Result:
    """Return the evaluation of all rows."""
    table = spark.read.parquet(folder).select("row", "label", "scores")
    # Row numbers: how often a row is drawn in a resample depends on its number, so no two rows may share one. The order
    # decides about them, and Spark reads the files of a folder in any order.
    numbered = table.orderBy("row").rdd.zipWithIndex()
    total: credence.Evidence = numbered.mapPartitions(evidence_of).treeReduce(operator.add)
    return total.compute()


if __name__ == "__main__":
    session = SparkSession.builder.appName("credence").getOrCreate()
    print(evaluate(session, sys.argv[1]))
    session.stop()
