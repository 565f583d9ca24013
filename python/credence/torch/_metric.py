"""Metrics over batches, with the interface of torchmetrics."""
from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import torch

from .. import _tables
from .._errors import ArgumentError, UsageError, shown
from .._evaluate import Evidence
from .._inputs import guarded, is_a, names, whole
from .._result import Result
from . import _rows

Tensor = torch.Tensor

_PART = 1 << 40  # rows of one process


@_tables.documented(metrics="metrics")
class Metric:
    """Metrics over all batches seen: ``update``, ``compute``, ``merge_state``, ``reset``.

    Sums are exact: the value does not depend on batches, their order, or how many processes there
    are. State lives in main memory, to which tensors are moved. A metric can be pickled, so that
    ``torch.distributed.all_gather_object`` collects those of all processes for :meth:`merge_state`. A list
    of names serves as a collection; ``torchmetrics.MetricCollection`` accepts its own metrics only.

    Parameters
    ----------
    metric
        A name, or several: then :meth:`compute` returns a dict. Known are:

        {metrics}
    bins
        Of binned metrics.
    resamples
        Bootstrap resamples of the intervals of :meth:`result`; 0: none.
    input
        ``logits`` or ``probabilities``; ``auto`` recognises them in each batch, and batches
        that differ are an error: name it where batches are small.
    binary
        Of two classes, evaluate the predicted class (``top``) or class 1 (``pos``).
    ignore_index
        Rows with this target are left out; None: there are none.
    part
        The rank of the process: rows of different processes are different rows.
    """

    def __init__(self, metric: str | Iterable[str] = "ece", *, bins: int = 15, resamples: int = 0, input: str = "auto",
                 binary: str = "top", ignore_index: int | None = -100, part: int = 0) -> None:
        wanted = names(metric) or ""
        self.metrics: tuple[str, ...] = tuple(name.strip() for name in wanted.split(","))
        self.single = isinstance(metric, str) and len(self.metrics) == 1
        self._options: dict[str, Any] = {"bins": bins, "resamples": resamples}
        self._rows: dict[str, Any] = {"input": input, "binary": binary}
        self.ignore_index = None if ignore_index is None else whole(ignore_index, "ignore_index")
        self.part = whole(part, "part")
        if not -2 ** 63 <= (self.ignore_index or 0) < 2 ** 63 or not 0 <= self.part < 2 ** 23:
            raise UsageError(f"ignore_index is {shown(ignore_index)} and part {shown(part)}, allowed are an int of 64 "
                             "bits, and 0 to 8388607")
        self.reset()

    def reset(self) -> None:
        """Forget all rows."""
        self._evidence = self._fresh()
        self._count = 0  # rows of this object
        self._merged = 0  # rows of others

    def _fresh(self) -> Evidence:
        return Evidence(",".join(self.metrics), **self._options)

    def update(self, preds: Tensor, target: Tensor, weights: Tensor | None = None) -> None:
        """Add a batch.

        Parameters
        ----------
        preds
            Logits or probabilities, (rows, classes, ...); a vector is the score of class 1.
        target
            Class indices, (rows, ...), or (rows, 1, ...).
        weights
            Of the rows, in a shape of class indices.
        """
        self._count += self._add(self._evidence, preds, target, weights, self._count)

    def _add(self, evidence: Evidence, preds: Tensor, target: Tensor, weights: Tensor | None, before: int) -> int:
        """Add a batch behind the rows of this object so far, and return the number of its rows."""
        scores = _matrix(preds)
        expected = preds.shape[:1] + preds.shape[2:]
        labels = _vector(target, "target", expected)
        shares = None if weights is None else _vector(weights, "weights", expected)
        if self.ignore_index is not None:
            kept = labels != self.ignore_index
            scores, labels = scores[kept], labels[kept]
            shares = None if shares is None else shares[kept]
        if scores.shape[0]:
            evidence.update(scores, labels, weights=shares, first_row=self.part * _PART + before, **self._rows)
        return int(scores.shape[0])

    def __call__(self, preds: Tensor, target: Tensor, weights: Tensor | None = None) -> Tensor | dict[str, Tensor]:
        """Add a batch, and return the value of that batch alone.

        Parameters
        ----------
        preds, target, weights
            As in :meth:`update`.
        """
        self.update(preds, target, weights)
        alone = self._fresh()
        return self._values(alone, self._add(alone, preds, target, weights, 0))

    forward = __call__

    def compute(self) -> Tensor | dict[str, Tensor]:
        """Return the value over all rows so far; NaN if there is none."""
        return self._values(self._evidence, self._count + self._merged)

    def _values(self, evidence: Evidence, rows: int) -> Tensor | dict[str, Tensor]:
        result = evidence.compute() if rows else None
        found = {name: torch.tensor(result[name].value if result else math.nan, dtype=torch.float64)
                 for name in self.metrics}
        return found[self.metrics[0]] if self.single else found

    def result(self) -> Result:
        """Return the whole result: intervals, notes, figures."""
        return self._evidence.compute()

    def merge_state(self, others: Metric | Iterable[Metric]) -> Metric:
        """Add the rows of other metrics, and return this one.

        Parameters
        ----------
        others
            Metrics, such as those of other processes.
        """
        for other in _metrics(others):
            self._evidence.merge(other._evidence)
            self._merged += other._count + other._merged
        return self

    def to(self, device: Any = None, *unused: Any, **unused_too: Any) -> Metric:
        """Return this object: its state lives in main memory.

        Parameters
        ----------
        device, unused, unused_too
            Of no effect.
        """
        return self

    def __repr__(self) -> str:
        return f"Metric({', '.join(self.metrics)}; {self._count + self._merged} rows)"


@guarded
def _metrics(others: Any) -> list[Metric]:
    if isinstance(others, Metric):
        return [others]
    found = []
    for other in others:
        if not isinstance(other, Metric):
            raise ArgumentError(f"others contains {shown(other)}, expected credence.torch.Metric")
        found.append(other)
    return found


def _matrix(preds: Tensor) -> Tensor:
    if not is_a(preds, Tensor):
        raise ArgumentError(f"preds is {shown(preds)}, expected a tensor")
    moved = preds.detach().cpu()
    return moved if moved.dim() == 1 else _rows.scores(moved)


def _vector(given: Tensor, name: str, expected: tuple[int, ...]) -> Tensor:
    if not is_a(given, Tensor):
        raise ArgumentError(f"{name} is {shown(given)}, expected a tensor")
    return _rows.column(given.detach().cpu(), name, expected)
