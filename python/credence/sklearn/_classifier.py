"""CalibratedClassifier: a classifier and its calibrator as one estimator."""
from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.svm import LinearSVC
from sklearn.utils import Bunch, _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

import credence

from .. import _inputs, _tables
from . import _scores
from ._scores import Array


@_tables.documented(methods="methods")
class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose probabilities are calibrated on rows that it was not trained on.

    The rows to calibrate on come from cross-validation: each row is scored by a copy of the
    estimator that was fitted on the other folds.

    Parameters
    ----------
    estimator : classifier, default=None
        It has ``decision_function`` or ``predict_proba``; None: ``LinearSVC(random_state=0)``. One
        that is fitted already is given as ``sklearn.frozen.FrozenEstimator(fitted)``: then all rows
        of ``fit`` calibrate, and must be others than those it was fitted on.
    method : str, default="temperature"
        The name of a calibration method:

        {methods}
    cv : int, splitter or iterable of (train, test), default=5
        Folds; int: stratified by class. The test sets may overlap, and need not cover all rows.
        Ignored with a FrozenEstimator.
    ensemble : bool, default=False
        False: one calibrator is fitted on the scores of all folds, and one estimator on all rows.
        True: each fold keeps its estimator, with a calibrator fitted on its test rows, and their
        probabilities are averaged.
    response : {'auto', 'decision_function', 'predict_proba'}, default='auto'
        The method of the estimator that gives the scores; auto: the first of these two it has.
    settings : dict or str, default=None
        Of the calibration method: ``{"scope": "top-1"}``.
    seed : int, default=0
        Of the random numbers of calibration methods; the estimator has its own ``random_state``.
    n_jobs : int, default=None
        Folds to fit at once, as in joblib. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted: those of ``y``, and those of a FrozenEstimator.
    calibrators_ : list of credence.Calibrator
        With certificates, settings and what was learnt: one, or with ``ensemble`` one for each fold.
    estimators_ : list of classifiers
        The fitted estimators, in the order of ``calibrators_``.
    input_ : str
        What the estimator's scores are: ``logits`` or ``probabilities``.
    n_features_in_ : int
        Of the estimator, if it has it.
    feature_names_in_ : ndarray of str
        Of the estimator, if it has it.

    Notes
    -----
    *Which of the two ensembles.* ``ensemble=False`` is the default since its result is one
    calibrator of one estimator: it predicts in the time of the estimator, keeps its predictions if
    the method keeps the order of classes, and its certificate and its export (``calibrators_[0]``)
    describe the whole. All rows fit the one calibrator, where an ensemble of five has a fifth of
    them for each, too few for flexible methods. It assumes that an estimator fitted on all rows
    gives scores like those of the folds. ``ensemble=True`` assumes nothing of the kind, and its
    average often ranks better, at n-fold time and memory; but averages of calibrated probabilities
    are less confident than they should be, and no single calibrator describes them.
    ``CalibratedClassifierCV`` of scikit-learn has ``ensemble=True`` as its default.

    *Logits or probabilities.* The method that gave the scores decides: values of
    ``decision_function`` are taken for logits, those of ``predict_proba`` for probabilities, and
    nothing is guessed from the values. A vector of ``decision_function`` is the log-odds of the second
    class. Distances of a support vector machine are not logits, but only their scale differs:
    every method but ``identity`` fits it. Where one-vs-rest decisions of several classes calibrate
    badly, use a method that fits each class, such as ``vector``, or ``response="predict_proba"``.
    One-vs-one decisions, ``SVC(decision_function_shape="ovo")``, are none of classes, and are refused.

    *Classes that a fold does not have.* Where the training rows of a fold lack a class, its
    test rows of that class are left out, as they say nothing of an estimator that knows the class;
    for the other rows the class has the probability 0, or the smallest logit of the row.

    *Weights* weigh rows of the calibration, and of the estimator if its ``fit`` accepts them. A row of
    weight 2 counts twice, but it stays one row: it lies in one fold, where copies of it may lie in
    different ones, and see :func:`credence.fit` for methods that count rows.

    *Exact zeros.* Isotonic regression gives a probability of 0 where no calibration row of the class
    lies, and one test row of that class makes NLL infinite (``certificate.note`` warns of it).
    scikit-learn's takes scores for equal that differ by less than 1e-15, and so has fewer zeros for
    saturated classifiers such as naive Bayes; here they stay apart, which gives the better Brier
    score, and the better NLL once zeros are raised: ``np.maximum(model.predict_proba(X), 1 / n)`` of
    n calibration rows. ``isotonic-joint`` has no zeros, nor have methods with few parameters.

    *density-ratio* measures distances between rows of X, which must be numbers then.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from credence.sklearn import CalibratedClassifier
    >>> model = CalibratedClassifier(GaussianNB(), method="temperature").fit(*load_iris(return_X_y=True))
    >>> model.calibrators_[0].certificate.converged
    True
    """

    def __init__(self, estimator: Any = None, method: str = "temperature", cv: Any = 5, *, ensemble: bool = False,
                 response: str = "auto", settings: str | Mapping[str, object] | None = None, seed: int = 0,
                 n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.ensemble = ensemble
        self.response = response
        self.settings = settings
        self.seed = seed
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> CalibratedClassifier:
        """Fit the estimator and its calibrator.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What the estimator accepts: arrays, sparse matrices, data frames of pandas and polars.
        y : array-like of shape (n_samples,)
            The classes: int, str or bool.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        **params
            ``groups`` for splitters such as ``GroupKFold``; others go to the estimator's ``fit``,
            those with a value for each row in parts. With metadata routing they go where they are requested.

        Returns
        -------
        CalibratedClassifier
            This object.
        """
        _scores.entry_of(self.method)
        X, y = indexable(X, y)
        y = _scores.truth_of(y, warn=True)
        weights = _scores.weights_of(X, sample_weight)
        estimator = self._estimator()
        frozen = isinstance(estimator, FrozenEstimator)
        if frozen:
            check_is_fitted(estimator)
        routed = self._route(estimator, weights, params)
        self.classes_ = _classes(y, weights, estimator if frozen else None)
        rows = np.arange(len(y))
        splits = [(rows, rows)] if frozen else list(check_cv(self.cv, y, classifier=True).split(
            X, y, **routed.splitter.split))
        apart = frozen or _inputs.flag(self.ensemble, "ensemble")
        folds = Parallel(n_jobs=self.n_jobs)(
            delayed(_fold)(clone(estimator), X, y, train, test, routed.estimator.fit, self.classes_, self.response,
                           apart) for train, test in splits)
        if not folds:
            raise credence.UsageError(f"cv gives no split: {self.cv!r}")
        self.input_ = folds[0].kind
        self.estimators_ = [fold.estimator for fold in folds] if apart else [
            clone(estimator).fit(X, y, **routed.estimator.fit)]
        self.calibrators_ = [self._calibrate(X, y, weights, fold) for fold in (folds if apart else [_joined(folds)])]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return calibrated probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What the estimator accepts.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``; float64.
        """
        check_is_fitted(self)
        features = None
        parts = []
        for estimator, calibrator in zip(self.estimators_, self.calibrators_):
            scores, kind = _scores.respond(estimator, X, self.classes_, self.response)
            if features is None:
                features = _scores.features_of(calibrator.method, X)
            parts.append(calibrator(scores, input=kind, features=features))
        mean: Array = parts[0] if len(parts) == 1 else np.mean(parts, axis=0)
        return mean

    def predict(self, X: Any) -> Array:
        """Return the class with the largest calibrated probability.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            What the estimator accepts.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return _scores.predicted(self.classes_, self.predict_proba(X))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how ``fit`` passes metadata on: to the estimator's ``fit`` and the splitter's ``split``.

        Returns
        -------
        MetadataRouter
        """
        return (MetadataRouter(owner=self).add_self_request(self)
                .add(estimator=self._estimator(), method_mapping=MethodMapping().add(caller="fit", callee="fit"))
                .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split")))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._estimator())
        for name in ("sparse", "allow_nan", "pairwise", "string", "categorical"):
            setattr(tags.input_tags, name, getattr(inner.input_tags, name))
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    def _estimator(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        estimator = LinearSVC(random_state=0)
        return estimator.set_fit_request(sample_weight=True) if _routing() else estimator

    def _route(self, estimator: Any, weights: Array | None, params: dict[str, Any]) -> Bunch:
        """Return what the estimator's ``fit`` and the splitter's ``split`` get."""
        if _routing():
            return process_routing(self, "fit", sample_weight=weights, **params)
        split = {"groups": params.pop("groups", None)}
        if weights is not None and has_fit_parameter(estimator, "sample_weight"):
            params["sample_weight"] = weights
        elif weights is not None and not isinstance(estimator, FrozenEstimator):
            warnings.warn(f"{type(estimator).__name__}.fit has no sample_weight: the weights are used for the "
                          "calibration alone", UserWarning, stacklevel=3)
        return Bunch(estimator=Bunch(fit=params), splitter=Bunch(split=split))

    def _calibrate(self, X: Any, y: Array, weights: Array | None, fold: _Fold) -> credence.Calibrator:
        features = _scores.features_of(self.method, X)
        return _scores.calibrate(
            self.method, fold.scores, np.searchsorted(self.classes_, y[fold.rows]),
            None if weights is None else weights[fold.rows], input=fold.kind, settings=self.settings,
            seed=self.seed, features=None if features is None else features[fold.rows])


class _Fold(NamedTuple):
    """Rows with the scores of an estimator that has not seen them."""

    estimator: Any
    rows: Array
    scores: Array
    kind: str


def _fold(estimator: Any, X: Any, y: Array, train: Any, test: Any, params: Mapping[str, Any], classes: Array,
          response: str, keep: bool) -> _Fold:
    """Fit an estimator on the rows `train`, and score those rows of `test` whose class it knows."""
    count = len(y)
    if not isinstance(estimator, FrozenEstimator):
        estimator.fit(*_safe_split(estimator, X, y, train),
                      **{name: _part(value, train, count) for name, value in params.items()})
    test = np.arange(count)[test]
    known = getattr(estimator, "classes_", classes)
    test = test[np.isin(y[test], known)]
    scores, kind = (np.empty((0, len(classes))), "") if not len(test) else _scores.respond(
        estimator, _safe_split(estimator, X, y, test, train)[0], classes, response)
    return _Fold(estimator if keep else None, test, scores, kind)


def _joined(folds: list[_Fold]) -> _Fold:
    """Return the rows of all folds, in their order in the data, which settles ties."""
    rows = np.concatenate([fold.rows for fold in folds])
    order = np.argsort(rows, kind="stable")
    scores = np.concatenate([fold.scores for fold in folds])
    return _Fold(None, rows[order], scores[order], folds[0].kind)


def _part(value: Any, rows: Any, count: int) -> Any:
    """Return the given rows of a value that has one item for each row, and any other value whole."""
    whole = isinstance(value, (str, bytes, Mapping)) or not (hasattr(value, "shape") or hasattr(value, "__len__"))
    size = None if whole else value.shape[0] if getattr(value, "shape", ()) else len(value)
    return _safe_indexing(value, rows) if size == count else value


def _classes(y: Array, weights: Array | None, fitted: Any) -> Array:
    """Return the classes, sorted: of y, and of an estimator that is fitted already."""
    if not len(y):
        raise credence.InputError("y has 0 samples, expected at least 2")
    classes: Array = np.unique(y)
    if fitted is not None:
        known: Array = np.unique(fitted.classes_)
        unknown = classes[~np.isin(classes, known)].tolist()
        if unknown:
            raise credence.InputError(f"y holds {unknown[0]!r}, which is not among the classes of the fitted "
                                      f"estimator: {', '.join(map(str, known))}")
        return known
    weighted = classes if weights is None else np.unique(y[weights > 0])
    if len(weighted) < 2:
        raise credence.InputError(f"y has 1 class of weight above 0, {weighted.tolist()[0]!r}, expected at least 2")
    return classes


def _routing() -> bool:
    return bool(sklearn.get_config()["enable_metadata_routing"])
