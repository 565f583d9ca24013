"""Hostile arguments: each raises one of our exceptions with a message that helps, or is valid and gives its number.

One row of the table: a name, what is called, the class of the exception, a part of its message. hostile.py has the
objects that many rows share.
"""
from __future__ import annotations

import functools
import os
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import (MISSHAPEN, NO_ARRAY, NO_REPR, NOT_COUNTS, NOT_PATHS, NOT_TEXTS, UNREADABLE, Exporter, P, Text, Y,
                     boom, having)

import credence
from credence import _core

Row = tuple[str, Callable[[], Any], str, str]
BUILTIN = {"ArgumentError": TypeError, "UsageError": ValueError, "InputError": ValueError,
           "UnsupportedError": ValueError, "NumericError": ValueError, "OutOfMemoryError": MemoryError,
           "SystemCallError": OSError, "Interrupted": KeyboardInterrupt}


def evaluate(**more: Any) -> float:
    return credence.evaluate(**{"scores": P, "labels": Y, "resamples": 0, "metrics": "ece", **more}).ece


def fit(**more: Any) -> credence.Calibrator:
    return credence.fit(**{"method": "temperature", "scores": P, "labels": Y, **more})


def core(**more: Any) -> _core.Predictions:
    return _core.Predictions(**{"scores": P, "labels": Y, **more})


CALIBRATOR = fit()
STATE = CALIBRATOR._core.save()
EVIDENCE = credence.Evidence("ece", resamples=0).update(P, Y)
SUMS = EVIDENCE._core.save()
RESULT = credence.evaluate(P, Y, resamples=0)


def arrays() -> Iterator[Row]:
    """Arrays that are no numbers, as each argument that takes one."""
    for name, make, fragment in UNREADABLE:
        for argument in ("scores", "labels", "weights"):
            yield f"{argument}: {name}", lambda a=argument, m=make: evaluate(**{a: m()}), "ArgumentError", fragment
    for name, make, error, fragment in MISSHAPEN:
        for argument in ("scores", "labels"):
            yield f"{argument}: {name}", lambda a=argument, m=make: evaluate(**{a: m()}), error, fragment
    for argument in ("confidence", "predicted", "correct", "groups"):
        yield f"{argument}: an object", lambda a=argument: evaluate(**{a: object()}), "ArgumentError", NO_ARRAY
    yield "features: an object", lambda: fit(features=object()), "ArgumentError", NO_ARRAY
    yield "apply: an object", lambda: CALIBRATOR(object()), "ArgumentError", NO_ARRAY
    yield "update: an object", lambda: EVIDENCE.update(object(), Y), "ArgumentError", NO_ARRAY
    yield "huge __len__", lambda: evaluate(scores=having(__len__=lambda s: 2 ** 62, __getitem__=lambda s, i: 1.0)), \
        "OutOfMemoryError", "no memory"


def data() -> Iterator[Row]:
    """Arrays of numbers that are no predictions."""
    def row(name: str, fragment: str, **given: Any) -> Row:
        return name, lambda: evaluate(**given), "InputError", fragment
    yield row("no scores", "expected at least one row", scores=np.zeros((0, 3)))
    yield row("an empty list", "expected at least one row", scores=[])
    yield row("no classes", "expected at least one row", scores=np.zeros((6, 0)))
    yield row("scores None", "scores", scores=None)
    yield row("NaN score", "row 1, class 1 is NaN", scores=np.where(P == .8, np.nan, P))
    yield row("infinite score", "row 1, class 1 is infinite", scores=np.where(P == .8, np.inf, P))
    yield row("sums of 2", "scores row 0 holds 1.4", scores=P * 2, input="probabilities")
    yield row("negative probabilities", "row 0 holds -0.9", scores=P - 1, input="probabilities")
    yield row("no labels", "no labels", labels=None)
    yield row("fewer labels", "5 labels for 6 rows", labels=Y[:5])
    yield row("class 3 of 3", "labels row 2: found class 3, allowed are 0 .. 2", labels=Y + 1)
    yield row("class -2", "labels row 0: found class -2", labels=Y - 2)
    yield row("class 2**40", "found class 1099511627776", labels=Y + 2 ** 40)
    yield row("class 2**64 - 1", "found 1.84", labels=np.full(6, 2 ** 64 - 1, np.uint64))
    yield row("class 0.5", "found 0.5, expected an integer", labels=Y + .5)
    yield row("label NaN", "found nan", labels=Y * np.nan)
    yield row("two hot", "3 classes are marked", labels=np.ones((6, 3)))
    yield row("names without classes", "pass class_names", labels=list("abcabc"))
    yield row("unknown name", "did you mean 'ab'", labels=["ab", "cd", "ef", "ax", "ab", "ab"],
              class_names=["ab", "cd", "ef"])
    yield row("two names for three classes", "2 class names for 3 classes", class_names=["a", "b"])
    yield row("fewer weights", "1 weights for 6 rows", weights=[1.0])
    yield row("negative weight", "weights row 0: found -1", weights=[-1.0] * 6)
    yield row("weight NaN", "weights row 0: found nan", weights=[np.nan] * 6)
    yield row("infinite weight", "weights row 0: found inf", weights=[np.inf] * 6)
    yield row("zero weights", "all weights are 0", weights=[0] * 6)
    yield row("matrix of weights", "3 columns, expected one", weights=P)
    yield row("fewer groups", "2 groups for 6 rows", groups=[1, 2])
    yield row("2**50 rows", "6 labels for 1125899906842624 rows", scores=np.broadcast_to(np.arange(3.), (2 ** 50, 3)))


