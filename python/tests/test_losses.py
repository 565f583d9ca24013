"""Losses: the bits of the program for every loss of the table, targets, terms, and refusals."""
from __future__ import annotations

import copy
import json
import pathlib
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence

ROWS, CLASSES = 150, 4
LOSSES = sorted(credence.losses())
TOLD = [name for name in LOSSES if not credence.losses()[name]["history"]]  # a file of predictions has no history


def batch(seed: int = 0, dtype: Any = np.float64) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    logits = (3 * random.normal(size=(ROWS, CLASSES))).astype(dtype)
    return logits, random.integers(0, CLASSES, ROWS)


def history_of(name: str) -> dict[str, Any]:
    """Return what losses with a history need."""
    if not credence.losses()[name]["history"]:
        return {}
    return {"history": np.random.default_rng(5).integers(0, 6, ROWS), "epochs": 6}


# ---- Values.

@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", TOLD)
def test_same_bits_as_the_program(name: str, dtype: Any, tmp_path: pathlib.Path, program: Callable[..., str]) -> None:
    logits, labels = batch(dtype=dtype)
    weights = np.random.default_rng(2).uniform(0, 2, ROWS)
    labels[7] = -100
    np.savez(tmp_path / "p.npz", logits=logits, labels=labels, weights=weights)
    counts = [int((labels == k).sum()) for k in range(CLASSES)]
    for reduction in ("mean", "sum"):
        expression = f"{name} + 0.5*ce"
        told = json.loads(program("loss", expression, tmp_path / "p.npz", "--json", "--reduction", reduction,
                                  "--gradient", tmp_path / "g.npy", "--input", "logits"))
        loss = credence.Loss(expression, class_counts=counts, reduction=reduction)
        found = loss(logits.astype(np.float64), labels, weights)
        assert found.value == told["value"] and found.gradient_norm == told["gradient_norm"]
        assert found.terms == told["terms"] and list(found.terms) == loss.terms
        assert found.gradient is not None and (found.gradient == np.load(tmp_path / "g.npy")).all()


@pytest.mark.parametrize("name", LOSSES)
def test_gradients(name: str) -> None:
    logits, labels = batch(1)
    loss = credence.Loss(name, class_counts=[10, 20, 30, 40])
    given = history_of(name)
    value, gradient = loss(logits, labels, **given)
    along = np.random.default_rng(3).normal(size=logits.shape)
    step = 1e-6
    ends = [loss(logits + sign * step * along, labels, gradient=False, **given) for sign in (1, -1)]
    assert all(end.gradient is None and np.isnan(end.gradient_norm) for end in ends)
    assert (ends[0].value - ends[1].value) / (2 * step) == pytest.approx((gradient * along).sum(), rel=1e-6, abs=1e-9)
    single = loss(logits.astype(np.float32), labels, **given)
    assert single.gradient is not None and single.gradient.dtype == np.float32
    assert single.value == pytest.approx(value, rel=1e-5)


def test_history() -> None:
    """crl: neighbours in the batch are ranked like how often they were correct (Moon et al. 2020)."""
    logits, labels = batch(4)
    history = np.random.default_rng(6).integers(1, 9, ROWS)
    found = credence.Loss("crl")(logits, labels, history=history, epochs=10, history_low=1)
    powers = np.exp(logits)
    confidence = (powers / powers.sum(axis=1, keepdims=True)).max(axis=1)
    apart, gap = ((v - np.roll(v, -1)) for v in (history / 9, confidence))
    assert found.value == pytest.approx(np.maximum(np.abs(apart) - np.sign(apart) * gap, 0)[apart != 0].sum() / ROWS)
    assert set(LOSSES) - set(TOLD) == {"crl"}
    strided = credence.Loss("crl")(logits, labels, history=np.repeat(history, 2)[::2], epochs=10, history_low=1)
    assert strided.value == found.value
    with pytest.raises(credence.UsageError, match="crl needs a history"):
        credence.Loss("crl")(logits, labels)


def test_soft_targets() -> None:
    logits, labels = batch()
    hot = np.eye(CLASSES)[labels]
    for name in LOSSES:
        loss = credence.Loss(name, class_counts=[1, 1, 1, 1])
        if credence.losses()[name]["soft_targets"]:
            given = history_of(name)
            assert loss(logits, hot, **given).value == pytest.approx(loss(logits, labels, **given).value, rel=1e-12)
        else:
            with pytest.raises(credence.UsageError, match="needs class indices, found class probabilities"):
                loss(logits, hot, **history_of(name))


def test_ignored_rows() -> None:
    logits, labels = batch()
    loss = credence.Loss("focal(gamma=2)")
    kept = loss(logits[10:], labels[10:])
    marked = labels.copy()
    marked[:10] = -100
    found = loss(logits, marked)
    assert found.value == kept.value and found.gradient is not None and not found.gradient[:10].any()
    marked[:10] = 3**39
    assert loss(logits, marked, ignore=3**39).value == kept.value
    with pytest.raises(credence.InputError, match="labels row 0 is 4052555153018976267, allowed are 0 to 3"):
        loss(logits, marked)
    marked[:10] = -100
    with pytest.raises(credence.InputError, match="labels row 0 is -100"):
        loss(logits, marked, ignore=None)


