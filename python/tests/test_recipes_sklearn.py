"""Quality on real data: CalibratedClassifier beside scikit-learn's CalibratedClassifierCV (pytest -s prints it)."""
from __future__ import annotations

import gzip
import os
import pathlib
from typing import Any

import numpy as np
import pytest

import credence

pytest.importorskip("sklearn", minversion="1.8")  # with method="temperature"

from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from credence.sklearn import CalibratedClassifier

SHARED = os.environ.get("CREDENCE_SHARED") or pathlib.Path(__file__).resolve().parents[3] / "shared"
TABULAR = pathlib.Path(SHARED) / "data" / "tabular"


def read(name: str) -> tuple[Any, Any]:
    """Return X and y of a table with the label in the first column."""
    path = TABULAR / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{name}.csv.gz is not in shared/data/tabular")
    with gzip.open(path, "rt") as file:
        lines = [line.strip().replace('"', "").split(",") for line in file][1:]
    return np.array([[float(value) for value in line[1:]] for line in lines]), np.array([line[0] for line in lines])


FOREST = RandomForestClassifier(60, min_samples_leaf=2, random_state=0)


class Rounded(GaussianNB):
    """Naive Bayes whose probabilities differ by more than 1e-15, or are equal: IsotonicRegression merges
    closer ones."""

    def predict_proba(self, X: Any) -> Any:
        return np.maximum(np.round(super().predict_proba(X), 15), np.finfo(float).eps)


class Logits(GaussianNB):
    """Naive Bayes with its logits: TemperatureScaling clips saturated probabilities at 2e-16."""

    def decision_function(self, X: Any) -> Any:
        return self.predict_joint_log_proba(X)


def losses(p: Any, labels: Any, floor: float) -> list[Any]:
    """Return the Brier score and NLL of rows; probabilities below the floor count as the floor."""
    return [((p - np.eye(p.shape[1])[labels]) ** 2).sum(axis=1),
            -np.log(np.maximum(p[np.arange(len(p)), labels], floor))]


def fitted(table: str, inner: Any, method: str) -> tuple[Any, Any, Any, Any, float]:
    """Return both models, fitted on half of the rows, the samples and labels of the others, and a floor.

    Isotonic regression gives exact zeros, which n rows cannot tell from 1/n: that is the floor of both.
    """
    X, y = read(table)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    ours = CalibratedClassifier(inner, method, cv=5).fit(X, y)
    theirs = CalibratedClassifierCV(inner, method=method, cv=5, ensemble=False).fit(X, y)
    return ours, theirs, X_test, np.searchsorted(ours.classes_, y_test), 1 / len(y)


@pytest.mark.parametrize(("table", "inner", "method"), [
    (table, inner, method) for method, bayes in (("temperature", Logits()), ("isotonic", Rounded()))
    for table, inner in (("letter", FOREST), ("letter", bayes), ("satellite", FOREST), ("satellite", bayes),
                         ("spam", FOREST))], ids=lambda value: value if isinstance(value, str) else type(value).__name__)
def test_not_worse(table: str, inner: Any, method: str) -> None:
    """On half of the rows, Brier score and NLL are not worse than scikit-learn's by more than their noise.

    The noise is two standard errors of the mean difference on the same rows.
    """
    ours, theirs, X, labels, floor = fitted(table, inner, method)
    for name, model in (("credence", ours), ("sklearn", theirs)):
        result = credence.evaluate(np.maximum(model.predict_proba(X), floor), labels, metrics="nll,brier,ece,accuracy",
                                   resamples=0, input="probabilities")
        print(f"{table} {type(inner).__name__} {method} {name}: "
              + ", ".join(f"{metric} {value.value:.4f}" for metric, value in result.items()))
    for our, their in zip(losses(ours.predict_proba(X), labels, floor), losses(theirs.predict_proba(X), labels, floor)):
        worse = our - their
        assert worse.mean() <= 2 * worse.std() / np.sqrt(len(worse)) + 1e-7  # of the solvers


def test_exact_zeros() -> None:
    """What the notes of CalibratedClassifier say of isotonic regression and saturated scores.

    Rows that scikit-learn takes for equal are told apart: that is better by the Brier score, and by NLL above a floor,
    but a few true classes get exactly 0, which makes NLL without a floor worse.
    """
    ours, theirs, X, labels, floor = fitted("satellite", GaussianNB(), "isotonic")
    p, other = ours.predict_proba(X), theirs.predict_proba(X)
    rows = np.arange(len(p))
    assert 0 < (p[rows, labels] == 0).sum() < 10 and (other[rows, labels] > 0).all()
    for our, their in zip(losses(p, labels, floor), losses(other, labels, floor)):
        assert our.mean() < their.mean()
    assert losses(p, labels, 1e-300)[1].mean() > losses(other, labels, 1e-300)[1].mean()
    assert "exactly 0" in ours.calibrators_[0].certificate.note
