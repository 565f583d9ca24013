"""Check an installation: ``python -m credence.selftest``. Needs NumPy alone."""
from __future__ import annotations

import os
import pickle
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import credence
from credence import _core, _tables

Check = Callable[[str], None]
CHECKS: list[tuple[str, Check]] = []

# What the program computes for these rows: credence evaluate, fit.
GOLDEN = {"accuracy": 0.5666666666666667, "ece": 0.24093532806170626, "aece": 0.23734159913359126,
          "smece": 0.2368899272119213, "skce": 0.03844326356587046, "brier": 0.6403473495583133,
          "nll": 1.201373086445646, "nll-refinement": 0.9005755512189781, "auroc": 0.6721578054298643,
          "aurc": 0.2895052391242549}
TEMPERATURE = 2.8460558627704855


def rows(count: int = 240, classes: int = 3) -> tuple[Any, Any]:
    """Return logits and labels by a congruential generator: the same on every machine."""
    state, scores, labels = 1, [], []
    for _ in range(count):
        line = []
        for _ in range(classes + 1):
            state = (1103515245 * state + 12345) % 2**31
            line.append(state >> 16)
        labels.append(line[0] % classes)
        scores.append([(value % 512 - 256) / 64 + 2 * (k == labels[-1]) for k, value in enumerate(line[1:])])
    return np.array(scores), np.array(labels)


def check(title: str) -> Callable[[Check], Check]:
    def add(function: Check) -> Check:
        CHECKS.append((title, function))
        return function
    return add


def near(found: float, expected: float, tolerance: float = 1e-12) -> None:
    assert abs(found - expected) <= tolerance * abs(expected), f"found {found!r}, expected {expected!r}"


@check("metrics have the program's values")
def _(folder: str) -> None:
    scores, labels = rows()
    result = credence.evaluate(scores, labels, metrics="all", resamples=50)
    for name, expected in GOLDEN.items():
        near(result[name].value, expected, 1e-9 if name == "nll-refinement" else 1e-12)
    assert list(result) == list(credence.metrics()) and result.input == "logits"
    assert result["ece"].low < result.ece < result["ece"].high
    for threads in (1, 2):
        assert credence.evaluate(scores, labels, metrics="all", resamples=50, threads=threads) == result
    assert credence.evaluate(np.asfortranarray(scores), labels.astype(np.int8).tolist(), metrics="all",
                             resamples=50) == result


@check("results have every form")
def _(folder: str) -> None:
    scores, labels = rows()
    result = credence.evaluate(scores, labels, paired=scores / 2, groups={"site": labels % 2}, group_by=True,
                               profile=True, resamples=50)
    for form in _tables.table("forms"):
        assert result.report(form)
    for name, entry in credence.figures().items():
        if entry["source"] in ("result", "profile"):
            assert result.figure(name).startswith("<svg")
    assert result.page().startswith("<!DOCTYPE html>") and "<svg" in result._repr_html_()
    assert pickle.loads(pickle.dumps(result)) == result and len(result.groups["site"]) == 2
    path = os.path.join(folder, "result.json")
    result.save(path)
    assert credence.Result.load(path) == result


@check("evidence in parts has the same bits")
def _(folder: str) -> None:
    scores, labels = rows()
    whole = credence.evaluate(scores, labels, input="logits")
    parts = [credence.Evidence().update(scores[a:b], labels[a:b], first_row=a, input="logits")
             for a, b in ((100, 101), (0, 100), (101, 240))]
    assert sum(pickle.loads(pickle.dumps(parts))).compute() == whole
    path = os.path.join(folder, "part.state")
    parts[0].save(path)
    assert (parts[1] + credence.Evidence.load(path) + parts[2]).compute() == whole


@check("calibrators fit, apply and come back from files")
def _(folder: str) -> None:
    scores, labels = rows()
    near(credence.fit("temperature", scores, labels).temperature, TEMPERATURE, 1e-9)
    for method, entry in credence.methods().items():
        settings = {"temperature": 1.5} if method == "temperature-fixed" else None
        calibrate = credence.fit(method, scores, labels, features=scores, settings=settings)
        p = calibrate(scores, features=scores)
        assert p.shape == scores.shape and np.isfinite(p).all()
        assert (calibrate.predict(scores, features=scores) == scores.argmax(axis=1)).all() or not entry["keeps_argmax"]
        assert pickle.loads(pickle.dumps(calibrate)) == calibrate
        path = os.path.join(folder, f"{method}.json")
        calibrate.save(path)
        assert (credence.Calibrator.load(path)(scores, features=scores) == p).all()


