"""Memory, reference counts and the collector's objects stay flat over 10,000 calls.

The calls are shared by the operations; with CREDENCE_LONG=1, as in the long ring, each makes 10,000.
"""
from __future__ import annotations

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import NO_REPR, Exporter, P, Y, having, boom

import credence
from credence import _core

WEIGHTS = np.ones(6)
NAMES = ["zebra", "yak", "xerus"]
GROUPS = {"site": ["a", "b", "a", "b", "a", "b"]}
CALIBRATOR = credence.fit("temperature", P, Y)
RESULT = credence.evaluate(P, Y, resamples=0)
FIRST = credence.Evidence("ece", resamples=0).update(P, Y)
SECOND = credence.Evidence("ece", resamples=0).update(P, Y, first_row=6)
STATE, MAP = FIRST._core.save(), CALIBRATOR._core.save()


def refused(call: Callable[[], Any]) -> None:
    try:
        call()
    except (credence.Error, Stop):
        return
    raise AssertionError


class Stop(Exception):
    pass


def stop(*unnamed: Any) -> None:
    raise Stop


def evaluate(**more: Any) -> Any:
    return credence.evaluate(**{"scores": P, "labels": Y, "resamples": 0, "metrics": "ece", **more})


CALLS: dict[str, Callable[[], Any]] = {
    "evaluate": evaluate,
    "evaluate with everything": lambda: evaluate(weights=WEIGHTS, class_names=NAMES, groups=GROUPS, group_by="site",
                                                 resamples=2, profile=True),
    "evaluate lists": lambda: evaluate(scores=P.tolist(), labels=Y.tolist()),
    "evaluate names": lambda: evaluate(labels=[NAMES[k] for k in Y], class_names=NAMES),
    "evaluate DLPack": lambda: evaluate(scores=Exporter()),
    "evaluate with progress": lambda: evaluate(progress=lambda *unnamed: None),
    "evaluate broadcast": lambda: evaluate(labels=np.broadcast_to(np.int8(1), 6)),
    "wrong labels": lambda: refused(lambda: evaluate(labels=Y + 5)),
    "wrong option": lambda: refused(lambda: evaluate(bins=NO_REPR)),
    "wrong name": lambda: refused(lambda: evaluate(metrics="ecce")),
    "wrong array": lambda: refused(lambda: evaluate(weights=having(__array__=boom))),
    "wrong DLPack": lambda: refused(lambda: evaluate(scores=Exporter(lanes=2))),
    "wrong groups": lambda: refused(lambda: _core.Predictions(scores=P, labels=Y, groups=[("a", Y, None), 3])),
    "wrong callback": lambda: refused(lambda: CALIBRATOR._core.apply(_core.Predictions(scores=P, labels=Y),
                                                                     progress=stop)),
    "read a metric": lambda: (RESULT.ece, RESULT["ece"], list(RESULT), RESULT.rows, hasattr(RESULT, "nope")),
    "report": lambda: (RESULT.report(), RESULT.to_json(), RESULT.to_dict(), repr(RESULT)),
    "figure": lambda: (RESULT.figure(), refused(lambda: CALIBRATOR.figure("roc"))),
    "page": lambda: RESULT.page("title"),
    "fit": lambda: credence.fit("temperature", P, Y),
    "wrong method": lambda: refused(lambda: credence.fit("temperatur", P, Y)),
    "apply": lambda: (CALIBRATOR(P), CALIBRATOR.predict(P)),
    "wrong classes": lambda: refused(lambda: CALIBRATOR(P[:, :2])),
    "describe": lambda: CALIBRATOR._core.describe(),
    "export": lambda: CALIBRATOR._core.export("c"),
    "pickle a calibrator": lambda: pickle.loads(pickle.dumps(CALIBRATOR)),
    "load a calibrator": lambda: _core.Calibrator.load(MAP, "it"),
    "wrong calibrator": lambda: refused(lambda: _core.Calibrator.load(MAP[:99], "it")),
    "evidence": lambda: credence.Evidence("ece", resamples=0).update(P, Y).compute(),
    "merge": lambda: FIRST + SECOND,
    "wrong merge": lambda: refused(lambda: FIRST.merge(FIRST.copy())),
    "compare": lambda: FIRST.compare(FIRST.copy()),
    "pickle evidence": lambda: pickle.loads(pickle.dumps(FIRST)),
    "wrong evidence": lambda: refused(lambda: _core.Evidence.load(STATE[:99], "it")),
    "split": lambda: _core.Predictions(scores=P, labels=Y).split("rows"),
    "tables": lambda: _core.tables() if gc.isenabled() else _core.version(),
    "nearest": lambda: _core.nearest("yak", NAMES),
    "dataset": lambda: (DATA[:2], DATA.take([1, 0]), DATA.split(0.5, seed=1), DATA.labels),
    "wrong rows": lambda: refused(lambda: DATA._core.take(np.array([99]))),
    "model": lambda: (MODEL.describe(), MODEL.encoding()),
    "wrong weights": lambda: refused(lambda: MODEL.update({"none": np.zeros(3, np.float32)}, {})),
    "network": lambda: (MODEL.compile(shapes=[(6, 3)]), NETWORK.parameters(), NETWORK.shapes()),
    "run": lambda: NETWORK.run([INPUTS], [np.zeros((6, 3), np.float32)], [INPUTS], None),
    "wrong run": lambda: refused(lambda: NETWORK.run([INPUTS[:2]], [], [], None)),
    "loss": lambda: (LOSS := _core.Loss("ce")).evaluate(INPUTS, Y, gradient=True) and LOSS.describe(),
    "wrong loss": lambda: refused(lambda: _core.Loss("ce + nope")),
    "train": lambda: credence.train(DATA, network="mlp(hidden=4)", epochs=1, threads=1),
    "wrong training": lambda: refused(lambda: credence.train(DATA, network="mlp(hidden=4)", epochs=1, loss="nope")),
    "contest": lambda: _core.Predictions(scores=P, labels=Y).compete(
        test=_core.Predictions(scores=P, labels=Y), methods="identity,temperature", resamples=2).describe(),
    "pickle a contest": lambda: pickle.loads(pickle.dumps(CONTEST)).best,
    "wrong contest": lambda: refused(lambda: _core.Contest.load(b"{}", [])),
    "pickle a series": lambda: pickle.loads(pickle.dumps(SERIES)).report("csv"),
    "diagnosis": lambda: (found := credence.doctor(P, Y)).report() and pickle.loads(pickle.dumps(found)).to_json(),
    "wrong diagnosis": lambda: refused(lambda: _core.Diagnosis.load({**DIAGNOSIS, "findings": [{"name": "nope"}]})),
    "shift": lambda: credence.evaluate_shift(P, Y, {"a:1": (P, Y)}, metrics="ece", resamples=2).shift["a:1"].result.ece,
    "pickle shift": lambda: pickle.loads(pickle.dumps(SHIFTED)).shift,
    "wrong shift": lambda: refused(lambda: credence.evaluate_shift(P, Y, {"a:1": (P[:, :2], Y)}, metrics="ece")),
    "operating points": lambda: credence.operating_points(P, Y, target_risk=[.2, .5], target_coverage=.5, resamples=2),
    "wrong operating points": lambda: refused(lambda: credence.operating_points(P, Y, target_risk=2)),
    "table": lambda: credence.table({"a": P, "b": P[::-1]}, Y, metrics="ece", resamples=2),
    "page of everything": lambda: credence.report(None, RESULT, credence.doctor(P, Y), CONTEST),
    "embedding": lambda: (found := credence.embed(P, Y, iterations=2)).figure() and found.x,
    "wrong embedding": lambda: refused(lambda: pickle.dumps(credence.embed(P, Y, iterations=2))),
    "calibratability": lambda: credence.calibratability({"a": (P, Y)}, methods="temperature", draws=2).to_json(),
    "clamp": lambda: pickle.loads(pickle.dumps(credence.clamp(forward, backward, INPUTS, Y, threads=1))).delta,
    "wrong clamp": lambda: refused(lambda: credence.clamp(forward, stop, INPUTS, Y, threads=1)),
    "perturbation": lambda: pickle.loads(pickle.dumps(credence.Perturbation(CLAMP, "it"))).figure(),
    "trust": lambda: (found := credence.TrustScore(P, Y, name="it", threads=1))(P, features=P) is found.counts,
    "wrong trust": lambda: refused(lambda: credence.TrustScore(P, Y[:3])),
    "trust of calibrated rows": lambda: TRUST.calibrate(P, Y, features=P).confidence(P, features=P),
    "wrong rows of trust": lambda: refused(lambda: TRUST(P, features=P[:, :2])),
    "pickle trust": lambda: pickle.loads(pickle.dumps(TRUST)),
    "confidence": lambda: credence.train_confidence(CLASSIFIER, DATA, validation=DATA, settings="hidden=2,epochs=1",
                                                    threads=1),
    "wrong confidence": lambda: refused(lambda: credence.train_confidence(CLASSIFIER, DATA, validation=DATA,
                                                                          tensor="nope", threads=1)),
    "stopped confidence": lambda: refused(lambda: credence.train_confidence(CLASSIFIER, DATA, validation=DATA,
                                                                            progress=stop, threads=1)),
    "pickle a dataset": lambda: pickle.loads(pickle.dumps(DATA.take([1, 0])))[:],
    "learned epochs": lambda: credence.learned_epochs({"a": [([1, 2, 3], [1.0, 2, 3])] * 2}, bins=2).to_json(),
}
INPUTS = np.random.default_rng(0).normal(size=(6, 3)).astype(np.float32)
DATA = credence.Dataset(INPUTS, Y)
MODEL = _core.Model.build("mlp(hidden=4)", (3,), classes=3)
NETWORK = MODEL.compile(shapes=[(6, 3)], mode="training")
CONTEST = credence.compare(P, Y, test=(P, Y), methods="temperature", metrics="ece", resamples=2)
SERIES = credence.compare(np.tile(P, (5, 1)), np.tile(Y, 5), methods="temperature", resamples=2, repeats=2).series
SHIFTED = credence.evaluate_shift(P, Y, {"a:1": (P, Y)}, metrics="ece", resamples=2)
DIAGNOSIS = credence.doctor(P, Y)._core.describe()
TRUST = credence.TrustScore(P, Y)
CLASSIFIER = credence.Network(MODEL)
MIXED = np.float32([[2, -1, 0], [0, 1, -1], [1, 0, 2]])


