#!/usr/bin/env python3
"""json_rows.py DIR: compute every exported map there over its float64 rows, as docs/formats.md explains it.

Row by row and in plain Python, so that it is an independent reading of the file.
"""
import bisect
import glob
import json
import math
import sys

import numpy as np


def softmax(x):
    powers = [math.exp(v - max(x)) for v in x]
    return [p / sum(powers) for p in powers]


def sigmoid(s):
    return 1 / (1 + math.exp(-s)) if s >= 0 else math.exp(s) / (1 + math.exp(s))


def softplus(s):
    return max(s, 0) + math.log1p(math.exp(-abs(s)))


def line(a, b, i, q):
    return b[i - 1] + (b[i] - b[i - 1]) * ((q - a[i - 1]) / (a[i] - a[i - 1]))


def bent(a, b, v):
    return line(a, b, min(max(bisect.bisect_left(a, v), 1), len(a) - 1), v)


def lines(a, b, q):
    i = bisect.bisect_left(a, q)
    value = b[0] if i == 0 else b[-1] if i == len(a) else line(a, b, i, q)
    return min(max(value, 0), 1)


def mix(a, b, x):
    parts = [softmax([factor * v for v in x]) for factor in b]
    return [sum(w * part[k] for w, part in zip(a, parts)) for k in range(len(x))]


ROW = {
    "scale": lambda a, b, x: [a[0] * v for v in x],
    "diagonal": lambda a, b, x: [u * v + w for u, v, w in zip(a, x, b)],
    "affine": lambda a, b, x: [sum(a[k * len(x) + j] * x[j] for j in range(len(x))) + b[k] for k in range(len(x))],
    "bent": lambda a, b, x: [bent(a, b, v) for v in x],
    "softmax": lambda a, b, x: softmax(x),
    "mix": mix,
    "log": lambda a, b, x: [math.log(v) for v in x],
}
EVENT = {
    "odds": lambda a, b, q: q,
    "logistic": lambda a, b, s: sigmoid(a[0] * s + a[1]),
    "beta": lambda a, b, s: sigmoid(a[1] * softplus(s) - a[0] * softplus(-s) + a[2]),
    "steps": lambda a, b, q: b[bisect.bisect_left(a, q)],
    "lines": lines,
}


def event(steps, part, s):
    q = sigmoid(s) if steps[0]["op"] in ("steps", "lines") else s
    for step in steps:
        q = EVENT[step["op"]](step["a"][part], step["b"][part], q)
    return q


def logits(m, row):
    floor = [m["floor"][0]] + [m["floor"][1]] * (m["classes"] - 1)
    if m["input"] == "confidence":
        c = max(row[0], floor[1])
        return [math.log(floor[0]), math.log1p(-floor[0])] if 1 - c < floor[0] else [math.log1p(-c), math.log(c)]
    x = list(row)
    if m["input"] == "probabilities":
        p = [1 if v > 1.000001 else max(v, low) for v, low in zip(x, floor)]
        x = [math.log(v) - math.log(sum(p)) for v in p]
    if m["normalise"]:
        total = math.log(sum(math.exp(v - max(x)) for v in x)) + max(x)
        x = [v - total for v in x]
    return x


def odds(x):
    """The log-odds of each class: of the largest from the sum of the others."""
    out = []
    for k, v in enumerate(x):
        others = x[:k] + x[k + 1 :]
        most = max(others)
        out.append(v - most - math.log(sum(math.exp(u - most) for u in others)))
    return out


def apply(m, row):
    x, steps = logits(m, row), m["steps"]
    top = x.index(max(x))
    if m["reach"] == "rows":
        for step in steps:
            x = ROW[step["op"]](step["a"][0], step["b"][0], x)
        return x, x.index(max(x))
    s = odds(x)
    if m["reach"] == "top-event":
        q = event(steps, 0, s[top])
        rest = softmax(x[:top] + x[top + 1 :])
        p = [(1 - q) * v for v in rest]
        return p[:top] + [q] + p[top:], top
    if m["reach"] == "all-events" and len(x) == 2:
        q = event(steps, 0, s[1])
        return [1 - q, q], 0 if 1 - q >= q else 1
    q = [event(steps, k if m["reach"] == "all-events" else 0, v) for k, v in enumerate(s)]
    p = [v / sum(q) for v in q] if sum(q) > 0 else [1 / len(q)] * len(q)
    return p, top if m["reach"] == "shared-event" else p.index(max(p))


def main(folder):
    for path in sorted(glob.glob(folder + "/*.json")):
        stem = path[: -len(".json")]
        with open(path, encoding="utf-8") as file:
            m = json.load(file)
        assert (m["credence"], m["version"]) == ("map", 1), path
        with open(stem + ".dims", encoding="ascii") as file:
            inputs = int(file.read().split()[0])
        out = []
        for row in np.fromfile(stem + ".in", dtype=np.float64).reshape(-1, inputs).tolist():
            p, predicted = apply(m, row)
            out += [p[1]] if m["input"] == "confidence" else [*p, predicted]
        np.array(out, dtype=np.float64).tofile(stem + ".out")


if __name__ == "__main__":
    main(sys.argv[1])
