"""Calibration of classifiers: measure it, repair it, with intervals and certificates.

>>> import credence
>>> result = credence.evaluate(scores, labels)          # doctest: +SKIP
>>> result.ece, result["ece"].low, result["ece"].high   # doctest: +SKIP
>>> calibrate = credence.fit("temperature", scores, labels)   # doctest: +SKIP
>>> probabilities = calibrate(new_scores)               # doctest: +SKIP
"""
from __future__ import annotations

import os as _os

from . import _core
from ._calibrator import Calibrator, Certificate, fit
from ._clamp import Clamp, clamp
from ._errors import (ArgumentError, Error, InputError, Interrupted, NumericError, OutOfMemoryError, SystemCallError,
                      UnsupportedError, UsageError)
from ._evaluate import Evidence, evaluate
from ._losses import Loss, LossValue
from ._result import Result, Value
from ._tables import figures, losses, methods, metrics

__version__: str = _core.version()

__all__ = ["ArgumentError", "Calibrator", "Certificate", "Clamp", "Error", "Evidence", "InputError", "Interrupted",
           "Loss", "LossValue", "NumericError", "OutOfMemoryError", "Result", "SystemCallError", "UnsupportedError",
           "UsageError", "Value", "clamp", "evaluate", "figures", "fit", "losses", "methods", "metrics"]

# The threads of a parent process do not exist in its children.
_os.register_at_fork(after_in_child=_core.after_fork)