@check("calibrators are exported")
def _(folder: str) -> None:
    scores, labels = rows()
    calibrate = credence.fit("vector", scores, labels)
    for format, entry in _tables.table("exports").items():
        path = os.path.join(folder, f"{format}.{entry['extension'].lstrip('.')}")
        calibrate.export(path, format)
        assert os.path.getsize(path) > 100
    space: dict[str, Any] = {}
    with open(os.path.join(folder, "numpy.py"), encoding="utf-8") as file:
        exec(file.read(), space)
    assert np.allclose(space["calibrate"](scores), calibrate(scores), rtol=1e-12, atol=0)


@check("networks run, with a calibrator inside")
def _(folder: str) -> None:
    scores, labels = rows()
    calibrate = credence.fit("temperature", scores, labels)
    weights, bias = np.arange(12, dtype=np.float32).reshape(4, 3) / 8, np.array([1, 0, -1], np.float32)
    path, inside = os.path.join(folder, "net.onnx"), os.path.join(folder, "calibrated.onnx")
    with open(path, "wb") as file:
        file.write(linear(weights, bias))
    calibrate.export(inside, model=path)
    x = (np.arange(20, dtype=np.float32).reshape(5, 4) - 10) / 4
    network = getattr(credence, "Network", None)
    if network is None:
        return
    try:
        assert (network(path)(x) == x @ weights + bias).all()
    except credence.UnsupportedError:
        return  # built without networks
    found = network(inside)(x, output="probabilities")
    assert np.allclose(found, calibrate(x @ weights + bias, input="logits"), rtol=1e-5)


@check("failures are exceptions that name what is wrong")
def _(folder: str) -> None:
    scores, labels = rows()
    wrong: list[tuple[type[Exception], str, Callable[[], object]]] = [
        (credence.UsageError, "acuracy", lambda: credence.evaluate(scores, labels, metrics="acuracy")),
        (credence.InputError, "row 7", lambda: credence.evaluate(np.where(np.arange(240)[:, None] == 7, np.nan, scores),
                                                                 labels)),
        (credence.InputError, "240", lambda: credence.evaluate(scores, labels[:-1])),
        (credence.ArgumentError, "bins", lambda: credence.evaluate(scores, labels, bins="many")),  # type: ignore
        (credence.SystemCallError, "none.json", lambda: credence.Calibrator.load(os.path.join(folder, "none.json"))),
        (ValueError, "", lambda: credence.evaluate([], [])),
    ]
    for kind, word, call in wrong:
        try:
            call()
        except kind as error:
            assert isinstance(error, credence.Error) and word in str(error), str(error)
        else:
            raise AssertionError(f"no {kind.__name__} about {word}")


def linear(weights: Any, bias: Any) -> bytes:
    """Return an ONNX model, x -> x W + b, as the bytes of its protocol buffer."""
    def varint(value: int) -> bytes:
        low = bytes([value & 127 | (128 if value > 127 else 0)])
        return low + (varint(value >> 7) if value > 127 else b"")

    def field(number: int, value: int | str | bytes) -> bytes:
        if isinstance(value, int):
            return varint(number << 3) + varint(value)
        data = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(data)) + data

    def node(kind: str, inputs: str, output: str) -> bytes:
        return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, kind))

    def tensor(name: str, values: Any) -> bytes:
        data = struct.pack(f"<{values.size}f", *values.ravel().tolist())
        return field(5, b"".join(field(1, int(size)) for size in values.shape) + field(2, 1) + field(8, name)
                     + field(9, data))

    def port(number: int, name: str, width: int) -> bytes:
        shape = field(1, field(2, "N")) + field(1, field(1, width))
        return field(number, field(1, name) + field(2, field(1, field(1, 1) + field(2, shape))))

    graph = (node("MatMul", "xW", "p") + node("Add", "pb", "scores") + field(2, "net") + tensor("W", weights)
             + tensor("b", bias) + port(11, "x", weights.shape[0]) + port(12, "scores", weights.shape[1]))
    return field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17))


def main() -> int:
    """Run all checks, print a line for each, and return the exit code."""
    print(f"credence {credence.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}: {_core.build()}")
    failed = 0
    for title, function in CHECKS:
        begin = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                function(folder)
                outcome = "ok    "
            except Exception as error:
                failed += 1
                outcome = f"FAILED: {type(error).__name__}: {error}:"
        print(f"{outcome} {title} ({time.perf_counter() - begin:.2f} s)")
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
