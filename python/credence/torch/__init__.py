"""PyTorch: training losses, calibrated models, metrics, and Neural Clamping of any module.

>>> import credence.torch                                               # doctest: +SKIP
>>> loss = credence.torch.Loss("ce + 10*dca")                           # doctest: +SKIP
>>> loss(model(images), labels).backward()                              # doctest: +SKIP
>>> calibrated = credence.torch.CalibratedModel(model, calibrator)      # doctest: +SKIP
>>> clamped = credence.torch.clamp(model, loader)                       # doctest: +SKIP
"""
from __future__ import annotations

try:
    import torch.func  # of PyTorch 2.0
except ImportError as error:
    raise ImportError("credence.torch needs PyTorch 2.0 or newer: pip install 'torch>=2.0'") from error

from ._calibrated import CalibratedModel
from ._clamp import ClampedModel, clamp
from ._loss import Loss
from ._metric import Metric

__all__ = ["CalibratedModel", "ClampedModel", "Loss", "Metric", "clamp"]
