"""Training losses as modules."""
from __future__ import annotations

from typing import Any

import torch

from .. import _losses, _tables
from .._errors import ArgumentError, UnsupportedError, shown
from .._inputs import is_a
from . import _rows

Tensor = torch.Tensor


class _Evaluate(torch.autograd.Function):
    """The value with its gradient, which the library computes together."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any, **unused: Any) -> Tensor:
        logits, targets, loss, given = arguments
        found: _losses.LossValue = loss(logits, targets, gradient=ctx.needs_input_grad[0], **given)
        if found.gradient is not None:
            ctx.save_for_backward(logits, torch.from_numpy(found.gradient))
        return torch.tensor(found.value, dtype=logits.dtype)

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> tuple[Tensor, None, None, None]:
        return _Slope.apply(*upstream, *ctx.saved_tensors), None, None, None


class _Slope(torch.autograd.Function):
    """The gradient, which depends on the logits too: differentiating it again is refused, and never silently wrong."""

    @staticmethod
    def forward(ctx: Any, *arguments: Any, **unused: Any) -> Tensor:
        upstream, _, gradient = arguments
        slope: Tensor = upstream * gradient
        return slope

    @staticmethod
    def backward(ctx: Any, *upstream: Any) -> None:
        raise UnsupportedError("a credence.torch.Loss has a gradient, and no second derivatives (create_graph, "
                               "gradient penalties)")


@_tables.documented(losses="losses")
class Loss(torch.nn.Module):
    """A weighted sum of losses as a module: ``Loss("ce + 10*dca")``, ``Loss("focal(gamma=3)")``.

    The library computes value and gradient together on the CPU, and reads tensors there without a
    copy; tensors on another device are refused. Logits of half precision are computed in float32: the
    loss is then float32, as under autocast, and the gradient has the type of the logits. The module
    has neither parameters nor state; gradients of the gradient do not exist.

    Parameters
    ----------
    expression
        A sum of losses with factors and settings. Known are:

        {losses}
    class_counts
        Training rows of each class, for class weights (``weighted-ce``).
    reduction
        ``mean``: the weighted mean over the rows; ``sum``: that times the sum of weights.
    ignore_index
        Rows with this target are left out.
    allow_negative
        Allow negative factors and settings, with a note.
    threads
        Threads (0: all); the result does not depend on them.
    """

    def __init__(self, expression: str, *, class_counts: Any = None, reduction: str = "mean",
                 ignore_index: int = _losses.IGNORED, allow_negative: bool = False, threads: int = 0) -> None:
        super().__init__()
        self._loss = _losses.Loss(expression, class_counts=class_counts, reduction=reduction,
                                  allow_negative=allow_negative)
        self.ignore_index = ignore_index
        self.threads = threads

    @property
    def expression(self) -> str:
        """The sum of losses, as given."""
        return self._loss.expression

    @property
    def notes(self) -> list[str]:
        """Notes on the expression, such as of a negative factor."""
        return self._loss.notes

    def forward(self, logits: Tensor, targets: Tensor, weights: Tensor | None = None, *,
                history: Tensor | None = None, epochs: float = 0.0, history_low: float = 0.0) -> Tensor:
        """Return the loss of a batch.

        Parameters
        ----------
        logits
            (rows, classes), or (rows, classes, ...) as for segmentation.
        targets
            Class indices, (rows, ...), or class probabilities in the shape of the logits.
        weights
            Of the rows, in the shape of class indices.
        history, epochs, history_low
            For ``crl``: in how many earlier epochs each row was predicted correctly, the number of
            these epochs, and the smallest history over the training data.
        """
        rows, labels, given = self._batch(logits, targets, weights, history, epochs, history_low)
        value: Tensor = _Evaluate.apply(rows, labels, self._loss, given)
        return value

    def terms(self, logits: Tensor, targets: Tensor, weights: Tensor | None = None, *,
              history: Tensor | None = None, epochs: float = 0.0, history_low: float = 0.0) -> dict[str, float]:
        """Return the value of each term, without its factor, to log it.

        Parameters
        ----------
        logits, targets, weights, history, epochs, history_low
            As for the loss.
        """
        rows, labels, given = self._batch(logits, targets, weights, history, epochs, history_low)
        return self._loss(rows.detach(), labels, gradient=False, **given).terms

    def _batch(self, logits: Tensor, targets: Tensor, weights: Tensor | None, history: Tensor | None, epochs: float,
               history_low: float) -> tuple[Tensor, Tensor, dict[str, Any]]:
        _check("logits", logits)
        _check("targets", targets)
        rows = _rows.scores(_rows.several(logits))
        if rows.dtype in (torch.float16, torch.bfloat16):
            rows = rows.float()
        given: dict[str, Any] = {"epochs": epochs, "history_low": history_low, "ignore": self.ignore_index,
                                 "threads": self.threads}
        for name, tensor in (("weights", weights), ("history", history)):
            if tensor is not None:
                _check(name, tensor)
                given[name] = _rows.column(tensor.detach(), name, _rows.without_classes(logits))
        return rows, _rows.targets(targets, logits).detach(), given

    def extra_repr(self) -> str:
        ignored = "" if self.ignore_index == _losses.IGNORED else f", ignore_index={self.ignore_index}"
        return f"{self.expression!r}{self._loss.extra()}{ignored}"


def _check(name: str, tensor: Tensor) -> None:
    if not is_a(tensor, Tensor):
        raise ArgumentError(f"{name} is {shown(tensor)}, expected a tensor")
    if tensor.device.type != "cpu":
        raise ArgumentError(f"{name} is on the device {str(tensor.device)!r}, and only tensors in main memory can be "
                            f"read: pass {name}.cpu()")
