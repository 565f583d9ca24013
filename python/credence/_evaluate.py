"""Evaluation of predictions, at once or from evidence that is gathered in parts."""
from __future__ import annotations

import contextlib
import copyreg
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import _core, _inputs, _tables
from ._errors import ArgumentError, InputError, UsageError, shown
from ._result import Result


def _refuse_pickle(rows: _core.Predictions) -> str:
    raise UsageError("what credence.read returns cannot be pickled: pickle the path, and read the file there")


copyreg.pickle(_core.Predictions, _refuse_pickle)


def read(path: str | os.PathLike[str], *, labels: str | os.PathLike[str] | None = None, scores: str | None = None,
         label_key: str | None = None, label_column: str | None = None, columns: str | Iterable[str] | None = None,
         class_names: str | os.PathLike[str] | None = None, group_by: str | Iterable[str] | None = None,
         cluster: str | None = None, features: bool = False, input: str = "auto", binary: str = "top",
         labels_optional: bool = False) -> _core.Predictions:
    """Open a file of predictions, for files that need more words than their path.

    Parameters
    ----------
    path
        ``FILE[#group][@from:to]``: .npz, .npy, .csv, .tsv, .jsonl, .safetensors or .pt; arrays are
        mapped, not read into memory.
    labels
        A file with the labels of predictions that have none.
    scores, label_key
        The names of the arrays of scores and labels; None: the usual names.
    label_column
        CSV: name or index of the column of labels.
    columns
        CSV: the columns of the scores: names, indices, ranges ``1:11``, patterns ``prob_*``.
    class_names
        A text file with a name a line.
    group_by
        Group columns to read.
    cluster, input, binary
        As in :func:`credence.evaluate`.
    features
        Also read the array ``features``, for methods that need it.
    labels_optional
        Labels may be missing.

    Returns
    -------
    Predictions
        In place of ``scores`` for all functions of this package. It cannot be pickled: its path can.

    Examples
    --------
    >>> import credence
    >>> with open("scores.csv", "w") as file:
    ...     _ = file.write("target,p_cat,p_dog\\n0,0.8,0.2\\n1,0.4,0.6\\n")
    >>> rows = credence.read("scores.csv", label_column="target", columns="p_*")
    >>> credence.evaluate(rows, resamples=0).accuracy
    1.0
    """
    files = {"labels": labels, "class_names": class_names}
    return _core.Predictions.open(
        _inputs.path_text(path), scores=scores, label_key=label_key, label_column=label_column, cluster=cluster,
        columns=_inputs.names(columns, "columns"), group_by=_inputs.names(group_by, "group_by"), features=features,
        input=input, binary=binary, labels_optional=labels_optional,
        **{key: _inputs.path_text(value) for key, value in files.items() if value is not None})