def forward(given: Any) -> Any:
    return given @ MIXED


def backward(gradient: Any) -> Any:
    return gradient @ MIXED.T


CLAMP = credence.clamp(forward, backward, INPUTS, Y)
# oneDNN's caches are full after some of these calls: half a megabyte, once.
COMPILING = {"network", "run", "wrong run", "train", "wrong training", "confidence", "wrong confidence",
             "stopped confidence"}
KEPT = [P, Y, WEIGHTS, NAMES, GROUPS, RESULT, CALIBRATOR, FIRST, SECOND, STATE, MAP, CALIBRATOR._core, FIRST._core,
        RESULT._core, CONTEST._core, TRUST._core, CLAMP._core, MODEL, stop, NO_REPR, credence.InputError, _core.Predictions,
        _core.Result]
if sys.version_info < (3, 12):  # from then on these are immortal, and their counts mean nothing
    KEPT += [None, True]
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")  # the sanitizer keeps freed memory, and needs address space
# A sanitizer makes each call several times as slow, and notices at the first one what it notices at all.
ROUNDS = 10000 if os.environ.get("CREDENCE_LONG") else (2500 if SANITIZED else 10000) // len(CALLS) + 1


class Heap(ctypes.Structure):
    """What mallinfo2 of glibc returns; `used` is the number of bytes that were allocated and not freed."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "chunks", "small", "maps", "mapped", "most", "fast",
                                                     "used", "free", "top")]


MALLINFO = ctypes.CDLL(None).mallinfo2
MALLINFO.restype = Heap


def heap() -> int:
    """Return the bytes that the library has; those of small Python objects are elsewhere."""
    found = MALLINFO()
    return int(found.used + found.mapped)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def counts() -> list[int]:
    gc.collect()
    return [len(gc.get_objects()), *(sys.getrefcount(kept) for kept in KEPT)]


def growth(name: str) -> str:
    """Return what grows with the calls, or ""."""
    call = CALLS[name]
    for _ in range(300 if name in COMPILING else 50):
        call()
    before, memory, allocated = counts(), resident(), heap()
    for _ in range(ROUNDS):
        call()
    after, grown = counts(), heap() - allocated
    # One object, or reference, for each call would be as many as the rounds.
    if max(abs(b - a) for a, b in zip(before, after)) >= ROUNDS / 4:
        return f"objects and references: {list(zip(before, after))}"
    if grown >= 16 * ROUNDS + 2000:
        return f"the heap, by {grown} bytes"
    if not SANITIZED and resident() - memory >= 2_000_000 + 100 * ROUNDS:
        return f"the resident memory, by {resident() - memory} bytes"
    return ""


@pytest.mark.parametrize("name", CALLS)
def test_flat(name: str) -> None:
    """A leak shows every time; what threads of other libraries leave behind does not."""
    assert not growth(name) or not growth(name) or not (found := growth(name)), found


def test_a_large_array_is_not_copied() -> None:
    """The peak of memory grows by less than the array."""
    source = """
        import resource, numpy as np, credence
        scores = np.random.default_rng(0).random((400000, 20), np.float32)
        scores /= scores.sum(1, keepdims=True)
        labels = np.zeros(len(scores), np.uint8)
        credence.evaluate(scores[:1000], labels[:1000], resamples=0, threads=1, input="probabilities")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rows = credence._core.Predictions(scores=scores, labels=labels, input="probabilities")
        rows.evaluate(resamples=0, threads=1, metrics="accuracy")
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / scores.nbytes)
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(source)], capture_output=True,
                          text=True, check=True, timeout=120)
    assert float(done.stdout) < 0.6