def test_class_counts() -> None:
    logits, labels = batch()
    even, uneven = (credence.Loss("weighted-ce", class_counts=np.array(c)) for c in ([5, 5, 5, 5], [1, 9, 9, 9]))
    assert even(logits, labels).value == pytest.approx(credence.Loss("ce")(logits, labels).value)
    assert uneven(logits, labels).value != pytest.approx(even(logits, labels).value)
    with pytest.raises(credence.UsageError, match="class"):
        credence.Loss("weighted-ce")(logits, labels)


def test_terms_and_notes() -> None:
    loss = credence.Loss("ce + -0.5*entropy + 2*ce", allow_negative=True)
    assert loss.terms == ["ce", "entropy", "ce#2"] and len(loss.notes) == 1
    found = loss(*batch())
    assert found.value == pytest.approx(3 * found.terms["ce"] - 0.5 * found.terms["entropy"])
    assert found.terms["ce#2"] == found.terms["ce"] and float(found) == found.value


# ---- Objects.

def test_pickle_copy_repr() -> None:
    logits, labels = batch()
    loss = credence.Loss("weighted-ce", class_counts=[1, 2, 3, 4], reduction="sum")
    for other in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss)):
        assert other(logits, labels).value == loss(logits, labels).value
        assert repr(other) == repr(loss) == "Loss('weighted-ce', class_counts=(1.0, 2.0, 3.0, 4.0), reduction='sum')"


def test_threads_at_once() -> None:
    loss = credence.Loss("ce + mmce + soft-ece")
    batches = [batch(seed) for seed in range(4)]
    alone = [loss(*each).value for each in batches]
    found: dict[int, set[float]] = {i: set() for i in range(4)}

    def work(i: int) -> None:
        for _ in range(50):
            found[i].add(loss(*batches[i]).value)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [found[i] for i in range(4)] == [{value} for value in alone]


def test_listing() -> None:
    text = credence.Loss.__doc__ or ""
    assert all(f"- ``{name}``: " in text for name in LOSSES)


LOGITS, LABELS = batch()


@pytest.mark.parametrize("call, error, message", [
    (lambda: credence.Loss("fcal"), credence.UsageError, "did you mean 'focal'"),
    (lambda: credence.Loss("ce +"), credence.UsageError, "ce"),
    (lambda: credence.Loss(None), credence.ArgumentError, "expression is None"),  # type: ignore[arg-type]
    (lambda: credence.Loss(5), credence.ArgumentError, "expected a str"),  # type: ignore[arg-type]
    (lambda: credence.Loss("-1*ce"), credence.UsageError, "negative"),
    (lambda: credence.Loss("ce", reduction="none"), credence.UsageError, "mean sum"),
    (lambda: credence.Loss("ce", class_counts=5), credence.ArgumentError, "class_counts is 5"),
    (lambda: credence.Loss("ce", class_counts=["a"]), credence.ArgumentError, "class_counts"),
    (lambda: credence.Loss("weighted-ce", class_counts=[-1, 1, 1, 1])(LOGITS, LABELS), credence.UsageError, ""),
    (lambda: credence.Loss("ce")(None, LABELS), credence.ArgumentError, "None"),
    (lambda: credence.Loss("ce")(LOGITS, None), credence.ArgumentError, "None"),
    (lambda: credence.Loss("ce")(LOGITS[0], LABELS[:1]), credence.UsageError, "logits are 4 x 1"),
    (lambda: credence.Loss("ce")(LOGITS[None], LABELS), credence.InputError, "3 dimensions"),
    (lambda: credence.Loss("ce")(LOGITS, LABELS[:-1]), credence.UsageError, "labels are 149 x 1"),
    (lambda: credence.Loss("ce")(LOGITS, LABELS, LABELS[:-1]), credence.UsageError, "weights are 149 x 1"),
    (lambda: credence.Loss("ce")(LOGITS, LABELS, -np.ones(ROWS)), credence.InputError, "weight"),
    (lambda: credence.Loss("ce")(LOGITS * np.nan, LABELS), credence.InputError, "row 0, class 0 is NaN"),
    (lambda: credence.Loss("ce")(LOGITS.astype(int), LABELS), credence.UsageError, "i64, allowed are f32 and f64"),
    (lambda: credence.Loss("ce")(LOGITS, LABELS + 0.5), credence.InputError, "not a class index"),
    (lambda: credence.Loss("ce")(LOGITS, np.abs(LOGITS)), credence.InputError, ""),
    (lambda: credence.Loss("ce")(LOGITS, LABELS, ignore="x"), credence.ArgumentError, "ignore is 'x'"),
    (lambda: credence.Loss("ce")(LOGITS, LABELS, ignore=2**80), credence.ArgumentError, "64 bits"),
    (lambda: credence.Loss("ce")(LOGITS, LABELS, epochs="x"), credence.ArgumentError, "epochs is 'x'"),
    (lambda: credence.Loss("ce")("logits", LABELS), credence.ArgumentError, ""),
])
def test_refusals(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as found:
        call()
    assert isinstance(found.value, credence.Error) and message in str(found.value)
