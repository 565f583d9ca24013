"""Networks: ONNX models that run, are differentiated, surveyed and checked."""
from __future__ import annotations

import collections
import itertools
import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _core, _dataset, _inputs
from ._errors import ArgumentError, InputError, UsageError, shown
from ._survey import Cause, GradientCheck, Node, Parameter, Port, Predicted, Survey, Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

BATCH = 128
"""Rows of a batch where neither the model nor the caller fixes it, as in the program."""

_DTYPES = {"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32",
           "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool",
           "bf16": "bfloat16"}
_COMPILED_MAX = 8  # networks that are kept, for batches of different sizes


class Network:
    """A network: an ONNX model that runs on arrays, with gradients.

    Parameters
    ----------
    model
        The path of an .onnx file, or its bytes.
    batch
        Rows of a batch; None: the model's own, else at most 128. More rows are run in several batches.
        In training mode every call takes exactly this number of rows.
    mode
        ``inference``; ``input-gradient``, which runs as :meth:`gradient` does; or ``training``: gradients
        with respect to the parameters too, batch statistics and dropout.
    parameters_only
        In training mode: no gradients with respect to the inputs.
    winograd
        Allow Winograd convolutions: faster, less accurate.
    threads
        Threads; 0: all. The last bits of outputs depend on it.
    seed
        Of dropout.

    Attributes
    ----------
    inputs, outputs : list[Port]
        Of the model.
    metadata : Mapping[str, str]
        Of the file.
    class_names : list[str]
        Those of its training data, if the file names them.

    Notes
    -----
    Shapes are compiled when they occur first: calls with batches of the same size compile nothing. Rows
    that have the model's type are used where they are; others are converted batch by batch. Several
    threads may call a network: batches run one at a time. The outputs are those of ``credence net run``
    with the same number of threads.

    Examples
    --------
    >>> import credence, numpy as np
    >>> net = credence.Network.build("mlp(hidden=8)", classes=3, shape=(4,))
    >>> net(np.zeros((1000, 4), np.float32)).shape
    (1000, 3)
    >>> net.gradient(np.zeros((5, 4), np.float32), np.ones((5, 3), np.float32)).shape
    (5, 4)
    """

    def __init__(self, model: str | os.PathLike[str] | bytes | _core.Model, *, batch: int | None = None,
                 mode: str = "inference", parameters_only: bool = False, winograd: bool = False, threads: int = 0,
                 seed: int = 0) -> None:
        if not any(_inputs.is_word(mode, known) for known in ("inference", "input-gradient", "training")):
            raise UsageError(f"mode is {shown(mode)}, allowed are: inference input-gradient training")
        self._model = _opened(model, "model")
        about = self._model.describe()
        self.inputs = [Port(port["name"], _DTYPES[port["dtype"]], port["shape"]) for port in about["inputs"]]
        self.outputs = [Port(port["name"], _DTYPES[port["dtype"]], port["shape"]) for port in about["outputs"]]
        self.metadata: Mapping[str, str] = MappingProxyType(about["metadata"])
        self.mode = mode
        self.threads = threads
        self._batch = None if batch is None else _inputs.whole(batch, "batch")
        if self._batch is not None and self._batch < 1:
            raise UsageError(f"batch is {shown(batch)}, allowed are numbers from 1 on")
        self._seed = seed
        self._options = {"winograd": winograd, "parameters_only": parameters_only,
                         "wide_outputs": any(port.dtype == "bfloat16" for port in self.outputs)}
        self._compiled: collections.OrderedDict[tuple[Any, ...], _core.Network] = collections.OrderedDict()
        self._locks: dict[int, threading.Lock] = {}  # by process: in a child, a thread of the parent may hold it
        self._training: _core.Network | None = None
        self._last: tuple[_core.Network, int] | None = None

    @classmethod
    def build(cls, network: str, *, classes: int, shape: Sequence[int], words: int = 0, seed: int = 0,
              **options: Any) -> Network:
        """Build a network with initial weights.

        Parameters
        ----------
        network
            A name of :func:`credence.architectures`, with settings: ``"wrn(depth=16,width=4)"``.
        classes
            Number of classes.
        shape
            Of one sample: (channels, height, width) for images.
        words
            Texts: number of different tokens.
        seed
            Of the weights.
        **options
            Those of :class:`Network`.
        """
        core = _core.Model.build(network, _dims(shape), classes=classes, words=words, seed=seed)
        return cls(core, seed=seed, **options)

    # ---- Running.

    def __call__(self, *inputs: Any, output: str | None = None) -> Any:
        """Run the network on rows.

        Parameters
        ----------
        *inputs
            One array for each input, in order, with the same number of rows: NumPy, PyTorch or JAX on the
            CPU, without a copy if they have the model's type; or lists.
        output
            The name of the output to return; None: the only one.

        Returns
        -------
        numpy.ndarray | dict[str, numpy.ndarray]
            A dict by name if the model has several outputs and none is chosen.
        """
        arrays, rows = self._take(inputs)
        names = [port.name for port in self.outputs]
        if output is not None and not any(_inputs.is_word(output, name) for name in names):
            raise UsageError(f"no output is called {shown(output)}; the model has: {' '.join(names)}")
        found = self._forward(arrays, rows, [output in (None, name) for name in names])
        if output is not None or len(names) == 1:
            return next(array for array in found if array is not None)
        return dict(zip(names, found))

    run = __call__

    def _forward(self, arrays: list[Array], rows: int, wanted: list[bool]) -> list[Array | None]:
        size = self._size(rows)
        network = self._network(self.mode, size, arrays)
        found: list[Array | None] = []
        for want, port, (dtype, shape) in zip(wanted, self.outputs, network.shapes()[1]):
            per_row = len(shape) > 0 and shape[0] == size
            if want and not per_row and rows != size:
                raise InputError(f"output {port.name!r} does not have one row per sample: its first dimension is "
                                 f"{shape[0] if shape else 1} for a batch of {size}")
            found.append(np.empty((rows, *shape[1:]) if per_row else shape, _DTYPES[dtype]) if want else None)
        for start in range(0, rows, size):
            batch = [_rows(array, start, size, self._given(network, i)) for i, array in enumerate(arrays)]
            network.run(batch, [_target(array, start, size, rows) for array in found], [], None)
        self._last = (network, rows) if rows == size else None
        return found

    def gradient(self, *inputs: Any, output_gradient: Any = None) -> Any:
        """Return the gradient with respect to the inputs.

        Parameters
        ----------
        *inputs
            As for a call; the last one may be the gradient of the output, if it has not been named.
        output_gradient
            Of a loss with respect to the first output, in its shape.

        Returns
        -------
        numpy.ndarray | dict[str, numpy.ndarray | None]
            A dict by name if there are several inputs; None for integers. In training mode the gradients
            of the parameters are added up too, as by :meth:`backward`.
        """
        if output_gradient is None and len(inputs) == len(self.inputs) + 1:
            *inputs, output_gradient = inputs  # type: ignore[assignment]
        if output_gradient is None:
            raise ArgumentError("output_gradient is missing: the gradient of a loss with respect to the output")
        arrays, rows = self._take(inputs)
        mode = "training" if self.mode == "training" else "input-gradient"
        size = self._size(rows)
        network = self._network(mode, size, arrays)
        shapes, outputs = network.shapes()
        upstream = self._upstream(output_gradient, rows, outputs[0][1])
        found: list[Array | None] = [np.empty((rows, *shape[1:]), np.float32) if dtype == "f32" else None
                                     for dtype, shape in shapes]
        for start in range(0, rows, size):
            batch = [_rows(array, start, size, self._given(network, i)) for i, array in enumerate(arrays)]
            back = _rows(upstream, start, size, np.float32)
            network.run(batch, None, [back], [_target(array, start, size, rows) for array in found])
        self._last = None
        return self._by_name(found)

    def backward(self, output_gradient: Any) -> Any:
        """Differentiate the last call, which must have been a single batch, once.

        Returns the gradient with respect to the inputs, as :meth:`gradient` does, and in training mode adds
        to the gradients of the parameters.

        Parameters
        ----------
        output_gradient
            Of a loss with respect to the first output, in its shape.
        """
        if self._last is None or self.mode == "inference":
            raise UsageError("no run to differentiate: call the network first, in a mode with gradients"
                             if self.mode != "inference" else
                             "the network is for inference: use gradient(), or mode='training'")
        network, rows = self._last
        self._last = None
        shapes, outputs = network.shapes()
        only = self._options["parameters_only"]
        found: list[Array | None] = [np.empty(shape, np.float32) if dtype == "f32" and not only else None
                                     for dtype, shape in shapes]
        network.run([], None, [self._upstream(output_gradient, rows, outputs[0][1])], found)
        return self._by_name(found)

    def _by_name(self, found: list[Array | None]) -> Any:
        return found[0] if len(found) == 1 else dict(zip((port.name for port in self.inputs), found))

    @_inputs.guarded
    def _upstream(self, given: Any, rows: int, shape: tuple[int, ...], what: str = "output_gradient") -> Array:
        found = np.ascontiguousarray(_as_numpy(given, what), np.float32)
        if found.shape != (rows, *shape[1:]):
            raise InputError(f"{what} has the shape {found.shape}, expected {(rows, *shape[1:])}")
        return found

    # ---- Parameters.

    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters by name, in training mode."""
        network = self._trained()
        return {name: Parameter(name, value, gradient) for name, value, gradient in network.parameters()}

    def clear_gradients(self) -> None:
        """Set the gradients of all parameters to 0."""
        self._trained().clear_gradients()

    def _trained(self) -> _core.Network:
        if self.mode != "training":
            raise UsageError(f"the mode of the network is {self.mode!r}: parameters need mode='training'")
        return self._training or self._network("training", self._size(0), None)

    # ---- Compiling.

    def _size(self, rows: int) -> int:
        """Return the batch for this number of rows; 0: unknown."""
        fixed = next((port.shape[0] for port in self.inputs if port.shape and port.shape[0]), None)
        if fixed and self._batch and fixed != self._batch:
            raise UsageError(f"batch is {self._batch}, but the model takes batches of {fixed}")
        size = fixed or self._batch
        if self.mode != "training":
            return size if fixed and size else max(1, min(size or BATCH, rows))
        if size and rows and rows != size:
            raise UsageError(f"{rows} rows, but in training mode every batch has {size}: its statistics count")
        if not size and not rows:
            raise UsageError("the size of the batch is unknown: pass batch=, or call the network first")
        return size or rows

    def _network(self, mode: str, size: int, arrays: list[Array] | None) -> _core.Network:
        """Return the network that is compiled for batches of such arrays."""
        shapes = None if arrays is None else [(size, *array.shape[1:]) for array in arrays]
        with self._locks.setdefault(os.getpid(), threading.Lock()):
            if mode == "training":
                return self._parametrised(size, shapes)
            key = (os.getpid(), mode, size, *(shapes or ()))  # a network has threads, which a fork leaves behind
            if key not in self._compiled:
                self._compiled[key] = self._compile(mode, size, shapes)
            self._compiled.move_to_end(key)
            if len(self._compiled) > _COMPILED_MAX:
                self._compiled.popitem(last=False)
            return self._compiled[key]

    def _parametrised(self, size: int, shapes: list[tuple[int, ...]] | None) -> _core.Network:
        """Return the only network of the training mode: the parameters belong to it."""
        if self._training is None:
            self._training = self._compile("training", size, shapes)
        taken = [shape for _, shape in self._training.shapes()[0]]
        if shapes is not None and shapes != taken:
            raise UsageError(f"inputs have the shapes {shapes}, but in training mode every batch has those of the "
                             f"first one: {taken}")
        return self._training

    def _compile(self, mode: str, size: int, shapes: list[tuple[int, ...]] | None) -> _core.Network:
        return self._model.compile(mode=mode, batch=size, shapes=shapes, threads=self.threads, seed=self._seed,
                                   winograd=self._options["winograd"], wide_outputs=self._options["wide_outputs"],
                                   parameters_only=mode == "training" and self._options["parameters_only"])

    @staticmethod
    def _given(network: _core.Network, index: int) -> str:
        return _DTYPES[network.shapes()[0][index][0]]

    def _take(self, inputs: Sequence[Any]) -> tuple[list[Array], int]:
        """Return the inputs as NumPy arrays of any type that converts to the model's, and the number of rows."""
        if not self.inputs:
            raise InputError("the model has no inputs: it computes the same for every row")
        if len(inputs) != len(self.inputs):
            raise ArgumentError(f"the model has {len(self.inputs)} input{'s' * (len(self.inputs) != 1)} "
                                f"({', '.join(port.name for port in self.inputs)}), found {len(inputs)}")
        arrays = [_as_numpy(given, port.name) for given, port in zip(inputs, self.inputs)]
        for array, port in zip(arrays, self.inputs):
            if array.ndim == 0:
                raise InputError(f"input {port.name!r} is a number, expected rows")
            if not _can_become(array.dtype, port.dtype):
                raise InputError(f"input {port.name!r} takes {port.dtype}, found {array.dtype}")
            if len(array) != len(arrays[0]):
                raise InputError(f"input {self.inputs[0].name!r} has {len(arrays[0])} rows, found {len(array)} for "
                                 f"input {port.name!r}")
        return arrays, len(arrays[0])

    # ---- What is known of it.

    @property
    def class_names(self) -> list[str]:
        """Names of the classes of its training data; empty: the file has none."""
        found = self._model.encoding()
        return list(found["class_names"]) if found else []

    @property
    def encoding(self) -> Mapping[str, Any] | None:
        """How its training data were read: class_names, mean, std, words, length; None: unknown."""
        return self._model.encoding()

    def info(self, *, batch: int = 1, shapes: Sequence[Sequence[int]] | None = None) -> Survey:
        """Return structure and requirements of the model, and why it cannot be run.

        Parameters
        ----------
        batch
            Rows of a batch, unless the model fixes them.
        shapes
            Of the inputs, for models that leave them open.
        """
        about = self._model.survey(batch=batch, shapes=_shapes(shapes))
        causes = [Cause(each["problem"], each["node_count"], each["first"]) for each in about.pop("causes")]
        found: list[dict[str, Any]] = about.pop("nodes")
        nodes = [Node(**dict(each, dtype=_DTYPES.get(each["dtype"] or ""))) for each in found]
        return Survey(causes=causes, nodes=nodes, **about)

    def check(self, *, batch: int = 4, shapes: Sequence[Sequence[int]] | None = None, directions: int = 20,
              tolerance: float = 0.01, seed: int = 0, progress: _inputs.Progress = None) -> GradientCheck:
        """Compare gradients with finite differences of runs, along random directions.

        Parameters
        ----------
        batch, shapes
            As for :meth:`info`.
        directions
            Number of directions, for inputs and for parameters.
        tolerance
            The largest relative error allowed.
        seed
            Of inputs and directions.
        progress
            A function of (stage, done, total), or True.
        """
        given = _shapes(shapes)
        found: dict[str, Verdict | None] = {}
        for subject, mode in (("inputs", "input-gradient"), ("parameters", "training")):
            network = self._model.compile(mode=mode, batch=batch, shapes=given, parameters_only=True,
                                          threads=self.threads, seed=seed)
            verdict = network.check(None, subject=subject, directions=directions, tolerance=tolerance,
                                    threads=self.threads, seed=seed, progress=_inputs.progress(progress))
            found[subject] = Verdict(**verdict) if verdict else None
        return GradientCheck(found["inputs"], found["parameters"])

    # ---- Predictions.

    def predict(self, data: Any, *, batch: int = 0, scale: float = 1.0, mean: Any = None, std: Any = None,
                channels_last: bool = False, output: str | None = None, features: str | None = None,
                winograd: bool = False, progress: _inputs.Progress = None) -> Predicted:
        """Predict for a dataset, read as the network's training data were, as ``credence predict`` does.

        Parameters
        ----------
        data
            A :class:`credence.Dataset`, the name of one, a file of arrays, or an array, or (samples, labels).
        batch
            Rows of a batch; 0: the model's own, else at most 128.
        scale, mean, std
            Each value x becomes (x * scale - mean) / std, per channel; default: as in training.
        channels_last
            Images of a file are (rows, height, width, channels).
        output
            The output with the predictions, if there are several.
        features
            A tensor of the model, such as ``penultimate``, to be returned too.
        winograd
            As in :class:`Network`.
        progress
            A function of (stage, done, total), or True.

        Returns
        -------
        Predicted
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "predictions.npz")
            about = self.predict_to(path, data, batch=batch, scale=scale, mean=mean, std=std,
                                    channels_last=channels_last, output=output, features=features,
                                    winograd=winograd, progress=progress)
            with np.load(path) as arrays:
                found = {name: arrays[name] for name in arrays}
        names = found.pop("class_names", None)
        return Predicted(scores=found.pop(about["scores"]), kind=about["scores"],
                         class_names=None if names is None else [str(name) for name in names],
                         **{name: array for name, array in found.items() if name in Predicted.__dataclass_fields__})

    def predict_to(self, path: str | os.PathLike[str], data: Any, *, batch: int = 0, scale: float = 1.0,
                   mean: Any = None, std: Any = None, channels_last: bool = False, output: str | None = None,
                   features: str | None = None, winograd: bool = False,
                   progress: _inputs.Progress = None) -> dict[str, Any]:
        """Predict as :meth:`predict` does, and write a file: .npz, .safetensors, .csv ...

        Rows are read, run and written in batches. Returns a summary: rows, classes, scores, labelled ...

        Parameters
        ----------
        path
            The file to write: .npz, .safetensors, .csv ...
        data
            As for :meth:`predict`.
        batch, scale, mean, std, channels_last, output, features, winograd, progress
            As for :meth:`predict`.
        """
        model = self._current()
        is_file = (_inputs.is_path(data, "data") and _core.Dataset.is_file(_inputs.path_text(data))
                   and model.encoding() is None)
        return model.predict(_inputs.path_text(data) if is_file else _dataset.of(data)._core,
                             _inputs.path_text(path), batch=batch, scale=scale, mean=_inputs.vector(mean, "mean"), std=_inputs.vector(std, "std"),
                             channels_last=channels_last, output=output, features=features, winograd=winograd,
                             threads=self.threads, progress=_inputs.progress(progress))

    # ---- Other models, and files.

    def _current(self) -> _core.Model:
        """Return the model with the parameters as they are now, in training mode."""
        if self._training is None:
            return self._model
        return self._model.update({name: _inputs.plain(each.value, np.float32)
                                   for name, each in self.parameters().items()}, {})

    def _like(self, model: _core.Model) -> Network:
        return Network(model, batch=self._batch, threads=self.threads, seed=self._seed)

    def cut(self, tensor: str, part: str = "before") -> Network:
        """Return the network that computes a tensor (``before``), or the rest behind it (``after``).

        Parameters
        ----------
        tensor
            The name of a tensor, such as ``penultimate``.
        part
            ``before`` or ``after``.
        """
        return self._like(self._current().cut(tensor, part))

    def with_weights(self, weights: Mapping[str, Any]) -> Network:
        """Return a copy with other values of parameters, by name.

        Parameters
        ----------
        weights
            Values by name, in the shapes of :meth:`parameters`.
        """
        values = {name: _floats(value, name)
                  for name, value in _inputs.entries(weights, "weights").items()}
        return self._like(self._current().update(values, {}))

    def with_metadata(self, metadata: Mapping[str, str | None]) -> Network:
        """Return a copy with other metadata; None removes a key.

        Parameters
        ----------
        metadata
            Values by key; None removes a key.
        """
        return self._like(self._current().update({}, _inputs.entries(metadata, "metadata")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as one .onnx file; in training mode with the parameters as they are now.

        Parameters
        ----------
        path
            The file to write.
        """
        self._current().save(_inputs.path_text(path))

    def to_bytes(self) -> bytes:
        """Return the bytes of the .onnx file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            self.save(path)
            return _inputs.read(path)

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"batch": self._batch, "mode": self.mode, "threads": self.threads, "seed": self._seed,
                   "winograd": self._options["winograd"], "parameters_only": self._options["parameters_only"]}
        return _unpickle, (self.to_bytes(), options)

    def __repr__(self) -> str:
        def spelled(ports: list[Port]) -> str:
            return ", ".join(f"{port.name} {port.dtype}" + ("" if port.shape is None else _spelled(port.shape))
                             for port in ports)
        return f"<Network {spelled(self.inputs)} -> {spelled(self.outputs)}; {self.mode}>"


def _spelled(shape: tuple[int | None, ...]) -> str:
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"


def _unpickle(model: bytes, options: dict[str, Any]) -> Network:
    return Network(model, **options)


@_inputs.guarded
def _opened(model: Any, what: str) -> _core.Model:
    if isinstance(model, _core.Model):
        return model
    if isinstance(model, Network):
        return model._current()
    if isinstance(model, (bytes, bytearray, memoryview)):
        return _core.Model.open_memory(bytes(model), None)
    if _inputs.is_path(model):
        return _core.Model.open(_inputs.path_text(model))
    raise ArgumentError(f"{what} is {shown(model)}, expected the path of an .onnx file, or its bytes")


_DIMS_MAX = 32  # of shapes; longer ones are no shapes
_SHAPES_MAX = 1000  # of inputs, likewise


@_inputs.guarded
def _dims(shape: Sequence[int], what: str = "shape") -> tuple[int, ...]:
    return tuple(_inputs.whole(size, what) for size in itertools.islice(shape, _DIMS_MAX))


@_inputs.guarded
def _shapes(shapes: Sequence[Sequence[int]] | None) -> list[tuple[int, ...]] | None:
    return None if shapes is None else [_dims(each, "shapes") for each in itertools.islice(shapes, _SHAPES_MAX)]


@_inputs.guarded
def _as_numpy(given: Any, what: str) -> Array:
    """Return an array over the memory of another, if it can be: of PyTorch and JAX through DLPack."""
    given = _inputs.array(given, what)
    if isinstance(given, np.ndarray):
        return given
    if hasattr(given, "__dlpack__"):
        return _core.borrow(given, what)
    try:
        found = np.asarray(given)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{what} cannot be read as an array of numbers: {error}") from error
    if found.dtype.kind not in "fiub":
        raise ArgumentError(f"{what} cannot be read as an array of numbers: its elements are {found.dtype}")
    return found


@_inputs.guarded
def _floats(given: Any, what: str) -> Array:
    found = _as_numpy(given, what)
    if found.dtype.kind not in "fiub":
        raise ArgumentError(f"{what} cannot be read as an array of numbers: its elements are {found.dtype}")
    return cast("Array", _inputs.plain(found, np.float32))


def _can_become(given: np.dtype[Any], wanted: str) -> bool:
    """Any number converts to floating point; integers convert to types that hold all of their values."""
    if given.kind not in "fiub":
        return False
    return "float" in wanted or np.can_cast(given, wanted, "safe")


def _rows(array: Array, start: int, size: int, dtype: Any) -> Array:
    """Return rows of a batch in the model's type; past the end the last row is repeated, as in the program."""
    taken = np.ascontiguousarray(array[start:start + size], dtype)
    missing = size - len(taken)
    return np.concatenate([taken, np.repeat(taken[-1:], missing, axis=0)]) if missing else taken


def _target(array: Array | None, start: int, size: int, rows: int) -> Array | None:
    if array is None:
        return None
    return array[start:start + size] if array.ndim and len(array) == rows else array