def options() -> Iterator[Row]:
    """Options that are no counts, no texts, no flags."""
    for name, value, error, fragment in NOT_COUNTS:
        for argument in ("bins", "resamples", "threads", "seed"):
            part = fragment.replace("are 0 to", "are 1 to") if argument == "bins" else fragment
            yield f"{argument}: {name}", lambda a=argument, v=value: evaluate(**{a: v}), error, part
    for name, value, error, fragment in NOT_TEXTS:
        for argument in ("interval", "cluster", "recalibrate", "name"):
            yield f"{argument}: {name}", lambda a=argument, v=value: evaluate(**{a: v}), error, fragment
        yield f"method: {name}", lambda v=value: fit(method=v), error, fragment
        yield f"figure: {name}", lambda v=value: RESULT.figure(v), error, fragment
        yield f"title: {name}", lambda v=value: RESULT.page(v), error, fragment
        yield f"form: {name}", lambda v=value: RESULT.report(v), error, fragment
    for name, value in (("str", "no"), ("list", []), ("2", 2), ("no repr", NO_REPR),
                        ("__eq__ raises", having(__eq__=boom))):
        yield f"percent: {name}", lambda v=value: RESULT.report(percent=v), "ArgumentError", "expected a bool"
    for name, value in (("int", 3), ("no repr", NO_REPR), ("iterator", having(__iter__=boom)), ("numbers", [1, 2])):
        yield f"metrics: {name}", lambda v=value: evaluate(metrics=v), "ArgumentError", ""
        yield f"settings: {name}", lambda v=value: fit(settings=v), "ArgumentError", ""
    for name, value in (("str", "x"), ("complex", 1j), ("__float__ raises", having(__float__=boom)),
                        ("no repr", NO_REPR)):
        yield f"floor: {name}", lambda v=value: fit(floor=v), "ArgumentError", "expected a float"
    for value in (3, [], NO_REPR, Text("x")):
        yield f"progress: {type(value).__name__}", lambda v=value: evaluate(progress=v), "ArgumentError", \
            "expected a function"
    yield "class_names: int", lambda: evaluate(class_names=3), "ArgumentError", "class_names is 3"
    yield "class_names: raises", lambda: evaluate(class_names=having(__iter__=boom)), "ArgumentError", "boom"
    yield "groups: None inside", lambda: evaluate(groups={"a": None}), "ArgumentError", "column 'a' is None"
    yield "metric: near", lambda: evaluate(metrics="ecce"), "UsageError", "did you mean 'ece'?"
    yield "metric: empty", lambda: evaluate(metrics="ece,"), "UsageError", "no metric is called ''"
    yield "compat: near", lambda: evaluate(compat="torchmetric"), "UsageError", "did you mean 'torchmetrics'?"
    yield "method: near", lambda: fit(method="temperatur"), "UsageError", "did you mean 'temperature'?"
    yield "setting: unknown", lambda: fit(settings={"scop": 1}), "UsageError", "has no setting 'scop'"
    yield "interval: unknown", lambda: evaluate(interval="x"), "UsageError", "allowed are: corrected percentile"
    yield "input: unknown", lambda: evaluate(input="x"), "UsageError", "allowed are: auto logits"
    yield "2**31 bins", lambda: evaluate(bins=2 ** 31), "UsageError", "2147483648 bins, allowed are 1 .. 100000"
    for what, call in {"evaluate": evaluate, "Evidence": lambda **more: credence.Evidence("ece", **more),
                       "compare": lambda **more: credence.compare(P, Y, **more),
                       "learned_epochs": lambda **more: credence.learned_epochs({"a": [([1, 2], [1.0, 2.0])]}, **more),
                       "calibratability": lambda **more: credence.calibratability({"a": [(P, Y)] * 2}, **more)}.items():
        yield f"{what}: 0 bins", functools.partial(call, bins=0), "UsageError", "bins is 0, allowed are 1 to"
    yield "0 folds", lambda: credence.compare(P, Y, folds=0), "UsageError", "folds is 0, allowed are 2 and more"
    yield "2**31 resamples", lambda: evaluate(resamples=2 ** 31), "UsageError", "allowed are 0 .. 1000000"
    yield "floor of 2", lambda: fit(floor=2), "UsageError", "a floor of 2, allowed is"
    yield "floor NaN", lambda: fit(floor=float("nan")), "UsageError", "a floor of nan, allowed is"
    yield "10 digits", lambda: RESULT.report(digits=10), "UsageError", "10 significant digits, allowed are 1 .. 9"
    yield "figure: unknown", lambda: RESULT.figure("nope"), "UsageError", "unknown figure 'nope', allowed are"
    yield "figure: no profile", lambda: RESULT.figure("roc"), "UsageError", "drawn from the profile"
    yield "form: unknown", lambda: RESULT.report("nope"), "UsageError", "unknown form 'nope', allowed are"


