"""Calibrators: fitted maps from scores to calibrated probabilities."""
from __future__ import annotations

import dataclasses
import functools
import html
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._errors import ArgumentError, InputError, UsageError, shown
from ._forms import Facts, read_only
from ._svg import SVG

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Certificate(Facts):
    """Evidence that a fit succeeded.

    Attributes
    ----------
    converged : bool
        The optimum was found.
    objective : float
        The minimised function, per row; NaN: none.
    gradient_norm : float
        The largest absolute derivative at the end; NaN: none was computed.
    iterations : int
        Of the solver.
    separable : bool
        No finite optimum exists; the solution is at a bound.
    bounds : str
        Settings or quantities that ended at a bound.
    rows_clipped, values_floored : int
        Rows with a probability of 0 or 1; values raised to the floor.
    suspicious : bool
        A temperature outside [0.05, 20]; see the note.
    argmax_changes : int
        Calibration rows whose predicted class changed.
    note : str
        A sentence for the user, or "".
    """

    converged: bool
    objective: float
    gradient_norm: float
    iterations: int
    separable: bool
    bounds: str
    rows_clipped: int
    values_floored: int
    suspicious: bool
    argmax_changes: int
    note: str


class Calibrator:
    """A fitted calibrator: calling it on new scores returns calibrated probabilities.

    Calibrators come from :func:`credence.fit` and :meth:`load`. They can be pickled and compared,
    and several threads may apply one at once.

    Attributes
    ----------
    method : str
        The name of the method.
    classes : int
        The number of classes of the rows it calibrates; 0: confidences of the predicted class.
    settings : dict
        The settings of the method, as text.
    learnt : dict
        What was fitted: read-only NumPy arrays, or lists of them, by name.
    certificate : Certificate
        Evidence that the fit succeeded.
    class_names : list of str, or None
        Of the rows of the fit, where they had names; saved files do not have them. A data frame whose
        columns are these names in another order is calibrated by name.

    Examples
    --------
    >>> import credence
    >>> scores = [[2.0, 0.0], [1.0, 0.5], [-1.0, 1.5], [0.5, 0.0], [0.2, 0.4], [3.0, 0.0]]
    >>> calibrate = credence.fit("temperature", scores, [0, 1, 1, 0, 1, 0])
    >>> calibrate([[1.0, 0.0]]).shape, calibrate.predict([[1.0, 0.0], [0.0, 1.0]]).tolist()
    ((1, 2), [0, 1])
    >>> calibrate.method, calibrate.certificate.converged
    ('temperature', True)
    """

    def __init__(self, core: _core.Calibrator, class_names: list[str] | None = None) -> None:
        self.class_names = class_names
        self._core = _inputs.made(core, _core.Calibrator, "credence.fit and Calibrator.load return calibrators")
        about = core.describe()
        self.method: str = about["method"]
        self.classes: int = about["classes"]
        self.settings: dict[str, str] = about["settings"]
        self.learnt: dict[str, Any] = read_only(about["learnt"])
        self.certificate = Certificate(**about["certificate"])

    def __call__(self, scores: Any, *, features: Any = None, input: str = "auto", threads: int = 0) -> Floats:
        """Return calibrated probabilities.

        Parameters
        ----------
        scores
            As in the fit: an array or the path of a file.
        features
            Of the rows, for methods that need them; files have their own.
        input
            ``logits`` or ``probabilities``; ``auto`` recognises them. Fewer than 20 rows tell too
            little: they are logits if the calibrator was fitted on logits.
        threads
            0: all. Results do not depend on it.

        Returns
        -------
        numpy.ndarray
            float64, (rows, classes); of confidences, (rows,).
        """
        return self._apply(scores, features, input, threads)[0]

    def predict_proba(self, scores: Any, *, features: Any = None, input: str = "auto", threads: int = 0) -> Floats:
        """Return calibrated probabilities: the same as calling the calibrator.

        Parameters
        ----------
        scores, features, input, threads
            As in a call of the calibrator.

        Returns
        -------
        numpy.ndarray
            float64, (rows, classes); of confidences, (rows,).
        """
        return self._apply(scores, features, input, threads)[0]

    def predict(self, scores: Any, *, features: Any = None, input: str = "auto",
                threads: int = 0) -> NDArray[np.int64]:
        """Return the predicted classes after calibration.

        Parameters
        ----------
        scores, features, input, threads
            As in a call of the calibrator.

        Returns
        -------
        numpy.ndarray
            int64, (rows,).
        """
        return self._apply(scores, features, input, threads)[2]

    def confidence(self, scores: Any, *, features: Any = None, input: str = "auto", threads: int = 0) -> Floats:
        """Return the calibrated confidence of the predicted class of each row.

        Parameters
        ----------
        scores, features, input, threads
            As in a call of the calibrator.

        Returns
        -------
        numpy.ndarray
            float64, (rows,).
        """
        return self._apply(scores, features, input, threads)[1]

    def apply_to(self, path: str | os.PathLike[str], scores: Any, *, dtype: str = "float64", features: Any = None,
                 input: str = "auto", threads: int = 0, progress: _inputs.Progress = None) -> None:
        """Write calibrated probabilities to a file, as ``credence apply`` does.

        Labels, weights and groups of the predictions are written too. Rows are calibrated and written in blocks:
        files may be larger than memory.

        Parameters
        ----------
        path
            The file to write: .npz, .safetensors, .csv or .tsv, also with .gz; .npy has the probabilities only.
        scores
            Scores as in a call of the calibrator: the path of a file, what :func:`credence.read` made of one, or
            an array.
        dtype
            ``float64`` or ``float32``.
        features, input, threads
            As in a call of the calibrator.
        progress
            A function of (stage, done, total), or True.
        """
        self._core.apply_to(self._rows(scores, features, input, threads), _inputs.path_text(path), dtype,
                            threads=threads, progress=_inputs.progress(progress))

    def _apply(self, scores: Any, features: Any, input: str,
               threads: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
        return self._core.apply(self._rows(scores, features, input, threads), threads=threads)

    def _rows(self, scores: Any, features: Any, input: str, threads: int) -> _core.Predictions:
        given = self._ordered(scores)

        def read(kind: str) -> _core.Predictions:
            needed = True if _inputs.is_path(scores, "scores") and _needs_features(self.method) else features
            return _inputs.predictions(given, features=needed, input=kind, labels_optional=True, keep_ignored=True,
                                       threads=threads)
        if self.classes == 0 and _inputs.is_word(input, "auto"):
            input = "confidence"
        rows = read(input)
        about = rows.describe()
        if (_inputs.is_word(input, "auto") and about["rows"] < 20 and about["input"] == "probabilities"
                and self.input == "logits"):
            rows = read("logits")
        theirs = rows.class_names()
        if self.class_names and theirs and theirs != self.class_names and sorted(theirs) == sorted(self.class_names):
            raise InputError(f"the classes of the scores are {shown(theirs)}, those of the calibrator "
                             f"{shown(self.class_names)}: pass the columns in this order")
        return rows

    def _ordered(self, scores: Any) -> Any:
        """Return a data frame with its columns in the order of the classes of the fit, if it has just these."""
        found = _inputs.columns(scores)
        if not found or not self.class_names or sorted(found) != sorted(self.class_names):
            return scores
        return scores if found == self.class_names else scores[self.class_names]

    @functools.cached_property
    def input(self) -> str:
        """The kind of scores that it was fitted on: ``logits``, ``probabilities`` or ``confidence``."""
        return str(json.loads(self._core.save())["input"])

    @property
    def temperature(self) -> float:
        """The learnt temperature, for methods that learn one."""
        if "temperature" not in self.learnt:
            raise AttributeError(f"{self.method} learns no temperature, but: {', '.join(self.learnt) or 'nothing'}")
        return float(self.learnt["temperature"][0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the calibrator as JSON, for :meth:`load` and ``credence apply``.

        Parameters
        ----------
        path
            The file to write.
        """
        _inputs.write(path, self._core.save())

    def to_json(self) -> str:
        """Return the calibrator as JSON; equal calibrators give equal text.

        Returns
        -------
        str
        """
        return self._core.save().decode()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibrator:
        """Read a calibrator that :meth:`save` or ``credence fit`` wrote.

        Parameters
        ----------
        path
            The file to read.

        Returns
        -------
        Calibrator
        """
        return cls(_core.Calibrator.load(_inputs.read(path), _inputs.path_text(path)))

    @_tables.documented(formats="exports")
    def export(self, path: str | os.PathLike[str], format: str | None = None, *, name: str | None = None,
               float32: bool = False, model: str | os.PathLike[str] | None = None,
               value: str | None = None) -> None:
        """Write the calibrator as a program or model that needs no Credence.

        Parameters
        ----------
        path
            The file to write; its extension chooses the format unless ``format`` does.
        format
            One of:

            {formats}
        name
            Prefix of the function's name (C, NumPy).
        float32
            C: compute in float32.
        model
            An ONNX classifier: a copy of it with the calibrator inside is written, to the same
            folder if its weights are in files of their own.
        value
            With ``model``: the name of the scores in its graph; None: its only output.
        """
        if model is not None:
            if format is not None and not _inputs.is_word(format, "onnx"):
                raise UsageError(f"format is {shown(format)}, and with model allowed is 'onnx'")
            given = self._core.export(None, model=_inputs.path_text(model, "model"), value=value)
        elif value is not None:
            raise UsageError("value is given, but no model")
        else:
            given = self._core.export(_format_of(path) if format is None else format, name=name, float32=float32)
        _inputs.write(path, given)

    def figure(self, name: str = "weights", *, title: str | None = None, id: str | None = None) -> SVG:
        """Return a figure of the calibrator as SVG.

        Parameters
        ----------
        name
            A figure of :func:`credence.figures` whose source is a calibrator.
        title
            Above the figure; None: the name of the method.
        id
            The prefix of ids inside the figure, different for each figure of one page.

        Returns
        -------
        SVG
        """
        return SVG(self._core.figure(name, title=title, id=id))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.save(), self.class_names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Calibrator):
            return NotImplemented
        return self._core.save() == other._core.save()

    def __hash__(self) -> int:
        return hash(self._core.save())

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        learnt = f"; temperature {self.temperature:.6g}" if "temperature" in self.learnt else ""
        of = f"{self.classes} classes" if self.classes else "confidences"
        state = "" if self.certificate.converged else "; not converged"
        return f"<Calibrator {self.method!r}{given}; {of}{learnt}{state}>"

    def _repr_html_(self) -> str:
        """Return the method, its settings, what it learnt and its certificate as a table, for notebooks."""
        about = {"method": self.method, "classes": self.classes or "confidence of the predicted class",
                 **self.settings, **{name: _brief(value) for name, value in self.learnt.items()},
                 **{name.replace("_", " "): value for name, value in dataclasses.asdict(self.certificate).items()
                    if value not in ("", 0, False) and not (isinstance(value, float) and math.isnan(value))}}
        lines = "".join(f"<tr><td>{html.escape(str(name))}</td><td>{html.escape(str(value))}</td></tr>"
                        for name, value in about.items())
        return f"<table><tbody>{lines}</tbody></table>"


def _brief(value: Any) -> str:
    """Return a learnt array in a line: its number if it has one, else how many it has."""
    parts = value if isinstance(value, list) else [value]
    count = sum(len(part) for part in parts)
    return f"{parts[0][0]:.6g}" if count == 1 else f"{count} values"


def _unpickle(state: bytes, class_names: list[str] | None = None) -> Calibrator:
    return Calibrator(_core.Calibrator.load(state, "the pickled calibrator"), class_names)


def _needs_features(method: str) -> bool:
    return any(entry["needs_features"] and _inputs.is_word(method, name) for name, entry in _tables.methods().items())


def _format_of(path: str | os.PathLike[str]) -> str:
    text = _inputs.path_text(path)
    suffix = os.path.splitext(text)[1].lstrip(".")
    formats = _tables.table("exports")
    for name, entry in formats.items():
        if str(entry["extension"]).lstrip(".") == suffix:
            return name
    raise UsageError(f"{shown(text)}: the extension names no format; pass format: {', '.join(formats)}")


@_tables.documented(methods="methods")
def fit(method: str, scores: Any, labels: Any = None, *, settings: str | Mapping[str, object] | None = None,
        floor: float = 0.0, weights: Any = None, groups: Any = None, features: Any = None,
        confidence: Any = None, predicted: Any = None, correct: Any = None,
        class_names: Sequence[str] | None = None, input: str = "auto", cluster: str | None = None, threads: int = 0,
        seed: int = 0, progress: _inputs.Progress = None) -> Calibrator:
    """Fit a calibration method on predictions that were not used to train the classifier.

    Parameters
    ----------
    method
        The name of a method:

        {methods}
    scores
        Logits or probabilities, (rows, classes), or the path of a file of predictions.
    labels
        The true classes: indices, or names of classes.
    settings
        Of the method, ``{"scope": "top-1"}`` or ``"scope=top-1"``; ``credence.methods()`` has them.
    floor
        Lower bound of probabilities; 0: fitted if some are exactly 0.
    features
        Of the rows, (rows, features), for methods that need them; files have their own.
    weights
        Of the rows, not negative. Only their ratios count: they are scaled to a mean of 1. A row of
        weight 2 fits like two rows, except where a method counts rows: the smoothed targets of ``platt``
        (``targets=plain`` has none), cross-validation, and numbers of bins, knots or parameters.
    groups, confidence, predicted, correct, class_names, input, cluster, threads, progress
        As in :func:`credence.evaluate`.
    seed
        Of the random numbers of methods that draw some, such as cross-validation.

    Returns
    -------
    Calibrator

    Examples
    --------
    >>> import credence
    >>> scores = [[2.0, 0.0], [1.0, 0.5], [-1.0, 1.5], [0.5, 0.0], [0.2, 0.4], [3.0, 0.0]]
    >>> calibrate = credence.fit("platt", scores, [0, 1, 1, 0, 1, 0], settings={"scope": "top-1"})
    >>> calibrate.settings["scope"], calibrate(scores).shape
    ('top-1', (6, 2))
    """
    if not _inputs.is_a(method, str):
        raise ArgumentError(f"method is {shown(method)}, expected a str: fit('temperature', scores, labels)")
    needed = True if _inputs.is_path(scores, "scores") and features is None and _needs_features(method) else features
    rows = _inputs.predictions(scores, labels, groups_=groups, weights=weights, features=needed, confidence=confidence,
                               predicted=predicted, correct=correct, class_names=class_names, input=input,
                               cluster=cluster, threads=threads)
    with _inputs.explained(rows):
        core = rows.fit(method, settings=_inputs.settings(settings), floor=floor, threads=threads, seed=seed,
                        progress=_inputs.progress(progress))
    return Calibrator(core, rows.class_names())
