"""Evaluation of predictions, at once or from evidence that is gathered in parts."""
from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from . import _core, _inputs, _tables
from ._result import Result


@_tables.documented(metrics="metrics")
def evaluate(scores: Any, labels: Any = None, *, weights: Any = None, groups: Any = None,
             confidence: Any = None, predicted: Any = None, correct: Any = None,
             class_names: Sequence[str] | None = None, metrics: str | Iterable[str] | None = None, bins: int = 15,
             resamples: int = 1000, interval: str = "corrected", input: str = "auto", binary: str = "top",
             cluster: str | None = None, group_by: str | Iterable[str] | None = None, recalibrate: str | None = None,
             profile: bool = False, name: str | None = None, threads: int = 0, seed: int = 0,
             progress: _inputs.Progress = None) -> Result:
    """Measure how well confidences are calibrated, with 95 % intervals.

    Parameters
    ----------
    scores
        Logits or probabilities, (rows, classes): NumPy arrays, PyTorch and JAX arrays on the CPU,
        data frames or lists; or the path of a file of predictions. A vector is the score of class 1.
    labels
        The true classes: indices, one-hot, or names of classes.
    weights
        Of the rows.
    groups
        Groups of rows (patients, sites): an array, or a dict or data frame of several columns.
    confidence, predicted, correct
        Confidences of the predicted class, the predicted class, and whether it is right.
    class_names
        Names of the classes, in the order of the columns of ``scores``.
    metrics
        Names, or ``"all"``; None: the default set. Known are:

        {metrics}
    bins
        Of binned metrics and of the reliability diagram.
    resamples
        Bootstrap resamples behind the intervals; 0: no intervals.
    interval
        ``corrected`` or ``percentile``.
    input
        ``logits`` or ``probabilities``; ``auto`` recognises them (``result.input``).
    binary
        Of two classes, evaluate the predicted class (``top``) or class 1 (``pos``).
    cluster
        The group column within which rows are not independent; None: ``patient`` or ``subject``.
    group_by
        Group columns to evaluate separately.
    recalibrate
        The method behind the metrics of refinement; None: temperature.
    profile
        Also compute the curves that figures such as ``roc`` need.
    name
        Of the predictions, for reports.
    threads, seed, progress
        Threads (0: all), seed of random numbers, a function of (stage, done, total) or True.

    Returns
    -------
    Result

    Examples
    --------
    >>> import credence, numpy as np
    >>> scores = np.array([[0.8, 0.2], [0.6, 0.4], [0.3, 0.7]])
    >>> credence.evaluate(scores, [0, 1, 1], metrics="accuracy", resamples=0).accuracy  # doctest: +ELLIPSIS
    0.66...
    """
    rows = _inputs.predictions(scores, labels, class_names=class_names, groups_=groups, weights=weights,
                               confidence=confidence, predicted=predicted, correct=correct, input=input,
                               binary=binary, cluster=cluster, name=name)
    return Result(rows.evaluate(metrics=_inputs.names(metrics), bins=bins, resamples=resamples, interval=interval,
                                group_by=_inputs.names(group_by, "group_by"), recalibrate=recalibrate,
                                profile=profile, threads=threads, seed=seed,
                                progress=_inputs.progress(progress)))


class Evidence:
    """Sums of the rows seen so far, from which metrics are computed.

    Sums are exact: any partition of the rows, updated or added in any order, on any number of
    machines, gives the same bits. Evidence can be pickled, added with ``+``, and saved as the state
    files that ``credence merge`` reads.

    Parameters
    ----------
    metrics, bins, resamples, interval, seed
        As in :func:`credence.evaluate`.
    """

    def __init__(self, metrics: str | Iterable[str] | None = None, *, bins: int = 15, resamples: int = 1000,
                 interval: str = "corrected", seed: int = 0) -> None:
        self._core = _core.Evidence(metrics=_inputs.names(metrics), bins=bins, resamples=resamples, interval=interval,
                                    paired=True, seed=seed)
        self._next_row = 0

    def update(self, scores: Any, labels: Any = None, *, first_row: int | None = None, weights: Any = None,
               groups: Any = None, confidence: Any = None, predicted: Any = None, correct: Any = None,
               input: str = "auto", binary: str = "top", cluster: str | None = None, threads: int = 0) -> Evidence:
        """Add rows.

        Parameters
        ----------
        first_row
            The row number of the first row in the whole data set; None: after the rows that this
            object has seen. Rows of different parts must have different numbers.
        scores, labels, weights, groups, confidence, predicted, correct, input, binary, cluster
            As in :func:`credence.evaluate`.

        Returns
        -------
        Evidence
            This object.
        """
        rows = _inputs.predictions(scores, labels, groups_=groups, weights=weights, confidence=confidence,
                                   predicted=predicted, correct=correct, input=input, binary=binary, cluster=cluster)
        first = self._next_row if first_row is None else first_row
        self._core.add(rows, first_row=first, threads=threads)
        self._next_row = max(self._next_row, first + int(rows.describe()["rows"]))
        return self

    def merge(self, other: Evidence) -> Evidence:
        """Add the rows of other evidence to this object, and return it."""
        self._core.merge(other._core)
        self._next_row = max(self._next_row, other._next_row)
        return self

    def __add__(self, other: object) -> Evidence:
        if not isinstance(other, Evidence):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: object) -> Evidence:
        """Make sum() work, which begins with 0."""
        return self.copy() if other == 0 else NotImplemented

    def copy(self) -> Evidence:
        """Return an independent copy."""
        return _unpickle(*self.__reduce__()[1])

    def compute(self, *, threads: int = 0, progress: _inputs.Progress = None) -> Result:
        """Return the result of all rows so far."""
        return Result(self._core.judge(threads=threads, progress=_inputs.progress(progress)))

    def compare(self, other: Evidence, *, threads: int = 0) -> Result:
        """Return the result with its differences from ``other``, evidence of another model on the same rows."""
        return Result(self._core.compare(other._core, threads=threads))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a state file, for :meth:`load` and ``credence merge``."""
        from ._calibrator import _write
        _write(path, self._core.save())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Evidence:
        """Read a state file."""
        with open(path, "rb") as file:
            return _unpickle(file.read(), 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.save(), self._next_row)


def _unpickle(state: bytes, next_row: int) -> Evidence:
    evidence = Evidence.__new__(Evidence)
    evidence._core = _core.Evidence.load(state)
    evidence._next_row = next_row
    return evidence
