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
from ._clamp import Clamp, clamp
from ._contest import Candidate, Contest, Series, compare
from ._dataset import Dataset
from ._doctor import Diagnosis, Finding, doctor
from ._errors import (ArgumentError, DataWarning, Error, InputError, Interrupted, NumericError, OutOfMemoryError,
                      SystemCallError, UnsupportedError, UsageError)
from ._evaluate import Evidence, evaluate, read
from ._losses import Loss, LossValue
from ._network import Network
from ._operating import OperatingPoint, OperatingPoints, operating_points
from ._report import report, table
from ._result import Bin, Difference, Groups, Result, Value
from ._shift import ShiftedResult, evaluate_shift
from ._sources import (Calibratability, Embedding, LearnedEpochs, Perturbation, TrainingRecord, calibratability, embed,
                       learned_epochs)
from ._survey import GradientCheck, Parameter, Port, Predicted, Survey, Verdict
from ._svg import SVG
from ._tables import (architectures, augmentations, corruptions, datasets, figures, losses, methods, metrics,
                      operators, optimisers, schedules)
from ._train import Trainer, Training, train

__version__: str = _core.version()

__all__ = ["ArgumentError", "Bin", "Calibratability", "Calibrator", "Candidate", "Certificate", "Clamp", "Contest",
           "DataWarning", "Dataset", "Diagnosis", "Difference", "Embedding", "Error", "Evidence", "Finding",
           "GradientCheck", "Groups", "InputError", "Interrupted", "LearnedEpochs", "Loss", "LossValue", "Network",
           "NumericError", "OperatingPoint", "OperatingPoints", "OutOfMemoryError", "Parameter", "Perturbation",
           "Port", "Predicted", "Result", "SVG", "Series", "ShiftedResult", "Survey", "SystemCallError", "Trainer",
           "Training", "TrainingRecord", "UnsupportedError", "UsageError", "Value", "Verdict", "architectures",
           "augmentations", "calibratability", "clamp", "compare", "corruptions", "datasets", "doctor", "embed",
           "evaluate", "evaluate_shift", "figures", "fit", "learned_epochs", "losses", "methods", "metrics",
           "operating_points", "operators", "optimisers", "plot", "read", "report", "schedules", "table", "train"]

# The threads of a parent process do not exist in its children.
_os.register_at_fork(after_in_child=_core.after_fork)
