"""Neural Clamping: one perturbation of all inputs and a temperature, fitted on a frozen network."""
from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _inputs, _tables
from ._errors import ArgumentError, DataWarning, InputError, UsageError, shown
from ._forms import read_only

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from . import _network

    Singles = NDArray[np.float32]

Network = Callable[[Any], Any]


class Clamp:
    """A fitted perturbation and temperature; :func:`clamp` and :meth:`load` make one.

    The calibrated probabilities of a network f are ``softmax(f(x + delta) / temperature)``. It can be
    pickled.

    Attributes
    ----------
    delta : numpy.ndarray
        The perturbation, float32, in the shape of one input: read-only.
    temperature : float
        The temperature.
    interrupted : bool
        Ctrl-C ended the fit: this is the best so far.
    summary : dict
        How it was fitted: ``settings``, ``gamma``, ``lambda``, ``converged``, the ``candidates`` of
        lambda; and the quality (``accuracy``, ``ece``, ``aece``, ``sce``, ``nll``, ``entropy``) on
        the rows of the fit ``before``, ``scaled`` by a temperature alone, and ``after``. A file has
        no quality: it is NaN in a clamp that was loaded.
    """

    def __init__(self, core: _core.Clamp, summary: dict[str, Any] | None = None) -> None:
        self._core = _inputs.made(core, _core.Clamp, "credence.clamp and Clamp.load return clamps")
        self.summary: dict[str, Any] = dict(summary or core.describe())
        self.delta: Singles = read_only(self.summary["delta"])
        self.temperature: float = self.summary["temperature"]
        self.interrupted: bool = self.summary["interrupted"]

    @property
    def helps(self) -> bool:
        """Whether the perturbation is better than temperature scaling alone; otherwise delta is 0."""
        return bool(self.summary["delta_norm"] > 0)

    def verdict(self) -> str:
        """Return in a sentence whether the perturbation helps."""
        if not self.helps:
            return "delta does not help on this model: temperature scaling alone is as good"
        for each in self.summary["candidates"]:
            if each["lambda"] == self.summary["lambda"] and self.summary["select"] is None:
                return (f"delta helps on this model: the nll of rows that were left out is {-each['excess']:.2g} +- "
                        f"{each['error']:.1g} below temperature scaling")
        return "delta was fitted with a given or selected weight of its penalty"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write delta and temperature as JSON, for :meth:`load`, ``credence predict --clamp`` and ``credence export``.

        Parameters
        ----------
        path
            The file to write, whole or not at all.
        """
        _inputs.write(path, self._core.save())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Clamp:
        """Read a saved clamp; the quality on the rows of the fit is not in the file.

        Parameters
        ----------
        path
            A file of :meth:`save`, or of ``credence clamp``.
        """
        return cls(_core.Clamp.load(_inputs.read(path), _inputs.path_text(path)))

    def into(self, model: Any, *, tensor: str | None = None, logits: str | None = None) -> _network.Network:
        """Return a network with delta, temperature and softmax inside, as ``credence export --model`` writes it.

        It has two more outputs, ``probabilities`` and ``predicted``.

        Parameters
        ----------
        model
            The network that the clamp was fitted on: a :class:`credence.Network`, the path of an .onnx
            file, or its bytes.
        tensor
            The tensor that delta is added to; None: the one of the fit, else the only input.
        logits
            The tensor of the logits; None: the first output, or what its softmax reads.

        Returns
        -------
        Network

        Examples
        --------
        >>> import credence, numpy as np
        >>> net = credence.Network.build("mlp(hidden=4)", classes=3, shape=(2,), mode="input-gradient")
        >>> inputs = np.random.default_rng(0).normal(size=(60, 2))
        >>> clamp = credence.clamp(net, net.backward, inputs, np.arange(60) % 3, batch=60)
        >>> [port.name for port in clamp.into(net).outputs]
        ['logits', 'probabilities', 'predicted']
        """
        from . import _network
        return _network.Network(self._core.into(_network._opened(model, "model"), tensor, logits))

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self._core.save(), self.summary)

    def __repr__(self) -> str:
        about = self.summary
        state = "".join(f"; {word}" for word, holds in (("interrupted", self.interrupted),
                                                        ("not converged", not about["converged"])) if holds)
        return (f"<Clamp: |delta| {about['delta_norm']:.4g}, temperature {self.temperature:.6g}; "
                f"{about['classes']} classes{state}>")


def _unpickle(state: bytes, summary: dict[str, Any]) -> Clamp:
    return Clamp(_core.Clamp.load(state, "the pickled clamp"), summary)


class _Filled:
    """A function of one array as a function that fills a second one."""

    def __init__(self, function: Network, what: str) -> None:
        self.function = function
        self.what = what

    def __call__(self, given: Singles, out: Singles) -> None:
        _fill(out, self.function(given), self.what)


@_inputs.guarded
def _shape_of(found: Any, what: str) -> tuple[int, ...]:
    shape = getattr(found, "shape", None)
    if shape is None:
        raise ArgumentError(f"{what} is {shown(found)}, expected an array")
    return tuple(shape)


@_inputs.guarded
def _fill(out: Singles, found: Any, what: str) -> None:
    import numpy as np
    shape = _shape_of(found, what)
    if shape != out.shape:
        raise UsageError(f"{what} has the shape {shape}, expected {out.shape}")
    np.copyto(out, found, casting="same_kind")


@_inputs.guarded
def _samples(inputs: Any, what: str) -> tuple[Any, tuple[int, ...]]:
    """Return the inputs, as an array if they have no shape, and their shape."""
    import numpy as np
    given = _inputs.array(inputs, what)
    if getattr(given, "shape", None) is None:
        given = np.asarray(given, dtype=np.float32)
    shape = _shape_of(given, what)
    if len(shape) < 2 or 0 in shape:
        raise UsageError(f"{what} have the shape {shape}, expected at least one row, and an array for each row")
    return given, shape


@_inputs.guarded
def _first(given: Any, rows: int, what: str) -> Singles:
    """Return the first rows as a batch."""
    import numpy as np
    found = np.asarray(given[:rows])
    if found.dtype.kind not in "fiub":
        raise InputError(f"{what} cannot be read as an array of numbers: their elements are {found.dtype}")
    return np.ascontiguousarray(found, dtype=np.float32)


def _are_probabilities(logits: Any) -> bool:
    import numpy as np
    return (isinstance(logits, np.ndarray) and bool((logits >= 0).all())
            and np.allclose(logits.sum(axis=1), 1, atol=1e-3))


@_tables.documented(settings="clamp-settings")
def clamp(run: Network, backward: Network, inputs: Any, labels: Any, *, weights: Any = None, groups: Any = None,
          batch: int = 128, settings: str | Mapping[str, object] | None = None, recipe: str | None = None,
          augment: str | None = None, select: str | None = None, name: str | None = None, threads: int = 0,
          seed: int = 0, progress: _inputs.Progress = None) -> Clamp:
    """Fit Neural Clamping on a network given by two functions, of any framework.

    The network is frozen: a perturbation of its inputs and a temperature are fitted. Ctrl-C ends the
    fit and keeps the best so far. An exception of the functions ends it, and is raised.

    Parameters
    ----------
    run
        Returns the logits, (rows, classes), of a batch of inputs.
    backward
        Returns the gradient with respect to the inputs of the last ``run``, given the gradient with
        respect to its logits. It may be called again for the same batch.
    inputs
        One array, (rows, ...), of labelled data that the network was not trained on; batches are
        float32. The arrays that the functions get are used again for later batches: copy what you
        keep.
    labels
        The true classes, indices.
    weights, groups
        Of the rows; groups (patients) are integers, and stay together in cross-validation.
    batch
        Rows of a batch; the last one is padded.
    settings
        Such as ``{"gamma": 1, "lambda": 0.1}``:

        {settings}
    recipe
        Settings of a publication: ``paper`` or ``reference``.
    augment
        Random transformations of images in mini-batches: ``"crop(pad=4) + flip"``.
    select
        Choose gamma by the expected calibration error: ``held-out`` or ``in-sample``.
    name
        Of the network, for error messages.
    threads, seed, progress
        Threads (0: all), seed of random numbers, a function of (stage, done, total) or True.

    Returns
    -------
    Clamp

    Examples
    --------
    A linear network of two classes, whose logits are 10 times too large:

    >>> import credence, numpy as np
    >>> random = np.random.default_rng(0)
    >>> labels = np.arange(400) % 2
    >>> inputs = random.normal(size=(400, 2)) + np.stack([labels, -labels], axis=1)
    >>> weights = np.float32([[-5, 5], [5, -5]])
    >>> clamp = credence.clamp(lambda x: x @ weights, lambda gradient: gradient @ weights.T, inputs, labels)
    >>> clamp.delta.shape, clamp.temperature > 5
    ((2,), True)
    """
    for name_, function in (("run", run), ("backward", backward)):
        if not callable(function):
            raise ArgumentError(f"{name_} is {shown(function)}, expected a function of an array")
    given, shape = _samples(inputs, "inputs")
    rows = min(_inputs.whole(batch, "batch"), shape[0])
    if rows < 1:
        raise UsageError(f"batch is {batch}, allowed are 1 and more")
    logits = run(_first(given, rows, "inputs"))
    found = _shape_of(logits, "the array of logits")
    if len(found) != 2 or found[0] != rows:
        raise UsageError(f"the logits of a batch of {rows} rows have the shape {found}, expected ({rows}, classes)")
    if _are_probabilities(logits):
        warnings.warn("the network's outputs look like probabilities: none is below 0, and rows sum to 1; a temperature "
                      "divides logits, so leave out its softmax", DataWarning, stacklevel=2)
    core, stopped = _core.Clamp.fit(
        _Filled(run, "the array of logits"), _Filled(backward, "the gradient with respect to the inputs"),
        inputs=given, labels=_inputs.array(labels, "labels"), weights=_inputs.array(weights, "weights"),
        groups=_inputs.array(groups, "groups"), batch=rows, classes=found[1], settings=_inputs.settings(settings),
        recipe=recipe, augment=augment, select=select, name=name, threads=threads, seed=seed,
        progress=_inputs.progress(progress))
    summary = core.describe()
    summary["interrupted"] = summary["interrupted"] or stopped
    return Clamp(core, summary)
