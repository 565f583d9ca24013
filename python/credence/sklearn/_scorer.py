"""Scorers: the library's metrics for ``scoring=`` of scikit-learn."""
from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

import credence

from .. import _inputs, _tables
from .._errors import shown
from . import _scores

ONLY_POSITIVE = 2  # `standard` of metrics that exist for the probability of one class alone


class Scorer:
    """A callable ``(estimator, X, y, sample_weight=None)`` for ``scoring=``; :func:`scorer` makes one.

    Attributes
    ----------
    metrics : list of str
        Names of metrics.
    greater_is_better : bool
        Of the first metric; where False, the score is the metric with its sign changed.
    """

    def __init__(self, metrics: str | Iterable[str], pos_label: Any = None, **options: Any) -> None:
        self._single = isinstance(metrics, str)
        self.metrics = [metrics] if isinstance(metrics, str) else (_inputs.names(metrics) or "").split(",")
        for name in self.metrics:
            _scores.entry_of(name, "metrics")
        self.pos_label = pos_label
        self.options = options
        self._request: dict[str, Any] = {}

    @property
    def greater_is_better(self) -> bool:
        return _sign(self.metrics[0]) > 0

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float | dict[str, float]:
        """Return the score, or a dict of scores; larger is better.

        Parameters
        ----------
        estimator
            A fitted classifier with ``predict_proba`` and ``classes_``.
        X, y
            Rows and their classes.
        sample_weight
            Weights of the rows.

        Returns
        -------
        float or dict
            NaN where the metric is undefined for these rows.
        """
        y, known = _scores.truth_of(y), np.asarray(estimator.classes_)
        if len(y) and (y.dtype.kind in "iufb") != (known.dtype.kind in "iufb"):
            raise credence.InputError(f"y holds {y.tolist()[0]!r}, where the classes of the estimator are "
                                      f"{', '.join(map(str, known))}")
        # A class that the estimator has not seen has a probability, which is 0.
        classes = np.union1d(known, y)
        probabilities, _ = _scores.respond(estimator, X, classes, "predict_proba")
        labels = np.searchsorted(classes, y)
        positive = self._positive(classes)
        weights = _scores.weights_of(y, sample_weight)
        found: dict[str, float] = {}
        for binary in ("top", "pos"):
            names = [name for name in self.metrics if binary == self._binary(name, len(classes))]
            if not names:
                continue
            if binary == "pos":
                rows, truth = probabilities[:, positive], labels == positive
            else:
                rows, truth = probabilities, labels
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", credence.DataWarning)
                result = credence.evaluate(rows, truth.astype(np.int64), weights=weights, metrics=names,
                                           binary=binary, input="probabilities", resamples=0, **self.options)
            found.update({name: _sign(name) * result[name].value for name in names})
        return found[self.metrics[0]] if self._single else {name: found[name] for name in self.metrics}

    def _binary(self, name: str, classes: int) -> str:
        only = _tables.metrics()[name]["standard"] == ONLY_POSITIVE and classes == 2
        return "pos" if self.pos_label is not None or only else "top"

    def _positive(self, classes: _scores.Array) -> int:
        """Return the index of pos_label; None: the second class."""
        if self.pos_label is None:
            return 1
        found = _places(classes, self.pos_label)
        if not len(found):
            raise credence.UsageError(f"pos_label is {shown(self.pos_label)}, which is not among the classes: "
                                      f"{', '.join(map(str, classes))}")
        return int(found[0])

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """Request sample weights where metadata routing is enabled, as scorers of scikit-learn do.

        Parameters
        ----------
        sample_weight
            True: pass them; str: pass metadata of this name; False, None: as in scikit-learn.

        Returns
        -------
        Scorer
            This object.
        """
        self._request["sample_weight"] = sample_weight
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata that a call requests.

        Returns
        -------
        MetadataRequest
        """
        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self._request.get("sample_weight"))
        return request

    def __repr__(self) -> str:
        metrics = self.metrics[0] if self._single else self.metrics
        more = "".join(f", {name}={value!r}" for name, value in
                       {**({} if self.pos_label is None else {"pos_label": self.pos_label}), **self.options}.items())
        return f"scorer({metrics!r}{more})"


@_inputs.guarded
def _places(classes: _scores.Array, label: Any, what: str = "pos_label") -> _scores.Array:
    found: _scores.Array = np.flatnonzero(classes == label)
    return found


def _sign(metric: str) -> int:
    return -1 if _tables.metrics()[metric]["direction"] == "lower" else 1


@_tables.documented(metrics="metrics")
def scorer(metrics: str | Iterable[str], *, pos_label: Any = None, bins: int = 15, recalibrate: str | None = None,
           seed: int = 0, threads: int = 0) -> Scorer:
    """Make a scorer of a metric for ``scoring=`` of ``cross_val_score``, ``GridSearchCV`` and others.

    Metrics of which less is better change their sign, as in scikit-learn: ``scorer("ece")`` returns
    minus the expected calibration error. Metrics that are neither better nor worse, such as
    ``entropy``, keep it, and are not for choosing models by.

    Parameters
    ----------
    metrics
        A name; or several, for a scorer that returns a dict from one prediction, as
        ``cross_validate`` and ``GridSearchCV(refit=...)`` accept. Known are:

        {metrics}
    pos_label
        Judge the probability of this class against all others; None: the predicted class, except
        for metrics that exist for two classes alone, where it is ``classes_[1]``.
    bins
        Of binned metrics.
    recalibrate
        The method behind metrics of refinement; None: temperature.
    seed, threads
        Seed of random numbers; threads, 0: all.

    Returns
    -------
    Scorer

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from credence.sklearn import scorer
    >>> bool(cross_val_score(GaussianNB(), *load_iris(return_X_y=True), scoring=scorer("accuracy")).mean() > 0.9)
    True
    """
    return Scorer(metrics, pos_label, bins=bins, recalibrate=recalibrate, seed=seed, threads=threads)


def scorers(metrics: str | Iterable[str] | None = None, **options: Any) -> dict[str, Scorer]:
    """Make a scorer of each metric, as a dict for ``cross_validate``.

    Each of them asks for predictions anew; ``scorer([...])`` asks once.

    Parameters
    ----------
    metrics
        Names; ``"all"``; None: the default set.
    **options
        As in :func:`scorer`.

    Returns
    -------
    dict of str to Scorer
    """
    known = credence.metrics()
    if metrics is None:
        names = [name for name, entry in known.items() if entry["standard"] == 1]
    else:
        names = list(known) if _inputs.is_word(metrics, "all") else (_inputs.names(metrics) or "").split(",")
    return {name: scorer(name, **options) for name in names}
