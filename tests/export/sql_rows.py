#!/usr/bin/env python3
"""sql_rows.py DIR: run every exported SQL query there in SQLite, over its float64 rows."""
import array
import glob
import sqlite3
import sys


def doubles(path):
    with open(path, "rb") as file:
        return array.array("d", file.read())


def run(query, values, inputs):
    base = sqlite3.connect(":memory:")
    ids = range(len(values) // inputs)
    if inputs == 1:
        base.execute("CREATE TABLE confidences (id, confidence)")
        base.executemany("INSERT INTO confidences VALUES (?, ?)", enumerate(values))
        return [p for _, p in base.execute(query)]
    base.execute("CREATE TABLE scores (id, class, score)")
    cells = [(i, k, values[i * inputs + k]) for i in ids for k in range(inputs)]
    base.executemany("INSERT INTO scores VALUES (?, ?, ?)", cells)
    out = []
    for at, (row, label, p, predicted) in enumerate(base.execute(query)):
        assert (row, label) == divmod(at, inputs), "rows out of order, or missing"
        out += [p] if label + 1 < inputs else [p, predicted]
    return out


def main(folder):
    for path in sorted(glob.glob(folder + "/*.sql")):
        stem = path[: -len(".sql")]
        with open(stem + ".dims", encoding="ascii") as file:
            inputs = int(file.read().split()[0])
        with open(path, encoding="utf-8") as file:
            query = file.read()
        found = run(query, doubles(stem + ".in"), inputs)
        with open(stem + ".out", "wb") as file:
            array.array("d", found).tofile(file)


if __name__ == "__main__":
    main(sys.argv[1])
