"""TrustScores: the program's bits, a naive reference, the calibrated confidence, files, faults."""
from __future__ import annotations

import copy
import pathlib
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import credence


def rows(count: int, seed: int) -> tuple[Any, Any, Any]:
    """Return features, logits of a poor classifier of them, and labels."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 3, count)
    features = random.normal(size=(count, 4)) + 2 * np.eye(3, 4)[labels]
    logits = features[:, :3] + random.normal(scale=2, size=(count, 3))
    return features, logits, labels


FEATURES, _, LABELS = rows(200, 0)
HELD, HELD_LOGITS, HELD_LABELS = rows(150, 1)
TEST, TEST_LOGITS, TEST_LABELS = rows(100, 2)


def naive(features: Any, labels: Any, queries: Any, predicted: Any) -> Any:
    """Return the scores by their definition."""
    distances = np.sqrt(((queries[:, None] - features[None]) ** 2).sum(2))
    nearest = np.stack([distances[:, labels == k].min(1) for k in range(3)], axis=1)
    own = nearest[np.arange(len(queries)), predicted]
    nearest[np.arange(len(queries)), predicted] = np.inf
    return nearest.min(1) / (own + 1e-12)


def test_definition() -> None:
    trust = credence.TrustScore(FEATURES, LABELS)
    found = trust(TEST_LOGITS, features=TEST)
    np.testing.assert_allclose(found, naive(FEATURES, LABELS, TEST, TEST_LOGITS.argmax(1)), rtol=1e-12)
    other = (TEST_LOGITS.argmax(1) + 1) % 3
    np.testing.assert_allclose(trust(TEST_LOGITS, features=TEST, predicted=other),
                               naive(FEATURES, LABELS, TEST, other), rtol=1e-12)
    assert trust.counts == np.bincount(LABELS).tolist() and (trust.rows, trust.kept) == (200, 200)


def test_threads_and_layouts_do_not_matter() -> None:
    trust = credence.TrustScore(FEATURES, LABELS)
    expected = trust(TEST_LOGITS, features=TEST)
    wide = np.asfortranarray(np.hstack([FEATURES, FEATURES]))[:, :4]
    assert (credence.TrustScore(wide, LABELS.astype(np.uint8))(TEST_LOGITS, features=TEST, threads=1) == expected).all()
    assert (credence.TrustScore(FEATURES.tolist(), LABELS.tolist())(TEST_LOGITS, features=TEST) == expected).all()


def test_program(program: Callable[..., str], tmp_path: pathlib.Path) -> None:
    """The same bits as `credence trust`, from arrays and from files, as a ranking and as a confidence."""
    np.savez(tmp_path / "train.npz", features=FEATURES, labels=LABELS)
    np.savez(tmp_path / "held.npz", features=HELD, logits=HELD_LOGITS, labels=HELD_LABELS)
    np.savez(tmp_path / "test.npz", features=TEST, logits=TEST_LOGITS, labels=TEST_LABELS)
    program("trust", "train.npz", "test.npz", "-s", "alpha=0.2,k=5", "-o", "ranking.npz", folder=tmp_path)
    program("trust", "train.npz", "test.npz", "--calibrate", "held.npz", "-o", "confidence.npz", folder=tmp_path)
    ranked, confident = np.load(tmp_path / "ranking.npz"), np.load(tmp_path / "confidence.npz")
    filtered = credence.TrustScore(FEATURES, LABELS, settings={"alpha": 0.2, "k": 5})
    assert filtered.kept < filtered.rows and filtered.settings == {"k": 5, "alpha": 0.2, "neighbour": 1}
    assert (filtered(TEST_LOGITS, features=TEST) == ranked["ranking"]).all()
    opened = credence.TrustScore(tmp_path / "train.npz", settings="alpha=0.2,k=5")
    assert (opened(tmp_path / "test.npz") == ranked["ranking"]).all()
    for trust, held, test in ((credence.TrustScore(FEATURES, LABELS), {"scores": HELD_LOGITS, "labels": HELD_LABELS,
                                                                      "features": HELD},
                               {"scores": TEST_LOGITS, "features": TEST}),
                              (credence.TrustScore(tmp_path / "train.npz"), {"scores": tmp_path / "held.npz"},
                               {"scores": tmp_path / "test.npz"})):
        assert trust.calibrate(**held) is trust
        found = trust.confidence(**test)
        assert (found == confident["confidence"]).all()
    here = credence.evaluate(TEST_LOGITS, TEST_LABELS, confidence=found, predicted=TEST_LOGITS.argmax(1),
                             metrics="ece,auroc,brier-top1", resamples=50)
    there = credence.evaluate(tmp_path / "confidence.npz", metrics="ece,auroc,brier-top1", resamples=50)
    assert [(value.value, value.low) for value in here.values()] == [(value.value, value.low)
                                                                    for value in there.values()]
    ranking = credence.evaluate(ranked["ranking"], TEST_LABELS, predicted=TEST_LOGITS.argmax(1), input="ranking",
                                metrics="auroc", resamples=0)
    assert ranking.auroc == credence.evaluate(tmp_path / "ranking.npz", metrics="auroc", resamples=0).auroc


def test_better_than_the_largest_probability() -> None:
    """What it is for: these logits are noise beside the features."""
    trust = credence.TrustScore(FEATURES, LABELS)
    predicted = TEST_LOGITS.argmax(1)
    options: Any = {"metrics": "auroc", "resamples": 0}
    own = credence.evaluate(TEST_LOGITS, TEST_LABELS, **options).auroc
    assert credence.evaluate(trust(TEST_LOGITS, features=TEST), TEST_LABELS, predicted=predicted, input="ranking",
                             **options).auroc > own + 0.1


def test_copies() -> None:
    trust = credence.TrustScore(FEATURES, LABELS, settings={"alpha": 0.1})
    trust.calibrate(HELD_LOGITS, HELD_LABELS, features=HELD)
    for again in (pickle.loads(pickle.dumps(trust)), copy.deepcopy(trust)):
        assert repr(again) == repr(trust) == "<TrustScore: 182 of 200 rows in 3 classes; k=10, alpha=0.1, " \
            "neighbour=1; calibrated>"
        assert (again.confidence(TEST_LOGITS, features=TEST) == trust.confidence(TEST_LOGITS, features=TEST)).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_copies_after_the_arrays_were_overwritten(dtype: type) -> None:
    features, labels = FEATURES.astype(dtype), LABELS.copy()
    trust = credence.TrustScore(features, labels, settings={"alpha": 0.1})
    before = trust(TEST_LOGITS, features=TEST)
    features[...] = 7
    labels[...] = np.arange(200) % 3
    for again in (trust, pickle.loads(pickle.dumps(trust)), copy.deepcopy(trust), copy.copy(trust)):
        assert (again(TEST_LOGITS, features=TEST) == before).all()


def test_copies_of_other_arrays() -> None:
    torch = pytest.importorskip("torch")
    features, labels = torch.tensor(FEATURES).bfloat16().requires_grad_(), torch.tensor(LABELS)
    for given, classes in ((features, labels), (2 * features, labels), (FEATURES.tolist(), LABELS.tolist()),
                           (memoryview(FEATURES), memoryview(LABELS))):
        trust = credence.TrustScore(given, classes)
        again = pickle.loads(pickle.dumps(trust))
        assert (again(TEST_LOGITS, features=TEST) == trust(TEST_LOGITS, features=TEST)).all()


@pytest.mark.parametrize("call, error, message", [
    (lambda: credence.TrustScore(FEATURES, LABELS[:-1]), credence.InputError, "199 labels for 200 rows of features"),
    (lambda: credence.TrustScore(FEATURES), credence.InputError, "no labels"),
    (lambda: credence.TrustScore(FEATURES, LABELS * 0), credence.InputError, "1 of the classes has rows"),
    (lambda: credence.TrustScore(np.where(FEATURES > 2, np.nan, FEATURES), LABELS, name="train"), credence.InputError,
     r"train: features row \d+, column \d"),
    (lambda: credence.TrustScore(FEATURES, LABELS, settings={"alfa": 1}), credence.UsageError, "alpha"),
    (lambda: credence.TrustScore(FEATURES, LABELS, settings={"alpha": 2}), credence.UsageError, "0.999"),
    (lambda: credence.TrustScore("no such file.npz"), credence.Error, "no such file"),
    (lambda: credence.TrustScore("train.npz", LABELS), credence.ArgumentError, "has its own"),
    (lambda: credence.TrustScore(FEATURES, LABELS)(TEST_LOGITS), credence.ArgumentError, "features are missing"),
    (lambda: credence.TrustScore(FEATURES, LABELS)(TEST_LOGITS, features=TEST[:, :3]), credence.InputError, "3"),
    (lambda: credence.TrustScore(FEATURES, LABELS)(TEST_LOGITS[:5], features=TEST), credence.InputError, "100"),
    (lambda: credence.TrustScore(FEATURES, LABELS).confidence(TEST_LOGITS, features=TEST), credence.UsageError,
     "calibrate"),
])
def test_faults(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
