"""Evaluate a large file of predictions with several processes.

    python multiprocessing_evidence.py FILE [PROCESSES]

Each process reads its own rows and returns Evidence, a few kilobytes; the sum has the same bits as
one process over all rows, intervals included.
"""
import itertools
import multiprocessing
import operator
import os
import sys
from functools import reduce

import numpy as np

import credence


def evidence_of(part: tuple[str, int, int]) -> credence.Evidence:
    """Return the evidence of the rows [first, end) of a file."""
    path, first, end = part
    with np.load(path) as file:
        scores, labels = file["predictions"][first:end], file["ground_truth"][first:end]
    # One thread: the other processors have processes of their own.
    return credence.Evidence().update(scores, labels, first_row=first, threads=1)


def parts_of(path: str, count: int) -> list[tuple[str, int, int]]:
    """Return the rows of a file in parts of equal length."""
    with np.load(path) as file:
        rows = len(file["ground_truth"])
    return [(path, first, end) for first, end in itertools.pairwise(rows * part // count for part in range(count + 1))]


def evaluate(path: str, processes: int) -> credence.Result:
    """Return the evaluation of all rows, which the processes share."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return reduce(operator.add, pool.imap_unordered(evidence_of, parts_of(path, processes))).compute()


if __name__ == "__main__":
    print(evaluate(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1))