def test_memory_runs_out() -> None:
    """Under a limit of the address space, calls fail with our exception, and work again without it.

    On one thread: libgomp ends the process if it cannot start threads.
    """
    if SANITIZED:
        return
    source = """
        import resource, numpy as np, credence
        scores = np.random.default_rng(0).random((200000, 10), np.float32)
        labels = scores.argmax(1)
        evidence = credence.Evidence("ece", resamples=10)
        small = dict(resamples=0, metrics="ece", threads=1)
        expected = credence.evaluate(scores, labels, **small).ece
        used = int(open("/proc/self/statm").read().split()[0]) * 4096
        for extra in (3_000_000, 6_000_000, 12_000_000, 24_000_000):
            resource.setrlimit(resource.RLIMIT_AS, (used + extra, -1))
            for call in (lambda: credence.evaluate(scores, labels, resamples=100000, metrics="all", threads=1),
                         lambda: credence.fit("matrix-odir", scores, labels, threads=1),
                         lambda: credence.fit("isotonic", scores, labels, threads=1)(scores, threads=1)):
                try:
                    call()
                    print("done")
                except credence.OutOfMemoryError as error:
                    assert isinstance(error, MemoryError) and str(error), error
                    print("memory")
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
        assert credence.evaluate(scores, labels, **small).ece == expected
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(source)], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.count("memory") >= 3, done