def objects() -> Iterator[Row]:
    """Calibrators, evidence, and what they are read from."""
    yield "apply: two classes", lambda: CALIBRATOR(P[:, :2]), "InputError", "2 classes, the calibrator was fitted on"
    yield "apply: NaN", lambda: CALIBRATOR(P * np.nan), "InputError", "scores row 0, class 0 is NaN"
    yield "apply: no rows", lambda: CALIBRATOR(P[:0]), "InputError", "expected at least one row"
    yield "apply: no file", lambda: CALIBRATOR("nope.npy"), "InputError", "nope.npy: cannot open"
    yield "export: unknown", lambda: CALIBRATOR.export("x", "nope"), "UsageError", "'nope'"
    yield "export: extension", lambda: CALIBRATOR.export("x.nope"), "UsageError", "names no format"
    yield "export: name", lambda: CALIBRATOR.export("x", "c", name="a b"), "UsageError", "name is 'a b', allowed are"
    yield "merge: itself", lambda: EVIDENCE.merge(EVIDENCE), "UsageError", "merged into itself"
    yield "merge: None", lambda: EVIDENCE.merge(None), "ArgumentError", "other is None"
    yield "merge: same rows", lambda: EVIDENCE.merge(EVIDENCE.copy()), "InputError", "rows 0:6 are in both parts"
    yield "merge: other bins", lambda: EVIDENCE.merge(credence.Evidence("ece", bins=3)), "UsageError", \
        "cannot be merged"
    yield "update: same rows", lambda: EVIDENCE.update(P, Y, first_row=0), "InputError", "rows 0:6 are in both parts"
    yield "update: two classes", lambda: EVIDENCE.update(P[:, :2], Y % 2), "InputError", "2 classes cannot be merged"
    for name, row, error in (("str", "x", "ArgumentError"), ("negative", -1, "UsageError"),
                             ("2**62", 2 ** 62, "UsageError"), ("2**64", 2 ** 64, "UsageError")):
        yield f"first_row: {name}", lambda r=row: EVIDENCE.update(P, Y, first_row=r), error, "first"
    yield "compute: no rows", lambda: credence.Evidence().compute(), "UsageError", "evidence has no rows"
    yield "compare: itself", lambda: EVIDENCE.compare(EVIDENCE), "UsageError", "compared with itself"
    for name, path, error, fragment in NOT_PATHS:
        yield f"calibrator from {name}", lambda p=path: credence.Calibrator.load(p), error, fragment
        yield f"calibrator to {name}", lambda p=path: CALIBRATOR.save(p), error, fragment
        yield f"evidence from {name}", lambda p=path: credence.Evidence.load(p), error, fragment
        yield f"evidence to {name}", lambda p=path: EVIDENCE.save(p), error, fragment
    yield "full disk", lambda: CALIBRATOR.save("/dev/full"), "SystemCallError", "No space left on device"
    noise = random.Random(1)
    for length in (0, 1, 10, 100):
        yield f"{length} bytes of a calibrator", lambda n=length: _core.Calibrator.load(STATE[:n], "it"), \
            "InputError", "it: "
        yield f"{length} bytes of evidence", lambda n=length: _core.Evidence.load(SUMS[:n], "it"), "InputError", "it: "
        given = noise.randbytes(length + 1)
        yield f"{length + 1} random bytes as a calibrator", lambda b=given: _core.Calibrator.load(b, "it"), \
            "InputError", "it: "
        yield f"{length + 1} random bytes as evidence", lambda b=given: _core.Evidence.load(b, "it"), \
            "InputError", "it: "
    for state in (None, 3, "x", bytearray(SUMS), memoryview(STATE)):
        kind = type(state).__name__
        yield f"calibrator of {kind}", lambda s=state: _core.Calibrator.load(s, "it"), "ArgumentError", "expected bytes"
        yield f"evidence of {kind}", lambda s=state: _core.Evidence.load(s, "it"), "ArgumentError", "expected bytes"


