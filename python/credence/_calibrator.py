"""Calibrators: fitted maps from scores to calibrated probabilities."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class Certificate:
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
    """A fitted calibrator; :func:`credence.fit` and :meth:`load` make one.

    Calling it on new scores returns calibrated probabilities. It can be pickled, and applied by
    several threads at once.
    """

    def __init__(self, core: _core.Calibrator) -> None:
        self._core = core
        about = core.describe()
        self.method: str = about["method"]
        self.classes: int = about["classes"]
        self.settings: dict[str, str] = about["settings"]
        self.learnt: dict[str, Any] = about["learnt"]
        self.certificate = Certificate(**about["certificate"])

    def __call__(self, scores: Any, *, input: str = "auto", threads: int = 0) -> Floats:
        """Return calibrated probabilities, (rows, classes); for confidences, (rows,)."""
        return self._apply(scores, input, threads)[0]

    predict_proba = __call__

    def predict(self, scores: Any, *, input: str = "auto", threads: int = 0) -> NDArray[np.int64]:
        """Return the predicted classes after calibration."""
        return self._apply(scores, input, threads)[2]

    def confidence(self, scores: Any, *, input: str = "auto", threads: int = 0) -> Floats:
        """Return the calibrated confidence of the predicted class of each row."""
        return self._apply(scores, input, threads)[1]

    def _apply(self, scores: Any, input: str, threads: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
        rows = _inputs.predictions(scores, input=input, labels_optional=True, binary=None)
        return self._core.apply(rows, threads=threads)

    @property
    def temperature(self) -> float:
        """The learnt temperature, for methods that learn one."""
        if "temperature" not in self.learnt:
            raise AttributeError(f"{self.method} learns no temperature, but: {', '.join(self.learnt)}")
        return float(self.learnt["temperature"][0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the calibrator as JSON, for :meth:`load` and ``credence apply``."""
        _write(path, self._core.save())

    def to_json(self) -> str:
        """Return the calibrator as JSON; equal calibrators give equal text."""
        return self._core.save().decode()

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Calibrator:
        """Read a saved calibrator."""
        with open(path, "rb") as file:
            return cls(_core.Calibrator.load(file.read(), os.fspath(path)))

    def export(self, path: str | os.PathLike[str], format: str | None = None, *, name: str | None = None,
               float32: bool = False, model: str | os.PathLike[str] | None = None,
               value: str | None = None) -> None:
        """Write the calibrator as a program or model that needs no Credence.

        Parameters
        ----------
        path
            The file to write; its extension chooses the format unless ``format`` does.
        format
            One of {formats}.
        name
            Prefix of the function's name (C, NumPy).
        float32
            C: compute in float32.
        model
            An ONNX classifier: a copy of it with the calibrator inside is written.
        value
            The name of the scores in the model's graph; None: its only output.
        """
        if model is not None:
            given = self._core.export(None, model=_inputs.path_text(model), value=value)
        else:
            given = self._core.export(format or _format_of(path), name=name, float32=float32)
        _write(path, given)

    def figure(self, name: str = "map", *, title: str | None = None) -> str:
        """Return a figure of the calibrator as SVG."""
        return self._core.figure(name, title=title)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.save(),)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calibrator) and self._core.save() == other._core.save()

    def __hash__(self) -> int:
        return hash(self._core.save())

    def __repr__(self) -> str:
        given = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        learnt = f"; temperature {self.temperature:.6g}" if "temperature" in self.learnt else ""
        state = "" if self.certificate.converged else "; not converged"
        return f"<Calibrator {self.method!r}{given}; {self.classes} classes{learnt}{state}>"


def _unpickle(state: bytes) -> Calibrator:
    return Calibrator(_core.Calibrator.load(state, "the pickled calibrator"))


def _format_of(path: str | os.PathLike[str]) -> str:
    suffix = os.path.splitext(os.fspath(path))[1].lstrip(".")
    formats = _tables.table("exports")
    for name, entry in formats.items():
        if str(entry["extension"]).lstrip(".") == suffix:
            return name
    raise UsageError(f"{os.fspath(path)}: the extension names no format; allowed formats are {', '.join(formats)}")


def _write(path: str | os.PathLike[str], given: bytes) -> None:
    """Write a file whole or not at all."""
    partial = f"{os.fspath(path)}.part-{os.getpid()}"
    try:
        with open(partial, "wb") as file:
            file.write(given)
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


@_tables.documented(methods="methods")
def fit(method: str, scores: Any, labels: Any = None, *, settings: str | Mapping[str, object] | None = None,
        floor: float = 0.0, weights: Any = None, groups: Any = None, features: Any = None,
        confidence: Any = None, predicted: Any = None, correct: Any = None, input: str = "auto",
        threads: int = 0, seed: int = 0, progress: _inputs.Progress = None) -> Calibrator:
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
        Of the method: ``{"scope": "top-1"}`` or ``"scope=top-1"``.
    floor
        Lower bound of probabilities; 0: fitted if some are exactly 0.
    weights, groups, features
        Of the rows.
    confidence, predicted, correct
        Confidences of the predicted class, the predicted class, and whether it is right.
    input
        ``logits`` or ``probabilities``; ``auto`` recognises them.
    threads, seed, progress
        Threads (0: all), seed of random numbers, a function of (stage, done, total) or True.

    Returns
    -------
    Calibrator
    """
    rows = _inputs.predictions(scores, labels, groups_=groups, weights=weights, features=features,
                               confidence=confidence, predicted=predicted, correct=correct, input=input)
    return Calibrator(rows.fit(method, settings=_inputs.settings(settings), floor=floor, threads=threads, seed=seed,
                               progress=_inputs.progress(progress)))
