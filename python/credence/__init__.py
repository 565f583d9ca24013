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
from ._clamp import Clamp, clamp
from ._errors import (ArgumentError, DataWarning, Error, InputError, Interrupted, NumericError, OutOfMemoryError,
                      SystemCallError, UnsupportedError, UsageError)
from ._evaluate import Evidence, evaluate
from ._losses import Loss, LossValue
from ._result import Bin, Difference, Groups, Result, Value
from ._tables import figures, losses, methods, metrics

__version__: str = _core.version()

__all__ = ["ArgumentError", "Bin", "Calibrator", "Certificate", "Clamp", "DataWarning", "Difference", "Error", "Evidence",
           "Groups", "InputError", "Interrupted", "Loss", "LossValue", "NumericError", "OutOfMemoryError", "Result",
           "SystemCallError", "UnsupportedError", "UsageError", "Value", "clamp", "evaluate", "figures", "fit", "losses",
           "methods", "metrics"]

# The threads of a parent process do not exist in its children.
_os.register_at_fork(after_in_child=_core.after_fork)