def lowest() -> Iterator[Row]:
    """The extension module itself."""
    yield "core: unnamed", lambda: _core.Predictions(P), "ArgumentError", "keyword arguments"
    yield "core: unknown name", lambda: core(label=Y), "ArgumentError", "did you mean 'labels'?"
    yield "core: evaluate unnamed", lambda: core().evaluate(3), "ArgumentError", "keyword arguments only"
    yield "core: evaluate unknown", lambda: core().evaluate(bin=3), "ArgumentError", "did you mean 'bins'?"
    yield "core: fit unknown", lambda: core().fit("temperature", flor=3), "ArgumentError", "did you mean 'floor'?"
    yield "core: gather unknown", lambda: core().gather(bin=3), "ArgumentError", "did you mean 'bins'?"
    yield "core: split", lambda: core().split("nope"), "UsageError", "allowed are: rows classes groups"
    yield "core: no folds", lambda: core().split("rows", folds=0), "UsageError", "0 folds of 6 rows"
    yield "core: split without groups", lambda: core().split("groups"), "InputError", "no groups"
    yield "core: apply", lambda: CALIBRATOR._core.apply(3), "ArgumentError", "predictions is 3"
    yield "core: merge", lambda: EVIDENCE._core.merge(CALIBRATOR._core), "ArgumentError", "expected another type"
    yield "core: value", lambda: RESULT._core.value(3), "ArgumentError", "the name of a metric is 3"
    yield "core: no path", lambda: _core.Predictions.open(None), "ArgumentError", "path is None, expected a str"
    yield "core: nearest of numbers", lambda: _core.nearest("a", [1]), "ArgumentError", "a name is 1"
    yield "core: nearest of a tuple", lambda: _core.nearest("a", ("a",)), "ArgumentError", "expected a list"
    yield "core: nearest to 3", lambda: _core.nearest(3, ["a"]), "ArgumentError", "the word is 3"
    yield "core: tuple of names", lambda: core(class_names=("a", "b", "c")), "ArgumentError", "expected a list of str"
    yield "core: numbers as names", lambda: core(class_names=["a", 3, "c"]), "ArgumentError", "class_names is 3"
    for name, groups, fragment in (("int", 3, "a list of at most 16"), ("17", [("a", Y, None)] * 17, "at most 16"),
                                   ("no tuple", [3], "expected (name, ids, names), found 3"),
                                   ("short tuple", [("a",)], "expected (name, ids, names), found ('a',)"),
                                   ("number as name", [(3, Y, None)], "the name of a group column is 3"),
                                   ("None as name", [(None, Y, None)], "the name of a group column is None"),
                                   ("None as ids", [("a", None, None)], "the group column 'a' is None"),
                                   ("None among names", [("a", Y, ["x", None])], "name 1 is None")):
        yield f"core: groups {name}", lambda g=groups: core(groups=g), \
            "UsageError" if "at most" in fragment else "ArgumentError", fragment
    for name, value, error, fragment in NOT_TEXTS:
        yield f"core: open {name}", lambda v=value: _core.Predictions.open(v), error, fragment
    yield "core: open None", lambda: _core.Predictions.open(None), "ArgumentError", "path is None"
    yield "core: open a folder", lambda: _core.Predictions.open("/usr"), "InputError", "is a directory"
    yield "core: open nothing", lambda: _core.Predictions.open(""), "UsageError", "found no file name"
    yield "core: open an empty file", lambda: _core.Predictions.open("/dev/null"), "InputError", "the file is empty"


