#!/usr/bin/env python3
"""onnx_rows.py DIR: run every exported ONNX model there over its float64 rows.

A small protocol buffer parser reads the model, and its operators run in NumPy: an independent
reading of the file. If onnxruntime (and onnx) can be imported it runs the models too, and both must
agree; without it a message is printed.
"""
import glob
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import skipping  # noqa: E402


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 0x80:
            return value, at


def fields(data):
    """{number: [values]} of a message; only varints and bytes may occur."""
    at, found = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        elif key & 7 != 0:
            raise ValueError(f"wire type {key & 7}")
        found.setdefault(key >> 3, []).append(value)
    return found


def only(message, number):
    (value,) = message[number]
    return value


TYPES = {1: np.float32, 7: np.int64, 11: np.float64}


def tensor(message):
    array = np.frombuffer(only(message, 9), TYPES[only(message, 2)])
    return only(message, 8).decode(), array.reshape(message.get(1, []))


def attributes(node):
    out = {}
    for field in map(fields, node.get(5, [])):
        kind = {2: 3, 4: 5, 7: 8}[only(field, 20)]  # INT, TENSOR, INTS
        value = field[8] if kind == 8 else only(field, kind)
        out[only(field, 1).decode()] = tensor(fields(value))[1] if kind == 5 else value
    return out


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def log_softmax(x, axis):
    x = x - x.max(axis=axis, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=axis, keepdims=True))


def argmax(x, axis, keepdims=1):
    return np.argmax(x, axis=axis, keepdims=bool(keepdims))


OPERATORS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Neg": np.negative,
    "Max": np.maximum,
    "Min": np.minimum,
    "Exp": np.exp,
    "Log": np.log,
    "Greater": np.greater,
    "Equal": np.equal,
    "Where": np.where,
    "Abs": np.abs,
    "Softmax": softmax,
    "LogSoftmax": log_softmax,
    "ArgMax": argmax,
    "Cast": lambda x, to: x.astype(TYPES[to]),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "Gather": lambda x, at, axis=0: np.take(x, at, axis),
    "Unsqueeze": lambda x, at: np.expand_dims(x, tuple(at)),
    "ReduceSum": lambda x, at=None, axes=None, keepdims=1: x.sum(
        axis=tuple(axes if at is None else at), keepdims=bool(keepdims)
    ),
    "ReduceMax": lambda x, at=None, axes=None: x.max(
        axis=tuple(axes if at is None else at), keepdims=True
    ),
    "Gemm": lambda a, b, c, transB=0: a @ (b.T if transB else b) + c,
    "MatMul": np.matmul,
    "Relu": lambda x: np.maximum(x, 0),
    "Constant": lambda value: value,
}


def check_versions(operator, attributes, inputs, opset):
    """Operators that changed since operator set 7, as ONNX's Operators.md has them."""
    if operator == "Where":
        assert opset >= 9, "there is no Where before 9"
    if operator in ("Max", "Min"):
        assert opset >= 8 and (opset >= 12 or inputs[0].dtype != np.int64), "Max, Min before 12"
    if operator == "Greater":
        assert opset >= 9 or inputs[0].dtype != np.int64, "Greater of integers before 9"
    if operator in ("ReduceSum", "ReduceMax"):
        first = 13 if operator == "ReduceSum" else 18
        assert ("axes" in attributes) == (opset < first), "axes of " + operator
    if operator in ("Softmax", "LogSoftmax"):
        assert opset >= 13 or inputs[0].ndim == 2, "Softmax before 13 flattens"


def run_here(data, rows):
    """The model's outputs, by name, in order."""
    model = fields(data)
    assert only(model, 1) >= 4, "IR version"
    opset = only(fields(only(model, 8)), 2)
    assert opset >= 7, "operator set"
    graph = fields(only(model, 7))
    assert only(graph, 2), "the graph has no name"
    values = dict(tensor(fields(t)) for t in graph.get(5, []))
    given = fields(only(graph, 11))
    values[only(given, 1).decode()] = rows
    for node in map(fields, graph[1]):
        name = only(node, 4).decode()
        operator = OPERATORS[name]
        inputs = [values[value.decode()] for value in node.get(1, [])]
        check_versions(name, attributes(node), inputs, opset)
        assert only(node, 2).decode() not in values, "a name is given twice"
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values[only(node, 2).decode()] = operator(*inputs, **attributes(node))
    names = [only(fields(o), 1).decode() for o in graph[12]]
    return [values[name] for name in names]


def run_there(runtime, data, rows):
    session = runtime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: rows})


def main(folder):
    try:
        import onnx
        import onnxruntime
    except ImportError:
        onnx = onnxruntime = None
        skipping.require("onnxruntime", "not installed; the models are run by NumPy only")
    for path in sorted(glob.glob(folder + "/*.onnx")):
        stem = path[: -len(".onnx")]
        with open(path, "rb") as file:
            data = file.read()
        with open(stem + ".dims", encoding="ascii") as file:
            inputs = int(file.read().split()[0])
        rows = np.fromfile(stem + ".in").reshape(-1, inputs).astype(np.float32)
        outputs = run_here(data, rows)
        if onnxruntime:
            onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
            for here, there in zip(outputs, run_there(onnxruntime, data, rows), strict=True):
                assert here.dtype == there.dtype and here.shape == there.shape, path
                assert np.abs(here.astype(float) - there).max() < 1e-6, path
            outputs = run_there(onnxruntime, data, rows)
        columns = [np.asarray(o, float).reshape(len(rows), -1) for o in outputs]
        np.concatenate(columns, axis=1).tofile(stem + ".out")


if __name__ == "__main__":
    main(sys.argv[1])
