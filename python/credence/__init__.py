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

from . import _core
from ._calibrator import Calibrator, Certificate, fit
from ._dataset import Dataset
from ._errors import (ArgumentError, DataWarning, Error, InputError, Interrupted, NumericError, OutOfMemoryError,
                      SystemCallError, UnsupportedError, UsageError)
from ._evaluate import Evidence, evaluate, read
from ._network import Network
from ._result import Bin, Difference, Groups, Result, Value
from ._survey import GradientCheck, Parameter, Port, Predicted, Survey, Verdict
from ._tables import (architectures, augmentations, corruptions, datasets, figures, losses, methods, metrics,
                      operators, optimisers, schedules)
from ._train import Trainer, Training, train

__version__: str = _core.version()

__all__ = ["ArgumentError", "Bin", "Calibrator", "Certificate", "DataWarning", "Dataset", "Difference", "Error",
           "Evidence", "GradientCheck", "Groups", "InputError", "Interrupted", "Network", "NumericError",
           "OutOfMemoryError", "Parameter", "Port", "Predicted", "Result", "Survey", "SystemCallError", "Trainer",
           "Training", "UnsupportedError", "UsageError", "Value", "Verdict", "architectures", "augmentations",
           "corruptions", "datasets", "evaluate", "figures", "fit", "losses", "methods", "metrics", "operators",
           "optimisers", "read", "schedules", "train"]

# The threads of a parent process do not exist in its children.
_os.register_at_fork(after_in_child=_core.after_fork)