def unaligned(values: Any) -> Any:
    """Return an equal array that begins at an odd address."""
    return np.frombuffer(b"\0" + values.tobytes(), values.dtype, offset=1).reshape(values.shape)


def pointers() -> Iterator[Row]:
    """What the library reads through a pointer: arrays of another layout are refused, not misread."""
    inputs = np.arange(24, dtype=np.float32).reshape(6, 4)
    dataset = _core.Dataset(inputs=inputs, labels=Y)
    model = _core.Model.build("mlp", (4,), classes=3)
    calls: list[tuple[str, str, Callable[[Any], Any], Any]] = [
        ("rows", "rows", dataset.read, np.arange(6)), ("taken rows", "rows", dataset.take, np.arange(6)),
        ("weights", "fc2.bias", lambda given: model.update({"fc2.bias": given}, {}), np.zeros(3, np.float32)),
        ("mean", "mean", lambda given: model.predict(dataset, "/nowhere/p.npz", mean=given), np.zeros(4)),
        ("learned", "learned", lambda given: _core.Source.learned([("a", given, inputs[0])], 5),
         np.ones(4, np.uint32)),
        ("max_logit", "max_logit", lambda given: _core.Source.learned([("a", np.ones(4, np.uint32), given)], 5),
         inputs[0])]
    for name, what, call, array in calls:
        for layout, given in (("backwards", array[::-1]), ("in steps", np.repeat(array, 2)[::2]),
                              ("unaligned", unaligned(array)), ("swapped", array.astype(array.dtype.newbyteorder())),
                              ("of another type", array.astype(np.int16))):
            yield f"core: {name} {layout}", lambda c=call, g=given: c(g), "ArgumentError", \
                f"{what} is not a contiguous and aligned array of"
        if name != "mean":
            yield f"core: {name} None", lambda c=call: c(None), "ArgumentError", "None"
    for name in "mean", "std":
        yield f"no {name}", lambda n=name: model.predict(dataset, "/nowhere/p.npz", **{"mean": np.ones(1),
                                                         "std": np.ones(1), n: np.ones(0)}), \
            "UsageError", f"{name}: expected a number for each channel"


def recursive() -> list[Any]:
    """Return a list that contains itself."""
    found: list[Any] = []
    found.append(found)
    return found


