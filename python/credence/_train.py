"""Training of networks, epoch by epoch."""
from __future__ import annotations

import functools
import inspect
import json
import math
import numbers
import os
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from . import _core, _dataset, _inputs, _progress, _tables
from ._errors import ArgumentError, DataWarning, InputError, Interrupted, UsageError, shown
from ._forms import read_only
from ._network import Network, _opened
from ._sources import TrainingRecord
from ._svg import SVG

if TYPE_CHECKING:
    import numpy as np
    import pandas
    from numpy.typing import NDArray

Record = dict[str, Any]
P = ParamSpec("P")
R = TypeVar("R")


class Training:
    """What was trained: the network, and the record of every epoch.

    It cannot be pickled, but its network, its records and ``to_dict()`` can.

    Attributes
    ----------
    records : list[dict[str, Any]]
        One for each finished epoch: ``epoch``, ``rate``, ``loss``, ``train.accuracy``, ``validation.ece`` ...,
        ``best`` and ``seconds``.
    finished : bool
        Whether nothing is left to train.
    kept_epoch : int
        The epoch whose network is kept: the best one, or the last.
    settings : Mapping[str, str]
        Everything that the result depends on, but for the number of threads.
    fingerprint : str
        A hash of the settings.
    notes : list[str]
        What is worth knowing.
    """

    def __init__(self, core: _core.Trainer, records: list[Record], about: Mapping[str, Any]) -> None:
        self._core = _inputs.made(core, _core.Trainer, "credence.train returns it")
        state = core.describe()
        self._about = dict(about)
        self._state = state
        self._network: Network | None = None
        self.records = list(records)
        self.finished: bool = state["done"]
        self.kept_epoch: int = state["best"]
        self.settings: Mapping[str, str] = dict(line.split(" ", 1) for line in state["settings"].splitlines())
        self.fingerprint: str = state["fingerprint"]
        self.notes: list[str] = state["notes"]
        self._model = core.model()
        self._learned = read_only(core.rows())

    @property
    def network(self) -> Network:
        """The trained network; its file has the classes and the normalisation of its input."""
        if self._network is None:
            self._network = Network(self._model, threads=self._about["threads"])
        return self._network

    @property
    def learned(self) -> tuple[NDArray[np.uint32], NDArray[np.float32]] | None:
        """Of each training row, the epoch from which on it is predicted correctly and its largest logit.

        None without ``evaluate_train``.
        """
        return self._learned

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a line for each epoch."""
        import pandas
        return pandas.DataFrame(self.records).set_index("epoch")

    def to_dict(self, output: str | None = None) -> dict[str, Any]:
        """Return the record of the run, as ``credence train`` writes it beside the model.

        Parameters
        ----------
        output
            The file of the model, to be named in the record.
        """
        epochs = [{name: None if isinstance(value, float) and math.isnan(value) else value
                   for name, value in record.items() if name != "seconds" and (name != "best" or value)}
                  for record in self.records]
        return {"credence": "run", "version": 1, "library": _core.version(), "fingerprint": self.fingerprint,
                "command": None, "output": output, **{name: self._about[name]
                                                     for name in ("data", "validate", "monitors", "network", "model")},
                "rows": self._state["rows"], "classes": self._state["classes"], "settings": dict(self.settings),
                "threads": self._state["threads"], "kept_epoch": self.kept_epoch, "epochs": epochs}

    def to_json(self, output: str | None = None) -> str:
        """Return the record of the run as JSON, for ``credence plot training``.

        Parameters
        ----------
        output
            The file of the model, to be named in the record.
        """
        named = None if output is None else _inputs.path_text(output, "output")
        return json.dumps(self.to_dict(named), indent=2) + "\n"

    def save(self, path: str | os.PathLike[str], *, record: bool = True) -> None:
        """Write the network as .onnx, and the record of the run beside it, as FILE.run.json.

        Parameters
        ----------
        path
            FILE.onnx.
        record
            Whether to write the record too.
        """
        text = _inputs.path_text(path)
        if not text.endswith(".onnx"):
            raise UsageError(f"the path is {text!r}, expected FILE.onnx")
        self._model.save(text)
        if record:
            _inputs.write(text[:-len(".onnx")] + ".run.json", self.to_json(text).encode())

    def save_learned(self, path: str | os.PathLike[str]) -> None:
        """Write learned epochs of the training rows: .csv, .npz or .safetensors, for ``credence learned``.

        They are those of all epochs so far, also of a trainer that went on since; ``learned`` has those of ``records``.

        Parameters
        ----------
        path
            The file to write.
        """
        self._core.save_learned(_inputs.path_text(path))

    def figure(self, *, title: str | None = None, id: str | None = None) -> SVG:
        """Return a figure of the run: loss and validation metrics by epoch.

        Parameters
        ----------
        title
            Above the figure; None: the name of the model.
        id
            The prefix of ids inside the figure, different for each figure of one page.

        Returns
        -------
        SVG
        """
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "training.run.json")
            _inputs.write(path, self.to_json().encode())
            return TrainingRecord.load(path).figure(title=title, id=id)

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError("Training cannot be pickled: pickle its network, records and to_dict()")

    def _repr_html_(self) -> str:
        bar = _progress.NotebookBar()
        bar.records = [_progress.cells(record) for record in self.records]
        return bar.html()

    def __repr__(self) -> str:
        state = "" if self.finished else ", unfinished"
        return (f"<Training: {self._about['network'] or self._about['model']} after epoch {self.kept_epoch} of "
                f"{len(self.records)}{state}, trained on {self._state['rows']} rows of "
                f"{self._state['classes']} classes>")


class Trainer:
    """A network in training, epoch by epoch; the arguments are those of :func:`train`.

    Iterating over it trains an epoch at a time and yields its record. It cannot be pickled: a
    checkpoint continues it elsewhere.

    Attributes
    ----------
    records : list[dict[str, Any]]
        Of the epochs so far.

    Examples
    --------
    >>> import credence
    >>> trainer = credence.Trainer("synthetic:line:rows=200#train", "mlp(hidden=8)", epochs=2)
    >>> for record in trainer:
    ...     print(record["epoch"], "loss" in record)
    1 True
    2 True
    >>> trainer.training.kept_epoch
    2
    """

    def __init__(self, data: Any, network: Any = None, *, validation: Any = None,
                 monitors: Mapping[str, Any] | None = None, loss: str = "ce", optimiser: str = "adamw",
                 rate: float | None = None, weight_decay: float | None = None, decay: str = "weights",
                 schedule: str = "cosine", warm_up: float | None = None, epochs: int = 0, batch: int = 0,
                 keep_last: bool = False, clip: float = 0.0, augment: str | None = None, mixup: float = 0.0,
                 best: str | None = None, patience: int = 0, evaluate_train: bool = False,
                 freeze: str | None = None, head: str | None = None, cache: str | os.PathLike[str] | None = None,
                 logits: str | os.PathLike[str] | None = None, keep_scale: bool = False, words: int = 0,
                 length: int = 0, allow_negative: bool = False, split_seed: int = 0,
                 checkpoint: str | os.PathLike[str] | None = None, save_every: float = 60.0, resume: bool = False,
                 seed: int = 0, threads: int = 0, progress: _inputs.Progress = None) -> None:
        resume = _inputs.flag(resume, "resume")
        if resume and checkpoint is None:
            raise UsageError("resume needs a checkpoint to continue from")
        if head is not None and freeze is None:
            raise UsageError("head needs freeze: the tensor behind which the new layers begin")
        training, watched = _parts(data, validation, monitors, split_seed)
        model = _opened(network, "network") if _is_model(network) else None
        self._checkpoint = None if checkpoint is None else _inputs.path_text(checkpoint, "checkpoint")
        self._progress = _inputs.progress(progress)
        self._core = _core.Trainer(
            training=training._core, monitors=[(name, each._core) for name, each in watched.items()],
            network=network if model is None else None, model=model, loss=loss,
            optimiser=_with(optimiser, {"rate": rate, "weight-decay": weight_decay}, "optimiser"), decay=decay,
            schedule=_with(schedule, {"warm-up": warm_up}, "schedule"), epochs=epochs, batch=batch, keep_last=keep_last,
            clip=clip, augment=augment, mixup=mixup, best=best, patience=patience, evaluate_train=evaluate_train,
            freeze=freeze, head=head, cache=None if cache is None else _inputs.path_text(cache, "cache"),
            logits=None if logits is None else _inputs.path_text(logits, "logits"), keep_scale=keep_scale, words=words,
            length=length, allow_negative=allow_negative, seed=seed, threads=threads)
        if self._checkpoint and resume and os.path.exists(self._checkpoint):
            self._core.load(self._checkpoint)
        if self._checkpoint:
            self._core.save_to(self._checkpoint, _inputs.number(save_every, "save_every"))
        self.records: list[Record] = []
        self._lock = threading.Lock()
        self._catch_up()
        state = self._core.describe()
        self._about = {"data": training.name, "validate": _spelled(validation), "threads": threads,
                       "monitors": {name: _spelled(each) for name, each in (monitors or {}).items()},
                       "network": (network or state["usual"]) if model is None else None,
                       "model": None if model is None else _spelled(network)}
        self._warned = 0
        self._warn(state["notes"])

    def _warn(self, notes: list[str]) -> None:
        for note in notes[self._warned:]:
            warnings.warn(note, DataWarning, stacklevel=4)
        self._warned = len(notes)

    def epoch(self) -> Record | None:
        """Train up to the end of the current epoch; return its record, or None if nothing is left to train.

        Raises
        ------
        credence.Interrupted
            Ctrl-C: after a whole step. ``training`` of the exception is what was trained so far, the checkpoint
            is written, and the trainer can go on.
        """
        try:
            found = self._core.epoch(self._progress)
        except KeyboardInterrupt as error:
            raise self._stopped(error)
        if found is None:
            return None
        record = _record(found)
        self._catch_up()
        self.records[record["epoch"] - 1] = record  # with its seconds
        if isinstance(self._progress, _progress.Bar):
            self._progress.epoch(record)
        return record

    def _stopped(self, error: KeyboardInterrupt) -> Interrupted:
        """Return the exception of an interruption, with what was trained so far.

        Python's own exception arrives between two calls of the library.
        """
        found = error if isinstance(error, Interrupted) else Interrupted("interrupted")
        if found.training is None:
            if self._checkpoint:
                self._core.save(self._checkpoint)
            found.training = self.training
        return found

    def __iter__(self) -> Iterator[Record]:
        while (record := self.epoch()) is not None:
            yield record

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint: everything that is needed to continue with the same bits.

        Parameters
        ----------
        path
            The file to write.
        """
        self._core.save(_inputs.path_text(path))

    def _catch_up(self) -> None:
        """Add the records of epochs whose end an interrupt, or another thread, has seen first."""
        found = [_record(each) for each in self._core.epochs()]
        with self._lock:
            self.records += found[len(self.records):]

    @property
    def training(self) -> Training:
        """What was trained so far."""
        self._catch_up()
        return Training(self._core, self.records, self._about)

    def __reduce__(self) -> tuple[Any, ...]:
        raise UsageError("Trainer cannot be pickled: save() a checkpoint, and continue from it with checkpoint= and "
                         "resume=True")

    def __repr__(self) -> str:
        return f"<Trainer after {len(self.records)} epochs>"