@_tables.documented(metrics="metrics", peers="peers")
def evaluate(scores: Any, labels: Any = None, *, weights: Any = None, groups: Any = None,
             confidence: Any = None, predicted: Any = None, correct: Any = None,
             class_names: Sequence[str] | None = None, paired: Any = None, metrics: str | Iterable[str] | None = None,
             bins: int = 15, resamples: int = 1000, interval: str = "corrected", input: str = "auto",
             binary: str = "top", cluster: str | None = None, group_by: str | Iterable[str] | bool = False,
             recalibrate: str | None = None, compat: str | None = None, profile: bool = False,
             target_risk: float | Iterable[float] | None = None,
             target_coverage: float | Iterable[float] | None = None, guarantee: str = "held-out",
             name: str | None = None, threads: int = 0, seed: int = 0, progress: _inputs.Progress = None) -> Result:
    """Measure how well confidences are calibrated, with 95 % intervals.

    Parameters
    ----------
    scores
        Logits or probabilities, (rows, classes): NumPy arrays, PyTorch and JAX arrays on the CPU,
        data frames or lists; or the path of a file of predictions, ``FILE[#group][@from:to]``, or
        what :func:`credence.read` made of one.
        A vector is the score of class 1, or, with ``correct`` or ``predicted``, the confidence of
        the predicted class.
    labels
        The true classes: indices, one-hot, or names of classes. Of a file without labels, the path
        of a file that has them.
    weights
        Of the rows, not negative.
    groups
        Groups of rows (patients, sites): an array, or a dict or data frame of several columns.
    confidence
        Confidences of the predicted class, beside scores of all classes.
    predicted
        The predicted classes, if they are not those with the largest scores.
    correct
        Whether each prediction is right, in place of labels: bool, or 0 and 1.
    class_names
        Names of the classes, in the order of the columns of ``scores``. Of a file, the path of a
        text file with a name a line.
    paired
        Scores of another model on the same rows, or the path of a file of them: the result then
        has ``differences``.
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
        ``logits``, ``probabilities``, ``confidence`` (of the predicted class) or ``ranking`` (larger
        is more trustworthy, and no probability); ``auto`` recognises them (``result.input``).
    binary
        Of two classes, evaluate the predicted class (``top``) or class 1 (``pos``).
    cluster
        The group column within which rows are not independent; None: ``patient`` or ``subject``;
        ``"none"``: rows are.
    group_by
        Group columns to evaluate separately (``result.groups``); True: all but the clusters.
    recalibrate
        The method behind the metrics of refinement; None: temperature.
    compat
        Also compute what another package does for these rows (``result.compat``):

        {peers}
    profile
        Also compute the curves that pages and figures such as ``roc`` need.
    target_risk, target_coverage, guarantee
        Also find operating points, as :func:`credence.operating_points` does (``result.operating``).
    name
        Of the predictions, for reports.
    threads
        0: all. Results do not depend on it.
    seed
        Of the random numbers behind the intervals.
    progress
        A function of (stage, done, total), or True: a bar on standard error.

    Returns
    -------
    Result

    Warns
    -----
    DataWarning
        If the data has faults that make metrics wrong, such as labels that start at 1 or rows in
        another order. :func:`credence.doctor` examines them.

    Examples
    --------
    >>> import credence
    >>> scores = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]]
    >>> result = credence.evaluate(scores, [0, 1, 1, 0])
    >>> result.accuracy, round(result.ece, 3)
    (0.75, 0.3)
    >>> better = [[0.9, 0.1], [0.4, 0.6], [0.1, 0.9], [0.9, 0.1]]
    >>> result = credence.evaluate(scores, [0, 1, 1, 0], paired=better)
    >>> result.differences["accuracy"].value
    0.25
    """
    about = {"class_names": class_names, "weights": weights, "input": input, "binary": binary, "cluster": cluster,
             "threads": threads}
    rows = _inputs.predictions(scores, labels, groups_=groups, confidence=confidence, predicted=predicted,
                               correct=correct, name=name, group_by=_inputs.names(group_by, "group_by"), **about)
    others = None
    if paired is not None:
        if type(paired) is _core.Predictions:
            others = paired
        elif _inputs.is_path(paired, "paired"):  # it has its own labels, and only the first model needs groups
            others = _inputs.predictions(paired, labels if _inputs.is_path(labels, "labels") else None, input=input,
                                         binary=binary, threads=threads)
        elif confidence is predicted is correct is None:
            others = _inputs.predictions(paired, labels, groups_=groups, **about)
        else:
            raise ArgumentError("paired is an array, and confidence, predicted and correct are those of scores: "
                                "pass files, or use Evidence.compare")
    goals = None
    if target_risk is not None or target_coverage is not None:
        from ._operating import targets
        goals = targets(target_risk, target_coverage)
    with _inputs.explained(rows):
        core = rows.evaluate(metrics=_inputs.names(metrics), bins=bins, resamples=resamples, interval=interval,
                             other=others, by_group=group_by is True, recalibrate=recalibrate, compat=compat,
                             profile=profile, group_by=_inputs.names(group_by, "group_by"), targets=goals,
                             guarantee=guarantee, threads=threads, seed=seed, progress=_inputs.progress(progress))
    return Result(core, _inputs.warn(rows))