def layer() -> Iterator[Row]:
    """What the layer in Python reads: the message names the argument, whatever its object does."""
    evil: list[tuple[str, Callable[[], Any], str]] = [
        ("__getattribute__ raises", lambda: having(__getattribute__=boom), "boom"),
        ("__class__ raises", lambda: having(__class__=property(boom)), ""),
        ("recursive list", recursive, ""), ("array of a recursive list", lambda: np.array([recursive(), 5], object), "")]
    arguments: dict[str, Callable[..., Any]] = {
        **{name: evaluate for name in ("scores", "labels", "weights", "confidence", "predicted", "correct", "groups")},
        "class_counts": lambda class_counts: credence.Loss("ce", class_counts=class_counts),
        "logits": lambda logits: credence.Loss("ce")(logits, Y), "features": lambda features: fit(features=features)}
    for name, make, fragment in evil:
        for argument, call in arguments.items():
            yield f"{argument}: {name}", lambda a=argument, c=call, m=make: c(**{a: m()}), "ArgumentError", fragment
    for name, value in (("no repr", NO_REPR), ("a long list", [0.5] * 1000), ("an array", np.zeros((60, 3)))):
        for argument, call in (("path", CALIBRATOR.save), ("shift", lambda v: credence.evaluate_shift(P, Y, v)),
                               ("models", credence.table), ("runs", credence.calibratability),
                               ("model", credence.Network), ("title", lambda v: RESULT.page(v)),
                               ("report", lambda v: credence.report(None, v)), ("clamp", lambda v: credence.Perturbation(
                                   v, "x"))):
            yield f"{argument}: {name}", lambda c=call, v=value: c(v), "ArgumentError", argument
    yield "metrics: numbers without end", lambda: evaluate(metrics=np.broadcast_to(0.5, (2 ** 40, 3))), \
        "ArgumentError", "metrics contains"
    yield "class_names: rows without end", lambda: evaluate(class_names=np.broadcast_to(0.5, (2 ** 40, 3))), \
        "ArgumentError", "class_names is"
    yield "to_numpy gives a str", lambda: evaluate(scores=having(to_numpy=lambda self: "x")), "ArgumentError", \
        "scores: its to_numpy() returns 'x'"
    yield "input: an array", lambda: evaluate(input=np.array(["a", "b"])), "ArgumentError", "input is array("
    yield "method: a list", lambda: fit(method=["a"]), "ArgumentError", "method is ['a']"
    yield "predicted: unknown name", lambda: evaluate(predicted=["ab", "xx"] * 3, class_names=["ab", "cd", "ef"]), \
        "InputError", "predicted row 1 is 'xx'"
    yield "percent: an array", lambda: RESULT.report(percent=np.array([True])), "ArgumentError", "expected a bool"
    yield "export: an int as path", lambda: CALIBRATOR.export(3), "ArgumentError", "the path is 3"
    yield "from_json: None", lambda: credence.Result.from_json(None), "ArgumentError", "text is None"
    yield "from_json: surrogate", lambda: credence.Result.from_json("\udc80"), "ArgumentError", "text cannot be read"
    yield "load a clamp of an undecodable name", lambda: credence.Clamp.load("\udc80"), "SystemCallError", "No such file"
    for repeats, error in ((1, "UsageError"), (2 ** 70, "UsageError"), ("x", "ArgumentError"), (1.5, "ArgumentError")):
        yield f"repeats {repeats}", lambda r=repeats: credence.compare(P, Y, repeats=r), error, "repeats is"
    yield "repeats: seed", lambda: credence.compare(P, Y, repeats=2, seed="x"), "ArgumentError", "seed is 'x'"
    yield "test: keys", lambda: credence.compare(P, Y, test={1: P}), "ArgumentError", "has no argument '1'"
    for bins in (-1, 2 ** 70):
        yield f"learned epochs, {bins} bins", lambda b=bins: credence.learned_epochs({"a": ([1], [1.0])}, bins=b), \
            "UsageError", "bins is"
    for learned in ([-1, 1], [1.5, 1], [np.nan, 1], [2 ** 32, 1]):
        yield f"learned epochs {learned}", lambda v=learned: credence.learned_epochs({"a": (v, [1.0, 2.0])}), \
            "InputError", "runs['a']: expected epochs from 1 on, or 0, as integers"
    yield "gradient: an array", lambda: credence.Loss("ce")(P, Y, gradient=P), "ArgumentError", "gradient"
    yield "inputs: recursive list", lambda: credence.clamp(len, len, recursive(), Y), "ArgumentError", "inputs cannot"
    yield "run: None", lambda: credence.clamp(None, len, P, Y), "ArgumentError", "run is None"
    yield "run: gives None", lambda: credence.clamp(lambda x: None, len, P, Y), "ArgumentError", "logits is None"
    yield "backward: gives complex", lambda: credence.clamp(lambda x: x, lambda x: x * 1j, P, Y), "ArgumentError", \
        "gradient with respect to the inputs"
    yield "figure: a list", lambda: credence.plot.figure(["roc"], RESULT), "UsageError", "no figure is called ['roc']"
    yield "ax: an int", lambda: credence.plot.reliability(RESULT, ax=3), "ArgumentError", "ax is 3"
    for kind in ("Calibrator", "Result", "ShiftedResult", "Groups", "Contest", "Series", "Diagnosis", "Clamp",
                 "Embedding"):
        yield f"{kind} of an int", lambda k=kind: getattr(credence, k)(3), "ArgumentError", "found 3"


