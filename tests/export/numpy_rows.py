#!/usr/bin/env python3
"""numpy_rows.py DIR: run every exported Python file there over its float64 rows.

All rows at once, and again one by one and as a block of three dimensions: the same numbers. Warnings are errors, and
the argument must stay unchanged.
"""
import ast
import glob
import runpy
import sys
import warnings

import numpy as np


def check_source(path):
    """One function and its tables, and no import but NumPy's."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds.count("FunctionDef") == 1 and set(kinds) <= {"Expr", "Import", "Assign", "FunctionDef"}, kinds
    names = [alias.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
    assert names == ["numpy"], names


def same(found, expected):
    return np.allclose(found, expected, rtol=0, atol=1e-14)


def run_confidences(calibrate, rows):
    out = calibrate(rows)
    assert out.shape == rows.shape and same([calibrate(c) for c in rows], out)
    assert same(calibrate(rows.reshape(2, -1)), out.reshape(2, -1))
    return out


def run_rows(calibrate, rows):
    p, predicted = calibrate(rows, predicted=True)
    assert p.shape == rows.shape and predicted.shape == rows.shape[:1]
    assert same(calibrate(rows), p)
    assert same([calibrate(list(row)) for row in rows[:20]], p[:20])
    assert same(calibrate(rows.reshape(2, -1, rows.shape[1])), p.reshape(2, -1, rows.shape[1]))
    assert calibrate(rows[:0]).shape == (0, rows.shape[1])
    for wrong in (rows[:, :-1], 0.5):
        try:
            calibrate(wrong)
        except ValueError as error:
            assert f"the last dimension must be {rows.shape[1]}" in str(error), error
        else:
            raise AssertionError("a wrong shape was accepted")
    return np.concatenate([p, predicted[:, None]], axis=1)


def main(folder):
    warnings.simplefilter("error")
    for path in sorted(glob.glob(folder + "/*.py")):
        stem = path[: -len(".py")]
        check_source(path)
        with open(stem + ".dims", encoding="ascii") as file:
            inputs = int(file.read().split()[0])
        rows = np.fromfile(stem + ".in", dtype=np.float64)
        rows = rows if inputs == 1 else rows.reshape(-1, inputs)
        before = rows.copy()
        calibrate = runpy.run_path(path)["calibrate"]
        found = (run_confidences if inputs == 1 else run_rows)(calibrate, rows)
        assert np.array_equal(rows, before), "the argument was changed"
        found.astype(np.float64).tofile(stem + ".out")


if __name__ == "__main__":
    main(sys.argv[1])
