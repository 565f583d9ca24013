"""Evaluate a Parquet data set with Dask.

    python dask_evidence.py FOLDER

The data set has a column `label` and the scores of the classes in columns that begin with `score`. Each partition
becomes Evidence where it is, and the sum has the same bits as one process over all rows, intervals included.
"""
import itertools
import sys

import dask.config
import dask.dataframe
import pandas as pd
from dask.delayed import delayed

import credence


def evidence_of(part: pd.DataFrame, first_row: int) -> credence.Evidence:
    """Return the evidence of a partition whose rows begin at `first_row` of the data set."""
    # One thread: the scheduler keeps the other processors busy.
    return credence.Evidence().update(part.filter(regex="^score"), part["label"], first_row=first_row, threads=1)


def evaluate(folder: str) -> credence.Result:
    """Return the evaluation of all rows."""
    table = dask.dataframe.read_parquet(folder)
    # Row numbers: how often a row is drawn in a resample depends on its number, so no two rows may share one.
    lengths = table.map_partitions(len).compute()
    first_rows = itertools.accumulate(lengths, initial=0)
    evidence = [delayed(evidence_of)(part, first_row) for part, first_row in zip(table.to_delayed(), first_rows)]
    while len(evidence) > 1:  # a tree of sums, of up to eight each
        evidence = [delayed(sum)(evidence[k:k + 8]) for k in range(0, len(evidence), 8)]
    total: credence.Evidence = evidence[0].compute()
    return total.compute()


if __name__ == "__main__":
    with dask.config.set(scheduler="processes"):
        print(evaluate(sys.argv[1]))
