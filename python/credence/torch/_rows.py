"""Scores of any rank as rows of classes."""
from __future__ import annotations

import torch

from .._errors import UsageError


def scores(given: torch.Tensor) -> torch.Tensor:
    """Return scores with the classes in dimension 1, as PyTorch's losses take them, as a matrix."""
    if not given.dim():
        raise UsageError("the scores have no dimensions, expected (rows, classes), or (rows, classes, ...)")
    if given.dim() == 1:
        return given.unsqueeze(0)
    if given.dim() <= 2:
        return given
    return given.movedim(1, -1).reshape(-1, given.shape[1])


def several(logits: torch.Tensor) -> torch.Tensor:
    """Return logits of several classes; a single one, as of a network for binary cross-entropy, is refused."""
    if logits.dim() > 1 and logits.shape[1] == 1:
        raise UsageError(f"the logits have the shape {tuple(logits.shape)}, expected those of all classes; of the "
                         "logit of class 1 alone, torch.nn.functional.pad(logits, (1, 0)) makes both")
    return logits


def column(given: torch.Tensor, name: str, expected: tuple[int, ...]) -> torch.Tensor:
    """Return one number a row as a vector. The shape `expected` lacks the dimension of the classes; one of 1 may stand
    there. Nothing else is taken: as many numbers in another shape have another order."""
    if given.shape not in (expected, (*expected[:1], 1, *expected[1:])):
        raise UsageError(f"the shape of {name} is {tuple(given.shape)}, expected {tuple(expected)}")
    return given.reshape(-1)


def without_classes(like: torch.Tensor) -> tuple[int, ...]:
    """Return the shape of class indices, as PyTorch's losses take them; `like` are the scores as given."""
    return like.shape[:1] + like.shape[2:] if like.dim() > 1 else torch.Size([])


def targets(given: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Return class indices or class probabilities as rows; `like` are the scores as given."""
    if given.shape == like.shape and like.dim() > 1:
        return scores(given)
    expected = without_classes(like)
    if given.shape != expected and (like.dim() != 1 or given.shape != like.shape):
        raise UsageError(f"targets have the shape {tuple(given.shape)}, expected {tuple(expected)} class indices or "
                         f"{tuple(like.shape)} class probabilities")
    return given.reshape(1, -1) if like.dim() == 1 and given.dim() == 1 else given.reshape(-1)
