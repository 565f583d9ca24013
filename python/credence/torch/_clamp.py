"""Neural Clamping of modules."""
from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Dataset, IterableDataset

from .. import _clamp, _inputs
from .._errors import ArgumentError, UsageError, shown
from . import _rows
from ._calibrated import scores_of

if TYPE_CHECKING:
    from .._clamp import Singles

Tensor = torch.Tensor


class ClampedModel(torch.nn.Module):
    """A model with a fitted perturbation and temperature: ``softmax(model(x + delta) / temperature)``.

    Attributes
    ----------
    clamp : credence.Clamp
        What was fitted: ``summary``, ``verdict()``.
    """

    delta: Tensor
    temperature: Tensor

    def __init__(self, model: torch.nn.Module, clamp: _clamp.Clamp) -> None:
        super().__init__()
        if not _inputs.is_a(clamp, _clamp.Clamp):
            raise ArgumentError(f"clamp is {shown(clamp)}, expected a credence.Clamp")
        if clamp.summary["tensor"] is not None:
            raise UsageError(f"this clamp adds its perturbation to the tensor {clamp.summary['tensor']!r} inside an "
                             "ONNX model, and not to the input")
        self.model = model
        self.clamp = clamp
        self.register_buffer("delta", torch.from_numpy(clamp.delta.copy()))
        self.register_buffer("temperature", torch.tensor(clamp.temperature, dtype=torch.float32))
        where = next((p.device for p in model.parameters()), torch.device("cpu"))
        self.to(where)

    def logits(self, x: Tensor) -> Tensor:
        """Return the scaled logits.

        Parameters
        ----------
        x
            A batch of inputs; integers, such as pixels, become floating point.
        """
        delta = self.delta.to(x.dtype) if x.is_floating_point() else self.delta  # an integer has no fractions
        return scores_of(self.model(x + delta)) / self.temperature

    def forward(self, x: Tensor) -> Tensor:
        """Return calibrated probabilities.

        Parameters
        ----------
        x
            A batch of inputs.
        """
        return torch.softmax(self.logits(x), dim=-1)

    @property
    def summary(self) -> dict[str, Any]:
        """How it was fitted, and the quality before and after; see :class:`credence.Clamp`."""
        return self.clamp.summary

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write delta and temperature as JSON, for :meth:`load`, ``credence predict --clamp`` and ``credence export``.

        Parameters
        ----------
        path
            The file to write, whole or not at all.
        """
        self.clamp.save(path)

    @classmethod
    def load(cls, model: torch.nn.Module, path: str | os.PathLike[str]) -> ClampedModel:
        """Read a saved clamp for the same model.

        Parameters
        ----------
        model
            The module that it was fitted on.
        path
            A file of :meth:`save`, or of ``credence clamp``.
        """
        return cls(model, _clamp.Clamp.load(path))

    def extra_repr(self) -> str:
        return repr(self.clamp)


@contextlib.contextmanager
def _frozen(model: torch.nn.Module) -> Iterator[None]:
    """Evaluation mode without gradients of parameters; afterwards everything is as before."""
    training = [(module, module.training) for module in model.modules()]
    parameters = [(p, p.requires_grad) for p in model.parameters()]
    try:
        model.eval()
        for p, _ in parameters:
            p.requires_grad_(False)
        yield
    finally:
        for module, was in training:
            module.training = was
        for p, needed in parameters:
            p.requires_grad_(needed)


class _Network:
    """A module as two functions of arrays."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.model = model
        first = next((p for p in model.parameters() if p.is_floating_point()), torch.zeros(()))
        self.device, self.dtype = first.device, first.dtype
        self.inputs: Tensor | None = None
        self.logits: Tensor | None = None

    def run(self, inputs: Singles) -> Singles:
        self.inputs = self.logits = None  # frees the graph of the last batch
        with torch.enable_grad():
            x = torch.from_numpy(inputs).to(self.device, self.dtype).requires_grad_()
            logits = _rows.several(scores_of(self.model(x)))
        self.inputs, self.logits = x, logits
        return _array(logits)

    def backward(self, gradient: Singles) -> Singles:
        if self.inputs is None or self.logits is None:
            raise UsageError("the network was not run")
        upstream = torch.from_numpy(gradient).to(self.logits)
        # The graph stays: after Ctrl-C the same batch comes again.
        found, = torch.autograd.grad(self.logits, self.inputs, upstream, retain_graph=True)
        return _array(found)


def _array(tensor: Tensor) -> Singles:
    found: Singles = tensor.detach().to("cpu", torch.float32).numpy()
    return found


def _read(loader: Iterable[Any]) -> tuple[Tensor, Tensor, Tensor | None]:
    """Read all batches, (inputs, labels) or (inputs, labels, weights)."""
    columns: tuple[list[Tensor], ...] = ([], [], [])
    samples = isinstance(loader, Dataset) and not isinstance(loader, IterableDataset)  # the latter may have batches
    if isinstance(loader, (tuple, list)) and len(loader) in (2, 3) and all(isinstance(t, Tensor) for t in loader):
        loader = [loader]
    for batch in loader:
        if not isinstance(batch, (tuple, list)) or len(batch) not in (2, 3):
            raise ArgumentError(f"a batch is of the type {type(batch).__name__}, expected (inputs, labels) or (inputs, "
                                "labels, weights)")
        if samples or not torch.as_tensor(batch[1]).dim():
            raise ArgumentError(f"the loader, of the type {type(loader).__name__}, yields single samples, expected "
                                "batches: pass torch.utils.data.DataLoader(dataset, batch_size=128)")
        for column, tensor in zip(columns, batch):
            column.append(torch.as_tensor(tensor).detach().cpu())
    if not columns[0]:
        raise UsageError("the loader has no batches")
    inputs, labels, weights = columns
    if labels[0].dim() > 1 and labels[0][0].numel() > 1:
        raise ArgumentError(f"labels of a batch have the shape {tuple(labels[0].shape)}, expected class indices: one-hot "
                            "rows are made such by labels.argmax(1)")
    return torch.cat(inputs).float(), torch.cat(labels).reshape(-1), torch.cat(weights).reshape(-1) if weights else None


def clamp(model: torch.nn.Module, loader: Iterable[Any], *, groups: Any = None, batch: int = 128,
          settings: str | Mapping[str, object] | None = None, recipe: str | None = None, augment: str | None = None,
          select: str | None = None, threads: int = 0, seed: int = 0,
          progress: _inputs.Progress = None) -> ClampedModel:
    """Fit Neural Clamping: a perturbation of all inputs and a temperature, for a frozen model.

    The model runs in evaluation mode on its own device; afterwards its modes and its parameters are
    as before. Ctrl-C ends the fit and keeps the best so far (``clamped.clamp.interrupted``). An
    exception of the model ends it, and is raised.

    Parameters
    ----------
    model
        Any module whose output are logits, (rows, classes).
    loader
        Batches (inputs, labels), or (inputs, labels, weights), of data that the model was not trained
        on; or these tensors. Read once, into memory.
    groups, batch, settings, recipe, augment, select, threads, seed, progress
        As in :func:`credence.clamp`.

    Returns
    -------
    ClampedModel
    """
    inputs, labels, weights = _read(loader)
    network = _Network(model)
    with _frozen(model):
        found = _clamp.clamp(network.run, network.backward, inputs, labels, weights=weights, groups=groups, batch=batch,
                             settings=settings, recipe=recipe, augment=augment, select=select,
                             name=type(model).__name__, threads=threads, seed=seed, progress=progress)
    return ClampedModel(model, found)