class Evidence:
    """Sums of the rows seen so far, from which metrics are computed.

    Sums are exact: any partition of the rows, updated or added in any order, on any number of
    machines, gives the same bits. Evidence can be pickled, added with ``+``, and saved as the state
    files that ``credence merge`` reads.

    Parameters
    ----------
    metrics, bins, resamples, interval, seed
        As in :func:`credence.evaluate`. Metrics of refinement stay undefined: they recalibrate all rows.
    paired
        Also keep the rows that the tests of :meth:`compare` need.

    Examples
    --------
    >>> import credence
    >>> scores, labels = [[0.8, 0.2], [0.6, 0.4], [0.3, 0.7], [0.9, 0.1]], [0, 1, 1, 0]
    >>> one = credence.Evidence().update(scores[:2], labels[:2])
    >>> other = credence.Evidence().update(scores[2:], labels[2:], first_row=2)
    >>> (one + other).compute() == credence.evaluate(scores, labels)
    True
    """

    def __init__(self, metrics: str | Iterable[str] | None = None, *, bins: int = 15, resamples: int = 1000,
                 interval: str = "corrected", paired: bool = False, seed: int = 0) -> None:
        self._core = _core.Evidence(metrics=_inputs.names(metrics), bins=bins, resamples=resamples, interval=interval,
                                    paired=paired, seed=seed)
        self._next_row: int | None = 0
        self._recognised: str | None = None  # what scores were recognised as, where no input was named

    def update(self, scores: Any, labels: Any = None, *, first_row: int | None = None, weights: Any = None,
               groups: Any = None, confidence: Any = None, predicted: Any = None, correct: Any = None,
               class_names: Sequence[str] | None = None, input: str = "auto", binary: str = "top",
               cluster: str | None = None, threads: int = 0) -> Evidence:
        """Add rows.

        Parameters
        ----------
        scores, labels, weights, groups, confidence, predicted, correct, class_names, input, binary, cluster, threads
            As in :func:`credence.evaluate`. Small parts should name their ``input``: parts
            that are recognised as different kinds are an error.
        first_row
            The index of the first row in the whole data set; of ``FILE@from:to``, the index of the
            file's first row. None: after the rows that this object has seen, or, if that is later,
            where the rows begin in their file. Rows of different parts must have different indices.

        Returns
        -------
        Evidence
            This object.

        Examples
        --------
        >>> import credence
        >>> evidence = credence.Evidence(metrics="accuracy")
        >>> for scores, labels in [([[0.8, 0.2], [0.6, 0.4]], [0, 1]), ([[0.3, 0.7]], [1])]:
        ...     evidence = evidence.update(scores, labels, input="probabilities")
        >>> evidence.compute().rows
        3
        """
        rows = _inputs.predictions(scores, labels, class_names=class_names, groups_=groups, weights=weights,
                                   confidence=confidence, predicted=predicted, correct=correct, input=input,
                                   binary=binary, cluster=cluster,
                                   threads=threads)
        about = rows.describe()
        if first_row is not None:
            first = _inputs.whole(first_row, "first_row") + about["first_row"]
        elif self._next_row is not None:
            first = max(self._next_row, about["first_row"])
        else:
            raise UsageError("this evidence was loaded from a file, and does not know which rows it has: "
                             "pass first_row")
        named = input != "auto" or isinstance(scores, _core.Predictions)
        with _inputs.explained(rows), self._recognising(None if named else about["input"]) as core:
            core.add(rows, first_row=first, threads=threads)
        if self._next_row is not None:
            self._next_row = max(self._next_row, first + int(about["rows"]))
        return self

    @contextlib.contextmanager
    def _recognising(self, kind: str | None) -> Iterator[_core.Evidence]:
        """Add a part whose scores were recognised as this kind: one that differs may have been too small to tell.

        It is then added to a copy only, as rows that do not fit for another reason have that error.
        """
        differs = kind is not None and self._recognised is not None and kind != self._recognised
        yield self.copy()._core if differs else self._core
        if differs:
            raise InputError(f"scores of one part were read as {self._recognised}, those of another as {kind}: name "
                             "what they are in every part, input='logits' or input='probabilities'")
        self._recognised = kind or self._recognised

    def merge(self, other: Evidence) -> Evidence:
        """Add the rows of other evidence to this object.

        Parameters
        ----------
        other
            Evidence of other rows, with the same metrics, bins, resamples and seed.

        Returns
        -------
        Evidence
            This object.

        Examples
        --------
        >>> import credence
        >>> one = credence.Evidence(metrics="accuracy").update([[0.8, 0.2]], [0])
        >>> one.merge(credence.Evidence(metrics="accuracy").update([[0.6, 0.4]], [1], first_row=1)).compute().rows
        2
        """
        if not _inputs.is_a(other, Evidence):
            raise ArgumentError(f"other is {shown(other)}, expected Evidence")
        with self._recognising(other._recognised) as core:
            core.merge(other._core)
        known = self._next_row is not None and other._next_row is not None
        self._next_row = max(self._next_row or 0, other._next_row or 0) if known else None
        return self

    def __add__(self, other: object) -> Evidence:
        if not isinstance(other, Evidence):
            return NotImplemented
        return self.copy().merge(other)

    def __radd__(self, other: object) -> Evidence:
        """Make sum() work, which begins with 0."""
        if type(other) is not int or other != 0:
            return NotImplemented
        return self.copy()

    def copy(self) -> Evidence:
        """Return an independent copy.

        Returns
        -------
        Evidence
        """
        return _unpickle(self._core.save(), self._next_row, recognised=self._recognised)

    def compute(self, *, threads: int = 0, progress: _inputs.Progress = None) -> Result:
        """Return the result of all rows so far.

        Parameters
        ----------
        threads, progress
            As in :func:`credence.evaluate`.

        Returns
        -------
        Result

        Examples
        --------
        >>> import credence
        >>> credence.Evidence(metrics="accuracy").update([[0.8, 0.2], [0.6, 0.4]], [0, 1]).compute().accuracy
        0.5
        """
        return Result(self._core.judge(threads=threads, progress=_inputs.progress(progress)))

    def compare(self, other: Evidence, *, threads: int = 0, progress: _inputs.Progress = None) -> Result:
        """Return the result with its ``differences`` from another model on the same rows.

        Parameters
        ----------
        other
            Evidence of the other model: the same row indices, metrics, bins, resamples and seed, both
            with ``paired``.
        threads, progress
            As in :func:`credence.evaluate`.

        Returns
        -------
        Result

        Examples
        --------
        >>> import credence
        >>> one = credence.Evidence(metrics="accuracy", paired=True).update([[0.8, 0.2], [0.6, 0.4]], [0, 1])
        >>> other = credence.Evidence(metrics="accuracy", paired=True).update([[0.8, 0.2], [0.4, 0.6]], [0, 1])
        >>> one.compare(other).differences["accuracy"].value
        0.5
        """
        if not _inputs.is_a(other, Evidence):
            raise ArgumentError(f"other is {shown(other)}, expected Evidence")
        return Result(self._core.compare(other._core, threads=threads, progress=_inputs.progress(progress)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a state file, for :meth:`load` and ``credence merge``.

        Parameters
        ----------
        path
            The file to write.
        """
        _inputs.write(path, self._core.save())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Evidence:
        """Read a state file, of :meth:`save` or of ``credence evaluate --state-out``.

        Parameters
        ----------
        path
            The file to read.

        Returns
        -------
        Evidence
        """
        state = _inputs.read(path)
        return _unpickle(state, None, _inputs.path_text(path), _read_as(state))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.save(), self._next_row, "the state", self._recognised)


def _read_as(state: bytes) -> str | None:
    """Return what scores were recognised as: a state has the notes of its results, which take long to compute."""
    found = [kind for kind in ("logits", "probabilities") if f"read as {kind}: ".encode() in state]
    return found[0] if len(found) == 1 else None


def _unpickle(state: bytes, next_row: int | None, name: str = "the state", recognised: str | None = None) -> Evidence:
    evidence = Evidence.__new__(Evidence)
    evidence._core = _core.Evidence.load(state, name)
    evidence._next_row = next_row
    evidence._recognised = recognised
    return evidence