def _signed(like: Callable[Concatenate[Any, P], None]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Give a function the parameters of a constructor."""
    def sign(function: Callable[..., R]) -> Callable[P, R]:
        given = inspect.signature(like)
        own = inspect.signature(function)

        @functools.wraps(function)
        def signed(*unnamed: P.args, **named: P.kwargs) -> R:
            return function(*unnamed, **named)
        signed.__signature__ = given.replace(  # type: ignore[attr-defined]
            parameters=list(given.parameters.values())[1:], return_annotation=own.return_annotation)
        return signed
    return sign


@_tables.documented(losses="losses", architectures="architectures", optimisers="optimisers", schedules="schedules",
                    augmentations="augmentations")
@_signed(Trainer.__init__)
def train(*unnamed: Any, **named: Any) -> Training:
    """Train a network with a calibrating loss, to the same bits as ``credence train``.

    Parameters
    ----------
    data
        The training data: a :class:`credence.Dataset`, the name of one ("fashion-mnist#train"), or
        (samples, labels).
    network
        The network to build, with settings in brackets; an .onnx file or a :class:`credence.Network` is
        trained further, with a new last layer for another number of classes. None: ``cnn`` for images,
        ``mlp`` for vectors, ``text-cnn`` for texts.

        {architectures}
    validation
        Data on which the network is evaluated after every epoch, or a share of ``data`` such as 0.1, which
        is then not trained on.
    monitors
        Further such data, by name.
    loss
        A weighted sum, "ce + 5*dca":

        {losses}
    optimiser
        With settings in brackets, "sgd(momentum=0.9)":

        {optimisers}
    rate, weight_decay, decay
        The learning rate (0.1 with sgd, else 0.001) and weight decay (0.0001), of ``weights`` or ``all``.
    schedule
        Of the learning rate:

        {schedules}
    warm_up
        Share of the steps in which the rate rises.
    epochs, batch, keep_last
        Epochs (0: 10, with few rows more), rows of a batch (0: 128), and whether incomplete last batches
        are trained on.
    clip
        The largest norm of the gradient; 0: no limit.
    augment
        Random transformations of images, "crop(pad=4) + flip":

        {augmentations}
    mixup
        The alpha of mixup; 0: none.
    best, patience
        The metric of the validation data by which the kept epoch is chosen, and the epochs without
        improvement after which to stop; None: the last epoch is kept.
    evaluate_train
        Also evaluate on the training data, and find when each row is learned.
    freeze, head, cache
        Train only the layers behind a tensor; replace them by a new network; keep the tensor's values in a
        folder.
    logits
        A folder for predictions after every epoch.
    keep_scale
        Do not normalise by mean and standard deviation of the training data.
    words, length
        Texts: size of the vocabulary, and tokens of a sample.
    allow_negative
        Allow negative factors of the loss.
    split_seed
        Of the share for validation.
    checkpoint, save_every, resume
        A file that is written after every epoch, after a number of seconds, and on Ctrl-C; whether to continue
        from it if it exists, to the same bits as without the interruption.
    seed, threads
        Of weights, order, augmentation and dropout; threads (0: all).
    progress
        True: a bar with a table of epochs, on standard error or in the notebook; or a function of
        (stage, done, total).

    Returns
    -------
    Training

    Raises
    ------
    credence.Interrupted
        Ctrl-C: ``training`` of the exception is what was trained so far, after a whole step.

    Examples
    --------
    >>> import credence
    >>> training = credence.train("synthetic:line:rows=300#train", "mlp(hidden=8)", validation=0.2,
    ...                           loss="ce + 0.1*entropy", epochs=3)
    >>> [record["epoch"] for record in training.records]
    [1, 2, 3]
    >>> training.network.outputs[0].name
    'logits'
    """
    trainer = Trainer(*unnamed, **named)
    try:
        for _ in trainer:
            pass
    except KeyboardInterrupt as error:
        raise trainer._stopped(error)
    return trainer.training


def _record(epoch: Mapping[str, Any]) -> Record:
    return {"epoch": epoch["epoch"], "rate": epoch["rate"], **epoch["values"], "best": epoch["best"],
            "seconds": epoch["seconds"]}


@_inputs.guarded
def _with(expression: str, settings: Mapping[str, float | None], what: str) -> str:
    """Put settings into the brackets of an expression; the last one of a name counts."""
    if not isinstance(expression, str):
        raise ArgumentError(f"{what} is {shown(expression)}, expected a str such as 'sgd(rate=0.1)'")
    for name, value in settings.items():
        if value is None:
            continue
        before = expression[:-1] + ("" if expression.endswith("()") else ",") if expression.endswith(")") \
            else expression + "("
        expression = f"{before}{name}={_inputs.number(value, name)!r})"
    return expression


@_inputs.guarded
def _is_model(network: Any) -> bool:
    """Return whether an argument is a model to train further, and not an expression."""
    if isinstance(network, str):
        return network.endswith(".onnx")
    if network is None or isinstance(network, (Network, _core.Model, bytes, os.PathLike)):
        return network is not None
    raise ArgumentError(f"network is {shown(network)}, expected a name of credence.architectures(), an .onnx file or "
                        "a Network")


def _spelled(given: Any) -> str | None:
    """Return data or a model as the record of a run names it."""
    if given is None or _inputs.is_real(given):
        return None if given is None else repr(int(given) if isinstance(given, numbers.Integral) else float(given))
    if isinstance(given, _dataset.Dataset):
        return given.name
    return os.fspath(given) if isinstance(given, (str, os.PathLike)) else "in memory"


@_inputs.guarded
def _parts(data: Any, validation: Any, monitors: Mapping[str, Any] | None,
           seed: int) -> tuple[_dataset.Dataset, dict[str, _dataset.Dataset]]:
    """Return the training data, and the data to evaluate on: `validation` is the first of these."""
    training = _dataset.of(data)
    watched: dict[str, _dataset.Dataset] = {}
    if _inputs.is_real(validation):
        training, watched["validation"] = training.split(validation, seed=seed)
    elif validation is not None:
        watched["validation"] = _apart(training, _dataset.of(validation, "validation"))
    more = {} if monitors is None else _inputs.entries(monitors, "monitors", "a dict of data by name")
    for given, each in more.items():
        name = _inputs.key(given, "monitors")
        if name in watched:
            raise UsageError(f"two datasets to evaluate on are called {shown(name)}")
        watched[name] = _apart(training, _dataset.of(each, name))
    return training, watched


def _apart(training: _dataset.Dataset, other: _dataset.Dataset) -> _dataset.Dataset:
    """Refuse groups, such as patients, on both sides."""
    if training.has_groups and other.has_groups:  # by name: of arrays, the library has numbers only
        known = set(training.groups or ())
        common = [group for group in dict.fromkeys(other.groups or ()) if group is not None and group in known]
        if common:
            raise InputError(f"{training.name or 'data'} and {other.name or 'the validation data'} have {len(common)} "
                             f"groups in common, such as {common[0]!r}")
    return other
