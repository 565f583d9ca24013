"""Calibrators as modules: the operations of a fitted map, in PyTorch."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import torch

from .._calibrator import Calibrator
from .._errors import ArgumentError, UsageError, shown
from .._inputs import is_a

Tensor = torch.Tensor
Parts = list[list[float]]
Tables = dict[str, Any]


# ---- Piecewise linear functions: number, value + slope (q - at) between knots.

def _segments_of_steps(a: list[float], b: list[float]) -> tuple[list[float], list[list[float]]]:
    return a, [[0.0, value, 0.0] for value in b]


def _segments_of_lines(a: list[float], b: list[float]) -> tuple[list[float], list[list[float]]]:
    return a, [[0.0, b[0], 0.0], *_between(a, b), [0.0, b[-1], 0.0]]


def _segments_of_bent(a: list[float], b: list[float]) -> tuple[list[float], list[list[float]]]:
    return a[1:-1], _between(a, b)


def _between(a: list[float], b: list[float]) -> list[list[float]]:
    return [[a[i], b[i], (b[i + 1] - b[i]) / (a[i + 1] - a[i]) if a[i + 1] > a[i] else 0.0] for i in range(len(a) - 1)]


def _searched(segments: Callable[[list[float], list[float]], tuple[list[float], list[list[float]]]],
              ) -> Callable[[Parts, Parts], Tables]:
    """Return a function that lays out the segments of all parts for a binary search: 2^n of each."""
    def tables(a: Parts, b: Parts) -> Tables:
        found = [segments(*part) for part in zip(a, b)]
        depth = max(len(knots) for knots, _ in found).bit_length()
        size = 1 << depth
        return {"depth": depth,
                "knots": _doubles([knots + [float("inf")] * (size - len(knots)) for knots, _ in found]).reshape(-1),
                "lines": _doubles([lines + lines[-1:] * (size - len(lines)) for _, lines in found]).reshape(-1, 3),
                "first": torch.arange(len(found)) * size}
    return tables


def _follow(t: Any, q: Tensor) -> Tensor:
    """Apply a piecewise linear function. The search is made of operations that ONNX has."""
    below = t.first.expand(q.shape)
    for level in reversed(range(t.depth)):
        below = below + (1 << level) * (t.knots[below + ((1 << level) - 1)] < q)
    at, value, slope = t.lines[below].unbind(-1)
    found: Tensor = value + slope * (q.clamp(-1e30, 1e30) - at)
    return found


# ---- The operations: the library's names, with the tables of a step t, and what it computes from them.

def _doubles(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def _plain(a: Parts, b: Parts) -> Tables:
    return {"a": _doubles(a), "b": _doubles(b)}


def _square(a: Parts, b: Parts) -> Tables:
    return {"a": _doubles(a[0]).reshape(len(b[0]), len(b[0])), "b": _doubles(b[0])}


def _mix(t: Any, x: Tensor) -> Tensor:
    parts = torch.softmax(x.unsqueeze(-2) * t.b.reshape(-1, 1), dim=-1)
    mixed: Tensor = (parts * t.a.reshape(-1, 1)).sum(dim=-2)
    return mixed


def _softplus(s: Tensor) -> Tensor:
    """Return log(1 + exp s), of operations that ONNX Runtime has in float64."""
    rises = s > 0
    return torch.where(rises, s, torch.zeros_like(s)) + torch.log1p(torch.exp(torch.where(rises, -s, s)))


def _beta(t: Any, s: Tensor) -> Tensor:
    return torch.sigmoid(t.a[:, 1] * _softplus(s) - t.a[:, 0] * _softplus(-s) + t.a[:, 2])


_OPERATIONS: dict[str, tuple[Callable[[Parts, Parts], Tables], Callable[[Any, Tensor], Any]]] = {
    "scale": (_plain, lambda t, x: t.a[0] * x),
    "diagonal": (_plain, lambda t, x: t.a[0] * x + t.b[0]),
    "affine": (_square, lambda t, x: x @ t.a.T + t.b),
    "bent": (_searched(_segments_of_bent), _follow),
    "softmax": (_plain, lambda t, x: torch.softmax(x, dim=-1)),
    "mix": (_plain, _mix),
    "log": (_plain, lambda t, x: torch.log(x)),
    "odds": (_plain, lambda t, s: s),
    "logistic": (_plain, lambda t, s: torch.sigmoid(t.a[:, 0] * s + t.a[:, 1])),
    "beta": (_plain, _beta),
    "steps": (_searched(_segments_of_steps), _follow),
    "lines": (_searched(_segments_of_lines), lambda t, q: _follow(t, q).clamp(0.0, 1.0)),
}


class _Step(torch.nn.Module):
    def __init__(self, op: str, a: Parts, b: Parts) -> None:
        super().__init__()
        self.op = op
        for name, table in _OPERATIONS[op][0](a, b).items():
            if isinstance(table, Tensor):
                self.register_buffer(name, table)
            else:
                setattr(self, name, table)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = _OPERATIONS[self.op][1](self, x)
        return found

    def extra_repr(self) -> str:
        return self.op


# ---- From scores to logits.

def _from_logits(floor: Tensor, given: Tensor) -> Tensor:
    return given


def _log(p: Tensor, floor: Tensor) -> Tensor:
    """Return log p, at least `floor`, of which the power may be 0: 1e-300 is not a number of float32."""
    low = p <= torch.exp(floor)
    return torch.where(low, floor, torch.log(torch.where(low, torch.ones_like(p), p)))


def _from_probabilities(floor: Tensor, given: Tensor) -> Tensor:
    return torch.log_softmax(_log(torch.where(given > 1.000001, torch.ones_like(given), given), floor), dim=-1)


def _from_confidence(floor: Tensor, given: Tensor) -> Tensor:
    wrong, right = floor.unbind()
    c = torch.minimum(torch.maximum(given, torch.exp(right)), 1.0 - torch.exp(wrong))
    return torch.stack([_log(1.0 - c, wrong), _log(c, right)], dim=-1)


_INPUTS = {"logits": _from_logits, "probabilities": _from_probabilities, "confidence": _from_confidence}


def _of_two(input: str, scores: Tensor) -> Tensor:
    """Return the scores of two classes, given that of class 1."""
    other = torch.zeros_like(scores) if input == "logits" else 1.0 - scores
    return torch.cat([other, scores], dim=-1)


# ---- Events: the probability of one class, or of the predicted one, extended to the row.

class _Row:
    """Logits with what all events need of them; 1 - p is never formed."""

    def __init__(self, x: Tensor) -> None:
        largest = x.max(dim=-1, keepdim=True).values
        top = x.argmax(dim=-1, keepdim=True)
        self.is_top = torch.arange(x.shape[-1], device=x.device) == top
        others = torch.where(self.is_top, torch.full_like(x, float("-inf")), x)
        second = others.max(dim=-1, keepdim=True).values
        self.others = torch.softmax(others, dim=-1)
        rest = second - largest + torch.log(torch.exp(others - second).sum(dim=-1, keepdim=True))
        lead = torch.where(self.is_top, torch.zeros_like(x), torch.exp(x - largest))
        self.top_odds = -rest
        self.odds = torch.where(self.is_top, -rest, x - largest - torch.log(1.0 + torch.exp(rest) - lead))


def _shares(q: Tensor) -> Tensor:
    total = q.sum(dim=-1, keepdim=True)
    none = total == 0.0  # false for NaN, which stays NaN
    return torch.where(none, torch.full_like(q, 1.0 / q.shape[-1]), q / torch.where(none, torch.ones_like(total), total))


class _Map(torch.nn.Module):
    """A fitted map: the export `json` of a calibrator, computed in the type of its tables."""

    floor: Tensor

    def __init__(self, about: dict[str, Any]) -> None:
        super().__init__()
        self.input: str = about["input"]
        self.classes: int = about["classes"]
        self.normalise: bool = about["normalise"]
        self.reach: str = about["reach"]
        first, others = about["floor"]
        count = 2 if self.input == "confidence" else self.classes
        self.register_buffer("floor", torch.log(_doubles([first] + [others] * (count - 1))))
        self.steps = torch.nn.ModuleList(_Step(**step) for step in about["steps"])

    def forward(self, given: Tensor) -> Tensor:
        scores = given.to(self.floor.dtype)
        if self.of_one(given.shape):
            scores = _of_two(self.input, scores)
        x = _INPUTS[self.input](self.floor, scores)
        if self.normalise:
            x = torch.log_softmax(x, dim=-1)
        x = self._rows(x) if self.reach == "rows" else self._events(_Row(x))
        dtype = given.dtype if given.is_floating_point() else torch.get_default_dtype()
        return (x[..., 1] if self.input == "confidence" else x).to(dtype)

    def _apply(self, fn: Callable[[Tensor], Tensor], *more: Any, **named: Any) -> _Map:
        """Convert the tables, of floating point to float32 at least: half precision has neither their range nor
        their digits."""
        def wide(table: Tensor) -> Tensor:
            found = fn(table)
            least = torch.promote_types(found.dtype, torch.float32) if table.is_floating_point() else table.dtype
            return found if found.dtype == least else table.to(found.device, least)
        convert: Any = super()._apply  # without types in some releases of PyTorch
        convert(wide, *more, **named)
        return self

    def of_one(self, shape: torch.Size) -> bool:
        """Return whether scores of this shape are those of class 1 alone."""
        return self.classes == 2 and self.input != "confidence" and shape[-1:] == (1,)

    def _rows(self, x: Tensor) -> Tensor:
        for step in self.steps:
            x = step(x)
        return x

    def _event(self, s: Tensor) -> Tensor:
        over_odds = self.steps[0].op in ("odds", "logistic", "beta")
        return self._rows(s if over_odds else torch.sigmoid(s))

    def _events(self, row: _Row) -> Tensor:
        if self.reach == "top-event":
            q = self._event(row.top_odds)
            return torch.where(row.is_top, q, (1.0 - q) * row.others)
        if self.reach == "all-events" and self.classes == 2:
            q = self._event(row.odds[..., 1:])
            return torch.cat([1.0 - q, q], dim=-1)
        return _shares(self._event(row.odds))

    def extra_repr(self) -> str:
        return f"{self.classes} classes, from {self.input}"


class CalibratedModel(torch.nn.Module):
    """A classifier with a fitted calibrator behind it; its output are calibrated probabilities.

    The calibrator runs as operations of PyTorch, so that the module runs on any device, has
    gradients, and is exported by ``torch.onnx.export``. They are computed in float64, in which they
    agree with the calibrator; ``float()`` makes them float32, for devices without float64, and so do
    ``half()`` and ``bfloat16()``. The result has the type of the model's output; that of integers is
    of PyTorch's default type.

    Parameters
    ----------
    model
        Any module; its output (or the attribute ``logits`` of that) are scores of the kind that the
        calibrator was fitted on, classes last. One score a row, (rows, 1), is that of class 1 of two;
        the result has both classes.
    calibrator
        A fitted calibrator. Those that keep the rows of the fit, such as ``density-ratio``, have no
        formula, and are refused.
    """

    def __init__(self, model: torch.nn.Module, calibrator: Calibrator) -> None:
        super().__init__()
        if not is_a(calibrator, Calibrator):
            raise ArgumentError(f"calibrator is {shown(calibrator)}, expected a credence.Calibrator")
        self.model = model
        self.calibrate = _Map(json.loads(calibrator._core.export("json")))
        self.calibrator = calibrator

    def forward(self, x: Any = None, *more: Any, **named: Any) -> Tensor:
        """Return calibrated probabilities of the model's output.

        Parameters
        ----------
        x, more, named
            The model's arguments.
        """
        first = () if x is None else (x,)
        scores = scores_of(self.model(*first, *more, **named))
        classes = self.calibrate.classes
        fits = self.calibrate.input == "confidence" or scores.shape[-1:] == (classes,)
        if not fits and not self.calibrate.of_one(scores.shape) and not torch.onnx.is_in_onnx_export():
            raise UsageError(f"the model's output has the shape {tuple(scores.shape)}, and the calibrator {classes} "
                             "classes, which must be the last dimension"
                             + (", or (rows, 1), the score of class 1" if classes == 2 else ""))
        probabilities: Tensor = self.calibrate(scores)
        return probabilities

    def extra_repr(self) -> str:
        return repr(self.calibrator)


def scores_of(output: Any) -> Tensor:
    """Return the scores of a model's output: a tensor, or the member `logits` of a named output."""
    scores = getattr(output, "logits", output)
    if not isinstance(scores, Tensor):
        raise ArgumentError(f"the model's output is of the type {type(output).__name__}, expected a tensor of scores, "
                            "or an object whose member logits is one")
    return scores