def networks() -> Iterator[Row]:
    """The same of networks, datasets and training."""
    data = np.ones((6, 4), np.float32), Y
    network = credence.Network.build("mlp(hidden=2)", classes=3, shape=(4,))

    def confidence(**more: Any) -> Any:
        return credence.train_confidence(**{"network": network, "data": data, "validation": .5, **more})

    def train(**more: Any) -> Any:
        return credence.train(data, "mlp(hidden=2)", epochs=1, **more)
    yield "confidence: validation None", lambda: confidence(validation=None), "ArgumentError", "validation is None"
    yield "confidence: complex mean", lambda: confidence(mean=1j), "ArgumentError", "mean is 1j"
    yield "mode: a list", lambda: credence.Network(network, mode=[]), "UsageError", "mode is []"
    yield "info: shapes without end", lambda: network.info(shapes=np.broadcast_to(0.5, (2 ** 40, 3))), \
        "ArgumentError", "shapes is"
    yield "output: an array", lambda: network(data[0], output=P), "UsageError", "no output is called an object of the type ndarray"
    yield "train: resume", lambda: train(resume="no"), "ArgumentError", "resume is 'no'"
    yield "train: rate", lambda: train(rate="fast"), "ArgumentError", "rate is 'fast'"
    yield "train: optimiser", lambda: train(optimiser=3, rate=0.1), "ArgumentError", "optimiser is 3"
    yield "train: monitors", lambda: train(monitors=[1]), "ArgumentError", "monitors is [1]"
    yield "train: save_every", lambda: train(checkpoint="/nowhere/x", save_every="x"), "ArgumentError", "save_every is 'x'"
    for key in (None, 3):
        yield f"weights: key {key}", lambda k=key: network.with_weights({k: data[0]}), "ArgumentError", \
            f"the name of a parameter is {key}"
        yield f"metadata: key {key}", lambda k=key: network.with_metadata({k: "x"}), "ArgumentError", \
            f"a key of the metadata is {key}"
    for rows in ([99], [0.5]):
        yield f"dataset: rows {rows}", lambda r=rows: credence.Dataset(*data).take(np.array(r)), "UsageError", \
            "rows array("
    for name, value in (("str", ["x"]), ("void", np.zeros(3, "V5")), ("objects", np.array([None], object))):
        yield f"with_weights: {name}", lambda v=value: network.with_weights({"fc1.bias": v}), "ArgumentError", \
            "fc1.bias cannot be read as an array of numbers"
    yield "dataset: classes", lambda: credence.Dataset(*data, classes=2 ** 32), "UsageError", "4294967296 classes"
    yield "info: endless shapes", lambda: network.info(shapes=np.broadcast_to(np.int8(0), (2 ** 31, 2 ** 31))), \
        "ArgumentError", "shapes is"
    yield "dataset: size", lambda: credence.Dataset("synthetic:line:rows=9#train", size=(1, 2, 3)), "ArgumentError", \
        "size cannot be read"


TABLE: list[Row] = [*arrays(), *data(), *options(), *objects(), *lowest(), *pointers(), *layer(),
                    *(networks() if credence.operators() else [])]


def test_table_is_long() -> None:
    assert len(TABLE) >= 200
    assert len({name for name, *_ in TABLE}) == len(TABLE)


@pytest.mark.parametrize(("name", "call", "error", "fragment"), TABLE, ids=[row[0] for row in TABLE])
def test_raises(name: str, call: Callable[[], Any], error: str, fragment: str) -> None:
    with pytest.raises(credence.Error) as caught:
        call()
    assert type(caught.value).__name__ == error and isinstance(caught.value, BUILTIN[error]), caught.value
    assert fragment in str(caught.value) and str(caught.value)


# ---- Strange, but valid.

def odd(kind: str) -> Any:
    wide = np.zeros((12, 6))
    wide[::2, ::2] = P
    backwards = P[::-1, ::-1].copy()
    return {"fortran": np.asfortranarray(P), "swapped": P.astype(P.dtype.newbyteorder(">")), "strided": wide[::2, ::2],
            "negative strides": backwards[::-1, ::-1], "list": P.tolist(), "tuples": tuple(map(tuple, P.tolist())),
            "view": memoryview(P), "ctypes": np.ctypeslib.as_ctypes(P.copy()), "dlpack": Exporter(P),
            "subclass": P.view(np.matrix), "unmasked": np.ma.masked_array(P)}[kind]


@pytest.mark.parametrize("kind", ["fortran", "swapped", "strided", "negative strides", "list", "tuples", "view",
                                  "ctypes", "dlpack", "subclass", "unmasked"])
def test_layouts_give_the_same_number(kind: str) -> None:
    assert evaluate(scores=odd(kind)) == evaluate() == pytest.approx(0.4)


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "e", "f", "d", ">i8", ">f4"])
def test_labels_of_every_type(dtype: str) -> None:
    labels = Y % 2 if dtype == "?" else Y
    assert evaluate(labels=labels.astype(dtype)) == evaluate(labels=labels)


def test_tensors_behind_an_offset() -> None:
    behind = np.concatenate([np.full((1, 3), np.nan), P])
    assert evaluate(scores=Exporter(behind, P.shape, offset=behind.strides[0])) == evaluate()


@pytest.mark.parametrize("device", [1, 3, 11])
def test_main_memory_of_every_kind(device: int) -> None:
    """Memory that is pinned for a GPU is main memory."""
    assert evaluate(scores=Exporter(device=(device, 0))) == evaluate()


