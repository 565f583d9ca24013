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

import importlib as _importlib
import os as _os
from typing import TYPE_CHECKING, Any

from . import _core
from ._calibrator import Calibrator, Certificate, fit
from ._errors import (ArgumentError, DataWarning, Error, InputError, Interrupted, NumericError, OutOfMemoryError,
                      SystemCallError, UnsupportedError, UsageError)
from ._evaluate import Evidence, evaluate, read
from ._result import Bin, Difference, Groups, PeerValue, Result, Value
from ._tables import (architectures, augmentations, corruptions, datasets, figures, losses, methods, metrics,
                      operators, optimisers, schedules)

if TYPE_CHECKING:
    from . import plot
    from ._clamp import Clamp, clamp
    from ._confidence import ConfidenceQuality, LearnedConfidence, train_confidence
    from ._contest import Candidate, Contest, Series, compare
    from ._dataset import Dataset
    from ._doctor import Diagnosis, Finding, doctor
    from ._losses import Loss, LossValue
    from ._network import Network
    from ._operating import OperatingPoint, OperatingPoints, operating_points
    from ._report import report, table
    from ._shift import ShiftedResult, evaluate_shift
    from ._sources import (Calibratability, Embedding, LearnedEpochs, Perturbation, TrainingRecord, calibratability,
                           embed, learned_epochs)
    from ._survey import GradientCheck, Parameter, Port, Predicted, Survey, Verdict
    from ._svg import SVG
    from ._train import Trainer, Training, train
    from ._trust import TrustScore

__version__: str = _core.version()

__all__ = ["ArgumentError", "Bin", "Calibratability", "Calibrator", "Candidate", "Certificate", "Clamp",
           "ConfidenceQuality", "Contest", "DataWarning", "Dataset", "Diagnosis", "Difference", "Embedding", "Error",
           "Evidence", "Finding", "GradientCheck", "Groups", "InputError", "Interrupted", "LearnedConfidence",
           "LearnedEpochs", "Loss", "LossValue", "Network", "NumericError", "OperatingPoint", "OperatingPoints",
           "OutOfMemoryError", "Parameter", "PeerValue", "Perturbation", "Port", "Predicted", "Result", "SVG", "Series",
           "ShiftedResult", "Survey", "SystemCallError", "Trainer", "Training", "TrainingRecord", "TrustScore",
           "UnsupportedError", "UsageError", "Value", "Verdict", "architectures", "augmentations", "calibratability",
           "clamp", "compare", "corruptions", "datasets", "doctor", "embed", "evaluate", "evaluate_shift", "figures",
           "fit", "learned_epochs", "losses", "methods", "metrics", "operating_points", "operators", "optimisers",
           "plot", "read", "report", "schedules", "table", "train", "train_confidence"]

# Modules that are loaded when one of their names is first used: an import is short for those who only evaluate.
_LATER = {
    "_clamp": "Clamp clamp",
    "_confidence": "ConfidenceQuality LearnedConfidence train_confidence",
    "_contest": "Candidate Contest Series compare",
    "_dataset": "Dataset",
    "_doctor": "Diagnosis Finding doctor",
    "_losses": "Loss LossValue",
    "_network": "Network",
    "_operating": "OperatingPoint OperatingPoints operating_points",
    "_report": "report table",
    "_shift": "ShiftedResult evaluate_shift",
    "_sources": "Calibratability Embedding LearnedEpochs Perturbation TrainingRecord calibratability embed learned_epochs",
    "_survey": "GradientCheck Parameter Port Predicted Survey Verdict",
    "_svg": "SVG",
    "_train": "Trainer Training train",
    "_trust": "TrustScore",
}
_MODULES = {name: module for module, names in _LATER.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        found = getattr(_importlib.import_module(f".{_MODULES[name]}", __name__), name)
    elif name == "plot":
        found = _importlib.import_module(".plot", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


# The threads of a parent process do not exist in its children.
_os.register_at_fork(after_in_child=_core.after_fork)
