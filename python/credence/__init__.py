"""Credence: measures and repairs the calibration of classifiers."""
from credence._core import version as version

__all__ = ["version"]