def test_read_only_and_broadcast() -> None:
    fixed = P.copy()
    fixed.flags.writeable = False
    assert evaluate(scores=fixed) == evaluate()
    row = np.broadcast_to([.2, .3, .5], (6, 3))
    assert evaluate(scores=row) == evaluate(scores=row.copy())
    one = np.broadcast_to(np.float64(.5), (6, 2))
    assert evaluate(scores=one, labels=Y % 2) == evaluate(scores=one.copy(), labels=Y % 2)
    assert evaluate(weights=np.broadcast_to(np.float32(2), 6)) == pytest.approx(evaluate())
    assert evaluate(labels=np.broadcast_to(np.int8(1), 6)) == evaluate(labels=[1] * 6)


def test_numbers_of_other_types() -> None:
    class Odd(int):
        def __index__(self) -> int:
            raise RuntimeError
        __repr__ = __str__ = __index__  # type: ignore[assignment]
    for three in (3, np.int8(3), np.uint64(3), Odd(3), having(__index__=lambda self: 3)):
        assert evaluate(bins=three) == evaluate(bins=3)
    assert evaluate(metrics=Text("ece"), resamples=False, threads=None, progress=None) == evaluate()
    assert RESULT.report(percent=np.True_) == RESULT.report(percent=1) == RESULT.report(percent=True)


# ---- Beyond the table.

def test_every_damaged_byte_of_evidence_is_noticed() -> None:
    for i in range(len(SUMS)):
        damaged = bytearray(SUMS)
        damaged[i] ^= 0x55
        with pytest.raises(credence.InputError):
            _core.Evidence.load(bytes(damaged), "it")


def test_damaged_pickles() -> None:
    for original in (CALIBRATOR, EVIDENCE):
        state = pickle.dumps(original)
        for length in range(0, len(state), 50):
            with pytest.raises((pickle.UnpicklingError, EOFError, AttributeError, credence.Error, ValueError)):
                pickle.loads(state[:length])


def test_files_of_noise(tmp_path: Path) -> None:
    noise = random.Random(2)
    for name in ("x", "x.npz", "x.npy", "x.csv", "x.jsonl", "x.safetensors", "x.pt"):
        path = tmp_path / name
        path.write_bytes(noise.randbytes(300))
        with pytest.raises(credence.Error, match=str(path)):
            credence.evaluate(path)
    path.unlink()
    with pytest.raises(credence.InputError, match="No such file"):
        credence.evaluate(path)


def test_exceptions_that_are_none_pass_through() -> None:
    def stop(*unnamed: Any) -> Any:
        raise SystemExit(3)
    for call in (lambda: evaluate(bins=having(__index__=stop)), lambda: fit(floor=having(__float__=stop)),
                 lambda: evaluate(scores=having(__array__=stop)), lambda: evaluate(labels=having(__getattr__=stop)),
                 lambda: evaluate(metrics=having(__iter__=stop)),
                 lambda: _core.Loss("ce", class_counts=having(__iter__=stop)),
                 lambda: _core.Loss("ce").evaluate(P, Y, ignore=having(__index__=stop)),
                 lambda: _core.Model.build("mlp", (having(__index__=stop),), classes=2)):
        with pytest.raises(SystemExit):
            call()


def test_dlpack_is_consumed_and_deleted_once() -> None:
    exporter = Exporter()
    assert evaluate(scores=exporter) == evaluate()
    assert exporter.deleted == 1
    with pytest.raises(credence.ArgumentError, match="PyCapsule"):
        evaluate(scores=exporter)
    refused = Exporter(lanes=2)
    with pytest.raises(credence.ArgumentError):
        evaluate(scores=refused)
    assert refused.deleted == 1


def test_names_do_not_follow_their_list() -> None:
    names = [f"class {k}" for k in range(3)]
    groups = [("site", Y, [f"site {k}" for k in range(3)])]
    rows = core(class_names=names, groups=groups)
    expected = core(class_names=list(names), groups=list(groups)).evaluate(resamples=0, by_group=True).report("json")
    groups[0][2][:] = []
    names[:] = []
    groups[:] = []
    assert rows.evaluate(resamples=0, by_group=True).report("json") == expected


def test_system_errors_name_their_file() -> None:
    with pytest.raises(credence.SystemCallError) as caught:
        credence.Calibrator.load("/nonexistent")
    assert caught.value.errno == 2 and caught.value.filename == "/nonexistent"


def test_saving_leaves_devices_alone(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    CALIBRATOR.save(pipe)
    assert os.read(reader, 1 << 16) == STATE and pipe.is_fifo()
    os.close(reader)
    assert os.listdir(tmp_path) == ["pipe"]
