"""Calibration of classifiers: measure it, repair it, with intervals and certificates.

>>> import credence
>>> scores = [[2.0, 0.0], [1.0, 0.5], [-1.0, 1.5], [0.5, 0.0], [0.2, 0.4], [3.0, 0.0]]
>>> labels = [0, 1, 1, 0, 1, 0]
>>> result = credence.evaluate(scores, labels)
>>> result.accuracy == result["accuracy"].value > result["accuracy"].low
True
>>> calibrate = credence.fit("temperature", scores, labels)
>>> probabilities = calibrate(scores)
"""
from __future__ import annotations

import os as _os

from . import _core, plot
from ._calibrator import Calibrator, Certificate, fit
from ._contest import Candidate, Contest, Series, compare
from ._doctor import Diagnosis, Finding, doctor
from ._errors import (ArgumentError, DataWarning, Error, InputError, Interrupted, NumericError, OutOfMemoryError,
                      SystemCallError, UnsupportedError, UsageError)
from ._evaluate import Evidence, evaluate, read
from ._result import Bin, Difference, Groups, Result, Value
from ._operating import OperatingPoint, OperatingPoints, operating_points
from ._report import report, table
from ._shift import ShiftedResult, evaluate_shift
from ._sources import (Calibratability, Embedding, LearnedEpochs, Perturbation, TrainingRecord, calibratability, embed,
                       learned_epochs)
from ._svg import SVG
from ._tables import figures, losses, methods, metrics

__version__: str = _core.version()

__all__ = ["ArgumentError", "Bin", "Calibratability", "Calibrator", "Candidate", "Certificate", "Contest",
           "DataWarning", "Diagnosis", "Difference", "Embedding", "Error", "Evidence", "Finding", "Groups",
           "InputError", "Interrupted", "LearnedEpochs", "NumericError", "OperatingPoint", "OperatingPoints",
           "OutOfMemoryError", "Perturbation", "Result", "SVG", "Series", "ShiftedResult", "SystemCallError",
           "TrainingRecord", "UnsupportedError", "UsageError", "Value", "calibratability", "compare", "doctor",
           "embed", "evaluate", "evaluate_shift", "figures", "fit", "learned_epochs", "losses", "methods",
           "metrics", "operating_points", "plot", "read", "report", "table"]

# The threads of a parent process do not exist in its children.
_os.register_at_fork(after_in_child=_core.after_fork)
