"""What is known of networks: ports, parameters, surveys, checks of gradients, predictions."""
from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._result import Result

    Array = NDArray[Any]


@dataclasses.dataclass(frozen=True)
class Port:
    """An input or an output of a model.

    Attributes
    ----------
    name : str
        As in the file.
    dtype : str
        As NumPy calls it; ``bfloat16`` is given and returned as float32.
    shape : tuple[int | None, ...] | None
        None for free dimensions; None: unknown.
    """

    name: str
    dtype: str
    shape: tuple[int | None, ...] | None


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a network in training mode: arrays over the network's own memory.

    Attributes
    ----------
    name : str
        As in the file.
    value : numpy.ndarray
        What is written here takes effect in the next run.
    gradient : numpy.ndarray | None
        The sum over the backward passes since the last :meth:`Network.clear_gradients`; None: a running
        statistic, which runs update.
    """

    name: str
    value: Array
    gradient: Array | None


@dataclasses.dataclass(frozen=True)
class Node:
    """A node of a model: its cost, and why it cannot be run."""

    name: str
    operation: str
    shape: tuple[int, ...] | None
    dtype: str | None
    parameters: int
    flops: int
    problem: str | None
    behind: bool


@dataclasses.dataclass(frozen=True)
class Cause:
    """A problem that nodes have in common."""

    problem: str
    nodes: int
    first: int


@dataclasses.dataclass(frozen=True)
class Survey:
    """Structure and requirements of a model, even of one that cannot be run.

    Attributes
    ----------
    runs : bool
        Whether it can be run.
    ir, opset : int
        Versions of the format and of the operators.
    producer : str
        The program that wrote it.
    batch : int
        For which shapes and costs hold.
    parameters, flops : int
        Number of weights; multiplications and additions for the whole batch.
    weight_bytes, memory_bytes : int
        Of weights in the file, and of intermediate tensors during a run.
    operators : Mapping[str, int]
        How often each occurs.
    causes : list[Cause]
        Why it does not run, each once.
    problem : str | None
        Why it cannot be compiled although each node can.
    note : str | None
        What is worth knowing.
    nodes : list[Node]
        All nodes.
    """

    ir: int
    opset: int
    producer: str | None
    batch: int
    problem_count: int
    behind_count: int
    parameters: int
    flops: int
    weight_bytes: int
    memory_bytes: int
    problem: str | None
    convolutions: int
    batch_norms: int
    note: str | None
    causes: list[Cause]
    nodes: list[Node]

    @property
    def runs(self) -> bool:
        return not self.causes and self.problem is None

    @property
    def operators(self) -> Mapping[str, int]:
        return MappingProxyType(collections.Counter(node.operation for node in self.nodes))

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in self.operators.items())
        lines = [f"<Survey: {len(self.nodes)} nodes ({counts}); {self.parameters} parameters, {self.flops} flops for "
                 f"a batch of {self.batch}" + ("; it runs>" if self.runs else "; it does not run:")]
        lines += [f"  {cause.problem} ({cause.nodes} node{'s' * (cause.nodes != 1)})" for cause in self.causes]
        lines += [f"  {self.problem}"] if self.problem else []
        return "\n".join(lines) + ("" if self.runs else ">")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Gradients compared with finite differences along random directions.

    Attributes
    ----------
    verdict : str
        ``right``, ``wrong`` or ``undecided``: rounding and kinks hide smaller errors.
    error, limit : float
        Relative error over all directions, and its upper limit.
    crossed, unsure, failed : int
        Directions with kinks, those too doubtful to tell, and those with an error.
    worst : int
        The direction with the largest error.
    directions : list[dict[str, float]]
        Each: backward, difference, error, doubt, step.
    """

    verdict: str
    error: float
    limit: float
    crossed: int
    unsure: int
    failed: int
    worst: int
    directions: list[dict[str, float]]

    def __repr__(self) -> str:
        return f"<Verdict {self.verdict!r}: error {self.error:.2g}, at most {self.limit:.2g}>"


@dataclasses.dataclass(frozen=True)
class GradientCheck:
    """The check of a network's gradients with respect to inputs and parameters; None: there are none."""

    inputs: Verdict | None
    parameters: Verdict | None

    @property
    def verdict(self) -> str:
        """``wrong`` if one of them is, else ``undecided`` if one is, else ``right``."""
        found = {each.verdict for each in (self.inputs, self.parameters) if each}
        return next((word for word in ("wrong", "undecided") if word in found), "right")


@dataclasses.dataclass(frozen=True)
class Predicted:
    """Predictions of a network on data, with what belongs to the rows.

    Attributes
    ----------
    scores : numpy.ndarray
        (rows, classes).
    kind : str
        ``logits``, ``probabilities``, or ``scores`` of class 1.
    labels, weights, groups, indices, features : numpy.ndarray | None
        Of the rows, if the data have them.
    confidence, predicted : numpy.ndarray | None
        Of a network with a confidence head.
    class_names : list[str] | None
        Of the columns.
    """

    scores: Array
    kind: str
    labels: Array | None = None
    weights: Array | None = None
    groups: Array | None = None
    indices: Array | None = None
    features: Array | None = None
    confidence: Array | None = None
    predicted: Array | None = None
    class_names: list[str] | None = None

    def evaluate(self, **options: Any) -> Result:
        """Evaluate these predictions; ``options`` are those of :func:`credence.evaluate`.

        Parameters
        ----------
        **options
            Those of :func:`credence.evaluate`.
        """
        from ._evaluate import evaluate
        given: dict[str, Any] = {
            "weights": self.weights, "groups": self.groups, "class_names": self.class_names,
            "confidence": self.confidence, "predicted": self.predicted,
            "input": self.kind if self.kind in ("logits", "probabilities") else "auto", **options}
        return evaluate(self.scores, self.labels, **given)
