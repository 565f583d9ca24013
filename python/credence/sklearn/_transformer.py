"""Calibrator: scores in, calibrated probabilities out."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

import credence

from .. import _inputs, _tables
from . import _scores
from ._scores import Array


@_tables.documented(methods="methods")
class Calibrator(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of a classifier's scores into calibrated probabilities.

    It is fitted on scores of rows that the classifier was not trained on, such as those of
    ``cross_val_predict``; :class:`CalibratedClassifier` gathers them itself.

    Parameters
    ----------
    method : str, default="temperature"
        The name of a calibration method:

        {methods}
    input : {'auto', 'logits', 'probabilities'}, default='auto'
        What the scores are; auto: recognised in ``fit``, and kept for all later scores.
    classes : array-like, default=None
        The class of each column of the scores, in order; see below for columns with names. None: the
        sorted classes of ``y`` if there are as many as columns, or one more; else ``y`` holds indices
        of columns.
    settings : dict or str, default=None
        Of the method: ``{"scope": "top-1"}``.
    seed : int, default=0
        Of random numbers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class of each column of the probabilities.
    calibrator_ : credence.Calibrator
        With certificate, settings and what was learnt; it can be saved and exported.
    input_ : str
        What the scores are: ``logits`` or ``probabilities``.
    n_features_in_ : int
        The number of columns of the scores.
    feature_names_in_ : ndarray of str
        Their names, if they have any.

    Notes
    -----
    With a column less than classes, the first class is the reference: its logit is 0, or its
    probability is what the others leave. A single column thus is the score of the second of two classes.
    More than one such column is taken for logits, unless ``input`` says otherwise.

    Where a data frame's columns are named as the classes, ``str(class)``, these names say which column
    is whose, in whatever order they stand. Arrays given to a transformer that was fitted on such a data
    frame have their columns in its order. The probabilities are in the order of ``classes_`` always.

    ``density-ratio`` needs the features of the rows beside the scores, which a transformer does not
    get: use it with :class:`CalibratedClassifier`.

    Examples
    --------
    >>> from credence.sklearn import Calibrator
    >>> scores = [[2.0, 0.0], [1.0, 0.5], [-1.0, 1.5], [0.5, 0.0], [0.2, 0.4], [3.0, 0.0]]
    >>> calibrate = Calibrator(input="logits").fit(scores, ["no", "yes", "yes", "no", "yes", "no"])
    >>> calibrate.predict([[1.0, 0.0]]).tolist(), calibrate.transform([[1.0, 0.0]]).shape
    (['no'], (1, 2))
    """

    def __init__(self, method: str = "temperature", *, input: str = "auto", classes: Any = None,
                 settings: str | Mapping[str, object] | None = None, seed: int = 0) -> None:
        self.method = method
        self.input = input
        self.classes = classes
        self.settings = settings
        self.seed = seed

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Calibrator:
        """Fit the calibrator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            Scores: one column for each class, or for each but the first.
        y : array-like of shape (n_samples,)
            The true classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        Calibrator
            This object.
        """
        if _scores.entry_of(self.method)["needs_features"]:
            raise credence.UsageError(f"{self.method} needs features of the rows beside the scores: "
                                      "use it with CalibratedClassifier, which passes X")
        given = X
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        self.classes_, labels = self._labels(_scores.truth_of(y), X.shape[1])
        self._order = _order(given, self.classes_)
        scores, kind = _whole(_ordered(X, self._order), len(self.classes_), self.input)
        self.calibrator_ = _scores.calibrate(self.method, scores, labels, _scores.weights_of(X, sample_weight),
                                             input=kind, settings=self.settings, seed=self.seed)
        self.input_ = self.calibrator_.input
        return self

    def _labels(self, y: Array, columns: int) -> tuple[Array, Array]:
        """Return the classes of the columns, and y as their indices."""
        found = np.unique(y)
        if self.classes is not None:
            classes = _classes(self.classes)
            if classes.shape not in ((columns,), (columns + 1,)) or len(np.unique(classes)) < max(len(classes), 2):
                raise credence.InputError(f"classes has the shape {classes.shape}, expected different classes, one for "
                                          f"each of the {columns} columns of scores, and one for a first class that "
                                          "has no column")
        else:
            classes = found if len(found) in (columns, columns + 1) and len(found) > 1 else np.arange(max(columns, 2))
        order = np.argsort(classes, kind="stable")
        comparable = (found.dtype.kind in "iufb") == (classes.dtype.kind in "iufb")
        unknown = found[~np.isin(found, classes)] if comparable else found
        if len(unknown):
            raise credence.InputError(
                f"y holds {unknown.tolist()[0]!r}, one of {len(found)} classes, where the scores have {columns} columns "
                f"(n_features = {self.n_features_in_}): pass classes, the class of each column")
        return classes, order[np.searchsorted(classes, y, sorter=order)]

    def transform(self, X: Any) -> Array:
        """Return calibrated probabilities of scores.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            Scores, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; float64.
        """
        return self.predict_proba(X)

    def predict_proba(self, X: Any) -> Array:
        """Return calibrated probabilities of scores, the same as ``transform``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            Scores, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; float64.
        """
        check_is_fitted(self)
        order = _order(X, self.classes_) or self._order
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        scores, kind = _whole(_ordered(X, order), len(self.classes_), self.input_)
        return self.calibrator_(scores, input=kind)

    def predict(self, X: Any) -> Array:
        """Return the class with the largest calibrated probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_classes)
            Scores, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return _scores.predicted(self.classes_, self.predict_proba(X))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns of ``transform``: ``calibrator_`` and the class.

        Parameters
        ----------
        input_features
            Ignored.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.asarray([f"calibrator_{name}" for name in self.classes_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@_inputs.guarded
def _classes(given: Any, what: str = "classes") -> Array:
    """Return the classes of the columns as an array that can be sorted."""
    found: Array = np.asarray(given)
    np.unique(found)
    return found


@_inputs.guarded
def _order(scores: Any, classes: Array, what: str = "X") -> list[int] | None:
    """Return the columns in the order of the classes, where a data frame's are named as these; None: they are not."""
    columns = [str(name) for name in getattr(scores, "columns", ())]
    names = [str(name) for name in classes[-len(columns):]]  # the first class may have no column
    place = {name: k for k, name in enumerate(columns)}
    return [place[name] for name in names] if sorted(columns) == sorted(names) else None


def _ordered(scores: Array, order: list[int] | None) -> Array:
    return scores if order is None else scores[:, order]


def _whole(scores: Array, classes: int, kind: str) -> tuple[Array, str]:
    """Return scores with a column for each class, or a vector, which the library knows to read."""
    if scores.shape[1] == classes:
        return scores, kind
    if scores.shape[1] == 1:
        return scores[:, 0], kind
    if kind == "probabilities":
        return np.column_stack([1 - scores.sum(axis=1), scores]), kind
    return np.column_stack([np.zeros(len(scores), scores.dtype), scores]), "logits"
