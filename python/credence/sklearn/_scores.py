"""Scores of scikit-learn's classifiers as rows of the library: one column per class, of a known kind."""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

import credence

from .. import _core, _inputs, _tables
from .._errors import shown

Array = NDArray[Any]

# The method that gave the scores says what they are: nothing is guessed from their values.
RESPONSES: Mapping[str, str] = {"decision_function": "logits", "predict_proba": "probabilities"}


def respond(estimator: Any, X: Any, classes: Array, response: str = "auto") -> tuple[Array, str]:
    """Return an estimator's scores of ``classes``, and whether they are logits or probabilities.

    A class that the estimator was not fitted on gets the probability 0, or, as logits have no
    scale of their own, the smallest logit of the row.
    """
    names = [name for name in RESPONSES if response in ("auto", name)]
    if not names:
        raise credence.UsageError(f"response is {response!r}, expected 'auto', 'decision_function' or 'predict_proba'")
    name = next((name for name in names if hasattr(estimator, name)), None)
    if name is None:
        raise credence.UsageError(f"{type(estimator).__name__} has no {' or '.join(names)}: "
                                  "calibration needs scores, not only predicted classes")
    known = np.asarray(getattr(estimator, "classes_", classes))
    if name == "decision_function" and len(known) > 2 and _decides_pairs(estimator):
        raise credence.UsageError("decision_function decides between pairs of classes, and has no column for each class: "
                                  "use decision_function_shape='ovr', or response='predict_proba'")
    columns = _columns(getattr(estimator, name)(X), len(known), name)
    index = np.searchsorted(classes, known)
    if not np.array_equal(index, np.arange(len(classes))):
        given = columns
        columns = np.zeros((len(given), len(classes)), given.dtype)
        if name == "decision_function":
            columns += given.min(axis=1, keepdims=True)
        columns[:, index] = given
    return columns, RESPONSES[name]


def _decides_pairs(estimator: Any) -> bool:
    """Return whether the classifier, which pipelines, searches and FrozenEstimator may contain, is one-vs-one.

    Three classes have three pairs, so the number of columns does not tell.
    """
    if isinstance(estimator, FrozenEstimator):
        return _decides_pairs(estimator.estimator)
    if isinstance(estimator, Pipeline):
        return _decides_pairs(estimator[-1])
    if hasattr(estimator, "best_estimator_"):
        return _decides_pairs(estimator.best_estimator_)
    return _inputs.is_word(getattr(estimator, "decision_function_shape", None), "ovo")


def _columns(given: Any, count: int, name: str) -> Array:
    """Return scores as (rows, count); a vector or a single column belongs to the second of two classes."""
    scores: Array = np.asarray(given)
    if scores.dtype not in (np.float32, np.float64):
        scores = scores.astype(np.float64)
    if count <= 2 and scores.size == len(scores):
        second: Array = scores.reshape(-1)
        if count == 1:
            return second.reshape(-1, 1)
        return np.stack([1 - second if name == "predict_proba" else np.zeros_like(second), second], axis=1)
    if scores.ndim != 2 or scores.shape[1] != count:
        raise credence.InputError(f"{name} returned an array of shape {scores.shape}, expected {count} columns, "
                                  "one for each class")
    return scores


def truth_of(y: Any, warn: bool = False) -> Array:
    """Return the true classes, with the checks of scikit-learn's classifiers."""
    out: Array = column_or_1d(y, warn=warn)
    if out.dtype.kind == "O":  # scikit-learn cannot compare None or NaN with str
        _inputs.complete(out.tolist(), "y", "a class")
    assert_all_finite(out, input_name="y")
    check_classification_targets(out)
    return out


def weights_of(X: Any, weights: Any) -> Array | None:
    """Return sample weights as float64, one for each row of X."""
    if weights is None:
        return None
    out: Array = check_array(weights, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if out.ndim != 1:
        raise credence.InputError(f"sample_weight has the shape {out.shape}, expected one weight for each row")
    check_consistent_length(X, out)
    if out.size and out.min() < 0:
        raise credence.InputError(f"sample_weight of row {int(out.argmin())} is {out.min():g}, expected none below 0")
    if not out.any():
        raise credence.InputError("sample_weight is zero for every row, expected a weight above 0")
    return out


def features_of(method: str, X: Any) -> Array | None:
    """Return X as the features of a method that needs them, and None for all others."""
    entry = entry_of(method)
    if not entry["needs_features"]:
        return None
    try:
        out: Array = check_array(X, dtype=[np.float64, np.float32])
    except (TypeError, ValueError) as error:
        raise credence.InputError(f"{method} measures distances between rows of X, which must be a dense array of "
                                  f"numbers: {error}") from error
    return out


def predicted(classes: Array, probabilities: Array) -> Array:
    """Return the class with the largest probability in each row."""
    best: Array = classes[np.argmax(probabilities, axis=1)]
    return best


def entry_of(name: Any, kind: str = "methods") -> Mapping[str, Any]:
    """Return an entry of a table of names, or say which name was meant."""
    known = _tables.table(kind)
    found = next((entry for word, entry in known.items() if _inputs.is_word(name, word)), None)
    if found is None:
        near = ("platt" if _inputs.is_word(name, "sigmoid") else
                _core.nearest(name, list(known)) if _inputs.is_a(name, str) else None)
        raise credence.UsageError(f"{kind[:-1]} is {shown(name)}, which is unknown"
                                  + (f"; did you mean {near!r}?" if near else f", expected one of {', '.join(known)}"))
    return found


def calibrate(method: str, scores: Array, labels: Array, weights: Array | None, **options: Any) -> credence.Calibrator:
    """Fit a calibrator; a weight of zero is the same as leaving the row out.

    Rows of weight 0 would otherwise take part where methods count rows.
    """
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        scores, labels, weights = scores[kept], labels[kept], weights[kept]
        if options.get("features") is not None:
            options["features"] = options["features"][kept]
    if len(labels) < 2:
        raise credence.InputError(f"{'1 sample' if len(labels) else '0 samples'} of weight above 0 to calibrate on, "
                                  "expected at least 2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", credence.DataWarning)  # of labels, which are indices of classes here
        calibrator = credence.fit(method, scores, labels, weights=weights, **options)
    if not calibrator.certificate.converged:
        warnings.warn(f"{method}: {calibrator.certificate.note or 'the fit did not converge'}",
                      ConvergenceWarning, stacklevel=3)
    return calibrator
