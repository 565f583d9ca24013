"""Predictions that the tests share: rows of a real network, and small ones made here."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "examples" / "wideresnet-16-4-cifar-10.npz"


def real(rows: int = 1000) -> tuple[Any, Any]:
    """Return probabilities (float32) and labels of the first rows of a network on CIFAR-10."""
    with np.load(FILE) as found:
        return found["predictions"][:rows], found["ground_truth"][:rows]


def logits(rows: int = 300, classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    """Return logits and labels of a made-up, overconfident model."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, rows)
    scores = random.normal(size=(rows, classes))
    scores[np.arange(rows), labels] += 1
    return 2.5 * scores, labels


def softmax(scores: Any) -> Any:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
